"""Variants of the bodies and queries of read requests by Zep v4 clients."""

from random import Random
from typing import Any

from tests.property.hidden_reader import PEOPLE
from tests.property.hidden_story import GRAPH, TEMPLATES, USER
from tests.property.hidden_variants import QUESTIONS, Json, Pools, Several


def _leaf(name: str, operator: str, value: Any = None) -> Json:
    made = {"property_name": name, "operator": operator}
    return made if value is None else {**made, "value": value}


TREES: tuple[Json, ...] = (
    {"type": "and", "filters": [_leaf("class", "eq", "open")]},
    {"type": "and", "filters": [_leaf("class", "eq", "secret")]},
    {"type": "or", "filters": [_leaf("class", "in", ["open", "secret"]), _leaf("x", "is_null")]},
)


def _dated(name: str, operator: str, value: str | None = None) -> Json:
    test = {"field": name, "operator": operator}
    test = test if value is None else {**test, "value": value}
    return {"date_filters": {"any_of": [{"all_of": [test]}]}}


def _of_edges(known: Pools, random: Random, *, walk: bool = False) -> list[Json]:
    made: list[Json] = [
        {"edge_types": ["LIKES"]},
        {"exclude_edge_types": ["LIKES"]},
        _dated("created_at", "gt", "2025-03-10T00:00:00Z"),
        _dated("invalid_at", "is_null"),
        {"property_filters": [_leaf("told", "is_not_null")]},
        {"edge_uuids": known.some(random, "edge", 4)},
        {"source_node_uuids": known.some(random, "node", 3)},
        {"target_node_uuids": known.some(random, "node", 3)},
        {"connected_node_uuids": known.some(random, "node", 2)},
    ]
    if walk:
        return made
    return [
        *made,
        {"episode_uuids": known.some(random, "episode", 3)},
        *({"metadata_filters": tree} for tree in TREES),
    ]


def _listed(known: Pools, random: Random) -> list[Json]:
    ends = {"source_node_uuids", "target_node_uuids", "connected_node_uuids"}
    common = [one for one in _of_edges(known, random) if not ends.intersection(one)]
    return [{}, {"filters": {"node_labels": ["Entity"]}}, *({"filters": by} for by in common)]


def _by_metadata(*more: Json) -> Several:
    return lambda _, __: [{}, *({"filters": {"metadata_filters": tree}} for tree in TREES), *more]


def _searched(*filters: Json) -> Several:
    def several(known: Pools, random: Random) -> list[Json]:
        asked = [{"query": question} for question in QUESTIONS]
        center = known.some(random, "node")[0]
        return [
            *asked,
            {"query": PEOPLE[0], "reranker": "rrf"},
            {"query": PEOPLE[1], "reranker": "mmr", "mmr_lambda": 0.3},
            {"query": PEOPLE[0], "reranker": "node_distance", "center_node_uuid": center},
            {"query": PEOPLE[0], "bfs_origin_node_uuids": known.some(random, "node", 2)},
            {"query": PEOPLE[0], "filter_low_quality_results": True},
            *({"query": random.choice(QUESTIONS), "filters": by} for by in filters),
        ]

    return several


def _edges_searched(known: Pools, random: Random) -> list[Json]:
    return _searched(*_of_edges(known, random))(known, random)


def _contexts(known: Pools, random: Random) -> list[Json]:
    asked = [{"query": question} for question in QUESTIONS]
    return [
        *asked,
        {"query": PEOPLE[0], "include_results": True},
        {"query": PEOPLE[0], "include_results": True, "recency_bias": "strong"},
        {"query": PEOPLE[1], "max_characters": 300},
        *({"query": PEOPLE[0], "template_uuid": one} for one in known.values["template"]),
        *({"query": PEOPLE[0], "filters": by} for by in _of_edges(known, random)),
    ]


def _questions(known: Pools, random: Random) -> list[Json]:
    return [
        {"query": question, "graph_uuids": known.some(random, "graph", count), "stream": stream}
        for question in QUESTIONS
        for count in (1, 1, 2)
        for stream in (False, True)
    ]


def _seeds(known: Pools, random: Random) -> list[Json]:
    ways: list[Json] = [
        {},
        {"depth": 3, "max_nodes": 3},
        {"max_edges": 2, "direction": "out"},
        *({"filters": by} for by in _of_edges(known, random, walk=True)),
    ]
    return [{"seed_node_uuids": known.some(random, "node", 2), **way} for way in ways]


def _lookups(known: Pools, random: Random) -> list[Json]:
    return [
        {"user_id": USER},
        {"graph_id": GRAPH},
        *({"thread_id": thread} for thread in known.some(random, "thread_id", 3)),
    ]


BODIES: dict[str, Several] = {
    "SearchList4": lambda _, __: [{}, {"search": "a"}],
    "Lookup4": _lookups,
    "LookupBatch4": lambda known, _: [
        {"users": [USER, "nobody"], "threads": known.values["thread_id"], "graphs": [GRAPH]}
    ],
    "ListKnowledge4": _listed,
    "ListEpisodes4": lambda known, random: [
        *_by_metadata()(known, random),
        {"filters": {"mentioned_node_uuids": known.some(random, "node", 3)}},
    ],
    "ListObservations4": lambda _, __: [{}],
    "ListSummaries4": _by_metadata(),
    "Neighbors4": lambda known, random: [
        {},
        {"direction": "in"},
        *({"filters": by} for by in _of_edges(known, random, walk=True)),
    ],
    "SubgraphRequest4": _seeds,
    "SearchEdges4": _edges_searched,
    "SearchNodes4": _searched(
        {"node_labels": ["Entity"]}, *({"metadata_filters": t} for t in TREES)
    ),
    "SearchEpisodes4": _searched(*({"metadata_filters": tree} for tree in TREES)),
    "SearchObservations4": _searched(),
    "SearchThreadSummaries4": _searched(*({"metadata_filters": tree} for tree in TREES)),
    "ContextRequest4": _contexts,
    "GraphQuery4": _questions,
    "ListTemplates4": lambda _, __: [{}, {"name": next(iter(TEMPLATES))}],
    "ContentPolicyEvents4": lambda _, __: [{}],
    "ListHyperedges4": lambda _, __: [{}],
}


def _sized(*orders: str) -> Several:
    ways: list[Json] = [{}, {"page_size": 1}, {"page_size": 2}]
    ways += [
        {"order_by": by, "order": way, "page_size": 2} for by in orders for way in ("asc", "desc")
    ]
    return lambda _, __: ways


QUERIES: dict[str, Several] = {
    "PageQuery4": _sized(),
    "UsersQuery4": _sized("created_at", "user_id", "uuid"),
    "GraphsQuery4": _sized("created_at", "name", "uuid"),
    "ThreadsQuery4": lambda known, random: [
        *_sized("created_at", "updated_at", "uuid")(known, random),
        {"user_uuid": known.values["user"][0]},
    ],
    "MessagesQuery4": lambda _, __: [{}, {"page_size": 1}, {"page_size": 2, "order": "desc"}],
    "ContextQuery4": lambda known, _: [
        {},
        *({"template_uuid": one} for one in known.values["template"]),
    ],
    "EpisodesQuery4": _sized("created_at", "uuid"),
    "DerivedQuery4": _sized("created_at", "uuid"),
    "NodesQuery4": _sized("created_at", "uuid", "degree"),
    "EdgesQuery4": _sized("created_at", "uuid", "valid_at"),
    "NeighborsQuery4": _sized("created_at", "uuid"),
    "BatchesQuery4": _sized(),
    "TasksQuery4": lambda _, __: [
        {},
        {"page_size": 1},
        {"type": "thread.add_messages", "page_size": 2},
        {"status": "succeeded"},
    ],
}
