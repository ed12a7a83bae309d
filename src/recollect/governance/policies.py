"""The policy sets of a project: versioned, and attached to keys."""

from datetime import datetime

import msgspec

from recollect.errors import Conflict, NotFound
from recollect.graph.policy import Mode, PolicySetDocument
from recollect.graph.types import Record
from recollect.limits import (
    GUARDED_KEYS_MAX,
    POLICY_BYTES_PER_PROJECT_MAX,
    POLICY_SETS_MAX,
    POLICY_SETS_PER_KEY_MAX,
    POLICY_VERSIONS_SHOWN_MAX,
)
from recollect.store import rows
from recollect.store.protocol import Transaction
from recollect.store.queries.keys import KeyRow
from recollect.store.queries.policies import PolicySetRow

_POLICY_CHANGED = "a policy asks for other keys of metadata"
_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(PolicySetDocument).decode


class PolicySet(Record):
    """A policy set in its current version, and how many keys and user groups it is attached to."""

    id: int
    uuid: str
    name: str
    version: int
    mode: Mode
    document: PolicySetDocument
    keys: int
    user_groups: int
    created_at: datetime
    updated_at: datetime


class PolicySetVersion(Record):
    """The content of one version of a policy set."""

    version: int
    document: PolicySetDocument
    created_at: datetime


def document(spec: str) -> PolicySetDocument:
    """Decode a stored document."""
    return _decode(spec)


def guarded(tx: Transaction, project_id: int) -> frozenset[str]:
    """The metadata keys that some rule of the project names, in any mode."""
    row = tx.projects.guarded(project_id=project_id)
    return frozenset() if row is None else frozenset(rows.from_json(row))


def guard(tx: Transaction, project_id: int) -> frozenset[str]:
    """Store which metadata keys the rules of a project name now, and return them."""
    found = (document(row) for row in tx.policies.specs(project_id=project_id))
    keys = {key for one in found for rule in one.policies for key, _ in rule.attributes}
    if len(keys) > GUARDED_KEYS_MAX and keys - guarded(tx, project_id):
        raise Conflict(
            f"the policies of a project may name at most {GUARDED_KEYS_MAX} metadata keys"
        )
    tx.projects.guards(project_id=project_id, keys=rows.to_json(sorted(keys)))
    return frozenset(keys)


def _read_again(tx: Transaction, project_id: int) -> None:
    """If the guarded keys changed, refold the graphs along the new sides and reread their episodes.

    Episodes were read in the light of turns whose visibility may have changed: a name that "she" stood
    for must not reach people who cannot see where it was said.
    """
    before = guarded(tx, project_id)
    if before != (keys := guard(tx, project_id)):
        listed = rows.to_json(sorted(keys))
        tx.graphs.parted(project_id=project_id)
        tx.readings.part(project_id=project_id, keys=listed)
        if new := sorted(keys - before):
            tx.readings.remainders_of_no_side(project_id=project_id, keys=rows.to_json(new))
        tx.edits.part(project_id=project_id, graph_id=None, keys=listed)
        tx.rereadings.want_guarded(
            project_id=project_id,
            reason=_POLICY_CHANGED,
            now=rows.micros(tx.now),
        )


def apply(tx: Transaction, project_id: int, document: PolicySetDocument) -> PolicySet:
    """Create a set of that name, or add a version to it; applying the same document again changes nothing."""
    made = _apply(tx, project_id, document)
    _read_again(tx, project_id)
    return made


def _apply(tx: Transaction, project_id: int, document: PolicySetDocument) -> PolicySet:
    spec = _encode(document).decode()
    old = tx.policies.set_by_name(project_id=project_id, name=document.name)
    now = rows.micros(tx.now)
    if old is None:
        _require_room(tx, project_id)
        number = tx.policies.set_insert(
            uuid=tx.new_id(),
            project_id=project_id,
            name=document.name,
            mode=document.mode,
            spec=spec,
            now=now,
        )
        tx.policies.set_version_insert(id=number)
    elif old.spec != spec:
        tx.policies.set_update(id=old.id, mode=document.mode, spec=spec, now=now)
        tx.policies.set_version_insert(id=old.id)
    size = tx.policies.total_bytes(project_id=project_id)
    if size is not None and size > POLICY_BYTES_PER_PROJECT_MAX:
        raise Conflict(
            f"the policy sets of a project may have at most {POLICY_BYTES_PER_PROJECT_MAX} bytes in total"
        )
    return get(tx, project_id, document.name)


def _require_room(tx: Transaction, project_id: int) -> None:
    row = tx.policies.sets_count(project_id=project_id)
    if row is not None and row >= POLICY_SETS_MAX:
        raise Conflict(f"a project has at most {POLICY_SETS_MAX} policy sets")


def get(tx: Transaction, project_id: int, name_or_uuid: str) -> PolicySet:
    """A set by name or uuid."""
    row = tx.policies.set_by_name(project_id=project_id, name=name_or_uuid)
    if row is None:
        row = tx.policies.set_by_uuid(project_id=project_id, uuid=name_or_uuid)
    if row is None:
        raise NotFound(f"policy set not found: {name_or_uuid}")
    return _policy_set(row)


def list_sets(tx: Transaction, project_id: int) -> list[PolicySet]:
    """Every set of a project, by name."""
    found = tx.policies.sets_of_project(project_id=project_id, limit=POLICY_SETS_MAX)
    return [_policy_set(row) for row in found]


def versions(tx: Transaction, project_id: int, name_or_uuid: str) -> list[PolicySetVersion]:
    """The versions of a set, newest first."""
    number = get(tx, project_id, name_or_uuid).id
    found = tx.policies.set_versions(id=number, limit=POLICY_VERSIONS_SHOWN_MAX)
    return [
        PolicySetVersion(
            version=row.version,
            document=document(row.spec),
            created_at=rows.moment(row.created_at),
        )
        for row in found
    ]


def at_version(
    tx: Transaction, project_id: int, name_or_uuid: str, version: int
) -> PolicySetVersion:
    """One version of a set."""
    for found in versions(tx, project_id, name_or_uuid):
        if found.version == version:
            return found
    raise NotFound(f"the policy set {name_or_uuid!r} has no version {version}")


def delete(
    tx: Transaction, project_id: int, name_or_uuid: str, *, force: bool = False
) -> PolicySet:
    """Delete a set with its versions; an attached one only if forced."""
    found = get(tx, project_id, name_or_uuid)
    if not force and (found.keys or found.user_groups):
        raise Conflict(
            f"the policy set {found.name!r} is attached to {found.keys} keys and "
            f"{found.user_groups} user groups: detach it first, or force the deletion"
        )
    tx.policies.set_delete(id=found.id)
    _read_again(tx, project_id)
    return found


def of_key(tx: Transaction, project_id: int, key_uuid: str) -> list[PolicySet]:
    """The sets attached to a key."""
    key_id = _key(tx, project_id, key_uuid).id
    return [_policy_set(row) for row in tx.policies.sets_of_key(key_id=key_id)]


def names_of_keys(tx: Transaction, project_id: int) -> dict[str, list[str]]:
    """The names of the sets attached to each key that has any."""
    found: dict[str, list[str]] = {}
    for row in tx.policies.set_names_of_keys(project_id=project_id):
        found.setdefault(row.key_uuid, []).append(row.name)
    return found


def attach(tx: Transaction, project_id: int, key_uuid: str, name_or_uuid: str) -> list[PolicySet]:
    """Attach a set to a key; attaching it again changes nothing. Returns all sets of the key."""
    key = _key(tx, project_id, key_uuid)
    found = get(tx, project_id, name_or_uuid)
    if key.is_admin:
        raise Conflict(f"{key_uuid} is an admin key: no policy applies to it")
    tx.policies.set_attach(key_id=key.id, policy_set_id=found.id)
    attached = of_key(tx, project_id, key_uuid)
    if len(attached) > POLICY_SETS_PER_KEY_MAX:
        raise Conflict(f"a key has at most {POLICY_SETS_PER_KEY_MAX} policy sets")
    return attached


def detach(tx: Transaction, project_id: int, key_uuid: str, name_or_uuid: str) -> list[PolicySet]:
    """Detach a set from a key; returns the remaining ones."""
    key = _key(tx, project_id, key_uuid)
    found = get(tx, project_id, name_or_uuid)
    if not tx.policies.set_detach(key_id=key.id, policy_set_id=found.id):
        raise NotFound(f"the policy set {found.name!r} is not attached to key {key_uuid}")
    return of_key(tx, project_id, key_uuid)


def of_group(tx: Transaction, project_id: int, group_id: int | None) -> list[PolicySet]:
    """The sets attached to a user group; None is the group of all users."""
    if group_id is None:
        found = tx.policies.sets_of_all_users(project_id=project_id)
    else:
        found = tx.policies.sets_of_group(group_id=group_id)
    return [_policy_set(row) for row in found]


def detach_from_group(
    tx: Transaction, project_id: int, group_id: int | None, name_or_uuid: str
) -> list[PolicySet]:
    """Detach a set from a user group; returns the remaining ones."""
    found = get(tx, project_id, name_or_uuid)
    if group_id is None:
        gone = tx.policies.set_not_for_all_users(id=found.id)
    else:
        gone = tx.policies.set_detach_from_group(group_id=group_id, policy_set_id=found.id)
    if not gone:
        raise NotFound(f"the policy set {found.name!r} is not attached to this user group")
    return of_group(tx, project_id, group_id)


def _key(tx: Transaction, project_id: int, uuid: str) -> KeyRow:
    row = tx.keys.by_uuid(uuid=uuid)
    if row is None or row.project_id != project_id:
        raise NotFound(f"there is no key {uuid}")
    return row


def _policy_set(row: PolicySetRow) -> PolicySet:
    return PolicySet(
        id=row.id,
        uuid=row.uuid,
        name=row.name,
        version=row.version,
        mode=row.mode,
        document=document(row.spec),
        keys=row.keys,
        user_groups=row.user_groups,
        created_at=rows.moment(row.created_at),
        updated_at=rows.moment(row.updated_at),
    )
