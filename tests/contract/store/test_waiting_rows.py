"""The queue, shares, and episodes that wait for a second reading, as rows."""

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
)

LONG = 1 << 60


def _wanted(tx: Transaction, graph: int, words: str, **columns: Any) -> int:
    """An episode that waits for the model."""
    number = episode(tx, graph, words, **columns).id
    tx.rereadings.want(reader="model", reason="better", now=now(tx), episode_id=number)
    return number


@in_a_unit
def test_jobs_that_wait(tx: Transaction, access: Access, stranger: Access) -> None:
    graph = graph_id(tx, access.project_id, "shelf")
    said = episode(tx, graph, "words", metadata='{"a": 1}')
    job(tx, said, NO_UUID)
    assert tx.jobs.waiting(project_id=access.project_id, limit=5) == []
    tx.queue.enter(graph_id=graph)
    (row,) = tx.jobs.waiting(project_id=access.project_id, limit=5)
    assert (row.id, row.graph_name, row.metadata) == (said.id, "shelf", '{"a": 1}')
    assert tx.jobs.waiting(project_id=stranger.project_id, limit=5) == []


@in_a_unit
def test_why_graphs_wait(tx: Transaction, access: Access) -> None:
    graphs = [graph_id(tx, access.project_id, name) for name in "abc"]
    for graph in graphs:
        tx.queue.enter(graph_id=graph)
    assert tx.queue.reasons(limit=5) == []
    for graph, reason in zip(graphs, ["disk", "model", "disk"], strict=True):
        tx.queue.give_back(wait_until=0, pauses=1, reason=reason, graph_id=graph)
    assert [tuple(row) for row in tx.queue.reasons(limit=5)] == [("disk", 2), ("model", 1)]


@in_a_unit
def test_named_leases_go_on(tx: Transaction, access: Access) -> None:
    graphs = {name: graph_id(tx, access.project_id, name) for name in ("mine", "theirs", "free")}
    for name, graph in graphs.items():
        tx.queue.enter(graph_id=graph)
        if name != "free":
            tx.queue.take(lease=name, until=1, alone=0, graph_id=graph)
    assert tx.queue.hold_on_all(until=LONG, leases=listed("mine", "gone")) == 1
    held = {name: tx.queue.lease(graph_id=graph) for name, graph in graphs.items()}
    assert {name: row and row.lease_until for name, row in held.items()} == {
        "mine": LONG,
        "theirs": 1,
        "free": 0,
    }


@in_a_unit
def test_all_leases_are_freed(tx: Transaction, access: Access) -> None:
    graph = graph_id(tx, access.project_id, "shelf")
    tx.queue.enter(graph_id=graph)
    tx.queue.take(lease="me", until=LONG, alone=1, graph_id=graph)
    assert tx.queue.free_all() == 1
    lease = tx.queue.lease(graph_id=graph)
    assert lease is not None
    assert (lease.lease, lease.lease_until) == (None, 0)


@in_a_unit
def test_the_weight_of_a_share(tx: Transaction, access: Access) -> None:
    assert tx.queue.share_weight(project_id=access.project_id) is None
    tx.queue.share_weigh(project_id=access.project_id, weight=2.5)
    tx.queue.share_use(project_id=access.project_id, begun=1.0, used=2.0)
    assert tx.queue.share_weight(project_id=access.project_id) == 2.5


@in_a_unit
def test_the_next_to_be_read_again(tx: Transaction, access: Access, stranger: Access) -> None:
    graph = graph_id(tx, access.project_id, "shelf")
    first, second = _wanted(tx, graph, "one"), _wanted(tx, graph, "two")
    of: dict[str, Any] = {
        "reader": "model",
        "now": now(tx),
        "wait_end": LONG,
        "in_graph": None,
        "project_id": access.project_id,
        "folded": 1,
    }
    found = tx.rereadings.next(**of)
    assert found is not None
    assert tuple(found) == (first, graph)
    for chosen in ({"reader": "agent"}, {"in_graph": NOBODY}, {"project_id": stranger.project_id}):
        assert tx.rereadings.next(**of | chosen) is None
    following = {key: of[key] for key in ("reader", "now", "wait_end")}
    assert tx.rereadings.following(graph_id=graph, limit=5, **following) == [first, second]
    tx.rereadings.take(lease="me", until=now(tx) + 5, episode_id=first)
    assert tx.rereadings.next(**of) is None
    assert tx.rereadings.following(graph_id=graph, limit=5, **following) == [second]
    assert tx.rereadings.wait(graph_id=graph, reader="model") == 1
    assert tx.rereadings.wait(graph_id=graph, reader="agent") is None


@in_a_unit
def test_nothing_is_given_out_of_a_graph_that_has_to_be_folded(
    tx: Transaction, access: Access
) -> None:
    graph = graph_id(tx, access.project_id, "shelf")
    number = _wanted(tx, graph, "one", metadata='{"a": 1}')
    unfolded: dict[str, Any] = {"reader": "model", "project_id": None, "in_graph": None}
    assert tx.rereadings.unfolded(**unfolded) == []
    tx.graphs.fold_again(seq=1, graph_id=graph)
    assert tx.rereadings.unfolded(**unfolded) == [graph]
    of: dict[str, Any] = {"reader": "model", "now": now(tx), "wait_end": LONG, "in_graph": None}
    assert tx.rereadings.next(**of, project_id=None, folded=1) is None
    assert tx.rereadings.next(**of, project_id=None, folded=0) is not None
    ordered = tx.rereadings.in_order(reader="model", project_id=access.project_id, in_graph=None)
    assert [(row.episode_id, row.fold_from, row.metadata) for row in ordered] == [
        (number, 1, '{"a": 1}')
    ]


@in_a_unit
def test_a_second_reading_is_taken_shown_and_done(tx: Transaction, access: Access) -> None:
    graph = graph_id(tx, access.project_id, "shelf")
    number = _wanted(tx, graph, "one")
    tx.rereadings.take(lease="me:1", until=LONG, episode_id=number)
    assert tx.rereadings.show(shown="facts", episode_id=number, lease="other") == 0
    assert tx.rereadings.show(shown="facts", episode_id=number, lease="me:1") == 1
    taken = tx.rereadings.taken(episode_id=number)
    assert taken is not None
    assert (taken.lease, taken.shown, taken.episode.content) == ("me:1", "facts", "one")
    assert tx.rereadings.free(owner="you:") == 0
    assert tx.rereadings.free(owner="me:") == 1
    assert tx.rereadings.done(episode_id=number) == 1
    assert tx.rereadings.taken(episode_id=number) is None


@in_a_unit
def test_a_second_reading_that_fails_is_parked(tx: Transaction, access: Access) -> None:
    graph = graph_id(tx, access.project_id, "shelf")
    number = _wanted(tx, graph, "one")
    fail: dict[str, Any] = {"error": "no", "attempts_max": 2, "episode_id": number}
    first, second = tx.rereadings.failed(**fail), tx.rereadings.failed(**fail)
    assert first is not None
    assert second is not None
    assert (tuple(first), tuple(second)) == ((1, "waiting"), (2, "parked"))
    assert tx.rereadings.failed(**fail | {"episode_id": NOBODY}) is None
    assert [tuple(row) for row in tx.rereadings.counts()] == [("model", "parked", 1)]
    assert tx.rereadings.retry(now=now(tx), ids=listed(number)) == 1
    assert [tuple(row) for row in tx.rereadings.counts()] == [("model", "waiting", 1)]


@in_a_unit
def test_second_readings_are_put_off(tx: Transaction, access: Access) -> None:
    graph = graph_id(tx, access.project_id, "shelf")
    number = _wanted(tx, graph, "one")
    later = now(tx) + 1000
    tx.rereadings.give_back(ready_at=later, error="down", episode_id=number)
    wanted: dict[str, Any] = {"project_id": access.project_id, "status": "waiting", "limit": 5}
    (row,) = tx.rereadings.page(**wanted, after=0)
    assert (row.episode_id, row.ready_at, row.error) == (number, later, "down")
    assert tx.rereadings.page(**wanted, after=number) == []
    assert tx.rereadings.page(**wanted | {"status": "parked"}, after=0) == []
    assert tx.rereadings.due_now(now=now(tx), reader="model") == 1
    (row,) = tx.rereadings.page(**wanted, after=0)
    assert row.ready_at == now(tx)
    of: dict[str, Any] = {"project_id": access.project_id, "in_graph": graph}
    assert tx.rereadings.waiting_for(reader="model", **of) == 1
    assert tx.rereadings.waiting_for(reader="agent", **of) == 0
    assert tx.rereadings.left(reason="better", graphs=listed(graph)) == 1
    assert tx.rereadings.left(reason="other", graphs=listed(graph)) == 0


@in_a_unit
def test_everything_that_was_read_is_wanted_again(tx: Transaction, access: Access) -> None:
    graph = graph_id(tx, access.project_id, "shelf")
    read: dict[str, Any] = {"found": "{}", "vectors": None, "now": now(tx)}
    for words, reader in [("one", "model:x"), ("two", "embedded"), ("three", "none")]:
        tx.readings.put(reader=reader, episode_id=episode(tx, graph, words).id, **read)
    episode(tx, graph, "unread")
    again: dict[str, Any] = {"reason": "walls", "now": now(tx)}
    assert tx.rereadings.want_guarded(**again, project_id=access.project_id) == 2
    counts = {row.reader: row.n for row in tx.rereadings.counts()}
    assert counts == {"model": 1, "embedded": 1}
    everything: dict[str, Any] = {"reader": "agent", "now": now(tx), "graph_id": graph}
    assert tx.rereadings.want_all(reason="all", **everything) == 3
    assert tx.rereadings.want_all(reason="all", **everything) == 0
