"""The test side of the drivers: a released client that reads like the client itself.

`zep.user.get("u1")` sends `user.get` to the driver process and answers the result as plain JSON
values with the names used on the wire. Fields that are null or absent are alike: neither is there.
Positional arguments are path parameters and named ones are the rest, in both languages.
"""

import json
import subprocess
import threading
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

from tests.contract.sdk.environments import Client, client_environment, driver_command

FREE_FORM = frozenset({"metadata", "attributes", "params", "details", "error", "body"})
ANSWER_SECONDS_MAX = 90


class ClientError(Exception):
    """A released client raised: the class it raised, the HTTP status and the body, if any."""

    def __init__(self, kind: str, status: int | None, body: Any, message: str) -> None:
        super().__init__(f"{kind} {status}: {body if body is not None else message}")
        self.kind = kind
        self.status = status
        self.body = body
        self.message = message


class Driver:
    """A running driver process of one client, shared by all tests of a session."""

    def __init__(self, client: Client, log: Path) -> None:
        words = driver_command(client)
        self.client = client
        self._lock = threading.Lock()
        self._next_id = 0
        self._log: IO[bytes] = log.open("ab")
        self._process = subprocess.Popen(
            words,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            env=client_environment(),
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the process: it leaves when its input ends, or is killed."""
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                stream.close()
        try:
            self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._log.close()

    def ask(self, command: dict[str, Any]) -> dict[str, Any]:
        """Send one command and read its answer; a silent driver is killed, not waited for."""
        stdin, stdout = self._process.stdin, self._process.stdout
        if stdin is None or stdout is None:
            raise RuntimeError(f"{self.client.name} has no pipes")
        with self._lock:
            self._next_id += 1
            stdin.write(json.dumps({"id": self._next_id, **command}).encode() + b"\n")
            stdin.flush()
            watchdog = threading.Timer(ANSWER_SECONDS_MAX, self._process.kill)
            watchdog.start()
            try:
                line = stdout.readline()
            finally:
                watchdog.cancel()
        if not line:
            raise RuntimeError(f"the {self.client.name} driver ended: see {self._log.name}")
        answer: dict[str, Any] = json.loads(line)
        if answer["id"] != self._next_id:
            raise RuntimeError(f"the {self.client.name} driver answered another command")
        return answer


class Zep:
    """A client bound to a server and a key; attributes are its nouns, calls are its methods."""

    def __init__(self, driver: Driver, base_url: str, api_key: str) -> None:
        self.driver = driver
        self.base_url = base_url
        self.api_key = api_key

    @property
    def client(self) -> Client:
        """Which released client this is."""
        return self.driver.client

    @property
    def raw(self) -> "Noun":
        """The same methods, answering `(result, headers)`; generation 3 only."""
        return Noun(self, "", raw=True)

    def __getattr__(self, name: str) -> "Noun":
        return Noun(self, name)

    def with_key(self, api_key: str) -> "Zep":
        """The same client with another key."""
        return Zep(self.driver, self.base_url, api_key)

    def call(self, method: str, args: tuple[Any, ...], kwargs: dict[str, Any], raw: bool) -> Any:
        """Make one call; raise ClientError for whatever the client raised."""
        answer = self.driver.ask(
            {
                "base_url": self.base_url,
                "api_key": self.api_key,
                "call": method,
                "args": list(args),
                "kwargs": kwargs,
                "raw": raw,
            }
        )
        if "error" in answer:
            error = answer["error"]
            raise ClientError(error["type"], error["status"], error["body"], error["message"])
        result = without_nulls(answer["ok"])
        return (result, lower_names(answer["headers"])) if raw else result


class Noun:
    """A dotted path into a client, callable when it names a method."""

    def __init__(self, zep: Zep, path: str, raw: bool = False) -> None:
        self._zep = zep
        self._path = path
        self._raw = raw

    def __getattr__(self, name: str) -> "Noun":
        return Noun(self._zep, f"{self._path}.{name}".lstrip("."), self._raw)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._zep.call(self._path, args, kwargs, self._raw)


def typed(model: str, **fields: Any) -> dict[str, Any]:
    """An argument that the client's own model class must carry."""
    return {"$type": model, **fields}


def without_nulls(value: Any) -> Any:
    """Drop null fields, except inside free-form maps where null is a value."""
    if isinstance(value, list):
        return [without_nulls(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        name: item if name in FREE_FORM else without_nulls(item)
        for name, item in value.items()
        if item is not None
    }


def lower_names(headers: Mapping[str, str]) -> dict[str, str]:
    """Header names in lower case, since HTTP does not tell them apart."""
    return {name.lower(): value for name, value in headers.items()}
