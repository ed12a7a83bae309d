"""A store of the schema before walls comes out of migration 0020 with sides, to be folded again."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from recollect.store.sqlite import SqliteStore, migrate
from recollect.store.sqlite.connection import FILE_NAME, connect
from tests.unit.store.test_migrating_search import insert

SPEC = '{"name":"s","policies":[{"id":"r","attributes":[["team",["red"]],["level",[3]]]}]}'


def _fill(connection: sqlite3.Connection) -> None:
    """A project with a policy and one without, each with an episode that was read."""
    for number, metadata in ((1, '{"level":3,"team":"red","x":1}'), (2, '{"team":"red"}')):
        insert(connection, "projects", id=number, uuid=f"p{number}", name=f"p{number}")
        place = {"project_id": number, "kind": "standalone", "graph_id": f"g{number}"}
        insert(connection, "graphs", id=number, uuid=f"g{number}", **place)
        said = {"graph_id": number, "seq": 1, "metadata": metadata}
        insert(connection, "episodes", id=number, uuid=f"e{number}", **said)
        read = {"episode_id": number, "reader": "x", "found": "{}"}
        insert(connection, "readings", graph_id=number, seq=1, **read)
    insert(connection, "policy_sets", id=1, uuid="s", project_id=1, name="s", mode="off", spec=SPEC)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The store of the last version without walls."""
    old = [path for path in migrate.available() if path.name < "0020"]
    with closing(connect(tmp_path / FILE_NAME, writer=True)) as connection:
        with monkeypatch.context() as patch:
            patch.setattr(migrate, "available", lambda: old)
            migrate.apply(connection)
        _fill(connection)
    return tmp_path


async def test_readings_get_their_sides_and_divided_graphs_are_folded(folder: Path) -> None:
    """Only where a policy names a key."""
    await SqliteStore.open(folder).close()
    with closing(sqlite3.connect(folder / FILE_NAME)) as connection:
        sides = connection.execute("SELECT side FROM readings ORDER BY graph_id").fetchall()
        folds = connection.execute("SELECT fold_from FROM graphs ORDER BY id").fetchall()
    assert sides == [('[["level",[3]],["team",["red"]]]',), (None,)]
    assert folds == [(0,), (None,)]
