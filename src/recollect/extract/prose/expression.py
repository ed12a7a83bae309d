"""An expression of time among the words around it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import regex

from recollect.dates.when import When
from recollect.extract.prose.syntax import verbal
from recollect.extract.prose.tenses import is_note, segments

if TYPE_CHECKING:
    from spacy.tokens import Span, Token

WEEKDAY = regex.compile(
    r"\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|mon|tues?|weds?|thurs?|thu|fri|sat|sun)\b",
    regex.IGNORECASE,
)
_SEVERAL = regex.compile(
    rf"{WEEKDAY.pattern}(?:(?:\s*(?:[-\u2013/&,+]|to|n|and|or|through|thru)\s*)+{WEEKDAY.pattern})+",
    regex.IGNORECASE,
)
# Words that tie an expression to one date or one year.
TIED = regex.compile(
    r"\b(?:last|next|this|that|coming|past|previous|following|ago|today|tonight|tomorrow|yesterday|now"
    r"|weeks?|(?:1\d|20)\d\d)\b",
    regex.IGNORECASE,
)
MONTH = regex.compile(
    r"\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\p{L}*\b", regex.IGNORECASE
)


class Expression:
    """What was said: *words* are its own, *segment* those between the pauses around it, *noted* tells
    that there is no verb among them, *weekdays* counts open ones ("Friday", not "last Friday")."""

    def __init__(self, when: When, sentence: Span) -> None:
        self.when = when
        self.sentence = sentence
        start, end = when.start + sentence.start_char, when.end + sentence.start_char
        self.words = [token for token in sentence if start <= token.idx < end]
        tied = TIED.search(when.text) or MONTH.search(when.text)
        self.weekdays = 0 if tied else self._count()
        segment = next((part for part in segments(sentence) if set(part) & set(self.words)), [])
        self.segment: list[Token] = segment
        self.noted = is_note(segment) or not any(map(verbal, segment))
        self.verb = self._verb()
        self.before = sentence.text[: when.start]

    def _count(self) -> int:
        """How many weekdays it names, with those that it is joined to: "sun-thu"."""
        own = len(WEEKDAY.findall(self.when.text))
        for match in _SEVERAL.finditer(self.sentence.text):
            if own and match.start() < self.when.end and self.when.start < match.end():
                return max(own, len(WEEKDAY.findall(match.group())))
        return own

    def _verb(self) -> Token | None:
        """The verb that it is said with."""
        for token in self.words[:1]:
            item = token
            while not verbal(item) and item.head != item:
                item = item.head
            return item if verbal(item) else None
        return None

    @property
    def finite(self) -> bool:
        """Whether a verb between the same pauses tells a tense."""
        return any(token.tag_ in ("VBZ", "VBP", "VBD", "MD") for token in self.segment)

    @property
    def previous(self) -> Token | None:
        """The word in front of it."""
        return self.words[0].nbor(-1) if self.words and self.words[0].i else None

    @property
    def around(self) -> str:
        """Its segment, as text."""
        return "".join(token.text_with_ws for token in self.segment)
