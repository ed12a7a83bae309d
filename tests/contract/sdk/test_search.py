"""Search over facts, nodes, episodes and all of it, and lists that filters narrow."""

from typing import Any

import pytest

from tests.contract.sdk.drivers import Zep, typed
from tests.contract.sdk.requirements import requirement
from tests.contract.sdk.support import (
    NOBODY,
    a_graph,
    a_group,
    a_user,
    bad_request,
    contents,
    eventually,
    processed,
    unique,
    uuids,
)

TRIPLES: list[dict[str, Any]] = [
    {
        "fact": "Paul plays the bass guitar",
        "fact_name": "PLAYS",
        "source_node_name": "Paul",
        "target_node_name": "bass guitar",
        "valid_at": "2020-01-01T00:00:00Z",
    },
    {
        "fact": "Paul lives in Liverpool",
        "fact_name": "LIVES_IN",
        "source_node_name": "Paul",
        "target_node_name": "Liverpool",
        "valid_at": "2021-01-01T00:00:00Z",
    },
    {
        "fact": "Ringo plays the drums",
        "fact_name": "PLAYS",
        "source_node_name": "Ringo",
        "target_node_name": "drums",
        "valid_at": "2022-01-01T00:00:00Z",
    },
]


@pytest.fixture(scope="module", autouse=True)
def _awake(server: Any) -> None:
    """The first write and the first search load the models, which takes a while."""
    with server.http() as http:
        graph = unique("first")
        http.post("/graph/create", json={"graph_id": graph})
        task = http.post("/graph/add-fact-triple", json={**TRIPLES[0], "graph_id": graph}).json()
        eventually(
            lambda: http.get(f"/tasks/{task['task_id']}").json(),
            lambda found: found["status"] == "succeeded",
        )
        asked = {"query": "bass", "graph_id": graph, "reranker": "cross_encoder"}
        assert http.post("/graph/search", json=asked, timeout=60).status_code == 200


def a_band(zep: Zep, **target: str) -> dict[str, str]:
    """A graph that knows three facts; says how to name it."""
    if not target:
        target = (
            {"group_id": a_group(zep)["group_id"]}
            if zep.client.name in {"py2", "js2"}
            else {"graph_id": a_graph(zep)["graph_id"]}
        )
    for triple in TRIPLES:
        zep.graph.add_fact_triple(**triple, **target)
    every = {"query": "Paul Ringo", **target}
    eventually(lambda: zep.graph.search(**every)["edges"], lambda edges: len(edges) == len(TRIPLES))
    return target


def facts(answer: dict[str, Any]) -> list[str]:
    """The sentences that were found, best first."""
    return [edge["fact"] for edge in answer["edges"]]


def date(operator: str, value: str | None = None) -> dict[str, Any]:
    """A test of a date."""
    given = {} if value is None else {"date": value}
    return typed("DateFilter", comparison_operator=operator, **given)


def narrowed(**filters: Any) -> dict[str, Any]:
    """Filters of a search."""
    return typed("SearchFilters", **filters)


@requirement("v2:graph.search:edges-scope", "v3:graph.search:edges-scope")
def test_facts_are_found_by_words_and_by_meaning(zep: Zep) -> None:
    """Over edges unless told otherwise; each with its score, the best one first."""
    band = a_band(zep)
    found = zep.graph.search(query="Where is Paul's home town?", **band)
    assert facts(found)[0] == "Paul lives in Liverpool"
    scores = [edge["score"] for edge in found["edges"]]
    assert scores == sorted(scores, reverse=True)
    assert facts(zep.graph.search(query="drums", scope="edges", limit=1, **band)) == [
        "Ringo plays the drums"
    ]


@requirement("v2:graph.search:nodes-scope", "v3:graph.search:nodes-scope")
def test_nodes_are_found(zep: Zep) -> None:
    """By their names; each with its score."""
    band = a_band(zep)
    found = zep.graph.search(query="Ringo", scope="nodes", **band)
    assert found["nodes"][0]["name"] == "Ringo"
    assert all(node["score"] is not None for node in found["nodes"])
    assert "edges" not in found


@requirement("v2:graph.search:rerankers", "v3:graph.search:rerankers")
def test_every_reranker_orders_facts(zep: Zep) -> None:
    """With a score on every hit; the cross-encoder tells generation 3 its relevance, too."""
    band = a_band(zep)
    query = "What instrument does Paul play?"
    for reranker in ("rrf", "mmr", "episode_mentions", "cross_encoder"):
        found = zep.graph.search(query=query, reranker=reranker, **band)
        assert set(facts(found)) <= {triple["fact"] for triple in TRIPLES}, reranker
        assert found["edges"], reranker
        for edge in found["edges"]:
            assert edge["score"] is not None
            if reranker != "cross_encoder":
                assert "relevance" not in edge
    assert facts(found)[0] == "Paul plays the bass guitar"
    assert all(0 <= edge["score"] <= 1 for edge in found["edges"])
    ringo = zep.graph.search(query="Ringo", scope="nodes", **band)["nodes"][0]["uuid"]
    near = zep.graph.search(
        query="Paul Ringo", reranker="node_distance", center_node_uuid=ringo, **band
    )
    assert facts(near)[0] == "Ringo plays the drums"
    with bad_request():
        zep.graph.search(query=query, reranker="node_distance", **band)


@requirement("v2:graph.search:filters", "v3:graph.search:filters")
def test_filters_narrow_a_search(zep: Zep) -> None:
    """By the types of edges, by labels, by dates with OR and AND."""
    band = a_band(zep)
    plays = zep.graph.search(query="Paul", search_filters=narrowed(edge_types=["PLAYS"]), **band)
    assert set(facts(plays)) == {"Paul plays the bass guitar", "Ringo plays the drums"}
    since = "2021-01-01T00:00:00Z"
    either = [[date("<", since)], [date(">", since), date("<", "2023-01-01T00:00:00Z")]]
    dated = zep.graph.search(query="Paul", search_filters=narrowed(valid_at=either), **band)
    assert set(facts(dated)) == {"Paul plays the bass guitar", "Ringo plays the drums"}
    nobody = narrowed(node_labels=["Nothing"])
    none = zep.graph.search(query="Paul", scope="nodes", search_filters=nobody, **band)
    assert none["nodes"] == []


@requirement("v2:graph.search:bounds", "v3:graph.search:bounds")
def test_a_search_has_its_bounds(zep: Zep) -> None:
    """A blank query finds nothing, and a very long one is cut rather than refused."""
    band = a_band(zep)
    assert zep.graph.search(query="  ", **band)["edges"] == []
    assert zep.graph.search(query="drums " * 3_000, **band)["edges"]
    assert len(zep.graph.search(query="Paul Ringo", limit=2, **band)["edges"]) == 2
    assert len(zep.graph.search(query="Paul Ringo", limit=1_000, **band)["edges"]) == 3


@requirement("v2:graph.search:filters")
def test_a_rating_is_a_filter_of_generation_2(zep2: Zep) -> None:
    """An unrated fact is never too low; what is no rating is refused."""
    band = a_band(zep2)
    found = zep2.graph.search(query="Paul Ringo", min_fact_rating=0.5, **band)
    assert len(found["edges"]) == len(TRIPLES)
    with bad_request():
        zep2.graph.search(query="Paul", min_fact_rating=7, **band)


@requirement("v3:graph.search:filters")
def test_generation_3_narrows_by_ends_and_values(zep3: Zep) -> None:
    """Nodes at the ends, edges left out by type, properties that are there or not."""
    band = a_band(zep3)
    paul = zep3.graph.search(query="Paul", scope="nodes", limit=1, **band)["nodes"][0]["uuid"]
    ask = {"query": "Paul Ringo", **band}
    ends = zep3.graph.search(search_filters=narrowed(source_node_uuids=[paul]), **ask)
    assert set(facts(ends)) == {"Paul plays the bass guitar", "Paul lives in Liverpool"}
    rest = narrowed(connected_node_uuids=[paul], exclude_edge_types=["PLAYS"])
    assert facts(zep3.graph.search(search_filters=rest, **ask)) == ["Paul lives in Liverpool"]
    rated = typed("PropertyFilter", property_name="stars", comparison_operator="IS NOT NULL")
    starred = narrowed(property_filters=[rated])
    assert zep3.graph.search(search_filters=starred, **ask)["edges"] == []
    unknown = narrowed(target_node_uuids=[NOBODY])
    assert zep3.graph.search(search_filters=unknown, **ask)["edges"] == []


def told(zep3: Zep, user_id: str, text: str, **metadata: Any) -> dict[str, Any]:
    """An episode of a user, processed."""
    piece = zep3.graph.add(user_id=user_id, type="text", data=text, metadata=metadata)
    return processed(zep3, piece["uuid"])


def leaf(name: str, operator: str, *value: Any) -> dict[str, Any]:
    """A test of one metadata value."""
    given = {"property_value": value[0]} if value else {}
    return typed("EpisodeMetadataFilter", property_name=name, comparison_operator=operator, **given)


def group(kind: str, *leaves: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Tests of metadata, joined."""
    return typed("MetadataFilterGroup", type=kind, filters=list(leaves), **more)


@requirement(
    "v3:graph.search:metadata",
    "v3:graph.episode.list_by_user_id:filters",
)
def test_a_tree_of_metadata_holds_of_one_episode(zep3: Zep) -> None:
    """In searches and in lists; values of two episodes do not add up."""
    user_id = a_user(zep3)["user_id"]
    told(zep3, user_id, "The quokka eats grass.", source="crm", tier=1)
    told(zep3, user_id, "The quokka sleeps.", source="web", tier=9)
    told(zep3, user_id, "The quokka jumps.")
    ask = {"user_id": user_id, "query": "quokka", "scope": "episodes"}

    def found(tree: dict[str, Any]) -> set[str]:
        filters = narrowed(episode_metadata_filters=tree)
        searched = set(contents(zep3.graph.search(search_filters=filters, **ask)["episodes"]))
        listed = zep3.graph.episode.list_by_user_id(user_id, episode_metadata_filters=tree)
        assert set(contents(listed)) == searched
        return searched

    assert found(group("and", leaf("source", "=", "crm"))) == {"The quokka eats grass."}
    both = group("and", leaf("source", "=", "crm"), leaf("tier", "=", 9))
    assert found(both) == set()
    inner = group("and", leaf("tier", ">", 5), leaf("source", "IS NOT NULL"))
    either = group("or", leaf("source", "IS NULL"), groups=[inner])
    assert found(either) == {"The quokka sleeps.", "The quokka jumps."}
    listed = group("and", leaf("source", "CONTAINS", "crm,web"))
    assert found(listed) == {"The quokka eats grass.", "The quokka sleeps."}


@requirement("v3:graph.node.get_by_user_id:filters", "v3:graph.edge.get_by_user_id:filters")
def test_lists_of_nodes_and_edges_are_narrowed(zep3: Zep) -> None:
    """By labels and by types, page by page."""
    user_id = a_user(zep3)["user_id"]
    a_band_of = [{**triple, "user_id": user_id} for triple in TRIPLES]
    for triple in a_band_of:
        zep3.graph.add_fact_triple(**triple)
    plays = narrowed(edge_types=["PLAYS"])
    edges = eventually(
        lambda: zep3.graph.edge.get_by_user_id(user_id, filters=plays),
        lambda found: len(found) == 2,
    )
    assert {edge["name"] for edge in edges} == {"PLAYS"}
    assert all("score" not in edge for edge in edges)
    one, headers = zep3.raw.graph.edge.get_by_user_id(user_id, filters=plays, limit=1)
    cursor = headers["zep-next-cursor"]
    two = zep3.graph.edge.get_by_user_id(user_id, filters=plays, limit=1, cursor=cursor)
    assert {*uuids(one), *uuids(two)} == set(uuids(edges))
    users = zep3.graph.node.get_by_user_id(user_id, filters=narrowed(node_labels=["User"]))
    assert [node["labels"] for node in users] == [["Entity", "User"]]
    others = narrowed(exclude_node_labels=["User"])
    names = {node["name"] for node in zep3.graph.node.get_by_user_id(user_id, filters=others)}
    assert names >= {"Paul", "Ringo"}
    assert "Jane Smith" not in names


@requirement("v3:graph.search:observations-scope", "v3:graph.search:thread-summaries-scope")
def test_derived_knowledge_can_be_searched(zep3: Zep) -> None:
    """Each under its own name, empty where there is none."""
    band = a_band(zep3)
    for scope in ("observations", "thread_summaries"):
        assert zep3.graph.search(query="Paul", scope=scope, **band)[scope] == []


@requirement("v3:graph.search:auto-scope")
def test_auto_answers_a_text_of_everything(zep3: Zep) -> None:
    """Raw hits only if asked for, each with its place; the text keeps to its bound."""
    band = a_band(zep3)
    ask = {"query": "Where does Paul live?", "scope": "auto", **band}
    plain = zep3.graph.search(**ask)
    assert "Paul lives in Liverpool" in plain["context"]
    assert "edges" not in plain
    assert plain["response"]["server_latency_ms"] >= 0
    raw = zep3.graph.search(return_raw_results=True, max_characters=400, **ask)
    assert 0 < len(raw["context"]) <= 400
    hits = [hit for name in ("edges", "nodes", "episodes") for hit in raw.get(name, [])]
    assert sorted(hit["selection_rank"] for hit in hits) == list(range(1, len(hits) + 1))
    for reranker in ("node_distance", "episode_mentions"):
        with bad_request():
            zep3.graph.search(reranker=reranker, center_node_uuid=NOBODY, **ask)


@requirement("v3:graph.search:refusals")
def test_a_bad_search_is_refused_by_the_name_of_its_field(zep3: Zep) -> None:
    """The path leads to what is wrong, through groups and lists."""
    ask = {"query": "Paul", "graph_id": a_graph(zep3)["graph_id"]}
    bad = group("and", groups=[group("or", leaf("a", "=", 1), leaf("b", "IS NULL", 2))])
    for body, path in (
        ({"mmr_lambda": 2.0, "reranker": "mmr"}, "mmr_lambda"),
        (
            {"search_filters": narrowed(episode_metadata_filters=bad)},
            "search_filters.episode_metadata_filters.groups[0].filters[1].property_value",
        ),
        (
            {"scope": "nodes", "search_filters": narrowed(source_node_uuids=[NOBODY])},
            "search_filters.source_node_uuids",
        ),
        (
            {"search_filters": narrowed(valid_at=[[date(">", "soon")]])},
            "search_filters.valid_at[0][0].date",
        ),
    ):
        with bad_request() as raised:
            zep3.graph.search(**ask, **body)
        assert raised.value.body["message"].startswith(f"{path}:")
