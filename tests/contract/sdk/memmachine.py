"""The test side of the MemMachine driver: the released client, its projects and its memories.

`mm.client.create_project("acme", "notes")`, `mm.project("acme", "notes").delete()`,
`mm.memory("acme", "notes", user_id="jane").add("Hello")` and `mm.config.get_config()` are sent to
the driver process and answered as plain JSON values.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tests.contract.sdk.drivers import ClientError, Driver
from tests.contract.sdk.support import unique

NO_RETRIES = 0


class MemMachine:
    """The client bound to a server and a key; it tries nothing twice unless told."""

    def __init__(
        self, driver: Driver, origin: str, api_key: str | None, retries: int = NO_RETRIES
    ) -> None:
        self.driver = driver
        self.origin = origin
        self.api_key = api_key
        self.retries = retries

    def with_key(self, api_key: str | None) -> "MemMachine":
        """The same client with another key, or with none."""
        return MemMachine(self.driver, self.origin, api_key, self.retries)

    def retrying(self, times: int) -> "MemMachine":
        """The same client, trying again as often as said."""
        return MemMachine(self.driver, self.origin, self.api_key, times)

    @property
    def client(self) -> "Bound":
        """The methods of the client itself."""
        return Bound(self, "client")

    @property
    def config(self) -> "Bound":
        """The methods of the server's configuration."""
        return Bound(self, "config")

    def project(self, org_id: str, project_id: str) -> "Bound":
        """The methods of a project; nothing is asked of the server for it."""
        return Bound(self, "project", {"org_id": org_id, "project_id": project_id})

    def memory(self, org_id: str, project_id: str, **metadata: str) -> "Bound":
        """The methods of a memory in the context that its metadata make."""
        of = {"org_id": org_id, "project_id": project_id, "metadata": metadata}
        return Bound(self, "memory", of)

    def tools(self, **context: str) -> "Bound":
        """What the client offers to graphs of agents."""
        return Bound(self, "tools", context)

    def methods(self) -> list[str]:
        """All public methods the installed client has."""
        names: list[str] = self.call("methods", {}, (), {})
        return names

    def call(
        self,
        method: str,
        of: dict[str, Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        closed: bool = False,
    ) -> Any:
        """Make one call; raise ClientError for whatever the client raised."""
        answer = self.driver.ask(
            {
                "base_url": self.origin,
                "api_key": self.api_key,
                "retries": self.retries,
                "call": method,
                "of": of,
                "args": list(args),
                "kwargs": kwargs,
                "closed": closed,
            }
        )
        if "error" in answer:
            error = answer["error"]
            raise ClientError(error["type"], error["status"], error["body"], error["message"])
        return answer["ok"]


class Bound:
    """The methods of one object of the client."""

    def __init__(
        self, mm: MemMachine, noun: str, of: dict[str, Any] | None = None, closed: bool = False
    ) -> None:
        self._mm = mm
        self._noun = noun
        self._of = of or {}
        self._closed = closed

    @property
    def after_close(self) -> "Bound":
        """The same object, kept beyond the end of its client."""
        return Bound(self._mm, self._noun, self._of, closed=True)

    def __getattr__(self, name: str) -> "Method":
        return Method(self._mm, f"{self._noun}.{name}", self._of, self._closed)


class Method:
    """One method, to be called like the client's own."""

    def __init__(self, mm: MemMachine, name: str, of: dict[str, Any], closed: bool) -> None:
        self._mm = mm
        self._name = name
        self._of = of
        self._closed = closed

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._mm.call(self._name, self._of, args, kwargs, self._closed)


class Place:
    """A project of its own for one test."""

    def __init__(self, mm: MemMachine, org_id: str | None = None) -> None:
        self.mm = mm
        self.org_id = org_id or unique("org")
        self.project_id = unique("project")

    @property
    def graph_id(self) -> str:
        """What other clients call the same graph."""
        bare = self.org_id == "universal"
        return self.project_id if bare else f"{self.org_id}.{self.project_id}"

    @property
    def project(self) -> Bound:
        """Its project object."""
        return self.mm.project(self.org_id, self.project_id)

    def memory(self, **metadata: str) -> Bound:
        """A memory of it in a context."""
        return self.mm.memory(self.org_id, self.project_id, **metadata)

    def said(self, *lines: str, **fields: Any) -> list[str]:
        """Add messages one by one; answer their ids."""
        memory = self.memory()
        return [memory.add(line, **fields)[0]["uid"] for line in lines]


def moment(text: str) -> dict[str, Any]:
    """A datetime argument, naive when the text names no zone."""
    return {"$type": "datetime", "value": text}


def model(name: str, **fields: Any) -> dict[str, Any]:
    """An argument that a model class of the client must carry."""
    return {"$type": name, **fields}


def spoken(episodes: list[dict[str, Any]]) -> list[str]:
    """What was said, in the order given."""
    return [episode["content"] for episode in episodes]


def window_of(found: dict[str, Any]) -> list[str]:
    """What the short-term memory answered."""
    return spoken(found["content"]["episodic_memory"]["short_term_memory"]["episodes"])


def recalled(found: dict[str, Any]) -> list[str]:
    """What the long-term memory answered."""
    return spoken(found["content"]["episodic_memory"]["long_term_memory"]["episodes"])


def all_episodes(found: dict[str, Any]) -> list[dict[str, Any]]:
    """The episodes of both memories."""
    both = found["content"]["episodic_memory"]
    return [*both["long_term_memory"]["episodes"], *both["short_term_memory"]["episodes"]]


def listed(place: Place, **options: Any) -> list[str]:
    """What the list of episodes of a project says, in its order."""
    return spoken(place.memory().list(**options)["content"]["episodic_memory"])


@contextmanager
def told(status: int, kind: str = "HTTPError") -> Iterator[pytest.ExceptionInfo[ClientError]]:
    """The call inside must fail with this status and a body in this surface's shape."""
    with pytest.raises(ClientError) as raised:
        yield raised
    error = raised.value
    assert (error.kind, error.status) == (kind, status), str(error)
    assert set(error.body) == {"detail"}, error.body
    detail = error.body["detail"]
    assert set(detail) == {"code", "message", "internal_error", "exception", "trace"}, detail
    assert detail["code"] == status
    assert detail["message"], detail
    assert (detail["internal_error"], detail["trace"]) == ("", ""), detail


@contextmanager
def raises(kind: str) -> Iterator[pytest.ExceptionInfo[ClientError]]:
    """The call inside must raise this class in the client, whatever the server said."""
    with pytest.raises(ClientError) as raised:
        yield raised
    assert raised.value.kind == kind, str(raised.value)
