"""A job that ends the process is found out and parked; what ran beside it is not blamed."""

import asyncio
import os
import subprocess
import sys
from pathlib import Path

from recollect.ingest import queue
from tests.contract.store.world import add_text, findable, new_graph, new_project
from tests.support.stores import environment_of, open_store

TRIES = 2
# A server of which one job is the end, without a word, as a segmentation fault would be.
SERVER = """
import asyncio, os, sys
from pathlib import Path
from recollect.app.stores import open_store
from recollect.settings import Settings
from recollect.ingest import pipeline, queue
from recollect.ingest.worker import Worker

async def process(store, held, jobs):
    if any("deadly" in job.episode.content for job in jobs):
        os._exit(77)
    await asyncio.sleep(0.02)
    await pipeline.process(store, held, jobs)

async def serve():
    store = open_store(Settings(data=Path(sys.argv[1])))
    await store.write(queue.free, "server")
    workers = [
        Worker(store, owner="server", attempts_max=int(sys.argv[2]), backoff_first_s=0.01,
               process=process)
        for _ in range(2)
    ]
    running = [asyncio.create_task(worker.run()) for worker in workers]
    while (await store.read(queue.state)).pending:
        await asyncio.sleep(0.01)
    for worker in workers:
        worker.stop()
    await asyncio.gather(*running)
    await store.close()

asyncio.run(serve())
"""


async def test_a_job_that_kills_the_process_is_parked(tmp_path: Path) -> None:
    """With its group, by itself, and alone as often as allowed; then everybody else is done."""
    store = open_store(tmp_path)
    access = await new_project(store, "p")
    graph = await new_graph(store, access, "g")
    beside = await new_graph(store, access, "beside")
    deadly = (await add_text(store, access, "g", "a", "deadly", "b")).episodes[1]
    await add_text(store, access, "beside", "c")
    await store.close()
    codes = []
    while not codes or codes[-1] == 77:
        done = await asyncio.to_thread(
            subprocess.run,
            [sys.executable, "-c", SERVER, str(tmp_path), str(TRIES)],
            env={**os.environ, **environment_of(tmp_path)},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        codes.append(done.returncode)
        assert len(codes) <= 2 + TRIES + 1, done.stderr
    assert codes == [77] * (2 + TRIES) + [0], done.stderr
    store = open_store(tmp_path)
    try:
        (parked,) = await store.read(queue.parked, access, 10)
        assert (parked.episode_uuid, parked.attempts) == (deadly.uuid, TRIES)
        assert "process died" in parked.error
        assert len(await store.read(findable, graph.id)) == 3, "what is parked can be found, too"
        assert len(await store.read(findable, beside.id)) == 1
    finally:
        await store.close()
