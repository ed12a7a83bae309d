"""One real server for the whole session, and in it the memory of a user that tests read."""

from collections.abc import Iterator

import pytest

from tests.contract.mcp.story import Story
from tests.support.server import EXTRACTION_ON, Server


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The program under test, on an empty data directory, reading what it is told."""
    place = tmp_path_factory.mktemp("mcp") / "data"
    with Server(place, environment=EXTRACTION_ON, options=("--workers", "1")) as running:
        yield running


@pytest.fixture(scope="session")
def story(server: Server) -> Story:
    """What the server was told; tests that change it tell more under names of their own."""
    return Story.told(server)
