"""Graphs, by the server's ids."""

from recollect.api.http import Reply
from recollect.api.router import Call, Route
from recollect.app import graphs
from recollect.app.graphs import GraphChange
from recollect.app.refs import GraphRef, OwnedGraph
from recollect.app.tasks import WithTask
from recollect.compat.zep import translate as translate3
from recollect.compat.zep.v4 import idempotency, paging, translate
from recollect.compat.zep.v4.routes_unsupported import no_policy
from recollect.compat.zep.v4.wire import graphs as wire
from recollect.compat.zep.v4.wire import tasks
from recollect.compat.zep.v4.wire import threads as users_wire
from recollect.compat.zep.v4.wire.base import Page4, SearchList4
from recollect.errors import InvalidInput, NotOffered
from recollect.graph.types import Graph
from recollect.records.graphs import GraphDetails


def _ref(call: Call) -> GraphRef:
    return GraphRef(uuid=call.path["graph_uuid"])


def _standalone(found: Graph) -> wire.Graph4:
    return translate.graph(OwnedGraph(graph=found))


async def create(call: Call) -> Reply:
    """A new standalone graph."""
    sent: wire.CreateGraph4 = call.body
    no_policy(sent.content_policy)
    details = GraphDetails(name=sent.name, description=sent.description, time_zone=sent.time_zone)
    create = graphs.create.bind(call.services, call.access, None, details)
    return await idempotency.write(call, create, _standalone)


async def get(call: Call) -> wire.Graph4:
    """A graph by its uuid, or by that of its user."""
    return translate.graph(await graphs.get(call.services, call.access, _ref(call)))


async def lookup(call: Call) -> wire.Graph4:
    """A graph by the caller's id, or by that of the user or thread whose it is."""
    sent: users_wire.Lookup4 = call.body
    for name in ("graph_id", "user_id", "thread_id"):
        value = getattr(sent, name)
        if value is not None:
            ref = GraphRef(**{name: value})
            return translate.graph(await graphs.get(call.services, call.access, ref))
    raise InvalidInput("graph_id: is required")


async def update(call: Call) -> Reply:
    """Change what is given of a graph."""
    sent: wire.UpdateGraph4 = call.body
    change = GraphChange(name=sent.name, description=sent.description, time_zone=sent.time_zone)
    update = graphs.update.bind(call.services, call.access, _ref(call), change)
    return await idempotency.write(call, update, translate.graph)


async def delete(call: Call) -> Reply:
    """Remove a standalone graph with all it holds; the task ends when the files are wiped."""
    delete = graphs.delete.bind(call.services, call.access, _ref(call))
    return await idempotency.write(call, delete, translate.task_answer)


async def list_all(call: Call) -> Page4[wire.Graph4]:
    """A page of standalone graphs."""
    asked: wire.GraphsQuery4 = call.query
    sent: SearchList4 = call.body
    request = paging.keyset(asked, "created_at")
    search = translate3.search_text(sent.search or "")
    found = await graphs.page_after(call.services, call.access, request, search=search)
    return paging.answer(found, _standalone)


def _cloned(found: WithTask[OwnedGraph]) -> wire.CloneAnswer4:
    return wire.CloneAnswer4(graph=translate.graph(found.value), task=translate.task(found.task))


async def clone(call: Call) -> Reply:
    """A copy of a graph; that of a user's graph is the graph of a new user."""
    clone = graphs.clone_as_new.bind(call.services, call.access, _ref(call))
    return await idempotency.write(call, clone, _cloned)


async def warm(call: Call) -> tasks.TaskAnswer4:
    """Bring a graph into memory ahead of its first search; its task is done when this answers."""
    where = await graphs.warm(call.services, call.access, _ref(call))
    return tasks.TaskAnswer4(task=translate.warmed(where, call.services.clock()))


ROUTES = [
    Route(
        "POST",
        "/graphs",
        "graph.create",
        create,
        "Create a graph",
        body=wire.CreateGraph4,
        answer=wire.Graph4,
        also=(NotOffered,),
    ),
    Route(
        "POST",
        "/graphs/list",
        "graph.list_all",
        list_all,
        "List standalone graphs",
        body=SearchList4,
        query=wire.GraphsQuery4,
        reads=True,
    ),
    Route(
        "POST",
        "/graphs/lookup",
        "graph.get",
        lookup,
        "Look a graph up by an id of the caller's",
        body=users_wire.Lookup4,
        reads=True,
    ),
    Route("GET", "/graphs/{graph_uuid}", "graph.get", get, "Get a graph"),
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
    Route("POST", "/graphs/{graph_uuid}/warm", "graph.warm", warm, "Preload a graph", reads=True),
]
