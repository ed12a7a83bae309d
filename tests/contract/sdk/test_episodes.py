"""Episodes: added singly and in batches, processed, listed, changed and deleted."""

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
    cursor_pages,
    eventually,
    instant,
    missing,
    processed,
    refused,
    unique,
    uuids,
)

CHARACTERS_MAX = 10_000
EPISODES_MAX = 20
EVENT_TIME = "2024-01-02T03:04:05Z"


def graph_with(zep3: Zep, count: int, **fields: Any) -> str:
    """A graph holding episodes `note 0` …, one minute apart."""
    graph_id: str = a_graph(zep3)["graph_id"]
    for number in range(count):
        zep3.graph.add(
            graph_id=graph_id,
            type="text",
            data=f"note {number}",
            created_at=f"2024-01-02T03:{number:02d}:00Z",
            **fields,
        )
    return graph_id


@pytest.mark.parametrize(
    ("kind", "data"),
    [("text", "Jane moved."), ("json", '{"plan": "pro"}'), ("message", "Paul (user): Hi there")],
)
@requirement("v2:graph.add", "v2:graph.episode.get", "v3:graph.add", "v3:graph.episode.get")
def test_an_episode_reads_back_as_it_was_added(zep: Zep, kind: str, data: str) -> None:
    """Each kind of data keeps its text, its kind, its source and its event time."""
    user_id = a_user(zep)["user_id"]
    added = zep.graph.add(
        user_id=user_id, type=kind, data=data, created_at=EVENT_TIME, source_description="crm"
    )
    found = zep.graph.episode.get(added["uuid"])
    for answer in (added, found):
        assert answer["content"] == data
        assert answer["source"] == kind
        assert answer["source_description"] == "crm"
        assert instant(answer["created_at"]) == instant(EVENT_TIME)
    assert found["uuid"] == added["uuid"]


@requirement("v2:graph.add:becomes-processed", "v3:graph.add:becomes-processed")
def test_an_episode_is_processed_after_a_while(zep: Zep) -> None:
    """The flag turns true without any further call."""
    user_id = a_user(zep)["user_id"]
    added = zep.graph.add(user_id=user_id, type="text", data="Jane moved to Oslo.")
    assert processed(zep, added["uuid"])["content"] == "Jane moved to Oslo."


@requirement("v3:graph.add")
def test_an_episode_keeps_its_metadata_and_document(zep3: Zep) -> None:
    """Metadata and document id come back from the write and from a later read."""
    graph_id = a_graph(zep3)["graph_id"]
    metadata = {"source": "crm", "priority": 5, "tags": ["a", "b"], "open": True}
    added = zep3.graph.add(
        graph_id=graph_id, type="text", data="A note.", metadata=metadata, document_id="doc-1"
    )
    for answer in (added, zep3.graph.episode.get(added["uuid"])):
        assert answer["metadata"] == metadata
        assert answer["document_id"] == "doc-1"


@requirement("v3:graph.add:metadata-limits")
@pytest.mark.parametrize(
    "metadata",
    [{f"key{number}": number for number in range(11)}, {"nested": {"a": 1}}, {"empty": []}],
    ids=["eleven keys", "nested object", "empty array"],
)
def test_metadata_past_its_limits_is_refused(zep3: Zep, metadata: dict[str, Any]) -> None:
    """At most ten keys, and only scalars or non-empty arrays of them."""
    graph_id = a_graph(zep3)["graph_id"]
    with bad_request():
        zep3.graph.add(graph_id=graph_id, type="text", data="A note.", metadata=metadata)


@requirement("v3:graph.get_episodes_for_document")
def test_the_episodes_of_a_document_are_listed(zep3: Zep) -> None:
    """Only episodes added to this graph under this document id."""
    graph_id = a_graph(zep3)["graph_id"]
    for document_id, text in (("doc-1", "one"), ("doc-1", "two"), ("doc-2", "three")):
        zep3.graph.add(graph_id=graph_id, type="text", data=text, document_id=document_id)
    elsewhere = a_graph(zep3)["graph_id"]
    zep3.graph.add(graph_id=elsewhere, type="text", data="four", document_id="doc-1")
    found = zep3.graph.get_episodes_for_document("doc-1", graph_id=graph_id)["episodes"]
    assert set(contents(found)) == {"one", "two"}
    assert {episode["document_id"] for episode in found} == {"doc-1"}


@requirement("v2:graph.add:data-limit", "v3:graph.add:data-limit")
def test_ten_thousand_characters_are_the_most(zep: Zep) -> None:
    """The limit counts characters: the last one is taken, the next is a bad request."""
    user_id = a_user(zep)["user_id"]
    longest = "é" * CHARACTERS_MAX
    added = zep.graph.add(user_id=user_id, type="text", data=longest)
    assert added["content"] == longest
    with bad_request():
        zep.graph.add(user_id=user_id, type="text", data=longest + "é")


@requirement("v3:graph.add:one-target")
def test_an_episode_goes_to_exactly_one_graph(zep3: Zep) -> None:
    """No target, two targets and an unknown target are refused."""
    user_id, graph_id = a_user(zep3)["user_id"], a_graph(zep3)["graph_id"]
    with bad_request():
        zep3.graph.add(type="text", data="Nowhere.")
    with bad_request():
        zep3.graph.add(type="text", data="Twice.", user_id=user_id, graph_id=graph_id)
    with refused(404):
        zep3.graph.add(type="text", data="Gone.", graph_id=unique("nothing"))


@requirement("v2:graph.add_batch", "v2:graph.episode.get_by_group_id")
def test_generation_2_adds_several_episodes_at_once(zep2: Zep) -> None:
    """The answer lists the episodes in the order given and the group holds them all."""
    group_id = a_group(zep2)["group_id"]
    episodes = [
        typed("EpisodeData", data="one", type="text"),
        typed("EpisodeData", data='{"n": 2}', type="json"),
    ]
    added = zep2.graph.add_batch(group_id=group_id, episodes=episodes)
    assert contents(added) == ["one", '{"n": 2}']
    listed = zep2.graph.episode.get_by_group_id(group_id, lastn=10)["episodes"]
    assert set(uuids(listed)) == set(uuids(added))
    for episode in added:
        processed(zep2, episode["uuid"])


@requirement("v3:graph.add_batch", "v3:task.get:succeeds")
def test_generation_3_adds_several_episodes_at_once(zep3: Zep) -> None:
    """The episodes come back in order with their metadata, and their task succeeds."""
    graph_id = a_graph(zep3)["graph_id"]
    episodes = [
        typed("EpisodeData", data="one", type="text", metadata={"n": 1}),
        typed("EpisodeData", data="two", type="text", metadata={"n": 2}, created_at=EVENT_TIME),
    ]
    added = zep3.graph.add_batch(graph_id=graph_id, episodes=episodes)
    assert contents(added) == ["one", "two"]
    assert [episode["metadata"] for episode in added] == [{"n": 1}, {"n": 2}]
    for episode in added:
        processed(zep3, episode["uuid"])
        eventually(
            lambda task_id=episode["task_id"]: zep3.task.get(task_id),
            lambda task: task["status"] == "succeeded",
        )


@requirement("v2:graph.add_batch:limit", "v3:graph.add_batch:limit")
def test_twenty_episodes_are_the_most_at_once(zep: Zep) -> None:
    """Twenty are taken; twenty-one are refused as a whole."""
    user_id = a_user(zep)["user_id"]
    episodes = [typed("EpisodeData", data=f"note {n}", type="text") for n in range(21)]
    with bad_request():
        zep.graph.add_batch(user_id=user_id, episodes=episodes)
    added = zep.graph.add_batch(user_id=user_id, episodes=episodes[:EPISODES_MAX])
    assert len(added) == EPISODES_MAX
    listed = zep.graph.episode.get_by_user_id(user_id, lastn=50)["episodes"]
    assert set(uuids(added)) <= set(uuids(listed))
    assert "note 20" not in contents(listed)


@requirement(
    "v2:graph.episode.get_by_user_id",
    "v3:graph.episode.get_by_user_id",
    "v2:graph.episode.list:lastn",
    "v3:graph.episode.list:lastn",
)
def test_the_last_episodes_of_a_user_are_listed(zep: Zep) -> None:
    """lastn keeps the newest ones."""
    user_id = a_user(zep)["user_id"]
    for number in range(4):
        zep.graph.add(user_id=user_id, type="text", data=f"note {number}")
    listed = zep.graph.episode.get_by_user_id(user_id, lastn=2)["episodes"]
    assert set(contents(listed)) == {"note 2", "note 3"}


@requirement("v3:graph.episode.get_by_graph_id")
def test_the_last_episodes_of_a_graph_are_listed(zep3: Zep) -> None:
    """lastn keeps the newest ones, in an envelope."""
    listed = zep3.graph.episode.get_by_graph_id(graph_with(zep3, 3), lastn=1)
    assert contents(listed["episodes"]) == ["note 2"]


@requirement(
    "v3:graph.episode.list_by_graph_id",
    "v3:graph.episode.list:next-cursor-header",
    "v3:graph.episode.list:order",
)
@pytest.mark.parametrize("direction", ["asc", "desc"])
def test_episodes_of_a_graph_are_read_in_pages(zep3: Zep, direction: str) -> None:
    """The header leads from page to page, in the order asked for, and is absent at the end."""
    graph_id = graph_with(zep3, 5)

    def read(**page: Any) -> Any:
        return zep3.raw.graph.episode.list_by_graph_id(
            graph_id, order_by="created_at", direction=direction, **page
        )

    sizes, seen = [], []
    for page in cursor_pages(read, 2):
        sizes.append(len(page))
        seen += contents(page)
    expected = [f"note {number}" for number in range(5)]
    assert seen == (expected if direction == "asc" else expected[::-1])
    assert sizes[:3] == [2, 2, 1]


@requirement("v3:graph.episode.list_by_user_id", "v3:graph.episode.list:next-cursor-header")
def test_episodes_of_a_user_are_read_in_pages(zep3: Zep) -> None:
    """Without an order of its own the list still meets every episode once."""
    user_id = a_user(zep3)["user_id"]
    added = [
        zep3.graph.add(user_id=user_id, type="text", data=f"note {number}")["uuid"]
        for number in range(3)
    ]

    def read(**page: Any) -> Any:
        return zep3.raw.graph.episode.list_by_user_id(user_id, **page)

    walked = [uuid for page in cursor_pages(read, 2) for uuid in uuids(page)]
    assert sorted(walked) == sorted(added)


@requirement("v3:graph.episode.list:clamp", "v3:graph.episode.list_by_graph_id")
def test_a_page_of_episodes_is_clamped_not_refused(py3: Zep) -> None:
    """Asking for more than fifty gets fifty and a cursor; not asking gets up to a hundred."""
    graph_id = a_graph(py3)["graph_id"]
    episodes = [typed("EpisodeData", data=f"note {n}", type="text") for n in range(EPISODES_MAX)]
    for _ in range(3):
        py3.graph.add_batch(graph_id=graph_id, episodes=episodes)
    page, headers = py3.raw.graph.episode.list_by_graph_id(graph_id, limit=80)
    assert len(page) == 50
    assert headers["zep-next-cursor"]
    assert len(py3.graph.episode.list_by_graph_id(graph_id)) == 60


@requirement("v3:graph.episode.update", "v3:graph.episode.update:merge")
def test_metadata_of_an_episode_merges(zep3: Zep) -> None:
    """Given keys are set, others stay, and null removes a key."""
    graph_id = a_graph(zep3)["graph_id"]
    episode = zep3.graph.add(
        graph_id=graph_id, type="text", data="A note.", metadata={"a": 1, "b": 2}
    )
    changed = zep3.graph.episode.update(episode["uuid"], metadata={"a": None, "c": "new"})
    assert changed["metadata"] == {"b": 2, "c": "new"}
    assert zep3.graph.episode.get(episode["uuid"])["metadata"] == {"b": 2, "c": "new"}
    with missing():
        zep3.graph.episode.update(NOBODY, metadata={"a": 1})


@requirement("v2:graph.episode.get_nodes_and_edges", "v3:graph.episode.get_nodes_and_edges")
def test_what_an_episode_mentions_is_listed_with_its_source(zep: Zep) -> None:
    """Nodes and edges of the episode's own graph; each edge names the episode it came from."""
    user_id = a_user(zep)["user_id"]
    episode = zep.graph.add(user_id=user_id, type="text", data="Jane Smith moved to Oslo.")
    processed(zep, episode["uuid"])
    mentions = zep.graph.episode.get_nodes_and_edges(episode["uuid"])
    known = set(uuids(zep.graph.node.get_by_user_id(user_id)))
    assert set(uuids(mentions["nodes"])) <= known
    assert all(episode["uuid"] in edge["episodes"] for edge in mentions["edges"])


@requirement("v2:graph.episode.delete", "v3:graph.episode.delete")
def test_a_deleted_episode_is_gone_and_the_user_node_stays(zep: Zep) -> None:
    """The episode is neither read nor listed; the user's node does not depend on it."""
    user_id = a_user(zep)["user_id"]
    episode = zep.graph.add(user_id=user_id, type="text", data="Jane moved to Oslo.")
    processed(zep, episode["uuid"])
    assert zep.graph.episode.delete(episode["uuid"])["message"]
    with refused(404):
        zep.graph.episode.get(episode["uuid"])
    listed = zep.graph.episode.get_by_user_id(user_id, lastn=5).get("episodes", [])
    assert episode["uuid"] not in uuids(listed)
    assert zep.user.get_node(user_id)["node"]["name"] == "Jane Smith"
    with missing():
        zep.graph.episode.delete(episode["uuid"])
