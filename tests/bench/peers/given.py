"""What everybody is given: texts, vectors, questions with our embedder's vectors, and which facts are truly nearest.

The first facts are real talk with our embedder's vectors; beyond what that costs minutes to embed they are made up, text and vector.
"""

import hashlib
import json
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import NamedTuple

import numpy as np

from recollect.models import embedder
from recollect.settings import Settings
from tests.bench import graphs
from tests.bench.recall import real_talk

_TOGETHER = 250
_NEAREST = 20
_REAL_MAX = 10_000
_SEED = 7
_QUESTIONS = 105  # the first few warm up
_TIMED = 200  # texts whose embedding is timed


class Given(NamedTuple):
    """Where it lies, and what embedding a text costs here, in milliseconds of a core."""

    folder: Path
    facts: int
    question_ms: float
    fact_ms: float


def make(folder: Path, count: int, kept: Path) -> Given:
    """Write it all into a folder. Vectors are *kept* for the next run, texts are not."""
    texts, questions = real_talk(min(count, _REAL_MAX))
    questions = questions[:: max(1, len(questions) // _QUESTIONS)][:_QUESTIONS]
    vectors = _vectors(texts, kept)
    model = embedder.load(Settings().models)
    began = time.process_time()
    asked = model.queries(questions)
    question_ms = 1000 * (time.process_time() - began) / len(questions)
    began = time.process_time()
    model.passages(texts[:: max(1, len(texts) // _TIMED)][:_TIMED])
    fact_ms = 1000 * (time.process_time() - began) / min(_TIMED, len(texts))
    if more := count - len(texts):
        texts += graphs.Sentences(_SEED).make(more)
        vectors = np.concatenate([vectors, graphs.vectors(more, _SEED).astype(np.float32)])
    nearest = np.argsort(-(asked @ vectors.T), axis=1, kind="stable")[:, :_NEAREST]
    folder.mkdir(parents=True)
    (folder / "texts.json").write_text(json.dumps(texts))
    (folder / "questions.json").write_text(json.dumps(questions))
    np.save(folder / "vectors.npy", vectors)
    np.save(folder / "asked.npy", asked)
    np.save(folder / "nearest.npy", nearest)
    return Given(folder, len(texts), question_ms, fact_ms)


def _vectors(texts: list[str], kept: Path) -> np.ndarray:
    """Unit vectors in the precision that our store keeps; minutes of work are not done twice."""
    digest = hashlib.sha256("\n".join(texts).encode()).hexdigest()[:16]
    file = kept / f"vectors-{digest}.npy"
    if not file.exists():
        parts = [texts[start : start + _TOGETHER] for start in range(0, len(texts), _TOGETHER)]
        with ProcessPoolExecutor() as pool:
            made = np.concatenate(list(pool.map(_embedded, parts)))
        kept.mkdir(parents=True, exist_ok=True)
        np.save(file, made)
    return np.load(file).astype(np.float32)


def _embedded(texts: list[str]) -> np.ndarray:
    return embedder.load(Settings().models).passages(texts).astype(np.float16)
