"""How the client of generation 4 speaks: errors, keys, and writing once however often it asks."""

import json
import random
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest

from tests.contract.sdk.drivers import ClientError, Driver, Zep, typed
from tests.contract.sdk.environments import PY4
from tests.contract.sdk.requirements import REQUIREMENTS, requirement
from tests.contract.sdk.support import NOBODY, eventually, unique
from tests.contract.sdk.support_4 import (
    a_graph4,
    a_thread4,
    a_user4,
    ended,
    plainly,
    refused4,
    said4,
    told,
)
from tests.support.forkserver import ForkServer
from tests.support.server import DEFAULT_KEY, Server, free_port, program_environment, run_program

KILLS = 20
AT_ONCE = {"request_options": {"max_retries": 0}}  # we ask again by ourselves
UNSERVED = sorted(
    name
    for name, entry in REQUIREMENTS.items()
    if name.startswith(("v4:agent.", "v4:trace_connection.")) and entry.not_offered
)


@requirement("v4:transport:errors")
def test_a_failure_says_what_and_where(zep4: Zep) -> None:
    """Typed by its status, with a code for programs and the field for people."""
    with refused4(404, "NotFoundError") as raised:
        zep4.user.get(NOBODY)
    assert raised.value.body["error"]["code"] == "not_found"
    with refused4(400, "BadRequestError", param="time_zone"):
        zep4.user.create(time_zone="Nowhere/Atall")


@requirement("v4:transport:unauthorized")
def test_a_stranger_is_refused(zep4: Zep) -> None:
    """Whatever is asked."""
    stranger = zep4.with_key("nobody-has-this-key")
    with refused4(401, "UnauthorizedError"):
        stranger.user.list()
    with refused4(401, "UnauthorizedError"):
        stranger.user.create(user_id="x")


@requirement(*UNSERVED)
def test_what_is_not_offered_says_so(server: Server) -> None:
    """Every method about skills and the traces of others: 501 with its own name, and where to go instead."""
    with plainly(server) as http:
        for name in UNSERVED:
            verb, _, path = (REQUIREMENTS[name].http or "").partition(" /api/v4")
            for parameter in ("agent", "skill", "trace", "import", "connection", "verifier"):
                path = path.replace(f"{{{parameter}_uuid}}", NOBODY)
            answer = http.request(verb, path, json={})
            assert answer.status_code == 501, name
            error = answer.json()["error"]
            assert error["code"] == "not_offered"
            assert error["message"].startswith(name.removeprefix("v4:") + ": ")
            assert "/api/v4/agents/{agent_uuid}/traces" in error["message"]


@requirement("v4:idempotency:same")
def test_the_same_key_gets_the_same_answer(zep4: Zep) -> None:
    """Of messages, users, edges and deletions; nothing is there twice."""
    user = a_user4(zep4)
    thread = a_thread4(zep4, user)
    key = str(uuid4())
    sent = {"messages": [said4("I like tea.")], "idempotency_key": key}
    first = zep4.thread.add_messages(thread["uuid"], **sent)
    assert zep4.thread.add_messages(thread["uuid"], **sent) == first
    assert len(zep4.thread.list_messages(thread["uuid"])["items"]) == 1
    id_, key = unique("user"), str(uuid4())
    made = zep4.user.create(user_id=id_, idempotency_key=key)
    assert zep4.user.create(user_id=id_, idempotency_key=key) == made
    key = str(uuid4())
    gone = zep4.user.delete(made["uuid"], idempotency_key=key)
    assert zep4.user.delete(made["uuid"], idempotency_key=key) == gone
    edge = typed(
        "EdgeInput",
        fact="Ada leads Acme",
        fact_name="LEADS",
        source_node=typed("EdgeNodeRef", name="Ada"),
        target_node=typed("EdgeNodeRef", name="Acme"),
    )
    graph, key = a_graph4(zep4)["uuid"], str(uuid4())
    added = [zep4.graph.edge.add(graph, edges=[edge], idempotency_key=key) for _ in range(2)]
    assert added[0]["task"]["uuid"] == added[1]["task"]["uuid"]
    assert len(zep4.graph.edge.list(graph)["items"]) == 1


@requirement("v4:idempotency:differs")
def test_another_request_under_the_same_key_is_refused(zep4: Zep) -> None:
    """With 422, which no client tries again, and nothing is written."""
    thread, key = a_thread4(zep4), str(uuid4())
    zep4.thread.add_messages(thread["uuid"], messages=[said4("One.")], idempotency_key=key)
    with pytest.raises(ClientError) as raised:
        zep4.thread.add_messages(thread["uuid"], messages=[said4("Two.")], idempotency_key=key)
    assert raised.value.status == 422
    assert raised.value.body["error"]["code"] == "idempotency_key_reused"
    other = a_thread4(zep4)["uuid"]
    with pytest.raises(ClientError) as raised:
        zep4.thread.add_messages(other, messages=[said4("One.")], idempotency_key=key)
    assert raised.value.status == 422
    assert zep4.thread.list_messages(other)["items"] == []


@requirement("v4:idempotency:erased")
def test_a_kept_answer_forgets_with_the_rest(zep4: Zep) -> None:
    """What was erased is not told again; it is not done again either."""
    user = a_user4(zep4)
    thread, key = a_thread4(zep4, user), str(uuid4())
    sent = {"messages": [said4("My pin is 4711.")], "idempotency_key": key}
    added = zep4.thread.add_messages(thread["uuid"], **sent)
    ended(zep4, added)
    ended(zep4, zep4.graph.episode.delete(user["uuid"], added["messages"][0]["uuid"]))
    with refused4(409, "ConflictError") as raised:
        zep4.thread.add_messages(thread["uuid"], **sent, request_options={"max_retries": 0})
    assert "4711" not in str(raised.value.body)
    assert zep4.thread.list_messages(thread["uuid"])["items"] == []


@requirement("v4:idempotency:own")
def test_keys_of_one_caller_mean_nothing_to_another(zep4: Zep, server: Server) -> None:
    """Somebody else with the same key gets nothing that is not theirs."""
    key, id_ = str(uuid4()), unique("user")
    zep4.user.create(user_id=id_, idempotency_key=key)
    words = ("key", "create", "--name", unique("key"), "--json", "--data", str(server.data))
    done = run_program(*words, environment=program_environment(server.data))
    secret = json.loads(done.stdout)["key"]
    with refused4(409, "ConflictError"):
        zep4.with_key(secret).user.create(
            user_id=id_, idempotency_key=key, request_options={"max_retries": 0}
        )


@requirement("v4:idempotency:killed")
def test_each_message_is_written_once_through_kills(tmp_path: Path) -> None:
    """The server is killed while the client writes; it retries by itself, and so do we with the
    same keys; in the end every message is there exactly once, in order."""
    port, sent = free_port(), []
    over = threading.Event()
    with (
        ForkServer(tmp_path / "server.log", RECOLLECT_API_KEY=DEFAULT_KEY) as forks,
        Driver(PY4, tmp_path / "driver.log") as driver,
    ):
        killer = threading.Thread(target=_kill_again_and_again, args=(forks, tmp_path, port, over))
        killer.start()
        zep4 = Zep(driver, f"http://127.0.0.1:{port}/api/v4", DEFAULT_KEY)
        try:
            user = _until_it_is_there(lambda key: zep4.user.create(idempotency_key=key))
            thread = _until_it_is_there(
                lambda key: zep4.thread.create(user_uuid=user["uuid"], idempotency_key=key)
            )["uuid"]
            while not over.is_set():
                new = [said4(f"message {len(sent)}")]
                _until_it_is_there(
                    lambda key, new=new: zep4.thread.add_messages(
                        thread, messages=new, idempotency_key=key, **AT_ONCE
                    )
                )
                sent.append(new[0]["content"])
        finally:
            over.set()
            killer.join()
        listed = zep4.thread.list_messages(thread, page_size=500, **{"$all": True})
        assert Counter(one["content"] for one in listed) == Counter(sent)
        assert [one["content"] for one in listed] == sent
        assert len(zep4.user.list(**{"$all": True})) == 1
        assert len(sent) > KILLS


def _kill_again_and_again(forks: ForkServer, place: Path, port: int, over: threading.Event) -> None:
    """Serve, and pull the plug at any moment; the last server stays."""
    chance = random.Random(7)  # noqa: S311
    pid = forks.serve(place / "data", port)
    for _ in range(KILLS):
        if over.is_set():
            break
        _wait_until_ready(port)
        time.sleep(chance.uniform(0.01, 0.4))
        forks.kill(pid)
        pid = forks.serve(place / "data", port)
    _wait_until_ready(port)
    over.set()


def _wait_until_ready(port: int) -> None:
    def ready() -> bool:
        try:
            url = f"http://127.0.0.1:{port}/ready"
            return httpx.get(url, trust_env=False).status_code == 200
        except httpx.HTTPError:
            return False

    eventually(ready, bool)


def _until_it_is_there(call: Callable[[str], Any]) -> Any:
    """Ask until somebody answers; the key is the same each time."""
    key = str(uuid4())

    def try_once() -> Any:
        try:
            return call(key)
        except ClientError as error:
            if error.status is not None and error.status < 500:
                raise
            return None

    return eventually(try_once, lambda found: found is not None)


@requirement("v4:task.list:everybody", "v4:task.list", "v4:task.get")
def test_tasks_of_every_generation_are_listed(zep4: Zep, py3: Zep) -> None:
    """Newest first, by type and status, with what they stand for."""
    user = a_user4(zep4)
    _, message = told(zep4, "I like tea.", user)
    older = py3.graph.add(user_id=user["user_id"], type="text", data="Jane plays chess.")
    ended(zep4, {"task": {"uuid": older["task_id"]}})
    gone = ended(zep4, zep4.thread.delete(a_thread4(zep4, user)["uuid"]))
    listed = zep4.task.list(page_size=2, **{"$all": True})
    uuids = [task["uuid"] for task in listed]
    assert uuids[0] == gone["uuid"]
    assert older["task_id"] in uuids
    added = zep4.task.list(type="thread.add_messages", status="succeeded")["items"]
    assert {task["type"] for task in added} == {"thread.add_messages"}
    mine = next(t for t in added if t.get("result", {}).get("episode_uuid") == message["uuid"])
    assert zep4.task.get(mine["uuid"]) == mine
    with refused4(404, "NotFoundError"):
        zep4.task.get(NOBODY)
