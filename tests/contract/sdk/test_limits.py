"""Released clients run into a limit, wait as long as they are told, and get through."""

import time
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.contract.sdk.conftest import Clients
from tests.contract.sdk.drivers import ClientError, Zep
from tests.contract.sdk.environments import PY2, PY3, PY4, Client
from tests.contract.sdk.requirements import requirement
from tests.contract.sdk.support import unique
from tests.support.server import Server

LIMITS = {"RECOLLECT_KEY_REQUESTS_PER_S": "1", "RECOLLECT_KEY_REQUESTS_BURST": "2"}
# The one of generation 3 counts two tries more than it makes.
RETRIES: dict[Client, dict[str, Any]] = {
    PY2: {},
    PY3: {"request_options": {"max_retries": 6}},
    PY4: {"request_options": {"max_retries": 4}},
}


@pytest.fixture(scope="module")
def strict(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server that lets a key ask twice at once, and then once a second."""
    with Server(tmp_path_factory.mktemp("strict") / "data", environment=LIMITS) as running:
        yield running


def client_of(strict: Server, clients: Clients, client: Client) -> Zep:
    generation = "v4" if client.generation == 4 else "v2"
    return Zep(clients._driver(client), f"{strict.url}/api/{generation}", strict.api_key)


@requirement("v3:errors:429-says-when")
@pytest.mark.parametrize("client", list(RETRIES), ids=lambda client: client.name)
def test_a_client_that_retries_gets_through(
    client: Client, strict: Server, clients: Clients
) -> None:
    """It waits as long as it is told, and knows nothing of the limit."""
    zep = client_of(strict, clients, client)
    began = time.monotonic()
    for _ in range(5):
        make = zep.user.create if client.generation == 4 else zep.user.add
        make(user_id=unique("user"), **RETRIES[client])
    assert time.monotonic() - began > 2, "five requests, of which two are free, take three seconds"


@requirement("v3:errors:429-says-when")
def test_a_client_that_does_not_is_told_which_limit(strict: Server, clients: Clients) -> None:
    """The error names the limit and what it is."""
    zep = client_of(strict, clients, PY3)

    def add_many() -> None:
        for _ in range(5):
            zep.user.add(user_id=unique("user"))

    with pytest.raises(ClientError) as refused:
        add_many()
    assert refused.value.status == 429
    assert refused.value.body["message"].startswith("key_requests_per_s: 1 requests per second")


@requirement("v3:errors:429-says-when")
def test_the_answer_says_when_to_come_back(strict: Server) -> None:
    """In the header that every client looks at."""
    with strict.http() as http:
        answers = [http.get("users-ordered") for _ in range(4)]
    refused = [answer for answer in answers if answer.status_code == httpx.codes.TOO_MANY_REQUESTS]
    assert refused
    assert {answer.headers["Retry-After"] for answer in refused} == {"1"}
