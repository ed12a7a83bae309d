"""A write and its entry are one: both are there, or neither."""

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest
from msgspec.structs import replace

from recollect.errors import InvariantViolated, NotFound
from recollect.governance import audit, audited, keys
from recollect.governance.audit import Entry, Wanted
from recollect.governance.audited import AuditedStore
from recollect.graph.acting import Acting, Target
from recollect.graph.types import Access
from recollect.records import users
from recollect.records.users import UserDetails
from recollect.store.protocol import Store, Transaction
from tests.support.stores import open_store

T = TypeVar("T")


class World:
    """A project with a user, and the store as a handler sees it."""

    def __init__(self, store: Store, access: Access) -> None:
        self.plain = store
        self.store = AuditedStore(store)
        self.access = access

    def acting(self, **more: object) -> Acting:
        """A request of a key."""
        said: dict[str, object] = {"actor": "key:k", "action": "user.update", **more}
        return Acting(project_id=self.access.project_id, **said)  # type: ignore[arg-type]

    async def write(self, who: Acting, unit: Callable[..., T], *args: Any) -> T:
        """A unit that takes no access, as the act of somebody."""
        return await self.store.write(audited.on_behalf, self.by(who), unit, *args)

    def by(self, who: Acting) -> Access:
        """The access with which somebody acts."""
        return replace(self.access, acting=who)

    async def entries(self) -> list[Entry]:
        """The log, oldest first."""
        found = await self.plain.read(
            audit.page, self.access.project_id, Wanted(), limit=100, before=None
        )
        return found[::-1]


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    """An empty log."""
    store = open_store(tmp_path, readers=1)
    project = await store.write(keys.create_project, "p")
    access = Access(project_id=project.id, project_uuid=project.uuid, key_uuid="k")
    await store.write(users.create, access, "anna", UserDetails())
    yield World(store, access)
    await store.close()


def _count(tx: Transaction) -> int:
    return len(keys.list_projects(tx))


def _add_and_fail(tx: Transaction) -> None:
    keys.create_project(tx, "half")
    raise NotFound("in the middle")


async def test_nobody_acting_leaves_no_entry(world: World) -> None:
    """Workers and tasks in the background derive; they do nothing on anyone's behalf."""
    await world.store.write(keys.create_project, "q")
    assert await world.entries() == []


async def test_a_unit_carries_its_entry(world: World) -> None:
    """Who, what, on what and how it ended."""
    who = world.acting(target=Target("user", "anna", chosen=True), detail={"fields": ["email"]})
    await world.store.write(users.update, world.by(who), "anna", UserDetails())
    (entry,) = await world.entries()
    assert (entry.actor, entry.action, entry.outcome) == ("key:k", "user.update", "done")
    assert (entry.target, entry.detail) == ("user:anna", {"fields": ["email"]})
    assert who.written == 1


async def test_a_unit_that_fails_halfway_leaves_neither(world: World) -> None:
    """No row of it, no entry of it; the next one follows without a gap."""
    who = world.acting()
    with pytest.raises(NotFound):
        await world.write(who, _add_and_fail)
    assert (await world.entries(), who.written) == ([], 0)
    await world.write(who, keys.create_project, "whole")
    assert [entry.number for entry in await world.entries()] == [1]
    names = [project.name for project in await world.plain.read(keys.list_projects)]
    assert names == ["p", "whole"]


async def test_an_entry_that_cannot_be_written_undoes_its_unit(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A write that nobody could account for does not happen."""

    def no_room(*args: object) -> int:
        raise OSError("no room")

    monkeypatch.setattr(audit, "append_all", no_room)
    with pytest.raises(OSError, match="no room"):
        await world.write(world.acting(), keys.create_project, "q")
    assert await world.plain.read(_count) == 1


async def test_units_written_at_once_each_have_an_entry(world: World) -> None:
    """They share a commit and one of them fails; the chain is whole."""

    async def one(number: int) -> None:
        who = world.acting(action=f"a{number}")
        if number == 7:
            with pytest.raises(NotFound):
                await world.write(who, _add_and_fail)
        else:
            await world.write(who, keys.create_project, f"q{number}")

    await asyncio.gather(*(one(number) for number in range(20)))
    found = await world.entries()
    assert sorted(entry.action for entry in found) == sorted(f"a{n}" for n in range(20) if n != 7)
    project = (await world.plain.read(keys.list_projects))[0]
    assert (await world.plain.read(audit.verify, project)).broken_at is None


async def test_units_of_one_act_are_counted_wherever_they_are_begun(world: World) -> None:
    """Two at once, and one from another thread; what carries no act leaves no entry."""
    loop, who = asyncio.get_running_loop(), world.acting()

    def from_a_thread() -> None:
        written = world.write(who, keys.create_project, "from a thread")
        asyncio.run_coroutine_threadsafe(written, loop).result()

    await asyncio.gather(
        world.write(who, keys.create_project, "q"),
        asyncio.create_task(world.write(who, keys.create_project, "r")),
    )
    await asyncio.to_thread(lambda: from_a_thread())
    assert (len(await world.entries()), who.written) == (3, 3)
    await world.store.write(keys.create_project, "afterwards")
    assert len(await world.entries()) == 3


async def test_a_reader_writes_caches_without_an_entry(world: World) -> None:
    """What a read leaves behind is no change that anyone made."""
    await world.write(world.acting(reads=True), keys.create_project, "a cache")
    assert await world.entries() == []


async def test_what_is_erased_is_named_by_the_servers_id(world: World) -> None:
    """The entry of a deletion must not keep the name of whoever was deleted."""
    user = await world.plain.read(users.get, world.access, "anna")
    target = Target("user", "anna", chosen=True)
    who = world.acting(action="user.delete", target=target, erases=True)
    await world.store.write(users.delete, world.by(who), "anna")
    (entry,) = await world.entries()
    assert entry.target == f"user:{user.uuid}"


async def test_a_failure_names_only_what_exists(world: World) -> None:
    """A caller's id that names nothing may be that of someone who was forgotten."""
    for name in ("anna", "otto"):
        who = world.acting(target=Target("user", name, chosen=True))
        await world.plain.write(audited.keep, who, "refused", 403, None)
    for status in (403, 404):
        who = world.acting(target=Target("node", "n"))
        await world.plain.write(audited.keep, who, "failed", status, None)
    targets = [entry.target for entry in await world.entries()]
    assert targets == ["user:anna", None, "node:n", None]


async def test_a_new_thing_is_named_by_the_id_it_was_given(world: World) -> None:
    """A request that lets the server choose an id is told by that id."""
    made = await world.write(world.acting(action="key.create"), keys.create_key, "p", "k")
    assert [entry.target for entry in await world.entries()] == [f"key:{made.key.uuid}"]


async def test_a_command_that_only_looks_leaves_no_entry(world: World) -> None:
    """Commands run every unit as a write; what they change decides."""
    who = Acting.by_command("project.list")
    await world.write(who, keys.list_projects)
    await world.write(who, keys.project_named, "p")
    assert await world.entries() == []


async def test_a_command_is_told_in_the_project_that_it_changed(world: World) -> None:
    """The project is that of what came out, or the one that is named."""
    who = Acting.by_command("key.create")
    made = await world.write(who, keys.create_key, "p", "k")
    await world.write(who, keys.create_project, "other")
    x = Acting.by_command("x", project="p")
    await world.write(x, lambda tx: tx.keys.revoke(uuid=made.key.uuid, now=1))
    found = await world.entries()
    assert [(entry.actor, entry.action) for entry in found] == [
        ("command", "key.create"),
        ("command", "x"),
    ]


async def test_a_command_that_does_not_say_what_it_changed_changes_nothing(world: World) -> None:
    """A change without a project to tell it in is our own mistake, and is undone."""
    who = Acting.by_command("x")
    with pytest.raises(InvariantViolated, match="which project"):
        await world.write(who, lambda tx: keys.create_project(tx, "q").name)
    assert await world.plain.read(_count) == 1
