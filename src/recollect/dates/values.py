"""The values that time expressions are built from. All times are local."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from recollect.dates.when import Grain, Relation, Tense


class Period(NamedTuple):
    """From *first* up to, not including, *last*. *edge* is the moment used if the period is a bound."""

    first: datetime
    last: datetime
    grain: Grain
    edge: datetime | None = None


Inside = Callable[[Period], Period | None]


@dataclass(frozen=True, slots=True)
class Dated:
    """The readings of a time expression: the periods that it may mean, in order of time.

    *inside* is set if the expression is ambiguous ("26 June", "Friday", "Easter"): it resolves it within
    a longer period that other words give. *month* is the month that was named, for a range whose other
    side has only a day. A date that does not exist has no readings, and neither does a repetition.
    """

    readings: tuple[Period, ...] = ()
    relation: Relation = "at"
    timex: str | None = None
    inside: Inside | None = None
    month: int | None = None
    recurring: bool = False
    length_s: float | None = None
    anchored: bool = True
    approximate: bool = False
    grain: Grain = "day"

    def over(self, periods: tuple[Period, ...]) -> "Dated":
        """The same expression with other readings."""
        return replace(self, readings=periods)


@dataclass(frozen=True, slots=True)
class Clock:
    """A time of day. *open*: it may be am or pm."""

    hour: int
    minute: int = 0
    second: int = 0
    open: bool = False
    grain: Grain = "hour"

    @property
    def seconds(self) -> int:
        """Seconds since midnight."""
        return self.hour * 3600 + self.minute * 60 + self.second


@dataclass(frozen=True, slots=True)
class Hours:
    """From one time of day to another; an end before the begin is on the next day."""

    begin: Clock
    end: Clock


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the day, in hours since midnight; *code* is its TIMEX3 code."""

    begin: float
    end: float
    code: str


@dataclass(frozen=True, slots=True)
class Length:
    """A length of time: pairs of unit and amount, the largest unit first."""

    parts: tuple[tuple[str, float], ...]
    approximate: bool = False


class Raw(NamedTuple):
    """A token before it is given a kind. *word* is lower case, with a straight apostrophe."""

    group: str
    word: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Node:
    """A stretch of text, recognised as a token of a *kind* with a *value*."""

    kind: str
    start: int
    end: int
    value: Any = None


@dataclass(frozen=True, slots=True)
class ResolutionContext:
    """The context for resolving a text: the local time at which it was said, and its tense."""

    text: str
    now: datetime
    zone: ZoneInfo
    tense: Tense | None = None

    @property
    def today(self) -> datetime:
        """Midnight at the start of the reference day."""
        return self.now.replace(hour=0, minute=0, second=0, microsecond=0)
