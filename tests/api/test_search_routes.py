"""Searches and filtered lists over HTTP: what is asked of the finder, and what callers read."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, get_args

import pytest

from recollect.graph.filters import Filters, MetadataTree, ValueTest
from recollect.graph.types import (
    Access,
    Entity,
    Episode,
    Fact,
    Graph,
    Kind,
    Observation,
    ThreadSummary,
)
from recollect.search.kinds import KINDS
from recollect.search.query import Hit, Query
from tests.support.asgi import Answer, Program, program

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
ONE = "01890000-0000-7000-8000-00000000000a"
V2 = [("X-Fern-SDK-Version", "2.22.0")]
V3 = [("X-Fern-SDK-Version", "3.30.0")]
TIMES: dict[str, Any] = {"created_at": NOW}

FACT = Fact(
    id=1,
    uuid=ONE,
    graph_id=1,
    name="LIKES",
    fact="Ann likes tea",
    source_uuid="s",
    source_name="Ann",
    source_labels=["Entity"],
    target_uuid="t",
    target_name="tea",
    target_labels=["Entity"],
    **TIMES,
)
ENTITY = Entity(id=999, uuid="n", graph_id=1, name="Ann", labels=["Entity"], **TIMES)
EPISODE = Episode(
    id=1, uuid="e", graph_id=1, seq=1, kind="text", content="tea", received_at=NOW, **TIMES
)
OBSERVATION = Observation(
    id=1, uuid="o", graph_id=1, name="Tea", summary="Often tea", labels=["Habit"], **TIMES
)
SUMMARY = ThreadSummary(
    id=1, uuid="x", graph_id=1, thread_id="talk", summary="About tea", updated_at=NOW, **TIMES
)
EVERYTHING: dict[Kind, list[Hit[Any]]] = {
    "fact": [Hit(item=FACT, score=0.5, relevance=0.7)],
    "entity": [Hit(item=ENTITY, score=0.25)],
    "episode": [Hit(item=EPISODE, score=0.125)],
    "observation": [Hit(item=OBSERVATION, score=0.75)],
    "thread_summary": [Hit(item=SUMMARY, score=0.375)],
}


class ScriptedFinder:
    """Answers what it is told to, and remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[Query] = []
        self.narrowed: list[tuple[Kind, Filters]] = []
        self.passing: list[int] = []

    async def find(self, access: Access, graph: Graph, query: Query) -> list[Hit[Any]]:
        """One thing of each kind."""
        self.asked.append(query)
        return EVERYTHING[query.kind]

    async def matching(
        self, access: Access, graph: Graph, kind: Kind, filters: Filters
    ) -> list[int]:
        """The rows that the test lets pass."""
        self.narrowed.append((kind, filters))
        return self.passing

    async def warm(self, access: Access, graph: Graph) -> None:
        """Nothing to bring into memory."""


class Api:
    """Calls below `/api/v2` that say what status they expect."""

    def __init__(self, running: Program, finder: ScriptedFinder) -> None:
        self.running = running
        self.finder = finder

    async def send(self, status: int, path: str, body: Any, headers: Any = ()) -> Answer:
        """One request and its whole answer."""
        answer = await self.running.send("POST", "/api/v2" + path, body, headers=headers)
        assert answer.status == status, answer.body
        return answer

    async def search(self, headers: Any = (), **body: Any) -> Any:
        """A search of the user ann for tea, unless told otherwise."""
        asked = {"query": "tea", "user_id": "ann", **body}
        return (await self.send(200, "/graph/search", asked, headers)).json()

    async def refused(self, **body: Any) -> str:
        """What is said against a search."""
        asked = {"query": "tea", "user_id": "ann", **body}
        message = (await self.send(400, "/graph/search", asked)).message
        assert self.finder.asked == [], "it was searched nevertheless"
        return message

    @property
    def query(self) -> Query:
        """The one thing that was asked of the finder."""
        (query,) = self.finder.asked
        return query


@pytest.fixture
async def api(tmp_path: Path) -> AsyncIterator[Api]:
    """The application with the user ann and the graph tea in it."""
    async with program(tmp_path, clock=lambda: NOW) as running:
        made = Api(running, ScriptedFinder())
        running.services.finder = made.finder  # type: ignore[assignment]
        await made.send(200, "/users", {"user_id": "ann"})
        await made.send(200, "/graph/create", {"graph_id": "tea"})
        yield made


async def test_a_search_is_over_edges_unless_it_says_so(api: Api) -> None:
    """Ten of them, by the best order we know, as of now."""
    answer = await api.search()
    assert api.query == Query(text="tea", kind="fact", now=NOW)
    assert answer.keys() == {"edges", "response"}
    assert answer["response"] == {"server_latency_ms": 0}
    (edge,) = answer["edges"]
    assert (edge["fact"], edge["score"], edge["relevance"]) == ("Ann likes tea", 0.5, 0.7)
    assert "selection_rank" not in edge


@pytest.mark.parametrize(
    ("scope", "kind"),
    [
        ("edges", "fact"),
        ("nodes", "entity"),
        ("episodes", "episode"),
        ("observations", "observation"),
        ("thread_summaries", "thread_summary"),
    ],
)
async def test_each_scope_answers_its_own_list(api: Api, scope: str, kind: str) -> None:
    """With a score on every hit, and relevance only where the cross-encoder gave one."""
    answer = await api.search(scope=scope)
    assert api.query.kind == kind
    assert answer.keys() == {scope, "response"}
    (hit,) = answer[scope]
    assert hit["score"] > 0
    assert ("relevance" in hit) == (scope == "edges")


async def test_derived_hits_carry_what_clients_read(api: Api) -> None:
    """An observation with its episodes, a thread's summary under the thread's id."""
    (observation,) = (await api.search(scope="observations"))["observations"]
    assert observation["name"] == "Tea"
    assert observation["summary"] == "Often tea"
    assert observation["episode_ids"] == []
    (summary,) = (await api.search(scope="thread_summaries"))["thread_summaries"]
    assert (summary["name"], summary["summary"]) == ("talk", "About tea")
    assert summary["last_summarized_at"] == "2026-05-01T12:00:00Z"


async def test_every_parameter_reaches_the_search(api: Api) -> None:
    """Nothing that a client can say is lost on the way."""
    await api.search(
        limit=7,
        reranker="mmr",
        mmr_lambda=0.25,
        center_node_uuid="c",
        bfs_origin_node_uuids=["a", "b", "a"],
        min_score=0.1,
        min_fact_rating=0.3,
        valid_at="2024-05-01T10:00:00+02:00",
        known_at="2025-01-01T00:00:00Z",
        search_filters={"edge_types": ["LIKES"], "source_node_uuids": [ONE]},
    )
    assert api.query == Query(
        text="tea",
        kind="fact",
        now=NOW,
        limit=7,
        reranker="mmr",
        mmr_lambda=0.25,
        center_uuid="c",
        origin_uuids=("a", "b"),
        score_min=0.1,
        filters=Filters(
            edge_types=("LIKES",),
            source_node_uuids=(ONE,),
            rating_min=0.3,
            valid_on=datetime(2024, 5, 1, 8, tzinfo=UTC),
            known_on=datetime(2025, 1, 1, tzinfo=UTC),
        ),
    )


async def test_what_only_facts_have_is_not_asked_of_others(api: Api) -> None:
    """Dates, ratings and both clocks are passed over in a search over nodes."""
    await api.search(
        scope="nodes",
        min_fact_rating=0.3,
        valid_at="2024-05-01T10:00:00Z",
        search_filters={
            "node_labels": ["Person"],
            "created_at": [[{"comparison_operator": "is_null"}]],
        },
    )
    assert api.query.filters == Filters(node_labels=("Person",))


@pytest.mark.parametrize(("limit", "meant"), [(None, 10), (0, 10), (1, 1), (50, 50), (51, 50)])
async def test_the_limit_is_ten_and_fifty_at_the_most(
    api: Api, limit: int | None, meant: int
) -> None:
    """None and nought are no limit of the caller's."""
    await api.search(**({} if limit is None else {"limit": limit}))
    assert api.query.limit == meant


@pytest.mark.parametrize(("headers", "meant"), [(V3, 400), (V2, 8_192), ([], 8_192)])
async def test_a_long_query_is_cut_as_its_client_expects(
    api: Api, headers: Any, meant: int
) -> None:
    """Never an error; the version of the client tells the generations apart."""
    await api.search(headers, query="é" * 9_000)
    assert api.query.text == "é" * meant


async def test_generation_2_is_not_told_what_it_does_not_know(api: Api) -> None:
    """How long a search took is an answer to generation 3 and to those who use no client."""
    assert (await api.search(V2)).keys() == {"edges"}
    assert (await api.search(V3)).keys() == {"edges", "response"}


@pytest.mark.parametrize("query", ["", "  \n\t "])
async def test_a_blank_query_finds_nothing(api: Api, query: str) -> None:
    """Without a search, but with the list that was asked for."""
    assert (await api.search(query=query, scope="nodes"))["nodes"] == []
    assert (await api.search(query=query, scope="auto"))["context"] == ""
    assert api.finder.asked == []
    await api.send(404, "/graph/search", {"query": query, "user_id": "nobody"})


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ({"scope": "facts"}, "scope: must be one of edges, nodes"),
        ({"reranker": "best"}, "reranker: must be one of rrf, mmr"),
        ({"reranker": "node_distance"}, "center_node_uuid: reranker node_distance needs it"),
        ({"reranker": "mmr", "mmr_lambda": 1.5}, "mmr_lambda: must be from 0 to 1"),
        ({"mmr_lambda": -0.1}, "mmr_lambda: must be from 0 to 1"),
        ({"min_fact_rating": 2}, "min_fact_rating: must be from 0 to 1"),
        ({"limit": -1}, "limit:"),
        ({"valid_at": "then"}, "valid_at:"),
        ({"known_at": "then"}, "known_at:"),
        ({"graph_id": "tea"}, "user_id and graph_id"),
        ({"user_id": None}, "user_id or graph_id"),
        ({"bfs_origin_node_uuids": ["x"] * 257}, "bfs_origin_node_uuids: at most 256"),
        (
            {"scope": "auto", "reranker": "node_distance", "center_node_uuid": "c"},
            "reranker: node_distance",
        ),
        ({"scope": "auto", "reranker": "episode_mentions"}, "reranker: episode_mentions"),
        (
            {"scope": "nodes", "search_filters": {"connected_node_uuids": [ONE]}},
            "search_filters.connected_node_uuids:",
        ),
        ({"search_filters": {"labels": ["x"]}}, "search_filters: object contains unknown field"),
        (
            {"search_filters": {"episode_metadata_filters": {"type": "and"}}},
            "search_filters.episode_metadata_filters: a group must have",
        ),
    ],
)
async def test_a_bad_search_is_told_what_is_wrong(api: Api, body: Any, says: str) -> None:
    """The message begins with the field."""
    assert (await api.refused(**body)).startswith(says)


async def test_the_time_zone_is_the_users_then_the_graphs_then_the_projects(api: Api) -> None:
    """In which "yesterday" is meant."""
    await api.search()
    project = {"default_time_zone": "Asia/Tokyo"}
    await api.running.send("PATCH", "/api/v2/projects/info", project)
    await api.search()
    await api.running.send("PATCH", "/api/v2/users/ann", {"time_zone": "Europe/Berlin"})
    await api.search()
    await api.running.send("PATCH", "/api/v2/graph/tea", {"time_zone": "America/Lima"})
    await api.search(user_id=None, graph_id="tea")
    zones = [query.time_zone for query in api.finder.asked]
    assert zones == [None, "Asia/Tokyo", "Europe/Berlin", "America/Lima"]


async def test_auto_searches_every_kind_and_answers_a_text(api: Api) -> None:
    """The raw hits stay behind unless they are asked for."""
    answer = await api.search(
        scope="auto", limit=1, search_filters={"source_node_uuids": [ONE], "node_labels": ["A"]}
    )
    assert sorted(query.kind for query in api.finder.asked) == sorted(EVERYTHING)
    assert answer.keys() == {"context", "response"}
    assert "Ann likes tea" in answer["context"]
    by_kind = {query.kind: query.filters for query in api.finder.asked}
    assert by_kind["fact"].source_node_uuids == (ONE,)
    assert by_kind["entity"] == Filters(node_labels=("A",))


async def test_auto_ranks_raw_hits_over_all_kinds(api: Api) -> None:
    """The place of each in the order of choice, from 1."""
    answer = await api.search(scope="auto", return_raw_results=True)
    ranks = {
        name: hit["selection_rank"]
        for name, hits in answer.items()
        if name not in {"context", "response"}
        for hit in hits
    }
    assert ranks["observations"] == 1
    assert ranks["edges"] == 2
    assert sorted(ranks.values()) == list(range(1, len(ranks) + 1))


async def test_auto_keeps_to_its_characters(api: Api) -> None:
    """A text that cannot hold anything is empty, and still there."""
    answer = await api.search(scope="auto", max_characters=10, return_raw_results=True)
    assert answer["context"] == ""
    assert answer["edges"] == []


LEAF = {"property_name": "tier", "comparison_operator": "=", "property_value": "gold"}
TREE = {"type": "and", "filters": [LEAF]}


async def added(api: Api, *texts: str) -> list[dict[str, Any]]:
    """Episodes of the graph tea."""
    path = "/graph"
    return [
        (await api.send(200, path, {"graph_id": "tea", "type": "text", "data": text})).json()
        for text in texts
    ]


async def test_a_list_of_episodes_is_narrowed_by_metadata_and_paged(api: Api) -> None:
    """Only what passes counts, on every page."""
    made = await added(api, "one", "two", "three", "four")
    api.finder.passing = [row[0] for row in api.running.rows("SELECT id FROM episodes")][1:]
    body = {"episode_metadata_filters": TREE, "limit": 2, "direction": "asc"}
    first = await api.send(200, "/graph/episodes/graph/tea", body)
    cursor = first.header("Zep-Next-Cursor")
    rest = await api.send(200, "/graph/episodes/graph/tea", {**body, "cursor": cursor})
    contents = [episode["content"] for episode in first.json() + rest.json()]
    assert sorted(contents) == ["four", "three", "two"]
    assert len(made) == 4
    assert rest.header("Zep-Next-Cursor") == ""
    test = ValueTest(name="tier", operator="=", value="gold")
    narrowed = Filters(episode_metadata=MetadataTree(joined_by="and", tests=(test,)))
    assert api.finder.narrowed == [("episode", narrowed)] * 2


@pytest.mark.parametrize("noun", ["node", "edge"])
async def test_a_list_of_nodes_or_edges_is_narrowed_by_filters(api: Api, noun: str) -> None:
    """What does not pass is on no page; a list without filters asks for no narrowing."""
    table = {"node": "entities", "edge": "facts"}[noun]
    await api.send(200, "/users", {"user_id": "bob", "first_name": "Bob", "email": "b@b.com"})
    path = f"/graph/{noun}/user/bob"
    everything = (await api.send(200, path, {})).json()
    assert api.finder.narrowed == []
    (row, *_) = api.running.rows(f"SELECT id, uuid FROM {table} ORDER BY id DESC")  # noqa: S608
    api.finder.passing = [row[0]]
    some = (await api.send(200, path, {"filters": {"node_labels": ["User"]}})).json()
    assert [item["uuid"] for item in some] == [row[1]]
    assert row[1] in [item["uuid"] for item in everything]
    assert api.finder.narrowed[0][1] == Filters(node_labels=("User",))
    api.finder.passing = []
    assert (await api.send(200, path, {"filters": {"node_labels": ["Dog"]}})).json() == []


async def test_ids_of_another_graph_are_not_listed(api: Api) -> None:
    """Even if they were said to pass."""
    await added(api, "one")
    api.finder.passing = [row[0] for row in api.running.rows("SELECT id FROM episodes")]
    body = {"episode_metadata_filters": TREE}
    assert (await api.send(200, "/graph/episodes/user/ann", body)).json() == []


@pytest.mark.parametrize(
    ("path", "body", "says"),
    [
        ("/graph/node/user/ann", {"filters": {"source_node_uuids": [ONE]}}, "filters.source_node"),
        ("/graph/node/user/ann", {"filters": {"what": 1}}, "filters: object contains unknown"),
        ("/graph/edge/user/ann", {"filters": {"edge_uuids": ["x"]}}, "filters.edge_uuids[0]:"),
        (
            "/graph/episodes/user/ann",
            {"episode_metadata_filters": {"type": "nor", "filters": [LEAF]}},
            "episode_metadata_filters.type:",
        ),
    ],
)
async def test_bad_filters_of_a_list_are_named(api: Api, path: str, body: Any, says: str) -> None:
    """As in a search, by their path in the request."""
    assert (await api.send(400, path, body)).message.startswith(says)


async def test_a_node_tells_the_episodes_that_mention_it(api: Api) -> None:
    """Newest first, and none of them when there are more than a hundred."""
    (node,) = (await api.send(200, "/graph/node/user/ann", {})).json()
    assert (node["episodes"], node["episodes_truncated"]) == ([], False)
    made = await added(api, *(str(number) for number in range(101)))
    ((entity_id,),) = api.running.rows("SELECT id FROM entities")
    for row in api.running.rows("SELECT id FROM episodes ORDER BY id LIMIT 100"):
        api.running.execute("INSERT INTO mentions VALUES (?, ?)", entity_id, row[0])
    read = await api.running.send("GET", f"/api/v2/graph/node/{node['uuid']}")
    newest_first = [episode["uuid"] for episode in reversed(made[:100])]
    assert read.json()["episodes"] == newest_first
    (last,) = api.running.rows("SELECT max(id) FROM episodes")
    api.running.execute("INSERT INTO mentions VALUES (?, ?)", entity_id, last[0])
    (node,) = (await api.send(200, "/graph/node/user/ann", {})).json()
    assert (node["episodes"], node["episodes_truncated"]) == ([], True)


async def test_a_list_by_degree_tells_degrees(api: Api) -> None:
    """And no other list does."""
    await api.send(200, "/users", {"user_id": "bob", "first_name": "Bob", "email": "b@b.com"})
    (plain,) = (await api.send(200, "/graph/node/user/bob", {})).json()
    (ranked,) = (await api.send(200, "/graph/node/user/bob", {"order_by": "degree"})).json()
    assert "degree" not in plain
    own = "SELECT count(*) FROM facts JOIN entities n ON n.id = source_id WHERE n.uuid = ?"
    ((count,),) = api.running.rows(own, plain["uuid"])
    assert ranked["degree"] == count > 0


def test_the_script_names_every_kind() -> None:
    """A kind that is added is searched by these tests, too."""
    assert set(EVERYTHING) == set(get_args(Kind)) == set(KINDS)
