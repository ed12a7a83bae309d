"""From node to node: neighbours, subgraphs and patterns."""

from typing import Any

import pytest

from tests.contract.sdk.drivers import Zep, typed
from tests.contract.sdk.requirements import requirement
from tests.contract.sdk.support import (
    NOBODY,
    a_graph,
    bad_request,
    eventually,
    missing,
    unique,
)

# Who is where: two people in Rome, one of whom knows a third in Oslo.
TOWN = [
    ("Ann", "LIVES_IN", "Rome"),
    ("Bob", "LIVES_IN", "Rome"),
    ("Cleo", "LIVES_IN", "Oslo"),
    ("Bob", "KNOWS", "Cleo"),
]


@pytest.fixture(scope="module")
def town(server: Any) -> dict[str, str]:
    """A graph of a small town: its id, and the uuids of its nodes by name."""
    graph_id = unique("town")
    with server.http() as http:
        http.post("/graph/create", json={"graph_id": graph_id})
        for source, name, target in TOWN:
            body = {
                "graph_id": graph_id,
                "fact": f"{source} {name.lower().replace('_', ' ')} {target}",
                "fact_name": name,
                "source_node_name": source,
                "target_node_name": target,
            }
            http.post("/graph/add-fact-triple", json=body, timeout=60)
        path = f"/graph/edge/graph/{graph_id}"
        eventually(lambda: http.post(path, json={}).json(), lambda found: len(found) == len(TOWN))
        nodes = http.post(f"/graph/node/graph/{graph_id}", json={}).json()
    return {"": graph_id, **{node["name"]: node["uuid"] for node in nodes}}


@requirement("v3:graph.node.get_neighbors", "v3:graph.node.get_neighbors:direction")
def test_the_neighbours_of_a_node_come_with_their_edges(zep3: Zep, town: dict[str, str]) -> None:
    """In every direction, or in one, or along one type of edge."""

    def names(**wanted: Any) -> set[str]:
        found = zep3.graph.node.get_neighbors(town["Bob"], **wanted)
        assert all(near["edges"] for near in found)
        return {near["node"]["name"] for near in found}

    assert names() == {"Rome", "Cleo"}
    assert names(direction="in") == set()
    assert names(direction="out", direction_sort="asc", order_by="created_at") == {"Rome", "Cleo"}
    assert names(filters=typed("SearchFilters", edge_types=["KNOWS"])) == {"Cleo"}
    with missing():
        zep3.graph.node.get_neighbors(NOBODY)
    with bad_request():
        zep3.graph.node.get_neighbors(town["Bob"], direction="up")


@requirement("v3:graph.get_subgraph", "v3:graph.get_subgraph:budgets")
def test_a_subgraph_holds_both_ends_of_every_edge(zep3: Zep, town: dict[str, str]) -> None:
    """As deep as asked for, and cut where a budget says so."""

    def walk(**wanted: Any) -> dict[str, Any]:
        seeds = [town["Ann"], NOBODY]
        found: dict[str, Any] = zep3.graph.get_subgraph(
            seed_node_uuids=seeds, graph_id=town[""], **wanted
        )
        nodes = {node["uuid"] for node in found["nodes"]}
        for edge in found["edges"]:
            assert {edge["source_node_uuid"], edge["target_node_uuid"]} <= nodes
        return found

    near = walk()
    assert {node["name"] for node in near["nodes"]} == {"Ann", "Rome"}
    assert near["truncated"] is False
    far = walk(depth=3)
    assert {node["name"] for node in far["nodes"]} == {"Ann", "Rome", "Bob", "Cleo"}
    cut = walk(depth=3, max_nodes=2)
    assert (cut["truncated"], cut["truncation_reason"]) == (True, "max_nodes")
    few = walk(depth=3, max_edges=1)
    assert (len(few["edges"]), few["truncation_reason"]) == (1, "max_edges")
    tree = typed("MetadataFilterGroup", type="and", filters=[])
    for bad in (
        {"depth": 4},
        {"search_filters": typed("SearchFilters", episode_metadata_filters=tree)},
    ):
        with bad_request():
            walk(**bad)


@requirement("v3:graph.detect_patterns")
def test_patterns_that_recur_are_found(zep3: Zep, town: dict[str, str]) -> None:
    """Over the whole graph, around seeds, and around what a query finds."""
    found = zep3.graph.detect_patterns(graph_id=town[""])
    # Drivers leave what is called metadata as the client gives it, camelCase included.
    assert len(TOWN) in found["metadata"].values()
    most = max(
        (pattern for pattern in found["patterns"] if pattern["type"] == "relationship"),
        key=lambda pattern: pattern["occurrences"],
    )
    assert (most["edge_types"], most["occurrences"]) == (["LIVES_IN"], 3)
    seeds = typed("PatternSeeds", node_uuids=[town["Oslo"]])
    around = zep3.graph.detect_patterns(graph_id=town[""], seeds=seeds, min_occurrences=1)
    kinds = {p["type"]: p for p in around["patterns"] if p["type"] == "relationship"}
    assert kinds["relationship"]["occurrences"] == 1
    asked = zep3.graph.detect_patterns(
        graph_id=town[""], query="Who lives in Rome?", min_occurrences=1
    )
    homes = next(p for p in asked["patterns"] if p["edge_types"] == ["LIVES_IN"])
    assert "rome" in homes["summary"].lower()
    assert {node["name"] for node in asked["nodes"]} >= {"Rome"}
    with bad_request():
        zep3.graph.detect_patterns(graph_id=a_graph(zep3)["graph_id"], query="x", seeds=seeds)
