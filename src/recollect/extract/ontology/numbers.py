"""Numbers in text that fit a field, by the unit or the noun they stand with."""

from collections.abc import Iterator, Sequence

import regex

from recollect.extract.ontology import words
from recollect.extract.ontology.tables import FIELDS
from recollect.subjects.guidance import Property

_NAMES = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
    "twelve",
)  # fmt: skip
_SPELT = {name: number for number, name in enumerate(_NAMES)}
_NUMBER = regex.compile(
    r"(?<![\p{L}\p{N}.,])([$€£])?\s?(-?\d{1,3}(?:,\d{3})+(?:\.\d+)?|-?\d+(?:\.\d+)?|"
    + "|".join(_SPELT)
    + r")([kKmM]\b)?(?!\p{N})",
    regex.IGNORECASE,
)
_SCALE = {"k": 1_000, "m": 1_000_000}
_VAGUE = frozenset({"number", "amount", "count", "total", "value", "quantity", "size", "of", "in"})


def parse(text: str, *, whole: bool) -> int | float | None:
    """The number that *text* is, if it is one."""
    found = _NUMBER.fullmatch(text.strip())
    return _as(_value(found), whole=whole) if found else None


def all_in(text: str, *, whole: bool) -> list[int | float]:
    """Every number of *text*, in order."""
    read = (_as(_value(found), whole=whole) for found in _NUMBER.finditer(text))
    return [number for number in read if number is not None]


def value(item: Property, sentences: Sequence[str]) -> int | float | None:
    """The first number of the sentences that stands with a unit or noun the field speaks of."""
    units = _units(item)
    nouns = _nouns(item)
    wants_year = "year" in words.name_words(item.name)
    for sentence in sentences:
        for found in _NUMBER.finditer(sentence):
            fits = _fits(sentence, found, units, nouns)
            if wants_year:
                fits = regex.fullmatch(r"(?:1[5-9]|20)\d\d", found.group(2)) is not None
            number = _as(_value(found), whole=item.type == "Int") if fits else None
            if number is not None:
                return number
    return None


def _value(found: "regex.Match[str]") -> float:
    text = found.group(2).lower().replace(",", "")
    number = float(_SPELT[text]) if text in _SPELT else float(text)
    return number * _SCALE.get((found.group(3) or "").lower(), 1)


def _as(number: float, *, whole: bool) -> int | float | None:
    if not whole:
        return number
    return int(number) if number.is_integer() else None


def _units(item: Property) -> tuple[str, ...]:
    """How the number is written, by what the field's name says, and else its description."""
    for text in (words.name_words(item.name), words.words(item.description)):
        named = [unit for word in text for unit in FIELDS.units.get(word, ())]
        if named:
            return tuple(dict.fromkeys(named))
    return ()


def _nouns(item: Property) -> frozenset[str]:
    named = [word for word in words.name_words(item.name) if word not in _VAGUE]
    return frozenset(words.stem(word) for word in named)


def _fits(
    sentence: str, found: "regex.Match[str]", units: Sequence[str], nouns: frozenset[str]
) -> bool:
    after = sentence[found.end() :].lstrip(" -").lower()
    if found.group(1) is not None:
        return found.group(1) in units
    if any(_begins(after, unit) for unit in units):
        return True
    return bool(nouns & set(_around(sentence, found)))


def _begins(after: str, unit: str) -> bool:
    if not after.startswith(unit):
        return False
    rest = after[len(unit) : len(unit) + 1]
    return not unit[-1].isalpha() or not rest.isalpha()


def _around(sentence: str, found: "regex.Match[str]") -> Iterator[str]:
    """The noun after the number, and the noun before it as in "age 30" or "a mileage of 30"."""
    yield from words.stems(sentence[found.end() :])[:1]
    before = words.stems(sentence[: found.start()])
    while before and before[-1] in {"of", "be", "at", "around", "about"}:
        before.pop()
    yield from before[-1:]
