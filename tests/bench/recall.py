"""How many of the truly nearest vectors the vector stage of search finds."""

from collections.abc import Iterator

import numpy as np

from recollect.search.columns import Floats
from recollect.search.vectors import EXACT_MAX, Vectors
from tests.bench import graphs
from tests.eval import common, conversations, ranking

_WANTED = 20
_QUERIES = 200
_TOGETHER = 200  # texts embedded at a time, so that the kept vectors are not locked for long
_CHARS_MIN, _CHARS_MAX = 20, 400


def recall(held: Floats, queries: Floats) -> tuple[float, float]:
    """The share of the nearest 20 that is looked at, and that is among the best 20 found."""
    stored = held.astype(np.float16)
    vectors, slots = Vectors(), np.arange(len(held), dtype=np.int32)
    vectors.put(slots, [vector.tobytes() for vector in stored])
    exact = stored.astype(np.float32)
    everyone = np.ones(len(held), bool)
    looked_at, found = [], []
    for query in queries:
        nearest = set(np.argsort(-(exact @ query), kind="stable")[:_WANTED].tolist())
        chosen = vectors.nearest(query, everyone)
        best = chosen[np.argsort(-vectors.likeness(chosen, query), kind="stable")[:_WANTED]]
        looked_at.append(len(nearest.intersection(chosen.tolist())) / len(nearest))
        found.append(len(nearest.intersection(best.tolist())) / len(nearest))
    return float(np.mean(looked_at)), float(np.mean(found))


def of_sentences(count: int) -> str:
    """Recall on real vectors: turns and sentences of real talk, questions about it."""
    try:
        texts, asked = real_talk(count)
    except common.DataMissing as missing:
        return f"skipped: {missing}"
    return _told(_embedded(texts), _embedded(asked, queries=True))


def real_talk(count: int) -> tuple[list[str], list[str]]:
    """So many turns and sentences, no two alike, and questions about some of them."""
    talks = [conversations.read(raw) for raw in common.data("locomo_dev.json.gz")]
    texts = dict.fromkeys(said.text for talk in talks for said in talk.turns)
    for text in _sentences(common.data("longmemeval_s_dev.json.xz")):
        if len(texts) >= count:
            break
        texts.setdefault(text)
    asked = [one.text for talk in talks for one in talk.questions]
    return list(texts)[:count], asked[:: max(1, len(asked) // _QUERIES)]


def of_made_ones(count: int) -> str:
    """Recall on the vectors that the large graphs of the bench hold."""
    made = graphs.vectors(count + _QUERIES, seed=11).astype(np.float32)
    return _told(made[:count], made[count:])


def _told(held: Floats, queries: Floats) -> str:
    looked_at, found = recall(held, queries)
    exact = " (all are scored)" if len(held) <= EXACT_MAX else ""
    return f"{found:.4f}, looked at {looked_at:.4f}, {len(queries)} queries{exact}"


def _sentences(raw: dict[str, dict[str, list[dict[str, str]]]]) -> Iterator[str]:
    for session in raw["sessions"].values():
        for turn in session:
            for sentence in turn["content"].replace("\n", ". ").split(". "):
                if _CHARS_MIN <= len(sentence) <= _CHARS_MAX:
                    yield sentence.strip()


def _embedded(texts: list[str], *, queries: bool = False) -> Floats:
    parts = [
        ranking.embedded(texts[start : start + _TOGETHER], queries=queries)
        for start in range(0, len(texts), _TOGETHER)
    ]
    return np.concatenate(parts).astype(np.float32)
