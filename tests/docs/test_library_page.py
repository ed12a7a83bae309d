"""What the pages about the library and the command line print runs as it is printed."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from recollect import Memory
from tests.docs.reference import ROOT
from tests.support.server import EXTRACTION_ON, program_environment

PAGE = (ROOT / "docs" / "howto" / "library.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


def run(code: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a program as someone would who pasted it into a file."""
    (folder / "program.py").write_text(code, encoding="utf-8")
    return subprocess.run(
        [sys.executable, "program.py"],
        cwd=folder,
        env=program_environment(**EXTRACTION_ON),
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )


def test_five_lines_lead_from_import_to_a_recalled_fact(tmp_path: Path) -> None:
    assert len([line for line in EXAMPLES[0].splitlines() if line.strip()]) <= 5
    done = run(EXAMPLES[0], tmp_path)
    assert done.stdout == "Ann moved to Lisbon in May 2024\n"
    assert done.stderr == "", "nothing but what the program prints"


def test_the_example_that_awaits_tells_what_held_at_a_time(tmp_path: Path) -> None:
    done = run(EXAMPLES[1], tmp_path)
    assert "<FACTS>" in done.stdout
    after = done.stdout.rpartition(">\n")[2]  # the block ends with a tag
    assert "Ann Lee moved to Lisbon in May 2024 2024-05-01" in after
    assert "Porto" not in after
    assert done.stderr == ""


@pytest.mark.parametrize("verb", re.findall(r"^\| `(\w+)\(", PAGE, re.MULTILINE))
def test_every_verb_on_the_page_exists(verb: str) -> None:
    assert callable(getattr(Memory, verb))


def test_the_commands_of_the_page_are_understood() -> None:
    """Their words are what the commands take; another test runs such commands."""
    from recollect.cli.main import load

    page = (ROOT / "docs" / "howto" / "command-line.md").read_text(encoding="utf-8")
    lines = re.findall(r"^recollect ([^>\n]*)", page, re.MULTILINE)
    assert len(lines) == 12
    for line in lines:
        name, *words = shlex.split(line, comments=True)
        load(name).make_context(name, words, resilient_parsing=False)
