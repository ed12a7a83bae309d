"""Two entities that are one by hand, and taking back what was decided by hand."""

import asyncio

from recollect import log
from recollect.app.provenance import graph_named
from recollect.app.services import Services
from recollect.app.units import reads, writes
from recollect.errors import NotFound
from recollect.graph.types import Access, Fact
from recollect.records import knowledge, merges
from recollect.records.merges import Merge
from recollect.store.protocol import Transaction

_log = log.get(__name__)


merge = writes(merges.merge)


async def unmerge(
    services: Services, access: Access, uuid: str, *, wait_s: float | None = None
) -> Merge:
    """Take back that an entity is one with another; each has the facts of its own again."""
    found = await services.store.write(merges.unmerge, access, uuid)
    await _fold(services, found.into.graph_id, wait_s)
    return found


async def undo(
    services: Services, access: Access, uuid: str, *, wait_s: float | None = None
) -> Fact:
    """Take back the last change by hand to a fact; what it is then, or was if it is forgotten."""
    before = await services.store.write(_undo, access, uuid)
    await _fold(services, before.graph_id, wait_s)
    return await services.store.read(_again, access, before)


def _undo(tx: Transaction, access: Access, uuid: str) -> Fact:
    try:
        return merges.undo(tx, access, uuid)
    except NotFound as error:
        raise NotFound(f"fact not found: {uuid}") from error


def _again(tx: Transaction, access: Access, before: Fact) -> Fact:
    try:
        return knowledge.fact(tx, access, before.uuid)
    except NotFound:  # forgotten meanwhile
        return before


async def _fold(services: Services, graph_id: int, wait_s: float | None) -> None:
    """Wait until a graph is the fold of what is left, *wait_s* at most; what was asked for is written
    down either way, and folding is tried again by itself if it fails meanwhile."""
    if wait_s is None:
        await services.folder.fold(graph_id)
        return
    fold = asyncio.ensure_future(services.folder.fold(graph_id))
    await asyncio.wait([fold], timeout=wait_s)
    if fold.done() and (error := fold.exception()) is not None:
        _log.warning("merge.not_folded", graph=graph_id, error=type(error).__name__)


@reads
def page(
    tx: Transaction,
    access: Access,
    *,
    user_id: str | None = None,
    graph_id: str | None = None,
    limit: int,
) -> list[Merge]:
    """What is one by hand in a graph, the newest first."""
    return merges.of_graph(tx, access, graph_named(tx, access, user_id, graph_id), limit)
