"""Searching texts by words and by meaning, and how well the wanted ones come first."""

import hashlib
import math
import sqlite3
from collections.abc import Collection, Sequence
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from tests.eval.common import CACHE, language, vectors, words

Floats = npt.NDArray[np.float64]
Key = TypeVar("Key", int, str)

MEANING_WEIGHT = 0.7


class Words:
    """BM25 over texts, by the stems of their words, as SQLite's full-text index counts them."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._size = len(texts)
        self._index = sqlite3.connect(":memory:")
        self._index.execute(
            "CREATE VIRTUAL TABLE held USING fts5 (text, tokenize = 'porter unicode61')"
        )
        self._index.executemany(
            "INSERT INTO held (rowid, text) VALUES (?, ?)", list(enumerate(texts))
        )

    def scores(self, query: str) -> Floats:
        """The score of every text. Words without meaning of their own are not searched."""
        total = np.zeros(self._size)
        asked = [word for word in words(query) if word not in language().Defaults.stop_words]
        if asked:
            terms = " OR ".join(f'"{word}"' for word in dict.fromkeys(asked))
            for place, score in self._index.execute(
                "SELECT rowid, -bm25(held) FROM held WHERE held MATCH ?", (terms,)
            ):
                total[place] = score
        return total


def embedded(texts: Sequence[str], *, queries: bool = False) -> Floats:
    """Unit vectors of texts, kept on disk by the hash of the text so that later runs are quick."""
    CACHE.mkdir(parents=True, exist_ok=True)
    with sqlite3.connect(CACHE / "vectors.db") as store:
        store.execute("CREATE TABLE IF NOT EXISTS vector (key BLOB PRIMARY KEY, value BLOB)")
        return np.array([_vector(store, text, queries) for text in texts], dtype=np.float64)


def _vector(store: sqlite3.Connection, text: str, query: bool) -> npt.NDArray[np.float32]:
    key = hashlib.sha256(f"{'query' if query else 'text'}\0{text}".encode()).digest()
    held = store.execute("SELECT value FROM vector WHERE key = ?", (key,)).fetchone()
    if held:
        return np.frombuffer(held[0], dtype=np.float32)
    made: npt.NDArray[np.float32] = (vectors().queries if query else vectors().passages)([text])[0]
    store.execute("INSERT INTO vector VALUES (?, ?)", (key, made.tobytes()))
    return made


def standard(scores: Floats) -> Floats:
    """Scores with mean 0 and deviation 1; all 0 where they do not differ."""
    spread = float(scores.std()) if len(scores) else 0.0
    return (scores - scores.mean()) / spread if spread else np.zeros(len(scores))


def mixed(meaning: Floats, by_words: Floats) -> Floats:
    """The weighted sum of both kinds of score, each brought to the same scale."""
    return MEANING_WEIGHT * standard(meaning) + (1 - MEANING_WEIGHT) * standard(by_words)


def order(scores: Floats, owners: Sequence[int]) -> list[int]:
    """The owners of scored items from best to worst, each once. Ties keep the given order."""
    return list(dict.fromkeys(owners[n] for n in np.argsort(-scores, kind="stable")))


def recall_at(ranked: Sequence[Key], wanted: Collection[Key], k: int) -> float:
    """The share of the wanted that is among the first k."""
    return len(set(ranked[:k]) & set(wanted)) / len(wanted)


def gain(ranked: Sequence[Key], wanted: Collection[Key], k: int = 10) -> float:
    """nDCG at k: each wanted item counts less the later it comes; 1 when they come first."""
    got = sum(1 / math.log2(n + 2) for n, item in enumerate(ranked[:k]) if item in wanted)
    return got / sum(1 / math.log2(n + 2) for n in range(min(k, len(wanted))))


def reciprocal(ranked: Sequence[Key], wanted: Collection[Key]) -> float:
    """One over the place of the first wanted item, 0 if there is none."""
    return next((1 / (n + 1) for n, item in enumerate(ranked) if item in wanted), 0.0)


def measures(ranked: Sequence[Key], wanted: Collection[Key]) -> tuple[float, ...]:
    """R@5, R@10, R@20, nDCG@10 and the reciprocal rank of one question."""
    return (
        *(recall_at(ranked, wanted, k) for k in (5, 10, 20)),
        gain(ranked, wanted),
        reciprocal(ranked, wanted),
    )
