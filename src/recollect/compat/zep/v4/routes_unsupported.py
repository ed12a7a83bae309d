"""What clients of Zep v4 know and this server has nothing behind: content policies, hyperedges, skills
that are learned, traces that are fetched from other services.

Reading returns nothing; writing fails with what is not offered, and what to use instead.
"""

from typing import Any, cast

from recollect.api.router import Call, Handler, Method, Route
from recollect.app import graphs as app_graphs
from recollect.app.refs import GraphRef
from recollect.compat.zep.v4.wire import graphs
from recollect.compat.zep.v4.wire import unsupported as wire
from recollect.compat.zep.v4.wire.base import Page4, PageQuery4
from recollect.compat.zep.v4.wire.knowledge import EdgesQuery4
from recollect.errors import NotFound, NotOffered

_NO_CONTENT_POLICY = (
    "content_policy: this server has no content policies; what a key may see is said by policy sets "
    "(PUT /api/v1/policy-sets)"
)
_NO_POLICY = wire.ContentPolicy4(revision=0, categories=[], rules=[])
_NO_HYPEREDGES = (
    "hyperedges: an edge joins two nodes here; add edges (POST graphs/{graph_uuid}/edges)"
)


def no_policy(sent: wire.ContentPolicyRequest4 | None) -> None:
    """Refuse a content policy that is not empty: it would not be enforced."""
    if sent is not None and (sent.categories or sent.rules):
        raise NotOffered(_NO_CONTENT_POLICY)


async def _graph(call: Call) -> None:
    """Raise NotFound unless the graph is there."""
    ref = GraphRef(uuid=call.path["graph_uuid"])
    await app_graphs.get(call.services, call.access, ref)


async def get_policy(call: Call) -> wire.ContentPolicy4:
    """The project's content policy: an empty one."""
    return _NO_POLICY


async def set_policy(call: Call) -> wire.ContentPolicy4:
    """An empty content policy is what there is; any other is refused."""
    no_policy(call.body)
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


async def list_hyperedges(call: Call) -> Page4[wire.Hyperedge4]:
    """A graph has no hyperedges."""
    await _graph(call)
    return Page4(items=[], total_size=0)


async def no_hyperedge(call: Call) -> wire.Hyperedge4:
    """A graph has no hyperedges."""
    await _graph(call)
    raise NotFound(f"hyperedge not found: {call.path['hyperedge_uuid']}")


async def add_hyperedge(call: Call) -> wire.Hyperedge4:
    """Not offered: an edge joins two nodes."""
    await _graph(call)
    raise NotOffered(_NO_HYPEREDGES)


_POLICY = "/project/content-policy"
_HYPEREDGES = "/graphs/{graph_uuid}/hyperedges"
_HYPEREDGE = f"{_HYPEREDGES}/{{hyperedge_uuid}}"


def _none(method: Any, path: str, verb: str, what: str, **more: Any) -> Route:
    handler: Handler = no_hyperedge
    action = f"graph.hyperedge.{verb}"
    return Route(method, path, action, handler, what, answer=wire.Hyperedge4, **more)


ROUTES = [
    Route("GET", _POLICY, "project.get", get_policy, "Get the project's content policy"),
    Route(
        "PUT",
        _POLICY,
        "project.update",
        set_policy,
        "Refuse a content policy, and say why",
        body=wire.ContentPolicyRequest4,
        also=(NotOffered,),
    ),
    Route(
        "GET",
        f"{_POLICY}/revisions",
        "project.get",
        list_revisions,
        "List former content policies",
        query=PageQuery4,
    ),
    Route(
        "GET",
        f"{_POLICY}/revisions/{{revision_uuid}}",
        "project.get",
        get_revision,
        "Get a former content policy",
    ),
    Route(
        "GET",
        "/graphs/{graph_uuid}/content-policy",
        "graph.get",
        get_graph_policy,
        "Get the content policy of a graph",
    ),
    Route(
        "POST",
        "/graphs/{graph_uuid}/content-policy/events/list",
        "graph.get",
        list_events,
        "List what a content policy kept out",
        body=wire.ContentPolicyEvents4,
        query=PageQuery4,
        reads=True,
    ),
    Route(
        "POST",
        "/debug-logs/enable",
        "project.get",
        enable_logs,
        "Tell that logs of readings are on",
        reads=True,
    ),
    Route(
        "POST",
        _HYPEREDGES,
        "graph.hyperedge.add",
        add_hyperedge,
        "Refuse a hyperedge, and say why",
        body=wire.AddHyperedge4,
        also=(NotOffered,),
    ),
    Route(
        "POST",
        f"{_HYPEREDGES}/list",
        "graph.edge.list",
        list_hyperedges,
        "List the hyperedges of a graph",
        body=wire.ListHyperedges4,
        query=EdgesQuery4,
        reads=True,
    ),
    _none("GET", _HYPEREDGE, "get", "Look for a hyperedge"),
    _none("PATCH", _HYPEREDGE, "update", "Look for a hyperedge", body=wire.UpdateHyperedge4),
    _none("DELETE", _HYPEREDGE, "delete", "Look for a hyperedge"),
    _none(
        "POST",
        f"{_HYPEREDGE}/edges",
        "create_edge",
        "Look for a hyperedge",
        body=wire.HyperedgeInput4,
    ),
    _none("DELETE", f"{_HYPEREDGE}/edges/{{edge_uuid}}", "delete_edge", "Look for a hyperedge"),
]


# ---------------------------------------------------------------- skills, traces of other services


_UNLEARNED = (
    "this server learns no skills from what agents do; what is said in traces (POST "
    "/api/v4/agents/{agent_uuid}/traces) is remembered in the graph of the agent, which is searched "
    "like any other"
)
_UNFETCHED = (
    "this server keeps no credentials of other services; fetch the traces and tell them (POST "
    "/api/v4/agents/{agent_uuid}/traces and .../events), which may be done twice without harm"
)

_OF_OTHERS = ("agent.trace_import.", "trace_connection.")

_AGENT = "/agents/{agent_uuid}"
_CANDIDATE = f"{_AGENT}/skill-candidates/{{review_uuid}}"
_IMPORT = f"{_AGENT}/trace-imports/{{import_uuid}}"
_SKILL = f"{_AGENT}/skills/{{skill_uuid}}"
_VERIFIER = f"{_AGENT}/verifiers/{{verifier_uuid}}"
_CONNECTION = "/trace-connections/{connection_uuid}"

# The client's method, the verb and the path.
METHODS: list[tuple[str, str, str]] = [
    ("agent.declare_breaking_change", "POST", f"{_AGENT}/breaking-changes"),
    ("agent.learning.get", "GET", f"{_AGENT}/learning"),
    ("agent.learning.list_runs", "GET", f"{_AGENT}/learning-runs"),
    ("agent.literal_policy.get", "GET", f"{_AGENT}/literal-policy"),
    ("agent.literal_policy.update", "PUT", f"{_AGENT}/literal-policy"),
    ("agent.skill.create", "POST", f"{_AGENT}/skills"),
    ("agent.skill.import_package", "POST", f"{_AGENT}/skills/import"),
    ("agent.skill.list", "POST", f"{_AGENT}/skills/list"),
    ("agent.skill.search", "POST", f"{_AGENT}/skills/search"),
    ("agent.skill.get", "GET", _SKILL),
    ("agent.skill.approve", "POST", f"{_SKILL}/approve"),
    ("agent.skill.retire", "POST", f"{_SKILL}/retire"),
    ("agent.skill.create_version", "POST", f"{_SKILL}/versions"),
    ("agent.skill.candidate.list", "GET", f"{_AGENT}/skill-candidates"),
    ("agent.skill.candidate.get", "GET", _CANDIDATE),
    (
        "agent.skill.evaluation.create_for_candidate",
        "POST",
        f"{_CANDIDATE}/candidates/{{candidate_uuid}}/evaluations",
    ),
    ("agent.skill.evaluation.create", "POST", f"{_SKILL}/evaluations"),
    ("agent.skill.evidence.list", "GET", f"{_SKILL}/evidence"),
    ("agent.skill.export.create", "POST", f"{_SKILL}/versions/{{version}}/export"),
    ("agent.skill.export.get", "GET", f"{_SKILL}/versions/{{version}}/export/{{task_uuid}}"),
    ("agent.skill.publication.lookup", "GET", f"{_AGENT}/skill-publications"),
    ("agent.skill.publication.get", "GET", f"{_SKILL}/publication"),
    ("agent.skill.relation.list", "GET", f"{_SKILL}/relations"),
    ("agent.skill.use.create", "POST", f"{_SKILL}/uses"),
    ("agent.skill.use.add_outcome", "POST", f"{_SKILL}/uses/{{use_uuid}}/outcome"),
    ("agent.skill.version.restore_version", "POST", f"{_SKILL}/restore-version"),
    ("agent.skill.version.list", "GET", f"{_SKILL}/versions"),
    ("agent.skill.version.compare", "POST", f"{_SKILL}/versions/compare"),
    ("agent.skill.version.get", "GET", f"{_SKILL}/versions/{{version}}"),
    ("agent.split.plan", "POST", f"{_AGENT}/split-plan"),
    ("agent.task_family.list", "POST", f"{_AGENT}/task-families/list"),
    ("agent.task_family.rename", "POST", f"{_AGENT}/task-families/rename"),
    ("agent.trace_import.list", "GET", f"{_AGENT}/trace-imports"),
    ("agent.trace_import.create", "POST", f"{_AGENT}/trace-imports"),
    ("agent.trace_import.get", "GET", _IMPORT),
    ("agent.trace_import.delete", "DELETE", _IMPORT),
    ("agent.trace_import.update", "PATCH", _IMPORT),
    ("agent.trace_import.pause", "POST", f"{_IMPORT}/pause"),
    ("agent.trace_import.resume", "POST", f"{_IMPORT}/resume"),
    ("agent.trace_import.run.list", "GET", f"{_IMPORT}/runs"),
    ("agent.trace_import.run.create", "POST", f"{_IMPORT}/runs"),
    ("agent.trace_import.run.get", "GET", f"{_IMPORT}/runs/{{run_uuid}}"),
    ("agent.trace_import.run.item.list", "GET", f"{_IMPORT}/runs/{{run_uuid}}/items"),
    ("agent.verifier.list", "POST", f"{_AGENT}/verifiers/list"),
    ("agent.verifier.get", "GET", _VERIFIER),
    ("agent.verifier.update", "PATCH", _VERIFIER),
    ("agent.verifier.invalidate_evidence", "POST", f"{_VERIFIER}/invalidate-evidence"),
    ("agent.verifier.revoke", "POST", f"{_VERIFIER}/revoke"),
    ("trace_connection.list", "GET", "/trace-connections"),
    ("trace_connection.create", "POST", "/trace-connections"),
    ("trace_connection.get", "GET", _CONNECTION),
    ("trace_connection.delete", "DELETE", _CONNECTION),
    ("trace_connection.update", "PATCH", _CONNECTION),
    ("trace_connection.verify", "POST", f"{_CONNECTION}/verify"),
    ("trace_connection.project.list", "GET", f"{_CONNECTION}/projects"),
    ("trace_connection.trace.get", "POST", f"{_CONNECTION}/traces/get"),
    ("trace_connection.trace.list", "POST", f"{_CONNECTION}/traces/list"),
]


def _route(method: str, verb: str, path: str) -> Route:
    why = _UNFETCHED if method.startswith(_OF_OTHERS) else _UNLEARNED

    async def refuse(call: Call) -> None:
        """Not offered; it says why."""
        raise NotOffered(f"{method}: {why}")

    words = method.replace("_", " ").replace(".", " ")
    what = f"Refuse {words}, and say why"
    return Route(cast(Method, verb), path, method, refuse, what, also=(NotOffered,))


SKILL_ROUTES = [_route(*row) for row in METHODS]
