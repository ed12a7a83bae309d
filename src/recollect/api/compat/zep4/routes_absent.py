"""What clients of generation 4 know and this server has none of: content policies and hyperedges.

Reading says that there are none; writing says that it is not offered.
"""

from typing import Any

from recollect.api.compat.zep4 import answers
from recollect.api.compat.zep4.wire import absent, graphs
from recollect.api.compat.zep4.wire import content_policy as wire
from recollect.api.compat.zep4.wire.base import Page4, PageQuery4
from recollect.api.compat.zep4.wire.knowledge import EdgesQuery4
from recollect.api.router import Call, Handler, Route
from recollect.errors import NotFound, NotOffered

_NO_POLICY = wire.ContentPolicy4(revision=0, categories=[], rules=[])
_NO_HYPEREDGES = (
    "hyperedges: an edge joins two nodes here; add edges (POST graphs/{graph_uuid}/edges)"
)


async def _graph(call: Call) -> None:
    """Raise NotFound unless the graph is there."""
    await call.services.store.glance(answers.place, call.access, call.path)


async def get_policy(call: Call) -> wire.ContentPolicy4:
    """The project's content policy: an empty one."""
    return _NO_POLICY


async def set_policy(call: Call) -> wire.ContentPolicy4:
    """An empty content policy is what there is; any other is refused."""
    answers.no_policy(call.body)
    return _NO_POLICY


async def list_revisions(call: Call) -> Page4[wire.ContentPolicy4]:
    """There was never another content policy."""
    return Page4(items=[], total_size=0)


async def get_revision(call: Call) -> wire.ContentPolicy4:
    """There was never another content policy."""
    raise NotFound(f"content policy revision not found: {call.path['revision_uuid']}")


async def get_graph_policy(call: Call) -> wire.GraphContentPolicy4:
    """The content policy of a graph: an empty one."""
    await _graph(call)
    return wire.GraphContentPolicy4(revision=0, project_revision=0, categories=[], rules=[])


async def list_events(call: Call) -> Page4[wire.ContentPolicyEvent4]:
    """Nothing was ever kept out of a graph."""
    await _graph(call)
    return Page4(items=[], total_size=0)


async def enable_logs(call: Call) -> graphs.DebugLogging4:
    """How readings went is always kept, so there is nothing to turn on."""
    return graphs.DebugLogging4(duration_seconds=0, ingestion_trace_enabled=True)


async def list_hyperedges(call: Call) -> Page4[absent.Hyperedge4]:
    """A graph has no hyperedges."""
    await _graph(call)
    return Page4(items=[], total_size=0)


async def no_hyperedge(call: Call) -> absent.Hyperedge4:
    """A graph has no hyperedges."""
    await _graph(call)
    raise NotFound(f"hyperedge not found: {call.path['hyperedge_uuid']}")


async def add_hyperedge(call: Call) -> absent.Hyperedge4:
    """Not offered: an edge joins two nodes."""
    await _graph(call)
    raise NotOffered(_NO_HYPEREDGES)


_POLICY = "/project/content-policy"
_HYPEREDGES = "/graphs/{graph_uuid}/hyperedges"
_HYPEREDGE = f"{_HYPEREDGES}/{{hyperedge_uuid}}"


def _none(method: Any, path: str, verb: str, what: str, **more: Any) -> Route:
    handler: Handler = no_hyperedge
    action = f"graph.hyperedge.{verb}"
    return Route(method, path, action, handler, what, answer=absent.Hyperedge4, **more)


ROUTES = [
    Route(
        "GET",
        _POLICY,
        "project.get",
        get_policy,
        "Get the project's content policy",
        answer=wire.ContentPolicy4,
    ),
    Route(
        "PUT",
        _POLICY,
        "project.update",
        set_policy,
        "Refuse a content policy, and say why",
        body=wire.ContentPolicyRequest4,
        answer=wire.ContentPolicy4,
    ),
    Route(
        "GET",
        f"{_POLICY}/revisions",
        "project.get",
        list_revisions,
        "List former content policies",
        query=PageQuery4,
        answer=Page4[wire.ContentPolicy4],
    ),
    Route(
        "GET",
        f"{_POLICY}/revisions/{{revision_uuid}}",
        "project.get",
        get_revision,
        "Get a former content policy",
        answer=wire.ContentPolicy4,
    ),
    Route(
        "GET",
        "/graphs/{graph_uuid}/content-policy",
        "graph.get",
        get_graph_policy,
        "Get the content policy of a graph",
        answer=wire.GraphContentPolicy4,
    ),
    Route(
        "POST",
        "/graphs/{graph_uuid}/content-policy/events/list",
        "graph.get",
        list_events,
        "List what a content policy kept out",
        body=wire.ContentPolicyEvents4,
        query=PageQuery4,
        answer=Page4[wire.ContentPolicyEvent4],
        reads=True,
    ),
    Route(
        "POST",
        "/debug-logs/enable",
        "project.get",
        enable_logs,
        "Tell that logs of readings are on",
        answer=graphs.DebugLogging4,
        reads=True,
    ),
    Route(
        "POST",
        _HYPEREDGES,
        "graph.hyperedge.add",
        add_hyperedge,
        "Refuse a hyperedge, and say why",
        body=absent.AddHyperedge4,
        answer=absent.Hyperedge4,
    ),
    Route(
        "POST",
        f"{_HYPEREDGES}/list",
        "graph.edge.list",
        list_hyperedges,
        "List the hyperedges of a graph",
        body=absent.ListHyperedges4,
        query=EdgesQuery4,
        answer=Page4[absent.Hyperedge4],
        reads=True,
    ),
    _none("GET", _HYPEREDGE, "get", "Look for a hyperedge"),
    _none("PATCH", _HYPEREDGE, "update", "Look for a hyperedge", body=absent.UpdateHyperedge4),
    _none("DELETE", _HYPEREDGE, "delete", "Look for a hyperedge"),
    _none(
        "POST",
        f"{_HYPEREDGE}/edges",
        "create_edge",
        "Look for a hyperedge",
        body=absent.HyperedgeInput4,
    ),
    _none("DELETE", f"{_HYPEREDGE}/edges/{{edge_uuid}}", "delete_edge", "Look for a hyperedge"),
]
