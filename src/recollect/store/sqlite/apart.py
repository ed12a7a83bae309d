"""A copy of one graph: its log is copied into memory, folded there, and put back atomically.

Folding a long log takes seconds. Done in the file, it would block every writer, and readers would
see a half-finished graph. So the graph's inputs are copied into an in-memory database. The result is
compared with the file, and only the difference is written, in one transaction. If the file has moved
on meanwhile, nothing is written and the caller catches up.
"""

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from pathlib import Path
from threading import Lock
from typing import Concatenate, ParamSpec, TypeVar
from urllib.parse import quote

from recollect.clock import Clock
from recollect.ids import Ids
from recollect.store.protocol import Refolded, Transaction
from recollect.store.sqlite.connection import SqliteTransaction, teach
from recollect.store.sqlite.difference import Difference, compare
from recollect.store.sqlite.migrate import SCHEMA

P = ParamSpec("P")
T = TypeVar("T")
Then = Callable[[Transaction, Refolded], None]
_GRAPH = "graph_id = :graph_id"
_OF_USER = "(SELECT id FROM live.entities WHERE graph_id = :graph_id AND is_user = 1)"
_OF_RECORD = "(SELECT id FROM live.facts WHERE graph_id = :graph_id AND extractor IS NULL)"
# What a graph is folded from, in foreign-key order, and which rows of it to copy.
_COPIED = (
    ("projects", "id = (SELECT project_id FROM live.graphs WHERE id = :graph_id)"),
    ("graphs", "id = :graph_id"),
    ("users", _GRAPH),
    ("threads", _GRAPH),
    ("guidance", "project_id = (SELECT project_id FROM live.graphs WHERE id = :graph_id)"
     " AND (graph_id IS NULL OR graph_id = :graph_id)"),
    ("episodes", _GRAPH),
    ("jobs", _GRAPH),
    ("readings", _GRAPH),
    ("edits", _GRAPH),
    ("entities", f"id IN {_OF_USER}"),
    ("entity_names", f"entity_id IN {_OF_USER}"),
    ("facts", f"id IN {_OF_RECORD}"),
    ("supports", f"fact_id IN {_OF_RECORD}"),
    ("closings", f"fact_id IN {_OF_RECORD} AND episode_id IS NULL AND by_fact_id IS NULL"),
    ("index_rows", "graph_id = :graph_id AND item_kind = 'episode'"),
)  # fmt: skip
# Negative versions: the file's own would collide with those assigned here.
_SELECTED = {"index_rows": "graph_id, -item_id, item_kind, item_id, terms, vector"}
_LATER = "(SELECT id FROM live.episodes WHERE graph_id = :graph_id AND seq > {known})"
# What is appended to a log while its graph is folded. Episodes copied as unprocessed may be done now.
_ADDED = (
    ("INSERT OR IGNORE", "threads", _GRAPH),
    ("INSERT OR REPLACE", "episodes", f"id IN {_LATER}"),
    ("INSERT OR REPLACE", "jobs", f"id IN {_LATER}"),
    ("INSERT OR REPLACE", "readings", f"episode_id IN {_LATER}"),
    (
        "INSERT OR REPLACE",
        "index_rows",
        f"{_GRAPH} AND item_kind = 'episode' AND item_id IN {_LATER}",
    ),
)


# Opens the store that a graph comes from as an attachable database, for as long as it is read.
Live = Callable[[], AbstractContextManager[str]]


def of_file(path: Path) -> Live:
    """An SQLite file, which is attached directly."""
    return lambda: nullcontext(f"file:{quote(str(path))}?mode=ro")


class Apart:
    """A copy of one graph, used by one thread at a time."""

    def __init__(self, live: Live, graph_id: int, clock: Clock, ids: Ids) -> None:
        self._live = live
        self._graph_id = graph_id
        self._connection = sqlite3.connect(
            ":memory:",
            isolation_level=None,
            check_same_thread=False,
            cached_statements=512,
            uri=True,
        )
        self._connection.row_factory = sqlite3.Row
        self._turn = Lock()
        teach(self._connection)
        self._connection.executescript(SCHEMA.read_text(encoding="utf-8"))
        self._connection.execute("PRAGMA foreign_keys = ON")
        self._clock, self._ids = clock, ids
        self._last_edit = self._known = 0
        with self._looking():
            for table, condition in _COPIED:
                self._copy(table, condition)
            self._note()

    def run(self, unit: Callable[[SqliteTransaction], T]) -> T:
        """Run *unit* on the copy."""
        with self._turn:
            self._connection.execute("BEGIN")
            try:
                return unit(SqliteTransaction(self._connection, self._clock, self._ids))
            finally:
                self._connection.execute("COMMIT")

    def catch_up(self) -> bool:
        """Copy what was appended to the log since; False if existing entries were changed."""
        with self._looking():
            if self._state("live") is None or self._state("live") != self._state("main"):
                return False
            for verb, table, condition in _ADDED:
                self._copy(table, condition.format(known=self._known), verb)
            self._copy("edits", f"{_GRAPH} AND id > {self._last_edit}")
            self._connection.execute(
                "UPDATE main.graphs SET last_seq = g.last_seq FROM live.graphs g WHERE g.id = graphs.id"
            )
            self._note()
        return True

    def difference(self) -> Difference:
        """What must be written to make the file's graph equal to this one."""
        with self._looking():
            return compare(
                self._connection, self._graph_id, known=self._known, last_edit=self._last_edit
            )

    def close(self) -> None:
        """Close the copy once no call uses it: a caller that stopped waiting did not stop its call."""
        with self._turn:
            self._connection.close()

    @contextmanager
    def _looking(self) -> Iterator[None]:
        """Attach the file on one snapshot, and only for as long as it is read."""
        with self._turn, self._live() as file:
            self._connection.execute("ATTACH :file AS live", {"file": file})
            try:
                self._connection.execute("BEGIN")
                try:
                    yield
                finally:
                    self._connection.execute("COMMIT")
            finally:
                self._connection.execute("DETACH live")

    def _copy(self, table: str, condition: str, verb: str = "INSERT") -> None:
        columns = _SELECTED.get(table, "*")
        copied = f"{verb} INTO main.{table} SELECT {columns} FROM live.{table} WHERE {condition}"  # noqa: S608 - our own words
        with closing(self._connection.execute(copied, {"graph_id": self._graph_id})):
            pass

    def _state(self, schema: str) -> tuple[int, ...] | None:
        row = self._connection.execute(
            f"SELECT inputs FROM {schema}.graphs WHERE id = ?",  # noqa: S608 - one of two words
            (self._graph_id,),
        ).fetchone()
        return None if row is None else tuple(row)

    def _note(self) -> None:
        """Remember how far the file was copied."""
        found = (
            "SELECT folded, (SELECT coalesce(max(id), 0) FROM live.edits WHERE graph_id = g.id)"
            " FROM live.graphs g WHERE id = ?"
        )
        row = self._connection.execute(found, (self._graph_id,)).fetchone()
        self._known, self._last_edit = row or (0, 0)


class FoldedApart:
    """A copy of a graph whose every step runs in a thread."""

    def __init__(self, apart: Apart, put: Callable[[Difference, Then], Awaitable[bool]]) -> None:
        self._apart = apart
        self._put = put

    async def run(
        self, unit: Callable[Concatenate[Transaction, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Run *unit* on the copy."""
        return await asyncio.to_thread(self._apart.run, lambda tx: unit(tx, *args, **kwargs))

    async def catch_up(self) -> bool:
        """Copy what was appended to the log since; False if existing entries were changed."""
        return await asyncio.to_thread(self._apart.catch_up)

    async def put_back(self, then: Then) -> bool:
        """Replace the store's graph with this one, atomically; False if the store's has moved on."""
        return await self._put(await asyncio.to_thread(self._apart.difference), then)

    async def close(self) -> None:
        """Release the copy."""
        await asyncio.to_thread(self._apart.close)
