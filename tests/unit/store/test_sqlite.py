"""What only the embedded store promises: its file, its pragmas, and its behaviour in trouble."""

import asyncio
import os
import sqlite3
import stat
import threading
from pathlib import Path

import pytest
from typer.testing import CliRunner

from recollect.cli.main import app
from recollect.errors import StoreUnavailable
from recollect.governance import keys
from recollect.store.protocol import Transaction
from recollect.store.sqlite import SqliteStore, connection
from recollect.store.sqlite.connection import FILE_NAME, connect
from recollect.store.sqlite.threads import Writer

PAGE = 4096


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def _pragma(tx: Transaction, name: str) -> object:
    return tx._connection.execute(f"PRAGMA {name}").fetchone()[0]  # type: ignore[attr-defined]


async def test_an_acknowledged_commit_survives_a_power_cut(store: SqliteStore) -> None:
    """The journal is a WAL that is synced at every commit, and foreign keys are enforced."""
    for ask in (store.read, store.write):
        assert await ask(_pragma, "journal_mode") == "wal"
        assert await ask(_pragma, "synchronous") == 2
        assert await ask(_pragma, "foreign_keys") == 1
    assert await store.read(_pragma, "query_only") == 1


async def test_only_the_owner_can_read_the_files(folder: Path) -> None:
    """The folder is 0700 and every file in it 0600, whatever the umask allows."""
    old = os.umask(0)
    try:
        store = SqliteStore.open(folder)
        await store.write(keys.create_project, "p")
    finally:
        os.umask(old)
    try:
        assert _mode(folder) == 0o700
        files = {
            path.name: oct(_mode(path))
            for path in await asyncio.to_thread(lambda: list(folder.iterdir()))
        }
        assert FILE_NAME in files
        assert set(files.values()) == {oct(0o600)}
    finally:
        await store.close()


def test_the_migrate_command_makes_files_as_private_as_the_server_does(tmp_path: Path) -> None:
    """In a folder that others may enter, the file itself keeps them out."""
    tmp_path.chmod(0o755)
    old = os.umask(0o022)
    try:
        done = CliRunner().invoke(app, ["migrate", "--data", str(tmp_path)])
    finally:
        os.umask(old)
    assert done.exit_code == 0, done.output
    assert oct(_mode(tmp_path / FILE_NAME)) == oct(0o600)


@pytest.mark.parametrize("obstacle", ["a file", "a broken file"])
def test_what_is_no_store_is_said_to_be_none(tmp_path: Path, obstacle: str) -> None:
    """A file where the folder should be, or rubbish where the database should be."""
    folder = tmp_path / "data"
    if obstacle == "a file":
        folder.write_text("in the way")
    else:
        folder.mkdir()
        (folder / FILE_NAME).write_bytes(b"this is not a database, by any means" * 200)
    with pytest.raises(StoreUnavailable, match=r"cannot open the store|file is damaged"):
        SqliteStore.open(folder)


async def test_a_locked_store_is_unavailable_and_then_usable_again(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever holds the file too long makes writes fail in words; reads go on meanwhile."""
    monkeypatch.setattr(connection, "BUSY_MS", 50)
    store = SqliteStore.open(folder)
    other = connect(folder / FILE_NAME, writer=True)
    try:
        other.execute("BEGIN IMMEDIATE")
        outcomes = await asyncio.gather(
            *(store.write(keys.create_project, str(n)) for n in range(5)), return_exceptions=True
        )
        assert {type(outcome) for outcome in outcomes} == {StoreUnavailable}
        assert "locked" in str(outcomes[0])
        assert await store.read(keys.list_projects) == []
        other.execute("ROLLBACK")
        await store.write(keys.create_project, "after")
        assert len(await store.read(keys.list_projects)) == 1
    finally:
        other.close()
        await store.close()


class _FullDisk:
    """A store whose disk has no room, and a way to hand in units as one commit group."""

    def __init__(self, store: SqliteStore) -> None:
        self.store = store

    async def limit(self, pages_more: int) -> None:
        """Leave room for so many pages."""

        def unit(tx: Transaction) -> None:
            used = tx._connection.execute("PRAGMA page_count").fetchone()[0]  # type: ignore[attr-defined]
            tx._connection.execute(f"PRAGMA max_page_count = {used + pages_more}")  # type: ignore[attr-defined]

        await self.store.write(unit)

    async def together(self, *units: object) -> list[object]:
        """Run units in one group: they wait behind one that holds the writer."""
        gate = threading.Event()
        calls = [asyncio.ensure_future(self.store.write(lambda tx: gate.wait(5)))]
        await asyncio.sleep(0.05)
        calls += [asyncio.ensure_future(self.store.write(unit)) for unit in units]
        await asyncio.sleep(0)
        gate.set()
        return (await asyncio.gather(*calls, return_exceptions=True))[1:]


def _too_big(tx: Transaction) -> None:
    tx.projects.insert(uuid="big", name="big", description="x" * 50 * PAGE, now=1)


def _set_zone(tx: Transaction, zone: str) -> None:
    tx.projects.set_time_zone(id=1, time_zone=zone)


def _zone(tx: Transaction) -> str | None:
    row = tx.projects.by_id(id=1)
    assert row is not None
    zone: str | None = row.default_time_zone
    return zone


async def test_a_full_disk_is_told_and_goes_away(store: SqliteStore) -> None:
    """The write fails as unavailable and leaves nothing; with room again, the store goes on."""
    await store.write(keys.create_project, "p")
    disk = _FullDisk(store)
    await disk.limit(0)
    with pytest.raises(StoreUnavailable, match="full"):
        await store.write(_too_big)
    assert [project.name for project in await store.read(keys.list_projects)] == ["p"]
    await disk.limit(1000)
    await store.write(_too_big)


async def test_a_full_disk_fails_only_the_unit_that_needs_room(store: SqliteStore) -> None:
    """A neighbour in the same commit group that fits is acknowledged and stored."""
    await store.write(keys.create_project, "p")
    disk = _FullDisk(store)
    await disk.limit(0)
    big, small = await disk.together(_too_big, lambda tx: _set_zone(tx, "UTC"))
    assert isinstance(big, StoreUnavailable)
    assert small is None
    assert await store.read(_zone) == "UTC"


async def test_a_full_disk_never_lets_a_failed_unit_through(store: SqliteStore) -> None:
    """SQLite undoes a transaction by itself when the disk is full; what follows in the group
    must not be written outside of any transaction."""
    await store.write(keys.create_project, "p")
    disk = _FullDisk(store)
    await disk.limit(0)

    def writes_then_fails(tx: Transaction) -> None:
        _set_zone(tx, "Europe/Berlin")
        raise RuntimeError("after having written")

    outcomes = await disk.together(_too_big, writes_then_fails)
    assert all(isinstance(outcome, Exception) for outcome in outcomes)
    assert await store.read(_zone) is None


async def test_a_loop_that_is_gone_does_not_stop_the_writer(folder: Path) -> None:
    """A caller's event loop may end before its answer comes; the next caller is served."""
    store = SqliteStore.open(folder)
    gate = threading.Event()

    def leave() -> None:
        async def hand_in() -> None:
            call = asyncio.ensure_future(store.write(lambda tx: gate.wait(5)))
            await asyncio.sleep(0.01)
            call.cancel()

        asyncio.run(hand_in())

    await asyncio.to_thread(leave)
    gate.set()
    await asyncio.wait_for(store.write(keys.create_project, "p"), 5)
    await store.close()


async def test_a_writer_whose_undo_fails_says_so_and_goes_on(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An I/O error that even a rollback meets reaches the callers; later writes are served."""
    await store.write(keys.create_project, "before")

    def broken(writer: Writer) -> None:
        raise sqlite3.OperationalError("disk I/O error")

    def writes_then_fails(tx: Transaction) -> None:
        keys.create_project(tx, "lost")
        raise RuntimeError("after having written")

    with monkeypatch.context() as patch:
        patch.setattr(Writer, "_undo", broken)
        with pytest.raises(StoreUnavailable, match="I/O"):
            await asyncio.wait_for(store.write(writes_then_fails), 5)
    await asyncio.wait_for(store.write(keys.create_project, "after"), 5)
    names = [project.name for project in await store.read(keys.list_projects)]
    assert names == ["before", "after"]
