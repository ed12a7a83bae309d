"""The result of the resolver: one time expression, and when a fact stated with it holds."""

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
# "perfect" is the present perfect: true up to now. "noted" is a clause without a verb, "done" one with
# only a participle.
Tense = Literal["past", "perfect", "present", "future", "noted", "done"]


class When(Record):
    """A stretch of text that names a time, and the time it names.

    *start* and *end* are character offsets in the text. *first* is the inclusive start and *last* the
    exclusive end of the named period, both in UTC: "2015" lasts until 2016-01-01, "from 2015 to 2019"
    until 2020-01-01, "since 2015" names 2015. Neither is set for repetitions, for a date that does not
    exist, and for the open side of a bound.
    *edge* is the moment that *relation* refers to: where `since` and `after` begin, where `until` and
    `before` end, and where the last period of a `between` begins ("from 2015 to 2019": 2019-01-01).
    *grain* is the finest unit named. *duration_s* counts years as 365 and months as 30 days. *dated* is
    false if only a time of day is named ("in the morning", "at 5 pm") and the day is the reference's.
    *approximate*: "around", "a few years ago".
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
    """When a fact stated with *when* began to hold, and when it stopped.

    - `at` begins with the period and has no end. A date alone begins at 00:00, a year alone on 1 January.
    - `since` and `after` begin at the edge.
    - `until` and `before` end at the edge: 1 March for "until March", 1 April for "through March".
    - `between` has both; its end is exclusive.
    - `for` begins that long before the reference. If it still lasts, it begins at the reference and ends
      at the edge.

    A repetition, or a time of day without a day, gives neither.
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
