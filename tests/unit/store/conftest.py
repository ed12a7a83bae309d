"""An embedded store in a folder of its own."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from recollect.store.sqlite import SqliteStore


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where the store of this test lives."""
    return tmp_path / "data"


@pytest.fixture
async def store(folder: Path) -> AsyncIterator[SqliteStore]:
    """An empty store."""
    opened = SqliteStore.open(folder)
    yield opened
    await opened.close()
