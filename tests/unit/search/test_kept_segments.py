"""Segments of large graphs are kept in the store, and nothing that was forgotten with them."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from recollect.graph.types import Access, Graph
from recollect.ingest import intake
from recollect.records import episodes
from recollect.search import segments as module
from recollect.search import snapshot
from recollect.search.segment import Segment
from recollect.search.segments import Segments
from recollect.store import index
from recollect.store.protocol import Store
from tests.contract.store.world import add_text, new_graph, new_project, stored, text, work
from tests.support.stores import open_store
from tests.unit.search.test_segments import ROOMY, search

ENOUGH = 6


@pytest.fixture
async def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Store]:
    """An empty store, in which a few rows make a large graph."""
    monkeypatch.setattr(module, "SNAPSHOT_ROWS_MIN", ENOUGH - 1)
    opened = open_store(tmp_path)
    yield opened
    await opened.close()


@pytest.fixture
async def access(store: Store) -> Access:
    """A key to a project."""
    return await new_project(store, "p")


async def filled(store: Store, access: Access) -> tuple[Graph, list[str]]:
    """A large graph whose episodes say in their metadata what their number is."""
    graph = await new_graph(store, access, "g")
    said = [text(f"alpha word{n}", metadata={"note": f"secret{n}"}) for n in range(ENOUGH)]
    receipt = await store.write(intake.add_episodes, access, None, "g", said)
    await work(store)
    return graph, [one.uuid for one in (await stored(store, access, receipt)).episodes]


async def grown(store: Store, access: Access) -> None:
    """Let the graph be so much larger that it is kept again."""
    await add_text(store, access, "g", *(f"beta{n}" for n in range(3 * ENOUGH)))
    await work(store)


async def kept(segments: Segments, access: Access, graph: Graph) -> Segment:
    """The segment of a graph, once it was kept if it is to be."""
    segment = await segments.of(access, graph)
    await asyncio.gather(*segments._tasks)
    return segment


async def chunks(store: Store, graph: Graph) -> list[bytes]:
    """What is kept of a graph."""
    return await store.read(module._saved_chunks, graph.id)


async def test_a_cold_search_begins_with_what_was_kept(store: Store, access: Access) -> None:
    """And finds the same, and what came later."""
    graph, _ = await filled(store, access)
    warm = await kept(Segments(store, bytes_max=ROOMY), access, graph)
    assert len(await chunks(store, graph)) > 1
    await add_text(store, access, "g", "alpha later")
    await work(store)
    cold = Segments(store, bytes_max=ROOMY)
    assert len(await search(cold, access, graph, "alpha")) == ENOUGH + 1
    assert (await cold.of(access, graph)).kept_version == warm.version


@pytest.mark.parametrize("way", ["deleted", "changed"])
async def test_nothing_forgotten_is_kept(store: Store, access: Access, way: str) -> None:
    """Neither in what was kept before, nor in what a segment that held it leaves next."""
    graph, uuids = await filled(store, access)
    segments = Segments(store, bytes_max=ROOMY)
    await kept(segments, access, graph)
    assert b"secret3" in b"".join(await chunks(store, graph))
    if way == "deleted":
        await store.write(episodes.delete, access, uuids[3])
        assert await chunks(store, graph) == []
    else:
        await store.write(episodes.update_metadata, access, uuids[3], {"note": None, "other": 1})
    await kept(segments, access, graph)
    await grown(store, access)
    segment = await kept(segments, access, graph)
    told = b"".join(await chunks(store, graph))
    assert b"secret2" in told
    assert b"secret3" not in told
    assert not segment.holds_forgotten
    assert len(await search(segments, access, graph, "alpha")) == ENOUGH - (way == "deleted")


async def test_what_is_forgotten_while_a_segment_is_kept_is_not_kept(
    store: Store, access: Access, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A removal that comes just before the bytes are made is one too late for them."""
    graph, _ = await filled(store, access)
    segments = Segments(store, bytes_max=ROOMY)
    segment = await kept(segments, access, graph)
    await store.write(index.drop_snapshot, graph.id)

    async def too_early(*_: object) -> None:
        segment.facts.holds_forgotten = True

    monkeypatch.setattr(segments, "_rebuild", too_early)
    segment.facts.holds_forgotten = True
    await segments._save(segment, access, graph)
    assert await chunks(store, graph) == []
    segment.facts.holds_forgotten = False
    await segments._save(segment, access, graph)
    assert await chunks(store, graph) != []


async def test_two_who_keep_the_same_graph_do_not_mix(store: Store, access: Access) -> None:
    """Their segments need not lie in the same order, though they hold the same."""
    graph, _ = await filled(store, access)
    segment = await kept(Segments(store, bytes_max=ROOMY), access, graph)
    (version, mine), (_, yours) = snapshot.dump(segment), snapshot.dump(segment)
    place = (graph.id, segment.epoch, version)
    assert await store.write(index.put_snapshot, *place, mine[0], mine[:1], 0)
    assert await store.write(index.put_snapshot, *place, yours[0], yours[:1], 0)
    assert not await store.write(index.put_snapshot, *place, mine[0], mine[1:], 1)
    assert await store.write(index.put_snapshot, *place, yours[0], yours[1:], 1)
    assert await chunks(store, graph) == yours
