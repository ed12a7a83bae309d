"""Erasing: first the rows, then the in-memory copies, then the bytes in the files.

Every erasure goes through here. One with a receipt returns after an attempt to wipe the files; what is
deleted without a receipt is wiped in the background.
"""

from collections.abc import Callable
from typing import Concatenate, Literal, ParamSpec, TypeVar

from recollect.app.services import Services
from recollect.app.stores import WithStore
from recollect.app.units import reads
from recollect.governance import receipts
from recollect.governance.erasure import Mode
from recollect.governance.receipts import Erased, Receipt
from recollect.graph.types import Access
from recollect.records import erasing
from recollect.store.protocol import Transaction

__all__ = ["Erased", "Mode", "Receipt"]

P = ParamSpec("P")
T = TypeVar("T")
Kind = Literal["episode", "thread", "graph", "user"]
_UNITS: dict[Kind, Callable[[Transaction, Access, str, Mode], Erased]] = {
    "episode": erasing.episode,
    "thread": erasing.thread,
    "graph": erasing.graph,
    "user": erasing.user,
}


async def erase(
    services: Services,
    access: Access,
    unit: Callable[Concatenate[Transaction, Access, P], Erased],
    *args: P.args,
    **kwargs: P.kwargs,
) -> Receipt:
    """Run a unit that erases; returns once memory and, if possible now, the files are wiped."""
    erased = await services.store.write(unit, access, *args, **kwargs)
    return await services.wipe(erased)


async def drop(
    services: Services,
    access: Access,
    unit: Callable[Concatenate[Transaction, Access, P], T],
    *args: P.args,
    **kwargs: P.kwargs,
) -> T:
    """Run a unit that deletes something without a receipt; its bytes are wiped in the background."""
    result = await services.store.write(unit, access, *args, **kwargs)
    services.wipe_soon()
    return result


async def one(
    services: Services, access: Access, kind: Kind, name: str, mode: Mode = "delete"
) -> Receipt:
    """Erase an episode, a thread, a graph or a user, and what only it supported."""
    return await erase(services, access, _UNITS[kind], name, mode)


class _Previewed(Exception):
    """Aborts a unit that erased something, so that it is rolled back."""

    def __init__(self, receipt: Receipt) -> None:
        super().__init__(receipt.uuid)
        self.receipt = receipt


async def preview(
    services: WithStore, access: Access, kind: Kind, name: str, mode: Mode
) -> Receipt:
    """The receipt that an erasure would have.

    The erasure is carried out and rolled back, so the preview cannot differ from the real thing.
    """
    try:
        return await services.store.write(_previewed, access, kind, name, mode)
    except _Previewed as previewed:
        return previewed.receipt


def _previewed(tx: Transaction, access: Access, kind: Kind, name: str, mode: Mode) -> Receipt:
    raise _Previewed(_UNITS[kind](tx, access, name, mode).receipt)


async def fact(services: Services, access: Access, uuid: str) -> Receipt:
    """Erase a fact; the episodes that state it stay, and it is not learned from them again."""
    return await erase(services, access, erasing.fact, uuid)


async def session(services: Services, access: Access, session_id: str) -> Receipt:
    """Erase a session with its log and open turns; what it fed into a graph stays there."""
    return await erase(services, access, erasing.session, session_id)


page = reads(receipts.page)
receipt = reads(receipts.get)
