"""Groups have direct members only; that of all users is computed and cannot be changed."""

from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar
from uuid import UUID

import pytest

from recollect.errors import Conflict, InvalidInput, NotFound
from recollect.governance import keys
from recollect.graph.types import Access
from recollect.limits import USER_GROUP_MEMBERS_PER_CALL_MAX
from recollect.records import user_groups, users
from recollect.records.user_groups import ALL_USERS, Membership, UserGroupChange
from recollect.records.users import UserDetails
from recollect.store.protocol import Store, Transaction
from tests.support.stores import open_store

P = ParamSpec("P")
T = TypeVar("T")
ALL: dict[str, Any] = {"search": "", "limit": 100, "offset": 0}


class World:
    """A store with a project."""

    def __init__(self, store: Store, access: Access) -> None:
        self.store = store
        self.access = access

    async def do(
        self,
        unit: Callable[Concatenate[Transaction, Access, P], T],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        """Run a unit of work of this project."""
        return await self.store.write(unit, self.access, *args, **kwargs)

    async def user(self, user_id: str) -> str:
        """A new user, by uuid."""
        return (await self.do(users.create, user_id, UserDetails())).uuid

    async def group(self, name: str) -> str:
        """A new group, by uuid."""
        return (await self.do(user_groups.create, name, None)).uuid

    @property
    def everyone(self) -> str:
        """The uuid of the group of all users."""
        return user_groups.virtual_uuid(self.access)


async def project(store: Store, name: str) -> World:
    """A new project in a store."""
    await store.write(keys.create_project, name)
    key = await store.write(keys.create_key, name, "key")
    access = await store.read(keys.authenticate, keys.hashed(key.secret))
    assert access is not None
    return World(store, access)


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    """One project."""
    store = open_store(tmp_path)
    yield await project(store, "home")
    await store.close()


async def test_all_users_are_a_group_from_the_start(world: World) -> None:
    """It is first in the list, has every user, and the same uuid each time."""
    await world.user("ann")
    await world.group("Aardvarks")
    page = await world.do(user_groups.page, **ALL)
    first = page.groups[0]
    assert (first.kind, first.name, first.member_count) == ("virtual", ALL_USERS, 1)
    assert first.uuid == world.everyone == str(UUID(world.everyone))
    assert page.total == 2
    assert page.managed == 1
    await world.user("bob")
    assert (await world.do(user_groups.get, world.everyone)).member_count == 2
    members = await world.do(user_groups.members, world.everyone, **ALL)
    assert [user.user_id for user in members.users] == ["ann", "bob"]


async def test_each_project_has_its_own_group_of_all_users(world: World) -> None:
    """Its uuid is another one, and unknown next door."""
    other = await project(world.store, "next door")
    assert other.everyone != world.everyone
    with pytest.raises(NotFound):
        await other.do(user_groups.get, world.everyone)
    group = await world.group("Team")
    with pytest.raises(NotFound):
        await other.do(user_groups.get, group)
    stranger = await other.user("zoe")
    with pytest.raises(NotFound, match=r"user_uuids\[0\]"):
        await world.do(user_groups.add_members, group, [stranger])


async def test_the_group_of_all_users_cannot_be_changed(world: World) -> None:
    """Every way to change it is a conflict."""
    ann = await world.user("ann")
    calls: list[tuple[Callable[..., object], tuple[object, ...]]] = [
        (user_groups.update, (UserGroupChange(expected_version=1, name="Some"),)),
        (user_groups.delete, ()),
        (user_groups.add_members, ([ann],)),
        (user_groups.remove_members, ([ann],)),
    ]
    for unit, args in calls:
        with pytest.raises(Conflict, match=ALL_USERS):
            await world.do(unit, world.everyone, *args)
    with pytest.raises(Conflict, match=ALL_USERS):
        await world.do(user_groups.candidates, world.everyone, **ALL)
    assert (await world.do(user_groups.get, world.everyone)).member_count == 1


async def test_a_name_is_taken_once(world: World) -> None:
    """Neither a new group nor a renamed one may take it, nor that of the virtual group."""
    await world.group("Team")
    other = await world.group("Crew")
    for name in ("Team", ALL_USERS):
        with pytest.raises(Conflict, match="name"):
            await world.group(name)
        change = UserGroupChange(expected_version=1, name=name)
        with pytest.raises(Conflict, match="name"):
            await world.do(user_groups.update, other, change)
    change = UserGroupChange(expected_version=1, name="Crew", description="Same name")
    assert (await world.do(user_groups.update, other, change)).description == "Same name"


async def test_a_change_from_an_old_version_is_a_conflict(world: World) -> None:
    """Whoever has not seen the last change does not undo it unknowingly."""
    uuid = await world.group("Team")
    made = await world.do(
        user_groups.update, uuid, UserGroupChange(expected_version=1, description="Nurses")
    )
    assert (made.name, made.description, made.version) == ("Team", "Nurses", 2)
    with pytest.raises(Conflict, match="expected_version"):
        await world.do(user_groups.update, uuid, UserGroupChange(expected_version=1, name="Late"))
    cleared = UserGroupChange(expected_version=2, description=None)
    assert (await world.do(user_groups.update, uuid, cleared)).description is None


async def test_changes_of_members_are_counted(world: World) -> None:
    """Who is in already, or out already, changes nothing and is counted apart."""
    ann, bob = [await world.user(name) for name in ("ann", "bob")]
    team = await world.group("Team")
    assert await world.do(user_groups.add_members, team, [ann, ann]) == Membership(added=1, no_op=1)
    assert await world.do(user_groups.add_members, team, [ann, bob]) == Membership(added=1, no_op=1)
    removed = await world.do(user_groups.remove_members, team, [ann, "nobody"])
    assert removed == Membership(removed=1, no_op=1)
    members = await world.do(user_groups.members, team, **ALL)
    assert [user.user_id for user in members.users] == ["bob"]
    candidates = await world.do(user_groups.candidates, team, **ALL)
    assert [user.user_id for user in candidates.users] == ["ann"]
    assert candidates.total == 1


async def test_an_unknown_user_adds_nobody(world: World) -> None:
    """The call is taken whole or not at all."""
    ann = await world.user("ann")
    team = await world.group("Team")
    with pytest.raises(NotFound, match=r"user_uuids\[1\]"):
        await world.do(user_groups.add_members, team, [ann, "nobody"])
    assert (await world.do(user_groups.get, team)).member_count == 0


@pytest.mark.parametrize("count", [0, USER_GROUP_MEMBERS_PER_CALL_MAX + 1])
async def test_members_come_in_bounded_numbers(world: World, count: int) -> None:
    """None at all, or too many, is refused."""
    team = await world.group("Team")
    for unit in (user_groups.add_members, user_groups.remove_members):
        with pytest.raises(InvalidInput, match="user_uuids"):
            await world.do(unit, team, ["x"] * count)


async def test_a_deleted_user_leaves_every_group(world: World) -> None:
    """Membership goes with the user, the group stays."""
    ann = await world.user("ann")
    team = await world.group("Team")
    await world.do(user_groups.add_members, team, [ann])
    groups = await world.do(user_groups.of_user, ann)
    assert [group.uuid for group in groups] == [world.everyone, team]
    await world.do(users.delete, "ann")
    assert (await world.do(user_groups.get, team)).member_count == 0
    with pytest.raises(NotFound, match="user_uuid"):
        await world.do(user_groups.of_user, ann)


async def test_pages_count_the_group_of_all_users_too(world: World) -> None:
    """A walk in pages of two meets every group once, the virtual one first."""
    for name in ("a", "b", "c", "d"):
        await world.group(name)
    seen = []
    for offset in (0, 2, 4, 6):
        page = await world.do(user_groups.page, search="", limit=2, offset=offset)
        assert page.total == 5
        seen += [group.name for group in page.groups]
    assert seen == [ALL_USERS, "a", "b", "c", "d"]


async def test_a_search_finds_the_virtual_group_by_its_name_only(world: World) -> None:
    """Other words leave it out, and the count with it."""
    await world.group("Night users")
    found = await world.do(user_groups.page, search="USERS", limit=9, offset=0)
    assert [group.name for group in found.groups] == [ALL_USERS, "Night users"]
    found = await world.do(user_groups.page, search="night", limit=9, offset=0)
    assert [group.name for group in found.groups] == ["Night users"]
    assert found.total == 1


async def test_the_groups_of_a_user_are_bounded(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The list has no pages: that of all users and the oldest are told, up to a full page."""
    ann = await world.user("ann")
    for name in ("first", "second", "third"):
        await world.do(user_groups.add_members, await world.group(name), [ann])
    monkeypatch.setattr(user_groups, "PAGE_MAX", 3)
    found = await world.do(user_groups.of_user, ann)
    assert [group.name for group in found] == [ALL_USERS, "first", "second"]
