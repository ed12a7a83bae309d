"""When episodes and facts cease to be known, as rows."""

from typing import Any

from recollect.graph.types import Access
from recollect.store.protocol import Transaction
from tests.contract.store.units import NO_UUID, episode, graph_id, in_a_unit, now

SAID = '{"kind":"said","by":"key:k"}'
TYPE = '{"kind":"type","by":"Visit"}'


@in_a_unit
def test_what_expires_is_due_in_its_order(tx: Transaction, access: Access) -> None:
    graph = graph_id(tx, access.project_id, "shelf")
    first, second = episode(tx, graph, "a").uuid, episode(tx, graph, "b").uuid
    tx.expiries.put(graph_id=graph, uuid=first, kind="episode", expires_at=5, because=SAID)
    tx.expiries.put(graph_id=graph, uuid=second, kind="episode", expires_at=7, because=SAID)
    assert tx.expiries.due(now=4) is None
    row = tx.expiries.due(now=9)
    assert row is not None
    assert (row.uuid, row.kind, row.expires_at) == (first, "episode", 5)
    assert (row.project_id, row.project_uuid) == (access.project_id, access.project_uuid)
    assert tx.expiries.due_in(project_id=access.project_id, now=9) == row
    assert tx.expiries.due_in(project_id=access.project_id, now=4) is None
    assert tx.expiries.due_in(project_id=access.project_id + 1, now=9) is None
    tx.expiries.put(graph_id=graph, uuid=first, kind="episode", expires_at=8, because=SAID)
    assert tx.expiries.of_thing(graph_id=graph, uuid=first) == (8, SAID)
    assert tx.expiries.of_thing(graph_id=graph, uuid=NO_UUID) is None
    assert tx.expiries.drop(graph_id=graph, uuid=first) == 1
    assert tx.expiries.drop(graph_id=graph, uuid=first) == 0


@in_a_unit
def test_what_is_gone_expires_no_more(tx: Transaction, access: Access) -> None:
    graph = graph_id(tx, access.project_id, "shelf")
    there = episode(tx, graph, "a").uuid
    for uuid in (there, NO_UUID):
        tx.expiries.put(graph_id=graph, uuid=uuid, kind="episode", expires_at=5, because=SAID)
    assert tx.expiries.withdraw(graph_id=graph) == 1
    assert tx.expiries.of_thing(graph_id=graph, uuid=there) == (5, SAID)


@in_a_unit
def test_what_is_hidden_is_kept_for_a_while(
    tx: Transaction, access: Access, stranger: Access
) -> None:
    graph = graph_id(tx, access.project_id, "shelf")
    assert tx.expiries.oldest_hidden() is None
    for uuid, moment in ((NO_UUID, 5), (tx.new_id(), 9)):
        tx.expiries.hide(
            graph_id=graph,
            uuid=uuid,
            kind="fact",
            expires_at=3,
            now=moment,
            told='{"fact": "a"}',
            because=SAID,
        )
    assert tx.expiries.due(now=now(tx)) is None
    assert tx.expiries.oldest_hidden() == 5
    last, first = tx.expiries.hidden(project_id=access.project_id, limit=5)
    assert (first.uuid, first.hidden_at, first.graph_name) == (NO_UUID, 5, "shelf")
    assert last.hidden_at == 9
    assert tx.expiries.hidden(project_id=stranger.project_id, limit=5) == []
    assert tx.expiries.hidden_thing(project_id=access.project_id, uuid=NO_UUID) == first
    assert tx.expiries.hidden_thing(project_id=stranger.project_id, uuid=NO_UUID) is None
    assert tx.expiries.withdraw(graph_id=graph) == 0
    assert tx.expiries.forget(before=5) == 1
    assert [row.hidden_at for row in tx.expiries.hidden(project_id=access.project_id, limit=5)] == [
        9
    ]


@in_a_unit
def test_what_is_hidden_goes_with_its_thread(tx: Transaction, access: Access) -> None:
    graph = graph_id(tx, access.project_id, "shelf")
    for thread in ("talk", "other"):
        tx.expiries.hide(
            graph_id=graph,
            uuid=tx.new_id(),
            kind="episode",
            expires_at=3,
            now=5,
            told=f'{{"thread_id": "{thread}"}}',
            because=SAID,
        )
    assert tx.expiries.forget_thread(graph_id=graph, thread_id="talk") == 1
    (row,) = tx.expiries.hidden(project_id=access.project_id, limit=5)
    assert row.told == '{"thread_id": "other"}'


@in_a_unit
def test_what_was_hidden_of_a_fact_goes_with_the_episodes_that_said_it(
    tx: Transaction, access: Access
) -> None:
    """Unless they expired as well; one without episodes stays."""
    graph = graph_id(tx, access.project_id, "shelf")
    there, expiring, gone = episode(tx, graph, "a").uuid, tx.new_id(), tx.new_id()
    tx.expiries.put(graph_id=graph, uuid=expiring, kind="episode", expires_at=5, because=SAID)
    said = {"of both": [there, gone], "of it": [expiring], "of none": [gone], "of nobody": []}
    for words, episodes in said.items():
        listed = ", ".join(f'"{uuid}"' for uuid in episodes)
        tx.expiries.hide(
            graph_id=graph,
            uuid=tx.new_id(),
            kind="fact",
            expires_at=3,
            now=5,
            told=f'{{"fact": "{words}", "episodes": [{listed}]}}',
            because=SAID,
        )
    assert tx.expiries.drop_unsaid(graph_id=graph) == 1
    left = tx.expiries.hidden(project_id=access.project_id, limit=5)
    assert all("of none" not in (row.told or "") for row in left)
    assert len(left) == 3


@in_a_unit
def test_a_type_says_when_a_fact_expires_unless_somebody_does(
    tx: Transaction, access: Access
) -> None:
    graph = graph_id(tx, access.project_id, "shelf")
    put: dict[str, Any] = {"graph_id": graph, "uuid": NO_UUID}
    tx.expiries.put_of_type(**put, expires_at=5, because=TYPE)
    tx.expiries.put_of_type(**put, expires_at=9, because=TYPE)
    assert tx.expiries.of_thing(**put) == (9, TYPE)
    tx.expiries.put(**put, kind="fact", expires_at=7, because=SAID)
    tx.expiries.put_of_type(**put, expires_at=11, because=TYPE)
    assert tx.expiries.of_thing(**put) == (7, SAID)
