"""What a session log costs does not grow with its length, nor with how many others there are."""

import re
from pathlib import Path

from recollect.store.sqlite import migrate
from recollect.store.sqlite.connection import connect, statements

NAMES = [name for name in statements() if name.startswith("session_logs.")]
# Asked once, when the server starts, of turns that are open: there are few.
AT_THE_START = {"session_logs.turns_lost"}
IN_ORDER = {
    "session_logs.episodes_page",
    "session_logs.episodes_page_of_turn",
    "session_logs.sizes",
    "session_logs.sizes_of_turn",
    "session_logs.nth_last",
    "session_logs.nth_last_of_turn",
    "session_logs.page",
    "session_logs.of_user",
    "session_logs.turn_working",
}


def test_each_look_goes_by_a_key_and_sorts_nothing(tmp_path: Path) -> None:
    """No table is read from end to end, no log sorted to find its last episodes."""
    connection = connect(tmp_path / "x.db", writer=True)
    try:
        migrate.apply(connection)
        for name in set(NAMES) - AT_THE_START:
            sql = statements()[name]
            values = dict.fromkeys(re.findall(r":(\w+)", sql), 1)
            plan = connection.execute(f"EXPLAIN QUERY PLAN {sql}", values).fetchall()
            details = [row["detail"] for row in plan]
            own = [d for d in details if d.startswith("SCAN") and "CONSTANT ROW" not in d]
            assert all(" VIRTUAL TABLE " in detail for detail in own), (name, details)
            if name in IN_ORDER:
                assert not any("TEMP B-TREE" in detail for detail in details), (name, details)
    finally:
        connection.close()
