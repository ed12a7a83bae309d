"""The log: what was accepted is there once, in order, as it was sent."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from recollect.errors import InvalidInput, NotFound
from recollect.graph.types import Access, Episode, NewEpisode
from recollect.ingest import intake, queue
from recollect.records import episodes, graphs, knowledge, pages
from recollect.records.pages import Mark, PageRequest, read_cursor
from recollect.store.protocol import Store
from tests.contract.store.world import (
    SEES_ALL,
    StillClock,
    add_text,
    insert_entity,
    message,
    new_graph,
    new_thread,
    new_user,
    stored,
    text,
    work,
)

HUGE = 2**70


async def test_an_episode_reads_back_as_it_was_sent(
    store: Store, access: Access, clock: StillClock
) -> None:
    """Every field, both times, and text in any script; the receipt says what a read says."""
    await new_graph(store, access, "g")
    happened = datetime(2020, 2, 29, 23, 59, 59, 123456, tzinfo=timezone(timedelta(hours=9)))
    new = NewEpisode(
        kind="json",
        content='{"name": "Zoë 🐈 日本 \\n"}',
        source_description="a file",
        document_id="doc-1",
        metadata={"tags": ["a", 1, True], "size": 1.5},
        created_at=happened,
    )
    receipt = await store.write(intake.add_episodes, access, None, "g", [new])
    (given,) = (await stored(store, access, receipt)).episodes
    read = await store.read(episodes.get, access, given.uuid)
    assert read == given
    assert read.created_at == happened
    assert read.created_at.tzinfo is UTC
    assert read.received_at == clock.moment
    assert (read.kind, read.content, read.metadata) == (new.kind, new.content, new.metadata)
    assert (read.source_description, read.document_id) == ("a file", "doc-1")
    assert (read.seq, read.processed_at, read.task_uuid) == (1, None, receipt.task_uuid)


async def test_a_message_belongs_to_its_thread_and_to_the_users_graph(
    store: Store, access: Access
) -> None:
    """It shows its role, its name and its thread, and stands in the graph of the user."""
    user = await new_user(store, access, "jane")
    thread = await new_thread(store, access, "t", "jane")
    receipt = await store.write(intake.add_messages, access, "t", [message("hello")])
    episode = await store.read(episodes.of_thread, access, thread, receipt.uuids[0])
    assert (episode.role, episode.speaker, episode.thread_id) == ("user", "Jane", "t")
    assert episode.graph_id == user.graph_id


async def test_an_ignored_role_owes_no_work(store: Store, access: Access) -> None:
    """It is stored and done at once; a call of ignored roles alone has no task."""
    await new_user(store, access, "jane")
    await new_thread(store, access, "t", "jane")
    batch = [message("noted", ignored=True), message("too", ignored=True)]
    receipt = await stored(
        store, access, await store.write(intake.add_messages, access, "t", batch)
    )
    assert receipt.task_uuid is None
    assert [episode.task_uuid for episode in receipt.episodes] == [None, None]
    assert all(episode.processed_at is not None for episode in receipt.episodes)
    assert (await store.read(queue.state)).graphs == 0
    both = [message("a", ignored=True), message("b")]
    mixed = await stored(store, access, await store.write(intake.add_messages, access, "t", both))
    assert [episode.task_uuid for episode in mixed.episodes] == [None, mixed.task_uuid]
    assert (await store.read(queue.task, access, mixed.task_uuid)).jobs == 1


async def test_an_episode_of_another_project_cannot_be_reached(
    store: Store, access: Access, stranger: Access
) -> None:
    """Knowing a uuid is not enough to read, change or delete what it names."""
    await new_graph(store, access, "g")
    receipt = await add_text(store, access, "g", "secret")
    uuid = receipt.episodes[0].uuid
    for refused in (
        store.read(episodes.get, stranger, uuid),
        store.write(episodes.update_metadata, stranger, uuid, {"a": 1}),
        store.write(episodes.delete, stranger, uuid),
        store.read(queue.task, stranger, receipt.task_uuid),
    ):
        with pytest.raises(NotFound):
            await refused
    assert (await store.read(episodes.get, access, uuid)).metadata is None


async def test_metadata_merges_and_is_checked_whole(store: Store, access: Access) -> None:
    """Keys come, change and go; the bound counts what would be stored, not what was sent."""
    await new_graph(store, access, "g")
    uuid = (await add_text(store, access, "g", "x")).episodes[0].uuid
    first = {f"k{n}": n for n in range(9)}
    await store.write(episodes.update_metadata, access, uuid, first)
    with pytest.raises(InvalidInput, match="at most 10"):
        await store.write(episodes.update_metadata, access, uuid, {"x": 1, "y": 2})
    swapped = await store.write(
        episodes.update_metadata, access, uuid, {"k0": None, "x": "1", "y": [2]}
    )
    assert swapped.metadata == {**{f"k{n}": n for n in range(1, 9)}, "x": "1", "y": [2]}
    emptied = dict.fromkeys(swapped.metadata)
    assert (await store.write(episodes.update_metadata, access, uuid, emptied)).metadata is None


async def test_deleting_an_episode_keeps_the_numbers_of_the_others(
    store: Store, access: Access
) -> None:
    """A sequence number is never given out again, not even the last one."""
    graph = await new_graph(store, access, "g")
    sent = (await add_text(store, access, "g", "1", "2", "3")).episodes
    for episode in sent[1:]:
        await store.write(episodes.delete, access, episode.uuid)
    with pytest.raises(NotFound):
        await store.write(episodes.delete, access, sent[1].uuid)
    more = (await add_text(store, access, "g", "4")).episodes
    assert more[0].seq == 4
    left = await store.read(episodes.last, access, graph, 10)
    assert [(episode.seq, episode.content) for episode in left] == [(4, "4"), (1, "1")]


async def test_the_newest_episodes_come_first_and_ignored_ones_not_at_all(
    store: Store, access: Access
) -> None:
    """`last` is about the graph, which ignored roles are no part of."""
    await new_user(store, access, "jane")
    await new_thread(store, access, "t", "jane")
    batch = [message("a"), message("b", ignored=True), message("c")]
    await store.write(intake.add_messages, access, "t", batch)
    graph = await store.read(graphs.of_user, access, "jane")
    assert [found.content for found in await store.read(episodes.last, access, graph, 10)] == [
        "c",
        "a",
    ]
    assert [found.content for found in await store.read(episodes.last, access, graph, 1)] == ["c"]


async def test_a_documents_episodes_come_in_order_and_from_one_graph(
    store: Store, access: Access
) -> None:
    """The same document id in two graphs names two documents."""
    one = await new_graph(store, access, "one")
    await new_graph(store, access, "two")
    for graph_id in ("one", "two"):
        parts = [text(f"{graph_id} {n}", document_id="d") for n in range(3)]
        await store.write(intake.add_episodes, access, None, graph_id, [*parts, text("other")])
    found = await store.read(episodes.of_document, access, one, "d", 9)
    assert [episode.content for episode in found] == ["one 0", "one 1", "one 2"]


async def _walk(
    store: Store, graph: graphs.Graph, order: str, limit: int, mentioned: list[str] | None = None
) -> list[Episode]:
    found: list[Episode] = []
    cursor: str | None = None
    while True:
        request = PageRequest(order=order, limit=limit, after=read_cursor(cursor, order))
        page = await store.read(episodes.page, SEES_ALL, graph, request, mentioned)
        found += page.items
        cursor = page.next_cursor
        if cursor is None:
            return found
        assert len(page.items) == limit


@pytest.mark.parametrize("limit", [1, 2, 3, 5, 6, 50])
async def test_pages_hold_everything_once(store: Store, access: Access, limit: int) -> None:
    """Whatever the page size and the order, all episodes come, once, equal times included."""
    graph = await new_graph(store, access, "g")
    times = [3, 1, 2, 2, 2, 1]
    base = datetime(2024, 1, 1, tzinfo=UTC)
    sent = [text(str(n), created_at=base + timedelta(days=day)) for n, day in enumerate(times)]
    receipt = await store.write(intake.add_episodes, access, None, "g", sent)
    given = (await stored(store, access, receipt)).episodes
    for direction, backwards in (("asc", False), ("desc", True)):
        by_uuid = await _walk(store, graph, f"uuid/{direction}", limit)
        assert by_uuid == sorted(given, key=lambda e: e.uuid, reverse=backwards)
        by_time = await _walk(store, graph, f"created_at/{direction}", limit)
        assert by_time == sorted(given, key=lambda e: (e.created_at, e.uuid), reverse=backwards)


async def test_a_page_goes_on_where_the_last_one_ended_whatever_happened(
    store: Store, access: Access
) -> None:
    """Deleting what the cursor points at and adding more neither repeats nor skips."""
    graph = await new_graph(store, access, "g")
    given = (await add_text(store, access, "g", *"abcd")).episodes
    order = "uuid/asc"
    first = await store.read(episodes.page, access, graph, PageRequest(order=order, limit=2), None)
    await store.write(episodes.delete, access, given[1].uuid)
    await add_text(store, access, "g", "e")
    after = read_cursor(first.next_cursor, order)
    rest = await store.read(
        episodes.page, access, graph, PageRequest(order=order, limit=50, after=after), None
    )
    assert [episode.content for episode in rest.items] == ["c", "d", "e"]


async def test_pages_can_ask_for_what_mentions_an_entity(store: Store, access: Access) -> None:
    """Only episodes that mention one of the given uuids come, or that are one of them."""
    graph = await new_graph(store, access, "g")
    given = (await add_text(store, access, "g", *"abcd")).episodes
    await store.write(insert_entity, graph.id, "Jane", [given[0], given[2]])
    (jane,), _ = await store.read(knowledge.mentions, access, given[0], 5)
    uuid = jane.uuid
    mentioning = await _walk(store, graph, "uuid/asc", 1, [uuid])
    assert [episode.content for episode in mentioning] == ["a", "c"]
    either = await _walk(store, graph, "uuid/asc", 50, [uuid, given[3].uuid])
    assert [episode.content for episode in either] == ["a", "c", "d"]
    assert await _walk(store, graph, "uuid/asc", 50, []) == []


async def test_a_forged_cursor_is_refused_or_harmless(store: Store, access: Access) -> None:
    """A cursor with a number that no store can hold never becomes a fault of ours."""
    graph = await new_graph(store, access, "g")
    await add_text(store, access, "g", "a")
    order = "created_at/asc"
    page = await store.read(episodes.page, access, graph, PageRequest(order=order, limit=1), None)
    assert page.next_cursor is None
    forged = pages._write_cursor(Mark(order, HUGE, "x"))
    try:
        after = read_cursor(forged, order)
        request = PageRequest(order=order, limit=1, after=after)
        await store.read(episodes.page, access, graph, request, None)
    except InvalidInput:
        pass


async def test_processing_stamps_the_episode_once(
    store: Store, access: Access, clock: StillClock
) -> None:
    """An episode is processed at the moment its work was committed."""
    await new_graph(store, access, "g")
    uuid = (await add_text(store, access, "g", "x")).episodes[0].uuid
    clock.advance(7)
    await work(store)
    processed = await store.read(episodes.get, access, uuid)
    assert processed.processed_at == clock.moment
