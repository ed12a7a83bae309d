"""Clauses of chat without a subject, where it is sure that the speaker is meant.

"back in Porto since May", "sold my bike", "majoring in biology": told in the third person only where
the words leave no doubt; notes such as "sold out till March" are not about whoever wrote them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.extract.prose.certain import SAME_IN_PAST, is_whole
from recollect.extract.prose.inflect import third
from recollect.extract.prose.listed import listed
from recollect.extract.prose.nouns import is_time
from recollect.extract.prose.syntax import SUBJECTS, child
from recollect.extract.prose.words import EVALUATIVE, FEELINGS, IDENTITY

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spacy.tokens import Token

_BEFORE = frozenset({"advmod", "intj", "punct", "cc", "aux"})
_ADVERBS = listed("just also now already finally recently currently only still")
_MOVING = listed(
    "move start go fly drive travel switch talk speak work live study apply enrol register"
)
_COMING = listed("start move fly leave")
_BACK = listed("back home away")
_WHERE = frozenset({"at", "to", "in", "with", "from", "for", "on", "as", "into"})


def led_by(unit: Sequence[Token], dated: bool) -> tuple[int, str] | None:
    """How many words of the clause are left out, and what stands between the speaker and the rest:
    a helper, or the verb itself in the third person, which is then left out too. None if it is not
    sure that the speaker is meant."""
    at = next((at for at, token in enumerate(unit) if not _only_leads(token)), None)
    if at is None or any(token.dep_ in SUBJECTS and token.head == unit[at] for token in unit):
        return None
    skipped = sum(token.dep_ in ("intj", "punct", "cc") for token in unit[:at])
    first = unit[at]
    if not is_whole(unit, first):
        return None
    if first.tag_ == "VBD" and _has_done(first):
        return skipped, ""
    if first.tag_ == "VBG" and _is_doing(first):
        return skipped, "is "
    if (
        first.lower_ in _states()
        and child(first, "prep") is not None
        and first.tag_ in ("JJ", "RB")
    ):
        return skipped, "is "
    if first.tag_ in ("VB", "VBP") and at == skipped and dated and _is_to_come(first):
        return at + 1, third(first.lower_) + " "
    return None


def _only_leads(token: Token) -> bool:
    return token.dep_ in ("intj", "punct", "cc") or token.lower_ in _ADVERBS


def _states() -> frozenset[str]:
    return (IDENTITY | FEELINGS | _BACK) - EVALUATIVE


def _has_done(verb: Token) -> bool:
    """ "sold my bike"; not "left shin hurts", nor "set the hallway to 19", which may be a command."""
    if verb.lower_ in SAME_IN_PAST:
        return False
    thing = child(verb, "dobj")
    if thing is not None and not is_time(thing):
        return _is_definite(thing) and verb.lemma_.lower() != "be"
    return verb.lemma_.lower() in _MOVING and _goes_somewhere(verb)


def _is_doing(verb: Token) -> bool:
    """ "selling my bike", not "missing index": only with a thing that is made definite."""
    thing = child(verb, "dobj")
    if thing is not None:
        return _is_definite(thing)
    return _goes_somewhere(verb)


def _is_definite(thing: Token) -> bool:
    return child(thing, "det", "poss") is not None or thing.pos_ == "PROPN"


def _is_to_come(verb: Token) -> bool:
    return verb.lemma_.lower() in _COMING and _goes_somewhere(verb) and child(verb, "dobj") is None


def _goes_somewhere(verb: Token) -> bool:
    preps = (item for item in verb.rights if item.dep_ == "prep" and item.lower_ in _WHERE)
    return any((inner := child(item, "pobj")) is not None and not is_time(inner) for item in preps)
