"""Graphs: a user's own, or standalone ones (called groups by older clients)."""

from typing import Any

from recollect.errors import AlreadyExists, InvalidInput, NotFound
from recollect.governance import erasure
from recollect.graph import checks
from recollect.graph.types import Access, Graph, GraphKind, Json, Record
from recollect.limits import DESCRIPTION_CHARS_MAX, NAME_CHARS_MAX
from recollect.records import pages
from recollect.records.pages import Page, PageRequest
from recollect.store import rows
from recollect.store.protocol import Transaction
from recollect.store.statements import Keyed

# `GET graph/list-all` is a route, so a graph of that name could never be read.
_TAKEN = frozenset({"list-all"})


class GraphDetails(Record):
    """What a caller can set for a graph."""

    name: str | None = None
    description: str | None = None
    time_zone: str | None = None
    rating: Json | None = None


class GraphPage(Record):
    """Some standalone graphs, and how many there are."""

    graphs: list[Graph]
    total: int


def _check(details: GraphDetails) -> None:
    checks.text("name", details.name, NAME_CHARS_MAX)
    checks.text("description", details.description, DESCRIPTION_CHARS_MAX)
    checks.time_zone("time_zone", details.time_zone)
    checks.json_object("fact_rating_instruction", details.rating)


def create(
    tx: Transaction,
    access: Access,
    graph_id: str | None,
    details: GraphDetails,
    *,
    field: str = "graph_id",
) -> Graph:
    """Create a standalone graph. *field* is the caller's name for the id.

    Without an id, the server's own becomes the graph id.
    """
    uuid = tx.new_id()
    graph_id = uuid if graph_id is None else graph_id
    checks.caller_id(field, graph_id)
    if graph_id in _TAKEN:
        raise InvalidInput(f"{field}: {graph_id!r} is reserved by the API and cannot be an id")
    _check(details)
    if find(tx, access, "standalone", graph_id) is not None:
        raise AlreadyExists(f"{field}: {graph_id!r} exists already")
    return insert(tx, access, "standalone", graph_id, details, uuid)


def opened(tx: Transaction, access: Access, graph_id: str, *, field: str) -> Graph:
    """A standalone graph, created if missing. A concurrent unit may have created it in between."""
    found = find(tx, access, "standalone", graph_id)
    if found is not None:
        return found
    try:
        return create(tx, access, graph_id, GraphDetails(), field=field)
    except AlreadyExists:
        return get(tx, access, graph_id)


def insert(
    tx: Transaction,
    access: Access,
    kind: GraphKind,
    graph_id: str,
    details: GraphDetails,
    uuid: str | None = None,
) -> Graph:
    """Insert a graph of either kind, whose id is known to be free."""
    tx.graphs.insert(
        uuid=uuid or tx.new_id(),
        project_id=access.project_id,
        kind=kind,
        graph_id=graph_id,
        name=details.name,
        description=details.description,
        time_zone=details.time_zone,
        rating=rows.to_json(details.rating),
        now=rows.micros(tx.now),
    )
    return _get(tx, access, kind, graph_id)


def find(tx: Transaction, access: Access, kind: GraphKind, graph_id: str) -> Graph | None:
    """A graph by kind and caller's id, if there is one."""
    row = tx.graphs.by_name(project_id=access.project_id, kind=kind, graph_id=graph_id)
    return None if row is None else rows.graph(row)


def _get(tx: Transaction, access: Access, kind: GraphKind, graph_id: str) -> Graph:
    found = find(tx, access, kind, graph_id)
    if found is None:
        noun = "graph" if kind == "standalone" else "user"
        raise NotFound(f"{noun} not found: {graph_id}")
    return found


def get(tx: Transaction, access: Access, graph_id: str) -> Graph:
    """A standalone graph by the caller's id."""
    return _get(tx, access, "standalone", graph_id)


def of_user(tx: Transaction, access: Access, user_id: str) -> Graph:
    """The graph of a user."""
    return _get(tx, access, "user", user_id)


def target(
    tx: Transaction,
    access: Access,
    user_id: str | None,
    graph_id: str | None,
    *,
    opens: bool = False,
) -> Graph:
    """The graph that a request names by exactly one of two ids.

    *opens* creates a missing standalone graph, as Zep v2 does for groups.
    """
    if user_id is not None and graph_id is not None:
        raise InvalidInput("user_id and graph_id: give one of them, not both")
    if user_id is not None:
        return of_user(tx, access, user_id)
    if graph_id is not None:
        if opens:
            return opened(tx, access, graph_id, field="group_id")
        return get(tx, access, graph_id)
    raise InvalidInput("user_id or graph_id: one of them is required")


def update(tx: Transaction, access: Access, graph_id: str, details: GraphDetails) -> Graph:
    """Replace a standalone graph's details."""
    change(tx, get(tx, access, graph_id), details)
    return get(tx, access, graph_id)


def change(tx: Transaction, graph: Graph, details: GraphDetails) -> None:
    """Replace the details of a graph of either kind."""
    _check(details)
    tx.graphs.update(
        id=graph.id,
        name=details.name,
        description=details.description,
        time_zone=details.time_zone,
        rating=rows.to_json(details.rating),
        now=rows.micros(tx.now),
    )


def delete(tx: Transaction, access: Access, graph_id: str) -> None:
    """Delete a standalone graph with all its content; a user's graph is deleted with its user."""
    graph = get(tx, access, graph_id)
    erasure.require_full_visibility(access)
    tx.batches.items_forget_graph(
        project_id=access.project_id,
        graph_id=graph_id,
        now=rows.micros(tx.now),
    )
    erasure.unsay_answers(tx, graph.id)
    tx.graphs.delete(id=graph.id)


def names(tx: Transaction, access: Access, limit: int) -> list[tuple[GraphKind, str]]:
    """The kinds and ids of a project's graphs, in order, users' graphs last."""
    found = tx.graphs.names(project_id=access.project_id, limit=limit)
    return [(row.kind, row.graph_id) for row in found]


def page(
    tx: Transaction, access: Access, *, search: str, order: str, limit: int, offset: int
) -> GraphPage:
    """Standalone graphs in the requested order."""
    found = tx.graphs.page(
        order=order,
        project_id=access.project_id,
        search=search,
        limit=limit,
        offset=offset,
    )
    count = tx.graphs.count(project_id=access.project_id, search=search)
    return GraphPage(graphs=[rows.graph(row) for row in found], total=count or 0)


def page_after(
    tx: Transaction, access: Access, request: PageRequest, *, search: str = ""
) -> Page[Graph]:
    """Standalone graphs in the requested order, after the cursor."""
    wanted: dict[str, Any] = {"project_id": access.project_id, "search": search}
    found = tx.graphs.page_after(order=request.order, **wanted, **request.bounds())
    told = [Keyed(rows.graph(one.row), one.key) for one in found]
    return pages.counted(told, request, tx.graphs.count(**wanted))
