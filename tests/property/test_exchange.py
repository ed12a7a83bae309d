"""Whatever was told, learned, corrected and forgotten, a file carries it to another store."""

import asyncio
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.graph.types import Access, NewEpisode
from recollect.ingest import intake
from recollect.records import erasing, knowledge
from recollect.records.knowledge import FactChange
from recollect.store.protocol import Store, Transaction
from tests.contract.store.world import START, new_graph, new_project, new_thread, new_user
from tests.property import strategies
from tests.property.effort import examples
from tests.property.reader import ScriptedReader
from tests.support import here
from tests.support.stores import open_store
from tests.unit.exchange.world import export, load, without_moment

Step = tuple[str, Any]
PICKS = st.integers(0, 1_000)
STEPS: st.SearchStrategy[Step] = st.one_of(
    st.tuples(st.just("say"), st.lists(strategies.messages(), min_size=1, max_size=3)),
    st.tuples(st.just("tell"), st.lists(strategies.data(), min_size=1, max_size=3)),
    st.tuples(st.just("learn"), st.none()),
    st.tuples(st.just("correct"), PICKS),
    st.tuples(st.just("forget"), PICKS),
    st.tuples(st.just("delete"), PICKS),
)


def uuids(tx: Transaction, part: str) -> list[str]:
    """The uuids of all facts, or of all episodes of the graphs."""
    found: list[str] = []
    for graph in tx.graphs.all(graph_id=None):
        if part == "facts":
            told = tx.digests.part("facts", graph_id=graph.id)
        else:
            told = tx.exchange.export("episodes", graph_id=graph.id, after=0, limit=1_000)
        found += [row["uuid"] for row in told]
    return found


def remains(tx: Transaction) -> bool:
    """Whether deleted episodes have left something."""
    every = tx.graphs.all(graph_id=None)
    return any(tx.readings.remainders_of_graph(graph_id=graph.id) for graph in every)


def sentences(tx: Transaction) -> list[str]:
    """What is known, in words."""
    every = tx.graphs.all(graph_id=None)
    return sorted(
        row["fact"] for graph in every for row in tx.digests.part("facts", graph_id=graph.id)
    )


async def apply(store: Store, access: Access, kind: str, what: Any) -> None:
    """One step of a history; a correction or a deletion picks among what there is."""
    if kind == "say":
        await store.write(intake.add_messages, access, "t", what)
    elif kind == "tell":
        await store.write(intake.add_episodes, access, None, "g", what)
    elif kind == "learn":
        await here.learn(store, ScriptedReader())
    elif kind == "correct":
        if found := await store.read(uuids, "facts"):
            change = FactChange(fact="Somebody corrected this.")
            await store.write(knowledge.update_fact, access, found[what % len(found)], change)
    elif found := await store.read(uuids, "episodes"):
        await store.write(erasing.episode, access, found[what % len(found)], kind)


async def carried(steps: Sequence[Step], folder: Path) -> None:
    """A history, and the same on both sides of a file."""
    # A clock that stands: when something is learned is part of what is known of it.
    store = open_store(folder / "old", readers=1, clock=lambda: START)
    other = open_store(folder / "new", readers=1, clock=lambda: START)
    try:
        access = await new_project(store, "default")
        await new_user(store, access, "jane", first_name="Jane")
        await new_thread(store, access, "t", "jane")
        await new_graph(store, access, "g")
        for kind, what in steps:
            await apply(store, access, kind, what)
        file, written = await export(store)
        imported = await load(other, file)
        assert imported.graphs == written.graphs
        assert without_moment((await export(other))[0]) == without_moment(file)
        assert await here.learn(other, ScriptedReader()) == await here.learn(
            store, ScriptedReader()
        )
        # What both learn afterwards is the same, too. What deleted episodes left is in no file, so
        # that a fact which others stand behind gets the uuid and the time of the next of them there.
        if await store.read(remains):
            assert await other.read(sentences) == await store.read(sentences)
        else:
            assert (await export(other))[1].graphs == (await export(store))[1].graphs
    finally:
        await store.close()
        await other.close()


@settings(max_examples=examples(15))
@given(st.lists(STEPS, max_size=8))
def test_every_history_survives_a_round_trip(steps: list[Step]) -> None:
    """Line by line, digest by digest, and with the same work left to do."""
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(carried(steps, Path(folder)))


def test_a_long_history_survives_a_round_trip(tmp_path: Path) -> None:
    """More than a page of everything."""
    words = ("alpha", "beta", "gamma", "delta")
    told = [
        NewEpisode(kind="text", content=f"{words[n % 2]} {words[2 + n % 2]} {n}") for n in range(15)
    ]
    steps: list[Step] = [("tell", told)] * 30 + [("learn", None), ("delete", 7), ("correct", 1)]
    asyncio.run(carried(steps, tmp_path))
