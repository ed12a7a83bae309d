"""Reading in a thread of this process: the same answers, and an end when it is closed."""

import threading
from datetime import UTC, datetime
from pathlib import Path

import pytest

from recollect.errors import ModelUnavailable
from recollect.extract.background import ExtractionThread
from recollect.extract.brief import Brief
from recollect.settings import Settings
from tests.support import here

READING = Brief(
    kind="message", content="Ann lives in Lisbon.", at=datetime(2024, 3, 1, tzinfo=UTC), role="user"
)


async def test_a_thread_reads_what_a_process_would() -> None:
    thread = ExtractionThread(Settings.model_validate({}).models)
    (found,) = await thread.read([READING])
    finished = await thread.finish(READING, found.found)
    await thread.close()
    (expected,) = here.extractor().embedded.read([READING])
    assert found == expected == finished
    assert [fact.fact for fact in found.found.facts] == ["Ann lives in Lisbon"]


async def test_a_closed_thread_reads_nothing_and_is_gone() -> None:
    before = set(threading.enumerate())
    thread = ExtractionThread(Settings.model_validate({}).models)
    await thread.read([])
    await thread.close()
    await thread.close()
    left = {one.name for one in set(threading.enumerate()) - before}
    assert not [name for name in left if name.startswith("recollect-extraction")]
    with pytest.raises(ModelUnavailable):
        await thread.read([READING])


async def test_missing_models_are_said_each_time(tmp_path: Path) -> None:
    thread = ExtractionThread(tmp_path)
    for _ in range(2):
        with pytest.raises(ModelUnavailable):
            await thread.read([READING])
    await thread.close()
