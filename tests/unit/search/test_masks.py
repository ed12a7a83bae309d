"""Conditions on episodes, from the rows of a segment to what rests on those that satisfy them."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from recollect.episodic_memory.filter_language import parse
from recollect.graph.episode_filters import holds
from recollect.graph.filters import EpisodeSource, Filters
from recollect.graph.types import Access, Graph, NewEpisode
from recollect.graph.visibility import Visibility
from recollect.ingest import intake
from recollect.records import walking
from recollect.search import snapshot
from recollect.search.finder import Finder
from recollect.search.query import Query
from recollect.search.segment import IndexPage, Segment
from recollect.search.segments import Segments
from recollect.search.visibility import as_seen
from recollect.settings import Settings
from recollect.store.protocol import Store
from recollect.store.rows import to_json
from tests.contract.store.world import new_graph, new_project
from tests.support import here
from tests.support.stores import open_store
from tests.unit.search.test_segment import episode_row
from tests.unit.search.test_visibility import NOT_SECRET, constraint, row, story

NOW = datetime(2024, 5, 2, tzinfo=UTC)


def asking(text: str, **more: Any) -> Filters:
    """A filter in the words of memory clients."""
    return Filters(episodes=parse(text), **more)


def passing(segment: Segment, kind: Any, filters: Filters) -> list[int]:
    """The row ids of what passes."""
    found = np.flatnonzero(segment.mask(kind, filters))
    return sorted(segment.row_ids(kind, found.astype(np.int32)))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("producer_id = 'user'", ([0], [0], [0, 1], [0])),
        ("producer_id = p1", ([1], [1, 2], [1], [1])),
        ("producer_id <> p1", ([0], [0, 2], [0, 1], [0, 1])),
        ("producer_role = 'user'", ([0, 1], [0, 1, 2], [0, 1], [0, 1])),
        ("produced_for_id = 'Bob'", ([1], [1, 2], [1], [1])),
        ("produced_for_id IS NULL", ([0], [0, 2], [0, 1], [0, 1])),
        ("created_at = '1970-01-01T00:00:00.000001'", ([1], [1, 2], [1], [1])),
        ("m.class = secret AND producer_id = 'user'", ([], [], [], [])),
    ],
)
def test_what_rests_on_an_episode_passes_with_it(
    text: str, expected: tuple[list[int], ...]
) -> None:
    """Facts and observations through their evidence, summaries through the messages."""
    kinds = ("episode", "fact", "observation", "thread_summary")
    segment = story()
    found = {kind: passing(segment, kind, asking(text)) for kind in kinds}
    assert found == dict(zip(kinds, expected, strict=True))


def test_what_is_hidden_satisfies_nothing() -> None:
    """A fact that was said in secret as well does not pass by the secret episode."""
    seen = as_seen(story(), NOT_SECRET)
    assert passing(seen, "episode", asking("producer_id = p1")) == []
    assert passing(seen, "fact", asking("producer_id = p1")) == []
    assert passing(seen, "thread_summary", asking("NOT producer_id = p1")) == [0]


def test_what_may_be_seen_does_not_pass_by_what_is_hidden() -> None:
    """A fact that is told openly and in secret is found by who told it openly."""
    touched = Visibility(allowed=(constraint("open", subset=True),))
    segment = story()
    assert passing(segment, "fact", asking("producer_id = p1")) == [1, 2]
    seen = as_seen(segment, touched)
    assert passing(seen, "fact", Filters()) == [0, 2]
    assert passing(seen, "fact", asking("producer_id = p0")) == [2]
    assert passing(seen, "fact", asking("producer_id = p1")) == []


def told(count: int) -> Segment:
    """So many episodes that can be found."""
    segment = Segment()
    said = [SimpleNamespace(**{**vars(episode_row(number)), "open": 1}) for number in range(count)]
    rows = [row("episode", number, "word") for number in range(count)]
    segment.take(IndexPage(until=1, rows=rows, items={"episode": said}))
    return segment


def test_those_kept_for_the_semantic_memory_can_be_left_out() -> None:
    """And are there unless somebody asks for that."""
    segment = told(12)
    assert passing(segment, "episode", Filters()) == list(range(12))
    left = [number for number in range(12) if number % 5 != 4]
    assert passing(segment, "episode", Filters(recallable_only=True)) == left


STORED = (
    1,
    1.0,
    "1",
    "1.0",
    True,
    "True",
    "true",
    0.5,
    "0.5",
    "x",
    "",
    "2024-01-02",
    1e16,
    [1, "x"],
)


@pytest.mark.parametrize("sign", ["=", "<>", "<", ">="])
@pytest.mark.parametrize(
    "value", ["1", "'1'", "'1.0'", "'true'", "TRUE", "0.5", "'0.5'", "x", "date('2024-01-02')"]
)
def test_values_are_judged_over_columns_as_one_by_one(sign: str, value: str) -> None:
    """Whatever is stored, and whatever it is compared with."""
    said = [
        SimpleNamespace(
            **{**vars(episode_row(number)), "open": 1, "metadata": to_json({"a": given})}
        )
        for number, given in enumerate(STORED)
    ]
    segment = Segment()
    rows = [row("episode", number, "word") for number in range(len(STORED))]
    segment.take(IndexPage(until=1, rows=rows, items={"episode": said}))
    tree = parse(f"m.a {sign} {value}")
    assert tree is not None
    expected = [
        number
        for number, given in enumerate(STORED)
        if holds(tree, EpisodeSource(uuid="", metadata={"a": given}))
    ]
    assert passing(segment, "episode", Filters(episodes=tree)) == expected


def test_a_snapshot_knows_whom_episodes_are_by_and_for() -> None:
    """As the segment did that it was made of."""
    segment = told(12)
    again = snapshot.load(0, snapshot.dump(segment)[1])
    assert again is not None
    for text in ("producer_id = p1", "produced_for_id = Bob", "producer_role = user"):
        for only in (True, False):
            chosen = asking(text, recallable_only=only)
            found = passing(again, "episode", chosen)
            assert found == passing(segment, "episode", chosen)
            assert 0 < len(found) < 12 or text == "producer_role = user"


class Small:
    """A graph that was really read, and a finder over it."""

    def __init__(self, store: Store, access: Access, graph: Graph, finder: Finder) -> None:
        self.store, self.access, self.graph, self.finder = store, access, graph, finder
        self.uuids: list[str] = []

    async def contents(self, **filters: Any) -> list[str]:
        """The episodes that are found."""
        query = Query(text="moved", kind="episode", now=NOW, filters=Filters(**filters))
        found = await self.finder.find(self.access, self.graph, query)
        return sorted(one.item.content for one in found)


@pytest.fixture
async def small(tmp_path: Path) -> AsyncIterator[Small]:
    """Three people say where they moved to."""
    store = open_store(tmp_path)
    access = await new_project(store, "p")
    graph = await new_graph(store, access, "g")
    segments = Segments(store, bytes_max=10**9)
    said = [
        NewEpisode(
            kind="message",
            content=f"I moved to {town}.",
            role="user",
            speaker=name,
            producer=name,
            addressee=other,
            metadata={"number": str(number)},
            created_at=NOW + timedelta(days=number),
        )
        for number, (name, town, other) in enumerate(
            [("Jane", "Berlin", "bot"), ("Emma", "Rome", None), ("Carl", "Oslo", "bot")]
        )
    ]
    made = Small(store, access, graph, Finder(store, segments, Settings().models))
    receipt = await store.write(intake.add_episodes, access, None, "g", said)
    made.uuids = list(receipt.uuids)
    await here.learn(store)
    try:
        yield made
    finally:
        await segments.close()
        await store.close()


async def test_a_search_is_narrowed_by_conditions(small: Small) -> None:
    """By every field, from the rows of the store."""
    berlin, rome, oslo = (f"I moved to {town}." for town in ("Berlin", "Rome", "Oslo"))
    for text, expected in (
        ("producer_id IN ('Jane', 'Emma')", [berlin, rome]),
        ("produced_for_id = 'bot' AND NOT producer_id = 'Jane'", [oslo]),
        ("produced_for_id IS NULL", [rome]),
        ("m.number >= 1", [oslo, rome]),
        ("created_at < '2024-05-03'", [berlin]),
        (f"uid = '{small.uuids[2]}'", [oslo]),
        (f"uid <> '{small.uuids[2]}'", [berlin, rome]),
        ("uid = 'nobody'", []),
    ):
        assert await small.contents(episodes=parse(text)) == expected, text


async def test_facts_pass_by_the_episodes_behind_them_wherever_they_are_read(small: Small) -> None:
    """In a search, and in a walk through the graph."""
    for text, expected in (
        ("producer_id = 'Emma'", "Rome"),
        (f"uid = '{small.uuids[0]}'", "Berlin"),
    ):
        chosen = Filters(episodes=parse(text))
        ids = await small.finder.matching(small.access, small.graph, "fact", chosen)
        query = Query(text="moved", kind="fact", now=NOW, filters=chosen)
        found = await small.finder.find(small.access, small.graph, query)
        assert found
        assert all(expected in one.item.fact for one in found)
        assert {one.item.id for one in found} <= set(ids)
        every = await small.finder.find(
            small.access, small.graph, Query(text="moved", kind="fact", now=NOW)
        )
        facts = [one.item for one in every]
        kept = await small.store.read(walking.passing_facts, small.access, facts, chosen)
        assert {fact.id for fact in kept} == {fact.id for fact in facts} & set(ids)
