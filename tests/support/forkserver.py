"""Starts the real `recollect serve` many times at little cost.

A parent process imports the program once and forks a child per start; the child runs the
program's own entry point with the arguments given, in a session of its own. What is killed is a
real server process.
"""

import itertools
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from tests.support import shifted_clock
from tests.support.server import HOST, LINUX, place_of, program_environment

CLOCK_SHIFT = "TEST_CLOCK_SHIFT"  # names the file that says by how much the clock is wrong


class ForkServer:
    """The parent process, spoken to in lines of JSON."""

    def __init__(self, log: Path, **environment: str) -> None:
        self.log = log
        self._environment = environment
        self._process: subprocess.Popen[str] | None = None
        self._numbers = itertools.count()

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.support.forkserver"],
            env=program_environment(**self._environment),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        assert self._ask("hello") == "ready"
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        process = self._process
        assert process is not None
        assert process.stdin is not None
        assert process.stdout is not None
        # Its input ends, so it kills what it started and leaves.
        process.stdin.close()
        try:
            process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()

    def start(self, *words: str, log: Path | None = None, **environment: str) -> int:
        """Fork a child that runs `recollect` with these words; answer its process id."""
        asked = {"words": words, "log": str(log or self.log), "environment": environment}
        return int(self._ask("start", **asked))

    def run(self, *words: str, **environment: str) -> tuple[int, str]:
        """Run a command to its end; answer its exit code and what it printed."""
        log = self.log.with_name(f"{self.log.name}.{next(self._numbers)}")
        code = self.wait(self.start(*words, log=log, **environment))
        return code, log.read_text()

    def serve(self, data: Path, port: int, *options: str) -> int:
        """Start a server."""
        place = ("--host", HOST, "--port", str(port), "--data", str(data))
        return self.start("serve", *place, *options, log=None, **place_of(data))

    def kill(self, pid: int) -> None:
        """End a child as a power cut would; return when it is gone."""
        os.kill(pid, signal.SIGKILL)
        self.wait(pid)

    def wait(self, pid: int, seconds_max: float = 20.0) -> int:
        """Wait for a child's end; answer its exit code, negative for a signal."""
        deadline = time.monotonic() + seconds_max
        while self.alive(pid):
            if time.monotonic() > deadline:
                os.kill(pid, signal.SIGKILL)
                self._ask("wait", pid=pid)
                raise TimeoutError(f"process {pid} did not end in {seconds_max:.0f} s")
            time.sleep(0.002)
        return int(self._ask("wait", pid=pid))

    def alive(self, pid: int) -> bool:
        """Whether a child still runs."""
        return bool(self._ask("alive", pid=pid))

    def _ask(self, what: str, **more: Any) -> Any:
        process = self._process
        assert process is not None
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps({"do": what, **more}) + "\n")
        process.stdin.flush()
        answer = process.stdout.readline()
        assert answer, "the fork server is gone"
        return json.loads(answer)


def _die_with_parent() -> None:
    if LINUX:
        import ctypes

        ctypes.CDLL(None).prctl(1, signal.SIGKILL)


def _child(words: list[str], log: str, environment: dict[str, str]) -> None:
    os.environ.update(environment)
    os.setsid()
    _die_with_parent()
    out = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(out, 1)
    os.dup2(out, 2)
    os.closerange(3, 64)
    sys.argv = ["recollect", *words]
    from recollect.cli.main import main as run

    code = 1
    try:
        run()
    except SystemExit as left:
        code = left.code if isinstance(left.code, int) else int(left.code is not None)
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _answer(asked: dict[str, Any], children: dict[int, int | None]) -> Any:
    pid = asked.get("pid", 0)
    if asked["do"] == "start":
        pid = os.fork()
        if pid == 0:
            _child(asked["words"], asked["log"], asked["environment"])
        children[pid] = None
        return pid
    if asked["do"] in {"wait", "alive"} and children[pid] is None:
        found, status = os.waitpid(pid, 0 if asked["do"] == "wait" else os.WNOHANG)
        if found:
            children[pid] = os.waitstatus_to_exitcode(status)
    if asked["do"] == "alive":
        return children[pid] is None
    return "ready" if asked["do"] == "hello" else children[pid]


def main() -> None:
    """Serve requests until the input ends."""
    from recollect.cli import main as program

    for name in program.COMMANDS:  # the point of it all: imported once
        program.load(name)

    if shift := os.environ.get(CLOCK_SHIFT):
        shifted_clock.install(Path(shift))
    _die_with_parent()
    children: dict[int, int | None] = {}
    for line in sys.stdin:
        print(json.dumps(_answer(json.loads(line), children)), flush=True)
    for pid, code in children.items():
        if code is None:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


if __name__ == "__main__":
    main()
