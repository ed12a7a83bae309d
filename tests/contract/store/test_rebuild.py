"""A graph is folded again from its log, and comes out the same; what a rebuild may not touch."""

import asyncio
from datetime import timedelta

import msgspec
import numpy as np
import pytest

from recollect.derive import readings
from recollect.extract.brief import Brief
from recollect.graph import predicates
from recollect.graph.found import Found, FoundEntity, Nodes
from recollect.graph.terms import hashed, terms
from recollect.graph.types import Access, NewEpisode
from recollect.ingest import intake, pipeline, queue, rebuild
from recollect.ingest.worker import Worker
from recollect.records import cloning, episodes, graphs, knowledge, threads, users
from recollect.records.knowledge import EntityChange, FactChange
from recollect.records.pages import PageRequest
from recollect.records.users import UserDetails
from recollect.search.segments import Segments
from recollect.store.protocol import Store, Transaction
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
from tests.support import here

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


async def digest(store: Store, graph_id: int) -> str:
    """That of a graph as it is now."""
    return await store.read(rebuild.digest, graph_id)


def profile(tx: Transaction, graph_id: int) -> list[tuple[str, str, bool]]:
    """What the user's record tells: name, sentence, and whether it holds."""
    return [
        (row["name"], row["fact"], row["invalid_at"] is None)
        for row in tx.digests.part("facts", graph_id=graph_id)
        if row["source"] == row["target"]
    ]


async def test_nothing_is_owed_again(store: Store, access: Access, jane: users.User) -> None:
    """A fold asks no reader: what was read stays read, and no job comes back."""
    await say(store, access, *SAID)
    told = Told(SAID)
    await learn(store, told)
    await here.fold(store, jane.graph_id)
    assert await store.write(queue.claim, "me") is None
    assert told.read == list(SAID)


async def test_what_waits_goes_on_waiting_as_it_did(
    store: Store, access: Access, jane: users.User
) -> None:
    """A fold neither runs a job nor forgives a failure, nor lets it run earlier than it was to."""
    await say(store, access, "acme", "tea")
    held = await store.write(queue.claim, "me")
    assert held is not None
    await store.write(queue.fail, held, held.jobs[0], "x", attempts_max=9, backoff_first_s=60.0)
    await here.fold(store, jane.graph_id)
    assert await store.write(queue.claim, "me") is None
    (state,) = await store.read(rebuild.states)
    assert (state.unread, state.facts) == (2, len(await store.read(profile, jane.graph_id)))


async def test_whoever_is_at_work_on_the_graph_goes_on(
    store: Store, access: Access, jane: users.User
) -> None:
    """A fold waits for its turn, and has what they added meanwhile."""
    await say(store, access, "acme")
    await learn(store, Told(SAID))
    await say(store, access, "globex")
    slow = await store.write(queue.claim, "slow")
    assert slow is not None
    folding = asyncio.create_task(here.fold(store, jane.graph_id))
    prepared = await pipeline.prepare(store, slow.graph_id, slow.jobs, Told(SAID))
    await asyncio.sleep(0.2)
    assert not folding.done()
    await store.write(pipeline.commit, slow, slow.jobs, prepared, predicates.load())
    learned = await digest(store, jane.graph_id)
    await store.write(queue.release, slow)
    await folding
    assert await digest(store, jane.graph_id) == learned
    assert len(await store.read(facts, jane.graph_id)) == 2


async def test_the_record_of_a_user_outlives_a_rebuild(
    store: Store, access: Access, jane: users.User
) -> None:
    """Profile facts stay, those that an episode restated or closed included; once nobody says so
    any more, they are as the record tells."""
    before = await store.read(profile, jane.graph_id)
    said = await say(store, access, "my name is jane smith", "i have no address")
    await learn(store, Told(SAID_OF_JANE))
    closed = await store.read(profile, jane.graph_id)
    assert ("HAS_EMAIL", "Jane Smith has the email jane@example.org", False) in closed
    learned = await digest(store, jane.graph_id)
    await here.fold(store, jane.graph_id)
    assert await digest(store, jane.graph_id) == learned
    for uuid in said:
        number = (await store.read(episodes.get, access, uuid)).id
        await store.write(readings.replace, number, Found(), ())
    await here.settle(store, jane.graph_id)
    assert await store.read(profile, jane.graph_id) == before
    assert await store.read(lambda tx: tx.digests.part("supports", graph_id=jane.graph_id)) == []
    node = await store.read(users.node, access, "jane")
    assert (node.name, node.summary, node.labels) == ("Jane Smith", "", ["Entity", "User"])


async def test_forgetting_who_restated_it_does_not_take_the_record(
    store: Store, access: Access, jane: users.User
) -> None:
    """What the user's record tells needs no episode."""
    before = await store.read(profile, jane.graph_id)
    (said,) = await say(store, access, "my name is jane smith")
    await learn(store, Told(SAID_OF_JANE))
    await store.write(episodes.delete, access, said)
    assert await store.read(profile, jane.graph_id) == before


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
    items = await store.read(index_items, graph.id)
    await here.fold(store, graph.id)
    assert await store.read(index_items, graph.id) == items
    assert await store.read(episodes.messages, access, thread, **page) == log
    segment = await Segments(store, bytes_max=1_000_000).of(access, graph)
    scores = segment.words["episode"].search(map(hashed, terms("acme")), segment.visible("episode"))
    assert segment.row_ids("episode", np.flatnonzero(scores)) == [log[0].id]


async def test_a_fold_needs_nobody_who_reads(
    store: Store, access: Access, jane: users.User
) -> None:
    """What is parked stays parked until someone asks for it, and then it has its place."""

    class Failing(Told):
        async def extract(self, given: list[Brief]) -> list[object]:
            if any(brief.content == "acme" for brief in given):
                raise ValueError("cannot be read")
            return await super().extract(given)

    async def process(store_: Store, held: queue.Claim, jobs: list[queue.Job]) -> None:
        await pipeline.process(store_, held, jobs, extractor=Failing(SAID, together=1))

    worker = Worker(store, owner="w", attempts_max=2, backoff_first_s=0.0, process=process)
    bad, good = await say(store, access, "acme", "tea")
    while await worker.step():
        pass
    await here.fold(store, jane.graph_id)
    assert (await store.read(episodes.get, access, bad)).processed_at is None
    assert (await store.read(episodes.get, access, good)).processed_at == START
    assert [fact.target_name for fact in await store.read(facts, jane.graph_id)] == ["tea"]
    (state,) = await store.read(rebuild.states)
    assert state.unread == 1
    await store.write(queue.retry, access, bad)
    await learn(store, Told(SAID))
    await here.settle(store, jane.graph_id)
    assert (await store.read(episodes.get, access, bad)).processed_at == START
    assert len(await store.read(facts, jane.graph_id)) == 2


async def test_a_job_that_was_parked_and_retried_is_learned_when_it_was_read(
    store: Store, access: Access, jane: users.User, clock: StillClock
) -> None:
    """Its time of learning is that of its success, and a rebuild keeps it."""
    (uuid,) = await say(store, access, "acme")
    await park(store)
    assert (await store.read(episodes.get, access, uuid)).processed_at is None
    clock.advance(600)
    await store.write(queue.retry, access, uuid)
    await learn(store, Told(SAID))
    read_at = (await store.read(episodes.get, access, uuid)).processed_at
    assert read_at == START + timedelta(seconds=600)
    (fact,) = await store.read(facts, jane.graph_id)
    assert fact.created_at == read_at
    learned = await digest(store, jane.graph_id)
    clock.advance(600)
    await here.fold(store, jane.graph_id)
    assert await digest(store, jane.graph_id) == learned


async def park(store: Store) -> None:
    """Let the first job that is due fail for good."""
    held = await store.write(queue.claim, "me")
    assert held is not None
    await store.write(queue.fail, held, held.jobs[0], "x", attempts_max=1, backoff_first_s=0.0)


async def test_a_job_that_was_parked_and_retried_is_learned_at_its_place(
    store: Store, access: Access, jane: users.User, clock: StillClock
) -> None:
    """Whatever was learned meanwhile came after it: it does not end what was said later."""
    (early,) = await say(store, access, "acme")
    await park(store)
    await say(store, access, "globex")
    await learn(store, Told(SAID))
    clock.advance(600)
    await store.write(queue.retry, access, early)
    await learn(store, Told(SAID))
    assert [fact.target_name for fact in await store.read(facts, jane.graph_id)] == ["Globex"]
    await here.settle(store, jane.graph_id)
    found = {fact.target_name: fact for fact in await store.read(facts, jane.graph_id)}
    assert found["Globex"].invalid_at is None
    assert found["Acme Corp"].invalid_at == found["Globex"].valid_at
    assert found["Acme Corp"].uuid < found["Globex"].uuid
    learned = await digest(store, jane.graph_id)
    await here.fold(store, jane.graph_id)
    assert await digest(store, jane.graph_id) == learned


async def test_what_is_still_owed_is_left_out_of_a_comparison(
    store: Store, access: Access, jane: users.User, clock: StillClock
) -> None:
    """A copy of a store that is busy compares what was learned, and waits for nobody who is gone."""
    await say(store, access, "acme")
    await learn(store, Told(SAID))
    await say(store, access, "globex", "tea")
    held = await store.write(queue.claim, "server")
    assert held is not None
    await pipeline.process(store, held, held.jobs[:1], extractor=Told(SAID))
    first = await digest(store, jane.graph_id)
    clock.advance(600)
    await here.fold(store, jane.graph_id)
    assert await digest(store, jane.graph_id) == first


async def edits(store: Store) -> int:
    """How many changes by hand a graph has."""
    (state,) = await store.read(rebuild.states)
    return state.edits


async def test_corrections_by_hand_come_out_the_same(
    store: Store, access: Access, jane: users.User, clock: StillClock
) -> None:
    """Every kind of them, before what was said later and after it."""
    await say(store, access, "acme", "tea")
    await learn(store, Told(SAID))
    assert await edits(store) == 0
    acme, tea = await store.read(facts, jane.graph_id)
    await store.write(knowledge.update_fact, access, acme.uuid, FactChange(fact="Jane is at Acme"))
    change = EntityChange(summary="A company", name="Acme Corporation")
    await store.write(knowledge.update_entity, access, acme.target_uuid, change)
    await store.write(knowledge.delete_fact, access, tea.uuid)
    await store.write(knowledge.delete_entity, access, tea.target_uuid)
    assert await edits(store) == 4
    await say(store, access, "globex", "tea")
    await learn(store, Told(SAID))
    await store.write(knowledge.reopen_fact, access, acme.uuid)
    learned = await digest(store, jane.graph_id)
    told = {fact.fact: fact.invalid_at for fact in await store.read(facts, jane.graph_id)}
    assert told == dict.fromkeys(
        ("Jane is at Acme", "Jane Smith works at Globex", "Jane Smith likes tea")
    )
    clock.advance(600)
    await here.fold(store, jane.graph_id)
    assert await digest(store, jane.graph_id) == learned
    assert await edits(store) == 5


async def test_a_user_who_is_called_otherwise_is_folded_again(
    store: Store, access: Access, jane: users.User
) -> None:
    """Who is who depends on it; that is no edit, and other details of a record are none either."""
    await say(store, access, "acme")
    await learn(store, Told(SAID))
    first = await store.read(_marked, jane.graph_id)
    details = UserDetails(
        first_name="Jane", last_name="Smith", email="jane@example.org", metadata={"k": 1}
    )
    await store.write(users.update, access, "jane", details)
    assert await store.read(_marked, jane.graph_id) == first == (False, 0)
    await store.write(users.update, access, "jane", UserDetails(first_name="Joan"))
    assert await store.read(_marked, jane.graph_id) == (True, 1)
    await here.settle(store, jane.graph_id)
    learned = await digest(store, jane.graph_id)
    await here.fold(store, jane.graph_id)
    assert await digest(store, jane.graph_id) == learned
    assert await edits(store) == 0


def _marked(tx: Transaction, graph_id: int) -> tuple[bool, int]:
    """Whether a graph has to be folded again, and how often that was said."""
    row = tx.graphs.fold_state(graph_id=graph_id)
    assert row is not None
    return row.fold_from is not None, row.inputs


async def test_a_change_before_anything_was_said_is_no_edit(
    store: Store, access: Access, jane: users.User
) -> None:
    """From an empty log nothing was derived."""
    await store.write(users.update, access, "jane", UserDetails(first_name="Joan"))
    assert await edits(store) == 0
    before = await digest(store, jane.graph_id)
    await here.settle(store, jane.graph_id)
    assert await digest(store, jane.graph_id) == before


async def test_what_a_caller_wrote_down_is_rebuilt_with_its_uuids(
    store: Store, access: Access, jane: users.User
) -> None:
    """It is in the log like everything else."""
    uuid = "0190163d-8694-739b-aea5-966c26f8ad91"
    node = FoundEntity(name="Acme Corp", kind="organization", summary="A company", uuid=uuid)
    written = msgspec.json.encode(Nodes(nodes=(node,))).decode()
    told = Told({**SAID, written: Found(entities=(node,))})
    await store.write(
        intake.add_direct, access, jane.graph_id, [NewEpisode(kind="nodes", content=written)]
    )
    await say(store, access, "acme")
    await learn(store, told)
    first = await digest(store, jane.graph_id)
    await here.fold(store, jane.graph_id)
    assert (await store.read(facts, jane.graph_id))[0].target_uuid == uuid
    assert await digest(store, jane.graph_id) == first


async def test_a_clone_comes_out_the_same(store: Store, access: Access, jane: users.User) -> None:
    """It has the readings and the changes by hand of the original, under uuids of its own."""
    await say(store, access, "acme", "tea")
    await learn(store, Told(SAID))
    acme, _ = await store.read(facts, jane.graph_id)
    await store.write(knowledge.update_fact, access, acme.uuid, FactChange(fact="Jane is at Acme"))
    ends = cloning.ClonedEnds(source_user="jane", target_user="joan")
    copied = await store.write(cloning.clone, access, ends)
    await here.settle(store, copied.graph.id)
    original, copy = await store.read(rebuild.states)
    assert (original.edits, copy.edits) == (1, 1)
    assert (original.facts, original.entities) == (copy.facts, copy.entities)
    await here.fold(store, copied.graph.id)
    assert await store.read(rebuild.states) == [original, copy]


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
    await here.fold(store, jane.graph_id)
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
