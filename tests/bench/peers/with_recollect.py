"""Ours: the server over HTTP, and the library in the asking process.

The facts are planted in the store's file, because the server embeds what it is told itself; what telling it costs is `told`.
Both remember the vectors of the last questions, so that a question asked again at once is one whose vector is ready.
"""

import asyncio
import http.client
import json
import sqlite3
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import psutil

from recollect import Memory
from tests.bench import graphs
from tests.bench.peers.measured import ONE_BY_ONE, WANTED, Embedding, Stopwatch, resident, run
from tests.support.server import EXTRACTION_ON, Server

_CHUNK = 10_000
_FACT_CHARS_MAX = 250
_WARM_UP = 5
_SMALL = "small"  # a graph that is searched first, so that the embedder is loaded


def plant(folder: Path, given: Path) -> None:
    """The given facts in a graph, the first fact under the first id."""
    data = folder / "data"
    with Server(data) as server, server.http() as client:
        for name in ("facts", _SMALL):
            client.post("/graph/create", json={"graph_id": name}).raise_for_status()
    with closing(sqlite3.connect(data / "recollect.db")) as connection:
        numbers = dict(connection.execute("SELECT graph_id, id FROM graphs").fetchall())
    texts = json.loads((given / "texts.json").read_text())
    graphs.plant(data / "recollect.db", numbers["facts"], len(texts), _chunks(texts, given))
    graphs.fill(data / "recollect.db", numbers[_SMALL], 10)


def _chunks(texts: list[str], given: Path) -> Iterator[tuple[list[str], np.ndarray]]:
    vectors = np.load(given / "vectors.npy").astype(np.float16)
    for start in range(0, len(texts), _CHUNK):
        yield texts[start : start + _CHUNK], vectors[start : start + _CHUNK]


def told(folder: Path, given: Path) -> dict[str, float]:
    """What it takes to tell a server facts, one by one, until each can be searched, and all that follows from it."""
    texts = [text for text in json.loads((given / "texts.json").read_text()) if _fits(text)]
    with Server(folder / "told", environment=EXTRACTION_ON) as server, server.http() as client:
        client.post("/graph/create", json={"graph_id": "facts"}).raise_for_status()
        for number, text in enumerate(texts[:_WARM_UP]):
            _tell(client, number, text)
        root = psutil.Process(server.pid)
        watch = Stopwatch([root.pid, *(child.pid for child in root.children(recursive=True))])
        for number, text in enumerate(texts[-ONE_BY_ONE:]):
            watch(_tell, client, number, text)
        watch(_wait_until_read, server)
    return {
        "single_cpu_p50": sum(watch.cpu) / ONE_BY_ONE,  # a mean: it works on after it answered
        "single_wall_p50": float(np.percentile(watch.wall[:-1], 50)),
        "single_wall_p95": float(np.percentile(watch.wall[:-1], 95)),
    }


def _fits(text: str) -> bool:
    return len(text) <= _FACT_CHARS_MAX


def _tell(client: httpx.Client, number: int, text: str) -> None:
    body = {
        "graph_id": "facts",
        "fact": text,
        "fact_name": "SAYS",
        "source_node_name": f"Person {number % 25}",
        "target_node_name": f"Thing {number}",
    }
    client.post("/graph/add-fact-triple", json=body).raise_for_status()


def _wait_until_read(server: Server) -> None:
    while "recollect_jobs_pending 0.0" not in httpx.get(f"{server.url}/metrics").text:
        time.sleep(0.1)


def _number(uuid: str) -> int:
    """Which of the facts a planted one is."""
    return int(uuid[-12:], 16) - 1


class OverHttp:
    """A server, asked on one kept connection."""

    def __init__(self, folder: Path, embedding: Embedding) -> None:
        self._server = Server(folder / "data").start()
        self.pid = self._server.pid
        self._connection = http.client.HTTPConnection("127.0.0.1", self._server.port)
        self._headers = {"Authorization": f"Api-Key {self._server.api_key}"}
        self._ask(_SMALL, "Is the model loaded?")
        self.resident_before = resident([self.pid])

    def _ask(self, graph: str, text: str) -> list[Any]:
        body = {"graph_id": graph, "query": text, "scope": "edges", "limit": WANTED}
        self._connection.request("POST", "/api/v2/graph/search", json.dumps(body), self._headers)
        answer = json.loads(self._connection.getresponse().read())
        found: list[Any] = answer["edges"]
        return found

    def search(self, text: str) -> list[int]:
        """Facts with all that is known of them."""
        return [_number(edge["uuid"]) for edge in self._ask("facts", text)]

    def add(self, numbers: Sequence[int], texts: Sequence[str], vectors: np.ndarray) -> None:
        """See `plant` and `told`."""
        raise NotImplementedError

    def close(self) -> None:
        """End the server."""
        self._connection.close()
        self._server.stop()


class InProcess:
    """The library, on a loop of its own."""

    def __init__(self, folder: Path, embedding: Embedding) -> None:
        self._runner = asyncio.Runner()
        self._memory = self._runner.run(_opened(folder / "data"))

    def search(self, text: str) -> list[int]:
        """Facts with all that is known of them."""
        found = self._runner.run(self._memory.search(text, graph="facts", limit=WANTED))
        return [_number(fact.uuid) for fact in found]

    def add(self, numbers: Sequence[int], texts: Sequence[str], vectors: np.ndarray) -> None:
        """See `plant` and `told`."""
        raise NotImplementedError

    def close(self) -> None:
        """Let go of the folder."""
        self._runner.run(self._memory.close())
        self._runner.close()


async def _opened(folder: Path) -> Memory:
    return await Memory.open(folder, workers=0)


def main() -> None:
    """Fill and tell, or ask in one of both ways."""
    job = json.loads(sys.argv[1])
    if job["what"] == "fill":
        plant(Path(job["folder"]), Path(job["given"]))
        print(json.dumps(told(Path(job["folder"]), Path(job["given"]))))
    else:
        run(OverHttp if job["way"] == "server" else InProcess)


if __name__ == "__main__":
    main()
