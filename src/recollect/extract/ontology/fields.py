"""The values of a custom type's fields, from sentences about an entity or from a fact.

The name and description of a field say what to look for: the name of the entity, one of the given
examples, a value after the field's name, a number with a fitting unit, or evidence for yes or no. A field
that the text says nothing about is left out.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import regex

from recollect.extract.ontology import words
from recollect.extract.ontology.shapes import Space
from recollect.extract.ontology.tables import FIELDS
from recollect.graph.gist import COUNTED
from recollect.graph.types import Json
from recollect.records.guidance import Property

VALUE_CHARS_MAX = 250
# Calibrated on the cases in the tests.
_LIKE_EXAMPLES = 0.36
_WORDS_TRIED_MAX = 24
_MEANS_SOMETHING = 4

_COMPLEMENT = regex.compile(
    r"\b(?:is|are|am|was|were|be|became|['\u2019]m|['\u2019]s)\s+(?:an?\s+|the\s+)?([^.,;!?]+)",
    regex.IGNORECASE,
)
_SPELT = {name: number for number, name in enumerate(COUNTED.split())}
_NUMBER = regex.compile(
    r"(?<![\p{L}\p{N}.,])([$€£])?\s?(-?\d{1,3}(?:,\d{3})+(?:\.\d+)?|-?\d+(?:\.\d+)?|"
    + "|".join(_SPELT)
    + r")([kKmM]\b)?(?!\p{N})",
    regex.IGNORECASE,
)
_SCALE = {"k": 1_000, "m": 1_000_000}
_VAGUE = frozenset({"number", "amount", "count", "total", "value", "quantity", "size", "of", "in"})


@dataclass(frozen=True, slots=True)
class Subject:
    """What the fields are filled from: sentences, the entity's name, values known by key.

    No value is read from the names in *deaf_to*; from those in *hide*, only one that the field's
    description lists.
    """

    sentences: tuple[str, ...]
    name: str | None
    nouns: frozenset[str]
    known: Json
    hide: tuple[str, ...] = ()
    deaf_to: tuple[str, ...] = ()


def fill(properties: Sequence[Property], subject: Subject, space: Space | None) -> Json:
    """The values that the text gives, by field; without a space, only literal ones."""
    filled: Json = {}
    by_example: list[tuple[str, ...]] = []
    for item in properties:
        if item.type == "Boolean":
            continue
        value = _known(item, subject)
        if value is None and item.type == "Text":
            value = _text(item, subject, space, by_example)
        elif value is None:
            value = number_for(item, subject.sentences)
        if value is not None:
            filled[item.name] = value
    for item in properties:
        if item.type == "Boolean":
            answer = _known(item, subject)
            answer = _yes_or_no(item, subject, by_example) if answer is None else answer
            if answer is not None:
                filled[item.name] = answer
    return {item.name: filled[item.name] for item in properties if item.name in filled}


def _known(item: Property, subject: Subject) -> str | int | float | bool | None:
    """A value under the field's own name, as in JSON."""
    value = subject.known.get(_key(item.name))
    if value is None:
        return None
    if item.type == "Boolean":
        return {"true": True, "yes": True, "false": False, "no": False}.get(str(value).lower())
    if item.type == "Text":
        return str(value)[:VALUE_CHARS_MAX]
    return parse_number(str(value), whole=item.type == "Int")


def _key(name: str) -> str:
    return "".join(words.name_words(name))


def _text(
    item: Property, subject: Subject, space: Space | None, by_example: list[tuple[str, ...]]
) -> str | None:
    if subject.name is not None and _asks_for_name(item, subject):
        return subject.name[:VALUE_CHARS_MAX]
    examples = words.examples(item.description)
    listed = [*examples, *_usual_values(item)]
    if said := _said(listed, subject):
        by_example.append(examples)
        return said
    if said := _stated(item, subject):
        return said
    if examples and space is not None and (said := _like_examples(examples, subject, space)):
        by_example.append(examples)
        return said
    return None


def _asks_for_name(item: Property, subject: Subject) -> bool:
    """Whether a field is the name or title of the entity."""
    asked = words.name_words(item.name)
    if not asked or asked[-1] not in {"name", "title"}:
        return False
    rest = {words.stem(word) for word in asked[:-1]}
    about = rest or words.telling(item.description.split(" of ", 1)[-1])
    return not rest or bool(about & subject.nouns)


def _usual_values(item: Property) -> tuple[str, ...]:
    for word in reversed(words.name_words(item.name)):
        if word in FIELDS.values:
            return FIELDS.values[word]
    return ()


def _said(listed: Sequence[str], subject: Subject) -> str | None:
    """The first listed value that a sentence contains and does not negate, longest first."""
    for sentence in subject.sentences:
        visible = _without(sentence, subject.deaf_to)
        tokens, said = words.words(visible), words.stems(visible)
        for value in sorted(listed, key=lambda item: (-len(item), item)):
            place = words.position(said, words.stems(value))
            if place is not None and not words.negated_before(tokens, place):
                return value
    return None


def _without(sentence: str, names: Sequence[str]) -> str:
    for name in names:
        sentence = regex.sub(regex.escape(name), " ", sentence, flags=regex.IGNORECASE)
    return sentence


def _stated(item: Property, subject: Subject) -> str | None:
    """A value after the field's name: "the genre is space opera", "genre: space opera"."""
    noun = words.name_words(item.name)[-1:]
    if not noun or noun[0] in {"type", "kind", "name", "description", "value"}:
        return None
    pattern = rf"\b{regex.escape(noun[0])}(?:\s+(?:is|was)|:)\s+(?:an?\s+|the\s+)?([^.,;!?]+)"
    for sentence in subject.sentences:
        found = regex.search(pattern, sentence, flags=regex.IGNORECASE)
        if found and len(found.group(1).split()) <= 5:
            return found.group(1).strip()[:VALUE_CHARS_MAX]
    return None


def _like_examples(examples: Sequence[str], subject: Subject, space: Space) -> str | None:
    """The phrase most similar to the examples, if any is similar enough."""
    meant = [example for example in examples if len(example) >= _MEANS_SOMETHING]
    vectors = [space.thing(example) for example in meant[:6]]
    if not vectors:
        return None
    best: tuple[float, str] | None = None
    for phrase in _phrases(subject):
        vector = space.thing(phrase)
        likeness = max(float(vector @ example) for example in vectors)
        if likeness >= _LIKE_EXAMPLES and (best is None or likeness > best[0]):
            best = (likeness, phrase)
    return best[1] if best else None


def _phrases(subject: Subject) -> list[str]:
    """Candidate values: the complements of "be", and single words that are not filler."""
    phrases: dict[str, None] = {}
    for sentence in subject.sentences[:4]:
        visible = _without(sentence, subject.hide)
        for found in _COMPLEMENT.finditer(visible):
            if 1 <= len(found.group(1).split()) <= 3:
                phrases[found.group(1).strip()] = None
        for word in regex.findall(r"[\p{L}-]{4,}", visible):
            stem = words.stem(word)
            if word.lower() not in words.FILLER and stem not in subject.nouns:
                phrases[word] = None
    return list(phrases)[:_WORDS_TRIED_MAX]


def _yes_or_no(
    item: Property, subject: Subject, by_example: Sequence[tuple[str, ...]]
) -> bool | None:
    """Yes or no, if the text mentions it.

    The answer is no if the examples of another field mention it and the text gives a different example:
    among the listed preferences, "vegetarian" is not the one that is an allergy.
    """
    keys = [word for word in words.name_words(item.name) if word not in {"is", "has", "was", "are"}]
    evidence = {words.stem(word) for key in keys for word in FIELDS.evidence.get(key, (key,))}
    evidence -= {words.stem(word) for word in words.FILLER}
    for sentence in subject.sentences:
        tokens, said = words.words(sentence), words.stems(sentence)
        for place, stem in enumerate(said):
            if stem in evidence:
                return not words.negated_before(tokens, place)
    listed = {stem for examples in by_example for item in examples for stem in words.stems(item)}
    return False if listed & evidence else None


def parse_number(text: str, *, whole: bool) -> int | float | None:
    """*text* as a number; None if it is not one."""
    found = _NUMBER.fullmatch(text.strip())
    return _as(_value(found), whole=whole) if found else None


def numbers_in(text: str, *, whole: bool) -> list[int | float]:
    """Every number of *text*, in order."""
    read = (_as(_value(found), whole=whole) for found in _NUMBER.finditer(text))
    return [number for number in read if number is not None]


def number_for(item: Property, sentences: Sequence[str]) -> int | float | None:
    """The first number next to a unit or noun that the field mentions."""
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
    """The units of the number, by the field's name, or else its description."""
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
