"""Logging is silent until someone configures it: standard output is not ours."""

import subprocess
import sys

CODE = """
from recollect import log
quiet = log.get("test")
quiet.error("thing.failed", exc_info=ValueError("why"))
{configure}
quiet.info("thing.done", id=7)
"""


def said(configure: str) -> subprocess.CompletedProcess[str]:
    """What a fresh process prints."""
    return subprocess.run(
        [sys.executable, "-c", CODE.format(configure=configure)],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )


def test_an_unconfigured_process_says_nothing() -> None:
    done = said("")
    assert (done.stdout, done.stderr) == ("", "")


def test_a_configured_one_says_what_happens_from_then_on() -> None:
    done = said('log.configure("json", "info")')
    assert done.stdout == ""
    assert '"event":"thing.done"' in done.stderr
    assert "thing.failed" not in done.stderr
