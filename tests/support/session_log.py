"""A session in the application of this process, and episodes for its log."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from tests.support.asgi import Answer
from tests.support.memory import Memory, remembering

Json = dict[str, Any]


def item(text: Any = "hello", role: str = "user", **meta: Any) -> Json:
    """An item episode with a message."""
    said = {"type": "message", "role": role, "content": text}
    return {"type": "item", "payload": {"item": said}, "meta": {"source": "user", **meta}}


def boundary(reason: str, title: str = "here", content: str | None = "so far") -> Json:
    payload = {"reason": reason, "title": title, "content": content}
    return {"type": "boundary", "payload": payload}


def event(name: str, **data: Any) -> Json:
    return {"type": "meta", "payload": {"event": name, "data": data}}


class Session:
    """A session `s`, and calls that check the expected status."""

    def __init__(self, memory: Memory, name: str = "s") -> None:
        self.memory, self.running = memory, memory.running
        self.path = f"/api/v1/sessions/{name}"
        self.log = f"{self.path}/log"

    async def ask(
        self,
        method: str,
        path: str,
        body: Any = b"",
        query: str = "",
        status: int = 200,
        **more: Any,
    ) -> Answer:
        answer = await self.running.send(method, path, body, query=query, **more)
        assert answer.status == status, (method, path, answer)
        return answer

    async def append(self, *episodes: Json, turn: str = "", **more: Any) -> list[Json]:
        path = f"{self.log}/turns/{turn}" if turn else self.log
        body = {"episodes": list(episodes), **more}
        found: list[Json] = (await self.ask("POST", path, body)).json()["episodes"]
        return found

    async def read(self, query: str = "from_id=0", turn: str = "") -> list[Json]:
        path = f"{self.log}/turns/{turn}" if turn else self.log
        found: list[Json] = (await self.ask("GET", path, query=query)).json()["episodes"]
        return found

    async def ids(self, query: str = "from_id=0", turn: str = "") -> list[int]:
        return [one["id"] for one in await self.read(query, turn)]

    async def open(self, turn: str = "t") -> Json:
        made: Json = (await self.ask("POST", f"{self.log}/turns", {"turn_id": turn})).json()
        return made

    async def end(self, how: str, turn: str = "t", query: str = "") -> list[Json]:
        answer = await self.ask("POST", f"{self.log}/turns/{turn}/{how}", query=query)
        found: list[Json] = answer.json()["episodes"]
        return found


@asynccontextmanager
async def opened(folder: Path, **fields: Any) -> AsyncIterator[Session]:
    async with remembering(folder) as memory:
        made = Session(memory)
        await made.ask("POST", "/api/v1/sessions", {"session_id": "s", **fields})
        yield made
