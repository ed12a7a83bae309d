"""Projects of memory clients, each of which is a graph; health and metrics where they look."""

from functools import partial
from importlib.metadata import version

from msgspec import convert, to_builtins

from recollect.api.compat.memmachine import wire
from recollect.api.compat.memmachine.refusing import reply_for
from recollect.api.erasing import erase
from recollect.api.http import Reply
from recollect.api.native import routes as native
from recollect.api.router import Call, Route
from recollect.errors import AlreadyExists, InvalidInput
from recollect.governance.receipts import Erased
from recollect.graph import checks
from recollect.graph.types import Access, Graph
from recollect.limits import MEMORY_METADATA_KEYS_MAX, MEMORY_PROJECTS_LISTED_MAX, NAME_CHARS_MAX
from recollect.memories import names, settings
from recollect.store.protocol import Transaction
from recollect.subjects import erasing, graphs
from recollect.subjects.graphs import GraphDetails

_SERVICE = "recollect"
_VERSION = version("recollect")


async def create(call: Call) -> wire.MemoryProject:
    """A new project, and with it a new graph."""
    sent: wire.CreateProject = call.body
    _refuse_user(sent, "made")
    names.check(sent.org_id, sent.project_id)
    _check_config(sent.config)
    await call.services.store.write(_create, call.access, sent)
    return wire.MemoryProject(
        org_id=sent.org_id,
        project_id=sent.project_id,
        description=sent.description,
        config=sent.config,
    )


def _create(tx: Transaction, access: Access, sent: wire.CreateProject) -> Graph:
    named = names.graph_of(sent.org_id, sent.project_id)
    if graphs.find(tx, access, named.kind, named.id) is not None:
        raise AlreadyExists(
            f"project exists already: {names.session_key(sent.org_id, sent.project_id)}"
        )
    details = GraphDetails(description=sent.description or None)
    made = graphs.create(tx, access, named.id, details, field="project_id")
    if sent.config != wire.ProjectConfig():
        settings.put_config(tx, access, made, to_builtins(sent.config))
    return made


def _refuse_user(sent: wire.AboutProject, done: str) -> None:
    if sent.user_id is not None:
        raise InvalidInput(
            f"org_id: the projects of {names.USERS_ORG!r} are the graphs of users, which are "
            f"{done} at /api/v2/users"
        )


def _check_config(config: wire.ProjectConfig) -> None:
    """Names within their bounds; they are kept and told, whatever they name."""
    for field in ("reranker", "embedder", "vector_graph_store", "vector_store", "segment_store"):
        checks.text(f"config.{field}", getattr(config, field), NAME_CHARS_MAX)
    schema = config.properties_schema
    if len(schema) > MEMORY_METADATA_KEYS_MAX:
        raise InvalidInput(f"config.properties_schema: at most {MEMORY_METADATA_KEYS_MAX} keys")
    checks.json_object("config.properties_schema", dict(schema))


async def get(call: Call) -> wire.MemoryProject:
    """A project by its ids."""
    return await call.services.store.glance(_get, call.access, call.body)


def _get(tx: Transaction, access: Access, sent: wire.AboutProject) -> wire.MemoryProject:
    graph = names.find(tx, access, sent.org_id, sent.project_id)
    return wire.MemoryProject(
        org_id=sent.org_id,
        project_id=sent.project_id,
        description=graph.description or "",
        config=convert(settings.config(tx, access, graph), wire.ProjectConfig),
    )


async def list_all(call: Call) -> list[wire.ListedProject]:
    """Every graph that these clients can name, those of users included."""
    known = await call.services.store.read(graphs.names, call.access, MEMORY_PROJECTS_LISTED_MAX)
    named = (names.project_of(kind, graph_id) for kind, graph_id in known)
    return [wire.ListedProject(org_id=one[0], project_id=one[1]) for one in named if one]


async def delete(call: Call) -> Reply:
    """Remove a project with all it holds, once nobody uses its memory."""
    sent: wire.AboutProject = call.body
    _refuse_user(sent, "deleted")
    find = call.services.store.glance
    graph = await find(names.find, call.access, sent.org_id, sent.project_id)
    await call.services.memories.delete(graph, partial(erase, call, _erase, sent))
    return Reply.nothing()


def _erase(tx: Transaction, access: Access, sent: wire.AboutProject) -> Erased:
    graph = names.find(tx, access, sent.org_id, sent.project_id)
    return erasing.graph(tx, access, graph.graph_id)


async def health(call: Call) -> wire.ServiceHealth:
    """The process lives."""
    return wire.ServiceHealth(status="healthy", service=_SERVICE, version=_VERSION)


_route = partial(Route, refusal=reply_for)

ROUTES = [
    _route(
        "POST",
        "/projects",
        "memory.project.create",
        create,
        "Create a project of a memory client",
        body=wire.CreateProject,
        answer=wire.MemoryProject,
        status=201,
    ),
    _route(
        "POST",
        "/projects/get",
        "memory.project.get",
        get,
        "Get a project of a memory client",
        body=wire.AboutProject,
        answer=wire.MemoryProject,
        reads=True,
    ),
    _route(
        "POST",
        "/projects/list",
        "memory.project.list",
        list_all,
        "List the projects of memory clients",
        answer=list[wire.ListedProject],
        reads=True,
    ),
    _route(
        "POST",
        "/projects/delete",
        "memory.project.delete",
        delete,
        "Delete a project of a memory client",
        body=wire.AboutProject,
        status=204,
        erases=True,
    ),
    _route(
        "GET",
        "/health",
        "health",
        health,
        "Is the process alive",
        answer=wire.ServiceHealth,
        public=True,
    ),
    _route("GET", "/metrics", "metrics", native.metrics, "Metrics for Prometheus", public=True),
]
