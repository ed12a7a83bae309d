"""The guide to the MCP tools, section by section, through the official client."""

import asyncio
import time
from typing import Any

import pytest
from mcp import MCPError

from tests.contract.mcp.clients import child, connected, refused, value
from tests.contract.mcp.story import THREAD, USER, Json, Story, triple, wait_for

PARAMETERS: dict[str, Json] = {
    "search_graph": {
        "scope": {"enum": ["edges", "nodes", "episodes"], "default": "edges"},
        "limit": {"maximum": 50, "default": 10},
        "reranker": {"enum": ["rrf", "mmr", "node_distance", "episode_mentions", "cross_encoder"]},
        "min_fact_rating": {"maximum": 1},
        "mmr_lambda": {"maximum": 1},
    },
    "get_user_nodes": {"limit": {"maximum": 50, "default": 20}},
    "get_user_edges": {"limit": {"maximum": 50, "default": 20}},
    "get_episodes": {"lastn": {"maximum": 1000, "default": 10}},
    "get_thread_messages": {"lastn": {"maximum": 1000}, "limit": {"maximum": 1000}},
    "list_users": {"limit": {"maximum": 1000, "default": 20}, "page": {"default": 1}},
    "add_memory": {
        "role": {
            "enum": ["user", "assistant", "system", "tool", "function"],
            "default": "user",
        },
        "type": {"enum": ["text", "json", "message"]},
    },
}
TOLD = ("enum", "maximum", "default")


async def test_parameters_allowed_values_and_maxima_are_in_the_schemas(story: Story) -> None:
    """Every section "Parameters"."""
    async with connected(story, "http", story.key("writer", mcp_write=True)) as client:
        listed = {tool.name: tool.input_schema for tool in (await client.list_tools()).tools}
    for tool, schema in listed.items():
        bounds = {
            name: told
            for name, one in schema["properties"].items()
            if (told := {key: one[key] for key in TOLD if key in one})
        }
        assert bounds == PARAMETERS.get(tool, {}), tool


async def test_parameters_a_value_that_is_not_allowed_is_told_in_words(story: Story) -> None:
    """As a result, which a model reads and mends; "400 Bad Request" of "Error Handling"."""
    asked = {"user_id": USER, "query": "work"}
    async with connected(story, "http") as client:
        for wrong in ({"scope": "facts"}, {"reranker": "best"}, {"mmr_lambda": 2.0}):
            told = await refused(client, "search_graph", **asked, **wrong)
            assert told.startswith(f"could not search the graph: 400: {next(iter(wrong))}")


FIELDS = {
    "get_user": "user_id email first_name last_name created_at metadata",
    "list_threads": "thread_id user_id created_at updated_at metadata",
    "get_user_nodes": "uuid name labels summary created_at",
    "get_user_edges": "uuid source_node_uuid target_node_uuid edge_type fact valid_at created_at",
    "get_episodes": "uuid content source created_at metadata",
    "get_node": "uuid name labels summary",
    "get_edge": "uuid source_node_uuid target_node_uuid edge_type fact valid_at",
    "get_episode": "uuid content source metadata",
    "get_node_edges": "uuid source_node_uuid target_node_uuid edge_type fact",
}
LISTS = ("list_threads", "get_user_nodes", "get_user_edges", "get_episodes", "get_node_edges")


@pytest.mark.parametrize("way", ["http", "forwarded"])
async def test_returns_every_tool_answers_in_the_shape_of_the_guide(story: Story, way: str) -> None:
    """Every section "Returns": arrays are arrays, and each field that is named is there."""
    ids: dict[str, Json] = {
        "get_node": {"uuid": story.node},
        "get_edge": {"uuid": story.edge},
        "get_episode": {"uuid": story.episode},
        "get_node_edges": {"node_uuid": story.node},
    }
    async with connected(story, way) as client:
        for tool, fields in FIELDS.items():
            answer = await value(client, tool, **ids.get(tool, {"user_id": USER}))
            assert isinstance(answer, list) == (tool in LISTS), tool
            for one in answer if isinstance(answer, list) else [answer]:
                assert set(fields.split()) <= set(one), tool
        mentions = await value(client, "get_episode_mentions", uuid=story.episode)
        assert all(isinstance(mentions[name], list) for name in ("nodes", "edges"))
        messages = (await value(client, "get_thread_messages", thread_id=THREAD))["messages"]
        assert {"role", "content", "uuid", "created_at"} <= set(messages[0])
        assert set(await value(client, "get_user_context", thread_id=THREAD)) == {"context"}


async def test_list_threads_says_when_a_thread_was_last_spoken_in(story: Story) -> None:
    """Section "list_threads": `updated_at` is of use, and metadata is what was given."""
    with story.http() as http:
        http.post("/users", json={"user_id": "lou"}).raise_for_status()
        made = {"session_id": "lou's", "user_id": "lou", "metadata": {"topic": "tea"}}
        http.post("/sessions", json=made).raise_for_status()
        said = {"messages": [{"role": "user", "content": "I like tea."}]}
        http.post("/threads/lou's/messages", json=said).raise_for_status()
    async with connected(story, "http") as client:
        (thread,) = await value(client, "list_threads", user_id="lou")
    assert thread["metadata"] == {"topic": "tea"}
    assert thread["updated_at"] > thread["created_at"]


async def rated(client: Any, **narrow: Any) -> dict[str, float]:
    """The ratings of what a search finds, by the fact."""
    found = await value(client, "search_graph", user_id="pam", query="Pam", limit=50, **narrow)
    return {one["fact"]: one["rating"] for one in found["edges"] if "rating" in one}


async def test_search_graph_min_fact_rating_from_the_first_word_on(story: Story) -> None:
    """Section "search_graph": ratings are asked for, shown and searched by without raw HTTP."""
    async with connected(story, "http", story.key("writer", mcp_write=True)) as client:
        user = await value(
            client,
            "rate_facts",
            user_id="pam",
            instruction="Rate by how much it matters to somebody's health.",
            high="Pam is allergic to peanuts.",
            medium="Pam sleeps six hours a night.",
            low="Pam owns a red bicycle.",
        )
        assert user["fact_rating_instruction"]["examples"]["low"] == "Pam owns a red bicycle."
        episodes = []
        for said in ("I am allergic to shellfish.", "I own a blue bicycle."):
            added = await value(client, "add_memory", user_id="pam", content=said)
            episodes.append(added["uuid"])
        with story.http() as http:
            for uuid in episodes:
                path = f"/graph/episodes/{uuid}"
                wait_for(lambda path=path: http.get(path).json()["processed"])
        everything = await rated(client)
        allergy = next(fact for fact in everything if "shellfish" in fact)
        bicycle = next(fact for fact in everything if "bicycle" in fact)
        assert everything[bicycle] < 0.5 < everything[allergy]
        narrowed = await rated(client, min_fact_rating=0.5)
        assert allergy in narrowed
        assert bicycle not in narrowed


async def test_search_graph_node_labels_of_edges_are_of_either_end(story: Story) -> None:
    """Section "search_graph": what is labelled at one end only is found, too."""
    with story.http() as http:
        http.post("/users", json={"user_id": "kit"}).raise_for_status()
        labels = {"target_node_labels": ["Boat"]}
        sent = {"user_id": "kit", "fact": "kit sails the Albatross", "fact_name": "SAILS"}
        ends = {"source_node_name": "kit", "target_node_name": "Albatross"}
        http.post("/graph/add-fact-triple", json={**sent, **ends, **labels}).raise_for_status()
        triple(http, "kit", "kit likes tea", "LIKES", "tea")
    async with connected(story, "http") as client:
        asked = {"user_id": "kit", "query": "What does kit sail or like?"}
        boats = await value(client, "search_graph", **asked, node_labels=["Boat"])
        nodes = await value(client, "search_graph", **asked, scope="nodes", node_labels=["Boat"])
        none = await value(client, "search_graph", **asked, node_labels=["Plane"])
    assert [one["fact"] for one in boats["edges"]] == ["kit sails the Albatross"]
    assert [one["name"] for one in nodes["nodes"]] == ["Albatross"]
    assert not none["edges"]


@pytest.mark.parametrize("way", ["http", "stdio"])
async def test_combining_tools_the_walk_of_the_guide_step_by_step(story: Story, way: str) -> None:
    """Section "Combining Tools"."""
    async with connected(story, way) as client:
        threads = await value(client, "list_threads", user_id=USER)
        context = await value(client, "get_user_context", thread_id=threads[0]["thread_id"])
        assert "Acme" in context["context"]
        found = await value(
            client, "search_graph", user_id=USER, query="Where does Ann work?", scope="edges"
        )
        assert "Acme" in found["edges"][0]["fact"]
        ends = {found["edges"][0][f"{end}_node_uuid"] for end in ("source", "target")}
        assert ends == {one["uuid"] for one in found["nodes"][:2]}
        node = await value(client, "get_node", uuid=found["nodes"][0]["uuid"])
        assert node["name"] == found["nodes"][0]["name"]
        relationships = await value(client, "get_node_edges", node_uuid=node["uuid"])
        assert found["edges"][0]["uuid"] in [one["uuid"] for one in relationships]


async def test_error_handling_a_key_that_is_taken_back_is_said_by_the_forwarder(
    story: Story,
) -> None:
    """Section "Error Handling", "401 Unauthorized", with `recollect mcp --url`."""
    key = story.key("taken back")
    async with child(story, "--url", story.server.url, key=key) as client:
        assert (await value(client, "get_user", user_id=USER))["user_id"] == USER
        story.revoke("taken back")
        assert await _refusal(client) == "it does not know the key in RECOLLECT_API_KEY (401)"


async def _refusal(client: Any) -> str:
    """What is said once the server has noticed."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        try:
            await client.call_tool("get_user", {"user_id": USER})
        except MCPError as error:
            return error.message
        await asyncio.sleep(0.1)
    return "nothing"
