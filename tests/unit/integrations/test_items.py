"""Values under keys are looked up by an index, and no framework is loaded before it is asked for."""

import re
import subprocess
import sys
from pathlib import Path

from recollect.store.sqlite import migrate
from recollect.store.sqlite.connection import connect, statements


def test_no_lookup_reads_a_whole_table(tmp_path: Path) -> None:
    """However many graphs and episodes there are."""
    connection = connect(tmp_path / "x.db", writer=True)
    try:
        migrate.apply(connection)
        for name in [name for name in statements() if name.startswith("items.")]:
            values = dict.fromkeys(re.findall(r":(\w+)", statements()[name]), "[]")
            plan = connection.execute(f"EXPLAIN QUERY PLAN {statements()[name]}", values).fetchall()
            scans = [row["detail"] for row in plan if row["detail"].startswith("SCAN")]
            assert all("VIRTUAL TABLE" in detail for detail in scans), (name, scans)
    finally:
        connection.close()


def test_the_program_runs_without_any_framework() -> None:
    """They are behind extras."""
    program = (
        "import sys; import recollect.asgi, recollect.library.memory, recollect.integrations;"
        "print(sorted({'langgraph', 'langchain_core', 'agents', 'pydantic_ai'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout == "[]\n"
