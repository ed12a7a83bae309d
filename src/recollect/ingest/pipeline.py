"""What is done for an episode once it is stored.

Today: it is made findable. The order of steps here is the path of an episode.
"""

import asyncio
from collections.abc import Sequence

from recollect.graph.terms import terms
from recollect.graph.types import Job
from recollect.ingest import queue
from recollect.ingest.queue import Claim
from recollect.store import index
from recollect.store.protocol import Store, Transaction

Prepared = dict[int, str]


def prepare(jobs: Sequence[Job]) -> Prepared:
    """The costly part, outside of any transaction: search terms by job."""
    return {
        job.id: " ".join(terms(f"{job.episode.speaker or ''} {job.episode.content}"))
        for job in jobs
    }


def commit(tx: Transaction, held: Claim, jobs: Sequence[Job], prepared: Prepared) -> None:
    """Write all that came of *jobs* and mark them done, in one transaction."""
    alive = queue.finish(tx, held, jobs)
    found = [(job.episode.uuid, prepared[job.id]) for job in alive]
    index.put(tx, held.graph_id, "episode", found)


async def process(store: Store, held: Claim, jobs: Sequence[Job]) -> None:
    """Take stored episodes of one graph along the whole path. The caller holds the lease."""
    prepared = await asyncio.to_thread(prepare, jobs)
    await store.write(commit, held, jobs, prepared)
