"""A batch is ingested whole or not at all, and its state is what became of its episodes."""

import re
import sqlite3
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Concatenate, ParamSpec, TypeVar

import pytest

from recollect.errors import Conflict, InvalidInput, NotFound
from recollect.governance import keys
from recollect.graph.types import Access, Job, NewEpisode
from recollect.ingest import batches, pipeline, queue
from recollect.ingest.batches import Batch, BatchItem, NewItem
from recollect.ingest.queue import Claim
from recollect.ingest.worker import Worker
from recollect.limits import BATCH_ITEMS_MAX, BATCH_ITEMS_PER_CALL_MAX, BATCH_ITEMS_PER_READ
from recollect.records import episodes, graphs, threads, users
from recollect.records.graphs import GraphDetails
from recollect.records.users import UserDetails
from recollect.store.protocol import Store, Transaction
from recollect.store.sqlite.connection import FILE_NAME, SqliteTransaction, connect, statements
from tests.support.stores import behind, of_the_file, open_store

P = ParamSpec("P")
T = TypeVar("T")


class World:
    """A store with a project: user `ann` with thread `talk`, graphs `tea` and `coffee`."""

    def __init__(self, store: Store, access: Access, path: Path) -> None:
        self.store = store
        self.access = access
        self.path = path

    async def do(
        self,
        unit: Callable[Concatenate[Transaction, Access, P], T],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        """Run a unit of work of this project."""
        return await self.store.write(unit, self.access, *args, **kwargs)

    async def batch(self, new: Sequence[NewItem], **options: object) -> str:
        """A draft with these items."""
        uuid = (await self.do(batches.create, **options)).uuid  # type: ignore[arg-type]
        if new:
            await self.do(batches.add, uuid, new)
        return uuid

    async def started(self, new: Sequence[NewItem], **options: object) -> str:
        """A processed batch of these items."""
        uuid = await self.batch(new, **options)
        await self.do(batches.process, uuid)
        return uuid

    async def get(self, uuid: str) -> Batch:
        """A batch as it stands."""
        return await self.do(batches.get, uuid)

    async def items(self, uuid: str) -> list[BatchItem]:
        """The items of a batch as they stand."""
        page = await self.do(batches.items, uuid, status=None, limit=1000, cursor=None)
        return page.items

    async def statuses(self, uuid: str) -> list[str]:
        """Where each item stands."""
        return [item.status for item in await self.items(uuid)]

    def left(self) -> list[tuple[str | None, ...]]:
        """The name and the words that the store keeps of each item, whoever it belongs to."""
        with behind(self.path.parent) as connection:
            found = connection.execute(
                "SELECT coalesce(thread_id, user_id, graph_id), json_extract(content, '$.content')"
                " FROM batch_items ORDER BY id"
            )
            return [tuple(row) for row in found]

    async def contents(self, graph_id: str) -> list[str]:
        """What a standalone graph holds, in order."""

        def read(tx: Transaction, access: Access) -> list[str]:
            found = episodes.last(tx, access, graphs.get(tx, access, graph_id), 10_000)
            return [episode.content for episode in reversed(found)]

        return await self.do(read)

    async def work(self, *, failing: str = "") -> None:
        """Run every job; those whose episode is *failing* fail."""

        async def process(store: Store, held: Claim, jobs: Sequence[Job]) -> None:
            if any(job.episode.content == failing for job in jobs):
                raise ValueError("spilled")
            await pipeline.process(store, held, jobs)

        worker = Worker(
            self.store, owner="test", attempts_max=1, backoff_first_s=1.0, process=process
        )
        while await worker.step():
            pass


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    """One project with a few targets."""
    store = open_store(tmp_path)
    await store.write(keys.create_project, "home")
    key = await store.write(keys.create_key, "home", "key")
    access = await store.read(keys.authenticate, keys.hashed(key.secret))
    assert access is not None
    made = World(store, access, tmp_path / FILE_NAME)
    await made.do(users.create, "ann", UserDetails())
    await made.do(threads.create, "talk", "ann")
    await made.do(threads.create, "walk", "ann")
    for graph_id in ("tea", "coffee"):
        await made.do(graphs.create, graph_id, GraphDetails())
    yield made
    await store.close()


def note(graph_id: str, text: str) -> NewItem:
    """Data for a standalone graph."""
    return NewItem(graph_id=graph_id, episode=NewEpisode(kind="text", content=text))


def about(user_id: str, text: str) -> NewItem:
    """Data for a user's graph."""
    return NewItem(user_id=user_id, episode=NewEpisode(kind="text", content=text))


def message(thread_id: str, text: str, role: str = "user") -> NewItem:
    """A message of a thread."""
    return NewItem(
        thread_id=thread_id,
        episode=NewEpisode(kind="message", content=text, role=role),
    )


async def test_items_are_numbered_through_all_calls(world: World) -> None:
    """Items of a later call stand behind those of the earlier ones."""
    uuid = await world.batch([note("tea", "a"), note("tea", "b")])
    (third,) = await world.do(batches.add, uuid, [message("talk", "c")])
    assert third.sequence_index == 2
    assert third.status == "pending"
    found = await world.items(uuid)
    assert [item.sequence_index for item in found] == [0, 1, 2]
    assert found[2] == third
    assert (await world.get(uuid)).item_count == 3


async def test_nothing_of_a_draft_is_ingested(world: World) -> None:
    """A draft is only a plan."""
    uuid = await world.batch([note("tea", "a")])
    assert (await world.get(uuid)).status == "draft"
    assert (await world.get(uuid)).progress.percent == 0
    assert await world.contents("tea") == []


async def test_an_item_becomes_the_episode_of_its_uuid(world: World) -> None:
    """The uuid promised when the item was added is the episode's, and so is its task."""
    uuid = await world.started([note("tea", "a")])
    (item,) = await world.items(uuid)
    found = await world.do(episodes.get, item.uuid)
    assert found.content == "a"
    assert found.task_uuid == uuid
    assert item.graph_id == "tea"
    assert item.graph_uuid is not None


async def test_items_of_a_graph_keep_their_order_across_graphs_and_threads(world: World) -> None:
    """Interleaved targets change nothing about the order within each of them."""
    new = []
    for number in range(BATCH_ITEMS_PER_READ // 4 + 3):
        new += [
            note("tea", f"t{number}"),
            message("talk", f"m{number}"),
            note("coffee", f"c{number}"),
            message("walk", f"w{number}"),
        ]
    uuid = await world.batch(new[:300])
    await world.do(batches.add, uuid, new[300:])
    await world.do(batches.process, uuid)
    for graph_id in ("tea", "coffee"):
        wanted = [item.episode.content for item in new if item.graph_id == graph_id]
        assert await world.contents(graph_id) == wanted

    def of_ann(tx: Transaction, access: Access) -> list[str]:
        found = episodes.last(tx, access, graphs.of_user(tx, access, "ann"), 10_000)
        return [episode.content for episode in reversed(found)]

    assert await world.do(of_ann) == [item.episode.content for item in new if item.thread_id]
    await world.work()
    assert (await world.get(uuid)).status == "succeeded"


async def test_an_unknown_target_makes_the_whole_batch_invalid(world: World) -> None:
    """The wrong items say what is missing, and nothing of the right ones is stored."""
    lost_user = NewItem(user_id="bob", episode=NewEpisode(kind="text", content="x"))
    uuid = await world.batch(
        [note("tea", "fine"), note("milk", "x"), message("chat", "x"), lost_user]
    )
    done = await world.do(batches.process, uuid)
    assert done.status == "invalid"
    assert done.progress.failed == 3
    found = await world.items(uuid)
    assert [item.status for item in found] == ["pending", "failed", "failed", "failed"]
    said = [item.error.message for item in found if item.error]
    assert said == [
        "graph_id: graph not found: milk",
        "thread_id: thread not found: chat",
        "user_id: user not found: bob",
    ]
    assert await world.contents("tea") == []
    assert (await world.store.read(queue.state)).pending == 0


async def test_a_user_is_no_standalone_graph(world: World) -> None:
    """A name is looked up among its own kind only."""
    uuid = await world.batch([note("ann", "x")])
    assert (await world.do(batches.process, uuid)).status == "invalid"


async def test_a_batch_is_processed_once(world: World) -> None:
    """Neither a batch that ran nor one that was refused runs again."""
    for target, status in (("tea", "queued"), ("milk", "invalid")):
        uuid = await world.started([note(target, "a")])
        with pytest.raises(Conflict, match=status):
            await world.do(batches.process, uuid)
        with pytest.raises(Conflict, match=status):
            await world.do(batches.add, uuid, [note("tea", "b")])
    assert await world.contents("tea") == ["a"]


async def test_an_empty_batch_cannot_be_processed(world: World) -> None:
    """There would be nothing to wait for."""
    uuid = await world.batch([])
    with pytest.raises(InvalidInput, match="items"):
        await world.do(batches.process, uuid)
    assert (await world.get(uuid)).status == "draft"


async def test_ignored_roles_become_history_only(world: World) -> None:
    """They are skipped and stored, and no job is owed to them."""
    uuid = await world.started(
        [message("talk", "hi"), message("talk", "hello", "assistant")],
        ignore_roles=["assistant"],
    )
    assert await world.statuses(uuid) == ["queued", "skipped"]
    assert (await world.store.read(queue.state)).pending == 1
    await world.work()
    done = await world.get(uuid)
    assert done.status == "succeeded"
    assert (done.progress.succeeded, done.progress.skipped) == (1, 1)
    assert done.progress.percent == 100

    def history(tx: Transaction, access: Access) -> list[str]:
        thread = threads.get(tx, access, "talk")
        return [one.content for one in episodes.messages(tx, access, thread, limit=10, offset=0)]

    assert await world.do(history) == ["hi", "hello"]


async def test_a_batch_of_skipped_items_has_succeeded(world: World) -> None:
    """Nothing is owed, so there is nothing to wait for."""
    uuid = await world.started([message("talk", "a", "tool")], ignore_roles=["tool"])
    done = await world.get(uuid)
    assert done.status == "succeeded"
    assert done.completed_at is not None


async def test_the_state_follows_the_jobs(world: World) -> None:
    """Queued, then processing while a worker holds some, then succeeded."""
    uuid = await world.started([note("tea", "a"), note("coffee", "b")])
    assert (await world.get(uuid)).status == "queued"
    assert await world.statuses(uuid) == ["queued", "queued"]
    held = await world.store.write(queue.claim, "test")
    assert held is not None
    found = await world.get(uuid)
    assert found.status == "processing"
    assert (found.progress.queued, found.progress.processing) == (1, 1)
    assert sorted(await world.statuses(uuid)) == ["processing", "queued"]
    await pipeline.process(world.store, held, held.jobs)
    await world.store.write(queue.release, held)
    found = await world.get(uuid)
    assert found.status == "processing"
    assert found.progress.percent == 50
    assert found.completed_at is None
    await world.work()
    found = await world.get(uuid)
    assert found.status == "succeeded"
    assert found.completed_at is not None
    assert found.processed_at is not None
    assert found.completed_at >= found.processed_at


async def test_a_parked_job_makes_its_item_fail_until_it_is_retried(world: World) -> None:
    """Partial beside successes, failed alone; a retry that works makes it succeed."""
    mixed = await world.started([note("tea", "good"), note("tea", "bad")])
    alone = await world.started([note("coffee", "bad")])
    await world.work(failing="bad")
    assert (await world.get(mixed)).status == "partial"
    assert (await world.get(alone)).status == "failed"
    assert await world.statuses(mixed) == ["succeeded", "failed"]
    (failed,) = await world.items(alone)
    assert failed.error is not None
    assert failed.error.code == "job_parked"
    assert failed.error.message.startswith("ValueError")
    for job in await world.do(queue.parked, 10):
        await world.do(queue.retry, job.episode_uuid)
    await world.work()
    assert (await world.get(mixed)).status == "succeeded"
    assert (await world.items(alone))[0].error is None


async def test_items_whose_target_vanished_are_canceled(world: World) -> None:
    """One deleted graph leaves the batch partial; without any target it is canceled."""
    uuid = await world.started([note("tea", "a"), note("coffee", "b")])
    await world.do(graphs.delete, "coffee")
    assert await world.statuses(uuid) == ["queued", "canceled"]
    await world.work()
    found = await world.get(uuid)
    assert found.status == "partial"
    assert found.progress.canceled == 1
    assert found.progress.percent == 100
    await world.do(graphs.delete, "tea")
    assert (await world.get(uuid)).status == "canceled"


async def test_an_item_whose_episode_was_forgotten_is_canceled(world: World) -> None:
    """Deleting the one episode is enough."""
    uuid = await world.started([note("tea", "a")])
    (item,) = await world.items(uuid)
    await world.do(episodes.delete, item.uuid)
    assert await world.statuses(uuid) == ["canceled"]
    assert (await world.get(uuid)).status == "canceled"


async def test_what_is_forgotten_does_not_live_on_in_a_batch(world: World) -> None:
    """Once a user is deleted, neither the words nor the name are left in the batch's rows."""
    uuid = await world.started([message("talk", "my secret")])
    await world.do(users.delete, "ann")
    (item,) = await world.items(uuid)
    assert (item.user_id, item.thread_id, item.graph_uuid) == (None, None, None)
    assert world.left() == [(None, None)]


DELETIONS: dict[str, tuple[Callable[..., None], str, list[NewItem]]] = {
    "user": (users.delete, "ann", [about("ann", "secret"), message("talk", "secret")]),
    "thread": (threads.delete, "talk", [message("talk", "secret")]),
    "thread, keeping its graph": (
        threads.delete_keeping_graph,
        "talk",
        [message("talk", "secret")],
    ),
    "graph": (graphs.delete, "tea", [note("tea", "secret")]),
}


@pytest.mark.parametrize("deletion", DELETIONS)
async def test_what_is_forgotten_does_not_live_on_in_a_draft(world: World, deletion: str) -> None:
    """The items that name it lose name and words; items of others and elsewhere keep theirs."""
    delete, name, naming = DELETIONS[deletion]
    other = await neighbour(world)
    await other.batch(naming)
    await world.do(users.create, "talk", UserDetails())
    spared = [note("coffee", "mine"), about("talk", "mine")]
    uuid = await world.batch([*naming, *spared])
    await world.do(delete, name)
    theirs, ours = world.left()[: len(naming)], world.left()[len(naming) :]
    assert [words for _, words in theirs] == ["secret"] * len(naming)
    assert ours == [(None, None)] * len(naming) + [("coffee", "mine"), ("talk", "mine")]
    items = await world.items(uuid)
    assert [item.status for item in items] == ["pending"] * len(items)


@pytest.mark.parametrize("deletion", DELETIONS)
async def test_an_item_whose_target_was_deleted_is_lost_for_good(
    world: World, deletion: str
) -> None:
    """Something new of the same name does not get what was said to the old one."""
    delete, name, naming = DELETIONS[deletion]
    uuid = await world.batch([*naming, note("coffee", "mine")])
    await world.do(delete, name)
    if name == "ann":
        await world.do(users.create, "ann", UserDetails())
    if name != "tea":
        await world.do(threads.create, "talk", "ann")
    else:
        await world.do(graphs.create, "tea", GraphDetails())
    done = await world.do(batches.process, uuid)
    assert (done.status, done.progress.failed) == ("invalid", len(naming))
    found = await world.items(uuid)
    assert [item.status for item in found] == ["failed"] * len(naming) + ["pending"]
    for item in found[: len(naming)]:
        assert item.error is not None
        assert (item.error.code, "deleted" in item.error.message) == ("target_not_found", True)


async def test_an_invalid_batch_keeps_no_words(world: World) -> None:
    """It can never run, so neither the refused items nor the others need what they said."""
    await world.started([note("milk", "secret"), note("tea", "secret")])
    assert world.left() == [("milk", None), ("tea", None)]
    await world.do(graphs.delete, "tea")
    assert world.left() == [("milk", None), (None, None)]


async def test_only_a_batch_that_did_not_run_can_be_deleted(world: World) -> None:
    """Draft and invalid ones go with their items; a processed one stays."""
    draft = await world.batch([note("tea", "a")])
    invalid = await world.started([note("milk", "a")])
    ran = await world.started([note("tea", "a")])
    for uuid in (draft, invalid):
        await world.do(batches.delete, uuid)
        with pytest.raises(NotFound, match=uuid):
            await world.get(uuid)
    with pytest.raises(Conflict, match="processed"):
        await world.do(batches.delete, ran)
    assert await world.contents("tea") == ["a"]


async def test_batches_are_paged_newest_first_by_status(world: World) -> None:
    """A walk meets each batch of the status once, also when one is deleted on the way."""
    drafts = [await world.batch([note("tea", "a")]) for _ in range(5)]
    ran = await world.started([note("tea", "a")])
    first = await world.do(batches.page, status="draft", limit=2, cursor=None)
    assert [batch.uuid for batch in first.batches] == [drafts[4], drafts[3]]
    await world.do(batches.delete, drafts[3])
    second = await world.do(batches.page, status="draft", limit=2, cursor=first.next_cursor)
    assert [batch.uuid for batch in second.batches] == [drafts[2], drafts[1]]
    last = await world.do(batches.page, status="draft", limit=2, cursor=second.next_cursor)
    assert [batch.uuid for batch in last.batches] == [drafts[0]]
    assert last.next_cursor is None
    for status, wanted in (("queued", [ran]), ("succeeded", []), ("canceled", [])):
        page = await world.do(batches.page, status=status, limit=9, cursor=None)  # type: ignore[arg-type]
        assert [batch.uuid for batch in page.batches] == wanted


async def test_items_are_paged_by_status(world: World) -> None:
    """The cursor names the first item of the next page, whatever was left out before."""
    new = [message("talk", f"{n}", "tool" if n % 2 else "user") for n in range(6)]
    uuid = await world.started(new, ignore_roles=["tool"])
    first = await world.do(batches.items, uuid, status="skipped", limit=2, cursor=0)
    assert [item.sequence_index for item in first.items] == [1, 3]
    last = await world.do(batches.items, uuid, status="skipped", limit=2, cursor=first.next_cursor)
    assert [item.sequence_index for item in last.items] == [5]
    assert last.next_cursor is None


async def test_a_batch_takes_only_so_many_items(world: World) -> None:
    """The bound holds for the batch as a whole, and a refused call adds nothing."""
    uuid = await world.batch([note("tea", "a")])

    def almost_full(tx: Transaction, access: Access) -> None:
        tx.batches.grow(id=1, count=BATCH_ITEMS_MAX - 2, now=0)

    await world.do(almost_full)
    with pytest.raises(InvalidInput, match=f"at most {BATCH_ITEMS_MAX}"):
        await world.do(batches.add, uuid, [note("tea", "b"), note("tea", "c")])
    await world.do(batches.add, uuid, [note("tea", "b")])
    assert (await world.get(uuid)).item_count == BATCH_ITEMS_MAX


@pytest.mark.parametrize(
    ("new", "named"),
    [
        ([], "items"),
        ([note("tea", "a")] * (BATCH_ITEMS_PER_CALL_MAX + 1), "items: at most"),
        ([note("tea", "a"), note("tea", " ")], r"items\[1\]\.data"),
        ([message("talk", "")], r"items\[0\]\.content"),
        ([message("talk", "a", "king")], r"items\[0\]\.role"),
        ([note("a/b", "a")], r"items\[0\]\.graph_id"),
        ([NewItem(episode=NewEpisode(kind="text", content="a"))], r"items\[0\]: user_id or graph"),
        (
            [NewItem(user_id="u", graph_id="g", episode=NewEpisode(kind="text", content="a"))],
            r"items\[0\]: user_id and graph_id",
        ),
        (
            [NewItem(user_id="u", episode=NewEpisode(kind="json", content="{"))],
            r"items\[0\]\.data: not valid JSON",
        ),
    ],
)
def test_a_wrong_item_is_named(new: list[NewItem], named: str) -> None:
    """Whoever sent hundreds of items learns which one it was."""
    with pytest.raises(InvalidInput, match=named):
        batches.check_items(new)


async def neighbour(world: World) -> World:
    """Another project in the same store."""
    await world.store.write(keys.create_project, "next door")
    key = await world.store.write(keys.create_key, "next door", "key")
    access = await world.store.read(keys.authenticate, keys.hashed(key.secret))
    assert access is not None
    return World(world.store, access, world.path)


async def test_a_batch_belongs_to_its_project(world: World) -> None:
    """Another project's key finds neither the batch nor targets of that name."""
    uuid = await world.batch([note("tea", "a")])
    other = await neighbour(world)
    with pytest.raises(NotFound):
        await other.get(uuid)
    assert (await other.do(batches.page, status=None, limit=9, cursor=None)).batches == []
    theirs = await other.started([note("tea", "a")])
    assert (await other.get(theirs)).status == "invalid"


@of_the_file
async def test_a_batch_that_has_ended_is_read_without_counting_its_jobs(world: World) -> None:
    """Reading it takes as many steps as reading a small one, so a page of large ones is cheap."""
    steps = []
    for count in (10, 300):
        uuid = await world.started([note("tea", f"{number}") for number in range(count)])
        await world.work()
        assert (await world.get(uuid)).progress.succeeded == count
        steps.append(_steps(world, uuid))
    small, large = steps
    assert large < small + 100


def _steps(world: World, uuid: str) -> int:
    """How many steps of SQLite's machine it takes to read a batch."""
    taken = 0

    def count() -> int:
        nonlocal taken
        taken += 1
        return 0

    with closing(connect(world.path, writer=False)) as connection:
        connection.set_progress_handler(count, 1)
        tx = SqliteTransaction(connection, lambda: datetime.now(UTC), lambda: "")
        batches.get(tx, world.access, uuid)
    return taken


@of_the_file
@pytest.mark.parametrize("noun", ["user", "thread", "graph"])
def test_a_deletion_does_not_read_every_item_of_a_project(world: World, noun: str) -> None:
    """Items that name what goes are found by that name, however many wait in batches."""
    sql = statements()[f"batches.items_forget_{noun}"]
    named = dict.fromkeys(("project_id", "user_id", "thread_id", "graph_id", "now"))
    with closing(sqlite3.connect(world.path)) as connection:
        steps = [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {sql}", named)]
    looks = [step for step in steps if " batch_items " in step]
    assert looks
    assert all(re.search(r"INDEX batch_items_by_\w+ \(\w+=\?\)", step) for step in looks)
