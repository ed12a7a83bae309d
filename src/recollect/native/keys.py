"""The keys of a project, for its administrators: making, governing and revoking them.

A key belongs to the project of the key that makes it. Its secret is told once, in the answer that
nobody on the way may keep; only its hash is stored.
"""

from datetime import datetime

import msgspec

from recollect.api.http import Reply
from recollect.api.router import Call, Route
from recollect.app import keys
from recollect.app.keys import GovernedKey, NewKey
from recollect.graph.policy import Mode, Role


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


def _shown(found: GovernedKey) -> ShownKey:
    key = found.key
    return ShownKey(
        uuid=key.uuid,
        name=key.name,
        begins=key.prefix,
        is_admin=key.is_admin,
        role=key.role,
        mode=key.mode,
        logs_reads=key.logs_reads,
        mcp_write=key.mcp_write,
        policy_sets=found.policy_sets,
        created_at=key.created_at,
        revoked_at=key.revoked_at,
    )


def with_secret(made: NewKey) -> KeyWithSecret:
    """A new key with its secret."""
    return KeyWithSecret(
        secret=made.secret,
        **msgspec.structs.asdict(_shown(GovernedKey(key=made.key, policy_sets=[]))),
    )


async def create(call: Call) -> Reply:
    """A further key of this project."""
    sent: CreateKey = call.body
    made = await keys.create(
        call.services,
        call.access,
        sent.name,
        admin=sent.is_admin,
        role=sent.role,
        mode=sent.mode,
        logs_reads=sent.logs_reads,
        mcp_write=sent.mcp_write,
    )
    return Reply.json(with_secret(made), headers={"Cache-Control": "no-store"})


async def own(call: Call) -> OwnKey:
    """The key that asks, as far as it concerns whoever holds it."""
    access = call.access
    return OwnKey(is_admin=access.is_admin, project_uuid=access.project_uuid)


async def list_keys(call: Call) -> Keys:
    """The keys of this project, revoked ones included."""
    return Keys(keys=[_shown(one) for one in await keys.list_(call.services, call.access)])


async def get(call: Call) -> ShownKey:
    """A key by its uuid."""
    return _shown(await keys.get(call.services, call.access, call.path["key_uuid"]))


async def change(call: Call) -> ShownKey:
    """Change the role or mode of a key, whether its reads are logged, or what MCP offers it."""
    sent: ChangeKey = call.body
    changed = await keys.change(
        call.services,
        call.access,
        call.path["key_uuid"],
        role=sent.role,
        mode=sent.mode,
        logs_reads=sent.logs_reads,
        mcp_write=sent.mcp_write,
    )
    return _shown(changed)


async def revoke(call: Call) -> ShownKey:
    """Make a key useless from now on."""
    return _shown(await keys.revoke(call.services, call.access, call.path["key_uuid"]))


async def attach(call: Call) -> ShownKey:
    """Attach a policy set to a key; once more changes nothing."""
    uuid, name = call.path["key_uuid"], call.path["policy_set_name"]
    return _shown(await keys.attach(call.services, call.access, uuid, name))


async def detach(call: Call) -> ShownKey:
    """Take a policy set off a key."""
    uuid, name = call.path["key_uuid"], call.path["policy_set_name"]
    return _shown(await keys.detach(call.services, call.access, uuid, name))


_KEY = "/api/v1/keys/{key_uuid}"
_ATTACHED = f"{_KEY}/policy-sets/{{policy_set_name}}"
ROUTES = [
    Route("GET", "/api/v1/key", "key.own", own, "Get the key that asks"),
    Route("GET", "/api/v1/keys", "key.list", list_keys, "List keys", admin=True),
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
    Route("GET", _KEY, "key.get", get, "Get a key", admin=True),
    Route(
        "PATCH", _KEY, "key.change", change, "Change what governs a key", body=ChangeKey, admin=True
    ),
    Route("DELETE", _KEY, "key.revoke", revoke, "Revoke a key", admin=True),
    Route(
        "PUT",
        _ATTACHED,
        "key.attach_policy_set",
        attach,
        "Attach a policy set to a key",
        admin=True,
    ),
    Route(
        "DELETE",
        _ATTACHED,
        "key.detach_policy_set",
        detach,
        "Take a policy set off a key",
        admin=True,
    ),
]
