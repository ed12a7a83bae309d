"""From when to when a clause holds, by the expressions of time in it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from recollect.dates.when import When, split
from recollect.extract.prose.datewords import FINE

if TYPE_CHECKING:
    from spacy.tokens import Token

_DAY = timedelta(days=1)


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


def is_past(unit: Sequence[Token], whens: Sequence[When], at: datetime) -> bool:
    """It is told in the past, or noted with a date that is over: "quit smoking 5 weeks ago"."""
    tags = {token.tag_ for token in unit}
    if tags & {"VBD", "VBN"}:
        return True
    over = any(when.dated and when.last is not None and when.last <= at for when in whens)
    return over and not tags & {"VBZ", "VBP", "MD"}


def is_event(when: When, at: datetime) -> bool:
    """It is the time of something; "this year" is when it was said."""
    if not when.dated or when.first is None or when.last is None:
        return False
    return not (when.first <= at < when.last and when.last - when.first > _DAY)


def bounds(whens: Sequence[When]) -> list[When]:
    """The times that say since when or until when something is so."""
    turning = ("since", "until", "for")
    lasting = [when for when in whens if when.relation == "between" and when.grain not in FINE]
    return [when for when in whens if when.relation in turning or when in lasting]
