"""What anybody may ask without a key costs little, however often they do."""

import time
from pathlib import Path

import pytest

from recollect.ingest import rereadings
from recollect.limits import REFUSAL_CHARS_MAX
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

    monkeypatch.setattr(rereadings, "facts_by_reader", slowly)
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


async def test_a_refusal_does_not_send_everything_back(tmp_path: Path) -> None:
    """However much it has to quote."""
    tags = [f"tag{number}" for number in range(50_000)]
    async with program(tmp_path / "data") as running:
        await running.send("POST", "/api/v2/projects", {"org_id": "o", "project_id": "p"})
        asked = {"org_id": "o", "project_id": "p", "metadata_tags": tags}
        told = await running.send("POST", "/api/v2/memories/semantic/set_id/get", asked)
        assert told.status == 422
        assert "metadata_tags: tag0, tag1" in told.message
        assert len(told.body) < 2 * REFUSAL_CHARS_MAX
