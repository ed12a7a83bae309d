"""A segment ranks by BM25, takes changes in order, and can be built again at any time."""

import math
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.search.segment import Hit, IndexRow, Segment

K1, B = 1.2, 0.75
WORDS = ("a", "b", "c", "d", "e")
documents = st.lists(st.sampled_from(WORDS), max_size=8)
# An item that is put again replaces itself; None takes it away.
histories = st.lists(
    st.tuples(st.integers(0, 5).map(str), st.none() | documents), min_size=1, max_size=25
)


def index_rows(history: list[tuple[str, list[str] | None]]) -> list[IndexRow]:
    """The changes of a graph, numbered from one."""
    return [
        IndexRow(version, "episode", uuid, None if words is None else " ".join(words))
        for version, (uuid, words) in enumerate(history, start=1)
    ]


def brute_force(history: list[tuple[str, list[str] | None]], query: list[str]) -> dict[str, float]:
    """BM25 as it stands in the books, over what is left at the end."""
    left: dict[str, list[str]] = {}
    for uuid, words in history:
        left.pop(uuid, None)
        if words is not None:
            left[uuid] = words
    if not left:
        return {}
    average = max(1.0, sum(map(len, left.values())) / len(left))
    scores: dict[str, float] = {}
    for uuid, words in left.items():
        counts, score = Counter(words), 0.0
        for term in set(query):
            holding = sum(term in other for other in left.values())
            rarity = math.log(1 + (len(left) - holding + 0.5) / (holding + 0.5))
            norm = K1 * (1 - B + B * len(words) / average)
            score += rarity * counts[term] * (K1 + 1) / (counts[term] + norm)
        if score > 0:
            scores[uuid] = score
    return scores


def as_scores(hits: list[Hit]) -> dict[str, float]:
    """Hits by uuid; each item at most once, better ones first."""
    scores = [hit.score for hit in hits]
    assert scores == sorted(scores, reverse=True)
    assert len({hit.uuid for hit in hits}) == len(hits)
    return {hit.uuid: hit.score for hit in hits}


@given(histories, st.lists(st.sampled_from([*WORDS, "unknown"]), max_size=4))
def test_scores_are_those_of_the_books(
    history: list[tuple[str, list[str] | None]], query: list[str]
) -> None:
    """Whatever was added, replaced and deleted before."""
    segment = Segment()
    segment.apply(index_rows(history))
    found = as_scores(segment.search(query, 100))
    assert found == pytest.approx(brute_force(history, query))


@given(histories, st.lists(st.sampled_from(WORDS), min_size=1, max_size=3), st.integers(0, 4))
def test_a_limit_keeps_the_best(
    history: list[tuple[str, list[str] | None]], query: list[str], limit: int
) -> None:
    """The first few are the first few of all."""
    segment = Segment()
    segment.apply(index_rows(history))
    assert segment.search(query, limit) == segment.search(query, 100)[:limit]


@given(histories, st.data())
def test_changes_can_come_in_any_portions(
    history: list[tuple[str, list[str] | None]], data: st.DataObject
) -> None:
    """Applied at once, in parts, or with parts repeated: the same answers, the same version."""
    rows = index_rows(history)
    whole, parts = Segment(), Segment()
    whole.apply(rows)
    cut = data.draw(st.integers(0, len(rows)))
    again = data.draw(st.integers(0, cut))
    parts.apply(rows[:cut])
    parts.apply(rows[again:])
    assert parts.version == whole.version == len(rows)
    assert parts.size_bytes == whole.size_bytes
    for word in WORDS:
        assert parts.search([word], 100) == whole.search([word], 100)


@given(histories)
def test_a_segment_built_from_what_the_store_kept_answers_alike(
    history: list[tuple[str, list[str] | None]],
) -> None:
    """The store keeps only the last row of each item; a fresh segment must not differ."""
    rows = index_rows(history)
    last = {row.uuid: row for row in rows}
    fresh, old = Segment(), Segment()
    fresh.apply(sorted(last.values(), key=lambda row: row.version))
    old.apply(rows)
    for word in WORDS:
        assert as_scores(fresh.search([word], 100)) == pytest.approx(
            as_scores(old.search([word], 100))
        )
        assert [h.uuid for h in fresh.search([word], 100)] == [
            h.uuid for h in old.search([word], 100)
        ]


def test_newer_items_come_first_among_equals() -> None:
    """Ties are broken by age, and a replaced item counts as new."""
    segment = Segment()
    segment.apply(index_rows([("1", ["a"]), ("2", ["a"]), ("3", ["a"])]))
    assert [hit.uuid for hit in segment.search(["a"], 10)] == ["3", "2", "1"]
    segment.apply([IndexRow(4, "episode", "1", "a")])
    assert [hit.uuid for hit in segment.search(["a"], 10)] == ["1", "3", "2"]


def test_a_repeated_query_term_counts_once() -> None:
    """Saying a word twice does not make it twice as wanted."""
    segment = Segment()
    segment.apply(index_rows([("1", ["a", "b"]), ("2", ["b"])]))
    assert segment.search(["a", "a", "b"], 10) == segment.search(["a", "b"], 10)


def test_nothing_is_found_where_nothing_is() -> None:
    """An empty segment, no terms, no limit, everything deleted."""
    segment = Segment()
    assert segment.search(["a"], 10) == []
    segment.apply(index_rows([("1", ["a"])]))
    assert segment.search([], 10) == []
    assert segment.search(["a"], 0) == []
    assert segment.search(["a"], -1) == []
    segment.apply([IndexRow(2, "", "1", None)])
    assert segment.search(["a"], 10) == []


def test_an_item_without_terms_is_counted_but_not_found() -> None:
    """A message of stop words alone is part of the graph's statistics, and of no result."""
    segment = Segment()
    segment.apply(index_rows([("1", []), ("2", ["a"])]))
    assert [hit.uuid for hit in segment.search(["a"], 10)] == ["2"]


def test_even_an_empty_segment_takes_memory() -> None:
    """Otherwise a cache of empty segments would have no bound."""
    assert Segment().size_bytes > 0


def test_size_grows_with_what_is_held() -> None:
    """More items and more terms take more memory."""
    segment, sizes = Segment(), []
    for version in range(1, 6):
        segment.apply([IndexRow(version, "episode", str(version), f"word{version} a")])
        sizes.append(segment.size_bytes)
    assert sizes == sorted(set(sizes))
