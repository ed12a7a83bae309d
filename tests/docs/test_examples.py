"""The programs in examples/ run as they are."""

import json
import subprocess
import sys
from pathlib import Path

from recollect.session_log import Session
from recollect.session_log.storage import FileStorage
from tests.support.scripted_model import ScriptedModel, answers
from tests.support.server import EXTRACTION_ON, program_environment

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


def said(name: str, folder: Path) -> str:
    """What an example prints."""
    done = subprocess.run(
        [sys.executable, str(ROOT / "examples" / name), str(folder)],
        env=program_environment(**EXTRACTION_ON),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_local_reader_passes_on_what_the_model_answers() -> None:
    """The prompt goes in on one side, the answer comes out on the other."""
    with ScriptedModel([answers({"entities": [], "facts": []})]) as model:
        done = subprocess.run(
            [sys.executable, str(ROOT / "examples" / "local_reader.py"), model.url, "m"],
            input=json.dumps({"system": "rules", "user": "text", "schema": {"type": "object"}}),
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )
        assert json.loads(done.stdout) == {"entities": [], "facts": []}
        assert model.requests[0].user == "text"


def test_the_support_chatbot_answers_from_what_it_remembers(tmp_path: Path) -> None:
    """From another thread, from bills, and from what was said right now."""
    told = said("support_chatbot.py", tmp_path)
    assert "Robin: I remember: Lena Brandt uses the watercolour brush" in told
    assert "Robin: I remember: Lena Brandt lives in Hamburg" in told
    assert "card expired" in told


def test_two_people_share_a_memory_and_keep_their_own(tmp_path: Path) -> None:
    """What Ann told for herself, Bob's agent does not know."""
    first, second, third = said("shared_memory.py", tmp_path).split(" asks: ")[1:]
    assert "leader known:  True" in first
    assert "peanuts known: False" in second
    assert "peanuts known: True" in third


def test_a_restricted_key_sees_what_its_team_may_see(tmp_path: Path) -> None:
    """And may not write."""
    told = said("restricted_keys.py", tmp_path)
    whole, team = told.split("team sees (200):\n")
    assert "budget" in whole
    assert team.splitlines()[0] == "  Ticket 7: the printer is out of ink."
    assert team.splitlines()[1].startswith("team writes: 403")


def test_the_langgraph_agent_finds_what_it_was_told(tmp_path: Path) -> None:
    """Through its tool."""
    told = said("langgraph_agent.py", tmp_path)
    assert "tool: - Dora lives in Porto" in told
    assert told.endswith("ai: You live in Porto.\n")


def test_every_example_is_run_here() -> None:
    """A new one needs a test."""
    source = Path(__file__).read_text(encoding="utf-8")
    for path in (ROOT / "examples").glob("*.py"):
        assert f'"{path.name}"' in source
