"""The keys of a project, for its administrators: making, governing and revoking them.

A key belongs to the project of the key that makes it. Its secret is told once, in the answer that
nobody on the way may keep; only its hash is stored.
"""

from datetime import datetime

import msgspec

from recollect.api.http import Reply
from recollect.api.router import Call, Route
from recollect.governance import keys, policies
from recollect.governance.keys import NewKey
from recollect.graph.policy import Mode, Role
from recollect.graph.types import Access, Key
from recollect.store.protocol import Transaction


class ShownKey(msgspec.Struct):
    """A key without its secret, and the names of its policy sets."""

    uuid: str
    name: str
    begins: str
    is_admin: bool
    role: Role
    mode: Mode
    logs_reads: bool
    mcp_write: bool
    policy_sets: list[str]
    created_at: datetime
    revoked_at: datetime | None


class OwnKey(msgspec.Struct):
    """The key of a request: whether it manages access, and of which project."""

    is_admin: bool
    project_uuid: str


class KeyWithSecret(ShownKey, kw_only=True):
    """A key at the only moment its secret is known."""

    secret: str


class CreateKey(msgspec.Struct, forbid_unknown_fields=True):
    """A further key of the project."""

    name: str
    is_admin: bool = False
    role: Role = "default_allow"
    mode: Mode = "enforce"
    logs_reads: bool = False
    mcp_write: bool = False


class Keys(msgspec.Struct):
    """The keys of a project, the oldest first."""

    keys: list[ShownKey]


class ChangeKey(msgspec.Struct, forbid_unknown_fields=True):
    """What is to change of a key; the rest stays."""

    role: Role | None = None
    mode: Mode | None = None
    logs_reads: bool | None = None
    mcp_write: bool | None = None


def _shown(key: Key, names: list[str]) -> ShownKey:
    return ShownKey(
        uuid=key.uuid,
        name=key.name,
        begins=key.prefix,
        is_admin=key.is_admin,
        role=key.role,
        mode=key.mode,
        logs_reads=key.logs_reads,
        mcp_write=key.mcp_write,
        policy_sets=names,
        created_at=key.created_at,
        revoked_at=key.revoked_at,
    )


def with_secret(made: NewKey) -> KeyWithSecret:
    """A new key with its secret."""
    return KeyWithSecret(secret=made.secret, **msgspec.structs.asdict(_shown(made.key, [])))


def _create(tx: Transaction, access: Access, sent: CreateKey) -> NewKey:
    return keys.create_key(
        tx,
        keys.project_of(tx, access).name,
        sent.name,
        admin=sent.is_admin,
        role=sent.role,
        mode=sent.mode,
        logs_reads=sent.logs_reads,
        mcp_write=sent.mcp_write,
    )


def _list(tx: Transaction, project_id: int) -> Keys:
    names = policies.names_of_keys(tx, project_id)
    found = keys.list_keys(tx, project_id)
    return Keys(keys=[_shown(key, names.get(key.uuid, [])) for key in found])


def _get(tx: Transaction, project_id: int, uuid: str) -> ShownKey:
    found = keys.get_key(tx, uuid, project_id)
    attached = policies.of_key(tx, project_id, uuid)
    return _shown(found, [each.name for each in attached])


def _change(tx: Transaction, project_id: int, uuid: str, sent: ChangeKey) -> ShownKey:
    keys.change_key(
        tx,
        uuid,
        project_id=project_id,
        role=sent.role,
        mode=sent.mode,
        logs_reads=sent.logs_reads,
        mcp_write=sent.mcp_write,
    )
    return _get(tx, project_id, uuid)


def _revoke(tx: Transaction, project_id: int, uuid: str) -> ShownKey:
    keys.revoke_key(tx, uuid, project_id)
    return _get(tx, project_id, uuid)


def _attach(tx: Transaction, project_id: int, uuid: str, name: str) -> ShownKey:
    policies.attach(tx, project_id, uuid, name)
    return _get(tx, project_id, uuid)


def _detach(tx: Transaction, project_id: int, uuid: str, name: str) -> ShownKey:
    policies.detach(tx, project_id, uuid, name)
    return _get(tx, project_id, uuid)


async def create(call: Call) -> Reply:
    """A further key of this project."""
    made = await call.services.store.write(_create, call.access, call.body)
    return Reply.json(with_secret(made), headers={"Cache-Control": "no-store"})


async def own(call: Call) -> OwnKey:
    """The key that asks, as far as it concerns whoever holds it."""
    access = call.access
    return OwnKey(is_admin=access.is_admin, project_uuid=access.project_uuid)


async def list_keys(call: Call) -> Keys:
    """The keys of this project, revoked ones included."""
    return await call.services.store.read(_list, call.access.project_id)


async def get(call: Call) -> ShownKey:
    """A key by its uuid."""
    project_id, uuid = call.access.project_id, call.path["key_uuid"]
    return await call.services.store.read(_get, project_id, uuid)


async def change(call: Call) -> ShownKey:
    """Change the role or mode of a key, whether its reads are logged, or what MCP offers it."""
    project_id, uuid = call.access.project_id, call.path["key_uuid"]
    return await call.services.store.write(_change, project_id, uuid, call.body)


async def revoke(call: Call) -> ShownKey:
    """Make a key useless from now on."""
    project_id, uuid = call.access.project_id, call.path["key_uuid"]
    return await call.services.store.write(_revoke, project_id, uuid)


async def attach(call: Call) -> ShownKey:
    """Attach a policy set to a key; once more changes nothing."""
    project_id, uuid = call.access.project_id, call.path["key_uuid"]
    name = call.path["policy_set_name"]
    return await call.services.store.write(_attach, project_id, uuid, name)


async def detach(call: Call) -> ShownKey:
    """Take a policy set off a key."""
    project_id, uuid = call.access.project_id, call.path["key_uuid"]
    name = call.path["policy_set_name"]
    return await call.services.store.write(_detach, project_id, uuid, name)


_KEY = "/api/v1/keys/{key_uuid}"
_ATTACHED = f"{_KEY}/policy-sets/{{policy_set_name}}"
ROUTES = [
    Route("GET", "/api/v1/key", "key.own", own, "Get the key that asks", answer=OwnKey),
    Route("GET", "/api/v1/keys", "key.list", list_keys, "List keys", answer=Keys, admin=True),
    Route(
        "POST",
        "/api/v1/keys",
        "key.create",
        create,
        "Make a key",
        body=CreateKey,
        answer=KeyWithSecret,
        admin=True,
    ),
    Route("GET", _KEY, "key.get", get, "Get a key", answer=ShownKey, admin=True),
    Route(
        "PATCH",
        _KEY,
        "key.change",
        change,
        "Change what governs a key",
        body=ChangeKey,
        answer=ShownKey,
        admin=True,
    ),
    Route("DELETE", _KEY, "key.revoke", revoke, "Revoke a key", answer=ShownKey, admin=True),
    Route(
        "PUT",
        _ATTACHED,
        "key.attach_policy_set",
        attach,
        "Attach a policy set to a key",
        answer=ShownKey,
        admin=True,
    ),
    Route(
        "DELETE",
        _ATTACHED,
        "key.detach_policy_set",
        detach,
        "Take a policy set off a key",
        answer=ShownKey,
        admin=True,
    ),
]
