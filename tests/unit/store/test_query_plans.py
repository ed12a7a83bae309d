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
        for name in ("queue.held", "queue.oldest_free", "jobs.next", "jobs.given_back"):
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
    "entities.by_ids",
    "entities.by_uuids",
    "entities.delete_unsupported",
    "entities.by_uuids_on_side",
    "entities.who",
    "facts.by_uuids_on_side",
    "readings.side",
    "entities.user_side",
    "closings.without_reason",
    "edits.of_subject",
    "entities.answers",
    "entities.by_keys",
    "entities.names_beside",
    "entities.ids_by_key",
    "entities.ids_mentioned_by",
    "episodes.before_in_document",
    "episodes.before_in_thread",
    "episodes.in_thread_before",
    "episodes.processed",
    "facts.by_gist",
    "facts.by_pair",
    "facts.by_uuids",
    "facts.closed_by_slot",
    "facts.closed_by_source",
    "facts.closed_by_target",
    "facts.open_by_slot",
    "facts.open_by_source",
    "facts.open_by_target",
    "readings.distance_of_episode",
    "facts.supported_only_by",
    "graphs.distance",
    "graphs.folded",
    "facts.from_place",
    "graphs.inputs",
    "closings.endings_of_facts",
    "entities.named",
    "index.endings",
    "index.entities",
    "index.episodes",
    "index.facts",
    "index.mentions",
    "index.rows_among",
    "index.rows_remove",
    "index.rows_touch",
    "index.supports",
    "index.vectors_of",
    "jobs.pending_among",
    "jobs.succeeded",
    "known.at_source",
    "known.at_target",
    "known.closed_since",
    "known.ends",
    "known.entities",
    "known.facts",
    "known.lately",
    "known.named",
    "known.own",
    "known.relations",
    "known.names_begun",
    "episodes.talk_before",
    "readings.of_episode",
    "readings.put",
    "readings.of_episodes",
)
# Of these a few are asked for, the newest or oldest first: they must not be sorted to be found.
IN_ORDER = (
    "entities.ids_by_key",
    "entities.named",
    "entities.by_keys",
    "entities.names_beside",
    "episodes.before_in_document",
    "episodes.before_in_thread",
    "facts.by_gist",
    "facts.by_pair",
    "facts.open_by_slot",
    "facts.open_by_source",
    "facts.open_by_target",
    "known.at_source",
    "known.relations",
    "episodes.talk_before",
)
# These take the first of a graph along an index, and count a graph's few.
ALONG = ("graphs.inputs", "known.relations")


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
            few = ("CONSTANT ROW", "SCAN matched")  # the latter is bounded by a limit of its own
            own = [d for d in details if d.startswith("SCAN") and not any(x in d for x in few)]
            assert all(" VIRTUAL TABLE " in detail for detail in own), (name, details)
            whole = [d for d in details if "(graph_id=?)" in d and "entities_who" not in d]
            assert name in ALONG or whole == [], (name, details)
            if name in IN_ORDER:
                assert not any("TEMP B-TREE" in detail for detail in details), (name, details)
    finally:
        connection.close()


WALKING = (
    "entities.labelled",
    "entities.page_among/degree/desc",
    "entities.page_among/uuid/asc",
    "episodes.uuids_of_entities",
    "episodes.page_among/created_at/desc",
    "facts.between",
    "facts.between_before",
    "facts.of_node_before",
    "facts.page_among/uuid/asc",
    "graphs.time_zone",
    "links.newest",
    "links.neighbours/created_at/desc",
    "links.sources_of_facts",
)
# Of a whole graph these take the newest, along the index.
NEWEST = ("links.newest",)


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
LISTS_OF_A_ROW = ("chapters.facts_put", "entities.answers")


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
