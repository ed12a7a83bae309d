"""Every column of every table is carried by our files, or left out on purpose."""

import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from recollect.exchange import writing
from recollect.exchange.tables import NOT_CARRIED, RECORDS, Table
from recollect.store.sqlite import migrate
from recollect.store.sqlite.connection import connect, statements

TYPES = {"text": "TEXT", "json": "TEXT", "whole": "INTEGER", "real": "REAL", "blob": "BLOB"}
READ_BY = {
    "guidance": ("export_project_guidance", "export_graph_guidance"),
    "user_group": ("export_user_groups",),
    "policy_set": ("export_policy_sets",),
    "policy_set_version": ("export_policy_set_versions",),
    "user_group_policy_set": ("export_user_group_policy_sets",),
    "collection": ("export_collections",),
    "document": ("export_documents",),
    "document_vector": ("export_document_vectors",),
    "graph": ("export_graph",),
    "user": ("export_user",),
    "user_group_member": ("export_user_group_members",),
    "thread": ("export_threads",),
    "episode": ("export_episodes",),
    "job": ("export_jobs",),
    "reading": ("export_readings",),
    "edit": ("export_edits",),
    "feature_set_type": ("export_feature_set_types",),
    "feature_category": ("export_feature_categories",),
    "feature_tag": ("export_feature_tags",),
    "feature_category_off": ("export_feature_categories_off",),
    "entity": ("export_entities",),
    "entity_name": ("export_entity_names",),
    "user_side": ("export_user_sides",),
    "fact": ("export_facts",),
    "closing": ("export_closings",),
    "doubt": ("export_doubts",),
    "mention": ("export_mentions",),
    "support": ("export_supports",),
    "observation": ("export_observations",),
    "observation_fact": ("export_observation_facts",),
    "summary": ("export_summaries",),
    "summary_fact": ("export_summary_facts",),
    "user_summary": ("export_user_summary",),
    "index_row": ("export_index_rows",),
    "session_log": ("export_session_logs",),
    "session_log_episode": ("export_session_log_episodes",),
    "agent": ("export_agent",),
    "trace": ("export_traces",),
    "trace_event": ("export_trace_events",),
    "session_log_fed": ("export_session_log_fed",),
}


@pytest.fixture(scope="module")
def connection(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    """A migrated, empty database."""
    opened = connect(tmp_path_factory.mktemp("tables") / "x.db", writer=True)
    migrate.apply(opened)
    yield opened
    opened.close()


def schema(connection: sqlite3.Connection) -> dict[str, dict[str, str]]:
    """The type of every column of every table."""
    names = connection.execute(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
    ).fetchall()
    return {
        row[0]: {
            column["name"]: column["type"]
            for column in connection.execute(f"PRAGMA table_info('{row[0]}')")
        }
        for row in names
    }


def declared(table: Table) -> set[str]:
    """The columns of a table that its record or its list of exceptions names."""
    return (set(table.columns()) - set(table.instead.split())) | set(table.left_out.split())


def test_every_table_is_carried_or_left_out_for_a_reason(connection: sqlite3.Connection) -> None:
    """A new table is named here until someone decides."""
    carried = {table.name for table in RECORDS.values()}
    assert set(schema(connection)) - carried - set(NOT_CARRIED) == set()
    assert not carried & set(NOT_CARRIED)
    assert all(NOT_CARRIED.values())


@pytest.mark.parametrize("record", RECORDS)
def test_every_column_is_carried_or_left_out(connection: sqlite3.Connection, record: str) -> None:
    """A new column is named here until someone decides; one that is gone is, too."""
    table = RECORDS[record]
    assert declared(table) ^ set(schema(connection)[table.name]) == set()


@pytest.mark.parametrize("record", RECORDS)
def test_columns_are_written_as_what_they_are(connection: sqlite3.Connection, record: str) -> None:
    """A number is no text in the file; references are uuids there, and numbers here."""
    table = RECORDS[record]
    own = schema(connection)[table.name]
    for kind, sql in TYPES.items():
        for column in set(getattr(table, kind).split()) - set(table.instead.split()):
            assert own[column] == sql, column
    for column in set(table.references.split()) - set(table.instead.split()):
        assert own[column] == "INTEGER", column


@pytest.mark.parametrize("record", RECORDS)
def test_queries_read_and_write_exactly_the_declared_columns(
    connection: sqlite3.Connection, record: str
) -> None:
    """Nothing that a query reads is lost on the way, and nothing is asked for that is not there."""
    columns = set(RECORDS[record].columns())
    for name in READ_BY[record]:
        parameters = dict.fromkeys(re.findall(r":(\w+)", statements()[name]), 1)
        found = connection.execute(statements()[name], parameters)
        read = {column[0] for column in found.description}
        helping = {"row", "id"} if record != "job" else {"row"}
        assert read - helping == columns - helping, name
        assert columns <= read
    asked = set(re.findall(r":(\w+)", statements()[RECORDS[record].put]))
    asked -= {"first", "end"}  # where the row ids of a graph begin and end
    assert asked - {"project_id", "graph_id"} == columns - {"graph_id"} or asked == columns


def test_no_page_of_an_export_looks_at_every_row(connection: sqlite3.Connection) -> None:
    """Every query goes by an index; what is paged is not sorted for each page."""
    source = Path(writing.__file__).read_text(encoding="utf-8")
    names = set(re.findall(r'"(export_\w+)"', source))
    assert names == {name for name in statements() if name.startswith("export_")}
    for name in sorted(names):
        sql = statements()[name]
        values = dict.fromkeys(re.findall(r":(\w+)", sql), 1)
        plan = connection.execute(f"EXPLAIN QUERY PLAN {sql}", values).fetchall()
        details = [row["detail"] for row in plan]
        scans = [d for d in details if d.startswith("SCAN") and "VIRTUAL TABLE" not in d]
        if name in {"export_unbound_session_log_ids", "export_graph_ids"}:
            continue  # asked once for a project
        assert scans == [], (name, details)
        if "LIMIT" in sql and "project_id" not in sql:
            assert not any("TEMP B-TREE" in detail for detail in details), (name, details)
