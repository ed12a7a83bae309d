"""Agents at a desk: no thread and no user has to be named, and answers are lines for a model."""

import pytest

from tests.contract.mcp.clients import child, connected, said, value
from tests.contract.mcp.story import USER, Story

WAYS = ["folder", "forwarded"]


def options(story: Story, way: str, *more: str) -> tuple[tuple[str, ...], str | None]:
    """What a child is started with, and under which key."""
    if way == "folder":
        return more, None
    return ("--url", story.server.url, *more), story.key("desk", mcp_write=True)


@pytest.mark.parametrize("way", WAYS)
async def test_tools_are_for_the_user_they_are_served_for(story: Story, way: str) -> None:
    words, key = options(story, way, "--user", USER, "--text", "lines")
    async with child(story, *words, key=key) as client:
        listed = {tool.name: tool.input_schema for tool in (await client.list_tools()).tools}
        assert listed["search_graph"]["required"] == ["query"]
        assert listed["search_graph"]["properties"]["user_id"]["default"] == USER
        assert "default" not in listed["forget"]["properties"]["user_id"]
        assert USER in (client.instructions or "")
        found = await client.call_tool("search_graph", {"query": "Where does she work?"})
        context = await client.call_tool("get_user_context", {})
        about = await client.call_tool("get_user_context", {"query": "work"})
        users = await client.call_tool("list_users", {})
        nobody = await client.call_tool("forget", {})
    assert not found.is_error
    first = said(found).splitlines()[1]
    assert first.startswith("- "), said(found)
    assert "[edge " in first
    assert found.structured_content is not None
    assert found.structured_content["edges"][0]["uuid"] in first
    assert len(said(found)) < len(str(found.structured_content)) / 2, "text is the short form"
    for told in (context, about):
        assert "Acme" in said(told)
        assert told.structured_content == {"context": said(told)}
    assert f"- {USER}" in said(users)
    assert nobody.is_error, "nobody is forgotten because nobody was named"


async def test_a_new_folder_remembers_out_of_the_box(story: Story) -> None:
    async with child(story, "--user", "desk-me") as client:
        empty = await value(client, "get_user_context")
        assert empty["context"] is not None
        added = await value(client, "add_memory", content="I play the cello.")
        assert added["content"] == "user: I play the cello."
        episodes = await value(client, "get_episodes")
        assert [one["content"] for one in episodes] == ["user: I play the cello."]


async def test_a_child_that_only_reads_is_asked_for(story: Story) -> None:
    async with child(story, "--read-only") as client:
        names = {tool.name for tool in (await client.list_tools()).tools}
    assert "add_memory" not in names
    assert "list_users" in names


async def test_users_are_listed_over_http(story: Story) -> None:
    async with connected(story, "http") as client:
        listed = await value(client, "list_users", limit=1000)
        page = await value(client, "list_users", limit=1, page=2)
        context = await value(client, "get_user_context", user_id=USER)
        refused = await client.call_tool("get_user_context", {})
        unknown = await client.call_tool("get_user_context", {"user_id": "nobody at all"})
    assert USER in [one["user_id"] for one in listed["users"]]
    assert listed["total_count"] == len(listed["users"])
    assert len(page["users"]) <= 1
    assert "Acme" in context["context"]
    assert said(refused) == "could not get the context: 400: give a thread_id, or a user_id"
    assert said(unknown).startswith("could not get the context: 404: ")
