"""MemMachine's projects, each of which is a graph; health and metrics at the paths its clients use."""

from functools import partial

from msgspec import convert, to_builtins

from recollect import __version__
from recollect.api.http import Reply
from recollect.api.metrics import metrics
from recollect.api.router import Call, Route
from recollect.app import memory_projects
from recollect.compat.memmachine import translate, wire
from recollect.compat.memmachine.errors import reply_for
from recollect.episodic_memory import names
from recollect.errors import InvalidInput
from recollect.graph import checks
from recollect.limits import MEMORY_METADATA_KEYS_MAX, MEMORY_PROJECTS_LISTED_MAX, NAME_CHARS_MAX

_SERVICE = "recollect"


async def create(call: Call) -> wire.MemoryProject:
    """A new project, and with it a new graph."""
    sent: wire.CreateProject = call.body
    _refuse_user(sent, "made")
    name = translate.project_name(sent)
    names.check(sent.org_id, sent.project_id)
    _check_config(sent.config)
    config = None if sent.config == wire.ProjectConfig() else to_builtins(sent.config)
    await memory_projects.create(call.services, call.access, name, sent.description, config)
    return wire.MemoryProject(
        org_id=sent.org_id,
        project_id=sent.project_id,
        description=sent.description,
        config=sent.config,
    )


def _refuse_user(sent: wire.AboutProject, done: str) -> None:
    if sent.user_id is not None:
        raise InvalidInput(
            f"org_id: the projects of {names.USERS_ORG!r} are the graphs of users, which are "
            f"{done} at /api/v2/users"
        )


def _check_config(config: wire.ProjectConfig) -> None:
    """Check the lengths of the names; they are stored and returned, whether or not they exist."""
    for field in ("reranker", "embedder", "vector_graph_store", "vector_store", "segment_store"):
        checks.text(f"config.{field}", getattr(config, field), NAME_CHARS_MAX)
    schema = config.properties_schema
    if len(schema) > MEMORY_METADATA_KEYS_MAX:
        raise InvalidInput(f"config.properties_schema: at most {MEMORY_METADATA_KEYS_MAX} keys")
    checks.json_object("config.properties_schema", dict(schema))


async def get(call: Call) -> wire.MemoryProject:
    """A project by its ids."""
    sent: wire.AboutProject = call.body
    name = translate.project_name(sent)
    graph, config = await memory_projects.get(call.services, call.access, name)
    return wire.MemoryProject(
        org_id=sent.org_id,
        project_id=sent.project_id,
        description=graph.description or "",
        config=convert(config, wire.ProjectConfig),
    )


async def list_all(call: Call) -> list[wire.ListedProject]:
    """Every graph that these clients can name, those of users included."""
    found = await memory_projects.list_all(call.services, call.access, MEMORY_PROJECTS_LISTED_MAX)
    return [wire.ListedProject(org_id=one.org_id, project_id=one.project_id) for one in found]


async def delete(call: Call) -> Reply:
    """Remove a project with all it holds, once nobody uses its memory."""
    sent: wire.AboutProject = call.body
    _refuse_user(sent, "deleted")
    await memory_projects.delete(call.services, call.access, translate.project_name(sent))
    return Reply.nothing()


async def health(call: Call) -> wire.ServiceHealth:
    """The process lives."""
    return wire.ServiceHealth(status="healthy", service=_SERVICE, version=__version__)


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
    _route("GET", "/metrics", "metrics", metrics, "Metrics for Prometheus", public=True),
]
