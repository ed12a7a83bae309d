"""The cache of segments: fresh at each use, bounded, blind to what is deleted or not one's own."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from recollect.derive import readings
from recollect.errors import NotFound
from recollect.graph.found import Found, FoundEntity, FoundFact
from recollect.graph.terms import hashed, packed, terms
from recollect.graph.types import Access, Graph
from recollect.limits import INDEX_ROWS_PER_PAGE
from recollect.records import episodes, graphs, knowledge, threads
from recollect.records.knowledge import FactChange
from recollect.search import segments as module
from recollect.search.segment import IndexPage, Segment
from recollect.search.segments import Segments
from recollect.store import index
from recollect.store.protocol import Store, Transaction
from tests.contract.store.world import (
    START,
    add_messages,
    add_text,
    insert_entity,
    insert_fact,
    new_graph,
    new_project,
    new_thread,
    new_user,
    work,
)
from tests.support import here
from tests.support.stores import behind, open_store

ROOMY = 10**9


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    """An empty store."""
    opened = open_store(tmp_path)
    yield opened
    await opened.close()


@pytest.fixture
async def access(store: Store) -> Access:
    """A key to a project."""
    return await new_project(store, "p")


async def filled(store: Store, access: Access, graph_id: str, *contents: str) -> Graph:
    """A graph whose episodes have been processed."""
    graph = await new_graph(store, access, graph_id)
    await add_text(store, access, graph_id, *contents)
    await work(store)
    return graph


def holding(segment: Segment, text: str) -> list[int]:
    """The row ids of the episodes that hold a word of *text*."""
    found = segment.words["episode"].search(map(hashed, terms(text)), segment.visible("episode"))
    return segment.row_ids("episode", np.flatnonzero(found))


async def search(segments: Segments, access: Access, graph: Graph, text: str) -> list[int]:
    """What a search does: get the segment, and look at it alone and in a thread."""
    segment = await segments.of(access, graph)
    return await asyncio.to_thread(segment.work, holding, text)


async def test_a_search_finds_what_was_processed_before_it(store: Store, access: Access) -> None:
    """Each search is up to date, without anyone telling the cache."""
    segments = Segments(store, bytes_max=ROOMY)
    graph = await filled(store, access, "g", "alpha beta")
    assert len(await search(segments, access, graph, "Alpha!")) == 1
    await add_text(store, access, "g", "alpha again")
    assert len(await search(segments, access, graph, "alpha")) == 1
    await work(store)
    assert len(await search(segments, access, graph, "alpha")) == 2
    assert await search(segments, access, graph, "the of") == []


async def test_what_is_up_to_date_is_not_read_again(store: Store, access: Access) -> None:
    """The same segment serves, and nothing but its version is looked up."""
    segments = Segments(store, bytes_max=ROOMY)
    graph = await filled(store, access, "g", "alpha")
    first = await segments.of(access, graph)
    taken = first.version
    assert await segments.of(access, graph) is first
    assert first.version == taken > 0


async def test_a_deleted_episode_is_not_found_any_more(store: Store, access: Access) -> None:
    """Not even by a segment that already held it."""
    segments = Segments(store, bytes_max=ROOMY)
    graph = await new_graph(store, access, "g")
    gone, kept = (await add_text(store, access, "g", "alpha", "alpha beta")).episodes
    await work(store)
    assert await search(segments, access, graph, "alpha") == [gone.id, kept.id]
    await store.write(episodes.delete, access, gone.uuid)
    assert await search(segments, access, graph, "alpha") == [kept.id]


async def test_a_fact_that_was_changed_is_seen_as_it_is_now(store: Store, access: Access) -> None:
    """Its times and its words, in a segment that already held it, and not after it is deleted."""
    segments = Segments(store, bytes_max=ROOMY)
    graph = await new_graph(store, access, "g")
    said = (await add_text(store, access, "g", "x")).episodes
    await work(store)

    def write(tx: Transaction) -> tuple[str, int]:
        ends = [insert_entity(tx, graph.id, name, said) for name in ("Paul", "Eric")]
        uuid = insert_fact(tx, graph.id, (ends[0], ends[1]), "Paul met Eric", said)
        number = knowledge.fact(tx, access, uuid).id
        index.put(tx, graph.id, [index.fact_item(number, "Paul met Eric")])
        return uuid, number

    uuid, number = await store.write(write)
    segment = await segments.of(access, graph)
    (slot,) = segment.facts.known([number])
    assert segment.facts.alive.array[slot]
    await store.write(knowledge.update_fact, access, uuid, FactChange(invalid_at=START))
    assert await segments.of(access, graph) is segment
    assert segment.facts.invalid_at.array[slot] == START.timestamp() * 1_000_000
    await store.write(knowledge.update_fact, access, uuid, FactChange(fact="Paul saw Eric"))
    await segments.of(access, graph)
    visible = segment.visible("fact")
    assert segment.words["fact"].search([hashed("met")], visible).tolist() == [0.0]
    assert segment.words["fact"].search([hashed("saw")], visible)[slot] > 0
    await store.write(knowledge.delete_fact, access, uuid)
    await segments.of(access, graph)
    assert not segment.visible("fact").any()


async def test_changed_metadata_is_seen(store: Store, access: Access) -> None:
    """Filters look at what an episode says of itself now."""
    segments = Segments(store, bytes_max=ROOMY)
    graph = await new_graph(store, access, "g")
    (said,) = (await add_text(store, access, "g", "alpha")).episodes
    await work(store)
    segment = await segments.of(access, graph)
    await store.write(episodes.update_metadata, access, said.uuid, {"colour": "red"})
    assert await segments.of(access, graph) is segment
    code = segment.episodes.metadata.array[segment.episodes.known([said.id])[0]]
    assert segment.episodes.metadata_texts.values[code] == '{"colour":"red"}'
    assert await search(segments, access, graph, "alpha") == [said.id]


def says(sentence: str) -> Found:
    """One fact."""
    ends = (FoundEntity(name="Ann", kind="person"), FoundEntity(name="tea", kind="topic"))
    fact = FoundFact(source=0, target=1, name="LIKES", predicate="LIKES", fact=sentence)
    return Found(entities=ends, facts=(fact,))


async def read_again(store: Store, graph: Graph, found: Found) -> None:
    """Put another reading in place of that of the first episode, and fold."""

    def replace(tx: Transaction) -> None:
        *_, first = tx.episodes.last(graph_id=graph.id, limit=100)
        readings.replace(tx, first.id, found, (None,) * len(found.facts))

    await store.write(replace)
    await here.settle(store, graph.id)


def facts_held(segment: Segment) -> list[int]:
    """The row ids of the facts that a segment has."""
    return segment.row_ids("fact", np.flatnonzero(segment.facts.alive.array))


async def test_a_graph_that_is_folded_again_keeps_its_segment(store: Store, access: Access) -> None:
    """It takes what is different, like any other change."""
    segments = Segments(store, bytes_max=ROOMY)
    graph = await filled(store, access, "g", "alpha", "beta")
    segment = await segments.of(access, graph)
    await read_again(store, graph, says("Ann likes tea"))
    assert await segments.of(access, graph) is segment
    (fact,) = facts_held(segment)
    assert len(holding(segment, "alpha")) == 1
    await read_again(store, graph, says("Ann drinks tea"))
    assert await segments.of(access, graph) is segment
    assert facts_held(segment) == [fact]
    await read_again(store, graph, Found())
    assert await segments.of(access, graph) is segment
    assert facts_held(segment) == []
    assert len(holding(segment, "alpha")) == 1
    assert segments._bytes == sum(s.size_bytes for s in segments._segments.values())


async def test_an_epoch_that_ends_while_a_segment_is_built_is_noticed(
    store: Store, access: Access, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The one who builds begins again with the new one. Only a migration ends one."""
    graph = await filled(store, access, "g", "alpha", "beta")
    segments = Segments(store, bytes_max=ROOMY)
    monkeypatch.setattr(module, "INDEX_ROWS_PER_PAGE", 1)
    watched = _Watched(monkeypatch)
    watched.hold_take.clear()
    asked = asyncio.ensure_future(search(segments, access, graph, "beta"))
    await asyncio.to_thread(watched.entered.wait, 5)
    with behind(tmp_path) as connection:
        connection.execute("UPDATE graphs SET index_epoch = index_epoch + 1")
        connection.execute("DELETE FROM index_rows")
    watched.hold_take.set()
    assert await asked == []


async def test_a_fold_while_a_segment_is_built_is_noticed(
    store: Store, access: Access, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is found is the graph as it is after it."""
    graph = await filled(store, access, "g", "alpha", "beta")
    await read_again(store, graph, says("Ann likes tea"))
    segments = Segments(store, bytes_max=ROOMY)
    monkeypatch.setattr(module, "INDEX_ROWS_PER_PAGE", 1)
    watched = _Watched(monkeypatch)
    watched.hold_take.clear()
    asked = asyncio.ensure_future(search(segments, access, graph, "beta"))
    await asyncio.to_thread(watched.entered.wait, 5)
    await read_again(store, graph, Found())
    watched.hold_take.set()
    assert len(await asked) == 1
    assert facts_held(await segments.of(access, graph)) == []


async def test_a_deleted_graph_is_never_served(store: Store, access: Access) -> None:
    """Neither under its old name nor through the new graph of that name."""
    segments = Segments(store, bytes_max=ROOMY)
    graph = await filled(store, access, "g", "alpha")
    assert len(await search(segments, access, graph, "alpha")) == 1
    await store.write(graphs.delete, access, "g")
    with pytest.raises(NotFound):
        await segments.of(access, graph)
    again = await new_graph(store, access, "g")
    assert await search(segments, access, again, "alpha") == []


async def test_a_deleted_graph_is_not_kept_in_memory(store: Store, access: Access) -> None:
    """Once a search has learned that a graph is gone, its words are gone too."""
    segments = Segments(store, bytes_max=ROOMY)
    graph = await filled(store, access, "g", "alpha")
    await segments.of(access, graph)
    await store.write(graphs.delete, access, "g")
    with pytest.raises(NotFound):
        await segments.of(access, graph)
    assert graph.uuid not in segments._segments
    assert segments._bytes == 0


async def test_another_projects_graph_is_never_served(store: Store, access: Access) -> None:
    """Holding a graph value is not enough; the key decides, with a warm cache too."""
    segments = Segments(store, bytes_max=ROOMY)
    graph = await filled(store, access, "g", "alpha")
    stranger = await new_project(store, "other")
    await segments.of(access, graph)
    with pytest.raises(NotFound):
        await segments.of(stranger, graph)
    assert len(await search(segments, access, graph, "alpha")) == 1


async def test_the_cache_is_bounded_and_the_least_used_go_first(
    store: Store, access: Access
) -> None:
    """Never more memory than allowed, unless a single segment alone is larger."""
    known = [await filled(store, access, f"g{n}", f"alpha word{n}") for n in range(6)]
    one = await Segments(store, bytes_max=ROOMY).of(access, known[0])
    bytes_max = 3 * one.size_bytes + 100
    segments = Segments(store, bytes_max=bytes_max)
    for graph in known:
        await segments.of(access, known[0])
        await segments.of(access, graph)
        held = sum(segment.size_bytes for segment in segments._segments.values())
        assert held <= bytes_max
        assert known[0].uuid in segments._segments
    assert list(segments._segments) == [known[4].uuid, known[0].uuid, known[5].uuid]
    for graph in known:
        assert len(await search(segments, access, graph, "alpha")) == 1


async def test_a_cache_without_room_still_answers(store: Store, access: Access) -> None:
    """It keeps the one it is using."""
    known = [await filled(store, access, f"g{n}", "alpha") for n in range(3)]
    segments = Segments(store, bytes_max=0)
    for graph in known * 2:
        assert len(await search(segments, access, graph, "alpha")) == 1
        assert len(segments._segments) == 1


async def test_empty_graphs_do_not_fill_the_cache(store: Store, access: Access) -> None:
    """Segments of graphs that hold nothing count against the bound as well."""
    segments = Segments(store, bytes_max=0)
    for n in range(5):
        graph = await new_graph(store, access, f"g{n}")
        assert await search(segments, access, graph, "alpha") == []
    assert len(segments._segments) == 1


async def test_many_searches_at_once_agree(store: Store, access: Access) -> None:
    """With a cache that evicts all the time, and writes in between, every answer is right."""
    known = [await filled(store, access, f"g{n}", "alpha", "alpha beta") for n in range(4)]
    segments = Segments(store, bytes_max=0)

    async def ask(graph: Graph) -> int:
        return len(await search(segments, access, graph, "alpha"))

    for round_ in range(4):
        counts = await asyncio.gather(*(ask(graph) for graph in known * 5))
        assert counts == [2 + round_] * 20
        for graph in known:
            await add_text(store, access, graph.graph_id, "alpha")
        await work(store)


class _Watched:
    """Segments whose work can be held up, and which notice two at work on one of them."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.hold_search = threading.Event()
        self.hold_take = threading.Event()
        self.hold_search.set()
        self.hold_take.set()
        self.entered = threading.Event()
        self.taken: list[tuple[int, int]] = []
        self.overlaps = 0
        self._busy: dict[int, int] = {}
        self._lock = threading.Lock()
        mark = Segment._mark

        def watched_mark(segment: Segment, rows: Any) -> Any:
            """What `take` does first, once it has the segment to itself."""
            with self._lock:
                self.taken.append((id(segment), len(rows)))
            return self.alone(segment, self.hold_take, lambda: mark(segment, rows))

        monkeypatch.setattr(Segment, "_mark", watched_mark)

    def alone(self, segment: Segment, hold: threading.Event, task: Callable[[], Any]) -> Any:
        """Do something on a segment when it is no longer held up, noticing others."""
        with self._lock:
            self._busy[id(segment)] = self._busy.get(id(segment), 0) + 1
            self.overlaps += self._busy[id(segment)] > 1
        self.entered.set()
        try:
            hold.wait(5)
            return task()
        finally:
            with self._lock:
                self._busy[id(segment)] -= 1

    async def search(
        self, segments: Segments, access: Access, graph: Graph, text: str
    ) -> list[int]:
        """A search that can be held up."""
        segment = await segments.of(access, graph)

        def task(held: Segment) -> list[int]:
            found: list[int] = self.alone(held, self.hold_search, lambda: holding(held, text))
            return found

        return await asyncio.to_thread(segment.work, task)


@pytest.mark.parametrize("evicted", [True, False])
async def test_two_never_work_on_one_segment(
    store: Store, access: Access, monkeypatch: pytest.MonkeyPatch, evicted: bool
) -> None:
    """A segment that is being searched is left alone until that is done, evicted or not."""
    one = await filled(store, access, "one", "alpha")
    two = await filled(store, access, "two", "alpha")
    segments = Segments(store, bytes_max=0 if evicted else ROOMY)
    watched = _Watched(monkeypatch)
    await segments.of(access, one)
    watched.entered.clear()
    watched.hold_search.clear()
    slow = asyncio.ensure_future(watched.search(segments, access, one, "alpha"))
    await asyncio.to_thread(watched.entered.wait, 5)
    await add_text(store, access, "one", "alpha")
    await work(store)
    if evicted:
        await segments.of(access, two)
        assert one.uuid not in segments._segments
    again = asyncio.ensure_future(watched.search(segments, access, one, "alpha"))
    await asyncio.sleep(0.1)
    watched.hold_search.set()
    assert (len(await slow), len(await again)) == (1, 2)
    assert watched.overlaps == 0


async def test_a_search_that_is_given_up_leaves_the_segment_whole(
    store: Store, access: Access, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its thread goes on; the next search waits for it, and takes nothing twice."""
    graph = await filled(store, access, "g", "alpha")
    segments = Segments(store, bytes_max=ROOMY)
    await segments.of(access, graph)
    await add_text(store, access, "g", *["alpha beta"] * 3)
    await work(store)
    watched = _Watched(monkeypatch)
    watched.hold_take.clear()
    given_up = asyncio.ensure_future(search(segments, access, graph, "alpha"))
    await asyncio.to_thread(watched.entered.wait, 5)
    given_up.cancel()
    with pytest.raises(asyncio.CancelledError):
        await given_up
    next_ = asyncio.ensure_future(search(segments, access, graph, "alpha"))
    await asyncio.sleep(0.1)
    watched.hold_take.set()
    assert len(await next_) == 4
    assert watched.overlaps == 0
    assert [count for _, count in watched.taken] == [3]
    assert len(await search(segments, access, graph, "beta")) == 3


async def large(store: Store, access: Access, graph_id: str, count: int) -> Graph:
    """A graph with many index rows, of entities that nobody wrote."""
    graph = await new_graph(store, access, graph_id)
    items = [
        index.IndexItem(kind="entity", id=n, terms=packed(["alpha", f"word{n}"]))
        for n in range(1, count + 1)
    ]
    await store.write(index.put, graph.id, items)
    return graph


def named(segment: Segment, *words: str) -> list[int]:
    """The row ids of the entities that hold a word."""
    found = segment.words["entity"].search(map(hashed, words), segment.visible("entity"))
    return segment.row_ids("entity", np.flatnonzero(found))


async def test_cold_searches_of_one_graph_build_one_segment(
    store: Store, access: Access, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever comes while it is built waits for it, and gets a whole answer."""
    monkeypatch.setattr(module, "INDEX_ROWS_PER_PAGE", 300)
    graph = await large(store, access, "g", 700)
    segments = Segments(store, bytes_max=ROOMY)
    watched = _Watched(monkeypatch)
    built = await asyncio.gather(*(segments.of(access, graph) for _ in range(20)))
    assert {id(segment) for segment in built} == {id(built[0])}
    assert named(built[0], "word1", "word700") == [1, 700]
    assert [count for _, count in watched.taken] == [300, 300, 100]
    assert len({number for number, _ in watched.taken}) == 1
    assert watched.overlaps == 0


@pytest.mark.parametrize("count", [INDEX_ROWS_PER_PAGE, INDEX_ROWS_PER_PAGE + 1])
async def test_a_large_graph_is_read_in_pages(
    store: Store, access: Access, monkeypatch: pytest.MonkeyPatch, count: int
) -> None:
    """Never all of its terms in one list; a page that ends where the graph ends is the last."""
    watched = _Watched(monkeypatch)
    graph = await large(store, access, "g", count)
    segments = Segments(store, bytes_max=ROOMY)
    segment = await segments.of(access, graph)
    assert len(named(segment, "alpha")) == count
    pages = [number for _, number in watched.taken]
    assert pages == [INDEX_ROWS_PER_PAGE, *([1] if count > INDEX_ROWS_PER_PAGE else [])]


async def test_versions_without_a_row_are_passed_over(
    store: Store, access: Access, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An item that changes often leaves gaps behind it, wider than a page."""
    monkeypatch.setattr(module, "INDEX_ROWS_PER_PAGE", 3)
    graph = await new_graph(store, access, "g")
    again = index.IndexItem(kind="entity", id=1, terms=packed(["alpha"]))
    first = index.IndexItem(kind="entity", id=2, terms=packed(["beta"]))
    await store.write(index.put, graph.id, [first])
    for _ in range(20):
        await store.write(index.put, graph.id, [again])
    segment = await Segments(store, bytes_max=ROOMY).of(access, graph)
    assert (segment.version, named(segment, "alpha"), named(segment, "beta")) == (21, [1], [2])


async def test_a_graph_deleted_while_it_is_read_is_not_served(
    store: Store, access: Access, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not even as far as it was read, and nothing of it stays."""
    monkeypatch.setattr(module, "INDEX_ROWS_PER_PAGE", 300)
    graph = await large(store, access, "g", 700)
    segments = Segments(store, bytes_max=ROOMY)
    watched = _Watched(monkeypatch)
    watched.hold_take.clear()
    asked = asyncio.ensure_future(segments.of(access, graph))
    await asyncio.to_thread(watched.entered.wait, 5)
    await store.write(graphs.delete, access, "g")
    watched.hold_take.set()
    with pytest.raises(NotFound):
        await asked
    assert not segments._segments
    assert segments._bytes == 0


async def test_a_builder_that_is_cancelled_leaves_the_rest_to_the_next(
    store: Store, access: Access, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Others who wait for the segment are not cancelled with it, and no row is taken twice."""
    monkeypatch.setattr(module, "INDEX_ROWS_PER_PAGE", 300)
    graph = await large(store, access, "g", 700)
    segments = Segments(store, bytes_max=ROOMY)
    watched = _Watched(monkeypatch)
    watched.hold_take.clear()
    asked = [asyncio.ensure_future(segments.of(access, graph)) for _ in range(4)]
    await asyncio.to_thread(watched.entered.wait, 5)
    await asyncio.sleep(0.05)
    for given_up in asked[:2]:
        given_up.cancel()
    await asyncio.sleep(0.05)
    watched.hold_take.set()
    answers = await asyncio.gather(*asked, return_exceptions=True)
    assert [isinstance(a, asyncio.CancelledError) for a in answers] == [True, True, False, False]
    for segment in answers[2:]:
        assert isinstance(segment, Segment)
        assert len(named(segment, "alpha")) == 700
    assert watched.overlaps == 0
    assert sum(count for _, count in watched.taken) == 700


async def test_the_bytes_are_counted_as_they_change(
    store: Store, access: Access, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A running total: a search does not look at every other segment."""
    known = [await filled(store, access, f"g{n}", f"alpha word{n}") for n in range(12)]
    segments = Segments(store, bytes_max=ROOMY)
    for graph in known:
        await segments.of(access, graph)
    await add_text(store, access, "g3", "alpha beta")
    await work(store)
    await segments.of(access, known[3])
    await store.write(graphs.delete, access, "g5")
    with pytest.raises(NotFound):
        await segments.of(access, known[5])
    assert segments._bytes == sum(s.size_bytes for s in segments._segments.values())
    assert set(segments._sizes) == set(segments._segments)
    looks = []
    size_bytes = Segment.size_bytes.fget
    assert size_bytes is not None

    def counted(segment: Segment) -> int:
        looks.append(segment)
        return int(size_bytes(segment))

    monkeypatch.setattr(Segment, "size_bytes", property(counted))
    await segments.of(access, known[0])
    assert set(looks) <= {segments._segments[known[0].uuid]}


async def test_changes_are_taken_off_the_loop(
    store: Store, access: Access, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Building a large segment holds up nobody else."""
    graph = await filled(store, access, "g", "alpha")
    threads: list[int] = []
    take = Segment.take

    def watched(segment: Segment, page: IndexPage) -> None:
        threads.append(threading.get_ident())
        take(segment, page)

    monkeypatch.setattr(Segment, "take", watched)
    await Segments(store, bytes_max=ROOMY).of(access, graph)
    assert threads
    assert threading.get_ident() not in threads


def strands(segment: Segment) -> list[tuple[str, int]]:
    """The episodes in the order of their strands, each with the name of its own."""
    shelf = segment.episodes
    return sorted(
        (shelf.series_names.values[shelf.series.array[slot]], int(shelf.ids.array[slot]))
        for slot in segment.episodes.order.slots
    )


async def test_messages_whose_thread_is_deleted_have_other_neighbours(
    store: Store, access: Access
) -> None:
    """In a segment that already held them as in one that did not."""
    await new_user(store, access, "u")
    for thread in ("s", "t"):
        await new_thread(store, access, thread, "u")
        await add_messages(store, access, thread, "one", "two")
    await work(store)
    graph = await store.read(graphs.of_user, access, "u")
    warm = Segments(store, bytes_max=ROOMY)
    before = strands(await warm.of(access, graph))
    assert len({name for name, _ in before}) == 2
    await store.write(threads.delete_keeping_graph, access, "t")
    after = strands(await warm.of(access, graph))
    assert [number for name, number in after if name == "messages"] == [
        number for _, number in before[2:]
    ]
    assert after == strands(await Segments(store, bytes_max=ROOMY).of(access, graph))
    assert len(after) == len(before)
