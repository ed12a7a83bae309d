"""Spans and metrics of a long-running command, if a receiver is configured."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING

from recollect import __version__, extras, log
from recollect.api import metrics
from recollect.app.services import Services
from recollect.errors import RecollectError, Unavailable
from recollect.settings import Settings

if TYPE_CHECKING:
    from recollect.otel import Telemetry

_log = log.get(__name__)
Attach = Callable[[Services], None]


@asynccontextmanager
async def sent(chosen: Settings) -> AsyncIterator[Attach]:
    """Send spans from now on, and metrics of the services that are attached.

    To be entered before services are opened: those opened earlier have no spans.
    """
    if chosen.otel_url is None:
        yield lambda services: None
        return
    if sentence := extras.missing("otel"):
        raise Unavailable(sentence)
    from recollect.otel import Telemetry  # slow to import

    telemetry = Telemetry(chosen.otel_url, __version__)
    sending: list[asyncio.Task[None]] = []

    def attach(services: Services) -> None:
        sending.append(asyncio.create_task(_send(telemetry, services, chosen.otel_metrics_s)))

    try:
        yield attach
    finally:
        for task in sending:
            task.cancel()
        await asyncio.gather(*sending, return_exceptions=True)
        await _send_once(telemetry)
        await asyncio.to_thread(telemetry.close)


async def _send(telemetry: "Telemetry", services: Services, every_s: float) -> None:
    """Send the metrics every *every_s* seconds; gauges that cannot be updated keep their value."""
    while True:
        with suppress(RecollectError):
            await metrics.look(services)
        await _send_once(telemetry)
        await asyncio.sleep(every_s)


async def _send_once(telemetry: "Telemetry") -> None:
    try:
        await asyncio.to_thread(telemetry.send_metrics)
    except Exception as error:  # noqa: BLE001 - a failing receiver must not affect us
        _log.warning("telemetry.not_sent", error=type(error).__name__)
