"""The audit log: one hash chain of entries per project.

An entry's hash covers the previous hash and the entry's content. Of a target it covers only a salted
digest, so that the name of a forgotten person can be redacted while the chain stays valid. Without
the salt, the digest does not reveal the name.
"""

import hashlib
import secrets
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any, Literal, NamedTuple

import msgspec

from recollect.errors import InvariantViolated
from recollect.graph.acting import COMMAND
from recollect.graph.types import Access, Json, Project, Record
from recollect.limits import AUDIT_ENTRIES_PER_READ, AUDIT_HEADS_MAX, INTEGER_MAX
from recollect.store import rows
from recollect.store.protocol import Transaction
from recollect.store.queries.audit import AuditEntryRow

Outcome = Literal["done", "refused", "failed"]
_SALT_BYTES = 16
_SALTS_AT_ONCE = 256
_encode = msgspec.json.Encoder().encode


class Told(Record):
    """The content of an entry, without its number and time."""

    actor: str
    action: str
    outcome: Outcome = "done"
    status: int | None = None
    target: str | None = None
    detail: Json | None = None


class Entry(Told):
    """An entry of the log. *named* distinguishes a redacted target from an entry that never had one."""

    number: int
    at: datetime
    hash: str
    named: bool


class Wanted(Record):
    """Filters for entries; None does not filter."""

    action: str | None = None
    outcome: str | None = None
    actor: str | None = None
    since: datetime | None = None


class Verdict(Record):
    """The result of verifying a whole chain. *broken_at* is the first invalid entry."""

    entries: int
    redacted: int
    head: str
    broken_at: int | None = None
    why: str = ""


class _Sealed(msgspec.Struct, frozen=True, array_like=True):
    """What a hash covers, in encoding order: a JSON array without spaces."""

    number: int
    at: int
    actor: str
    action: str
    outcome: Outcome
    status: int | None
    target_digest: str | None
    detail: str | None


class _Head(NamedTuple):
    """The end of a chain. Its hash identifies the chain and the position in it."""

    number: int
    hash: bytes


# Where each chain ended when we last appended: a guess, which the insert verifies.
_HEADS: dict[int, _Head] = {}
_SALTS: deque[bytes] = deque()
_DIGEST = _Sealed.__struct_fields__.index("target_digest")


def actor_of(access: Access) -> str:
    """The caller, as entries name it."""
    return f"key:{access.key_uuid}" if access.key_uuid else COMMAND


class Timed(NamedTuple):
    """The content of an entry, and its time."""

    at: datetime
    told: Told


def append(tx: Transaction, project_id: int, told: Told) -> int:
    """Append an entry to a project's chain, in the transaction it describes; returns its number."""
    return append_all(tx, project_id, [Timed(tx.now, told)])


def tell(tx: Transaction, project_id: int, told: Told) -> None:
    """The same at the end of the transaction, so that others of the project only wait for the commit."""
    tx.at_end(project_id, append_all, Timed(tx.now, told))


def append_all(tx: Transaction, project_id: int, entries: Sequence[Timed]) -> int:
    """Append several entries; returns the number of the last."""
    head = _HEADS.get(project_id)
    first, *others = entries
    if head is None or (added := _follow(tx, project_id, head, first)) is None:
        added = _follow(tx, project_id, _head(tx, project_id), first)
    if added is None:
        raise InvariantViolated("the audit log grew under a transaction that holds it")
    for entry in others:  # from here on nobody else can append
        added, columns = _sealed(added, entry)
        tx.audit.add(project_id=project_id, **columns)
    if len(_HEADS) >= AUDIT_HEADS_MAX:
        _HEADS.clear()
    _HEADS[project_id] = added
    return added.number


def _head(tx: Transaction, project_id: int) -> _Head:
    row = tx.audit.head(project_id=project_id)
    if row is not None:
        return _Head(row.number, row.hash)
    project = tx.projects.by_id(id=project_id)
    if project is None:
        raise InvariantViolated("an entry of the audit log belongs to no project")
    return _Head(0, _genesis(project.uuid))


def _follow(tx: Transaction, project_id: int, head: _Head, entry: Timed) -> _Head | None:
    """Append an entry after *head*; None if the chain has grown meanwhile."""
    added, columns = _sealed(head, entry)
    return added if tx.audit.follow(project_id=project_id, before=head.hash, **columns) else None


def _sealed(head: _Head, entry: Timed) -> tuple[_Head, dict[str, Any]]:
    """Seal an entry after *head*: returns the new end of the chain, and the entry's columns."""
    told = entry.told
    salt = None if told.target is None else _salt()
    digest = None if salt is None or told.target is None else _digest(salt, told.target)
    sealed = _Sealed(
        number=head.number + 1,
        at=rows.micros(entry.at),
        actor=told.actor,
        action=told.action,
        outcome=told.outcome,
        status=told.status,
        target_digest=None if digest is None else digest.hex(),
        detail=rows.to_json(told.detail or None),
    )
    added = _Head(sealed.number, _hash(head.hash, sealed))
    kept = {"target": told.target, "salt": salt, "target_digest": digest, "hash": added.hash}
    return added, msgspec.structs.asdict(sealed) | kept


def _salt() -> bytes:
    """Random bytes, generated for many entries at once to save time on the writer thread."""
    try:
        return _SALTS.popleft()
    except IndexError:
        _SALTS.extend(secrets.token_bytes(_SALT_BYTES) for _ in range(_SALTS_AT_ONCE))
        return secrets.token_bytes(_SALT_BYTES)


def redact(tx: Transaction, project_id: int, targets: Iterable[str]) -> int:
    """Redact these targets (`user:…`, `thread:…`, `graph:…`) in all entries; returns how many entries."""
    listed = sorted(set(targets))
    if not listed:
        return 0
    return tx.audit.redact(project_id=project_id, targets=rows.to_json(listed))


def page(
    tx: Transaction, project_id: int, wanted: Wanted, *, limit: int, before: int | None = None
) -> list[Entry]:
    """The newest entries, or the newest with a number below *before*."""
    found = tx.audit.page(
        project_id=project_id,
        before=INTEGER_MAX if before is None else before,
        action=wanted.action,
        outcome=wanted.outcome,
        actor=wanted.actor,
        since=rows.micros_or_none(wanted.since),
        limit=limit,
    )
    return [_entry(row) for row in found]


def verify(tx: Transaction, project: Project, expected: str | None = None) -> Verdict:
    """Verify a chain from its beginning. *expected* is a hash that some entry must have.

    A truncated chain is still valid in itself: only a head that was recorded elsewhere reveals the loss.
    """
    hash_, number, redacted = _genesis(project.uuid), 0, 0
    met = expected is None or expected == hash_.hex()
    for row in _all(tx, project.id):
        why = _fault(row, number + 1, hash_)
        if why:
            return Verdict(
                entries=number, redacted=redacted, head=hash_.hex(), broken_at=number + 1, why=why
            )
        number, hash_ = number + 1, row.hash
        redacted += row.target is None and row.target_digest is not None
        met = met or hash_.hex() == expected
    verdict = Verdict(entries=number, redacted=redacted, head=hash_.hex())
    if met:
        return verdict
    return msgspec.structs.replace(
        verdict,
        broken_at=number + 1,
        why="no entry has the expected hash: the end was cut off, or the chain was written anew",
    )


def _all(tx: Transaction, project_id: int) -> Iterator[AuditEntryRow]:
    after = -INTEGER_MAX
    while found := tx.audit.after(project_id=project_id, after=after, limit=AUDIT_ENTRIES_PER_READ):
        yield from found
        after = found[-1].number


def _fault(row: AuditEntryRow, number: int, before: bytes) -> str:
    """Why an entry is invalid in its place; empty if it is valid."""
    if row.number != number:
        return f"entry {row.number} stands in its place"
    target, salt, digest = row.target, row.salt, row.target_digest
    if (target is None) != (salt is None):
        return "its target and its salt do not belong together"
    try:
        if target is not None and _digest(salt or b"", target) != digest:
            return "its target was changed"
        said = [getattr(row, field) for field in _Sealed.__struct_fields__]
        said[_DIGEST] = None if digest is None else digest.hex()
        sealed = msgspec.convert(said, _Sealed)
        agrees = _hash(before, sealed) == row.hash
    except (AttributeError, TypeError, msgspec.ValidationError):
        return "a column holds a value of another kind"
    return "" if agrees else "its hash does not fit what it says and what stands before it"


def _entry(row: AuditEntryRow) -> Entry:
    return Entry(
        number=row.number,
        at=rows.moment(row.at),
        actor=row.actor,
        action=row.action,
        outcome=row.outcome,
        status=row.status,
        target=row.target,
        detail=rows.from_json(row.detail),
        hash=row.hash.hex(),
        named=row.target_digest is not None,
    )


def _genesis(project_uuid: str) -> bytes:
    """The hash before the first entry: it ties the chain to its project."""
    return hashlib.sha256(project_uuid.encode()).digest()


def _digest(salt: bytes, target: str) -> bytes:
    return hashlib.sha256(salt + target.encode()).digest()


def _hash(before: bytes, sealed: _Sealed) -> bytes:
    return hashlib.sha256(before + _encode(sealed)).digest()
