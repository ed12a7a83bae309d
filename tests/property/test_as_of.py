"""What was said at a time to be true then is what is said of that time ever after.

People move, make friends and fall out, in messages that come one by one, some of them late. After
each one, what would be told now is written down. Once everything is known, the same question about
each of those moments has the same answer, whatever was learned since.
"""

import asyncio
import tempfile
from datetime import datetime, timedelta
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recollect.graph.filters import Filters
from recollect.graph.types import Access, Graph, NewEpisode
from recollect.ingest import intake
from recollect.records import graphs, knowledge, threads, users
from recollect.records.users import UserDetails
from recollect.search.finder import Finder
from recollect.search.segments import Segments
from recollect.settings import Settings
from recollect.store.protocol import Store
from tests.contract.store.world import StillClock, new_project
from tests.property.effort import examples
from tests.property.reader import ScriptedReader
from tests.support import here
from tests.support.stores import open_store

sentences = st.sampled_from(
    ["alpha gamma", "alpha delta", "beta gamma", "alpha beta", "beta delta", "beta alpha gamma"]
)
# What is said, and how many days ago it was so when it is said.
messages = st.lists(st.tuples(sentences, st.sampled_from([0, 0, 0, 3, 40])), min_size=2, max_size=8)


class World:
    """A user's graph under a clock that is set by hand."""

    def __init__(self, folder: Path) -> None:
        self.clock = StillClock()
        self.store: Store = open_store(folder, readers=1, clock=self.clock)
        self.finder = Finder(
            self.store, Segments(self.store, bytes_max=10_000_000), Settings().models
        )

    async def begin(self) -> None:
        """One user with one thread."""
        self.access: Access = await new_project(self.store, "first")
        await self.store.write(users.create, self.access, "u", UserDetails(first_name="Jane"))
        await self.store.write(threads.create, self.access, "t", "u")

    async def say(self, words: str, days_ago: int) -> None:
        """A message of a day, and everything it teaches."""
        self.clock.advance(24 * 3600)
        at = self.clock() - timedelta(days=days_ago)
        said = NewEpisode(kind="message", content=words, role="user", speaker="Jane", created_at=at)
        await self.store.write(intake.add_messages, self.access, "t", [said])
        await here.learn(self.store, ScriptedReader())
        self.clock.advance(60)

    async def true_and_known(self, at: datetime) -> set[str]:
        """What would have been told at a time to be true at that time."""
        graph: Graph = await self.store.read(graphs.of_user, self.access, "u")
        filters = Filters(valid_on=at, known_on=at)
        ids = await self.finder.matching(self.access, graph, "fact", filters)
        found = await self.store.read(knowledge.facts_by_ids, self.access, graph, ids)
        return {f"{fact.fact} since {fact.valid_at}" for fact in found}


async def _live(said: list[tuple[str, int]]) -> None:
    with tempfile.TemporaryDirectory(prefix="recollect-as-of-") as folder:
        world = World(Path(folder))
        try:
            await world.begin()
            told: dict[datetime, set[str]] = {}
            for words, days_ago in said:
                await world.say(words, days_ago)
                told[world.clock()] = await world.true_and_known(world.clock())
            assert any(told.values())
            for at, then in told.items():
                assert await world.true_and_known(at) == then
        finally:
            await world.store.close()


@settings(max_examples=examples(40), deadline=None, suppress_health_check=list(HealthCheck))
@given(messages)
def test_what_was_told_of_a_time_is_told_of_it_ever_after(said: list[tuple[str, int]]) -> None:
    """Both clocks at once, after every message."""
    asyncio.run(_live(said))
