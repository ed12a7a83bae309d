"""Carrying an erasure through: the rows, then what memory holds, then the bytes in the files."""

from collections.abc import Callable
from typing import Concatenate, ParamSpec

from recollect.api.router import Call
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
    erased = await call.services.store.write(unit, call.access, *args, **kwargs)
    return await call.services.wipe(erased)
