"""Deleting a parent finds its children by an index, whatever the index leaves out."""

from pathlib import Path

from recollect.store.sqlite import migrate
from recollect.store.sqlite.connection import connect, statements


def test_no_cascade_scans_a_table(tmp_path: Path) -> None:
    """What SQLite runs for a reference when its parent goes; a partial index may not do for it."""
    connection = connect(tmp_path / "x.db", writer=True)
    try:
        migrate.apply(connection)
        tables = [
            row[0]
            for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        ]
        scanned = []
        for table in tables:
            for key in connection.execute(f"PRAGMA foreign_key_list('{table}')").fetchall():
                cascade = f"DELETE FROM {table} WHERE {key[3]} = ?"  # noqa: S608
                plan = connection.execute(f"EXPLAIN QUERY PLAN {cascade}", (1,)).fetchall()
                if any(row["detail"].startswith("SCAN") for row in plan):
                    scanned.append(f"{table}.{key[3]}")
        assert scanned == []
    finally:
        connection.close()


def test_a_claim_looks_at_few_rows(tmp_path: Path) -> None:
    """However many graphs wait, and however many jobs were ever done."""
    connection = connect(tmp_path / "x.db", writer=True)
    try:
        migrate.apply(connection)
        for name in ("queue_held", "queue_oldest_free", "jobs_next", "jobs_given_back"):
            values = {"now": 1, "graph_id": 1, "limit": 1, "ids": "[]"}
            plan = connection.execute(f"EXPLAIN QUERY PLAN {statements()[name]}", values).fetchall()
            details = [row["detail"] for row in plan]
            own = [d for d in details if d.startswith("SCAN") and "json_each" not in d]
            assert all("USING INDEX" in detail for detail in own), (name, details)
    finally:
        connection.close()
