"""Session logs: the library against the bare cost of `json` on the same data, then the server."""

import json
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from recollect.session_log import Episodic, assemble
from tests.bench.load import drive, request
from tests.support.server import Server

_TEXT = "I have been thinking about the move to Lisbon, and Emma found a flat near the river. "
_APPENDED = 20_000
_LONG = 1_000_000
_ASSEMBLED = 10_000
_READS = 200
_SERVED = 1_000


def _item(number: int) -> dict[str, Any]:
    return {"type": "message", "role": "user", "content": f"{_TEXT}{number}", "name": "Bo"}


def _seconds(work: Callable[[], Any]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def _filled(items: list[dict[str, Any]]) -> Episodic:
    log = Episodic()
    for item in items:
        log.append_items([item], source="user", turn_id="t")
    return log


def _wire(items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    meta = {"source": "user", "turnId": "t"}
    return [
        {"id": number, "type": "item", "meta": meta, "payload": {"item": item}}
        for number, item in enumerate(items, 1)
    ]


def _library(rounds: int) -> dict[str, list[tuple[float, float]]]:
    """Seconds of the library and of `json`, in turn, for the same episodes."""
    items = [_item(number) for number in range(_APPENDED)]
    wire = _wire(items)
    log = _filled(items)
    lines = [json.dumps(one) for one in wire]
    text = log.to_jsonl()
    found: dict[str, list[tuple[float, float]]] = {}
    for _ in range(rounds):
        writing = _seconds(lambda: [json.dumps(one) for one in wire])
        reading = _seconds(lambda: [json.loads(line) for line in lines])
        found.setdefault("append", []).append((_seconds(lambda: _filled(items)), writing))
        found.setdefault("full-log read", []).append(
            (_seconds(lambda: log.read(from_id=0)), reading)
        )
        found.setdefault("to_jsonl", []).append((_seconds(log.to_jsonl), writing))
        found.setdefault("from_jsonl", []).append(
            (_seconds(lambda: Episodic.from_jsonl(text)), reading)
        )
    return found


def _in_a_long_log() -> dict[str, float]:
    """Milliseconds of reads of 100 from a million, and of forking it."""
    item = _item(0)
    log = Episodic()
    log.append_items([item] * _LONG, source="user")
    kinds: dict[str, Callable[[], Any]] = {
        "latest 100 of 1e6": log.read,
        "100 items of 1e6": lambda: log.read(limit=100, type="item"),
        "100 of 1e6 past an id": lambda: log.read(from_id=_LONG - 100),
        "fork of 1e6": log.fork,
    }
    return {
        name: statistics.median(_seconds(work) for _ in range(_READS)) * 1000
        for name, work in kinds.items()
    }


def _assembling(rounds: int) -> float:
    """Milliseconds to assemble a log with messages, calls and outputs."""
    log = Episodic()
    for number in range(_ASSEMBLED // 4):
        call = {"type": "function_call", "call_id": str(number), "name": "f", "arguments": "{}"}
        output = {"type": "function_call_output", "call_id": str(number), "output": _TEXT * 3}
        log.append_items([_item(number), call, output], source="model", turn_id=str(number))
        log.append_event("turn.usage", {"inputTokens": 9, "outputTokens": 1, "totalTokens": 10})
    times = [
        _seconds(lambda: assemble(log.episodes, context_length=100, max_output_tokens=10))
        for _ in range(max(rounds, 5))
    ]
    return statistics.median(times) * 1000


def _served(folder: Path, seconds: float) -> dict[str, dict[str, float]]:
    """Appends and reads per second over HTTP, for the record."""
    with Server(folder / "logs") as server, server.http() as http:
        sessions = f"{server.url}/api/v1/sessions"
        episode = {"type": "item", "payload": {"item": _item(0)}, "meta": {"source": "user"}}
        for number in range(8):
            http.post(sessions, json={"session_id": f"s{number}"}).raise_for_status()
        filling = {"episodes": [episode] * _SERVED}
        http.post(f"{sessions}/s0/log", json=filling).raise_for_status()
        body = json.dumps({"episodes": [episode]}).encode()
        append = [
            request("POST", f"/api/v1/sessions/s{n}/log", server.api_key, body) for n in range(8)
        ]
        read = request("GET", "/api/v1/sessions/s0/log?limit=100", server.api_key)
        return {
            "server append, 1 client": drive(server.port, 1, seconds, lambda n, i: append[n]),
            "server append, 8 clients": drive(server.port, 8, seconds, lambda n, i: append[n]),
            "server read of 100, 8 clients": drive(server.port, 8, seconds, lambda n, i: read),
        }


def measure(folder: Path, rounds: int, seconds: float) -> None:
    """Print the table."""
    print("| what | per second | ms | ratio | goal |")
    print("|---|---|---|---|---|")
    goals = {"append": "≤ 2"}
    for name, pairs in _library(rounds).items():
        own = statistics.median(took for took, _ in pairs)
        ratio = statistics.median(took / bare for took, bare in pairs)
        rate = _APPENDED / own
        print(f"| {name} | {rate:.0f} | | {ratio:.2f} of json | {goals.get(name, '')} |")
    for name, took in _in_a_long_log().items():
        print(f"| {name} | | {took:.3f} | | {'≤ 1' if '100' in name else ''} |")
    print(f"| assembly of {_ASSEMBLED} episodes | | {_assembling(rounds):.1f} | | ≤ 20 |")
    for name, result in _served(folder, seconds).items():
        print(f"| {name} | {result['per_s']:.0f} | {result['p50_ms']:.2f} | | |")
