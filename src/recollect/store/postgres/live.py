"""One graph of the database as an attachable SQLite database.

This way a graph is folded in memory just as in the embedded store, and compared there with what the
database holds.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from itertools import count
from pathlib import Path

from recollect.store.postgres.connection import Connection, connect
from recollect.store.sqlite.apart import Live
from recollect.store.sqlite.migrate import SCHEMA

_GRAPH = "graph_id = %(graph_id)s"
_PROJECT = "(SELECT project_id FROM graphs WHERE id = %(graph_id)s)"
_OF = "IN (SELECT id FROM {} WHERE graph_id = %(graph_id)s)"
# Everything a graph is folded from and into, in foreign-key order.
_TABLES = {
    "projects": f"id = {_PROJECT}",
    "graphs": "id = %(graph_id)s",
    "users": _GRAPH,
    "threads": _GRAPH,
    "guidance": f"project_id = {_PROJECT} AND (graph_id IS NULL OR {_GRAPH})",
    "episodes": _GRAPH,
    "jobs": _GRAPH,
    "readings": _GRAPH,
    "edits": _GRAPH,
    "entities": _GRAPH,
    "entity_names": _GRAPH,
    "user_sides": f"entity_id {_OF.format('entities')}",
    "facts": _GRAPH,
    "mentions": f"entity_id {_OF.format('entities')}",
    "supports": f"fact_id {_OF.format('facts')}",
    "doubts": f"fact_id {_OF.format('facts')}",
    "closings": f"fact_id {_OF.format('facts')}",
    "observations": _GRAPH,
    "observation_facts": f"observation_id {_OF.format('observations')}",
    "summaries": _GRAPH,
    "summary_facts": f"summary_id {_OF.format('summaries')}",
    "chapters": _GRAPH,
    "chapter_facts": f"chapter_id {_OF.format('chapters')}",
    "index_rows": _GRAPH,
}
_names = count(1)


def of_database(url: str, graph_id: int) -> Live:
    """A fresh copy of the graph each time it is opened."""

    @contextmanager
    def looked_at() -> Iterator[str]:
        file = f"file:recollect-graph-{next(_names)}?mode=memory&cache=shared"
        with closing(sqlite3.connect(file, uri=True, isolation_level=None)) as copy:
            copy.executescript(SCHEMA.read_text(encoding="utf-8"))
            with _one_moment(url) as connection:
                _fill(copy, connection, graph_id)
            yield file

    return looked_at


def copy_graphs(url: str, file: Path, name: str | None) -> None:
    """Copy all graphs, or those with one name, into a file of the embedded store, on one snapshot."""
    with _one_moment(url) as connection, closing(sqlite3.connect(file)) as copy:
        copy.isolation_level = None
        named = "SELECT id FROM graphs WHERE %(name)s::text IS NULL OR graph_id = %(name)s"
        for (graph_id,) in connection.execute(named, {"name": name}).fetchall():
            _fill(copy, connection, graph_id)


@contextmanager
def _one_moment(url: str) -> Iterator[Connection]:
    """A connection on one snapshot, for however long the reading takes."""
    with closing(connect(url)) as connection:
        connection.execute("SET idle_in_transaction_session_timeout = 0")
        connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        connection.execute("SET LOCAL recollect.project = '*'")
        yield connection


def _fill(copy: sqlite3.Connection, connection: Connection, graph_id: int) -> None:
    """Copy every row of the graph; rows that several graphs share may already be there."""
    copy.execute("BEGIN")
    for table, condition in _TABLES.items():
        asked = f"SELECT * FROM {table} WHERE {condition}"  # noqa: S608 - our own words
        rows = connection.cursor(binary=True).execute(asked.encode(), {"graph_id": graph_id})
        columns = [column.name for column in rows.description or ()]
        places = ", ".join("?" for _ in columns)
        copy.executemany(
            f"INSERT OR IGNORE INTO {table} ({', '.join(columns)}) VALUES ({places})",  # noqa: S608
            rows,
        )
    copy.execute("COMMIT")
