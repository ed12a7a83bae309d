"""Whether an endpoint that failed is worth another call by now."""

from datetime import datetime, timedelta

from recollect.clock import Clock
from recollect.limits import OUTAGE_PAUSE_FIRST_S, OUTAGE_PAUSE_MAX_S


class Outage:
    """It is on from a call without an answer to the next one that gets one.

    Whoever can do without an answer does not ask meanwhile; whoever waits for the end asks when
    the pause is over, which gets longer each time.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._failures = 0
        self._since = clock()
        self._until: datetime | None = None

    @property
    def is_on(self) -> bool:
        """Whether the last call failed."""
        return self._failures > 0

    @property
    def rest_until(self) -> datetime | None:
        """When the next call is worth it; None: now. A clock that is set back ends the pause."""
        if self._until is None or not self._since <= self._clock() < self._until:
            return None
        return self._until

    def failed(self) -> None:
        """A call got no answer."""
        resting = self.rest_until
        if self._failures and resting is not None:
            return  # calls that were under way together fail together
        pause = OUTAGE_PAUSE_FIRST_S * 2 ** min(self._failures, 16)
        until = self._clock() + timedelta(seconds=min(OUTAGE_PAUSE_MAX_S, pause))
        self.rest(until if resting is None else max(until, resting))
        self._failures += 1

    def rest(self, until: datetime) -> None:
        """No call can be made before that, although the endpoint may be there."""
        self._since, self._until = self._clock(), until

    def over(self) -> None:
        """A call got an answer."""
        self._failures, self._until = 0, None
