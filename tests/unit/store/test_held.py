"""What a fold holds of a graph in memory is what the tables say, whoever wrote it."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest

from recollect.store import rows
from recollect.store.sqlite.connection import SqliteStatements, SqliteTransaction, teach
from recollect.store.sqlite.held import HeldStatements
from recollect.store.sqlite.migrate import SCHEMA
from tests.contract.store.world import StillClock

WALL = '{"team":"red"}'


class Both:
    """One graph in memory, asked through what is held and through the tables themselves."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        connection.execute(
            "INSERT INTO projects (id, uuid, name, created_at) VALUES (1, 'p', 'p', 0)"
        )
        connection.execute(
            "INSERT INTO graphs (id, uuid, project_id, kind, graph_id, created_at, updated_at)"
            " VALUES (1, 'g', 1, 'standalone', 'g', 0, 0)"
        )
        held, plain = HeldStatements(connection), SqliteStatements(connection)
        self.held, self.plain = (
            SqliteTransaction(connection, StillClock(), lambda: "", one) for one in (held, plain)
        )

    def add(self, number: int, name: str, keys: tuple[str, ...], **more: Any) -> None:
        """An entity as a step of a fold adds it."""
        given: dict[str, Any] = {"is_user": 0, "is_assistant": 0, "kind": "person", "side": ""}
        self.held.entities.insert(
            first=number,
            end=number + 1,
            uuid=f"u{number}",
            graph_id=1,
            name=name,
            labels='["Entity"]',
            summary="",
            attributes=None,
            now=5,
            names=rows.to_json([name]),
            **given | more,
        )
        for key in keys:
            self.held.entities.name_insert(graph_id=1, key=key, entity_id=number)

    def same(self) -> None:
        """Both tell the same, of everything that is held."""
        keys = rows.to_json(["f:ann", "=ann", "f:bob", "=nobody"])
        for side in ("", WALL):
            for limit in (1, 16):
                asked: dict[str, Any] = {
                    "graph_id": 1,
                    "keys": keys,
                    "side": side,
                    "limit": limit,
                }
                by_keys = [sorted(tx.entities.by_keys(**asked)) for tx in (self.held, self.plain)]
                assert by_keys[0] == by_keys[1]
                assert self.held.entities.named(**asked) == self.plain.entities.named(**asked)
        listed = rows.to_json([30, 10, 77, 20])
        assert self.held.entities.by_ids(ids=listed) == self.plain.entities.by_ids(ids=listed)
        assert self.held.entities.by_id(id=20) == self.plain.entities.by_id(id=20)
        assert self.held.entities.who(graph_id=1) == self.plain.entities.who(graph_id=1)
        begun = [
            sorted(tx.known.names_begun(graph_id=1, keys=keys)) for tx in (self.held, self.plain)
        ]
        assert begun[0] == begun[1]


@pytest.fixture
def both() -> Iterator[Both]:
    """A graph of some who share names."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        teach(connection)
        connection.executescript(SCHEMA.read_text(encoding="utf-8"))
        both = Both(connection)
        both.same()  # and so it is held that nobody answers to these keys
        both.add(30, "Ann Lee", ("f:ann",))
        both.add(10, "Ann", ("=ann", "f:ann"), side=WALL)
        both.add(20, "Ann Rose", ("f:ann", "f:ann"))
        both.add(40, "Bob", ("f:bob",), kind="value")
        both.add(50, "Ann", ("f:ann", "=ann"), is_assistant=True)
        both.add(60, "Ann Own", ("f:ann",), is_user=True, side=WALL)
        yield both


def test_what_steps_add_is_held_as_it_was_written(both: Both) -> None:
    """Also for keys that were asked for before anybody answered to them, and in any order."""
    both.same()
    assert [row.id for row in both.held.entities.who(graph_id=1)] == [50, 60]


def test_what_steps_learn_is_held_as_it_was_written(both: Both) -> None:
    """An entity that is held, and one that nobody asked for."""
    both.held.entities.by_id(id=20)
    for number in (20, 30):
        both.held.entities.learn(
            id=number,
            name="Ann R.",
            labels='["Entity","Person"]',
            summary="Ann sings.",
            attributes='{"age":3}',
            kind="value",
            names='["Ann R."]',
        )
    both.same()


def test_whatever_else_changes_entities_is_seen(both: Both) -> None:
    """Edits, merges and forgetting: each of them leaves the tables to be asked again."""
    entities = both.held.entities
    for change in (
        lambda: entities.set_names(id=20, names='["A"]'),
        lambda: entities.set_given(id=20, given='{"name":"A"}'),
        lambda: entities.update(id=20, name="A", labels="[]", summary="b", attributes=None),
        lambda: entities.set_summaries(pairs='[[30,"Ann is new."]]'),
        lambda: entities.names_delete(entity_id=10),
        lambda: entities.delete_unsupported(ids="[20]"),
        lambda: entities.delete(id=50),
    ):
        both.same()
        change()
        both.same()
