"""Pages of users, threads, graphs and groups in generation 4: what cursors say, and what they do not."""

import base64
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.memory import Memory, remembering

PUBLIC, SECRET = {"class": "public"}, {"class": "secret"}
READS = {"effect": "allow", "actions": ["readonly"], "attributes": {"class": ["public"]}}
DEEP = "[" * 5_000
HOSTILE = {
    "no base64": "%%%",
    "no JSON": base64.urlsafe_b64encode(b"nothing").decode(),
    "an offset": base64.urlsafe_b64encode(b"at:1").decode(),
    "not a list": "bnVsbA",
    "empty": "W10",
}
# In place of the key and the uuid of a cursor that fits the order.
FORGED = {
    "a fraction": "1.5,%s",
    "nothing": "null,%s",
    "a truth": "true,%s",
    "an object": '{"$gt":""},%s',
    "too large": "99999999999999999999,%s",
    "half a character": '"\\ud800",%s',
    "no uuid": "%s",
    "a number for a uuid": "%s,1",
    "one more": "%s,%s,1",
    "too deep": f"%s,%s,{DEEP}",
    "too deep a key": f"{DEEP},%s",
}


class World(Memory):
    """Two of each, and calls of generation 4."""

    async def list(self, path: str, query: str = "", *, key: str | None = None) -> Any:
        """One page."""
        answer = await self.page(path, query, key=key)
        assert answer.status == 200, answer.body
        return answer.json()

    async def page(self, path: str, query: str = "", *, key: str | None = None) -> Any:
        """One page, or why there is none."""
        method, body = ("POST", {}) if path.endswith("/list") else ("GET", b"")
        return await self.running.send(method, "/api/v4" + path, body, query=query, key=key)

    async def make(self, path: str, body: Any) -> Any:
        """Something new."""
        answer = await self.running.send("POST", "/api/v4" + path, body)
        assert answer.status == 200, answer.body
        return answer.json()


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    """There is a user `ann` and a graph `g` already."""
    async with remembering(tmp_path) as memory:
        made = World(memory.running)
        ann, *_ = (await made.list("/users/list"))["items"]
        await made.make("/users", {"user_id": "bob"})
        await made.make("/graphs", {"name": "second"})
        for name in ("one", "two"):
            group = await made.make("/user-groups", {"name": name})
            await made.make(f"/user-groups/{group['uuid']}/members", {"user_uuids": [ann["uuid"]]})
            await made.thread(name)
        yield made


async def _lists(world: World) -> list[str]:
    users = (await world.list("/users/list", "order=asc"))["items"]
    everyone = (await world.list("/user-groups/list"))["items"][0]
    return [
        "/users/list",
        "/graphs/list",
        "/threads",
        "/user-groups/list",
        f"/user-groups/{everyone['uuid']}/members/list",
        f"/users/{users[0]['uuid']}/user-groups",
    ]


def _said(cursor: str) -> list[Any]:
    read: list[Any] = json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
    return read


def _written(text: str) -> str:
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


async def test_a_cursor_names_what_was_told_last_and_nothing_else(world: World) -> None:
    """The order, when the item was made, and its uuid: no place, no row, no count."""
    for path in await _lists(world):
        page = await world.list(path, "page_size=1")
        (told,) = page["items"]
        order, key, uuid = _said(page["next_cursor"])
        assert order.startswith("created_at/"), path
        assert uuid == told["uuid"], path
        assert key == -1 or told["created_at"].startswith("20"), path
        assert page["total_size"] >= 2, path
        rest = await world.list(path, f"page_size=50&cursor={page['next_cursor']}")
        assert told["uuid"] not in [item["uuid"] for item in rest["items"]], path
        assert len(rest["items"]) == page["total_size"] - 1, path
        assert "next_cursor" not in rest, path


@pytest.mark.parametrize("cursor", HOSTILE.values(), ids=HOSTILE)
async def test_what_was_never_a_cursor_is_refused(world: World, cursor: str) -> None:
    """With 400, whatever it is."""
    for path in await _lists(world):
        answer = await world.page(path, f"cursor={cursor}")
        assert (answer.status, answer.message[:7]) == (400, "cursor:"), path


@pytest.mark.parametrize("forged", FORGED.values(), ids=FORGED)
async def test_a_forged_cursor_is_refused(world: World, forged: str) -> None:
    """Also when it begins like one of ours."""
    for path in await _lists(world):
        mark = _said((await world.list(path, "page_size=1"))["next_cursor"])
        parts = tuple(json.dumps(part) for part in mark[1:])
        parts = parts[-1:] if forged.count("%s") == 1 else parts
        written = _written(f'["{mark[0]}",{forged % parts}]')
        answer = await world.page(path, f"cursor={written}")
        assert (answer.status, answer.message[:7]) == (400, "cursor:"), path


async def test_text_in_place_of_a_moment_is_refused_and_a_strange_moment_is_not(
    world: World,
) -> None:
    """What could have been a cursor of ours leads somewhere in the list of whoever asks."""
    for path in await _lists(world):
        order, _, uuid = _said((await world.list(path, "page_size=1"))["next_cursor"])
        text = await world.page(path, "cursor=" + _written(json.dumps([order, "x", uuid])))
        assert (text.status, text.message[:7]) == (400, "cursor:"), path
        for key in (0, -(2**63), 2**63 - 1):
            strange = _written(json.dumps([order, key, "' OR 1=1 --"]))
            page = await world.list(path, f"cursor={strange}")
            assert len(page["items"]) <= page["total_size"], path


async def test_the_order_of_threads_tells_nothing_of_what_is_hidden(world: World) -> None:
    """Neither what comes first nor the cursor changes when something hidden is said."""
    for name in ("one", "two"):
        await world.say(name, {"content": "I live in Oslo.", "metadata": PUBLIC})
    own = await world.key(READS)
    query = "page_size=1&order_by=updated_at"
    before = await world.list("/threads", query, key=own)
    await world.say("one", {"content": "I fear Hugo Brandt.", "metadata": SECRET})
    assert await world.list("/threads", query, key=own) == before
    assert before["items"][0]["thread_id"] == "two"
    told = await world.list("/threads", query)
    assert told["items"][0]["thread_id"] == "one"


async def test_templates_go_on_after_the_last_one_told(world: World) -> None:
    """Also when that one is gone; a cursor says its uuid, and a made-up one is refused."""
    path = "/context-templates"
    made = []
    for number in range(5):
        body = {"name": f"t{number}", "template": "Known: %{edges}"}
        made.append((await world.make(path, body))["uuid"])
    first = await world.list(f"{path}/list", "page_size=2")
    assert [one["uuid"] for one in first["items"]] == made[:2]
    for gone in (made[0], made[1], made[3]):
        answer = await world.running.send("DELETE", f"/api/v4{path}/{gone}")
        assert answer.status == 204, answer.body
    rest = await world.list(f"{path}/list", f"cursor={first['next_cursor']}")
    assert [one["uuid"] for one in rest["items"]] == [made[2], made[4]]
    assert base64.urlsafe_b64decode(first["next_cursor"]).decode() == f"past:{made[1]}"
    for cursor in HOSTILE.values():
        assert (await world.page(f"{path}/list", f"cursor={cursor}")).status == 400
