"""The values of a custom type's fields, out of the sentences about a thing or out of a fact.

A field is filled from what its name and description say: the name of a thing, one of the examples
given, a value that goes with its name, a number with a fitting unit, evidence for a yes or a no.
What the text does not say stays out.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import regex

from recollect.extract.ontology import numbers, words
from recollect.extract.ontology.space import Space
from recollect.extract.ontology.tables import FIELDS
from recollect.graph.types import Json
from recollect.subjects.guidance import Property

VALUE_CHARS_MAX = 250
# Calibrated on the cases in the tests.
_LIKE_EXAMPLES = 0.36
_WORDS_TRIED_MAX = 24
_MEANS_SOMETHING = 4

_COMPLEMENT = regex.compile(
    r"\b(?:is|are|am|was|were|be|became|['\u2019]m|['\u2019]s)\s+(?:an?\s+|the\s+)?([^.,;!?]+)",
    regex.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Subject:
    """What the fields are about: sentences, the name they may ask for, values known by key.

    A value is never read out of the names in *deaf_to*; out of those in *hide*, only one that
    the field's description lists.
    """

    sentences: tuple[str, ...]
    name: str | None
    nouns: frozenset[str]
    known: Json
    hide: tuple[str, ...] = ()
    deaf_to: tuple[str, ...] = ()


def fill(properties: Sequence[Property], subject: Subject, space: Space | None) -> Json:
    """The values that the text gives, by field; without a space, only those given in so many words."""
    filled: Json = {}
    by_example: list[tuple[str, ...]] = []
    for item in properties:
        if item.type == "Boolean":
            continue
        value = _known(item, subject)
        if value is None and item.type == "Text":
            value = _text(item, subject, space, by_example)
        elif value is None:
            value = numbers.value(item, subject.sentences)
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
    """A value that stands under the field's own name, as in JSON."""
    value = subject.known.get(_key(item.name))
    if value is None:
        return None
    if item.type == "Boolean":
        return {"true": True, "yes": True, "false": False, "no": False}.get(str(value).lower())
    if item.type == "Text":
        return str(value)[:VALUE_CHARS_MAX]
    return numbers.parse(str(value), whole=item.type == "Int")


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
    """Whether a field is the name or title of the thing the fields are about."""
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
    """The first value of a list that a sentence says and does not deny, the longest first."""
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
    """A value said with the field's name: "the genre is space opera", "genre: space opera"."""
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
    """The phrase of the sentences that is most like the examples given, if any is like them."""
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
    """What a sentence says its subject is, and else its single words that say something."""
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
    """Yes or no where the text speaks of it.

    It is a no where another field lists a value that speaks of it and the text gives a different
    one: to be vegetarian is one of the preferences listed, and not the one that is an allergy.
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
