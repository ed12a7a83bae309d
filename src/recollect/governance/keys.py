"""Projects and their keys. A key's secret is shown once, on creation; only its hash is stored."""

import hashlib
import secrets

from msgspec.structs import replace

from recollect.errors import AlreadyExists, Conflict, InvalidInput, NotFound
from recollect.governance import audit, policies
from recollect.governance.audit import Told
from recollect.graph import checks, policy, usage
from recollect.graph.policy import KeyPolicy, Mode, Role
from recollect.graph.types import Access, Key, Project, Record
from recollect.graph.usage import NO_LIMITS, UsageLimits
from recollect.limits import DESCRIPTION_CHARS_MAX, NAME_CHARS_MAX
from recollect.store import rows
from recollect.store.protocol import Transaction
from recollect.store.queries.keys import KeyRow

DEFAULT_PROJECT = "default"
ENVIRONMENT_KEY = "environment"
FIRST_KEY = "first start"
FIRST_ADMIN_KEY = "admin"
_PREFIX = "rk_"
_SHOWN_CHARS = 9


class NewKey(Record):
    """A new key, at the only moment its secret is known."""

    secret: str
    key: Key


def hashed(secret: str) -> bytes:
    """The stored form of a key. Keys are long and random, so a plain digest suffices."""
    return hashlib.sha256(secret.encode()).digest()


class NewProject(Record):
    """A project with its first key."""

    project: Project
    first: NewKey

    @property
    def uuid(self) -> str:
        """The uuid of the project."""
        return self.project.uuid


def create_project(tx: Transaction, name: str, description: str | None = None) -> Project:
    """Create a tenant."""
    checks.text("name", name, NAME_CHARS_MAX, required=True)
    checks.text("description", description, DESCRIPTION_CHARS_MAX)
    if tx.projects.by_name(name=name) is not None:
        raise AlreadyExists(f"a project named {name!r} exists already")
    now = rows.micros(tx.now)
    tx.projects.insert(uuid=tx.new_id(), name=name, description=description, now=now)
    return project_named(tx, name)


def open_project(tx: Transaction, access: Access, name: str, description: str | None) -> NewProject:
    """Create a tenant with an admin key to manage it.

    Its own audit log begins with that key, and with the key that created it.
    """
    made = create_project(tx, name, description)
    first = create_key(tx, name, FIRST_ADMIN_KEY, admin=True)
    told = Told(actor=audit.actor_of(access), action="key.create", target=f"key:{first.key.uuid}")
    audit.append(tx, made.id, told)
    return NewProject(project=made, first=first)


def describe_project(tx: Transaction, access: Access, description: str | None) -> Project:
    """Set the description of the key's project."""
    checks.text("description", description, DESCRIPTION_CHARS_MAX)
    tx.projects.describe(id=access.project_id, description=description)
    return project_of(tx, access)


def project_named(tx: Transaction, name: str) -> Project:
    """The project of that name."""
    row = tx.projects.by_name(name=name)
    if row is None:
        raise NotFound(f"there is no project named {name!r}")
    return rows.project(row)


def is_project(tx: Transaction, name: str) -> bool:
    """Whether there is a project of that name."""
    return tx.projects.by_name(name=name) is not None


def project_of(tx: Transaction, access: Access) -> Project:
    """The project a key belongs to."""
    row = tx.projects.by_id(id=access.project_id)
    if row is None:
        raise NotFound("project not found")
    return rows.project(row)


def list_projects(tx: Transaction) -> list[Project]:
    """Every project, oldest first."""
    return [rows.project(row) for row in tx.projects.all()]


def set_default_time_zone(tx: Transaction, access: Access, zone: str | None) -> Project:
    """Set the time zone in which a project's relative times are interpreted."""
    checks.time_zone("default_time_zone", zone)
    tx.projects.set_time_zone(id=access.project_id, time_zone=zone)
    return project_of(tx, access)


def create_key(
    tx: Transaction,
    project: str,
    name: str,
    secret: str | None = None,
    *,
    admin: bool = False,
    role: Role = "default_allow",
    mode: Mode = "enforce",
    logs_reads: bool = False,
    mcp_write: bool = False,
) -> NewKey:
    """Create a key of *project*, with a random secret unless one is given.

    An *admin* key manages policies and keys, and no policy applies to it. *mcp_write* offers it the MCP
    tools that change the memory.
    """
    checks.text("name", name, NAME_CHARS_MAX, required=True)
    if name == ENVIRONMENT_KEY and secret is None:
        raise InvalidInput(f"name: {name!r} is reserved for the key set by RECOLLECT_API_KEY")
    _check(role, mode)
    owner = project_named(tx, project)
    secret = secret or _PREFIX + secrets.token_urlsafe(32)
    uuid = tx.new_id()
    tx.keys.insert(
        uuid=uuid,
        project_id=owner.id,
        name=name,
        prefix=_shown(secret),
        hash=hashed(secret),
        is_admin=admin,
        role=role,
        mode=mode,
        logs_reads=logs_reads,
        mcp_write=mcp_write,
        now=rows.micros(tx.now),
    )
    return NewKey(secret=secret, key=get_key(tx, uuid))


def _shown(secret: str) -> str:
    return secret[:_SHOWN_CHARS] if secret.startswith(_PREFIX) else secret[:2]


def _check(role: str, mode: str) -> None:
    for field, value, known in (("role", role, policy.ROLES), ("mode", mode, policy.MODES)):
        if value not in known:
            raise InvalidInput(f"{field}: must be {' or '.join(known)}")


def get_key(tx: Transaction, uuid: str, project_id: int | None = None) -> Key:
    """A key by its uuid, optionally restricted to one project."""
    row = tx.keys.by_uuid(uuid=uuid)
    if row is None or project_id not in (None, row.project_id):
        raise NotFound(f"there is no key {uuid}")
    return rows.key(row)


def list_keys(tx: Transaction, project_id: int | None = None) -> list[Key]:
    """Every key, including revoked ones; optionally of one project."""
    if project_id is None:
        return [rows.key(row) for row in tx.keys.all()]
    return [rows.key(row) for row in tx.keys.of_project(project_id=project_id)]


def change_key(
    tx: Transaction,
    uuid: str,
    *,
    project_id: int | None = None,
    role: Role | None = None,
    mode: Mode | None = None,
    logs_reads: bool | None = None,
    mcp_write: bool | None = None,
) -> Key:
    """Change the given properties of a key. A running server notices within a second."""
    old = get_key(tx, uuid, project_id)
    role, mode = role or old.role, mode or old.mode
    _check(role, mode)
    tx.keys.change(
        uuid=uuid,
        role=role,
        mode=mode,
        logs_reads=old.logs_reads if logs_reads is None else logs_reads,
        mcp_write=old.mcp_write if mcp_write is None else mcp_write,
    )
    return get_key(tx, uuid)


def revoke_key(tx: Transaction, uuid: str, project_id: int | None = None) -> Key:
    """Revoke a key."""
    get_key(tx, uuid, project_id)
    tx.keys.revoke(uuid=uuid, now=rows.micros(tx.now))
    return get_key(tx, uuid)


def authenticate(
    tx: Transaction, secret_hash: bytes, limits: UsageLimits = NO_LIMITS
) -> Access | None:
    """The access that a key grants, or None if it is unknown or revoked.

    *limits* apply to projects that have none of their own.
    """
    row = tx.keys.by_hash(hash=secret_hash)
    if row is None or row.revoked_at is not None:
        return None
    return Access(
        project_id=row.project_id,
        project_uuid=row.project_uuid,
        key_uuid=row.uuid,
        is_admin=bool(row.is_admin),
        logs_reads=bool(row.logs_reads),
        mcp_write=bool(row.mcp_write),
        policy=_policy(tx, row),
        limits=usage.in_force(limits, usage.decoded(row.project_limits)),
    )


def of_subject(
    tx: Transaction, project: str, subject_uuid: str, limits: UsageLimits, *, writes: bool
) -> Access | None:
    """The access of a subject that a token issuer vouches for; None if there is no such project."""
    row = tx.projects.by_name(name=project)
    if row is None:
        return None
    return Access(
        project_id=row.id,
        project_uuid=row.uuid,
        key_uuid=subject_uuid,
        mcp_write=writes,
        limits=usage.in_force(limits, usage.decoded(row.limits)),
    )


def _policy(tx: Transaction, row: KeyRow) -> KeyPolicy | None:
    """The policy of a key; None for an admin key, and for one that is unrestricted anyway."""
    if row.is_admin or not (row.has_policies or row.role == "default_deny"):
        return None
    return _governed(tx, row)


def _governed(tx: Transaction, row: KeyRow) -> KeyPolicy:
    sets = tx.policies.sets_of_key(key_id=row.id)
    documents = tuple(policies.document(each.spec) for each in sets)
    return KeyPolicy(role=row.role, mode=row.mode, sets=documents)


def policy_of(tx: Transaction, project_id: int, uuid: str) -> KeyPolicy:
    """The role, mode and policy sets of a key; those of an admin key have no effect."""
    row = tx.keys.by_uuid(uuid=uuid)
    if row is None or row.project_id != project_id:
        raise NotFound(f"there is no key {uuid}")
    return KeyPolicy() if row.is_admin else _governed(tx, row)


def seen_as(tx: Transaction, access: Access, uuid: str) -> Access:
    """An administrator's access, limited to what another key of the project may do and see."""
    row = tx.keys.by_uuid(uuid=uuid)
    if row is None or row.project_id != access.project_id:
        raise NotFound(f"there is no key {uuid}")
    governed = None if row.is_admin else _governed(tx, row)
    return replace(access, is_admin=bool(row.is_admin), policy=governed)


def ensure_default(tx: Transaction, secret: str | None) -> NewKey | Key:
    """The default project and its key: the given one, an existing one, or a new one."""
    if tx.projects.by_name(name=DEFAULT_PROJECT) is None:
        create_project(tx, DEFAULT_PROJECT)
    project = project_named(tx, DEFAULT_PROJECT)
    if secret is not None:
        return _adopt(tx, project, secret)
    usable = [k for k in list_keys(tx) if k.project_id == project.id and k.revoked_at is None]
    return usable[0] if usable else create_key(tx, DEFAULT_PROJECT, FIRST_KEY)


def default_there_is(tx: Transaction, secret: str | None) -> Key | None:
    """The key that `ensure_default` would return without writing anything."""
    found = [k for k in list_keys(tx) if k.project_name == DEFAULT_PROJECT and k.revoked_at is None]
    if secret is None:
        return found[0] if found else None
    row = tx.keys.by_hash(hash=hashed(secret))
    return next((k for k in found if row is not None and k.uuid == row.uuid), None)


def _adopt(tx: Transaction, project: Project, secret: str) -> NewKey:
    """Make *secret* the environment's key, replacing the previous one."""
    digest = hashed(secret)
    row = tx.keys.by_hash(hash=digest)
    if row is not None and row.project_id != project.id:
        raise AlreadyExists("RECOLLECT_API_KEY belongs to another project: choose another key")
    if row is not None and row.revoked_at is not None:
        raise Conflict("RECOLLECT_API_KEY was revoked: choose another key, or leave it unset")
    before = tx.keys.named(project_id=project.id, name=ENVIRONMENT_KEY)
    if row is None and before is not None:
        tx.keys.set_secret(id=before, hash=digest, prefix=_shown(secret))
    tx.keys.replace_named(project_id=project.id, name=ENVIRONMENT_KEY, hash=digest)
    row = tx.keys.by_hash(hash=digest)
    if row is None:
        return create_key(tx, DEFAULT_PROJECT, ENVIRONMENT_KEY, secret)
    return NewKey(secret=secret, key=rows.key(row))
