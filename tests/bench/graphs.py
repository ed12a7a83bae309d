"""Large graphs for the search bench, written straight into a store's file.

Sentences are drawn from a small grammar with a long tail of words, vectors lie around the usual one
like those of real sentences do. Nothing of it was read by a model, so a million take minutes.
"""

import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from recollect.graph.terms import packed, terms
from recollect.search.vectors import DIMENSIONS, usual_vector

_FIRST_DAY = 1_700_000_000_000_000
_DAY = 86_400_000_000
_TOPICS = 200
_DIRECTIONS = 48
_APART = 0.48
_CHUNK = 10_000
_FACTS_PER_EPISODE = 2
_FACTS_PER_ENTITY = 8
_VERBS = ("likes", "visited", "bought", "met", "works on", "asked about", "sold", "plans")


class Sentences:
    """Sentences of a graph: who does what to which thing, words as frequent as in real talk."""

    def __init__(self, seed: int) -> None:
        self._random = np.random.default_rng(seed)
        self._words = [f"{a}{b}{c}" for a in "bdfgklmnprst" for b in "aeiou" for c in _ENDS]
        weights = 1 / np.arange(1, len(self._words) + 1)
        self._weights = weights / weights.sum()

    def make(self, count: int) -> list[str]:
        """So many sentences."""
        words = self._random.choice(self._words, (count, 5), p=self._weights)
        people = self._random.integers(0, 1_000, count)
        verbs = self._random.integers(0, len(_VERBS), count)
        return [
            f"Person{who} {_VERBS[verb]} {' '.join(chosen)}"
            for who, verb, chosen in zip(people, verbs, words.tolist(), strict=True)
        ]


_ENDS = [f"{a}{b}" for a in "bcdfghjklmnpqrstvwxz" for b in ("an", "el", "ir", "ot", "um", "ex")]


def vectors(count: int, seed: int) -> np.ndarray:
    """Unit vectors about as far from each other as those of sentences are.

    What they do not have in common lies in a few directions, as it does in real ones.
    """
    fixed = np.random.default_rng(1)
    directions = fixed.normal(0, 1, (_DIRECTIONS, DIMENSIONS)).astype(np.float32)
    topics = fixed.normal(0, 1, (_TOPICS, _DIRECTIONS)).astype(np.float32)
    random = np.random.default_rng(seed)
    meant = topics[random.integers(0, _TOPICS, count)]
    meant = meant + random.normal(0, 1, (count, _DIRECTIONS)).astype(np.float32)
    apart = meant @ directions
    apart *= _APART / np.linalg.norm(apart, axis=1, keepdims=True)
    found = usual_vector() + apart + random.normal(0, 0.003, (count, DIMENSIONS)).astype(np.float32)
    return (found / np.linalg.norm(found, axis=1, keepdims=True)).astype(np.float16)


def fill(path: Path, graph_id: int, facts: int, seed: int = 7) -> None:
    """Give an existing, empty graph so many made-up facts, with entities and episodes behind them."""
    sentences = Sentences(seed)
    sizes = ((start, min(_CHUNK, facts - start)) for start in range(0, facts, _CHUNK))
    made = ((sentences.make(size), vectors(size, seed + start + 1)) for start, size in sizes)
    plant(path, graph_id, facts, made, seed)


def plant(
    path: Path,
    graph_id: int,
    facts: int,
    chunks: Iterable[tuple[list[str], np.ndarray]],
    seed: int = 7,
) -> None:
    """Give an existing, empty graph facts of these words and vectors."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA synchronous = OFF")
    connection.execute("BEGIN")
    version = _count(connection, "SELECT index_version FROM graphs WHERE id = ?", graph_id)
    entities = max(2, facts // _FACTS_PER_ENTITY)
    first_entity = _next(connection, "entities")
    version = _entities(connection, graph_id, first_entity, entities, version)
    random = np.random.default_rng(seed)
    for told, made in chunks:
        ends = first_entity + random.integers(0, entities, (len(told), 2))
        version = _facts(connection, graph_id, told, made, ends, version)
    connection.execute("UPDATE graphs SET index_version = ? WHERE id = ?", (version, graph_id))
    connection.execute("COMMIT")
    connection.close()


def _count(connection: sqlite3.Connection, query: str, *params: int) -> int:
    return int(connection.execute(query, params).fetchone()[0])


def _next(connection: sqlite3.Connection, table: str) -> int:
    return _count(connection, f"SELECT coalesce(max(id), 0) + 1 FROM {table}")  # noqa: S608


def _entities(
    connection: sqlite3.Connection, graph_id: int, first: int, count: int, version: int
) -> int:
    names = [f"Thing {number}" for number in range(count)]
    connection.executemany(
        "INSERT INTO entities (id, uuid, graph_id, name, labels, created_at)"
        " VALUES (?, ?, ?, ?, '[\"Entity\"]', ?)",
        (
            (
                first + n,
                f"{graph_id:08x}-0000-7000-8001-{first + n:012x}",
                graph_id,
                name,
                _FIRST_DAY,
            )
            for n, name in enumerate(names)
        ),
    )
    rows = ((first + n, packed(terms(name)), None) for n, name in enumerate(names))
    return _index(connection, graph_id, "entity", rows, version)


def _facts(
    connection: sqlite3.Connection,
    graph_id: int,
    told: list[str],
    made: np.ndarray,
    ends: np.ndarray,
    version: int,
) -> int:
    first, episode = _next(connection, "facts"), _next(connection, "episodes")
    seq = _count(
        connection, "SELECT coalesce(max(seq), 0) FROM episodes WHERE graph_id = ?", graph_id
    )
    episodes = range((len(told) + _FACTS_PER_EPISODE - 1) // _FACTS_PER_EPISODE)
    connection.executemany(
        "INSERT INTO episodes (id, uuid, graph_id, seq, kind, content, created_at, received_at,"
        " processed_at) VALUES (?, ?, ?, ?, 'message', ?, ?, ?, ?)",
        (
            (
                episode + n,
                f"{graph_id:08x}-0000-7000-8002-{episode + n:012x}",
                graph_id,
                seq + n + 1,
                ". ".join(told[n * _FACTS_PER_EPISODE : (n + 1) * _FACTS_PER_EPISODE]),
                *[_FIRST_DAY + (seq + n) * 60_000_000] * 3,
            )
            for n in episodes
        ),
    )
    connection.executemany(
        "INSERT INTO facts (id, uuid, graph_id, source_id, target_id, name, fact, created_at,"
        " valid_at, invalid_at, expired_at, extractor) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'bench')",
        (
            (
                first + n,
                f"{graph_id:08x}-0000-7000-8003-{first + n:012x}",
                graph_id,
                int(ends[n, 0]),
                int(ends[n, 1]),
                fact.split()[:2][-1].upper(),
                fact,
                _FIRST_DAY,
                _FIRST_DAY,
                *([_FIRST_DAY + _DAY] * 2 if n % 10 == 0 else [None, None]),
            )
            for n, fact in enumerate(told)
        ),
    )
    connection.executemany(
        "INSERT INTO supports (fact_id, episode_id) VALUES (?, ?)",
        ((first + n, episode + n // _FACTS_PER_EPISODE) for n in range(len(told))),
    )
    rows = ((first + n, packed(terms(fact)), made[n].tobytes()) for n, fact in enumerate(told))
    version = _index(connection, graph_id, "fact", rows, version)
    rows = (
        (
            episode + n,
            packed(terms(" ".join(told[n * _FACTS_PER_EPISODE : (n + 1) * _FACTS_PER_EPISODE]))),
            made[n * _FACTS_PER_EPISODE].tobytes(),
        )
        for n in episodes
    )
    return _index(connection, graph_id, "episode", rows, version)


def _index(
    connection: sqlite3.Connection,
    graph_id: int,
    kind: str,
    rows: Iterator[tuple[int, bytes, bytes | None]],
    version: int,
) -> int:
    numbered = [(graph_id, version + place, kind, *row) for place, row in enumerate(rows, start=1)]
    connection.executemany("INSERT INTO index_rows VALUES (?, ?, ?, ?, ?, ?)", numbered)
    return version + len(numbered)
