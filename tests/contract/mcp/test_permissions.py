"""What a key may see and do through tools, resources and prompts; and the tools that write."""

from collections.abc import Iterator
from itertools import count

import pytest
from mcp import Client, MCPError
from mcp.types import EmbeddedResource, TextContent, TextResourceContents

from tests.contract.mcp.clients import child, connected, refused, value
from tests.contract.mcp.story import THREAD, USER, Json, Story, triple

WRITING = ["add_memory", "correct_fact", "forget", "rate_facts", "take_reading", "give_reading"]
_NUMBERS = count(1)


@pytest.fixture
def user(story: Story) -> Iterator[str]:
    """A user of the test's own, who may be changed."""
    name = f"user-{next(_NUMBERS)}"
    with story.http() as http:
        assert http.post("/users", json={"user_id": name}).is_success
        yield name


async def names(client: Client) -> list[str]:
    """The tools that a client is shown."""
    return [tool.name for tool in (await client.list_tools()).tools]


async def read(client: Client, uri: str) -> str:
    """The text of a resource."""
    (found,) = (await client.read_resource(uri)).contents
    assert isinstance(found, TextResourceContents)
    assert (found.uri, found.mime_type) == (uri, "text/markdown")
    return found.text


def test_a_key_made_at_first_start_may_not_write(story: Story) -> None:
    with story.http(story.key("admin", admin=True)) as http:
        made = http.get(f"{story.server.url}/api/v1/keys").json()["keys"]
    assert not any(key["mcp_write"] for key in made if key["name"] == "environment")


async def test_an_action_that_is_denied_fails_and_leaves_the_others(story: Story) -> None:
    key = story.governed("only users", {"effect": "allow", "actions": ["user.get"]})
    async with connected(story, "http", key) as client:
        assert (await value(client, "get_user", user_id=USER))["user_id"] == USER
        told = await refused(client, "search_graph", user_id=USER, query="boat")
        assert told == "could not search the graph: 403: this key may not do graph.search"
        assert (await client.list_resources()).resources == []
        with pytest.raises(MCPError, match=r"403: this key may not do user\.get_facts"):
            await client.read_resource(f"recollect://users/{USER}/context")


PRIVATE: Json = {"effect": "deny", "actions": ["readonly"], "attributes": {"area": ["private"]}}


async def test_what_an_attribute_hides_is_in_no_tool_resource_or_prompt(story: Story) -> None:
    everything = {"effect": "allow", "actions": ["readonly"]}
    key = story.governed("nothing private", everything, PRIVATE)
    with story.http() as http:
        boat = triple(http, USER, "Ann Lee owns a boat", "OWNS", "boat", area="private")
    async with connected(story, "http") as client:
        assert "boat" in str(await value(client, "search_graph", user_id=USER, query="boat"))
        assert "boat" in await read(client, f"recollect://users/{USER}/context")
    async with connected(story, "http", key) as client:
        assert "Acme" in str(await value(client, "search_graph", user_id=USER, query="Acme"))
        for tool in ("get_user_edges", "get_user_nodes", "get_episodes"):
            assert "boat" not in str(await value(client, tool, user_id=USER)), tool
        found = await value(client, "search_graph", user_id=USER, query="boat")
        assert "boat" not in str(found)
        assert "404" in await refused(client, "get_edge", uuid=boat["uuid"])
        assert "404" in await refused(client, "get_node", uuid=boat["target_node_uuid"])
        assert "boat" not in str(await value(client, "get_user_context", thread_id=THREAD))
        assert "boat" not in await read(client, f"recollect://users/{USER}/context")
        prompt = await client.get_prompt("what_do_you_know_about_me", {"user_id": USER})
        assert "boat" not in str(prompt)


async def test_writing_tools_are_neither_listed_nor_callable_without_permission(
    story: Story, user: str
) -> None:
    async with connected(story, "http") as client:
        assert not set(WRITING) & set(await names(client))
        for tool in WRITING:
            with pytest.raises(MCPError, match=f"there is no tool named '{tool}'"):
                await client.call_tool(tool, {"user_id": user})


async def test_with_permission_memory_is_added_corrected_and_forgotten(
    story: Story, user: str
) -> None:
    with story.http() as http:
        edge = triple(http, user, "Bo likes tea", "LIKES", "tea")
        assert http.post("/threads", json={"thread_id": user, "user_id": user}).is_success
    async with connected(story, "http", story.key("writes", mcp_write=True)) as client:
        assert (await names(client))[14:] == WRITING
        added = await value(client, "add_memory", thread_id=user, content="I like tea.", name="Bo")
        (message,) = added["message_uuids"]
        noted = await value(client, "add_memory", user_id=user, content="Bo sails.")
        assert (noted["content"], noted["source"]) == ("user: Bo sails.", "message")
        said = await value(client, "get_thread_messages", thread_id=user)
        assert [(m["role"], m["name"], m["content"]) for m in said["messages"]] == [
            ("user", "Bo", "I like tea.")
        ]
        mended = await value(client, "correct_fact", uuid=edge["uuid"], fact="Bo likes coffee")
        assert (mended["fact"], mended["edge_type"]) == ("Bo likes coffee", "LIKES")
        assert (await value(client, "get_edge", uuid=edge["uuid"]))["fact"] == "Bo likes coffee"
        await value(client, "forget", edge_uuid=edge["uuid"])
        assert "404" in await refused(client, "get_edge", uuid=edge["uuid"])
        receipt = await value(client, "forget", episode_uuid=message)
        assert receipt["mode"] == "forget"
        assert "404" in await refused(client, "get_episode", uuid=message)
        await value(client, "forget", user_id=user)
        assert "404" in await refused(client, "get_user", user_id=user)


async def test_writing_tools_say_what_they_need(story: Story, user: str) -> None:
    async with connected(story, "http", story.key("writes", mcp_write=True)) as client:
        told = await refused(client, "add_memory", content="x", user_id=user, graph_id="g")
        assert "400: give exactly one of thread_id, user_id, graph_id" in told
        told = await refused(client, "correct_fact", uuid="x")
        assert "400: give at least one of fact, edge_type, valid_at, invalid_at" in told
        assert "400: give exactly one of" in await refused(client, "forget")
        told = await refused(client, "add_memory", content="x", user_id=user, type="poem")
        assert told.startswith("could not add the memory: 400: ")
        hints = {tool.name: tool.annotations for tool in (await client.list_tools()).tools}
        forget, add = hints["forget"], hints["add_memory"]
        assert forget is not None
        assert add is not None
        assert (forget.read_only_hint, forget.destructive_hint) == (False, True)
        assert (add.read_only_hint, add.destructive_hint, add.idempotent_hint) == (
            *(False, False),
            False,
        )


async def test_whoever_is_to_remember_is_made_if_new(story: Story) -> None:
    name = f"new-{next(_NUMBERS)}"
    async with connected(story, "http", story.key("writes", mcp_write=True)) as client:
        told = await refused(client, "add_memory", thread_id=name, content="x")
        assert told.startswith("could not add the memory: 404: ")
        await value(client, "add_memory", thread_id=name, user_id=name, content="I row.")
        await value(client, "add_memory", user_id=name, content="Bo rows.")
        told = await refused(client, "add_memory", thread_id=name, user_id=USER, content="I swim.")
        assert "400: thread_id: this thread belongs to a user other than user_id" in told
        assert [
            each["thread_id"] for each in await value(client, "list_threads", user_id=name)
        ] == [name]
        await value(client, "add_memory", graph_id=name, content="The club has two boats.")
    only_adds = {"effect": "allow", "actions": ["graph.add"]}
    key = story.governed("only adds", only_adds, mcp_write=True)
    async with connected(story, "http", key) as client:
        told = await refused(client, "add_memory", user_id=f"other-{name}", content="x")
        assert told.startswith("could not add the memory: 404: ")


async def test_policies_hold_for_tools_that_write(story: Story, user: str) -> None:
    reads = {"effect": "allow", "actions": ["readonly"]}
    key = story.governed("reads only", reads, mcp_write=True)
    async with connected(story, "http", key) as client:
        assert (await names(client))[14:] == WRITING
        told = await refused(client, "add_memory", content="x", user_id=user)
        assert told == "could not add the memory: 403: this key may not do graph.add"
        told = await refused(client, "forget", user_id=user)
        assert told == "could not forget it: 403: this key may not do user.delete"


async def test_what_a_tool_does_is_in_the_audit_log_of_its_key(story: Story, user: str) -> None:
    async with connected(story, "http", story.key("writes", mcp_write=True)) as client:
        await value(client, "add_memory", content="Bo rows.", user_id=user)
    with story.http(story.key("admin", admin=True)) as http:
        newest = http.get(f"{story.server.url}/api/v1/audit?action=graph.add").json()["entries"][0]
    assert newest["actor"].startswith("key:")
    assert newest["outcome"] == "done"


async def test_the_contexts_of_users_and_threads_are_resources(story: Story) -> None:
    async with connected(story, "http") as client:
        templates = (await client.list_resource_templates()).resource_templates
        assert [each.uri_template for each in templates] == [
            "recollect://users/{user_id}/context",
            "recollect://threads/{thread_id}/context",
        ]
        listed = [each.uri for each in (await client.list_resources()).resources]
        assert f"recollect://users/{USER}/context" in listed
        text = await read(client, f"recollect://users/{USER}/context")
        assert "## Facts that hold now\n\n- " in text
        assert "Acme" in text
        context = await value(client, "get_user_context", thread_id=THREAD)
        uri = f"recollect://threads/{THREAD.replace(' ', '%20')}/context"
        assert await read(client, uri) == context["context"]
        for wrong in ("recollect://users/nobody/context", "recollect://users/x", "file:///x"):
            with pytest.raises(MCPError, match=r"404|no resource") as error:
                await client.read_resource(wrong)
            assert error.value.code == -32602


async def test_the_prompt_asks_what_is_known_and_brings_it_along(story: Story) -> None:
    async with connected(story, "http") as client:
        (prompt,) = (await client.list_prompts()).prompts
        assert prompt.arguments is not None
        assert [(each.name, each.required) for each in prompt.arguments] == [("user_id", True)]
        question, memory = (await client.get_prompt(prompt.name, {"user_id": USER})).messages
        assert isinstance(question.content, TextContent)
        assert "What do you know about me? I am the user ann" in question.content.text
        assert isinstance(memory.content, EmbeddedResource)
        assert isinstance(memory.content.resource, TextResourceContents)
        assert "Acme" in memory.content.resource.text
        for name, arguments in (("other", {}), (prompt.name, {}), (prompt.name, {"user_id": "x"})):
            with pytest.raises(MCPError):
                await client.get_prompt(name, arguments)


async def test_a_child_may_write_when_it_is_told_so_and_shares_the_store(
    story: Story, user: str
) -> None:
    async with child(story, "--write") as client:
        assert (await names(client))[14:] == WRITING
        added = await value(client, "add_memory", user_id=user, content="Bo plays chess.")
    with story.http() as http:
        kept = http.get(f"/graph/episodes/{added['uuid']}").json()
    assert kept["content"] == "user: Bo plays chess."


async def test_a_child_with_a_key_may_what_the_key_may(story: Story) -> None:
    key = story.governed("only users", {"effect": "allow", "actions": ["user.get"]})
    async with connected(story, "stdio", key) as client:
        assert not set(WRITING) & set(await names(client))
        assert (await value(client, "get_user", user_id=USER))["user_id"] == USER
        told = await refused(client, "get_user_edges", user_id=USER)
        assert told == "could not list the edges: 403: this key may not do graph.edge.list"
