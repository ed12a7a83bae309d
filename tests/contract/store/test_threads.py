"""Threads and their messages; the two ways to delete one."""

import pytest

from recollect.errors import AlreadyExists, NotFound
from recollect.graph.types import Access
from recollect.ingest import intake
from recollect.records import episodes, graphs, threads, users
from recollect.store.protocol import Store
from tests.contract.store.world import (
    StillClock,
    add_messages,
    findable,
    index_items,
    message,
    new_thread,
    new_user,
    work,
)


async def test_a_thread_reads_back_as_created(store: Store, access: Access) -> None:
    """It names its user and the user's graph, and carries what was said about it."""
    user = await new_user(store, access, "jane")
    made = await store.write(
        threads.create, access, "t", "jane", metadata={"a": {"b": 1}}, rating={"instruction": "x"}
    )
    assert await store.read(threads.get, access, "t") == made
    assert (made.user_id, made.user_uuid, made.graph_id) == ("jane", user.uuid, user.graph_id)
    assert (made.metadata, made.rating, made.ended_at) == (
        {"a": {"b": 1}},
        {"instruction": "x"},
        None,
    )
    assert (await store.read(users.get, access, "jane")).thread_count == 1


async def test_a_thread_needs_a_user_of_its_own_project(
    store: Store, access: Access, stranger: Access
) -> None:
    """A user of another project is no user at all."""
    await new_user(store, stranger, "jane")
    with pytest.raises(NotFound, match="user"):
        await new_thread(store, access, "t", "jane")
    with pytest.raises(NotFound):
        await store.read(threads.get, access, "t")


async def test_a_thread_id_is_unique_in_its_project(
    store: Store, access: Access, stranger: Access
) -> None:
    """Taken is taken, also for another user of the project; another project has its own."""
    await new_user(store, access, "jane")
    await new_user(store, access, "joe")
    await new_user(store, stranger, "jane")
    await new_thread(store, access, "t", "jane")
    with pytest.raises(AlreadyExists, match="thread_id"):
        await new_thread(store, access, "t", "joe")
    other = await new_thread(store, stranger, "t", "jane")
    await add_messages(store, stranger, "t", "theirs")
    await store.write(threads.delete, access, "t")
    assert await store.read(threads.get, stranger, "t") == other
    assert await store.read(episodes.message_count, stranger, other) == 1


async def test_thread_metadata_merges(store: Store, access: Access, clock: StillClock) -> None:
    """Keys are added and replaced, a null takes one away, nothing given changes nothing."""
    await new_user(store, access, "jane")
    await store.write(threads.create, access, "t", "jane", metadata={"a": 1, "b": 2})
    clock.advance(1)
    change = {"b": None, "c": [3]}
    merged = await store.write(threads.update, access, "t", metadata=change, rating=None)
    assert merged.metadata == {"a": 1, "c": [3]}
    assert merged.updated_at == clock.moment
    rated = await store.write(
        threads.update, access, "t", metadata=None, rating={"instruction": "y"}
    )
    assert (rated.metadata, rated.rating) == ({"a": 1, "c": [3]}, {"instruction": "y"})


async def test_the_first_end_of_a_thread_stays(
    store: Store, access: Access, clock: StillClock
) -> None:
    """Ending twice keeps the first time; an update does not reopen."""
    await new_user(store, access, "jane")
    await new_thread(store, access, "t", "jane")
    ended = await store.write(threads.end, access, "t")
    assert ended.ended_at == clock.moment
    clock.advance(10)
    assert (await store.write(threads.end, access, "t")).ended_at == ended.ended_at
    updated = await store.write(threads.update, access, "t", metadata={"x": 1}, rating=None)
    assert updated.ended_at == ended.ended_at


async def test_messages_are_read_in_the_order_they_were_sent(store: Store, access: Access) -> None:
    """Pages, the newest few, and the count agree; ignored roles are history too."""
    await new_user(store, access, "jane")
    thread = await new_thread(store, access, "t", "jane")
    for first in range(0, 10, 2):
        batch = [message(str(first)), message(str(first + 1), ignored=True)]
        await store.write(intake.add_messages, access, "t", batch)

    async def contents(limit: int, offset: int) -> list[str]:
        found = await store.read(episodes.messages, access, thread, limit=limit, offset=offset)
        return [episode.content for episode in found]

    assert await contents(100, 0) == [str(n) for n in range(10)]
    assert await contents(3, 8) == ["8", "9"]
    assert await contents(3, 3) == ["3", "4", "5"]
    last = await store.read(episodes.last_messages, access, thread, 3)
    assert [episode.content for episode in last] == ["7", "8", "9"]
    assert await store.read(episodes.message_count, access, thread) == 10
    in_graph = await store.read(episodes.in_graph_of_thread, access, thread, 100)
    assert [episode.content for episode in in_graph] == ["0", "2", "4", "6", "8"]


async def test_two_threads_of_a_user_share_the_graph_but_not_the_messages(
    store: Store, access: Access
) -> None:
    """Sequence numbers run through the graph; each thread shows its own messages."""
    await new_user(store, access, "jane")
    one = await new_thread(store, access, "one", "jane")
    two = await new_thread(store, access, "two", "jane")
    for n in range(3):
        await add_messages(store, access, "one", f"one {n}")
        await add_messages(store, access, "two", f"two {n}")
    first = await store.read(episodes.messages, access, one, limit=10, offset=0)
    second = await store.read(episodes.messages, access, two, limit=10, offset=0)
    assert [episode.seq for episode in first] == [1, 3, 5]
    assert [episode.seq for episode in second] == [2, 4, 6]
    assert {episode.thread_id for episode in second} == {"two"}
    with pytest.raises(NotFound):
        await store.read(episodes.of_thread, access, one, second[0].uuid)


async def test_deleting_a_thread_forgets_its_messages(store: Store, access: Access) -> None:
    """The messages leave the graph and the index; the user and other threads stay."""
    user = await new_user(store, access, "jane")
    await new_thread(store, access, "gone", "jane")
    await new_thread(store, access, "kept", "jane")
    gone = await add_messages(store, access, "gone", "alpha", "beta")
    kept = await add_messages(store, access, "kept", "gamma")
    await work(store)
    owed = await add_messages(store, access, "gone", "never processed")
    await store.write(threads.delete, access, "gone")
    with pytest.raises(NotFound):
        await store.read(threads.get, access, "gone")
    for episode in [*gone.episodes, *owed.episodes]:
        with pytest.raises(NotFound):
            await store.read(episodes.get, access, episode.uuid)
    assert await store.read(findable, user.graph_id, "episode") == {kept.episodes[0].uuid}
    assert await work(store) == 0
    assert (await store.read(users.get, access, "jane")).thread_count == 1


async def test_deleting_a_session_keeps_what_the_graph_learned(
    store: Store, access: Access
) -> None:
    """The thread and its history go; episodes of the graph stay and are still processed."""
    user = await new_user(store, access, "jane")
    await new_thread(store, access, "t", "jane")
    batch = [message("kept"), message("history only", ignored=True)]
    sent = await store.write(intake.add_messages, access, "t", batch)
    await store.write(threads.delete_keeping_graph, access, "t")
    with pytest.raises(NotFound):
        await store.read(threads.get, access, "t")
    kept, history = sent.uuids
    survivor = await store.read(episodes.get, access, kept)
    assert (survivor.content, survivor.thread_id, survivor.seq) == ("kept", None, 1)
    with pytest.raises(NotFound):
        await store.read(episodes.get, access, history)
    assert await work(store) == 1
    assert await store.read(findable, user.graph_id, "episode") == {kept}
    again = await new_thread(store, access, "t", "jane")
    assert await store.read(episodes.message_count, access, again) == 0


async def test_a_deleted_sessions_summary_is_not_found_any_more(
    store: Store, access: Access
) -> None:
    """What the graph learned stays, what was said of the thread as such goes with it."""
    user = await new_user(store, access, "jane")
    await new_thread(store, access, "t", "jane")
    await add_messages(store, access, "t", "My sister Emma moved to Berlin.", "She likes it.")
    await work(store)
    before = await store.read(index_items, user.graph_id)
    (summary,) = [place for place in before if place[0] == "thread_summary"]
    await store.write(threads.delete_keeping_graph, access, "t")
    assert await store.read(index_items, user.graph_id) == {**before, summary: None}


async def test_threads_are_listed_in_every_declared_order(
    store: Store, access: Access, stranger: Access, clock: StillClock
) -> None:
    """Each order runs both ways; another project's threads are not among them."""
    for user_id in ("x", "y"):
        await new_user(store, access, user_id)
    await new_user(store, stranger, "x")
    await new_thread(store, stranger, "elsewhere", "x")
    for thread_id, user_id in (("b", "y"), ("a", "x"), ("c", "y")):
        clock.advance(1)
        await new_thread(store, access, thread_id, user_id)
    clock.advance(1)
    await store.write(threads.update, access, "a", metadata={"k": 1}, rating=None)
    expected = {
        "created_at": "bac",
        "updated_at": "bca",
        "thread_id": "abc",
        "user_id": "abc",
        "id": "bac",
    }
    for order, names in expected.items():
        for direction in ("asc", "desc"):
            wanted = list(names) if direction == "asc" else list(reversed(names))
            page = await store.read(
                threads.page, access, order=f"{order}/{direction}", limit=10, offset=0
            )
            assert ([thread.thread_id for thread in page.threads], page.total) == (wanted, 3)
    newest_first = await store.read(threads.of_user, access, "y", 9)
    assert [thread.thread_id for thread in newest_first] == ["c", "b"]


async def test_a_thread_of_another_project_cannot_be_reached(
    store: Store, access: Access, stranger: Access
) -> None:
    """Reading, changing, ending, appending and deleting all say that there is no such thread."""
    await new_user(store, access, "jane")
    thread = await new_thread(store, access, "t", "jane")
    for refused in (
        store.read(threads.get, stranger, "t"),
        store.read(threads.of_user, stranger, "jane", 9),
        store.write(threads.update, stranger, "t", metadata={"a": 1}, rating=None),
        store.write(threads.end, stranger, "t"),
        store.write(threads.delete, stranger, "t"),
        store.write(threads.delete_keeping_graph, stranger, "t"),
        store.write(intake.add_messages, stranger, "t", [message("x")]),
    ):
        with pytest.raises(NotFound):
            await refused
    assert await store.read(threads.get, access, "t") == thread
    graph = await store.read(graphs.of_user, access, "jane")
    assert await store.read(episodes.last, access, graph, 10) == []


async def test_a_user_knows_how_many_threads_there_are(store: Store, access: Access) -> None:
    """Made, deleted either way, made again: the count follows."""
    await new_user(store, access, "jane")
    for name in ("a", "b", "c"):
        await new_thread(store, access, name, "jane")
    await store.write(threads.delete, access, "a")
    await store.write(threads.delete_keeping_graph, access, "b")
    assert (await store.read(users.get, access, "jane")).thread_count == 1
    await new_thread(store, access, "a", "jane")
    assert (await store.read(users.get, access, "jane")).thread_count == 2
