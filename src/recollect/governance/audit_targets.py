"""What an entry of the audit log names: ids that may stay, whoever is forgotten later."""

from typing import Any

from recollect.graph.acting import Target
from recollect.graph.types import Json, Key, Project
from recollect.store.protocol import Transaction

_KINDS = {"policy": "policy_set"}
_NOT_FOUND = 404


def lasting(tx: Transaction, project_id: int, target: Target) -> Target | None:
    """The target under the server's own id, which may stay when the target is gone."""
    if not target.chosen:
        return target
    uuid = _uuid(tx, project_id, target)
    return None if uuid is None else Target(target.kind, uuid)


def existing(tx: Transaction, project_id: int, target: Target, status: int) -> Target | None:
    """The target of a request that did nothing, unless it names nothing that is there.

    It may have been erased, and the log must not bring its name back.
    """
    if target.chosen:
        return target if _uuid(tx, project_id, target) is not None else None
    return None if status == _NOT_FOUND else target


def _uuid(tx: Transaction, project_id: int, target: Target) -> str | None:
    """The server's id behind a caller's, or None when there is no such thing."""
    named = {
        "user": tx.audit.names_user,
        "thread": tx.audit.names_thread,
        "graph": tx.audit.names_graph,
        "session_log": tx.audit.names_session_log,
    }.get(target.kind)
    return None if named is None else named(project_id=project_id, id=target.id)


def made(result: Any) -> Any:
    """The record a unit answers with: a new key comes with its secret around it, and what was written
    once with its answer."""
    return getattr(result, "made", getattr(result, "key", result))


def named(action: str, record: Any) -> str | None:
    """What was made, under the id that it has now."""
    kind = action.split(".")[0]
    kind = "key" if isinstance(record, Key) else _KINDS.get(kind, kind)
    id_ = getattr(record, "name" if kind == "policy_set" else "uuid", None)
    return f"{kind}:{id_}" if isinstance(id_, str) else None


def detailed(detail: Json | None, record: Any) -> Json | None:
    """What is said of a request, the version of what it made, and the receipt of an erasure."""
    told = dict(detail or {})
    version = getattr(record, "version", None)
    receipt = getattr(getattr(record, "receipt", None), "uuid", None)
    if isinstance(version, int):
        told["version"] = version
    if isinstance(receipt, str):
        told["receipt"] = receipt
    return told


def project_of(tx: Transaction, record: Any, name: str | None, target: Target | None) -> int | None:
    """The project of what a command changed: by what it made, its name, or one of its keys."""
    if isinstance(record, Project):
        return record.id
    project_id = getattr(record, "project_id", None)
    if isinstance(project_id, int):
        return project_id
    if name is not None:
        project = tx.projects.by_name(name=name)
        return None if project is None else project.id
    if target is not None and target.kind == "key":
        key = tx.keys.by_uuid(uuid=target.id)
        return None if key is None else key.project_id
    return None
