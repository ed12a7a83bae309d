"""Answering a question from several graphs: search each, choose, answer, say what that rests on."""

import json
from collections.abc import AsyncGenerator, Sequence
from datetime import datetime
from typing import Any

from recollect import log
from recollect.api.compat.zep import routes_search as shared
from recollect.api.compat.zep import wire as wire3
from recollect.api.compat.zep.answers import elapsed_ms
from recollect.api.compat.zep.translate_search import KINDS
from recollect.api.compat.zep4 import show
from recollect.api.compat.zep4.routes_search import question
from recollect.api.compat.zep4.wire import search as wire
from recollect.api.router import Call
from recollect.context import answering
from recollect.context.defusing import SAFE
from recollect.context.lines import told
from recollect.errors import RecollectError
from recollect.extract.model import answering as model_answering
from recollect.graph.filters import NO_FILTERS
from recollect.graph.types import Access, Entity, Episode, Fact, Record
from recollect.search.query import Ranked
from recollect.store.protocol import Transaction
from recollect.subjects import listing, lookups
from recollect.subjects.lookups import Place

_log = log.get(__name__)
_FINDINGS = {"fast": 20, "deep": 60}
_HANDLES: dict[type, tuple[str, Any]] = {
    Entity: ("n", "node"),
    Fact: ("e", "edge"),
    Episode: ("s", "episode"),
}


class Searched(Record):
    """A graph, and what was found in it, best first."""

    where: Place
    hits: tuple[Ranked[Any], ...]


class Answered(Record):
    """An answer, what it rests on, and everything that was found."""

    answer: str | None
    citations: wire.Citations4
    results: wire.Results4
    truncated: bool


def places(tx: Transaction, access: Access, uuids: Sequence[str]) -> list[tuple[Place, str | None]]:
    """The graphs that are asked, each once, with the zones in which their owners mean times."""
    found = [lookups.place(tx, access, uuid) for uuid in dict.fromkeys(uuids)]
    return [(where, listing.time_zone(tx, where.graph)) for where in found]


async def search(call: Call, where: Place, zone: str | None, now: datetime) -> Searched:
    """Everything that one graph has for the question."""
    sent: wire.GraphQuery4 = call.body
    plain = wire3.Search(query=sent.query)
    asked = [question(plain, scope, NO_FILTERS, now, zone) for scope in KINDS]
    hits = shared.hits_of(await shared.over_all(call, where.graph, asked))
    return Searched(where=where, hits=tuple(sorted(hits, key=lambda hit: -hit.score)))


async def answered(call: Call, found: Sequence[Searched], now: datetime) -> Answered:
    """What is answered to the question from all that was found."""
    sent: wire.GraphQuery4 = call.body
    most = _FINDINGS[sent.mode or "fast"]
    every = [(one.where, hit) for one in found for hit in one.hits]
    every.sort(key=lambda each: -each[1].score)
    chosen = every[:most]
    text, rests_on = None, list(range(len(chosen)))
    if sent.generate_answer is not False:
        text, rests_on = await _answer(call, [hit for _, hit in chosen], now)
    results = await call.services.store.read(_results, call.access, chosen)
    cited = [chosen[number][1].item for number in rests_on]
    return Answered(
        answer=text,
        citations=_citations(cited),
        results=results,
        truncated=len(every) > most,
    )


async def _answer(
    call: Call, hits: Sequence[Ranked[Any]], now: datetime
) -> tuple[str | None, list[int]]:
    """By the language model where there is one, else by what was found itself."""
    sent: wire.GraphQuery4 = call.body
    model = call.services.language_model
    if model is not None and hits:
        lines = [told(hit.item, SAFE).strip().removeprefix("- ") for hit in hits]
        try:
            written = await model_answering.answer(model, sent.query, lines, sent.guidance or "")
        except RecollectError as error:
            _log.warning("query.model_failed", reason=error.message)
        else:
            return written.answer, list(written.rests_on)
    text, chosen = answering.told(hits, now)
    return text or None, chosen


def _results(
    tx: Transaction, access: Access, chosen: Sequence[tuple[Place, Ranked[Any]]]
) -> wire.Results4:
    """What was chosen, by kind, graph by graph in the order of the best of each."""
    together = wire.Results4(edges=[], nodes=[], episodes=[], observations=[], thread_summaries=[])
    for uuid in dict.fromkeys(where.graph.uuid for where, _ in chosen):
        own = [(where, hit) for where, hit in chosen if where.graph.uuid == uuid]
        part = show.results(tx, access, own[0][0], [hit for _, hit in own])
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


def handles(found: Searched) -> list[wire.QueryHandle4]:
    """Short names of the nodes, edges and episodes that were found in a graph."""
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


class Events:
    """The events of an answer in pieces, in order."""

    def __init__(self, call: Call, asked: Sequence[tuple[Place, str | None]]) -> None:
        self._call = call
        self._asked = asked
        self._sequence = 0

    async def stream(self) -> AsyncGenerator[wire.QueryEvent4, None]:
        """From the start to the result."""
        now = self._call.services.clock()
        uuids = [where.graph.uuid for where, _ in self._asked]
        yield self._event("started", graph_uuids=uuids, handles=[])
        yield self._event("plan", step=1, revision=1, plan=self._plan())
        found = []
        for number, (where, zone) in enumerate(self._asked, start=1):
            asked = {"graph_uuid": where.graph.uuid, "query": self._call.body.query}
            said = {"call_number": number, "tool": "search_graph"}
            yield self._event("tool_call", step=1, **said, arguments=json.dumps(asked))
            began = self._call.services.clock()
            found.append(await search(self._call, where, zone, now))
            results = await self._call.services.store.read(
                show.results, self._call.access, where, found[-1].hits
            )
            yield self._event(
                "tool_result",
                **said,
                duration_ms=elapsed_ms(self._call, began),
                listing=self._listing(found[-1]),
                handles=handles(found[-1]),
                results=results,
            )
        done = await answered(self._call, found, now)
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
