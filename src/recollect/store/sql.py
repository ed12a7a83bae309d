"""Loads `queries/*.sql`: every statement the product runs, as `noun.name`.

Most statements are shared by all stores. A dialect that needs different SQL overrides a statement
under the same name in its own folder.

`-- order:` declares the orders a caller may choose; {key}, {dir} and {cmp} become the column,
ASC or DESC, and > or <.
"""

import re
from pathlib import Path

_NAME = re.compile(r"^-- name: (\w+)$", re.MULTILINE)
_ORDER = re.compile(r"^-- order: (.+)$", re.MULTILINE)
_DIRECTIONS = {"asc": ("ASC", ">"), "desc": ("DESC", "<")}
_SHARED = Path(__file__).parent / "queries"


def load(dialect: Path) -> dict[str, str]:
    """The statements of a dialect: its own, and the shared ones that it does not override."""
    return read(_SHARED) | read(dialect)


def read(folder: Path) -> dict[str, str]:
    """Statements by name; one with orders appears once per order, as `noun.name/key/direction`."""
    statements: dict[str, str] = {}
    for path in sorted(folder.glob("*.sql")):
        parts = _NAME.split(path.read_text(encoding="utf-8"))
        for name, text in zip(parts[1::2], parts[2::2], strict=True):
            for variant, sql in _variants(f"{path.stem}.{name}", text).items():
                if variant in statements:
                    raise ValueError(f"{path.name}: {variant} is defined twice")
                statements[variant] = sql
    return statements


def _variants(name: str, text: str) -> dict[str, str]:
    declared = _ORDER.search(text)
    sql = "\n".join(line for line in text.splitlines() if not line.startswith("--")).strip()
    if declared is None:
        return {name: sql}
    orders = dict(item.strip().split("=", 1) for item in re.split(r", (?=\w+=)", declared[1]))
    return {
        f"{name}/{order}/{direction}": sql.replace("{key}", key)
        .replace("{dir}", sql_direction)
        .replace("{cmp}", comparison)
        for order, key in orders.items()
        for direction, (sql_direction, comparison) in _DIRECTIONS.items()
    }
