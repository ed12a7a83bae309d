"""Keeping summaries and observations in step costs the same in a small graph and in a large one."""

import re
from pathlib import Path

from recollect.store.sqlite import migrate
from recollect.store.sqlite.connection import connect, statements

# Asked for each episode, or for each one that is forgotten.
EACH = (
    "facts_resting_on",
    "observation_at",
    "observation_fact_ids",
    "observation_facts_add",
    "observation_facts_drop",
    "observations_by_ids",
    "observations_resting_on",
    "pattern_closed_of_relation",
    "pattern_closed_of_slot",
    "pattern_open_of_relation",
    "pattern_open_of_slot",
    "pattern_said_of_gist",
    "pattern_said_of_pair",
    "patterns_touched",
    "summaries_by_ids",
    "summaries_closed_by",
    "summaries_of_episodes",
    "summaries_resting_on",
    "summary_facts_kept",
    "summary_facts_newer",
    "summary_facts_said",
    "summary_messages_of_document",
    "summary_messages_of_thread",
    "summary_of_document",
    "summary_of_thread_of",
    "topic_entities",
    "topic_facts",
    "topic_place",
    "topic_window",
    "user_facts_told",
)
# Of these the newest are asked for: they must not be sorted to be found.
IN_ORDER = (
    "pattern_closed_of_relation",
    "pattern_closed_of_slot",
    "pattern_open_of_relation",
    "pattern_open_of_slot",
    "pattern_said_of_gist",
    "pattern_said_of_pair",
    "summary_messages_of_document",
    "summary_messages_of_thread",
    "summary_unwritten",
    "topic_window",
    "user_facts_told",
)


def test_each_look_goes_by_a_key_and_takes_no_more_than_it_needs(tmp_path: Path) -> None:
    """No table is read from end to end, no relation sorted to find its newest facts."""
    connection = connect(tmp_path / "x.db", writer=True)
    try:
        migrate.apply(connection)
        for name in {*EACH, *IN_ORDER}:
            sql = statements()[name]
            values = dict.fromkeys(re.findall(r":(\w+)", sql), 1)
            plan = connection.execute(f"EXPLAIN QUERY PLAN {sql}", values).fetchall()
            details = [row["detail"] for row in plan]
            own = [d for d in details if d.startswith("SCAN") and "(subquery" not in d]
            assert all(" VIRTUAL TABLE " in d or "summaries_unwritten" in d for d in own), (
                name,
                details,
            )
            if name in IN_ORDER:
                assert not any("TEMP B-TREE" in detail for detail in details), (name, details)
    finally:
        connection.close()
