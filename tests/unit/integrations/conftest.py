"""A memory that knows something about Ann, told once."""

import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from recollect import Memory, SyncMemory
from recollect.settings import Settings

UNREAD = Settings.model_validate({"extraction": "off"})


@pytest.fixture(scope="package")
def told(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder; nobody writes to it."""
    folder = tmp_path_factory.mktemp("integrations") / "data"
    with SyncMemory.open(folder) as memory:
        memory.user("ann", first_name="Ann")
        memory.add("I work at Siemens.", user="ann", created_at="2024-01-10")
    return folder


@pytest.fixture
def copied(told: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return Path(shutil.copytree(told, tmp_path / "data"))


@pytest.fixture
async def memory(copied: Path) -> AsyncIterator[Memory]:
    """Open for questions, and for what need not be read."""
    async with Memory.open(copied, workers=0) as opened:
        yield opened


@pytest.fixture
async def unread(tmp_path: Path) -> AsyncIterator[Memory]:
    """An empty memory that reads nothing of what it is told."""
    async with Memory.open(tmp_path / "unread", settings=UNREAD) as opened:
        yield opened
