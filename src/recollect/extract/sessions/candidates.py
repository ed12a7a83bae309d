"""What in a session could be the value of a typed field."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

import regex

from recollect import dates
from recollect.errors import InvalidInput
from recollect.extract.brief import Turn
from recollect.extract.ontology import fields as values
from recollect.extract.ontology import numbers, words
from recollect.extract.sessions import matters
from recollect.subjects.guidance import Property

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
# How a text is said that a field's name asks for, by a word of that name.
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


@dataclass(frozen=True, slots=True)
class Wanted:
    """A field: its own words and those of its description, as stems."""

    name: str
    type: FieldType
    description: str
    pattern: "regex.Pattern[str] | None"
    own: frozenset[str]
    described: frozenset[str]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A value with the words around it. *certain*: the words say that it is this very field's, and
    the clearer, the more."""

    value: Any
    turn: int
    start: int
    around: str
    by_user: bool
    certain: int = 0


Values = Iterator[tuple[Any, int, bool]]


def candidates(item: Wanted, turns: Sequence[Turn], at: datetime) -> list[Candidate]:
    """Everything in the turns that is of the field's type."""
    found = []
    question = ""
    for number, turn in enumerate(turns):
        for value, start, certain in _FINDERS[item.type](item, turn.content, question, at):
            around = f"{_before(turn.content, start)} {question}"
            by_user = turn.role != "assistant"
            found.append(Candidate(value, number, start, around, by_user, certain))
        found += _matters(item, number, turn, question)
        asked = [
            sentence for sentence in words.sentences(turn.content) if words.is_question(sentence)
        ]
        question = asked[-1] if asked and turn.role == "assistant" else ""
    return found


def _matters(item: Wanted, number: int, turn: Turn, question: str) -> Iterator[Candidate]:
    """What the user says of the matter that a text field is about."""
    matter = matters.asked_for(item.own, item.described) if item.type == "ZepText" else None
    if matter is None or turn.role == "assistant":
        return
    answers = bool(item.own & set(words.stems(question)))
    told = matters.said(matter, turn.content, answers=answers)
    if told is not None:
        place = turn.content.find(told[0])
        yield Candidate(told[0], number, place, "", by_user=True, certain=told[1])


def _before(text: str, start: int) -> str:
    """The sentence that a place in a text is in, and no other value's words behind it."""
    begin = max(text.rfind(mark, 0, start) for mark in ("\n", "? ", "! ", ". ", "; "))
    end = regex.search(r"[.!?;\n](?:\s|$)|,\s|\sand\s", text[start:])
    earlier = regex.split(r",\s(?=my\b|the\b)|\sand\s(?=my\b|the\b)", text[begin + 1 : start])[-1]
    return earlier + text[start : start + end.start() if end else len(text)]


def _emails(item: Wanted, text: str, question: str, at: datetime) -> Values:
    for match in _EMAIL.finditer(text):
        yield match.group().rstrip("."), match.start(), False


def _phones(item: Wanted, text: str, question: str, at: datetime) -> Values:
    for match in _PHONE.finditer(text):
        number = match.group().strip()
        digits = sum(character.isdigit() for character in number)
        if 7 <= digits <= 15 and not _DATE_LIKE.match(number) and number.count("(") < 2:
            yield number, match.start(), False


def _zips(item: Wanted, text: str, question: str, at: datetime) -> Values:
    spoken = _ZIP_WORDS & set(words.stems(f"{text} {question}"))
    for match in _ZIP.finditer(text):
        after_state = _STATE_BEFORE.search(text[: match.start()]) is not None
        if after_state or spoken:
            yield match.group(), match.start(), True


def _matches(item: Wanted, text: str, question: str, at: datetime) -> Values:
    assert item.pattern is not None  # noqa: S101 - read_schema gives every ZepRegex its pattern
    try:
        found = item.pattern.finditer(text, timeout=PATTERN_SECONDS_MAX)
        for _, match in zip(range(_MATCHES_MAX), found, strict=False):
            if match.group():
                yield match.group(), match.start(), False
    except TimeoutError as error:
        place = f"model_schema.properties.{item.name}.pattern"
        raise InvalidInput(f"{place}: takes too long to match") from error


def _days(item: Wanted, text: str, question: str, at: datetime) -> Values:
    for when in dates.find(text, reference=at):
        if when.first is not None and when.dated and not when.recurring and when.grain in _DAY:
            yield when.first.date().isoformat(), when.start, False


def _moments(item: Wanted, text: str, question: str, at: datetime) -> Values:
    for when in dates.find(text, reference=at):
        if when.first is not None and not when.recurring and when.grain in _DAY:
            yield when.first.isoformat(), when.start, False


_DAY = frozenset({"second", "minute", "hour", "part", "day"})


def _numbers(item: Wanted, text: str, question: str, at: datetime) -> Values:
    whole = item.type == "ZepNumber"
    asked = Property(name=item.name, type="Int" if whole else "Float", description=item.description)
    for sentence in words.sentences(text):
        if words.is_question(sentence):
            continue
        said = numbers.value(asked, (sentence,))
        if said is not None:
            yield said, text.find(sentence), True
    answers = set(words.stems(question)) & (item.own | item.described)
    if answers:
        yield from _only_number(text, whole=whole)


def _only_number(text: str, *, whole: bool) -> Values:
    """The one number of an answer to a question about the field."""
    found = numbers.all_in(text, whole=whole)
    if len(found) == 1:
        yield found[0], 0, True


def _texts(item: Wanted, text: str, question: str, at: datetime) -> Values:
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


_FINDERS: dict[FieldType, Callable[[Wanted, str, str, datetime], Values]] = {
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
