"""By which names `/mcp` may be asked for, and by pages of whom: no page can lead its own name here."""

from pathlib import Path

import pytest

from recollect.mcp.endpoint import PATH, Endpoint
from tests.support.asgi import Headers, exchange, program

GOOD_HOSTS = [
    "localhost",
    "localhost:8000",
    "127.0.0.1:8000",
    "[::1]:8000",
    "10.1.2.3",
    "memory.lan",
]
BAD_HOSTS = [
    "attacker.example",
    "localhost.attacker.example",
    "memory.lan.attacker.example",
    "a@b",
    "",
]
GOOD_ORIGINS = ["http://localhost:6274", "http://127.0.0.1:1", "https://memory.lan"]
BAD_ORIGINS = [
    "https://attacker.example",
    "null",
    "http://10.9.9.9",
    "https://memory.lan.evil.example",
]


async def status(folder: Path, *headers: tuple[str, str]) -> int:
    """How a GET is answered: 405 once it is past the check, 403 if it is not."""
    async with program(folder, mcp_hosts="memory.lan, other.lan") as running:
        running.app.mount(PATH, Endpoint(running.app.gate))
        sent: Headers = [(name.encode(), value.encode()) for name, value in headers]
        sent.append((b"authorization", f"Api-Key {running.key}".encode()))
        answer = await exchange(running.app, "GET", PATH.encode(), b"", sent, [b""])
        return answer.status


@pytest.mark.parametrize(
    ("host", "wanted"), [*((h, 405) for h in GOOD_HOSTS), *((h, 403) for h in BAD_HOSTS)]
)
async def test_the_name_it_is_asked_for_by_is_known(host: str, wanted: int, tmp_path: Path) -> None:
    assert await status(tmp_path / "data", ("host", host)) == wanted


@pytest.mark.parametrize(
    ("origin", "wanted"), [*((o, 405) for o in GOOD_ORIGINS), *((o, 403) for o in BAD_ORIGINS)]
)
async def test_the_page_that_asks_is_one_of_its_own(
    origin: str, wanted: int, tmp_path: Path
) -> None:
    headers = (("host", "localhost:8000"), ("origin", origin))
    assert await status(tmp_path / "data", *headers) == wanted


async def test_two_names_are_none(tmp_path: Path) -> None:
    assert await status(tmp_path / "data", ("host", "localhost"), ("host", "x.example")) == 403
