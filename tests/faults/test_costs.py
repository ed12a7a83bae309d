"""What anybody may ask without a key costs little, however often they do."""

import time
from pathlib import Path

import pytest

from recollect.ingest import rereading_lists
from recollect.store.protocol import Transaction
from tests.support.asgi import program

ASKED = 40
COUNT_S = 0.02


async def test_facts_are_counted_in_a_small_share_of_the_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Counting takes the longer the more there are; what it found is told until it is due again."""
    counted = []

    def slowly(_: Transaction) -> dict[str, int]:
        time.sleep(COUNT_S)
        counted.append(len(counted) + 7)
        return {"words": counted[-1]}

    monkeypatch.setattr(rereading_lists, "facts_by_reader", slowly)
    async with program(tmp_path / "data") as running:
        began = time.monotonic()
        for _ in range(ASKED):
            told = await running.send("GET", "/metrics", anonymous=True)
            assert told.status == 200
            assert f'recollect_facts{{reader="words"}} {counted[-1]}.0' in told.body.decode()
        took = time.monotonic() - began
        assert len(counted) <= 1 + took / (100 * COUNT_S)
    async with program(tmp_path / "other") as running:
        before = len(counted)
        await running.send("GET", "/metrics", anonymous=True)
        assert len(counted) == before + 1, "another store is counted for itself"


@pytest.mark.parametrize("path", ["/docs/swagger-ui-bundle.js", "/", "/explorer/app.js"])
async def test_a_file_is_read_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    """Reading it each time would keep everybody else waiting."""
    async with program(tmp_path / "data") as running:
        first = await running.send("GET", path, anonymous=True)
        assert first.status == 200

        def refused(_: Path) -> bytes:
            raise OSError("it was read before")

        monkeypatch.setattr(Path, "read_bytes", refused)
        again = await running.send("GET", path, anonymous=True)
        assert again.body == first.body
