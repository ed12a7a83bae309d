"""Deleting and forgetting: what goes, what stays, what opens again, and what texts still say."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest

from recollect.errors import InvalidInput, NotFound
from recollect.governance import keys, receipts, soundness
from recollect.graph.found import FoundEntity, FoundFact, Nodes, Triple
from recollect.graph.types import Access, NewEpisode
from recollect.ingest import intake
from recollect.records import cloning, erasing, graphs, knowledge, threads, users
from recollect.records.graphs import GraphDetails
from recollect.records.knowledge import EntityChange, FactChange
from recollect.records.users import UserDetails
from recollect.store.protocol import Store
from tests.contract.store.world import new_project
from tests.property.reader import LearnedReader
from tests.support import here
from tests.support.asgi import program
from tests.support.stores import behind, copy_store, of_the_file, open_store, raw

BEGIN = datetime(2024, 1, 1, tzinfo=UTC)
ANN, BONN, ROME, OSLO = "alpha", "Bonn", "Rome", "Oslo"


class Told:
    """A graph that is told one thing after the other, a day apart."""

    def __init__(self, store: Store, access: Access, clock: list[datetime]) -> None:
        self.store = store
        self.access = access
        self.clock = clock

    async def triple(
        self, source: str, relation: str, target: str, *, end: int | None = None, **more: Any
    ) -> int:
        """A fact, as its source LIVES_IN Bonn; answers the row id of its episode."""
        self.clock[0] += timedelta(days=1)
        now = self.clock[0]
        fact = FoundFact(
            source=0,
            target=1,
            name=relation,
            predicate=relation,
            fact=f"{source} {relation.lower().replace('_', ' ')} {target}",
            valid_at=now,
            invalid_at=None if end is None else now + timedelta(days=end),
        )
        given = FoundEntity(name=source, **more)
        content = Triple(source=given, target=FoundEntity(name=target), fact=fact)
        return await self._direct("fact_triple", content)

    async def node(self, name: str, **more: Any) -> int:
        """A node, with what is given of it."""
        self.clock[0] += timedelta(days=1)
        return await self._direct("nodes", Nodes(nodes=(FoundEntity(name=name, **more),)))

    async def _direct(self, kind: Any, content: Any) -> int:
        new = NewEpisode(kind=kind, content=msgspec.json.encode(content).decode())
        return await self._add(new)

    async def text(self, content: str) -> int:
        """Words for the scripted reader."""
        self.clock[0] += timedelta(days=1)
        return await self._add(NewEpisode(kind="text", content=content))

    async def _add(self, new: NewEpisode) -> int:
        made = await self.store.write(intake.add_episodes, self.access, None, "g", [new])
        await here.learn(self.store, LearnedReader())
        (row,) = await self.rows("SELECT id FROM episodes WHERE uuid = ?", made.uuids[0])
        number: int = row[0]
        return number

    async def erase(self, *ids: int, mode: Any = "delete") -> Any:
        """Erase episodes."""
        done = await self.store.write(erasing.episodes.erasure.forget_episodes, ids, mode)
        assert await self.store.read(soundness.check) == []
        return done

    async def rows(self, sql: str, *values: Any) -> list[Any]:
        """Rows of the file."""

        def ask(tx: Any) -> list[Any]:
            return [tuple(row) for row in raw(tx).execute(sql, values)]

        return await self.store.read(ask)

    async def ends(self) -> dict[str, int | None]:
        """Facts, and after how many days they end."""
        found = await self.rows("SELECT fact, invalid_at FROM facts ORDER BY id")
        begin = int(BEGIN.timestamp() * 1_000_000)
        day = 86_400_000_000
        return {fact: None if end is None else (end - begin) // day for fact, end in found}

    async def summary(self, name: str) -> str:
        """What is said of an entity."""
        ((text,),) = await self.rows("SELECT summary FROM entities WHERE name = ?", name)
        return str(text)


@pytest.fixture
async def told(tmp_path: Path) -> AsyncIterator[Told]:
    clock = [BEGIN]
    store = open_store(tmp_path, readers=1, clock=lambda: clock[0])
    access = await new_project(store, "first")
    await store.write(graphs.create, access, "g", GraphDetails())
    yield Told(store, access, clock)
    await store.close()


async def test_deleting_the_invalidating_episode_leaves_the_fact_invalid(told: Told) -> None:
    """D4, trap 4."""
    await told.triple(ANN, "LIVES_IN", BONN)
    moved = await told.triple(ANN, "LIVES_IN", ROME)
    await told.erase(moved)
    assert await told.ends() == {"alpha lives in Bonn": 2}


async def test_forgetting_the_invalidating_episode_opens_the_fact_again(told: Told) -> None:
    """It holds as if nobody had said otherwise, and is told of again."""
    await told.triple(ANN, "LIVES_IN", BONN)
    moved = await told.triple(ANN, "LIVES_IN", ROME)
    assert await told.summary(ANN) == "alpha lives in Rome."
    removed = await told.erase(moved, mode="forget")
    assert removed.facts_reopened == 1
    assert await told.ends() == {"alpha lives in Bonn": None}
    assert await told.summary(ANN) == "alpha lives in Bonn."
    assert await told.rows("SELECT expired_at FROM facts") == [(None,)]


async def test_a_deleted_end_stays_when_another_one_is_forgotten_later(told: Told) -> None:
    """Deleting made it final."""
    await told.triple(ANN, "LIVES_IN", BONN)
    first = await told.triple(ANN, "LIVES_IN", ROME)
    await told.erase(first)
    second = await told.triple(ANN, "LIVES_IN", OSLO)
    await told.erase(second, mode="forget")
    assert await told.ends() == {"alpha lives in Bonn": 2}


async def test_the_end_that_a_fact_states_itself_stays(told: Told) -> None:
    """What was cut short ends where it said it would."""
    await told.triple(ANN, "LIVES_IN", BONN, end=100)
    moved = await told.triple(ANN, "LIVES_IN", ROME)
    assert (await told.ends())["alpha lives in Bonn"] == 2
    await told.erase(moved, mode="forget")
    assert await told.ends() == {"alpha lives in Bonn": 101}


async def test_of_three_that_follow_each_other_the_last_ends_the_first(told: Told) -> None:
    """Without the one in the middle, nothing contradicts what is left."""
    await told.triple(ANN, "LIVES_IN", BONN)
    middle = await told.triple(ANN, "LIVES_IN", ROME)
    also = await told.triple(ANN, "LIVES_IN", "Turin")
    last = await told.triple(ANN, "LIVES_IN", OSLO)
    await told.erase(middle, also, mode="forget")
    assert await told.ends() == {"alpha lives in Bonn": 4, "alpha lives in Oslo": None}
    await told.erase(last, mode="forget")
    assert await told.ends() == {"alpha lives in Bonn": None}


async def test_a_fact_stays_ended_while_what_ended_it_is_said_elsewhere(told: Told) -> None:
    """The episode that ended it goes; another one restates the fact that holds instead."""
    await told.triple(ANN, "LIVES_IN", BONN)
    moved = await told.triple(ANN, "LIVES_IN", ROME)
    await told.triple(ANN, "LIVES_IN", ROME)
    await told.erase(moved, mode="forget")
    assert await told.ends() == {"alpha lives in Bonn": 2, "alpha lives in Rome": None}


async def test_an_older_fact_that_was_born_ended_opens_without_the_later_one(told: Told) -> None:
    """T6 backwards."""
    later = await told.triple(ANN, "LIVES_IN", ROME)
    told.clock[0] -= timedelta(days=20)
    await told.triple(ANN, "LIVES_IN", BONN)
    assert (await told.ends())["alpha lives in Bonn"] is not None
    told.clock[0] += timedelta(days=40)
    await told.erase(later, mode="forget")
    assert await told.ends() == {"alpha lives in Bonn": None}


async def test_an_end_set_by_hand_is_not_taken_back(told: Told) -> None:
    """Neither by forgetting what had ended it before."""
    await told.triple(ANN, "LIVES_IN", BONN)
    moved = await told.triple(ANN, "LIVES_IN", ROME)
    ((uuid,),) = await told.rows("SELECT uuid FROM facts WHERE fact LIKE '%Bonn'")
    by_hand = FactChange(invalid_at=BEGIN + timedelta(days=9))
    await told.store.write(knowledge.update_fact, told.access, uuid, by_hand)
    await told.erase(moved, mode="forget")
    assert await told.ends() == {"alpha lives in Bonn": 9}


async def test_a_copy_of_a_graph_forgets_like_the_original(told: Told) -> None:
    """What ended a fact is copied with it."""
    await told.triple(ANN, "LIVES_IN", BONN)
    await told.triple(ANN, "LIVES_IN", ROME)
    ends = cloning.ClonedEnds(source_graph="g", target_graph="h")
    await told.store.write(cloning.clone, told.access, ends)
    await told.store.write(erasing.graph, told.access, "g")
    ((moved,),) = await told.rows("SELECT max(id) FROM episodes")
    await told.erase(moved, mode="forget")
    assert await told.ends() == {"alpha lives in Bonn": None}


@pytest.mark.parametrize("mode", ["delete", "forget"])
async def test_summaries_say_nothing_of_facts_that_are_gone(told: Told, mode: str) -> None:
    """What is left is told in the order it had; the index follows."""
    await told.triple(ANN, "LIKES", "tea")
    secret = await told.triple(ANN, "LIKES", "gambling")
    await told.triple(ANN, "LIKES", "chess")
    await told.erase(secret, mode=mode)
    assert await told.summary(ANN) == "alpha likes tea. alpha likes chess."
    assert "gambling" not in str(await told.rows("SELECT name, summary, names FROM entities"))


async def test_deleting_a_fact_or_a_node_takes_it_out_of_summaries(told: Told) -> None:
    """Also what was written down as knowledge goes, once nothing rests on it."""
    await told.triple(ANN, "LIKES", "tea")
    await told.triple(ANN, "LIKES", "chess")
    ((fact,),) = await told.rows("SELECT uuid FROM facts WHERE fact LIKE '%tea'")
    await told.store.write(knowledge.delete_fact, told.access, fact)
    assert await told.summary(ANN) == "alpha likes chess."
    for name in ("chess", ANN, "tea"):
        ((node,),) = await told.rows("SELECT uuid FROM entities WHERE name = ?", name)
        await told.store.write(knowledge.delete_entity, told.access, node)
    assert await told.rows("SELECT content FROM episodes") == []
    assert await told.store.read(soundness.check) == []


async def test_a_deleted_fact_takes_its_words_out_of_the_episode_that_wrote_it(
    told: Told, tmp_path: Path
) -> None:
    """Its nodes stay as they are, what it ended stays ended, and no file has its words."""
    nodes = "SELECT uuid, name FROM entities ORDER BY uuid"
    await told.triple(ANN, "LIVES_IN", BONN)
    await told.triple(ANN, "LIVES_IN", ROME)
    before = await told.rows(nodes)
    ((uuid, graph_id),) = await told.rows(
        "SELECT uuid, graph_id FROM facts WHERE fact LIKE '%Rome'"
    )
    await told.store.write(knowledge.delete_fact, told.access, uuid)
    assert await told.store.scrub()
    assert "lives in Rome" not in _said(tmp_path)
    for _ in ("at once", "folded again"):
        assert await told.rows(nodes) == before
        assert await told.ends() == {"alpha lives in Bonn": 2}
        assert await told.store.read(soundness.check) == []
        await here.fold(told.store, graph_id)


async def test_a_deleted_node_takes_the_words_of_its_facts(told: Told, tmp_path: Path) -> None:
    """The other end stays under its uuid, and its episode says no more than that."""
    await told.triple(ANN, "LIVES_IN", BONN)
    ((uuid, graph_id),) = await told.rows("SELECT uuid, graph_id FROM entities WHERE name = ?", ANN)
    (bonn,) = await told.rows("SELECT uuid FROM entities WHERE name = ?", BONN)
    await told.store.write(knowledge.delete_entity, told.access, uuid)
    assert await told.store.scrub()
    assert ANN not in _said(tmp_path)
    for _ in ("at once", "folded again"):
        assert await told.rows("SELECT uuid FROM entities") == [bonn]
        await here.fold(told.store, graph_id)


async def test_what_a_caller_wrote_of_a_node_stays(told: Told) -> None:
    """By hand, or with a node whose episode is still there; what went with its episode does not."""
    await told.node(ANN, summary="A painter from the north.")
    secret = await told.triple(ANN, "LIKES", "gambling")
    await told.erase(secret)
    assert await told.summary(ANN) == "A painter from the north."
    ((uuid,),) = await told.rows("SELECT uuid FROM entities WHERE name = ?", ANN)
    change = EntityChange(summary="She paints. She teaches.")
    await told.store.write(knowledge.update_entity, told.access, uuid, change)
    other = await told.triple(ANN, "LIKES", "poker")
    assert await told.summary(ANN) == "She paints. She teaches. alpha likes poker."
    await told.erase(other)
    assert await told.summary(ANN) == "She paints. She teaches."


async def test_a_summary_that_came_with_an_episode_goes_with_it(told: Told) -> None:
    """A node that others mention stays, without it."""
    await told.triple(ANN, "LIKES", "tea")
    given = await told.node(ANN, summary="A painter from the north.")
    assert await told.summary(ANN) == "A painter from the north."
    await told.erase(given)
    assert await told.summary(ANN) == "alpha likes tea."


async def test_a_corrected_sentence_does_not_live_on_in_summaries(told: Told) -> None:
    """Nor does the corrected one, when its fact goes."""
    episode = await told.triple(ANN, "LIKES", "gambling")
    await told.triple(ANN, "LIKES", "tea")
    ((uuid,),) = await told.rows("SELECT uuid FROM facts WHERE fact LIKE '%gambling'")
    await told.store.write(
        knowledge.update_fact, told.access, uuid, FactChange(fact="alpha likes bets")
    )
    assert await told.summary(ANN) == "alpha likes bets. alpha likes tea."
    await told.erase(episode)
    assert await told.summary(ANN) == "alpha likes tea."


async def test_forgetting_drops_names_and_attributes_that_nobody_else_used(told: Told) -> None:
    """Deleting leaves them; the name that is left becomes the one it is called by."""
    await told.node("Bob", attributes={"age": 40})
    ((uuid,),) = await told.rows("SELECT uuid FROM entities")
    for mode in ("delete", "forget"):
        more = {"aliases": ("Bobby Secret",), "attributes": {"card": "4111"}, "uuid": uuid}
        heard = await told.node("Bob", **more)
        await told.erase(heard, mode=mode)
        ((name, names, attributes),) = await told.rows(
            "SELECT name, names, attributes FROM entities"
        )
        kept = mode == "delete"
        assert name == "Bob"
        assert ("Bobby Secret" in names) is kept
        assert ("card" in attributes) is kept
        assert '"age":40' in attributes
        keys = await told.rows("SELECT key FROM entity_names WHERE key LIKE '%secret%'")
        assert bool(keys) is kept


async def test_a_thread_of_many_messages_goes_in_few_statements(
    told: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many there are."""
    store, access = told.store, told.access
    await store.write(users.create, access, "u", UserDetails())
    counts = {}
    for size in (20, 200):
        thread = f"t{size}"
        await store.write(threads.create, access, thread, "u")
        said = [NewEpisode(kind="message", content="nothing at all", role="user")] * size
        await store.write(intake.add_messages, access, thread, said)
        await here.learn(store, LearnedReader())

        def count(tx: Any, thread: str = thread, size: int = size) -> None:
            execute, done = tx._statements._execute, []
            tx._statements._execute = lambda *args: (done.append(args[0]), execute(*args))[1]
            erasing.thread(tx, access, thread, "forget")
            counts[size] = len(done)

        await store.write(count)
    assert counts[20] == counts[200] < 70


async def test_a_user_goes_whole_and_leaves_a_receipt_without_a_word_of_theirs(told: Told) -> None:
    """Counts, reasons and the server's own id."""
    store, access = told.store, told.access
    details = UserDetails(first_name="Jane", email="jane@example.com")
    user = await store.write(users.create, access, "jane", details)
    await store.write(threads.create, access, "t", "jane")
    erased = await store.write(erasing.user, access, "jane", "forget")
    with pytest.raises(NotFound):
        await store.read(users.get, access, "jane")
    receipt = erased.receipt
    assert (receipt.kind, receipt.subject, receipt.mode) == ("user", user.uuid, "forget")
    assert receipt.removed == {
        "users": 1,
        "entities": 1,
        "facts": 3,
        "index_rows": 4,
        "threads": 1,
    }
    assert not receipt.scrubbed
    await store.write(receipts.mark_scrubbed, receipt.uuid)
    (listed,) = await store.read(receipts.page, access, limit=5, before=None)
    assert listed.scrubbed
    assert "jane" not in str(await told.rows("SELECT * FROM erasures")).lower()
    stranger = await new_project(store, "second")
    with pytest.raises(NotFound):
        await store.read(receipts.get, stranger, receipt.uuid)


@of_the_file
async def test_a_server_wipes_what_one_before_it_erased_and_did_not_wipe(tmp_path: Path) -> None:
    """One that died in between, or that someone's long read kept from it."""
    left = tmp_path / "left"
    async with program(tmp_path / "died") as died:
        store = died.services.store
        project = await store.read(keys.project_named, keys.DEFAULT_PROJECT)
        access = Access(project_id=project.id, project_uuid=project.uuid, key_uuid="")
        for name in ("ZQXQjane", "ZQXQjoe"):
            await store.write(users.create, access, name, UserDetails(first_name=name))
            await store.write(erasing.user, access, name)
        copy_store(died.folder, left)
    assert b"ZQXQ" in _bytes(left)
    async with program(left) as restarted:
        store = restarted.services.store
        restarted.services.finish_erasures()
        await asyncio.gather(*restarted.services._tasks)
        assert b"ZQXQ" not in _bytes(left)
        listed = await store.read(receipts.page, access, limit=5, before=None)
        assert [receipt.scrubbed for receipt in listed] == [True, True]


def _said(folder: Path) -> str:
    """Every word that the store has: in its rows, and in the bytes of its file."""
    with behind(folder) as connection:
        rows = repr(connection.everything())
    return rows + _bytes(folder).decode(errors="replace")


def _bytes(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(folder.iterdir()) if path.is_file())


async def test_the_users_own_node_is_not_deleted(told: Told) -> None:
    """Only with the user."""
    await told.store.write(users.create, told.access, "jane", UserDetails())
    node = await told.store.read(users.node, told.access, "jane")
    with pytest.raises(InvalidInput):
        await told.store.write(knowledge.delete_entity, told.access, node.uuid)


@pytest.mark.parametrize(
    ("harm", "named"),
    [
        ("DELETE FROM supports", "facts without an episode"),
        ("DELETE FROM index_rows WHERE item_kind = 'fact'", "no search can find"),
        ("DELETE FROM facts; DELETE FROM mentions", "entities without an episode or a fact"),
        ("UPDATE entities SET summary = 'She has a secret.'", "tell of what is gone"),
        ("UPDATE entity_names SET graph_id = 99", "names of nothing"),
        ("DELETE FROM jobs; UPDATE episodes SET processed_at = NULL", "without a job"),
        (
            "INSERT INTO index_snapshots SELECT 1, 0, 9999, terms FROM index_rows LIMIT 1",
            "snapshots",
        ),
    ],
)
async def test_a_check_names_what_is_wrong(told: Told, harm: str, named: str) -> None:
    """Harm that foreign keys would have prevented is found nevertheless."""
    await told.triple(ANN, "LIKES", "tea")
    assert await told.store.read(soundness.check) == []

    def do(tx: Any) -> None:
        raw(tx).let_go_of_keys()
        for statement in harm.split("; "):
            raw(tx).execute(statement)
        assert any(named in trouble.what for trouble in soundness.check(tx))
        raise ZeroDivisionError  # undo it

    with pytest.raises(ZeroDivisionError):
        await told.store.write(do)
