"""When a clause holds, and its dates in words that stay true."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import regex

from recollect import dates
from recollect.dates.when import Tense, When, split
from recollect.extract.prose.clauses import Clause

if TYPE_CHECKING:
    from spacy.tokens import Span, Token

_PLAIN = regex.compile(r"\b(?:1[5-9]|20)\d\ds?\b|\bnow\b", regex.IGNORECASE)
_SPAN = regex.compile(
    r"(?:next|coming|following|last|past) (?:few|couple|several|\d+|two|three|four|five|six|ten)\b",
    regex.IGNORECASE,
)
_HEAD = regex.compile(
    r"^\W{0,8}(?:(?:first |last |originally )?(?:published|posted|updated|issued|released|written)"
    r"|dated?|publication date|date published|date posted)(?: on| at)?\s{0,3}:?\s{0,3}(?P<date>\S.{5,60})",
    regex.IGNORECASE | regex.MULTILINE,
)
_HEAD_CHARS = 2000
_REST = regex.compile(r"(?:the )?(?:rest|end|beginning|start|middle) of", regex.IGNORECASE)
_MOMENT = timedelta(seconds=1)
_DECEMBER = 12
_OWN_PREPOSITION = frozenset({"on", "in", "at", "during", "over"})


@lru_cache(maxsize=64)
def _zone(name: str | None) -> ZoneInfo:
    try:
        return ZoneInfo(name or "UTC")
    except (ZoneInfoNotFoundError, ValueError):
        return ZoneInfo("UTC")


def written_on(text: str, at: datetime, zone: str | None) -> datetime:
    """The moment from which a text counts its days.

    That is the date in its head where it has one ("Published: 3 March 2021"), and *at* otherwise.
    """
    for head in _HEAD.finditer(text[:_HEAD_CHARS]):
        if (when := _dated(head, at, zone)) is not None:
            return min(when.first or at, at)
    return at


def is_dateline(text: str, at: datetime) -> bool:
    """Whether it tells nothing but when a text was written."""
    head = _HEAD.fullmatch(text)
    return head is not None and _dated(head, at, None) is not None


def _dated(head: regex.Match[str], at: datetime, zone: str | None) -> When | None:
    for when in dates.find(head["date"], reference=at, zone=zone)[:1]:
        fine = when.relation == "at" and when.grain in ("day", "hour", "minute", "second")
        if fine and when.start == 0 and _PLAIN.search(when.text):
            return when
    return None


class Moments:
    """The expressions of time in one sentence. They know the reference and the time zone.

    *tenses* gives, by its first character in the text, the tense of the clause each word is in.
    """

    def __init__(
        self,
        sentence: Span,
        at: datetime,
        zone: str | None,
        tenses: Mapping[int, Tense],
    ) -> None:
        self._zone = _zone(zone)
        self.start = sentence.start_char
        self._at = at
        doers = {token.idx - self.start for token in sentence if token.dep_ == "agent"}
        self.whens = [
            when
            for tense in dict.fromkeys(tenses.values())
            for when in dates.find(sentence.text, reference=at, zone=zone, tense=tense)
            if self._tense(when, tenses) == tense and when.start not in doers
        ]

    def _tense(self, when: When, tenses: Mapping[int, Tense]) -> Tense | None:
        """The tense of the first word of an expression that stands in a clause."""
        inside = range(when.start + self.start, when.end + self.start)
        return next((tenses[place] for place in inside if place in tenses), None)

    def of(self, token: Token) -> When | None:
        """The expression that a token is part of."""
        at = token.idx - self.start
        for when in self.whens:
            if when.start <= at < when.end:
                return when
        return None

    def within(self, when: When, clause: Clause) -> bool:
        """Whether an expression of time belongs to this clause and not to one beside it.

        A clause joined to another, or said of its time ("when we met"), shares the time of that.
        """
        if self._inside(when, clause):
            return True
        outer = clause.parent
        if outer is None or not self._inside(when, outer):
            return False
        if clause.how == "reason":
            shares = clause.marker == "when"
        else:
            opens = when.start + self.start < outer.finite.idx
            shares = opens and clause.base.dep_ == "conj" and clause.subjects == outer.subjects
        return shares and not any(self._inside(other, clause) for other in self.whens)

    def shared(self, clause: Clause) -> list[Token]:
        """The words of a time that a clause has from the one it is joined to."""
        if clause.parent is None or clause.how == "reason":
            return []
        taken = [
            (when.start + self.start, when.end + self.start)
            for when in self.whens
            if not self._inside(when, clause) and self.within(when, clause)
        ]
        if not taken:
            return []
        found = [t for t in clause.base.sent if any(a <= t.idx < b for a, b in taken)]
        before = [t.head for t in found if t.head.dep_ == "prep" and t.head not in found]
        return [*before, *found]

    def _inside(self, when: When, clause: Clause) -> bool:
        start, end = when.start + self.start, when.end + self.start
        for token in clause.base.subtree:
            if start <= token.idx < end:
                item = token
                while item != clause.base and item.head != item:
                    if item.i in clause.cuts or _dates_a_thing(item):
                        return False
                    item = item.head
                return True
        return False

    def text(self, when: When, before: Token | None) -> str | None:
        """The expression as an absolute date; None where its own words are as good.

        *before* is the word in front of it, which may already be the preposition.
        """
        if when.recurring or when.first is None or _PLAIN.search(when.text):
            return None
        if not when.dated or when.relation not in (
            "at",
            "since",
            "until",
            "for",
            "after",
            "before",
        ):
            return None
        if _SPAN.match(when.text):
            return self._from_now(when)
        first = when.first.astimezone(self._zone)
        if when.relation == "for":
            return _since(when, first)
        edge = when.edge.astimezone(self._zone) if when.edge is not None else first
        bare, preposition = _date(when, first if when.relation == "at" else edge)
        if when.relation != "at":
            return f"{when.relation} {bare}"
        part = _REST.match(when.text)
        if part is not None and when.last is not None:
            last = (when.last - _MOMENT).astimezone(self._zone)
            unit = f"{last:%B} {last.year}" if last.month < _DECEMBER else f"{last.year}"
            return f"{part.group()} {unit}"
        word = before.lower_ if before is not None else ""
        if before is None or before.dep_ != "prep" or word in _OWN_PREPOSITION:
            return f"{preposition} {bare}"
        return bare

    def _from_now(self, when: When) -> str:
        """ "next few months": as many after the day on which it was said."""
        now = self._at.astimezone(self._zone)
        word, rest = when.text.split(maxsplit=1)
        side = "after" if word.lower() in ("next", "coming", "following") else "before"
        return f"{rest} {side} {now.day} {now:%B} {now.year}"

    def swallows(self, token: Token) -> bool:
        """Whether the date after this preposition brings its own."""
        if token.dep_ != "prep" or token.lower_ not in _OWN_PREPOSITION:
            return False
        after = token.doc[token.i + 1] if token.i + 1 < len(token.doc) else None
        if after is None or self.of(token) is not None:
            return False
        when = self.of(after)
        if when is None or _SPAN.match(when.text) or _REST.match(when.text):
            return False
        return self.text(when, token) is not None


def _dates_a_thing(item: Token) -> bool:
    """ "a book from the 1900s": when the book is from, not when it was found."""
    if item.dep_ != "prep" or item.lower_ not in ("from", "of"):
        return False
    return item.head.pos_ in ("NOUN", "PROPN") and item.head.dep_ in (
        "dobj",
        "pobj",
        "attr",
    )


def _since(when: When, first: datetime) -> str | None:
    if when.grain == "year":
        return f"since {first.year}"
    return f"since {first:%B} {first.year}" if when.grain == "month" else None


def _date(when: When, day: datetime) -> tuple[str, str]:
    """A date in words, and the preposition it takes."""
    about = "around " if when.approximate else ""
    grain = when.grain
    if grain in ("year", "decade", "century"):
        return f"{about}{day.year}", "in" if not about else ""
    if grain in ("month", "quarter", "season"):
        return f"{about}{day:%B} {day.year}", "in"
    full = f"{day.day} {day:%B} {day.year}"
    if grain == "week":
        return f"the week of {full}", "in"
    if grain == "weekend":
        return f"the weekend of {full}", "on"
    if grain in ("hour", "minute", "second"):
        return f"{about}{full} at {day:%H:%M}", "on"
    return f"{about}{full}", "on" if not about else ""


def _exact(edge: datetime | None, at: datetime) -> datetime | None:
    """Dates count in whole seconds; within the second of the episode, "now" is its very moment."""
    return at if edge == at.replace(microsecond=0) else edge


class Validity:
    """From when to when a clause holds."""

    __slots__ = ("dated", "first", "last")

    def __init__(self, whens: Sequence[When], at: datetime, past_state: bool, ended: bool) -> None:
        """Past events without a date count from the episode, which is when they were known to
        have happened; a past state without a date has an unknown begin and was over by then.
        """
        self.first: datetime | None = None
        self.last: datetime | None = None
        for when in whens:
            first, last = (_exact(edge, at) for edge in split(when))
            if when.relation == "for" and past_state:
                continue
            self.first = self.first or first
            self.last = self.last or last
            if past_state and first is not None and when.relation == "at":
                self.last = self.last or when.last
        self.dated = self.first is not None or self.last is not None
        if not self.dated:
            self.first = at if not past_state and not ended else None
            self.last = at if past_state else None
        elif self.first is None and not past_state and self.last is not None and self.last > at:
            self.first = at
        if self.first is not None and self.last is not None and self.last <= self.first:
            self.last = None
