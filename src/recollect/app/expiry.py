"""Expiring episodes and facts, and inspecting those that have expired."""

import math
import time
from collections.abc import Callable
from datetime import datetime

from recollect.app.stores import WithStore
from recollect.app.units import reads, writes
from recollect.governance.receipts import Erased
from recollect.graph.types import Access
from recollect.ingest import expirer
from recollect.records import expiring
from recollect.store.protocol import Store

__all__ = ["NextExpiry", "expire", "expired", "expired_thing", "expires_at", "hide_due"]

_REMEMBERED_S = 1.0

expire = writes(expiring.expire)
expires_at = reads(expiring.expires_at)
expired = reads(expiring.expired)
expired_thing = reads(expiring.expired_thing)


class NextExpiry:
    """Caches for a second when the next thing expires, so that most requests need not ask the store.

    Writes in this process invalidate the cache at once. An expiry that another process sets to less than
    a second ahead may go unnoticed for the rest of that second, like a key that was revoked there.
    """

    def __init__(self) -> None:
        self._changes = 0
        self._looked_at = -math.inf
        self._next: datetime | None = None

    def changed(self) -> None:
        """Invalidate the cache: this process wrote something."""
        self._changes += 1
        self._looked_at = -math.inf

    async def is_past(self, store: Store, now: datetime) -> bool:
        """Whether something may be due."""
        if time.monotonic() - self._looked_at > _REMEMBERED_S:
            changes, began = self._changes, time.monotonic()
            self._next = await store.glance(expiring.next_at)
            if changes == self._changes:
                self._looked_at = began
        return self._next is not None and self._next <= now


async def hide_due(
    services: WithStore,
    access: Access,
    *,
    kept_days: int | None,
    then: Callable[[Erased], object] | None = None,
) -> None:
    """Forget everything of a project that has expired; *then* drops it from caches and files.

    Called before every answer, so that expired data is never returned, even if no worker has run since.
    """
    while await services.store.glance(expiring.is_due_in, access):
        erased = await expirer.forget_next(
            services.store, keep=kept_days != 0, project_id=access.project_id
        )
        if erased is not None and then is not None:
            then(erased)
