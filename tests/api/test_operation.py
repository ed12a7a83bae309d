"""What an operator sees: health, readiness, metrics, parked jobs, and logs without secrets."""

import asyncio
import json
import re
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from recollect.errors import StoreUnavailable
from recollect.ingest import queue
from recollect.ingest.worker import Worker
from tests.support.asgi import program
from tests.support.rawhttp import Connection, ConnectionEnded
from tests.support.server import Server
from tests.support.stores import behind

WAIT_SECONDS_MAX = 20.0
JSON_LOG = {"RECOLLECT_LOG_FORMAT": "json"}
MARKER = "xyzzy"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    """The real program on an empty folder, with its log in JSON."""
    with Server(tmp_path / "data", environment=JSON_LOG) as running:
        yield running


def eventually(read: Callable[[], Any], until: Callable[[Any], bool]) -> Any:
    """Read again and again until it holds."""
    deadline = time.monotonic() + WAIT_SECONDS_MAX
    while not until(found := read()):
        assert time.monotonic() < deadline, f"still not so: {found!r}"
        time.sleep(0.03)
    return found


def metrics(server: Server) -> dict[str, float]:
    """Every sample by name and labels."""
    text = httpx.get(f"{server.url}/metrics", trust_env=False).text
    samples = [line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#")]
    return {name: float(value) for name, value in samples}


def log_lines(server: Server) -> list[dict[str, Any]]:
    """The structured lines of the log."""
    lines = server.log.read_text().splitlines()
    return [json.loads(line) for line in lines if line.startswith("{")]


def a_thread(http: httpx.Client, name: str = "jane") -> str:
    """A user and a thread."""
    assert http.post("/users", json={"user_id": name}).is_success
    assert http.post("/threads", json={"thread_id": name, "user_id": name}).is_success
    return name


def say(http: httpx.Client, thread: str, *contents: str) -> list[str]:
    """Messages into a thread; answers their uuids."""
    messages = [{"role": "user", "content": content} for content in contents]
    answer = http.post(f"/threads/{thread}/messages", json={"messages": messages})
    assert answer.status_code == 200, answer.text
    uuids: list[str] = answer.json()["message_uuids"]
    return uuids


def park(server: Server, task: str) -> None:
    """Make the jobs of a task look as if they had failed too often."""
    with behind(server.data) as connection:
        connection.execute(
            "UPDATE jobs SET status = 'parked', attempts = 5, error = 'ValueError: [/broken]',"
            " completed_at = created_at WHERE task_uuid = ?",
            (task,),
        )
        connection.execute(
            "UPDATE episodes SET processed_at = NULL, failure = 'ValueError: [/broken]'"
            " WHERE task_uuid = ?",
            (task,),
        )


def test_health_and_readiness_need_no_key_and_say_little(server: Server) -> None:
    """A probe learns whether the process lives and whether it can serve, and nothing else."""
    for path, word in (("/health", "ok"), ("/ready", "ready")):
        answer = httpx.get(f"{server.url}{path}", trust_env=False)
        assert (answer.status_code, answer.json()) == (200, {"status": word})


async def test_readiness_fails_when_the_store_cannot_answer_and_health_does_not(
    tmp_path: Path,
) -> None:
    """A process without its store lives, but is not ready."""
    async with program(tmp_path / "data") as running:
        await running.services.store.close()
        assert (await running.send("GET", "/health", anonymous=True)).status == 200
        assert (await running.send("GET", "/ready", anonymous=True)).status == 503
        assert (await running.send("GET", "/metrics", anonymous=True)).status == 503


def test_metrics_count_requests_by_action_and_status(server: Server) -> None:
    """Each answer is counted once, refusals too, and the names of things are no labels."""
    with server.http() as http:
        a_thread(http, MARKER)
        http.get(f"/users/{MARKER}")
        http.get("/users/nobody")
        http.get("/nowhere")
    found = metrics(server)
    assert found['recollect_requests_total{action="user.add",status="200"}'] == 1
    assert found['recollect_requests_total{action="user.get",status="200"}'] == 1
    assert found['recollect_requests_total{action="user.get",status="404"}'] == 1
    assert found['recollect_requests_total{action="unknown",status="404"}'] == 1
    assert found['recollect_request_seconds_count{action="user.get"}'] == 2
    assert MARKER not in str(found)


def test_metrics_show_the_queue_and_its_end(tmp_path: Path) -> None:
    """Jobs are pending until a worker comes, and the oldest one's wait grows."""
    data = tmp_path / "data"
    with Server(data, options=("--workers", "0")) as server:
        with server.http() as http:
            say(http, a_thread(http), "one", "two", "three")
        time.sleep(0.2)
        found = metrics(server)
        assert found["recollect_jobs_pending"] == 3
        assert found["recollect_jobs_parked"] == 0
        assert found["recollect_oldest_job_wait_seconds"] >= 0.2
    with Server(data) as server:
        eventually(lambda: metrics(server)["recollect_jobs_pending"], lambda n: n == 0)
        found = metrics(server)
        assert found['recollect_jobs_total{outcome="succeeded"}'] == 3
        assert found["recollect_job_seconds_count"] == 3
        assert found["recollect_oldest_job_wait_seconds"] == 0


def test_a_parked_job_is_seen_and_can_be_retried(server: Server) -> None:
    """It stands in the metrics and in the list of its project; a retry brings it to its end."""
    with server.http() as http:
        (uuid,) = say(http, a_thread(http), "hello")
        episode = f"/graph/episodes/{uuid}"
        eventually(lambda: http.get(episode).json(), lambda e: e["processed"])
        task = http.get(episode).json()["task_id"]
        park(server, task)
        assert metrics(server)["recollect_jobs_parked"] == 1
        jobs = f"{server.url}/api/v1/jobs"
        (parked,) = http.get(f"{jobs}/parked").json()["jobs"]
        assert "job_id" not in parked, "a number of the whole store tells about other projects"
        assert parked["episode_uuid"] == uuid
        assert parked["attempts"] == 5
        assert parked["error"] == "ValueError: [/broken]"
        assert http.get(f"/tasks/{task}").json()["status"] == "failed"
        found = http.get(episode).json()
        assert (found["processed"], found["error"]) == (True, "ValueError: [/broken]")
        assert http.post(f"{jobs}/1/retry").status_code == 404
        assert http.post(f"{jobs}/{uuid}/retry").status_code == 200
        found = eventually(lambda: http.get(episode).json(), lambda e: e["processed"])
        assert "error" not in found
        assert http.get(f"{jobs}/parked").json() == {"jobs": []}
        assert http.get(f"/tasks/{task}").json()["status"] == "succeeded"
        assert http.post(f"{jobs}/{uuid}/retry").status_code == 404
    assert metrics(server)["recollect_jobs_parked"] == 0


async def test_a_job_that_keeps_failing_is_parked_and_lets_the_next_ones_pass(
    tmp_path: Path,
) -> None:
    """Retried as often as allowed, then out of the way, with its error to be seen."""
    async with program(tmp_path / "data") as running:
        await running.send("POST", "/api/v2/graph/create", {"graph_id": "g"})
        for word in ("good one", "bad one", "good two"):
            body = {"graph_id": "g", "type": "text", "data": word}
            await running.send("POST", "/api/v2/graph", body)

        async def process(store: Any, held: Any, jobs: Any) -> None:
            if any("bad" in job.episode.content for job in jobs):
                raise ValueError("what a model said")
            await store.write(lambda tx: queue.finish(tx, held, jobs) and None)

        worker = Worker(
            running.services.store,
            owner="test",
            attempts_max=2,
            backoff_first_s=0.001,
            process=process,
        )
        for _ in range(20):
            await worker.step()
            await asyncio.sleep(0.002)
        (parked,) = (await running.send("GET", "/api/v1/jobs/parked")).json()["jobs"]
        assert parked["attempts"] == 2
        assert parked["error"].startswith("ValueError (test_operation.py:"), "it quotes nothing"
        lines = [line for line in running.logs if line["event"].startswith("job.")]
        assert [line["event"] for line in lines].count("job.parked") == 1
        assert "what a model said" not in str(lines), "an error's text may quote a message"
        path = "/api/v2/graph/episodes/graph/g"
        listed = (await running.send("GET", path)).json()["episodes"]
        assert [e["processed"] for e in listed] == [True] * 3, "whoever waits for it waits no more"
        assert {e["content"]: e.get("error") for e in listed} == {
            "good one": None,
            "bad one": parked["error"],
            "good two": None,
        }


@pytest.mark.parametrize("error", [StoreUnavailable(), sqlite3.DatabaseError("x"), KeyError("x")])
async def test_a_worker_outlives_whatever_goes_wrong_once(tmp_path: Path, error: Exception) -> None:
    """One failure of the store, of any kind, does not end the work for good."""
    async with program(tmp_path / "data") as running:
        await running.send("POST", "/api/v2/graph/create", {"graph_id": "g"})
        body = {"graph_id": "g", "type": "text", "data": "hello"}
        made = (await running.send("POST", "/api/v2/graph", body)).json()
        store, failures = running.services.store, [error]

        class Failing:
            """The store, but for its first write."""

            read = store.read

            async def write(self, *args: Any, **kwargs: Any) -> Any:
                if failures:
                    raise failures.pop()
                return await store.write(*args, **kwargs)

        worker = Worker(Failing(), owner="test", attempts_max=3, backoff_first_s=0.01)  # type: ignore[arg-type]
        task = asyncio.create_task(worker.run())
        try:
            for _ in range(300):
                worker.wake()
                await asyncio.sleep(0.02)
                path = f"/api/v2/graph/episodes/{made['uuid']}"
                if (await running.send("GET", path)).json()["processed"]:
                    break
            else:
                pytest.fail(f"the worker never came back: {task}")
        finally:
            worker.stop()
            await asyncio.wait([task], timeout=5)
            assert task.done()
            task.exception()


def test_the_log_has_a_line_per_request_and_per_job_and_no_secrets(server: Server) -> None:
    """Ids, actions and numbers; never a message, a name, an address, an id of the caller or a key."""
    wrong_key = f"{MARKER}-wrong-key-of-someone"
    with server.http() as http:
        person = {"first_name": f"{MARKER} Jane", "last_name": f"{MARKER} Smith"}
        mail = {"email": f"{MARKER}@example.com", "metadata": {"note": MARKER}}
        assert http.post("/users", json={"user_id": "jane", **person, **mail}).is_success
        assert http.post("/threads", json={"thread_id": "t", "user_id": "jane"}).is_success
        uuids = say(http, "t", f"{MARKER} one", f"{MARKER} two")
        http.post("/users", json={"user_id": f"{MARKER}/bad"})
        http.post("/users", content=f'{{"user_id": "{MARKER}'.encode())
        http.get("/users-ordered", params={"search": MARKER, "pageNumber": f"{MARKER}"})
        http.get(f"/users/{MARKER}")
        http.get(f"/{MARKER}")
        search = {"query": MARKER, "graph_id": "none", "scope": "episodes"}
        http.post("/graph/search", json=search)
        http.get("/projects/info", headers={"Authorization": f"Api-Key {wrong_key}"})
        for uuid in uuids:
            eventually(
                lambda u=uuid: http.get(f"/graph/episodes/{u}").json(), lambda e: e["processed"]
            )
    server.stop()
    text = server.log.read_text()
    assert MARKER not in text
    assert server.api_key not in text
    assert "Traceback" not in text
    lines = log_lines(server)
    requests = [line for line in lines if line["event"] == "request.done"]
    expected = {"user.add": 3, "thread.create": 1, "thread.add_messages": 1, "graph.search": 1}
    for action, times in expected.items():
        assert [r["action"] for r in requests].count(action) == times, action
    for line in requests:
        assert {
            "action",
            "method",
            "status",
            "duration_ms",
            "project",
            "key",
            "level",
        } <= set(line)
        assert {"time", "timestamp"} & set(line), "a line says when it was"
    jobs = [line for line in lines if line["event"] == "job.done"]
    assert sorted(line["episode"] for line in jobs) == sorted(uuids)
    assert all(line["duration_ms"] >= 0 for line in jobs)


CRASH = """
from recollect import log
log.configure({format!r}, "info")
def handler(headers):
    raise ValueError("it broke")
try:
    handler(["Api-Key " + "yzzyx"[::-1]])
except ValueError as error:
    log.get("test").error("request.crashed", exc_info=error)
"""


@pytest.mark.parametrize("format_", ["json", "console"])
def test_a_crash_in_the_log_shows_where_but_not_with_what(format_: str) -> None:
    """A traceback names files and lines; the values in it may be keys and messages."""
    done = subprocess.run(
        [sys.executable, "-c", CRASH.format(format=format_)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    said = done.stdout + done.stderr
    assert done.returncode == 0, said
    assert "request.crashed" in said
    assert "it broke" in said
    assert MARKER not in said


async def _talk(server: Server, lane: int, acknowledged: dict[str, str]) -> None:
    """Messages one after another until the server does not answer any more."""
    connection = await Connection.open(server.port)
    try:
        for number in range(100_000):
            content = f"lane {lane} number {number}"
            body = {"messages": [{"role": "user", "content": content}]}
            path = f"/api/v2/threads/lane-{lane}/messages"
            answer = await connection.request("POST", path, body, key=server.api_key)
            assert answer.status == 200, answer
            acknowledged[content] = answer.json()["message_uuids"][0]
    except ConnectionEnded:
        return
    finally:
        await connection.close()


async def _half(server: Server) -> Connection:
    """A request of which the server has the head and half of the body."""
    connection = await Connection.open(server.port)
    body = b'{"messages": [{"role": "user", "content": "under way"}]}'
    head = (
        f"POST /api/v2/threads/lane-0/messages HTTP/1.1\r\nHost: x\r\n"
        f"Authorization: Api-Key {server.api_key}\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    connection.writer.write(head.encode() + body[:20])
    await connection.writer.drain()
    return connection


async def test_a_stop_in_traffic_keeps_what_was_acknowledged_and_answers_what_is_under_way(
    server: Server,
) -> None:
    """SIGTERM amid requests and queue work: exit code 0, nothing lost, no request cut in half."""
    lanes = 4
    with server.http() as http:
        for lane in range(lanes):
            a_thread(http, f"lane-{lane}")
    acknowledged: dict[str, str] = {}
    talks = [asyncio.create_task(_talk(server, lane, acknowledged)) for lane in range(lanes)]
    half = await _half(server)
    await asyncio.sleep(0.4)
    process = server._process
    assert process is not None
    process.send_signal(signal.SIGTERM)
    await asyncio.sleep(0.2)
    half.writer.write(b'{"messages": [{"role": "user", "content": "under way"}]}'[20:])
    answer = await asyncio.wait_for(half.read(), 10)
    await half.close()
    assert answer.status == 200, answer
    await asyncio.wait_for(asyncio.gather(*talks), 20)
    code = await asyncio.to_thread(process.wait, 20)
    assert code == 0, server.log_tail()
    assert "Traceback" not in server.log.read_text()
    acknowledged["under way"] = answer.json()["message_uuids"][0]
    assert len(acknowledged) > lanes
    server.kill()
    server.start()
    with server.http() as http:
        for content, uuid in acknowledged.items():
            assert http.get(f"/graph/episodes/{uuid}").json()["content"] == content
    eventually(lambda: metrics(server)["recollect_jobs_pending"], lambda n: n == 0)


def test_a_stop_without_traffic_is_quick_and_clean(server: Server) -> None:
    """An idle server leaves at once, even with idle connections open, and frees its folder."""
    with server.http() as http:
        assert http.get("/projects/info").is_success
        began = time.monotonic()
        assert server.stop() == 0
        assert time.monotonic() - began < 5
    server.start()
    assert server.stop() == 0


def test_documentation_is_served_without_a_key_and_without_the_network(server: Server) -> None:
    """The page and all it loads come from this server."""
    page = httpx.get(f"{server.url}/docs", trust_env=False)
    assert page.status_code == 200
    loaded = re.findall(r'(?:href|src)="([^"]+)"', page.text)
    assert loaded
    for path in [*loaded, "/openapi.json"]:
        assert path.startswith("/"), path
        answer = httpx.get(f"{server.url}{path}", trust_env=False, timeout=60)
        assert answer.status_code == 200, path
        assert answer.content
