"""Episodes and facts that cease to be known at a time that is said beforehand.

When it has come they are forgotten, as if they had never been told: whatever a search, a list or a
context shows is what it would show without them. What they were is kept apart from that, for the
operator alone, until the settings have it forgotten as well.
"""

from datetime import datetime, timedelta
from typing import Any

import msgspec

from recollect.errors import NotFound
from recollect.governance.receipts import Erased
from recollect.graph.expiry import Expired, ExpiringKind
from recollect.graph.types import Access, Episode, Fact
from recollect.records import episodes, erasing, knowledge
from recollect.store import rows
from recollect.store.protocol import Transaction
from recollect.store.queries.expiries import ExpiryDueRow


def expire(
    tx: Transaction, access: Access, kind: ExpiringKind, uuid: str, at: datetime | None
) -> datetime | None:
    """Let something cease to be known at a time; never, if that is None. A time that has passed is at
    once. Says when."""
    found = _thing(tx, access, kind, uuid)
    if at is None:
        tx.expiries.drop(graph_id=found.graph_id, uuid=uuid)
        return None
    tx.expiries.put(graph_id=found.graph_id, uuid=uuid, kind=kind, expires_at=rows.micros(at))
    return at


def expires_at(tx: Transaction, access: Access, kind: ExpiringKind, uuid: str) -> datetime | None:
    """When something will cease to be known; None: never."""
    found = _thing(tx, access, kind, uuid)
    return rows.moment_or_none(tx.expiries.of_thing(graph_id=found.graph_id, uuid=uuid))


def _thing(tx: Transaction, access: Access, kind: ExpiringKind, uuid: str) -> Episode | Fact:
    if kind == "episode":
        return episodes.get(tx, access, uuid)
    return knowledge.fact(tx, access, uuid)


def forget_next(tx: Transaction, *, keep: bool) -> Erased | None:
    """Forget the first thing whose time has come, and with *keep* remember apart what it was; None
    when there is none."""
    while (due := tx.expiries.due(now=rows.micros(tx.now))) is not None:
        access = Access(project_id=due.project_id, project_uuid=due.project_uuid, key_uuid="")
        try:
            return _forget(tx, access, due, keep=keep)
        except NotFound:  # it went another way
            tx.expiries.drop(graph_id=due.graph_id, uuid=due.uuid)
    return None


def _forget(tx: Transaction, access: Access, due: ExpiryDueRow, *, keep: bool) -> Erased:
    told = _told(_thing(tx, access, due.kind, due.uuid))
    if due.kind == "episode":
        erased = erasing.episode(tx, access, due.uuid, "forget")
    else:
        erased = erasing.fact(tx, access, due.uuid)
    tx.expiries.drop(graph_id=due.graph_id, uuid=due.uuid)
    if keep:
        tx.expiries.hide(
            graph_id=due.graph_id,
            uuid=due.uuid,
            kind=due.kind,
            expires_at=due.expires_at,
            now=rows.micros(tx.now),
            told=msgspec.json.encode(told).decode(),
        )
    return erased


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
        "episodes": found.episodes,
        "created_at": found.created_at,
        "valid_at": found.valid_at,
        "invalid_at": found.invalid_at,
    }


def expired(tx: Transaction, access: Access, limit: int) -> list[Expired]:
    """What ceased to be known in a project and is still remembered apart, the last first."""
    return [
        Expired(
            uuid=row.uuid,
            kind=row.kind,
            graph_kind=row.graph_kind,
            graph=row.graph_name,
            expires_at=rows.moment(row.expires_at),
            hidden_at=rows.moment(row.hidden_at),
            told=rows.from_json(row.told) or {},
        )
        for row in tx.expiries.hidden(project_id=access.project_id, limit=limit)
    ]


def is_due(tx: Transaction, kept_days: int | None) -> bool:
    """Whether something has to be forgotten, or to be forgotten for good."""
    if tx.expiries.due(now=rows.micros(tx.now)) is not None:
        return True
    oldest = tx.expiries.oldest_hidden() if kept_days else None
    return oldest is not None and oldest <= _before(tx, kept_days or 0)


def _before(tx: Transaction, days: int) -> int:
    return rows.micros(tx.now - timedelta(days=days))


def forget_for_good(tx: Transaction, days: int) -> int:
    """Keep nothing of what expired so many days ago; says of how many things."""
    return tx.expiries.forget(before=_before(tx, days))
