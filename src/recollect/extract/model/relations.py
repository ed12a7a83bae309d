"""Names of relations: brought into one spelling, and to the predicate they are compared by."""

import re
import unicodedata
from collections.abc import Iterator

from recollect.graph.predicates import Predicates

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_SEPARATORS = re.compile(r"[^A-Z0-9]+")
_NAME = re.compile(r"[A-Z][A-Z0-9]*(_[A-Z0-9]+)*")
_NOT = frozenset({"NOT", "NEVER", "NO"})
_HELPERS = frozenset({"does", "do", "did", "no", "longer"})
_LEMMAS = {"is": "be", "are": "be", "was": "be", "were": "be", "has": "have", "had": "have"}


def spell(name: str) -> str | None:
    """A name in SCREAMING_SNAKE_CASE: "worksAt" and "works at" are WORKS_AT; None if it has none."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    spelled = _SEPARATORS.sub("_", _CAMEL.sub("_", plain.strip()).upper()).strip("_")
    return spelled if _NAME.fullmatch(spelled) else None


def says_not(name: str) -> bool:
    """Whether a name denies its relation."""
    return not _NOT.isdisjoint(name.split("_"))


def predicate(name: str, table: Predicates) -> str:
    """The relation of the table that a name means; a name it does not know means itself."""
    if name in table:
        return table[name].name
    words = [word for word in name.split("_") if word not in _NOT]
    while len(words) > 1 and words[0].lower() in _HELPERS:
        words = words[1:]
    bare = "_".join(words)
    if bare in table:
        return table[bare].name
    known = (table.of_phrase(phrase) for phrase in _phrases([word.lower() for word in words]))
    return next((found for found in known if found is not None), bare)


def _phrases(words: list[str]) -> Iterator[str]:
    """The ways in which the table may spell a relation: by lemmas, with or without "be"."""
    rest = words[1:]
    for first in _lemmas(words[0]):
        yield " ".join([first, *rest])
    yield " ".join(["be", *words])


def _lemmas(word: str) -> Iterator[str]:
    yield _LEMMAS.get(word, word)
    if word.endswith("ies"):
        yield word.removesuffix("ies") + "y"
    if word.endswith("es"):
        yield word.removesuffix("es")
    if word.endswith("s"):
        yield word.removesuffix("s")
