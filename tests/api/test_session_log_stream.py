"""Following session logs: several listeners, resuming, and how a stream ends."""

import asyncio
import json
from collections.abc import AsyncIterator, MutableMapping
from pathlib import Path
from typing import Any

import pytest

from recollect.governance import keys
from tests.support.asgi import KEY, Program
from tests.support.session_log import Json, Session, event, item, opened


@pytest.fixture
async def session(tmp_path: Path) -> AsyncIterator[Session]:
    """A session that is bound to nobody."""
    async with opened(tmp_path) as made:
        yield made


class Listener:
    """A client of a stream that stays until it is told to leave."""

    def __init__(
        self, running: Program, path: str, query: str = "", last: str = "", key: str = KEY
    ) -> None:
        self.scope: Json = {
            "type": "http",
            "method": "GET",
            "path": path,
            "raw_path": path.encode(),
            "query_string": query.encode(),
            "headers": [(b"authorization", f"Api-Key {key}".encode())],
        }
        if last:
            self.scope["headers"].append((b"last-event-id", last.encode()))
        self.text, self.status, self.finished = "", 0, False
        self._left, self._more = asyncio.Event(), asyncio.Event()
        self._asked = False
        self._task = asyncio.create_task(running.app(self.scope, self._receive, self._send))

    async def _receive(self) -> Json:
        if not self._asked:
            self._asked = True
            return {"type": "http.request", "body": b""}
        await self._left.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: MutableMapping[str, Any]) -> None:
        self.status = message.get("status", self.status)
        self.text += message.get("body", b"").decode()
        if message["type"] == "http.response.body":
            self.finished = not message.get("more_body", False)
        self._more.set()

    async def until(self, *ids: int) -> list[int]:
        """Wait for as many events; their ids."""
        async with asyncio.timeout(3):
            while len(self.ids) < len(ids):
                self._more.clear()
                await self._more.wait()
        return self.ids

    @property
    def ids(self) -> list[int]:
        return [int(line[4:]) for line in self.text.split("\n") if line.startswith("id: ")]

    async def leave(self) -> None:
        self._left.set()
        await asyncio.wait_for(self._task, 3)

    async def end(self) -> None:
        await asyncio.wait_for(self._task, 3)


async def test_listeners_hear_what_is_committed_at_once(session: Session) -> None:
    """Several of them, each from where it wants; what is in a turn is heard when it is merged."""
    await session.append(item("old"), item("older"))
    path = f"{session.log}/stream"
    new = Listener(session.running, path)
    every = Listener(session.running, path, "from_id=0")
    resumed = Listener(session.running, path, "from_id=0", last="1")
    notes = Listener(session.running, path, "from_id=0&type=meta")
    assert await every.until(1, 2) == [1, 2]
    assert await resumed.until(2) == [2]
    await session.open()
    await session.append(item("in a turn"), turn="t")
    await session.append(event("note"))
    await session.end("merge")
    assert await new.until(3, 4) == [3, 4]
    assert await every.until(1, 2, 3, 4) == [1, 2, 3, 4]
    assert await resumed.until(2, 3, 4) == [2, 3, 4]
    assert await notes.until(3) == [3]
    data = [json.loads(line[6:]) for line in new.text.split("\n") if line.startswith("data: ")]
    assert [one["id"] for one in data] == [3, 4]
    for listener in (new, every, resumed, notes):
        await listener.leave()
        assert listener.status == 200
    assert session.running.services.listeners._waiting == {}


async def test_a_stream_ends_when_its_time_is_up_or_the_session_or_the_server_is_gone(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Cleanly: the client knows that it was the end."""
    monkeypatch.setattr("recollect.app.session_log.LOG_POLL_S", 0.02)
    monkeypatch.setattr("recollect.app.session_log.LOG_HEARTBEAT_S", 0.05)
    path = f"{session.log}/stream"
    await session.append(item())
    short = Listener(session.running, path, "from_id=0&seconds=0")
    await short.end()
    assert (short.ids, short.finished) == ([1], True)
    waiting = Listener(session.running, path)
    await asyncio.sleep(0.15)
    assert ": still here\n\n" in waiting.text
    await session.ask("DELETE", session.path)
    await waiting.end()
    assert waiting.finished
    await session.ask("POST", "/api/v1/sessions", {"session_id": "s"})
    last = Listener(session.running, path)
    await asyncio.sleep(0.05)
    session.running.services.listeners.close()
    await last.end()
    assert last.finished
    await session.ask("GET", path, status=503)


async def test_a_stream_hears_what_another_process_wrote(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody wakes it; it looks now and then."""
    monkeypatch.setattr("recollect.app.session_log.LOG_POLL_S", 0.02)
    listener = Listener(session.running, f"{session.log}/stream")
    await asyncio.sleep(0.05)
    session.running.execute(
        "INSERT INTO session_log_episodes (log_id, number, type, meta, payload)"
        " SELECT id, 1, 'meta', '{}', '{\"event\":\"e\"}' FROM session_logs"
    )
    session.running.execute("UPDATE session_logs SET last_number = 1")
    assert await listener.until(1) == [1]
    await listener.leave()


async def test_a_last_event_id_that_is_none_is_refused(session: Session) -> None:
    """It is the id of an episode or nothing."""
    headers = [("Last-Event-ID", "x")]
    answer = await session.ask("GET", f"{session.log}/stream", status=400, headers=headers)
    assert "Last-Event-ID" in answer.message


async def test_a_key_that_may_no_longer_listen_hears_nothing_more(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Revoked or governed anew, its stream ends before the next episode."""
    monkeypatch.setattr("recollect.app.authorize._REMEMBERED_S", 0.0)
    secret = await session.memory.key({"effect": "allow", "actions": ["session_log.stream"]})
    listener = Listener(session.running, f"{session.log}/stream", "from_id=0", key=secret)
    await session.append(item("heard"))
    assert await listener.until(1) == [1]
    (governed,) = [
        key
        for key in await session.running.services.store.read(keys.list_keys)
        if key.name == "scoped"
    ]
    await session.running.services.store.write(keys.revoke_key, governed.uuid)
    await session.append(item("not for you"))
    await listener.end()
    assert (listener.ids, listener.finished) == ([1], True)
