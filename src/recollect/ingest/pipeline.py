"""What is done for an episode once it is stored. The order of steps is the path of an episode:
brief, extract, reconcile, apply, index; the last three are one transaction."""

import asyncio
from collections.abc import Sequence
from typing import Protocol

import msgspec

from recollect import ids
from recollect.extract import direct
from recollect.extract.brief import Again, Brief, Extracted
from recollect.graph import needs, predicates
from recollect.graph.delta import ChangedEntity, Delta, Known, NewEntity
from recollect.graph.found import Found
from recollect.graph.predicates import Predicates
from recollect.graph.reconcile import reconcile
from recollect.graph.resolve import resolve
from recollect.graph.types import DIRECT_KINDS, Episode, Job
from recollect.ingest import briefing, queue, rereadings, summaries
from recollect.ingest.queue import Claim
from recollect.limits import JOBS_PER_COMMIT_MAX
from recollect.store import chapters, findable, index
from recollect.store.index import Item
from recollect.store.knowledge import Neighbourhood
from recollect.store.protocol import Store, Transaction


class Extractor(Protocol):
    """Turns episodes into what they say.

    *together*: how many it reads at once. *with_names*: whether it wants to know which entities
    of the graph the text names; only one that reads episodes one by one can.
    """

    together: int
    with_names: bool
    predicates: Predicates

    async def extract(self, readings: Sequence[Brief]) -> list[Extracted]:
        """What each episode says, in order."""

    async def close(self) -> None:
        """Let go of processes and connections."""


Prepared = dict[int, tuple[bytes, Extracted | None]]


async def process(
    store: Store, held: Claim, jobs: Sequence[Job], *, extractor: Extractor | None = None
) -> None:
    """Take stored episodes of one graph along the whole path. The caller holds the lease.

    Without an extractor episodes are made findable, and only what callers wrote down as knowledge
    is learned.
    """
    together = extractor.together if extractor else JOBS_PER_COMMIT_MAX
    for start in range(0, len(jobs), together):
        part = jobs[start : start + together]
        prepared = await prepare(store, held.graph_id, part, extractor)
        table = extractor.predicates if extractor else predicates.load()
        await store.write(commit, held, part, prepared, table)


async def prepare(
    store: Store, graph_id: int, jobs: Sequence[Job], extractor: Extractor | None
) -> Prepared:
    """The costly part, outside of any transaction: search terms and what was extracted, by job."""
    found = await asyncio.to_thread(_terms, jobs)
    if extractor is None:
        return {job.id: (found[job.id], _written_down(job.episode)) for job in jobs}
    owed = await store.read(briefing.brief, graph_id, jobs, with_names=extractor.with_names)
    wanted = [_as_kept(job.episode, reading) for job, reading in owed]
    extracted = await extractor.extract(wanted) if wanted else []
    return {job.id: (found[job.id], item) for (job, _), item in zip(owed, extracted, strict=True)}


def _as_kept(episode: Episode, reading: Brief) -> Brief:
    """Nothing is learned from what is kept for the episodic memory alone."""
    return msgspec.structs.replace(reading, learn=episode.kept_for != "episodic")


def _written_down(episode: Episode) -> Extracted | None:
    """What a caller wrote as knowledge, which nobody has to read; None for everything else."""
    if episode.kind not in DIRECT_KINDS:
        return None
    found = direct.read(episode.kind, episode.content)
    return Extracted(found=found, fact_vectors=(None,) * len(found.facts))


def _terms(jobs: Sequence[Job]) -> dict[int, bytes]:
    return {job.id: index.episode_terms(job.episode) for job in jobs}


def commit(
    tx: Transaction,
    held: Claim,
    jobs: Sequence[Job],
    prepared: Prepared,
    table: Predicates,
) -> None:
    """Write all that came of *jobs* and mark them done, in one transaction."""
    done = queue.finish(tx, held, [job for job in jobs if job.id in prepared])
    for job in done:
        words, extracted = prepared[job.id]
        vector = extracted.vector if extracted else None
        items = [Item(kind="episode", id=job.episode.id, terms=words, vector=vector)]
        if extracted is not None:
            items += _learn(tx, job.episode, extracted, table)
            _read_again(tx, job.episode, extracted.again)
        index.put(tx, held.graph_id, items)
        findable.put(tx, held.graph_id, summaries.refresh(tx, job.episode, table))
    chapters.follow(tx, held.graph_id, [seq for job in done for seq in _told_by(job, prepared)])


def _read_again(tx: Transaction, episode: Episode, again: Again | None) -> None:
    if again is not None:
        rereadings.want(tx, episode.id, again.reader, again.reason)


def _told_by(job: Job, prepared: Prepared) -> list[int]:
    """The places of the log that say more now: that of the episode, and of those it cites."""
    _, extracted = prepared[job.id]
    cited = [] if extracted is None else [s for fact in extracted.found.facts for s in fact.cites]
    return [job.episode.seq, *cited]


def _learn(
    tx: Transaction, episode: Episode, extracted: Extracted, table: Predicates
) -> list[Item]:
    """Let the graph take in what an episode says; tells what became findable by it.

    An episode that was processed before is learned as of then: a rebuilt graph equals the first.
    """
    found = _free_uuids(tx, episode.graph_id, extracted.found)
    now = episode.processed_at or tx.now
    around = Neighbourhood(tx, episode.graph_id)
    wanted = needs.needs(found)
    entities = around.entities(wanted.keys, wanted.uuids)
    resolved = resolve(entities, found)
    facts = around.facts(needs.fact_needs(resolved, found, table, at=episode.created_at))
    delta = reconcile(
        Known(entities=entities + around.ends, facts=facts),
        found,
        now=now,
        at=episode.created_at,
        new_id=ids.derived(episode.received_at, episode.seq, episode.uuid),
        predicates=table,
        resolved=resolved,
    )
    around.apply(delta, episode_id=episode.id, now=now, extractor=found.extractor)
    cited = around.cite(delta, [seq for fact in found.facts for seq in fact.cites])
    index.touch(tx, episode.graph_id, "episode", cited)
    closed = [around.fact_id(fact.uuid) for fact in delta.closed_facts]
    index.touch(tx, episode.graph_id, "fact", closed)
    return _items(around, delta, extracted)


def _free_uuids(tx: Transaction, graph_id: int, found: Found) -> Found:
    """*found* without the uuids that callers asked for and that another graph uses already."""
    facts = []
    for fact in found.facts:
        taken = tx.one("fact_place", uuid=fact.uuid) if fact.uuid is not None else None
        elsewhere = taken is not None and taken["graph_id"] != graph_id
        facts.append(msgspec.structs.replace(fact, uuid=None) if elsewhere else fact)
    return msgspec.structs.replace(found, facts=tuple(facts))


def _items(around: Neighbourhood, delta: Delta, extracted: Extracted) -> list[Item]:
    facts = [
        index.fact_item(around.fact_id(fact.uuid), fact.fact, extracted.fact_vectors[fact.found])
        for fact in delta.new_facts
    ]
    described: list[NewEntity | ChangedEntity] = [*delta.new_entities, *delta.changed_entities]
    return facts + [
        index.entity_item(around.entity_id(item.uuid), item.name, item.summary)
        for item in described
    ]
