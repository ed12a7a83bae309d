"""Pages of other origins: none may ask unless the settings name them."""

from pathlib import Path

import pytest
from pydantic import ValidationError

from recollect.asgi import for_pages
from recollect.mcp.endpoint import PATH, Endpoint
from recollect.settings import Settings
from tests.support.asgi import Answer, Headers, Program, exchange, program

HERS, HIS = "https://app.example", "https://elsewhere.example"
ASKED = b"/api/v2/users-ordered"


async def ask(running: Program, method: str, path: bytes, origin: str, *more: str) -> Answer:
    """A request as a browser sends it for a page."""
    headers: Headers = [(b"origin", origin.encode()), (b"host", b"localhost")]
    if method == "OPTIONS":
        headers.append((b"access-control-request-method", b"POST"))
        headers.append((b"access-control-request-headers", b"authorization,content-type"))
    else:
        headers.append((b"authorization", f"Api-Key {running.key}".encode()))
    return await exchange(for_pages(running.app), method, path, b"", headers, [b""])


async def test_no_page_elsewhere_may_ask_by_default(tmp_path: Path) -> None:
    async with program(tmp_path / "data") as running:
        assert for_pages(running.app) is running.app
        asked = await ask(running, "GET", ASKED, HERS)
        before = await ask(running, "OPTIONS", ASKED, HERS)
    assert asked.header("access-control-allow-origin") is None
    assert before.status == 405
    assert before.header("access-control-allow-origin") is None


async def test_the_pages_that_are_named_may(tmp_path: Path) -> None:
    async with program(tmp_path / "data", cors_origins=f"{HERS}, http://localhost:3000") as running:
        asked = await ask(running, "GET", ASKED, HERS)
        before = await ask(running, "OPTIONS", ASKED, HERS)
        other = await ask(running, "GET", ASKED, HIS)
        refused = await ask(running, "OPTIONS", ASKED, HIS)
    assert (asked.status, asked.header("access-control-allow-origin")) == (200, HERS)
    assert "Retry-After" in (asked.header("access-control-expose-headers") or "")
    assert (before.status, before.header("access-control-allow-origin")) == (200, HERS)
    assert before.header("access-control-allow-credentials") is None
    assert "authorization" in (before.header("access-control-allow-headers") or "")
    assert other.header("access-control-allow-origin") is None
    assert refused.status == 400


async def test_a_page_that_is_named_may_reach_the_endpoint_of_tools(tmp_path: Path) -> None:
    async with program(tmp_path / "data", cors_origins=HERS) as running:
        running.app.mount(PATH, Endpoint(running.app.gate))
        hers = await ask(running, "GET", PATH.encode(), HERS)
        his = await ask(running, "GET", PATH.encode(), HIS)
    assert hers.status == 405, "past the check of origins; only POST is answered"
    assert (his.status, his.message.split(":")[0]) == (403, "Origin")


async def test_a_star_does_not_open_the_endpoint_of_tools(tmp_path: Path) -> None:
    """Every page may read with a key of its own; whom `/mcp` is asked by is still looked at."""
    async with program(tmp_path / "data", cors_origins="*") as running:
        running.app.mount(PATH, Endpoint(running.app.gate))
        assert (await ask(running, "GET", ASKED, HIS)).header("access-control-allow-origin") == "*"
        assert (await ask(running, "GET", PATH.encode(), HIS)).status == 403


@pytest.mark.parametrize(
    "wrong", ["app.example", "https://app.example/", "https://a:b@app.example"]
)
def test_what_is_no_origin_is_refused(wrong: str) -> None:
    with pytest.raises(ValidationError):
        Settings(cors_origins=wrong)
