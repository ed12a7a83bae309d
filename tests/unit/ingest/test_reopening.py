"""What was opened by hand stays open against the words that had closed it, and against no others;
a graph that is folded again has it just so."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from random import Random

import pytest

from recollect.errors import Conflict
from recollect.graph.types import Access, Fact, NewEpisode
from recollect.ingest import intake, rebuild
from recollect.records import graphs, knowledge, provenance
from recollect.records.pages import PageRequest
from recollect.records.provenance import Provenance
from recollect.store.protocol import Store
from tests.contract.store.world import new_project, new_thread, new_user
from tests.support import here
from tests.support.stores import open_store

FIRST = datetime(2024, 3, 1, 9, 0, tzinfo=UTC)
NOW = datetime(2024, 12, 1, tzinfo=UTC)
# What is said, what closes it, and other words that close it as well.
STORIES = {
    "left": ("I work at Siemens.", "I left Siemens.", "I work at Bosch now."),
    "moved": ("I live in Paris.", "I moved to Madrid.", "I moved to Oslo."),
    "denied": ("I like coffee.", "I don't like coffee.", "I hate coffee."),
    "replaced": (
        "My favourite restaurant is Da Enzo.",
        "My favourite restaurant is Tosca.",
        "My favourite restaurant is Mirazur.",
    ),
}


class Talk:
    """What Jane Smith says, a day apart, and what is known of her."""

    def __init__(self, store: Store, access: Access, graph_id: int) -> None:
        self.store = store
        self.access = access
        self.graph_id = graph_id
        self._said = 0

    async def say(self, *contents: str) -> None:
        """Messages, each of which is read at once."""
        for content in contents:
            self._said += 1
            new = NewEpisode(
                kind="message",
                content=content,
                role="user",
                speaker="Jane Smith",
                created_at=FIRST + timedelta(days=self._said),
            )
            await self.store.write(intake.add_messages, self.access, "t", [new])
            await here.learn(self.store)

    async def facts(self) -> list[Fact]:
        """Everything that is known, ended or not, but for what the record of the user says."""
        graph = await self.store.read(graphs.of_user, self.access, "jane")
        page = PageRequest(order="created_at/asc", limit=100)
        found = await self.store.read(knowledge.facts_page, self.access, graph, page)
        return [one for one in found.items if one.episodes]

    async def first(self) -> Fact:
        """The fact that was known before all others."""
        return (await self.facts())[0]

    async def why(self, fact: Fact) -> Provenance:
        """What ended a fact."""
        return await self.store.read(provenance.of_fact, self.access, fact.uuid)

    async def reopen(self, fact: Fact) -> Fact:
        """Take back what ended a fact."""
        return await self.store.write(knowledge.reopen_fact, self.access, fact.uuid)

    async def stays_when_folded(self) -> None:
        """The graph that is folded anew is the one there is, closings and all."""
        before = await self.facts(), await self.store.read(rebuild.digest, self.graph_id)
        await here.fold(self.store, self.graph_id)
        after = await self.facts(), await self.store.read(rebuild.digest, self.graph_id)
        assert after == before


@pytest.fixture
async def talk(tmp_path: Path) -> AsyncIterator[Talk]:
    """Jane has said nothing yet; the clock goes on by a second whenever someone looks at it."""
    seconds = count()
    store = open_store(tmp_path, readers=1, clock=lambda: NOW + timedelta(seconds=next(seconds)))
    access = await new_project(store, "p")
    user = await new_user(store, access, "jane", first_name="Jane", last_name="Smith")
    await new_thread(store, access, "t", "jane")
    yield Talk(store, access, user.graph_id)
    await store.close()


@pytest.mark.parametrize("story", STORIES)
async def test_the_same_words_do_not_close_it_again_and_others_do(talk: Talk, story: str) -> None:
    """Before and after the graph was folded."""
    said, closing, other = STORIES[story]
    await talk.say(said, closing)
    fact = await talk.first()
    assert fact.invalid_at is not None
    (ending,) = (await talk.why(fact)).endings
    assert ending.judge == "table"
    fact = await talk.reopen(fact)
    assert (fact.invalid_at, fact.expired_at) == (None, None)
    await talk.stays_when_folded()

    await talk.say("It is a nice day.", closing)
    assert (await talk.first()).invalid_at is None
    assert (await talk.why(fact)).endings == ()
    await talk.stays_when_folded()

    await talk.say(other)
    assert (await talk.first()).invalid_at == FIRST + timedelta(days=5)
    await talk.stays_when_folded()


async def test_words_that_tell_their_own_end_do_not_end_it_again(talk: Talk) -> None:
    """What a sentence says of itself was taken back as well."""
    words = "I worked at Bosch until 2020."
    await talk.say(words)
    fact = await talk.first()
    (ending,) = (await talk.why(fact)).endings
    assert (ending.by_fact, ending.judge) == (None, "episode")
    assert ending.by_episode is not None
    await talk.reopen(fact)
    await talk.say("It is a nice day.", words)
    assert (await talk.first()).invalid_at is None
    await talk.stays_when_folded()


async def test_an_end_that_was_set_by_hand_is_taken_back_by_hand(talk: Talk) -> None:
    """And what is said about it later counts as ever."""
    await talk.say("I work at Siemens.")
    fact = await talk.first()
    change = knowledge.FactChange(invalid_at=NOW)
    await talk.store.write(knowledge.update_fact, talk.access, fact.uuid, change)
    (ending,) = (await talk.why(fact)).endings
    assert (ending.by_fact, ending.by_episode, ending.judge) == (None, None, "hand")
    await talk.reopen(fact)
    await talk.stays_when_folded()
    with pytest.raises(Conflict):
        await talk.reopen(fact)
    await talk.say("I left Siemens.")
    assert (await talk.first()).invalid_at == FIRST + timedelta(days=2)
    await talk.stays_when_folded()


async def test_it_can_be_taken_back_as_often_as_it_is_closed(talk: Talk) -> None:
    """Each time the words that closed it join those that do not any more."""
    await talk.say("I live in Paris.")
    for place in ("Madrid", "Oslo", "Rome"):
        await talk.say(f"I moved to {place}.")
        fact = await talk.first()
        assert fact.invalid_at is not None, place
        await talk.reopen(fact)
    await talk.say("I moved to Madrid.", "I moved to Oslo.", "I moved to Rome.")
    assert (await talk.first()).invalid_at is None
    await talk.stays_when_folded()


@pytest.mark.parametrize("seed", range(4))
async def test_whatever_is_said_and_taken_back_folds_to_the_same(talk: Talk, seed: int) -> None:
    """Random talk, in which one closed fact or another is opened now and then."""
    random = Random(seed)  # noqa: S311
    sentences = sorted({words for story in STORIES.values() for words in story})
    for _ in range(14):
        await talk.say(random.choice(sentences))
        ended = [one for one in await talk.facts() if one.invalid_at is not None]
        if ended and random.random() < 0.5:
            opened = await talk.reopen(random.choice(ended))
            assert opened.invalid_at is None
    await talk.stays_when_folded()
