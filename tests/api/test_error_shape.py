"""Every error body is {"message": str, "request_id": str} and nothing else, whatever went wrong."""

import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from recollect import errors
from recollect.api.app import App
from recollect.api.errors import STATUS, reply_for, status_of
from recollect.api.router import Call, Route, Router
from recollect.compat.memmachine import errors as memmachine
from recollect.compat.zep.v4 import errors as zep4
from recollect.limits import BODY_BYTES_MAX
from tests.support.asgi import Answer, Program, exchange, program

Ask = Callable[[Program], Awaitable[Answer]]
SECRET = "a secret in an exception"  # noqa: S105


@pytest.fixture
async def running(tmp_path: Path) -> AsyncIterator[Program]:
    """The application with one user in it."""
    async with program(tmp_path / "data") as made:
        assert (await made.send("POST", "/api/v2/users", {"user_id": "jane"})).status == 200
        yield made


def leaves(kind: type[errors.RecollectError]) -> list[type[errors.RecollectError]]:
    """A class of errors and everything below it."""
    return [kind, *(leaf for below in kind.__subclasses__() for leaf in leaves(below))]


async def _raising(running: Program, error: BaseException) -> Answer:
    """The answer of a route whose handler raises."""

    async def handler(call: Call) -> None:
        """Fails."""
        raise error

    router = Router([Route("GET", "/fails", "fails", handler, "Fails", public=True)])
    app = App(router, running.services)
    return await exchange(app, "GET", b"/fails", b"", [], [b""])


async def _closed(running: Program) -> Answer:
    await running.services.store.close()
    return await running.send("GET", "/ready", anonymous=True)


EVERY_WAY_TO_FAIL: dict[str, tuple[int, Ask]] = {
    "malformed JSON": (400, lambda p: p.send("POST", "/api/v2/users", b"{")),
    "missing field": (400, lambda p: p.send("POST", "/api/v2/users", {})),
    "wrong type": (400, lambda p: p.send("POST", "/api/v2/users", {"user_id": 7})),
    "bad value": (400, lambda p: p.send("POST", "/api/v2/users", {"user_id": "a/b"})),
    "taken id": (400, lambda p: p.send("POST", "/api/v2/users", {"user_id": "jane"})),
    "bad query": (400, lambda p: p.send("GET", "/api/v2/threads", query="page_size=x")),
    "bad UTF-8 in the path": (400, lambda p: p.send("GET", b"/api/v2/users/%FF")),
    "bad UTF-8 in the query": (400, lambda p: p.send("GET", "/api/v2/threads", query=b"a=%FF")),
    "no key": (401, lambda p: p.send("GET", "/api/v2/users/jane", anonymous=True)),
    "unknown key": (401, lambda p: p.send("GET", "/api/v2/users/jane", key="unknown")),
    "unknown thing": (404, lambda p: p.send("GET", "/api/v2/users/nobody")),
    "unknown route": (404, lambda p: p.send("GET", "/nowhere")),
    "unknown route without a key": (404, lambda p: p.send("GET", "/nowhere", anonymous=True)),
    "unknown file": (404, lambda p: p.send("GET", "/docs/nothing.js")),
    "wrong method": (405, lambda p: p.send("PUT", "/api/v2/users/jane")),
    "wrong method on a public path": (405, lambda p: p.send("POST", "/health")),
    "body too large": (
        413,
        lambda p: p.send(
            "POST", "/api/v2/users", [b"{}"], headers=[("content-length", str(BODY_BYTES_MAX + 1))]
        ),
    ),
    "a handler that raises": (500, lambda p: _raising(p, RuntimeError(SECRET))),
    "a handler that runs out of memory": (500, lambda p: _raising(p, MemoryError(SECRET))),
    "a handler that recurses": (500, lambda p: _raising(p, RecursionError(SECRET))),
    "a broken invariant": (500, lambda p: _raising(p, errors.InvariantViolated(SECRET))),
    "a store that is closed": (503, _closed),
}


@pytest.mark.parametrize("way", EVERY_WAY_TO_FAIL)
async def test_every_failure_has_one_shape(running: Program, way: str) -> None:
    """Its status, its JSON, its one field; the length is told and the type is JSON."""
    status, ask = EVERY_WAY_TO_FAIL[way]
    answer = await ask(running)
    assert answer.status == status, answer
    assert answer.message
    assert set(answer.json()) == {"message", "request_id"}
    assert answer.json()["request_id"] == answer.header("x-request-id")
    assert answer.header("content-length") == str(len(answer.body))
    assert SECRET not in answer.body.decode(), "a fault of ours is not told to strangers"


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("GET", "/api/v4/nowhere", 404, "not_found"),
        ("GET", "/api/v4", 404, "not_found"),
        ("GET", "/api/v4/users/a/b/c", 404, "not_found"),
        ("PUT", "/api/v4/users/list", 405, "method_not_allowed"),
        ("GET", "/api/v4/users/%FF", 400, "invalid_request"),
    ],
)
async def test_what_no_route_answers_is_told_in_the_shape_of_its_neighbours(
    running: Program, method: str, path: str, status: int, code: str
) -> None:
    """Clients of generation 4 read its shape wherever they strayed under its address."""
    answer = await running.send(method, path.encode())
    assert answer.status == status, answer
    assert answer.json()["error"]["code"] == code
    assert answer.json()["error"]["request_id"] == answer.header("x-request-id")
    assert set(answer.json()) == {"error"}


async def test_a_fault_of_ours_is_logged_with_its_cause(running: Program) -> None:
    """The caller hears little; whoever runs the server hears it all."""
    await _raising(running, RuntimeError(SECRET))
    (crashed,) = [line for line in running.logs if line["event"] == "request.crashed"]
    assert crashed["action"] == "fails"
    assert str(crashed["exc_info"]) == SECRET


async def test_an_unavailable_store_says_when_to_come_back(running: Program) -> None:
    """503 carries Retry-After, and health is still told."""
    answer = await _closed(running)
    assert answer.header("retry-after") is not None
    assert (await running.send("GET", "/health")).status == 200


async def test_a_store_that_is_locked_by_another_answers_503(
    running: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQLite's own trouble is no 500: it passes."""

    def locked(*_: Any, **__: Any) -> None:
        raise sqlite3.OperationalError("database is locked")

    monkeypatch.setattr("recollect.records.users.get", locked)
    answer = await running.send("GET", "/api/v2/users/jane")
    assert answer.status == 503, answer
    assert answer.message


async def test_401_says_which_scheme_is_wanted(running: Program) -> None:
    """A client without a key learns how to send one, and always the same words."""
    answer = await running.send("GET", "/api/v2/users/jane", anonymous=True)
    assert answer.json() == {"message": "unauthorized", "request_id": "of-a-test"}
    assert answer.header("www-authenticate") is not None


MADE_OF: dict[type[Any], Callable[[], Any]] = {
    errors.MethodNotAllowed: lambda: errors.MethodNotAllowed("PUT", ["GET"]),
    errors.LogMoved: lambda: errors.LogMoved(3, 7),
}


@pytest.mark.parametrize("kind", leaves(errors.RecollectError), ids=lambda kind: kind.__name__)
def test_every_error_of_the_tree_is_told_to_memory_clients(kind: type[Any]) -> None:
    """Under the same status or one of their own, in their shape, with the same headers."""
    error = MADE_OF.get(kind, kind)()
    usual, reply = reply_for(error), memmachine.reply_for(error)
    own = {400: {409, 422}, 500: {500}}.get(usual.status, {usual.status, 409})
    assert reply.status in own
    assert Answer(reply.status, reply.headers, reply.body).message
    assert set(Answer(reply.status, reply.headers, reply.body).json()) == {"detail"}
    told = {name for name, _ in usual.headers} - {name for name, _ in reply.headers}
    assert told == set(), "what the usual answer says in its headers is not lost"


@pytest.mark.parametrize("kind", leaves(errors.RecollectError), ids=lambda kind: kind.__name__)
def test_every_error_of_the_tree_is_told_to_generation_4(kind: type[Any]) -> None:
    """Under the same status, but for a taken id, with a code and the same headers."""
    error = MADE_OF.get(kind, kind)()
    usual, reply = reply_for(error), zep4.reply_for(error)
    assert reply.status == (409 if kind is errors.AlreadyExists else usual.status)
    assert Answer(reply.status, reply.headers, reply.body).message
    assert set(Answer(reply.status, reply.headers, reply.body).json()) == {"error"}
    assert {name for name, _ in usual.headers} == {name for name, _ in reply.headers}


@pytest.mark.parametrize("fault", [RuntimeError(SECRET), MemoryError(SECRET), OSError(SECRET)])
def test_a_fault_of_ours_is_not_told_to_memory_clients(fault: Exception) -> None:
    """They hear that it is ours, and no more."""
    reply = memmachine.reply_for(fault)
    answer = Answer(reply.status, reply.headers, reply.body)
    assert answer.status == 500
    assert answer.message
    assert SECRET not in answer.body.decode()


@pytest.mark.parametrize("kind", leaves(errors.RecollectError), ids=lambda kind: kind.__name__)
def test_every_error_of_the_tree_has_a_status_and_a_message(kind: type[Any]) -> None:
    """A new error cannot be forgotten: its own or an ancestor's status, and words by default."""
    error = MADE_OF.get(kind, kind)()
    reply = reply_for(error)
    assert reply.status == status_of(error)
    assert kind is errors.RecollectError or any(above in STATUS for above in kind.__mro__)
    assert set(Answer(reply.status, reply.headers, reply.body).json()) == {"message"}
    assert error.message
