"""The installed program, for people: on terminals narrow and wide, in pipes, beside a server."""

import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from pathlib import Path
from typing import Any

import pytest

from recollect import SyncMemory
from tests.support.server import EXTRACTION_ON, Server, program_environment, run_program

PROGRAM = Path(sys.executable).parent / "recollect"
STYLE = re.compile(r"\x1b\[[0-9;]*m")
SECONDS_MAX = 60


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Ann worked at Siemens until she left."""
    folder = tmp_path_factory.mktemp("people") / "data"
    with SyncMemory.open(folder) as memory:
        memory.add("Good morning! I work at Siemens.", user="ann", created_at="2024-01-10")
        memory.add("I left Siemens.", user="ann", created_at="2025-03-02")
    return folder


@pytest.fixture(scope="module")
def works(data: Path) -> str:
    """The id of the fact that ended."""
    with SyncMemory.open(data, workers=0) as memory:
        return memory.timeline("Siemens", user="ann")[0].uuid


def piped(*words: str | Path, stdin: str = "", **more: str) -> subprocess.CompletedProcess[str]:
    """Run the program without a terminal."""
    environment = program_environment(**{**EXTRACTION_ON, **more})
    return run_program(*map(str, words), environment=environment, timeout=SECONDS_MAX, given=stdin)


def on_terminal(width: int, *words: str | Path, **more: str) -> tuple[int, str]:
    """Run the installed program on a terminal of that width; its exit code and all it showed."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, width, 0, 0))
    environment = program_environment(**EXTRACTION_ON, TERM="xterm-256color")
    for name in ("NO_COLOR", "COLUMNS", "LINES", "FORCE_COLOR"):
        environment.pop(name, None)
    with subprocess.Popen(
        [PROGRAM, *words],
        env={**environment, **more},
        stdin=slave,
        stdout=slave,
        stderr=slave,
        start_new_session=True,
    ) as process:
        os.close(slave)
        shown = b"".join(iter(lambda: _read(master), b""))
        code = process.wait(SECONDS_MAX)
    os.close(master)
    return code, shown.decode().replace("\r\n", "\n")


def _read(master: int) -> bytes:
    try:
        return os.read(master, 65_536)
    except OSError:  # how Linux says that the other end is closed
        return b""


@pytest.mark.parametrize("width", [40, 200])
def test_facts_fit_a_terminal_and_ids_are_whole(data: Path, works: str, width: int) -> None:
    code, shown = on_terminal(width, "facts", "--user", "ann", "--all", "--data", data)
    assert code == 0
    lines = STYLE.sub("", shown).splitlines()
    assert all(len(line.rstrip()) <= width for line in lines), lines
    assert any(works in line for line in lines)
    (first,) = [line for line in lines if line.startswith("Ann works at Siemens")]
    assert (works in first) is (width == 200), "a table where there is room, else a block"


def test_why_highlights_the_words_on_a_terminal_and_marks_them_without_colour(
    data: Path, works: str
) -> None:
    code, shown = on_terminal(80, "why", works, "--data", data)
    assert code == 0
    (highlighted,) = re.findall(r"\x1b\[[0-9;]*43m(I work[^\x1b]*)\x1b", shown)
    assert highlighted == "I work at Siemens."
    code, shown = on_terminal(80, "why", works, "--data", data, NO_COLOR="1")
    assert code == 0
    assert not re.search(r"\x1b\[[0-9;]*[34]\dm", shown), "no colours"
    assert "Good morning! »I work at Siemens.«" in STYLE.sub("", shown)


def test_what_is_added_beside_a_server_is_learned_and_found(data: Path) -> None:
    with Server(data, environment={"RECOLLECT_WORKERS": "0"}):
        place = ("--user", "bo", "--data", data)
        done = piped("add", "-", *place, "--json", stdin="I live in Lisbon.")
        assert (done.returncode, done.stderr) == (0, "")
        said = json.loads(done.stdout)
        assert [fact["text"] for fact in said["facts"]] == ["Bo lives in Lisbon"]
        done = piped("search", "Where does Bo live?", *place, "--json")
        best: Any = json.loads(done.stdout)[0]
        assert best["text"] == "Bo lives in Lisbon"
        assert best["episodes"] == [said["episode"]]


def test_in_a_pipe_there_are_lines_without_colour_and_errors_stand_apart(data: Path) -> None:
    done = piped("facts", "--user", "ann", "--data", data)
    assert (done.returncode, done.stderr) == (0, "")
    assert "\x1b" not in done.stdout
    assert all(re.search(r"[0-9a-f-]{36}$", line) for line in done.stdout.splitlines()[1:])
    done = piped("why", "nothing", "--data", data)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("error: fact not found: nothing\n")


def test_a_shell_can_complete_commands() -> None:
    asked = {
        "_RECOLLECT_COMPLETE": "complete_bash",
        "COMP_WORDS": "recollect ti",
        "COMP_CWORD": "1",
    }
    done = subprocess.run(
        [PROGRAM], env=program_environment(**asked), capture_output=True, text=True, check=False
    )
    assert done.stdout.split() == ["timeline"]
    shown = subprocess.run(
        ["bash", "-c", f"{PROGRAM} completion bash; exit $?"],
        env=program_environment(),
        capture_output=True,
        text=True,
        timeout=SECONDS_MAX,
        check=True,
    )
    assert "_RECOLLECT_COMPLETE=complete_bash" in shown.stdout
