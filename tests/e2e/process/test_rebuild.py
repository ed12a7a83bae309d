"""`recollect rebuild` as an operator uses it, on a store that the real models have read."""

import asyncio
import hashlib
import json
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from recollect.graph.types import Access
from recollect.ingest import intake, queue, rebuild
from recollect.records import knowledge
from recollect.records.knowledge import FactChange
from recollect.store.sqlite import SqliteStore
from tests.contract.store.world import message, new_graph, new_project
from tests.support import here
from tests.support.server import EXTRACTION_ON, Server, program_environment, run_program
from tests.support.talk import talk

SECONDS_MAX = 120


@pytest.fixture(scope="module")
def learned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with a user who was read, and an empty graph."""
    folder = tmp_path_factory.mktemp("learned")

    async def fill() -> None:
        store = SqliteStore.open(folder, readers=1, clock=lambda: datetime(2024, 12, 1, tzinfo=UTC))
        access = await new_project(store, "p")
        await talk(store, access, "jane")
        await new_graph(store, access, "empty")
        await here.learn(store)
        await store.close()

    asyncio.run(fill())
    return folder


@pytest.fixture
def data(learned: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return Path(shutil.copytree(learned, tmp_path / "data"))


def run(*words: str, **environment: str) -> tuple[int, str]:
    """Run `recollect rebuild`; answer its exit code and all it said, its result first."""
    done = run_program(
        "rebuild",
        *words,
        environment=program_environment(**{**EXTRACTION_ON, "COLUMNS": "300", **environment}),
        timeout=SECONDS_MAX,
    )
    return done.returncode, done.stdout + done.stderr


def told(said: str) -> list[dict[str, Any]]:
    """What is said of each graph, for programs: the first line."""
    found: list[dict[str, Any]] = json.loads(said.splitlines()[0])
    return found


def results(said: str) -> dict[str, str]:
    """What became of each graph."""
    return {item["graph"]: item["result"] for item in told(said)}


def on(folder: Path, unit: Callable[..., Any], *args: Any) -> Any:
    """One unit of work on the store."""

    async def work() -> Any:
        store = SqliteStore.open(folder, readers=1)
        try:
            return await store.write(unit, *args)
        finally:
            await store.close()

    return asyncio.run(work())


def digests(folder: Path) -> dict[str, str]:
    """The digest of each graph."""
    return {state.graph_id: state.digest for state in on(folder, rebuild.states)}


def contents(folder: Path) -> str:
    """All that is in the store's file."""
    with closing(sqlite3.connect(folder / "recollect.db")) as connection:
        return hashlib.sha256("\n".join(connection.iterdump()).encode()).hexdigest()


def test_a_graph_that_nobody_touched_comes_out_the_same(data: Path) -> None:
    """The check leaves no trace; a table for people, exit code 0."""
    before = contents(data)
    code, said = run("--verify", "--data", str(data))
    assert code == 0, said
    lines = said.splitlines()
    assert lines[0].split() == [
        "project", "kind", "graph", "entities", "facts", "unread", "edits", "result",
    ]  # fmt: skip
    assert [line.split()[-1] for line in lines[1:]] == ["same", "same"]
    assert contents(data) == before


def test_what_was_changed_behind_its_back_is_found_and_mended(data: Path) -> None:
    """Exit code 1 for a difference that nobody owned up to; a rebuild takes it back."""
    first = digests(data)
    with closing(sqlite3.connect(data / "recollect.db")) as connection, connection:
        connection.execute("UPDATE facts SET fact = 'tampered' WHERE name = 'LIVES_IN'")
    code, said = run("--verify", "--graph", "jane", "--data", str(data), "--json")
    assert (code, results(said)) == (1, {"jane": "differs"})
    code, said = run("--data", str(data), "--json")
    assert (code, results(said)) == (0, {"jane": "changed", "empty": "as before"})
    assert digests(data) == first


def test_corrections_by_hand_come_out_the_same(data: Path) -> None:
    """They are kept at their place, and carried out again."""
    (jane, _) = on(data, rebuild.states)
    row = on(data, lambda tx: tx.digests.part("facts", graph_id=jane.id))[0]
    access = on(data, _access)
    on(data, knowledge.update_fact, access, row["uuid"], FactChange(fact="corrected"))
    code, said = run("--verify", "--data", str(data), "--json")
    assert (code, results(said)["jane"]) == (0, "same")
    assert told(said)[0]["edits"] == 1
    first = digests(data)
    code, said = run("--data", str(data), "--json")
    assert (code, results(said)["jane"]) == (0, "as before")
    assert digests(data) == first
    assert on(data, rebuild.states)[0].edits == 1


def _access(tx: Any) -> Access:
    return Access(project_id=1, project_uuid="", key_uuid="")


def test_a_store_in_use_can_be_checked_but_not_rebuilt(data: Path) -> None:
    """Also while the server is at work: what it still owes is left out."""
    access = on(data, _access)
    on(data, intake.add_messages, access, "thread-jane", [message("I moved to Rome.")])
    on(data, queue.claim, "someone else")
    with Server(data, environment=EXTRACTION_ON) as server:
        code, said = run("--verify", "--data", str(data), "--json")
        assert (code, results(said)) == (0, {"jane": "same", "empty": "same"})
        assert told(said)[0]["unread"] == 1
        code, said = run("--data", str(data))
        assert code == 1
        assert f"process {server.pid}" in said
        assert "Traceback" not in said


def test_a_store_whose_server_was_killed_is_rebuilt_at_once(data: Path) -> None:
    """The lease it left behind is nobody's."""
    first = digests(data)
    access = on(data, _access)
    on(data, intake.add_messages, access, "thread-jane", [message("hm")])
    on(data, queue.claim, "server")
    code, said = run("--data", str(data), "--json")
    assert code == 0, said
    assert on(data, rebuild.states)[0].unread == 1, "what was not read yet still is owed"
    code, said = run("--verify", "--data", str(data), "--json")
    assert (code, results(said)["jane"]) == (0, "same")
    assert digests(data)["empty"] == first["empty"]


def test_parked_episodes_stay_parked_and_are_counted(data: Path) -> None:
    """They were never learned, so both sides lack them."""
    access = on(data, _access)
    on(data, intake.add_messages, access, "thread-jane", [message("I moved to Rome.")])
    held = on(data, queue.claim, "me")
    on(data, _park, held)
    code, said = run("--verify", "--data", str(data), "--json")
    assert (code, results(said)["jane"]) == (0, "same")
    assert told(said)[0]["unread"] == 1


def _park(tx: Any, held: Any) -> None:
    queue.fail(tx, held, held.jobs[0], "bad", attempts_max=1, backoff_first_s=0.0)


def test_a_rebuild_needs_no_models(data: Path, tmp_path: Path) -> None:
    """What readers found is kept, so nobody has to read."""
    before = digests(data)
    nowhere = str(tmp_path / "nowhere")
    code, said = run("--data", str(data), "--json", RECOLLECT_MODELS=nowhere)
    assert (code, results(said)["jane"]) == (0, "as before")
    assert digests(data) == before


@pytest.mark.parametrize("words", [(), ("--verify",)])
def test_mistakes_are_explained(data: Path, tmp_path: Path, words: tuple[str, ...]) -> None:
    """A wrong folder, a wrong name, extraction turned off; nothing is made or changed."""
    before = contents(data)
    nowhere = tmp_path / "nowhere"
    code, said = run(*words, "--data", str(nowhere))
    assert (code, "no store" in said) == (1, True)
    assert not nowhere.exists()
    code, said = run(*words, "--data", str(data), "--graph", "nobody")
    assert (code, "graph not found: nobody" in said) == (1, True)
    code, said = run("--read", "--data", str(data), RECOLLECT_EXTRACTION="off")
    assert (code, "RECOLLECT_EXTRACTION is off" in said) == (1, True)
    assert "Traceback" not in said
    assert contents(data) == before


def test_an_empty_store_has_nothing_to_rebuild(tmp_path: Path) -> None:
    """No graphs, no error."""
    on(tmp_path / "data", rebuild.states)
    for words in ((), ("--verify",)):
        code, said = run(*words, "--data", str(tmp_path / "data"), "--json")
        assert (code, told(said)) == (0, [])
