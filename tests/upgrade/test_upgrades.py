"""A store of every earlier schema is opened, migrated and asked: nothing of it is lost, and it goes on."""

import lzma
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from recollect.app.diagnosis import soundness
from recollect.store.sqlite import migrate
from recollect.store.sqlite.connection import FILE_NAME, connect
from tests.support.asgi import Program, program
from tests.upgrade.told import DATA, GRAPH, KEY, MESSAGES, THREAD, USERS

STORES = {int(path.name[:4]): path for path in Path(__file__).parent.glob("stores/*.db.xz")}
NEWEST = len(migrate.available())
LEARNS = 2  # the first schema whose program learned anything
KEPT = ("users", "threads", "episodes", "facts", "entities")


def store_of(version: int, folder: Path) -> Path:
    """A folder with a store of that schema: one that was made with it, or the one before, migrated so far."""
    folder.mkdir()
    newest = max(made for made in STORES if made <= version)
    path = folder / FILE_NAME
    path.write_bytes(lzma.decompress(STORES[newest].read_bytes()))
    with closing(connect(path, writer=True)) as connection:
        migrate.apply(connection, upto=version)
        assert migrate.version(connection) == version
    return path


def counts(path: Path) -> dict[str, int]:
    """How much there is of what must not be lost."""
    with closing(sqlite3.connect(path)) as connection:
        return {
            table: connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]  # noqa: S608
            for table in KEPT
        }


async def ask(running: Program, method: str, path: str, body: Any = b"") -> Any:
    answer = await running.send(method, f"/api/v2{path}", body)
    assert answer.status == 200, answer
    return answer.json()


def test_there_is_a_store_of_every_schema_that_a_program_had() -> None:
    """A new schema leaves a store of the one before it here: see README.md."""
    assert {1, 2, 5, 6, 10, 11, 14, 15, 16, 24, 25, 26, 30} <= set(STORES)


@pytest.mark.parametrize("version", range(1, NEWEST))
async def test_a_store_of_an_earlier_schema_is_migrated_and_answers(
    version: int, tmp_path: Path
) -> None:
    path = store_of(version, tmp_path / "data")
    before = counts(path)
    async with program(tmp_path / "data", key=KEY) as running:
        assert counts(path) == before
        await _tells_what_it_was_told(running)
        if (
            version in STORES
        ):  # a search takes seconds: where a program was, not between two of them
            await _finds(running, learned=version >= LEARNS)
    with closing(sqlite3.connect(path)) as connection:
        assert migrate.version(connection) == NEWEST
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
    assert [
        (one.state, one.says) for one in soundness(tmp_path / "data") if one.state != "ok"
    ] == []


async def _tells_what_it_was_told(running: Program) -> None:
    for user in USERS:
        found = await ask(running, "GET", f"/users/{user['user_id']}")
        assert {name: found[name] for name in user} == user
    talk = await ask(running, "GET", f"/threads/{THREAD['thread_id']}/messages")
    assert [(m["role"], m["name"], m["content"]) for m in talk["messages"]] == MESSAGES
    team = await ask(running, "GET", f"/graph/episodes/graph/{GRAPH['graph_id']}?lastn=10")
    told = {(one["source"], one["content"]) for one in team["episodes"]}
    assert set(DATA) <= told
    assert all(one["processed"] for one in team["episodes"])


async def _finds(running: Program, *, learned: bool) -> None:
    search = {"user_id": "ann", "query": "sister Emma Oslo", "scope": "episodes"}
    found = await ask(running, "POST", "/graph/search", search)
    assert found["episodes"][0]["content"] == "My sister Emma lives in Oslo."
    if learned:
        edges = await ask(running, "POST", "/graph/edge/user/ann", {})
        assert {"WORKS_AT", "LIVES_IN"} <= {edge["name"] for edge in edges}
        search = {"user_id": "ann", "query": "Where does Emma live?", "scope": "edges"}
        found = await ask(running, "POST", "/graph/search", search)
        assert any("Oslo" in edge["fact"] for edge in found["edges"][:3]), found
    await _goes_on(running)


async def _goes_on(running: Program) -> None:
    body = {"messages": [{"role": "user", "name": "Ann", "content": "I bought a bicycle."}]}
    await ask(running, "POST", f"/threads/{THREAD['thread_id']}/messages", body)
    await running.work()
    search = {"user_id": "ann", "query": "bicycle", "scope": "episodes"}
    found = await ask(running, "POST", "/graph/search", search)
    assert found["episodes"][0]["content"] == "I bought a bicycle."
