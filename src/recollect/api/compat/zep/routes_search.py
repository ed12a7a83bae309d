"""Search."""

from recollect.api.compat.zep import translate, wire
from recollect.api.router import Call, Route
from recollect.errors import InvalidInput, NotServed
from recollect.limits import SEARCH_LIMIT_DEFAULT, SEARCH_LIMIT_MAX, SEARCH_QUERY_CHARS_MAX
from recollect.subjects import episodes, graphs

_SCOPES = ("edges", "nodes", "episodes", "thread_summaries", "observations", "auto")
_RERANKERS = ("rrf", "mmr", "node_distance", "episode_mentions", "cross_encoder")


def _check_search(sent: wire.Search) -> None:
    """What a search may ask for, and which of that is served so far."""
    for field, value, known in (
        ("scope", sent.scope, _SCOPES),
        ("reranker", sent.reranker, _RERANKERS),
    ):
        if value is not None and value not in known:
            raise InvalidInput(f"{field}: must be one of {', '.join(known)}; got {value!r}")
    if sent.scope != "episodes":
        raise NotServed(f"graph.search with scope={sent.scope or 'edges'!r} is not served yet")
    for field in (
        "search_filters",
        "center_node_uuid",
        "bfs_origin_node_uuids",
        "min_fact_rating",
        "mmr_lambda",
    ):
        if getattr(sent, field):
            raise NotServed(f"graph.search with `{field}` is not served yet")
    if sent.reranker not in {None, "rrf"}:
        raise NotServed(f"graph.search with reranker={sent.reranker!r} is not served yet")


async def search(call: Call) -> wire.SearchAnswer:
    """Episodes of a graph that fit a query, best first."""
    sent: wire.Search = call.body
    _check_search(sent)
    graph = await call.services.store.read(
        graphs.target,
        call.access,
        sent.user_id,
        translate.graph_id_of(sent.graph_id, sent.group_id),
    )
    limit = min(sent.limit or SEARCH_LIMIT_DEFAULT, SEARCH_LIMIT_MAX)
    query = sent.query[:SEARCH_QUERY_CHARS_MAX]
    hits = await call.services.segments.search(call.access, graph, query, limit)
    found = await call.services.store.read(episodes.by_uuids, graph, [hit.uuid for hit in hits])
    scores = {hit.uuid: hit.score for hit in hits}
    return wire.SearchAnswer(
        episodes=[translate.episode(episode, scores[episode.uuid]) for episode in found]
    )


ROUTES = [
    Route(
        "POST",
        "/graph/search",
        "graph.search",
        search,
        "Search a graph's episodes",
        body=wire.Search,
        answer=wire.SearchAnswer,
    ),
]
