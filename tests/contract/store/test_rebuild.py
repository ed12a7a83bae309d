"""A graph is derived again from its log, and comes out the same; what a rebuild may not touch."""

from datetime import timedelta

import msgspec
import numpy as np
import pytest

from recollect.errors import LeaseLost, ModelUnavailable
from recollect.extract.brief import Brief
from recollect.extract.direct import Nodes
from recollect.graph import predicates
from recollect.graph.found import Found, FoundEntity
from recollect.graph.terms import hashed, terms
from recollect.graph.types import Access, NewEpisode
from recollect.ingest import intake, pipeline, queue, rebuild
from recollect.ingest.worker import Worker
from recollect.search.segments import Segments
from recollect.store.protocol import Row, Store, Transaction
from recollect.subjects import cloning, episodes, graphs, knowledge, threads, users
from recollect.subjects.knowledge import EntityChange, FactChange
from recollect.subjects.pages import PageRequest
from recollect.subjects.users import UserDetails
from tests.contract.store.test_learning import (
    AT,
    JANE,
    SAID,
    Told,
    entity_named,
    facts,
    learn,
    says,
)
from tests.contract.store.world import (
    START,
    StillClock,
    findable,
    index_items,
    new_thread,
    new_user,
    packed_words,
)

EVERYTHING = PageRequest(order="uuid/asc", limit=1_000)
SAID_OF_JANE = {
    **SAID,
    "my name is jane smith": says("HAS_NAME", JANE, "The user's name is Jane Smith", 0),
    "i have no address": says(
        "HAS_EMAIL",
        JANE,
        "Jane Smith does not have the email jane@example.org",
        90,
        negated=True,
    ),
}


@pytest.fixture
async def jane(store: Store, access: Access) -> users.User:
    """A user with a thread, whose record tells a name and an address."""
    user = await new_user(
        store, access, "jane", first_name="Jane", last_name="Smith", email="jane@example.org"
    )
    await new_thread(store, access, "t", "jane")
    return user


async def say(store: Store, access: Access, *contents: str, **more: object) -> list[str]:
    """Messages of Jane, in one call; says their uuids."""
    said = [
        NewEpisode(kind="message", content=content, role="user", speaker="Jane", created_at=AT)
        for content in contents
    ]
    sent = [msgspec.structs.replace(message, **more) for message in said]
    receipt = await store.write(intake.add_messages, access, "t", sent)
    return receipt.uuids


async def again(store: Store, graph_id: int, told: Told) -> None:
    """Unlearn and learn."""
    await here.fold(store, graph_id)
    await learn(store, told)


def profile(tx: Transaction, graph_id: int) -> list[tuple[str, str, bool]]:
    """What the user's record tells: name, sentence, and whether it holds."""
    return [
        (row["name"], row["fact"], row["invalid_at"] is None)
        for row in tx.all("digest_facts", graph_id=graph_id)
        if row["source"] == row["target"]
    ]


async def test_what_was_owed_again_runs_together_as_at_first(
    store: Store, access: Access, jane: users.User
) -> None:
    """Having been done once is no sign of a death: nobody has to run by itself for that."""
    await say(store, access, *SAID)
    await learn(store, Told(SAID))
    await here.fold(store, jane.graph_id)
    held = await store.write(queue.claim, "me")
    assert held is not None
    assert [job.episode.content for job in held.jobs] == list(SAID)
    assert (held.lost, [job.attempts for job in held.jobs]) == (False, [0] * len(SAID))


async def test_tries_of_the_first_time_do_not_count(
    store: Store, access: Access, jane: users.User
) -> None:
    """What failed once and then went well may fail once again."""
    await say(store, access, "acme")
    held = await store.write(queue.claim, "me")
    assert held is not None
    await store.write(queue.fail, held, held.jobs[0], "x", attempts_max=2, backoff_first_s=0.0)
    await learn(store, Told(SAID))
    await here.fold(store, jane.graph_id)
    held = await store.write(queue.claim, "me")
    assert held is not None
    assert held.jobs[0].attempts == 0


async def test_whoever_is_at_work_on_the_graph_loses_it(
    store: Store, access: Access, jane: users.User
) -> None:
    """Else the last episode would be learned before the first."""
    await say(store, access, "acme")
    await learn(store, Told(SAID))
    first = await store.read(rebuild.digest, jane.graph_id)
    await say(store, access, "globex")
    slow = await store.write(queue.claim, "slow")
    assert slow is not None
    prepared = await pipeline.prepare(store, slow.graph_id, slow.jobs, Told(SAID))
    await here.fold(store, jane.graph_id)
    with pytest.raises(LeaseLost):
        await store.write(pipeline.commit, slow, slow.jobs, prepared, predicates.load())
    held = await store.write(queue.claim, "me")
    assert held is not None
    assert [job.episode.content for job in held.jobs] == ["acme", "globex"]
    await pipeline.process(store, held, held.jobs[:1], extractor=Told(SAID))
    assert await store.read(rebuild.digest, jane.graph_id) == first


async def test_the_record_of_a_user_outlives_a_rebuild(
    store: Store, access: Access, jane: users.User
) -> None:
    """Profile facts stay, those that an episode restated or closed included."""
    before = await store.read(profile, jane.graph_id)
    await say(store, access, "my name is jane smith", "i have no address")
    told = Told(SAID_OF_JANE)
    await learn(store, told)
    closed = await store.read(profile, jane.graph_id)
    assert ("HAS_EMAIL", "Jane Smith has the email jane@example.org", False) in closed
    learned = await store.read(rebuild.digest, jane.graph_id)
    await here.fold(store, jane.graph_id)
    assert await store.read(profile, jane.graph_id) == before
    assert await store.read(lambda tx: tx.all("digest_supports", graph_id=jane.graph_id)) == []
    node = await store.read(users.node, access, "jane")
    assert (node.name, node.summary, node.labels) == ("Jane Smith", "", ["Entity", "User"])
    await learn(store, told)
    assert await store.read(rebuild.digest, jane.graph_id) == learned


async def test_forgetting_who_restated_it_does_not_take_the_record(
    store: Store, access: Access, jane: users.User
) -> None:
    """What the user's record tells needs no episode."""
    before = await store.read(profile, jane.graph_id)
    (said,) = await say(store, access, "my name is jane smith")
    await learn(store, Told(SAID_OF_JANE))
    await store.write(episodes.delete, access, said)
    assert await store.read(profile, jane.graph_id) == before


def _left(tx: Transaction, graph_id: int) -> list[Row]:
    return tx.all("digest_facts", graph_id=graph_id)


async def test_the_log_stays_and_everything_is_found_again(
    store: Store, access: Access, jane: users.User
) -> None:
    """Messages, their times, ignored ones; a search that starts afterwards finds as before."""
    await say(store, access, "acme", "tea")
    await say(store, access, "hush", ignored=True)
    await learn(store, Told(SAID))
    graph = await store.read(graphs.of_user, access, "jane")
    thread = await store.read(threads.get, access, "t")
    page = {"limit": 100, "offset": 0}
    log = await store.read(episodes.messages, access, thread, **page)
    items = await store.read(findable, graph.id)
    await here.fold(store, graph.id)
    kept = {row["uuid"] for row in await store.read(_left, graph.id)}
    assert len(kept) == len(await store.read(profile, graph.id)) > 0
    assert await store.read(findable, graph.id) == {jane.entity_uuid, *kept} < items
    assert await store.read(episodes.messages, access, thread, **page) == log
    await learn(store, Told(SAID))
    assert await store.read(findable, graph.id) == items
    segment = await Segments(store, bytes_max=1_000_000).of(access, graph)
    scores = segment.words["episode"].search(map(hashed, terms("acme")), segment.visible("episode"))
    assert segment.row_ids("episode", np.flatnonzero(scores)) == [log[0].id]
    assert await store.read(episodes.messages, access, thread, **page) == log


async def test_what_cannot_be_read_again_says_so(
    store: Store, access: Access, jane: users.User
) -> None:
    """It is parked, no longer counts as processed, and the others are learned."""
    bad, good = await say(store, access, "acme", "tea")
    await learn(store, Told(SAID))

    class Failing(Told):
        async def extract(self, readings: list[Brief]) -> list[object]:
            if any(reading.content == "acme" for reading in readings):
                raise ModelUnavailable
            return await super().extract(readings)

    def worker(told: Told) -> Worker:
        async def process(store_: Store, held: queue.Claim, jobs: list[queue.Job]) -> None:
            await pipeline.process(store_, held, jobs, extractor=told)

        return Worker(store, owner="w", attempts_max=2, backoff_first_s=0.0, process=process)

    await here.fold(store, jane.graph_id)
    await rebuild.relearn(store, worker(Failing(SAID)), [jane.graph_id])
    assert (await store.read(episodes.get, access, bad)).processed_at is None
    assert (await store.read(episodes.get, access, good)).processed_at == START
    assert [fact.target_name for fact in await store.read(facts, jane.graph_id)] == ["tea"]
    (state,) = await store.read(rebuild.states)
    assert state.unread == 1
    # Parked stays parked, until someone asks for it.
    await here.fold(store, jane.graph_id)
    await rebuild.relearn(store, worker(Told(SAID)), [jane.graph_id])
    assert [fact.target_name for fact in await store.read(facts, jane.graph_id)] == ["tea"]
    await store.write(queue.retry, access, bad)
    await learn(store, Told(SAID))
    assert (await store.read(episodes.get, access, bad)).processed_at == START
    assert len(await store.read(facts, jane.graph_id)) == 2


async def test_a_job_that_was_parked_and_retried_is_learned_when_it_was_read(
    store: Store, access: Access, jane: users.User, clock: StillClock
) -> None:
    """Its time of learning is that of its success, and a rebuild keeps it."""
    (uuid,) = await say(store, access, "acme")
    held = await store.write(queue.claim, "me")
    assert held is not None
    await store.write(queue.fail, held, held.jobs[0], "x", attempts_max=1, backoff_first_s=0.0)
    assert (await store.read(episodes.get, access, uuid)).processed_at is None
    clock.advance(600)
    await store.write(queue.retry, access, uuid)
    await learn(store, Told(SAID))
    read_at = (await store.read(episodes.get, access, uuid)).processed_at
    assert read_at == START + timedelta(seconds=600)
    (fact,) = await store.read(facts, jane.graph_id)
    assert fact.created_at == read_at
    digest = await store.read(rebuild.digest, jane.graph_id)
    clock.advance(600)
    await again(store, jane.graph_id, Told(SAID))
    assert await store.read(rebuild.digest, jane.graph_id) == digest


async def test_what_is_still_owed_is_left_out_of_a_comparison(
    store: Store, access: Access, jane: users.User
) -> None:
    """A copy of a store that is busy compares what was learned, whoever holds the graph."""
    await say(store, access, "acme")
    await learn(store, Told(SAID))
    await say(store, access, "globex", "tea")
    held = await store.write(queue.claim, "server")
    assert held is not None
    await pipeline.process(store, held, held.jobs[:1], extractor=Told(SAID))
    first = await store.read(rebuild.digest, jane.graph_id)
    await store.write(rebuild.set_aside)
    await again(store, jane.graph_id, Told(SAID))
    assert await store.read(rebuild.digest, jane.graph_id) == first


async def test_corrections_by_hand_are_counted_until_they_are_undone(
    store: Store, access: Access, jane: users.User
) -> None:
    """Every kind of them; a rebuilt graph is again what its log tells."""
    await say(store, access, "acme", "tea")
    await learn(store, Told(SAID))

    async def edits() -> int:
        (state,) = await store.read(rebuild.states)
        return state.edits

    assert await edits() == 0
    acme, tea = await store.read(facts, jane.graph_id)
    await store.write(knowledge.update_fact, access, acme.uuid, FactChange(fact="x"))
    await store.write(knowledge.update_entity, access, acme.target_uuid, EntityChange(summary="x"))
    await store.write(knowledge.delete_fact, access, tea.uuid)
    await store.write(knowledge.delete_entity, access, tea.target_uuid)
    await store.write(episodes.delete, access, acme.episodes[0])
    assert await edits() == 5
    await store.write(users.update, access, "jane", UserDetails(first_name="Joan"))
    assert await edits() == 6
    details = UserDetails(first_name="Joan", metadata={"k": 1})
    await store.write(users.update, access, "jane", details)
    assert await edits() == 6
    await again(store, jane.graph_id, Told(SAID))
    assert await edits() == 0


async def test_a_change_before_anything_was_said_is_no_edit(
    store: Store, access: Access, jane: users.User
) -> None:
    """From an empty log nothing was derived."""
    await store.write(users.update, access, "jane", UserDetails(first_name="Joan"))
    (state,) = await store.read(rebuild.states)
    assert state.edits == 0


async def test_what_a_caller_wrote_down_is_rebuilt_with_its_uuids(
    store: Store, access: Access, jane: users.User
) -> None:
    """It is in the log like everything else."""
    uuid = "0190163d-8694-739b-aea5-966c26f8ad91"
    node = FoundEntity(name="Acme Corp", kind="organization", summary="A company", uuid=uuid)
    written = msgspec.json.encode(Nodes(nodes=(node,))).decode()
    told = Told({**SAID, written: Found(entities=(node,))})
    await store.write(intake.add_direct, jane.graph_id, [NewEpisode(kind="nodes", content=written)])
    await say(store, access, "acme")
    await learn(store, told)
    first = await store.read(rebuild.digest, jane.graph_id)
    assert (await store.read(facts, jane.graph_id))[0].target_uuid == uuid
    await again(store, jane.graph_id, told)
    assert await store.read(rebuild.digest, jane.graph_id) == first


async def test_a_clone_is_marked_and_is_its_own_log_after_a_rebuild(
    store: Store, access: Access, jane: users.User
) -> None:
    """Its uuids were new; from then on it comes out the same every time."""
    await say(store, access, "acme", "tea")
    await learn(store, Told(SAID))
    ends = cloning.Ends(source_user="jane", target_user="joan")
    copied = await store.write(cloning.clone, access, ends)
    await learn(store, Told(SAID))
    original, copy = await store.read(rebuild.states)
    assert (original.edits, copy.edits) == (0, 1)
    assert (original.facts, original.entities) == (copy.facts, copy.entities)
    await again(store, copied.graph.id, Told(SAID))
    first = await store.read(rebuild.digest, copied.graph.id)
    await again(store, copied.graph.id, Told(SAID))
    assert await store.read(rebuild.digest, copied.graph.id) == first
    assert (await store.read(rebuild.states))[0] == original


async def test_a_rebuild_of_one_graph_leaves_the_others_alone(
    store: Store, access: Access, jane: users.User
) -> None:
    """Their digests and their index."""
    await say(store, access, "acme")
    other = await new_user(store, access, "other", first_name="Jane", last_name="Smith")
    await new_thread(store, access, "t2", "other")
    message = NewEpisode(kind="message", content="tea", role="user", speaker="Jane")
    await store.write(intake.add_messages, access, "t2", [message])
    await learn(store, Told(SAID))
    before = await store.read(rebuild.states, "other")
    items = await store.read(findable, other.graph_id)
    await again(store, jane.graph_id, Told(SAID))
    assert await store.read(rebuild.states, "other") == before
    assert await store.read(findable, other.graph_id) == items


async def test_a_corrected_entity_answers_to_its_new_name(
    store: Store, access: Access, jane: users.User
) -> None:
    """What is said of it later lands on it, and a search finds it by what it says now."""
    await say(store, access, "acme")
    await learn(store, Told(SAID))
    acme = await store.read(entity_named, jane.graph_id, "Acme Corp")
    change = EntityChange(name="Northwind Traders")
    await store.write(knowledge.update_entity, access, acme.uuid, change)
    later = says(
        "WORKS_AT",
        FoundEntity(name="Northwind Traders", kind="organization"),
        "Jane Smith works at Northwind Traders",
        30,
    )
    await say(store, access, "northwind")
    await learn(store, Told({"northwind": later}))
    entities = (await store.read(knowledge.entities_page, access, _graph(jane), EVERYTHING)).items
    assert [e.uuid for e in entities if not e.is_user] == [acme.uuid]
    entity = await store.read(knowledge.entity, access, acme.uuid)
    assert entity.name == "Northwind Traders"
    held = (await store.read(index_items, jane.graph_id))["entity", acme.id]
    assert held == packed_words(f"Northwind Traders {entity.summary}")


def _graph(user: users.User) -> graphs.Graph:
    return graphs.Graph(
        id=user.graph_id,
        uuid=user.graph_uuid,
        kind="user",
        graph_id=user.user_id,
        created_at=START,
        updated_at=START,
    )


async def test_a_corrected_fact_is_found_by_its_new_words_only(
    store: Store, access: Access, jane: users.User
) -> None:
    """And by whoever says the same again."""
    await say(store, access, "tea")
    await learn(store, Told(SAID))
    (tea,) = await store.read(facts, jane.graph_id)
    change = FactChange(fact="Jane Smith adores oolong")
    await store.write(knowledge.update_fact, access, tea.uuid, change)
    found = await store.read(index_items, jane.graph_id)
    assert found["fact", tea.id] == packed_words("Jane Smith adores oolong")
    same = says("LIKES", FoundEntity(name="tea", kind="topic"), "Jane Smith adores oolong", 40)
    await say(store, access, "oolong")
    await learn(store, Told({"oolong": same}))
    (fact,) = await store.read(facts, jane.graph_id)
    assert len(fact.episodes) == 2


async def test_a_renamed_user_is_found_by_the_new_name(
    store: Store, access: Access, jane: users.User
) -> None:
    """As soon as the node is findable at all."""
    await say(store, access, "tea")
    await learn(store, Told(SAID))
    await store.write(users.update, access, "jane", UserDetails(first_name="Rosalind"))
    node = await store.read(users.node, access, "jane")
    assert node.name.startswith("Rosalind")
    held = (await store.read(index_items, jane.graph_id))["entity", node.id]
    assert held == packed_words(f"{node.name} {node.summary}")
