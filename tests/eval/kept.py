"""What the models made of texts, kept on disk by what it was made of, so that later runs are quick.

Everything around the models is the product's own code and runs each time.
"""

import hashlib
import inspect
import sqlite3
import threading
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from recollect.extract.brief import Brief
from recollect.graph.found import Found
from recollect.models import cross_encoder, embedder
from recollect.models.manifest import CROSS_ENCODER, EMBEDDER, PARSER
from recollect.settings import Settings
from tests.eval.common import CACHE, PROJECT
from tests.support.here import HereExtractor

_SOURCE = PROJECT / "src" / "recollect"
_PROSE = (
    "extract/prose",
    "extract/brief.py",
    "dates",
    "models/parser.py",
    "graph/found.py",
    "graph/predicates.py",
    "graph/predicates.toml",
)


def fingerprint(*parts: str) -> str:
    """A short hash of the product's files below the given paths."""
    digest = hashlib.sha256()
    for part in parts:
        place = _SOURCE / part
        for path in sorted(place.rglob("*")) if place.is_dir() else [place]:
            if path.is_file() and path.suffix != ".pyc":
                digest.update(str(path.relative_to(_SOURCE)).encode() + b"\0")
                digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def _written(maker: type) -> str:
    """A short hash of the code of a class."""
    return hashlib.sha256(inspect.getsource(maker).encode()).hexdigest()[:12]


class Kept:
    """Values by key in a file, for one maker of them; several processes may use the file."""

    def __init__(self, path: Path, maker: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._lock = threading.Lock()
        self._maker = maker.encode() + b"\0"
        self._file = sqlite3.connect(
            path, timeout=60, isolation_level=None, check_same_thread=False
        )
        self._file.execute("PRAGMA journal_mode = wal")
        self._file.execute("PRAGMA synchronous = off")
        self._file.execute("CREATE TABLE IF NOT EXISTS kept (key BLOB PRIMARY KEY, value BLOB)")

    def all(
        self, texts: Sequence[bytes], make: Callable[[list[int]], Sequence[bytes]]
    ) -> list[bytes]:
        """The value of each text; those that are not kept are made, by their places."""
        keys = [hashlib.sha256(self._maker + text).digest() for text in texts]
        with self._lock:
            found = {key: value for key in dict.fromkeys(keys) if (value := self._get(key))}
            missing = {key: place for place, key in enumerate(keys) if key not in found}
            if missing:
                fresh = dict(zip(missing, make(list(missing.values())), strict=True))
                self._file.execute("BEGIN IMMEDIATE")
                self._file.executemany("INSERT OR REPLACE INTO kept VALUES (?, ?)", fresh.items())
                self._file.execute("COMMIT")
                found |= fresh
        return [found[key] for key in keys]

    def _get(self, key: bytes) -> bytes | None:
        row = self._file.execute("SELECT value FROM kept WHERE key = ?", (key,)).fetchone()
        return None if row is None else row[0]


def keep_vectors() -> None:
    """Let the embedder of this process remember its vectors, those of questions included."""
    model = embedder.load(Settings().models)
    kept = Kept(CACHE / "made.db", f"vector {EMBEDDER.version} {_written(type(model))}")
    passages = model.passages

    def remembered(texts: Sequence[str]) -> embedder.Vectors:
        made = kept.all(
            [text.encode() for text in texts],
            lambda places: [row.tobytes() for row in passages([texts[n] for n in places])],
        )
        rows = [np.frombuffer(value, np.float32) for value in made]
        return np.stack(rows) if rows else passages([])

    model.passages = remembered  # type: ignore[method-assign]


def keep_pairs() -> None:
    """Let the cross-encoder of this process remember its scores."""
    model = cross_encoder.load(Settings().models)
    kept = Kept(CACHE / "made.db", f"pair {CROSS_ENCODER.version} {_written(type(model))}")
    scores = model.scores

    def remembered(query: str, texts: Sequence[str]) -> cross_encoder.Logits:
        made = kept.all(
            [f"{query}\0{text}".encode() for text in texts],
            lambda places: [row.tobytes() for row in scores(query, [texts[n] for n in places])],
        )
        return np.array([np.frombuffer(value, np.float32)[0] for value in made], np.float32)

    model.scores = remembered  # type: ignore[method-assign]


class _KeptProse:
    """Reads prose and remembers what was read."""

    def __init__(self, prose: Any) -> None:
        self._prose = prose
        self._kept = Kept(CACHE / "made.db", f"prose {PARSER.version} {fingerprint(*_PROSE)}")

    def read(self, reading: Brief) -> Found:
        return self.read_many([reading])[0]

    def read_many(self, readings: Sequence[Brief]) -> list[Found]:
        made = self._kept.all(
            [msgspec.json.encode(reading) for reading in readings],
            lambda places: [
                msgspec.msgpack.encode(found)
                for found in self._prose.read_many([readings[n] for n in places])
            ],
        )
        return [msgspec.msgpack.decode(value, type=Found) for value in made]


class _NoProse:
    """Reads nothing, so that episodes get their vectors and no facts."""

    def read(self, reading: Brief) -> Found:
        return Found()

    def read_many(self, readings: Sequence[Brief]) -> list[Found]:
        return [Found() for _ in readings]


@cache
def remember_models() -> None:
    """Let both models of search remember, once in this process."""
    keep_vectors()
    keep_pairs()


@cache
def extractor(*, facts: bool = True) -> HereExtractor:
    """The embedded extractor with remembering models; without *facts*, it only embeds."""
    remember_models()
    made = HereExtractor()
    made.embedded._prose = _KeptProse(made.embedded._prose) if facts else _NoProse()  # type: ignore[assignment]
    return made
