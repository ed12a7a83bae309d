"""Starts the real `recollect serve` many times at little cost.

A parent process imports the program once and forks a child per start; the child runs the
program's own entry point with the arguments given, in a session of its own. What is killed is a
real server process.
"""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from tests.support.server import HOST, LINUX, program_environment


class ForkServer:
    """The parent process, spoken to in lines of JSON."""

    def __init__(self, log: Path, **environment: str) -> None:
        self.log = log
        self._environment = environment
        self._process: subprocess.Popen[str] | None = None

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

    def start(self, *words: str) -> int:
        """Fork a child that runs `recollect` with these words; answer its process id."""
        return int(self._ask("start", words=words, log=str(self.log)))

    def serve(self, data: Path, port: int, *options: str) -> int:
        """Start a server."""
        place = ("--host", HOST, "--port", str(port), "--data", str(data))
        return self.start("serve", *place, *options)

    def kill(self, pid: int) -> None:
        """End a child as a power cut would; return when it is gone."""
        os.kill(pid, signal.SIGKILL)
        self.wait(pid)

    def wait(self, pid: int) -> int:
        """Wait for a child's end; answer its exit code, negative for a signal."""
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


def _child(words: list[str], log: str) -> None:
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
            _child(asked["words"], asked["log"])
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
    import recollect.cli.main  # noqa: F401 - the point of it all: imported once

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
