"""A browser that is there, and a page that is watched: nothing may go wrong in silence."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.contract.sdk.environments import ROOT

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
SHOTS = ROOT / ".cache" / "explorer"
_TURN_MS = 60  # in which a click or an address has reached the page
_GO = """hash => new Promise(done => {
  if (location.hash === hash) return done();
  addEventListener("hashchange", () => setTimeout(done), { once: true });
  location.hash = hash;
})"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Chromium, driven by Playwright; skips, and says why, where either is missing."""
    driver = pytest.importorskip(
        "playwright.sync_api",
        reason="playwright is not installed: `make setup` of the tests is due",
    )
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if program is None:
        pytest.skip(
            "no Chromium on PATH (`apt-get install chromium`): the explorer is not looked at"
        )
    with driver.sync_playwright() as playwright:
        started = playwright.chromium.launch(
            executable_path=program, args=["--no-sandbox", "--disable-quic"]
        )
        yield started
        started.close()


class Watched:
    """A page with the key of its tab, and all that it complained of or asked for."""

    def __init__(self, page: Any, url: str, name: str) -> None:
        self.page = page
        self.url = url
        self.name = name
        self.complaints: list[str] = []
        self.foreign: list[str] = []
        self.allowed: tuple[str, ...] = ()
        page.on("console", self._console)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("request", self._request)

    def _console(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(message.text)

    def _request(self, request: Any) -> None:
        if not request.url.startswith((self.url, "data:")):
            self.foreign.append(request.url)

    def sign_in(self, key: str) -> None:
        """Open the explorer and give it a key."""
        self.page.goto(f"{self.url}/")
        self.page.fill("#key", key)
        self.page.keyboard.press("Enter")
        self.page.wait_for_selector("nav.side")
        self.settle()

    def go(self, address: str) -> None:
        """Open an address behind the hash, and wait until it is there."""
        self.page.evaluate(_GO, address)
        self.settle()

    def settle(self) -> None:
        """Wait until nothing is loading any more."""
        self.page.wait_for_timeout(_TURN_MS)
        self.page.wait_for_selector(".loading", state="detached")
        self.page.wait_for_selector("html:not([data-asking])", state="attached")

    def title(self) -> str:
        """The heading of the page."""
        return str(self.page.inner_text("h1"))

    def shoot(self, name: str) -> Path:
        """A picture of the whole page."""
        path = SHOTS / f"{name}-{self.name}.png"
        self.page.screenshot(path=path, full_page=True)
        return path

    def check(self) -> None:
        """Nothing was complained of, and nothing was asked of anybody else."""
        loud = [one for one in self.complaints if not any(word in one for word in self.allowed)]
        assert loud == []
        assert self.foreign == []


@pytest.fixture
def watch(browser: Any) -> Callable[..., Any]:
    """Opens watched pages: of a server, at a width, in a theme."""

    @contextmanager
    def open_(url: str, width: int = 1280, theme: str = "light", **more: Any) -> Iterator[Watched]:
        SHOTS.mkdir(parents=True, exist_ok=True)
        context = browser.new_context(
            viewport={"width": width, "height": 800}, color_scheme=theme, **more
        )
        context.set_default_timeout(20_000)
        watched = Watched(context.new_page(), url, f"{width}-{theme}")
        try:
            yield watched
            watched.check()
        finally:
            context.close()

    return open_
