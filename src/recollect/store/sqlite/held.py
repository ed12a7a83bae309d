"""The statements of a graph that is folded apart, with its entities held in memory.

Every step of a fold asks who answers to some names, and mostly meets those whom the steps before it
met. So whoever was asked for once stays at hand, and what a step writes is noted there as well.
Whatever else changes entities, as edits do, lets go of all that is held.
"""

import re
import sqlite3
from bisect import bisect_left
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

from recollect.store import rows
from recollect.store.queries.shapes import EntityRow
from recollect.store.sqlite.connection import SqliteStatements, statements

_CHANGES = re.compile(r"\b(?:INTO|UPDATE|DELETE FROM)\s+(?:entities|entity_names)\b")
_NOTED = frozenset({"entities.insert", "entities.learn", "entities.name_insert"})
_WHO = "SELECT id FROM entities WHERE is_user = 1 OR is_assistant = 1 ORDER BY id"
_BY_ID = "SELECT * FROM entities WHERE id IN (SELECT value FROM json_each(?))"
_BY_KEY = (
    "SELECT key, entity_id FROM entity_names WHERE graph_id = ?"
    " AND key IN (SELECT value FROM json_each(?)) ORDER BY key, entity_id"
)

Params = dict[str, Any]


@cache
def _changing() -> frozenset[str]:
    """The statements after which nobody knows what of the entities is still so."""
    return frozenset(n for n, sql in statements().items() if _CHANGES.search(sql)) - _NOTED


class HeldStatements(SqliteStatements):
    """The named statements on a database that has one graph and nobody else to write to it."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        super().__init__(connection)
        self._connection = connection
        self._changing = _changing()
        self._forget()
        self._told: dict[str, Callable[[Params], list[tuple[Any, ...]]]] = {
            "entities.who": self._who,
            "entities.by_id": lambda params: self._rows([params["id"]]),
            "entities.by_ids": lambda params: self._rows(sorted(_listed(params["ids"]))),
            "entities.by_keys": self._by_keys,
            "entities.named": self._named,
            "known.names_begun": self._names_begun,
        }

    def one(self, name: str, params: Params, /) -> tuple[Any, ...] | None:
        """The first row, or None."""
        told = self._told.get(name)
        if told is not None:
            return next(iter(told(params)), None)
        self._forget_by(name)
        return super().one(name, params)

    def all(self, name: str, params: Params, /) -> list[tuple[Any, ...]]:
        """Every row."""
        told = self._told.get(name)
        if told is not None:
            return told(params)
        self._forget_by(name)
        return super().all(name, params)

    def insert(self, name: str, params: Params, /) -> int:
        """Add one row and give back its id."""
        self._forget_by(name)
        number = super().insert(name, params)
        if name == "entities.insert":
            self._note_new(number, params)
        return number

    def run(self, name: str, params: Params, /) -> int:
        """Execute the statement and say how many rows it touched."""
        self._forget_by(name)
        count = super().run(name, params)
        if name == "entities.learn":
            self._note_learned(params)
        elif name == "entities.name_insert":
            self._note_name(params)
        return count

    def _forget(self) -> None:
        self._entities: dict[int, EntityRow | None] = {}
        self._answering: dict[str, list[int]] = {}
        self._own: list[int] | None = None

    def _forget_by(self, name: str) -> None:
        if name in self._changing:
            self._forget()

    def _note_new(self, number: int, params: Params) -> None:
        self._entities[number] = EntityRow(
            id=number,
            uuid=params["uuid"],
            graph_id=params["graph_id"],
            name=params["name"],
            labels=params["labels"],
            summary=params["summary"],
            attributes=params["attributes"],
            is_user=int(params["is_user"]),
            created_at=params["now"],
            kind=params["kind"],
            is_assistant=int(params["is_assistant"]),
            names=params["names"],
            given=None,
            side=params["side"],
        )
        if params["is_user"] or params["is_assistant"]:
            self._own = None

    def _note_learned(self, params: Params) -> None:
        held = self._entities.get(params["id"])
        if held is not None:
            told = {key: value for key, value in params.items() if key != "id"}
            self._entities[params["id"]] = held._replace(**told)

    def _note_name(self, params: Params) -> None:
        held, number = self._answering.get(params["key"]), params["entity_id"]
        if held is not None:
            place = bisect_left(held, number)
            if held[place : place + 1] != [number]:
                held.insert(place, number)

    def _who(self, _: Params) -> list[tuple[Any, ...]]:
        if self._own is None:
            self._own = [number for (number,) in self._look(_WHO)]
        return self._rows(self._own)

    def _by_keys(self, params: Params) -> list[tuple[Any, ...]]:
        found: list[tuple[Any, ...]] = []
        for numbers in self._of_keys(params).values():
            there = (row for row in self._rows(numbers) if _on_side(row, params["side"]))
            found += (row for row, _ in zip(there, range(params["limit"]), strict=False))
        return found

    def _named(self, params: Params) -> list[tuple[Any, ...]]:
        """In the order of the least key that each of them answers to."""
        several = self._of_keys(params)
        numbers = dict.fromkeys(number for key in sorted(several) for number in several[key])
        found = [
            row
            for row in self._rows(numbers)
            if not row.is_assistant and row.kind != "value" and _on_side(row, params["side"])
        ]
        return list(found[: params["limit"]])

    def _names_begun(self, params: Params) -> list[tuple[Any, ...]]:
        return [(key,) for key, numbers in self._of_keys(params).items() if numbers]

    def _of_keys(self, params: Params) -> dict[str, list[int]]:
        """Who answers to each of some keys."""
        keys: list[str] = _listed(params["keys"])
        missing = [key for key in keys if key not in self._answering]
        if missing:
            self._answering.update((key, []) for key in missing)
            for key, number in self._look(_BY_KEY, params["graph_id"], rows.to_json(missing)):
                self._answering[key].append(number)
        return {key: self._answering[key] for key in keys}

    def _rows(self, numbers: Iterable[int]) -> list[Any]:
        """The entities of some numbers, in their order; those that are not there are left out."""
        wanted = list(numbers)
        missing = [number for number in wanted if number not in self._entities]
        if missing:
            self._entities.update(dict.fromkeys(missing))
            for row in self._look(_BY_ID, rows.to_json(missing)):
                self._entities[row[0]] = EntityRow._make(row)
        found = (self._entities[number] for number in wanted)
        return [row for row in found if row is not None]

    def _look(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        cursor = self._connection.cursor()
        cursor.row_factory = None
        return cursor.execute(sql, values).fetchall()


def _listed(text: str | None) -> list[Any]:
    return rows.from_json(text) or []


def _on_side(row: EntityRow, side: str) -> bool:
    """Only the user's own node is on all sides."""
    return row.side == side or bool(row.is_user)
