"""Compares a graph that was folded apart with the one in the file, and writes the difference."""

import sqlite3
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from recollect.graph.types import Kind
from recollect.store import index
from recollect.store.index import IndexItem
from recollect.store.protocol import Refolded, Transaction
from recollect.store.sqlite.connection import SqliteTransaction

# Thread summaries written by a language model, when their graph is folded again:
# they are not written again, and stay valid as long as they rest on the same facts.

_MADE_OF = (
    "SELECT k.summary_id, f.id, f.fact, f.invalid_at, f.expired_at FROM live.summaries s"
    " JOIN {schema}.summary_facts k ON k.summary_id = s.id JOIN {schema}.facts f ON f.id = k.fact_id"
    " WHERE s.graph_id = :graph_id AND s.written IS NOT NULL AND f.id <= s.written_fact_id"
)


def outdated_words(connection: sqlite3.Connection, graph_id: int) -> list[int]:
    """The summaries whose written text no longer rests on the same facts.

    `main` is the folded graph, `live` is the file.
    """
    here, there = (_MADE_OF.format(schema=schema) for schema in ("main", "live"))
    differing: set[int] = set()
    for sql in (f"{here} EXCEPT {there}", f"{there} EXCEPT {here}"):
        differing |= {row[0] for row in connection.execute(sql, {"graph_id": graph_id})}
    return sorted(differing)


_ENTITIES = "entity_id IN (SELECT id FROM {schema}.entities WHERE graph_id = :graph_id)"
_FACTS = "fact_id IN (SELECT id FROM {schema}.facts WHERE graph_id = :graph_id)"


@dataclass(frozen=True)
class Table:
    """A derived table: its key, its other columns, and the condition that selects the rows of a graph.

    *unique* are columns with a uniqueness constraint: rows that swap such values must not collide while
    they are updated one by one.
    """

    name: str
    key: str
    rest: str = ""
    within: str = "graph_id = :graph_id"
    unique: str = ""

    @property
    def columns(self) -> list[str]:
        """All columns that are compared and written."""
        return [*self.key.split(), *self.rest.split()]


# In order of writing; deletions run in reverse.
TABLES = (
    Table(
        "entities",
        "id",
        "uuid graph_id name labels summary attributes is_user created_at kind is_assistant names given"
        " side",
        unique="uuid",
    ),
    Table("entity_names", "graph_id key entity_id"),
    Table("user_sides", "entity_id side", "names attributes", within=_ENTITIES),
    Table(
        "facts",
        "id",
        "uuid graph_id source_id target_id name fact attributes rating created_at expired_at valid_at"
        " invalid_at predicate gist negated ends slot confidence extractor event_at kept_against"
        " side",
        unique="uuid",
    ),
    Table("mentions", "entity_id episode_id", within=_ENTITIES),
    Table("supports", "fact_id episode_id", "role span_start span_end", within=_FACTS),
    Table("doubts", "fact_id by_fact_id", "episode_id judge sure", within=_FACTS),
    Table(
        "observations",
        "id",
        "uuid graph_id entity_id kind key name summary label start_at latest_evidence_at end_at"
        " created_at",
        unique="uuid key",
    ),
    Table(
        "observation_facts",
        "observation_id fact_id",
        within="observation_id IN (SELECT id FROM {schema}.observations WHERE graph_id = :graph_id)",
    ),
    Table(
        "summaries",
        "id",
        "uuid graph_id thread_id document_id summary episode_count created_at updated_at covered_at",
        unique="uuid",
    ),
    Table(
        "summary_facts",
        "summary_id fact_id",
        within="summary_id IN (SELECT id FROM {schema}.summaries WHERE graph_id = :graph_id)",
    ),
)
_ENDED = (
    "SELECT h.uuid FROM main.facts h JOIN live.facts l ON l.uuid = h.uuid AND l.graph_id = h.graph_id"
    " WHERE h.graph_id = :graph_id AND h.invalid_at IS NOT NULL AND l.invalid_at IS NULL ORDER BY h.id"
)
_CLOSING = "fact_id by_fact_id episode_id ended_at expired_at judge sure"
_INDEXED: tuple[Kind, ...] = ("entity", "fact", "observation", "thread_summary")
Values = tuple[Any, ...]


@dataclass
class Difference:
    """What to delete and write, table by table, and which index rows change."""

    graph_id: int
    inputs: int
    known: int
    folded: int
    condensed: int
    last_edit: int
    removed: dict[str, list[Values]] = field(default_factory=dict)
    written: dict[str, list[Values]] = field(default_factory=dict)
    closed: list[int] = field(default_factory=list)
    closings: list[Values] = field(default_factory=list)
    chapters: list[Values] = field(default_factory=list)
    chapter_facts: list[Values] = field(default_factory=list)
    chapters_differ: bool = False
    found: list[IndexItem] = field(default_factory=list)
    unfound: dict[Kind, list[int]] = field(default_factory=dict)
    touched: dict[Kind, list[int]] = field(default_factory=dict)
    outdated: list[int] = field(default_factory=list)
    ended: list[str] = field(default_factory=list)


def compare(
    connection: sqlite3.Connection, graph_id: int, *, known: int, last_edit: int
) -> Difference:
    """The difference between `main`, the folded graph, and `live`, the file.

    *known* is the place in the log, and *last_edit* the edit, up to which the file was copied.
    """
    return _Comparison(connection, graph_id).run(known, last_edit)


class _Comparison:
    def __init__(self, connection: sqlite3.Connection, graph_id: int) -> None:
        self._connection = connection
        self._graph_id = graph_id

    def run(self, known: int, last_edit: int) -> Difference:
        state = "SELECT inputs, folded, condensed FROM main.graphs WHERE id = :graph_id"
        ((inputs, folded, condensed),) = self._all(state)
        told = Difference(self._graph_id, inputs, known, folded, condensed, last_edit)
        for table in TABLES:
            told.removed[table.name] = self._keys_gone(table)
            told.written[table.name] = self._differing(table)
        self._closings(told)
        self._chapters(told)
        self._index(told)
        told.outdated = outdated_words(self._connection, self._graph_id)
        told.ended = [uuid for (uuid,) in self._all(_ENDED)]
        return told

    def _all(self, sql: str) -> list[Values]:
        return [tuple(row) for row in self._connection.execute(sql, {"graph_id": self._graph_id})]

    def _select(self, table: str, columns: Sequence[str], within: str, schema: str) -> str:
        where = within.format(schema=schema)
        return f"SELECT {', '.join(columns)} FROM {schema}.{table} WHERE {where}"  # noqa: S608 - our own words

    def _except(
        self, table: str, columns: Sequence[str], within: str, *, gone: bool
    ) -> list[Values]:
        here, there = (self._select(table, columns, within, s) for s in ("main", "live"))
        return self._all(f"{there} EXCEPT {here}" if gone else f"{here} EXCEPT {there}")

    def _keys_gone(self, table: Table) -> list[Values]:
        return self._except(table.name, table.key.split(), table.within, gone=True)

    def _differing(self, table: Table) -> list[Values]:
        return self._except(table.name, table.columns, table.within, gone=False)

    def _closings(self, told: Difference) -> None:
        """If one closing of a fact differs, all closings of that fact are rewritten."""
        columns = _CLOSING.split()
        counted = ["fact_id", "count(*)"]
        differing: set[int] = set()
        for gone in (False, True):
            differing |= {row[0] for row in self._except("closings", columns, _FACTS, gone=gone)}
            within = f"{_FACTS} GROUP BY fact_id"
            differing |= {row[0] for row in self._except("closings", counted, within, gone=gone)}
        told.closed = sorted(differing)
        every = self._all(self._select("closings", columns, _FACTS, "main") + " ORDER BY id")
        told.closings = [row for row in every if row[0] in differing]

    def _chapters(self, told: Difference) -> None:
        """Chapters have no lasting ids, so they are compared by place and rewritten as a whole."""
        facts = (
            "SELECT c.level, c.number, k.fact_id FROM {0}.chapters c"
            " LEFT JOIN {0}.chapter_facts k ON k.chapter_id = c.id WHERE c.graph_id = :graph_id"
            " ORDER BY 1, 2, 3"
        )
        here, there = self._all(facts.format("main")), self._all(facts.format("live"))
        told.chapters_differ = here != there
        if told.chapters_differ:
            told.chapters = sorted({row[:2] for row in here})
            told.chapter_facts = [row for row in here if row[2] is not None]

    def _index(self, told: Difference) -> None:
        kinds = ", ".join(f"'{kind}'" for kind in _INDEXED)
        columns = ["item_kind", "item_id", "terms", "vector"]
        within = f"graph_id = :graph_id AND terms IS NOT NULL AND item_kind IN ({kinds})"
        changed = self._except("index_rows", columns, within, gone=False)
        told.found = [IndexItem(kind=k, id=n, terms=t, vector=v) for k, n, t, v in changed]
        for kind, number in self._except("index_rows", columns[:2], within, gone=True):
            told.unfound.setdefault(kind, []).append(number)
        told.touched = _touched(told)


def _touched(told: Difference) -> dict[Kind, list[int]]:
    """Items whose filterable fields changed while their text did not."""
    facts = {row[0] for row in (*told.written["facts"], *_both(told, "doubts"))}
    facts |= set(told.closed)
    facts -= {row[0] for row in told.removed["facts"]}
    entities = {row[0] for row in told.written["entities"]}
    seen = {row[0] for row in _both(told, "observation_facts")}
    episodes = {row[1] for name in ("supports", "mentions") for row in _both(told, name)}
    found = {(item.kind, item.id) for item in told.found}
    touched: dict[Kind, set[int]] = {
        "fact": facts,
        "entity": entities,
        "observation": seen | {row[0] for row in told.written["observations"]},
        "thread_summary": {row[0] for row in told.written["summaries"] if row[3] is not None},
        "episode": episodes,
    }
    return {
        kind: sorted(n for n in numbers if (kind, n) not in found)
        for kind, numbers in touched.items()
    }


def _both(told: Difference, name: str) -> Iterable[Values]:
    return (*told.removed[name], *told.written[name])


def write(
    tx: SqliteTransaction, told: Difference, then: Callable[[Transaction, Refolded], None]
) -> bool:
    """Write a difference; False if the graph has moved on since it was computed."""
    row = tx.graphs.fold_state(graph_id=told.graph_id)
    newest = tx.edits.newest(graph_id=told.graph_id)
    if row is None or (row.inputs, row.folded) != (told.inputs, told.known):
        return False
    if newest is None or newest != told.last_edit:
        return False
    _put_rows(tx, told)
    _put_chapters(tx, told)
    _put_index(tx, told)
    tx.graphs.folded_again(
        graph_id=told.graph_id,
        folded=max(told.folded, told.known),
        condensed=told.condensed,
    )
    then(tx, Refolded(told.graph_id, told.outdated, _changed_summaries(told), told.ended))
    tx.edits.drop_of_unborn(graph_id=told.graph_id)
    return True


def _changed_summaries(told: Difference) -> list[int]:
    return [item.id for item in told.found if item.kind == "thread_summary"]


def _put_rows(tx: SqliteTransaction, told: Difference) -> None:
    """Delete entities last: earlier, the cascade would delete facts that now join other entities."""
    entities, *others = TABLES
    for table in reversed(others):
        tx.many(_delete(table), told.removed[table.name])
    tx.many("DELETE FROM closings WHERE fact_id = ?", [(number,) for number in told.closed])
    _set_apart(tx, entities, told.removed[entities.name])
    for table in TABLES:
        _put(tx, table, told.written[table.name])
    tx.many(_delete(entities), told.removed[entities.name])
    tx.many(_insert("closings", _CLOSING.split()), told.closings)


def _insert(name: str, columns: Sequence[str]) -> str:
    places = ", ".join("?" for _ in columns)
    return f"INSERT INTO {name} ({', '.join(columns)}) VALUES ({places})"  # noqa: S608 - our own words


def _delete(table: Table) -> str:
    same = " AND ".join(f"{column} = ?" for column in table.key.split())
    return f"DELETE FROM {table.name} WHERE {same}"  # noqa: S608 - our own words


def _put(tx: SqliteTransaction, table: Table, values: Sequence[Values]) -> None:
    if table.unique:
        _set_apart(tx, table, values)
    changes = ", ".join(f"{column} = excluded.{column}" for column in table.rest.split())
    end = f"DO UPDATE SET {changes}" if changes else "DO NOTHING"
    key = ", ".join(table.key.split())
    tx.many(f"{_insert(table.name, table.columns)} ON CONFLICT ({key}) {end}", values)


def _set_apart(tx: SqliteTransaction, table: Table, values: Sequence[Values]) -> None:
    """Give rows temporary values, so that two rows that swap unique values do not collide."""
    apart = ", ".join(f"{column} = '~' || id" for column in table.unique.split())
    tx.many(f"UPDATE {table.name} SET {apart} WHERE id = ?", [row[:1] for row in values])  # noqa: S608


def _put_chapters(tx: SqliteTransaction, told: Difference) -> None:
    if not told.chapters_differ:
        return
    tx.chapters.forget_all(graph_id=told.graph_id)
    for level, number in told.chapters:
        tx.chapters.put(graph_id=told.graph_id, level=level, number=number)
    put = (
        "INSERT INTO chapter_facts (chapter_id, fact_id) SELECT id, ? FROM chapters"
        " WHERE graph_id = ? AND level = ? AND number = ?"
    )
    tx.many(put, [(fact, told.graph_id, level, n) for level, n, fact in told.chapter_facts])


def _put_index(tx: SqliteTransaction, told: Difference) -> None:
    index.put(tx, told.graph_id, [i for i in told.found if i.kind != "thread_summary"])
    for kind, numbers in told.unfound.items():
        index.remove(tx, told.graph_id, kind, numbers)
    for kind, numbers in told.touched.items():
        index.touch(tx, told.graph_id, kind, numbers)
