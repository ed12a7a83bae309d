"""Arguments of the tools and what they ask for with them, without a server."""

from typing import Any

import pytest

from recollect.api.router import Route
from recollect.asgi import route_table
from recollect.errors import InvalidInput
from recollect.graph.types import Json
from recollect.mcp import actions, read_tools, shapes, tools, write_tools
from recollect.mcp.actions import Action
from recollect.mcp.tools import Tool

ACTIONS = [one for one in vars(actions).values() if isinstance(one, Action)]


async def asked(tool: Tool, **given: object) -> tuple[Action, str, Json]:
    """What a tool asks for first, by which name and with which fields."""
    found: list[tuple[Action, str, Json]] = []

    async def ask(action: Action, name: str = "", /, **fields: Any) -> Any:
        found.append((action, name, fields))

    await tool.run(ask, tools.read(tool.takes, dict(given)))
    return found[0]


def governed(one: Action | Route) -> tuple[object, ...]:
    """What policies and the audit log go by."""
    erases = one.erases or (isinstance(one, Route) and one.method == "DELETE")
    return (one.action, one.mutates, erases, one.shows, one.public, one.admin)


@pytest.mark.parametrize("action", ACTIONS, ids=lambda one: one.action)
def test_what_tools_do_is_governed_as_a_route_that_does_it(action: Action) -> None:
    assert governed(action) in {governed(route) for route in route_table()}


async def test_ids_are_handed_on_as_they_are() -> None:
    odd = "a/b?c#d ü"
    assert await asked(read_tools.GET_USER, user_id=odd) == (actions.GET_USER, odd, {})


async def test_a_search_sends_only_what_is_given() -> None:
    tea = {"user_id": "ann", "query": "tea"}
    found = await asked(read_tools.SEARCH_GRAPH, **tea, mmr_lambda=-1, node_labels=[])
    assert found == (actions.SEARCH, "", {**tea, "limit": 10, "scope": "edges"})
    *_, fields = await asked(read_tools.SEARCH_GRAPH, **tea, min_fact_rating=0.5, limit=7.0)
    assert (fields["min_fact_rating"], fields["limit"]) == (0.5, 7)
    *_, fields = await asked(read_tools.SEARCH_GRAPH, **tea, node_labels=["Person"])
    assert fields["search_filters"] == {"node_labels": ["Person"]}


async def test_the_newest_and_the_limit_of_messages_are_both_handed_on() -> None:
    found = await asked(read_tools.GET_THREAD_MESSAGES, thread_id="t", lastn=2, limit=9)
    assert found == (actions.GET_MESSAGES, "t", {"lastn": 2, "limit": 9})
    found = await asked(read_tools.GET_THREAD_MESSAGES, thread_id="t", lastn=0)
    assert found == (actions.GET_MESSAGES, "t", {})


@pytest.mark.parametrize("given", ["\ud800", ["x"], 1, None])
async def test_what_is_no_text_does_not_fit_a_string(given: object) -> None:
    with pytest.raises(InvalidInput, match="user_id: must be a string"):
        await asked(read_tools.GET_USER, user_id=given)


@pytest.mark.parametrize("given", [float("nan"), float("inf"), 10**400, True, "1"])
async def test_what_is_no_number_does_not_fit_one(given: object) -> None:
    with pytest.raises(InvalidInput, match="mmr_lambda: must be a number"):
        await asked(read_tools.SEARCH_GRAPH, user_id="ann", query="tea", mmr_lambda=given)


@pytest.mark.parametrize("given", [["\ud800"], [1], "x", {}, False])
async def test_what_is_no_list_of_texts_does_not_fit_one(given: object) -> None:
    with pytest.raises(InvalidInput, match="edge_types: must be a list of strings, or null"):
        await asked(read_tools.SEARCH_GRAPH, user_id="ann", query="tea", edge_types=given)


async def test_forgetting_goes_by_what_is_named() -> None:
    for name, action in (
        ("edge_uuid", actions.DELETE_EDGE),
        ("episode_uuid", actions.FORGET_EPISODE),
        ("thread_id", actions.FORGET_THREAD),
        ("user_id", actions.FORGET_USER),
    ):
        assert await asked(write_tools.FORGET, **{name: "x"}) == (action, "x", {})
    with pytest.raises(InvalidInput, match="exactly one"):
        await asked(write_tools.FORGET, user_id="x", thread_id="y")


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
