"""Documented methods that are not built yet: known, and answered with 501 and their name."""

from recollect.api.router import Call, Handler, Method, Route
from recollect.errors import NotServed

# method of the clients, HTTP method, path, what it waits for
DEFERRED: list[tuple[str, Method, str, str]] = [
    ("memory.search_sessions", "POST", "/sessions/search", "search"),
    ("memory.search", "POST", "/sessions/{session_id}/search", "search"),
    ("thread.get_summary", "GET", "/threads/{thread_id}/summary", "summaries"),
    ("graph.detect_patterns", "POST", "/graph/patterns", "search"),
    ("graph.get_subgraph", "POST", "/graph/subgraph", "search"),
    ("graph.node.get_neighbors", "POST", "/graph/node/{uuid}/neighbors", "search"),
    (
        "graph.observation.get_by_graph_id",
        "POST",
        "/graph/observation/graph/{graph_id}",
        "observations",
    ),
    (
        "graph.observation.get_by_user_id",
        "POST",
        "/graph/observation/user/{user_id}",
        "observations",
    ),
    ("graph.observation.get", "GET", "/graph/observation/{uuid}", "observations"),
    (
        "graph.thread_summary.get_by_graph_id",
        "POST",
        "/graph/thread-summary/graph/{graph_id}",
        "summaries",
    ),
    (
        "graph.thread_summary.get_by_user_id",
        "POST",
        "/graph/thread-summary/user/{user_id}",
        "summaries",
    ),
    (
        "graph.document_summary.get_by_graph_id",
        "POST",
        "/graph/document-summary/graph/{graph_id}",
        "summaries",
    ),
    ("document.search", "POST", "/collections/{collection_name}/search", "search"),
    (
        "user_group.attach_policy_set",
        "POST",
        "/abac/user-groups/{group_uuid}/policy-sets",
        "access policies",
    ),
    (
        "user_group.detach_policy_set",
        "DELETE",
        "/abac/user-groups/{group_uuid}/policy-sets/{policy_set_uuid}",
        "access policies",
    ),
]


def _refuse(method: str, needs: str) -> Handler:
    async def handler(call: Call) -> None:
        raise NotServed(f"{method} is not served yet: it needs {needs}")

    return handler


ROUTES = [
    Route(verb, path, method, _refuse(method, needs), f"{method}: not served yet", served=False)
    for method, verb, path, needs in DEFERRED
]
