"""What is erased over HTTP is not in any file of the data folder: while the server runs, and after."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.support.server import Server

WAIT_S = 15.0


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    with Server(tmp_path / "data") as running:
        yield running


@pytest.fixture
def http(server: Server) -> Iterator[httpx.Client]:
    with server.http() as client:
        yield client


def _ask(http: httpx.Client, method: str, path: str, **more: Any) -> Any:
    answer = http.request(method, path, **more)
    assert answer.is_success, (method, path, answer.text)
    return answer.json() if answer.content else None


def _held(server: Server, *marks: str) -> dict[str, list[str]]:
    """The files of the data folder that hold any of the marks, as UTF-8 or UTF-16."""
    found: dict[str, list[str]] = {}
    for path in sorted(path for path in server.data.rglob("*") if path.is_file()):
        content = path.read_bytes()
        for mark in marks:
            if mark.encode() in content or mark.encode("utf-16-le") in content:
                found.setdefault(path.name, []).append(mark)
    return found


def _settled(http: httpx.Client, tasks: list[str]) -> None:
    deadline = time.monotonic() + WAIT_S
    for task in tasks:
        while _ask(http, "GET", f"/tasks/{task}")["status"] not in ("succeeded", "completed"):
            assert time.monotonic() < deadline
            time.sleep(0.05)


def _say(http: httpx.Client, thread: str, *texts: str, **more: Any) -> list[str]:
    said = [{"role": "user", "name": "x", "content": text, **more} for text in texts]
    answer = _ask(http, "POST", f"/threads/{thread}/messages", json={"messages": said})
    _settled(http, [answer["task_id"]])
    uuids: list[str] = answer["message_uuids"]
    return uuids


def _noise(http: httpx.Client, number: int) -> None:
    """Things of others in between, so that pages are shared."""
    texts = [f"Somebody else said {number} {place} " * 20 for place in range(8)]
    _say(http, "other-thread", *texts)


def _others(http: httpx.Client) -> None:
    _ask(http, "POST", "/users", json={"user_id": "other", "first_name": "Olaf"})
    _ask(http, "POST", "/threads", json={"thread_id": "other-thread", "user_id": "other"})


def _fill_user(http: httpx.Client) -> None:
    """A user whose marker is in every place where a caller can put one."""
    user = {
        "user_id": "ZQXQuser",
        "first_name": "ZQXQfirst",
        "last_name": "ZQXQlast",
        "email": "ZQXQmail@example.com",
        "metadata": {"ZQXQkey": "ZQXQvalue"},
    }
    made = _ask(http, "POST", "/users", json=user)
    for thread in ("ZQXQthread1", "ZQXQthread2"):
        _ask(http, "POST", "/threads", json={"thread_id": thread, "user_id": "ZQXQuser"})
    for number in range(6):
        _noise(http, number)
        texts = [f"ZQXQmessage {number} {place} " * 15 for place in range(8)]
        _say(http, f"ZQXQthread{number % 2 + 1}", *texts, metadata={"topic": "ZQXQtopic"})
    data = {"type": "json", "data": '{"ZQXQfield": {"name": "ZQXQjson"}}', "user_id": "ZQXQuser"}
    tasks = [_ask(http, "POST", "/graph", json=data)["task_id"]]
    triple = {
        "user_id": "ZQXQuser",
        "fact": "ZQXQsource knows ZQXQtarget",
        "fact_name": "KNOWS",
        "source_node_name": "ZQXQsource",
        "target_node_name": "ZQXQtarget",
        "source_node_summary": "ZQXQsummary of a node.",
    }
    tasks.append(_ask(http, "POST", "/graph/add-fact-triple", json=triple)["task_id"])
    _settled(http, tasks)
    told = [{"name": "ZQXQinstruction", "text": "ZQXQtext of an instruction"}]
    _ask(
        http, "POST", "/custom-instructions", json={"instructions": told, "user_ids": ["ZQXQuser"]}
    )
    batch = _ask(http, "POST", "/batches", json={})["batch_id"]
    item = {
        "type": "thread_message",
        "thread_id": "ZQXQthread1",
        "role": "user",
        "content": "ZQXQitem",
    }
    _ask(http, "POST", f"/batches/{batch}/items", json={"items": [item]})
    own = {"projectId": made["project_uuid"]}
    group = _ask(http, "POST", "/user-groups", json={"name": "all of us"}, params=own)["uuid"]
    members = {"user_uuids": [made["uuid"]]}
    _ask(http, "POST", f"/user-groups/{group}/members", json=members, params=own)
    _ask(http, "POST", "/graph/search", json={"query": "ZQXQquestion", "user_id": "ZQXQuser"})
    _fill_session(http, "ZQXQ", "ZQXQuser")


def _fill_session(http: httpx.Client, mark: str, user: str | None) -> None:
    """A session with the mark in its log, in what is said of it and in an open turn."""
    sessions = str(http.base_url.join("/api/v1/sessions"))
    context = {f"{mark}about": f"{mark}context"}
    body = {"session_id": f"{mark}session", "user_id": user, "context": context}
    _ask(http, "POST", sessions, json={**body, "metadata": {"topic": f"{mark}topic"}})
    log = f"{sessions}/{mark}session/log"
    said = {"type": "message", "role": "user", "content": f"{mark}logged " * 99}
    episode = {"type": "item", "payload": {"item": said}, "meta": {f"{mark}meta": f"{mark}said"}}
    for _ in range(5):
        _ask(http, "POST", log, json={"episodes": [episode] * 3})
    _ask(http, "POST", f"{log}/turns", json={"turn_id": f"{mark}turn"})
    _ask(http, "POST", f"{log}/turns/{mark}turn", json={"episodes": [episode] * 3})


@pytest.mark.parametrize("route", ["/api/v2/users/ZQXQuser", "/api/v1/users/ZQXQuser?mode=forget"])
def test_no_byte_of_a_deleted_user_is_left(server: Server, http: httpx.Client, route: str) -> None:
    """Messages, names, e-mail, ids, metadata, JSON, nodes, guidance, drafts: all of it is gone."""
    _others(http)
    _fill_user(http)
    assert _held(
        server, "ZQXQuser", "ZQXQmessage", "ZQXQmail", "ZQXQitem", "ZQXQtext", "ZQXQsummary"
    )
    assert _held(server, "ZQXQlogged", "ZQXQturn", "ZQXQsaid", "ZQXQcontext")
    _ask(http, "DELETE", server.url + route)
    assert _held(server, "ZQXQ") == {}
    (receipt,) = _ask(http, "GET", f"{server.url}/api/v1/erasures")["erasures"]
    assert (receipt["kind"], receipt["scrubbed"]) == ("user", True)
    assert receipt["removed"]["threads"] == 3  # one of them is fed by the session
    assert (receipt["removed"]["sessions"], receipt["removed"]["log_episodes"]) == (1, 15)
    assert receipt["removed"]["group_memberships"] == receipt["removed"]["guidance"] == 1
    assert {"audit entries", "clones", "other graphs", "backups"} <= {
        kept["what"] for kept in receipt["kept"]
    }
    for number in range(5):
        _noise(http, number)
    assert _held(server, "ZQXQ") == {}
    server.stop()
    assert _held(server, "ZQXQ") == {}
    assert _held(server, "Somebody else said") != {}


def test_no_byte_of_a_deleted_graph_thread_or_episode_is_left(
    server: Server, http: httpx.Client
) -> None:
    """The routes that answer at once do it shortly afterwards."""
    _others(http)
    _ask(http, "POST", "/graph/create", json={"graph_id": "ZGXGgraph", "name": "ZGXGname"})
    _ask(http, "POST", "/threads", json={"thread_id": "ZTXTthread", "user_id": "other"})
    tasks = []
    for number in range(4):
        _noise(http, number)
        data = {"type": "text", "data": f"ZGXGdata {number} " * 99, "graph_id": "ZGXGgraph"}
        tasks.append(_ask(http, "POST", "/graph", json=data)["task_id"])
        _say(http, "ZTXTthread", *(f"ZTXTmessage {number} {place} " * 9 for place in range(9)))
    _settled(http, tasks)
    (uuid,) = _say(http, "other-thread", "ZEXEepisode " * 50)
    _ask(http, "DELETE", "/graph/ZGXGgraph")
    assert _held(server, "ZGXG") == {}
    _fill_session(http, "ZSXS", None)
    assert _held(server, "ZSXSlogged", "ZSXSturn")
    _ask(http, "DELETE", f"{server.url}/api/v1/sessions/ZSXSsession")
    assert _held(server, "ZSXS") == {}
    for path in ("/threads/ZTXTthread", f"/graph/episodes/{uuid}"):
        _ask(http, "DELETE", path)
    deadline = time.monotonic() + WAIT_S
    while _held(server, "ZTXT", "ZEXE") and time.monotonic() < deadline:
        time.sleep(0.1)
    assert _held(server, "ZTXT", "ZEXE", "ZGXG") == {}
    server.stop()
    assert _held(server, "ZTXT", "ZEXE", "ZGXG") == {}
