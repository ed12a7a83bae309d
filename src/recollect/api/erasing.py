"""Carrying an erasure through: the rows, then what memory holds, then the bytes in the files."""

import asyncio
from collections.abc import Callable
from contextvars import Context
from typing import Concatenate, ParamSpec

from msgspec.structs import replace

from recollect.api.router import Call
from recollect.governance import receipts
from recollect.governance.receipts import Erased, Receipt
from recollect.graph.types import Access
from recollect.store.protocol import Transaction

P = ParamSpec("P")


async def erase(
    call: Call,
    unit: Callable[Concatenate[Transaction, Access, P], Erased],
    *args: P.args,
    **kwargs: P.kwargs,
) -> Receipt:
    """Erase, and answer once the files are wiped as well, or could not be just now."""
    store = call.services.store
    erased = await store.write(unit, call.access, *args, **kwargs)
    call.services.segments.forget(erased.graph_uuid)
    call.services.finder.forget()
    call.services.memories.forget(erased.graph_uuid)
    if not await store.scrub():
        store.scrub_soon()
        return erased.receipt
    # In a context of its own: it belongs to the erasure and is no further act of the caller.
    noted = store.write(receipts.mark_scrubbed, erased.receipt.uuid)
    await asyncio.create_task(noted, context=Context())
    return replace(erased.receipt, scrubbed=True)
