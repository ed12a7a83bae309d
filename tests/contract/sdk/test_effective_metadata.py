"""Released clients hand on the metadata that derived objects carry, though no model names it."""

from typing import Any

from tests.contract.sdk.drivers import Zep
from tests.contract.sdk.requirements import requirement
from tests.contract.sdk.support import (
    a_graph,
    a_group,
    a_session,
    a_thread,
    processed,
    said2,
    said3,
)

GIVEN: dict[str, Any] = {"source": "crm", "level": 5, "tags": ["a", True]}
CARRIED: dict[str, Any] = {"source": ["crm"], "level": [5], "tags": ["a", True]}


@requirement("v3:graph.add:effective-metadata")
def test_nodes_and_edges_of_generation_3_carry_metadata(zep3: Zep) -> None:
    """By uuid, listed, found, and at an episode; an empty map where there is none."""
    graph_id = a_graph(zep3)["graph_id"]
    for text, metadata in (("Emma Lopez lives in Rome.", GIVEN), ("Hugo lives in Oslo.", None)):
        more = {} if metadata is None else {"metadata": metadata}
        made = zep3.graph.add(type="text", data=text, graph_id=graph_id, **more)
        processed(zep3, made["uuid"])
    edges = {one["fact"]: one for one in zep3.graph.edge.get_by_graph_id(graph_id)}
    edge = edges["Emma Lopez lives in Rome"]
    assert (edge["metadata"], edges["Hugo lives in Oslo"]["metadata"]) == (CARRIED, {})
    assert zep3.graph.edge.get(edge["uuid"])["metadata"] == CARRIED
    assert zep3.graph.node.get(edge["source_node_uuid"])["metadata"] == CARRIED
    (episode,) = edge["episodes"]
    came = zep3.graph.episode.get_nodes_and_edges(episode)
    assert all(one["metadata"] == CARRIED for one in (*came["nodes"], *came["edges"]))
    found = zep3.graph.search(graph_id=graph_id, query="Emma Lopez", scope="nodes", limit=1)
    assert [one["metadata"] for one in found["nodes"]] == [CARRIED]


@requirement("v2:memory.add:effective-metadata")
def test_edges_and_facts_of_generation_2_carry_metadata(zep2: Zep) -> None:
    """Also in the older shape of a fact."""
    group_id = a_group(zep2)["group_id"]
    made = zep2.graph.add(type="text", data="Emma Lopez lives in Rome.", group_id=group_id)
    processed(zep2, made["uuid"])
    (edge,) = zep2.graph.edge.get_by_group_id(group_id)
    assert edge["metadata"] == {}
    assert zep2.graph.node.get(edge["source_node_uuid"])["metadata"] == {}
    (fact,) = zep2.group.get_facts(group_id)["facts"]
    assert fact["metadata"] == {}


@requirement("v3:graph.add:effective-metadata")
def test_summaries_carry_the_metadata_of_their_messages(zep3: Zep) -> None:
    """Every message of the thread counts."""
    thread_id = a_thread(zep3)["thread_id"]
    messages = [
        said3("I live in Rome.", metadata=GIVEN),
        said3("I like tea.", metadata={"level": 6}),
    ]
    sent = zep3.thread.add_messages(thread_id, messages=messages)
    processed(zep3, sent["message_uuids"][-1])
    found = zep3.thread.get_summary(thread_id)
    assert found["metadata"] == {**CARRIED, "level": [5, 6]}


@requirement("v2:memory.add:effective-metadata")
def test_the_summary_of_a_session_carries_the_metadata_of_its_messages(zep2: Zep) -> None:
    """In the field that the model of generation 2 has for it."""
    session_id = a_session(zep2)["session_id"]
    zep2.memory.add(session_id, messages=[said2("I live in Rome.", metadata=GIVEN)])
    (summary,) = zep2.memory.get_summaries(session_id)["summaries"]
    assert summary["metadata"] == CARRIED
