"""The real server reads episodes: with no network by default, with one call each when told to."""

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import psutil

from tests.support.scripted_model import Request, ScriptedModel, Step, answers
from tests.support.server import EXTRACTION_ON, Server

# Python runs this at the start of every process, before anything of the program is imported.
WATCH = """
import os, sys

def _watch(event, args):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.sendto"):
        with open(os.environ["WATCHED"], "a") as log:
            log.write(f"{event} {args[1:] if event == 'socket.connect' else args}\\n")

with open(os.environ["WATCHED"], "a") as log:
    log.write(f"process {os.getpid()}\\n")
sys.addaudithook(_watch)
"""
SAID = (
    "I work at Northwind as a nurse.",
    "My sister Emma lives in Oslo.",
    "I like hiking, pottery and chess.",
)
READ_S_MAX = 60.0


def until(true: Callable[[], bool]) -> None:
    """Wait until something holds."""
    deadline = time.monotonic() + READ_S_MAX
    while not true():
        assert time.monotonic() < deadline, "it took too long"
        time.sleep(0.05)


def talk(http: httpx.Client, *contents: str) -> None:
    """A user who says something."""
    http.post("/users", json={"user_id": "jane", "first_name": "Jane"}).raise_for_status()
    http.post("/threads", json={"thread_id": "t", "user_id": "jane"}).raise_for_status()
    messages = [{"role": "user", "name": "Jane", "content": content} for content in contents]
    http.post("/threads/t/messages", json={"messages": messages}).raise_for_status()


def facts(http: httpx.Client) -> list[dict[str, Any]]:
    """What was learned, without the profile."""
    found = http.post("/graph/edge/user/jane", json={}).raise_for_status().json()
    return [edge for edge in found if edge["episodes"]]


def processed(http: httpx.Client) -> bool:
    """Whether every episode was read."""
    found = http.get("/graph/episodes/user/jane", params={"lastn": 50}).raise_for_status().json()
    return bool(found["episodes"]) and all(item["processed"] for item in found["episodes"])


def test_by_default_no_connection_is_opened(tmp_path: Path) -> None:
    """Not by the server, and not by the process that reads."""
    (tmp_path / "hooks").mkdir()
    (tmp_path / "hooks" / "sitecustomize.py").write_text(WATCH)
    log = tmp_path / "watched"
    environment = {
        **EXTRACTION_ON,
        "PYTHONPATH": str(tmp_path / "hooks"),
        "WATCHED": str(log),
    }
    with Server(tmp_path / "data", environment=environment) as server, server.http() as http:
        talk(http, *SAID)
        until(lambda: processed(http))
        assert {edge["name"] for edge in facts(http)} >= {"WORKS_AT", "LIVES_IN", "LIKES"}
    lines = log.read_text().splitlines()
    assert sum(line.startswith("process ") for line in lines) >= 2
    assert [line for line in lines if not line.startswith("process ")] == []


def one_fact(request: Request) -> Step:
    """A good answer, whatever was asked."""
    entities = [
        {"name": name, "known_id": None, "rename_to": None, "kind": kind, "label": None}
        | {"aliases": [], "attributes": []}
        for name, kind in (("Jane", "person"), (f"thing {len(request.user)}", "object"))
    ]
    fact = {
        "quote": None,
        "source": 0,
        "target": 1,
        "relation": "LIKES",
        "sentence": f"Jane likes thing {len(request.user)}",
        "mood": "stated",
        "negated": False,
        "stopped": False,
        "same_as": None,
        "replaces": [],
        "ends": [],
        "corrects": [],
        "valid_at": None,
        "invalid_at": None,
        "event_time": None,
        "slot": None,
        "attributes": [],
        "rating": None,
    }
    return answers({"entities": entities, "facts": [fact]})


def model_environment(model: ScriptedModel, **more: str) -> dict[str, str]:
    """A server that reads with this model."""
    return {
        **EXTRACTION_ON,
        "RECOLLECT_LLM_URL": model.url,
        "RECOLLECT_LLM_MODEL": "scripted",
        **more,
    }


def metric(server: Server, name: str) -> float:
    """The value of a metric, 0 when it was never counted."""
    for line in httpx.get(f"{server.url}/metrics").text.splitlines():
        if line.startswith(f"{name} "):
            return float(line.split()[-1])
    return 0.0


def test_with_a_model_there_is_one_call_per_episode(tmp_path: Path) -> None:
    """Messages, text and JSON alike; counted, with their tokens."""
    with (
        ScriptedModel(otherwise=one_fact) as model,
        Server(tmp_path / "data", environment=model_environment(model)) as server,
        server.http() as http,
    ):
        talk(http, *SAID)
        for kind, data in (("text", "Jane is tall."), ("json", json.dumps({"name": "Jane"}))):
            body = {"user_id": "jane", "type": kind, "data": data}
            http.post("/graph", json=body).raise_for_status()
        until(lambda: processed(http))
        assert len(model.requests) == 5
        assert len(facts(http)) == 5
        assert {edge["name"] for edge in facts(http)} == {"LIKES"}
        assert metric(server, 'recollect_model_calls_total{outcome="answered"}') == 5
        assert metric(server, 'recollect_model_tokens_total{kind="input"}') == 500


def test_a_stop_in_the_middle_of_reading_leaves_nothing_behind(tmp_path: Path) -> None:
    """No process, no failure; the next start reads what was left."""
    server = Server(tmp_path / "data", environment=EXTRACTION_ON)
    with server, server.http() as http:
        talk(http, *SAID * 6)
        until(lambda: bool(psutil.Process(server.pid).children()))
        children = psutil.Process(server.pid).children(recursive=True)
        assert server.stop() == 0
        until(lambda: not any(child.is_running() for child in children))
    with server, server.http() as http:
        until(lambda: processed(http))
        names = [edge["name"] for edge in facts(http)]
        assert {"WORKS_AT", "LIVES_IN", "LIKES"} <= set(names)
        assert names.count("WORKS_AT") == 1
        assert metric(server, 'recollect_jobs_total{outcome="retried"}') == 0
