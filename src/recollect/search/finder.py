"""Searching one graph: what callers of every surface use."""

import asyncio
import hashlib
import threading
import time
from collections.abc import Callable, Collection, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Concatenate, NamedTuple, ParamSpec, TypeVar

import msgspec
import numpy as np

from recollect.errors import NotFound
from recollect.graph.contexts import Context, Reach
from recollect.graph.filters import Filters
from recollect.graph.sight import Sight
from recollect.graph.types import Access, Fact, Graph
from recollect.limits import RERANK_BUDGET_S
from recollect.models import cross_encoder, embedder
from recollect.search import explaining, overview, rank, surroundings
from recollect.search.asked import Asked, ask, known_to
from recollect.search.columns import NO_TIME, Floats
from recollect.search.events import Event
from recollect.search.explaining import Standing, Weighed
from recollect.search.fetch import SHAPES, fetch
from recollect.search.fuse import best as best_of
from recollect.search.overview import Overview, OverviewWanted
from recollect.search.query import Found, Kind, Query, Ranked
from recollect.search.question import Resolved, parts, resolve
from recollect.search.rank import Hit
from recollect.search.rerank import rerank
from recollect.search.seen import as_seen
from recollect.search.segment import Segment
from recollect.search.segments import Segments
from recollect.search.times import around
from recollect.search.view import mask
from recollect.store import rows
from recollect.store.protocol import Store
from recollect.subjects import knowledge

P = ParamSpec("P")
T = TypeVar("T")

_ASKED_MAX = 16
_FITS = 0.5  # the score from which a fact counts as the event that a question speaks of
_ANY_TIME = datetime.min.replace(tzinfo=UTC)  # filters do not ask for the present


class Finder:
    """Finds facts, entities, episodes, observations and thread summaries of a graph."""

    def __init__(self, store: Store, segments: Segments, models: Path) -> None:
        self._store = store
        self._segments = segments
        self._models = models
        self._asked: dict[bytes, Floats] = {}
        self._lock = threading.Lock()

    async def find(self, access: Access, graph: Graph, query: Query) -> Found:
        """What fits *query* best, as of now; an empty text finds nothing."""
        if not query.text.strip() or query.limit <= 0:
            return Found()
        look, resolved = await self._begin(access, graph, query)
        hits = await asyncio.to_thread(self._search, look, query, resolved)
        found = await self._store.read(fetch, access, graph, query.kind, hits)
        if query.reranker == "cross_encoder":
            found = await asyncio.to_thread(self._rerank, query, found)
            found = [one for one in found if one.score >= (query.score_min or 0.0)]
        field = SHAPES[query.kind].field
        return msgspec.structs.replace(Found(), **{field: tuple(found[: query.limit])})

    async def contexts(
        self,
        access: Access,
        graph: Graph,
        query: Query,
        reach: Reach,
        without: Collection[int] = (),
    ) -> list[Context]:
        """The episodes that fit *query* best, but for those of *without*, row ids; each within
        what was said around it, the best episodes first. An empty text finds nothing."""
        if not query.text.strip() or query.limit <= 0:
            return []
        look, resolved = await self._begin(access, graph, query)
        return await asyncio.to_thread(self._contexts, look, query, resolved, reach, without)

    async def explain(
        self, access: Access, graph: Graph, query: Query, found: Found, about: int | None
    ) -> tuple[dict[int, Weighed], Standing | None]:
        """The parts of the scores of what *query* found, by row ids; and how one thing fared with
        it, by its row id, whether it was found or not."""
        hits = getattr(found, SHAPES[query.kind].field)
        look, resolved = await self._begin(access, graph, query)
        ids = [hit.item.id for hit in hits]
        return await asyncio.to_thread(self._explain, look, query, resolved, ids, about)

    def _explain(
        self, look: "_Look", query: Query, resolved: Resolved, ids: list[int], about: int | None
    ) -> tuple[dict[int, Weighed], Standing | None]:
        asked = self._ask(look, query, resolved)
        standing = None if about is None else look(explaining.stand, asked, about)
        return look(explaining.weigh, asked, ids), standing

    async def overview(self, access: Access, graph: Graph, wanted: OverviewWanted) -> Overview:
        """The best-connected part of a graph, by row ids."""
        query = Query(text="", kind="fact", now=_ANY_TIME, filters=wanted.filters)
        look, resolved = await self._begin(access, graph, query)
        return await asyncio.to_thread(lambda: look(overview.of, query, resolved, wanted))

    async def _begin(self, access: Access, graph: Graph, query: Query) -> tuple["_Look", Resolved]:
        segment = await self._segments.of(access, graph)
        read = self._store.read if query.filters.episode_uuids else self._store.glance
        return _Look(segment, access.sight), await read(resolve, graph.id, query)

    async def matching(
        self, access: Access, graph: Graph, kind: Kind, filters: Filters
    ) -> list[int]:
        """The row ids of everything of a kind that passes the filters, in no order."""
        query = Query(text="", kind=kind, now=_ANY_TIME, filters=filters)
        segment = await self._segments.of(access, graph)
        resolved = await self._store.read(resolve, graph.id, query)
        look = _Look(segment, access.sight)
        return await asyncio.to_thread(lambda: look(_passing, query, resolved))

    async def nearest(
        self, access: Access, graph: Graph, vectors: Sequence[Floats], limit: int
    ) -> list[list[Ranked[Fact]]]:
        """For each vector the open facts that are nearest in meaning, with the cosine."""
        segment = await self._segments.of(access, graph)
        look = _Look(segment, access.sight)
        near = await asyncio.to_thread(lambda: look(_nearest, vectors, limit))
        ids = list(dict.fromkeys(hit.id for hits in near for hit in hits))
        found = await self._store.read(knowledge.facts_by_ids, access, graph, ids)
        facts = {fact.id: fact for fact in found}
        return [
            [Ranked(item=facts[hit.id], score=hit.score) for hit in hits if hit.id in facts]
            for hits in near
        ]

    def forget(self) -> None:
        """Hold nothing of what was asked."""
        with self._lock:
            self._asked.clear()

    def load(self) -> None:
        """Load the model that questions are embedded with."""
        embedder.load(self._models)

    async def warm(self, access: Access, graph: Graph) -> None:
        """Bring what a search of this graph needs into memory."""
        await self._segments.of(access, graph)
        await asyncio.to_thread(self.load)

    def _search(self, look: "_Look", query: Query, resolved: Resolved) -> list[Hit]:
        """The costly part, for a thread of its own.

        What fits one part of a question that asks for several things fits the question.
        """
        asked = self._ask(look, query, resolved)
        hits = look(rank.search, asked)
        several = parts(query.text) if query.reranker is None else ()
        for text in several:
            part = self._ask(look, msgspec.structs.replace(query, text=text), resolved)
            about = {"people": asked.people, "own": asked.own, "together": asked.together}
            hits += look(rank.search, msgspec.structs.replace(part, **about))
        return _best_once(hits, query.limit) if several else hits

    def _contexts(
        self,
        look: "_Look",
        query: Query,
        resolved: Resolved,
        reach: Reach,
        without: Collection[int],
    ) -> list[Context]:
        return look(surroundings.contexts, self._ask(look, query, resolved), reach, without)

    def _ask(self, look: "_Look", query: Query, resolved: Resolved) -> Asked:
        """The question as it stands before this segment."""
        speakers, resolved = look(known_to, resolved)
        if query.center_uuid and not resolved.center:
            raise NotFound(f"node not found: {query.center_uuid}")
        asked = ask(speakers, query, resolved, self._embed)
        if asked.event is not None:
            asked = self._dated(look, speakers, asked, asked.event)
        return asked

    def _dated(self, look: "_Look", speakers: set[str], asked: Asked, event: Event) -> Asked:
        """Find out when what a question calls its time happened; unknown, it narrows nothing."""
        query = Query(text=event.text, kind="fact", now=asked.query.now, limit=1)
        wanted = ask(speakers, query, Resolved(named=asked.resolved.named), self._embed)
        when = look(_happened, wanted)
        window = around(event, *when) if when else None
        return msgspec.structs.replace(asked, windows=(*asked.windows, window)) if window else asked

    def _embed(self, text: str) -> Floats:
        """The vector of a question; one context asks the same for several kinds of things."""
        key = hashlib.sha256(text.encode()).digest()
        with self._lock:
            vector = self._asked.get(key)
        if vector is None:
            vector = embedder.load(self._models).queries([text])[0]
            with self._lock:
                self._asked[key] = vector
                while len(self._asked) > _ASKED_MAX:
                    del self._asked[next(iter(self._asked))]
        return vector

    def _rerank(self, query: Query, found: Sequence[Ranked[Any]]) -> list[Ranked[Any]]:
        """What was found, in the order that the cross-encoder and the fused scores agree on."""
        text = SHAPES[query.kind].text
        model = cross_encoder.load(self._models)
        ordered = rerank(
            query.text,
            [(text(one.item), one.score) for one in found],
            lambda asked, texts: [float(value) for value in model.scores(asked, texts)],
            RERANK_BUDGET_S,
            time.perf_counter,
        )
        return [
            Ranked(item=found[one.place].item, score=one.score, relevance=one.relevance)
            for one in ordered
        ]


class _Look(NamedTuple):
    """A segment and the sight it is looked at with: whoever works on it sees no more."""

    segment: Segment
    sight: Sight | None

    def __call__(
        self, task: Callable[Concatenate[Segment, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        return self.segment.work(lambda whole: task(as_seen(whole, self.sight), *args, **kwargs))


def _happened(segment: Segment, wanted: Asked) -> tuple[datetime | None, datetime | None] | None:
    """From when until when the fact that fits best held; None if none fits well."""
    hits = rank.search(segment, wanted)
    if not hits or hits[0].score < _FITS:
        return None
    (slot,) = segment.facts.known([hits[0].id])
    first, last = segment.facts.valid_at.array[slot], segment.facts.invalid_at.array[slot]
    return _moment(first), _moment(last)


def _nearest(segment: Segment, vectors: Sequence[Floats], limit: int) -> list[list[Hit]]:
    facts, held = segment.facts, segment.vectors["fact"]
    open_ = facts.alive.array & (facts.invalid_at.array == NO_TIME)
    found = []
    for vector in vectors:
        slots = held.nearest(vector, open_)
        alike = held.likeness(slots, vector).astype(np.float64)
        best, scores = best_of(slots, alike, limit, facts.ids.array)
        ids = segment.row_ids("fact", best)
        found.append([Hit(id_, float(score)) for id_, score in zip(ids, scores, strict=True)])
    return found


def _best_once(hits: Sequence[Hit], limit: int) -> list[Hit]:
    best: dict[int, Hit] = {}
    for hit in sorted(hits, key=lambda hit: -hit.score):
        best.setdefault(hit.id, hit)
    return list(best.values())[:limit]


def _moment(value: int) -> datetime | None:
    return None if value == NO_TIME else rows.moment(int(value))


def _passing(segment: Segment, query: Query, resolved: Resolved) -> list[int]:
    passing = mask(segment, query, resolved)
    return segment.row_ids(query.kind, passing.nonzero()[0].astype("int32"))
