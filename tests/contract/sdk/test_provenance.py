"""Where what is known came from, under which metadata, and what a deletion leaves of it."""

from typing import Any

import pytest

from tests.contract.sdk.drivers import Zep, typed
from tests.contract.sdk.requirements import requirement
from tests.contract.sdk.support import (
    a_graph,
    a_session,
    a_thread,
    a_user,
    bad_request,
    eventually,
    missing,
    processed,
    refused,
    said2,
    said3,
    unique,
    uuids,
)

JANUARY, FEBRUARY, MARCH = (f"2024-0{month}-01T00:00:00Z" for month in (1, 2, 3))
ROME, OSLO = "Emma Lopez lives in Rome", "Emma Lopez moved to Oslo"
TEN = {f"k{number}": number for number in range(10)}
BAD: dict[str, dict[str, Any]] = {
    "eleven keys": {**TEN, "k10": 1},
    "a nested object": {"deep": {"a": 1}},
    "an empty list": {"empty": []},
    "a list of lists": {"lists": [["a"]]},
    "a blank key": {" ": 1},
}


def tell(zep: Zep, text: str, **fields: Any) -> str:
    """An episode that was read."""
    uuid: str = zep.graph.add(type="text", data=text, **fields)["uuid"]
    processed(zep, uuid)
    return uuid


def edges_of(zep: Zep, user_id: str) -> dict[str, dict[str, Any]]:
    """The edges of a user by their sentences."""
    return {edge["fact"]: edge for edge in zep.graph.edge.get_by_user_id(user_id)}


def both(**wanted: Any) -> dict[str, Any]:
    """Filters that want all of these values of one episode."""
    leaves = [
        typed(
            "EpisodeMetadataFilter",
            property_name=name,
            comparison_operator="=",
            property_value=value,
        )
        for name, value in wanted.items()
    ]
    tree = typed("MetadataFilterGroup", type="and", filters=leaves)
    return typed("SearchFilters", episode_metadata_filters=tree)


@requirement("v2:provenance:both-ways", "v3:provenance:both-ways")
def test_an_edge_names_its_episodes_and_each_of_them_leads_back(zep: Zep) -> None:
    """The one that told it, the one that told it again and the one that ended it."""
    user_id = a_user(zep)["user_id"]
    behind = [
        tell(zep, f"{ROME}.", user_id=user_id, created_at=JANUARY),
        tell(zep, f"{ROME}.", user_id=user_id, created_at=FEBRUARY),
        tell(zep, f"{OSLO}.", user_id=user_id, created_at=MARCH),
    ]
    edge = zep.graph.edge.get(edges_of(zep, user_id)[ROME]["uuid"])
    assert edge["episodes"] == behind
    for uuid in behind:
        mentions = zep.graph.episode.get_nodes_and_edges(uuid)
        assert edge["uuid"] in uuids(mentions["edges"])
        assert edge["source_node_uuid"] in uuids(mentions["nodes"])
    emma = zep.graph.node.get_episodes(edge["source_node_uuid"])["episodes"]
    assert set(uuids(emma)) == set(behind)
    rome = zep.graph.node.get_episodes(edge["target_node_uuid"])["episodes"]
    assert set(uuids(rome)) == set(behind[:2])


@requirement("v3:graph.node:episodes")
def test_a_node_carries_the_episodes_that_mention_it(zep3: Zep) -> None:
    """Newest first, and whether these are all, wherever a node is read."""
    user_id = a_user(zep3)["user_id"]
    told = [tell(zep3, f"{text}.", user_id=user_id) for text in (ROME, OSLO)]
    by_name = {node["name"]: node for node in zep3.graph.node.get_by_user_id(user_id)}
    emma = by_name["Emma Lopez"]
    (found,) = zep3.graph.search(query="Emma Lopez", scope="nodes", limit=1, user_id=user_id)[
        "nodes"
    ]
    for node in (emma, zep3.graph.node.get(emma["uuid"]), found):
        assert node["episodes"] == told[::-1]
        assert node["episodes_truncated"] is False
    mentioning = zep3.graph.episode.list_by_user_id(user_id, mentioned_node_uuids=[emma["uuid"]])
    assert set(uuids(mentioning)) == set(told)


@requirement("v3:graph.add:effective-metadata")
def test_what_rests_on_two_episodes_carries_the_metadata_of_both(zep3: Zep) -> None:
    """Per key the list of distinct values; a change of an episode is seen at once."""
    user_id = a_user(zep3)["user_id"]
    first = {"source": "crm", "priority": 5}
    second = {"source": "support_ticket", "reviewed": True}
    episode = tell(zep3, f"{ROME}.", user_id=user_id, metadata=first)
    tell(zep3, f"{ROME}.", user_id=user_id, metadata=second)
    golden = {"source": ["crm", "support_ticket"], "priority": [5], "reviewed": [True]}
    edge = edges_of(zep3, user_id)[ROME]
    assert edge["metadata"] == golden
    assert zep3.graph.edge.get(edge["uuid"])["metadata"] == golden
    assert zep3.graph.node.get(edge["source_node_uuid"])["metadata"] == golden
    zep3.graph.episode.update(episode, metadata={"priority": None, "source": "support_ticket"})
    changed = {"source": ["support_ticket"], "reviewed": [True]}
    assert zep3.graph.edge.get(edge["uuid"])["metadata"] == changed


@requirement("v2:memory.add:effective-metadata")
def test_what_a_session_tells_carries_the_metadata_of_its_messages(zep2: Zep) -> None:
    """Each message is an episode: edges and nodes carry what it carries, also once changed."""
    session = a_session(zep2)
    session_id, user_id = session["session_id"], session["user_id"]
    said = [
        said2(f"{ROME}.", metadata={"source": "crm"}),
        said2(f"{ROME}.", metadata={"n": [1, 2]}),
    ]
    zep2.memory.add(session_id, messages=said)
    edge = eventually(
        lambda: edges_of(zep2, user_id).get(ROME, {}),
        lambda found: len(found.get("episodes", [])) == 2,
    )
    assert edge["metadata"] == {"source": ["crm"], "n": [1, 2]}
    node = zep2.graph.node.get(edge["source_node_uuid"])
    assert node["metadata"] == {"source": ["crm"], "n": [1, 2]}
    change = {"source": "web"}
    zep2.memory.update_message_metadata(session_id, edge["episodes"][0], metadata=change)
    assert zep2.graph.edge.get(edge["uuid"])["metadata"] == {"source": ["web"], "n": [1, 2]}


@requirement("v3:graph.search:metadata", "v3:graph.get_subgraph:no-metadata")
def test_a_tree_split_across_two_episodes_finds_nothing_anywhere(zep3: Zep) -> None:
    """Facts, nodes, observations and summaries, searched and listed; a subgraph refuses it."""
    thread = a_thread(zep3)
    user_id, thread_id = thread["user_id"], thread["thread_id"]
    said = [
        said3("I love jazz.", metadata={"source": "crm"}),
        said3("I love green tea.", metadata={"tier": 5}),
        said3("I love Beethoven.", metadata={"tier": 5}),
    ]
    for uuid in zep3.thread.add_messages(thread_id, messages=said)["message_uuids"]:
        processed(zep3, uuid)
    graph = zep3.graph
    lists = {
        "nodes": graph.node.get_by_user_id,
        "edges": graph.edge.get_by_user_id,
        "observations": graph.observation.get_by_user_id,
        "thread_summaries": graph.thread_summary.get_by_user_id,
    }
    for scope, listed in lists.items():
        for wanted, some in ((both(source="crm", tier=5), False), (both(tier=5), True)):
            ask = {"query": "What does Jane love?", "scope": scope, "user_id": user_id}
            found = graph.search(search_filters=wanted, **ask)[scope]
            assert bool(found) is some, scope
            assert set(uuids(listed(user_id, filters=wanted))) == set(uuids(found)), scope
    seeds = [zep3.user.get_node(user_id)["node"]["uuid"]]
    with bad_request() as raised:
        graph.get_subgraph(
            user_id=user_id, seed_node_uuids=seeds, search_filters=both(source="crm")
        )
    path = "search_filters.episode_metadata_filters"
    assert raised.value.body["message"].startswith(f"{path}:")


@requirement("v2:memory.add:metadata-limits")
@pytest.mark.parametrize("metadata", BAD.values(), ids=BAD)
def test_metadata_of_a_session_message_has_its_limits(zep2: Zep, metadata: dict[str, Any]) -> None:
    """What is refused is not stored, nor is what came with it; ten keys are allowed."""
    session_id = a_session(zep2)["session_id"]
    with refused(400):
        zep2.memory.add(session_id, messages=[said2("Hi"), said2("Ho", metadata=metadata)])
    assert zep2.memory.get_session_messages(session_id)["total_count"] == 0
    zep2.memory.add(session_id, messages=[said2("Hi", metadata=TEN)])
    (kept,) = zep2.memory.get_session_messages(session_id)["messages"]
    with refused(400):
        zep2.memory.update_message_metadata(session_id, kept["uuid"], metadata={"k10": 1})
    assert zep2.memory.get_session_message(session_id, kept["uuid"])["metadata"] == TEN


@requirement(
    "v3:graph.add:metadata-limits",
    "v3:graph.add_batch:metadata-limits",
    "v3:thread.add_messages:metadata-limits",
    "v3:batch.add:metadata-limits",
    "v3:graph.add_fact_triple:metadata-limits",
)
@pytest.mark.parametrize("metadata", BAD.values(), ids=BAD)
def test_metadata_has_the_same_limits_wherever_it_is_given(
    zep3: Zep, metadata: dict[str, Any]
) -> None:
    """In each way to add something, also when only the second of two is wrong."""
    graph_id, thread_id = a_graph(zep3)["graph_id"], a_thread(zep3)["thread_id"]
    batch_id = zep3.batch.create()["batch_id"]
    piece = {"data": "A note.", "type": "text"}
    item = {"type": "graph_episode", "graph_id": graph_id, "data": "A note.", "data_type": "text"}
    with bad_request():
        zep3.graph.add(graph_id=graph_id, metadata=metadata, **piece)
    with bad_request():
        pieces = [typed("EpisodeData", **piece), typed("EpisodeData", **piece, metadata=metadata)]
        zep3.graph.add_batch(graph_id=graph_id, episodes=pieces)
    with refused(400):
        zep3.thread.add_messages(thread_id, messages=[said3("Hi"), said3("Ho", metadata=metadata)])
    with bad_request():
        items = [typed("BatchAddItem", **item), typed("BatchAddItem", **item, metadata=metadata)]
        zep3.batch.add(batch_id, items=items)
    with bad_request():
        zep3.graph.add_fact_triple(
            graph_id=graph_id,
            fact="Paul met Eric",
            fact_name="MET",
            source_node_name="Paul",
            target_node_name="Eric",
            metadata=metadata,
        )
    assert zep3.graph.episode.list_by_graph_id(graph_id) == []
    assert zep3.thread.get(thread_id)["total_count"] == 0
    assert zep3.batch.get(batch_id)["item_count"] == 0


@requirement("v3:graph.episode.update:merge", "v3:thread.message.update:merge")
def test_keys_are_counted_after_the_merge(zep3: Zep) -> None:
    """Ten and one more are refused, unless one of the ten goes with the same call."""
    graph_id, thread_id = a_graph(zep3)["graph_id"], a_thread(zep3)["thread_id"]
    episode = zep3.graph.add(graph_id=graph_id, type="text", data="A note.", metadata=TEN)["uuid"]
    said = [said3("Hi", metadata=TEN)]
    message = zep3.thread.add_messages(thread_id, messages=said)["message_uuids"][0]
    expected = {**{key: value for key, value in TEN.items() if key != "k0"}, "k10": 1}
    for update, uuid, too_many in (
        (zep3.graph.episode.update, episode, bad_request()),
        (zep3.thread.message.update, message, refused(400)),
    ):
        with too_many:
            update(uuid, metadata={"k10": 1})
        assert zep3.graph.episode.get(uuid)["metadata"] == TEN
        assert update(uuid, metadata={"k0": None, "k10": 1})["metadata"] == expected


@requirement("v2:graph.episode.delete:shared", "v3:graph.episode.delete:shared")
def test_deleting_one_of_two_episodes_keeps_what_both_told(zep: Zep) -> None:
    """What only the deleted one told goes, with nodes that nothing else mentions."""
    user_id = a_user(zep)["user_id"]
    first = tell(zep, f"{ROME}. Emma Lopez plays chess.", user_id=user_id)
    second = tell(zep, f"{ROME}.", user_id=user_id)
    known = edges_of(zep, user_id)
    chess = known["Emma Lopez plays chess"]
    assert known[ROME]["episodes"] == [first, second]
    zep.graph.episode.delete(first)
    assert zep.graph.edge.get(known[ROME]["uuid"])["episodes"] == [second]
    with missing():
        zep.graph.edge.get(chess["uuid"])
    with missing():
        zep.graph.node.get(chess["target_node_uuid"])
    emma = zep.graph.node.get_episodes(chess["source_node_uuid"])["episodes"]
    assert uuids(emma) == [second]


@requirement("v2:graph.episode.delete:stays-ended", "v3:graph.episode.delete:stays-ended")
def test_deleting_the_episode_that_ended_a_fact_leaves_it_ended(zep: Zep) -> None:
    """Only that it is no longer among the episodes of the edge."""
    user_id = a_user(zep)["user_id"]
    told = tell(zep, f"{ROME}.", user_id=user_id, created_at=JANUARY)
    ended = tell(zep, f"{OSLO}.", user_id=user_id, created_at=FEBRUARY)
    before = edges_of(zep, user_id)[ROME]
    assert before["episodes"] == [told, ended]
    zep.graph.episode.delete(ended)
    after = zep.graph.edge.get(before["uuid"])
    assert after["episodes"] == [told]
    for mark in ("valid_at", "invalid_at", "expired_at"):
        assert after[mark] == before[mark]


@requirement("v3:thread.delete:removes-episodes")
def test_deleting_a_thread_takes_what_only_it_told(zep3: Zep) -> None:
    """What another thread told as well stays; the summary goes with the thread."""
    user_id = a_user(zep3)["user_id"]
    threads = [a_thread(zep3, user_id=user_id)["thread_id"] for _ in range(2)]
    told = (f"{ROME}. Emma Lopez plays chess.", f"{ROME}.")
    for thread_id, text in zip(threads, told, strict=True):
        answer = zep3.thread.add_messages(thread_id, messages=[said3(text)])
        processed(zep3, answer["message_uuids"][0])
    assert {ROME, "Emma Lopez plays chess"} <= edges_of(zep3, user_id).keys()
    zep3.thread.delete(threads[0])
    left = edges_of(zep3, user_id)
    assert ROME in left
    assert "Emma Lopez plays chess" not in left
    assert len(left[ROME]["episodes"]) == 1
    summaries = zep3.graph.thread_summary.get_by_user_id(user_id)
    assert [summary["thread_id"] for summary in summaries] == threads[1:]


@requirement("v2:memory.delete:keeps-graph")
def test_deleting_a_session_keeps_what_was_learned(zep2: Zep) -> None:
    """Edges and their episodes are as they were."""
    session = a_session(zep2)
    user_id = session["user_id"]
    zep2.memory.add(session["session_id"], messages=[said2(f"{ROME}.")])
    before = eventually(lambda: edges_of(zep2, user_id), lambda known: ROME in known)[ROME]
    zep2.memory.delete(session["session_id"])
    after = edges_of(zep2, user_id)[ROME]
    assert after == before
    assert zep2.graph.episode.get(after["episodes"][0])["content"] == f"{ROME}."


@requirement("v2:group.delete", "v3:graph.delete:cascades")
def test_nothing_of_a_deleted_graph_can_be_read(zep: Zep) -> None:
    """Neither its edges, nodes and episodes nor anything under the same id made anew."""
    newer = zep.client.name in {"py3", "js3"}
    where = {"graph_id" if newer else "group_id": unique("gone")}
    make, drop = (
        (zep.graph.create, zep.graph.delete) if newer else (zep.group.add, zep.group.delete)
    )
    make(**where)
    episode = tell(zep, f"{ROME}.", **where)
    mentions = zep.graph.episode.get_nodes_and_edges(episode)
    (name,) = where.values()
    drop(name)
    with refused(404):
        zep.graph.episode.get(episode)
    for edge in mentions["edges"]:
        with missing():
            zep.graph.edge.get(edge["uuid"])
    for node in mentions["nodes"]:
        with missing():
            zep.graph.node.get(node["uuid"])
    make(**where)
    found = zep.graph.search(query="Emma Lopez lives in Rome", **where)
    assert found.get("edges", []) == []


@requirement("v2:user.delete:cascades", "v3:user.delete:cascades")
def test_nothing_of_a_deleted_user_can_be_read(zep: Zep) -> None:
    """The user's node included; under the same id a new user knows nothing of it."""
    user_id = a_user(zep)["user_id"]
    episode = tell(zep, f"{ROME}.", user_id=user_id)
    node = zep.user.get_node(user_id)["node"]["uuid"]
    edge = edges_of(zep, user_id)[ROME]
    zep.user.delete(user_id)
    with refused(404):
        zep.graph.episode.get(episode)
    with missing():
        zep.graph.edge.get(edge["uuid"])
    for uuid in (node, edge["source_node_uuid"]):
        with missing():
            zep.graph.node.get(uuid)
    zep.user.add(user_id=user_id)
    assert ROME not in edges_of(zep, user_id)
