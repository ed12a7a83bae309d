"""Postings score by BM25 as it stands in the books, over what may be seen, in any portions."""

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.graph.terms import hashed, packed
from recollect.search.neighbours import DECAY, EpisodeOrder
from recollect.search.postings import K1, B, Postings

LENT_MAX = 40
DAY = 24 * 3600 * 1_000_000
WORDS = ("a", "b", "c", "d", "e")
SLOTS = 6
documents = st.lists(st.sampled_from(WORDS), max_size=8)
# An item that is put again replaces itself; None takes it away.
History = list[tuple[int, list[str] | None]]
histories = st.lists(
    st.tuples(st.integers(0, SLOTS - 1), st.none() | documents), min_size=1, max_size=25
)
queries = st.lists(st.sampled_from([*WORDS, "unknown"]), max_size=4)
seen = st.lists(st.booleans(), min_size=SLOTS, max_size=SLOTS)


def put(postings: Postings, history: History) -> None:
    """Changes, one after the other."""
    for slot, words in history:
        held = None if words is None else packed(words)
        postings.put(np.array([slot], np.int32), [held])


def left_of(history: History) -> dict[int, list[str]]:
    """What is there at the end."""
    left: dict[int, list[str]] = {}
    for slot, words in history:
        left.pop(slot, None)
        if words is not None:
            left[slot] = words
    return left


def search(postings: Postings, query: Sequence[str], visible: Sequence[bool]) -> list[float]:
    """The score of every slot."""
    found = postings.search([hashed(word) for word in query], np.array(visible, bool))
    return [float(score) for score in found]


def shares(scores: list[float], wanted: float) -> list[float]:
    """Scores as shares of what all the words are worth."""
    return [score / wanted if wanted else 0.0 for score in scores]


def brute_force(
    texts: dict[int, list[str]], query: Sequence[str], visible: Sequence[bool]
) -> list[float]:
    """BM25 over what is visible, as a share of what all the words are worth."""
    texts = {slot: words for slot, words in texts.items() if visible[slot]}
    count = sum(visible)  # those without a text are there as well
    average = max(1.0, sum(map(len, texts.values())) / max(1, count))
    scores, wanted = [0.0] * len(visible), 0.0
    for term in set(query):
        holding = sum(term in words for words in texts.values())
        rarity = math.log(1 + (count - holding + 0.5) / (holding + 0.5))
        wanted += rarity
        for slot, words in texts.items():
            often = words.count(term)
            norm = K1 * (1 - B + B * len(words) / average)
            scores[slot] += rarity * often * (K1 + 1) / (often + norm) if often else 0.0
    return shares(scores, wanted)


@given(histories, queries, seen)
def test_scores_are_those_of_the_books(
    history: History, query: list[str], visible: list[bool]
) -> None:
    """Whatever was added, replaced and taken away before, and whoever may not be seen."""
    postings = Postings()
    put(postings, history)
    assert search(postings, query, visible) == pytest.approx(
        brute_force(left_of(history), query, visible)
    )


@given(histories, queries, seen)
def test_scores_are_shares(history: History, query: list[str], visible: list[bool]) -> None:
    """Whoever has a word that is asked for has some, and saying it often counts only so much."""
    postings = Postings()
    put(postings, history)
    scores = search(postings, query, visible)
    held = [word for slot, words in left_of(history).items() if visible[slot] for word in words]
    assert (max(scores) > 0.0) == bool(set(query) & set(held))
    assert max(scores) <= K1 + 1
    assert min(scores) >= 0.0


@given(histories, seen)
def test_changes_can_come_in_any_portions(history: History, visible: list[bool]) -> None:
    """One by one, or what is left of them in one page: the same scores."""
    single, page = Postings(), Postings()
    put(single, history)
    last = dict(history)
    slots = np.array(list(last), np.int32)
    page.put(slots, [None if words is None else packed(words) for words in last.values()])
    for word in WORDS:
        assert search(single, [word], visible) == pytest.approx(search(page, [word], visible))


def test_a_repeated_query_term_counts_once() -> None:
    """Saying a word twice does not make it twice as wanted."""
    postings = Postings()
    put(postings, [(0, ["a", "b"]), (1, ["b"])])
    assert search(postings, ["a", "a", "b"], [True] * 2) == search(postings, ["a", "b"], [True] * 2)


def test_nothing_is_found_where_nothing_is() -> None:
    """No postings, no terms, nobody to be seen, everything taken away, slots beyond the last."""
    postings = Postings()
    assert search(postings, ["a"], []) == []
    assert search(postings, ["a"], [True] * 3) == [0.0] * 3
    put(postings, [(0, ["a"])])
    assert search(postings, [], [True]) == [0.0]
    assert search(postings, ["a"], [False]) == [0.0]
    assert search(postings, ["a"], [True] * 3)[0] > 0
    put(postings, [(0, None)])
    assert search(postings, ["a"], [True]) == [0.0]


def test_a_word_that_few_hold_counts_for_more() -> None:
    """Holding the rare one of two words is worth more than holding the common one."""
    postings = Postings()
    put(postings, [(n, ["a"]) for n in range(5)] + [(5, ["b"])])
    scores = search(postings, ["a", "b"], [True] * 6)
    assert scores[5] > 2 * scores[0] > 0


def test_what_two_share_of_some_words_is_a_share_of_those_that_are_there() -> None:
    """A word that nobody has is not missed, and a rare one counts for more."""
    postings = Postings()
    put(postings, [(0, ["a", "b"]), (1, ["a", "b", "c"]), (2, ["a"]), (3, ["c"])])
    visible, slots = np.ones(4, bool), np.array([0, 1, 2, 3], np.int32)
    shared = postings.shared([hashed(word) for word in ("a", "b", "unknown")], visible, slots)
    assert shared[0, 1] == pytest.approx(1.0)
    assert 0 < shared[0, 2] < 0.5
    assert not shared[3].any()
    assert not postings.shared([hashed("unknown")], visible, slots).any()


def test_many_small_changes_leave_few_runs() -> None:
    """A search looks into each run, so there must not be one for every change ever made."""
    postings = Postings()
    for number in range(2_000):
        put(postings, [(number % 400, [f"word{number}", "a"])])
    assert len(postings.runs) <= math.log2(2_000)
    held = sum(len(run.counts) for run in postings.runs)
    assert held <= 4 * 2 * 400
    assert np.count_nonzero(search(postings, ["a"], [True] * 400)) == 400
    assert search(postings, ["word3"], [True] * 400) == [0.0] * 400


def test_memory_is_counted() -> None:
    """More postings take more."""
    postings = Postings()
    before = postings.bytes
    put(postings, [(n, [f"w{n}", f"v{n}"]) for n in range(300)])
    assert postings.bytes >= before + 300 * 2 * (8 + 4 + 2)


def neighbours(mine: Sequence[int], slot: int, times: Sequence[int]) -> list[tuple[int, float]]:
    """Those of a strand around a slot without a gap between, and what they count."""
    place, near = mine.index(slot), []
    for step in (-1, 1):
        for distance, weight in enumerate(DECAY, start=1):
            aim = place + step * distance
            if not 0 <= aim < len(mine) or abs(times[mine[aim]] - times[mine[aim - step]]) > DAY:
                break
            near.append((mine[aim], weight))
    return near


def counted(words: Sequence[str], around: Sequence[tuple[Sequence[str], float]]) -> Counter[str]:
    """How often each word stands in a text and, by their weights, in those around it."""
    total: Counter[str] = Counter(words)
    for others, weight in around:
        lent = weight * LENT_MAX / max(LENT_MAX, len(others))
        for word, count in Counter(others).items():
            total[word] += lent * count
    return total


def windowed(
    texts: Sequence[list[str]],
    strand: Sequence[int],
    times: Sequence[int],
    query: Sequence[str],
    visible: Sequence[bool],
) -> list[float]:
    """The same with neighbours, from the plain definition."""
    order = [n for n in range(len(texts)) if visible[n]]
    counts = {}
    for slot in order:
        near = neighbours([n for n in order if strand[n] == strand[slot]], slot, times)
        counts[slot] = counted(texts[slot], [(texts[other], weight) for other, weight in near])
    average = max(1.0, sum(sum(c.values()) for c in counts.values()) / max(1, len(order)))
    scores, wanted = [0.0] * len(texts), 0.0
    for term in set(query):
        holding = sum(term in texts[slot] for slot in order)
        rarity = math.log(1 + (len(order) - holding + 0.5) / (holding + 0.5))
        wanted += rarity
        for slot in order:
            often = counts[slot][term]
            norm = K1 * (1 - B + B * sum(counts[slot].values()) / average)
            scores[slot] += rarity * often * (K1 + 1) / (often + norm) if often else 0.0
    return [min(share, 1.0) for share in shares(scores, wanted)]


turns = st.lists(
    st.tuples(
        st.lists(st.sampled_from(WORDS), max_size=6) | st.just(["a"] * 90),
        st.integers(0, 1),
        st.integers(0, 2),
        st.booleans(),
    ),
    min_size=1,
    max_size=12,
)


@given(turns, queries)
def test_the_words_of_neighbours_count_by_their_distance(
    said: list[tuple[list[str], int, int, bool]], query: list[str]
) -> None:
    """Of one strand, without a day of silence between them, and only of those that are seen."""
    texts = [words for words, _, _, _ in said]
    strand = [number for _, number, _, _ in said]
    times = np.cumsum([silence * DAY * 3 // 5 for _, _, silence, _ in said])
    visible = np.array([flag for _, _, _, flag in said], bool)
    postings, strands = Postings(), EpisodeOrder()
    slots = np.arange(len(said), dtype=np.int32)
    postings.put(slots, [packed(words) for words in texts])
    strands.add(np.array(strand, np.int64), slots.astype(np.int64) + 1, slots)
    found = postings.search(
        [hashed(word) for word in query], visible, strands.neighbours(visible, times)
    )
    expected = windowed(texts, strand, times.tolist(), query, visible.tolist())
    assert found.tolist() == pytest.approx(expected)
