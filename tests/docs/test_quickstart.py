"""The examples people try first are run as they are printed, but for the address and the key."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.contract.sdk.environments import JS3, PY2, PY3, PY4, Client
from tests.docs.programs import blocks, said_with
from tests.support.server import EXTRACTION_ON, Server

pytestmark = pytest.mark.sdk

EXAMPLES = [
    ("Python, generation 4", PY4, 4),
    ("Python, generation 3 (threads)", PY3, 3),
    ("Python, generation 2 (sessions)", PY2, 1),
    ("TypeScript, generation 3", JS3, 1),
]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    """An empty server for each example."""
    with Server(tmp_path / "data", environment=EXTRACTION_ON) as running:
        yield running


@pytest.mark.parametrize(("heading", "client", "times"), EXAMPLES)
def test_an_example_of_the_page_runs_as_printed(
    heading: str, client: Client, times: int, server: Server
) -> None:
    """It ends well and shows what it had the server remember."""
    (code,) = [text for above, _, text in blocks("docs/quickstart.md") if above == heading]
    code = code.replace("http://127.0.0.1:8000", server.url)
    said = said_with(client, code.replace("my-own-secret-key", server.api_key))
    # As often as the example prints what it recalls.
    assert said.count("Lisbon") >= times
