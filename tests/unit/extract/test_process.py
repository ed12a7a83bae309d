"""Reading in another process: it may die, hang or be left alone, and nobody gets a wrong answer."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import psutil
import pytest

from recollect.errors import BudgetExhausted, ModelUnavailable
from recollect.extract.background import ExtractionProcess, ReadingFailed
from recollect.extract.brief import Brief, Extracted
from recollect.graph.found import Found, FoundEntity
from recollect.models.judge import Opinion, Pair

AT = datetime(2024, 3, 1, tzinfo=UTC)
SOON_S = 20.0


class Obedient:
    """Does what a text says: waits, dies, fails; answers with the text and its process."""

    def read(self, readings: Sequence[Brief]) -> list[Extracted]:
        """One answer for each, in order."""
        return [self.finish(reading, Found()) for reading in readings]

    def finish(self, reading: Brief, found: Found) -> Extracted:
        """What the text commands, then the text itself as a name."""
        command, _, value = reading.content.partition(" ")
        if command == "wait":
            time.sleep(float(value))
        elif command == "die":
            os.kill(os.getpid(), signal.SIGKILL)
        elif command == "fail":
            raise Odd(1, 2)
        elif command == "broke":
            raise BudgetExhausted("no more", retry_at=AT)
        elif command == "touch":
            Path(value).touch()
            time.sleep(SOON_S * 3)
        heard = FoundEntity(name=f"{reading.content} {os.getpid()}")
        return Extracted(found=Found(entities=(heard,)), vector=b"", fact_vectors=())

    def judge(self, pairs: Sequence[Pair]) -> list[Opinion]:
        """It has none."""
        return []


class Odd(Exception):
    """One that cannot be pickled back."""

    def __init__(self, one: int, two: int) -> None:
        super().__init__(f"odd {one} {two}")


def load_obedient(models: Path, table: Path | None) -> Obedient:
    """Loads nothing."""
    return Obedient()


def reading(content: str) -> Brief:
    """A text."""
    return Brief(kind="text", content=content, at=AT)


async def ask(process: ExtractionProcess, content: str) -> tuple[str, int]:
    """What came back for a text, and from which process."""
    (found,) = await process.read([reading(content)])
    said, _, pid = found.found.entities[0].name.rpartition(" ")
    return said, int(pid)


async def until(true: Callable[[], bool]) -> None:
    """Wait until something holds."""
    deadline = time.monotonic() + SOON_S
    while not true():
        assert time.monotonic() < deadline, "it took too long"
        await asyncio.sleep(0.02)


def gone(pid: int) -> bool:
    """Neither running nor left behind dead."""
    return not psutil.pid_exists(pid)


@pytest.fixture
async def process() -> AsyncIterator[ExtractionProcess]:
    """One that obeys."""
    made = ExtractionProcess(Path(), load=load_obedient)
    yield made
    await made.close()


async def test_answers_come_in_order_from_one_process(process: ExtractionProcess) -> None:
    """It starts once, and structs travel both ways."""
    found = await process.read([reading("a"), reading("b")])
    names = [item.found.entities[0].name.split()[0] for item in found]
    assert names == ["a", "b"]
    first = (await ask(process, "c"))[1]
    finished = await process.finish(reading("d"), Found())
    assert finished.found.entities[0].name == f"d {first}"
    assert first != os.getpid()


async def test_a_process_that_is_killed_at_work_fails_its_reading_only(
    process: ExtractionProcess,
) -> None:
    """The next reading gets a new process; the dead one is not left behind."""
    _, first = await ask(process, "a")
    with pytest.raises(ModelUnavailable, match="ended while working"):
        await ask(process, "die")
    said, second = await ask(process, "b")
    assert said == "b"
    assert second != first
    assert gone(first)


async def test_a_process_that_is_killed_while_idle_costs_nothing(
    process: ExtractionProcess,
) -> None:
    """The next reading gets a new one."""
    _, first = await ask(process, "a")
    child = process._process
    assert child is not None
    os.kill(first, signal.SIGKILL)
    await until(lambda: not child.is_alive())  # with all of its threads
    assert (await ask(process, "b"))[0] == "b"
    assert gone(first)


async def test_a_process_that_hangs_is_ended_and_replaced() -> None:
    """It has so much time and no more."""
    process = ExtractionProcess(Path(), load=load_obedient, reading_s_max=8.0)
    try:
        _, first = await ask(process, "a")
        with pytest.raises(ModelUnavailable, match="not read within 8 seconds"):
            await ask(process, "wait 60")
        assert gone(first)
        assert (await ask(process, "b"))[0] == "b"
    finally:
        await process.close()


async def test_who_waits_no_longer_leaves_no_answer_for_the_next(
    process: ExtractionProcess,
) -> None:
    """The late answer belongs to the question that was given up, never to another one."""
    await ask(process, "a")
    for _ in range(3):
        given_up = asyncio.ensure_future(ask(process, "wait 0.3"))
        await asyncio.sleep(0.1)
        given_up.cancel()
        with pytest.raises(asyncio.CancelledError):
            await given_up
        assert (await ask(process, "b"))[0] == "b"


async def test_closing_ends_a_reading_at_once(process: ExtractionProcess) -> None:
    """Whoever waits for it hears that it failed; no process stays."""
    _, pid = await ask(process, "a")
    waiting = asyncio.ensure_future(ask(process, "wait 60"))
    await asyncio.sleep(0.1)
    began = time.monotonic()
    await process.close()
    with pytest.raises(ModelUnavailable):
        await waiting
    assert time.monotonic() - began < 5
    assert gone(pid)


async def test_closing_while_it_starts_leaves_no_process() -> None:
    """At no moment of a start is it overlooked."""
    for pause in (0.0, 0.001, 0.005, 0.02, 0.1):
        process = ExtractionProcess(Path(), load=load_obedient)
        starting = asyncio.ensure_future(ask(process, "wait 30"))
        await asyncio.sleep(pause)
        await process.close()
        with pytest.raises(ModelUnavailable):
            await starting
    names = [child.cmdline() for child in psutil.Process().children()]
    assert [words for words in names if "spawn_main" in " ".join(words)] == []


async def test_one_that_was_closed_reads_no_more() -> None:
    """Closing is final, before the first reading and after it, once and twice."""
    process = ExtractionProcess(Path(), load=load_obedient)
    await process.close()
    await process.close()
    with pytest.raises(ModelUnavailable, match="closed"):
        await process.read([reading("a")])


async def test_errors_over_there_arrive_with_their_words(process: ExtractionProcess) -> None:
    """Whatever their shape; our own keep their type, and the process goes on."""
    _, first = await ask(process, "a")
    with pytest.raises(ReadingFailed, match=r"Odd \(test_process.py:\d+\)") as failed:
        await ask(process, "fail")
    assert "in finish" in failed.value.__notes__[0]
    with pytest.raises(BudgetExhausted, match="no more") as spent:
        await ask(process, "broke")
    assert spent.value.retry_at == AT
    assert await ask(process, "b") == ("b", first)


async def test_missing_weights_are_named(tmp_path: Path) -> None:
    """Which ones, and what to do."""
    process = ExtractionProcess(tmp_path / "nowhere")
    try:
        with pytest.raises(ModelUnavailable, match=r"is not installed; run `recollect models"):
            await process.read([reading("a")])
    finally:
        await process.close()


async def test_many_that_wait_leave_room_for_requests() -> None:
    """The threads that requests share are not taken by readings, however many there are."""
    processes = [ExtractionProcess(Path(), load=load_obedient) for _ in range(3)]
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(1))
    asked = [asyncio.ensure_future(ask(process, "wait 1")) for process in processes]
    await asyncio.sleep(0.2)
    await asyncio.wait_for(asyncio.to_thread(time.sleep, 0), 0.5)
    assert not any(task.done() for task in asked)
    assert [said for said, _ in await asyncio.gather(*asked)] == ["wait 1"] * 3
    for process in processes:
        await process.close()


def test_one_process_serves_one_loop_after_another() -> None:
    """Nothing in it is bound to the loop that first used it."""
    process = ExtractionProcess(Path(), load=load_obedient)
    first = asyncio.run(ask(process, "a"))
    second = asyncio.run(ask(process, "b"))
    assert first[1] == second[1]
    asyncio.run(process.close())


PARENT = """
import asyncio, sys
from pathlib import Path
from recollect.extract.background import ExtractionProcess
from tests.unit.extract.test_process import load_obedient, reading

async def main():
    process = ExtractionProcess(Path(), load=load_obedient)
    if sys.argv[2] == "busy":
        await process.read([reading("touch " + sys.argv[1])])
    await process.read([reading("a")])
    Path(sys.argv[1]).touch()
    await asyncio.sleep(60)

if __name__ == "__main__":
    asyncio.run(main())
"""


@pytest.mark.parametrize("state", ["idle", "busy"])
def test_it_goes_when_its_parent_is_killed(tmp_path: Path, state: str) -> None:
    """Even in the middle of a long reading, and so does everything else the parent started."""
    mark = tmp_path / "mark"
    script = tmp_path / "parent.py"
    script.write_text(PARENT)
    parent = subprocess.Popen(
        [sys.executable, str(script), str(mark), state],
        env={**os.environ, "PYTHONPATH": str(Path.cwd())},
    )
    try:
        asyncio.run(until(mark.exists))
        children = psutil.Process(parent.pid).children(recursive=True)
        assert children
    finally:
        parent.kill()
        parent.wait()
    asyncio.run(until(lambda: not any(child.is_running() for child in children)))
