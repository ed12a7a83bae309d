"""What is kept of a session, and where (E20)."""

import json
from pathlib import Path
from typing import Any

import pytest

from recollect.session_log import FileStorage, MemoryStorage, Session
from recollect.session_log.storage import key_of, read_state
from tests.unit.episodic.support import contents, message

KEY = key_of("agent", "s")


async def said(*storages: Any) -> list[Any]:
    """What a session finds in these storages."""
    session = Session("s", storages=storages)
    await session.load()
    return contents(session.log.read())


async def store(storage: Any, text: str) -> None:
    """Let a session keep something in a storage."""
    async with Session("s", storages=[storage]).turn() as turn:
        turn.append_items([message(text)])


def suffixes(folder: Path) -> list[str]:
    """Of all files in a folder."""
    return [path.suffix for path in folder.rglob("*.*")]


async def test_e20_the_state_is_the_context_and_the_log_as_jsonl() -> None:
    storage = MemoryStorage()
    session = Session("s", storages=[storage])
    await session.set_context({"a": 1})
    async with session.turn() as turn:
        turn.append_items([message("hi")])
    assert json.loads(storage.values[KEY]) == {
        "context": {"a": 1},
        "episodic": session.log.to_jsonl(),
    }
    assert (await session.snapshot()).episodic == session.log.to_jsonl()


def test_e20_the_key_is_a_json_array_of_agent_and_session() -> None:
    assert key_of("a", "b") == '["a","b"]'
    assert key_of('a","b', "c") != key_of("a", 'b","c')


async def test_e20_the_first_storage_with_a_valid_state_is_loaded() -> None:
    empty, first, second = MemoryStorage(), MemoryStorage(), MemoryStorage()
    await store(first, "first")
    await store(second, "second")
    assert await said(empty, first, second) == ["first"]


BROKEN = [
    "",
    "no json",
    "null",
    "[]",
    '{"context":{}}',
    '{"context":{},"episodic":5}',
    '{"context":null,"episodic":""}',
    '{"context":[],"episodic":""}',
    "[" * 100_000,
]


@pytest.mark.parametrize("text", BROKEN, ids=range(len(BROKEN)))
async def test_e20_a_broken_state_is_ignored(text: str) -> None:
    broken, good = MemoryStorage(), MemoryStorage()
    broken.values[KEY] = text
    await store(good, "good")
    assert await said(broken, good) == ["good"]
    assert await said(broken) == []


async def test_e20_saving_and_removing_reach_all() -> None:
    first, second = MemoryStorage(), MemoryStorage()
    session = Session("s", storages=[first, second])
    async with session.turn() as turn:
        turn.append_items([message("hi")])
    assert first.values == second.values != {}
    await session.remove()
    assert first.values == second.values == {}


async def test_e20_a_storage_that_cannot_be_read_is_asked_again() -> None:
    class Failing(MemoryStorage):
        fails = True

        def get(self, key: str) -> str | None:
            if self.fails:
                raise OSError("not now")
            return super().get(key)

    storage = Failing()
    session = Session("s", storages=[storage])
    with pytest.raises(OSError, match="not now"):
        await session.load()
    with pytest.raises(OSError, match="not now"):
        async with session.turn():
            pass
    Failing.fails = False
    async with session.turn() as turn:
        turn.append_items([message("hi")])
    assert KEY in storage.values


async def test_files_keep_any_text_under_any_key_and_are_replaced_whole(tmp_path: Path) -> None:
    storage = FileStorage(tmp_path / "new" / "folder")
    for key in ("", "../../x", "a" * 999, '["a","b/c"]', "\ud800"):
        assert await storage.get(key) is None
        await storage.set(key, f"1 {key!a}")
        await storage.set(key, f"2 {key!a}")
        assert await storage.get(key) == f"2 {key!a}"
    assert suffixes(tmp_path) == [".json"] * 5
    await storage.remove("")
    await storage.remove("")
    assert await storage.get("") is None


async def test_a_write_that_fails_leaves_the_file_of_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    storage = FileStorage(tmp_path)
    await storage.set("k", "before")

    def fail(*_: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr("os.fsync", fail)
    with pytest.raises(OSError, match="disk full"):
        await storage.set("k", "after")
    monkeypatch.undo()
    assert await storage.get("k") == "before"
    assert suffixes(tmp_path) == [".json"]


async def test_a_file_that_is_no_text_is_a_broken_state(tmp_path: Path) -> None:
    storage = FileStorage(tmp_path)
    storage.path(KEY).write_bytes(b"\xff\x00\xfe")
    assert read_state(await storage.get(KEY)) is None
    assert await said(storage) == []


async def test_bytes_changed_inside_a_stored_log_cost_only_their_line() -> None:
    storage = MemoryStorage()
    await store(storage, "first")
    await store(storage, "second")
    storage.values[KEY] = storage.values[KEY].replace('\\"id\\":1', '\\"id\\":x')
    assert await said(storage) == ["second"]


async def test_e20_removing_takes_along_what_an_unfinished_write_has_left(tmp_path: Path) -> None:
    """A process may die between writing a file and putting it in its place."""
    storage = FileStorage(tmp_path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Path, "replace", _die)
        patch.setattr(Path, "unlink", _die)
        with pytest.raises(SystemError):
            await storage.set(KEY, "secret")
    assert suffixes(tmp_path) == [".new"]
    await storage.set("another", "text")
    await storage.remove(KEY)
    assert suffixes(tmp_path) == [".json"]


def _die(*_: object, **__: object) -> None:
    raise SystemError
