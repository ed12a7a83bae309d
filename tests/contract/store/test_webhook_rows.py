"""Webhooks and what they are owed, as rows."""

from recollect.governance import soundness
from recollect.graph.types import Access
from recollect.store.protocol import Transaction
from tests.contract.store.units import (
    NO_UUID,
    NOBODY,
    entity,
    episode,
    fact,
    graph_id,
    in_a_unit,
    listed,
    now,
)

LATER = 1 << 60


def hook(tx: Transaction, project_id: int, *, with_text: bool = False) -> int:
    """A webhook that wants to hear of two kinds of things."""
    uuid = tx.new_id()
    tx.webhooks.insert(
        uuid=uuid,
        project_id=project_id,
        url="https://hooks.example/",
        events=listed("episode.processed", "fact.closed"),
        with_text=with_text,
        secret="whsec_AAAA",  # noqa: S106 - of a test
        now=now(tx),
    )
    row = tx.webhooks.by_uuid(uuid=uuid, project_id=project_id)
    assert row is not None
    return row.id


def owe(
    tx: Transaction,
    webhook: int,
    graph: int,
    episode_uuid: str | None,
    fact_uuid: str | None = None,
) -> str:
    uuid = tx.new_id()
    tx.webhooks.owe(
        graph_id=graph,
        uuid=uuid,
        webhook_id=webhook,
        event="episode.processed" if fact_uuid is None else "fact.closed",
        episode_uuid=episode_uuid,
        fact_uuid=fact_uuid,
        data="{}",
        now=now(tx),
    )
    return uuid


@in_a_unit
def test_another_secret_leaves_the_old_one_for_a_while(tx: Transaction, access: Access) -> None:
    number = hook(tx, access.project_id)
    (row,) = tx.webhooks.of_project(project_id=access.project_id)
    assert (row.old_secret, row.old_secret_until) == (None, None)
    tx.webhooks.rotate(id=number, secret="new", until=9, now=5)  # noqa: S106
    (after,) = tx.webhooks.of_project(project_id=access.project_id)
    assert (after.secret, after.old_secret, after.old_secret_until) == ("new", row.secret, 9)
    tx.webhooks.rotate(id=number, secret="newest", until=5, now=5)  # noqa: S106
    (last,) = tx.webhooks.of_project(project_id=access.project_id)
    assert (last.secret, last.old_secret) == ("newest", None)


@in_a_unit
def test_a_webhook_is_changed_and_removed(
    tx: Transaction, access: Access, stranger: Access
) -> None:
    number = hook(tx, access.project_id)
    (row,) = tx.webhooks.of_project(project_id=access.project_id)
    assert (row.id, row.off, row.missed, row.waiting, row.given_up) == (number, None, 0, 0, 0)
    assert tx.webhooks.of_project(project_id=stranger.project_id) == []
    assert tx.webhooks.by_uuid(uuid=row.uuid, project_id=stranger.project_id) is None
    tx.webhooks.change(id=number, url="https://b.example/", events="[]", with_text=True, off="so")
    tx.webhooks.miss(id=number, count=3)
    (row,) = tx.webhooks.of_project(project_id=access.project_id)
    assert (row.url, row.with_text, row.off, row.missed) == ("https://b.example/", 1, "so", 3)
    (state,) = tx.webhooks.states(limit=5)
    assert (state.project_name, state.off, state.missed) == ("first", "so", 3)
    assert tx.webhooks.delete(id=number) == 1
    assert tx.webhooks.delete(id=NOBODY) == 0
    assert tx.webhooks.states(limit=5) == []


@in_a_unit
def test_a_graph_has_the_webhooks_of_its_project_that_are_on(
    tx: Transaction, access: Access, stranger: Access
) -> None:
    graph = graph_id(tx, access.project_id, "shelf")
    number = hook(tx, access.project_id)
    hook(tx, stranger.project_id)
    said = episode(tx, graph, "words").uuid
    for _ in range(3):
        owe(tx, number, graph, said)
    (row,) = tx.webhooks.of_graph(graph_id=graph, waiting_max=2)
    assert (row.id, row.waiting) == (number, 2)
    tx.webhooks.switch_off(id=number, reason="gone")
    assert tx.webhooks.of_graph(graph_id=graph, waiting_max=2) == []
    assert tx.webhooks.due(now=LATER, beyond=LATER) == []


@in_a_unit
def test_what_is_due_is_taken_tried_and_remembered(tx: Transaction, access: Access) -> None:
    graph = graph_id(tx, access.project_id, "shelf")
    number = hook(tx, access.project_id, with_text=True)
    said = episode(tx, graph, "words").uuid
    first, second = owe(tx, number, graph, said), owe(tx, number, graph, said)
    assert tx.webhooks.due(now=now(tx) - 1, beyond=LATER) == []
    assert tx.webhooks.due(now=now(tx) - 1, beyond=now(tx) - 1) == [number]
    row = tx.webhooks.next(webhook_id=number, now=now(tx), beyond=LATER)
    assert row is not None
    assert (row.uuid, row.text, row.url) == (first, "words", "https://hooks.example/")
    tx.webhooks.put_off(graph_id=graph, uuid=first, due_at=LATER - 1)
    row = tx.webhooks.next(webhook_id=number, now=now(tx), beyond=LATER)
    assert row is not None
    assert row.uuid == second
    for uuid in (first, second):
        done = {"state": "delivered", "due_at": 0, "attempts": 1, "tries": "[]"}
        assert tx.webhooks.tried(graph_id=graph, uuid=uuid, **done) == 1  # type: ignore[arg-type]
    assert tx.webhooks.next(webhook_id=number, now=LATER, beyond=LATER) is None
    assert tx.webhooks.prune(webhook_id=number, state="delivered", keep=1) == 1
    (kept,) = tx.webhooks.deliveries(webhook_id=number, state=None, limit=5)
    assert (kept.uuid, kept.state, kept.attempts) == (second, "delivered", 1)
    assert tx.webhooks.deliveries(webhook_id=number, state="waiting", limit=5) == []
    assert tx.webhooks.again(webhook_id=number, uuid=second, now=7) == 1
    assert tx.webhooks.again(webhook_id=number, uuid=NO_UUID, now=7) == 0
    (kept,) = tx.webhooks.deliveries(webhook_id=number, state="waiting", limit=5)
    assert (kept.due_at, kept.attempts) == (7, 0)


@in_a_unit
def test_what_is_told_of(tx: Transaction, access: Access) -> None:
    graph = graph_id(tx, access.project_id, "shelf")
    said = episode(tx, graph, "words", task_uuid=NO_UUID)
    row = tx.webhooks.episode_told(uuid=said.uuid)
    assert row is not None
    assert (row.graph_kind, row.graph_name, row.task_uuid) == ("standalone", "shelf", NO_UUID)
    assert tx.webhooks.episode_told(uuid=NO_UUID) is None
    both = entity(tx, graph, "Anna", said.id), entity(tx, graph, "Ben", said.id)
    uuid = tx.new_id()
    fact(tx, graph, both, "Anna knows Ben", said.id, uuid=uuid, invalid_at=5)
    told = tx.webhooks.fact_told(uuid=uuid)
    assert told is not None
    assert (told.invalid_at, told.graph_name) == (5, "shelf")
    assert tx.webhooks.fact_told(uuid=NO_UUID) is None


@in_a_unit
def test_what_is_gone_is_withdrawn(tx: Transaction, access: Access) -> None:
    graph = graph_id(tx, access.project_id, "shelf")
    number = hook(tx, access.project_id)
    said = episode(tx, graph, "words")
    both = entity(tx, graph, "Anna", said.id), entity(tx, graph, "Ben", said.id)
    uuid = tx.new_id()
    fact(tx, graph, both, "Anna knows Ben", said.id, uuid=uuid)
    kept = [owe(tx, number, graph, said.uuid), owe(tx, number, graph, None, uuid)]
    owe(tx, number, graph, NO_UUID)
    owe(tx, number, graph, None, NO_UUID)
    owe(tx, number, graph, NO_UUID, uuid)
    assert tx.soundness.count("deliveries") == (3, tx.soundness.count("deliveries").one)  # type: ignore[union-attr]
    assert tx.webhooks.withdraw(graph_id=graph) == 3
    found = tx.webhooks.deliveries(webhook_id=number, state=None, limit=9)
    assert sorted(row.uuid for row in found) == sorted(kept)
    assert "deliveries" not in str([one.what for one in soundness.check(tx)])
