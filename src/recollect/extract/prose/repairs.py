"""What the parser gets wrong often enough, put right before the text is read."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

_PHRASE = frozenset({"det", "amod", "compound", "poss", "nummod"})


def repair(doc: Doc, is_verb: Callable[[str], bool]) -> Doc:
    """Give verbs back their tags: the "work" of "I live in Oslo and work at Equinor" is one."""
    for token in doc:
        if token.tag_ == "NN" and token.dep_ == "conj" and _is_joined_verb(token, is_verb):
            token.tag_, token.pos_ = "VBP", "VERB"
            token.lemma_ = token.lower_
    return doc


def _is_joined_verb(token: Token, is_verb: Callable[[str], bool]) -> bool:
    if token.head.tag_ not in ("VBP", "VBZ") or not is_verb(token.lower_):
        return False
    parts = {item.dep_ for item in token.children}
    return not parts & _PHRASE and bool(parts & {"prep", "dobj"})
