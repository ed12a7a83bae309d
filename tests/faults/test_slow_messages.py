"""No message takes long to read, and a reader that was stopped is replaced."""

import asyncio
import os
import signal
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest

from recollect.errors import ReaderLost
from recollect.extract.background import ExtractionProcess
from recollect.extract.brief import Brief
from recollect.extract.embedded import EmbeddedReader
from recollect.limits import EPISODE_CHARS_MAX, READER_IDLE_S_MAX
from recollect.settings import Settings
from tests.unit.extract.test_process import ask, load_obedient

CPU_S_MAX = 10.0
SLOW = {
    "a row of brackets": ")." * 5_000,
    "rows that fillers join": (")." * 240 + "um ") * 20,
    "a row behind a picture": "a \U0001f600" + ")." * 4_900,
    "rows just below the bound": (")." * 249 + " ") * 20,
    "one word two thousand times": "word " * 2_000,
    "thousands of sentences": "1.) " * 2_500,
    "hundreds of dates in a sentence": "on May 5 2024 " * 700,
    "thousands of hyphens": ("a-" * 240 + " ") * 20,
    "names without a verb": "Ann Smith " * 1_000,
}


@pytest.fixture(scope="module")
def embedded() -> EmbeddedReader:
    """The reader, warmed up."""
    made = EmbeddedReader(Settings().models)
    made.read([brief("Ann moved to Lisbon.")])
    return made


def brief(content: str) -> Brief:
    """A text to read."""
    return Brief(kind="text", content=content, at=datetime(2024, 5, 1, tzinfo=UTC))


@pytest.mark.parametrize("what", SLOW)
def test_the_longest_message_is_read_in_seconds(embedded: EmbeddedReader, what: str) -> None:
    """Whatever it is made of, at its greatest length, and what is said beside it is kept."""
    said = SLOW[what][: EPISODE_CHARS_MAX - 40]
    began = time.process_time()
    (found,) = embedded.read([brief(f"Ann moved to Lisbon.\n\n{said}")])
    seconds = time.process_time() - began
    print(f"{what}: {seconds:.1f} CPU seconds")
    assert seconds < CPU_S_MAX
    assert "Lisbon" in " ".join(fact.fact for fact in found.found.facts)
    assert found.vector


async def _stopped(idle_s_max: float) -> float:
    """Stop a reader in the middle of a reading; how long it took until that was noticed."""
    process = ExtractionProcess(Path(), load=load_obedient, idle_s_max=idle_s_max)
    try:
        _, first = await ask(process, "a")
        os.kill(first, signal.SIGSTOP)
        began = time.monotonic()
        with pytest.raises(ReaderLost, match="it did nothing for"):
            await ask(process, "b" * 3_000_000)  # more than fits into the line
        seconds = time.monotonic() - began
        said, second = await ask(process, "c")
        assert (said, second != first) == ("c", True)
        return seconds
    finally:
        await process.close()


async def test_a_stopped_reader_is_replaced() -> None:
    """Also one that does not even take the question."""
    assert await _stopped(idle_s_max=1.0) < 10


@pytest.mark.long
async def test_a_stopped_reader_is_noticed_within_thirty_seconds() -> None:
    """With the bound that is in force."""
    seconds = await _stopped(READER_IDLE_S_MAX)
    print(f"noticed after {seconds:.1f} s")
    assert seconds < 30


async def test_a_reader_at_work_is_left_alone() -> None:
    """Longer than the bound of an idle one, as long as it does something."""
    process = ExtractionProcess(Path(), load=load_busy, idle_s_max=1.0)
    try:
        began = time.monotonic()
        await asyncio.wait_for(process.judge([]), 60)
        assert time.monotonic() - began > 3
    finally:
        await process.close()


class _Busy:
    """Thinks for a while."""

    def judge(self, pairs: object) -> list[object]:
        """Nothing, after four seconds of work."""
        began = time.monotonic()
        while time.monotonic() - began < 4:
            sum(range(10_000))
        return []


def load_busy(models: Path, table: Path | None) -> _Busy:
    """For the other process."""
    return _Busy()
