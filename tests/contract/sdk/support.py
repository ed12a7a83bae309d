"""Words the tests share: unique ids, things to start from, waiting, and expected refusals."""

import re
import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any, TypeVar

import pytest

from tests.contract.sdk.drivers import ClientError, Zep, typed

WAIT_SECONDS_MAX = 20.0
POLL_SECONDS = 0.05
ZONED = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z")
UNTYPED = ("ApiError", "ZepError")
NOBODY = "00000000-0000-4000-8000-000000000000"
Found = TypeVar("Found")


def unique(prefix: str) -> str:
    """An id no other test uses."""
    return f"{prefix}-{secrets.token_hex(5)}"


def a_user(zep: Zep, **fields: Any) -> dict[str, Any]:
    """A new user: Jane Smith, unless told otherwise."""
    user_id = unique("user")
    known = {"first_name": "Jane", "last_name": "Smith", "email": f"{user_id}@example.com"}
    user: dict[str, Any] = zep.user.add(**{"user_id": user_id, **known, **fields})
    return user


def a_session(zep2: Zep, **fields: Any) -> dict[str, Any]:
    """A new session of a new user."""
    if "user_id" not in fields:
        fields["user_id"] = a_user(zep2)["user_id"]
    session: dict[str, Any] = zep2.memory.add_session(**{"session_id": unique("session"), **fields})
    return session


def a_thread(zep3: Zep, **fields: Any) -> dict[str, Any]:
    """A new thread of a new user."""
    if "user_id" not in fields:
        fields["user_id"] = a_user(zep3)["user_id"]
    thread: dict[str, Any] = zep3.thread.create(**{"thread_id": unique("thread"), **fields})
    return thread


def a_graph(zep3: Zep, **fields: Any) -> dict[str, Any]:
    """A new standalone graph."""
    graph: dict[str, Any] = zep3.graph.create(**{"graph_id": unique("graph"), **fields})
    return graph


def a_group(zep2: Zep, **fields: Any) -> dict[str, Any]:
    """A new group."""
    group: dict[str, Any] = zep2.group.add(**{"group_id": unique("group"), **fields})
    return group


def said2(content: str, role_type: str = "user", **fields: Any) -> dict[str, Any]:
    """A message in the words of generation 2."""
    return typed("Message", content=content, role_type=role_type, **{"role": "Jane", **fields})


def said3(content: str, role: str = "user", **fields: Any) -> dict[str, Any]:
    """A message in the words of generation 3."""
    return typed("Message", content=content, role=role, **{"name": "Jane", **fields})


def contents(items: list[dict[str, Any]]) -> list[str]:
    """What was said, in the order given."""
    return [item["content"] for item in items]


def uuids(items: list[dict[str, Any]]) -> list[str]:
    """The uuids, in the order given."""
    return [item["uuid"] for item in items]


def eventually(read: Callable[[], Found], until: Callable[[Found], bool]) -> Found:
    """Read again and again until it holds; fail with the last reading after a while."""
    deadline = time.monotonic() + WAIT_SECONDS_MAX
    while True:
        found = read()
        if until(found):
            return found
        if time.monotonic() > deadline:
            pytest.fail(f"still not so after {WAIT_SECONDS_MAX:.0f} s: {found!r}")
        time.sleep(POLL_SECONDS)


def processed(zep: Zep, episode_uuid: str) -> dict[str, Any]:
    """Wait until an episode was processed."""
    return eventually(
        lambda: zep.graph.episode.get(episode_uuid), lambda episode: bool(episode.get("processed"))
    )


@contextmanager
def refused(status: int, kind: str | None = None) -> Iterator[pytest.ExceptionInfo[ClientError]]:
    """The call inside must fail with this status and class; no class means the general one."""
    with pytest.raises(ClientError) as raised:
        yield raised
    error = raised.value
    assert error.status == status, str(error)
    assert error.kind == kind if kind else error.kind in UNTYPED, str(error)
    assert isinstance(error.body, dict), f"the body is not an object: {error.body!r}"
    assert error.body.get("message"), f"no message for the caller: {error.body!r}"


def missing() -> Any:
    """The call inside must fail with the client's NotFoundError."""
    return refused(404, "NotFoundError")


def bad_request() -> Any:
    """The call inside must fail with the client's BadRequestError."""
    return refused(400, "BadRequestError")


def instant(text: str) -> datetime:
    """A timestamp as a point in time; it must name its zone."""
    moment = datetime.fromisoformat(text)
    assert moment.tzinfo is not None, f"no zone in {text!r}"
    return moment


def pages(
    read: Callable[[int], dict[str, Any]], items: str, size: int, pages_max: int = 60
) -> Iterator[list[dict[str, Any]]]:
    """The pages of a numbered list, from 1, until one is short."""
    for number in range(1, pages_max + 1):
        page = read(number)[items]
        assert len(page) <= size
        yield page
        if len(page) < size:
            return
    pytest.fail(f"more than {pages_max} pages")


def cursor_pages(
    read: Callable[..., tuple[list[dict[str, Any]], dict[str, str]]], size: int
) -> Iterator[list[dict[str, Any]]]:
    """The pages of a list that names its next cursor in a header."""
    more: dict[str, str] = {}
    for _ in range(50):
        page, headers = read(limit=size, **more)
        assert len(page) <= size
        yield page
        if not headers.get("zep-next-cursor"):
            return
        more = {"cursor": headers["zep-next-cursor"]}
    pytest.fail("the cursor never ends")
