"""A store of the schema before forgetting comes out of migration 0008 with what ended its facts."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from recollect.governance import erasure
from recollect.store.protocol import Transaction
from recollect.store.sqlite import SqliteStore, migrate
from recollect.store.sqlite.connection import FILE_NAME, connect
from tests.unit.store.test_migrating_search import insert

NAMES = ("Bob", "Paris", "Rome", "chess", "Acme")
PARIS, ROME, CHESS, ACME = 1, 2, 3, 4


def _fact(
    connection: sqlite3.Connection,
    number: int,
    target: int,
    *said: tuple[int, str],
    valid_at: int,
    invalid_at: int | None = None,
    predicate: str = "LIVES_IN",
) -> None:
    """A fact about Bob, with the episodes behind it and what they do to it."""
    values = {"valid_at": valid_at, "invalid_at": invalid_at, "predicate": predicate}
    text = f"{predicate} {NAMES[target - 1]}"
    row = {"graph_id": 1, "source_id": 1, "target_id": target, "fact": text, "extractor": "x"}
    insert(connection, "facts", id=number, uuid=f"f{number}", **row, **values)
    for episode, role in said:
        insert(connection, "supports", fact_id=number, episode_id=episode, role=role)


def _fill(connection: sqlite3.Connection) -> None:
    """Bob lived in Paris until he moved to Rome; of Acme a later episode says itself that it is
    over."""
    insert(connection, "projects", id=1, uuid="p", name="p")
    insert(connection, "graphs", id=1, uuid="g", project_id=1, kind="standalone", graph_id="g")
    for number in (1, 2, 3, 4):
        insert(connection, "episodes", id=number, uuid=f"e{number}", graph_id=1, seq=number)
    for number, name in enumerate(NAMES, start=1):
        shown = {"name": name, "names": f'["{name}"]', "labels": '["Entity"]', "graph_id": 1}
        insert(connection, "entities", id=number, uuid=f"n{number}", **shown)
    _fact(connection, PARIS, 2, (1, "states"), (2, "closes"), valid_at=10, invalid_at=20)
    _fact(connection, CHESS, 4, (2, "states"), valid_at=20, predicate="LIKES")
    _fact(connection, ROME, 3, (2, "states"), valid_at=20)
    job = {"valid_at": 10, "invalid_at": 15, "predicate": "WORKS_AT"}
    _fact(connection, ACME, 5, (3, "states"), (4, "closes"), **job)  # type: ignore[arg-type]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The store of the last version without closings."""
    old = [path for path in migrate.available() if path.name < "0006"]
    with closing(connect(tmp_path / FILE_NAME, writer=True)) as connection:
        with monkeypatch.context() as patch:
            patch.setattr(migrate, "available", lambda: old)
            migrate.apply(connection)
        _fill(connection)
    return tmp_path


def _rows(folder: Path, query: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(folder / FILE_NAME)) as connection:
        return connection.execute(query).fetchall()


def _forget(tx: Transaction, episode_id: int) -> None:
    erasure.forget_episodes(tx, [episode_id], "forget")


async def test_what_holds_instead_is_told_from_an_end_that_an_episode_says_itself(
    folder: Path,
) -> None:
    """By what that episode says to have begun just then, of the same relation if it can be."""
    await SqliteStore.open(folder).close()
    found = _rows(folder, "SELECT fact_id, by_fact_id, episode_id, ended_at FROM closings")
    assert sorted(found) == [(PARIS, ROME, 2, 20), (ACME, None, 4, 15)]


@pytest.mark.parametrize(
    ("episode", "left"),
    [
        (1, [(ROME, None), (CHESS, None), (ACME, 15)]),
        (2, [(PARIS, None), (ACME, 15)]),
        (3, [(PARIS, 20), (ROME, None), (CHESS, None), (ACME, 15)]),
        (4, [(PARIS, 20), (ROME, None), (CHESS, None), (ACME, None)]),
    ],
)
async def test_forgetting_goes_as_far_as_in_a_store_that_was_never_migrated(
    folder: Path, episode: int, left: list[tuple[int, int | None]]
) -> None:
    """Saying what holds instead does not say the fact: it goes with the only one that did."""
    store = SqliteStore.open(folder)
    await store.write(_forget, episode)
    await store.close()
    assert _rows(folder, "SELECT id, invalid_at FROM facts ORDER BY id") == left
