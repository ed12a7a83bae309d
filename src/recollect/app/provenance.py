"""Why something is known: what stands behind a fact and ended it, what is in doubt, and chapters."""

from recollect.app.services import Services
from recollect.errors import NotFound
from recollect.graph.types import Access, Fact, Graph
from recollect.records import chapters, graphs, knowledge, provenance
from recollect.records.chapters import Chapter
from recollect.records.provenance import Doubted, Provenance
from recollect.store.protocol import Transaction


def graph_named(
    tx: Transaction, access: Access, user_id: str | None, graph_id: str | None
) -> Graph:
    """The graph of a user, or a standalone one, of which exactly one is named."""
    if user_id is not None:
        return graphs.of_user(tx, access, user_id)
    return graphs.get(tx, access, graph_id or "")


async def of_fact(services: Services, access: Access, uuid: str) -> Provenance:
    """A fact, the episodes behind it, what ended it and on whose word, and what it ended."""
    return await services.store.read(provenance.of_fact, access, uuid)


async def reopen(services: Services, access: Access, uuid: str) -> Fact:
    """Take back what ended a fact: it holds again, and the same words do not end it again."""
    return await services.store.write(_reopen, access, uuid)


def _reopen(tx: Transaction, access: Access, uuid: str) -> Fact:
    try:
        return knowledge.reopen_fact(tx, access, uuid)
    except NotFound as error:
        raise NotFound(f"fact not found: {uuid}") from error


async def doubts(
    services: Services,
    access: Access,
    *,
    user_id: str | None = None,
    graph_id: str | None = None,
    limit: int,
) -> list[Doubted]:
    """Facts of a graph that may contradict each other and were not closed, the surest first."""
    return await services.store.read(_doubts, access, user_id, graph_id, limit)


def _doubts(
    tx: Transaction, access: Access, user_id: str | None, graph_id: str | None, limit: int
) -> list[Doubted]:
    graph = graph_named(tx, access, user_id, graph_id)
    return provenance.doubts_of_graph(tx, access, graph, limit)


async def chapters_of(
    services: Services,
    access: Access,
    *,
    user_id: str | None = None,
    graph_id: str | None = None,
    limit: int,
    after: int,
) -> list[Chapter]:
    """The chapters of a graph, the oldest first: older episodes condensed."""
    return await services.store.read(_chapters, access, user_id, graph_id, limit, after)


def _chapters(
    tx: Transaction,
    access: Access,
    user_id: str | None,
    graph_id: str | None,
    limit: int,
    after: int,
) -> list[Chapter]:
    graph = graph_named(tx, access, user_id, graph_id)
    return chapters.page(tx, access, graph, limit=limit, after=after)
