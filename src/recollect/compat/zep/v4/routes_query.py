"""Questions to one or several graphs: each is searched, and the answer names its sources.

It is returned at once, or as a stream of events.
"""

import json
from collections.abc import AsyncGenerator, Sequence
from datetime import datetime
from typing import Any

import msgspec

from recollect import log
from recollect.api.http import Reply, StreamReply
from recollect.api.router import Call, Route
from recollect.app import recall
from recollect.app.recall import Searchable
from recollect.app.refs import GraphRef, OwnedGraph
from recollect.compat.zep.search import elapsed_ms
from recollect.compat.zep.translate_search import KINDS
from recollect.compat.zep.v4 import translate
from recollect.compat.zep.v4.errors import body_for
from recollect.compat.zep.v4.routes_search import question
from recollect.compat.zep.v4.wire import search as wire
from recollect.compat.zep.wire import search as search_wire
from recollect.errors import InvalidInput, RecollectError
from recollect.graph import checks
from recollect.graph.filters import NO_FILTERS
from recollect.graph.types import Entity, Episode, Fact, Record
from recollect.limits import DESCRIPTION_CHARS_MAX, SEARCH_QUERY_CHARS_MAX
from recollect.search.query import Hit

_GRAPHS_MAX = 10
_EVENTS = [(b"content-type", b"text/event-stream"), (b"cache-control", b"no-store")]
_FINDINGS = {"fast": 20, "deep": 60}
_HANDLES: dict[type, tuple[str, Any]] = {
    Entity: ("n", "node"),
    Fact: ("e", "edge"),
    Episode: ("s", "episode"),
}
_log = log.get(__name__)


class Searched(Record):
    """A graph, and the hits in it, best first."""

    where: OwnedGraph
    hits: tuple[Hit[Any], ...]


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
    refs = [GraphRef(uuid=uuid) for uuid in dict.fromkeys(sent.graph_uuids)]
    asked = await recall.searchables(call.services, call.access, refs)
    if sent.stream:
        return StreamReply(_pieces(QueryEvents(call, asked)), _EVENTS)
    now = call.services.clock()
    found = [await _search(call, there, now) for there in asked]
    return await _answered(call, found, now)


async def _search(call: Call, there: Searchable, now: datetime) -> Searched:
    """All hits for the question in one graph."""
    sent: wire.GraphQuery4 = call.body
    plain = search_wire.Search(query=sent.query)
    asked = [question(plain, scope, NO_FILTERS, now, there.time_zone) for scope in KINDS]
    found = await recall.find_all_kinds(call.services, call.access, there.where, asked)
    hits = sorted(found, key=lambda hit: -hit.score)
    return Searched(where=there.where, hits=tuple(hits))


async def _answered(call: Call, found: Sequence[Searched], now: datetime) -> wire.QueryAnswer4:
    """The answer to the question from all hits."""
    sent: wire.GraphQuery4 = call.body
    most = _FINDINGS[sent.mode or "fast"]
    every = [(one.where, hit) for one in found for hit in one.hits]
    every.sort(key=lambda each: -each[1].score)
    chosen = every[:most]
    text, rests_on = None, list(range(len(chosen)))
    if sent.generate_answer is not False:
        hits = [hit for _, hit in chosen]
        text, rests_on = await recall.answer(
            call.services, sent.query, hits, sent.guidance or "", now
        )
    return wire.QueryAnswer4(
        answer=text,
        citations=_citations([chosen[number][1].item for number in rests_on]),
        results=await _all_results(call, chosen),
        truncated=len(every) > most,
    )


async def _results(call: Call, where: OwnedGraph, hits: Sequence[Hit[Any]]) -> wire.Results4:
    details = await recall.details(call.services, call.access, hits, threads=True)
    return translate.results(where, hits, details)


async def _all_results(call: Call, chosen: Sequence[tuple[OwnedGraph, Hit[Any]]]) -> wire.Results4:
    """The chosen hits by kind; the graphs are ordered by their best hit."""
    together = wire.Results4(edges=[], nodes=[], episodes=[], observations=[], thread_summaries=[])
    for uuid in dict.fromkeys(where.graph.uuid for where, _ in chosen):
        own = [(where, hit) for where, hit in chosen if where.graph.uuid == uuid]
        part = await _results(call, own[0][0], [hit for _, hit in own])
        for kind in KINDS:
            getattr(together, kind).extend(getattr(part, kind))
    return together


def _citations(cited: Sequence[Any]) -> wire.Citations4:
    facts = [item for item in cited if isinstance(item, Fact)]
    said = [uuid for item in cited for uuid in getattr(item, "episodes", ())]
    said += [item.uuid for item in cited if isinstance(item, Episode)]
    ends = [uuid for fact in facts for uuid in (fact.source_uuid, fact.target_uuid)]
    ends += [item.uuid for item in cited if isinstance(item, Entity)]
    return wire.Citations4(
        edge_uuids=[fact.uuid for fact in facts],
        node_uuids=list(dict.fromkeys(ends)),
        episode_uuids=list(dict.fromkeys(said)),
    )


def _handles(found: Searched) -> list[wire.QueryHandle4]:
    """Short names for the nodes, edges and episodes found in a graph."""
    named = []
    for number, hit in enumerate(found.hits, start=1):
        known = _HANDLES.get(type(hit.item))
        if known is not None:
            letter, kind = known
            named.append(
                wire.QueryHandle4(
                    handle=f"{letter}{number}",
                    item_type=kind,
                    uuid=hit.item.uuid,
                    graph_uuid=found.where.graph.uuid,
                )
            )
    return named


class QueryEvents:
    """The events of a streamed answer, in order."""

    def __init__(self, call: Call, asked: Sequence[Searchable]) -> None:
        self._call = call
        self._asked = asked
        self._sequence = 0

    async def stream(self) -> AsyncGenerator[wire.QueryEvent4, None]:
        """All events, from the start to the result."""
        now = self._call.services.clock()
        uuids = [one.where.graph.uuid for one in self._asked]
        yield self._event("started", graph_uuids=uuids, handles=[])
        yield self._event("plan", step=1, revision=1, plan=self._plan())
        found = []
        for number, there in enumerate(self._asked, start=1):
            asked = {"graph_uuid": there.where.graph.uuid, "query": self._call.body.query}
            said = {"call_number": number, "tool": "search_graph"}
            yield self._event("tool_call", step=1, **said, arguments=json.dumps(asked))
            began = self._call.services.clock()
            found.append(await _search(self._call, there, now))
            results = await _results(self._call, there.where, found[-1].hits)
            yield self._event(
                "tool_result",
                **said,
                duration_ms=elapsed_ms(self._call.services, began),
                listing=self._listing(found[-1]),
                handles=_handles(found[-1]),
                results=results,
            )
        done = await _answered(self._call, found, now)
        yield self._event(
            "result",
            answer=done.answer,
            citations=done.citations,
            results=done.results,
            truncated=done.truncated,
        )

    def failed(self, status: int, error: Any) -> wire.QueryEvent4:
        """The last event of an answer that cannot be finished."""
        return self._event("error", status=status, error=error)

    def _event(self, kind: Any, **said: Any) -> wire.QueryEvent4:
        self._sequence += 1
        return wire.QueryEvent4(type=kind, sequence=self._sequence, **said)

    def _listing(self, found: Searched) -> wire.QueryListing4 | None:
        count = len(found.hits)
        if not count:
            return None
        return wire.QueryListing4(first_item=1, last_item=count, complete=True)

    def _plan(self) -> wire.QueryPlan4:
        return wire.QueryPlan4(
            subjects=[],
            steps=[
                wire.QueryPlanStep4(
                    tool="search_graph",
                    purpose="find what each graph holds for the question",
                    arguments_hint="the question as it was asked",
                )
            ],
            evidence_needed=["facts that hold now, and the episodes they come from"],
            stop_when="every graph was searched once",
            answer_language="that of what was found",
        )


async def _pieces(events: QueryEvents) -> AsyncGenerator[bytes, None]:
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
