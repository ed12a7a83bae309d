"""The embedded extractor inside the test's own process, loaded once."""

from collections.abc import Sequence
from functools import cache
from typing import cast

from recollect.clock import system_clock
from recollect.extract.brief import Brief, Extracted
from recollect.extract.embedded import EmbeddedReader
from recollect.graph import predicates
from recollect.ingest import pipeline, queue, rebuild
from recollect.ingest.extractors import EmbeddedExtractor
from recollect.ingest.folder import Folder
from recollect.ingest.rereader import Rereader
from recollect.limits import JOBS_PER_COMMIT_MAX
from recollect.models.judge import Opinion, Pair
from recollect.search.finder import Finder
from recollect.search.segments import Segments
from recollect.settings import Settings
from recollect.store.protocol import Store


class HereExtractor:
    """What a worker uses, without the process around it."""

    together = JOBS_PER_COMMIT_MAX
    wants_known = False

    def __init__(self) -> None:
        self.predicates = predicates.load()
        self.embedded = EmbeddedReader(Settings().models)

    async def extract(self, readings: Sequence[Brief]) -> list[Extracted]:
        """Read, blocking this loop: there is nothing else on it."""
        return self.embedded.read(readings)

    async def judge(self, pairs: Sequence[Pair]) -> list[Opinion]:
        """Judge, blocking it as well."""
        return self.embedded.judge(pairs)

    async def close(self) -> None:
        """Nothing to let go of."""


@cache
def extractor() -> HereExtractor:
    """The one of this process."""
    return HereExtractor()


async def learn(
    store: Store, using: pipeline.Extractor | None = None, judge: HereExtractor | None = None
) -> int:
    """Process everything that is due and fold what has to be, as a server would; says how many jobs
    ran. Without a *judge* as one with RECOLLECT_JUDGE=off."""
    done = 0
    finder = finder_of(store) if judge else None
    while (held := await store.write(queue.claim, "here")) is not None:
        await pipeline.process(
            store, held, held.jobs, extractor=using or extractor(), finder=finder, judge=judge
        )
        await store.write(queue.release, held)
        done += len(held.jobs)
    for row in await store.read(lambda tx: tx.graphs.to_fold()):
        await settle(store, row)
    return done


def finder_of(store: Store) -> Finder:
    """A finder with segments of its own."""
    return Finder(store, Segments(store, bytes_max=1 << 20), Settings().models)


async def read_over(store: Store, using: pipeline.Extractor | None = None) -> None:
    """Read again what waits for the embedded reader, as a server would in the background."""
    rereader = Rereader(
        store,
        Folder(store, predicates.load()),
        finder_of(store),
        cast("EmbeddedExtractor", using or extractor()),
        owner="here",
        clock=system_clock,
        attempts_max=1,
        backoff_first_s=1.0,
    )
    while await rereader.step():
        pass


async def fold(store: Store, graph_id: int) -> None:
    """Fold a graph from the beginning, whether it has to be or not."""
    await store.write(rebuild.again, graph_id)
    await settle(store, graph_id)


async def settle(store: Store, graph_id: int) -> None:
    """Fold a graph if it has to be, as the server would in the background."""
    await Folder(store, predicates.load()).fold(graph_id)
