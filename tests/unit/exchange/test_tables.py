"""Every column of every table is carried by our files, or left out on purpose."""

import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from recollect.exchange import exporter
from recollect.exchange.tables import NOT_CARRIED, RECORDS, ExportedTable
from recollect.store.sqlite import migrate
from recollect.store.sqlite.connection import connect, statements

TYPES = {"text": "TEXT", "json": "TEXT", "whole": "INTEGER", "real": "REAL", "blob": "BLOB"}
READ_BY = {
    "guidance": ("exchange.export_project_guidance", "exchange.export_graph_guidance"),
    "user_group": ("exchange.export_user_groups",),
    "policy_set": ("exchange.export_policy_sets",),
    "policy_set_version": ("exchange.export_policy_set_versions",),
    "user_group_policy_set": ("exchange.export_user_group_policy_sets",),
    "collection": ("exchange.export_collections",),
    "document": ("exchange.export_documents",),
    "document_vector": ("exchange.export_document_vectors",),
    "graph": ("exchange.export_graph",),
    "user": ("exchange.export_user",),
    "user_group_member": ("exchange.export_user_group_members",),
    "thread": ("exchange.export_threads",),
    "episode": ("exchange.export_episodes",),
    "job": ("exchange.export_jobs",),
    "reading": ("exchange.export_readings",),
    "edit": ("exchange.export_edits",),
    "feature_set_type": ("exchange.export_feature_set_types",),
    "feature_category": ("exchange.export_feature_categories",),
    "feature_tag": ("exchange.export_feature_tags",),
    "feature_category_off": ("exchange.export_feature_categories_off",),
    "entity": ("exchange.export_entities",),
    "entity_name": ("exchange.export_entity_names",),
    "user_side": ("exchange.export_user_sides",),
    "fact": ("exchange.export_facts",),
    "closing": ("exchange.export_closings",),
    "doubt": ("exchange.export_doubts",),
    "mention": ("exchange.export_mentions",),
    "support": ("exchange.export_supports",),
    "observation": ("exchange.export_observations",),
    "observation_fact": ("exchange.export_observation_facts",),
    "summary": ("exchange.export_summaries",),
    "summary_fact": ("exchange.export_summary_facts",),
    "user_summary": ("exchange.export_user_summary",),
    "index_row": ("exchange.export_index_rows",),
    "session_log": ("exchange.export_session_logs",),
    "session_log_episode": ("exchange.export_session_log_episodes",),
    "agent": ("exchange.export_agent",),
    "trace": ("exchange.export_traces",),
    "trace_event": ("exchange.export_trace_events",),
    "session_log_fed": ("exchange.export_session_log_fed",),
    "api_key": ("exchange.export_api_keys",),
    "key_policy_set": ("exchange.export_key_policy_sets",),
    "erasure": ("exchange.export_erasures",),
    "audit_entry": ("exchange.export_audit_entries",),
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


def declared(table: ExportedTable) -> set[str]:
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
    asked = set(re.findall(r":(\w+)", statements()[f"exchange.import_{RECORDS[record].put}"]))
    asked -= {"first", "end"}  # where the row ids of a graph begin and end
    assert asked - {"project_id", "graph_id"} == columns - {"graph_id"} or asked == columns


def test_no_page_of_an_export_looks_at_every_row(connection: sqlite3.Connection) -> None:
    """Every query goes by an index; what is paged is not sorted for each page."""
    source = Path(exporter.__file__).read_text(encoding="utf-8")
    names = {name for name in statements() if name.startswith("exchange.export_")}
    spoken = {name.removeprefix("exchange.export_") for name in names} - {"graph_ids"}
    assert spoken <= set(re.findall(r'"(\w+)"', source))
    for name in sorted(names):
        sql = statements()[name]
        values = dict.fromkeys(re.findall(r":(\w+)", sql), 1)
        plan = connection.execute(f"EXPLAIN QUERY PLAN {sql}", values).fetchall()
        details = [row["detail"] for row in plan]
        scans = [d for d in details if d.startswith("SCAN") and "VIRTUAL TABLE" not in d]
        if name in {"exchange.export_unbound_session_log_ids", "exchange.export_graph_ids"}:
            continue  # asked once for a project
        assert scans == [], (name, details)
        if "LIMIT" in sql and "project_id" not in sql:
            assert not any("TEMP B-TREE" in detail for detail in details), (name, details)
