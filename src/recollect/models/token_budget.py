"""How many tokens may be spent within an hour."""

from collections import deque
from dataclasses import dataclass
from datetime import datetime, timedelta

from recollect.clock import Clock
from recollect.errors import BudgetExhausted

_WINDOW = timedelta(hours=1)


@dataclass(slots=True)
class Spending:
    """The tokens of one call: an estimate while it is under way, its cost once that is known."""

    at: datetime
    tokens: int


class TokenBudget:
    """A sliding hour of spendings, calls under way included. It lives as long as the process."""

    def __init__(self, tokens_per_hour_max: int | None, clock: Clock) -> None:
        self._most = tokens_per_hour_max
        self._clock = clock
        self._spendings: deque[Spending] = deque()

    def reserve(self, tokens: int) -> Spending:
        """Set tokens aside for a call; BudgetExhausted, with a time, when there is no room.

        A call that is dearer than the whole budget goes through when nothing else was spent:
        it could never be made otherwise, and its episode would wait forever.
        """
        now = self._clock()
        for spending in self._spendings:
            spending.at = min(spending.at, now)  # the clock was set back since
        while self._spendings and self._spendings[0].at + _WINDOW <= now:
            self._spendings.popleft()
        retry_at = self._room_at(tokens)
        if retry_at is not None:
            raise BudgetExhausted(
                f"the language model's budget of {self._most} tokens per hour is spent; "
                f"there is room again at {retry_at.isoformat(timespec='seconds')}",
                retry_at=retry_at,
            )
        spending = Spending(now, tokens)
        if self._most is not None:
            self._spendings.append(spending)
        return spending

    def _room_at(self, tokens: int) -> datetime | None:
        """When that many tokens will fit; None when they do now."""
        used = sum(spending.tokens for spending in self._spendings)
        at: datetime | None = None
        for spending in self._spendings:
            if self._most is None or not used or used + tokens <= self._most:
                break
            used -= spending.tokens
            at = spending.at + _WINDOW
        return at
