"""Policy sets in the store: versions, what they are attached to, and what a key brings along."""

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from recollect.errors import Conflict, InvalidInput, NotFound
from recollect.governance import explaining, keys, policies
from recollect.governance.explaining import Question
from recollect.graph import policy_spec
from recollect.graph.policy import PolicySetDocument
from recollect.graph.types import Access
from recollect.limits import POLICY_SETS_PER_KEY_MAX
from recollect.store.protocol import Store
from tests.support.stores import open_store, raw

OPENS = "a-key-of-home"
NOBODY = "00000000-0000-7000-8000-000000000000"
ACTIONS = frozenset({"graph.search", "graph.add"})


def document(name: str = "team", effect: str = "deny", **fields: Any) -> PolicySetDocument:
    """A set with one rule about searching."""
    rule = {"id": "r", "type": "authorization", "effect": effect, "actions": ["graph.search"]}
    whole = {"policy_set": {"name": name, "spec": {"policies": [rule]}, **fields}}
    return policy_spec.check(whole, ACTIONS)


@dataclass
class World:
    """A project with one key, and its neighbour."""

    store: Store
    home: int
    elsewhere: int
    key: str

    async def do(self, unit: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """A unit of work on the first project."""
        return await self.store.write(unit, self.home, *args, **kwargs)

    async def access(self, secret: str = OPENS) -> Access:
        """Who the key stands for."""
        found = await self.store.read(keys.authenticate, keys.hashed(secret))
        assert found is not None
        return found


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    """Two projects."""
    store = open_store(tmp_path)
    home = await store.write(keys.create_project, "home")
    elsewhere = await store.write(keys.create_project, "elsewhere")
    made = await store.write(keys.create_key, "home", "key", OPENS)
    yield World(store, home.id, elsewhere.id, made.key.uuid)
    await store.close()


async def test_a_set_gets_a_version_whenever_it_says_something_new(world: World) -> None:
    """Applying the same again changes nothing; every version is kept."""
    first = await world.do(policies.apply, document())
    again = await world.do(policies.apply, document())
    assert (again.version, again.updated_at) == (1, first.updated_at)
    second = await world.do(policies.apply, document(mode="off"))
    assert (second.uuid, second.version, second.mode) == (first.uuid, 2, "off")
    third = await world.do(policies.apply, document())
    assert third.version == 3
    kept = await world.do(policies.versions, "team")
    assert [(one.version, one.document.mode) for one in kept] == [
        (3, "enforce"),
        (2, "off"),
        (1, "enforce"),
    ]
    assert (await world.do(policies.at_version, "team", 2)).document == document(mode="off")
    with pytest.raises(NotFound, match="version 4"):
        await world.do(policies.at_version, "team", 4)


async def test_sets_are_found_by_name_and_uuid_in_their_project_only(world: World) -> None:
    """The neighbour has none, and may use the name."""
    made = await world.do(policies.apply, document())
    for reference in ("team", made.uuid):
        assert (await world.do(policies.get, reference)).document == document()
        with pytest.raises(NotFound, match="policy set not found"):
            await world.store.read(policies.get, world.elsewhere, reference)
    other = await world.store.write(policies.apply, world.elsewhere, document(effect="allow"))
    assert other.uuid != made.uuid
    await world.do(policies.apply, document("another"))
    assert [one.name for one in await world.do(policies.list_sets)] == ["another", "team"]
    assert (await world.do(policies.get, "team")).document == document()


async def test_values_come_back_with_their_kinds(world: World) -> None:
    """Five, "5" and true are kept apart in the store."""
    rule = {
        "id": "r",
        "type": "authorization",
        "effect": "deny",
        "actions": ["graph.search"],
        "attributes": {"a": [5, "5", True, 5.5]},
    }
    whole = {"policy_set": {"name": "kinds", "spec": {"policies": [rule]}}}
    made = policy_spec.check(whole, ACTIONS)
    kept = (await world.do(policies.apply, made)).document
    assert repr(kept) == repr(made)


async def test_an_attached_set_is_deleted_only_when_detached_or_forced(world: World) -> None:
    """With it go its versions and what it was attached to."""
    await world.do(policies.apply, document())
    attached = await world.do(policies.attach, world.key, "team")
    assert [one.name for one in attached] == ["team"]
    assert (await world.do(policies.get, "team")).keys == 1
    with pytest.raises(Conflict, match="attached to 1 keys"):
        await world.do(policies.delete, "team")
    assert await world.do(policies.detach, world.key, "team") == []
    await world.do(policies.delete, "team")
    await world.do(policies.apply, document())
    await world.do(policies.attach, world.key, "team")
    await world.do(policies.delete, "team", force=True)
    assert await world.do(policies.of_key, world.key) == []
    with pytest.raises(NotFound):
        await world.do(policies.versions, "team")


async def test_attaching_twice_counts_once_and_detaching_twice_is_told(world: World) -> None:
    """Many sets to a key, many keys to a set."""
    await world.do(policies.apply, document())
    await world.do(policies.attach, world.key, "team")
    assert len(await world.do(policies.attach, world.key, "team")) == 1
    await world.do(policies.detach, world.key, "team")
    with pytest.raises(NotFound, match="not attached"):
        await world.do(policies.detach, world.key, "team")


async def test_keys_and_sets_of_different_projects_do_not_meet(world: World) -> None:
    """Neither is found from the other's project."""
    await world.do(policies.apply, document())
    await world.store.write(policies.apply, world.elsewhere, document("there"))
    with pytest.raises(NotFound, match="policy set not found"):
        await world.do(policies.attach, world.key, "there")
    with pytest.raises(NotFound, match="there is no key"):
        await world.store.write(policies.attach, world.elsewhere, world.key, "there")
    with pytest.raises(NotFound, match="there is no key"):
        await world.store.write(keys.change_key, world.key, project_id=world.elsewhere)


async def test_a_key_has_a_bounded_number_of_sets(world: World) -> None:
    """Each is looked at for each request."""
    for number in range(POLICY_SETS_PER_KEY_MAX + 1):
        await world.do(policies.apply, document(f"set-{number}"))
    for number in range(POLICY_SETS_PER_KEY_MAX):
        await world.do(policies.attach, world.key, f"set-{number}")
    with pytest.raises(Conflict, match="at most"):
        await world.do(policies.attach, world.key, f"set-{POLICY_SETS_PER_KEY_MAX}")
    assert len(await world.do(policies.of_key, world.key)) == POLICY_SETS_PER_KEY_MAX


async def test_no_policy_applies_to_an_admin_key(world: World) -> None:
    """None can be attached, and its role says nothing."""
    admin = await world.store.write(
        keys.create_key, "home", "boss", "boss", admin=True, role="default_deny"
    )
    await world.do(policies.apply, document())
    with pytest.raises(Conflict, match="admin key"):
        await world.do(policies.attach, admin.key.uuid, "team")
    access = await world.access("boss")
    assert access.is_admin
    assert access.policy is None


async def test_a_key_that_nothing_governs_carries_no_policy(world: World) -> None:
    """The way in costs it nothing."""
    access = await world.access()
    assert (access.policy, access.visibility, access.is_admin, access.logs_reads) == (
        None,
        None,
        False,
        False,
    )


async def test_a_key_brings_along_what_governs_it(world: World) -> None:
    """Role, mode and the sets as they stand."""
    await world.store.write(keys.change_key, world.key, role="default_deny")
    access = await world.access()
    assert access.policy is not None
    assert (access.policy.role, access.policy.sets) == ("default_deny", ())
    await world.do(policies.apply, document())
    await world.do(policies.attach, world.key, "team")
    changed = await world.store.write(
        keys.change_key, world.key, role="default_allow", mode="report_only", logs_reads=True
    )
    assert (changed.role, changed.mode, changed.logs_reads) == (
        "default_allow",
        "report_only",
        True,
    )
    access = await world.access()
    assert access.logs_reads
    assert access.policy is not None
    assert (access.policy.mode, access.policy.sets) == ("report_only", (document(),))


async def test_what_is_not_given_of_a_key_stays(world: World) -> None:
    """And what is not known is refused."""
    await world.store.write(keys.change_key, world.key, mode="off", logs_reads=True)
    kept = await world.store.write(keys.change_key, world.key, role="default_deny")
    assert (kept.role, kept.mode, kept.logs_reads) == ("default_deny", "off", True)
    wrong: Any = "sometimes"
    with pytest.raises(InvalidInput, match="mode: must be"):
        await world.store.write(keys.change_key, world.key, mode=wrong)
    with pytest.raises(InvalidInput, match="role: must be"):
        await world.store.write(keys.create_key, "home", "x", role=wrong)
    with pytest.raises(NotFound):
        await world.store.write(keys.change_key, NOBODY, mode="off")
    with pytest.raises(NotFound):
        await world.store.write(keys.revoke_key, world.key, world.elsewhere)


async def test_the_key_of_the_environment_keeps_its_policies_when_its_secret_changes(
    world: World,
) -> None:
    """Changing a secret does not open what was closed."""
    made = await world.store.write(keys.ensure_default, "first-secret")
    project = await world.store.read(keys.project_named, keys.DEFAULT_PROJECT)
    await world.store.write(policies.apply, project.id, document())
    await world.store.write(policies.attach, project.id, made.key.uuid, "team")
    await world.store.write(keys.change_key, made.key.uuid, role="default_deny")
    later = await world.store.write(keys.ensure_default, "second-secret")
    assert later.key.uuid == made.key.uuid
    access = await world.access("second-secret")
    assert access.policy is not None
    assert (access.policy.role, access.policy.sets) == ("default_deny", (document(),))
    assert await world.store.read(keys.authenticate, keys.hashed("first-secret")) is None


async def test_sets_that_were_attached_to_all_users_can_be_taken_off(world: World) -> None:
    """The group of all users has no row, and has its sets all the same."""
    await world.do(policies.apply, document())
    assert await world.do(policies.of_group, None) == []
    await world.store.write(
        lambda tx: raw(tx).execute("UPDATE policy_sets SET for_all_users = 1", ())  # type: ignore[attr-defined]
    )
    assert [one.name for one in await world.do(policies.of_group, None)] == ["team"]
    assert (await world.do(policies.get, "team")).user_groups == 1
    with pytest.raises(Conflict, match="1 user groups"):
        await world.do(policies.delete, "team")
    assert await world.do(policies.detach_from_group, None, "team") == []
    with pytest.raises(NotFound, match="not attached"):
        await world.do(policies.detach_from_group, None, "team")


async def test_an_explanation_is_about_keys_and_objects_of_the_project(world: World) -> None:
    """What is elsewhere is not found; a made-up object is described by its metadata."""
    await world.do(policies.apply, document())
    await world.do(policies.attach, world.key, "team")
    asked = Question(key_uuid=world.key, action="graph.search", reads=True)
    assert (await world.do(explaining.explain, asked)).outcome == "denied"
    with pytest.raises(NotFound, match="there is no key"):
        await world.store.read(explaining.explain, world.elsewhere, asked)
    lost = Question(key_uuid=world.key, action="graph.search", reads=True, object_uuid=NOBODY)
    with pytest.raises(NotFound, match="no such object"):
        await world.do(explaining.explain, lost)
    both = Question(
        key_uuid=world.key, action="a", reads=True, object_uuid=NOBODY, object_metadata={"a": 1}
    )
    with pytest.raises(InvalidInput, match="not both"):
        await world.do(explaining.explain, both)
    nested = Question(key_uuid=world.key, action="a", reads=True, object_metadata={"a": {}})
    with pytest.raises(InvalidInput, match=r"object_metadata\.a"):
        await world.do(explaining.explain, nested)


def naming(name: str, keys_: list[str]) -> PolicySetDocument:
    """A set whose rules name keys of metadata."""
    rule = {"type": "authorization", "effect": "allow", "actions": ["graph.search"]}
    rules = [rule | {"id": f"r{n}", "attributes": {key: ["a"]}} for n, key in enumerate(keys_)]
    return policy_spec.check({"policy_set": {"name": name, "spec": {"policies": rules}}}, ACTIONS)


async def test_what_policies_guard_is_written_down_and_bounded(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each episode asks for it: it must not cost more for many sets."""
    monkeypatch.setattr(policies, "GUARDED_KEYS_MAX", 3)
    await world.do(policies.apply, naming("one", ["team", "area"]))
    await world.do(policies.apply, naming("two", ["team", "rank"]))
    found = await world.store.read(policies.guarded, world.home)
    assert found == {"team", "area", "rank"}
    with pytest.raises(Conflict, match="at most 3 metadata keys"):
        await world.do(policies.apply, naming("three", ["room"]))
    await world.do(policies.delete, "two")
    assert await world.store.read(policies.guarded, world.home) == {"team", "area"}
    assert await world.store.read(policies.guarded, world.elsewhere) == frozenset()


async def test_all_policy_sets_of_a_project_are_bounded_together(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Changing one of them reads them all."""
    await world.do(policies.apply, document("one"))
    monkeypatch.setattr(policies, "POLICY_BYTES_PER_PROJECT_MAX", 500)
    with pytest.raises(Conflict, match="at most 500 bytes"):
        await world.do(policies.apply, naming("two", ["a" * 300]))
    assert [one.name for one in await world.store.read(policies.list_sets, world.home)] == ["one"]
