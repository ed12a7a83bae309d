"""Searches one graph, end to end: segment, prepared query, ranking, and the items themselves."""

import asyncio
import hashlib
import threading
import time
from collections.abc import Callable, Collection, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Concatenate, NamedTuple, ParamSpec, TypeVar

import numpy as np
from msgspec.structs import replace

from recollect.errors import NotFound
from recollect.graph.filters import Filters
from recollect.graph.types import Access, Fact, Graph, Kind
from recollect.graph.visibility import Visibility
from recollect.limits import RERANK_BUDGET_S
from recollect.models import answers as answer_model
from recollect.models import cross_encoder, embedder
from recollect.search import answers, contexts, explain, rank
from recollect.search.columns import NO_TIME, Floats
from recollect.search.contexts import Context, ContextSpan
from recollect.search.explain import ScoreBreakdown, SearchOutcome
from recollect.search.freshness import Order
from recollect.search.kinds import KINDS
from recollect.search.overview import Overview, OverviewRequest, overview
from recollect.search.prepare import known_to, look_up, parts, prepare
from recollect.search.query import Hit, Lookups, PreparedQuery, Query
from recollect.search.segment import Segment
from recollect.search.segments import Segments
from recollect.search.times import TimedEvent, around
from recollect.search.visibility import as_seen
from recollect.store import rows
from recollect.store.protocol import Store, Transaction

P = ParamSpec("P")
T = TypeVar("T")

_EMBEDDED_MAX = 16  # queries whose vectors are cached
_FITS = 0.5  # the score from which a fact counts as the event that a query names
_ANY_TIME = datetime.min.replace(tzinfo=UTC)  # filters do not depend on the present


class Finder:
    """Finds facts, entities, episodes, observations and thread summaries of a graph."""

    def __init__(
        self, store: Store, segments: Segments, models: Path, *, reads_answers: bool = True
    ) -> None:
        self._store = store
        self._segments = segments
        self._models = models
        self._reads_answers = reads_answers
        self._embedded: dict[bytes, Floats] = {}
        self._lock = threading.Lock()

    async def find(self, access: Access, graph: Graph, query: Query) -> list[Hit[Any]]:
        """What fits *query* best, as of now; an empty text finds nothing."""
        if not query.text.strip() or query.limit <= 0:
            return []
        view, lookups = await self._begin(access, graph, query)
        if self._reads_answers and answers.reads(query):
            hits = await self._read_with(access, graph, query, view, lookups)
        else:
            ranked = await asyncio.to_thread(self._search, view, query, lookups)
            hits = await self._store.read(fetch, access, graph, query.kind, ranked)
        if query.reranker == "cross_encoder":
            hits = await asyncio.to_thread(self._rerank, query, hits)
        if query.reranker in (None, "cross_encoder"):
            hits = [hit for hit in hits if hit.score >= (query.score_min or 0.0)]
        return hits[: query.limit]

    async def contexts(
        self,
        access: Access,
        graph: Graph,
        query: Query,
        reach: ContextSpan,
        without: Collection[int] = (),
    ) -> list[Context]:
        """The episodes that fit *query* best, each with what was said around it, best first.

        *without* are row ids of episodes to leave out. An empty text finds nothing.
        """
        if not query.text.strip() or query.limit <= 0:
            return []
        view, lookups = await self._begin(access, graph, query)
        return await asyncio.to_thread(self._contexts, view, query, lookups, reach, without)

    async def explain(
        self,
        access: Access,
        graph: Graph,
        query: Query,
        hits: Sequence[Hit[Any]],
        about: int | None,
    ) -> tuple[dict[int, ScoreBreakdown], SearchOutcome | None]:
        """The score parts of what *query* found, by row id, and the outcome of one item.

        *about* is the row id of that item, which need not have been found.
        """
        view, lookups = await self._begin(access, graph, query)
        ids = [hit.item.id for hit in hits]
        weighed, outcome = await asyncio.to_thread(self._explain, view, query, lookups, ids, about)
        if self._reads_answers and answers.reads(query):
            weighed = {
                hit.item.id: explain.with_answer(weighed[hit.item.id], hit.score)
                for hit in hits
                if hit.item.id in weighed
            }
        return weighed, outcome

    def _explain(
        self, view: "_View", query: Query, lookups: Lookups, ids: list[int], about: int | None
    ) -> tuple[dict[int, ScoreBreakdown], SearchOutcome | None]:
        prepared = self._prepare(view, query, lookups)
        standing = None if about is None else view(explain.outcome, prepared, about)
        return view(explain.break_down, prepared, ids), standing

    async def overview(self, access: Access, graph: Graph, wanted: OverviewRequest) -> Overview:
        """The best-connected part of a graph, by row ids."""
        query = Query(text="", kind="fact", now=_ANY_TIME, filters=wanted.filters)
        view, lookups = await self._begin(access, graph, query)
        return await asyncio.to_thread(lambda: view(overview, wanted, lookups))

    async def matching(
        self, access: Access, graph: Graph, kind: Kind, filters: Filters
    ) -> list[int]:
        """The row ids of everything of a kind that passes the filters, in no order."""
        query = Query(text="", kind=kind, now=_ANY_TIME, filters=filters)
        segment = await self._segments.of(access, graph)
        lookups = await self._store.read(look_up, graph.id, query)
        view = _View(segment, access.visibility)
        return await asyncio.to_thread(lambda: view(_passing, query, lookups))

    async def nearest(
        self,
        access: Access,
        graph: Graph,
        vectors: Sequence[Floats],
        at: Sequence[datetime],
        limit: int,
    ) -> list[list[Hit[Fact]]]:
        """For each vector, the facts nearest in meaning that were not over at its moment, with the cosine."""
        segment = await self._segments.of(access, graph)
        view = _View(segment, access.visibility)
        near = await asyncio.to_thread(lambda: view(_nearest, vectors, at, limit))
        ids = list(dict.fromkeys(hit.item for hits in near for hit in hits))
        found = await self._store.read(KINDS["fact"].read, access, graph, ids)
        return [_replaced(hits, found) for hits in near]

    def forget(self) -> None:
        """Drop the cached vectors of queries."""
        with self._lock:
            self._embedded.clear()

    def load(self) -> None:
        """Load the models that a search needs."""
        embedder.load(self._models)
        if self._reads_answers:
            answer_model.load(self._models)

    async def warm(self, access: Access, graph: Graph) -> None:
        """Load what a search of this graph needs."""
        await self._segments.of(access, graph)
        await asyncio.to_thread(self.load)

    async def _begin(self, access: Access, graph: Graph, query: Query) -> tuple["_View", Lookups]:
        segment = await self._segments.of(access, graph)
        read = self._store.read if query.filters.episode_uuids else self._store.glance
        return _View(segment, access.visibility), await read(look_up, graph.id, query)

    def _search(self, view: "_View", query: Query, lookups: Lookups) -> list[Hit[int]]:
        """The expensive part, run in a separate thread."""
        return self._ranked(view, self._prepare(view, query, lookups), lookups)

    def _ranked(self, view: "_View", prepared: PreparedQuery, lookups: Lookups) -> list[Hit[int]]:
        """What fits best. If a question asks several things, what fits one of its parts fits the question."""
        query = prepared.query
        hits = view(rank.search, prepared)
        several = parts(query.text) if query.reranker is None else ()
        about = {
            "people": prepared.people,
            "own": prepared.own,
            "together": prepared.together,
        }
        for text in several:
            part = self._prepare(view, replace(query, text=text), lookups)
            hits += view(rank.search, replace(part, **about))
        return _best_once(hits, query.limit) if several else hits

    def _contexts(
        self,
        view: "_View",
        query: Query,
        lookups: Lookups,
        reach: ContextSpan,
        without: Collection[int],
    ) -> list[Context]:
        prepared = self._prepare(view, query, lookups)
        return view(contexts.contexts, prepared, reach, without)

    def _prepare(self, view: "_View", query: Query, lookups: Lookups) -> PreparedQuery:
        """The query prepared for what may be seen of the segment."""
        speakers, known = view(known_to, lookups)
        if query.center_uuid and not known.center:
            raise NotFound(f"node not found: {query.center_uuid}")
        prepared = prepare(speakers, query, known, self._embed)
        if prepared.event is not None:
            prepared = self._dated(view, speakers, prepared, prepared.event)
        return prepared

    def _dated(
        self, view: "_View", speakers: set[str], prepared: PreparedQuery, event: TimedEvent
    ) -> PreparedQuery:
        """Look up when the event happened that a query names as its time; an unknown one does not narrow."""
        query = Query(text=event.text, kind="fact", now=prepared.query.now, limit=1)
        named = Lookups(named=prepared.lookups.named)
        when = view(_happened, prepare(speakers, query, named, self._embed))
        window = around(event, *when) if when else None
        return replace(prepared, windows=(*prepared.windows, window)) if window else prepared

    def _embed(self, text: str) -> Floats:
        """The vector of a query, cached because one context searches for several kinds."""
        key = hashlib.sha256(text.encode()).digest()
        with self._lock:
            vector = self._embedded.get(key)
        if vector is None:
            vector = embedder.load(self._models).queries([text])[0]
            with self._lock:
                self._embedded[key] = vector
                while len(self._embedded) > _EMBEDDED_MAX:
                    del self._embedded[next(iter(self._embedded))]
        return vector

    async def _read_with(
        self, access: Access, graph: Graph, query: Query, view: "_View", lookups: Lookups
    ) -> list[Hit[Fact]]:
        """The facts found, in their order once a model has read the best of them with the question."""
        wide = replace(query, limit=answers.candidates(query), score_min=None)
        ranked, order = await asyncio.to_thread(self._search_in_order, view, wide, lookups)
        hits = await self._store.read(fetch, access, graph, "fact", ranked)
        first = {hit.item for hit in ranked[: answers.READ_MAX]}
        best = [hit for hit in hits if hit.item.id in first]
        read = await asyncio.to_thread(self._answering, query, best, order)
        return sorted([*read, *answers.unread(hits[len(best) :])], key=lambda hit: -hit.score)

    def _answering(self, query: Query, hits: Sequence[Hit[Fact]], order: Order) -> list[Hit[Fact]]:
        """In a thread, because the first one loads the model."""
        return answers.answering(query, hits, order, answer_model.load(self._models).read)

    def _search_in_order(
        self, view: "_View", query: Query, lookups: Lookups
    ) -> tuple[list[Hit[int]], Order]:
        prepared = self._prepare(view, query, lookups)
        hits = self._ranked(view, prepared, lookups)
        best = [hit.item for hit in hits[: answers.READ_MAX]]
        return hits, view(rank.order, prepared, best)

    def _rerank(self, query: Query, hits: Sequence[Hit[Any]]) -> list[Hit[Any]]:
        """The hits in the order that the cross-encoder and the fused scores agree on."""
        text = KINDS[query.kind].text
        model = cross_encoder.load(self._models)
        ordered = rank.rerank(
            query.text,
            [(text(hit.item), hit.score) for hit in hits],
            lambda asked, texts: [float(value) for value in model.scores(asked, texts)],
            RERANK_BUDGET_S,
            time.perf_counter,
        )
        return [
            Hit(item=hits[one.place].item, score=one.score, relevance=one.relevance)
            for one in ordered
        ]


def fetch(
    tx: Transaction, access: Access, graph: Graph, kind: Kind, hits: Sequence[Hit[int]]
) -> list[Hit[Any]]:
    """Hits with items instead of row ids, without those that are deleted or hidden by now."""
    return _replaced(hits, KINDS[kind].read(tx, access, graph, [hit.item for hit in hits]))


def _replaced(hits: Sequence[Hit[int]], found: Sequence[Any]) -> list[Hit[Any]]:
    known = {item.id: item for item in found}
    return [Hit(item=known[hit.item], score=hit.score) for hit in hits if hit.item in known]


class _View(NamedTuple):
    """A segment and the visibility it is seen with; a task called through it sees no more than that."""

    segment: Segment
    visibility: Visibility | None

    def __call__(
        self, task: Callable[Concatenate[Segment, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        return self.segment.work(
            lambda whole: task(as_seen(whole, self.visibility), *args, **kwargs)
        )


def _happened(
    segment: Segment, prepared: PreparedQuery
) -> tuple[datetime | None, datetime | None] | None:
    """From when until when the fact that fits best held; None if none fits well."""
    hits = rank.search(segment, prepared)
    if not hits or hits[0].score < _FITS:
        return None
    (slot,) = segment.facts.known([hits[0].item])
    first, last = segment.facts.valid_at.array[slot], segment.facts.invalid_at.array[slot]
    return _moment(first), _moment(last)


def _moment(value: int) -> datetime | None:
    return None if value == NO_TIME else rows.moment(int(value))


def _nearest(
    segment: Segment, vectors: Sequence[Floats], at: Sequence[datetime], limit: int
) -> list[list[Hit[int]]]:
    facts, held = segment.facts, segment.vectors["fact"]
    ends = facts.invalid_at.array
    found = []
    for vector, moment in zip(vectors, at, strict=True):
        open_ = facts.alive.array & ((ends == NO_TIME) | (ends > rows.micros(moment)))
        slots = held.nearest(vector, open_)
        alike = held.likeness(slots, vector).astype(np.float64)
        best, scores = rank.top(slots, alike, limit, facts.ids.array)
        ids = segment.row_ids("fact", best)
        found.append(
            [Hit(item=i, score=float(score)) for i, score in zip(ids, scores, strict=True)]
        )
    return found


def _best_once(hits: Sequence[Hit[int]], limit: int) -> list[Hit[int]]:
    best: dict[int, Hit[int]] = {}
    for hit in sorted(hits, key=lambda hit: -hit.score):
        best.setdefault(hit.item, hit)
    return list(best.values())[:limit]


def _passing(segment: Segment, query: Query, lookups: Lookups) -> list[int]:
    passing = segment.mask(query.kind, query.filters, lookups)
    return segment.row_ids(query.kind, passing.nonzero()[0].astype("int32"))
