"""Rescues what is readable of a damaged store into a new one. The damaged store is not modified."""
# ruff: noqa: S608 - names of tables and columns are those of our own schema

import shutil
import sqlite3
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from recollect.errors import StoreDamaged, StoreUnavailable
from recollect.store.sqlite import migrate
from recollect.store.sqlite.connection import FILE_NAME, prepare


@dataclass(frozen=True, slots=True)
class Saved:
    """The outcome for one table."""

    table: str
    rows: int
    broken: bool  # some rows were unreadable, or refer to rows that were


def save(folder: Path, into: Path) -> list[Saved]:
    """Copy every readable row of the store in *folder* into a new store in *into*."""
    if not (folder / FILE_NAME).is_file():
        raise StoreUnavailable(f"there is no store in {folder}")
    if into.exists() and any(into.iterdir()):
        raise StoreUnavailable(f"{into} is not empty: choose a folder that is not there yet")
    target = prepare(into)
    with TemporaryDirectory(dir=into) as scratch:
        copied = Path(scratch) / FILE_NAME
        for end in ("", "-wal"):
            with suppress(FileNotFoundError):
                shutil.copyfile(folder / f"{FILE_NAME}{end}", f"{copied}{end}")
        with closing(sqlite3.connect(copied)) as old, closing(sqlite3.connect(target)) as new:
            try:
                return _save(old, new)
            except sqlite3.DatabaseError as error:
                target.unlink()
                raise StoreDamaged(
                    f"the page that says where the tables lie cannot be read ({error}), so none of them "
                    "can be found: restore the last backup with `recollect restore`"
                ) from error


def _save(old: sqlite3.Connection, new: sqlite3.Connection) -> list[Saved]:
    old.execute("SELECT count(*) FROM sqlite_schema").fetchall()
    new.isolation_level = None
    new.execute("PRAGMA journal_mode = WAL")
    migrate.apply(new, upto=migrate.version(old))
    triggers = [row[0] for row in new.execute("SELECT sql FROM sqlite_schema WHERE type='trigger'")]
    for (name,) in new.execute("SELECT name FROM sqlite_schema WHERE type='trigger'").fetchall():
        new.execute(f"DROP TRIGGER {name}")
    new.execute("BEGIN IMMEDIATE")
    rows = new.execute("SELECT name FROM sqlite_schema WHERE type='table' ORDER BY rowid")
    found = {name: _copy(old, new, name) for (name,) in rows.fetchall()}
    orphaned = _drop_orphans(new)
    for sql in triggers:
        new.execute(sql)
    new.execute("COMMIT")
    return [
        Saved(name, _count(new, name), broken or name in orphaned) for name, broken in found.items()
    ]


def _count(new: sqlite3.Connection, table: str) -> int:
    return int(new.execute(f'SELECT count(*) FROM "{table}"').fetchone()[0])


def _copy(old: sqlite3.Connection, new: sqlite3.Connection, table: str) -> bool:
    """Copy a table from both ends, then by the rowids in its indexes; returns whether rows may be lost."""
    described = new.execute(f'PRAGMA table_info("{table}")').fetchall()
    columns = ", ".join(f'"{row[1]}"' for row in described)
    put = f'INSERT OR IGNORE INTO "{table}" ({columns}) VALUES ({", ".join("?" * len(described))})'
    key = _key(new, table, described)
    for order in ("ASC", "DESC"):
        by = ", ".join(f"{column} {order}" for column in key)
        if _take(old, new, f'SELECT {columns} FROM "{table}" ORDER BY {by}', put):
            return False
    if key == ["rowid"]:
        have = {row[0] for row in new.execute(f'SELECT rowid FROM "{table}"')}
        for rowid in sorted(_known(old, table) - have):
            _take(old, new, f'SELECT {columns} FROM "{table}" WHERE rowid = {rowid:d}', put)
    return True


def _key(new: sqlite3.Connection, table: str, described: list[tuple[object, ...]]) -> list[str]:
    """The columns by which the rows of a table are physically ordered."""
    try:
        new.execute(f'SELECT rowid FROM "{table}" LIMIT 1')
    except sqlite3.OperationalError:  # a WITHOUT ROWID table
        ordered = sorted((row for row in described if row[5]), key=lambda row: int(str(row[5])))
        return [f'"{row[1]}"' for row in ordered]
    return ["rowid"]


def _take(old: sqlite3.Connection, new: sqlite3.Connection, query: str, put: str) -> bool:
    """Copy rows up to the first unreadable one; returns whether all were readable."""
    try:
        for row in old.execute(query):
            with suppress(sqlite3.IntegrityError):  # a garbage row
                new.execute(put, row)
    except (sqlite3.DatabaseError, UnicodeDecodeError):
        return False
    return True


def _known(old: sqlite3.Connection, table: str) -> set[int]:
    """The rowids found in a table's indexes, which lie on other pages than the rows themselves."""
    found: set[int] = set()
    with suppress(sqlite3.DatabaseError):
        for index in old.execute(f'PRAGMA index_list("{table}")').fetchall():
            for order in ("ASC", "DESC"):
                columns = [row[2] for row in old.execute(f'PRAGMA index_info("{index[1]}")')]
                by = ", ".join(f'"{column}" {order}' for column in columns)
                query = f'SELECT rowid FROM "{table}" INDEXED BY "{index[1]}" ORDER BY {by}'
                with suppress(sqlite3.DatabaseError):
                    found.update(row[0] for row in old.execute(query) if isinstance(row[0], int))
    return found


def _drop_orphans(new: sqlite3.Connection) -> set[str]:
    """Delete rows that refer to lost rows, then rows that refer to those, and so on."""
    hurt: set[str] = set()
    while orphans := new.execute("PRAGMA foreign_key_check").fetchall():
        for table, rowid, parent, number in orphans:
            hurt.add(table)
            if rowid is not None:
                new.execute(f'DELETE FROM "{table}" WHERE rowid = ?', (rowid,))
            else:
                _drop_without_parent(new, table, parent, number)
    return hurt


def _drop_without_parent(new: sqlite3.Connection, table: str, parent: str, number: int) -> None:
    """The same for a WITHOUT ROWID table, by the broken reference."""
    keys = new.execute(f'PRAGMA foreign_key_list("{table}")').fetchall()
    pairs = [(row[3], row[4] or "id") for row in keys if row[0] == number]
    same = " AND ".join(f'p."{theirs}" = "{table}"."{ours}"' for ours, theirs in pairs)
    given = " AND ".join(f'"{ours}" IS NOT NULL' for ours, _ in pairs)
    new.execute(
        f'DELETE FROM "{table}" WHERE {given} AND NOT EXISTS '
        f'(SELECT 1 FROM "{parent}" p WHERE {same})'
    )
