"""Forgets episodes and facts soon after they expire."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

from prometheus_client import Counter

from recollect import log
from recollect.governance.receipts import Erased
from recollect.records import expiring
from recollect.store.protocol import Store

_log = log.get(__name__)
_POLL_S = 1.0
_EXPIRED = Counter("recollect_expired_total", "Episodes and facts whose time had come.")


async def forget_next(store: Store, *, keep: bool, project_id: int | None = None) -> Erased | None:
    """Forget the first item that has expired, of any project or of one; None if there is none."""
    erased = await store.write(expiring.forget_next, keep=keep, project_id=project_id)
    if erased is not None:
        _EXPIRED.inc()
        _log.info("expired", kind=erased.receipt.kind, subject=erased.receipt.subject)
    return erased


class Expirer:
    """Forgets expired items until stopped. One per process that has workers.

    *kept_days*: how long a separate record of what expired is kept; None: until its graph is erased.
    *wipe* removes it from caches and files.
    """

    def __init__(
        self, store: Store, kept_days: int | None, wipe: Callable[[Erased], Awaitable[object]]
    ) -> None:
        self._store = store
        self._kept_days = kept_days
        self._wipe = wipe
        self._stop = asyncio.Event()

    def stop(self) -> None:
        """Ask `run` to stop."""
        self._stop.set()

    async def run(self) -> None:
        """Forget until stopped. A failing store does not end the loop."""
        while not self._stop.is_set():
            try:
                await self.step()
            except Exception as error:  # noqa: BLE001 - there is a next time
                _log.error("expirer.stumbled", exc_info=error)
            with suppress(TimeoutError):
                await asyncio.wait_for(self._stop.wait(), _POLL_S)

    async def step(self) -> None:
        """Forget everything that has expired."""
        keep = self._kept_days != 0
        while await self._store.glance(expiring.is_due, self._kept_days):
            erased = await forget_next(self._store, keep=keep)
            if erased is not None:
                await self._wipe(erased)
            elif self._kept_days and await self._store.write(
                expiring.forget_for_good, self._kept_days
            ):
                self._store.scrub_soon()
