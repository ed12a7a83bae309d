"""What the guides of graph memory and of access print, through the released clients."""

import json

import pytest

from tests.contract.sdk.drivers import Zep
from tests.contract.sdk.requirements import requirement
from tests.contract.sdk.support import (
    a_graph,
    a_group,
    a_user,
    missing,
    processed,
    refused,
    unique,
)
from tests.support.server import Server
from tests.support.stores import behind

pytestmark = pytest.mark.usefixtures("awake")
WHY = "ValueError: a reader stumbled"


@requirement("v2:graph.add:opens-group")
def test_the_quickstart_adds_to_a_group_that_nobody_created(zep2: Zep) -> None:
    """Guide "Quickstart", "Adding business data to a graph": no `group.add` comes before it."""
    user_id, group_id = a_user(zep2)["user_id"], unique("engineering_team")
    zep2.graph.add(user_id=user_id, type="text", data="Jane Smith is a software engineer.")
    about = {"employee": {"name": "Jane Smith", "projects": ["Project Alpha", "Project Beta"]}}
    zep2.graph.add(user_id=user_id, type="json", data=json.dumps(about))
    text = "The engineering team is working on Project Alpha and Project Beta."
    added = zep2.graph.add(group_id=group_id, type="text", data=text)
    assert added["content"] == text
    assert zep2.group.get_group(group_id)["group_id"] == group_id
    (found,) = zep2.graph.episode.get_by_group_id(group_id, lastn=5)["episodes"]
    assert found["uuid"] == added["uuid"]


@requirement("v2:graph.add:opens-group")
def test_reading_from_a_group_opens_none(zep2: Zep) -> None:
    """Only what is written has to be kept somewhere; a user is never made up."""
    nothing = unique("nothing")
    with refused(404):
        zep2.graph.search(group_id=nothing, query="anything")
    with missing():
        zep2.group.get_group(nothing)
    with refused(404):
        zep2.graph.add(user_id=nothing, type="text", data="Nobody.")


@requirement("v3:graph.add:no-graph")
def test_generation_3_creates_its_graphs_first(zep3: Zep) -> None:
    """What is called a graph has to be there."""
    with refused(404):
        zep3.graph.add(graph_id=unique("nothing"), type="text", data="Nowhere.")


def written_and_deleted(zep: Zep, where: dict[str, str]) -> None:
    """An edge names the episode it is, which can be read; both go at once."""
    met = {"fact": "Paul met Eric backstage", "fact_name": "MET"}
    ends = {"source_node_name": "Paul", "target_node_name": "Eric"}
    edge = zep.graph.add_fact_triple(**met, **ends, **where)["edge"]
    (behind,) = edge["episodes"]
    episode = zep.graph.episode.get(behind)
    assert (episode["uuid"], episode["content"]) == (behind, met["fact"])
    assert episode["processed"]
    assert edge["uuid"] in [
        e["uuid"] for e in zep.graph.episode.get_nodes_and_edges(behind)["edges"]
    ]
    zep.graph.edge.delete(edge["uuid"])
    with missing():
        zep.graph.edge.get(edge["uuid"])
    with refused(404):
        zep.graph.episode.get(behind)
    for scope in ("edges", "nodes", "episodes"):
        found = zep.graph.search(query="Paul met Eric backstage", scope=scope, **where)
        assert "backstage" not in json.dumps(found)


@requirement("v2:graph.add_fact_triple:provenance")
def test_generation_2_traces_a_triple_to_its_episode(zep2: Zep) -> None:
    """Guide "Episode metadata projection", "How episodes associate": every fact has an episode."""
    written_and_deleted(zep2, {"group_id": a_group(zep2)["group_id"]})


@requirement("v3:graph.add_fact_triple:provenance")
def test_generation_3_traces_a_triple_to_its_episode(zep3: Zep) -> None:
    """Guide "Episode metadata projection", "How episodes associate": every fact has an episode."""
    written_and_deleted(zep3, {"user_id": a_user(zep3)["user_id"]})


def given_up(server: Server, episode: str) -> None:
    """What a worker writes when it has failed too often."""
    with behind(server.data) as connection:
        connection.execute(
            "UPDATE jobs SET status = 'parked', error = ?, completed_at = created_at"
            " WHERE id = (SELECT id FROM episodes WHERE uuid = ?)",
            (WHY, episode),
        )
        connection.execute(
            "UPDATE episodes SET processed_at = NULL, failure = ? WHERE uuid = ?", (WHY, episode)
        )


@requirement("v2:graph.episode.get:ends")
def test_generation_2_stops_waiting_for_what_cannot_be_read(zep2: Zep, server: Server) -> None:
    """Guide "Check data ingestion status": the loop until `processed` comes to its end."""
    added = zep2.graph.add(group_id=unique("group"), type="text", data="Rain is coming.")
    processed(zep2, added["uuid"])
    given_up(server, added["uuid"])
    assert processed(zep2, added["uuid"])["error"] == WHY


@requirement("v3:graph.episode.get:ends")
def test_generation_3_is_told_why_nothing_came_of_an_episode(zep3: Zep, server: Server) -> None:
    """On the episode itself, and on the task that it names."""
    graph_id = a_graph(zep3)["graph_id"]
    added = zep3.graph.add(graph_id=graph_id, type="text", data="Rain is coming.")
    processed(zep3, added["uuid"])
    given_up(server, added["uuid"])
    found = processed(zep3, added["uuid"])
    assert found["error"] == WHY
    task = zep3.task.get(found["task_id"])
    assert (task["status"], task["error"]["message"]) == ("failed", WHY)


@requirement("v3:graph.node.get_episodes:small-talk")
def test_small_talk_is_associated_with_whom_it_names(zep3: Zep) -> None:
    """Guide "Episode metadata projection", "How episodes associate": every episode that mentions an
    entity, and so its metadata."""
    graph_id = a_graph(zep3)["graph_id"]
    ends = {"source_node_name": "Paul Atreides", "target_node_name": "jazz"}
    made = zep3.graph.add_fact_triple(
        fact="Paul Atreides likes jazz", fact_name="LIKES", graph_id=graph_id, **ends
    )
    texts = {
        "Someone broke Paul Atreides's lute.": {"source_node"},
        "What about the jazz?": {"target_node"},
        "According to Paul Atreides, rain is coming.": {"source_node"},
        "No jazz, please, Paul Atreides!": {"source_node", "target_node"},
        "Thanks, see you.": set[str](),
    }
    uuids = {
        zep3.graph.add(graph_id=graph_id, type="text", data=text, metadata={"place": str(number)})[
            "uuid"
        ]: text
        for number, text in enumerate(texts)
    }
    for uuid in uuids:
        processed(zep3, uuid)
    for end in ("source_node", "target_node"):
        node = made[end]["uuid"]
        found = {uuids[e["uuid"]] for e in zep3.graph.node.get_episodes(node)["episodes"]}
        assert found == {text for text, named in texts.items() if end in named}
    assert set(zep3.graph.node.get(made["target_node"]["uuid"])["metadata"]["place"]) == {"1", "3"}


@requirement("v2:graph.search:attributes")
def test_a_field_that_was_not_filled_can_be_looked_up(zep2: Zep) -> None:
    """Guide "Customizing graph structure": `node.attributes.get("genre")` of a node without any."""
    group_id = unique("group")
    ends = {"source_node_name": "Jane", "target_node_name": "The Odyssey"}
    zep2.graph.add_fact_triple(
        fact="Jane plays The Odyssey", fact_name="PLAYS", group_id=group_id, **ends
    )
    found = zep2.graph.search(group_id=group_id, query="The Odyssey", scope="nodes", limit=1)
    (node,) = found["nodes"]
    assert node["attributes"].get("genre") is None
    (edge,) = zep2.graph.search(group_id=group_id, query="Jane plays", scope="edges")["edges"]
    assert edge["attributes"].get("audiobook_title") is None
