"""Translates the named statements for PostgreSQL.

Statements are written once, in SQL that both stores accept (`store/queries/*.sql`); a store that
needs different SQL has its own version in its `queries/`. Only spelling is left to translate:
parameter markers, `IS` between two values, and hints for SQLite's planner.
"""

import re
from functools import cache
from pathlib import Path

from recollect.store import sql

_OWN = Path(__file__).parent / "queries"
_HINT = re.compile(r"\s+(?:INDEXED BY \w+|NOT INDEXED)\b|(?<=\s)\+(?=(?:\w+\.)?graph_id\b)")
_ORDERED = re.compile(r"\bCROSS JOIN (?=(?:\w+|json_each\([^)]*\))(?: \w+)?\s+ON\b)")
_DIFFERS = re.compile(r"\bIS NOT (?!NULL\b|DISTINCT\b)")
_EQUALS = re.compile(r"\bIS (?!NOT\b|NULL\b|DISTINCT\b)")
_WRITES = re.compile(r"\b(?:INSERT INTO|UPDATE \w+(?: \w+)?\s+SET|DELETE FROM)\b")
_PARAMETER = re.compile(r"(?<![:\w]):(\w+)")


@cache
def statements() -> dict[str, str]:
    """The named statements of this dialect."""
    return {name: translated(text) for name, text in sql.load(_OWN).items()}


def translated(statement: str) -> str:
    """One statement in PostgreSQL's spelling, with the driver's parameter markers."""
    told = _HINT.sub("", statement)
    told = _ORDERED.sub("JOIN ", told)
    told = _DIFFERS.sub("IS DISTINCT FROM ", told)
    told = _EQUALS.sub("IS NOT DISTINCT FROM ", told)
    return _PARAMETER.sub(r"%(\1)s", told.replace("%", "%%"))


@cache
def writing() -> frozenset[str]:
    """The names of the statements that change something."""
    return frozenset(name for name, text in statements().items() if _WRITES.search(text))
