"""Session logs and their turns, agents and their traces, as rows."""

from typing import Any

from recollect.graph.types import Access
from recollect.store.protocol import Transaction
from tests.contract.store.units import (
    NO_UUID,
    NOBODY,
    episode,
    graph_id,
    in_a_unit,
    job,
    listed,
    now,
    user_id,
)

ANY: dict[str, Any] = {"after": 0, "upto": 99, "types": None}


def _log(tx: Transaction, project_id: int, name: str, user: int | None = None) -> int:
    tx.session_logs.insert(
        uuid=tx.new_id(),
        project_id=project_id,
        session_id=name,
        user_id=user,
        feeds=0,
        metadata=None,
        context=None,
        now=now(tx),
    )
    found = tx.session_logs.by_name(project_id=project_id, session_id=name)
    assert found is not None
    return found.id


def _entry(
    tx: Transaction, log: int, number: int, kind: str = "item", turn: str | None = None
) -> int:
    return tx.session_logs.append(
        log_id=log, number=number, type=kind, turn_id=turn, meta="{}", payload=f'"{number}"'
    )


@in_a_unit
def test_session_logs_are_listed_by_name(tx: Transaction, access: Access, stranger: Access) -> None:
    jane = user_id(tx, access.project_id, "jane")
    second = _log(tx, access.project_id, "b", jane)
    first = _log(tx, access.project_id, "a")
    _log(tx, stranger.project_id, "c")
    wanted: dict[str, Any] = {"project_id": access.project_id, "limit": 5}
    assert [row.id for row in tx.session_logs.page(**wanted, after="")] == [first, second]
    assert [row.id for row in tx.session_logs.page(**wanted, after="a")] == [second]
    (bound,) = tx.session_logs.of_user(user_id=jane, after="", limit=5)
    assert (bound.id, bound.user_name) == (second, "jane")
    assert tx.session_logs.of_user(user_id=NOBODY, after="", limit=5) == []
    assert tx.session_logs.by_name(project_id=access.project_id, session_id="c") is None


@in_a_unit
def test_a_session_log_is_changed_bound_and_deleted(tx: Transaction, access: Access) -> None:
    log = _log(tx, access.project_id, "a")
    jane = user_id(tx, access.project_id, "jane")
    tx.session_logs.update(feeds=1, metadata='{"a": 1}', context="c", now=now(tx), id=log)
    tx.session_logs.update(feeds=None, metadata=None, context=None, now=now(tx), id=log)
    tx.session_logs.bind(user_id=jane, id=log)
    found = tx.session_logs.by_name(project_id=access.project_id, session_id="a")
    assert found is not None
    assert (found.feeds, found.metadata, found.context, found.user_id) == (1, None, None, jane)
    (of_graph,) = tx.session_logs.of_graph(graph_id=found.graph_id or 0)
    assert (of_graph.session_id, of_graph.episodes) == ("a", 0)
    assert tx.session_logs.of_graph(graph_id=NOBODY) == []
    assert tx.session_logs.delete(id=log) == 1
    assert tx.session_logs.by_name(project_id=access.project_id, session_id="a") is None


@in_a_unit
def test_entries_of_a_session_log_are_read_by_window(tx: Transaction, access: Access) -> None:
    log = _log(tx, access.project_id, "a")
    assert tx.session_logs.last_number(id=log) == 0
    for number, kind in enumerate(["item", "boundary", "item", "meta"], start=1):
        _entry(tx, log, number, kind)
    tx.session_logs.advance(last_number=4, now=now(tx), id=log)
    assert tx.session_logs.last_number(id=log) == 4
    assert tx.session_logs.last_number(id=NOBODY) is None
    page = tx.session_logs.episodes_page(log_id=log, limit=2, **ANY)
    assert [(row.number, row.type, row.payload) for row in page] == [
        (1, "item", '"1"'),
        (2, "boundary", '"2"'),
    ]
    items: dict[str, Any] = {"after": 1, "upto": 3, "types": listed("item", "meta")}
    assert [row.number for row in tx.session_logs.episodes_page(log_id=log, limit=5, **items)] == [
        3
    ]
    sizes = tx.session_logs.sizes(log_id=log, limit=5, **items)
    assert [tuple(row) for row in sizes] == [(3, 5)]
    assert tx.session_logs.nth_last(log_id=log, skipped=1, **ANY) == 3
    assert tx.session_logs.nth_last(log_id=log, skipped=9, **ANY) is None
    assert [row.number for row in tx.session_logs.items(log_id=log)] == [1, 3]
    size = tx.session_logs.items_size(log_id=log)
    assert size is not None
    assert tuple(size) == (2, 6)
    contents = tx.session_logs.contents(id=log)
    assert contents is not None
    assert tuple(contents) == (4, 0)
    assert tx.session_logs.episode_delete(log_id=log, number=1) == 1
    assert tx.session_logs.episode_delete(log_id=log, number=1) == 0


@in_a_unit
def test_entries_of_one_turn_are_read_by_window(tx: Transaction, access: Access) -> None:
    log = _log(tx, access.project_id, "a")
    for number, turn in enumerate([None, "t", "t", "other"], start=1):
        _entry(tx, log, number, turn=turn)
    of: dict[str, Any] = {"log_id": log, "turn_id": "t", **ANY}
    assert [row.number for row in tx.session_logs.episodes_page_of_turn(limit=5, **of)] == [2, 3]
    assert [row.number for row in tx.session_logs.sizes_of_turn(limit=1, **of)] == [2]
    assert tx.session_logs.nth_last_of_turn(skipped=0, **of) == 3
    assert tx.session_logs.nth_last_of_turn(skipped=0, **of | {"turn_id": "none"}) is None


@in_a_unit
def test_entries_tell_which_episodes_they_became(tx: Transaction, access: Access) -> None:
    log = _log(tx, access.project_id, "a")
    graph = graph_id(tx, access.project_id, "shelf")
    fed = episode(tx, graph, "words", metadata='{"a": 1}')
    entry = _entry(tx, log, 1)
    assert tx.session_logs.fed_insert(log_episode_id=entry, uuid=NO_UUID) == 0
    assert tx.session_logs.fed_insert(log_episode_id=entry, uuid=fed.uuid) == 1
    told = tx.session_logs.fed_uuids(log_id=log, after=0, upto=1)
    assert [tuple(row) for row in told] == [(1, fed.uuid, '{"a": 1}')]
    assert tx.session_logs.fed_uuids(log_id=log, after=1, upto=9) == []


@in_a_unit
def test_a_turn_is_forked_written_and_dropped(tx: Transaction, access: Access) -> None:
    log = _log(tx, access.project_id, "a")
    tx.session_logs.turn_insert(log_id=log, turn_id="t", forked_at=7, owner="one", now=now(tx))
    turn = tx.session_logs.turn_by_name(log_id=log, turn_id="t")
    assert turn is not None
    assert (turn.forked_at, turn.last_number) == (7, 7)
    assert tx.session_logs.turn_by_name(log_id=log, turn_id="other") is None
    tx.session_logs.turn_append(turn_key=turn.id, number=8, type="item", meta="{}", payload='"x"')
    tx.session_logs.turn_advance(last_number=8, id=turn.id)
    assert [tuple(row) for row in tx.session_logs.turn_working(turn_key=turn.id)] == [
        (8, "item", "{}", '"x"')
    ]
    (listed_turn,) = tx.session_logs.turns_of_log(log_id=log)
    assert (listed_turn.turn_id, listed_turn.last_number, listed_turn.episodes) == ("t", 8, 1)
    assert tx.session_logs.turns_lost(alive="one") == []
    assert [row.id for row in tx.session_logs.turns_lost(alive="two")] == [turn.id]
    assert tx.session_logs.turn_delete(id=turn.id) == 1
    assert tx.session_logs.turn_working(turn_key=turn.id) == []
    assert tx.session_logs.turns_of_log(log_id=log) == []


def _agent(tx: Transaction, project_id: int, name: str, **columns: Any) -> int:
    graph = graph_id(tx, project_id, name)
    values: dict[str, Any] = {"deployment_id": None, "version": "1", "metadata": None}
    tx.agents.insert(graph_id=graph, security_domain="d", **values | columns)
    return graph


@in_a_unit
def test_agents_are_found_by_what_they_are(
    tx: Transaction, access: Access, stranger: Access
) -> None:
    first = _agent(tx, access.project_id, "planner", deployment_id="eu")
    second = _agent(tx, access.project_id, "writer", version="2")
    _agent(tx, stranger.project_id, "theirs")
    anything: dict[str, Any] = {
        "order": "created_at/asc",
        "project_id": access.project_id,
        "agent_id": None,
        "deployment_id": None,
        "version": None,
        "search": "",
        "after_uuid": None,
        "after_key": None,
        "limit": 5,
    }
    both = tx.agents.page(**anything)
    assert [keyed.row.id for keyed in both] == [first, second]
    after = {"after_uuid": both[0].row.uuid, "after_key": both[0].key}
    assert [keyed.row.id for keyed in tx.agents.page(**anything | after)] == [second]
    for chosen in ({"agent_id": "writer"}, {"version": "2"}, {"search": "WRIT"}):
        assert [keyed.row.id for keyed in tx.agents.page(**anything | chosen)] == [second]
    assert [keyed.row.id for keyed in tx.agents.page(**anything | {"deployment_id": "eu"})] == [
        first
    ]
    assert tx.agents.page(**anything | {"search": "nobody"}) == []


@in_a_unit
def test_an_agent_is_changed(tx: Transaction, access: Access, stranger: Access) -> None:
    graph = _agent(tx, access.project_id, "planner")
    row = tx.graphs.by_id(id=graph)
    assert row is not None
    before = tx.agents.by_uuid(uuid=row.uuid, project_id=access.project_id)
    assert before is not None
    tx.agents.update(deployment_id="eu", version="2", metadata='{"a": 1}', graph_id=graph)
    after = tx.agents.by_uuid(uuid=row.uuid, project_id=access.project_id)
    assert after is not None
    assert (after.deployment_id, after.version, after.metadata) == ("eu", "2", '{"a": 1}')
    assert after.revision == before.revision + 1
    assert tx.agents.by_uuid(uuid=row.uuid, project_id=stranger.project_id) is None


def _trace(tx: Transaction, project_id: int, graph: int, name: str, **columns: Any) -> int:
    log = _log(tx, project_id, name)
    values: dict[str, Any] = {"task_family": None, "parent": None, "task_uuid": tx.new_id()}
    tx.traces.insert(
        log_id=log,
        graph_id=graph,
        trace_id=name,
        objective="find it",
        family=tx.new_id(),
        learn_from=1,
        **values | columns,
    )
    return log


@in_a_unit
def test_traces_are_found_by_what_they_are(tx: Transaction, access: Access) -> None:
    graph = _agent(tx, access.project_id, "planner")
    first = _trace(tx, access.project_id, graph, "one", task_family="search")
    second = _trace(tx, access.project_id, graph, "two", parent=NO_UUID)
    uuid = tx.traces.by_name(graph_id=graph, trace_id="one")
    assert uuid is not None
    found = tx.traces.by_uuid(uuid=uuid, graph_id=graph)
    assert found is not None
    assert (found.id, found.status, found.last_sequence) == (first, "open", 0)
    assert tx.traces.by_uuid(uuid=uuid, graph_id=NOBODY) is None
    assert tx.traces.by_name(graph_id=graph, trace_id="three") is None
    anything: dict[str, Any] = {
        "order": "created_at/asc",
        "graph_id": graph,
        "status": None,
        "outcome": None,
        "verification": None,
        "task_family": None,
        "parent": None,
        "after_uuid": None,
        "after_key": None,
        "limit": 5,
    }
    assert [keyed.row.id for keyed in tx.traces.page(**anything)] == [first, second]
    assert [keyed.row.id for keyed in tx.traces.page(**anything | {"task_family": "search"})] == [
        first
    ]
    assert [keyed.row.id for keyed in tx.traces.page(**anything | {"parent": NO_UUID})] == [second]
    assert tx.traces.page(**anything | {"status": "closed"}) == []
    assert [(row.id, row.episodes) for row in tx.traces.of_graph(graph_id=graph)] == [
        (first, 0),
        (second, 0),
    ]


@in_a_unit
def test_a_trace_ends(tx: Transaction, access: Access) -> None:
    graph = _agent(tx, access.project_id, "planner")
    log = _trace(tx, access.project_id, graph, "one")
    uuid = tx.traces.by_name(graph_id=graph, trace_id="one") or ""
    tx.traces.change(
        task_family="search",
        status="closed",
        outcome="success",
        verification="passed",
        closing_sequence=3,
        ended_at=now(tx),
        log_id=log,
    )
    tx.traces.touched(now=now(tx) + 5, id=log)
    found = tx.traces.by_uuid(uuid=uuid, graph_id=graph)
    assert found is not None
    assert (found.status, found.outcome, found.closing_sequence) == ("closed", "success", 3)
    assert (found.revision, found.updated_at) == (2, now(tx) + 5)
    assert tx.traces.session_log_is_trace(id=log) == 1
    assert tx.traces.session_log_is_trace(id=_log(tx, access.project_id, "plain")) is None
    metadata = tx.traces.metadata(log_id=log)
    assert metadata is not None
    assert metadata.metadata is None
    assert tx.traces.metadata(log_id=NOBODY) is None


@in_a_unit
def test_the_task_of_a_trace_stands_for_its_jobs(tx: Transaction, access: Access) -> None:
    graph = _agent(tx, access.project_id, "planner")
    task = tx.new_id()
    put: dict[str, Any] = {"uuid": task, "type": "trace", "now": now(tx), "graph_id": graph}
    job(tx, episode(tx, graph, "one"), task)
    tx.traces.task_put(**put)
    job(tx, episode(tx, graph, "two"), task)
    tx.traces.task_put(**put)
    told = tx.tasks.by_uuid_told(uuid=task, project_id=access.project_id)
    assert told is not None
    assert (told.type, told.owed) == ("trace", 2)


@in_a_unit
def test_events_of_a_trace(tx: Transaction, access: Access) -> None:
    graph = _agent(tx, access.project_id, "planner")
    log = _trace(tx, access.project_id, graph, "one")
    for number, sequence in [(1, 20), (2, 10)]:
        _entry(tx, log, number)
        tx.traces.event_insert(
            log_id=log,
            number=number,
            uuid=tx.new_id(),
            event_id=f"e{number}",
            sequence=sequence,
        )
    page = tx.traces.events_page(log_id=log, after=0, limit=5)
    assert [(row.event_id, row.sequence) for row in page] == [("e2", 10), ("e1", 20)]
    assert [row.event_id for row in tx.traces.events_page(log_id=log, after=10, limit=5)] == ["e1"]
    nothing: dict[str, Any] = {"uuid": None, "event_id": None, "sequence": None}
    assert tx.traces.event_told(log_id=log, **nothing) is None
    for named in ({"uuid": page[1].uuid}, {"event_id": "e1"}, {"sequence": 20}):
        assert tx.traces.event_told(log_id=log, **nothing | named) == page[1]
    assert tx.traces.events_count(log_id=log) == 2
    assert tx.traces.sequences(log_id=log, upto=15) == [10]


@in_a_unit
def test_an_erased_event_keeps_its_place(tx: Transaction, access: Access) -> None:
    graph = _agent(tx, access.project_id, "planner")
    log = _trace(tx, access.project_id, graph, "one")
    _entry(tx, log, 1)
    tx.traces.event_insert(log_id=log, number=1, uuid=tx.new_id(), event_id="e", sequence=10)
    erased: dict[str, Any] = {"log_id": log, "erased_id": "hash", "sequence": None}
    assert tx.traces.event_erased(**erased) is None
    assert tx.traces.event_erase(erased_id="hash", log_id=log, number=1) == 1
    assert tx.traces.event_erased(**erased) == 1
    assert tx.traces.event_erased(**erased | {"erased_id": None, "sequence": 10}) == 1
    assert tx.traces.events_count(log_id=log) == 0
    assert tx.traces.sequences(log_id=log, upto=99) == [10]


@in_a_unit
def test_a_trace_tells_what_it_became(tx: Transaction, access: Access) -> None:
    graph = _agent(tx, access.project_id, "planner")
    log = _trace(tx, access.project_id, graph, "one")
    _entry(tx, log, 1)
    _entry(tx, log, 2)
    first, second = episode(tx, graph, "one"), episode(tx, graph, "two")
    assert tx.traces.fed_insert(log_id=log, uuid=first.uuid, number=1) == 1
    assert tx.traces.fed_insert(log_id=log, uuid=second.uuid, number=2) == 1
    assert tx.traces.fed(log_id=log, number=None) == [first.id, second.id]
    assert tx.traces.fed(log_id=log, number=2) == [second.id]
    assert tx.traces.fed(log_id=NOBODY, number=None) == []
