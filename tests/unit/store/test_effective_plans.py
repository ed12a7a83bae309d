"""What is asked for every answer is found by keys, in a small graph as in a large one."""

import re
from pathlib import Path

from recollect.store.sqlite import migrate
from recollect.store.sqlite.connection import connect, statements

BY_KEY = (
    "collections.metadata_of",
    "summaries.document_summary_metadata",
    "entities.episodes",
    "entities.metadata",
    "episodes.metadata",
    "episodes.of_summary",
    "episodes.that_state",
    "facts.metadata",
    "facts.about_entity",
    "facts.of_observations",
    "facts.of_thread",
    "episodes.messages_of_thread",
    "observations.episodes",
    "observations.metadata",
    "summaries.thread_summary_metadata",
)
# These go over a whole graph, along an index: degrees are counted for who may not see all of it.
OVER_A_GRAPH = ("entities.uuids_among", "links.before")


def test_no_table_is_read_from_end_to_end(tmp_path: Path) -> None:
    """Neither for metadata nor for what is judged by it."""
    connection = connect(tmp_path / "x.db", writer=True)
    try:
        migrate.apply(connection)
        for name in (*BY_KEY, *OVER_A_GRAPH):
            sql = statements()[name]
            values = dict.fromkeys(re.findall(r":(\w+)", sql), 1)
            plan = connection.execute(f"EXPLAIN QUERY PLAN {sql}", values).fetchall()
            details = [row["detail"] for row in plan]
            own = [d for d in details if d.startswith("SCAN") and "(subquery" not in d]
            assert all(" VIRTUAL TABLE " in detail for detail in own), (name, details)
            whole = [d for d in details if re.search(r"\(graph_id=\?(?! AND document)", d)]
            assert bool(whole) == (name in OVER_A_GRAPH), (name, details)
    finally:
        connection.close()
