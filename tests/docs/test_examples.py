"""The programs in examples/ run as they are."""

import subprocess
import sys
from pathlib import Path

from recollect.episodic import Session
from recollect.episodic.storage import FileStorage

ROOT = Path(__file__).parents[2]

EXPECTED = """\
assistant: It is sunny in Lisbon.
stopped: the user pressed escape
assistant: You stopped me. What shall I do instead?
the log:
   1 item     user    message
   2 item     model   function_call
   3 item     tool    function_call_output
   4 item     model   message
   5 meta     runtime turn.usage
   6 boundary runtime interrupt
   7 item     user    message
   8 item     model   message
   9 meta     runtime turn.usage
  10 boundary runtime checkpoint
  11 meta     runtime handoff
"""


async def test_the_agent_loop_calls_a_tool_is_interrupted_and_goes_on(tmp_path: Path) -> None:
    done = subprocess.run(  # noqa: ASYNC221 - nothing else is going on
        [sys.executable, str(ROOT / "examples" / "agent_loop.py"), str(tmp_path)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == EXPECTED
    kept = Session("lisbon", agent="guide", storages=[FileStorage(tmp_path)])
    await kept.load()
    assert [one.id for one in kept.log.read()] == list(range(1, 12))
