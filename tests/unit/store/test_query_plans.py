"""Deleting a parent finds its children by an index, whatever the index leaves out."""

import re
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
            values |= {"wait_end": 2, "lease_end": 2}
            plan = connection.execute(f"EXPLAIN QUERY PLAN {statements()[name]}", values).fetchall()
            details = [row["detail"] for row in plan]
            few = ("json_each", "SCAN w")  # what is given, and the projects that wait
            own = [d for d in details if d.startswith("SCAN") and not any(x in d for x in few)]
            assert all("USING INDEX" in detail for detail in own), (name, details)
    finally:
        connection.close()


LEARNING = (
    "entities_by_ids",
    "entities_by_uuids",
    "entities_delete_unsupported",
    "entities_by_uuids_on_side",
    "entities_who",
    "facts_by_uuids_on_side",
    "reading_side",
    "user_side",
    "closings_without_reason",
    "edits_of_subject",
    "entity_answers",
    "entities_by_keys",
    "entity_ids_by_key",
    "entity_ids_mentioned_by",
    "episodes_before_in_document",
    "episodes_before_in_thread",
    "episodes_in_thread_before",
    "episodes_processed",
    "facts_by_gist",
    "facts_by_pair",
    "facts_by_uuids",
    "facts_closed_by_slot",
    "facts_closed_by_source",
    "facts_closed_by_target",
    "facts_open_by_slot",
    "facts_open_by_source",
    "facts_open_by_target",
    "distance_of_episode",
    "facts_supported_only_by",
    "graph_distance",
    "graph_folded",
    "facts_from",
    "graph_inputs",
    "endings_of_facts",
    "entities_named",
    "index_endings",
    "index_entities",
    "index_episodes",
    "index_facts",
    "index_mentions",
    "index_rows_among",
    "index_rows_remove",
    "index_rows_touch",
    "index_supports",
    "index_vectors_of",
    "jobs_pending_among",
    "jobs_succeeded",
    "known_at_source",
    "known_at_target",
    "known_closed_since",
    "known_ends",
    "known_entities",
    "known_facts",
    "known_lately",
    "known_named",
    "known_own",
    "known_relations",
    "names_begun",
    "talk_before",
    "reading_of_episode",
    "reading_put",
    "readings_of_episodes",
)
# Of these a few are asked for, the newest or oldest first: they must not be sorted to be found.
IN_ORDER = (
    "entity_ids_by_key",
    "entities_by_keys",
    "episodes_before_in_document",
    "episodes_before_in_thread",
    "facts_by_gist",
    "facts_by_pair",
    "facts_open_by_slot",
    "facts_open_by_source",
    "facts_open_by_target",
    "known_at_source",
    "known_relations",
    "talk_before",
)
# These take the first of a graph along an index, and count a graph's few.
ALONG = ("graph_inputs", "known_relations")


def test_what_an_episode_costs_does_not_grow_with_the_graph(tmp_path: Path) -> None:
    """Every look around while learning or forgetting goes by a key, and takes no more than it needs."""
    connection = connect(tmp_path / "x.db", writer=True)
    try:
        migrate.apply(connection)
        for name in LEARNING:
            sql = statements()[name]
            values = dict.fromkeys(re.findall(r":(\w+)", sql), 1)
            plan = connection.execute(f"EXPLAIN QUERY PLAN {sql}", values).fetchall()
            details = [row["detail"] for row in plan]
            own = [d for d in details if d.startswith("SCAN") and "CONSTANT ROW" not in d]
            assert all(" VIRTUAL TABLE " in detail for detail in own), (name, details)
            whole = [d for d in details if "(graph_id=?)" in d and "entities_who" not in d]
            assert name in ALONG or whole == [], (name, details)
            if name in IN_ORDER:
                assert not any("TEMP B-TREE" in detail for detail in details), (name, details)
    finally:
        connection.close()


WALKING = (
    "entities_labelled",
    "entities_page_among/degree/desc",
    "entities_page_among/uuid/asc",
    "episode_uuids_of_entities",
    "episodes_page_among/created_at/desc",
    "facts_between",
    "facts_between_before",
    "facts_of_node_before",
    "facts_page_among/uuid/asc",
    "graph_time_zone",
    "links_newest",
    "neighbours_page/created_at/desc",
    "sources_of_facts",
)
# Of a whole graph these take the newest, along the index.
NEWEST = ("links_newest",)


def test_a_walk_looks_at_what_it_meets(tmp_path: Path) -> None:
    """Nodes and facts are reached by their ids and ends, never by reading a graph through."""
    connection = connect(tmp_path / "x.db", writer=True)
    try:
        migrate.apply(connection)
        for name in WALKING:
            sql = statements()[name]
            values = dict.fromkeys(re.findall(r":(\w+)", sql), 1)
            plan = connection.execute(f"EXPLAIN QUERY PLAN {sql}", values).fetchall()
            details = [row["detail"] for row in plan]
            own = [d for d in details if d.startswith("SCAN") and "(subquery" not in d]
            assert all(" VIRTUAL TABLE " in detail for detail in own), (name, details)
            whole = [d for d in details if re.search(r"SEARCH [enf]\w* .*\(graph_id=\?\)", d)]
            assert (name in NEWEST) == bool(whole), (name, details)
            if name in NEWEST:
                assert "TEMP B-TREE FOR ORDER BY" not in " ".join(details[:2]), (name, details)
    finally:
        connection.close()


# A list in one place of one row is looked through there.
LISTS_OF_A_ROW = ("chapter_facts_put", "entity_answers")


def test_no_list_is_read_again_for_every_row_of_a_table(tmp_path: Path) -> None:
    """What a caller lists comes first and rows are found by it; the other way round a statement
    takes the rows of a graph times the length of the list."""
    connection = connect(tmp_path / "x.db", writer=True)
    try:
        migrate.apply(connection)
        for name, sql in statements().items():
            if "json_each(:" not in sql or name in LISTS_OF_A_ROW:
                continue
            values = dict.fromkeys(re.findall(r":(\w+)", sql), 1)
            outer: dict[int, str] = {}
            for row in connection.execute(f"EXPLAIN QUERY PLAN {sql}", values):
                detail = row["detail"]
                assert " VIRTUAL TABLE " not in detail or row["parent"] not in outer, (name, outer)
                if detail.startswith(("SEARCH", "SCAN")) and " VIRTUAL TABLE " not in detail:
                    outer[row["parent"]] = detail
    finally:
        connection.close()
