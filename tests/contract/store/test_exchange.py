"""A project can be carried from one store to another."""

import io
from pathlib import Path
from typing import Any

from recollect.exchange import exporter, importer
from recollect.exchange.exporter import ExportRequest
from recollect.exchange.importer import ImportTarget
from recollect.governance import keys
from recollect.graph.types import Access
from recollect.store.protocol import Store, Transaction
from tests.contract.store.units import NO_UUID, NOBODY, episode, graph_id, in_a_unit, listed
from tests.contract.store.world import (
    Backend,
    StillClock,
    add_messages,
    add_text,
    new_graph,
    new_thread,
    new_user,
    work,
)


def _unwatched(_done: int) -> None:
    """Nobody asks how far it is."""


async def _exported(store: Store, name: str) -> bytes:
    project = await store.read(keys.project_named, name)
    sink = io.BytesIO()
    await store.read(exporter.export, ExportRequest(project=project), sink.write, _unwatched)
    return sink.getvalue()


async def test_an_import_gives_what_was_exported(
    store: Store, access: Access, backend: Backend, tmp_path: Path, clock: StillClock
) -> None:
    await new_user(store, access, "jane", first_name="Jane")
    await new_thread(store, access, "chat", "jane")
    await new_graph(store, access, "shelf")
    await add_messages(store, access, "chat", "I work at Acme in Paris.", "I left Acme.")
    await add_text(store, access, "shelf", "Tom leads Project Apollo.")
    await work(store)
    file = await _exported(store, "first")
    other = backend.open(tmp_path / "other", clock, None)
    try:
        await other.write(importer.load, io.BytesIO(file), ImportTarget(), _unwatched)
        again = await _exported(other, "first")
    finally:
        await other.close()
    assert again.splitlines()[1:] == file.splitlines()[1:]  # the first line has the time


@in_a_unit
def test_what_an_import_asks_before_it_writes(
    tx: Transaction, access: Access, stranger: Access
) -> None:
    assert tx.exchange.project_used(project_id=access.project_id) is False
    assert tx.exchange.graph_ids(project_id=access.project_id) == []
    graph = graph_id(tx, access.project_id, "shelf")
    row = tx.graphs.by_id(id=graph)
    assert row is not None
    said = episode(tx, graph, "words", metadata='{"team": "blue"}')
    assert tx.exchange.project_used(project_id=access.project_id) is True
    assert tx.exchange.project_used(project_id=stranger.project_id) is False
    assert tx.exchange.graph_ids(project_id=access.project_id) == [graph]
    assert tx.exchange.graph_anywhere(uuid=row.uuid) == graph
    assert tx.exchange.graph_anywhere(uuid=NO_UUID) is None
    assert tx.exchange.known_episodes(uuids=listed(said.uuid, NO_UUID)) == [said.uuid]


@in_a_unit
def test_imported_readings_are_put_on_the_sides_of_this_project(
    tx: Transaction, access: Access
) -> None:
    tx.projects.guards(keys=listed("team"), project_id=access.project_id)
    graph = graph_id(tx, access.project_id, "shelf")
    said = episode(tx, graph, "words", metadata='{"team": "blue"}')
    tx.readings.put(reader="embedded", found="{}", vectors=None, now=1, episode_id=said.id)
    before = tx.readings.side(graph_id=graph, seq=said.seq)
    tx.readings.set_side(side="elsewhere", episode_id=said.id)
    tx.exchange.mend_sides(graph_id=graph)
    assert tx.readings.side(graph_id=graph, seq=said.seq) == before


@in_a_unit
def test_records_that_refer_to_nothing_are_not_added(tx: Transaction, access: Access) -> None:
    vector: dict[str, Any] = {"document_id": NO_UUID, "terms": b"", "vector": None}
    assert tx.exchange.put("document_vector", project_id=access.project_id, **vector) == 0
    assert tx.exchange.export("user_groups", project_id=NOBODY, after=0, limit=5) == []
