"""The time that a question is about, when its words name one: "last spring", "before she moved".

Only words that plainly speak of time count. "Now" and "today" in the present do not narrow, as
what holds now comes first anyway; neither does what repeats ("every Monday", "in winter she
skates") nor a length of time ("for three years").
"""

import re
from datetime import datetime, timedelta
from typing import NamedTuple

from recollect.dates import Tense, When, find
from recollect.dates.triggers import may_speak_of_time
from recollect.graph.types import Record
from recollect.search.events import Clause, Event, event_in
from recollect.search.tenses import tense_of


class TimeWindow(NamedTuple):
    """From *start* inclusive to *end* exclusive, in UTC; None is open."""

    start: datetime | None
    end: datetime | None

    def overlaps(self, first: datetime | None, last: datetime | None) -> bool:
        """Whether something that held from *first* until *last* held at some time of it."""
        begins = self.end is None or first is None or first < self.end
        return begins and (self.start is None or last is None or last > self.start)


class TimeWords(Record):
    """What a question says about time: windows, any of which will do, or an event, or both.

    *words* is what says it, *rest* the question without. An event has to be found first; its
    dates then go into `around`.
    """

    windows: tuple[TimeWindow, ...] = ()
    event: Event | None = None
    words: str = ""
    rest: str = ""


def time_words(text: str, now: datetime, time_zone: str | None = None) -> TimeWords | None:
    """The time that *text* is about, asked at *now* by somebody in *time_zone*; None for most.

    Words behind 2,000 characters are not looked at.
    """
    text = _SPACES.sub(" ", text)
    head, tail = text[:_CHARS_MAX], text[_CHARS_MAX:]
    clause, found = _said(head, now, time_zone)
    if clause is None and not found:
        return None
    spans = [_span(head, when) for when in found] + ([(clause.start, clause.end)] if clause else [])
    spans.sort()
    return TimeWords(
        windows=_windows(found),
        event=clause.event if clause else None,
        words="; ".join(head[start:end].strip() for start, end in spans),
        rest=_without(head, spans) + tail,
    )


def around(event: Event, first: datetime | None, last: datetime | None) -> TimeWindow | None:
    """The window around an event that held from *first* until *last*; None without a date."""
    if first is None:
        return None
    if event.relation == "before":
        return TimeWindow(None, first)
    if event.relation == "when":
        return TimeWindow(first, last)
    return TimeWindow(first, None)


# Words that fix which year or week is meant; without one the tense has to.
_FIXED = re.compile(
    r"\d{3,}|['\u2019]\d\d|\d[-/.]\d|\b(?:last|next|this|past|previous|coming|current|ago|yesterday"
    r"|today|tomorrow|tonight|century|now|back|earlier|later|recent|\d0s|\w+ties)\b",
    re.IGNORECASE,
)
_PLAIN_TODAY = re.compile(r"today|this (?:day|moment)|tonight", re.IGNORECASE)
_LEAD = re.compile(
    r"(?:^|\W)(?:(?:in|on|at|during|by|of|for|from|since|until|till|before|after|around|about|over"
    r"|within|throughout|through|between|and|to|as of|back in|early|late|mid)\s+(?:the\s+|her\s+|his"
    r"\s+|my\s+|our\s+|their\s+)?)$",
    re.IGNORECASE,
)
_FOLLOWED = re.compile(r"\s*(?:$|[?!.,;:)]|(?:and|or|but|with|that|when|what|where|who|how|did)\b)")
_DISTANCE = re.compile(
    r"\b(year|month|week|decade|quarter)s?\s+(?:ago|back|earlier|later|before|after|from now)\b|\bin\s+\S+\s+"
    r"(year|month|week|decade)s?\b",
    re.IGNORECASE,
)
# "What does she think about last year": no guess at a time, but a subject.
_ABOUT = re.compile(r"about (?=last|next|this|the|yesterday|today|tomorrow)", re.IGNORECASE)
_GENITIVE = re.compile(r"['\u2019]s?\b")
_CHARS_MAX = 2_000
_SLACK = {
    "week": timedelta(days=4),
    "month": timedelta(days=16),
    "quarter": timedelta(days=46),
    "year": timedelta(days=183),
    "decade": timedelta(days=1830),
}


def _said(text: str, now: datetime, time_zone: str | None) -> tuple[Clause | None, list[When]]:
    """The event and the times that narrow."""
    clause = event_in(text)
    if not may_speak_of_time(text):
        return clause, []
    outside = _without(text, [(clause.start, clause.end)]) if clause else text
    tense = tense_of(outside)
    # Which May is meant: memory is asked about the past, unless the question says otherwise.
    reading: Tense = "future" if tense == "future" else "past"
    found = find(text, reference=now, zone=time_zone, tense=reading)
    if clause and any(_is_date(text, clause, when) for when in found):
        clause = None
    # A time inside an event's clause tells the event, not the question.
    return clause, [
        when
        for when in found
        if not (clause and clause.start <= when.start < clause.end) and _narrows(text, when, tense)
    ]


def _is_date(text: str, clause: Clause, when: When) -> bool:
    """ "After Christmas" and "during the summer" name dates; "after last year's trip" does not."""
    if not when.dated or _GENITIVE.match(text, when.end):
        return False
    return when.start <= clause.start < when.end or when.start <= clause.inner < when.end


def _narrows(text: str, when: When, tense: Tense | None) -> bool:
    if when.first is None or when.recurring or not when.dated or when.relation == "for":
        return False
    if when.timex == "PRESENT_REF" and when.relation == "at":
        return False
    if _PLAIN_TODAY.fullmatch(when.text):
        return tense in ("past", "future")
    if _FIXED.search(when.text):
        return True
    bare = " " not in when.text.strip() and when.relation == "at"
    if bare and not _LEAD.search(text[: when.start]) and not _FOLLOWED.match(text, when.end):
        return False  # "Sunday roast", "Christmas cards"
    return tense != "present"


def _windows(found: list[When]) -> tuple[TimeWindow, ...]:
    """Periods are alternatives; where there are none, bounds hold together."""
    periods = [_period(when) for when in found if not _is_bound(when)]
    if periods:
        return tuple(dict.fromkeys(periods))
    bounds = [_bound(when) for when in found]
    start = max((b.start for b in bounds if b.start is not None), default=None)
    end = min((b.end for b in bounds if b.end is not None), default=None)
    if not bounds:
        return ()
    if start is not None and end is not None and start >= end:
        return tuple(dict.fromkeys(bounds))
    return (TimeWindow(start, end),)


def _is_bound(when: When) -> bool:
    bounded = when.relation in ("since", "after", "until", "before")
    return bounded and not when.text.lower().startswith("as of")


def _bound(when: When) -> TimeWindow:
    if when.relation in ("until", "before"):
        return TimeWindow(None, when.edge)
    return TimeWindow(when.edge, None)


def _period(when: When) -> TimeWindow:
    """A period, wider where its words are only about: "three years ago" is no single day."""
    if when.first is None or when.last is None:
        return TimeWindow(when.first, when.last)
    slack = timedelta(0)
    distance = _DISTANCE.search(when.text)
    if distance and when.grain == "day":
        slack = _SLACK[(distance[1] or distance[2]).lower()]
    elif when.approximate and not _ABOUT.match(when.text):
        slack = (when.last - when.first) / 2
    return TimeWindow(_moved(when.first, -slack), _moved(when.last, slack))


def _moved(moment: datetime, by: timedelta) -> datetime:
    try:
        return moment + by
    except OverflowError:
        return moment


_HANGING = re.compile(
    r" ?\b(?:in|on|at|during|from|over|within|throughout|of|for|by|back in|back|as of|and|or)?"
    r"(?: the)? ?$",
    re.IGNORECASE,
)
_SPACES = re.compile(r"\s+")
_BEFORE_MARK = re.compile(r"[ ,;]+(?=[?!.])| (?=[,;])")


def _span(text: str, when: When) -> tuple[int, int]:
    """The characters that name a time, with what makes it an owner."""
    about, owner = _ABOUT.match(when.text), _GENITIVE.match(text, when.end)
    return when.start + (about.end() if about else 0), owner.end() if owner else when.end


def _without(text: str, spans: list[tuple[int, int]]) -> str:
    """*text* without these stretches and the prepositions they leave hanging."""
    parts: list[str] = []
    place = 0
    for start, end in spans:
        parts.append(_HANGING.sub("", text[place:start]))
        place = max(place, end)
    parts.append(text[place:])
    joined = _SPACES.sub(" ", " ".join(parts))
    return _BEFORE_MARK.sub("", joined).strip(" ,;")
