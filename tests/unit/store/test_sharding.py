"""How far the schema can be cut by graph: what would have to change before its tables are distributed.

A table of a graph has the graph's key first in its primary key and in every index, refers only to rows of its
own graph or of the project, and numbers its rows without a sequence that graphs share. A statement finds every
row of such a table by the key of one graph. `across_graphs.toml` lists what is not so, each with its reason or
as something that is left to do; whoever mends one takes it off the list, and nobody adds to what is left.
"""

import re
import tomllib
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg
import pytest

from recollect.store.postgres import dialect
from recollect.store.postgres.connection import Connection
from tests.support import postgres

LISTED = tomllib.loads((Path(__file__).parent / "across_graphs.toml").read_text(encoding="utf-8"))
WHOLE = {name for one in LISTED["whole"] for name in one["tables"]}
KEY = "graph_id"
CONDITIONS = ("Index Cond", "Filter", "Recheck Cond", "Join Filter", "Hash Cond", "Merge Cond")


@pytest.fixture(scope="module")
def database() -> Iterator[Connection]:
    """An empty store as its superuser sees it: without the conditions that row-level security adds."""
    server = postgres.shared()
    with closing(psycopg.connect(server.dsn(server.template), autocommit=True)) as connection:
        yield connection


def _tables(database: Connection) -> set[str]:
    asked = "SELECT tablename::text FROM pg_tables WHERE schemaname = 'public'"
    return {name for (name,) in database.execute(asked)}


def test_every_table_is_of_a_graph_or_stays_whole(database: Connection) -> None:
    """A table that stays whole is there, and says why."""
    assert _tables(database) >= WHOLE
    assert all(one["why"] for one in LISTED["whole"])


INDEXES = """
SELECT t.relname::text, x.relname::text, i.indisprimary, coalesce(a.attname::text, '')
FROM pg_index i JOIN pg_class t ON t.oid = i.indrelid JOIN pg_class x ON x.oid = i.indexrelid
LEFT JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = i.indkey[0]
WHERE t.relnamespace = 'public'::regnamespace AND t.relkind = 'r'
"""
REFERENCES = """
SELECT c.conrelid::regclass::text, c.conname::text, c.confrelid::regclass::text,
    ARRAY(SELECT attname::text FROM pg_attribute
          WHERE attrelid = c.conrelid AND attnum = ANY (c.conkey))
FROM pg_constraint c WHERE c.contype = 'f'
"""
COUNTED = """
SELECT DISTINCT table_name::text FROM information_schema.columns
WHERE table_schema = 'public' AND (is_identity = 'YES' OR column_default LIKE 'nextval%')
"""


def test_tables_begin_with_their_graph(database: Connection) -> None:
    """Primary keys, indexes, references and sequences, as the catalog has them."""
    wrong = set()
    for table, index, is_primary, first in database.execute(INDEXES):
        if table not in WHOLE and first != KEY:
            wrong.add(f"{table}: its primary key" if is_primary else f"{table}: index {index}")
    for table, name, other, columns in database.execute(REFERENCES):
        if not {table, other} & WHOLE and KEY not in columns:
            wrong.add(f"{table}: reference {name}")
    wrong |= {
        f"{table}: its sequence" for (table,) in database.execute(COUNTED) if table not in WHOLE
    }
    assert wrong == set(LISTED["left"]["schema"])


def test_statements_touch_one_graph(database: Connection) -> None:
    """Read off the plans: every look at a table of a graph is bound to a parameter that names the graph."""
    for how in ("seqscan", "bitmapscan", "hashjoin", "mergejoin", "memoize"):
        database.execute(f"SET enable_{how} = off".encode())  # conditions stay where they are asked
    wrong = set()
    for name, text in dialect.statements().items():
        explained = f"EXPLAIN (GENERIC_PLAN, VERBOSE, FORMAT JSON) {_numbered(text)}"
        row = database.execute(explained.encode()).fetchone()
        assert row is not None
        if _is_loose(row[0][0]["Plan"]):
            wrong.add(name.partition("/")[0])
    reasoned = {name for one in LISTED["across"] for name in one["statements"]}
    assert not reasoned & set(LISTED["left"]["statements"])
    assert wrong == reasoned | set(LISTED["left"]["statements"])


def _numbered(text: str) -> str:
    names: list[str] = []

    def place(found: re.Match[str]) -> str:
        if found[1] not in names:
            names.append(found[1])
        return f"${names.index(found[1]) + 1}"

    return re.sub(r"%\((\w+)\)s", place, text).replace("%%", "%").rstrip().rstrip(";")


def _is_loose(plan: dict[str, Any]) -> bool:
    """Whether some table of a graph is looked into without the graph's key being given."""
    nodes = list(_nodes(plan))
    known = {"$"}  # what is equal to a parameter
    equal = [pair for node in nodes for pair in _equalities(node)]
    while more := {a for pair in equal for a in pair if known & set(pair)} - known:
        known |= more
    looked = {
        f"{node['Alias']}.{KEY}"
        for node in nodes
        if node.get("Relation Name", "graphs") not in WHOLE and "Scan" in node["Node Type"]
    }
    return not looked <= known


def _nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for below in plan.get("Plans", ()):
        yield from _nodes(below)


def _equalities(node: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Which columns have to equal each other, or a parameter, told as `$`."""
    for condition in CONDITIONS:
        for part in _conjuncts(node.get(condition, "")):
            found = re.fullmatch(r"([\w.]+|\$\d+) = ([\w.]+|\$\d+)", part)
            if found:
                left, right = ("$" if side.startswith("$") else side for side in found.groups())
                yield left, right


def _conjuncts(condition: str) -> list[str]:
    """The parts of a condition that all have to hold."""
    inner = condition[1:-1] if _is_wrapped(condition) else condition
    parts, depth, begun = [], 0, 0
    for place, letter in enumerate(inner):
        depth += (letter == "(") - (letter == ")")
        if depth == 0 and inner.startswith(" AND ", place):
            parts.append(inner[begun:place])
            begun = place + len(" AND ")
    parts.append(inner[begun:])
    if len(parts) == 1:
        return _conjuncts(inner) if inner != condition else [inner]
    return [each for part in parts for each in _conjuncts(part)]


def _is_wrapped(condition: str) -> bool:
    """Whether one pair of parentheses is around all of it."""
    depth = 0
    for place, letter in enumerate(condition):
        depth += (letter == "(") - (letter == ")")
        if depth == 0:
            return letter == ")" and place == len(condition) - 1
    return False
