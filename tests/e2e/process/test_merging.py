"""Two entities that are one by hand, on the command line: kept by a rebuild and by an export."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from recollect import SyncMemory
from tests.support.server import EXTRACTION_ON, program_environment, run_program

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
    done = run_program(
        *words, "--json", environment=program_environment(**EXTRACTION_ON), timeout=SECONDS_MAX
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout) if done.stdout else None


def of(folder: Path, name: str, user: str = "ann") -> tuple[str, set[str]]:
    """The id of an entity, and what is known of it."""
    with SyncMemory.open(folder, workers=0) as memory:
        found = memory.entity(name, user=user)
        return found.uuid, {fact.text for fact in memory.timeline(name, user=user)}


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


def test_a_copy_with_ids_of_its_own_can_be_taken_apart(data: Path, tmp_path: Path) -> None:
    """Beside what it was exported from, and without touching that."""
    katherine, kate = of(data, "Katherine"), of(data, "Kate")
    if katherine[0] != kate[0]:  # in whichever order the tests run
        run("merge", katherine[0], kate[0], "--data", str(data))
    run("export", str(tmp_path / "file"), "--user", "ann", "--data", str(data))
    run("import", str(tmp_path / "file"), "--into", "bob", "--new-ids", "--data", str(data))
    uuid, texts = of(data, "Kate", "bob")
    assert uuid != katherine[0]
    assert texts == of(data, "Kate")[1]
    with SyncMemory.open(data, workers=0) as memory:
        listed = memory.facts(user="bob")
    assert {one.text for one in listed} >= texts
    with closing(sqlite3.connect(data / "recollect.db")) as connection:
        merged = connection.execute(
            "SELECT e.subject FROM edits e JOIN graphs g ON g.id = e.graph_id"
            " WHERE e.kind = 'entity.merge' AND g.graph_id = 'bob'"
        ).fetchall()
    ((gone,),) = merged
    run("unmerge", gone, "--data", str(data))
    assert of(data, "Kate", "bob")[0] == gone
    assert of(data, "Kate", "bob")[1] < texts
    assert of(data, "Kate")[1] == texts
