"""Blocks over a graph that was learned from a conversation, found by the real search."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from recollect.context import blocks, gather
from recollect.context.gather import Gatherer
from recollect.context.templates import parse, render
from recollect.governance import keys
from recollect.graph.types import Access, Fact, NewEpisode
from recollect.ingest import intake
from recollect.records import threads, users
from recollect.records.users import UserDetails
from recollect.search.finder import Finder
from recollect.search.segments import Segments
from recollect.settings import Settings
from recollect.store.protocol import Store
from tests.support import here
from tests.support.stores import open_store

NOW = datetime(2025, 6, 1, 12, 0, tzinfo=UTC)
SAID = [
    (datetime(2023, 3, 1, tzinfo=UTC), "I live in Rome."),
    (datetime(2023, 4, 2, tzinfo=UTC), "I work at Acme Corp."),
    (datetime(2024, 5, 3, tzinfo=UTC), "My sister Anna plays the violin."),
    (datetime(2024, 6, 4, tzinfo=UTC), "I have a dog called Rex."),
    (datetime(2024, 7, 5, tzinfo=UTC), "I moved to Oslo. I live in Oslo now."),
    (datetime(2024, 8, 6, tzinfo=UTC), "I am allergic to peanuts."),
]
WANTED: gather.Limits = {"fact": 3, "entity": 5, "episode": 2}


class Memory:
    """What Jane told, and how to read it for something new that she says."""

    def __init__(self, store: Store, access: Access) -> None:
        self._store = store
        self._access = access
        self._threads = 0
        segments = Segments(store, bytes_max=2**26)
        self._finder = Finder(store, segments, Settings().models)

    async def after(self, said: str) -> Gatherer:
        """A new thread in which Jane has said one thing that is not learned yet."""
        self._threads += 1
        thread = f"thread-{self._threads}"
        await self._store.write(threads.create, self._access, thread, "jane")
        message = NewEpisode(kind="message", content=said, role="user", speaker="Jane")
        await self._store.write(intake.add_messages, self._access, thread, [message])
        asked = await self._store.read(gather.thread_request, self._access, thread, 2)
        return Gatherer(self._store, self._finder, self._access, asked, NOW)


@pytest.fixture
async def memory(tmp_path: Path) -> AsyncIterator[Memory]:
    """Everything that Jane said, learned."""
    store = open_store(tmp_path, readers=2, clock=lambda: NOW)
    project = await store.write(keys.create_project, "p")
    access = Access(project_id=project.id, project_uuid=project.uuid, key_uuid="")
    await store.write(users.create, access, "jane", UserDetails(first_name="Jane"))
    await store.write(threads.create, access, "old", "jane")
    messages = [
        NewEpisode(kind="message", content=text, role="user", speaker="Jane", created_at=at)
        for at, text in SAID
    ]
    await store.write(intake.add_messages, access, "old", messages)
    await here.learn(store)
    yield Memory(store, access)
    await store.close()


async def test_a_block_tells_what_the_question_is_about(memory: Memory) -> None:
    """And not what it is not about, when there is room for little."""
    gatherer = await memory.after("Can you suggest a snack? Remember my allergy to peanuts.")
    found = await gatherer.everything(WANTED)
    assert "peanuts" in found[0].item.fact
    block = blocks.user_block(gatherer.request.user.summary, found, 10_000).text
    assert "allergic to peanuts (2024-08-06" in block
    violin = await (await memory.after("Which instrument does Anna play?")).everything(WANTED)
    assert any("violin" in hit.item.fact for hit in violin if isinstance(hit.item, Fact))


async def test_the_present_comes_first_and_the_past_has_its_end(memory: Memory) -> None:
    """Where Jane lives is told before where she lived."""
    gatherer = await memory.after("Where do I live?")
    found = await gatherer.everything({"fact": 10, "entity": 5})
    told = [hit.item.fact for hit in found if isinstance(hit.item, Fact)]
    oslo = next(n for n, fact in enumerate(told) if "Oslo" in fact)
    rome = next(n for n, fact in enumerate(told) if "Rome" in fact)
    assert oslo < rome
    block = blocks.facts_block(
        [hit.item for hit in found if isinstance(hit.item, Fact)], [], 10_000
    )
    (line,) = [line for line in block.text.splitlines() if "Rome" in line]
    assert "present" not in line
    assert "2023-03-01" in line
    assert "2024-07-05" in line


async def test_two_wordings_of_a_question_give_nearly_the_same_prompt(memory: Memory) -> None:
    """The lines that both blocks have stand in the same order."""
    made = []
    for said in ("Tell me about my dog Rex", "What is it about Rex, my dog?"):
        gatherer = await memory.after(said)
        found = await gatherer.everything({"fact": 5, "entity": 5})
        facts = [hit.item for hit in found if isinstance(hit.item, Fact)]
        made.append(blocks.facts_block(facts, [], 10_000).text.splitlines())
    first, second = made
    assert [line for line in first if line in second] == [line for line in second if line in first]
    assert any("Rex" in line for line in first)


async def test_a_template_is_filled_from_the_whole_graph(memory: Memory) -> None:
    """With facts of the wanted relation, entities with their types, and what was said."""
    template = "FACTS\n%{edges limit=3}\nWHO\n%{entities limit=4}\nSAID\n%{episodes limit=1}"
    text = (await render(parse(template), await memory.after("How is my dog Rex?"), 10_000)).text
    facts, rest = text.split("WHO\n")
    entities, said = rest.split("SAID\n")
    assert "Rex" in facts
    assert "name: Rex" in entities
    assert "Jane: I have a dog called Rex." in said


async def test_what_was_just_said_is_not_among_the_episodes(memory: Memory) -> None:
    """Not even when it was learned meanwhile."""
    gatherer = await memory.after("I have a dog called Rex, you know")
    await here.learn(gatherer.store)
    said = [hit.item.content for hit in await gatherer.hits("episode", 3)]
    assert "I have a dog called Rex." in said
    assert "I have a dog called Rex, you know" not in said
