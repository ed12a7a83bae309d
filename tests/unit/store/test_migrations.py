"""Migrations lead to the schema that is written down, once, whoever else is migrating."""

import re
import sqlite3
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from recollect.errors import StoreUnavailable
from recollect.store.sqlite import SqliteStore, migrate
from recollect.store.sqlite.connection import FILE_NAME, connect

SCHEMA = Path(migrate.__file__).parent / "schema.sql"
TOGETHER = """
import sys, time
from pathlib import Path
from recollect.store.sqlite import SqliteStore
print("ready", flush=True)
sys.stdin.readline()
store = SqliteStore.open(Path(sys.argv[1]))
print("opened", flush=True)
"""


def _objects(connection: sqlite3.Connection) -> dict[tuple[str, str], str]:
    """Everything in the schema, without comments and with white space made equal."""
    found = connection.execute("SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL")
    return {
        (kind, name): re.sub(r"\s*([(),])\s*|\s+", r"\1 ", re.sub(r"--[^\n]*", "", sql)).strip()
        for kind, name, sql in found
    }


def test_all_migrations_together_are_the_schema(tmp_path: Path) -> None:
    """An empty database with every migration applied equals `schema.sql`."""
    migrated = connect(tmp_path / "migrated.db", writer=True)
    written = connect(tmp_path / "written.db", writer=True)
    try:
        applied = migrate.apply(migrated)
        assert applied == [path.stem for path in migrate.available()]
        written.executescript(SCHEMA.read_text(encoding="utf-8"))
        assert _objects(migrated) == _objects(written)
        assert migrate.version(migrated) == len(applied)
    finally:
        migrated.close()
        written.close()


def test_migrations_are_numbered_without_gaps() -> None:
    """`0001_what.sql`, `0002_…`: the number is the version it leads to."""
    numbers = [int(path.name[:4]) for path in migrate.available()]
    assert numbers == list(range(1, len(numbers) + 1))


def test_migrating_twice_changes_nothing(tmp_path: Path) -> None:
    """A second run finds nothing to do."""
    connection = connect(tmp_path / "x.db", writer=True)
    try:
        migrate.apply(connection)
        before = _objects(connection)
        assert migrate.apply(connection) == []
        assert _objects(connection) == before
    finally:
        connection.close()


def test_every_reference_is_backed_by_an_index(tmp_path: Path) -> None:
    """Deleting a parent must not scan its children: each foreign key leads an index."""
    connection = connect(tmp_path / "x.db", writer=True)
    try:
        migrate.apply(connection)
        tables = [
            row[0]
            for row in connection.execute("SELECT name FROM sqlite_master WHERE type='table'")
        ]
        missing = []
        for table in tables:
            leading = {
                connection.execute(f"PRAGMA index_info('{index[1]}')").fetchone()[2]
                for index in connection.execute(f"PRAGMA index_list('{table}')")
            }
            columns = connection.execute(f"PRAGMA table_info('{table}')").fetchall()
            leading |= {column[1] for column in columns if column[5] == 1}
            missing += [
                f"{table}.{key[3]}"
                for key in connection.execute(f"PRAGMA foreign_key_list('{table}')")
                if key[3] not in leading
            ]
        assert missing == []
    finally:
        connection.close()


def test_a_newer_schema_is_refused_with_a_clear_message(folder: Path) -> None:
    """The message names both versions and what to do; the file is left as it was."""
    folder.mkdir()
    with sqlite3.connect(folder / FILE_NAME) as connection:
        connection.execute("PRAGMA user_version = 999")
    connection.close()
    with pytest.raises(StoreUnavailable, match=r"newer release \(schema 999.*install"):
        SqliteStore.open(folder)
    again = sqlite3.connect(folder / FILE_NAME)
    try:
        assert migrate.version(again) == 999
        assert _objects(again) == {}
    finally:
        again.close()


def test_a_failing_migration_leaves_the_file_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each migration is whole or absent; those before it stay."""
    good, bad = tmp_path / "0001_good.sql", tmp_path / "0002_bad.sql"
    good.write_text("CREATE TABLE a (x);")
    bad.write_text("CREATE TABLE b (x);\nINSERT INTO nowhere VALUES (1);")
    monkeypatch.setattr(migrate, "available", lambda: [good, bad])
    connection = connect(tmp_path / "x.db", writer=True)
    try:
        with pytest.raises(sqlite3.OperationalError, match="nowhere"):
            migrate.apply(connection)
        assert [name for _, name in _objects(connection)] == ["a"]
        assert migrate.version(connection) == 1
        assert not connection.in_transaction
    finally:
        connection.close()


def test_a_migration_that_another_process_applied_is_not_applied_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The version is read again once the lock is held, so that no step runs twice or backwards."""
    steps = [tmp_path / "0001_make.sql", tmp_path / "0002_fill.sql"]
    steps[0].write_text("CREATE TABLE IF NOT EXISTS filled (x);")
    steps[1].write_text("INSERT INTO filled VALUES (1);")
    monkeypatch.setattr(migrate, "available", lambda: steps)
    quick = connect(tmp_path / "x.db", writer=True)
    slow = connect(tmp_path / "x.db", writer=True)
    real, first = migrate.version, []

    def version(connection: sqlite3.Connection) -> int:
        """Between the slow one's first look and its next step, the quick one does it all."""
        seen = real(connection)
        if connection is slow and not first:
            first.append(seen)
            migrate.apply(quick)
        return seen

    monkeypatch.setattr(migrate, "version", version)
    try:
        migrate.apply(slow)
        assert real(slow) == 2
        assert slow.execute("SELECT count(*) FROM filled").fetchone()[0] == 1
    finally:
        quick.close()
        slow.close()


def test_a_file_that_another_process_began_to_migrate_is_not_begun_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever finds it new and then waits for the lock goes on from where the other one is."""
    quick = connect(tmp_path / "x.db", writer=True)
    slow = connect(tmp_path / "x.db", writer=True)
    real = migrate.version

    def version(connection: sqlite3.Connection) -> int:
        """Between the slow one's first look and its lock, the quick one goes some of the way."""
        seen = real(connection)
        if connection is slow and seen == 0:
            migrate.apply(quick, upto=3)
        return seen

    monkeypatch.setattr(migrate, "version", version)
    try:
        migrate.begin(slow)
        assert real(slow) == 3
        migrate.apply(slow)
        begun = connect(tmp_path / "begun.db", writer=True)
        migrate.begin(begun)
        assert _objects(slow) == _objects(begun)
        assert real(slow) == real(begun) == len(migrate.available())
        begun.close()
    finally:
        quick.close()
        slow.close()


def test_processes_that_open_a_new_store_at_once_all_succeed(folder: Path) -> None:
    """A server and a command started together find one store, migrated once."""
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", TOGETHER, str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(3)
    ]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    answers = [process.communicate(timeout=30) for process in processes]
    assert [answer[0] for answer in answers] == ["opened\n"] * 3, answers
    connection = connect(folder / FILE_NAME, writer=False)
    try:
        assert migrate.version(connection) == len(migrate.available())
    finally:
        connection.close()


def test_opening_waits_for_whoever_is_just_making_the_file(tmp_path: Path) -> None:
    """A file that is not yet in WAL mode and is written to by another is waited for."""
    path = tmp_path / "x.db"
    other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    other.execute("CREATE TABLE t (x)")

    def let_go() -> None:
        time.sleep(0.2)
        other.execute("COMMIT")
        other.close()

    holding = threading.Thread(target=let_go)
    holding.start()
    try:
        connection = connect(path, writer=True)
        assert connection.execute("PRAGMA journal_mode").fetchone()[0] == "wal"
        connection.close()
    finally:
        holding.join()
