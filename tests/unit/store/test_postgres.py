"""The PostgreSQL store beside the embedded one: the same statements, the same columns, the same sides."""

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import SecretStr

from recollect.app import stores
from recollect.errors import StoreUnavailable
from recollect.graph import visibility
from recollect.graph.types import Access
from recollect.settings import Settings
from recollect.store.postgres import PostgresStore, dialect
from recollect.store.postgres.connection import Connection, connect
from recollect.store.protocol import Transaction
from recollect.store.queries.projects import ProjectRow
from recollect.store.sqlite import migrate
from recollect.store.statements import RowRefused
from tests.contract.store.world import add_text, new_graph, new_project
from tests.support import postgres


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Connection]:
    """A connection to an empty store."""
    url = postgres.database_of(tmp_path_factory.mktemp("postgres"))
    with closing(connect(url)) as connection:
        yield connection


def test_every_statement_is_understood(database: Connection) -> None:
    """Names, types and functions are checked without running anything."""
    wrong = {}
    for name, text in dialect.statements().items():
        try:
            database.execute(f"PREPARE one AS {_numbered(text)}".encode())
            database.execute("DEALLOCATE one")
        except Exception as error:  # noqa: BLE001 - they are told together
            wrong[name] = str(error)
    assert wrong == {}


def _numbered(text: str) -> str:
    names: list[str] = []

    def place(found: re.Match[str]) -> str:
        if found[1] not in names:
            names.append(found[1])
        return f"${names.index(found[1]) + 1}"

    return re.sub(r"%\((\w+)\)s", place, text).replace("%%", "%").rstrip().rstrip(";")


def test_tables_have_the_same_columns_in_the_same_order(database: Connection) -> None:
    """Rows are told by position, and a graph is copied from one to the other to be folded."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as file:
        migrate.apply(file)
        tables = file.execute("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')")
        here = {
            name: [row[1] for row in file.execute(f"PRAGMA table_info({name})")]
            for (name,) in tables.fetchall()
            if not name.startswith("sqlite_")
        }
    asked = (
        "SELECT table_name, column_name FROM information_schema.columns"
        " WHERE table_schema = 'public' ORDER BY table_name, ordinal_position"
    )
    there: dict[str, list[str]] = {}
    for table, column in database.execute(asked):
        there.setdefault(table, []).append(column)
    there.pop("schema_version")
    assert there == here


def test_a_machine_without_postgresql_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever runs the tests learns what is missing, not that an assertion failed."""
    monkeypatch.setattr(postgres, "PACKAGE", "no_such_package")
    with pytest.raises(postgres.NoPostgres, match="no_such_package is not installed"):
        postgres.binaries()


URL = "postgresql://me:secret@db.example:5433/mem?sslmode=require"
KEYS = st.sampled_from(["team", "level", 'a "quoted" one', "größe", "\x7f\n"])
PLAIN = st.one_of(
    st.booleans(),
    st.integers(min_value=-(2**53), max_value=2**53),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\0"), max_size=6),
)
METADATA = st.none() | st.dictionaries(KEYS, PLAIN | st.lists(PLAIN, max_size=4), max_size=4)


@settings(max_examples=200, deadline=None)
@given(metadata=METADATA, keys=st.lists(KEYS, unique=True), kept=st.lists(KEYS, unique=True))
def test_sides_are_those_of_the_product(
    database: Connection, metadata: dict[str, object] | None, keys: list[str], kept: list[str]
) -> None:
    """Walls compare text that Python wrote with text that the database wrote."""
    text = None if metadata is None else msgspec.json.encode(metadata).decode()
    named, within = (msgspec.json.encode(some).decode() for some in (keys, kept))
    side = visibility.side(metadata, keys) if keys else None
    part = visibility.within(side or "", kept) if kept else None
    asked = "SELECT side(%s, %s), side_within(%s, %s)"
    assert database.execute(asked, (text, named, side, within)).fetchone() == (side, part)


def test_a_url_tells_no_password(tmp_path: Path) -> None:
    """What is said about the place of a store can be read by anyone."""
    chosen = Settings(data=tmp_path, store=SecretStr(URL))
    assert stores.place(chosen) == "postgresql://me@db.example:5433/mem"
    assert "secret" not in repr(chosen)


# What nobody's words are in, and what says whose a request is.
OPEN = {
    "api_keys",
    "jobs",
    "kept_answers",
    "projects",
    "queue",
    "schema_version",
    "shares",
    "usage",
}


def test_every_table_with_words_is_behind_the_second_wall(database: Connection) -> None:
    """A new table is one thing or the other; the owner of the tables is bound as well."""
    asked = (
        "SELECT relname, relrowsecurity AND relforcerowsecurity FROM pg_class"
        " WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace"
    )
    walled = dict(database.execute(asked).fetchall())
    assert {name for name, is_walled in walled.items() if not is_walled} == OPEN
    rights = "SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user"
    assert database.execute(rights).fetchall() == [(False,)]


async def test_a_request_sees_one_project_whatever_a_statement_says(tmp_path: Path) -> None:
    """Counted with no condition at all: by a request of each project, by a worker, by nobody."""
    url = postgres.database_of(tmp_path)
    store = PostgresStore.open(url)
    try:
        both = [await new_project(store, name) for name in ("first", "second")]
        for access, count in zip(both, (1, 2), strict=True):
            await new_graph(store, access, "notes")
            await add_text(store, access, "notes", *[f"note {number}" for number in range(count)])
        seen = [await store.read(_count, access) for access in both]
        assert (seen, await store.read(_count, None)) == ([1, 2], 3)
    finally:
        await store.close()
    with closing(connect(url)) as connection:
        assert connection.execute("SELECT count(*) FROM episodes").fetchall() == [(0,)]


def _count(tx: Transaction, access: Access | None) -> int:
    """What a statement that forgot its conditions would be shown."""
    connection: Connection = tx._connection  # type: ignore[attr-defined]
    row = connection.execute("SELECT count(*) FROM episodes").fetchone()
    assert row is not None
    return int(row[0])


async def test_a_unit_that_goes_on_after_a_refused_row_is_not_acknowledged(tmp_path: Path) -> None:
    """The database has given up its transaction by then, and would undo it at the commit without a word."""
    store = PostgresStore.open(postgres.database_of(tmp_path))
    try:
        await store.write(_project_twice, "first", again=False)
        with pytest.raises(StoreUnavailable):
            await store.write(_project_twice, "second", again=True)
        assert [row.name for row in await store.read(_projects)] == ["first"]
    finally:
        await store.close()


def _project_twice(tx: Transaction, name: str, *, again: bool) -> None:
    tx.projects.insert(uuid=tx.new_id(), name=name, description=None, now=1)
    if again:
        with suppress(RowRefused):
            tx.projects.insert(uuid=tx.new_id(), name=name, description=None, now=1)
            tx.projects.all()  # what was posted is answered for with the next question


def _projects(tx: Transaction) -> list[ProjectRow]:
    return tx.projects.all()
