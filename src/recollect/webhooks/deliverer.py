"""Delivers events to webhooks: sequentially for each webhook, several webhooks concurrently."""

import asyncio
import random
from contextlib import suppress

from prometheus_client import Counter

from recollect import log
from recollect.clock import Clock
from recollect.governance import outbox
from recollect.governance.outbox import Owed
from recollect.graph.webhooks import Try
from recollect.limits import WEBHOOK_LANES_MAX
from recollect.settings import Settings, networks_in
from recollect.store.protocol import Store, Transaction
from recollect.webhooks import sending

_log = log.get(__name__)
_POLL_S = 1.0
_MARGIN_S = 10.0  # time beyond the call's timeout before a delivery is due again
_DELIVERIES = Counter(
    "recollect_webhook_tries_total", "Tries to tell a webhook something, by outcome.", ["outcome"]
)


class Deliverer:
    """Delivers until stopped. One per process that has workers.

    Delivery is at least once: if a process dies between a call and recording it, the call is repeated
    under the same id.
    """

    def __init__(self, store: Store, settings: Settings, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._timeout_s = settings.webhook_timeout_s
        self._attempts_max = settings.webhook_attempts_max
        self._backoff_first_s = settings.webhook_backoff_first_s
        self._private = networks_in(settings.webhook_private)
        self._lanes: dict[int, asyncio.Task[None]] = {}
        self._stop = asyncio.Event()
        self._chance = random.SystemRandom()

    def stop(self) -> None:
        """Stop after the calls in progress."""
        self._stop.set()

    async def run(self) -> None:
        """Deliver until stopped. If the store fails, retry."""
        while not self._stop.is_set():
            try:
                await self._begin_lanes()
            except Exception as error:  # noqa: BLE001 - there is a next time
                _log.error("deliverer.stumbled", exc_info=error)
            with suppress(TimeoutError):
                await asyncio.wait_for(self._stop.wait(), _POLL_S)
        if self._lanes:
            await asyncio.wait(self._lanes.values())

    async def _begin_lanes(self) -> None:
        """Start a lane for every webhook with a due delivery, up to the limit."""
        for webhook_id in await self._store.glance(outbox.due):
            if len(self._lanes) >= WEBHOOK_LANES_MAX:
                return
            if webhook_id not in self._lanes:
                lane = asyncio.create_task(self._deliver_all(webhook_id))
                self._lanes[webhook_id] = lane

    async def _deliver_all(self, webhook_id: int) -> None:
        """Send everything due to one webhook; a slow one does not delay the others."""
        lease_s = self._timeout_s + _MARGIN_S
        try:
            owed = await self._store.write(outbox.take, webhook_id, lease_s)
            while owed is not None and not self._stop.is_set():
                outcome = await sending.send(
                    owed, self._clock(), timeout_s=self._timeout_s, private=self._private
                )
                owed = await self._store.write(self._note, owed, outcome, lease_s)
        except Exception as error:  # noqa: BLE001 - it is due again after a while
            _log.error("deliverer.stumbled", exc_info=error)
        finally:
            del self._lanes[webhook_id]

    def _note(self, tx: Transaction, owed: Owed, outcome: Try, lease_s: float) -> Owed | None:
        """Record the outcome of a delivery and lease the next, in one commit."""
        state = outbox.note(
            tx,
            owed,
            outcome,
            attempts_max=self._attempts_max,
            backoff_first_s=self._backoff_first_s,
            chance=self._chance.random(),
        )
        _DELIVERIES.labels("failed" if state == "waiting" else state).inc()
        if state != "delivered":
            _log.warning(
                f"webhook.{'failed' if state == 'waiting' else state}",
                delivery=owed.row.uuid,
                attempt=owed.row.attempts + 1,
                status=outcome.status,
                error=outcome.error,
            )
        return None if self._stop.is_set() else outbox.take(tx, owed.row.webhook_id, lease_s)
