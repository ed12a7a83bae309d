"""After a scrub no byte of what was deleted is in the store's files."""

import asyncio
import os
import random
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path

import pytest

from recollect.store.protocol import Transaction
from recollect.store.sqlite import SqliteStore, scrubbing
from recollect.store.sqlite.connection import FILE_NAME

OWNERS = 5


@pytest.fixture
async def opened(tmp_path: Path) -> AsyncIterator[SqliteStore]:
    made = SqliteStore.open(tmp_path)
    yield made
    await made.close()


def _draw(seed: int) -> random.Random:
    return random.Random(seed)  # noqa: S311 - the same rows each time


def _bytes(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(folder.iterdir()) if path.is_file())


def _fill(tx: Transaction, draw: random.Random, count: int) -> None:
    """Rows of several owners in between each other, so that pages are split and rows moved."""
    execute = tx._connection.execute  # type: ignore[attr-defined]
    execute("CREATE TABLE IF NOT EXISTS said (id INTEGER PRIMARY KEY, owner INTEGER, text TEXT)")
    execute("CREATE INDEX IF NOT EXISTS said_by_text ON said (text)")
    for _ in range(count):
        owner = draw.randrange(OWNERS)
        text = f"{draw.random()} MARK{owner}x " * draw.choice([1, 2, 30, 400])
        execute("INSERT INTO said (owner, text) VALUES (?, ?)", (owner, text))


def _forget(tx: Transaction, owner: int) -> None:
    tx._connection.execute("DELETE FROM said WHERE owner = ?", (owner,))  # type: ignore[attr-defined]


async def test_a_scrub_leaves_nothing_of_what_was_deleted(
    opened: SqliteStore, tmp_path: Path
) -> None:
    """Not in free pages, not between the rows of a page, and not in the log; the rest stays."""
    draw = _draw(7)
    for _ in range(40):
        await opened.write(_fill, draw, 40)
    for owner in range(OWNERS - 1):
        await opened.write(_forget, owner)
        assert await opened.scrub()
        assert f"MARK{owner}x".encode() not in _bytes(tmp_path)
    assert b"MARK4x" in _bytes(tmp_path)
    await opened.write(_fill, draw, 200)
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as file:
        assert file.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    for owner in range(OWNERS):
        await opened.write(_forget, owner)
    assert await opened.scrub()
    assert b"MARK" not in _bytes(tmp_path)


async def test_a_file_of_several_parts_is_scrubbed_part_by_part(
    opened: SqliteStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Units are written in between, and what they move brings nothing back."""
    monkeypatch.setattr(scrubbing, "_PAGES_PER_PART", 8)
    draw = _draw(11)
    for _ in range(40):
        await opened.write(_fill, draw, 40)
    await opened.write(_forget, 0)

    async def go_on() -> None:
        for _ in range(20):
            await opened.write(_fill_others, draw)

    done, _ = await asyncio.gather(opened.scrub(), go_on())
    assert done
    assert b"MARK0x" not in _bytes(tmp_path)
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as file:
        assert file.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


async def test_nobody_waits_for_more_than_a_few_megabytes(
    opened: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However large the file is: the writer has its turn after each part."""
    await opened.write(_fill, _draw(17), 1)
    text = "MARK0x " * 1_000
    for _ in range(12):
        await opened.write(_fill_with, text, 200)
    await opened.write(_forget, 0)
    parts: list[int] = []
    wipe = scrubbing.wipe

    def counted(connection: sqlite3.Connection, path: Path, file: int, first: int) -> int | None:
        parts.append(os.fstat(file).st_size)
        return wipe(connection, path, file, first)

    monkeypatch.setattr(scrubbing, "wipe", counted)
    assert await opened.scrub()
    assert len(parts) >= parts[0] / 2**22 > 3


async def test_readers_that_come_and_go_do_not_end_a_scrub(
    opened: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tries are counted from part to part: a large file has many, and readers all the time."""
    monkeypatch.setattr(scrubbing, "_PAGES_PER_PART", 8)
    monkeypatch.setattr(scrubbing, "_TRIES", 2)
    monkeypatch.setattr(scrubbing, "_PAUSE_S", 0.0)
    await opened.write(_fill, _draw(19), 400)
    await opened.write(_forget, 0)
    turn = iter(range(10_000))
    truncate = scrubbing.truncate_log

    def every_other(connection: sqlite3.Connection) -> bool:
        return next(turn) % 2 == 1 and truncate(connection)

    monkeypatch.setattr(scrubbing, "truncate_log", every_other)
    assert await opened.scrub()


async def test_a_file_that_shrinks_by_itself_stays_whole(tmp_path: Path) -> None:
    """Some of its pages say whose the others are, and look like pages of a tree."""
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as file:
        file.execute("PRAGMA auto_vacuum = FULL")
        file.execute("VACUUM")
    made = SqliteStore.open(tmp_path)
    draw = _draw(13)
    for _ in range(30):
        await made.write(_fill, draw, 40)
    await made.write(_forget, 0)
    assert await made.scrub()
    assert b"MARK0x" not in _bytes(tmp_path)
    await made.close()
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as file:
        assert file.execute("PRAGMA auto_vacuum").fetchone() == (1,)
        assert file.execute("PRAGMA page_count").fetchone()[0] > 822, "a second such page"
        assert file.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


async def test_in_the_background_it_rests_longer_than_it_works(
    opened: SqliteStore, tmp_path: Path
) -> None:
    """Many deletions of a large file must not keep the writer busy; who waits is served at once."""
    await opened.write(_fill, _draw(2), 200)
    await opened.write(_forget, 0)
    assert await opened.scrub()
    opened._scrubber._rests_until += 3600
    await opened.write(_forget, 1)
    opened.scrub_soon()
    await asyncio.sleep(0.05)
    assert b"MARK1x" in _bytes(tmp_path)
    assert await opened.scrub()
    assert b"MARK1x" not in _bytes(tmp_path)


def _fill_with(tx: Transaction, text: str, count: int) -> None:
    for _ in range(count):
        tx._connection.execute("INSERT INTO said (owner, text) VALUES (0, ?)", (text,))  # type: ignore[attr-defined]


def _fill_others(tx: Transaction, draw: random.Random) -> None:
    for _ in range(10):
        text = f"{draw.random()} MARK3x " * draw.choice([1, 2, 30])
        tx._connection.execute("INSERT INTO said (owner, text) VALUES (3, ?)", (text,))  # type: ignore[attr-defined]


async def test_what_is_written_later_does_not_bring_back_what_was_scrubbed(
    opened: SqliteStore, tmp_path: Path
) -> None:
    """The writer remembers pages; those with traces must not be written again."""
    draw = _draw(3)
    for _ in range(60):
        await opened.write(_fill, draw, 40)
    await opened.write(_forget, 1)
    assert await opened.scrub()

    def touch(tx: Transaction) -> None:
        tx._connection.execute("UPDATE said SET text = replace(text, 'MARK', 'mark')")  # type: ignore[attr-defined]

    await opened.write(touch)
    assert b"MARK1x" not in _bytes(tmp_path)


async def test_a_scrub_gives_up_while_someone_reads_what_was_deleted(
    opened: SqliteStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It says so, writes go on meanwhile, and the next one succeeds."""
    monkeypatch.setattr(scrubbing, "_TRIES", 2)
    await opened.write(_fill, _draw(1), 100)
    with closing(sqlite3.connect(tmp_path / FILE_NAME, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM said").fetchone()
        await opened.write(_forget, 0)
        assert not await opened.scrub()
        await opened.write(_forget, 1)
    assert await opened.scrub()
    assert b"MARK0x" not in _bytes(tmp_path)


async def test_scrubs_asked_for_at_once_share_the_work_and_units_go_on(
    opened: SqliteStore, tmp_path: Path
) -> None:
    """Whoever waits has an answer that counts for what was deleted before."""
    draw = _draw(5)

    async def forget(owner: int) -> bool:
        await opened.write(_forget, owner)
        done = await opened.scrub()
        return done and f"MARK{owner}x".encode() not in _bytes(tmp_path)

    await opened.write(_fill, draw, 300)
    assert all(await asyncio.gather(*(forget(owner) for owner in range(OWNERS))))


async def test_a_scrub_in_the_background_is_finished_before_the_store_is_closed(
    tmp_path: Path,
) -> None:
    """Stopping a server right after a deletion leaves nothing behind."""
    made = SqliteStore.open(tmp_path)
    await made.write(_fill, _draw(9), 400)
    await made.write(_forget, 2)
    made.scrub_soon()
    await made.close()
    assert b"MARK2x" not in _bytes(tmp_path)
