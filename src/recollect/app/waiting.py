"""Waiting for work that a caller caused, for as long as a caller should."""

import asyncio
import time

from recollect.app.services import Services
from recollect.errors import NotFound
from recollect.graph.types import Access
from recollect.ingest import queue
from recollect.limits import DIRECT_WAIT_S

_POLL_FIRST_S = 0.01
_POLL_MAX_S = 0.2


async def completed(services: Services, access: Access, task_uuid: str | None) -> bool:
    """Whether a task has ended; False when that takes longer, or nobody here works on it."""
    services.wake_workers()
    # Without workers in this process nobody may be there to do it at all.
    if task_uuid is None or not services.workers:
        return False
    pause_s, deadline = _POLL_FIRST_S, time.monotonic() + DIRECT_WAIT_S
    while time.monotonic() < deadline:
        try:
            task = await services.store.glance(queue.task, access, task_uuid)
        except NotFound:  # the graph was deleted meanwhile
            return False
        if task.completed_at is not None:
            return True
        await asyncio.sleep(pause_s)
        pause_s = min(2 * pause_s, _POLL_MAX_S)
    return False
