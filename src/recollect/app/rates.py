"""How often somebody may ask: a bucket of requests for each key and each project, filled at a steady rate.

Buckets are in memory: after a restart all are full. Quotas of a day are kept in the store
(`governance/quotas.py`).
"""

import math
import time
from collections import OrderedDict
from collections.abc import Callable

from recollect.errors import LimitReached
from recollect.graph.types import Access
from recollect.graph.usage import SCOPES, Scope
from recollect.limits import RATES_REMEMBERED_MAX


class Rates:
    """The buckets of everybody who asked lately; of more than are remembered the oldest is full again."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._buckets: OrderedDict[tuple[Scope, str], tuple[float, float]] = OrderedDict()

    def admit(self, access: Access) -> None:
        """Count one request; raises LimitReached where the key or its project asked too often."""
        if access.limits is None:
            return
        now = self._clock()
        left: dict[tuple[Scope, str], float] = {}
        for scope in SCOPES:
            rate = access.limits.rate(scope)
            if rate is None:
                continue
            name = (scope, access.key_uuid if scope == "key" else access.project_uuid)
            per_s, burst = rate
            room, since = self._buckets.get(name, (float(burst), now))
            room = min(float(burst), room + (now - since) * per_s)
            if room < 1.0:
                wait_s = max(1, math.ceil((1.0 - room) / per_s))
                raise LimitReached(
                    f"{scope}_requests_per_s: {per_s:g} requests a second are allowed to one "
                    f"{scope}, {burst} at once; try again in {wait_s} s",
                    retry_after_s=wait_s,
                )
            left[name] = room - 1.0
        for name, room in left.items():  # of a request that is refused nothing is counted
            self._buckets[name] = (room, now)
            self._buckets.move_to_end(name)
        while len(self._buckets) > RATES_REMEMBERED_MAX:
            self._buckets.popitem(last=False)
