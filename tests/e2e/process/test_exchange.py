"""`recollect export` and `recollect import` as they are installed."""

import asyncio
import json
import os
import pty
import subprocess
from pathlib import Path

import pytest

from recollect.graph.types import NewEpisode
from recollect.ingest import intake
from recollect.store.sqlite import SqliteStore
from tests.contract.store.world import new_graph, new_project
from tests.support.server import program, program_environment, run_program


def run(*words: str, given: str = "") -> subprocess.CompletedProcess[str]:
    """The installed program, without a terminal."""
    return run_program(*words, environment=program_environment(COLUMNS="200"), given=given)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with one graph, of which nothing was read yet."""
    folder = tmp_path_factory.mktemp("exchange") / "data"

    async def fill() -> None:
        store = SqliteStore.open(folder, readers=1)
        access = await new_project(store, "default")
        await new_graph(store, access, "g")
        told = [NewEpisode(kind="text", content=f"Fact {number}.") for number in range(5)]
        await store.write(intake.add_episodes, access, None, "g", told)
        await store.close()

    asyncio.run(fill())
    return folder


def test_a_project_is_carried_to_another_folder(data: Path, tmp_path: Path) -> None:
    """With equal digests, which both commands tell; a second time it is refused."""
    file, there = str(tmp_path / "all.jsonl"), str(tmp_path / "there")
    written = run("export", file, "--data", str(data), "--json")
    assert written.returncode == 0, written.stderr
    assert Path(file).stat().st_mode & 0o077 == 0
    imported = run("import", file, "--data", there, "--json")
    assert imported.returncode == 0, imported.stderr
    assert json.loads(imported.stdout) == json.loads(written.stdout)
    assert json.loads(written.stdout)[0]["records"]["episode"] == 5
    again = run("import", file, "--data", there)
    assert again.returncode == 1
    assert "--into" in again.stderr
    assert run("import", file, "--data", there, "--into", "b", "--new-ids").returncode == 0
    entries = run("audit", "list", "--project", "b", "--data", there, "--json")
    assert '"import"' in entries.stdout, entries.stderr


def test_a_pipe_carries_one_graph(data: Path, tmp_path: Path) -> None:
    """Standard output is the file and nothing else."""
    written = run("export", "-", "--graph", "g", "--data", str(data))
    assert written.returncode == 0, written.stderr
    assert all(json.loads(line) for line in written.stdout.splitlines())
    there = str(tmp_path / "there")
    imported = run("import", "-", "--into", "h", "--data", there, given=written.stdout)
    assert imported.returncode == 0, imported.stderr
    assert "h" in imported.stdout


def test_a_file_may_be_standard_input(data: Path, tmp_path: Path) -> None:
    """A shell's `<` hands over the file itself, and no pipe."""
    file, there = tmp_path / "all.jsonl", str(tmp_path / "there")
    assert run("export", str(file), "--data", str(data)).returncode == 0
    with file.open("rb") as opened:
        done = subprocess.run(
            program("import", "-", "--data", there),
            env=program_environment(COLUMNS="200"),
            stdin=opened,
            capture_output=True,
            timeout=60,
            check=False,
        )
    assert done.returncode == 0, done.stderr


def test_an_export_under_way_is_left_alone(data: Path, tmp_path: Path) -> None:
    """Its unfinished file belongs to another program."""
    unfinished = tmp_path / "all.jsonl.part"
    unfinished.write_text("begun")
    refused = run("export", str(tmp_path / "all.jsonl"), "--data", str(data))
    assert refused.returncode == 1
    assert "another export" in refused.stderr
    assert unfinished.read_text() == "begun"


def test_what_cannot_be_done_is_said(data: Path, tmp_path: Path) -> None:
    """And no file is left half written."""
    there = tmp_path / "x.jsonl"
    missing = run("export", str(there), "--graph", "none", "--data", str(data))
    assert (missing.returncode, list(tmp_path.iterdir())) == (1, [])
    assert "graph not found: none" in missing.stderr
    there.write_text("mine")
    taken = run("export", str(there), "--data", str(data))
    assert taken.returncode == 1
    assert there.read_text() == "mine"
    assert "exists already" in taken.stderr
    assert "none of zep" in run("import", "zap", str(there)).stderr
    assert "one file at a time" in run("import", "zep", "a", "b").stderr
    assert run("export", str(tmp_path / "y"), "--data", str(tmp_path / "no")).returncode == 1
    assert not (tmp_path / "no").exists()


def test_memories_of_another_memory_are_brought_in_once(tmp_path: Path) -> None:
    """And what was left out is told beside the counts."""
    file, there = tmp_path / "mem0.json", str(tmp_path / "data")
    memories = [{"id": "1", "memory": "Likes tea", "user_id": "ann"}, {"id": "2"}]
    file.write_text(json.dumps({"results": memories}))
    first = run("import", "mem0", str(file), "--data", there, "--json")
    assert first.returncode == 0, first.stderr
    (told,) = json.loads(first.stdout)
    assert (told["users"], told["episodes"], told["skipped"]) == (1, 1, 1)
    assert "skipped 1: a record of a shape that is not known" in first.stderr
    (again,) = json.loads(run("import", "mem0", str(file), "--data", there, "--json").stdout)
    assert (again["episodes"], again["known"]) == (0, 1)


def test_a_terminal_shows_a_bar_and_a_pipe_does_not(data: Path, tmp_path: Path) -> None:
    """The bar is on standard error, so results stay results."""
    master, slave = pty.openpty()
    words = program("export", str(tmp_path / "a.jsonl"), "--data", str(data), "--json")
    environment = program_environment(COLUMNS="60", TERM="xterm")
    done = subprocess.run(
        words, env=environment, stdout=subprocess.PIPE, stderr=slave, timeout=60, check=True
    )
    os.close(slave)
    shown = os.read(master, 65_536).decode()
    os.close(master)
    assert "graphs" in shown
    assert json.loads(done.stdout)
    quiet = run("export", str(tmp_path / "b.jsonl"), "--data", str(data), "--json")
    assert "graphs" not in quiet.stderr
