"""The cache of segments: fresh at each use, bounded, blind to what is deleted or not one's own."""

import asyncio
import threading
from collections.abc import AsyncIterator, Iterable
from pathlib import Path

import pytest

from recollect.errors import NotFound
from recollect.graph.types import Access, Graph
from recollect.search.segment import Hit, IndexRow, Segment
from recollect.search.segments import Segments
from recollect.store import index
from recollect.store.protocol import Store
from recollect.store.sqlite import SqliteStore
from recollect.subjects import episodes, graphs
from tests.contract.store.world import add_text, new_graph, new_project, work

ROOMY = 10**9


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    """An empty store."""
    opened = SqliteStore.open(tmp_path)
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


async def test_a_search_finds_what_was_processed_before_it(store: Store, access: Access) -> None:
    """Each search is up to date, without anyone telling the cache."""
    segments = Segments(store, bytes_max=ROOMY)
    graph = await filled(store, access, "g", "alpha beta")
    assert len(await segments.search(access, graph, "Alpha!", 10)) == 1
    await add_text(store, access, "g", "alpha again")
    assert len(await segments.search(access, graph, "alpha", 10)) == 1
    await work(store)
    assert len(await segments.search(access, graph, "alpha", 10)) == 2
    assert len(await segments.search(access, graph, "alpha", 1)) == 1
    assert await segments.search(access, graph, "the of", 10) == []


async def test_a_deleted_episode_is_not_found_any_more(store: Store, access: Access) -> None:
    """Not even by a segment that already held it."""
    segments = Segments(store, bytes_max=ROOMY)
    graph = await filled(store, access, "g", "alpha", "alpha beta")
    hits = await segments.search(access, graph, "alpha", 10)
    await store.write(episodes.delete, access, hits[0].uuid)
    assert [hit.uuid for hit in await segments.search(access, graph, "alpha", 10)] == [hits[1].uuid]


async def test_a_deleted_graph_is_never_served(store: Store, access: Access) -> None:
    """Neither under its old name nor through the new graph of that name."""
    segments = Segments(store, bytes_max=ROOMY)
    graph = await filled(store, access, "g", "alpha")
    assert len(await segments.search(access, graph, "alpha", 10)) == 1
    await store.write(graphs.delete, access, "g")
    for ask in (segments.search(access, graph, "alpha", 10), segments.warm(access, graph)):
        with pytest.raises(NotFound):
            await ask
    again = await new_graph(store, access, "g")
    assert await segments.search(access, again, "alpha", 10) == []


async def test_a_deleted_graph_is_not_kept_in_memory(store: Store, access: Access) -> None:
    """Once a search has learned that a graph is gone, its words are gone too."""
    segments = Segments(store, bytes_max=ROOMY)
    graph = await filled(store, access, "g", "alpha")
    await segments.search(access, graph, "alpha", 10)
    await store.write(graphs.delete, access, "g")
    with pytest.raises(NotFound):
        await segments.search(access, graph, "alpha", 10)
    assert graph.uuid not in segments._segments


async def test_another_projects_graph_is_never_served(store: Store, access: Access) -> None:
    """Holding a graph value is not enough; the key decides, with a warm cache too."""
    segments = Segments(store, bytes_max=ROOMY)
    graph = await filled(store, access, "g", "alpha")
    stranger = await new_project(store, "other")
    await segments.warm(access, graph)
    for ask in (segments.search(stranger, graph, "alpha", 10), segments.warm(stranger, graph)):
        with pytest.raises(NotFound):
            await ask
    assert len(await segments.search(access, graph, "alpha", 10)) == 1


async def test_the_cache_is_bounded_and_the_least_used_go_first(
    store: Store, access: Access
) -> None:
    """Never more memory than allowed, unless a single segment alone is larger."""
    known = [await filled(store, access, f"g{n}", f"alpha word{n}") for n in range(6)]
    one = Segment()
    one.apply([IndexRow(1, "episode", "x", "alpha word0")])
    bytes_max = 3 * one.size_bytes
    segments = Segments(store, bytes_max=bytes_max)
    for graph in known:
        await segments.search(access, known[0], "alpha", 10)
        await segments.search(access, graph, "alpha", 10)
        held = sum(segment.size_bytes for segment in segments._segments.values())
        assert held <= bytes_max
        assert known[0].uuid in segments._segments
    assert list(segments._segments) == [known[4].uuid, known[0].uuid, known[5].uuid]
    for graph in known:
        assert len(await segments.search(access, graph, "alpha", 10)) == 1


async def test_a_cache_without_room_still_answers(store: Store, access: Access) -> None:
    """It keeps the one it is using."""
    known = [await filled(store, access, f"g{n}", "alpha") for n in range(3)]
    segments = Segments(store, bytes_max=0)
    for graph in known * 2:
        assert len(await segments.search(access, graph, "alpha", 10)) == 1
        assert len(segments._segments) == 1


async def test_empty_graphs_do_not_fill_the_cache(store: Store, access: Access) -> None:
    """Segments of graphs that hold nothing count against the bound as well."""
    segments = Segments(store, bytes_max=0)
    for n in range(5):
        graph = await new_graph(store, access, f"g{n}")
        assert await segments.search(access, graph, "alpha", 10) == []
    assert len(segments._segments) == 1


async def test_many_searches_at_once_agree(store: Store, access: Access) -> None:
    """With a cache that evicts all the time, and writes in between, every answer is right."""
    known = [await filled(store, access, f"g{n}", "alpha", "alpha beta") for n in range(4)]
    segments = Segments(store, bytes_max=0)

    async def ask(graph: Graph) -> int:
        return len(await segments.search(access, graph, "alpha", 10))

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
        self.hold_apply = threading.Event()
        self.hold_search.set()
        self.hold_apply.set()
        self.entered = threading.Event()
        self.overlaps = 0
        self._busy: dict[int, int] = {}
        self._lock = threading.Lock()
        search, apply = Segment.search, Segment.apply

        def watched_search(segment: Segment, terms: Iterable[str], limit: int) -> list[Hit]:
            self._enter(segment)
            try:
                self.hold_search.wait(5)
                return search(segment, terms, limit)
            finally:
                self._leave(segment)

        def watched_apply(segment: Segment, rows: Iterable[IndexRow]) -> None:
            self._enter(segment)
            try:
                self.hold_apply.wait(5)
                apply(segment, rows)
            finally:
                self._leave(segment)

        monkeypatch.setattr(Segment, "search", watched_search)
        monkeypatch.setattr(Segment, "apply", watched_apply)

    def _enter(self, segment: Segment) -> None:
        with self._lock:
            self._busy[id(segment)] = self._busy.get(id(segment), 0) + 1
            self.overlaps += self._busy[id(segment)] > 1
        self.entered.set()

    def _leave(self, segment: Segment) -> None:
        with self._lock:
            self._busy[id(segment)] -= 1


@pytest.mark.parametrize("evicted", [True, False])
async def test_two_never_work_on_one_segment(
    store: Store, access: Access, monkeypatch: pytest.MonkeyPatch, evicted: bool
) -> None:
    """A segment that is being searched is left alone until that is done, evicted or not."""
    one = await filled(store, access, "one", "alpha")
    two = await filled(store, access, "two", "alpha")
    segments = Segments(store, bytes_max=0)
    await segments.search(access, one, "alpha", 10)
    watched = _Watched(monkeypatch)

    watched.hold_search.clear()
    first = asyncio.ensure_future(segments.search(access, one, "alpha", 10))
    await asyncio.to_thread(watched.entered.wait, 5)
    if evicted:
        segments._use(two.uuid)
        assert one.uuid not in segments._segments
    await add_text(store, access, "one", "alpha")
    await work(store)
    second = asyncio.ensure_future(segments.search(access, one, "alpha", 10))
    await asyncio.sleep(0.1)
    watched.hold_search.set()
    answers = await asyncio.gather(first, second)
    assert watched.overlaps == 0
    assert [len(hits) for hits in answers] == [1, 2]


async def test_a_search_that_is_cancelled_leaves_no_half_built_segment(
    store: Store, access: Access, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The thread of a cancelled search works on; nobody else may use its segment meanwhile."""
    graph = await filled(store, access, "g", "alpha")
    segments = Segments(store, bytes_max=ROOMY)
    await segments.search(access, graph, "alpha", 10)
    await add_text(store, access, "g", *["alpha beta"] * 3)
    await work(store)
    watched = _Watched(monkeypatch)
    watched.hold_apply.clear()
    given_up = asyncio.ensure_future(segments.search(access, graph, "alpha", 10))
    await asyncio.to_thread(watched.entered.wait, 5)
    given_up.cancel()
    with pytest.raises(asyncio.CancelledError):
        await given_up
    next_ = asyncio.ensure_future(segments.search(access, graph, "alpha", 10))
    await asyncio.sleep(0.1)
    watched.hold_apply.set()
    assert len(await next_) == 4
    assert watched.overlaps == 0
    assert len(await segments.search(access, graph, "beta", 10)) == 3


class _Applied:
    """How many rows each call brought, over all segments."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.counts: list[int] = []
        self.segments: set[int] = set()
        apply = Segment.apply

        def counted(segment: Segment, rows: Iterable[IndexRow]) -> None:
            taken = list(rows)
            self.counts.append(len(taken))
            self.segments.add(id(segment))
            apply(segment, taken)

        monkeypatch.setattr(Segment, "apply", counted)


async def large(store: Store, access: Access, graph_id: str, count: int) -> Graph:
    """A graph with many index rows."""
    graph = await new_graph(store, access, graph_id)
    items = [
        index.Item(kind="episode", uuid=f"item-{n}", terms=f"alpha word{n}") for n in range(count)
    ]
    await store.write(index.put, graph.id, items)
    return graph


async def test_cold_searches_of_one_graph_build_one_segment(
    store: Store, access: Access, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever comes while it is built waits for it, and gets a whole answer."""
    graph = await large(store, access, "g", 700)
    segments = Segments(store, bytes_max=ROOMY)
    applied = _Applied(monkeypatch)
    asked = [segments.search(access, graph, "word699 word0", 10) for _ in range(20)]
    answers = await asyncio.gather(*asked)
    assert [len(hits) for hits in answers] == [2] * 20
    assert sum(applied.counts) == 700
    assert len(applied.segments) == 1


async def test_a_large_graph_is_read_in_pages(
    store: Store, access: Access, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Never all of its terms in one list; a page that ends where the graph ends is the last."""
    applied = _Applied(monkeypatch)
    for count in (1_000, 1_201):
        graph = await large(store, access, f"g{count}", count)
        segments = Segments(store, bytes_max=ROOMY)
        applied.counts.clear()
        assert len(await segments.search(access, graph, "alpha", count + 1)) == count
        assert max(applied.counts) <= 500
        assert sum(applied.counts) == count


async def test_a_graph_deleted_while_it_is_read_is_not_served(
    store: Store, access: Access, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not even as far as it was read, and nothing of it stays."""
    graph = await large(store, access, "g", 700)
    segments = Segments(store, bytes_max=ROOMY)
    watched = _Watched(monkeypatch)
    watched.hold_apply.clear()
    asked = asyncio.ensure_future(segments.search(access, graph, "alpha", 10))
    await asyncio.to_thread(watched.entered.wait, 5)
    await store.write(graphs.delete, access, "g")
    watched.hold_apply.set()
    with pytest.raises(NotFound):
        await asked
    assert not segments._segments
    assert segments._bytes == 0


async def test_a_builder_that_is_cancelled_leaves_the_rest_to_the_next(
    store: Store, access: Access, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Others who wait for the segment are not cancelled with it, and no row is taken twice."""
    graph = await large(store, access, "g", 700)
    segments = Segments(store, bytes_max=ROOMY)
    watched = _Watched(monkeypatch)
    watched.hold_apply.clear()
    asked = [
        asyncio.ensure_future(segments.search(access, graph, "alpha", 1_000)) for _ in range(4)
    ]
    await asyncio.to_thread(watched.entered.wait, 5)
    await asyncio.sleep(0.05)
    for given_up in asked[:2]:
        given_up.cancel()
    await asyncio.sleep(0.05)
    watched.hold_apply.set()
    answers = await asyncio.gather(*asked, return_exceptions=True)
    assert [isinstance(a, asyncio.CancelledError) for a in answers] == [True, True, False, False]
    for hits in answers[2:]:
        assert not isinstance(hits, BaseException)
        assert len(hits) == len({hit.uuid for hit in hits}) == 700
    assert watched.overlaps == 0


async def test_the_bytes_are_counted_as_they_change(
    store: Store, access: Access, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A running total: a search does not look at every other segment."""
    known = [await filled(store, access, f"g{n}", f"alpha word{n}") for n in range(12)]
    segments = Segments(store, bytes_max=ROOMY)
    for graph in known:
        await segments.warm(access, graph)
    await add_text(store, access, "g3", "alpha beta")
    await work(store)
    await segments.search(access, known[3], "alpha", 10)
    await store.write(graphs.delete, access, "g5")
    with pytest.raises(NotFound):
        await segments.warm(access, known[5])
    assert segments._bytes == sum(s.size_bytes for s in segments._segments.values())
    assert set(segments._sizes) == set(segments._segments)
    looks = []
    size_bytes = Segment.size_bytes.fget
    assert size_bytes is not None

    def counted(segment: Segment) -> int:
        looks.append(segment)
        return int(size_bytes(segment))

    monkeypatch.setattr(Segment, "size_bytes", property(counted))
    await segments.search(access, known[0], "alpha", 10)
    assert set(looks) <= {segments._segments[known[0].uuid]}


async def test_the_terms_of_a_query_are_found_off_the_loop(
    store: Store, access: Access, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A long query holds up nobody else."""
    graph = await filled(store, access, "g", "alpha")
    threads: list[int] = []

    def watched(text: str) -> list[str]:
        threads.append(threading.get_ident())
        return [text]

    monkeypatch.setattr("recollect.search.segments.terms", watched)
    await Segments(store, bytes_max=ROOMY).search(access, graph, "alpha", 10)
    assert threads
    assert threading.get_ident() not in threads
