"""Standalone graphs, and what applies to graphs of any kind."""

from msgspec import UNSET, UnsetType

from recollect.app import refs, tasks
from recollect.app.idempotency import Done, repeatable
from recollect.app.refs import GraphRef, OwnedGraph
from recollect.app.services import Services
from recollect.app.tasks import Tracked, WithTask
from recollect.app.units import glances, reads
from recollect.errors import InvalidInput
from recollect.graph.filters import NO_FILTERS, Filters
from recollect.graph.types import Access, Graph, Json, Kind, Record
from recollect.records import cloning, erasing, graphs, lookups
from recollect.records.cloning import ClonedEnds, Copied
from recollect.records.graphs import GraphDetails
from recollect.store.protocol import Transaction


class GraphChange(Record):
    """A partial update of a graph: fields left UNSET keep their value."""

    name: str | UnsetType | None = UNSET
    description: str | UnsetType | None = UNSET
    time_zone: str | UnsetType | None = UNSET
    rating: Json | None = None  # can be changed but not unset


@repeatable
def create(
    tx: Transaction,
    access: Access,
    graph_id: str | None,
    details: GraphDetails,
    *,
    field: str = "graph_id",
) -> Done[Graph]:
    """A new standalone graph, under the caller's id or a generated one; *field* is the caller's name
    for the id in error messages."""
    made = graphs.create(tx, access, graph_id, details, field=field)
    return Done(value=made, graph_id=made.id, made=made)


get = glances(refs.graph)


@repeatable
def update(tx: Transaction, access: Access, ref: GraphRef, change: GraphChange) -> Done[OwnedGraph]:
    """Update the given fields of a graph."""
    where = refs.graph(tx, access, ref)
    if where.user_id is not None and not isinstance(change.time_zone, UnsetType):
        raise InvalidInput(
            "time_zone: this is a user's graph; set the time zone of the user instead"
        )
    graphs.change(tx, where.graph, _changed(where.graph, change))
    made = refs.graph(tx, access, ref)
    return Done(value=made, graph_id=made.graph.id, made=made.graph)


def _changed(old: Graph, change: GraphChange) -> GraphDetails:
    given = {name: getattr(change, name) for name in ("name", "description", "time_zone")}
    kept = {name: getattr(old, name) if value is UNSET else value for name, value in given.items()}
    return GraphDetails(**kept, rating=change.rating or old.rating)


@repeatable
def delete(tx: Transaction, access: Access, ref: GraphRef) -> Done[Tracked]:
    """Erase a standalone graph with its contents; the task completes once the files are wiped."""
    where = refs.graph(tx, access, ref)
    if where.graph_id is None:
        raise InvalidInput("graph_uuid: this is a user's graph; delete the user instead")
    erased = erasing.graph(tx, access, where.graph_id)
    task = tasks.of_write(tx, access, erased.uuid, "graph.delete")
    return Done(value=task, made=erased, erased=erased)


page = reads(graphs.page)
page_after = reads(graphs.page_after)


async def warm(services: Services, access: Access, ref: GraphRef) -> OwnedGraph:
    """Load a graph into memory ahead of its first search."""
    where = await services.store.read(refs.graph, access, ref)
    await services.finder.warm(access, where.graph)
    return where


async def clone(services: Services, access: Access, ends: ClonedEnds) -> Copied:
    """A copy of a user's graph as a new user, or of a standalone graph under a new id."""
    made = await services.store.write(cloning.clone, access, ends)
    services.wake_workers()
    return made


@repeatable
def clone_as_new(tx: Transaction, access: Access, ref: GraphRef) -> Done[WithTask[OwnedGraph]]:
    """A copy of a graph under a generated id; copying a user's graph makes a new user."""
    where = refs.graph(tx, access, ref)
    if where.user_id is not None:
        ends = ClonedEnds(source_user=where.user_id, target_user=tx.new_id())
    else:
        ends = ClonedEnds(source_graph=where.graph_id, target_graph=tx.new_id())
    made = cloning.clone(tx, access, ends)
    task = tasks.of_write(tx, access, made.task_uuid, "graph.clone")
    copied = WithTask(value=lookups.with_owner(tx, made.graph), task=task)
    return Done(value=copied, graph_id=made.graph.id, made=made.graph)


async def matching(
    services: Services, access: Access, ref: GraphRef, kind: Kind, filters: Filters
) -> list[int] | None:
    """The row ids of what passes the filters and is visible; None if nothing is filtered out."""
    if filters == NO_FILTERS and access.visibility is None:
        return None
    where = await services.store.glance(refs.graph, access, ref)
    return await services.finder.matching(access, where.graph, kind, filters)
