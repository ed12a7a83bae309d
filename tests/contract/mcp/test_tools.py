"""The tools that read: their listing, and what they answer on every way."""

from typing import Any
from urllib.parse import quote

import httpx
import pytest
from mcp import MCPError

from tests.contract.mcp.clients import HTTP, STDIO, connected, refused, value
from tests.contract.mcp.story import THREAD, USER, Json, Story

T = quote(THREAD)
# Tool: the parameters in their order, `*` for required, `=` before a default.
CONTRACT = {
    "search_graph": "*user_id *query scope=edges limit=10 reranker min_fact_rating mmr_lambda "
    "center_node_uuid node_labels edge_types",
    "get_user_context": "thread_id template_id user_id query",
    "get_user": "*user_id",
    "list_threads": "*user_id",
    "get_user_nodes": "*user_id limit=20",
    "get_user_edges": "*user_id limit=20",
    "get_episodes": "*user_id lastn=10",
    "get_thread_messages": "*thread_id lastn limit",
    "get_node": "*uuid",
    "get_edge": "*uuid",
    "get_episode": "*uuid",
    "get_node_edges": "*node_uuid",
    "get_episode_mentions": "*uuid",
    "list_users": "limit=20 page=1",
}
TYPES = {
    "limit": "integer",
    "page": "integer",
    "lastn": "integer",
    "min_fact_rating": "number",
    "mmr_lambda": "number",
    "node_labels": ["array", "null"],
    "edge_types": ["array", "null"],
}


def calls(story: Story) -> list[tuple[str, Json, str, str, Json | None]]:
    """Every tool with arguments, and the request that it stands for."""
    search = {"query": "Where does she work?", "scope": "edges", "limit": 10, "user_id": USER}
    narrow: Json = {"reranker": "mmr", "mmr_lambda": 0.3, "limit": 3}
    filters: Json = {"edge_types": ["OWNS"]}
    asked: Json = {"user_id": USER, "query": search["query"]}
    boats = {**search, **narrow, "search_filters": filters}
    return [
        ("search_graph", asked, "POST", "/graph/search", search),
        ("search_graph", {**asked, **narrow, **filters}, "POST", "/graph/search", boats),
        ("get_user_context", {"thread_id": THREAD}, "GET", f"/threads/{T}/context", None),
        ("get_user", {"user_id": USER}, "GET", f"/users/{USER}", None),
        ("list_threads", {"user_id": USER}, "GET", f"/users/{USER}/threads", None),
        ("get_user_nodes", {"user_id": USER}, "POST", f"/graph/node/user/{USER}", {"limit": 20}),
        (
            "get_user_edges",
            {"user_id": USER, "limit": 2},
            "POST",
            f"/graph/edge/user/{USER}",
            {"limit": 2},
        ),
        ("get_episodes", {"user_id": USER}, "GET", f"/graph/episodes/user/{USER}?lastn=10", None),
        (
            "get_thread_messages",
            {"thread_id": THREAD, "lastn": 1},
            "GET",
            f"/threads/{T}/messages?lastn=1",
            None,
        ),
        ("get_node", {"uuid": story.node}, "GET", f"/graph/node/{story.node}", None),
        ("get_edge", {"uuid": story.edge}, "GET", f"/graph/edge/{story.edge}", None),
        ("get_episode", {"uuid": story.episode}, "GET", f"/graph/episodes/{story.episode}", None),
        (
            "get_node_edges",
            {"node_uuid": story.node},
            "GET",
            f"/graph/node/{story.node}/entity-edges",
            None,
        ),
        (
            "get_episode_mentions",
            {"uuid": story.episode},
            "GET",
            f"/graph/episodes/{story.episode}/mentions",
            None,
        ),
    ]


def with_alias(answer: Any) -> Any:
    """What HTTP answers, with `edge_type` in its edges; episodes as a list."""
    edges = answer if isinstance(answer, list) else answer.get("edges") or [answer]
    for one in edges:
        if "fact" in one:
            one["edge_type"] = one["name"]
    return answer["episodes"] if list(answer)[:1] == ["episodes"] else answer


def comparable(tool: str, answer: Any) -> Any:
    """Without the time it took, what is not known, and the nodes that stand beside edges."""
    if isinstance(answer, list):
        return [comparable(tool, one) for one in answer]
    unlike = ("response", "nodes") if tool == "search_graph" else ()
    return {
        name: comparable("", one)
        if isinstance(one, list) and one and isinstance(one[0], dict)
        else one
        for name, one in answer.items()
        if one is not None and name not in unlike
    }


def over_http(http: httpx.Client, method: str, path: str, body: Json | None) -> Any:
    answer = http.request(method, path, json=body)
    assert answer.status_code == 200, answer.text
    return with_alias(answer.json())


@pytest.mark.parametrize("way", [*HTTP, *STDIO])
async def test_every_tool_answers_what_its_route_answers(story: Story, way: str) -> None:
    answered = set()
    async with connected(story, way) as client:
        with story.http() as http:
            for tool, arguments, *request in calls(story):
                found = await value(client, tool, **arguments)
                told = over_http(http, *request)
                assert comparable(tool, found) == comparable(tool, told), tool
                assert found, f"{tool} had nothing to say"
                answered.add(tool)
    assert answered == set(CONTRACT) - {"list_users"}, "which no route answers in the same shape"


@pytest.mark.parametrize("way", HTTP)
async def test_the_tools_are_listed_as_the_contract_has_them(story: Story, way: str) -> None:
    async with connected(story, way) as client:
        listed = {tool.name: tool for tool in (await client.list_tools()).tools}
    assert list(listed) == list(CONTRACT)
    for name, tool in listed.items():
        assert _written(tool.input_schema) == CONTRACT[name]
        assert tool.input_schema["type"] == "object"
        assert tool.input_schema["additionalProperties"] is False
        assert tool.output_schema is None
        assert tool.title
        assert len(tool.description or "") > 100, "a model has to know when to use it"
        assert tool.annotations is not None
        assert tool.annotations.read_only_hint is True
        assert tool.annotations.destructive_hint is False
        for parameter, described in tool.input_schema["properties"].items():
            assert described["type"] == TYPES.get(parameter, "string")
            assert described["description"]


def _written(schema: Json) -> str:
    required = schema["required"]
    return " ".join(
        ("*" if name in required else "") + name + (f"={p['default']}" if "default" in p else "")
        for name, p in schema["properties"].items()
    )


async def test_zero_values_count_as_not_given(story: Story) -> None:
    asked: Json = {"user_id": USER, "query": "boat"}
    nothing: Json = {"scope": "", "limit": 0, "reranker": "", "min_fact_rating": 0.0}
    nothing |= {"mmr_lambda": 0, "center_node_uuid": "", "node_labels": [], "edge_types": None}
    async with connected(story, "http") as client:
        plain = await value(client, "search_graph", **asked)
        assert (await value(client, "search_graph", **asked, **nothing))["edges"] == plain["edges"]
        assert plain["edges"]
        assert await value(client, "get_user_edges", user_id=USER, limit=0)
        assert await value(client, "get_user_edges", user_id=USER, limit=1.0)
        said = await value(client, "get_thread_messages", thread_id=THREAD, lastn=0, limit=0)
        assert len(said["messages"]) == 1


async def test_a_limit_beyond_fifty_is_cut_to_it(story: Story) -> None:
    async with connected(story, "http") as client:
        found = await value(client, "search_graph", user_id=USER, query="Ann", limit=10_000)
    assert 0 < len(found["edges"]) <= 50


@pytest.mark.parametrize(
    ("tool", "arguments", "why"),
    [
        ("get_user", {}, "user_id: is required"),
        ("get_user", {"user_id": USER, "uuid": "x"}, "uuid: no such parameter"),
        ("get_user", {"user_id": 7}, "user_id: must be a string"),
        ("get_user", {"user_id": None}, "user_id: must be a string"),
        ("get_user_nodes", {"user_id": USER, "limit": "5"}, "limit: must be an integer"),
        ("get_user_nodes", {"user_id": USER, "limit": True}, "limit: must be an integer"),
        ("get_user_nodes", {"user_id": USER, "limit": 1.5}, "limit: must be an integer"),
        ("get_user_nodes", {"user_id": USER, "limit": 1e300}, "limit: must be an integer"),
        ("search_graph", {"user_id": USER, "query": "x", "mmr_lambda": "1"}, "mmr_lambda: must be"),
        ("search_graph", {"user_id": USER, "query": "x", "node_labels": "x"}, "node_labels: must"),
        ("search_graph", {"user_id": USER, "query": "x", "edge_types": [1]}, "edge_types: must be"),
        ("get_users", {}, "there is no tool named 'get_users'"),
    ],
)
async def test_arguments_that_do_not_fit_the_schema_are_invalid_params(
    story: Story, tool: str, arguments: Json, why: str
) -> None:
    async with connected(story, "http-handshake") as client:
        with pytest.raises(MCPError, match=why) as error:
            await client.call_tool(tool, arguments)
    assert error.value.code == -32602


async def test_what_fails_behind_a_tool_is_a_result_that_says_so(story: Story) -> None:
    nowhere = "00000000-0000-7000-8000-000000000000"
    async with connected(story, "http") as client:
        told = await refused(client, "get_user", user_id="nobody")
        assert told == "could not get the user: 404: user not found: nobody"
        assert "404" in await refused(client, "get_node", uuid=nowhere)
        assert "404" in await refused(client, "get_user_context", thread_id="no/such thread?")
        told = await refused(client, "search_graph", user_id=USER, query="x", scope="facts")
        assert told.startswith("could not search the graph: 400: scope")
        told = await refused(client, "get_user_edges", user_id=USER, limit=-1)
        assert told.startswith("could not list the edges: 400: limit")
        told = await refused(client, "get_user", user_id="")
        assert told == "could not get the user: 400: user_id: must not be empty"


def test_without_a_key_there_is_nothing(story: Story) -> None:
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    for headers in ({}, {"Authorization": "Bearer nobody's"}):
        answer = httpx.post(f"{story.server.url}/mcp", json=call, headers=headers, trust_env=False)
        told = {"message": "unauthorized", "request_id": answer.headers["x-request-id"]}
        assert (answer.status_code, answer.json()) == (401, told)


def test_there_is_no_stream_to_open_and_no_session_to_end(story: Story) -> None:
    with story.http() as http:
        for method in ("GET", "DELETE", "PUT"):
            answer = http.request(method, f"{story.server.url}/mcp")
            assert (answer.status_code, answer.headers["allow"]) == (405, "POST")


def test_answers_are_json_and_need_no_session(story: Story) -> None:
    call = {"jsonrpc": "2.0", "id": 7, "method": "tools/call"}
    params = {"name": "get_user", "arguments": {"user_id": USER}}
    accept = {"Accept": "application/json, text/event-stream"}
    with story.http() as http:
        url = f"{story.server.url}/mcp"
        answer = http.post(url, json={**call, "params": params}, headers=accept)
        assert answer.headers["content-type"].startswith("application/json")
        assert "mcp-session-id" not in answer.headers
        assert answer.json()["result"]["structuredContent"]["user_id"] == USER


def test_a_body_beyond_the_bound_is_refused(story: Story) -> None:
    with story.http() as http:
        answer = http.post(f"{story.server.url}/mcp", content=b" " * (16 * 1024 * 1024 + 1))
    assert answer.status_code == 413
