"""Policy sets of a project, for its administrators."""

import asyncio
from datetime import datetime
from typing import Annotated, Any

import msgspec

from recollect.api.router import Call, Route
from recollect.app import policies
from recollect.app.policies import PolicySet, Question
from recollect.errors import InvalidInput
from recollect.graph import policy_spec
from recollect.graph.policy import Mode, PolicySetDocument
from recollect.graph.policy_trace import Trace
from recollect.graph.types import Json

_Written = Annotated[
    msgspec.Raw,
    msgspec.Meta(
        description="The policy set itself, in place of a document",
        extra_json_schema={"type": "object"},
    ),
]


class WrittenPolicySet(msgspec.Struct, forbid_unknown_fields=True):
    """A policy set: `document` is YAML or JSON text, or `policy_set` is there as it would be."""

    document: str | None = None
    policy_set: _Written = msgspec.field(default_factory=msgspec.Raw)


class ShownPolicySet(msgspec.Struct):
    """A policy set as it stands, and how many keys and user groups it is attached to."""

    uuid: str
    name: str
    version: int
    mode: Mode
    policy_set: Json
    keys: int
    user_groups: int
    created_at: datetime
    updated_at: datetime


class PolicySets(msgspec.Struct):
    """The policy sets of a project, by name."""

    policy_sets: list[ShownPolicySet]


class ShownVersion(msgspec.Struct):
    """What a policy set said from some moment on."""

    version: int
    policy_set: Json
    created_at: datetime


class PolicySetVersions(msgspec.Struct):
    """The versions of a policy set, the newest first."""

    versions: list[ShownVersion]


class ValidPolicySet(msgspec.Struct):
    """The policy set that a document describes, with everything spelt out."""

    policy_set: Json


class DeleteQuery(msgspec.Struct):
    """Whether an attached set goes, too."""

    force: bool = False


class Explain(msgspec.Struct, forbid_unknown_fields=True):
    """What to explain: an action of a key, and an object by its uuid or by its metadata."""

    key_uuid: str
    action: str
    object_uuid: str | None = None
    object_metadata: dict[str, Any] | None = None


class Deleted(msgspec.Struct):
    """It is gone."""

    message: str


def _plain(document: PolicySetDocument) -> Json:
    inner: Json = policy_spec.plain(document)["policy_set"]
    return inner


def shown(found: PolicySet) -> ShownPolicySet:
    """A policy set as it is returned."""
    return ShownPolicySet(
        uuid=found.uuid,
        name=found.name,
        version=found.version,
        mode=found.mode,
        policy_set=_plain(found.document),
        keys=found.keys,
        user_groups=found.user_groups,
        created_at=found.created_at,
        updated_at=found.updated_at,
    )


async def _read(call: Call) -> PolicySetDocument:
    """The policy set in a body, parsed in a thread because YAML is slow."""
    sent: WrittenPolicySet = call.body
    given = bytes(sent.policy_set)
    if (sent.document is None) == (not given):
        raise InvalidInput("document: either this or policy_set is required")
    text = sent.document
    if text is None:
        text = f'{{"policy_set": {given.decode()}}}'
    return await asyncio.to_thread(policy_spec.read, text, call.actions.known)


async def apply(call: Call) -> ShownPolicySet:
    """Make a policy set, or give the one of that name a new version if it says something new."""
    document = await _read(call)
    made = await policies.apply(call.services, call.access, document)
    return shown(made)


async def validate(call: Call) -> ValidPolicySet:
    """Check a policy set without keeping it."""
    return ValidPolicySet(policy_set=_plain(await _read(call)))


async def list_sets(call: Call) -> PolicySets:
    """The policy sets of this project, by name."""
    found = await policies.list_(call.services, call.access)
    return PolicySets(policy_sets=[shown(each) for each in found])


async def get(call: Call) -> ShownPolicySet:
    """A policy set by its name or its uuid."""
    return shown(await policies.get(call.services, call.access, call.path["policy_set_name"]))


async def versions(call: Call) -> PolicySetVersions:
    """What a policy set said, the newest first."""
    found = await policies.versions(call.services, call.access, call.path["policy_set_name"])
    return PolicySetVersions(
        versions=[
            ShownVersion(
                version=each.version,
                policy_set=_plain(each.document),
                created_at=each.created_at,
            )
            for each in found
        ]
    )


async def delete(call: Call) -> Deleted:
    """Remove a policy set with its versions; one that is attached only with `force`."""
    sent: DeleteQuery = call.query
    name = call.path["policy_set_name"]
    gone = await policies.delete(call.services, call.access, name, force=sent.force)
    return Deleted(message=f"the policy set {gone.name} is deleted")


async def explain(call: Call) -> Trace:
    """Say what a key may do and which rule decides; nothing is carried out."""
    sent: Explain = call.body
    policies.check_action(sent.action, call.actions.known)
    asked = Question(
        key_uuid=sent.key_uuid,
        action=sent.action,
        reads=sent.action in call.actions.reading,
        object_uuid=sent.object_uuid,
        object_metadata=sent.object_metadata,
    )
    return await policies.explain(call.services, call.access, asked)


_SETS = "/api/v1/policy-sets"
ROUTES = [
    Route(
        "PUT",
        _SETS,
        "policy_set.apply",
        apply,
        "Create a policy set, or a new version of it",
        body=WrittenPolicySet,
        admin=True,
    ),
    Route("GET", _SETS, "policy_set.list", list_sets, "List policy sets", admin=True),
    Route(
        "POST",
        f"{_SETS}/validate",
        "policy_set.validate",
        validate,
        "Check a policy set without storing it",
        body=WrittenPolicySet,
        reads=True,
        admin=True,
    ),
    Route(
        "POST",
        f"{_SETS}/explain",
        "policy_set.explain",
        explain,
        "Explain whether a key may do something, and which rule decides",
        body=Explain,
        reads=True,
        admin=True,
    ),
    Route(
        "GET", f"{_SETS}/{{policy_set_name}}", "policy_set.get", get, "Get a policy set", admin=True
    ),
    Route(
        "DELETE",
        f"{_SETS}/{{policy_set_name}}",
        "policy_set.delete",
        delete,
        "Delete a policy set",
        query=DeleteQuery,
        admin=True,
    ),
    Route(
        "GET",
        f"{_SETS}/{{policy_set_name}}/versions",
        "policy_set.versions",
        versions,
        "List the versions of a policy set",
        admin=True,
    ),
]
