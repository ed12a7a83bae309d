"""The outbox of webhooks: deliveries are written in the same transaction as the event.

In a project without webhooks this costs one lookup by the graph's key. A delivery holds ids and times
only; text is read when it is sent. It is deleted along with the episode or fact it names.
"""

from collections.abc import Iterable, Sequence
from datetime import timedelta

import msgspec

from recollect.graph.types import GraphKind, Json, Record
from recollect.graph.webhooks import DeliveryState, Event, Try
from recollect.limits import (
    WEBHOOK_BACKOFF_FACTOR,
    WEBHOOK_BACKOFF_MAX_S,
    WEBHOOK_JITTER,
    WEBHOOK_LOG_MAX,
    WEBHOOK_TRIES_KEPT,
    WEBHOOK_WAITING_MAX,
)
from recollect.store import rows
from recollect.store.protocol import Transaction
from recollect.store.queries.webhooks import DeliveryNextRow

GONE = 410  # the receiver no longer wants events
GONE_REASON = "answered 410 Gone"


class Happened(Record):
    """An event: about an episode, a fact, or a fact and the episode that ended it."""

    event: Event
    episode: str | None = None
    fact: str | None = None


class Owed(Record):
    """A delivery to be attempted now by the caller it was leased to."""

    row: DeliveryNextRow
    body: bytes


def processed(episode: str) -> Happened:
    """An episode was read and folded into its graph."""
    return Happened(event="episode.processed", episode=episode)


def closed(facts: Iterable[str], episode: str | None = None) -> list[Happened]:
    """Open facts were ended."""
    return [Happened(event="fact.closed", fact=fact, episode=episode) for fact in facts]


def parked(episode: str) -> Happened:
    """The job of an episode failed too often."""
    return Happened(event="job.parked", episode=episode)


def tell(tx: Transaction, graph_id: int, happened: Sequence[Happened]) -> None:
    """Queue a graph's events for every webhook that subscribes to them."""
    if not happened:
        return
    for hook in tx.webhooks.of_graph(graph_id=graph_id, waiting_max=WEBHOOK_WAITING_MAX):
        wanted = [one for one in happened if one.event in rows.from_json(hook.events)]
        room = WEBHOOK_WAITING_MAX - hook.waiting
        for one in wanted[:room]:
            _owe(tx, graph_id, hook.id, one)
        if wanted[room:]:
            tx.webhooks.miss(id=hook.id, count=len(wanted[room:]))


def _owe(tx: Transaction, graph_id: int, webhook_id: int, one: Happened) -> None:
    data = _fact(tx, one) if one.fact is not None else _episode(tx, one)
    if data is None:
        return
    tx.webhooks.owe(
        graph_id=graph_id,
        uuid=tx.new_id(),
        webhook_id=webhook_id,
        event=one.event,
        episode_uuid=one.episode,
        fact_uuid=one.fact,
        data=msgspec.json.encode(data).decode(),
        now=rows.micros(tx.now),
    )


def _episode(tx: Transaction, one: Happened) -> Json | None:
    row = tx.webhooks.episode_told(uuid=one.episode or "")
    if row is None:
        return None
    told: Json = {
        "episode_uuid": row.uuid,
        **_place(row.graph_kind, row.graph_name),
        "thread_id": row.thread_name,
        "task_id": row.task_uuid,
        "created_at": rows.moment(row.created_at),
        "received_at": rows.moment(row.received_at),
    }
    if one.event == "job.parked":
        parked_at = rows.moment_or_none(row.completed_at)
        return told | {"attempts": row.attempts, "parked_at": parked_at}
    return told | {"processed_at": rows.moment_or_none(row.processed_at)}


def _fact(tx: Transaction, one: Happened) -> Json | None:
    """None for a fact that does not exist, or that holds."""
    row = tx.webhooks.fact_told(uuid=one.fact or "")
    if row is None or row.invalid_at is None:
        return None
    return {
        "fact_uuid": row.uuid,
        "episode_uuid": one.episode,
        **_place(row.graph_kind, row.graph_name),
        "created_at": rows.moment(row.created_at),
        "valid_at": rows.moment_or_none(row.valid_at),
        "invalid_at": rows.moment_or_none(row.invalid_at),
        "expired_at": rows.moment_or_none(row.expired_at),
    }


def _place(kind: GraphKind, name: str) -> Json:
    return {"user_id" if kind == "user" else "graph_id": name}


def withdraw(tx: Transaction, graph_id: int) -> None:
    """Delete deliveries about episodes and facts that are gone."""
    tx.webhooks.withdraw(graph_id=graph_id)


def due(tx: Transaction) -> list[int]:
    """The webhooks that have a due delivery."""
    return tx.webhooks.due(now=rows.micros(tx.now), beyond=_beyond(tx))


def take(tx: Transaction, webhook_id: int, lease_s: float) -> Owed | None:
    """Lease the next due delivery of a webhook.

    If the holder dies, the delivery is due again when the lease ends.
    """
    row = tx.webhooks.next(webhook_id=webhook_id, now=rows.micros(tx.now), beyond=_beyond(tx))
    if row is None:
        return None
    until = rows.micros(tx.now + timedelta(seconds=lease_s))
    tx.webhooks.put_off(graph_id=row.graph_id, uuid=row.uuid, due_at=until)
    return Owed(row=row, body=_body(row))


def _beyond(tx: Transaction) -> int:
    """Further ahead than any delay: a later time was written before the clock was set back."""
    return rows.micros(tx.now + timedelta(seconds=2 * WEBHOOK_BACKOFF_MAX_S))


def _body(row: DeliveryNextRow) -> bytes:
    data = rows.from_json(row.data)
    if row.text is not None:
        data["text"] = row.text
    told = {"type": row.event, "timestamp": rows.moment(row.created_at), "data": data}
    return msgspec.json.encode(told)


def note(
    tx: Transaction,
    owed: Owed,
    outcome: Try,
    *,
    attempts_max: int,
    backoff_first_s: float,
    chance: float,
) -> DeliveryState:
    """Record the outcome of an attempt, and when the next one is due, if any.

    *chance*, between 0 and 1, is the jitter that spreads deliveries which failed together.
    """
    row, attempts = owed.row, owed.row.attempts + 1
    state = _state(outcome.status, attempts, attempts_max)
    kept = [*rows.from_json(row.tries), msgspec.to_builtins(outcome)][-WEBHOOK_TRIES_KEPT:]
    due_at = tx.now + timedelta(seconds=pause_s(attempts, backoff_first_s, chance))
    there = tx.webhooks.tried(
        graph_id=row.graph_id,
        uuid=row.uuid,
        state=state,
        due_at=rows.micros(due_at),
        attempts=attempts,
        tries=msgspec.json.encode(kept).decode(),
    )
    if there and state != "waiting":
        tx.webhooks.prune(webhook_id=row.webhook_id, state=state, keep=WEBHOOK_LOG_MAX)
    if outcome.status == GONE:
        tx.webhooks.switch_off(id=row.webhook_id, reason=GONE_REASON)
    return state


def _state(status: int | None, attempts: int, attempts_max: int) -> DeliveryState:
    if status is not None and 200 <= status < 300:
        return "delivered"
    return "given_up" if status == GONE or attempts >= attempts_max else "waiting"


def pause_s(attempts: int, first_s: float, chance: float) -> float:
    """The delay after a number of failures: exponential, with jitter."""
    grown = first_s * float(WEBHOOK_BACKOFF_FACTOR ** min(attempts - 1, 16))
    whole = min(WEBHOOK_BACKOFF_MAX_S, grown)
    return whole * (1 + WEBHOOK_JITTER * (2 * chance - 1))
