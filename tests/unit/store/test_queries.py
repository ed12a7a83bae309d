"""Every named query compiles, every one is used, and every name that is used exists."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import recollect
from recollect.store import queries
from recollect.store.sqlite import migrate
from recollect.store.sqlite.connection import connect, statements
from tests.contract.store.test_lifetime import asked_names

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


@pytest.mark.parametrize("name", statements())
def test_a_query_takes_values_as_parameters_only(name: str) -> None:
    """No placeholder of the loader is left, and nothing is pasted in."""
    assert "{" not in statements()[name]
    assert "%s" not in statements()[name]


@pytest.mark.parametrize("name", statements())
def test_a_query_runs_on_sqlite_3_35(name: str) -> None:
    """The arrows into JSON came with 3.38; distributions that still ship older ones are common."""
    assert "->" not in re.sub("--.*", "", statements()[name])


def _spoken(tree: ast.AST) -> set[str]:
    """The strings of a module, but for those that pick a column of a row."""
    columns = {id(node.slice) for node in ast.walk(tree) if isinstance(node, ast.Subscript)}
    return {
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and id(node) not in columns
    }


def test_no_query_is_dead() -> None:
    """Every name occurs as a string somewhere in the program."""
    spoken = set[str]().union(
        *(_spoken(ast.parse(path.read_text(encoding="utf-8"))) for path in SOURCE.rglob("*.py"))
    )
    names = {name.partition("/")[0] for name in statements()}
    assert names - spoken == set()


def test_every_name_that_is_asked_for_exists() -> None:
    """A misspelt name is found here, not in production."""
    assert asked_names() <= {name.partition("/")[0] for name in statements()}


def test_orders_become_one_statement_each(tmp_path: Path) -> None:
    """Keys and directions are spelt out at load time, commas inside a key included."""
    (tmp_path / "a.sql").write_text(
        "-- name: page\n-- Why.\n-- order: id=t.id, name=coalesce(t.name, '')\n"
        "SELECT {key} FROM t WHERE {key} {cmp} :x ORDER BY {key} {dir};\n"
        "-- name: other\nSELECT 1;\n"
    )
    assert queries.load(tmp_path) == {
        "page/id/asc": "SELECT t.id FROM t WHERE t.id > :x ORDER BY t.id ASC;",
        "page/id/desc": "SELECT t.id FROM t WHERE t.id < :x ORDER BY t.id DESC;",
        "page/name/asc": "SELECT coalesce(t.name, '') FROM t WHERE coalesce(t.name, '') > :x "
        "ORDER BY coalesce(t.name, '') ASC;",
        "page/name/desc": "SELECT coalesce(t.name, '') FROM t WHERE coalesce(t.name, '') < :x "
        "ORDER BY coalesce(t.name, '') DESC;",
        "other": "SELECT 1;",
    }


def test_a_name_must_not_be_given_twice(tmp_path: Path) -> None:
    """Two files that define one name are an error when loaded, not a surprise later."""
    for file in ("a.sql", "b.sql"):
        (tmp_path / file).write_text("-- name: same\nSELECT 1;\n")
    with pytest.raises(ValueError, match="same is defined twice"):
        queries.load(tmp_path)
