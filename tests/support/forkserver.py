"""Starts the real program many times at low cost.

A parent process imports the program once and forks a child per start. The child runs what
`python -m recollect` runs with the given arguments, in a session of its own. So a test kills a real
server process.
"""

import atexit
import gc
import itertools
import json
import os
import runpy
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from tests.support import shifted_clock
from tests.support.server import HOST, LINUX, place_of, program_environment

CLOCK_SHIFT = "TEST_CLOCK_SHIFT"  # names a file with the offset of the clock in seconds


class ForkServer:
    """The parent process, controlled by lines of JSON."""

    def __init__(self, log: Path, **environment: str) -> None:
        self.log = log
        self._environment = program_environment(**environment)
        self._process: subprocess.Popen[str] | None = None
        self._numbers = itertools.count()
        self._turn = threading.Lock()

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.support.forkserver"],
            env=self._environment,
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
        # When its input ends, it kills its children and exits.
        process.stdin.close()
        try:
            process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()

    def start(self, *words: str, log: Path | None = None, **environment: str) -> int:
        """Fork a child that runs `recollect` with these arguments; returns its process id."""
        out = str(log or self.log)
        return self.fork(words, {**self._environment, **environment}, (os.devnull, out, out))

    def fork(self, words: Sequence[str], environment: dict[str, str], files: Sequence[str]) -> int:
        """Fork a child with exactly this environment, and with files as stdin, stdout and stderr."""
        asked = {
            "words": words,
            "environment": environment,
            "files": files,
            "folder": str(Path.cwd()),
        }
        return int(self._ask("start", **asked))

    def run(self, *words: str, **environment: str) -> tuple[int, str]:
        """Run a command to its end; returns its exit code and output."""
        log = self.log.with_name(f"{self.log.name}.{next(self._numbers)}")
        code = self.wait(self.start(*words, log=log, **environment))
        return code, log.read_text()

    def serve(self, data: Path, port: int, *options: str) -> int:
        """Start a server."""
        place = ("--host", HOST, "--port", str(port), "--data", str(data))
        return self.start("serve", *place, *options, log=None, **place_of(data))

    def kill(self, pid: int) -> None:
        """Kill a child as a power cut would; returns once it is gone."""
        os.kill(pid, signal.SIGKILL)
        self.wait(pid)

    def wait(self, pid: int, seconds_max: float = 20.0) -> int:
        """Wait until a child ends; returns its exit code, negative for a signal."""
        deadline = time.monotonic() + seconds_max
        while (code := self.code(pid)) is None:
            if time.monotonic() > deadline:
                os.kill(pid, signal.SIGKILL)
                raise TimeoutError(f"process {pid} did not end in {seconds_max:.0f} s")
            time.sleep(0.002)
        return code

    def alive(self, pid: int) -> bool:
        """Whether a child is still running."""
        return self.code(pid) is None

    def code(self, pid: int) -> int | None:
        """The exit code of a child; None while it is running."""
        found: int | None = self._ask("code", pid=pid)
        return found

    def _ask(self, what: str, **more: Any) -> Any:
        process = self._process
        assert process is not None
        assert process.stdin is not None
        assert process.stdout is not None
        with self._turn:
            process.stdin.write(json.dumps({"do": what, **more}) + "\n")
            process.stdin.flush()
            answer = process.stdout.readline()
        assert answer, "the fork server is gone"
        return json.loads(answer)


class Forked:
    """A child of a fork server, with the interface of `Popen`."""

    def __init__(self, forks: ForkServer, pid: int) -> None:
        self._forks = forks
        self.pid = pid

    def poll(self) -> int | None:
        """The exit code; None while the child is running."""
        return self._forks.code(self.pid)

    def wait(self, timeout: float | None = None) -> int:
        """Wait until the child ends; returns its exit code."""
        deadline = None if timeout is None else time.monotonic() + timeout
        while (code := self.poll()) is None:
            if deadline is not None and time.monotonic() > deadline:
                raise subprocess.TimeoutExpired("recollect", timeout or 0.0)
            time.sleep(0.005)
        return code

    def send_signal(self, number: int) -> None:
        """Send it a signal, unless it is gone."""
        if self.poll() is None:
            os.kill(self.pid, number)


@cache
def shared() -> ForkServer:
    """The fork server of this test process, which ends with it."""
    folder = tempfile.TemporaryDirectory(prefix="recollect-forks-")
    forks = ForkServer(Path(folder.name) / "log").__enter__()
    atexit.register(folder.cleanup)
    atexit.register(forks.__exit__, None, None, None)
    return forks


def _child(asked: dict[str, Any]) -> None:
    """Set up the process as a shell would, then run `python -m recollect`."""
    os.setsid()
    _die_with_parent()
    os.environ.clear()
    os.environ.update(asked["environment"])
    time.tzset()
    os.chdir(asked["folder"])
    for number, name in enumerate(asked["files"]):
        mode = os.O_WRONLY | os.O_CREAT | os.O_APPEND if number else os.O_RDONLY
        os.dup2(os.open(name, mode, 0o644), number)
    os.closerange(3, 64)
    sys.stdin = open(0, closefd=False)  # noqa: SIM115 - without the parent's buffered input
    sys.argv = ["recollect", *asked["words"]]
    runpy.run_module("recollect", run_name="__main__", alter_sys=True)


def _die_with_parent() -> None:
    if LINUX:
        import ctypes

        ctypes.CDLL(None).prctl(1, signal.SIGKILL)


def _answer(asked: dict[str, Any], children: dict[int, int | None]) -> Any:
    if asked["do"] == "hello":
        return "ready"
    if asked["do"] == "start":
        pid = os.fork()
        if pid == 0:
            _child(asked)
            sys.exit()
        children[pid] = None
        return pid
    pid = asked["pid"]
    if children[pid] is None:
        found, status = os.waitpid(pid, os.WNOHANG)
        if found:
            children[pid] = os.waitstatus_to_exitcode(status)
    return children[pid]


def main() -> None:
    """Serve requests until the input ends."""
    from recollect.cli import main as program

    for name in program.COMMANDS:  # imported once, which is the point of the fork server
        program.load(name)
    gc.freeze()

    if shift := os.environ.get(CLOCK_SHIFT):
        shifted_clock.install(Path(shift))
    children: dict[int, int | None] = {}
    for line in sys.stdin:
        print(json.dumps(_answer(json.loads(line), children)), flush=True)
    for pid, code in children.items():
        if code is None:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


if __name__ == "__main__":
    main()
