"""Nodes, edges and facts, read from what a new user is known by: no model is needed for these."""

from typing import Any

import pytest

from tests.contract.sdk.drivers import Zep
from tests.contract.sdk.requirements import requirement
from tests.contract.sdk.support import (
    NOBODY,
    a_graph,
    a_group,
    a_user,
    bad_request,
    cursor_pages,
    instant,
    missing,
    refused,
    uuids,
)


def own_node(zep: Zep, user_id: str) -> dict[str, Any]:
    """The user's own node: the one node there is without a model."""
    node: dict[str, Any] = zep.user.get_node(user_id)["node"]
    return node


def own_edge(zep: Zep, user_id: str) -> dict[str, Any]:
    """One of the facts a user starts with."""
    node = own_node(zep, user_id)["uuid"]
    edge: dict[str, Any] = zep.graph.edge.get_by_user_id(user_id)[0]
    assert node in (edge["source_node_uuid"], edge["target_node_uuid"])
    return edge


@requirement(
    "v2:graph.node.get_by_user_id",
    "v3:graph.node.get_by_user_id",
    "v2:graph.node.get",
    "v3:graph.node.get",
)
def test_the_nodes_of_a_user_are_listed_and_read(zep: Zep) -> None:
    """The list holds the user's node, and each node reads alike by its uuid."""
    user_id = a_user(zep)["user_id"]
    nodes = zep.graph.node.get_by_user_id(user_id)
    assert zep.user.get_node(user_id)["node"]["uuid"] in uuids(nodes)
    for node in nodes:
        found = zep.graph.node.get(node["uuid"])
        assert found["name"] == node["name"]
        assert isinstance(found["summary"], str)
        assert "Entity" in found["labels"]
        assert instant(found["created_at"])


@requirement(
    "v2:graph.edge.get_by_user_id",
    "v3:graph.edge.get_by_user_id",
    "v2:graph.edge.get",
    "v3:graph.edge.get",
)
def test_the_edges_of_a_user_are_listed_and_read(zep: Zep) -> None:
    """Each edge states a fact between two nodes of the user, and reads alike by its uuid."""
    user = a_user(zep)
    nodes = set(uuids(zep.graph.node.get_by_user_id(user["user_id"])))
    edges = zep.graph.edge.get_by_user_id(user["user_id"])
    assert any(user["email"] in edge["fact"] for edge in edges)
    for edge in edges:
        assert {edge["source_node_uuid"], edge["target_node_uuid"]} <= nodes
        found = zep.graph.edge.get(edge["uuid"])
        assert found["fact"] == edge["fact"]
        assert found["name"] == edge["name"]
        assert instant(found["created_at"])


@requirement("v2:graph.node.get_by_group_id", "v2:graph.edge.get_by_group_id")
def test_a_new_group_has_neither_nodes_nor_edges(zep2: Zep) -> None:
    """Both lists are bare arrays, empty at first, and take a limit."""
    group_id = a_group(zep2)["group_id"]
    assert zep2.graph.node.get_by_group_id(group_id) == []
    assert zep2.graph.edge.get_by_group_id(group_id, limit=5) == []


@requirement("v3:graph.node.get_by_graph_id", "v3:graph.edge.get_by_graph_id")
def test_a_new_graph_has_neither_nodes_nor_edges(zep3: Zep) -> None:
    """Both lists are bare arrays without a next cursor."""
    graph_id = a_graph(zep3)["graph_id"]
    for read in (zep3.raw.graph.node.get_by_graph_id, zep3.raw.graph.edge.get_by_graph_id):
        items, headers = read(graph_id, limit=5)
        assert items == []
        assert not headers.get("zep-next-cursor")


@requirement("v2:graph.list:uuid-cursor", "v3:graph.list:uuid-cursor")
def test_the_uuid_of_the_last_item_continues_a_list(zep: Zep) -> None:
    """Walking one by one with uuid_cursor meets every edge and every node once."""
    user_id = a_user(zep)["user_id"]
    assert len(zep.graph.edge.get_by_user_id(user_id)) >= 2
    for read in (zep.graph.edge.get_by_user_id, zep.graph.node.get_by_user_id):
        everything = uuids(read(user_id, limit=50))
        assert everything
        walked: list[str] = []
        page = uuids(read(user_id, limit=1))
        while page and len(walked) <= len(everything):
            walked += page
            page = uuids(read(user_id, limit=1, uuid_cursor=walked[-1]))
        assert walked == everything


@requirement("v3:graph.node.list:next-cursor-header", "v3:graph.edge.list:next-cursor-header")
@pytest.mark.parametrize("direction", ["asc", "desc"])
@pytest.mark.parametrize(("noun", "at_least"), [("edge", 2), ("node", 1)])
def test_the_header_leads_through_a_list(
    zep3: Zep, noun: str, at_least: int, direction: str
) -> None:
    """Walking one by one with the cursor of the header meets every item once."""
    user_id = a_user(zep3)["user_id"]

    def read(**page: Any) -> Any:
        lists = getattr(zep3.raw.graph, noun)
        return lists.get_by_user_id(user_id, order_by="created_at", direction=direction, **page)

    everything = uuids(read(limit=50)[0])
    assert len(everything) >= at_least
    assert [uuid for page in cursor_pages(read, 1) for uuid in uuids(page)] == everything


@requirement("v2:graph.node.get_edges", "v3:graph.node.get_edges")
def test_the_edges_of_a_node_touch_it(zep: Zep) -> None:
    """All edges of the node and no other."""
    user_id = a_user(zep)["user_id"]
    node = zep.user.get_node(user_id)["node"]["uuid"]
    touching = {
        edge["uuid"]
        for edge in zep.graph.edge.get_by_user_id(user_id)
        if node in (edge["source_node_uuid"], edge["target_node_uuid"])
    }
    assert touching
    assert set(uuids(zep.graph.node.get_edges(node))) == touching


@requirement("v2:graph.node.get_episodes", "v3:graph.node.get_episodes")
def test_the_episodes_of_a_node_are_those_of_its_user(zep: Zep) -> None:
    """Every episode listed for the user's node is an episode of that user."""
    user_id = a_user(zep)["user_id"]
    zep.graph.add(user_id=user_id, type="text", data="Jane Smith likes tea.")
    node = zep.user.get_node(user_id)["node"]["uuid"]
    listed = zep.graph.node.get_episodes(node).get("episodes", [])
    known = zep.graph.episode.get_by_user_id(user_id, lastn=10)["episodes"]
    assert set(uuids(listed)) <= set(uuids(known))


@requirement("v2:graph.edge.delete", "v3:graph.edge.delete", "v3:graph.edge.delete:keeps-nodes")
def test_deleting_an_edge_keeps_its_nodes(zep: Zep) -> None:
    """The fact is gone, both its ends can still be read."""
    user_id = a_user(zep)["user_id"]
    edge = own_edge(zep, user_id)
    assert zep.graph.edge.delete(edge["uuid"])["message"]
    with missing():
        zep.graph.edge.get(edge["uuid"])
    assert edge["uuid"] not in uuids(zep.graph.edge.get_by_user_id(user_id))
    for end in (edge["source_node_uuid"], edge["target_node_uuid"]):
        assert zep.graph.node.get(end)["uuid"] == end
    assert own_node(zep, user_id)["name"] == "Jane Smith"


@requirement("v2:memory.get_fact", "v2:memory.delete_fact")
def test_a_fact_is_an_edge_under_an_older_name(zep2: Zep) -> None:
    """Read by uuid it says the same; deleted it is gone from both."""
    user_id = a_user(zep2)["user_id"]
    listed = zep2.user.get_facts(user_id)["facts"][0]
    fact = zep2.memory.get_fact(listed["uuid"])["fact"]
    assert fact["fact"] == listed["fact"]
    assert zep2.graph.edge.get(listed["uuid"])["fact"] == listed["fact"]
    assert zep2.memory.delete_fact(listed["uuid"])["message"]
    with missing():
        zep2.memory.get_fact(listed["uuid"])
    assert listed["uuid"] not in uuids(zep2.user.get_facts(user_id).get("facts", []))


@requirement("v3:graph.edge.update", "v3:graph.edge.update:merge")
def test_an_edge_can_be_corrected(zep3: Zep) -> None:
    """Fact, name and validity change, attributes merge, and null removes an attribute."""
    edge = own_edge(zep3, a_user(zep3)["user_id"])
    zep3.graph.edge.update(edge["uuid"], attributes={"a": 1, "b": "two"})
    changed = zep3.graph.edge.update(
        edge["uuid"],
        fact="Jane is reached by post.",
        name="REACHED_BY",
        valid_at="2024-01-01T00:00:00Z",
        invalid_at="2025-01-01T00:00:00Z",
        attributes={"a": None, "c": 3},
    )
    for answer in (changed, zep3.graph.edge.get(edge["uuid"])):
        assert answer["fact"] == "Jane is reached by post."
        assert answer["name"] == "REACHED_BY"
        assert instant(answer["valid_at"]) == instant("2024-01-01T00:00:00Z")
        assert instant(answer["invalid_at"]) == instant("2025-01-01T00:00:00Z")
        assert answer["attributes"] == {**edge.get("attributes", {}), "b": "two", "c": 3}
        assert answer["source_node_uuid"] == edge["source_node_uuid"]
    with missing():
        zep3.graph.edge.update(NOBODY, fact="Nothing.")


@requirement("v3:graph.node.update", "v3:graph.node.update:merge")
def test_a_node_can_be_corrected(zep3: Zep) -> None:
    """Name and summary change, attributes merge, and null removes an attribute."""
    uuid = own_node(zep3, a_user(zep3)["user_id"])["uuid"]
    before = zep3.graph.node.update(uuid, attributes={"a": 1, "b": "two"})["attributes"]
    changed = zep3.graph.node.update(
        uuid, name="Letterbox", summary="Where post goes.", attributes={"a": None, "c": 3}
    )
    kept = {name: value for name, value in before.items() if name != "a"}
    for answer in (changed, zep3.graph.node.get(uuid)):
        assert answer["name"] == "Letterbox"
        assert answer["summary"] == "Where post goes."
        assert answer["attributes"] == {**kept, "c": 3}
    with missing():
        zep3.graph.node.update(NOBODY, name="Nothing")


@requirement("v3:graph.node.delete", "v3:graph.node.delete:not-the-users-own")
def test_the_own_node_of_a_user_cannot_be_deleted(zep3: Zep) -> None:
    """It goes with the user and not before; an unknown node is the client's NotFoundError."""
    user_id = a_user(zep3)["user_id"]
    with bad_request():
        zep3.graph.node.delete(own_node(zep3, user_id)["uuid"])
    assert own_node(zep3, user_id)["name"] == "Jane Smith"
    assert zep3.graph.edge.get_by_user_id(user_id)
    with missing():
        zep3.graph.node.delete(NOBODY)


@requirement("v2:errors:404-is-typed", "v3:errors:404-is-typed")
def test_an_unknown_node_or_edge_is_not_found(zep: Zep) -> None:
    """Reading either by an unknown uuid raises the client's NotFoundError."""
    with missing():
        zep.graph.node.get(NOBODY)
    with missing():
        zep.graph.edge.get(NOBODY)


@requirement("v3:errors:404-untyped", "v3:errors:400-is-typed")
def test_a_list_of_an_unknown_user_carries_its_status(zep3: Zep) -> None:
    """These routes have no class for 404; a broken cursor is the client's BadRequestError."""
    with refused(404):
        zep3.graph.node.get_by_user_id("nobody-here")
    with bad_request():
        zep3.graph.node.get_by_user_id(a_user(zep3)["user_id"], cursor="not a cursor")
