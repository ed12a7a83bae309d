"""The result of the resolver: one time expression, and what it says about a fact."""

from datetime import datetime
from typing import Literal

from recollect.graph.types import Record

Grain = Literal[
    "second",
    "minute",
    "hour",
    "part",
    "day",
    "week",
    "weekend",
    "month",
    "quarter",
    "season",
    "year",
    "decade",
    "century",
]
Relation = Literal["at", "since", "until", "before", "after", "between", "for"]
# "perfect" is the present perfect: what has been up to now. "noted" is said without a verb, "done"
# with nothing but a participle.
Tense = Literal["past", "perfect", "present", "future", "noted", "done"]


class When(Record):
    """A stretch of text that names a time, and the time it names.

    *start* and *end* are characters of the text. *first* is the inclusive begin and *last* the
    exclusive end of what the words name, both in UTC: "2015" lasts until 2016-01-01, "from 2015 to
    2019" until 2020-01-01, "since 2015" names 2015. Neither is set for what repeats, for a date that
    does not exist, and for the open side of nothing but a bound.
    *edge* is the one moment on which *relation* turns: where `since` and `after` begin, where
    `until` and `before` end, and where the last period of a `between` begins ("from 2015 to 2019":
    2019-01-01). *grain* is the finest unit named. *duration_s* counts years as 365 and months as 30
    days. *dated* is false when only a time of day is named ("in the morning", "at 5 pm") and the
    day was taken from the reference. *approximate*: "around", "a few years ago".
    """

    start: int
    end: int
    text: str
    grain: Grain
    first: datetime | None
    last: datetime | None
    relation: Relation = "at"
    timex: str | None = None
    recurring: bool = False
    duration_s: float | None = None
    edge: datetime | None = None
    dated: bool = True
    approximate: bool = False


def split(when: When) -> tuple[datetime | None, datetime | None]:
    """When a fact said with *when* began to hold, and when it ceased.

    `at` begins with the first moment of the period and does not end (a date alone is 00:00, a year
    alone 1 January); `since` and `after` begin at the edge; `until` and `before` end there, which
    for "until March" is 1 March and for "through March" 1 April; `between` has both, its end
    exclusive; `for` begins the length before the reference, or at the reference for what is still
    to last, which then ends at the edge.
    What repeats, and a time of day without a day, says nothing about either.
    """
    if when.recurring or not when.dated:
        return None, None
    if when.relation in ("until", "before"):
        return None, when.edge
    if when.relation in ("since", "after"):
        return when.edge, None
    if when.relation == "between":
        return when.first, when.last
    if when.relation == "for":
        return when.first, when.edge
    return when.first, None
