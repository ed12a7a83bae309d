"""Keeping summaries and observations in step costs the same in a small graph and in a large one."""

import re
from pathlib import Path

from recollect.store.sqlite import migrate
from recollect.store.sqlite.connection import connect, statements

# Asked for each episode, or for each one that is forgotten.
EACH = (
    "facts.resting_on",
    "observations.at",
    "observations.fact_ids",
    "observations.facts_add",
    "observations.facts_drop",
    "observations.by_ids",
    "observations.resting_on",
    "observations.pattern_closed_of_relation",
    "observations.pattern_closed_of_slot",
    "observations.pattern_open_of_relation",
    "observations.pattern_open_of_slot",
    "observations.pattern_said_of_gist",
    "observations.pattern_said_of_pair",
    "observations.patterns_touched",
    "summaries.by_ids",
    "summaries.closed_by",
    "summaries.of_episodes",
    "summaries.resting_on",
    "summaries.facts_kept",
    "summaries.facts_newer",
    "summaries.facts_said",
    "summaries.messages_of_document",
    "summaries.messages_of_thread",
    "summaries.of_document",
    "summaries.of_thread_of",
    "observations.topic_entities",
    "observations.topic_facts",
    "observations.topic_place",
    "observations.topic_window",
    "summaries.user_facts_told",
)
# Of these the newest are asked for: they must not be sorted to be found.
IN_ORDER = (
    "observations.pattern_closed_of_relation",
    "observations.pattern_closed_of_slot",
    "observations.pattern_open_of_relation",
    "observations.pattern_open_of_slot",
    "observations.pattern_said_of_gist",
    "observations.pattern_said_of_pair",
    "summaries.messages_of_document",
    "summaries.messages_of_thread",
    "summaries.unwritten",
    "observations.topic_window",
    "summaries.user_facts_told",
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
