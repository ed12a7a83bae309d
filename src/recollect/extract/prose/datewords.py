"""Rewords relative dates so that they stay true: as an absolute date, or with one in brackets."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import regex

from recollect import dates
from recollect.dates import holidays
from recollect.dates.grammar import CLOCK_GRAINS
from recollect.dates.when import When
from recollect.extract.prose.words import MONTHS_DAYS

if TYPE_CHECKING:
    from spacy.tokens import Token

MOMENT = timedelta(seconds=1)
END = regex.compile(r"\bend of\b|\bend (?=\p{L})", regex.IGNORECASE)
OWN_PREPOSITION = frozenset({"on", "in", "at", "during", "over"})
_PLAIN = regex.compile(r"\b(?:1[5-9]|20)\d\ds?\b|\bnow\b", regex.IGNORECASE)
_SPAN = regex.compile(
    r"(?:next|coming|following|last|past) (?:few|couple|several|\d+|two|three|four|five|six|ten)\b",
    regex.IGNORECASE,
)
_REST = regex.compile(r"(?:the )?(?:rest|beginning|start|middle) of", regex.IGNORECASE)
_VAGUE = regex.compile(
    r"^(?:early|earlier|mid|late|later)\b(?!.*\b(?:week|day|today|night))", regex.IGNORECASE
)
_SEASON = regex.compile(r"\b(?:spring|summer|autumn|fall|winter)\b", regex.IGNORECASE)
_QUARTER = regex.compile(r"\bq[1-4]\b|\bquarter\b", regex.IGNORECASE)
_FEASTS = holidays.HEADS - MONTHS_DAYS
_WORD = regex.compile(r"\p{L}+")
_DAY = regex.compile(
    r"\b(?:to(?:day|night|morrow)|yesterday|last night|this (?:morning|afternoon|evening)|\p{L}+day|mon|tues?|weds?|thurs?|fri|sat|sun|week"
    r"|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\p{L}*|\d+(?:st|nd|rd|th))\b",
    regex.IGNORECASE,
)
_DECEMBER = 12
_HEAD = regex.compile(
    r"^\W{0,8}(?:(?:first |last |originally )?(?:published|posted|updated|issued|released|written)"
    r"|dated?|publication date|date published|date posted)(?: on| at)?\s{0,3}:?\s{0,3}(?P<date>\S.{5,60})",
    regex.IGNORECASE | regex.MULTILINE,
)
_HEAD_CHARS = 2000
_YEAR = regex.compile(r"\b(?:1[5-9]|20)\d\d\b")


class DateWords:
    """Writes the dates of one sentence, given when and in which zone it was said."""

    def __init__(self, at: datetime, zone: ZoneInfo) -> None:
        self._at = at
        self._zone = zone

    def in_place(self, when: When, before: Token | None) -> str | None:
        """The expression as an absolute date; None to keep its own words.

        *before* is the preceding word, which may already be the preposition.
        """
        if not self._is_open(when) or when.relation == "between" or _is_named(when.text):
            return None
        if _SPAN.match(when.text):
            return self._from_now(when)
        first = self._begin(when)
        if when.relation == "for":
            return _since(when, first)
        if when.relation != "at":
            ahead = when.relation == "since" and first > self._at
            return f"{'from' if ahead else when.relation} {self._turn(when)}"
        part = _REST.match(when.text)
        if part is not None:
            return f"{part.group()} {_whole(when.text, first)}"
        bare, preposition = _date(when, first)
        word = before.lower_ if before is not None else ""
        if before is None or before.dep_ != "prep" or word in OWN_PREPOSITION:
            return f"{preposition} {bare}"
        return bare

    def _is_open(self, when: When) -> bool:
        """Whether its date depends on when it was said."""
        known = when.first is not None and when.dated and not when.recurring
        return known and _PLAIN.search(when.text) is None

    def _begin(self, when: When) -> datetime:
        return (when.first or self._at).astimezone(self._zone)

    def _turn(self, when: When) -> str:
        """The date of a bound; for "the end of", the last day, which `Moments` has put into *first*."""
        edge = None if END.search(when.text) else when.edge
        return _date(when, edge.astimezone(self._zone) if edge else self._begin(when))[0]

    def in_brackets(self, when: When) -> str | None:
        """The date to put after words that leave it open; only the year if they give day and month."""
        if not self._is_open(when) or when.grain == "decade":
            return None
        if when.grain in CLOCK_GRAINS and _DAY.search(when.text) is None:
            return None
        note = self._note(when)
        if note is None or note.startswith("few "):
            return None
        return note if note.split()[-1] not in when.text else None

    def _note(self, when: When) -> str | None:
        first = self._begin(when)
        if when.relation == "for":
            return _since(when, first) or self._until(when)
        if _SPAN.match(when.text):
            return self._from_now(when)
        day = f"{first.day} {first:%B} {first.year}"
        if when.grain in CLOCK_GRAINS:  # the words already give the hour
            return day
        if when.relation == "between" or when.grain == "quarter":
            note = self._stretch(when)
        elif _REST.match(when.text) or (_VAGUE.match(when.text) and when.relation == "at"):
            note = _whole(when.text, first)
        else:
            note = self._turn(when) if when.relation != "at" else _date(when, first)[0]
        *said, year = note.split()
        words = when.text.lower()
        return year if all(part[:3].lower() in words for part in said) else note

    def _until(self, when: When) -> str | None:
        if when.edge is None or when.grain not in ("month", "year"):
            return None
        edge = when.edge.astimezone(self._zone)
        return f"until {edge:%B} {edge.year}"

    def _stretch(self, when: When) -> str:
        """The range from the first day or month to the last."""
        first = self._begin(when)
        last = ((when.last or self._at) - MOMENT).astimezone(self._zone)
        long = when.grain in ("month", "quarter")
        ends = [f"{one:%B}" if long else f"{one.day} {one:%B}" for one in (first, last)]
        if when.grain in ("year", "decade", "century"):
            return f"{first.year} to {last.year}"
        year = f" {first.year}" if first.year != last.year else ""
        return f"{ends[0]}{year} to {ends[1]} {last.year}"

    def _from_now(self, when: When) -> str:
        """ "next few months": written as "few months after" the day on which it was said."""
        now = self._at.astimezone(self._zone)
        word, rest = when.text.split(maxsplit=1)
        side = "after" if word.lower() in ("next", "coming", "following") else "before"
        return f"{rest} {side} {now.day} {now:%B} {now.year}"

    def has_own_words(self, when: When) -> bool:
        """Whether the preposition before the expression is kept."""
        return any(pattern.match(when.text) for pattern in (_SPAN, _REST))


def _is_named(text: str) -> bool:
    """Whether a date cannot replace its name: Easter, last summer, Q3, the end of May."""
    if any(pattern.search(text) for pattern in (END, _SEASON, _QUARTER, _VAGUE)):
        return True
    return not _FEASTS.isdisjoint(_WORD.findall(text.lower()))


def _whole(text: str, first: datetime) -> str:
    """The month or year in "the beginning of", "the rest of"."""
    return f"{first.year}" if "year" in text.lower() else f"{first:%B} {first.year}"


def _since(when: When, first: datetime) -> str | None:
    if when.edge is not None:  # it lies ahead
        return None
    if when.grain == "year":
        return f"since {first.year}"
    return f"since {first:%B} {first.year}" if when.grain == "month" else None


def _date(when: When, day: datetime) -> tuple[str, str]:
    """A date in words, and its preposition."""
    about = "around " if when.approximate else ""
    grain = when.grain
    if grain in ("year", "decade", "century"):
        return f"{about}{day.year}", "in" if not about else ""
    season = _SEASON.search(when.text) if grain == "season" else None
    if season is not None:
        ends = f"/{(day.year + 1) % 100:02}" if day.month == _DECEMBER else ""
        return f"{about}{season.group().lower()} {day.year}{ends}", "in"
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


def written_on(text: str, at: datetime, zone: str | None) -> datetime:
    """The reference for relative dates in a text: the date in its head, or *at*.

    A head is, for example, "Published: 3 March 2021".
    """
    for head in _HEAD.finditer(text[:_HEAD_CHARS]):
        if (when := _dated(head, at, zone)) is not None:
            return min(when.first or at, at)
    return at


def is_dateline(text: str, at: datetime) -> bool:
    """Whether it only says when a text was written."""
    head = _HEAD.fullmatch(text)
    return head is not None and _dated(head, at, None) is not None


def _dated(head: regex.Match[str], at: datetime, zone: str | None) -> When | None:
    for when in dates.find(head["date"], reference=at, zone=zone)[:1]:
        fine = when.relation == "at" and when.grain in ("day", "hour", "minute", "second")
        if fine and when.start == 0 and _YEAR.search(when.text):
            return when
    return None
