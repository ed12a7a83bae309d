"""The synchronous face is made from the asynchronous classes and behaves like them."""

import inspect
import subprocess
import sys
import threading
from typing import Any

import pytest

from recollect.session_log import (
    Agent,
    AgentSession,
    MemoryStorage,
    Run,
    Session,
    SyncAgent,
    SyncSession,
    TurnAborted,
)
from recollect.session_log.sync import FACES, PORTAL
from recollect.session_log.turns import TurnScope
from tests.unit.episodic.support import contents, message


def test_every_public_method_has_its_counterpart() -> None:
    for behind in (Session, Agent, AgentSession, Run, TurnScope):
        for name, function in inspect.getmembers(behind, inspect.isfunction):
            if name.startswith("_"):
                continue
            face = getattr(FACES[behind], name)
            assert not inspect.iscoroutinefunction(face), name
            assert inspect.getdoc(face) == inspect.getdoc(function)
            assert inspect.signature(face) == inspect.signature(function)


def test_a_turn_is_merged_or_dropped() -> None:
    storage = MemoryStorage()
    session = SyncSession("s", storages=[storage])
    with session.turn("t") as turn:
        turn.append_items([message("kept")], source="user")
    with pytest.raises(ZeroDivisionError), session.turn() as turn:  # noqa: PT012 - the turn must end inside
        turn.append_items([message("lost")])
        raise ZeroDivisionError
    assert (session.id, session.live_turn) == ("s", None)
    assert contents(session.log.read()) == ["kept"]
    assert session.snapshot().episodic == session.log.to_jsonl()
    assert contents(SyncSession("s", storages=[storage]).fork("c").log.read()) == ["kept"]


def test_a_turn_is_interrupted_from_another_thread() -> None:
    session = SyncSession("s")
    with pytest.raises(TurnAborted), session.turn() as turn:  # noqa: PT012 - the turn must end inside
        turn.append_items([message("lost")])
        other = threading.Thread(target=session.interrupt)
        other.start()
        other.join()
        turn.check()
    assert [one.reason for one in session.log.read()] == ["interrupt"]
    with pytest.raises(TurnAborted), session.turn() as turn:
        session.remove()


def test_threads_append_to_one_session_without_loss() -> None:
    session = SyncSession("s")

    def work() -> None:
        for _ in range(20):
            with session.turn() as turn:
                turn.append_items([message("x")])

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [one.id for one in session.log.read()] == list(range(1, 81))


def test_an_agent_runs_with_plain_functions() -> None:
    agent = SyncAgent("a", lambda request: f"you said {request.input[-1]['content']}")
    run = agent.session("s").run("hi")
    assert run.result().items[0]["content"] == "you said hi"
    assert [event.type for event in run.events()] == ["turn.queued", "turn.start", "turn.done"]
    assert contents(agent.session("s").log.read()) == ["hi", "you said hi"]


def test_a_slow_model_can_be_interrupted() -> None:
    started, release = threading.Event(), threading.Event()

    def slow(request: Any) -> str:
        started.set()
        release.wait(10)
        return "too late"

    session = SyncAgent("a", slow).session()
    run = session.run("hi")
    assert started.wait(10)
    assert session.interrupt() == run.turn_id
    with pytest.raises(TurnAborted):
        run.result()
    release.set()
    assert [one.reason for one in session.log.read()] == ["interrupt"]


def test_waiting_for_itself_is_refused() -> None:
    session = SyncSession("s")
    errors: list[BaseException] = []

    def listener(event: Any) -> None:
        try:
            session.snapshot()
        except RuntimeError as error:
            errors.append(error)

    session.listen(listener)
    with session.turn():
        pass
    assert len(errors) == 3
    assert PORTAL.call(int) == 0
    with pytest.raises(AttributeError):
        session._nothing  # noqa: B018


def test_a_process_that_still_holds_the_events_of_a_run_can_end() -> None:
    program = """
from recollect.session_log import SyncAgent
run = SyncAgent("a", lambda request: "hi").session().run("x")
events = run.events()
print(next(events).type)
"""
    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=30, check=True
    )
    assert (ended.stdout, ended.stderr) == ("turn.queued\n", "")


def test_a_process_that_was_forked_off_has_a_thread_of_its_own() -> None:
    program = """
import os, signal
from recollect.session_log import SyncSession
SyncSession("parent").load()
child = os.fork()
if child == 0:
    signal.alarm(20)
    SyncSession("child").load()
    os._exit(7)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=30, check=True
    )
    assert ended.stdout == "7\n"
