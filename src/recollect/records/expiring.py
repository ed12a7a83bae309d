"""Episodes and facts with an expiry time.

Once expired they are forgotten, as if they had never been said: searches, lists and contexts show
what they would show without them. What they were is stored separately, for the operator only, until
the settings have it deleted as well.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import msgspec

from recollect.errors import NotFound
from recollect.governance import audit
from recollect.governance.receipts import Erased
from recollect.graph import expiry
from recollect.graph.expiry import Expired, ExpiringKind, Reason
from recollect.graph.types import Access, Episode, Fact
from recollect.limits import PAGE_MAX
from recollect.records import episodes, erasing, guidance, knowledge, telling
from recollect.records.guidance import EdgeType, EntityType
from recollect.store import rows
from recollect.store.protocol import Transaction
from recollect.store.queries.expiries import ExpiredRow, ExpiryDueRow

_NEVER = 1 << 62  # for a fact whose type expires but that was explicitly set not to
_encode = msgspec.json.encode
_reason = msgspec.json.Decoder(Reason).decode


def expire(
    tx: Transaction, access: Access, kind: ExpiringKind, uuid: str, at: datetime | None
) -> datetime | None:
    """Set when something expires, or that it never does (None); a past time takes effect at once.

    Returns *at*.
    """
    found = _thing(tx, access, kind, uuid)
    row = tx.expiries.of_thing(graph_id=found.graph_id, uuid=uuid)
    if at is not None:
        put(tx, found.graph_id, kind, uuid, rows.micros(at), said_by(access))
    elif row is not None and _reason(row.because).kind == "type":
        put(tx, found.graph_id, kind, uuid, _NEVER, said_by(access))
    elif row is None or row.expires_at < _NEVER:
        tx.expiries.drop(graph_id=found.graph_id, uuid=uuid)
    return at


def said_by(access: Access) -> Reason:
    """The reason of an expiry that was set explicitly, with the actor as in the audit log."""
    actor = access.acting.actor if access.acting else audit.actor_of(access)
    return Reason(kind="said", by=actor)


def put(
    tx: Transaction, graph_id: int, kind: ExpiringKind, uuid: str, at: int, because: Reason
) -> None:
    """Set when an existing thing expires."""
    told = _encode(because).decode()
    tx.expiries.put(graph_id=graph_id, uuid=uuid, kind=kind, expires_at=at, because=told)


def expires_at(tx: Transaction, access: Access, kind: ExpiringKind, uuid: str) -> datetime | None:
    """When something expires; None: never."""
    found = _thing(tx, access, kind, uuid)
    row = tx.expiries.of_thing(graph_id=found.graph_id, uuid=uuid)
    return None if row is None or row.expires_at >= _NEVER else rows.moment(row.expires_at)


def _thing(tx: Transaction, access: Access, kind: ExpiringKind, uuid: str) -> Episode | Fact:
    if kind == "episode":
        return episodes.get(tx, access, uuid)
    return knowledge.fact(tx, access, uuid)


# ---------------------------------------------------------------- what expires by its type


def follow(tx: Transaction, graph_id: int, said: Sequence[Episode]) -> None:
    """Set the expiry of facts that episodes state, if their type in the ontology has one.

    It is counted from when they were last stated.
    """
    durations = _durations(tx, graph_id)
    if not durations:
        return
    for episode in said:
        for row in tx.facts.of_episode(episode_id=episode.id, limit=PAGE_MAX):
            _expire_by_type(tx, rows.fact(row), episode.received_at, durations)


def follow_fold(tx: Transaction, graph_id: int) -> None:
    """The same for a whole refolded graph; facts without an expiry count from when they were learned."""
    durations = _durations(tx, graph_id)
    last: str | None = None
    while durations:
        page = tx.facts.page(
            order="uuid/asc", graph_id=graph_id, after_uuid=last, after_key=last, limit=PAGE_MAX
        )
        for one in page:
            fact = rows.fact(one.row)
            if tx.expiries.of_thing(graph_id=graph_id, uuid=fact.uuid) is None:
                _expire_by_type(tx, fact, fact.created_at, durations)
            last = fact.uuid
        if len(page) < PAGE_MAX:
            return


def _durations(tx: Transaction, graph_id: int) -> dict[str, timedelta]:
    """How long facts of a type last, by type name; empty for most graphs."""
    row = tx.graphs.by_id(id=graph_id)
    if row is None:
        return {}
    # The types belong to the project, whoever the caller is.
    access = Access(project_id=row.project_id, project_uuid="", key_uuid="")
    ontology = guidance.ontology_at(tx, access, guidance.scope_of(rows.graph(row)))
    types: list[EntityType | EdgeType] = [*ontology.entity_types, *ontology.edge_types]
    return {
        one.name: timedelta(days=one.expires_after_days)
        for one in types
        if one.expires_after_days is not None
    }


def _expire_by_type(
    tx: Transaction, fact: Fact, since: datetime, durations: dict[str, timedelta]
) -> None:
    found = expiry.lasting(fact.name, (*fact.source_labels, *fact.target_labels), durations)
    if found is not None:
        type_, duration = found
        tx.expiries.put_of_type(
            graph_id=fact.graph_id,
            uuid=fact.uuid,
            expires_at=rows.micros(since + duration),
            because=_encode(Reason(kind="type", by=type_)).decode(),
        )


# ---------------------------------------------------------------- when the time has come


def forget_next(tx: Transaction, *, keep: bool, project_id: int | None = None) -> Erased | None:
    """Forget the first expired thing and, with *keep*, store what it was; None if nothing is due."""
    while (due := _due(tx, project_id)) is not None:
        access = Access(project_id=due.project_id, project_uuid=due.project_uuid, key_uuid="")
        try:
            return _forget(tx, access, due, keep=keep)
        except NotFound:  # it was deleted in another way
            tx.expiries.drop(graph_id=due.graph_id, uuid=due.uuid)
    return None


def _due(tx: Transaction, project_id: int | None) -> ExpiryDueRow | None:
    now = rows.micros(tx.now)
    if project_id is None:
        return tx.expiries.due(now=now)
    return tx.expiries.due_in(project_id=project_id, now=now)


def _forget(tx: Transaction, access: Access, due: ExpiryDueRow, *, keep: bool) -> Erased:
    found = _thing(tx, access, due.kind, due.uuid)
    if isinstance(found, Fact):
        erased = erasing.fact(tx, access, due.uuid)
        went: list[Fact] = []
    else:
        known = tx.facts.of_episode(episode_id=found.id, limit=PAGE_MAX)
        said = telling.facts(tx, access, [rows.fact(row) for row in known])
        erased = erasing.episode(tx, access, due.uuid, "forget")
        went = [one for one in said if tx.facts.place(uuid=one.uuid) is None]
    tx.expiries.drop(graph_id=due.graph_id, uuid=due.uuid)
    if keep:
        _hide(tx, due, found, _reason(due.because))
        for fact in went:
            _hide(tx, due, fact, Reason(kind="episode", by=due.uuid))
    return erased


def _hide(tx: Transaction, due: ExpiryDueRow, found: Episode | Fact, because: Reason) -> None:
    told = _told(found)
    if isinstance(found, Fact):  # episodes written directly were deleted with it
        asked = rows.to_json(found.episodes)
        there = tx.episodes.ids_by_uuids(uuids=asked, graph_id=due.graph_id)
        said = {row.uuid for row in there} | {due.uuid}
        told["episodes"] = [uuid for uuid in found.episodes if uuid in said]
    tx.expiries.hide(
        graph_id=due.graph_id,
        uuid=found.uuid,
        kind="fact" if isinstance(found, Fact) else "episode",
        expires_at=due.expires_at,
        now=rows.micros(tx.now),
        told=_encode(told).decode(),
        because=_encode(because).decode(),
    )


def _told(found: Episode | Fact) -> dict[str, Any]:
    """What something was, in words and times."""
    if isinstance(found, Episode):
        return {
            "content": found.content,
            "role": found.role,
            "speaker": found.speaker,
            "thread_id": found.thread_id,
            "metadata": found.metadata,
            "created_at": found.created_at,
            "received_at": found.received_at,
        }
    return {
        "fact": found.fact,
        "name": found.name,
        "source": found.source_name,
        "target": found.target_name,
        "created_at": found.created_at,
        "valid_at": found.valid_at,
        "invalid_at": found.invalid_at,
    }


# ---------------------------------------------------------------- looking at what expired


def expired(tx: Transaction, access: Access, limit: int) -> list[Expired]:
    """The expired things of a project that are still stored, most recent first."""
    found = tx.expiries.hidden(project_id=access.project_id, limit=limit)
    return [_expired(row) for row in found]


def expired_thing(tx: Transaction, access: Access, uuid: str) -> Expired | None:
    """The same for one thing; None if it has not expired, or is no longer stored."""
    row = tx.expiries.hidden_thing(project_id=access.project_id, uuid=uuid)
    return None if row is None else _expired(row)


def _expired(row: ExpiredRow) -> Expired:
    return Expired(
        uuid=row.uuid,
        kind=row.kind,
        graph_kind=row.graph_kind,
        graph=row.graph_name,
        expires_at=rows.moment(row.expires_at),
        hidden_at=rows.moment(row.hidden_at),
        because=_reason(row.because),
        told=rows.from_json(row.told) or {},
    )


def is_due(tx: Transaction, kept_days: int | None) -> bool:
    """Whether something is due to expire, or to be deleted permanently."""
    if _due(tx, None) is not None:
        return True
    oldest = tx.expiries.oldest_hidden() if kept_days else None
    return oldest is not None and oldest <= _before(tx, kept_days or 0)


def next_at(tx: Transaction) -> datetime | None:
    """When the next thing expires, in any project; None: nothing does."""
    row = tx.expiries.due(now=_NEVER - 1)
    return None if row is None else rows.moment(row.expires_at)


def is_due_in(tx: Transaction, access: Access) -> bool:
    """Whether anything in a project is due to expire."""
    return _due(tx, access.project_id) is not None


def _before(tx: Transaction, days: int) -> int:
    return rows.micros(tx.now - timedelta(days=days))


def forget_for_good(tx: Transaction, days: int) -> int:
    """Permanently delete what expired that many days ago; returns how many things."""
    return tx.expiries.forget(before=_before(tx, days))
