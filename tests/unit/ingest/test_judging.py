"""What a judge says of new facts closes old ones, is kept with the reading, and survives a fold."""

from collections.abc import AsyncIterator, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Literal

import msgspec
import pytest
from msgspec.structs import replace

from recollect.governance import policies
from recollect.graph.found import FoundEntity, FoundFact, Triple
from recollect.graph.policy import PolicySetDocument, Rule
from recollect.graph.types import Access, Fact, NewEpisode
from recollect.ingest import intake, pipeline, queue, rebuild
from recollect.limits import JUDGED_NEAR_MAX
from recollect.models.judge import Opinion, Pair, setting
from recollect.records import graphs, knowledge, provenance
from recollect.records.pages import PageRequest
from recollect.search.finder import Finder
from recollect.search.query import Query
from recollect.search.segments import Segments
from recollect.settings import Settings
from recollect.store.protocol import Store
from tests.contract.store.world import (
    START,
    StillClock,
    add_text,
    message,
    new_graph,
    new_project,
    new_thread,
    new_user,
)
from tests.support import here
from tests.support.stores import open_store

OLD, NEW = "The front door code is 4471.", "The front door code is 9026."
CLOSES = ("The front door code is 4471", "The front door code is 9026")


class Told:
    """A judge that says what it was told to say, and notes what it was asked."""

    def __init__(self, *closing: tuple[str, str], sure: float = 0.999) -> None:
        self.closing = {pair: Opinion("replaces", sure) for pair in closing}
        self.asked: list[tuple[str, str]] = []

    async def judge(self, pairs: Sequence[Pair]) -> list[Opinion]:
        asked = [(pair.older, pair.newer) for pair in pairs]
        self.asked += asked
        return [self.closing.get(pair, Opinion("replaces", 0.01)) for pair in asked]


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    """A store with an empty graph."""
    opened = open_store(tmp_path, clock=StillClock())
    yield opened
    await opened.close()


@pytest.fixture
async def access(store: Store) -> Access:
    """A key to a project with a graph."""
    made = await new_project(store, "p")
    await new_graph(store, made, "g")
    return made


async def learn(store: Store, judge: Told) -> None:
    """What a worker does."""
    finder = Finder(store, Segments(store, bytes_max=1 << 20), Settings().models)
    while (held := await store.write(queue.claim, "here")) is not None:
        await pipeline.process(
            store, held, held.jobs, extractor=here.extractor(), finder=finder, judge=judge
        )
        await store.write(queue.release, held)


async def told(store: Store, access: Access) -> dict[str, Fact]:
    """The facts of the graph, by their sentences."""
    graph = await store.read(graphs.get, access, "g")
    page = PageRequest(order="created_at/asc", limit=50)
    found = await store.read(knowledge.facts_page, access, graph, page)
    return {fact.fact: fact for fact in found.items}


@pytest.mark.parametrize("together", [False, True])
async def test_what_the_judge_closes_is_closed_by_it(
    store: Store, access: Access, together: bool
) -> None:
    """Also when both episodes are read together; the closing tells by whom, and how sure."""
    judge = Told(CLOSES)
    for batch in ((OLD, NEW),) if together else ((OLD,), (NEW,)):
        await add_text(store, access, "g", *batch)
        await learn(store, judge)
    facts = await told(store, access)
    assert facts[CLOSES[0]].invalid_at is not None
    assert facts[CLOSES[1]].invalid_at is None
    assert CLOSES in judge.asked
    why = await store.read(provenance.of_fact, access, facts[CLOSES[0]].uuid)
    assert [(one.judge, one.sure) for one in why.endings] == [(setting().version, 0.999)]


async def test_a_fold_needs_no_judge(store: Store, access: Access) -> None:
    """What it said is kept with the reading: also if the older one is read in other words."""
    await add_text(store, access, "g", OLD)
    await add_text(store, access, "g", NEW)
    await learn(store, Told(CLOSES))
    graph = await store.read(graphs.get, access, "g")
    before = await store.read(rebuild.digest, graph.id)
    await here.fold(store, graph.id)
    assert await store.read(rebuild.digest, graph.id) == before
    assert (await told(store, access))[CLOSES[0]].invalid_at is not None


async def test_what_was_opened_by_hand_stays_open_when_the_same_words_come_again(
    store: Store, access: Access
) -> None:
    await add_text(store, access, "g", OLD)
    await add_text(store, access, "g", NEW)
    await learn(store, Told(CLOSES))
    closed = (await told(store, access))[CLOSES[0]]
    await store.write(knowledge.reopen_fact, access, closed.uuid)
    await add_text(store, access, "g", NEW)
    await learn(store, Told(CLOSES))
    assert (await told(store, access))[CLOSES[0]].invalid_at is None
    await here.fold(store, closed.graph_id)
    assert (await told(store, access))[CLOSES[0]].invalid_at is None


async def test_what_is_not_sure_closes_nothing(store: Store, access: Access) -> None:
    judge = Told()
    await add_text(store, access, "g", OLD)
    await add_text(store, access, "g", NEW)
    await learn(store, judge)
    assert CLOSES in judge.asked
    assert (await told(store, access))[CLOSES[0]].invalid_at is None


@pytest.mark.parametrize("together", [False, True])
async def test_a_sentence_is_held_against_what_may_well_be_over(
    store: Store, access: Access, together: bool
) -> None:
    """Not against all that is near, whether that is known or read together with it."""
    doors = ("front", "back", "cellar", "garage", "garden", "attic", "barn")
    codes = [f"The {door} door code is {number}41." for number, door in enumerate(doors, 1)]
    judge = Told()
    for batch in ((*codes, NEW),) if together else (tuple(codes), (NEW,)):
        await add_text(store, access, "g", *batch)
        await learn(store, judge)
    asked = [older for older, newer in judge.asked if newer == CLOSES[1]]
    assert asked[0] == codes[0].rstrip(".")
    assert len(asked) <= JUDGED_NEAR_MAX < len(codes)


async def test_what_happened_before_is_not_held_against_what_came_later(
    store: Store, access: Access
) -> None:
    """A judge takes the second of two sentences for the newer one."""
    late = NewEpisode(kind="text", content=NEW, created_at=START)
    early = NewEpisode(kind="text", content=OLD, created_at=START - timedelta(days=30))
    judge = Told(CLOSES, (CLOSES[1], CLOSES[0]))
    for one in (late, early):
        await store.write(intake.add_episodes, access, None, "g", [one])
        await learn(store, judge)
    assert judge.asked == []
    assert all(fact.invalid_at is None for fact in (await told(store, access)).values())


@pytest.mark.parametrize("together", [False, True])
async def test_a_plan_can_be_over_before_it_begins(
    store: Store, access: Access, together: bool
) -> None:
    """It is held against what is said since, not against what was said before."""
    judge = Told()
    plan = "Ann lives in Oslo from 3 March 2035 on."
    said = [
        NewEpisode(kind="text", content=content, created_at=START + timedelta(days=days))
        for content, days in ((plan, 0), ("Ann lives in Rome.", 9), ("Ann lives in Lima.", -9))
    ]
    for batch in [said] if together else [[one] for one in said]:
        await store.write(intake.add_episodes, access, None, "g", batch)
        await learn(store, judge)
    (held,) = [fact for text, fact in (await told(store, access)).items() if "Oslo" in text]
    assert held.valid_at is not None
    assert held.valid_at.year == 2035
    assert [newer for older, newer in judge.asked if older == held.fact] == ["Ann lives in Rome"]


@pytest.mark.parametrize(("days", "asked"), [(9, True), (90, False)])
async def test_what_ends_some_day_can_be_over_before(
    store: Store, access: Access, days: int, asked: bool
) -> None:
    """And is not asked about when that day has passed."""
    judge = Told()
    for content, after in (
        ("Ann rents the barn until 21 June 2024.", 0),
        ("Ann sold the barn.", days),
    ):
        at = START + timedelta(days=after)
        one = NewEpisode(kind="text", content=content, created_at=at)
        await store.write(intake.add_episodes, access, None, "g", [one])
        await learn(store, judge)
    (held,) = [fact for text, fact in (await told(store, access)).items() if "until" in text]
    assert held.invalid_at is not None
    assert (held.fact in [older for older, _ in judge.asked]) is asked


async def test_what_a_caller_wrote_as_knowledge_is_judged_as_well(
    store: Store, access: Access
) -> None:
    """Such facts name no episode that a client could see."""
    for sentence in CLOSES:
        note = FoundEntity(name=f"note of {sentence[-4:]}")
        fact = FoundFact(source=0, target=1, name="STATES", predicate="STATES", fact=sentence)
        triple = Triple(source=FoundEntity(name="The front door"), target=note, fact=fact)
        content = msgspec.json.encode(triple).decode()
        new = NewEpisode(kind="fact_triple", content=content)
        await store.write(intake.add_episodes, access, None, "g", [new])
        await learn(store, Told(CLOSES))
    assert (await told(store, access))[CLOSES[0]].invalid_at is not None


async def test_only_what_is_seen_with_an_episode_is_held_against_it(
    store: Store, access: Access
) -> None:
    """A fact that others may not see neither ends by what they see nor crowds another out."""
    own = Rule(id="own", effect="allow", actions=("readonly",), attributes=(("team", ("sales",)),))
    rules = PolicySetDocument(name="s", policies=(own,))
    await store.write(policies.apply, access.project_id, rules)
    judge = Told()
    hidden = [f"The front door code is 448{number}." for number in range(4)]
    for content, team in [(OLD, "sales"), *((one, "board") for one in hidden), (NEW, "sales")]:
        one = NewEpisode(kind="text", content=content, metadata={"team": team})
        await store.write(intake.add_episodes, access, None, "g", [one])
        await learn(store, judge)
    assert [older for older, newer in judge.asked if newer == CLOSES[1]] == [CLOSES[0]]


@pytest.mark.parametrize("kept_for", [None, "episodic"])
async def test_what_the_episodic_memory_alone_keeps_ends_nothing(
    store: Store, access: Access, kept_for: Literal["episodic"] | None
) -> None:
    await new_user(store, access, "jane", first_name="Jane")
    await new_thread(store, access, "t", "jane")
    text = "The front door code is not 4471 any more."
    judge = Told((CLOSES[0], text.rstrip(".")))
    told_before = NewEpisode(kind="text", content=OLD)
    await store.write(intake.add_episodes, access, "jane", None, [told_before])
    await learn(store, judge)
    await store.write(intake.add_messages, access, "t", [replace(message(text), kept_for=kept_for)])
    await learn(store, judge)
    graph = await store.read(graphs.of_user, access, "jane")
    page = PageRequest(order="created_at/asc", limit=50)
    found = await store.read(knowledge.facts_page, access, graph, page)
    ends = {fact.fact: fact.invalid_at for fact in found.items}
    assert (ends[CLOSES[0]] is None) is (kept_for == "episodic")


async def doubts(store: Store, access: Access) -> list[tuple[str, float]]:
    """Because of which facts the old code may be over, and how sure that is."""
    old = (await told(store, access))[CLOSES[0]]
    why = await store.read(provenance.of_fact, access, old.uuid)
    return [(one.by_fact.fact, one.sure) for one in why.doubts]


@pytest.fixture
async def in_doubt(store: Store, access: Access) -> Access:
    """A graph in which the old code may be over."""
    await add_text(store, access, "g", OLD)
    await add_text(store, access, "g", NEW)
    await learn(store, Told(CLOSES, sure=setting().doubt))
    return access


async def test_what_may_be_over_holds_and_tells_why_it_is_in_doubt(
    store: Store, in_doubt: Access
) -> None:
    """It is said who thinks so; a fold and a copy keep it."""
    facts = await told(store, in_doubt)
    assert facts[CLOSES[0]].invalid_at is None
    assert await doubts(store, in_doubt) == [(CLOSES[1], setting().doubt)]
    graph = await store.read(graphs.get, in_doubt, "g")
    before = await store.read(rebuild.digest, graph.id)
    await here.fold(store, graph.id)
    assert await store.read(rebuild.digest, graph.id) == before
    assert await doubts(store, in_doubt) == [(CLOSES[1], setting().doubt)]


@pytest.mark.parametrize("sure", [0.01, 0.6])
async def test_what_is_in_doubt_comes_behind(store: Store, access: Access, sure: float) -> None:
    """A fact counts as far as it is likely still so; a question about the past has no doubts."""
    await add_text(store, access, "g", OLD)
    await add_text(store, access, "g", "The front door is painted red.")
    await add_text(store, access, "g", NEW)
    await learn(store, Told(CLOSES, sure=sure))
    finder = Finder(store, Segments(store, bytes_max=1 << 20), Settings().models)
    graph = await store.read(graphs.get, access, "g")

    async def found(text: str) -> list[str]:
        query = Query(text=text, kind="fact", now=START, limit=5)
        return [hit.item.fact for hit in await finder.find(access, graph, query)]

    painted = "The front door is painted red"
    now = await found("What is the front door code?")
    assert (now.index(CLOSES[0]) > now.index(painted)) == (sure > 0.5)
    then = await found("What was the front door code in the past?")
    assert then.index(CLOSES[0]) < then.index(painted)


async def test_saying_it_again_ends_a_doubt(store: Store, in_doubt: Access) -> None:
    await add_text(store, in_doubt, "g", OLD)
    await learn(store, Told())
    assert await doubts(store, in_doubt) == []


async def test_a_doubt_can_be_taken_back_by_hand(store: Store, in_doubt: Access) -> None:
    """It does not come again, neither with the same words nor with a fold."""
    old = (await told(store, in_doubt))[CLOSES[0]]
    await store.write(knowledge.reopen_fact, in_doubt, old.uuid)
    assert await doubts(store, in_doubt) == []
    await here.fold(store, old.graph_id)
    assert await doubts(store, in_doubt) == []


async def test_a_doubt_goes_with_the_fact_it_comes_from(store: Store, in_doubt: Access) -> None:
    newer = (await told(store, in_doubt))[CLOSES[1]]
    await store.write(knowledge.delete_fact, in_doubt, newer.uuid)
    assert await doubts(store, in_doubt) == []
