"""The processing of a stored episode: brief, extract, judge, keep, fold.

The last two steps are one transaction.
"""

import asyncio
from collections.abc import Sequence
from itertools import takewhile
from typing import Protocol

import msgspec

from recollect import spans
from recollect.derive import readings
from recollect.extract.brief import Brief, Extracted
from recollect.governance import outbox
from recollect.graph import predicates
from recollect.graph.found import Found, read_direct
from recollect.graph.predicates import Predicates
from recollect.graph.types import DIRECT_KINDS, Episode, Job
from recollect.ingest import briefing, fold, judging, known, naming, queue, rereadings
from recollect.ingest.fold import Step
from recollect.ingest.judging import Judge, Read
from recollect.ingest.queue import Claim
from recollect.limits import JOBS_PER_COMMIT_MAX
from recollect.records import expiring
from recollect.search.finder import Finder
from recollect.store import index
from recollect.store.index import IndexItem
from recollect.store.protocol import Store, Transaction
from recollect.store.work import beside_others


class Extractor(Protocol):
    """Turns episodes into what they say.

    *together*: how many it reads at once. *wants_known*: whether it must be shown what the graph knows
    (`known.py`); that changes with every episode, so only an extractor that reads one at a time can.
    """

    together: int
    wants_known: bool
    predicates: Predicates

    async def extract(self, readings: Sequence[Brief]) -> list[Extracted]:
        """What each episode says, in order."""

    async def close(self) -> None:
        """Release processes and connections."""


Prepared = dict[int, tuple[bytes, Extracted | None]]
# The reading of an episode from which nothing is learned because learning is off.
UNREAD = Extracted(found=Found(extractor="none"))


async def process(
    store: Store,
    held: Claim,
    jobs: Sequence[Job],
    *,
    extractor: Extractor | None = None,
    finder: Finder | None = None,
    judge: Judge | None = None,
) -> None:
    """Take stored episodes of one graph along the whole path. The caller holds the lease.

    Without an extractor episodes are indexed, and only direct writes of callers are learned. The finder
    finds what is known, for an extractor that must be shown it and for the judge, which says what no
    longer holds.
    """
    together = extractor.together if extractor else JOBS_PER_COMMIT_MAX
    for start in range(0, len(jobs), together):
        part = jobs[start : start + together]
        prepared = await prepare(store, held.graph_id, part, extractor, finder)
        table = extractor.predicates if extractor else predicates.load()
        while part:
            some = part
            if finder is not None and judge is not None:
                some = await _judge(store, finder, judge, part, prepared)
            await store.write(commit, held, some, prepared, table)
            part = part[len(some) :]


async def _judge(
    store: Store, finder: Finder, judge: Judge, jobs: Sequence[Job], prepared: Prepared
) -> Sequence[Job]:
    """Ask the judge what new facts close.

    Returns the first jobs, usually all, which must be learned before the others can be judged.
    """
    place = await store.glance(judging.place_of, jobs[0].graph_id)
    owed = [(job, prepared[job.id][1]) for job in jobs if job.id in prepared]
    read = [Read(job.episode, found) for job, found in owed if found is not None]
    if place is None or not read:
        return jobs
    with spans.span("judge", {"recollect.episodes": len(read)}):
        judged = await judging.judged(store, finder, place, read, judge)
    for one, found in zip(read, judged, strict=False):
        words, _ = prepared[one.episode.id]
        prepared[one.episode.id] = (words, found)
    if len(judged) == len(read):
        return jobs
    first = read[len(judged)].episode.id
    return list(takewhile(lambda job: job.id != first, jobs))


async def prepare(
    store: Store,
    graph_id: int,
    jobs: Sequence[Job],
    extractor: Extractor | None,
    finder: Finder | None = None,
) -> Prepared:
    """The expensive part, outside of any transaction: search terms and extraction results, by job."""
    found = await asyncio.to_thread(_terms, jobs)
    if extractor is None:
        return {job.id: (found[job.id], _written_down(job.episode)) for job in jobs}
    owed = await store.read(briefing.brief, graph_id, jobs, wants_known=extractor.wants_known)
    wanted = [to_learn(job.episode, reading) for job, reading in owed]
    if extractor.wants_known and finder is not None:
        shown = zip(owed, wanted, strict=True)
        wanted = [await _with_known(store, finder, job.episode, one) for (job, _), one in shown]
    extracted = await _read(extractor, wanted) if wanted else []
    return {job.id: (found[job.id], item) for (job, _), item in zip(owed, extracted, strict=True)}


async def _read(extractor: Extractor, wanted: Sequence[Brief]) -> list[Extracted]:
    facts: dict[str, str | int] = {
        "recollect.reader": type(extractor).__name__,
        "recollect.episodes": len(wanted),
    }
    with spans.span("read", facts):
        return await extractor.extract(wanted)


async def _with_known(store: Store, finder: Finder, episode: Episode, reading: Brief) -> Brief:
    """A brief with what is known; unchanged if no reader reads it."""
    if reading.kind in DIRECT_KINDS or not reading.learn:
        return reading
    project_id = await store.glance(known.project_of, episode.graph_id)
    if project_id is None:
        return reading
    shown = await known.shown(store, finder, known.everyone(project_id), episode, reading)
    return msgspec.structs.replace(reading, shown=shown)


def to_learn(episode: Episode, reading: Brief) -> Brief:
    """A brief that learns nothing if the episode is kept for the episodic memory alone."""
    return msgspec.structs.replace(reading, learn=episode.kept_for != "episodic")


def _written_down(episode: Episode) -> Extracted | None:
    """The content of a direct write, which needs no reader; None for any other episode."""
    if episode.kind not in DIRECT_KINDS:
        return None
    found = read_direct(episode.kind, episode.content)
    return Extracted(found=found, fact_vectors=(None,) * len(found.facts))


def _terms(jobs: Sequence[Job]) -> dict[int, bytes]:
    return {job.id: index.episode_terms(job.episode) for job in jobs}


@beside_others
def commit(
    tx: Transaction,
    held: Claim,
    jobs: Sequence[Job],
    prepared: Prepared,
    table: Predicates,
) -> None:
    """Write the results of *jobs* and mark them done, in one transaction."""
    happened = []
    for job in queue.finish(tx, held, [job for job in jobs if job.id in prepared]):
        words, extracted = prepared[job.id]
        vector = extracted.vector if extracted else None
        item = IndexItem(kind="episode", id=job.episode.id, terms=words, vector=vector)
        index.put(tx, held.graph_id, [item])
        closed = _keep(tx, job.episode, extracted or UNREAD, table)
        happened += [
            outbox.processed(job.episode.uuid),
            *outbox.closed(closed, job.episode.uuid),
        ]
    expiring.follow(tx, held.graph_id, [job.episode for job in jobs])
    outbox.tell(tx, held.graph_id, happened)


def _keep(
    tx: Transaction, episode: Episode, extracted: Extracted, table: Predicates
) -> Sequence[str]:
    """Store a reading and fold it into the graph; returns the facts that it closed.

    A late reading, whose job was parked and retried, belongs to an earlier log position than the graph
    has reached: then the graph is folded again from there.
    """
    found = naming.placed(tx, episode.graph_id, extracted.found)
    kept = readings.put(tx, episode.id, found, extracted.fact_vectors)
    if extracted.again is not None:
        rereadings.want(tx, episode.id, extracted.again.reader, extracted.again.reason)
    if episode.seq <= readings.head(tx, episode.graph_id):
        readings.fold_again(tx, episode.graph_id, episode.seq)
        return ()
    step = Step(
        episode=episode,
        found=kept,
        vectors=extracted.fact_vectors,
        side=readings.side(tx, episode.graph_id, episode.seq),
        distance=readings.distance(tx, episode.graph_id),
    )
    return fold.take(tx, step, table)
