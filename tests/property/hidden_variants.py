"""Variants of the bodies and queries of read requests, several for each model."""

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import product
from random import Random
from typing import Any

from tests.property.hidden_reader import PEOPLE, PLACES, THINGS
from tests.property.hidden_story import (
    GRAPH,
    PROJECT,
    TEMPLATES,
    USER,
    USER_PROJECT,
    mark,
    tag,
)
from tests.property.hidden_worlds import Json

QUESTIONS = (
    f"What does {PEOPLE[0]} like?",
    f"Where does {PEOPLE[1]} live?",
    f"{PEOPLE[2]} {THINGS[0]} {PLACES[0]}",
    f"Who is a friend of {PEOPLE[3]}",
    "likes lives friend and",
)
SCHEMA = '{"properties": {"drink": {"type": "string", "zep_type": "ZepText"}}}'


@dataclass(frozen=True)
class Pools:
    """The values that requests can name, by kind."""

    values: dict[str, list[str]]
    said: tuple[tuple[str, ...], ...]  # threads with their messages
    places: dict[str, list[tuple[str, str]]] = field(default_factory=dict)  # (container, content)

    def some(self, random: Random, name: str, count: int = 1) -> list[str]:
        """Some of the values of a kind."""
        known = self.values[name]
        return random.sample(known, min(count, len(known)))


Several = Callable[[Pools, Random], list[Json]]


def _page_sizes(*names: str) -> Several:
    size, number = names
    return lambda _, __: [{}, {size: 1}, {size: 2, number: 2}, {size: 50}]


def leaf(name: str, operator: str, value: Any = None) -> Json:
    """One test of a metadata tree."""
    made = {"property_name": name, "comparison_operator": operator}
    return made if value is None else {**made, "property_value": value}


TREES: tuple[Json, ...] = (
    {"type": "and", "filters": [leaf("class", "=", "open")]},
    {"type": "and", "filters": [leaf("class", "=", "secret")]},
    {"type": "or", "filters": [leaf("level", ">=", 3), leaf("vip", "IS NOT NULL")]},
    {"type": "and", "filters": [leaf("class", "IS NULL")]},
    {"type": "and", "filters": [leaf("about", "<>", "work")]},
)


def _filters(known: Pools, random: Random, *, walk: bool = False) -> list[Json]:
    made: list[Json] = [
        {"edge_types": ["LIKES"]},
        {"exclude_edge_types": ["LIKES"]},
        {"node_labels": ["Entity"]},
        {"created_at": [[{"comparison_operator": ">", "date": "2025-03-10T00:00:00Z"}]]},
        {"invalid_at": [[{"comparison_operator": "IS NULL"}]]},
        {"property_filters": [leaf("told", "IS NOT NULL")]},
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
        {"episode_uuids": known.some(random, "episode", 1)},
        *({"episode_metadata_filters": tree} for tree in TREES),
    ]


def _pages(known: Pools, random: Random) -> list[Json]:
    narrowed = [
        {"filters": by, "limit": random.choice((1, 2, 50))} for by in _filters(known, random)
    ]
    return [
        *({"limit": size} for size in (1, 2, 50)),
        {"limit": 2, "order_by": "created_at", "direction": "asc"},
        {"limit": 3, "order_by": "created_at", "direction": "desc"},
        {"limit": 2, "order_by": "degree", "direction": "desc"},
        {"limit": 2, "order_by": "valid_at", "direction": "asc"},
        {"limit": 50, "uuid_cursor": known.some(random, "node")[0]},
        {"limit": 50, "mentioned_node_uuids": known.some(random, "node", 2)},
        *({"limit": 50, "episode_metadata_filters": tree} for tree in TREES),
        *narrowed,
    ]


def _searches(known: Pools, random: Random) -> list[Json]:
    targets: list[Json] = [{"user_id": USER}, {"graph_id": GRAPH}, {"group_id": GRAPH}]
    scopes = ("edges", "nodes", "episodes", "observations", "thread_summaries", "auto")
    ways: list[Json] = [
        {},
        {"limit": 2},
        {"limit": 50},
        {"reranker": "rrf"},
        {"reranker": "mmr", "mmr_lambda": 0.3},
        {"reranker": "cross_encoder"},
        {"reranker": "episode_mentions"},
        {"reranker": "node_distance", "center_node_uuid": known.some(random, "node")[0]},
        {"bfs_origin_node_uuids": known.some(random, "node", 2)},
        {"min_score": 0.3},
        {"valid_at": "2025-03-20T00:00:00Z"},
        {"known_at": "2025-03-20T00:00:00Z"},
        {"max_characters": 400},
        {"return_raw_results": True},
        *({"search_filters": by} for by in _filters(known, random)),
    ]
    return [
        {"query": random.choice(QUESTIONS), "scope": scope, **random.choice(targets), **way}
        for scope, way in product(scopes, ways)
    ]


def _edge_pages(known: Pools, random: Random) -> list[Json]:
    moment = {"valid_at": "2025-03-20T00:00:00Z", "known_at": "2025-03-20T00:00:00Z"}
    return [*_pages(known, random), moment, *({"limit": 50, name: moment[name]} for name in moment)]


def _explained(known: Pools, random: Random) -> list[Json]:
    """Searches to explain, also with a fact that is missing from the result, which may be hidden."""
    asked = [one for one in _searches(known, random) if one["scope"] != "auto"]
    missed = [
        {**one, "scope": "edges", "fact_uuid": known.some(random, "edge")[0]} for one in asked
    ]
    return [*asked[::3], *missed[::2]]


def _maps(known: Pools, random: Random) -> list[Json]:
    targets: list[Json] = [{"user_id": USER}, {"graph_id": GRAPH}]
    ways: list[Json] = [
        {},
        {"max_nodes": 2},
        {"max_edges": 1},
        {"node_labels": ["Entity"]},
        {"valid_at": "2025-03-20T00:00:00Z"},
        {"known_at": "2025-03-20T00:00:00Z"},
        *({"search_filters": by} for by in _filters(known, random)),
    ]
    return [{**target, **way} for target, way in product(targets, ways)]


def _session_searches(known: Pools, random: Random) -> list[Json]:
    scopes = ("messages", "facts", "summary")
    ways: list[Json] = [
        {"user_id": USER},
        {"session_ids": known.some(random, "thread_id", 3)},
        {"user_id": USER, "search_type": "mmr", "mmr_lambda": 0.5},
    ]
    return [
        {"text": random.choice(QUESTIONS), "search_scope": scope, **way}
        for scope, way in product(scopes, ways)
    ]


def _seeds(known: Pools, random: Random) -> list[Json]:
    targets: list[Json] = [{"user_id": USER}, {"graph_id": GRAPH}]
    ways: list[Json] = [
        {},
        {"depth": 1},
        {"depth": 3, "max_nodes": 3},
        {"max_edges": 2},
        {"direction": "out"},
        *({"search_filters": by} for by in _filters(known, random, walk=True)),
    ]
    return [
        {"seed_node_uuids": known.some(random, "node", random.choice((1, 2, 3))), **target, **way}
        for target, way in product(targets, ways)
    ]


def _patterns(known: Pools, random: Random) -> list[Json]:
    targets: list[Json] = [{"user_id": USER}, {"graph_id": GRAPH}]
    ways: list[Json] = [
        {},
        {"query": random.choice(QUESTIONS)},
        {"query": random.choice(QUESTIONS), "edge_limit": 2, "query_limit": 3},
        {"min_occurrences": 1, "recency_weight": "30_days"},
        {"seeds": {"node_uuids": known.some(random, "node", 3)}, "min_occurrences": 1},
        {"seeds": {"edge_types": ["LIKES"]}, "detect": {"hubs": {"min_degree": 2}}},
        {"detect": {"clusters": {}, "relationships": {}}, "min_occurrences": 1},
        {"search_filters": random.choice(_filters(known, random)), "min_occurrences": 1},
    ]
    return [{**target, **way} for target, way in product(targets, ways)]


PLACES_OF_MEMORY: tuple[Json, ...] = (PROJECT, PROJECT, USER_PROJECT)
NO_PLACE: Json = {"org_id": "universal", "project_id": "nograph"}
FILTERS = (
    "metadata.class = 'open'",
    "metadata.class = 'secret' OR m.level >= 3",
    "m.class IS NULL",
    "NOT m.about = 'work'",
    "m.about IN ('work', 'play')",
    f"producer_id = '{PEOPLE[0]}' OR producer_id = '{PEOPLE[1]}'",
    "producer_role = 'assistant'",
    "produced_for_id IS NOT NULL",
    "created_at >= date('2025-03-10')",
    "created_at < date('2025-03-01') AND m.vip IS NULL",
    f"m.tag = '{tag(3)}'",
    f"m.user_id IN ('{PEOPLE[0]}', '{PEOPLE[2]}')",
)
CHOSEN_SETS: tuple[Json, ...] = (
    {"class": "open"},
    {"class": "secret"},
    {"user_id": PEOPLE[0]},
    {"producer_id": PEOPLE[1]},
    {"tag": tag(2), "class": "open"},
)


def _in_place(*ways: Json) -> Several:
    """Each variant in a random place, and the first one also in a place that does not exist."""
    return lambda _, random: [
        *({**random.choice(PLACES_OF_MEMORY), **way} for way in ways),
        {**NO_PLACE, **ways[0]},
    ]


def _recollections(_: Pools, random: Random) -> list[Json]:
    ways: list[Json] = [
        {},
        {"top_k": 1},
        {"top_k": 3},
        {"top_k": 50},
        {"top_k": 6, "expand_context": 5},
        {"top_k": 50, "expand_context": 2, "score_threshold": 0.2},
        {"score_threshold": 0.5},
        {"types": ["semantic"]},
        {"types": ["episodic"], "agent_mode": True},
        {"query": mark(4)},
        *({"filter": text, "top_k": random.choice((2, 20))} for text in FILTERS),
        *({"set_metadata": one} for one in CHOSEN_SETS),
    ]
    asked = {"query": random.choice(QUESTIONS)}
    return _in_place(*({**asked, **way} for way in ways))(_, random)


def _memory_pages(_: Pools, random: Random) -> list[Json]:
    ways: list[Json] = [
        {"type": kind, **way}
        for kind in ("episodic", "semantic")
        for way in (
            {},
            {"page_size": 1},
            {"page_size": 2, "page_num": 1},
            {"page_size": 3, "page_num": 2},
            *({"filter": text} for text in FILTERS),
            *({"set_metadata": one} for one in CHOSEN_SETS),
        )
    ]
    return _in_place(*ways)(_, random)


def _of(field: str, pool: str, **more: Any) -> Several:
    """Every value of a pool by its id, in every place."""
    return lambda known, _: [
        {**place, field: value, **more}
        for value in known.values[pool]
        for place in PLACES_OF_MEMORY
    ]


def _features(known: Pools, random: Random) -> list[Json]:
    return [
        {**place, "feature_id": value, "load_citations": random.random() < 0.7}
        for value in known.values["edge"]
        for place in (PROJECT, USER_PROJECT)
    ]


BODIES: dict[str, Several] = {
    "AboutProject": _in_place({}, {}, {}),
    "InProject": _in_place({}, {}, {}),
    "SearchMemories": _recollections,
    "ListMemories": _memory_pages,
    "GetFeature": _features,
    "GetSetId": _in_place(
        *({"metadata_tags": list(one), "set_metadata": one} for one in CHOSEN_SETS)
    ),
    "ListSetIds": _in_place({}, *({"set_metadata": one} for one in CHOSEN_SETS)),
    "OfCategory": _of("category_id", "category"),
    "OfSetType": _of("set_type_id", "set_type"),
    "PageRequest": _pages,
    "EdgePageRequest": _edge_pages,
    "ExplainSearch": _explained,
    "MapRequest": _maps,
    "Search": _searches,
    "SearchSessions": _session_searches,
    "SearchSession": lambda known, random: [
        {k: v for k, v in one.items() if k not in ("user_id", "session_ids")}
        for one in _session_searches(known, random)
    ],
    "SubgraphRequest": _seeds,
    "DetectPatterns": _patterns,
    "NeighborsRequest": lambda known, random: [
        {},
        {"limit": 1},
        {"limit": 2, "direction": "in"},
        {"order_by": "created_at", "direction_sort": "asc", "limit": 2},
        *({"filters": by} for by in _filters(known, random, walk=True)),
    ],
    "AssembleInput": lambda _, __: [{}, {"context_length": 100}],
    "ExtractData": lambda _, __: [{"model_schema": SCHEMA, "last_n": 4}],
    "GetDocuments": lambda known, random: [
        {"uuids": known.some(random, "paper", 5)},
        {"document_ids": known.some(random, "paper_id", 5)},
    ],
    "SearchDocuments": lambda _, random: [
        {"text": random.choice(QUESTIONS)},
        {"metadata": {"class": "open"}},
        {"text": PEOPLE[0], "search_type": "mmr", "mmr_lambda": 0.5},
    ],
}
QUERIES: dict[str, Several] = {
    "ListQuery": _page_sizes("pageSize", "pageNumber"),
    "ThreadsQuery": lambda known, random: [
        *_page_sizes("page_size", "page_number")(known, random),
        {"search": known.some(random, "thread_id")[0][:4]},
    ],
    "DoubtsQuery": lambda _, __: [{}, {"limit": 1}, {"limit": 2}],
    "MergesQuery": lambda _, __: [{}, {"limit": 1}, {"limit": 2}],
    "ExplainContext": lambda _, __: [{}, {"max_characters": 300}],
    "SessionFactsQuery": lambda _, __: [{}, {"minRating": 0.1}],
    "QuestionQuery": lambda _, __: [{}, {"lastNMessages": 2}],
    "SearchLimit": lambda _, __: [{}, {"limit": 2}],
    "SearchQuery": lambda _, __: [{}, {"limit": 1}, {"limit": 2}],
    "MessagesQuery": lambda _, __: [
        {},
        *({"limit": size, "cursor": start} for size in (1, 2) for start in (0, 1, 2)),
        *({"lastn": count} for count in (1, 2, 5)),
    ],
    "MemoryQuery": lambda _, __: [{}, {"lastn": 1}, {"lastn": 3}],
    "ContextQuery": lambda _, __: [
        {},
        {"mode": "basic"},
        {"mode": "summary"},
        *({"template_id": name} for name in TEMPLATES),
    ],
    "LastQuery": lambda _, __: [{}, *({"lastn": count} for count in (1, 2, 5, 50))],
    "DocumentQuery": lambda _, __: [{"graph_id": GRAPH}],
    "ScopeQuery": lambda _, __: [{}, {"user_id": USER}, {"graph_id": GRAPH}],
    "UserScopeQuery": lambda _, __: [{}, {"user_id": USER}],
    "BatchesQuery": lambda _, __: [{}, {"limit": 1}],
    "InjectionsQuery": lambda _, __: [{}, {"limit": 1}, {"user_id": USER}, {"graph_id": GRAPH}],
    "ReadingsQuery": lambda _, __: [{}, {"limit": 1}, {"limit": 2}, {"status": "waiting"}],
    "ErasuresQuery": lambda _, __: [{}, {"limit": 1}],
    "ChaptersQuery": lambda _, __: [{}, {"limit": 1}, {"limit": 1, "cursor": 1}],
    "LogSessionsQuery": lambda _, __: [{}, {"limit": 1}, {"user_id": USER}],
    "LogQuery": lambda _, __: [{}, {"from_id": 0}, {"limit": 2, "type": "item"}],
    "StreamQuery": lambda _, __: [{}, {"from_id": 0, "seconds": 0}],
    "BatchItemsQuery": lambda _, __: [{}, {"limit": 1}],
    "UserGroupPageQuery": lambda known, _: [{"projectId": known.values["project"][0]}],
    "UserGroupQuery": lambda known, _: [{"projectId": known.values["project"][0]}],
}
