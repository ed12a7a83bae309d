"""Two servers on one database: what one of them changes, the other knows with its next answer."""

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support import postgres
from tests.support.server import Server, program_environment, run_program

NOTICED_S = 1.1  # what a key may do is asked for again after a second
HIDES_RED = {
    "policy_set": {
        "name": "no-red",
        "mode": "enforce",
        "spec": {
            "policies": [
                {
                    "id": "no-red",
                    "type": "authorization",
                    "effect": "deny",
                    "actions": ["readonly"],
                    "attributes": {"team": ["red"]},
                }
            ]
        },
    }
}


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> str:
    """An empty database."""
    return postgres.database_of(tmp_path_factory.mktemp("two"))


@pytest.fixture(scope="module")
def servers(url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Server]]:
    """Two servers, each with a worker."""
    base = tmp_path_factory.mktemp("servers")
    environment = {"RECOLLECT_STORE": url, "RECOLLECT_WORKERS": "1"}
    both = [Server(base / name, environment=environment) for name in ("one", "other")]
    try:
        for server in both:
            server.start()
        yield both
    finally:
        for server in both:
            server.kill()


def _command(url: str, *words: str) -> str:
    done = run_program(*words, environment=program_environment(RECOLLECT_STORE=url), timeout=120)
    assert done.returncode == 0, done.stderr + done.stdout
    return done.stdout


def _new_key(url: str, name: str) -> dict[str, str]:
    words = ("key", "create", "--project", "default", "--name", name, "--json")
    made: dict[str, str] = json.loads(_command(url, *words))
    return made


def _seen(server: Server, key: str, graph: str) -> list[str]:
    """What a key is told by a search and by a list."""
    with server.http(key) as http:
        found = http.post(
            "/graph/search", json={"graph_id": graph, "query": "the kite", "scope": "episodes"}
        )
        listed = http.get(f"/graph/episodes/graph/{graph}", params={"lastn": 10})
    assert found.is_success, found.text
    assert listed.is_success, listed.text
    told = [one["content"] for one in found.json().get("episodes") or []]
    assert sorted(told) == sorted(one["content"] for one in listed.json()["episodes"])
    return sorted(told)


def _add(server: Server, graph: str, text: str, team: str) -> None:
    with server.http() as http:
        answer = http.post(
            "/graph",
            json={"graph_id": graph, "type": "text", "data": text, "metadata": {"team": team}},
        )
        assert answer.is_success, answer.text
        uuid = answer.json()["uuid"]
        for _ in range(600):
            if http.get(f"/graph/episodes/{uuid}").json()["processed"]:
                return
    pytest.fail("the episode was not processed")


def test_a_policy_holds_at_once_in_both(servers: list[Server], url: str, tmp_path: Path) -> None:
    """Both have the graph in memory when the rule comes, and when it goes."""
    one, other = servers
    made = _new_key(url, "narrow")
    rules = tmp_path / "rules.json"
    rules.write_text(json.dumps(HIDES_RED))
    with one.http() as http:
        assert http.post("/graph/create", json={"graph_id": "toys"}).is_success
    _add(one, "toys", "The kite is red.", "red")
    _add(other, "toys", "The kite is blue.", "blue")
    both = ["The kite is blue.", "The kite is red."]
    assert [_seen(server, made["key"], "toys") for server in servers] == [both, both]
    _command(url, "policy", "apply", str(rules))
    _command(url, "policy", "attach", "no-red", "--key", made["id"])
    time.sleep(NOTICED_S)
    assert [_seen(server, made["key"], "toys") for server in servers] == [both[:1], both[:1]]
    assert _seen(other, other.api_key, "toys") == both
    _command(url, "policy", "detach", "no-red", "--key", made["id"])
    time.sleep(NOTICED_S)
    assert [_seen(server, made["key"], "toys") for server in servers] == [both, both]


def test_what_one_forgets_the_other_does_not_tell(servers: list[Server]) -> None:
    """A search of the other finds nothing of it, and a key that is revoked opens neither."""
    one, other = servers
    with one.http() as http:
        assert http.post("/graph/create", json={"graph_id": "secrets"}).is_success
    _add(one, "secrets", "The kite has a secret.", "blue")
    assert _seen(other, other.api_key, "secrets") == ["The kite has a secret."]
    with one.http() as http:
        uuid = http.get("/graph/episodes/graph/secrets").json()["episodes"][0]["uuid"]
        assert http.delete(f"/graph/episodes/{uuid}").is_success
    assert _seen(other, other.api_key, "secrets") == []


def test_a_revoked_key_opens_neither(servers: list[Server], url: str) -> None:
    """At once, though both have answered it."""
    made = _new_key(url, "short-lived")
    for expected in (200, 401):
        for server in servers:
            with server.http(made["key"]) as http:
                assert http.get("/users-ordered").status_code == expected
        if expected == 200:
            _command(url, "key", "revoke", made["id"])
            time.sleep(NOTICED_S)


def test_work_left_at_one_is_done_when_that_one_dies(servers: list[Server]) -> None:
    """The other's workers hear of it, and go on."""
    one, other = servers
    with other.http() as http:
        assert http.post("/graph/create", json={"graph_id": "left"}).is_success
    one.kill()
    _add(other, "left", "The kite is left.", "blue")
    one.start()
    assert _seen(one, one.api_key, "left") == ["The kite is left."]
