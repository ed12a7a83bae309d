"""A store of the schema before search comes out of migration 0003 with everything findable."""

import sqlite3
from pathlib import Path

import numpy as np
import pytest

from recollect.graph.terms import hashed, packed, terms
from recollect.graph.types import Access
from recollect.records import episodes, graphs
from recollect.search.segment import Segment
from recollect.search.segments import Segments
from recollect.store.sqlite import SqliteStore, migrate
from recollect.store.sqlite.connection import FILE_NAME, connect

VECTOR = np.full(384, 0.05, np.float16).tobytes()
OLD = """
INSERT INTO projects (id, uuid, name, created_at) VALUES (1, 'p', 'p', 0);
INSERT INTO graphs (id, uuid, project_id, kind, graph_id, last_seq, index_version, created_at,
    updated_at)
VALUES (1, 'g', 1, 'standalone', 'full', 6, 40, 0, 0),
    (2, 'h', 1, 'standalone', 'other', 1, 3, 0, 0),
    (3, 'i', 1, 'standalone', 'empty', 0, 0, 0, 0);
"""


def insert(connection: sqlite3.Connection, table: str, **values: object) -> None:
    """A row with what is given, and something in every other column that needs it."""
    columns = connection.execute(f"PRAGMA table_info({table})").fetchall()
    for column in columns:
        name, kind, needed, default = column[1:5]
        if needed and default is None and name not in values and not column[5]:
            values[name] = "" if kind == "TEXT" else 0
    names = ", ".join(values)
    marks = ", ".join(f":{name}" for name in values)
    connection.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})", values)  # noqa: S608


def episode(connection: sqlite3.Connection, number: int, content: str, **more: object) -> None:
    """An episode of the first graph that was processed, unless told otherwise."""
    row = {"graph_id": 1, "seq": number, "kind": "text", "processed_at": 5, "ignored": 0, **more}
    insert(connection, "episodes", id=number, uuid=f"e{number}", content=content, **row)


def fill(connection: sqlite3.Connection) -> None:
    """A graph with something of each kind, as schema 2 kept it."""
    connection.executescript(OLD)
    episode(connection, 1, "Emma moved to Berlin.")
    episode(connection, 2, "not read yet", processed_at=None)
    episode(connection, 3, "said by an ignored role", ignored=1)
    episode(connection, 4, '{"fact": "written down"}', kind="fact_triple")
    episode(connection, 5, '{"nodes": "written down"}', kind="nodes")
    episode(connection, 6, "elsewhere in Berlin", graph_id=2, seq=1)
    for number, name in ((1, "Emma"), (2, "Berlin")):
        insert(
            connection,
            "entities",
            id=number,
            uuid=f"n{number}",
            graph_id=1,
            name=name,
            summary=f"{name} is told of",
            labels='["Entity"]',
            is_user=0,
        )
    fact = {"graph_id": 1, "source_id": 1, "target_id": 2, "name": "MOVED_TO", "extractor": "test"}
    insert(connection, "facts", id=1, uuid="f1", fact="Emma moved to Berlin", **fact)
    insert(connection, "facts", id=2, uuid="f2", fact="Emma has no vector", **fact)
    insert(connection, "supports", fact_id=1, episode_id=1)
    insert(connection, "mentions", entity_id=1, episode_id=1)
    # The user's node and a profile's facts had no rows; what was deleted had one without terms.
    for version, kind, uuid, words, vector in (
        (3, "episode", "e1", "emma moved berlin", VECTOR),
        (9, "fact", "f1", "emma moved berlin", VECTOR),
        (12, "entity", "n1", "emma told", None),
        (40, "", "deleted", None, None),
    ):
        insert(
            connection,
            "index_rows",
            graph_id=1,
            version=version,
            item_kind=kind,
            item_uuid=uuid,
            terms=words,
            vector=vector,
        )


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a store at schema 2."""
    first = migrate.available()[:2]
    connection = connect(tmp_path / FILE_NAME, writer=True)
    with monkeypatch.context() as patch:
        patch.setattr(migrate, "available", lambda: first)
        migrate.apply(connection)
    assert migrate.version(connection) == 2
    fill(connection)
    connection.commit()
    connection.close()
    return tmp_path


def found(segment: Segment, kind: str, text: str) -> list[int]:
    """The row ids of what holds a word of *text*."""
    scores = segment.words[kind].search(map(hashed, terms(text)), segment.visible(kind))
    return segment.row_ids(kind, np.flatnonzero(scores))


async def test_everything_is_findable_after_the_migration(folder: Path) -> None:
    """Episodes, facts and entities, by their words and with the vectors they had."""
    store = SqliteStore.open(folder)
    try:
        access = Access(project_id=1, project_uuid="p", key_uuid="")
        graph = await store.read(graphs.get, access, "full")
        segment = await Segments(store, bytes_max=10**9).of(access, graph)
        assert segment.epoch == 1
        assert found(segment, "episode", "moving to Berlin") == [1]
        assert found(segment, "fact", "moving") == [1]
        assert found(segment, "fact", "vector") == [2]
        assert found(segment, "entity", "Berlin") == [2]
        assert found(segment, "entity", "Emma") == [1]
        assert found(segment, "entity", "told") == [1, 2]
        for kind, ids in (("episode", [1]), ("fact", [1]), ("entity", [])):
            held = np.flatnonzero(segment.vectors[kind].held(len(segment.table(kind))))
            assert segment.row_ids(kind, held) == ids
        alive = np.flatnonzero(segment.episodes.alive.array)
        assert segment.row_ids("episode", alive) == [1, 4, 5, 3]  # the ignored one since 0009
        visible = np.flatnonzero(segment.visible("episode"))
        assert segment.row_ids("episode", visible) == [1]
        items, said = segment.supports.pairs(segment.episodes)
        assert (segment.row_ids("fact", items), segment.row_ids("episode", said)) == ([1], [1])
    finally:
        await store.close()


async def test_graphs_stay_apart_and_go_on_after_the_migration(folder: Path) -> None:
    """Versions are numbered without gaps for each, and the next change comes after them."""
    store = SqliteStore.open(folder)
    try:
        access = Access(project_id=1, project_uuid="p", key_uuid="")
        segments = Segments(store, bytes_max=10**9)
        other = await segments.of(access, await store.read(graphs.get, access, "other"))
        assert (other.version, found(other, "episode", "berlin")) == (1, [6])
        empty = await segments.of(access, await store.read(graphs.get, access, "empty"))
        assert (empty.epoch, empty.version) == (1, 0)
        graph = await store.read(graphs.get, access, "full")
        segment = await segments.of(access, graph)
        before = segment.version
        await store.write(episodes.delete, access, "e1")
        assert await segments.of(access, graph) is segment
        assert segment.version > before
        assert found(segment, "episode", "berlin") == []
        assert found(segment, "fact", "berlin") == []
    finally:
        await store.close()


async def test_the_rows_say_what_their_items_say(folder: Path) -> None:
    """One for each, numbered from one; what was deleted has none any more."""
    await SqliteStore.open(folder).close()
    with sqlite3.connect(folder / FILE_NAME) as connection:
        rows = connection.execute(
            "SELECT version, item_kind, item_id, terms FROM index_rows WHERE graph_id = 1"
            " ORDER BY version"
        ).fetchall()
    connection.close()
    assert [row[0] for row in rows] == list(range(1, len(rows) + 1))
    held = {(kind, number): words for _, kind, number, words in rows}
    assert held == {
        ("entity", 1): packed(terms("Emma Emma is told of")),
        ("entity", 2): packed(terms("Berlin Berlin is told of")),
        ("episode", 1): packed(terms("Emma moved to Berlin.")),
        ("episode", 3): b"",
        ("episode", 4): b"",
        ("episode", 5): b"",
        ("fact", 1): packed(terms("Emma moved to Berlin")),
        ("fact", 2): packed(terms("Emma has no vector")),
    }


def test_vectors_are_looked_up_by_a_key(folder: Path) -> None:
    """Or a large graph would take the square of its size."""
    script = next(path for path in migrate.available() if path.name.startswith("0003"))
    statements = list(migrate._statements(script.read_text(encoding="utf-8")))
    (filling,) = (n for n, sql in enumerate(statements) if "INSERT INTO index_rows " in sql)
    connection = connect(folder / FILE_NAME, writer=True)
    connection.create_function("packed_terms", 1, migrate._packed_terms, deterministic=True)
    try:
        for sql in statements[:filling]:
            connection.execute(sql)
        plan = connection.execute(f"EXPLAIN QUERY PLAN {statements[filling]}").fetchall()
        (looked_up,) = (row["detail"] for row in plan if row["detail"].startswith("SEARCH b "))
        assert "item_uuid=?" in looked_up
    finally:
        connection.rollback()
        connection.close()
