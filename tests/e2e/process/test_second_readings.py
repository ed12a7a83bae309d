"""The real server and command line: outages heal, and any program can be the reader."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.e2e.process.test_reading import (
    SAID,
    facts,
    metric,
    model_environment,
    one_fact,
    processed,
    talk,
    until,
)
from tests.support.scripted_model import ScriptedModel, answers, fails
from tests.support.second_readings import likes
from tests.support.server import EXTRACTION_ON, Server, program_environment, run_program

ROOT = Path(__file__).parents[3]
FAST = {"RECOLLECT_JOB_ATTEMPTS_MAX": "3", "RECOLLECT_JOB_BACKOFF_FIRST_S": "0.05"}
AGENT = {**EXTRACTION_ON, "RECOLLECT_READER": "agent"}
# A program that reads: says who likes what, if it was asked in the form that is documented.
READER = """
import json, sys
asked = json.load(sys.stdin)
assert sorted(asked) == ["schema", "system", "user"], asked
assert asked["schema"]["required"], asked
print(json.dumps({answer}))
"""


def owed(server: Server, http: httpx.Client, status: str | None = None) -> list[dict[str, Any]]:
    """What waits for another reading, or is parked."""
    query = {} if status is None else {"status": status}
    found = http.get(f"{server.url}/api/v1/readings", params=query).raise_for_status().json()
    return list(found["readings"])


def command(server: Server, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """A command on the server's folder."""
    return run_program(
        *words,
        "--data",
        str(server.data),
        environment=program_environment(**environment),
        timeout=120,
    )


def test_an_outage_heals_by_itself(tmp_path: Path) -> None:
    """What was told meanwhile is read at once without the model, and again when it is back."""
    down = [fails(503)] * 2
    with (
        ScriptedModel(down, otherwise=one_fact) as model,
        Server(tmp_path / "data", environment=model_environment(model, **FAST)) as server,
        server.http() as http,
    ):
        talk(http, *SAID)
        until(lambda: processed(http))
        until(lambda: not owed(server, http))
        assert metric(server, 'recollect_readings_waiting{reader="model"}') == 0
        assert metric(server, 'recollect_readings_parked{reader="model"}') == 0
        assert metric(server, "recollect_jobs_parked") == 0
        told = httpx.get(f"{server.url}/metrics").text
        assert 'recollect_facts{reader="' in told
        assert len(model.requests) >= len(down) + len(SAID)


def test_an_answer_out_of_shape_is_retried_then_parked_in_sight(tmp_path: Path) -> None:
    """The episode keeps its first reading, the operator is told why and can try again."""
    with (
        ScriptedModel(otherwise=lambda _: answers({"facts": "none"})) as model,
        Server(tmp_path / "data", environment=model_environment(model, **FAST)) as server,
        server.http() as http,
    ):
        talk(http, SAID[0])
        until(lambda: metric(server, 'recollect_readings_parked{reader="model"}') == 1)
        assert processed(http)
        assert "WORKS_AT" in {edge["name"] for edge in facts(http)}
        assert metric(server, "recollect_jobs_parked") == 0
        asked = len(model.requests)
        (parked,) = owed(server, http, "parked")
        assert "out of shape" in parked["error"]
        assert parked["attempts"] == 3
        listed = command(server, "readings", "--json")
        assert json.loads(listed.stdout)[0]["status"] == "parked"
        done = command(server, "readings", "retry", parked["episode_uuid"])
        assert done.returncode == 0, done.stderr
        until(lambda: len(model.requests) > asked)


@pytest.fixture
def agents(tmp_path: Path) -> Iterator[tuple[Server, httpx.Client]]:
    """A server whose episodes agents read, with three of them waiting."""
    with Server(tmp_path / "data", environment=AGENT) as server, server.http() as http:
        talk(http, *SAID)
        until(lambda: processed(http))
        until(lambda: len(owed(server, http)) == len(SAID))
        yield server, http


def script(folder: Path, text: str) -> str:
    """A program of this text, as words for a shell."""
    path = folder / "reader.py"
    path.write_text(text)
    return f"{sys.executable} {path}"


def test_any_program_can_be_the_reader(agents: tuple[Server, httpx.Client], tmp_path: Path) -> None:
    """Beside a running server; one after the other, until nothing waits."""
    server, http = agents
    reader = script(tmp_path, READER.replace("{answer}", repr(likes())))
    one = command(server, "read", "--with", reader, "--limit", "1", "--json", **AGENT)
    assert json.loads(one.stdout) == {"read": 1, "facts": 1, "failed": 0, "left": 2}, one.stderr
    rest = command(server, "read", "--with", reader, "--all", "--user", "jane", **AGENT)
    assert rest.returncode == 0, rest.stderr
    assert "read 2 episodes, 2 facts; 0 wait" in rest.stdout
    assert owed(server, http) == []
    nothing = command(server, "read", "--with", reader, "--all", **AGENT)
    assert nothing.returncode == 3


def test_the_local_reader_of_the_examples_asks_a_model(
    agents: tuple[Server, httpx.Client],
) -> None:
    """A small script between the command and a local model, as the page shows it."""
    server, http = agents
    with ScriptedModel(otherwise=one_fact) as model:
        reader = f"{sys.executable} {ROOT / 'examples' / 'local_reader.py'} {model.url} m"
        done = command(server, "read", "--with", reader, "--all", **AGENT)
        assert "read 3 episodes, 3 facts; 0 wait" in done.stdout, done.stderr
        assert len(model.requests) == 3
        assert owed(server, http) == []


def test_a_program_that_fails_is_told_and_asked_no_more(
    agents: tuple[Server, httpx.Client], tmp_path: Path
) -> None:
    """By its exit code, by what it prints, or because it is not there."""
    server, http = agents
    for text, told in (
        ("import sys; sys.exit('no model here')", "ended with code 1: no model here"),
        ("print('Sure! Here is the JSON')", "printed no JSON"),
        ("print('{\"facts\": 1}')", "out of shape"),
    ):
        done = command(server, "read", "--with", script(tmp_path, text), "--all", **AGENT)
        assert done.returncode == 1
        assert told in done.stderr
    done = command(server, "read", "--with", str(tmp_path / "nothing"), **AGENT)
    assert done.returncode == 1
    assert "cannot start" in done.stderr
    assert owed(server, http), "what is left can still be read"


def test_the_doctor_asks_the_endpoint(tmp_path: Path) -> None:
    """It says whether there is an answer, and if not, what is wrong."""
    server = Server(tmp_path / "data")
    for step, says in (
        (answers({"alive": True}), "answered within"),
        (answers({"ok": 1}), "out of shape"),
        (fails(401), "does not accept RECOLLECT_LLM_KEY"),
    ):
        with ScriptedModel([step]) as model:
            done = command(server, "doctor", "--json", **model_environment(model))
            told = {one["what"]: one for one in json.loads(done.stdout)}
            assert says in told["language model"]["says"]
    done = command(server, "doctor", "--json", **model_environment(model))
    told = {one["what"]: one for one in json.loads(done.stdout)}
    assert told["language model"]["state"] == "wrong"
    assert "cannot be reached" in told["language model"]["says"]
