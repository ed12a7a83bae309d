"""What a relation is called, and which one of the table it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import regex

from recollect.extract.prose.inflect import gerund, third
from recollect.extract.prose.verbs import Aspect
from recollect.graph.found import EntityKind
from recollect.graph.predicates import Predicates

if TYPE_CHECKING:
    from spacy.tokens import Token

_WORDS_MAX = 4
_NOT_WORD = regex.compile(r"[^A-Z0-9]+")
# What the target of a relation is; a relation is not meant where the target is plainly another sort.
TARGETS: dict[str, tuple[EntityKind, ...]] = {
    "WORKS_AT": ("organization",),
    "STUDIES_AT": ("organization", "place"),
    "LIVES_IN": ("place",),
    "MOVED_FROM": ("place",),
    "BORN_IN": ("place",),
    "IS_FROM": ("place",),
    "VISITED": ("place", "event", "organization"),
    "TRAVELS_TO": ("place",),
    "MARRIED_TO": ("person",),
    "DATES": ("person",),
    "MEMBER_OF": ("organization",),
    "LOCATED_IN": ("place",),
    "KNOWS": ("person",),
    "WORKS_AS": ("topic",),
}
_PEOPLE_ONLY = frozenset({"MARRIED_TO", "DATES", "DIVORCED", "ENGAGED_TO"})
_OUTER_HOLDS = frozenset(
    {"manage", "get", "happen", "help", "come", "go", "be", "end", "learn", "finish"}
)
_TURNS = {"now": "now", "nowadays": "now", "instead": "instead", "currently": "now"}
# Who has such a relation; a building that "serves as" something has no job.
_SOURCES: dict[str, tuple[EntityKind, ...]] = {
    "WORKS_AS": ("person",),
    "WORKS_AT": ("person",),
    "STUDIES_AT": ("person",),
    "MARRIED_TO": ("person",),
    "ENGAGED_TO": ("person",),
    "DATES": ("person",),
    "DIVORCED": ("person",),
    "GRADUATED_FROM": ("person",),
    "LIVES_WITH": ("person", "animal"),
    "HAS_AGE": ("person", "animal"),
}
_NO_PEOPLE = frozenset({"WORKS_AT", "LIVES_IN", "STUDIES_AT", "BORN_IN", "MOVED_FROM", "IS_FROM"})


def fits(predicate: str, kind: EntityKind | None, anchored: bool) -> bool:
    """Whether something of this sort can be what such a relation starts from."""
    wanted = _SOURCES.get(predicate)
    return wanted is None or kind in wanted or (kind is None and anchored)


@dataclass(frozen=True, slots=True)
class Relation:
    """*name* for clients, *predicate* for comparison."""

    name: str
    predicate: str


def screaming(words: list[str]) -> str:
    """Words as a relation name, at most four."""
    joined = "_".join(words).upper().replace("'", "")
    parts = [part for part in _NOT_WORD.split(joined) if part]
    return "_".join(parts[: _WORDS_MAX + 1])


def relation(
    table: Predicates,
    lemmas: list[str],
    verb: Token,
    aspect: Aspect,
    kind: EntityKind | None,
    dated: bool = False,
) -> Relation:
    """Name the relation that *lemmas* say ("work", "at"), as the verb group has it."""
    intended = _intended(lemmas, aspect)
    if intended is not None:
        return intended
    known = None
    if not (aspect.negated or aspect.no_longer or aspect.tense == "past"):
        known = _changed(table, lemmas, verb, kind)
    known = known or _known(table, lemmas, kind)
    if known is not None and aspect.tense == "future" and not dated:
        entry = table[known]
        if entry.single or entry.ends or entry.replaces:
            known = None  # what will be some day changes nothing today
    predicate = known or screaming(lemmas)
    return Relation(_name(table, lemmas, verb, aspect, known), predicate)


def _intended(lemmas: list[str], aspect: Aspect) -> Relation | None:
    """What is wanted, tried or possible is not said to be so, and gets a relation of its own."""
    if aspect.ended or aspect.no_longer:
        return None
    if aspect.lead in ("wish", "plan"):
        if lemmas[0] == "wait":
            return Relation("LOOKS_FORWARD_TO", "LOOKS_FORWARD_TO")
        predicate = "WANTS_TO" if aspect.lead == "wish" else "PLANS_TO"
        verb = "want" if aspect.lead == "wish" else "plan"
        return Relation(f"DOES_NOT_{verb.upper()}_TO" if aspect.negated else predicate, predicate)
    outer = aspect.outer
    holds = outer in _OUTER_HOLDS or (outer == "have" and aspect.tense == "past")
    if aspect.lead == "other" and not holds:
        words = [outer, "to", *lemmas]
        said = ["does", "not", *words] if aspect.negated else [third(outer), *words[1:]]
        return Relation(screaming(said), screaming(words))
    if aspect.able and not aspect.negated:
        return Relation(screaming(["can", *lemmas]), screaming(["can", *lemmas]))
    return None


def _changed(
    table: Predicates, lemmas: list[str], verb: Token, kind: EntityKind | None
) -> str | None:
    """A relation that is said with a turn of time: "likes Puma shoes now"."""
    for item in verb.children:
        bare = item.dep_ in ("advmod", "npadvmod") and not list(item.children)  # no "right now"
        word = _TURNS.get(item.lower_) if bare else None
        if item.dep_ == "npadvmod" and item.lower_ == "days":
            word = "now" if any(part.lower_ == "these" for part in item.children) else None
        if item.dep_ == "prep" and item.lower_ == "from":
            word = "now" if any(part.lower_ == "now" for part in item.children) else None
        if word is not None and (known := _known(table, [*lemmas, word], kind)) is not None:
            return known
    return None


def _known(table: Predicates, lemmas: list[str], kind: EntityKind | None) -> str | None:
    known = table.of_phrase(" ".join(lemmas))
    if known is None:
        return None
    if known in _PEOPLE_ONLY and kind not in ("person", None):
        return None
    if known == "KNOWS" and kind != "person":
        return None
    if known == "BREEDS" and kind not in ("animal", "person"):
        return None  # one also raises money
    if known == "LOCATED_IN" and kind not in ("place", "organization"):
        return None
    return None if known in _NO_PEOPLE and kind in ("person", "animal", "event", "topic") else known


def _name(
    table: Predicates, lemmas: list[str], verb: Token, aspect: Aspect, known: str | None
) -> str:
    first, rest = lemmas[0], lemmas[1:]
    if aspect.lead == "used":
        return screaming(["used", "to", *lemmas])
    if aspect.lead == "stop":
        return screaming(["stopped", gerund(first), *rest])
    if aspect.no_longer:
        return screaming(["no", "longer", third(first), *rest])
    if aspect.negated:
        return screaming([*_denial(first, aspect), *(rest if first == "be" else lemmas)])
    if known is not None and not (
        table[known].event and aspect.tense != "past" and not aspect.perfect
    ):
        return known
    if aspect.lead == "start" and known is None:
        return screaming(["started", gerund(first), *rest])
    name = screaming([_said(first, verb, aspect), *rest])
    return name if name not in table or name == known else screaming([third(first), *rest])


def _denial(first: str, aspect: Aspect) -> list[str]:
    if aspect.able:
        return ["cannot"]
    if first == "be":
        return ["was" if aspect.tense == "past" else "is", "not"]
    if aspect.tense == "future":
        return ["will", "not"]
    return ["did" if aspect.tense == "past" or aspect.perfect else "does", "not"]


def _said(first: str, verb: Token, aspect: Aspect) -> str:
    if first == "be" and verb.lemma_.lower() != "be":
        return "was" if aspect.tense == "past" else "is"
    if aspect.tense == "past" and verb.tag_ in ("VBD", "VBN") and verb.lemma_.lower() == first:
        return verb.lower_ if verb.lower_.isalpha() else third(first)
    return third(first)
