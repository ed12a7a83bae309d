"""Why something is known, and what people decided about it: the evidence for a fact and what ended it,
doubts, chapters, entities merged by hand, and undoing such decisions.
"""

import asyncio

from recollect import log
from recollect.app.services import Services
from recollect.app.units import reads, writes
from recollect.errors import NotFound
from recollect.graph.types import Access, Fact, Graph
from recollect.records import chapters, graphs, knowledge, merges, provenance
from recollect.records.chapters import Chapter
from recollect.records.merges import Merge
from recollect.records.provenance import Doubted
from recollect.store.protocol import Transaction


def graph_named(
    tx: Transaction, access: Access, user_id: str | None, graph_id: str | None
) -> Graph:
    """The graph of a user, or a standalone one; exactly one of them must be named."""
    if user_id is not None:
        return graphs.of_user(tx, access, user_id)
    return graphs.get(tx, access, graph_id or "")


of_fact = reads(provenance.of_fact)


@writes
def reopen(tx: Transaction, access: Access, uuid: str) -> Fact:
    """Undo what ended a fact: it holds again, and the same statement does not end it again."""
    try:
        return knowledge.reopen_fact(tx, access, uuid)
    except NotFound as error:
        raise NotFound(f"fact not found: {uuid}") from error


@reads
def doubts(
    tx: Transaction,
    access: Access,
    *,
    user_id: str | None = None,
    graph_id: str | None = None,
    limit: int,
) -> list[Doubted]:
    """Facts of a graph that may contradict each other but were not closed, most certain first."""
    graph = graph_named(tx, access, user_id, graph_id)
    return provenance.doubts_of_graph(tx, access, graph, limit)


@reads
def chapters_of(
    tx: Transaction,
    access: Access,
    *,
    user_id: str | None = None,
    graph_id: str | None = None,
    limit: int,
    after: int,
) -> list[Chapter]:
    """The chapters of a graph, which condense its older episodes, oldest first."""
    graph = graph_named(tx, access, user_id, graph_id)
    return chapters.page(tx, access, graph, limit=limit, after=after)


_log = log.get(__name__)


merge = writes(merges.merge)


async def unmerge(
    services: Services, access: Access, uuid: str, *, wait_s: float | None = None
) -> Merge:
    """Undo the merge of an entity into another; each has its own facts again."""
    found = await services.store.write(merges.unmerge, access, uuid)
    await _fold(services, found.into.graph_id, wait_s)
    return found


async def undo(
    services: Services, access: Access, uuid: str, *, wait_s: float | None = None
) -> Fact:
    """Undo the last change by hand to a fact; returns it as it is now, or as it was if it is gone."""
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
    except NotFound:  # forgotten in the meantime
        return before


async def _fold(services: Services, graph_id: int, wait_s: float | None) -> None:
    """Wait up to *wait_s* until a graph is folded again.

    The change itself is already stored; a fold that fails is retried in the background.
    """
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
    """The merges by hand in a graph, newest first."""
    return merges.of_graph(tx, access, graph_named(tx, access, user_id, graph_id), limit)
