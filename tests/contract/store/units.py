"""Tests whose whole body is one unit of work, and rows with everything that a test leaves open."""

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any

from recollect.store import numbers, rows
from recollect.store.protocol import Store, Transaction
from recollect.store.queries.shapes import ThreadedEpisodeRow

NOBODY = 999_999  # an id that nothing has
NO_UUID = "00000000-0000-7000-8000-ffffffffffff"


def in_a_unit(test: Callable[..., None]) -> Callable[..., Any]:
    """Run a test in a transaction, which it gets as *tx*; its other arguments are fixtures."""
    signature = inspect.signature(test)
    wanted = [part for name, part in signature.parameters.items() if name != "tx"]
    store = inspect.Parameter("store", inspect.Parameter.POSITIONAL_OR_KEYWORD)

    @wraps(test)
    async def run(store: Store, **fixtures: Any) -> None:
        await store.write(test, **fixtures)

    run.__signature__ = signature.replace(parameters=[store, *wanted])  # type: ignore[attr-defined]
    del run.__wrapped__  # type: ignore[attr-defined]
    return run


def now(tx: Transaction) -> int:
    """The time of a transaction, as rows have it."""
    return rows.micros(tx.now)


def listed(*values: Any) -> str:
    """Values as methods take lists of them."""
    return rows.to_json(list(values)) or "[]"


def graph_id(tx: Transaction, project_id: int, name: str, kind: str = "standalone") -> int:
    """A graph with nothing in it."""
    tx.graphs.insert(
        uuid=tx.new_id(),
        project_id=project_id,
        kind=kind,
        graph_id=name,
        name=None,
        description=None,
        time_zone=None,
        rating=None,
        now=now(tx),
    )
    row = tx.graphs.by_name(project_id=project_id, kind=kind, graph_id=name)
    assert row is not None
    return row.id


def user_id(tx: Transaction, project_id: int, name: str) -> int:
    """A user with a graph, and no node in it."""
    tx.users.insert(
        uuid=tx.new_id(),
        project_id=project_id,
        user_id=name,
        graph_id=graph_id(tx, project_id, name, "user"),
        entity_uuid=tx.new_id(),
        email=None,
        first_name=None,
        last_name=None,
        metadata=None,
        time_zone=None,
        disable_default_ontology=0,
        now=now(tx),
    )
    row = tx.users.by_name(project_id=project_id, user_id=name)
    assert row is not None
    return row.id


def thread_id(tx: Transaction, project_id: int, user: str, name: str) -> int:
    """A thread of a user who is there."""
    owner = tx.users.by_name(project_id=project_id, user_id=user)
    assert owner is not None
    tx.threads.insert(
        uuid=tx.new_id(),
        project_id=project_id,
        thread_id=name,
        user_id=owner.id,
        graph_id=owner.graph_id,
        metadata=None,
        rating=None,
        now=now(tx),
    )
    row = tx.threads.by_name(project_id=project_id, thread_id=name)
    assert row is not None
    return row.id


def episode(tx: Transaction, graph: int, content: str, **columns: Any) -> ThreadedEpisodeRow:
    """An episode at the end of a graph's log."""
    seq = tx.graphs.next_seq(id=graph, count=1)
    assert seq is not None
    values: dict[str, Any] = {
        "uuid": tx.new_id(),
        "kind": "text",
        "role": None,
        "speaker": None,
        "source_description": None,
        "thread_id": None,
        "document_id": None,
        "metadata": None,
        "ignored": 0,
        "strict_ontology": 0,
        "created_at": now(tx),
        "received_at": now(tx),
        "processed_at": None,
        "task_uuid": None,
        "producer": None,
        "addressee": None,
        "extra": None,
        "kept_for": None,
    }
    tx.episodes.insert(graph_id=graph, seq=seq, content=content, **values | columns)
    (number,) = tx.episodes.ids_by_seqs(graph_id=graph, seqs=listed(seq), side=None)
    (row,) = tx.episodes.by_ids(ids=listed(number))
    return row


def entity(tx: Transaction, graph: int, name: str, *mentioned_in: int, **columns: Any) -> int:
    """An entity that some episodes mention."""
    values: dict[str, Any] = {
        "uuid": tx.new_id(),
        "labels": listed("Entity"),
        "summary": "",
        "attributes": None,
        "is_user": 0,
        "is_assistant": 0,
        "kind": None,
        "names": listed(name),
        "now": now(tx),
        "side": "",
    }
    number = tx.entities.insert(
        graph_id=graph, name=name, **numbers.of_graph(graph), **values | columns
    )
    for episode_id in mentioned_in:
        tx.links.mentions_add(pairs=rows.to_json([(number, episode_id)]))
    return number


def fact(
    tx: Transaction, graph: int, ends: tuple[int, int], sentence: str, *said_in: int, **columns: Any
) -> int:
    """A fact that some episodes state."""
    values: dict[str, Any] = {
        "uuid": tx.new_id(),
        "name": "KNOWS",
        "attributes": None,
        "rating": None,
        "created_at": now(tx),
        "expired_at": None,
        "valid_at": None,
        "invalid_at": None,
        "predicate": "KNOWS",
        "gist": sentence.lower(),
        "negated": 0,
        "ends": 0,
        "slot": None,
        "confidence": 1.0,
        "extractor": "test",
        "event_at": None,
        "side": "",
    }
    number = tx.facts.insert(
        graph_id=graph,
        source_id=ends[0],
        target_id=ends[1],
        fact=sentence,
        **numbers.of_graph(graph),
        **values | columns,
    )
    for episode_id in said_in:
        supported(tx, number, episode_id)
    return number


def supported(tx: Transaction, fact_id: int, episode_id: int, role: str = "states") -> None:
    """An episode behind a fact."""
    tx.links.support_insert(
        fact_id=fact_id, episode_id=episode_id, role=role, span_start=None, span_end=None
    )


def job(tx: Transaction, row: ThreadedEpisodeRow, task_uuid: str) -> None:
    """Work that is owed to an episode."""
    tx.jobs.insert(graph_id=row.graph_id, seq=row.seq, task_uuid=task_uuid, now=now(tx))
