"""What an episode says is written in one step, once, and comes out the same every time."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import msgspec
import numpy as np
import pytest

from recollect.errors import LeaseLost
from recollect.extract.brief import Brief, Extracted
from recollect.graph import predicates
from recollect.graph.found import Found, FoundEntity, FoundFact, Triple
from recollect.graph.types import Access, Entity, Fact, NewEpisode
from recollect.ingest import intake, pipeline, queue, rebuild
from recollect.records import episodes, users
from recollect.store import rows
from recollect.store.protocol import Store, Transaction
from tests.contract.store.world import (
    StillClock,
    findable,
    index_items,
    index_rows,
    new_thread,
    new_user,
    packed_words,
)
from tests.support import here

AT = datetime(2024, 3, 1, tzinfo=UTC)
VECTOR = np.zeros(384, dtype=np.float16).tobytes()
JANE = FoundEntity(name="Jane Smith", kind="person", who="user")


class Told:
    """An extractor that was told what each text says, and counts what it reads."""

    wants_known = False

    def __init__(self, said: dict[str, Found], together: int = 16) -> None:
        self.predicates = predicates.load()
        self.together = together
        self.read: list[str] = []
        self._said = said

    async def extract(self, readings: Sequence[Brief]) -> list[Extracted]:
        """What was told of each text."""
        self.read += [reading.content for reading in readings]
        return [
            Extracted(found=found, vector=VECTOR, fact_vectors=(VECTOR,) * len(found.facts))
            for found in (self._said.get(reading.content, Found()) for reading in readings)
        ]

    async def close(self) -> None:
        """Nothing to let go of."""


def says(relation: str, target: FoundEntity, sentence: str, day: int, **more: object) -> Found:
    """One fact about Jane."""
    fact = FoundFact(
        source=0,
        target=1,
        name=relation,
        predicate=relation,
        fact=sentence,
        valid_at=AT + timedelta(days=day),
        span=(0, 4),
    )
    return Found(entities=(JANE, target), facts=(msgspec.structs.replace(fact, **more),))


ACME = FoundEntity(name="Acme Corp", kind="organization")
SAID = {
    "acme": says("WORKS_AT", ACME, "Jane Smith works at Acme Corp", 0),
    "acme again": says("WORKS_AT", ACME, "Jane Smith works at Acme Corp", 9),
    "globex": says(
        "WORKS_AT",
        FoundEntity(name="Globex", kind="organization"),
        "Jane Smith works at Globex",
        20,
    ),
    "tea": says("LIKES", FoundEntity(name="tea", kind="topic"), "Jane Smith likes tea", 21),
}


@pytest.fixture
async def jane(store: Store, access: Access) -> users.User:
    """A user with a thread."""
    user = await new_user(store, access, "jane", first_name="Jane", last_name="Smith")
    await new_thread(store, access, "t", "jane")
    return user


async def say(store: Store, access: Access, *contents: str) -> None:
    """Messages of Jane, in one call."""
    messages = [
        NewEpisode(
            kind="message", content=content, role="user", speaker="Jane Smith", created_at=AT
        )
        for content in contents
    ]
    await store.write(intake.add_messages, access, "t", messages)


async def learn(store: Store, told: Told) -> None:
    """Process everything that is due."""
    while (held := await store.write(queue.claim, "me")) is not None:
        await pipeline.process(store, held, held.jobs, extractor=told)
        await store.write(queue.release, held)


def facts(tx: Transaction, graph_id: int) -> list[Fact]:
    """What was learned, without what the profile tells."""
    ids = [row["uuid"] for row in tx.digests.part("facts", graph_id=graph_id)]
    told = [tx.facts.by_uuid(uuid=uuid, project_id=1) for uuid in ids]
    return [
        fact for fact in (rows.fact(row) for row in told if row) if not fact.name.startswith("HAS_")
    ]


def entity_named(tx: Transaction, graph_id: int, name: str) -> Entity:
    """The one entity of that name."""
    (found,) = [
        row for row in tx.digests.part("entities", graph_id=graph_id) if row["name"] == name
    ]
    row = tx.entities.by_uuid(uuid=found["uuid"], project_id=1)
    assert row is not None
    return rows.entity(row)


async def test_a_fact_has_its_ends_its_times_and_its_episode(
    store: Store, access: Access, jane: users.User
) -> None:
    """Everything derived names the episode it came from, and where in it."""
    await say(store, access, "acme")
    await learn(store, Told(SAID))
    (fact,) = await store.read(facts, jane.graph_id)
    assert (fact.source_name, fact.name, fact.target_name) == (
        "Jane Smith",
        "WORKS_AT",
        "Acme Corp",
    )
    assert fact.source_uuid == jane.entity_uuid
    assert (fact.valid_at, fact.invalid_at, fact.expired_at) == (AT, None, None)
    assert len(fact.episodes) == 1
    supports = await store.read(lambda tx: tx.digests.part("supports", graph_id=jane.graph_id))
    assert [(s["fact"], s["role"], s["span_start"], s["span_end"]) for s in supports] == [
        (fact.uuid, "states", 0, 4)
    ]
    mentions = await store.read(lambda tx: tx.digests.part("mentions", graph_id=jane.graph_id))
    assert {m["entity"] for m in mentions} == {fact.source_uuid, fact.target_uuid}


async def test_what_is_learned_is_findable_with_its_vector(
    store: Store, access: Access, jane: users.User
) -> None:
    """The episode, the fact and both entities, in the same step."""
    await say(store, access, "acme")
    await learn(store, Told(SAID))
    (fact,) = await store.read(facts, jane.graph_id)
    found = await store.read(index_items, jane.graph_id)
    assert found["fact", fact.id] == packed_words("Jane Smith works at Acme Corp")
    ends = {fact.source_uuid, fact.target_uuid}
    assert await store.read(findable, jane.graph_id, "entity") == ends
    assert await store.read(findable, jane.graph_id, "episode") == set(fact.episodes)
    vectors = {
        (row.item_kind, row.item_id): row.vector
        for row in await store.read(index_rows, jane.graph_id)
    }
    episode = await store.read(episodes.get, access, fact.episodes[0])
    assert vectors["fact", fact.id] == vectors["episode", episode.id] == VECTOR


async def test_a_restated_fact_gains_the_episode_and_keeps_its_times(
    store: Store, access: Access, jane: users.User
) -> None:
    """Heard twice is one fact with two episodes."""
    await say(store, access, "acme", "acme again")
    await learn(store, Told(SAID))
    (fact,) = await store.read(facts, jane.graph_id)
    assert len(fact.episodes) == 2
    assert fact.valid_at == AT


async def test_a_new_job_closes_the_old_one_and_names_who_closed_it(
    store: Store, access: Access, jane: users.User
) -> None:
    """Nothing is overwritten: the old fact ends where the new one begins."""
    await say(store, access, "acme", "globex")
    await learn(store, Told(SAID))
    old, new = await store.read(facts, jane.graph_id)
    assert (old.target_name, new.target_name) == ("Acme Corp", "Globex")
    assert old.invalid_at == new.valid_at
    assert old.expired_at is not None
    assert new.invalid_at is None
    supports = await store.read(lambda tx: tx.digests.part("supports", graph_id=jane.graph_id))
    assert sorted(s["role"] for s in supports if s["fact"] == old.uuid) == ["closes", "states"]


@pytest.mark.parametrize("together", [1, 2, 16])
async def test_reading_one_by_one_or_many_at_once_gives_one_graph(
    store: Store, access: Access, jane: users.User, together: int
) -> None:
    """How episodes are grouped leaves no trace: it is the graph that a fold of the log gives."""
    await say(store, access, *SAID)
    await learn(store, Told(SAID, together=together))
    learned = await store.read(rebuild.digest, jane.graph_id)
    await here.fold(store, jane.graph_id)
    assert len(await store.read(facts, jane.graph_id)) == 3
    assert await store.read(rebuild.digest, jane.graph_id) == learned


async def test_a_rebuilt_graph_equals_the_first_even_later(
    store: Store, access: Access, jane: users.User, clock: StillClock
) -> None:
    """Uuids and both clocks included: the log says when each episode was learned, and nobody reads."""
    for content in SAID:
        await say(store, access, content)
        await learn(store, Told(SAID))
        clock.advance(3600)
    first = await store.read(rebuild.digest, jane.graph_id)
    clock.advance(86_400)
    await here.fold(store, jane.graph_id)
    assert await store.read(rebuild.digest, jane.graph_id) == first


async def test_what_was_done_is_not_read_again(
    store: Store, access: Access, jane: users.User
) -> None:
    """A group that fails half-way is tried again one by one; the first half is done already."""
    await say(store, access, "acme", "globex", "tea")
    told = Told(SAID, together=1)
    held = await store.write(queue.claim, "me")
    assert held is not None
    await pipeline.process(store, held, held.jobs[:1], extractor=told)
    await pipeline.process(store, held, held.jobs, extractor=told)
    assert told.read == ["acme", "globex", "tea"]
    assert len(await store.read(facts, jane.graph_id)) == 3


async def test_an_episode_deleted_while_it_is_read_leaves_nothing(
    store: Store, access: Access, jane: users.User
) -> None:
    """Neither fact nor entity nor index row."""
    before = await store.read(index_items, jane.graph_id)
    await say(store, access, "acme")
    held = await store.write(queue.claim, "me")
    assert held is not None
    prepared = await pipeline.prepare(store, held.graph_id, held.jobs, Told(SAID))
    await store.write(episodes.delete, access, held.jobs[0].episode.uuid)
    await store.write(pipeline.commit, held, held.jobs, prepared, predicates.load())
    assert await store.read(facts, jane.graph_id) == []
    assert await store.read(index_items, jane.graph_id) == before


async def test_who_lost_the_lease_writes_nothing(
    store: Store, access: Access, jane: users.User, clock: StillClock
) -> None:
    """The one who took over learns it, once."""
    await say(store, access, "acme")
    slow = await store.write(queue.claim, "slow")
    assert slow is not None
    prepared = await pipeline.prepare(store, slow.graph_id, slow.jobs, Told(SAID))
    clock.advance(120)
    await learn(store, Told(SAID))
    with pytest.raises(LeaseLost):
        await store.write(pipeline.commit, slow, slow.jobs, prepared, predicates.load())
    assert len(await store.read(facts, jane.graph_id)) == 1


async def test_deleting_an_episode_takes_its_facts_out_of_the_index(
    store: Store, access: Access, jane: users.User
) -> None:
    """What cannot be read any more cannot be found any more."""
    await say(store, access, "acme", "tea")
    await learn(store, Told(SAID))
    (acme, tea) = await store.read(facts, jane.graph_id)
    said = await store.read(episodes.get, access, acme.episodes[0])
    corp = await store.read(entity_named, jane.graph_id, "Acme Corp")
    await store.write(episodes.delete, access, said.uuid)
    found = await store.read(index_items, jane.graph_id)
    gone = {place for place, held in found.items() if held is None}
    assert gone == {("fact", acme.id), ("entity", corp.id), ("episode", said.id)}
    assert found["fact", tea.id] is not None


async def test_the_summary_of_an_entity_grows_with_its_facts(
    store: Store, access: Access, jane: users.User
) -> None:
    """And loses what no longer holds."""
    await say(store, access, "acme", "tea")
    await learn(store, Told(SAID))
    summary = (await store.read(entity_named, jane.graph_id, "Jane Smith")).summary
    assert "works at Acme Corp" in summary
    assert "likes tea" in summary
    await say(store, access, "globex")
    await learn(store, Told(SAID))
    summary = (await store.read(entity_named, jane.graph_id, "Jane Smith")).summary
    assert "Acme" not in summary
    assert "Globex" in summary


def written(uuid: str | None = None) -> NewEpisode:
    """A fact that a caller wrote down."""
    fact = msgspec.structs.replace(SAID["tea"].facts[0], uuid=uuid)
    triple = Triple(source=JANE, target=SAID["tea"].entities[1], fact=fact)
    return NewEpisode(kind="fact_triple", content=msgspec.json.encode(triple).decode())


async def test_what_a_caller_wrote_down_is_learned_without_any_reader(
    store: Store, access: Access, jane: users.User
) -> None:
    """Extraction may be off: nobody has to read what is knowledge already."""
    await say(store, access, "acme")
    await store.write(intake.add_direct, access, jane.graph_id, [written()])
    while (held := await store.write(queue.claim, "me")) is not None:
        await pipeline.process(store, held, held.jobs)
        await store.write(queue.release, held)
    (fact,) = await store.read(facts, jane.graph_id)
    assert (fact.fact, len(fact.episodes)) == ("Jane Smith likes tea", 1)


async def test_a_uuid_that_another_graph_took_first_is_not_taken_again(
    store: Store, access: Access, jane: users.User
) -> None:
    """Two callers may ask for one uuid at the same time; both facts are written."""
    other = await new_user(store, access, "other")
    wanted = "01900000-0000-7000-8000-00000000abcd"
    await store.write(intake.add_direct, access, other.graph_id, [written(wanted)])
    await store.write(intake.add_direct, access, jane.graph_id, [written(wanted)])
    while (held := await store.write(queue.claim, "me")) is not None:
        await pipeline.process(store, held, held.jobs)
        await store.write(queue.release, held)
    first = await store.read(facts, other.graph_id)
    second = await store.read(facts, jane.graph_id)
    assert len(first) == len(second) == 1
    assert first[0].uuid != second[0].uuid
