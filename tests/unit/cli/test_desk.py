"""What an operator does at a desk: lists, forgetting, trying again, tables of 80 columns, completion."""

import json
import os
import re
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import structlog
from rich.console import Console
from typer.testing import CliRunner

from recollect import SyncMemory
from recollect.cli import common
from recollect.cli.common import show
from recollect.cli.main import app
from recollect.settings import Settings
from recollect.store.sqlite.connection import FILE_NAME

RUNNER = CliRunner(env={"RECOLLECT_EXTRACTION": "off"})
UUID = "01890000-0000-7000-8000-000000000000"


@pytest.fixture(autouse=True)
def _silent_logs() -> None:
    """As in a process of its own: what other tests made of logging would be in the output."""
    structlog.reset_defaults()


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Two people, one of whom talked in two threads."""
    folder = tmp_path / "data"
    with SyncMemory.open(folder, settings=Settings(extraction="off")) as memory:
        memory.add("I work at Siemens.", user="ann", thread="t1")
        memory.add("I play the cello.", user="ann", thread="t2")
        memory.add("I have a dog.", user="bob", thread="t3")
    return folder


def run(code: int, *words: str | Path, stdin: str | None = None) -> Any:
    """A command that ends with this code."""
    done = RUNNER.invoke(app, [str(word) for word in words], input=stdin)
    assert done.exit_code == code, (done.exit_code, done.stdout, done.stderr, done.exception)
    return done


def found(code: int, *words: str | Path) -> Any:
    """The one JSON document that a command prints."""
    return json.loads(run(code, *words, "--json").stdout)


# ---------------------------------------------------------------- lists


def test_users_are_listed_the_newest_first(data: Path) -> None:
    told = found(0, "users", "--data", data)
    assert [(one["user"], one["threads"]) for one in told] == [("bob", 1), ("ann", 2)]
    assert [one["user"] for one in found(0, "users", "--data", data, "--search", "AN")] == ["ann"]
    lines = run(0, "users", "--data", data).stdout.splitlines()
    assert lines[0].split() == ["user", "name", "threads", "created"]
    assert lines[1].split()[0] == "bob"
    done = run(0, "users", "--data", data, "--limit", "1")
    assert "1 of 2" in done.stderr


def test_threads_are_those_of_everybody_or_of_one(data: Path) -> None:
    told = found(0, "threads", "--data", data)
    assert [(one["thread"], one["user"]) for one in told] == [
        ("t3", "bob"),
        ("t2", "ann"),
        ("t1", "ann"),
    ]
    told = found(0, "threads", "--user", "ann", "--data", data)
    assert [one["thread"] for one in told] == ["t2", "t1"]
    assert "user not found" in run(1, "threads", "--user", "eve", "--data", data).stderr


def test_a_list_of_nobody_ends_with_code_3(data: Path) -> None:
    assert found(3, "users", "--data", data, "--search", "nobody") == []
    assert run(3, "users", "--data", data, "--search", "nobody").stdout == ""


# ---------------------------------------------------------------- forgetting


def test_forgetting_says_what_will_go_asks_and_says_what_went(data: Path) -> None:
    words = ("forget", "user", "ann", "--data", data)
    done = run(1, *words, stdin="n\n")
    assert "user ann: 1 user, 2 episodes, " in done.stderr
    assert "nothing was erased" in done.stderr
    assert [one["user"] for one in found(0, "users", "--data", data)] == ["bob", "ann"]
    done = run(0, *words, stdin="y\n")
    assert "erased: 1 user, 2 episodes, " in done.stdout
    assert [one["user"] for one in found(0, "users", "--data", data)] == ["bob"]
    (entry, *_) = found(0, "audit", "list", "--action", "forget", "--data", data)
    assert "ann" not in json.dumps(entry)


@pytest.mark.parametrize("kind", ["thread", "graph", "episode"])
def test_with_yes_it_does_not_ask(data: Path, kind: str) -> None:
    if kind == "graph":
        run(0, "add", "A text.", "--graph", "papers", "--document", "--no-wait", "--data", data)
    name = {"thread": "t1", "graph": "papers", "episode": _episode(data, "I play the cello.")}[kind]
    gone = found(0, "forget", kind, name, "--yes", "--data", data)
    assert gone["removed"]["episodes"] == 1
    assert gone["wiped"]
    assert "not found" in run(1, "forget", kind, name, "--yes", "--data", data).stderr


def test_what_would_go_is_what_goes(data: Path) -> None:
    said = run(0, "forget", "thread", "t1", "--data", data, stdin="y\n")
    will = re.search(r"thread t1: (.+) will be erased", said.stderr)
    assert will
    assert said.stdout.endswith(f"erased: {will[1]}\n")


def _episode(data: Path, text: str) -> str:
    with closing(sqlite3.connect(data / FILE_NAME)) as store:
        row = store.execute("SELECT uuid FROM episodes WHERE content = ?", (text,)).fetchone()
    return str(row[0])


# ---------------------------------------------------------------- trying again


def test_parked_jobs_are_listed_and_put_back(data: Path) -> None:
    run(0, "add", "One.", "--user", "cy", "--no-wait", "--data", data)
    run(0, "add", "Two.", "--user", "cy", "--no-wait", "--data", data)
    assert found(3, "retry", "--data", data) == []
    _park(data)
    told = found(0, "retry", "--data", data)
    assert [(one["graph"], one["says"]) for one in told] == [("user cy", "the disk broke")] * 2
    assert found(0, "retry", told[0]["episode"], "--data", data) == {"retried": 1}
    assert found(0, "retry", "--all", "--data", data) == {"retried": 1}
    run(3, "retry", "--data", data)
    assert "no parked job" in run(1, "retry", told[0]["episode"], "--data", data).stderr
    assert run(2, "retry", "x", "--all", "--data", data)
    pending = "SELECT count(*) FROM jobs WHERE status = 'pending'"
    with closing(sqlite3.connect(data / FILE_NAME)) as store:
        assert store.execute(pending).fetchone() == (2,)


def _park(data: Path) -> None:
    """As the worker leaves jobs that had all their tries."""
    with closing(sqlite3.connect(data / FILE_NAME)) as store, store:
        store.execute(
            "UPDATE jobs SET status = 'parked', error = 'the disk broke', completed_at = created_at "
            "WHERE status = 'pending'"
        )


# ---------------------------------------------------------------- contexts


def test_a_context_is_told_again_from_the_log(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECOLLECT_INJECTION_LOG", "questions")
    assert found(3, "injections", "--data", data) == []
    text = run(0, "context", "What does Ann play?", "--user", "ann", "--data", data).stdout
    (one,) = found(0, "injections", "--user", "ann", "--data", data)
    assert (one["for"], one["question"]) == ("user ann", "What does Ann play?")
    told = found(0, "context", "--replay", one["id"], "--data", data)
    assert told["context"] + "\n" == text
    said = run(0, "context", "--replay", one["id"], "--data", data).stdout
    assert said.startswith(text)
    assert "relevance 0." in said
    assert said.endswith("the same today\n")
    assert found(0, "injections", "--data", data) == [one], "a replay is no context that was given"
    run(0, "forget", "thread", "t2", "--yes", "--data", data)
    assert "cello" not in run(0, "context", "--replay", one["id"], "--data", data).stdout
    run(2, "context", "again", "--replay", one["id"], "--data", data)
    assert "injection not found" in run(1, "context", "--replay", UUID, "--data", data).stderr


# ---------------------------------------------------------------- tables


def _terminal(monkeypatch: pytest.MonkeyPatch, columns: int) -> None:
    """Standard output is a terminal of so many columns."""

    def terminal() -> Console:
        return Console(force_terminal=True, color_system=None, highlight=False, width=columns)

    monkeypatch.setattr(common, "console", terminal)


@pytest.mark.parametrize("columns", [80, 100, 200])
def test_a_list_fits_the_terminal_and_breaks_no_id(
    data: Path, monkeypatch: pytest.MonkeyPatch, columns: int
) -> None:
    _terminal(monkeypatch, columns)
    made = found(0, "key", "create", "--name", "the laptop in the kitchen", "--data", data)
    for words in (("key", "list"), ("audit", "list"), ("project", "list"), ("audit", "verify")):
        lines = run(0, *words, "--data", data).stdout.splitlines()
        assert max(len(line.rstrip()) for line in lines) <= columns, (words, lines)
    assert made["id"] in run(0, "key", "list", "--data", data).stdout


def test_words_are_wrapped_where_that_is_enough(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _terminal(monkeypatch, 80)
    says = "the reader gave no answer " * 4
    show([{"id": UUID, "says": says}], ("id", "says"), as_json=False)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["id", "says"]
    assert lines[1].startswith(UUID)
    assert " ".join(" ".join(lines[1:]).split()) == f"{UUID} {says}".strip()


def test_a_table_without_room_is_a_block_for_each_row(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _terminal(monkeypatch, 80)
    show([{"id": UUID, "also": UUID, "none": ""}] * 2, ("id", "also", "none"), as_json=False)
    lines = capsys.readouterr().out.splitlines()
    block = [f"id    {UUID}", f"also  {UUID}"]
    assert [line.rstrip() for line in lines] == [*block, "", *block]


# ---------------------------------------------------------------- completion


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_is_told_how_to_ask(shell: str) -> None:
    said = run(0, "completion", shell).stdout
    assert f"_RECOLLECT_COMPLETE=complete_{shell}" in said
    assert "recollect" in said


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("recollect for", ["forget"]),
        ("recollect forget ", ["episode", "thread", "user", "graph"]),
        ("recollect key ", ["create", "list", "change", "revoke"]),
        ("recollect users --se", ["--search"]),
    ],
)
def test_bash_completes_commands_choices_and_options(
    typed: str, offered: list[str], tmp_path: Path
) -> None:
    """With the script that is printed, in a real bash."""
    program = Path(sys.executable).with_name("recollect")
    script = tmp_path / "complete.bash"
    script.write_text(run(0, "completion", "bash").stdout)
    words = typed.split(" ")
    asked = (
        f"source {script}; COMP_WORDS=({' '.join(words)} ); COMP_CWORD={len(words) - 1}; "
        f"_recollect_completion {program}; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    )
    done = subprocess.run(
        ["/bin/bash", "-c", asked],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
        env={**os.environ, "COMP_WORDBREAKS": ""},
    )
    assert done.stdout.split() == offered
