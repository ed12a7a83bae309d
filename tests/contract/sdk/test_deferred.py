"""What this release does not do yet says so: 501 and a message that names the method."""

import re
from typing import Any

import httpx
import pytest

from tests.contract.sdk.drivers import ClientError, Zep
from tests.contract.sdk.requirements import BASE_PATH, REQUIREMENTS, is_method, requirement
from tests.contract.sdk.support import NOBODY

PROJECT = {"project_id": NOBODY}

# The arguments a call cannot be made without, per method; path parameters are filled in by name.
NEEDED: dict[str, dict[str, Any]] = {
    "v3:user_group.attach_policy_set": {**PROJECT, "policy_set_uuid": NOBODY},
    "v3:user_group.detach_policy_set": PROJECT,
}

DEFERRED = sorted(name for name, entry in REQUIREMENTS.items() if entry.deferred)
DEFERRED_CALLS = [name for name in DEFERRED if is_method(name)]


def path_names(http: str) -> list[str]:
    """The names of the parameters in a route's path."""
    return re.findall(r"\{(\w+)\}", http)


def through_the_client(py3: Zep, method: str, args: list[str], kwargs: dict[str, Any]) -> str:
    """Call a method of generation 3; answer the message of its 501."""
    with pytest.raises(ClientError) as raised:
        py3.call(method, tuple(args), kwargs, raw=False)
    assert raised.value.status == 501, str(raised.value)
    assert isinstance(raised.value.body, dict)
    message: str = raised.value.body["message"]
    return message


def over_http(http: httpx.Client, route: str, body: dict[str, Any]) -> str:
    """Send what generation 2 would, which repeats a 501 for 15 s; answer the message."""
    verb, path = re.sub(r"\{\w+\}", NOBODY, route).split(" ")
    answer = http.request(verb, path.removeprefix(BASE_PATH), json=body)
    assert answer.status_code == 501, answer.text
    message: str = answer.json()["message"]
    return message


@pytest.mark.parametrize("name", DEFERRED_CALLS)
@requirement(*DEFERRED)
def test_a_deferred_method_says_so_by_name(name: str, py3: Zep, http: httpx.Client) -> None:
    """The caller learns which method is not there yet, instead of getting an empty answer."""
    generation, method = name.split(":")[:2]
    route = REQUIREMENTS[f"{generation}:{method}"].http
    assert route is not None
    args, kwargs = [NOBODY] * len(path_names(route)), NEEDED.get(name, {})
    if generation == "v3":
        message = through_the_client(py3, method, args, kwargs)
    else:
        message = over_http(http, route, kwargs)
    assert method in message


@requirement(*DEFERRED)
def test_no_other_gap_is_silent() -> None:
    """Every gap answers 501, so none can be mistaken for an answer."""
    assert set(DEFERRED) - set(DEFERRED_CALLS) == set()
