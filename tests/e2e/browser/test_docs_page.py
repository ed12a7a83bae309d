"""The documentation page in a real browser, where there is one."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.server import Server

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
QUIET = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-sync",
    "--disable-background-networking",
    "--disable-component-update",
    "--virtual-time-budget=10000",
]


def test_the_documentation_page_shows_the_routes(tmp_path: Path) -> None:
    """It is drawn from this server's own files and document, with no network."""
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        pytest.skip("no Chromium on PATH: the page is checked without a browser elsewhere")
    with Server(tmp_path / "data") as server:
        shown = subprocess.run(
            [
                browser,
                *QUIET,
                f"--user-data-dir={tmp_path / 'profile'}",
                "--dump-dom",
                f"{server.url}/docs",
            ],
            capture_output=True,
            text=True,
            timeout=90,
            check=True,
        ).stdout
    assert "Unable to render" not in shown
    assert "OAS 3.1" in shown
    assert "Memory for AI agents" in shown
