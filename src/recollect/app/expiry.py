"""Letting episodes and facts cease to be known, and looking at those that have."""

from collections.abc import Callable

from recollect.app.data_folder import WithStore
from recollect.app.units import reads, writes
from recollect.governance.receipts import Erased
from recollect.graph.types import Access
from recollect.ingest import expirer
from recollect.records import expiring

__all__ = ["expire", "expired", "expired_thing", "expires_at", "hide_due"]

expire = writes(expiring.expire)
expires_at = reads(expiring.expires_at)
expired = reads(expiring.expired)
expired_thing = reads(expiring.expired_thing)


async def hide_due(
    services: WithStore,
    access: Access,
    *,
    kept_days: int | None,
    then: Callable[[Erased], object] | None = None,
) -> None:
    """Forget what a project must not tell any more; *then* has what memory and files hold of it follow.

    Done before every answer: whoever asks after its time does not see it, whether or not somebody
    with workers came by since.
    """
    while await services.store.glance(expiring.is_due_in, access):
        erased = await expirer.forget_next(
            services.store, keep=kept_days != 0, project_id=access.project_id
        )
        if erased is not None and then is not None:
            then(erased)
