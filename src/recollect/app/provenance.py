"""Why something is known: what stands behind a fact and ended it, what is in doubt, and chapters."""

from recollect.app.units import reads, writes
from recollect.errors import NotFound
from recollect.graph.types import Access, Fact, Graph
from recollect.records import chapters, graphs, knowledge, provenance
from recollect.records.chapters import Chapter
from recollect.records.provenance import Doubted
from recollect.store.protocol import Transaction


def graph_named(
    tx: Transaction, access: Access, user_id: str | None, graph_id: str | None
) -> Graph:
    """The graph of a user, or a standalone one, of which exactly one is named."""
    if user_id is not None:
        return graphs.of_user(tx, access, user_id)
    return graphs.get(tx, access, graph_id or "")


of_fact = reads(provenance.of_fact)


@writes
def reopen(tx: Transaction, access: Access, uuid: str) -> Fact:
    """Take back what ended a fact: it holds again, and the same words do not end it again."""
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
    """Facts of a graph that may contradict each other and were not closed, the surest first."""
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
    """The chapters of a graph, the oldest first: older episodes condensed."""
    graph = graph_named(tx, access, user_id, graph_id)
    return chapters.page(tx, access, graph, limit=limit, after=after)
