"""Arguments and requests of the tools, without a server."""

import msgspec
import pytest

from recollect.errors import InvalidInput
from recollect.graph.types import Json
from recollect.mcp import parameters, read_tools, shapes, write_tools
from recollect.mcp.tools import Request, Tool


def request(tool: Tool, **arguments: object) -> Request:
    """The request that a tool makes of arguments."""
    return tool.request(parameters.checked(tool.parameters, dict(arguments)))


def body(found: Request) -> Json:
    """The JSON of a request."""
    decoded: Json = msgspec.json.decode(found.body)
    return decoded


def test_ids_stay_one_segment_of_the_path() -> None:
    found = request(read_tools.GET_USER, user_id="a/b?c#d ü")
    assert found.path == "/api/v2/users/a%2Fb%3Fc%23d%20%C3%BC"


def test_a_search_sends_only_what_is_given() -> None:
    found = request(
        read_tools.SEARCH_GRAPH, user_id="ann", query="tea", mmr_lambda=-1, node_labels=[]
    )
    assert body(found) == {"user_id": "ann", "query": "tea", "limit": 10, "scope": "edges"}
    found = request(
        read_tools.SEARCH_GRAPH, user_id="ann", query="tea", min_fact_rating=0.5, limit=7
    )
    assert (body(found)["min_fact_rating"], body(found)["limit"]) == (0.5, 7)
    found = request(read_tools.SEARCH_GRAPH, user_id="ann", query="tea", node_labels=["Person"])
    assert body(found)["search_filters"] == {"node_labels": ["Person"]}


def test_the_newest_and_the_limit_of_messages_are_both_handed_on() -> None:
    found = request(read_tools.GET_THREAD_MESSAGES, thread_id="t", lastn=2, limit=9)
    assert found.query == "lastn=2&limit=9"
    assert request(read_tools.GET_THREAD_MESSAGES, thread_id="t", lastn=0).query == ""


@pytest.mark.parametrize("given", ["\ud800", ["x"], 1, None])
def test_what_is_no_text_does_not_fit_a_string(given: object) -> None:
    with pytest.raises(InvalidInput, match="user_id: must be a string"):
        request(read_tools.GET_USER, user_id=given)


@pytest.mark.parametrize("given", [float("nan"), float("inf"), 10**400, True, "1"])
def test_what_is_no_number_does_not_fit_one(given: object) -> None:
    with pytest.raises(InvalidInput, match="mmr_lambda: must be a number"):
        request(read_tools.SEARCH_GRAPH, user_id="ann", query="tea", mmr_lambda=given)


def test_forgetting_goes_to_the_route_of_what_is_named() -> None:
    assert request(write_tools.FORGET, edge_uuid="e")[:3] == ("DELETE", "/api/v2/graph/edge/e", "")
    for name, place in (("episode_uuid", "episodes"), ("thread_id", "threads")):
        found = request(write_tools.FORGET, **{name: "x"})
        assert found[:3] == ("DELETE", f"/api/v1/{place}/x", "mode=forget")
    with pytest.raises(InvalidInput, match="exactly one"):
        request(write_tools.FORGET, user_id="x", thread_id="y")


def test_edges_get_their_alias_wherever_they_are() -> None:
    edge = {"uuid": "e", "name": "LIKES", "source_node_uuid": "n"}
    aliased = {**edge, "edge_type": "LIKES", "valid_at": None}
    node = {"uuid": "n", "name": "Ann"}
    assert shapes.edges(edge) == aliased
    assert shapes.edges([edge]) == [aliased]
    both = {"edges": [edge], "nodes": [node]}
    assert shapes.edges(both) == {"edges": [aliased], "nodes": [node]}
    assert shapes.edges({"nodes": []}) == {"nodes": []}


def test_beside_edges_stand_the_nodes_they_join_each_once_in_their_order() -> None:
    def edge(source: str, target: str, **named: object) -> Json:
        return {"name": "KNOWS", "source_node_uuid": source, "target_node_uuid": target, **named}

    named = {"source_node_name": "Bo", "source_node_labels": ["Person"]}
    found = shapes.found({"edges": [edge("b", "a", **named), edge("a", "c"), edge("b", "c")]})
    assert found["nodes"] == [
        {"uuid": "b", "name": "Bo", "labels": ["Person"]},
        {"uuid": "a"},
        {"uuid": "c"},
    ]
    assert shapes.found({"edges": []}) == {"edges": []}
    assert shapes.found({"nodes": [{"uuid": "n"}]}) == {"nodes": [{"uuid": "n"}]}
    assert shapes.found({"episodes": [{"uuid": "e"}]}) == {
        "episodes": [{"uuid": "e", "metadata": None}]
    }
