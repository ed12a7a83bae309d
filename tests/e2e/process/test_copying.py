"""`recollect copy` as a process that is stopped half-way."""

import asyncio
import signal
import subprocess
import time
from contextlib import closing
from pathlib import Path

import pytest

from recollect.graph.types import NewEpisode
from recollect.ingest import intake
from recollect.store.postgres.connection import connect
from recollect.store.sqlite import SqliteStore
from tests.contract.store.world import new_graph, new_project
from tests.support.postgres import database_of
from tests.support.server import program, program_environment, run_program

SECONDS_MAX = 120
HEARD_S = 3.0


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A store with two projects, of which nothing was read yet."""
    folder = tmp_path / "data"

    async def fill() -> None:
        store = SqliteStore.open(folder, readers=1)
        for name in ("first", "second"):
            access = await new_project(store, name)
            await new_graph(store, access, name)
            told = [NewEpisode(kind="text", content=f"Fact {number}.") for number in range(50)]
            await store.write(intake.add_episodes, access, None, name, told)
        await store.close()

    asyncio.run(fill())
    return folder


def counted(url: str) -> tuple[int, int, int]:
    """Projects, graphs and episodes of a database."""
    with closing(connect(url)) as connection:
        connection.execute("SET recollect.project = '*'")
        row = connection.execute(
            "SELECT (SELECT count(*) FROM projects), (SELECT count(*) FROM graphs),"
            " (SELECT count(*) FROM episodes)"
        ).fetchone()
        assert row is not None
        return row[0], row[1], row[2]


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_a_copy_that_is_stopped_leaves_nothing_and_goes_on(
    data: Path, tmp_path: Path, how: signal.Signals
) -> None:
    """Whether it is asked to stop or killed; the same command does the rest."""
    url = database_of(tmp_path)
    words = ("copy", "--from", str(data), "--to", url)
    with closing(connect(url)) as holder:
        holder.execute("SET idle_in_transaction_session_timeout = 0")
        holder.execute("BEGIN")
        holder.execute("LOCK TABLE episodes IN ACCESS EXCLUSIVE MODE")
        copying = subprocess.Popen(
            program(*words),
            env=program_environment(COLUMNS="200"),
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=_hear_interrupts,
        )
        _wait_until_blocked(url)
        copying.send_signal(how)
        time.sleep(HEARD_S if how == signal.SIGINT else 0)
        holder.execute("ROLLBACK")
    _, said = copying.communicate(timeout=SECONDS_MAX)
    assert copying.returncode == (1 if how == signal.SIGINT else -signal.SIGKILL), said
    if how == signal.SIGINT:
        assert "nothing is left behind" in said
    _wait_until_alone(url)
    assert counted(url) == (0, 0, 0)
    environment = program_environment(COLUMNS="200")
    again = run_program(*words, environment=environment, timeout=SECONDS_MAX)
    assert again.returncode == 0, again.stderr
    assert again.stderr.count("all digests are equal") == 2
    assert counted(url) == (2, 2, 100)


def _hear_interrupts() -> None:
    """A shell has what it starts in the background ignore them, and so would the copy."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _wait_until_blocked(url: str) -> None:
    _wait(url, "wait_event_type = 'Lock'", 1)


def _wait_until_alone(url: str) -> None:
    _wait(url, "pid <> pg_backend_pid()", 0)


def _wait(url: str, condition: str, count: int) -> None:
    end = time.monotonic() + SECONDS_MAX
    asked = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND "
    with closing(connect(url)) as looker:
        while looker.execute((asked + condition).encode()).fetchone() != (count,):
            assert time.monotonic() < end, condition
            time.sleep(0.05)
