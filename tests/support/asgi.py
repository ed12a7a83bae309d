"""The application in this process, called through ASGI directly.

An HTTP client would normalise a hostile path, header or body before sending it; nothing does here.
"""

import json
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import Any

from structlog.testing import capture_logs

from recollect.api.app import App
from recollect.api.router import Router
from recollect.app.services import Services
from recollect.asgi import route_table
from recollect.clock import Clock, system_clock
from recollect.governance import keys
from recollect.governance.audited import AuditedStore
from recollect.ids import Ids
from recollect.ingest.worker import Worker
from recollect.search.finder import Finder
from recollect.search.segments import Segments
from recollect.store.protocol import Store
from tests.support.stores import Rows, behind, open_store, rows_of, settings_of

KEY = "key-of-the-default-project"
REQUEST_ID = b"of-a-test"
Headers = list[tuple[bytes, bytes]]
REFUSED = {"code", "message", "internal_error", "exception", "trace"}
REFUSED_4 = {"code", "message", "param", "details", "request_id"}


@dataclass(frozen=True)
class Answer:
    """A complete response as it left the application."""

    status: int
    headers: Headers
    body: bytes

    def header(self, name: str) -> str | None:
        """The first header with that name."""
        return next((v.decode() for k, v in self.headers if k.decode() == name.lower()), None)

    def json(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body)

    @property
    def message(self) -> str:
        """The message of an error response, whose shape is checked first."""
        said = self.json()
        assert isinstance(said, dict), said
        if set(said) == {"detail"}:  # for MemMachine clients
            said = said["detail"]
            assert said.keys() == REFUSED, said
            assert said["code"] == self.status, said
        elif set(said) == {"error"}:  # for Zep v4 clients
            said = said["error"]
            assert said.keys() <= REFUSED_4, said
            assert said["code"], said
        else:
            assert said.keys() <= {"message", "request_id"}, said
        assert isinstance(said["message"], str), said
        assert said["message"], "an empty message"
        assert self.header("content-type") == "application/json", self.headers
        return str(said["message"])


class Held:
    """A snapshot of a store. Its rows are read only when two snapshots that may differ are compared."""

    def __init__(self, version: int, rows: Rows) -> None:
        self.version = version
        copy = rows.copied()
        self._content = cache(partial(_content, copy or rows))
        if copy is None:
            self._content()  # without a copy, the rows must be read now

    def __eq__(self, other: object) -> bool:
        assert isinstance(other, Held)
        return self.version == other.version or self._content() == other._content()

    __hash__ = None  # type: ignore[assignment]


def _content(connection: Rows) -> int:
    """A hash of every row, except audit entries of requests that did nothing."""
    found = []
    for table in connection.tables():
        done = " WHERE outcome = 'done'" if table == "audit_entries" else ""
        found += [table, *connection.execute(f"SELECT * FROM {table}{done}")]  # noqa: S608
    return hash(tuple(found))


@dataclass
class Program:
    """The running application with its services."""

    app: App
    services: Services
    folder: Path
    key: str = KEY
    logs: list[Any] = field(default_factory=list, repr=False)
    _watch: Rows | None = field(default=None, repr=False)
    _seen: Held | None = field(default=None, repr=False)

    async def send(
        self,
        method: str,
        path: bytes | str,
        body: bytes | list[bytes] | Any = b"",
        *,
        query: bytes | str = b"",
        key: str | None = None,
        headers: Iterable[tuple[str, str]] = (),
        anonymous: bool = False,
    ) -> Answer:
        """Send one request; a body that is neither bytes nor a list of chunks is sent as JSON."""
        raw = path.encode() if isinstance(path, str) else path
        query = query.encode() if isinstance(query, str) else query
        sent: Headers = [(k.lower().encode(), v.encode("latin-1")) for k, v in headers]
        if not any(name == b"x-request-id" for name, _ in sent):
            sent.append((b"x-request-id", REQUEST_ID))  # so that two errors can be compared
        if not anonymous:
            sent.append((b"authorization", f"Api-Key {key or self.key}".encode()))
        chunks = (
            body if isinstance(body, list) and all(isinstance(c, bytes) for c in body) else None
        )
        if chunks is None:
            chunks = [body if isinstance(body, bytes) else json.dumps(body).encode()]
            sent.append((b"content-length", str(len(chunks[0])).encode()))
        return await exchange(self.app, method, raw, query, sent, chunks)

    async def work(self) -> None:
        """Run every job that is due, in this process."""
        worker = Worker(self.services.store, owner="test", attempts_max=1, backoff_first_s=1.0)
        while await worker.step():
            pass

    def writes(self) -> Held:
        """A snapshot of the store; it differs after any commit except the audit entry of a refusal."""
        if self._watch is None:
            self._watch = rows_of(self.folder)
        version = self._watch.version()
        if self._seen is None or version != self._seen.version:
            self._seen = Held(version, self._watch)
        return self._seen

    def execute(self, statement: str, *values: Any) -> None:
        """Change the store behind the program's back."""
        with behind(self.folder) as connection:
            connection.execute(statement, values)

    def rows(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        """Read the store behind the program's back."""
        with behind(self.folder) as connection:
            found: list[tuple[Any, ...]] = connection.execute(query, values).fetchall()
            return found

    def close_watch(self) -> None:
        """Close the connection that watches the store."""
        if self._watch is not None:
            self._watch.close()


async def exchange(
    app: Any, method: str, raw_path: bytes, query: bytes, headers: Headers, chunks: list[bytes]
) -> Answer:
    """Send one HTTP request to an ASGI application."""
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": raw_path.decode("latin-1"),
        "raw_path": raw_path,
        "query_string": query,
        "headers": headers,
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 8000),
    }
    incoming = [
        {"type": "http.request", "body": chunk, "more_body": number < len(chunks) - 1}
        for number, chunk in enumerate(chunks)
    ]
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return incoming.pop(0) if incoming else {"type": "http.disconnect"}

    async def send(event: dict[str, Any]) -> None:
        sent.append(event)

    await app(scope, receive, send)
    start = sent[0]
    assert start["type"] == "http.response.start", sent
    body = b"".join(event.get("body", b"") for event in sent[1:])
    return Answer(start["status"], list(start["headers"]), body)


@cache
def _router() -> Router:
    """The router of `recollect.asgi.application`, created once: generating its documentation is slow."""
    return Router(route_table())


@asynccontextmanager
async def program(
    folder: Path,
    *,
    clock: Clock = system_clock,
    ids: Ids | None = None,
    key: str = KEY,
    store: Store | None = None,
    **chosen: Any,
) -> AsyncIterator[Program]:
    """The application on a data folder or another store, without workers, with a key of the default project.

    *chosen* are settings.
    """
    settings = settings_of(folder, workers=0, **chosen)
    store = store or open_store(folder, readers=1, clock=clock, ids=ids)
    segments = Segments(store, bytes_max=settings.segments_bytes_max)
    services = Services(
        settings=settings,
        store=AuditedStore(store),
        segments=segments,
        finder=Finder(store, segments, settings.models),
        clock=clock,
    )

    await store.write(keys.ensure_default, key)
    app = App(_router(), services)
    made = Program(app=app, services=services, folder=folder, key=key)
    try:
        with capture_logs() as made.logs:
            yield made
    finally:
        made.close_watch()
        await services.close()
