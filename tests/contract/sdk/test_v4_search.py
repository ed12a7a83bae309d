"""Searches, contexts, questions and filters with the client of generation 4."""

from contextlib import ExitStack
from pathlib import Path

from tests.contract.sdk.drivers import Driver, Zep, typed
from tests.contract.sdk.environments import PY4
from tests.contract.sdk.requirements import requirement
from tests.contract.sdk.support import unique
from tests.contract.sdk.support_4 import a_graph4, a_user4, an_episode, ended, refused4, told
from tests.support.scripted_model import Request, ScriptedModel, Step, answers, fails
from tests.support.server import EXTRACTION_ON, Server


@requirement("v4:graph.search_edges", "v4:graph.search_nodes", "v4:graph.search_episodes")
def test_each_kind_is_searched_by_itself(zep4: Zep) -> None:
    """The best come first, with their scores, page by page."""
    user = a_user4(zep4)
    told(zep4, "I moved to Lisbon in May 2024. I work at Siemens.", user)
    edges = zep4.graph.search_edges(user["uuid"], query="Where does Jane live?", page_size=1)
    assert "Lisbon" in edges["items"][0]["fact"]
    assert edges["items"][0]["score"] > 0
    every = zep4.graph.search_edges(
        user["uuid"], query="Where does Jane live?", page_size=1, **{"$all": True}
    )
    assert len(every) > 1
    assert len({edge["uuid"] for edge in every}) == len(every)
    nodes = zep4.graph.search_nodes(user["uuid"], query="Siemens", reranker="rrf")["items"]
    assert nodes[0]["name"] == "Siemens"
    (episode,) = zep4.graph.search_episodes(user["uuid"], query="Lisbon")["items"]
    assert episode["content"].startswith("I moved")
    good = zep4.graph.search_edges(
        user["uuid"], query="Where does Jane live?", filter_low_quality_results=True
    )["items"]
    assert good[0] == edges["items"][0]
    assert len(good) <= len(every)


@requirement("v4:filters:spellings")
def test_filters_narrow_in_the_spellings_of_this_generation(zep4: Zep) -> None:
    """Dates, metadata, labels, types, properties and uuids; one that is not known is refused."""
    graph = a_graph4(zep4)["uuid"]
    work = an_episode(zep4, {"uuid": graph}, "Paul works at Siemens.", metadata={"team": "a"})
    an_episode(zep4, {"uuid": graph}, "Eva lives in Porto.", metadata={"team": "b"})
    of_team = typed(
        "MetadataFilterGroup",
        type="and",
        filters=[typed("MetadataFilter", property_name="team", operator="in", value=["a"])],
    )

    def facts(**given: object) -> list[str]:
        listed = zep4.graph.edge.list(graph, filters=typed("EdgeListFilters", **given))
        return [edge["fact"] for edge in listed["items"]]

    assert facts(metadata_filters=of_team) == ["Paul works at Siemens"]
    assert facts(edge_types=["WORKS_AT"]) == ["Paul works at Siemens"]
    assert facts(exclude_edge_types=["WORKS_AT"]) == ["Eva lives in Porto"]
    assert facts(episode_uuids=[work["uuid"]]) == ["Paul works at Siemens"]
    future = typed("DateFilter", field="created_at", operator="gt", value="2100-01-01T00:00:00Z")
    groups = typed("DateFilters", any_of=[typed("DateFilterGroup", all_of=[future])])
    assert facts(date_filters=groups) == []
    listed = zep4.graph.episode.list(
        graph, filters=typed("EpisodeListFilters", metadata_filters=of_team)
    )
    assert [one["uuid"] for one in listed["items"]] == [work["uuid"]]
    found = zep4.graph.search_edges(
        graph, query="Siemens Porto", filters=typed("EdgeSearchFilters", edge_types=["LIVES_IN"])
    )
    assert [edge["fact"] for edge in found["items"]] == ["Eva lives in Porto"]
    nodes = zep4.graph.node.list(graph, filters=typed("NodeListFilters", node_labels=["Nothing"]))
    assert nodes["items"] == []
    with refused4(400, "BadRequestError"):
        zep4.graph.edge.list(graph, filters={"colour": "red"})


@requirement("v4:graph.get_context")
def test_a_context_is_one_text_over_all_kinds(zep4: Zep) -> None:
    """With what stands in it if that is asked for, shorter on request, or as a template has it."""
    user = a_user4(zep4)
    told(zep4, "I moved to Lisbon in May 2024. I work at Siemens.", user)
    asked = {"query": "Where does Jane live?"}
    found = zep4.graph.get_context(user["uuid"], **asked, include_results=True)
    assert "Lisbon" in found["context"]
    ranks = [item["selection_rank"] for kind in found["results"].values() for item in kind]
    assert sorted(ranks) == list(range(1, len(ranks) + 1))
    short = zep4.graph.get_context(user["uuid"], **asked, max_characters=200)
    assert len(short["context"]) <= 200
    recent = zep4.graph.get_context(user["uuid"], **asked, recency_bias="strong")
    assert "Lisbon" in recent["context"]
    template = zep4.context.create_template(name=unique("t"), template="Known: %{edges}")
    block = zep4.graph.get_context(user["uuid"], **asked, template_uuid=template["uuid"])
    assert block["context"].startswith("Known:")


@requirement("v4:graph.query", "v4:graph.query:rests")
def test_a_question_is_answered_with_what_it_rests_on(zep4: Zep) -> None:
    """From several graphs at once; without an answer, only what was found."""
    user, graph = a_user4(zep4), a_graph4(zep4)
    _, message = told(zep4, "I moved to Lisbon in May 2024.", user)
    an_episode(zep4, graph, "Eva lives in Porto.")
    asked = {"graph_uuids": [user["uuid"], graph["uuid"]], "query": "Where does Jane live?"}
    answer = zep4.graph.query(**asked)
    assert "Lisbon" in answer["answer"]
    assert answer["citations"]["episode_uuids"] == [message["uuid"]]
    (cited,) = answer["citations"]["edge_uuids"]
    edge = zep4.graph.edge.get(user["uuid"], cited)
    assert edge["fact"].rstrip(".") in answer["answer"]
    assert set(answer["citations"]["node_uuids"]) == {
        edge["source_node_uuid"],
        edge["target_node_uuid"],
    }
    assert {one["graph_uuid"] for one in answer["results"]["edges"]} == {
        user["graph_uuid"],
        graph["uuid"],
    }
    silent = zep4.graph.query(**asked, generate_answer=False)
    assert "answer" not in silent
    assert silent["results"]["edges"]
    with refused4(400, "BadRequestError", param="graph_uuids"):
        zep4.graph.query(graph_uuids=[], query="x")


@requirement("v4:graph.query_stream", "v4:graph.query_stream:events")
def test_a_question_is_answered_in_pieces(zep4: Zep) -> None:
    """Started, planned, searched graph by graph, and the same result as at once."""
    user = a_user4(zep4)
    told(zep4, "I moved to Lisbon in May 2024.", user)
    asked = {"graph_uuids": [user["uuid"]], "query": "Where does Jane live?"}
    events = zep4.graph.query_stream(**asked)
    assert [event["type"] for event in events] == [
        *("started", "plan", "tool_call", "tool_result", "result")
    ]
    assert [event["sequence"] for event in events] == [1, 2, 3, 4, 5]
    assert events[3]["handles"]
    whole = zep4.graph.query(**asked)
    assert {name: events[-1][name] for name in whole} == whole
    with refused4(404, "NotFoundError"):
        zep4.graph.query_stream(graph_uuids=[user["uuid"][:-4] + "0000"], query="x")


@requirement("v4:graph.query:model")
def test_a_language_model_writes_the_answer(tmp_path: Path) -> None:
    """It is shown what was found, and its answer names which of that it rests on; without an answer
    of its own, there is the one that needs no model."""
    written = iter([answers({"answer": "In Porto, as far as is known.", "findings": [1]})])

    def once(request: Request) -> Step:
        asked = "Where does Eva live?" in request.user
        return next(written, fails(500)) if asked else fails(500)

    edge = typed(
        "EdgeInput",
        fact="Eva lives in Porto",
        fact_name="LIVES_IN",
        source_node=typed("EdgeNodeRef", name="Eva"),
        target_node=typed("EdgeNodeRef", name="Porto"),
    )
    with ScriptedModel(otherwise=once) as model, ExitStack() as running:
        settings = {"RECOLLECT_LLM_URL": model.url, "RECOLLECT_LLM_MODEL": "scripted"}
        place = tmp_path / "data"
        server = running.enter_context(Server(place, environment={**EXTRACTION_ON, **settings}))
        driver = running.enter_context(Driver(PY4, tmp_path / "driver.log"))
        zep4 = Zep(driver, f"{server.url}/api/v4", server.api_key)
        graph = a_graph4(zep4)["uuid"]
        assert ended(zep4, zep4.graph.edge.add(graph, edges=[edge]))["status"] == "succeeded"
        asked = {"graph_uuids": [graph], "query": "Where does Eva live?"}
        first, second = zep4.graph.query(**asked), zep4.graph.query(**asked)
        shown = [request.user for request in model.requests if "Where does" in request.user]
    assert "Eva lives in Porto" in shown[0]
    assert first["answer"] == "In Porto, as far as is known."
    assert any(first["citations"].values())
    assert second["answer"] == "Eva lives in Porto."
