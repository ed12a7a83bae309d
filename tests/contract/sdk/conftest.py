"""One real server and one driver per released client for the whole session.

Tests are independent of order: each makes its own users, threads and graphs under unique ids.
"""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest

from tests.contract.sdk.drivers import Driver, Zep
from tests.contract.sdk.environments import (
    JS2,
    JS3,
    MM,
    PY2,
    PY3,
    PY4,
    ZEP_CLIENTS,
    Client,
    NodeUnavailable,
)
from tests.contract.sdk.memmachine import MemMachine, Place
from tests.contract.sdk.support import eventually, unique
from tests.support.server import EXTRACTION_ON, Server

HERE = Path(__file__).resolve().parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Everything here drives a released client."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.sdk)


class Clients:
    """The drivers that were asked for so far, bound to the server of this session."""

    def __init__(self, server: Server, logs: Path, drivers: ExitStack) -> None:
        self._server = server
        self._logs = logs
        self._drivers = drivers
        self._started: dict[str, Driver] = {}

    def get(self, client: Client) -> Zep:
        """The client with the default project's key; skips when there is no node to run it."""
        generation = "v4" if client.generation == 4 else "v2"
        address = f"{self._server.url}/api/{generation}"
        return Zep(self._driver(client), address, self._server.api_key)

    def memmachine(self) -> MemMachine:
        """The MemMachine client with the same key; it is given the bare origin."""
        return MemMachine(self._driver(MM), self._server.url, self._server.api_key)

    def _driver(self, client: Client) -> Driver:
        if client.name not in self._started:
            try:
                driver = Driver(client, self._logs / f"{client.name}.log")
            except NodeUnavailable as reason:
                pytest.skip(str(reason))
            self._started[client.name] = self._drivers.enter_context(driver)
        return self._started[client.name]


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The program under test, on an empty data directory, reading what it is told."""
    place = tmp_path_factory.mktemp("sdk") / "data"
    with Server(place, environment=EXTRACTION_ON) as running:
        yield running


@pytest.fixture(scope="session")
def awake(server: Server) -> None:
    """The first write loads the models, which may take longer than an answer is held back."""
    met = {"fact": "Paul met Eric", "fact_name": "MET"}
    ends = {"source_node_name": "Paul", "target_node_name": "Eric"}
    with server.http() as http:
        graph = unique("first")
        http.post("/graph/create", json={"graph_id": graph})
        sent = {**met, **ends, "graph_id": graph}
        task = http.post("/graph/add-fact-triple", json=sent).json()
        eventually(
            lambda: http.get(f"/tasks/{task['task_id']}").json(),
            lambda found: found["status"] == "succeeded",
        )


@pytest.fixture(scope="session")
def clients(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Clients]:
    """Drivers started on demand and ended with the session."""
    with ExitStack() as drivers:
        yield Clients(server, tmp_path_factory.mktemp("drivers"), drivers)


def _name(client: Client) -> str:
    return client.name


@pytest.fixture(params=[PY2, JS2], ids=_name)
def zep2(request: pytest.FixtureRequest, clients: Clients) -> Zep:
    """Generation 2, once per language."""
    return clients.get(request.param)


@pytest.fixture(params=[PY3, JS3], ids=_name)
def zep3(request: pytest.FixtureRequest, clients: Clients) -> Zep:
    """Generation 3, once per language."""
    return clients.get(request.param)


@pytest.fixture(params=ZEP_CLIENTS, ids=_name)
def zep(request: pytest.FixtureRequest, clients: Clients) -> Zep:
    """Both generations in both languages, for calls they share."""
    return clients.get(request.param)


@pytest.fixture
def py2(clients: Clients) -> Zep:
    """The Python client of generation 2."""
    return clients.get(PY2)


@pytest.fixture
def py3(clients: Clients) -> Zep:
    """The Python client of generation 3."""
    return clients.get(PY3)


@pytest.fixture
def zep4(clients: Clients, awake: None) -> Zep:
    """The Python client of generation 4, the only one that there is of it."""
    return clients.get(PY4)


@pytest.fixture
def mm(clients: Clients) -> MemMachine:
    """The MemMachine client."""
    return clients.memmachine()


@pytest.fixture
def place(mm: MemMachine) -> Place:
    """A project nobody else uses; it comes into being with the first thing said in it."""
    return Place(mm)


@pytest.fixture
def http(server: Server) -> Iterator[httpx.Client]:
    """Plain HTTP with the default project's key, for what no client would send."""
    with server.http() as client:
        yield client
