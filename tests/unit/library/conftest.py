"""A small memory that several tests ask, told once."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from recollect import Memory, SyncMemory


@dataclass(frozen=True)
class Story:
    """The folder, and the uuids of what was told."""

    folder: Path
    hired: str
    left: str


def tell(folder: Path) -> Story:
    """Ann works at Siemens, then leaves it; a graph knows a ship."""
    with SyncMemory.open(folder) as memory:
        ann = memory.user("ann", first_name="Ann", last_name="Lee")
        hired = ann.add(
            "Good morning! I work at Siemens.", created_at="2024-01-10", metadata={"source": "chat"}
        )
        thread = memory.thread("t1", user="ann")
        left = thread.add("I left Siemens.", created_at="2025-03-02T10:00:00Z")
        memory.add("The Vasa sank in Stockholm in 1628.", graph="ships")
        memory.add({"name": "Vasa", "guns": 64}, graph="ships")
    return Story(folder, hired, left)


@pytest.fixture(scope="package")
def story(tmp_path_factory: pytest.TempPathFactory) -> Story:
    """Told once; whoever changes it takes a copy."""
    return tell(tmp_path_factory.mktemp("library") / "data")


@pytest.fixture
async def memory(story: Story) -> AsyncIterator[Memory]:
    """The told memory, open for questions."""
    async with Memory.open(story.folder, workers=0) as opened:
        yield opened
