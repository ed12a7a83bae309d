"""Counters and gauges for Prometheus."""

import time
from hmac import compare_digest
from typing import get_args

from prometheus_client import CONTENT_TYPE_LATEST, Gauge, generate_latest

from recollect.api.http import Reply, secret
from recollect.api.router import Call
from recollect.app import readings, tasks, webhooks
from recollect.app.readings import Status
from recollect.app.services import Services
from recollect.app.tasks import QueueState
from recollect.errors import NotAuthenticated
from recollect.extract.brief import ReaderKind

_PENDING = Gauge("recollect_jobs_pending", "Jobs that wait or run.")
_PARKED = Gauge("recollect_jobs_parked", "Jobs that failed too often and wait for someone.")
_READINGS: dict[Status, Gauge] = {
    "waiting": Gauge("recollect_readings_waiting", "Episodes to be read again.", ["reader"]),
    "parked": Gauge(
        "recollect_readings_parked", "Episodes whose second reading failed too often.", ["reader"]
    ),
}
_TO_FOLD = Gauge("recollect_graphs_to_fold", "Graphs whose newest readings are not in them yet.")
_FACTS = Gauge("recollect_facts", "Facts, by the reader that found them.", ["reader"])
_WAIT = Gauge("recollect_oldest_job_wait_seconds", "Age of the oldest pending job.")
_DUE = Gauge("recollect_graphs_due", "Graphs with jobs that somebody could work on right now.")
_DELIVERIES = Gauge(
    "recollect_webhook_deliveries", "What webhooks are owed, and what was given up.", ["state"]
)
_WEBHOOKS_OFF = Gauge("recollect_webhooks_off", "Webhooks that nothing is sent to for now.")
_HINDERED = Gauge("recollect_graphs_hindered", "Graphs that wait for something to be mended.")


class _Oldest:
    """How long the oldest job has waited, even if the clock was set back in the meantime."""

    def __init__(self) -> None:
        self._id: int | None = None
        self._since = 0.0

    def waits_s(self, state: QueueState) -> float:
        """Its age, or how long it has been observed as the oldest, whichever is greater."""
        now = time.monotonic()
        if state.oldest_id is None or state.oldest_id != self._id:
            self._id, self._since = state.oldest_id, now
        return max(state.oldest_wait_s, now - self._since)


_oldest = _Oldest()


async def metrics(call: Call) -> Reply:
    """Counters and gauges for Prometheus; nothing in them names a project."""
    _admit(call)
    await look(call.services)
    return Reply.typed(generate_latest(), CONTENT_TYPE_LATEST)


async def look(services: Services) -> None:
    """Update the gauges from the store."""
    state = await tasks.state(services)
    _PENDING.set(state.pending)
    _PARKED.set(state.parked)
    _WAIT.set(_oldest.waits_s(state))
    _DUE.set(state.due)
    _HINDERED.set(await tasks.hindered(services))
    await _tell_readings(services)
    await _tell_webhooks(services)


def _admit(call: Call) -> None:
    """Raise NotAuthenticated if a metrics key is configured and the request does not have it."""
    wanted = call.services.settings.metrics_key
    if wanted is not None and not compare_digest(
        secret({"headers": call.headers}).encode(), wanted.get_secret_value().encode()
    ):
        raise NotAuthenticated


async def _tell_readings(services: Services) -> None:
    """Update the gauges of pending readings, and of facts by reader."""
    counted = {(one.reader, one.status): one.count for one in await readings.counts(services)}
    for status, gauge in _READINGS.items():
        for reader in get_args(ReaderKind):
            gauge.labels(reader).set(counted.get((reader, status), 0))
    _TO_FOLD.set(await readings.to_fold(services))
    facts = await readings.facts_by_reader(services)
    _FACTS.clear()
    for reader, count in facts.items():
        _FACTS.labels(reader).set(count)


async def _tell_webhooks(services: Services) -> None:
    """Update the gauges of webhook deliveries, without naming projects."""
    found = await webhooks.states(services)
    _DELIVERIES.labels("waiting").set(sum(one.waiting for one in found))
    _DELIVERIES.labels("given_up").set(sum(one.given_up for one in found))
    _DELIVERIES.labels("missed").set(sum(one.missed for one in found))
    _WEBHOOKS_OFF.set(sum(one.off is not None for one in found))
