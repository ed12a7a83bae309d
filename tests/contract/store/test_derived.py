"""Observations and summaries follow the log: what is learned, closed, forgotten and rebuilt."""

from datetime import timedelta

import msgspec
import pytest

from recollect import ids
from recollect.derive import derived as resting
from recollect.derive import derived_copies
from recollect.errors import NotFound
from recollect.graph.filters import DateTest, Filters, MetadataTree, ValueTest
from recollect.graph.found import Found, FoundEntity
from recollect.graph.types import Access, Graph, NewEpisode, Observation
from recollect.ingest import intake, rebuild
from recollect.records import derived, episodes, graphs, guidance, knowledge, threads, users
from recollect.records.guidance import Instruction, ObservationType, Steering, Targets
from recollect.records.pages import PageRequest, read_cursor
from recollect.store.protocol import Store, Transaction
from tests.contract.store.test_learning import ACME, AT, SAID, Told, facts, jane, learn, says
from tests.contract.store.world import StillClock, new_graph, new_thread, new_user
from tests.support import here

__all__ = ["jane"]
EVERYTHING = PageRequest(order="uuid/asc", limit=1_000)


def likes(what: str, day: int, **more: object) -> Found:
    """Jane likes something, from a day on."""
    target = FoundEntity(name=what, kind="topic")
    return says("LIKES", target, f"Jane Smith likes {what}", day, **more)


TOLD = Told(
    {
        **SAID,
        "jazz": likes("jazz", 22),
        "hiking": likes("hiking", 25),
        "wine": likes("wine", 26),
        "no more tea": says(
            "LIKES",
            FoundEntity(name="tea", kind="topic"),
            "Jane Smith no longer likes tea",
            60,
            negated=True,
            name="DOES_NOT_LIKE",
        ),
    }
)


async def say(
    store: Store, access: Access, *contents: str, thread: str = "t", day: int = 0, **more: object
) -> list[str]:
    """Messages of Jane on some day; says their uuids."""
    said = NewEpisode(kind="message", content="", role="user", speaker="Jane Smith", **more)
    at = AT + timedelta(days=day)
    sent = [msgspec.structs.replace(said, content=text, created_at=at) for text in contents]
    receipt = await store.write(intake.add_messages, access, thread, sent)
    await learn(store, TOLD)
    return receipt.uuids


async def graph_of(store: Store, access: Access, user_id: str = "jane") -> Graph:
    """The graph of a user."""
    return await store.read(graphs.of_user, access, user_id)


async def seen(store: Store, access: Access, user_id: str = "jane") -> dict[str, Observation]:
    """The observations of a user by their names."""
    graph = await graph_of(store, access, user_id)
    page = await store.read(derived.observations_page, access, graph, EVERYTHING)
    return {item.name: item for item in page.items}


async def summary(store: Store, access: Access, thread: str = "t") -> str:
    """What a thread is about."""
    return (await store.read(derived.thread_summary, access, thread)).summary


async def test_a_thread_has_no_summary_before_a_message_was_processed(
    store: Store, access: Access, jane: users.User
) -> None:
    """Nor has one that does not exist."""
    for thread in ("t", "nobody's"):
        with pytest.raises(NotFound):
            await store.read(derived.thread_summary, access, thread)
    waiting = NewEpisode(kind="message", content="acme", role="user")
    await store.write(intake.add_messages, access, "t", [waiting])
    with pytest.raises(NotFound):
        await store.read(derived.thread_summary, access, "t")


async def test_a_thread_is_summarized_by_its_own_facts(
    store: Store, access: Access, jane: users.User, clock: StillClock
) -> None:
    """And grows with them; both marks move on, that of event time never back."""
    await new_thread(store, access, "other", "jane")
    await say(store, access, "acme", day=3)
    first = await store.read(derived.thread_summary, access, "t")
    assert first.summary == "Jane Smith works at Acme Corp."
    assert (first.created_at, first.updated_at) == (clock(), clock())
    clock.advance(60)
    await say(store, access, "tea", day=1)
    await say(store, access, "jazz", thread="other")
    later = await store.read(derived.thread_summary, access, "t")
    assert later.summary == "Jane Smith works at Acme Corp. Jane Smith likes tea."
    assert (later.uuid, later.created_at) == (first.uuid, first.created_at)
    assert later.updated_at == clock()
    assert later.covered_at == first.covered_at == AT + timedelta(days=3)
    assert await summary(store, access, "other") == "Jane Smith likes jazz."


async def test_a_thread_without_facts_is_summarized_by_its_messages(
    store: Store, access: Access, jane: users.User
) -> None:
    """Until a fact comes out; messages that wait are not in it."""
    await say(store, access, "The boat leaves Bergen at nine", "ok")
    assert await summary(store, access) == "Jane Smith: The boat leaves Bergen at nine."
    await say(store, access, "tea")
    assert await summary(store, access) == "Jane Smith likes tea."


async def test_what_another_thread_closes_is_told_as_over(
    store: Store, access: Access, jane: users.User
) -> None:
    """A summary does not go on telling what was taken back elsewhere."""
    await new_thread(store, access, "other", "jane")
    await say(store, access, "acme")
    await say(store, access, "globex", thread="other", day=20)
    assert await summary(store, access) == "Jane Smith works at Acme Corp (ended by 21 March 2024)."
    assert await summary(store, access, "other") == "Jane Smith works at Globex."


async def test_an_observation_is_made_when_there_is_enough_evidence(
    store: Store, access: Access, jane: users.User, clock: StillClock
) -> None:
    """With the facts and the episodes behind it, and later ones under the same uuid."""
    said = await say(store, access, "tea", "jazz")
    assert await seen(store, access) == {}
    said += await say(store, access, "hiking")
    (first,) = (await seen(store, access)).values()
    assert first.name == "Jane Smith likes several"
    assert first.summary.startswith("Jane Smith likes tea, jazz and hiking (3 in all, from ")
    assert first.labels == ["Observation", "generic"]
    assert sorted(first.episodes) == sorted(said)
    assert len(first.facts) == 3
    assert (first.created_at, first.end_at) == (clock(), None)
    clock.advance(60)
    await say(store, access, "wine")
    (grown,) = (await seen(store, access)).values()
    assert (grown.uuid, grown.created_at) == (first.uuid, first.created_at)
    assert len(grown.facts) == 4
    assert grown.latest_evidence_at is not None
    assert first.latest_evidence_at is not None
    assert grown.latest_evidence_at > first.latest_evidence_at
    assert await store.read(derived.observation, access, first.uuid) == grown


async def test_an_observation_ends_when_its_facts_no_longer_bear_it_out(
    store: Store, access: Access, jane: users.User
) -> None:
    """It stays, with its end, and goes on when they do again."""
    await say(store, access, "tea", "jazz", "hiking")
    await say(store, access, "no more tea", day=60)
    (over,) = (await seen(store, access)).values()
    assert over.end_at is not None
    assert over.summary.endswith("; no longer tea.")
    await say(store, access, "wine", day=70)
    (again,) = (await seen(store, access)).values()
    assert (again.uuid, again.end_at) == (over.uuid, None)


async def test_a_change_of_a_single_relation_is_observed(
    store: Store, access: Access, jane: users.User
) -> None:
    """Two employers, one after the other."""
    await say(store, access, "acme")
    await say(store, access, "globex", day=20)
    (change,) = (await seen(store, access)).values()
    assert change.summary == (
        "Changed once: Jane Smith works at Acme Corp (until 21 March 2024); "
        "Jane Smith works at Globex (since 21 March 2024)."
    )


async def test_the_same_on_several_days_is_observed(
    store: Store, access: Access, jane: users.User
) -> None:
    """Three days, not three times on one day."""
    for day in (21, 21, 25):
        await say(store, access, "tea", day=day)
    assert await seen(store, access) == {}
    await say(store, access, "tea", day=30)
    (found,) = (await seen(store, access)).values()
    assert found.name == "Repeatedly: Jane Smith likes tea"
    assert found.summary.startswith("Came up on 3 days, ")


async def test_deleting_an_episode_takes_its_words_out_of_all_that_rested_on_it(
    store: Store, access: Access, jane: users.User
) -> None:
    """Below the mark an observation is retired, without any facts it goes."""
    said = await say(store, access, "tea", "jazz", "hiking")
    (whole,) = (await seen(store, access)).values()
    await store.write(episodes.delete, access, said[0])
    (retired,) = (await seen(store, access)).values()
    assert retired.uuid == whole.uuid
    assert retired.end_at is not None
    assert "tea" not in retired.summary
    assert len(retired.facts) == 2
    assert await summary(store, access) == "Jane Smith likes jazz. Jane Smith likes hiking."
    for uuid in said[1:]:
        await store.write(episodes.delete, access, uuid)
    assert await seen(store, access) == {}
    with pytest.raises(NotFound):
        await store.read(derived.observation, access, whole.uuid)
    with pytest.raises(NotFound):
        await store.read(derived.thread_summary, access, "t")


async def test_deleting_a_fact_or_an_entity_is_followed(
    store: Store, access: Access, jane: users.User
) -> None:
    """By hand, too."""
    await say(store, access, "tea", "jazz", "hiking", "wine", "acme")
    known = {fact.target_name: fact for fact in await store.read(facts, jane.graph_id)}
    await store.write(knowledge.delete_fact, access, known["tea"].uuid)
    (left,) = (await seen(store, access)).values()
    assert (len(left.facts), left.end_at) == (3, None)
    await store.write(knowledge.delete_entity, access, known["wine"].target_uuid)
    (left,) = (await seen(store, access)).values()
    assert len(left.facts) == 2
    assert left.end_at is not None
    told = await summary(store, access)
    assert "tea" not in told
    assert "wine" not in told


async def test_a_thread_takes_its_summary_along(
    store: Store, access: Access, jane: users.User
) -> None:
    """And nothing of it is left to list."""
    await say(store, access, "tea")
    await store.write(threads.delete, access, "t")
    graph = await graph_of(store, access)
    assert (await store.read(derived.thread_summaries_page, access, graph, EVERYTHING)).items == []


async def test_what_is_gone_with_its_entity_is_reported_as_gone(
    store: Store, access: Access, jane: users.User
) -> None:
    """A row that a cascade took must leave the index as well."""
    await say(store, access, "tea", "jazz", "hiking")

    def drop(tx: Transaction) -> resting.Aftermath:
        ids = [row.id for row in tx.facts.by_uuids(graph_id=jane.graph_id, uuids=listed)]
        found = resting.resting_on(tx, facts=ids)
        tx.facts.delete(ids=str(ids))
        return resting.renew(tx, found)

    listed = "[" + ",".join(f'"{f.uuid}"' for f in await store.read(facts, jane.graph_id)) + "]"
    after = await store.write(drop)
    assert [gone.kind for gone in after.gone] == ["observation"]
    assert [item.kind for _, item in after.renewed] == ["thread_summary"]
    assert await seen(store, access) == {}


@pytest.mark.parametrize("together", [1, 16])
async def test_a_rebuild_makes_the_same_again(
    store: Store, access: Access, jane: users.User, clock: StillClock, together: int
) -> None:
    """However many episodes share a commit, to the last uuid, row and time."""
    texts = ("acme", "tea", "jazz", "tea", "hiking", "globex", "no more tea")
    for number, text in enumerate(texts):
        clock.advance(5)
        at = AT + timedelta(days=number * 10)
        said = NewEpisode(
            kind="message", content=text, role="user", speaker="Jane Smith", created_at=at
        )
        await store.write(intake.add_messages, access, "t", [said])
    await learn(store, Told(TOLD._said, together))
    first = await store.read(rebuild.digest, jane.graph_id)
    before = await seen(store, access)
    assert len(before) == 2
    clock.advance(1_000)
    await here.fold(store, jane.graph_id)
    assert await seen(store, access) == before
    assert await store.read(rebuild.digest, jane.graph_id) == first


async def test_a_different_observation_is_a_different_digest(
    store: Store, access: Access, jane: users.User
) -> None:
    """The digest covers each of the tables."""
    await say(store, access, "tea", "jazz", "hiking")

    async def changed(noun: str, method: str, **params: object) -> bool:
        before = await store.read(rebuild.digest, jane.graph_id)
        await store.write(lambda tx: getattr(getattr(tx, noun), method)(**params))
        return await store.read(rebuild.digest, jane.graph_id) != before

    (item,) = (await seen(store, access)).values()
    one = f"[{await store.read(lambda tx: tx.observations.fact_ids(id=item.id)[0])}]"
    row = await store.read(derived.thread_summary, access, "t")
    assert await changed("observations", "facts_drop", id=item.id, facts=one)
    assert await changed("summaries", "facts_drop", id=row.id, facts=one)
    assert await changed("observations", "delete", id=item.id)
    assert await changed("summaries", "delete", id=row.id)


async def test_documents_have_summaries_of_their_own(store: Store, access: Access) -> None:
    """One for each id, however many episodes it has."""
    graph = await new_graph(store, access, "g")
    for name, text in (("d1", "acme"), ("d1", "tea"), ("d2", "jazz")):
        episode = NewEpisode(kind="text", content=text, document_id=name, created_at=AT)
        await store.write(intake.add_episodes, access, None, "g", [episode])
    await learn(store, TOLD)
    page = await store.read(derived.document_summaries_page, access, graph, EVERYTHING)
    assert {item.document_id: item.summary for item in page.items} == {
        "d1": "Jane Smith works at Acme Corp. Jane Smith likes tea.",
        "d2": "Jane Smith likes jazz.",
    }
    assert (await store.read(derived.thread_summaries_page, access, graph, EVERYTHING)).items == []


async def test_types_that_the_project_asks_for_label_what_is_made_from_then_on(
    store: Store, access: Access, jane: users.User
) -> None:
    """What was made before keeps its label."""
    await say(store, access, "acme")
    await say(store, access, "globex", day=20)
    steering = Steering(types=(ObservationType(name="tastes", description="What a user likes"),))
    await store.write(guidance.set_steering, access, guidance.PROJECT, steering)
    await say(store, access, "tea", "jazz", "hiking")
    labels = {name: item.labels[-1] for name, item in (await seen(store, access)).items()}
    assert labels == {
        "Jane Smith works at: changed once": "generic",
        "Jane Smith likes several": "tastes",
    }


async def test_another_project_sees_none_of_it(
    store: Store, access: Access, stranger: Access, jane: users.User
) -> None:
    """Neither by uuid nor by the name of a thread."""
    await say(store, access, "tea", "jazz", "hiking")
    (item,) = (await seen(store, access)).values()
    with pytest.raises(NotFound):
        await store.read(derived.observation, stranger, item.uuid)
    with pytest.raises(NotFound):
        await store.read(derived.thread_summary, stranger, "t")
    with pytest.raises(NotFound):
        await store.read(derived.user_summary, stranger, "jane")


async def test_lists_have_pages_and_filters(
    store: Store, access: Access, jane: users.User, clock: StillClock
) -> None:
    """What does not pass is passed over, and takes no place on a page."""
    for number in range(7):
        await new_thread(store, access, f"t{number}", "jane")
        clock.advance(1)
        metadata = {"odd": bool(number % 2)}
        await say(store, access, "tea", thread=f"t{number}", metadata=metadata)
    graph = await graph_of(store, access)

    async def walk(filters: Filters, order: str) -> list[str]:
        found: list[str] = []
        cursor: str | None = ""
        while cursor is not None:
            request = PageRequest(order=order, limit=2, after=read_cursor(cursor, order))
            page = await store.read(derived.thread_summaries_page, access, graph, request, filters)
            found += [item.thread_id for item in page.items]
            cursor = page.next_cursor
        return found

    assert await walk(Filters(), "created_at/asc") == [f"t{number}" for number in range(7)]
    odd = MetadataTree(joined_by="and", tests=(ValueTest(name="odd", operator="=", value=True),))
    assert await walk(Filters(episode_metadata=odd), "created_at/desc") == ["t5", "t3", "t1"]
    late = ((DateTest(operator=">", moment=clock() - timedelta(seconds=2)),),)
    assert await walk(Filters(created_at=late), "uuid/asc") == ["t5", "t6"]
    assert await walk(Filters(episode_uuids=()), "uuid/asc") == []


async def test_a_user_is_summarized_as_instructions_ask(
    store: Store, access: Access, jane: users.User
) -> None:
    """The user's own instructions in place of the project's."""
    assert (
        await store.read(derived.user_summary, access, "jane") == "The user's name is Jane Smith."
    )
    await say(store, access, "acme", "tea", "jazz")
    plain = await store.read(derived.user_summary, access, "jane")
    assert plain.startswith("The user's name is Jane Smith. Jane Smith works at Acme Corp. ")
    music = [Instruction(name="music", text="Does the user like jazz?")]
    await store.write(guidance.add_instructions, access, "summary", Targets(), music)
    asked = await store.read(derived.user_summary, access, "jane")
    assert asked.startswith("Jane Smith likes jazz. ")
    work = [Instruction(name="work", text="Current employer")]
    own = Targets(user_ids=("jane",))
    await store.write(guidance.add_instructions, access, "summary", own, work)
    assert (await store.read(derived.user_summary, access, "jane")).startswith(
        "Jane Smith works at Acme Corp. "
    )


async def test_what_is_over_leaves_the_summary_of_a_user(
    store: Store, access: Access, jane: users.User
) -> None:
    """It tells what holds now."""
    await say(store, access, "acme")
    await say(store, access, "globex", day=20)
    told = await store.read(derived.user_summary, access, "jane")
    assert "Globex" in told
    assert "Acme" not in told


async def test_a_copy_of_a_graph_has_copies_of_what_was_derived(
    store: Store, access: Access, jane: users.User
) -> None:
    """Under uuids of their own, resting on the copied facts, and found again by their patterns."""
    await say(store, access, "tea", "jazz", "hiking")
    joan = await new_user(store, access, "joan")
    (old,) = (await seen(store, access)).values()

    def copy(tx: Transaction) -> list[tuple[int, int]]:
        ends = {
            graph_id: tx.entities.who(graph_id=graph_id)[0].id
            for graph_id in (jane.graph_id, joan.graph_id)
        }
        pairs = [(ends[jane.graph_id], ends[joan.graph_id])]
        return derived_copies.copy(
            tx,
            jane.graph_id,
            joan.graph_id,
            entities=pairs,
            facts=[],
            moved=lambda uuid: ids.moved(uuid, 1),
        )

    ((before, after),) = await store.write(copy)
    assert before == old.id
    (new,) = (await seen(store, access, "joan")).values()
    assert (new.id, new.summary, new.created_at) == (after, old.summary, old.created_at)
    assert new.uuid != old.uuid


async def test_one_more_message_costs_the_same_in_a_long_thread(
    store: Store, access: Access, jane: users.User
) -> None:
    """The facts that a summary may speak of are bounded, and so is its text."""
    many = {f"n{n}": likes(f"thing {n}", n) for n in range(120)}
    told = Told({**TOLD._said, **many})
    for start in range(0, 120, 30):
        texts = [f"n{n}" for n in range(start, start + 30)]
        sent = [NewEpisode(kind="message", content=text, role="user") for text in texts]
        await store.write(intake.add_messages, access, "t", sent)
        await learn(store, told)
    row = await store.read(derived.thread_summary, access, "t")
    kept = await store.read(lambda tx: tx.summaries.facts_kept(id=row.id))
    assert len(kept) <= 48
    assert "thing 119" in row.summary
    assert len(row.summary) <= 1_000
    (found,) = (await seen(store, access)).values()
    assert len(found.facts) <= 64
    assert ACME.name not in found.summary


async def test_what_ignored_roles_said_leaves_no_summary(
    store: Store, access: Access, jane: users.User
) -> None:
    """A thread of which only that is left has none, as if nothing had been processed."""
    (uuid,) = await say(store, access, "acme")
    await say(store, access, "hm", ignored=True)
    await store.write(episodes.delete, access, uuid)
    with pytest.raises(NotFound):
        await store.read(derived.thread_summary, access, "t")
