"""The chain of entries: what it says stays, and whoever changes it behind our back is found out."""

import hashlib
import json
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recollect.governance import audit, keys
from recollect.governance.audit import Told, Verdict, Wanted
from recollect.graph.types import Project
from recollect.store.sqlite import migrate
from recollect.store.sqlite.connection import SqliteTransaction, connect, statements
from tests.support.row_types import tampered

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
ENTRIES = 4


class Log:
    """An embedded store with two projects, used directly."""

    def __init__(self, path: Path) -> None:
        self.connection = connect(path, writer=True)
        self._numbers = iter(range(1_000_000))
        self.projects = [keys.create_project(self.tx, name) for name in ("one", "two")]

    @property
    def tx(self) -> SqliteTransaction:
        """A transaction of its own for each statement."""
        return SqliteTransaction(self.connection, lambda: NOW, self._id)

    def _id(self) -> str:
        return f"00000000-0000-7000-8000-{next(self._numbers):012d}"

    @property
    def one(self) -> Project:
        """The first project."""
        return self.projects[0]

    def add(self, project: int = 0, **told: Any) -> int:
        """An entry as a request would leave it."""
        said: dict[str, Any] = {"actor": "key:a", "action": "user.add", **told}
        return audit.append(self.tx, self.projects[project].id, Told(**said))

    def verify(self, expected: str | None = None) -> Verdict:
        """What the first project's chain is found to be, whatever somebody put into the file."""
        with tampered():
            return audit.verify(self.tx, self.one, expected)

    def without_triggers(self) -> sqlite3.Connection:
        """The file as somebody sees it who does not care for our rules."""
        for (name,) in self.connection.execute(
            "SELECT name FROM sqlite_schema WHERE type = 'trigger'"
        ).fetchall():
            self.connection.execute(f"DROP TRIGGER {name}")
        self.connection.execute("PRAGMA ignore_check_constraints = ON")
        return self.connection


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated file, made once and copied for each test."""
    path = tmp_path_factory.mktemp("log") / "empty.db"
    connection = connect(path, writer=True)
    migrate.apply(connection)
    connection.close()
    return path


@pytest.fixture
def log(empty: Path, tmp_path: Path) -> Iterator[Log]:
    """An empty log."""
    made = Log(Path(shutil.copy(empty, tmp_path / "x.db")))
    yield made
    made.connection.close()


@pytest.fixture
def filled(log: Log) -> Log:
    """A log with a few entries of each kind."""
    log.add(target="user:anna", detail={"fields": ["email"]})
    log.add(actor="command", action="key.create", target="key:k")
    log.add(action="user.delete", outcome="refused", status=403, target="user:anna")
    log.add(project=1, target="user:anna")
    log.add(action="thread.add_messages", detail={"messages": 2})
    return log


def test_an_untouched_chain_holds(filled: Log) -> None:
    """All entries are counted and the head is the last one's hash."""
    verdict = filled.verify()
    newest = audit.page(filled.tx, filled.one.id, Wanted(), limit=1)[0]
    assert verdict == Verdict(entries=ENTRIES, redacted=0, head=newest.hash)


def test_an_empty_chain_holds(log: Log) -> None:
    """Before the first entry the head is made of the project alone."""
    head = hashlib.sha256(log.one.uuid.encode()).hexdigest()
    assert log.verify() == Verdict(entries=0, redacted=0, head=head)


def test_a_hash_can_be_computed_by_anyone_from_what_is_written_down(log: Log) -> None:
    """SHA-256 over the hash before and a JSON array without spaces, as the guide says."""
    log.add(target="user:anna", detail={"fields": ["é"]}, status=200)
    row = log.connection.execute("SELECT * FROM audit_entries").fetchone()
    digest = hashlib.sha256(row["salt"] + b"user:anna")
    assert row["target_digest"] == digest.digest()
    said = [1, row["at"], "key:a", "user.add", "done", 200, digest.hexdigest(), row["detail"]]
    encoded = json.dumps(said, separators=(",", ":"), ensure_ascii=False).encode()
    before = hashlib.sha256(log.one.uuid.encode()).digest()
    assert row["hash"] == hashlib.sha256(before + encoded).digest()


def test_each_project_has_numbers_and_a_chain_of_its_own(filled: Log) -> None:
    """What happens in one project tells the other nothing, not even how much."""
    (entry,) = audit.page(filled.tx, filled.projects[1].id, Wanted(), limit=10)
    assert (entry.number, entry.target) == (1, "user:anna")
    assert audit.verify(filled.tx, filled.projects[1]).entries == 1


CHANGES = {
    "at": "at + 1",
    "actor": "'key:b'",
    "action": "'user.update'",
    "outcome": "'failed'",
    "status": "404",
    "target": "'user:otto'",
    "salt": "zeroblob(16)",
    "target_digest": "zeroblob(32)",
    "detail": "'{}'",
    "hash": "zeroblob(32)",
    "number": "number + 100",
}


@pytest.mark.parametrize("column", CHANGES)
@pytest.mark.parametrize("number", [1, 3])
def test_a_changed_column_is_found(filled: Log, column: str, number: int) -> None:
    """Whichever it is, in the first entry or a later one; the verdict names the entry."""
    filled.without_triggers().execute(
        f"UPDATE audit_entries SET {column} = {CHANGES[column]} WHERE project_id = ? AND number = ?",  # noqa: S608
        (filled.one.id, number),
    )
    verdict = filled.verify()
    assert (verdict.broken_at, verdict.entries) == (number, number - 1)
    assert verdict.why


def test_every_column_is_tried_above(log: Log) -> None:
    """A new column is sealed, too, or somebody says here why not."""
    columns = {row["name"] for row in log.connection.execute("PRAGMA table_info(audit_entries)")}
    assert columns == {*CHANGES, "project_id"}


@pytest.mark.parametrize("value", ["x'6b'", "17", "NULL"])
@pytest.mark.parametrize("column", ["at", "actor", "status", "detail", "target", "salt"])
def test_a_value_of_another_kind_is_found(filled: Log, column: str, value: str) -> None:
    """Bytes where text was, a number where bytes were, nothing where something was."""
    change = f"UPDATE audit_entries SET {column} = {value} WHERE project_id = 1 AND number = 1"  # noqa: S608
    connection = filled.without_triggers()
    before = connection.execute("SELECT * FROM audit_entries").fetchall()
    try:
        connection.execute(change)
    except sqlite3.IntegrityError:
        return  # the column itself refuses it
    same = [tuple(row) for row in connection.execute("SELECT * FROM audit_entries")] == [
        tuple(row) for row in before
    ]
    assert (filled.verify().broken_at is None) == same


def _swap(connection: sqlite3.Connection) -> None:
    for old, new in ((2, -1), (3, 2), (-1, 3)):
        _number(connection, old, new)


def _number(connection: sqlite3.Connection, old: int, new: int) -> None:
    connection.execute(
        "UPDATE audit_entries SET number = ? WHERE project_id = 1 AND number = ?", (new, old)
    )


def _delete(number: int) -> Callable[[sqlite3.Connection], None]:
    def change(connection: sqlite3.Connection) -> None:
        connection.execute(
            "DELETE FROM audit_entries WHERE project_id = 1 AND number = ?", (number,)
        )

    return change


def _delete_and_close_up(connection: sqlite3.Connection) -> None:
    _delete(2)(connection)
    _number(connection, 3, 2)
    _number(connection, 4, 3)


def _insert(connection: sqlite3.Connection) -> None:
    _number(connection, 4, 5)
    connection.execute(
        "INSERT INTO audit_entries SELECT project_id, 4, at, actor, action, outcome, status, target,"
        " salt, target_digest, detail, hash FROM audit_entries WHERE project_id = 1 AND number = 2"
    )


def _take_over(connection: sqlite3.Connection) -> None:
    """The other project's whole chain in place of ours."""
    connection.execute("DELETE FROM audit_entries WHERE project_id = 1")
    connection.execute("UPDATE audit_entries SET project_id = 1")


def _before_the_first(connection: sqlite3.Connection) -> None:
    connection.execute(
        "INSERT INTO audit_entries SELECT project_id, 0, at, actor, action, outcome, status, target,"
        " salt, target_digest, detail, hash FROM audit_entries WHERE project_id = 1 AND number = 2"
    )


@pytest.mark.parametrize(
    ("change", "broken_at"),
    [
        (_swap, 2),
        (_delete(1), 1),
        (_delete(2), 2),
        (_delete_and_close_up, 2),
        (_insert, 4),
        (_take_over, 1),
        (_before_the_first, 1),
    ],
)
def test_entries_moved_removed_or_added_are_found(
    filled: Log, change: Callable[[sqlite3.Connection], None], broken_at: int
) -> None:
    """The verdict names the first place at which the chain does not hold."""
    change(filled.without_triggers())
    assert filled.verify().broken_at == broken_at


def test_a_cut_off_end_is_found_by_a_head_noted_before(filled: Log) -> None:
    """Without it the rest holds in itself; with it the place after the last entry is named."""
    head = filled.verify().head
    _delete(ENTRIES)(filled.without_triggers())
    assert filled.verify().broken_at is None
    assert filled.verify(head).broken_at == ENTRIES


def test_a_noted_head_is_still_in_a_chain_that_grew(filled: Log) -> None:
    """It need not be the last one; that of the empty log counts, too."""
    empty = hashlib.sha256(filled.one.uuid.encode()).hexdigest()
    head = filled.verify().head
    filled.add()
    assert filled.verify(head).broken_at is None
    assert filled.verify(empty).broken_at is None


def test_a_redacted_target_is_gone_and_the_chain_holds(filled: Log) -> None:
    """Neither the name nor the salt is kept; entries of other targets and projects stay."""
    assert audit.redact(filled.tx, filled.one.id, ["user:anna", "thread:t"]) == 2
    assert filled.verify() == Verdict(
        entries=ENTRIES, redacted=2, head=audit.page(filled.tx, 1, Wanted(), limit=1)[0].hash
    )
    found = audit.page(filled.tx, filled.one.id, Wanted(), limit=10)
    assert [entry.target for entry in found] == [None, None, "key:k", None]
    assert [entry.named for entry in found] == [False, True, True, True]
    left = filled.connection.execute(
        "SELECT count(*) FROM audit_entries WHERE project_id = 1 AND salt IS NOT NULL"
    ).fetchone()[0]
    assert left == 1
    assert audit.page(filled.tx, 2, Wanted(), limit=1)[0].target == "user:anna"


def test_redacting_nothing_does_nothing(filled: Log) -> None:
    """Nobody's name, and the empty list."""
    assert audit.redact(filled.tx, filled.one.id, []) == 0
    assert audit.redact(filled.tx, filled.one.id, ["user:nobody"]) == 0


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM audit_entries",
        "DELETE FROM audit_entries WHERE number = 4",
        *(f"UPDATE audit_entries SET {column} = {value}" for column, value in CHANGES.items()),  # noqa: S608
        "UPDATE audit_entries SET target = NULL",
        "UPDATE audit_entries SET target = NULL, salt = NULL, actor = 'x'",
        "DELETE FROM projects",
    ],
)
def test_the_store_refuses_to_change_the_log(filled: Log, statement: str) -> None:
    """Triggers stop every statement but an addition and a redaction."""
    with pytest.raises(sqlite3.IntegrityError):
        filled.connection.execute(statement)
    assert filled.verify().entries == ENTRIES


def test_a_page_can_be_narrowed_and_continued(filled: Log) -> None:
    """Each filter alone, and numbers below a given one."""

    def numbers(wanted: Wanted, **more: Any) -> list[int]:
        found = audit.page(filled.tx, filled.one.id, wanted, **{"limit": 10, **more})
        return [entry.number for entry in found]

    assert numbers(Wanted()) == [4, 3, 2, 1]
    assert numbers(Wanted(), limit=2) == [4, 3]
    assert numbers(Wanted(), before=3) == [2, 1]
    assert numbers(Wanted(action="user.add")) == [1]
    assert numbers(Wanted(outcome="refused")) == [3]
    assert numbers(Wanted(actor="command")) == [2]
    assert numbers(Wanted(since=NOW)) == [4, 3, 2, 1]
    assert numbers(Wanted(since=NOW.replace(year=2027))) == []


PLANS = {
    "audit.head": ("PRIMARY KEY",),
    "audit.page": ("PRIMARY KEY",),
    "audit.after": ("PRIMARY KEY",),
    "audit.redact": ("audit_entries_by_target",),
    "audit.names_user": ("INDEX",),
    "audit.names_thread": ("INDEX",),
    "audit.names_graph": ("INDEX",),
}


@pytest.mark.parametrize("name", PLANS)
def test_no_query_scans_or_sorts_the_log(log: Log, name: str) -> None:
    """Everything is found by a key, however long the log is."""
    names = "project_id before after limit action outcome actor since targets id"
    values = dict.fromkeys(names.split(), "1")
    plan = log.connection.execute(f"EXPLAIN QUERY PLAN {statements()[name]}", values).fetchall()
    details = [row["detail"] for row in plan if "json_each" not in row["detail"]]
    assert not any(detail.startswith("SCAN") or "TEMP B-TREE" in detail for detail in details)
    assert all(word in " ".join(details) for word in PLANS[name]), details


told = st.builds(
    Told,
    actor=st.sampled_from(["key:a", "key:b", "command"]),
    action=st.sampled_from(["user.add", "graph.add"]),
    outcome=st.sampled_from(["done", "refused", "failed"]),
    status=st.none() | st.integers(100, 599),
    target=st.none() | st.sampled_from(["user:a", "user:b", "thread:é"]),
    detail=st.none() | st.dictionaries(st.text(max_size=3), st.integers(0, 9), max_size=2),
)


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(entries=st.lists(told, min_size=1, max_size=8), data=st.data())
def test_any_chain_holds_until_one_byte_of_it_is_changed(
    log: Log, entries: list[Told], data: st.DataObject
) -> None:
    """Whatever was appended and redacted verifies; any single value replaced by another does not."""
    log.connection.execute("BEGIN")
    try:
        for entry in entries:
            audit.append(log.tx, log.one.id, entry)
        audit.redact(log.tx, log.one.id, data.draw(st.lists(st.sampled_from(["user:a", "x"]))))
        assert log.verify().broken_at is None
        assert log.verify().entries == len(entries)
        connection = log.without_triggers()
        number = data.draw(st.integers(1, len(entries)))
        column = data.draw(st.sampled_from(sorted(CHANGES)))
        other = data.draw(st.integers(-5, 5) | st.text(max_size=3) | st.binary(max_size=3))
        place = "WHERE project_id = 1 AND number = ?"
        sql = f"SELECT {column} FROM audit_entries {place}"  # noqa: S608
        old = connection.execute(sql, (number,)).fetchone()[0]
        try:
            connection.execute(f"UPDATE audit_entries SET {column} = ? {place}", (other, number))  # noqa: S608
        except sqlite3.IntegrityError:
            return
        new = connection.execute(sql, (number,)).fetchone()
        if new is None or new[0] != old or type(new[0]) is not type(old):
            assert log.verify().broken_at is not None
    finally:
        log.connection.execute("ROLLBACK")
