"""What runs inside a peer's own environment: fills a store, or asks it, and says what that took.

One JSON argument is the job, one line of JSON is the answer. Nothing of this repository is imported but the embedder, so
that everybody gets the same vectors; it needs only what the environments of all peers have.
"""

import itertools
import json
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import psutil

from recollect.models.embedder import Embedder

BATCH = 500
ONE_BY_ONE = 50  # the last facts are added each in a call of its own
WARM_UP = 5
WANTED = 10


class Embedding:
    """Our embedder, in the peer's process; what is *given* counts as embedded already."""

    def __init__(self, model: Path) -> None:
        self._model = Embedder(model)
        self.given: dict[str, np.ndarray] = {}

    def query(self, text: str) -> np.ndarray:
        """The vector of a question."""
        found = self.given.get(text)
        return self._model.queries([text])[0] if found is None else found

    def passage(self, text: str) -> np.ndarray:
        """The vector of a fact."""
        return self.given[text]


class Peer(Protocol):
    """A memory under test, kept in a folder."""

    def add(self, numbers: Sequence[int], texts: Sequence[str], vectors: np.ndarray) -> None:
        """Keep facts; on return they can be searched."""

    def search(self, text: str) -> list[int]:
        """The numbers of the ten best facts."""

    def close(self) -> None:
        """Write down what is not on disk yet."""


Open = Callable[[Path, Embedding], Peer]


def cpu_ms(pids: Sequence[int]) -> float:
    """Processor time of processes since they began, by the clock that Linux keeps for each."""
    return 1000 * sum(time.clock_gettime((~pid << 3) | 2) for pid in pids)


def resident(pids: Sequence[int]) -> int:
    """Bytes of memory that processes hold."""
    return sum(psutil.Process(pid).memory_info().rss for pid in pids)


def processes(peer: Any) -> list[int]:
    """The processes that work for the peer: a server's, or this one, and what they started."""
    root = psutil.Process(getattr(peer, "pid", None))
    return [root.pid, *(child.pid for child in root.children(recursive=True))]


class Stopwatch:
    """What calls take, each on the clock and of the processors."""

    def __init__(self, pids: Sequence[int]) -> None:
        self._pids = pids
        self.wall: list[float] = []
        self.cpu: list[float] = []

    def __call__(self, task: Callable[..., Any], *args: Any) -> Any:
        """Do it once."""
        cpu, began = cpu_ms(self._pids), time.perf_counter()
        found = task(*args)
        self.wall.append(1000 * (time.perf_counter() - began))
        self.cpu.append(cpu_ms(self._pids) - cpu)
        return found

    def told(self) -> dict[str, float]:
        """Milliseconds: the middle and the slowest twentieth."""
        return {
            "wall_p50": float(np.percentile(self.wall, 50)),
            "wall_p95": float(np.percentile(self.wall, 95)),
            "cpu_p50": float(np.percentile(self.cpu, 50)),
            "cpu_p95": float(np.percentile(self.cpu, 95)),
        }


def fill(opened: Open, job: dict[str, Any], embedding: Embedding) -> dict[str, float]:
    """Add the facts in batches, and the last of them one by one."""
    given = Path(job["given"])
    texts = json.loads((given / "texts.json").read_text())
    vectors = np.load(given / "vectors.npy")
    embedding.given = dict(zip(texts, vectors, strict=True))
    peer = opened(Path(job["folder"]), embedding)
    together, alone = Stopwatch(processes(peer)), Stopwatch(processes(peer))
    bulk = len(texts) - ONE_BY_ONE
    starts = range(0, bulk, BATCH)
    for first, end in zip(starts, [*starts[1:], bulk], strict=True):
        together(peer.add, range(first, end), texts[first:end], vectors[first:end])
    for number in range(bulk, len(texts)):
        alone(peer.add, [number], [texts[number]], vectors[number : number + 1])
    together(peer.close)
    return {
        "bulk_cpu": sum(together.cpu) / bulk,
        "bulk_wall": sum(together.wall) / bulk,
        **{f"single_{name}": took for name, took in alone.told().items()},
    }


def ask(opened: Open, job: dict[str, Any], embedding: Embedding) -> dict[str, Any]:
    """Each question twice in a row: embedded anew, and with its vector ready."""
    given = Path(job["given"])
    questions = json.loads((given / "questions.json").read_text())
    ready = dict(zip(questions, np.load(given / "asked.npy"), strict=True))
    nearest = np.load(given / "nearest.npy").tolist()
    embedding.query("Is the model loaded?")
    before = resident([psutil.Process().pid])
    peer = opened(Path(job["folder"]), embedding)
    for text in questions[:WARM_UP]:
        peer.search(text)
    pids = processes(peer)
    grown = resident(pids) - getattr(peer, "resident_before", before)
    embedded, bare = Stopwatch(pids), Stopwatch(pids)
    recalled = []
    for text, wanted in itertools.islice(zip(questions, nearest, strict=True), WARM_UP, None):
        embedding.given = {}
        embedded(peer.search, text)
        embedding.given = {text: ready[text]}
        found = bare(peer.search, text)
        if len(found) > WANTED:
            raise ValueError(f"{len(found)} facts, though {WANTED} were asked for")
        recalled.append(len(set(found) & set(wanted[:WANTED])) / WANTED)
    peer.close()
    return {
        "embedded": embedded.told(),
        "bare": bare.told(),
        "recall": float(np.mean(recalled)),
        "bytes_per_fact": grown / job["facts"],
    }


def run(opened: Open) -> None:
    """Do the job that this process was started for."""
    job = json.loads(sys.argv[1])
    embedding = Embedding(Path(job["model"]))
    what = {"fill": fill, "ask": ask}[job["what"]]
    print(json.dumps(what(opened, job, embedding)))
