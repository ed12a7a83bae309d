"""Questions to one or several graphs: answered at once, or as a stream of events."""

from collections.abc import AsyncGenerator

import msgspec

from recollect import log
from recollect.api.compat.zep4 import asking
from recollect.api.compat.zep4.asking import Events
from recollect.api.compat.zep4.refusing import body_for
from recollect.api.compat.zep4.wire import search as wire
from recollect.api.http import Reply, StreamReply
from recollect.api.router import Call, Route
from recollect.errors import InvalidInput, RecollectError
from recollect.graph import checks
from recollect.limits import DESCRIPTION_CHARS_MAX, SEARCH_QUERY_CHARS_MAX

_GRAPHS_MAX = 10
_EVENTS = [(b"content-type", b"text/event-stream"), (b"cache-control", b"no-store")]
_log = log.get(__name__)


def _check(sent: wire.GraphQuery4) -> None:
    checks.text("query", sent.query, SEARCH_QUERY_CHARS_MAX, required=True)
    checks.text("guidance", sent.guidance, DESCRIPTION_CHARS_MAX)
    if not 1 <= len(sent.graph_uuids) <= _GRAPHS_MAX:
        raise InvalidInput(f"graph_uuids: 1 to {_GRAPHS_MAX}, got {len(sent.graph_uuids)}")


async def query(call: Call) -> wire.QueryAnswer4 | Reply:
    """An answer to a question from what graphs hold, and what the answer rests on.

    Without a language model it is made of the facts that fit best. With `stream` it comes as events.
    """
    sent: wire.GraphQuery4 = call.body
    _check(sent)
    asked = await call.services.store.read(asking.places, call.access, sent.graph_uuids)
    if sent.stream:
        return StreamReply(_pieces(Events(call, asked)), _EVENTS)
    now = call.services.clock()
    found = [await asking.search(call, where, zone, now) for where, zone in asked]
    done = await asking.answered(call, found, now)
    return wire.QueryAnswer4(
        answer=done.answer,
        citations=done.citations,
        results=done.results,
        truncated=done.truncated,
    )


async def _pieces(events: Events) -> AsyncGenerator[bytes, None]:
    try:
        async for event in events.stream():
            yield _line(event)
    except Exception as error:  # noqa: BLE001 - the answer has begun: it is told in its own way
        if not isinstance(error, RecollectError):
            _log.error("query.broke", exc_info=error)
        yield _line(events.failed(*body_for(error)))


def _line(event: wire.QueryEvent4) -> bytes:
    return b"data: " + msgspec.json.encode(event) + b"\n\n"


ROUTES = [
    Route(
        "POST",
        "/graphs/query",
        "graph.search",
        query,
        "Ask graphs a question",
        body=wire.GraphQuery4,
        answer=wire.QueryAnswer4,
        reads=True,
    ),
]
