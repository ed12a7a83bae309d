"""Finding things in a small graph that was really read: every kind, every reranker, every knob."""

import asyncio
import math
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from recollect.errors import NotFound
from recollect.graph.filters import Filters
from recollect.graph.types import Access, Graph, NewEpisode
from recollect.ingest import intake
from recollect.records import episodes, graphs, knowledge, users
from recollect.search import score
from recollect.search.finder import Finder
from recollect.search.kinds import KINDS, kind_of
from recollect.search.query import Hit, Query
from recollect.search.segments import Segments
from recollect.settings import Settings
from recollect.store.protocol import Store
from tests.contract.store.world import new_project, new_thread, new_user, work
from tests.support import here
from tests.support.stores import behind, copy_store, of_the_file, open_store

NOW = datetime(2024, 5, 2, tzinfo=UTC)
SAID = (
    ("2023-03-05", "Jane", "I moved to Berlin in March 2023."),
    ("2023-03-05", "Anna", "Nice! Do you like it there?"),
    ("2023-03-06", "Jane", "Yes. I work at Acme and I love running in the park."),
    ("2023-09-01", "Jane", "My sister Emma is allergic to peanuts."),
    ("2024-02-10", "Jane", "I moved to Munich in February 2024."),
    ("2024-04-01", "Jane", "I left Acme, and now I work at Globex."),
)
ACME = "Jane Smith works at Acme"
GLOBEX = "Now Jane Smith works at Globex"


@dataclass(frozen=True)
class World:
    """A store with the graph of Jane, and a finder over it."""

    store: Store
    access: Access
    graph: Graph
    finder: Finder

    async def find(self, text: str, kind: str = "fact", **more: Any) -> list[Hit[Any]]:
        """What is found of a kind, and nothing of another."""
        more.setdefault("now", NOW)
        found = await self.finder.find(self.access, self.graph, Query(text=text, kind=kind, **more))
        assert all(kind_of(hit.item) == kind for hit in found)
        return found

    async def told(self, text: str, kind: str = "fact", **more: Any) -> list[str]:
        """The texts of what is found, best first."""
        attribute = {"fact": "fact", "entity": "name", "episode": "content"}[kind]
        return [getattr(one.item, attribute) for one in await self.find(text, kind, **more)]

    async def node(self, name: str) -> str:
        """The uuid of the entity of that name."""
        found = await self.find(name, "entity", limit=50)
        (uuid,) = [one.item.uuid for one in found if one.item.name == name]
        return str(uuid)


async def build(folder: Path, story: Sequence[tuple[str, str, str]] = SAID) -> None:
    """Jane's graph, read by the real extractor."""
    store = open_store(folder)
    access = await new_project(store, "p")
    await new_user(store, access, "jane", first_name="Jane", last_name="Smith")
    await new_thread(store, access, "t", "jane")
    said = [
        NewEpisode(
            kind="message",
            content=content,
            role="user" if name == "Jane" else "assistant",
            speaker=name,
            created_at=datetime.fromisoformat(day).replace(tzinfo=UTC) + timedelta(minutes=n),
        )
        for n, (day, name, content) in enumerate(story)
    ]
    await store.write(intake.add_messages, access, "t", said)
    await here.learn(store)
    await store.close()


@asynccontextmanager
async def opened(folder: Path, *, reads_answers: bool = True) -> AsyncIterator[World]:
    """That graph with a finder."""
    store = open_store(folder)
    segments = Segments(store, bytes_max=10**9)
    access = Access(project_id=1, project_uuid="", key_uuid="")
    graph = await store.read(graphs.of_user, access, "jane")
    try:
        finder = Finder(store, segments, Settings().models, reads_answers=reads_answers)
        yield World(store, access, graph, finder)
    finally:
        await segments.close()
        await store.close()


@pytest.fixture(scope="module")
def learned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a store that was filled once."""
    folder = tmp_path_factory.mktemp("learned")
    asyncio.run(build(folder))
    return folder


@pytest.fixture
async def world(learned: Path, tmp_path: Path) -> AsyncIterator[World]:
    """A copy of it for each test."""
    copy_store(learned, tmp_path / "store")
    async with opened(tmp_path / "store") as found:
        yield found


@pytest.mark.parametrize(
    ("kind", "text", "wanted"),
    [
        ("fact", "Where does Jane live?", "Jane Smith moved to Munich in February 2024"),
        ("fact", "What is Emma allergic to?", "Jane Smith's sister Emma is allergic to peanuts"),
        ("entity", "peanut allergy", "peanuts"),
        ("episode", "What is Emma allergic to?", "My sister Emma is allergic to peanuts."),
        ("episode", "jogging for sport", "Yes. I work at Acme and I love running in the park."),
    ],
)
async def test_the_best_one_comes_first(world: World, kind: str, text: str, wanted: str) -> None:
    """By words or by meaning, with scores between 0 and 1, better ones first, each once."""
    found = await world.find(text, kind, limit=50)
    assert (await world.told(text, kind))[0] == wanted
    scores = [one.score for one in found]
    assert scores == sorted(scores, reverse=True)
    assert all(0 < score < 1 for score in scores)
    assert len({one.item.uuid for one in found}) == len(found)
    assert all(one.relevance is None for one in found)


@pytest.mark.parametrize("kind", ["observation", "thread_summary"])
async def test_what_was_derived_is_found_too(world: World, kind: str) -> None:
    """Patterns over facts, and what a thread is about."""
    found = await world.find("Where does Jane live?", kind)
    assert found
    assert {one.item.graph_id for one in found} == {world.graph.id}


RERANKERS = ("rrf", "mmr", "node_distance", "episode_mentions", "cross_encoder")


@pytest.mark.parametrize("reranker", RERANKERS)
@pytest.mark.parametrize("kind", KINDS)
async def test_every_reranker_orders_every_kind(world: World, kind: str, reranker: str) -> None:
    """At most as many as asked for, better ones first, and the same again."""
    more = {"reranker": reranker, "limit": 3, "center_uuid": await world.node("Emma")}
    found = await world.find("Where does Jane live?", kind, **more)
    assert 0 < len(found) <= 3
    scores = [one.score for one in found]
    assert scores == sorted(scores, reverse=True)
    assert await world.find("Where does Jane live?", kind, **more) == found


async def test_reciprocal_ranks_are_sums_of_one_over_ranks(world: World) -> None:
    """Who is first by words and by meaning has two."""
    found = await world.find("Jane Smith's sister Emma is allergic to peanuts", reranker="rrf")
    assert found[0].item.fact == "Jane Smith's sister Emma is allergic to peanuts"
    assert found[0].score == 2.0


async def test_relevance_alone_leaves_the_order_and_likeness_changes_it(
    learned: Path, tmp_path: Path
) -> None:
    """The weight that a caller gives decides. It begins with the order in which nothing was read yet."""
    text = "Which city did Jane move to?"
    copy_store(learned, tmp_path / "store")
    async with opened(tmp_path / "store", reads_answers=False) as world:
        plain = await world.told(text, limit=4)
        assert await world.told(text, limit=4, reranker="mmr", mmr_lambda=1.0) == plain
        apart = await world.told(text, limit=4, reranker="mmr", mmr_lambda=0.2)
    assert apart[0] == plain[0]
    assert apart != plain


async def test_the_nearest_to_a_centre_come_first(world: World) -> None:
    """Facts that touch it, then those one hop away."""
    emma = await world.node("Emma")
    found = await world.find(
        "Where does Jane live?", reranker="node_distance", center_uuid=emma, limit=50
    )
    touching = [emma in (one.item.source_uuid, one.item.target_uuid) for one in found]
    assert touching == sorted(touching, reverse=True)
    assert [one.score == 1.0 for one in found] == touching
    assert sum(touching) == 2


async def test_most_mentioned_ones_come_first(world: World) -> None:
    """The score is how many episodes stand behind it."""
    found = await world.find("Jane", "entity", reranker="episode_mentions", limit=50)
    counts = {one.item.name: one.score for one in found}
    assert found[0].item.name == "Jane Smith"
    assert counts["peanuts"] == 1
    assert counts["Jane Smith"] == max(counts.values()) > 1


async def test_the_cross_encoder_tells_what_it_thinks(world: World) -> None:
    """A relevance for each, and the answer first."""
    found = await world.find("What food must Emma avoid?", reranker="cross_encoder", limit=5)
    assert found[0].item.fact == "Jane Smith's sister Emma is allergic to peanuts"
    assert all(one.relevance is not None for one in found)


async def test_what_holds_now_comes_first_and_history_is_not_hidden(world: World) -> None:
    """Berlin is over, and still there behind Munich; Acme behind Globex."""
    lived = await world.told("Which city does Jane live in?", limit=50)
    assert lived.index("Jane Smith moved to Munich in February 2024") < lived.index(
        "Jane Smith moved to Berlin in March 2023"
    )
    worked = await world.told("Where does Jane work?", limit=50)
    assert worked.index(GLOBEX) < worked.index(ACME)


async def test_a_fact_that_ended_yields_to_one_that_says_it_in_other_words(tmp_path: Path) -> None:
    """The words of the old job are much nearer to the question than those of the new one."""
    story = (
        ("2024-05-01", "Jane", "I work at Acme."),
        ("2024-05-11", "Jane", "My sister Emma is allergic to peanuts."),
        ("2024-05-21", "Jane", "I started a new job at Globex last week."),
    )
    await build(tmp_path, story)
    async with opened(tmp_path) as world:
        later = datetime(2024, 7, 1, tzinfo=UTC)
        now = await world.told("Where does Jane work?", now=later)
        before = await world.told("Where did Jane work before?", now=later)
    assert "Globex" in now[0]
    assert now[1] == before[0] == ACME


async def test_a_question_about_a_time_finds_what_held_then(world: World) -> None:
    """Then what is over comes before what began later."""
    found = await world.told("Which city did Jane live in in May 2023?", limit=50)
    assert found.index("Jane Smith moved to Berlin in March 2023") < found.index(
        "Jane Smith moved to Munich in February 2024"
    )


async def test_what_happened_is_a_time_as_well(world: World) -> None:
    """Where she worked before a move is not where she works now."""
    now = await world.told("Where does Jane work?", limit=50)
    then = await world.told("Where did Jane work before she moved to Munich?", limit=50)
    assert now.index(GLOBEX) < now.index(ACME)
    assert then.index(ACME) < then.index(GLOBEX)


async def test_a_date_filter_takes_the_place_of_time_words(world: World) -> None:
    """What held on a day, whatever the question says."""
    told = await world.told(
        "Where does Jane live in March 2024?",
        limit=50,
        filters=Filters(valid_on=datetime(2023, 5, 1, tzinfo=UTC)),
    )
    assert "Jane Smith moved to Berlin in March 2023" in told
    assert "Jane Smith moved to Munich in February 2024" not in told


async def test_scores_below_a_bound_are_left_out(world: World) -> None:
    """The bound itself is let by."""
    found = await world.find("Where does Jane live?", limit=50)
    bound = found[2].score
    assert await world.find("Where does Jane live?", limit=50, score_min=bound) == found[:3]
    assert await world.find("Where does Jane live?", score_min=1.0) == []


@pytest.mark.parametrize("kind", ["fact", "entity", "episode"])
async def test_a_limit_keeps_the_best(world: World, kind: str) -> None:
    """The first few are the first few of all; none is none."""
    everything = await world.find("Where does Jane live?", kind, limit=50)
    for limit in (1, 2, 50):
        assert await world.find("Where does Jane live?", kind, limit=limit) == everything[:limit]
    assert await world.find("Where does Jane live?", kind, limit=0) == []


@pytest.mark.parametrize("text", ["", "   ", "\n\t"])
async def test_a_blank_question_finds_nothing(world: World, text: str) -> None:
    """Of no kind."""
    for kind in KINDS:
        assert await world.find(text, kind) == []


@pytest.mark.parametrize("text", ["the of and", "?!", "東京", "\U0001f600", "zzz " * 500])
async def test_any_question_is_answered(world: World, text: str) -> None:
    """Also one without a single word that finds anything."""
    for kind in KINDS:
        await world.find(text, kind)


def worth(score: float) -> float:
    """What a score between 0 and 1 was made of, but for a constant."""
    return 2 * math.log(score / (1 - score))


async def test_closeness_to_somebody_counts_a_little(world: World) -> None:
    """What touches her gains, and what is far from her does not."""
    emma = await world.node("Emma")
    plain = {one.item.uuid: one for one in await world.find("peanuts in Berlin", limit=50)}
    near = await world.find("peanuts in Berlin", limit=50, near_uuid=emma)
    for one in near:
        touches = emma in (one.item.source_uuid, one.item.target_uuid)
        gained = worth(one.score) - worth(plain[one.item.uuid].score)
        assert gained > 0.16 if touches else gained < 0.24
    assert {one.item.uuid for one in near} == set(plain)


async def test_a_search_can_start_somewhere(world: World) -> None:
    """At an entity or an episode: what is reached from there gains."""
    (said,) = [
        one.item for one in await world.find("peanuts", "episode") if "peanuts" in one.item.content
    ]
    plain = {one.item.fact: one.score for one in await world.find("Where is it?", limit=50)}
    for origin in (await world.node("peanuts"), said.uuid):
        begun = await world.find("Where is it?", limit=50, origin_uuids=(origin,))
        gained = {one.item.fact: worth(one.score) - worth(plain[one.item.fact]) for one in begun}
        assert gained["Jane Smith's sister Emma is allergic to peanuts"] > 0.8
        assert min(gained.values()) > 0  # all of it hangs together
    entity = await world.node("peanuts")
    ranks = await world.told("Where is it?", limit=50, origin_uuids=(entity,), reranker="rrf")
    assert "Jane Smith's sister Emma is allergic to peanuts" in ranks[:2]


async def test_what_is_deleted_is_not_found_any_more(world: World) -> None:
    """An episode, and with it the fact and the entity that nothing else stood behind."""
    text = "What is Emma allergic to?"
    (said,) = [
        one.item for one in await world.find(text, "episode") if "peanuts" in one.item.content
    ]
    await world.store.write(episodes.delete, world.access, said.uuid)
    assert not [told for told in await world.told(text, limit=50) if "peanuts" in told]
    assert "peanuts" not in await world.told(text, "entity", limit=50)
    assert said.content not in await world.told(text, "episode", limit=50)


async def test_a_deleted_fact_is_not_found_any_more(world: World) -> None:
    """And its neighbours are."""
    (gone, *kept) = await world.find("Where does Jane live?", limit=50)
    await world.store.write(knowledge.delete_fact, world.access, gone.item.uuid)
    left = await world.find("Where does Jane live?", limit=50)
    assert {one.item.uuid for one in left} == {one.item.uuid for one in kept}


async def test_a_graph_that_is_folded_again_is_found_as_before(world: World) -> None:
    """Everything in the same order, by those who searched it before and by those who did not."""
    before = [await world.find("Where does Jane live?", kind, limit=50) for kind in KINDS]
    assert before[0]
    await here.fold(world.store, world.graph.id)
    after = [await world.find("Where does Jane live?", kind, limit=50) for kind in KINDS]
    assert after == before


async def test_what_is_said_later_is_found_at_once(world: World) -> None:
    """Without anyone telling the finder."""
    await world.find("Where does Jane live?")
    said = NewEpisode(
        kind="message", content="I moved to Lisbon.", role="user", speaker="Jane", created_at=NOW
    )
    await world.store.write(intake.add_messages, world.access, "t", [said])
    await here.learn(world.store)
    assert "Lisbon" in (await world.told("Where does Jane live?", now=NOW + timedelta(days=1)))[0]


async def test_another_projects_key_finds_nothing(world: World) -> None:
    """It is told that there is no such graph, before and after the owner searched."""
    stranger = await new_project(world.store, "other")
    for _ in range(2):
        for kind in KINDS:
            with pytest.raises(NotFound):
                await world.finder.find(
                    stranger, world.graph, Query(text="Jane", kind=kind, now=NOW)
                )
        with pytest.raises(NotFound):
            await world.finder.warm(stranger, world.graph)
        with pytest.raises(NotFound):
            await world.finder.matching(stranger, world.graph, "fact", Filters())
        await world.finder.warm(world.access, world.graph)


async def test_a_deleted_user_is_not_found(world: World) -> None:
    """Not even by who still holds the graph in hand."""
    await world.find("Where does Jane live?")
    await world.store.write(users.delete, world.access, "jane")
    with pytest.raises(NotFound):
        await world.find("Where does Jane live?")


async def test_everything_that_passes_is_listed(world: World) -> None:
    """Without a question, narrowed by filters alone."""
    found = await world.find("Jane's name and user id", limit=50)
    ids = await world.finder.matching(world.access, world.graph, "fact", Filters())
    assert sorted(ids) == sorted(one.item.id for one in found)
    none = Filters(edge_uuids=())
    assert await world.finder.matching(world.access, world.graph, "fact", none) == []


async def test_an_empty_graph_is_searched_in_vain(world: World) -> None:
    """Every kind with every reranker."""
    await new_user(world.store, world.access, "nobody")
    graph = await world.store.read(graphs.of_user, world.access, "nobody")
    for kind in ("episode", "observation", "thread_summary"):
        for reranker in (None, *RERANKERS):
            query = Query(text="Jane", kind=kind, now=NOW, reranker=reranker)
            assert await world.finder.find(world.access, graph, query) == []


async def test_many_searches_at_once_agree(world: World) -> None:
    """Of several kinds, in several threads."""
    alone = {kind: await world.find("Where does Jane live?", kind) for kind in KINDS}
    kinds = [*KINDS] * 4
    together = await asyncio.gather(*(world.find("Where does Jane live?", k) for k in kinds))
    assert together == [alone[kind] for kind in kinds]


@pytest.mark.parametrize("reranker", [None, "rrf", "mmr", "episode_mentions", "cross_encoder"])
async def test_equals_come_in_the_same_order_after_a_restart(
    world: World, reranker: str | None
) -> None:
    """A changed episode moves in the index, but not among those that fit as well."""
    said = [NewEpisode(kind="text", content="Nobody likes rain.") for _ in range(3)]
    receipt = await world.store.write(intake.add_episodes, world.access, "jane", None, said)
    await work(world.store)
    before = await world.told("rain", "episode", limit=3)
    assert before == ["Nobody likes rain."] * 3
    change = {"seen": True}
    await world.store.write(episodes.update_metadata, world.access, receipt.uuids[0], change)
    cold = Finder(world.store, Segments(world.store, bytes_max=10**9), Settings().models)
    again = World(world.store, world.access, world.graph, cold)
    for one in (world, again):
        found = await one.find("rain", "episode", limit=2, reranker=reranker)
        assert [hit.item.uuid for hit in found] == receipt.uuids[:0:-1]


async def test_the_cross_encoder_s_own_scores_are_held_to_the_bound(world: World) -> None:
    """Not the fused ones that it starts from, which are on another scale."""
    question = "What food must Emma avoid?"
    found = await world.find(question, reranker="cross_encoder", limit=50)
    bound = found[1].score
    assert (
        await world.find(question, reranker="cross_encoder", limit=50, score_min=bound)
        == (found[:2])
    )


async def test_what_a_profile_tells_is_found_only_when_asked_for(world: World) -> None:
    """It fits any question about the user a little, and would fill the list of every one."""
    about = await world.find("Where does Jane Smith live?", limit=50)
    assert not [one.item.fact for one in about if "HAS_" in one.item.name and not one.item.episodes]
    assert (await world.told("What is Jane's user id?"))[0] == "Jane Smith has the user id jane"


async def test_a_fact_about_something_else_has_less_than_a_half(world: World) -> None:
    """That is what `min_score` means: docs/howto/search.md."""
    scores = {one.item.fact: one.score for one in await world.find("What is Emma allergic to?")}
    assert scores["Jane Smith's sister Emma is allergic to peanuts"] > 0.5
    assert scores[GLOBEX] < 0.5
    assert not [one for one in await world.find("Who won the chess match?") if one.score >= 0.5]


async def test_nobody_can_be_the_centre_who_is_not_there(world: World) -> None:
    """Whoever asks for what is near to somebody unknown made a mistake."""
    with pytest.raises(NotFound):
        await world.find("Jane", reranker="node_distance", center_uuid="nobody")


async def test_the_newer_of_two_that_compete_comes_first(tmp_path: Path) -> None:
    """Nothing ended the first: a question about the present still means the second."""
    story = (
        ("2024-05-01", "Jane", "I keep the spare key under the mat."),
        ("2024-05-11", "Jane", "My sister Emma is allergic to peanuts."),
        ("2024-06-11", "Jane", "I work at Acme and I love running in the park."),
        ("2024-09-21", "Jane", "I hide the spare key behind the shed."),
    )
    await build(tmp_path, story)
    async with opened(tmp_path) as world:
        later = datetime(2024, 12, 1, tzinfo=UTC)
        now = await world.told("Where does Jane keep the spare key?", now=later)
        before = await world.told("Where did Jane keep the spare key?", now=later)
    assert "shed" in now[0]
    assert "mat" in before[0]


GARDEN = (
    ("2024-05-01", "Jane", "The alarm code of the boathouse is 5521."),
    ("2024-05-11", "Jane", "The boathouse has a red door."),
    ("2024-06-11", "Jane", "My sister Emma painted the boathouse last year."),
    ("2024-06-14", "Jane", "The boathouse roof leaks."),
    ("2024-09-21", "Jane", "Another alarm code was issued: 7804."),
)


async def test_what_a_newer_answer_has_the_words_of_comes_behind_what_fits_little(
    tmp_path: Path,
) -> None:
    """Nobody judged the two codes: that both are what was asked for puts the older one in doubt, but
    not for who asks what it was, and not as long as the newer one is still to come."""
    await build(tmp_path, GARDEN)
    async with opened(tmp_path) as world:
        later, soon = datetime(2024, 12, 1, tzinfo=UTC), datetime(2024, 8, 1, tzinfo=UTC)
        now = await world.told("What is the alarm code of the boathouse?", now=later)
        before = await world.told("What was the alarm code of the boathouse?", now=later)
        early = await world.told("What is the alarm code of the boathouse?", now=soon)
    assert place(now, "7804") < place(now, "red door") < place(now, "5521")
    assert place(before, "5521") == 0
    assert place(early, "5521") == 0


async def test_what_a_judging_reader_let_stand_is_not_doubted(tmp_path: Path) -> None:
    """It was shown the older code when it wrote down the newer: these are two codes."""
    await build(tmp_path, GARDEN)
    with behind(tmp_path) as base:
        base.execute("UPDATE facts SET extractor = 'agent:episode.v2' WHERE fact LIKE '%7804%'")
    async with opened(tmp_path) as world:
        later = datetime(2024, 12, 1, tzinfo=UTC)
        now = await world.told("What is the alarm code of the boathouse?", now=later)
    assert place(now, "5521") < place(now, "red door")


BOAT = (
    ("2023-03-05", "Jane", "Carl bought my boat in March 2023."),
    ("2023-03-06", "Jane", "Carl keeps the boat in Kiel."),
)


@of_the_file
async def test_the_past_tense_asks_for_what_took_place_and_the_present_for_what_is_so(
    tmp_path: Path,
) -> None:
    """Who bought it is told by the sale; where it is, by what is so since."""
    asked = ("Who bought the boat?", "Where is the boat?", "boat Carl")

    async def scores(folder: Path) -> list[float]:
        async with opened(folder) as world:
            found = [await world.find(text) for text in asked]
        return [next(hit.score for hit in one if "bought" in hit.item.fact) for one in found]

    state, event = tmp_path / "state", tmp_path / "event"
    for folder in (state, event):
        await build(folder, BOAT)
    with behind(event) as base:
        base.execute("UPDATE facts SET event_at = valid_at WHERE instr(fact, 'bought') > 0")
        assert base.execute("SELECT count(*) FROM facts WHERE event_at = valid_at").fetchone()[0]
    plain = await scores(state)
    past, present, keywords = await scores(event)
    assert past > plain[0]
    assert present < plain[1]
    assert keywords == pytest.approx(plain[2])


FORMER = (
    ("2023-03-05", "Jane", "I work at Acme."),
    ("2023-03-06", "Jane", "Acme is based in Leeds."),
    ("2024-04-01", "Jane", "I left Acme, and now I work at Globex."),
)


async def test_what_is_told_of_those_who_are_left_behind_comes_behind(tmp_path: Path) -> None:
    """Where a former employer is, nobody asks who does not name it or speak of the past."""
    await build(tmp_path, FORMER)
    async with opened(tmp_path) as world:

        async def fits(text: str, now: datetime) -> float:
            found = await world.find(text, now=now, limit=50)
            return next(hit.score for hit in found if "Leeds" in hit.item.fact)

        before = datetime(2023, 6, 1, tzinfo=UTC)
        assert await fits("Which town do I work in?", NOW) < 0.5 * await fits(
            "Which town do I work in?", before
        )
        for text in ("Which town is Acme in?", "Which town was I in?"):
            # Not the same: what else there is by now is read with it.
            assert await fits(text, NOW) > 0.7 * await fits(text, before)


@of_the_file
async def test_the_name_under_which_a_user_speaks_means_the_user(tmp_path: Path) -> None:
    """Jane Smith signs as Didi: what Didi does is what Jane does."""
    await build(tmp_path)
    with behind(tmp_path) as base:
        base.execute("UPDATE episodes SET speaker = 'Didi' WHERE speaker = 'Jane'")
    async with opened(tmp_path) as world:
        query = Query(text="Where does Didi live?", kind="fact", now=NOW)
        hits = await world.finder.find(world.access, world.graph, query)
        parts, _ = await world.finder.explain(world.access, world.graph, query, hits, None)
        about = [hit for hit in hits if "Munich" in hit.item.fact]
    assert parts[about[0].item.id].parts["known"] == pytest.approx(score.ABOUT_NAMED)


def place(told: Sequence[str], words: str) -> int:
    """Where the fact with these words stands."""
    return next(number for number, fact in enumerate(told) if words in fact)


async def test_both_parts_of_a_question_are_answered(world: World) -> None:
    """The best of each stands above what fits neither."""
    found = await world.told("Where does Jane work and what is her sister allergic to?", limit=2)
    assert set(found) == {GLOBEX, "Jane Smith's sister Emma is allergic to peanuts"}
