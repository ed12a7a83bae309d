"""Every statement compiles and runs where it has to."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import recollect
from recollect.store import sql
from recollect.store.sqlite import migrate
from recollect.store.sqlite.connection import connect, statements
from tests.support.store_methods import methods

SOURCE = Path(recollect.__file__).parent


@pytest.fixture(scope="module")
def connection(tmp_path_factory: pytest.TempPathFactory) -> Iterator[object]:
    """A migrated, empty database."""
    opened = connect(tmp_path_factory.mktemp("queries") / "x.db", writer=True)
    migrate.apply(opened)
    yield opened
    opened.close()


@pytest.mark.parametrize("name", statements())
def test_a_query_compiles(connection, name: str) -> None:
    """Tables, columns and parameters exist, and it is one statement."""
    sql = statements()[name]
    parameters = dict.fromkeys(re.findall(r":(\w+)", sql))
    connection.execute(f"EXPLAIN {sql}", parameters).fetchall()


def test_queries_take_values_as_parameters_only() -> None:
    """No placeholder of the loader is left, and nothing is pasted in."""
    assert [name for name, said in statements().items() if "{" in said or "%s" in said] == []


def test_queries_run_on_sqlite_3_35() -> None:
    """The arrows into JSON came with 3.38; distributions that still ship older ones are common."""
    arrows = [name for name, said in statements().items() if "->" in re.sub("--.*", "", said)]
    assert arrows == []


def test_orders_become_one_statement_each(tmp_path: Path) -> None:
    """Keys and directions are spelt out at load time, commas inside a key included."""
    (tmp_path / "a.sql").write_text(
        "-- name: page\n-- Why.\n-- order: id=t.id, name=coalesce(t.name, '')\n"
        "SELECT {key} FROM t WHERE {key} {cmp} :x ORDER BY {key} {dir};\n"
        "-- name: other\nSELECT 1;\n"
    )
    assert sql.read(tmp_path) == {
        "a.page/id/asc": "SELECT t.id FROM t WHERE t.id > :x ORDER BY t.id ASC;",
        "a.page/id/desc": "SELECT t.id FROM t WHERE t.id < :x ORDER BY t.id DESC;",
        "a.page/name/asc": "SELECT coalesce(t.name, '') FROM t WHERE coalesce(t.name, '') > :x "
        "ORDER BY coalesce(t.name, '') ASC;",
        "a.page/name/desc": "SELECT coalesce(t.name, '') FROM t WHERE coalesce(t.name, '') < :x "
        "ORDER BY coalesce(t.name, '') DESC;",
        "a.other": "SELECT 1;",
    }


def test_a_name_must_not_be_given_twice(tmp_path: Path) -> None:
    """A file that defines one name twice is an error when loaded, not a surprise later."""
    (tmp_path / "a.sql").write_text("-- name: same\nSELECT 1;\n-- name: same\nSELECT 2;\n")
    with pytest.raises(ValueError, match="same is defined twice"):
        sql.read(tmp_path)


def test_no_method_is_dead() -> None:
    """Every query of every noun is asked by somebody outside the queries themselves."""
    asked = {
        node.attr
        for path in SOURCE.rglob("*.py")
        if "queries" not in path.parts
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute)
    }
    assert {name for name in methods() if name.partition(".")[2] not in asked} == set()
