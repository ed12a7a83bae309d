"""A segment takes changes in any portions, ends up as if built anew, and tells its size."""

import threading
from types import SimpleNamespace
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from recollect.graph.terms import hashed, packed
from recollect.search.columns import NO_TIME
from recollect.search.segment import IndexPage, Segment
from recollect.search.vectors import DIMENSIONS

WORDS = ("a", "b", "c", "d")
ENTITIES = 3
VECTOR = np.full(DIMENSIONS, 0.05, np.float16).tobytes()


def fact_row(number: int, closed: int | None = None) -> Any:
    """A fact as the store tells it."""
    return SimpleNamespace(
        id=number,
        source_id=number % ENTITIES,
        target_id=(number + 1) % ENTITIES,
        name="KNOWS",
        created_at=10 * number,
        valid_at=7,
        invalid_at=closed,
        expired_at=closed,
        doubts="[]",
        weighed=0,
        took_place=0,
        denies=0,
        rating=None,
        attributes=None,
    )


def entity_row(number: int) -> Any:
    """An entity as the store tells it."""
    told = {"labels": '["Person"]', "attributes": '{"x": 1}', "is_user": 0}
    return SimpleNamespace(**{"id": number, "created_at": number, **told})


def episode_row(number: int) -> Any:
    """An episode as the store tells it."""
    return SimpleNamespace(
        id=number,
        created_at=number,
        seq=number + 1,
        role="user",
        speaker="Jane" if number % 2 else None,
        metadata=None,
        open=number % 3 != 2,
        asked="Is it late?" if number % 7 == 3 else None,
        producer=f"p{number % 2}" if number % 3 else None,
        addressee="Bob" if number % 4 == 1 else None,
        kept_for="semantic" if number % 5 == 4 else None,
        strand="thread 1" if number % 2 else None,
    )


class Change:
    """One change of an index: the item, its words or None, and when its fact was closed."""

    def __init__(self, kind: str, number: int, words: list[str] | None, closed: int | None) -> None:
        self.kind, self.number, self.words, self.closed = kind, number, words, closed

    def __repr__(self) -> str:
        return f"Change({self.kind!r}, {self.number}, {self.words}, {self.closed})"


changes = st.builds(
    Change,
    st.sampled_from(["fact", "entity", "episode"]),
    st.integers(0, 5),
    st.none() | st.lists(st.sampled_from(WORDS), max_size=5),
    st.none() | st.integers(20, 30),
)


def valid(history: list[Change]) -> list[Change]:
    """Without what no store does: ids are never given out twice, so what is gone stays gone."""
    gone: set[tuple[str, int]] = set()
    kept = []
    for change in history:
        place = (change.kind, change.number)
        if place not in gone:
            kept.append(change)
        if change.words is None:
            gone.add(place)
    return kept


histories = st.lists(changes, max_size=25).map(valid)


def page(history: list[Change], since: int, until: int) -> IndexPage:
    """What a store answers for the versions in between, with each item's last row only."""
    last = {(c.kind, c.number): (version, c) for version, c in enumerate(history, start=1)}
    chosen = [(v, c) for v, c in sorted(last.values(), key=lambda p: p[0]) if since < v <= until]
    there = [change for _, change in chosen if change.words is not None]
    said = [change.number for change in there if change.kind == "episode"]
    return IndexPage(
        until=until,
        rows=[
            SimpleNamespace(
                version=version,
                item_kind=change.kind,
                item_id=change.number,
                terms=None if change.words is None else packed(change.words),
                vector=VECTOR if change.words and change.kind != "entity" else None,
            )
            for version, change in chosen
        ],
        items={
            "fact": [fact_row(c.number, c.closed) for c in there if c.kind == "fact"],
            "entity": [entity_row(c.number) for c in there if c.kind == "entity"],
            "episode": [episode_row(number) for number in said],
        },
        supports=[SimpleNamespace(item_id=number, episode_id=number) for number in said],
        mentions=[SimpleNamespace(item_id=number % ENTITIES, episode_id=number) for number in said],
    )


def content(segment: Segment) -> dict[str, Any]:
    """Everything that a search could see, by row ids: slots depend on when things came."""
    held: dict[str, Any] = {"version": segment.version}
    for kind in ("fact", "entity", "episode"):
        shelf = segment.table(kind)
        alive = np.flatnonzero(shelf.alive.array)
        ids = segment.row_ids(kind, alive)
        held[kind] = sorted(ids)
        held[kind, "created"] = dict(zip(ids, shelf.created_at.array[alive].tolist(), strict=True))
        held[kind, "vector"] = dict(
            zip(ids, segment.vectors[kind].held(len(shelf))[alive].tolist(), strict=True)
        )
        for word in WORDS:
            scores = segment.words[kind].search([hashed(word)], segment.visible(kind))
            held[kind, word] = dict(zip(ids, scores[alive].round(9).tolist(), strict=True))
    facts = np.flatnonzero(segment.facts.alive.array)
    for name in ("valid_at", "invalid_at", "expired_at"):
        values = getattr(segment.facts, name).array[facts].tolist()
        held[name] = dict(zip(segment.row_ids("fact", facts), values, strict=True))
    for name in ("source", "target"):
        ends = segment.row_ids("entity", getattr(segment.facts, name).array[facts])
        held[name] = dict(zip(segment.row_ids("fact", facts), ends, strict=True))
    for name, kind in (("supports", "fact"), ("mentions", "entity")):
        items, said = getattr(segment, name).pairs(segment.episodes)
        ends = (segment.row_ids(kind, items), segment.row_ids("episode", said))
        held[name] = sorted(zip(*ends, strict=True))
    window = segment.neighbours
    groups: dict[int, list[int]] = {}
    for number, group in zip(
        segment.row_ids("episode", window.slots), window.group.tolist(), strict=True
    ):
        groups.setdefault(group, []).append(number)
    held["strands"] = sorted(groups.values())
    return held


@given(histories, st.data())
def test_changes_can_come_in_any_portions(history: list[Change], data: st.DataObject) -> None:
    """As they happened, page by page, with parts repeated, or all at the end: the same."""
    whole, parts = Segment(), Segment()
    whole.take(page(history, 0, len(history)))
    known = 0
    while known < len(history):
        seen = data.draw(st.integers(known + 1, len(history)))  # what was written by then
        cut = data.draw(st.integers(known + 1, seen))
        again = data.draw(st.integers(0, known))
        parts.take(page(history[:seen], again, cut))
        known = cut
    assert content(parts) == content(whole)


@given(histories)
def test_a_page_that_was_taken_is_not_taken_again(history: list[Change]) -> None:
    """Nor is an older one, whoever brings it."""
    segment = Segment()
    segment.take(page(history, 0, len(history)))
    before = content(segment)
    for until in range(len(history) + 1):
        segment.take(page(history[:until], 0, until))
    assert content(segment) == before


def test_a_segment_is_what_its_rows_say() -> None:
    """Slots, columns, links and words of one small graph."""
    segment = Segment(epoch=4)
    history = [Change("entity", n, ["a"], None) for n in range(ENTITIES)]
    history += [Change("fact", 1, ["a", "b"], 25), Change("fact", 3, ["c"], None)]
    history += [Change("episode", 1, ["b"], None), Change("episode", 2, [], None)]
    segment.take(page(history, 0, 7))
    assert (segment.epoch, segment.version) == (4, 7)
    held = content(segment)
    assert (held["entity"], held["fact"], held["episode"]) == ([0, 1, 2], [1, 3], [1, 2])
    assert held["source"] == {1: 1, 3: 0}
    assert held["target"] == {1: 2, 3: 1}
    assert held["invalid_at"] == held["expired_at"] == {1: 25, 3: NO_TIME}
    assert held["supports"] == [(1, 1), (2, 2)]
    assert held["strands"] == [[1]]
    assert segment.row_ids("episode", np.flatnonzero(segment.visible("episode"))) == [1]


def test_what_is_touched_is_seen_as_it_is_now() -> None:
    """A fact that was closed keeps its words and its slot."""
    segment = Segment()
    history = [Change("fact", 1, ["a"], None), Change("fact", 1, ["a"], 21)]
    segment.take(page(history[:1], 0, 1))
    assert content(segment)["invalid_at"] == {1: NO_TIME}
    slots = segment.facts.known([1]).tolist()
    segment.take(page(history, 1, 2))
    assert content(segment)["invalid_at"] == {1: 21}
    assert segment.facts.known([1]).tolist() == slots


def test_what_is_gone_takes_its_links_along() -> None:
    """An episode that is deleted stands behind nothing any more."""
    segment = Segment()
    history = [Change("fact", 1, ["a"], None), Change("episode", 1, ["b"], None)]
    history += [Change("episode", 1, None, None)]
    segment.take(page(history[:2], 0, 2))
    assert content(segment)["supports"] == [(1, 1)]
    segment.take(page(history, 2, 3))
    held = content(segment)
    assert (held["supports"], held["episode"], held["fact"]) == ([], [], [1])


def test_an_empty_segment_has_nothing_and_takes_memory() -> None:
    """Otherwise a cache of empty segments would have no bound."""
    segment = Segment()
    assert segment.size_bytes > 0
    for kind in ("fact", "entity", "episode", "observation", "thread_summary"):
        assert segment.visible(kind).tolist() == []
        assert segment.row_ids(kind, np.empty(0, np.int32)) == []


def test_size_grows_with_what_is_held() -> None:
    """More items, more terms, and more of what they are filtered by take more memory."""
    sizes = []
    for count in (1, 1_000, 5_000):
        segment = Segment()
        history = [Change("episode", n, [f"w{n}", "a"], None) for n in range(count)]
        segment.take(page(history, 0, count))
        sizes.append(segment.size_bytes)
    assert sizes[2] > 3 * sizes[1] > 3 * sizes[0]


def test_metadata_counts_as_memory() -> None:
    """A caller may send much of it with every message, and a cache must know."""
    plain, laden = Segment(), Segment()
    history = [Change("episode", n, ["a"], None) for n in range(20)]
    plain.take(page(history, 0, 20))
    heavy = page(history, 0, 20)
    for row in heavy.items["episode"]:
        row.metadata = f'{{"note": "{row.id:050000d}"}}'
    laden.take(heavy)
    assert laden.size_bytes - plain.size_bytes >= 20 * 50_000


def test_two_never_work_on_one_segment_at_once() -> None:
    """Whoever searches is alone with it, and so is whoever brings changes."""
    segment, busy, most = Segment(), [0], [0]

    def task(_: Segment) -> None:
        busy[0] += 1
        most[0] = max(most[0], busy[0])
        threading.Event().wait(0.002)
        busy[0] -= 1

    threads = [threading.Thread(target=segment.work, args=(task,)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == [1]
