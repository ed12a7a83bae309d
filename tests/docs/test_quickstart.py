"""The examples people try first are run as they are printed, but for the address and the key."""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.contract.sdk.environments import (
    JS3,
    PY2,
    PY3,
    Client,
    NodeUnavailable,
    client_environment,
    driver_command,
)
from tests.docs.reference import ROOT
from tests.support.server import EXTRACTION_ON, Server

pytestmark = pytest.mark.sdk

EXAMPLES = [
    ("README.md", 0, PY3, "Olive", 3),
    ("docs/quickstart.md", 0, PY3, "Lisbon", 3),
    ("docs/quickstart.md", 1, PY2, "Lisbon", 1),
    ("docs/quickstart.md", 2, JS3, "Lisbon", 1),
]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    """An empty server for each example."""
    with Server(tmp_path / "data", environment=EXTRACTION_ON) as running:
        yield running


def example(page: str, number: int, server: Server) -> str:
    """The code of a page, pointed at the server under test."""
    text = (ROOT / page).read_text(encoding="utf-8")
    code = re.findall(r"```(?:python|js)\n(.*?)```", text, re.DOTALL)[number]
    code = code.replace("http://127.0.0.1:8000", server.url)
    return re.sub(r"the key that make run printed|my-own-secret-key", server.api_key, code)


def interpreter_and_folder(client: Client) -> tuple[str, Path]:
    """What runs a client's code, and a folder from which its packages are found."""
    try:
        words = driver_command(client)
    except NodeUnavailable as reason:
        pytest.skip(str(reason))
    return words[0], Path(words[-1]).parent if client is JS3 else Path(words[0]).parent


@pytest.mark.parametrize(("page", "number", "client", "recalled", "times"), EXAMPLES)
def test_an_example_of_the_docs_runs_as_printed(
    page: str,
    number: int,
    client: Client,
    recalled: str,
    times: int,
    server: Server,
    tmp_path: Path,
) -> None:
    """It ends well and shows what it had the server remember."""
    interpreter, folder = interpreter_and_folder(client)
    path = folder / f"example-{tmp_path.name}{'.mjs' if client is JS3 else '.py'}"
    path.write_text(example(page, number, server), encoding="utf-8")
    try:
        done = subprocess.run(
            [interpreter, str(path)],
            env=client_environment(),
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    finally:
        path.unlink()
    assert done.returncode == 0, done.stderr
    # As often as the example prints what it recalls.
    assert done.stdout.count(recalled) >= times
