"""Typed fields extracted from a session, by the schema that a Zep v2 client sends.

The schema is a JSON Schema whose properties carry a `zep_type`; the answer is an object with a value
or null for each property.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, get_args

import msgspec
import regex

from recollect import dates
from recollect.errors import InvalidInput
from recollect.extract.brief import Turn
from recollect.extract.ontology import fields as values
from recollect.extract.ontology import words
from recollect.extract.sessions import topics
from recollect.records.guidance import Property

FieldType = Literal[
    "ZepText",
    "ZepNumber",
    "ZepFloat",
    "ZepRegex",
    "ZepZipCode",
    "ZepDate",
    "ZepDateTime",
    "ZepEmail",
    "ZepPhoneNumber",
]
PATTERN_SECONDS_MAX = 0.5
_MATCHES_MAX = 50
_ANSWER_WORDS_MAX = 8

_EMAIL = regex.compile(r"[\p{L}\p{N}._%+-]+@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+")
_PHONE = regex.compile(r"(?<![\p{L}\p{N}$€£.,/-])\+?\(?\d[\d\s().-]{5,18}\d(?![\p{L}\p{N}/])")
_ZIP = regex.compile(
    r"\b(?:\d{5}(?:-\d{4})?|[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}|[A-Z]\d[A-Z] ?\d[A-Z]\d|\d{4,6})\b"
)
_ZIP_WORDS = frozenset(words.stem(word) for word in ("zip", "postal", "postcode", "zipcode"))
_STATE_BEFORE = regex.compile(r"\b[A-Z]{2}\s+$")
_DATE_LIKE = regex.compile(r"^\d{4}[-.]\d{1,2}[-.]\d{1,2}$|^\d{1,2}[-.]\d{1,2}[-.]\d{2,4}$")
_LEAD_IN = regex.compile(
    r"^(?:(?:it['\u2019]?s|it is|that['\u2019]?s|that is|i['\u2019]?m|i am|this is|my \p{L}+(?: \p{L}+)? is|"
    r"yes|no|sure|ok|okay|well)[\s,]+)+",
    regex.IGNORECASE,
)
_NAME = r"(\p{Lu}[\p{L}'\u2019-]+(?:\s+\p{Lu}[\p{L}'\u2019-]+){0,3})"
_PROPER = r"(\p{Lu}[\p{L}\p{N}&'\u2019-]*(?:\s+\p{Lu}[\p{L}\p{N}&'\u2019-]*){0,4})"
# How people state what a field asks for, by a word of the field's name.
_SAID = {
    # "I'm Jane Smith" gives a name; "I'm Italian" does not.
    "name": rf"(?:(?i:my name is|my name['\u2019]s|call me)\s+(?=\p{{Lu}})|"
    rf"(?i:this is|i am|i['\u2019]m)\s+(?=\p{{Lu}}[\p{{L}}'-]+\s+\p{{Lu}})){_NAME}",
    "company": rf"(?i:work (?:at|for)|employed (?:at|by)|my company is)\s+{_PROPER}",
    "employer": rf"(?i:work (?:at|for)|employed (?:at|by)|my employer is)\s+{_PROPER}",
    "city": rf"(?i:live in|living in|based in|from|moved to)\s+{_PROPER}",
    "location": rf"(?i:live in|living in|based in|located in)\s+{_PROPER}",
    "occupation": r"(?i:work as|i am|i['\u2019]m)\s+an?\s+(\p{Ll}+(?: \p{Ll}+)?)\b",
    "job": r"(?i:work as|my job is)\s+(?:an?\s+)?(\p{Ll}+(?: \p{Ll}+)?)\b",
}
_DAY = frozenset({"second", "minute", "hour", "part", "day"})
_FIELDS_MAX = 100
_TURNS_MAX = 200
_TURN_CHARS_MAX = 20_000
_PATTERN_CHARS_MAX = 1000
_OWN_WORDS = 2
_CERTAIN = 100
_PLACE = "model_schema"
# Types whose values are unmistakable: if only one is found, it must be the one that is meant.
_UNMISTAKABLE = frozenset({"ZepEmail", "ZepPhoneNumber", "ZepRegex", "ZepDate", "ZepDateTime"})
_FILLER_STEMS = frozenset(words.stem(word) for word in words.FILLER)


@dataclass(frozen=True, slots=True)
class WantedField:
    """A field, with the stems of its name (*own*) and of its description (*described*)."""

    name: str
    type: FieldType
    description: str
    pattern: "regex.Pattern[str] | None"
    own: frozenset[str]
    described: frozenset[str]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A value with its context. *certain* is above 0 if the context names this field; higher is clearer."""

    value: Any
    turn: int
    start: int
    around: str
    by_user: bool
    certain: int = 0


Values = Iterator[tuple[Any, int, bool]]


def candidates(item: WantedField, turns: Sequence[Turn], at: datetime) -> list[Candidate]:
    """Everything in the turns that is of the field's type."""
    found = []
    question = ""
    for number, turn in enumerate(turns):
        for value, start, certain in _FINDERS[item.type](item, turn.content, question, at):
            around = f"{_before(turn.content, start)} {question}"
            by_user = turn.role != "assistant"
            found.append(Candidate(value, number, start, around, by_user, certain))
        found += _topic_candidates(item, number, turn, question)
        asked = [
            sentence for sentence in words.sentences(turn.content) if words.is_question(sentence)
        ]
        question = asked[-1] if asked and turn.role == "assistant" else ""
    return found


def _topic_candidates(
    item: WantedField, number: int, turn: Turn, question: str
) -> Iterator[Candidate]:
    """What the user says about the topic of a text field."""
    matter = topics.topic_of(item.own, item.described) if item.type == "ZepText" else None
    if matter is None or turn.role == "assistant":
        return
    answers = bool(item.own & set(words.stems(question)))
    told = topics.statement_about(matter, turn.content, answers=answers)
    if told is not None:
        place = turn.content.find(told[0])
        yield Candidate(told[0], number, place, "", by_user=True, certain=told[1])


def _before(text: str, start: int) -> str:
    """The sentence around a position, cut where the words about other values begin."""
    begin = max(text.rfind(mark, 0, start) for mark in ("\n", "? ", "! ", ". ", "; "))
    end = regex.search(r"[.!?;\n](?:\s|$)|,\s|\sand\s", text[start:])
    earlier = regex.split(r",\s(?=my\b|the\b)|\sand\s(?=my\b|the\b)", text[begin + 1 : start])[-1]
    return earlier + text[start : start + end.start() if end else len(text)]


def _emails(item: WantedField, text: str, question: str, at: datetime) -> Values:
    for match in _EMAIL.finditer(text):
        yield match.group().rstrip("."), match.start(), False


def _phones(item: WantedField, text: str, question: str, at: datetime) -> Values:
    for match in _PHONE.finditer(text):
        number = match.group().strip()
        digits = sum(character.isdigit() for character in number)
        if 7 <= digits <= 15 and not _DATE_LIKE.match(number) and number.count("(") < 2:
            yield number, match.start(), False


def _zips(item: WantedField, text: str, question: str, at: datetime) -> Values:
    spoken = _ZIP_WORDS & set(words.stems(f"{text} {question}"))
    for match in _ZIP.finditer(text):
        after_state = _STATE_BEFORE.search(text[: match.start()]) is not None
        if after_state or spoken:
            yield match.group(), match.start(), True


def _matches(item: WantedField, text: str, question: str, at: datetime) -> Values:
    assert item.pattern is not None  # noqa: S101 - read_schema gives every ZepRegex its pattern
    try:
        found = item.pattern.finditer(text, timeout=PATTERN_SECONDS_MAX)
        for _, match in zip(range(_MATCHES_MAX), found, strict=False):
            if match.group():
                yield match.group(), match.start(), False
    except TimeoutError as error:
        place = f"model_schema.properties.{item.name}.pattern"
        raise InvalidInput(f"{place}: takes too long to match") from error


def _days(item: WantedField, text: str, question: str, at: datetime) -> Values:
    for when in dates.find(text, reference=at):
        if when.first is not None and when.dated and not when.recurring and when.grain in _DAY:
            yield when.first.date().isoformat(), when.start, False


def _moments(item: WantedField, text: str, question: str, at: datetime) -> Values:
    for when in dates.find(text, reference=at):
        if when.first is not None and not when.recurring and when.grain in _DAY:
            yield when.first.isoformat(), when.start, False


def _numbers(item: WantedField, text: str, question: str, at: datetime) -> Values:
    whole = item.type == "ZepNumber"
    asked = Property(name=item.name, type="Int" if whole else "Float", description=item.description)
    for sentence in words.sentences(text):
        if words.is_question(sentence):
            continue
        said = values.number_for(asked, (sentence,))
        if said is not None:
            yield said, text.find(sentence), True
    answers = set(words.stems(question)) & (item.own | item.described)
    if answers:
        yield from _only_number(text, whole=whole)


def _only_number(text: str, *, whole: bool) -> Values:
    """The only number in an answer to a question about the field."""
    found = values.numbers_in(text, whole=whole)
    if len(found) == 1:
        yield found[0], 0, True


def _texts(item: WantedField, text: str, question: str, at: datetime) -> Values:
    told = tuple(one for one in words.sentences(text) if not words.is_question(one))
    for word in reversed(words.name_words(item.name)):
        if word in _SAID and (match := regex.search(_SAID[word], " ".join(told))):
            yield match.group(1), 0, True
            return
    subject = values.Subject(sentences=told, name=None, nouns=frozenset(), known={})
    asked = Property(name=item.name, type="Text", description=item.description)
    said = values.fill((asked,), subject, None).get(item.name)
    if said is not None:
        yield said, 0, True
    elif item.own & set(words.stems(question)) and told:
        answer = _LEAD_IN.sub("", told[0]).strip(" .!")
        if answer and len(answer.split()) <= _ANSWER_WORDS_MAX:
            yield answer, 0, True


_FINDERS: dict[FieldType, Callable[[WantedField, str, str, datetime], Values]] = {
    "ZepText": _texts,
    "ZepNumber": _numbers,
    "ZepFloat": _numbers,
    "ZepRegex": _matches,
    "ZepZipCode": _zips,
    "ZepDate": _days,
    "ZepDateTime": _moments,
    "ZepEmail": _emails,
    "ZepPhoneNumber": _phones,
}


def extract_fields(
    schema_json: str, turns: Sequence[Turn], *, at: datetime, validate: bool
) -> dict[str, Any]:
    """A value or None for each field of the schema, in its order.

    Relative dates count from *at*. With *validate*, a value is accepted only if its context
    mentions the field.
    """
    wanted = read_schema(schema_json)
    recent = [
        msgspec.structs.replace(turn, content=turn.content[:_TURN_CHARS_MAX])
        for turn in turns[-_TURNS_MAX:]
    ]
    taken: set[tuple[str, int, int]] = set()
    found: dict[str, Any] = dict.fromkeys(item.name for item in wanted)
    alone = {item.name: sum(other.type == item.type for other in wanted) == 1 for item in wanted}
    for item in wanted:
        best = _best(item, candidates(item, recent, at), taken, validate, alone[item.name])
        if best is not None:
            taken.add((item.type, best.turn, best.start))
            found[item.name] = best.value
    return found


def _best(
    item: WantedField,
    offered: Sequence[Candidate],
    taken: set[tuple[str, int, int]],
    validate: bool,
    alone: bool,
) -> Candidate | None:
    """The candidate whose context fits the field best; among equals, the user's newest."""
    least = 0 if alone and item.type in _UNMISTAKABLE and not validate else 1
    scored = [
        (_fit(item, candidate), candidate.by_user, candidate.turn, candidate.start, candidate)
        for candidate in offered
        if (item.type, candidate.turn, candidate.start) not in taken
    ]
    fitting = [entry for entry in scored if entry[0] >= (least if entry[1] else 1)]
    return max(fitting, key=lambda entry: entry[:4])[4] if fitting else None


def _fit(item: WantedField, candidate: Candidate) -> int:
    """How many words of the field occur around a candidate; those of its name count double."""
    if candidate.certain:
        return _CERTAIN + candidate.certain
    around = set(words.stems(candidate.around))
    return _OWN_WORDS * len(item.own & around) + len((item.described - item.own) & around)


def read_schema(schema_json: str) -> list[WantedField]:
    """The fields of a schema; InvalidInput says where it is malformed."""
    try:
        schema = msgspec.json.decode(schema_json)
    except (msgspec.DecodeError, RecursionError) as error:
        raise InvalidInput(f"{_PLACE}: not valid JSON: {error}") from error
    properties = schema.get("properties") if isinstance(schema, dict) else None
    if not isinstance(properties, dict) or not properties:
        raise InvalidInput(f"{_PLACE}.properties: must be an object with at least one field")
    if len(properties) > _FIELDS_MAX:
        raise InvalidInput(f"{_PLACE}.properties: at most {_FIELDS_MAX} fields")
    return [_wanted(name, value) for name, value in properties.items()]


def _wanted(name: str, value: Any) -> WantedField:
    place = f"{_PLACE}.properties.{name}"
    if not isinstance(value, dict):
        raise InvalidInput(f"{place}: must be an object")
    kind: Any = value.get("zep_type")
    if kind not in get_args(FieldType):
        raise InvalidInput(f"{place}.zep_type: must be one of {', '.join(get_args(FieldType))}")
    description = value.get("description") or ""
    if not isinstance(description, str):
        raise InvalidInput(f"{place}.description: must be text")
    return WantedField(
        name=name,
        type=kind,
        description=description,
        pattern=_pattern(place, value.get("pattern")) if kind == "ZepRegex" else None,
        own=frozenset(words.stem(word) for word in words.name_words(name)) - _FILLER_STEMS,
        described=frozenset(words.telling(description)) - _FILLER_STEMS,
    )


def _pattern(place: str, pattern: Any) -> "regex.Pattern[str]":
    if not isinstance(pattern, str) or not pattern:
        raise InvalidInput(f"{place}.pattern: a ZepRegex needs a pattern")
    if len(pattern) > _PATTERN_CHARS_MAX:
        raise InvalidInput(f"{place}.pattern: at most {_PATTERN_CHARS_MAX} characters")
    try:
        return regex.compile(pattern)
    except (regex.error, RecursionError, OverflowError) as error:
        raise InvalidInput(f"{place}.pattern: not a regular expression: {error}") from error
