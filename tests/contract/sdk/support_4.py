"""Words that the tests of generation 4 share."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import pytest

from tests.contract.sdk.drivers import ClientError, Zep, typed
from tests.contract.sdk.support import eventually, unique
from tests.support.server import Server

Json = dict[str, Any]


def a_user4(zep4: Zep, **fields: Any) -> Json:
    """A new user: Jane Smith, unless told otherwise."""
    known = {"user_id": unique("user"), "first_name": "Jane", "last_name": "Smith"}
    user: Json = zep4.user.create(**{**known, **fields})
    return user


def a_thread4(zep4: Zep, user: Json | None = None) -> Json:
    """A new thread, of a new user unless told otherwise."""
    thread: Json = zep4.thread.create(user_uuid=(user or a_user4(zep4))["uuid"])
    return thread


def a_graph4(zep4: Zep, **fields: Any) -> Json:
    """A new standalone graph."""
    graph: Json = zep4.graph.create(**{"name": unique("graph"), **fields})
    return graph


def said4(content: str, role: str = "user", **fields: Any) -> Json:
    """A message in the words of generation 4."""
    return typed("AddMessage", content=content, role=role, **{"name": "Jane", **fields})


def ended(zep4: Zep, answer: Json) -> Json:
    """The task of an answer, once it has ended."""
    uuid = answer["task"]["uuid"]
    return eventually(
        lambda: zep4.task.get(uuid),
        lambda task: task["status"] in ("succeeded", "partial", "failed"),
    )


def told(zep4: Zep, content: str, user: Json | None = None, **fields: Any) -> tuple[Json, Json]:
    """A thread in which something was said and read; and the message."""
    thread = a_thread4(zep4, user)
    added = zep4.thread.add_messages(thread["uuid"], messages=[said4(content, **fields)])
    assert ended(zep4, added)["status"] == "succeeded"
    return thread, added["messages"][0]


def an_episode(zep4: Zep, graph: Json, data: str, **fields: Any) -> Json:
    """A piece of data in a graph, read."""
    added = zep4.graph.episode.add(graph["uuid"], data=data, **{"type": "text", **fields})
    assert ended(zep4, added)["status"] == "succeeded"
    episode: Json = added["episode"]
    return episode


def plainly(server: Server) -> httpx.Client:
    """Plain HTTP under the address of generation 4."""
    headers = {"Authorization": f"Api-Key {server.api_key}"}
    return httpx.Client(
        base_url=f"{server.url}/api/v4", headers=headers, timeout=30, trust_env=False
    )


@contextmanager
def refused4(
    status: int, kind: str, param: str | None = None
) -> Iterator[pytest.ExceptionInfo[ClientError]]:
    """The call inside must fail with this status and class, and tell why in its own shape."""
    with pytest.raises(ClientError) as raised:
        yield raised
    error = raised.value
    assert (error.status, error.kind) == (status, kind), str(error)
    told_why = error.body["error"]
    assert told_why["code"]
    assert told_why["message"]
    assert param is None or told_why["param"] == param, str(error)
