"""An episodic memory tells what the log holds now, whatever it remembers."""

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from recollect.episodic_memory import instance, settings, short_term
from recollect.episodic_memory.instance import MemoryInstance
from recollect.episodic_memory.settings import MemoryQuery, Recalled, SettingsChange
from recollect.errors import InvariantViolated, NotFound
from recollect.governance import keys
from recollect.graph.episode_filters import EpisodeTest, EpisodeTree
from recollect.graph.types import Access, Graph
from recollect.graph.visibility import Constraint, Visibility, typed
from recollect.records import episodes, graphs
from recollect.store.protocol import Transaction
from tests.support import here
from tests.support.memory import GRAPH, Memory, remembering
from tests.support.stores import open_store

Change = Callable[["Asked"], Awaitable[Any]]


class Asked:
    """A graph, who asks, and how often the window was read."""

    def __init__(self, memory: Memory, access: Access, graph: Graph) -> None:
        self.memory = memory
        self.access = access
        self.graph = graph
        self.reads = 0
        services = memory.running.services
        self.store = services.store
        self.memories = services.memories
        self.usual = settings.usual(services.settings)
        self.now = services.clock()

    def question(self, text: str = "Emma", **fields: Any) -> MemoryQuery:
        """Something to ask."""
        return MemoryQuery(text=text, now=self.now, **fields)

    async def recall(self, access: Access | None = None, **fields: Any) -> Recalled:
        """What is recalled by the instance that there is."""
        async with self.memories.hold(self.graph) as memory:
            self._count(memory)
            found = await memory.recall(access or self.access, self.question(**fields))
        assert found is not None
        return found

    def _count(self, memory: MemoryInstance) -> None:
        def counted(*args: Any) -> Any:
            self.reads += 1
            return short_term.read(*args)

        memory._given = replace(memory._given, short_term=counted)

    async def fresh(self, **fields: Any) -> Any:
        """The window as it is read without any memory of it."""
        asked = self.question(**fields)

        def read(tx: Transaction) -> Any:
            now = instance.state(tx, self.access, self.graph.uuid, self.usual)
            bounds = now.settings.window
            return short_term.read(tx, self.access, now.graph, bounds, asked.tree, asked.limit)

        return await self.store.read(read)

    async def choose(self, **change: Any) -> None:
        """Change the settings of the graph."""
        chosen = SettingsChange(**change)
        await self.store.write(settings.choose_for_graph, self.access, self.graph, chosen)


@pytest.fixture
async def asked(tmp_path: Path) -> AsyncIterator[Asked]:
    """A graph with two episodes that were read, and one that was not."""
    async with remembering(tmp_path) as memory:
        store = memory.running.services.store
        key = await store.read(keys.authenticate, keys.hashed(memory.running.key))
        assert key is not None
        graph = await store.read(graphs.get, key, GRAPH)
        await memory.tell("Emma Lopez works at Acme Corp.", {"k": 1})
        await memory.tell("Emma Lopez moved to Lisbon.", {"k": True})
        await memory.post("/graph", {"graph_id": GRAPH, "type": "text", "data": "Emma sings."})
        yield Asked(memory, key, graph)


def texts(recalled: Recalled) -> list[str]:
    """What the window tells."""
    return [one.content for one in recalled.short_term.episodes]


async def test_an_unchanged_log_is_read_once(asked: Asked) -> None:
    """The second question finds the window at hand, and it is the same."""
    first = await asked.recall()
    second = await asked.recall(text="Lisbon")
    assert asked.reads == 1
    assert texts(first)[-1] == "Emma sings."
    assert second.short_term == first.short_term == await asked.fresh()


async def _uuid(asked: Asked, text: str) -> str:
    def find(tx: Transaction) -> str:
        every = episodes.last(tx, asked.access, asked.graph, 50)
        return next(one.uuid for one in every if text in one.content)

    return await asked.store.read(find)


async def add(asked: Asked) -> None:
    """An episode is appended."""
    data = {"graph_id": GRAPH, "type": "text", "data": "Emma bought a boat."}
    await asked.memory.post("/graph", data)


async def learn(asked: Asked) -> None:
    """What waited is read."""
    await asked.memory.learn()


async def delete_unread(asked: Asked) -> None:
    """An episode goes that nothing was learned from yet."""
    await asked.memory.delete(f"/graph/episodes/{await _uuid(asked, 'sings')}")


async def delete_read(asked: Asked) -> None:
    """An episode goes with what was learned from it."""
    await asked.memory.delete(f"/graph/episodes/{await _uuid(asked, 'Lisbon')}")


async def relabel_unread(asked: Asked) -> None:
    """The metadata of an episode changes before it was read."""
    uuid = await _uuid(asked, "sings")
    await asked.store.write(episodes.update_metadata, asked.access, uuid, {"new": "value"})


async def relabel_read(asked: Asked) -> None:
    """The metadata of an episode changes."""
    uuid = await _uuid(asked, "Lisbon")
    await asked.store.write(episodes.update_metadata, asked.access, uuid, {"k": None})


async def begin_anew(asked: Asked) -> None:
    """Everything that was derived is derived again."""
    await here.fold(asked.store, asked.graph.id)


async def delete_fact(asked: Asked) -> None:
    """What was learned is corrected by hand."""
    edge = await asked.memory.edge("Emma Lopez works at Acme Corp")
    await asked.memory.delete(f"/graph/edge/{edge['uuid']}")


async def shrink(asked: Asked) -> None:
    """The window is made smaller."""
    await asked.choose(episodes=1)


async def by_another_process(asked: Asked) -> None:
    """Someone else writes to the same file."""
    other = open_store(asked.memory.running.folder, readers=1)
    try:
        uuid = await _uuid(asked, "sings")
        await other.write(episodes.delete, asked.access, uuid)
    finally:
        await other.close()


CHANGES: list[Change] = [
    add,
    learn,
    delete_unread,
    delete_read,
    relabel_unread,
    relabel_read,
    begin_anew,
    delete_fact,
    shrink,
    by_another_process,
]


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
async def test_every_change_is_seen_by_the_next_question(asked: Asked, change: Change) -> None:
    """By an instance that was open all the time, whoever changed it."""
    async with asked.memories.hold(asked.graph):
        before = await asked.recall()
        await change(asked)
        after = await asked.recall()
    assert after.short_term == await asked.fresh()
    assert change in (learn, begin_anew, delete_fact) or after.short_term != before.short_term


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
async def test_every_change_is_seen_in_the_summary(asked: Asked, change: Change) -> None:
    """Of a window that holds one episode, so that the others are told in a few words."""
    await asked.choose(episodes=1, chars=2_000)
    assert "Acme" in "".join((await asked.recall()).short_term.summary)
    await change(asked)
    assert (await asked.recall()).short_term == await asked.fresh()
    told = "".join((await asked.recall()).short_term.summary)
    assert ("Acme" in told) == (change is not delete_fact)


async def test_filters_of_one_and_true_are_two_filters(asked: Asked) -> None:
    """Though 1 equals True, also as part of a key."""

    def tree(value: Any) -> EpisodeTree:
        test = EpisodeTest(field="metadata", comparison="=", key="k", value=value)
        return EpisodeTree(joined_by="and", tests=(test,))

    assert texts(await asked.recall(tree=tree(1))) == ["Emma Lopez works at Acme Corp."]
    assert texts(await asked.recall(tree=tree(True))) == ["Emma Lopez moved to Lisbon."]


async def test_few_windows_are_remembered(asked: Asked) -> None:
    """However many kinds of questions there are."""
    async with asked.memories.hold(asked.graph) as memory:
        for limit in range(1, 20):
            assert len(texts(await asked.recall(limit=limit))) == min(limit, 3)
        assert len(memory._windows) <= 4


async def test_who_sees_a_part_is_told_of_no_more(asked: Asked) -> None:
    """Neither from what is remembered for others, nor the other way round."""
    some = Visibility(allowed=(Constraint(required=(("k", frozenset({typed(1)})),)),))
    narrow = replace(asked.access, visibility=some)
    whole = await asked.recall()
    assert texts(await asked.recall(narrow)) == ["Emma Lopez works at Acme Corp."]
    assert await asked.recall() == whole
    part = await asked.recall(narrow, text="Lisbon")
    assert all("Lisbon" not in one.item.content for one in part.long_term)


async def test_the_long_term_memory_tells_what_the_window_does_not(asked: Asked) -> None:
    """And its answer is full: what the window tells takes no room."""
    await asked.memory.learn()
    await asked.choose(episodes=1)
    found = await asked.recall(limit=2)
    assert texts(found) == ["Emma sings."]
    told = [one.item.content for one in found.long_term]
    assert told == ["Emma Lopez works at Acme Corp.", "Emma Lopez moved to Lisbon."]


async def test_switches_hold_for_the_next_question(asked: Asked) -> None:
    """Of an instance that is open, too."""
    await asked.memory.learn()
    await asked.choose(episodes=1)
    async with asked.memories.hold(asked.graph) as memory:
        await asked.choose(short_term=False)
        found = await asked.recall()
        assert texts(found) == []
        assert found.short_term.summary == ()
        assert len(found.long_term) == 3
        await asked.choose(short_term=True, long_term=False)
        found = await asked.recall()
        assert texts(found) == ["Emma sings."]
        assert found.long_term == ()
        await asked.choose(short_term=False)
        assert await memory.recall(asked.access, asked.question()) is None
        await asked.choose(enabled=False, short_term=True, long_term=True)
        assert await memory.recall(asked.access, asked.question()) is None


async def test_a_graph_that_is_gone_is_not_found(asked: Asked) -> None:
    """Also by an instance that remembers it, and for another project it never was there."""
    async with asked.memories.hold(asked.graph) as memory:
        await asked.recall()
        stranger = replace(asked.access, project_id=asked.access.project_id + 1)
        with pytest.raises(NotFound):
            await memory.recall(stranger, asked.question())
        await asked.memory.delete(f"/graph/{GRAPH}")
        with pytest.raises(NotFound):
            await memory.recall(asked.access, asked.question())


async def test_a_closed_memory_holds_nothing_and_answers_nothing(asked: Asked) -> None:
    """Its texts are not kept by anyone who still refers to it."""
    async with asked.memories.hold(asked.graph) as memory:
        await asked.recall()
    await memory.close()
    assert not memory._windows
    with pytest.raises(InvariantViolated):
        await memory.recall(asked.access, asked.question())


async def test_an_erasure_leaves_nothing_in_memory(asked: Asked) -> None:
    """The instance that held the text is closed."""
    async with asked.memories.hold(asked.graph) as memory:
        await asked.recall()
        assert memory._windows
    uuid = await _uuid(asked, "Lisbon")
    answer = await asked.memory.running.send("DELETE", f"/api/v1/episodes/{uuid}")
    assert answer.status == 200
    assert not memory._windows
