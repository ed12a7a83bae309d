"""Two entities that are one by hand, on the command line: kept by a rebuild and by an export."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from recollect import SyncMemory
from tests.support.server import EXTRACTION_ON, program, program_environment

SECONDS_MAX = 120


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Ann speaks of Katherine, and of Kate."""
    folder = tmp_path_factory.mktemp("merging") / "data"
    with SyncMemory.open(folder) as memory:
        memory.add("Katherine lives in Oslo.", user="ann")
        memory.add("Kate works at Initech.", user="ann")
    return folder


def run(*words: str) -> Any:
    """Run the program; what it tells programs."""
    done = subprocess.run(
        program(*words, "--json"),
        env=program_environment(**EXTRACTION_ON),
        capture_output=True,
        text=True,
        timeout=SECONDS_MAX,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout) if done.stdout else None


def of(folder: Path, name: str) -> tuple[str, set[str]]:
    """The id of an entity, and what is known of it."""
    with SyncMemory.open(folder, workers=0) as memory:
        found = memory.entity(name, user="ann")
        return found.uuid, {fact.text for fact in memory.timeline(name, user="ann")}


def test_a_merge_survives_a_rebuild_and_an_export_and_can_be_taken_back(
    data: Path, tmp_path: Path
) -> None:
    """Facts of both are those of one, here and there, until somebody says otherwise."""
    katherine, kate = of(data, "Katherine"), of(data, "Kate")
    assert katherine[0] != kate[0]
    run("merge", katherine[0], kate[0], "--data", str(data))
    merged = katherine[0], katherine[1] | kate[1]
    assert of(data, "Kate") == of(data, "Katherine") == merged
    assert [one["result"] for one in run("rebuild", "--verify", "--data", str(data))] == ["same"]

    there = tmp_path / "there"
    run("export", str(tmp_path / "file"), "--data", str(data))
    run("import", str(tmp_path / "file"), "--data", str(there))
    assert of(there, "Kate") == merged
    assert [one["result"] for one in run("rebuild", "--verify", "--data", str(there))] == ["same"]

    run("unmerge", kate[0], "--data", str(there))
    assert (of(there, "Katherine"), of(there, "Kate")) == (katherine, kate)
    assert [one["result"] for one in run("rebuild", "--verify", "--data", str(there))] == ["same"]
    assert of(data, "Kate") == merged, "what happened there"
