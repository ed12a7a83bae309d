"""Hops through a segment are those of a plain breadth-first search."""

from collections import deque
from collections.abc import Sequence
from types import SimpleNamespace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from recollect.graph.terms import packed
from recollect.graph.types import Kind
from recollect.search import hops as walk
from recollect.search.segment import IndexPage, Segment
from tests.unit.search.test_segment import episode_row, fact_row

ENTITIES = 8
Edges = list[tuple[int, int, bool]]  # ends, and whether the fact is there
edges = st.lists(
    st.tuples(st.integers(1, ENTITIES), st.integers(1, ENTITIES), st.booleans()), max_size=14
)
FAR = int(walk.FAR)


def segment_of(
    facts: Edges,
    supports: Sequence[tuple[int, int]] = (),
    mentions: Sequence[tuple[int, int]] = (),
) -> Segment:
    """A segment of entities 1 to 8, facts numbered from 1, and episodes 1 to 3."""

    def row(kind: str, number: int, there: bool = True) -> SimpleNamespace:
        held = packed(["a"]) if there else None
        return SimpleNamespace(item_kind=kind, item_id=number, terms=held, vector=None)

    segment = Segment()
    entities = [
        SimpleNamespace(id=n, created_at=0, labels="[]", attributes=None, is_user=0)
        for n in range(1, ENTITIES + 1)
    ]
    told = [
        SimpleNamespace(**{**vars(fact_row(number)), "source_id": source, "target_id": target})
        for number, (source, target, _) in enumerate(facts, start=1)
    ]
    everything = [row("entity", n.id) for n in entities]
    everything += [row("fact", n.id) for n in told]
    everything += [row("episode", n) for n in (1, 2, 3)]
    segment.take(
        IndexPage(
            until=1,
            rows=everything,
            items={
                "entity": entities,
                "fact": told,
                "episode": [episode_row(n) for n in (1, 2, 3)],
            },
            supports=[SimpleNamespace(item_id=fact, episode_id=said) for fact, said in supports],
            mentions=[
                SimpleNamespace(item_id=entity, episode_id=said) for entity, said in mentions
            ],
        )
    )
    gone = [row("fact", n, False) for n, (_, _, there) in enumerate(facts, start=1) if not there]
    segment.take(IndexPage(until=2, rows=gone))
    return segment


def plain(facts: Edges, origins: set[int], depth_max: int) -> dict[int, int]:
    """A queue and a set, as in the books."""
    found = dict.fromkeys(origins, 0)
    waiting = deque(sorted(origins))
    while waiting:
        here = waiting.popleft()
        if found[here] == depth_max:
            continue
        for source, target, there in facts:
            if there and here in (source, target):
                for end in (source, target):
                    if end not in found:
                        found[end] = found[here] + 1
                        waiting.append(end)
    return {n: found.get(n, FAR) for n in range(1, ENTITIES + 1)}


def by_id(segment: Segment, kind: Kind, hops: walk.Hops) -> dict[int, int]:
    """Hops by row ids, of those that are there."""
    alive = np.flatnonzero(segment.table(kind).alive.array).astype(np.int32)
    return dict(zip(segment.row_ids(kind, alive), hops[alive].tolist(), strict=True))


@given(edges, st.sets(st.integers(1, ENTITIES)), st.integers(0, 5))
def test_entities_and_facts_are_as_far_as_a_plain_search_finds(
    facts: Edges, origins: set[int], depth: int
) -> None:
    """Both ways along each fact, over those that are there, and no further than asked."""
    segment = segment_of(facts)
    slots = segment.entities.known(sorted(origins))
    expected = plain(facts, origins, depth)
    assert by_id(segment, "entity", walk.item_hops(segment, "entity", slots, depth)) == expected
    assert by_id(segment, "fact", walk.item_hops(segment, "fact", slots, depth)) == {
        number: min(expected[source], expected[target])
        for number, (source, target, there) in enumerate(facts, start=1)
        if there
    }


links = st.lists(st.tuples(st.integers(1, 5), st.integers(1, 3)), max_size=6)


@given(edges.filter(lambda found: len(found) >= 5), links, links, st.integers(1, ENTITIES))
def test_an_episode_is_as_far_as_the_nearest_it_speaks_of(
    facts: Edges, supports: list[tuple[int, int]], mentions: list[tuple[int, int]], origin: int
) -> None:
    """By an entity it mentions, or by a fact that it stands behind and that is there."""
    segment = segment_of(facts, supports, mentions)
    slots = segment.entities.known([origin])
    expected = plain(facts, {origin}, 3)
    near = dict.fromkeys((1, 2, 3), FAR)
    for fact, said in supports:
        source, target, there = facts[fact - 1]
        if there:
            near[said] = min(near[said], expected[source], expected[target])
    for entity, said in mentions:
        near[said] = min(near[said], expected[entity])
    assert by_id(segment, "episode", walk.item_hops(segment, "episode", slots, 3)) == near


def test_episodes_lead_to_those_they_speak_of() -> None:
    """By mention and by the ends of their facts."""
    segment = segment_of([(1, 2, True), (3, 4, True)], [(1, 1), (2, 2)], [(7, 1), (8, 3)])

    def reached(*ids: int) -> list[int]:
        return segment.row_ids("entity", walk.mentioned(segment, segment.episodes.known(ids)))

    assert sorted(reached(1)) == [1, 2, 7]
    assert sorted(reached(2, 3)) == [3, 4, 8]
    assert reached() == []


def test_an_empty_segment_has_nowhere_to_go() -> None:
    """No entities, no facts, no origins."""
    for kind in ("entity", "fact", "episode", "observation", "thread_summary"):
        assert len(walk.item_hops(Segment(), kind, np.empty(0, np.int32), 3)) == 0
