"""Released clients that search a server at the same time, each a process of its own."""

import json
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self

import psutil

from tests.contract.sdk.environments import PY3, client_environment, driver_command
from tests.support.server import Server

TOGETHER = 8  # so many search at once
_SCRIPT = Path(__file__).with_name("search_client.py")


class Answers(NamedTuple):
    """What came of some searches. Times are in milliseconds, one of each per search."""

    waits: list[float]
    client_cpu: list[float]
    found: list[int]
    per_s: float
    server_cpu: float  # the mean


class Clients:
    """Python clients of generation 3, kept for the whole bench."""

    def __init__(self, count: int) -> None:
        python = driver_command(PY3)[0]
        self._running = [
            subprocess.Popen(
                [python, "-I", str(_SCRIPT)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env=client_environment(),
                text=True,
            )
            for _ in range(count)
        ]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for process in self._running:
            process.kill()
            process.communicate()

    def search(
        self,
        server: Server,
        calls: Sequence[dict[str, Any]],
        clients: int,
        key: str | None = None,
    ) -> Answers:
        """Share calls out to so many clients, which make them one after the other."""
        before, began = _cpu(server), time.perf_counter()
        chosen = self._running[:clients]
        for number, process in enumerate(chosen):
            command = {
                "base_url": server.base_url,
                "api_key": key or server.api_key,
                "calls": calls[number::clients],
            }
            assert process.stdin is not None
            process.stdin.write(json.dumps(command) + "\n")
            process.stdin.flush()
        answers = [_answer(process) for process in chosen]
        if None in answers:
            raise RuntimeError(
                f"a client ended, its words are above; the server:\n{server.log_tail()}"
            )
        done = [one for part in answers for one in part or ()]
        took, spent = time.perf_counter() - began, _cpu(server) - before
        return Answers(
            waits=[1000 * wait for wait, _, _ in done],
            client_cpu=[1000 * cpu for _, cpu, _ in done],
            found=[count for _, _, count in done],
            per_s=len(done) / took,
            server_cpu=1000 * spent / len(done),
        )


def _answer(process: "subprocess.Popen[str]") -> list[tuple[float, float, int]] | None:
    """What a client says of its calls; None when it has ended."""
    assert process.stdout is not None
    line = process.stdout.readline()
    return [tuple(one) for one in json.loads(line)] if line else None


def _cpu(server: Server) -> float:
    """CPU seconds of the server so far, in steps of a hundredth."""
    times = psutil.Process(server.pid).cpu_times()
    return times.user + times.system
