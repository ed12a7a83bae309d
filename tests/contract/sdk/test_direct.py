"""Facts and nodes written down by hand, and copies of whole graphs."""

from typing import Any

import httpx
import pytest

from tests.contract.sdk.drivers import Zep, typed
from tests.contract.sdk.requirements import requirement
from tests.contract.sdk.support import (
    NOBODY,
    a_graph,
    a_group,
    a_session,
    a_user,
    bad_request,
    contents,
    eventually,
    instant,
    missing,
    refused,
    said3,
    unique,
    uuids,
)

MET = {
    "fact": "Paul met Eric Clapton",
    "fact_name": "MET",
    "source_node_name": "Paul",
    "target_node_name": "Eric Clapton",
}
LIVES = {
    "fact": "Paul lives in Berlin",
    "fact_name": "LIVES_IN",
    "source_node_name": "Paul",
    "target_node_name": "Berlin",
    "valid_at": "2020-01-01T00:00:00Z",
}
MOVED = {
    **LIVES,
    "fact": "Paul lives in Rome",
    "target_node_name": "Rome",
    "valid_at": "2023-05-01T00:00:00Z",
}


pytestmark = pytest.mark.usefixtures("awake")


def check_triple(made: dict[str, Any]) -> None:
    """An answer that holds the edge and both of its ends."""
    edge, source, target = made["edge"], made["source_node"], made["target_node"]
    assert (edge["fact"], edge["name"]) == (MET["fact"], "MET")
    assert (edge["source_node_uuid"], edge["target_node_uuid"]) == (source["uuid"], target["uuid"])
    assert (source["name"], target["name"]) == ("Paul", "Eric Clapton")
    assert edge["created_at"]


@requirement("v2:graph.add_fact_triple", "v2:graph.add_fact_triple:one-edge")
def test_generation_2_adds_a_fact_with_its_two_nodes(zep2: Zep) -> None:
    """Added to a user and to a group; a second time it is the same edge."""
    for where in ({"user_id": a_user(zep2)["user_id"]}, {"group_id": a_group(zep2)["group_id"]}):
        made = zep2.graph.add_fact_triple(**MET, **where)
        check_triple(made)
        again = zep2.graph.add_fact_triple(**MET, **where)
        assert again["edge"]["uuid"] == made["edge"]["uuid"]
        assert zep2.graph.edge.get(made["edge"]["uuid"])["fact"] == MET["fact"]


@requirement("v3:graph.add_fact_triple", "v3:graph.add_fact_triple:one-edge")
def test_generation_3_adds_a_fact_with_all_there_is_to_say(zep3: Zep) -> None:
    """Labels, summaries, attributes, times and metadata; a second time it is the same edge."""
    graph_id = a_graph(zep3)["graph_id"]
    said = {
        **MET,
        "source_node_labels": ["Musician"],
        "source_node_summary": "A drummer.",
        "target_node_attributes": {"instrument": "guitar"},
        "edge_attributes": {"loudness": 11},
        "metadata": {"source": "crm"},
        "valid_at": "2024-01-01T00:00:00Z",
        "created_at": "2024-01-02T00:00:00Z",
    }
    made = zep3.graph.add_fact_triple(**said, graph_id=graph_id)
    check_triple(made)
    assert set(made["source_node"]["labels"]) == {"Entity", "Musician"}
    assert made["source_node"]["summary"] == "A drummer."
    assert made["target_node"]["attributes"]["instrument"] == "guitar"
    assert made["edge"]["attributes"]["loudness"] == 11
    assert instant(made["edge"]["valid_at"]) == instant("2024-01-01T00:00:00Z")
    assert zep3.task.get(made["task_id"])["status"] == "succeeded"
    again = zep3.graph.add_fact_triple(**MET, graph_id=graph_id)
    assert again["edge"]["uuid"] == made["edge"]["uuid"]
    assert uuids(zep3.graph.edge.get_by_graph_id(graph_id)) == [made["edge"]["uuid"]]


def closed_by_moving(zep: Zep, **where: str) -> None:
    """One lives in one place at a time: the old fact ends where the new one begins."""
    old = zep.graph.add_fact_triple(**LIVES, **where)["edge"]
    new = zep.graph.add_fact_triple(**MOVED, **where)["edge"]
    closed = zep.graph.edge.get(old["uuid"])
    assert instant(closed["invalid_at"]) == instant(MOVED["valid_at"])
    assert closed["expired_at"]
    assert "invalid_at" not in zep.graph.edge.get(new["uuid"])


@requirement("v2:graph.add_fact_triple:closes")
def test_generation_2_closes_what_a_fact_contradicts(zep2: Zep) -> None:
    """Nothing is overwritten; the old fact has an end from now on."""
    closed_by_moving(zep2, user_id=a_user(zep2)["user_id"])


@requirement("v3:graph.add_fact_triple:closes")
def test_generation_3_closes_what_a_fact_contradicts(zep3: Zep) -> None:
    """Nothing is overwritten; the old fact has an end from now on."""
    closed_by_moving(zep3, graph_id=a_graph(zep3)["graph_id"])


OUT_OF_BOUNDS: list[dict[str, Any]] = [
    {"fact": "x" * 251},
    {"fact_name": "M" * 51},
    {"fact_name": "met"},
    {"source_node_name": "x" * 51},
    {"target_node_name": "x" * 51},
    {"target_node_summary": "x" * 501},
    {"valid_at": "yesterday"},
    {"valid_at": "2024-02-01T00:00:00Z", "invalid_at": "2024-01-01T00:00:00Z"},
]
OUT_OF_BOUNDS_3: list[dict[str, Any]] = [
    {"source_node_labels": ["A", "B"]},
    {"edge_attributes": {"a": [1]}},
    {"metadata": {"a": [1]}},
]


@requirement("v2:graph.add_fact_triple:limits")
def test_generation_2_is_told_which_limits_a_fact_has(zep2: Zep) -> None:
    """Each is the client's BadRequestError; so are two targets and none."""
    user_id = a_user(zep2)["user_id"]
    for change in OUT_OF_BOUNDS:
        with bad_request() as raised:
            zep2.graph.add_fact_triple(**{**MET, "user_id": user_id, **change})
        assert raised.value.body["message"].startswith(tuple(change))
    with bad_request():
        zep2.graph.add_fact_triple(**MET)
    with bad_request():
        zep2.graph.add_fact_triple(**MET, user_id=user_id, group_id="g")


@requirement("v3:graph.add_fact_triple:limits")
def test_generation_3_is_told_which_limits_a_fact_has(zep3: Zep) -> None:
    """Each is the client's BadRequestError; so are two targets and none."""
    graph_id = a_graph(zep3)["graph_id"]
    for change in OUT_OF_BOUNDS + OUT_OF_BOUNDS_3:
        with bad_request() as raised:
            zep3.graph.add_fact_triple(**{**MET, "graph_id": graph_id, **change})
        assert raised.value.body["message"].startswith(tuple(change))
    with bad_request():
        zep3.graph.add_fact_triple(**MET)
    with bad_request():
        zep3.graph.add_fact_triple(**MET, user_id="u", graph_id=graph_id)
    with refused(404):
        zep3.graph.add_fact_triple(**MET, graph_id=unique("nothing"))


@requirement("v3:graph.add_fact_triple:types")
def test_attributes_have_to_fit_the_custom_type(zep3: Zep) -> None:
    """A property the type does not have, or of another kind, is the client's BadRequestError."""
    graph_id = a_graph(zep3)["graph_id"]
    field = {"type": "int", "description": "In years."}
    musician = {"description": "Someone who plays.", "fields": {"age": field}}
    zep3.graph.set_ontology(entities={"Musician": musician}, edges={}, graph_ids=[graph_id])
    said = {**MET, "graph_id": graph_id, "source_node_labels": ["Musician"]}
    for attributes in ({"age": "old"}, {"height": 2}):
        with bad_request():
            zep3.graph.add_fact_triple(**said, source_node_attributes=attributes)
    made = zep3.graph.add_fact_triple(**said, source_node_attributes={"age": 60})
    assert made["source_node"]["attributes"]["age"] == 60


@requirement("v2:graph.add_fact_triple:node-exists")
def test_generation_2_names_nodes_by_uuid(zep2: Zep) -> None:
    """A node of the same graph is used; one that is not there is told by status."""
    user_id = a_user(zep2)["user_id"]
    made = zep2.graph.add_fact_triple(**MET, user_id=user_id)
    known = made["source_node"]["uuid"]
    more = {"fact": "Paul plays drums", "fact_name": "PLAYS", "target_node_name": "Drums"}
    found = zep2.graph.add_fact_triple(**more, user_id=user_id, source_node_uuid=known)
    assert found["source_node"]["uuid"] == known
    with refused(404):
        zep2.graph.add_fact_triple(**more, user_id=user_id, source_node_uuid=NOBODY)


@requirement("v3:graph.add_fact_triple:node-exists")
def test_generation_3_names_nodes_by_uuid(zep3: Zep) -> None:
    """Both ends by uuid alone; a node of another graph is not there."""
    graph_id = a_graph(zep3)["graph_id"]
    made = zep3.graph.add_fact_triple(**MET, graph_id=graph_id)
    ends = {
        "source_node_uuid": made["target_node"]["uuid"],
        "target_node_uuid": made["source_node"]["uuid"],
    }
    said = {"fact": "Eric taught Paul", "fact_name": "TAUGHT", **ends}
    found = zep3.graph.add_fact_triple(**said, graph_id=graph_id)
    assert found["target_node"]["uuid"] == made["source_node"]["uuid"]
    with refused(404):
        zep3.graph.add_fact_triple(**said, graph_id=a_graph(zep3)["graph_id"])


@requirement("v3:graph.add_fact_triple:unlisted")
def test_what_was_written_by_hand_is_in_no_list_of_episodes(zep3: Zep) -> None:
    """Neither the graph nor its nodes tell of the episode behind it."""
    graph_id = a_graph(zep3)["graph_id"]
    made = zep3.graph.add_fact_triple(**MET, graph_id=graph_id)
    assert zep3.graph.episode.get_by_graph_id(graph_id, lastn=5)["episodes"] == []
    assert zep3.graph.episode.list_by_graph_id(graph_id) == []
    assert zep3.graph.node.get_episodes(made["source_node"]["uuid"])["episodes"] == []


@requirement("v3:graph.node.delete:takes-edges")
def test_deleting_a_node_takes_its_edges(zep3: Zep) -> None:
    """The edge is gone with one of its ends, and the other end stays."""
    made = zep3.graph.add_fact_triple(**MET, graph_id=a_graph(zep3)["graph_id"])
    zep3.graph.node.delete(made["source_node"]["uuid"])
    with missing():
        zep3.graph.edge.get(made["edge"]["uuid"])
    with missing():
        zep3.graph.node.get(made["source_node"]["uuid"])
    assert zep3.graph.node.get(made["target_node"]["uuid"])["name"] == "Eric Clapton"


def a_node(**fields: Any) -> dict[str, Any]:
    """A node to add."""
    return typed("AddNodeItem", **{"name": "Paul", **fields})


@requirement("v3:graph.add_nodes")
def test_nodes_are_added_and_answered_in_order(zep3: Zep) -> None:
    """Each has a uuid by which it can be read; the task has succeeded."""
    user_id = a_user(zep3)["user_id"]
    nodes = [
        a_node(label="Musician", summary="A drummer.", attributes={"age": 60}),
        a_node(name="Ringo", metadata={"source": "crm"}),
    ]
    made = zep3.graph.add_nodes(nodes=nodes, user_id=user_id)
    assert [node["name"] for node in made["nodes"]] == ["Paul", "Ringo"]
    assert made["nodes"][1]["metadata"] == {"source": "crm"}
    paul = zep3.graph.node.get(made["nodes"][0]["uuid"])
    assert set(paul["labels"]) == {"Entity", "Musician"}
    assert (paul["summary"], paul["attributes"]) == ("A drummer.", {"age": 60})
    assert zep3.task.get(made["task_id"])["status"] == "succeeded"
    assert set(uuids(made["nodes"])) < set(uuids(zep3.graph.node.get_by_user_id(user_id)))


@requirement("v3:graph.add_nodes:limits")
def test_nodes_have_limits(zep3: Zep) -> None:
    """None, too many, or one out of bounds is the client's BadRequestError."""
    graph_id = a_graph(zep3)["graph_id"]
    for nodes in (
        [],
        [a_node() for _ in range(101)],
        [a_node(name="x" * 51)],
        [a_node(summary="x" * 501)],
        [a_node(attributes={"a": [1]})],
        [a_node(metadata={"a": [1]})],
    ):
        with bad_request():
            zep3.graph.add_nodes(nodes=nodes, graph_id=graph_id)
    with bad_request():
        zep3.graph.add_nodes(nodes=[a_node()])
    with refused(404):
        zep3.graph.add_nodes(nodes=[a_node()], graph_id=unique("nothing"))
    assert zep3.graph.node.get_by_graph_id(graph_id) == []


@requirement("v2:graph.clone", "v2:graph.clone:free-target")
def test_generation_2_copies_a_user_and_a_group(zep2: Zep) -> None:
    """The copy is named in the answer and holds the facts; a taken name is refused."""
    user, group = a_user(zep2), a_group(zep2)["group_id"]
    zep2.graph.add_fact_triple(**MET, user_id=user["user_id"])
    zep2.graph.add_fact_triple(**MET, group_id=group)
    twin, copy = unique("twin"), unique("copy")
    made = zep2.graph.clone(source_user_id=user["user_id"], target_user_id=twin)
    assert made["user_id"] == twin
    assert zep2.user.get(twin)["email"] == user["email"]
    facts = [edge["fact"] for edge in zep2.graph.edge.get_by_user_id(twin)]
    assert MET["fact"] in facts
    assert any(twin in fact for fact in facts)
    assert not any(f"id {user['user_id']}" in fact for fact in facts)
    assert zep2.graph.clone(source_group_id=group, target_group_id=copy)["group_id"] == copy
    (edge,) = zep2.graph.edge.get_by_group_id(copy)
    assert edge["fact"] == MET["fact"]
    with bad_request():
        zep2.graph.clone(source_group_id=group, target_group_id=copy)
    with bad_request():
        zep2.graph.clone(source_user_id=user["user_id"], target_group_id=unique("copy"))
    with refused(404):
        zep2.graph.clone(source_user_id=unique("nobody"), target_user_id=unique("twin"))


@requirement("v3:graph.clone", "v3:graph.clone:free-target")
def test_generation_3_copies_a_user_and_a_graph(zep3: Zep) -> None:
    """Episodes and facts are in the copy under uuids of their own; threads are not."""
    user_id, graph_id = a_user(zep3)["user_id"], a_graph(zep3)["graph_id"]
    thread_id = unique("thread")
    zep3.thread.create(thread_id=thread_id, user_id=user_id)
    said = zep3.thread.add_messages(thread_id, messages=[said3("I play the drums.")])
    eventually(lambda: zep3.task.get(said["task_id"]), lambda task: task["status"] == "succeeded")
    twin, copy = unique("twin"), unique("copy")
    made = zep3.graph.clone(source_user_id=user_id, target_user_id=twin)
    assert made["user_id"] == twin
    assert zep3.task.get(made["task_id"])["status"] == "succeeded"
    (episode,) = zep3.graph.episode.get_by_user_id(twin, lastn=5)["episodes"]
    assert contents([episode]) == ["I play the drums."]
    assert episode["uuid"] not in said["message_uuids"]
    assert zep3.user.get_threads(twin) == []
    zep3.graph.add_fact_triple(**MET, graph_id=graph_id)
    assert zep3.graph.clone(source_graph_id=graph_id, target_graph_id=copy)["graph_id"] == copy
    old, new = (zep3.graph.node.get_by_graph_id(name) for name in (graph_id, copy))
    assert {node["name"] for node in old} == {node["name"] for node in new}
    assert not set(uuids(old)) & set(uuids(new))
    with bad_request():
        zep3.graph.clone(source_graph_id=graph_id, target_graph_id=copy)
    with bad_request():
        zep3.graph.clone(source_graph_id=graph_id)
    with refused(404):
        zep3.graph.clone(source_graph_id=unique("nothing"), target_graph_id=unique("copy"))


@requirement("v2:memory.add_session_facts", "v2:memory.get_session_facts")
def test_facts_can_be_added_to_a_session(zep2: Zep, http: httpx.Client) -> None:
    """They are listed with the session as they were said, and belong to its user."""
    session = a_session(zep2)
    session_id, fact = session["session_id"], "Jane is allergic to nuts."
    assert zep2.memory.get_session_facts(session_id).get("facts", []) == []
    zep2.memory.add_session_facts(session_id, facts=[typed("NewFact", fact=fact)])
    found = eventually(lambda: zep2.memory.get_session_facts(session_id)["facts"], bool)
    assert [item["fact"] for item in found] == [fact]
    assert zep2.memory.get_session_facts(session_id, min_rating=0.5)["facts"] == found
    assert fact in [e["fact"] for e in zep2.graph.edge.get_by_user_id(session["user_id"])]
    with missing():
        zep2.memory.get_session_facts(unique("nothing"))
    with missing():
        zep2.memory.add_session_facts(unique("nothing"), facts=[typed("NewFact", fact=fact)])
    refusal = http.post(f"/sessions/{session_id}/facts", json={"facts": []})
    assert (refusal.status_code, refusal.json()["message"][:6]) == (400, "facts:")
