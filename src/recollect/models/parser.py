"""The English pipeline: tokens, tags, lemmas, dependencies, names."""

import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from recollect.models import weights
from recollect.models.manifest import PARSER

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc, Token

_STOPS = frozenset(
    {".", "!", "?", "...", "\u2026", ":", ";", '"', "\u201d", ")", "-", "\u2013", "\u2014"}
)
_MEASURE = re.compile(r"\d+[A-Za-z]*\.")
_SHORT = 30
_KIN = ("mother", "father", "sister", "brother", "son", "daughter", "parents")


@cache
def load(models: Path) -> "Language":
    """The installed pipeline, loaded once per process."""
    import spacy  # half a second that only extraction should pay
    from spacy.language import Language

    nlp = spacy.load(weights.verified(PARSER, models))
    tokenizer = nlp.tokenizer
    if isinstance(tokenizer, spacy.tokenizer.Tokenizer):
        # "Wed" is a Wednesday, not "we'd"; a father-in-law is not a father.
        for word in ("wed", *(f"{kin}-in-law" for kin in _KIN)):
            for form in (word, word.capitalize()):
                tokenizer.add_special_case(form, [{"ORTH": form}])
    Language.component("sentence_ends", func=sentence_ends)
    nlp.add_pipe("sentence_ends", before="parser")
    return nlp


def sentence_ends(doc: "Doc") -> "Doc":
    """Set sentence boundaries by full stops, leaving only long stretches without one to the parser.

    It would split "anything in /docs | ask him", and run past the stop in "costs 6.49 eur. the db is
    sqlite".
    """
    start = 0
    for token in doc[:-1]:
        following = token.nbor(1)
        if token.text in _STOPS or token.is_space or _MEASURE.fullmatch(token.text):
            start = following.i
            if _is_end(token, following):
                following.is_sent_start = True
        elif following.i - start < _SHORT:
            following.is_sent_start = False
    return doc


def _is_end(token: "Token", following: "Token") -> bool:
    """A stop followed by a space and a word; not "Hm . . . well"."""
    stops = token.text in (".", "!", "?") or _MEASURE.fullmatch(token.text) is not None
    return stops and bool(token.whitespace_) and following.is_alpha
