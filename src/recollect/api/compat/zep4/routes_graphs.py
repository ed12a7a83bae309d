"""Graphs, by the server's ids."""

from msgspec import UnsetType

from recollect.api import once
from recollect.api.compat.zep import translate
from recollect.api.compat.zep4 import answers, paging, show
from recollect.api.compat.zep4.wire import graphs as wire
from recollect.api.compat.zep4.wire import tasks
from recollect.api.compat.zep4.wire import users as users_wire
from recollect.api.compat.zep4.wire.base import Page4, SearchList4
from recollect.api.http import Reply
from recollect.api.once import Done
from recollect.api.router import Call, Route
from recollect.errors import InvalidInput
from recollect.graph.types import Access
from recollect.store.protocol import Transaction
from recollect.subjects import cloning, erasing, graphs, lookups, threads
from recollect.subjects.cloning import Ends
from recollect.subjects.graphs import GraphDetails
from recollect.subjects.lookups import Place


def _create(tx: Transaction, access: Access, sent: wire.CreateGraph4) -> Done:
    details = GraphDetails(name=sent.name, description=sent.description, time_zone=sent.time_zone)
    made = graphs.create(tx, access, None, details)
    return Done(answer=show.graph(Place(graph=made)), graph_id=made.id, made=made)


async def create(call: Call) -> Reply:
    """A new standalone graph."""
    sent: wire.CreateGraph4 = call.body
    answers.no_policy(sent.content_policy)
    return await once.write(call, _create, sent)


def _get(tx: Transaction, access: Access, path: dict[str, str]) -> wire.Graph4:
    return show.graph(answers.place(tx, access, path))


async def get(call: Call) -> wire.Graph4:
    """A graph by its uuid, or by that of its user."""
    return await call.services.store.glance(_get, call.access, call.path)


def _lookup(tx: Transaction, access: Access, sent: users_wire.Lookup4) -> wire.Graph4:
    if sent.graph_id is not None:
        return show.graph(Place(graph=graphs.get(tx, access, sent.graph_id)))
    if sent.user_id is not None:
        return show.graph(lookups.place_of(tx, graphs.of_user(tx, access, sent.user_id)))
    if sent.thread_id is not None:
        owner = threads.get(tx, access, sent.thread_id)
        return show.graph(lookups.place(tx, access, owner.graph_uuid))
    raise InvalidInput("graph_id: is required")


async def lookup(call: Call) -> wire.Graph4:
    """A graph by the caller's id, or by that of the user or thread whose it is."""
    return await call.services.store.glance(_lookup, call.access, call.body)


def _update(tx: Transaction, access: Access, path: dict[str, str], sent: wire.UpdateGraph4) -> Done:
    where = answers.place(tx, access, path)
    if where.user_id is not None and not isinstance(sent.time_zone, UnsetType):
        raise InvalidInput("time_zone: this is the graph of a user; set the user's time zone")
    graphs.change(tx, where.graph, translate.graph_details(where.graph, sent))
    made = answers.place(tx, access, path)
    return Done(answer=show.graph(made), graph_id=made.graph.id, made=made.graph)


async def update(call: Call) -> Reply:
    """Change what is given of a graph."""
    return await once.write(call, _update, call.path, call.body)


def _delete(tx: Transaction, access: Access, path: dict[str, str]) -> Done:
    where = answers.place(tx, access, path)
    if where.graph_id is None:
        raise InvalidInput("graph_uuid: this is the graph of a user; it goes with the user")
    erased = erasing.graph(tx, access, where.graph_id)
    task = answers.task(tx, access, erased.uuid, "graph.delete")
    return Done(answer=tasks.TaskAnswer4(task=task), erased=erased)


async def delete(call: Call) -> Reply:
    """Remove a standalone graph with all it holds; the task ends when the files are wiped."""
    return await once.write(call, _delete, call.path)


async def list_all(call: Call) -> Page4[wire.Graph4]:
    """A page of standalone graphs."""
    asked: wire.GraphsQuery4 = call.query
    sent: SearchList4 = call.body
    page = await call.services.store.read(
        graphs.page,
        call.access,
        search=translate.search_text(sent.search or ""),
        order=paging.order(asked, "created_at"),
        **paging.window(asked),
    )
    return Page4(
        items=[show.graph(Place(graph=graph)) for graph in page.graphs],
        next_cursor=paging.following(asked, len(page.graphs), page.total),
        total_size=page.total,
    )


def _clone(tx: Transaction, access: Access, path: dict[str, str]) -> Done:
    where = answers.place(tx, access, path)
    if where.user_id is not None:
        ends = Ends(source_user=where.user_id, target_user=tx.new_id())
    else:
        ends = Ends(source_graph=where.graph_id, target_graph=tx.new_id())
    made = cloning.clone(tx, access, ends)
    task = answers.task(tx, access, made.task_uuid, "graph.clone")
    answer = wire.CloneAnswer4(graph=show.graph(lookups.place_of(tx, made.graph)), task=task)
    return Done(answer=answer, graph_id=made.graph.id, made=made.graph)


async def clone(call: Call) -> Reply:
    """A copy of a graph; that of a user's graph is the graph of a new user."""
    return await once.write(call, _clone, call.path)


async def warm(call: Call) -> tasks.TaskAnswer4:
    """Bring a graph into memory ahead of its first search; its task is done when this answers."""
    where = await call.services.store.read(answers.place, call.access, call.path)
    await call.services.finder.warm(call.access, where.graph)
    return tasks.TaskAnswer4(task=answers.warmed(where, call.services.clock()))


ROUTES = [
    Route(
        "POST",
        "/graphs",
        "graph.create",
        create,
        "Create a graph",
        body=wire.CreateGraph4,
        answer=wire.Graph4,
    ),
    Route(
        "POST",
        "/graphs/list",
        "graph.list_all",
        list_all,
        "List standalone graphs",
        body=SearchList4,
        query=wire.GraphsQuery4,
        answer=Page4[wire.Graph4],
        reads=True,
    ),
    Route(
        "POST",
        "/graphs/lookup",
        "graph.get",
        lookup,
        "Look a graph up by an id of the caller's",
        body=users_wire.Lookup4,
        answer=wire.Graph4,
        reads=True,
    ),
    Route("GET", "/graphs/{graph_uuid}", "graph.get", get, "Get a graph", answer=wire.Graph4),
    Route(
        "PATCH",
        "/graphs/{graph_uuid}",
        "graph.update",
        update,
        "Update a graph",
        body=wire.UpdateGraph4,
        answer=wire.Graph4,
    ),
    Route(
        "DELETE",
        "/graphs/{graph_uuid}",
        "graph.delete",
        delete,
        "Delete a graph",
        answer=tasks.TaskAnswer4,
    ),
    Route(
        "POST",
        "/graphs/{graph_uuid}/clone",
        "graph.clone",
        clone,
        "Copy a graph",
        body=wire.CloneGraph4,
        answer=wire.CloneAnswer4,
    ),
    Route(
        "POST",
        "/graphs/{graph_uuid}/warm",
        "graph.warm",
        warm,
        "Preload a graph",
        answer=tasks.TaskAnswer4,
        reads=True,
    ),
]
