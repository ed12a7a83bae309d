"""What is collected for a block, and what is asked of the search for it."""

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
import pytest

from recollect.context import gather
from recollect.context.gather import Gatherer, ranked
from recollect.context.templates import parse, render
from recollect.governance import keys
from recollect.graph.filters import Filters
from recollect.graph.types import (
    Access,
    Entity,
    Episode,
    Fact,
    Graph,
    NewEpisode,
    ThreadSummary,
)
from recollect.ingest import intake
from recollect.records import graphs, knowledge, threads, users
from recollect.records.pages import PageRequest
from recollect.records.users import UserDetails
from recollect.search.kinds import KINDS
from recollect.search.query import Hit, Query
from recollect.store.protocol import Store, Transaction
from tests.contract.store.world import SEES_ALL, insert_entity, insert_fact
from tests.support.stores import open_store
from tests.unit.context.items import (
    NOW,
    a_fact,
    a_thread_summary,
    an_entity,
    an_episode,
    an_observation,
    day,
    hits_of,
)

ALL: gather.Limits = dict.fromkeys(gather.ALL_KINDS, 9)


def of(type_: type, hits: list[Hit[Any]]) -> list[Any]:
    """What was found of one type."""
    return [hit.item for hit in hits if isinstance(hit.item, type_)]


@dataclass
class Scripted:
    """A search that answers what it was told to, and remembers what it was asked."""

    answers: dict[str, list[Hit[Any]]] = field(default_factory=dict)
    asked: list[Query] = field(default_factory=list)

    async def find(self, access: Access, graph: Graph, query: Query) -> list[Hit[Any]]:
        """The answer for a kind."""
        self.asked.append(query)
        return self.answers.get(query.kind, [])


@dataclass
class World:
    """A user with a thread, and a search to be scripted."""

    store: Store
    access: Access
    graph: Graph
    finder: Scripted

    async def say(self, *said: str) -> list[str]:
        """Add messages; says their uuids."""
        messages = [
            NewEpisode(kind="message", content=text, role="user", speaker="Jane") for text in said
        ]
        receipt = await self.store.write(intake.add_messages, self.access, "t", messages)
        return receipt.uuids

    async def gatherer(self, messages: int = 2) -> Gatherer:
        """Ready to collect, two hours after everything was said."""
        asked = await self.store.read(gather.thread_request, self.access, "t", messages)
        return Gatherer(self.store, self.finder, self.access, asked, NOW)

    async def write(self, make: Callable[..., Any], *args: Any) -> Any:
        """Change the graph."""
        return await self.store.write(make, self.graph.id, *args)


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    """Jane, who has an e-mail address, and nothing said."""
    store = open_store(tmp_path, readers=1, clock=lambda: NOW)
    project = await store.write(keys.create_project, "p")
    access = Access(project_id=project.id, project_uuid=project.uuid, key_uuid="")
    details = UserDetails(first_name="Jane", email="jane@example.com")
    await store.write(users.create, access, "jane", details)
    await store.write(threads.create, access, "t", "jane")
    graph = await store.read(graphs.of_user, access, "jane")
    yield World(store, access, graph, Scripted())
    await store.close()


def _move(tx: Transaction, graph_id: int) -> tuple[str, str]:
    """Somebody who lived in Rome and lives in Oslo; says the uuids of both facts."""
    bob = insert_entity(tx, graph_id, "Bob", [])
    rome, oslo = insert_entity(tx, graph_id, "Rome", []), insert_entity(tx, graph_id, "Oslo", [])
    past = insert_fact(
        tx, graph_id, (bob, rome), "Bob lived in Rome", [], valid_at=day(1), invalid_at=day(9)
    )
    return past, insert_fact(tx, graph_id, (bob, oslo), "Bob lives in Oslo", [], valid_at=day(9))


def _facts(tx: Transaction, graph: Graph) -> dict[str, Fact]:
    found = knowledge.facts_page(
        tx, SEES_ALL, graph, PageRequest(order="uuid/asc", limit=100)
    ).items
    return {fact.uuid: fact for fact in found}


async def test_the_newest_messages_are_what_is_searched_for(world: World) -> None:
    """Of the whole graph, close to the user, at this moment."""
    await world.say("cats", "dogs", "birds")
    gatherer = await world.gatherer(2)
    await gatherer.everything(ALL, rating_min=0.5)
    assert {query.text for query in world.finder.asked} == {"birds\ndogs"}
    assert {query.near_uuid for query in world.finder.asked} == {gatherer.request.user.uuid}
    assert {query.now for query in world.finder.asked} == {NOW}
    kinds = sorted(query.kind for query in world.finder.asked)
    assert kinds == ["entity", "episode", "fact", "observation", "thread_summary"]
    ratings = {query.kind: query.filters.rating_min for query in world.finder.asked}
    assert ratings["fact"] == 0.5


async def test_a_greeting_searches_nothing_and_finds_what_holds(world: World) -> None:
    """The newest knowledge first; what ended is not part of it."""
    await world.write(_move)
    await world.say("Hi")
    found = await (await world.gatherer()).everything(ALL)
    assert world.finder.asked == []
    facts = [fact.fact for fact in of(Fact, found)]
    assert facts[0] == "Bob lives in Oslo"
    assert any("jane@example.com" in fact for fact in facts)
    assert "Bob lived in Rome" not in facts
    assert {entity.name for entity in of(Entity, found)} == {"Bob", "Oslo"}


async def test_a_search_that_finds_nothing_tells_what_holds(world: World) -> None:
    """A block is not empty when something is known."""
    await world.write(_move)
    await world.say("something entirely different")
    found = await (await world.gatherer()).everything({"fact": 1})
    assert [query.kind for query in world.finder.asked] == ["fact"]
    assert [fact.fact for fact in of(Fact, found)] == ["Bob lives in Oslo"]


async def test_the_floor_keeps_to_the_filters(world: World) -> None:
    """What holds but was not asked for is not told."""
    await world.write(_move)
    await world.say("Hi")
    facts = await (await world.gatherer()).facts(9, Filters(edge_types=("HAS_EMAIL",)))
    assert [fact.name for fact in facts] == ["HAS_EMAIL"]


async def test_what_holds_comes_before_what_ended(world: World) -> None:
    """However well the past fits; among their own kind both keep their order."""
    past, future = a_fact(1, invalid_at=day(9)), a_fact(2, valid_at=day(400))
    withdrawn, present, other = a_fact(3, expired_at=day(9)), a_fact(4), a_fact(5)
    hits = ranked([past, present, withdrawn, future, other])
    world.finder.answers["fact"] = hits_of(facts=hits)
    await world.say("a question")
    facts = await (await world.gatherer()).facts(9)
    assert [fact.id for fact in facts] == [4, 5, 1, 3, 2]


async def test_entities_are_those_found_and_those_the_facts_are_about(world: World) -> None:
    """In turns; the user has a section of their own, and where Bob lived before is not told of."""
    uuids = await world.write(_move)
    known = await world.store.read(_facts, world.graph)
    world.finder.answers["fact"] = hits_of(facts=ranked([known[uuid] for uuid in uuids]))
    found = [an_entity(1, uuid="x", name="X"), an_entity(2, uuid="y", name="Y")]
    bot = an_entity(3, uuid="z", name="Bot", is_assistant=True)  # nobody asks about it
    world.finder.answers["entity"] = hits_of(entities=ranked([*found, bot]))
    await world.say("a question")
    told = await (await world.gatherer()).everything(ALL)
    assert [entity.name for entity in of(Entity, told)] == ["X", "Bob", "Y", "Oslo"]


async def test_entities_of_what_is_over_are_told_where_nothing_else_is_known(world: World) -> None:
    """Of a question about the past, for instance."""
    past, _ = await world.write(_move)
    known = await world.store.read(_facts, world.graph)
    world.finder.answers["fact"] = hits_of(facts=ranked([known[past]]))
    await world.say("a question")
    told = await (await world.gatherer()).everything(ALL)
    assert [entity.name for entity in of(Entity, told)] == ["Bob", "Rome"]


async def test_what_was_just_said_is_not_told_again(world: World) -> None:
    """The newest messages are in the prompt already, and do not take the place of others."""
    uuids = await world.say("a question", "another question")
    own = [an_episode(n, uuid=uuid) for n, uuid in enumerate(uuids)]
    hits = ranked([*own, an_episode(8), an_episode(9)])
    world.finder.answers["episode"] = hits_of(episodes=hits)
    gatherer = await world.gatherer()
    assert [hit.item.id for hit in await gatherer.hits("episode", 2)] == [8, 9]
    assert world.finder.asked[-1].limit == 4


async def test_a_short_thread_is_not_summed_up_beside_itself(world: World) -> None:
    """Once it is longer than what a prompt has of it, its summary is worth telling."""
    summaries = ranked([a_thread_summary(1, thread_id="t"), a_thread_summary(2, thread_id="u")])
    world.finder.answers["thread_summary"] = hits_of(thread_summaries=summaries)

    async def told() -> list[str]:
        found = await (await world.gatherer()).hits("thread_summary", 9)
        return [hit.item.thread_id for hit in found]

    await world.say("cats")
    assert await told() == ["u"]
    await world.say(*(f"dogs {number}" for number in range(9)))
    assert await told() == ["t", "u"]


async def test_beside_the_facts_only_what_fits_well_is_told(world: World) -> None:
    """Something always ranks last; it need not be in the block."""
    hits = tuple(Hit(item=an_episode(n), score=score) for n, score in enumerate((0.9, 0.8, 0.5)))
    world.finder.answers["episode"] = hits_of(episodes=hits)
    await world.say("a question")
    found = await (await world.gatherer()).everything(ALL)
    assert [episode.id for episode in of(Episode, found)] == [0, 1]


async def test_a_conversation_is_summed_up_by_what_shares_a_word_with_the_question(
    world: World,
) -> None:
    """The rest of it is about something else; one without such a sentence is left out."""
    boat = a_thread_summary(1, "Jane sold the boat. Her knee is better.", thread_id="u")
    other = a_thread_summary(2, "The roof leaks.", thread_id="v")
    world.finder.answers["thread_summary"] = hits_of(thread_summaries=ranked([boat, other]))
    await world.say("What about the boats?")
    found = await (await world.gatherer()).everything(ALL)
    assert [one.summary for one in of(ThreadSummary, found)] == ["Jane sold the boat."]


def test_a_fact_that_is_probably_over_is_left_out() -> None:
    """However well it fits."""
    hits = [Hit(item=a_fact(1), score=1.0, over=0.9), Hit(item=a_fact(2), score=0.5, over=0.1)]
    assert gather.relevant(hits) == hits[1:]


async def test_the_user_is_told_by_their_summary(world: World) -> None:
    """A first greeting already knows who is there."""
    await world.say("Hi")
    asked = (await world.gatherer()).request
    assert asked.user.is_user
    assert "Jane" in asked.user.summary


async def test_a_template_asks_for_what_its_holes_want(world: World) -> None:
    """Limits and types go into the search."""
    await world.say("a question")
    template = (
        "%{edges limit=7 types=[KNOWS,LIKES]} %{entities limit=3 types=[Person]} "
        "%{episodes limit=2} %{observations limit=4} %{thread_summaries} %{user_summary}"
    )
    world.finder.answers = {
        "fact": hits_of(facts=ranked([a_fact(1, "Jane sings")])),
        "entity": hits_of(entities=ranked([an_entity(1, "A singer.", name="Bob")])),
        "episode": hits_of(episodes=ranked([an_episode(1, "La la la")])),
        "observation": hits_of(observations=ranked([an_observation(1, "Often sings.")])),
        "thread_summary": hits_of(thread_summaries=ranked([a_thread_summary(1, "About songs.")])),
    }
    text = (await render(parse(template), await world.gatherer(), 10_000, rating_min=0.3)).text
    told = ("Jane sings", "A singer.", "La la la", "Often sings.", "About songs.", "name is Jane")
    assert [part for part in told if part not in text] == []
    by_kind = {(query.kind, query.limit): query.filters for query in world.finder.asked}
    assert by_kind["fact", 7] == Filters(edge_types=("KNOWS", "LIKES"), rating_min=0.3)
    assert by_kind["entity", 3] == Filters(node_labels=("Person",))
    assert {("episode", 3), ("observation", 4), ("thread_summary", 10)} <= set(by_kind)


async def test_a_hole_for_one_kind_of_episodes_has_no_other(world: World) -> None:
    """Texts and documents are told apart from messages."""
    kinds = ["message", "text", "json", "text"]
    items = [an_episode(n, f"said {n}", kind=kind) for n, kind in enumerate(kinds)]
    world.finder.answers["episode"] = hits_of(episodes=ranked(items))
    await world.say("a question")
    gatherer = await world.gatherer()
    text = (await render(parse("%{episodes limit=2 types=[text,json]}"), gatherer, 10_000)).text
    assert [n for n in range(4) if f"said {n}" in text] == [1, 2]


async def test_entities_of_a_type_have_that_type(world: World) -> None:
    """Also those that only the facts lead to."""
    await world.write(_move)
    await world.say("Hi")
    entities = await (await world.gatherer()).entities(9, 9, Filters(node_labels=("User",)))
    assert [entity.name for entity in entities] == ["Jane"]


def test_the_more_lines_there_are_the_better_the_next_has_to_fit() -> None:
    """Ten facts may stand by that fit less than half as well as the best; no more than ten."""
    spec = KINDS["fact"]
    poor = (spec.relevant + spec.good) / 2
    for good in (spec.few - 4, spec.few + 2):
        scores = [1.0] * good + [poor - n / 1000 for n in range(spec.few)] + [spec.relevant - 0.1]
        hits = [Hit(item=a_fact(n), score=one) for n, one in enumerate(scores)]
        told = gather.relevant(hits)
        assert told == hits[: max(spec.few, good)]


def test_a_rank_is_all_that_made_up_scores_tell() -> None:
    """First is best."""
    entity: Entity = an_entity(1)
    scores = [hit.score for hit in ranked([entity, msgspec.structs.replace(entity, id=2)])]
    assert scores == [1.0, 0.5]
