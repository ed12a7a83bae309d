"""The real program as a process: start it, wait until it is ready, stop it, kill it, restart it.

Nothing here imports the program: a test sees what an operator sees, a command, a port, a data
directory and a log.
"""

import atexit
import contextlib
import json
import os
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import time
import weakref
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import httpx

if TYPE_CHECKING:
    from tests.support.forkserver import Forked

HOST = "127.0.0.1"
LINUX = sys.platform == "linux"
DEFAULT_KEY = "recollect-test-key"
READY_SECONDS_MAX = 180.0  # a start takes seconds, but much longer on a busy machine
STOP_SECONDS_MAX = 30.0
COMMAND_SECONDS_MAX = 60.0
LOG_LINES_SHOWN = 40
# Linux kills the server when the thread that started it ends, even if the test run is killed.
DIES_WITH_STARTER = (
    "import ctypes, os, signal, sys;"
    "ctypes.CDLL(None).prctl(1, signal.SIGKILL);"
    "os.execvp(sys.argv[1], sys.argv[1:])"
)


class ServerDidNotStart(Exception):
    """The program exited, or was not ready in time; the message has the last lines of its log."""


class Server:
    """One `recollect serve` process on a data directory; the port survives a restart."""

    def __init__(
        self,
        data: Path,
        *,
        api_key: str = DEFAULT_KEY,
        port: int | None = None,
        log: Path | None = None,
        environment: dict[str, str] | None = None,
        options: tuple[str, ...] = (),
        under: tuple[str, ...] = (),
        tls: Path | None = None,
    ) -> None:
        self.data = data
        self.api_key = api_key
        self.port = free_port() if port is None else port
        self.log = data.parent / f"{data.name}.log" if log is None else log
        self._environment = environment or {}
        self._options = options
        self._tls = tls  # the server's certificate
        self._under = under  # a program that starts it from scratch, such as `prlimit`
        self._process: subprocess.Popen[bytes] | Forked | None = None
        _SERVERS.add(self)

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    @property
    def url(self) -> str:
        """Where the server listens, without a path."""
        return f"{'http' if self._tls is None else 'https'}://{HOST}:{self.port}"

    @property
    def base_url(self) -> str:
        """The base URL for a released Zep v2 or v3 client."""
        return f"{self.url}/api/v2"

    @property
    def pid(self) -> int:
        """The process id of the running server."""
        if self._process is None:
            raise RuntimeError("the server is not running")
        return self._process.pid

    @property
    def running(self) -> bool:
        """Whether the process is alive."""
        return self._process is not None and self._process.poll() is None

    def start(self, until: str = "/ready") -> Self:
        """Start the program and wait until it is ready, or until it answers at another path."""
        if self.running:
            raise RuntimeError("the server is already running")
        self.data.mkdir(parents=True, exist_ok=True)
        self._process = self._launched() if self._under else self._forked()
        try:
            self._wait_until(until)
        except BaseException:
            self.kill()
            raise
        return self

    def stop(self) -> int | None:
        """Ask the program to exit, and kill it after a timeout; returns its exit code."""
        if self._process is None:
            return None
        if self.running:
            self._process.send_signal(signal.SIGTERM)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(timeout=STOP_SECONDS_MAX)
        code = self._process.poll()
        self.kill()
        return code

    def kill(self) -> None:
        """Kill the program and everything it started, as a power cut would."""
        if self._process is None:
            return
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._process = None

    def restart(self) -> Self:
        """Stop the program if it is running, and start it on the same data and port."""
        self.stop()
        return self.start()

    def http(self, api_key: str | None = None, **options: Any) -> httpx.Client:
        """A plain HTTP client for `/api/v2` with a key, by default this server's own."""
        headers = {"Authorization": f"Api-Key {api_key or self.api_key}"}
        return httpx.Client(
            base_url=self.base_url, headers=headers, timeout=30, trust_env=False, **options
        )

    def log_tail(self) -> str:
        """The last lines of the log."""
        if not self.log.exists():
            return ""
        lines = self.log.read_text(errors="replace").splitlines()
        return "\n".join(lines[-LOG_LINES_SHOWN:])

    def _words(self) -> list[str]:
        place = ("--host", HOST, "--port", str(self.port), "--data", str(self.data))
        return ["serve", *place, *self._options]

    def _variables(self) -> dict[str, str]:
        more = {"RECOLLECT_API_KEY": self.api_key, **self._environment}
        return program_environment(self.data, **more)

    def _forked(self) -> "Forked":
        """Fork it: a start from scratch takes seconds of imports."""
        from tests.support import forkserver

        files = (os.devnull, str(self.log), str(self.log))
        forks = forkserver.shared()
        return forkserver.Forked(forks, forks.fork(self._words(), self._variables(), files))

    def _launched(self) -> "subprocess.Popen[bytes]":
        words = [*self._under, *program(*self._words())]
        with self.log.open("ab") as log:
            return subprocess.Popen(
                [sys.executable, "-c", DIES_WITH_STARTER, *words] if LINUX else words,
                env=self._variables(),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def _wait_until(self, path: str) -> None:
        deadline = time.monotonic() + READY_SECONDS_MAX
        trusted = ssl.create_default_context(cafile=self._tls) if self._tls else True
        with httpx.Client(base_url=self.url, verify=trusted, timeout=5, trust_env=False) as http:
            while time.monotonic() < deadline:
                if not self.running:
                    raise ServerDidNotStart(f"the program ended\n{self.log_tail()}")
                with contextlib.suppress(httpx.TransportError):
                    if http.get(path).status_code == httpx.codes.OK:
                        return
                time.sleep(0.05)
        raise ServerDidNotStart(f"not ready in {READY_SECONDS_MAX:.0f} s\n{self.log_tail()}")


_SERVERS: "weakref.WeakSet[Server]" = weakref.WeakSet()


@atexit.register
def _kill_what_is_left() -> None:
    for server in list(_SERVERS):
        server.kill()


def free_port() -> int:
    """A port that nobody listens on right now."""
    with socket.socket() as listener:
        listener.bind((HOST, 0))
        port: int = listener.getsockname()[1]
        return port


def create_project(data: Path, name: str) -> dict[str, Any]:
    """Create a project from the command line; returns the command's output."""
    return _answer_of(data, "project", "create", name, "--json")


def create_key(data: Path, project: str, *options: str) -> str:
    """Create an API key for a project from the command line."""
    answer = _answer_of(data, "key", "create", "--project", project, "--json", *options)
    key: str = answer["key"]
    return key


def program(*words: str) -> list[str]:
    """The command line that runs the program of this environment."""
    return [sys.executable, "-m", "recollect", *words]


def program_environment(data: Path | None = None, /, **more: str) -> dict[str, str]:
    """This process's environment without any setting of the program, plus *more* and the store of *data*.

    Extraction is off unless a test enables it: the models take seconds to load.
    """
    kept = {name: value for name, value in os.environ.items() if not name.startswith("RECOLLECT_")}
    return {**kept, "RECOLLECT_EXTRACTION": "off", **place_of(data), **more}


def place_of(data: Path | None) -> dict[str, str]:
    """With TEST_STORE=postgres, the store of a folder is in a database; see tests.support.stores."""
    if data is None or os.environ.get("TEST_STORE") != "postgres":
        return {}
    from tests.support.postgres import database_of

    return {"RECOLLECT_STORE": database_of(data)}


EXTRACTION_ON = {"RECOLLECT_EXTRACTION": "on"}


def run_program(
    *words: str, environment: dict[str, str], timeout: float = COMMAND_SECONDS_MAX, given: str = ""
) -> subprocess.CompletedProcess[str]:
    """Run a command to its end, without a terminal: like `subprocess.run`, but without import time."""
    from tests.support import forkserver

    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / name for name in ("in", "out", "err")]
        files[0].write_text(given)
        forks = forkserver.shared()
        running = forkserver.Forked(forks, forks.fork(words, environment, [*map(str, files)]))
        try:
            code = running.wait(timeout)
        finally:
            running.send_signal(signal.SIGKILL)
        said = [file.read_text() for file in files[1:]]
    return subprocess.CompletedProcess(words, code, *said)


def _answer_of(data: Path, *words: str) -> dict[str, Any]:
    environment = program_environment(data)
    done = run_program(*words, "--data", str(data), environment=environment)
    if done.returncode != 0:
        raise RuntimeError(f"`recollect {' '.join(words)}` failed: {done.stderr}{done.stdout}")
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer
