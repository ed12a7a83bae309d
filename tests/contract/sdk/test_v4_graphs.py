"""Graphs, episodes, nodes, edges and what is derived, with the client of generation 4."""

from tests.contract.sdk.drivers import Zep, typed
from tests.contract.sdk.requirements import requirement
from tests.contract.sdk.support import NOBODY, eventually, unique
from tests.contract.sdk.support_4 import (
    a_graph4,
    a_user4,
    an_episode,
    ended,
    refused4,
    told,
)


@requirement("v4:graph.create", "v4:graph.get", "v4:graph.lookup", "v4:graph.list")
def test_graphs_are_made_found_and_listed(zep4: Zep) -> None:
    """A standalone graph has no id of the caller's; a user's is found by the user as well."""
    word = unique("graph")
    made = [zep4.graph.create(name=f"{word} {n}", description="papers") for n in range(3)]
    assert zep4.graph.get(made[0]["uuid"]) == made[0]
    assert (made[0]["type"], made[0]["description"]) == ("standard", "papers")
    assert zep4.graph.lookup(graph_id=made[0]["graph_id"]) == made[0]
    listed = zep4.graph.list(
        search=word, page_size=2, order_by="name", order="asc", **{"$all": True}
    )
    assert listed == made
    user = a_user4(zep4)
    own = zep4.graph.get(user["graph_uuid"])
    assert (own["type"], own["user_uuid"]) == ("user", user["uuid"])
    assert zep4.graph.lookup(user_id=user["user_id"]) == own


@requirement("v4:graph:user-uuid")
def test_a_users_uuid_stands_for_their_graph(zep4: Zep) -> None:
    """Wherever a graph is named."""
    user = a_user4(zep4)
    an_episode(zep4, {"uuid": user["uuid"]}, "Jane plays chess.")
    assert zep4.graph.get(user["uuid"])["uuid"] == user["graph_uuid"]
    assert zep4.graph.edge.list(user["uuid"]) == zep4.graph.edge.list(user["graph_uuid"])


@requirement("v4:graph.update", "v4:graph.warm")
def test_a_graph_is_changed_and_warmed(zep4: Zep) -> None:
    """What is left out stays; warming is done when it answers."""
    made = a_graph4(zep4)
    changed = zep4.graph.update(made["uuid"], description="letters", time_zone="Europe/Lisbon")
    assert (changed["name"], changed["description"]) == (made["name"], "letters")
    assert changed["time_zone"] == "Europe/Lisbon"
    warmed = zep4.graph.warm(made["uuid"])
    assert warmed["task"]["type"] == "graph.warm"
    assert ended(zep4, warmed)["status"] == "succeeded"


@requirement("v4:graph.delete")
def test_a_graph_is_deleted_as_a_task(zep4: Zep) -> None:
    """A user's graph is not: it goes with the user."""
    made = a_graph4(zep4)
    answer = zep4.graph.delete(made["uuid"])
    assert ended(zep4, answer)["status"] == "succeeded"
    with refused4(404, "NotFoundError"):
        zep4.graph.get(made["uuid"])
    with refused4(400, "BadRequestError", param="graph_uuid"):
        zep4.graph.delete(a_user4(zep4)["graph_uuid"])


@requirement("v4:graph.clone")
def test_a_copy_holds_what_its_original_holds(zep4: Zep) -> None:
    """Under uuids of its own, and standing alone from then on."""
    made = a_graph4(zep4)
    an_episode(zep4, made, "Paul works at Siemens.")
    answer = zep4.graph.clone(made["uuid"], request={})
    assert ended(zep4, answer)["status"] == "succeeded"
    copy = answer["graph"]
    assert copy["uuid"] != made["uuid"]
    facts = [edge["fact"] for edge in zep4.graph.edge.list(copy["uuid"], **{"$all": True})]
    assert facts == [edge["fact"] for edge in zep4.graph.edge.list(made["uuid"], **{"$all": True})]
    assert "Siemens" in " ".join(facts)


@requirement(
    "v4:graph.episode.add",
    "v4:graph.episode.get",
    "v4:graph.episode.list",
    "v4:graph.episode.list_for_document",
    "v4:graph.episode.update",
)
def test_episodes_are_added_read_listed_and_annotated(zep4: Zep) -> None:
    """Text with a time, a document and metadata comes back as it went in."""
    graph = a_graph4(zep4)
    given = {"document_id": "report", "metadata": {"topic": "work"}, "source_description": "a memo"}
    first = an_episode(
        zep4, graph, "Paul works at Siemens.", reference_time="2024-05-01T10:00:00Z", **given
    )
    second = an_episode(zep4, graph, '{"employee": "Eva"}', type="json")
    read = zep4.graph.episode.get(graph["uuid"], first["uuid"])
    assert read == {**first, "processed": True}
    assert (read["source"], read["reference_time"]) == ("text", "2024-05-01T10:00:00Z")
    assert {name: read[name] for name in given} == given
    listed = zep4.graph.episode.list(
        graph["uuid"], page_size=1, order_by="created_at", order="asc", **{"$all": True}
    )
    assert [one["uuid"] for one in listed] == [first["uuid"], second["uuid"]]
    of_document = zep4.graph.episode.list_for_document(graph["uuid"], "report")["items"]
    assert [one["uuid"] for one in of_document] == [first["uuid"]]
    made = zep4.graph.episode.update(graph["uuid"], first["uuid"], metadata={"topic": "home"})
    assert made["metadata"] == {"topic": "home"}


@requirement("v4:graph.episode.get_debug_logs", "v4:graph.episode.list_ingestion_traces")
def test_how_an_episode_was_read_can_be_seen(zep4: Zep) -> None:
    """That it was, and what was found in it before it met the graph."""
    graph = a_graph4(zep4)
    episode = an_episode(zep4, graph, "Paul works at Siemens.")
    log = zep4.graph.episode.get_debug_logs(graph["uuid"], episode["uuid"])
    assert log["status"] == "completed"
    (trace,) = zep4.graph.episode.list_ingestion_traces(graph["uuid"], episode["uuid"])["items"]
    assert trace["input"]["episode_content"] == "Paul works at Siemens."
    assert [edge["name"] for edge in trace["output"]["extracted_edges"]] == ["WORKS_AT"]


@requirement("v4:graph.episode.delete", "v4:task.get:gone")
def test_a_deleted_episode_takes_its_facts_along_and_nobody_waits_for_it(zep4: Zep) -> None:
    """What it alone told is gone; the task of reading it is over, and says what became of it."""
    graph = a_graph4(zep4)
    added = zep4.graph.episode.add(graph["uuid"], data="Paul works at Siemens.", type="text")
    assert ended(zep4, added)["status"] == "succeeded"
    answer = zep4.graph.episode.delete(graph["uuid"], added["episode"]["uuid"])
    assert ended(zep4, answer)["status"] == "succeeded"
    assert zep4.graph.edge.list(graph["uuid"])["items"] == []
    task = zep4.task.get(added["task"]["uuid"])
    assert task["status"] == "succeeded"
    assert task["completed_at"]
    assert "error" not in task
    assert "result" not in task
    assert task["progress"]["stage"] == "1 deleted since"


@requirement(
    "v4:graph.node.list", "v4:graph.node.get", "v4:graph.node.update", "v4:graph.node.delete"
)
def test_nodes_are_listed_corrected_and_deleted(zep4: Zep) -> None:
    """With the episodes that mention them."""
    graph = a_graph4(zep4)
    episode = an_episode(zep4, graph, "Paul works at Siemens. Paul met Eva.")
    nodes = zep4.graph.node.list(graph["uuid"], page_size=1, **{"$all": True})
    paul = next(node for node in nodes if node["name"] == "Paul")
    assert paul["episode_uuids"] == [episode["uuid"]]
    assert zep4.graph.node.get(graph["uuid"], paul["uuid"])["name"] == "Paul"
    made = zep4.graph.node.update(
        graph["uuid"], paul["uuid"], summary="An engineer.", attributes={"age": 40}
    )
    assert (made["summary"], made["attributes"]["age"]) == ("An engineer.", 40)
    answer = zep4.graph.node.delete(graph["uuid"], paul["uuid"])
    assert answer["task"]["type"] == "graph.node.delete"
    assert ended(zep4, answer)["status"] == "succeeded"
    with refused4(404, "NotFoundError"):
        zep4.graph.node.get(graph["uuid"], paul["uuid"])


@requirement(
    "v4:graph.edge.list", "v4:graph.edge.get", "v4:graph.edge.update", "v4:graph.edge.delete"
)
def test_edges_are_listed_corrected_and_deleted(zep4: Zep) -> None:
    """With their ends, their times and the episodes behind them."""
    graph = a_graph4(zep4)
    episode = an_episode(zep4, graph, "Paul works at Siemens.")
    (edge,) = zep4.graph.edge.list(graph["uuid"], order_by="valid_at", order="asc")["items"]
    assert (edge["name"], edge["episode_uuids"]) == ("WORKS_AT", [episode["uuid"]])
    assert (edge["source_node_name"], edge["target_node_name"]) == ("Paul", "Siemens")
    assert zep4.graph.edge.get(graph["uuid"], edge["uuid"]) == edge
    made = zep4.graph.edge.update(
        graph["uuid"], edge["uuid"], fact="Paul runs Siemens", attributes={"sure": True}
    )
    assert (made["fact"], made["attributes"]) == ("Paul runs Siemens", {"sure": True})
    answer = zep4.graph.edge.delete(graph["uuid"], edge["uuid"])
    assert ended(zep4, answer)["status"] == "succeeded"
    with refused4(404, "NotFoundError"):
        zep4.graph.edge.get(graph["uuid"], edge["uuid"])


@requirement("v4:graph:own-graph")
def test_nothing_is_found_through_another_graph(zep4: Zep) -> None:
    """Nodes, edges and episodes belong to the graph that the path names, or are not there."""
    graph, other = a_graph4(zep4), a_graph4(zep4)["uuid"]
    episode = an_episode(zep4, graph, "Paul works at Siemens.")
    (edge,) = zep4.graph.edge.list(graph["uuid"])["items"]
    for read in (
        lambda: zep4.graph.episode.get(other, episode["uuid"]),
        lambda: zep4.graph.episode.delete(other, episode["uuid"]),
        lambda: zep4.graph.edge.get(other, edge["uuid"]),
        lambda: zep4.graph.edge.delete(other, edge["uuid"]),
        lambda: zep4.graph.node.get(other, edge["source_node_uuid"]),
        lambda: zep4.graph.node.list(NOBODY),
    ):
        with refused4(404, "NotFoundError"):
            read()


@requirement("v4:graph.node.add", "v4:graph.edge.add")
def test_nodes_and_edges_can_be_written_down(zep4: Zep, awake: None) -> None:
    """They are found again by name or uuid; the task tells which edges came of it."""
    graph = a_graph4(zep4)["uuid"]
    nodes = [typed("NodeInput", name="Ada", label="Person"), typed("NodeInput", name="Acme")]
    added = zep4.graph.node.add(graph, nodes=nodes)
    assert ended(zep4, added)["status"] == "succeeded"
    ada, acme = (node["uuid"] for node in added["nodes"])
    ends = {
        "source_node": typed("EdgeNodeRef", uuid_=ada),
        "target_node": typed("EdgeNodeRef", name="Acme"),
    }
    fact = {"fact": "Ada works at Acme", "fact_name": "WORKS_AT", "metadata": {"by": "hand"}}
    times = {"valid_at": "2024-05-01T00:00:00Z"}
    made = zep4.graph.edge.add(graph, edges=[typed("EdgeInput", **fact, **ends, **times)])
    (edge,) = made["edges"]
    assert (edge["source_node_uuid"], edge["target_node_uuid"]) == (ada, acme)
    result = ended(zep4, made)["result"]
    assert result["edge_uuid"] == edge["uuid"]
    assert zep4.graph.edge.get(graph, edge["uuid"])["valid_at"] == "2024-05-01T00:00:00Z"
    with refused4(400, "BadRequestError", param="edges[0].fact_name"):
        zep4.graph.edge.add(graph, edges=[typed("EdgeInput", **{**fact, "fact_name": "x"}, **ends)])


@requirement("v4:graph.node.list_neighbors", "v4:graph.get_subgraph")
def test_the_surroundings_of_a_node_can_be_walked(zep4: Zep) -> None:
    """Neighbours with the edges to them, and all within some steps."""
    graph = a_graph4(zep4)["uuid"]
    an_episode(zep4, {"uuid": graph}, "Paul works at Siemens. Paul lives in Porto.")
    nodes = zep4.graph.node.list(graph, **{"$all": True})
    paul = next(node for node in nodes if node["name"] == "Paul")
    near = zep4.graph.node.list_neighbors(graph, paul["uuid"], page_size=1, **{"$all": True})
    assert {one["node"]["name"] for one in near} == {"Siemens", "Porto"}
    assert all(one["edges"] for one in near)
    found = zep4.graph.get_subgraph(graph, seed_node_uuids=[paul["uuid"]], direction="out")
    assert {node["name"] for node in found["nodes"]} == {"Paul", "Siemens", "Porto"}
    assert found["truncated"] is False


@requirement(
    "v4:graph.observation.list",
    "v4:graph.observation.get",
    "v4:graph.search_observations",
)
def test_observations_can_be_read(zep4: Zep) -> None:
    """What recurs over facts, with the episodes behind it."""
    user = a_user4(zep4)
    for city in ("Lisbon", "Porto", "Faro", "Braga", "Evora"):
        told(zep4, f"I visited {city} with my sister Maria.", user)
    listed = eventually(
        lambda: zep4.graph.observation.list(user["uuid"])["items"], lambda found: bool(found)
    )
    one = zep4.graph.observation.get(user["uuid"], listed[0]["uuid"])
    assert one == listed[0]
    assert one["episode_uuids"]
    found = zep4.graph.search_observations(user["uuid"], query=one["summary"])["items"]
    assert one["uuid"] in [hit["uuid"] for hit in found]


@requirement(
    "v4:graph.thread_summary.list",
    "v4:graph.document_summary.list",
    "v4:graph.search_thread_summaries",
)
def test_summaries_can_be_read(zep4: Zep) -> None:
    """Of a user's threads, and of the documents of a graph."""
    user = a_user4(zep4)
    thread, _ = told(zep4, "I moved to Lisbon in May 2024.", user)
    (summary,) = zep4.graph.thread_summary.list(user["uuid"])["items"]
    assert summary["thread_uuid"] == thread["uuid"]
    assert "Lisbon" in summary["summary"]
    (found,) = zep4.graph.search_thread_summaries(user["uuid"], query="Lisbon")["items"]
    assert found["uuid"] == summary["uuid"]
    graph = a_graph4(zep4)
    an_episode(zep4, graph, "Paul works at Siemens.", document_id="report")
    (document,) = zep4.graph.document_summary.list(graph["uuid"])["items"]
    assert document["document_id"] == "report"
    assert "Siemens" in document["summary"]
