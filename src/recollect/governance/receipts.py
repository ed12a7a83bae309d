"""Receipts of erasures: what was removed, what was kept and why. They contain nothing of what was erased."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Literal

from msgspec.structs import asdict

from recollect.errors import NotFound
from recollect.governance.erasure import Mode, Removed
from recollect.graph.types import Access, Record
from recollect.store import rows, tasks
from recollect.store.protocol import Transaction
from recollect.store.queries.erasures import ErasureRow

# Several episodes erased together are named by their graph.
Kind = Literal[
    "episode",
    "episodes",
    "entity",
    "fact",
    "thread",
    "graph",
    "user",
    "session_log",
    "agent",
    "trace",
    "trace_event",
]
_TASK_TYPES: dict[Kind, str] = {
    "episode": "graph.episode.delete",
    "episodes": "graph.episode.delete",
    "entity": "graph.node.delete",
    "fact": "graph.edge.delete",
    "thread": "thread.delete",
    "graph": "graph.delete",
    "user": "user.delete",
    "agent": "agent.delete",
    "trace": "agent.trajectory.repair.evidence_deletion",
    "trace_event": "agent.trajectory.repair.evidence_deletion",
}

# What no erasure in this store can reach.
_OUT_OF_REACH = (
    ("backups", "copies of the data folder and exports are not known here"),
    (
        "log files",
        "what the server wrote to its output is not kept here; it has no text of memories",
    ),
)
_ELSEWHERE = (
    ("clones", "copies of the graph that were made earlier are graphs of their own"),
    ("other graphs", "what other users and graphs were told about the same person is theirs"),
    ("documents", "collections of documents belong to the project"),
)
_DELETED_ONLY = (
    ("ends", "facts that erased episodes ended stay ended; mode=forget opens them"),
    ("names", "names that only erased episodes used stay with entities; mode=forget drops them"),
)
# A session log is append-only: what was fed from it and erased in a graph is still in the log.
_LOGGED = (
    ("session logs", "what came from a session log stays there until the session is deleted"),
)
_FED = (("graph", "what the session fed to its user's graph stays; the thread of its id holds it"),)
_WORDING = (
    ("wording", "facts and entities that other episodes bear out stay, in the words they have"),
)


class KeptPart(Record):
    """Something that was not removed, and why; *count* if it can be counted."""

    what: str
    why: str
    count: int | None = None


class Receipt(Record):
    """An erasure: the kind of its subject, the subject's server id, and what was removed and kept."""

    uuid: str
    at: datetime
    kind: Kind
    subject: str
    mode: Mode
    removed: dict[str, int]
    kept: list[KeptPart]
    scrubbed: bool


class Erased(Record):
    """A receipt, and the uuid of the graph in which something was erased."""

    receipt: Receipt
    graph_uuid: str

    @property
    def uuid(self) -> str:
        """The uuid of the receipt."""
        return self.receipt.uuid


def of_part(
    tx: Transaction,
    access: Access,
    kind: Kind,
    subject: str,
    mode: Mode,
    removed: Removed,
    more: Mapping[str, int] | None = None,
) -> Receipt:
    """Store the receipt of an erasure that leaves the rest of its graph."""
    logged = () if kind in ("trace", "trace_event") else _LOGGED
    stays = (*_WORDING, *(_DELETED_ONLY if mode == "delete" else ()), *logged, *_ELSEWHERE)
    counts = {**asdict(removed), **(more or {})}
    return _keep(tx, access, kind, subject, mode, counts, _told((*stays, *_OUT_OF_REACH)))


def of_graph(
    tx: Transaction,
    access: Access,
    kind: Kind,
    subject: str,
    mode: Mode,
    removed: Mapping[str, int],
    redacted: int,
) -> Receipt:
    """Store the receipt of the erasure of a whole graph, with or without its user."""
    why = "what was done is kept, without whom or what it was done to"
    audited = KeptPart(what="audit entries", why=why, count=redacted)
    kept = [audited, *_told((*_ELSEWHERE, *_OUT_OF_REACH))]
    return _keep(tx, access, kind, subject, mode, removed, kept)


def of_session(
    tx: Transaction, access: Access, subject: str, removed: Mapping[str, int]
) -> Receipt:
    """Store the receipt of the erasure of a session with its log."""
    kept = _told((*_FED, *_OUT_OF_REACH))
    return _keep(tx, access, "session_log", subject, "delete", removed, kept)


def _told(reasons: Sequence[tuple[str, str]]) -> list[KeptPart]:
    return [KeptPart(what=what, why=why) for what, why in reasons]


def _keep(
    tx: Transaction,
    access: Access,
    kind: Kind,
    subject: str,
    mode: Mode,
    removed: Mapping[str, int],
    kept: Sequence[KeptPart],
) -> Receipt:
    uuid = tx.new_id()
    tx.erasures.insert(
        uuid=uuid,
        project_id=access.project_id,
        at=rows.micros(tx.now),
        kind=kind,
        subject=subject,
        mode=mode,
        removed=rows.to_json(dict(removed)),
        kept=rows.to_json(list(kept)),
    )
    if kind in _TASK_TYPES:
        tasks.note(tx, access.project_id, uuid, _TASK_TYPES[kind])
    return _receipt(_row(tx, access, uuid))


def mark_scrubbed(tx: Transaction, uuid: str) -> None:
    """Record that the files were scrubbed after this erasure, and so after all earlier ones."""
    tx.erasures.scrubbed(uuid=uuid)


def unscrubbed(tx: Transaction) -> str | None:
    """The newest erasure, in any project, that the files have not been scrubbed after."""
    row = tx.erasures.unscrubbed()
    return None if row is None else str(row)


def get(tx: Transaction, access: Access, uuid: str) -> Receipt:
    """A receipt by uuid; a key with restricted visibility sees none, because receipts count hidden items."""
    if access.visibility is not None:
        raise NotFound(f"erasure not found: {uuid}")
    return _receipt(_row(tx, access, uuid))


def _row(tx: Transaction, access: Access, uuid: str) -> ErasureRow:
    row = tx.erasures.by_uuid(uuid=uuid, project_id=access.project_id)
    if row is None:
        raise NotFound(f"erasure not found: {uuid}")
    return row


def page(tx: Transaction, access: Access, *, limit: int, before: str | None) -> list[Receipt]:
    """The newest receipts of a project, or the newest before the given one."""
    if before is not None:
        get(tx, access, before)
    if access.visibility is not None:
        return []
    found = tx.erasures.page(project_id=access.project_id, limit=limit, before=before)
    return [_receipt(row) for row in found]


def _receipt(row: ErasureRow) -> Receipt:
    return Receipt(
        uuid=row.uuid,
        at=rows.moment(row.at),
        kind=row.kind,
        subject=row.subject,
        mode=row.mode,
        removed=rows.from_json(row.removed),
        kept=[KeptPart(**one) for one in rows.from_json(row.kept)],
        scrubbed=bool(row.scrubbed),
    )
