"""A write and its entry are one: both are there, or neither."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from recollect.errors import InvariantViolated, NotFound
from recollect.governance import audit, audited, keys
from recollect.governance.audit import Entry, Wanted
from recollect.governance.audit_targets import Target
from recollect.governance.audited import Acting, AuditedStore
from recollect.graph.types import Access
from recollect.store.protocol import Store, Transaction
from recollect.store.sqlite import SqliteStore
from recollect.subjects import users
from recollect.subjects.users import UserDetails


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

    async def entries(self) -> list[Entry]:
        """The log, oldest first."""
        found = await self.plain.read(
            audit.page, self.access.project_id, Wanted(), limit=100, before=None
        )
        return found[::-1]


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    """An empty log."""
    store = SqliteStore.open(tmp_path, readers=1)
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
    with audited.acting(who):
        await world.store.write(users.update, world.access, "anna", UserDetails())
    (entry,) = await world.entries()
    assert (entry.actor, entry.action, entry.outcome) == ("key:k", "user.update", "done")
    assert (entry.target, entry.detail) == ("user:anna", {"fields": ["email"]})
    assert who.written == 1


async def test_a_unit_that_fails_halfway_leaves_neither(world: World) -> None:
    """No row of it, no entry of it; the next one follows without a gap."""
    with audited.acting(world.acting()) as who:
        with pytest.raises(NotFound):
            await world.store.write(_add_and_fail)
        assert (await world.entries(), who.written) == ([], 0)
        await world.store.write(keys.create_project, "whole")
    assert [entry.number for entry in await world.entries()] == [1]
    names = [project.name for project in await world.plain.read(keys.list_projects)]
    assert names == ["p", "whole"]


async def test_an_entry_that_cannot_be_written_undoes_its_unit(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A write that nobody could account for does not happen."""

    def no_room(*args: object) -> int:
        raise OSError("no room")

    monkeypatch.setattr(audit, "append", no_room)
    with audited.acting(world.acting()), pytest.raises(OSError, match="no room"):
        await world.store.write(keys.create_project, "q")
    assert await world.plain.read(_count) == 1


async def test_units_written_at_once_each_have_an_entry(world: World) -> None:
    """They share a commit and one of them fails; the chain is whole."""

    async def one(number: int) -> None:
        with audited.acting(world.acting(action=f"a{number}")):
            if number == 7:
                with pytest.raises(NotFound):
                    await world.store.write(_add_and_fail)
            else:
                await world.store.write(keys.create_project, f"q{number}")

    await asyncio.gather(*(one(number) for number in range(20)))
    found = await world.entries()
    assert sorted(entry.action for entry in found) == sorted(f"a{n}" for n in range(20) if n != 7)
    project = (await world.plain.read(keys.list_projects))[0]
    assert (await world.plain.read(audit.verify, project)).broken_at is None


async def test_tasks_and_threads_begun_by_whoever_acts_act_for_them(world: World) -> None:
    """Also two units at once, and one that is begun from another thread."""
    loop = asyncio.get_running_loop()

    def from_a_thread() -> None:
        written = world.store.write(keys.create_project, "from a thread")
        asyncio.run_coroutine_threadsafe(written, loop).result()

    with audited.acting(world.acting()) as who:
        await asyncio.gather(
            world.store.write(keys.create_project, "q"),
            asyncio.create_task(world.store.write(keys.create_project, "r")),
        )
        await asyncio.to_thread(lambda: from_a_thread())
    assert (len(await world.entries()), who.written) == (3, 3)
    await world.store.write(keys.create_project, "afterwards")
    assert len(await world.entries()) == 3


async def test_a_reader_writes_caches_without_an_entry(world: World) -> None:
    """What a read leaves behind is no change that anyone made."""
    with audited.acting(world.acting(reads=True)):
        await world.store.write(keys.create_project, "a cache")
    assert await world.entries() == []


async def test_what_is_erased_is_named_by_the_servers_id(world: World) -> None:
    """The entry of a deletion must not keep the name of whoever was deleted."""
    user = await world.plain.read(users.get, world.access, "anna")
    target = Target("user", "anna", chosen=True)
    with audited.acting(world.acting(action="user.delete", target=target, erases=True)):
        await world.store.write(users.delete, world.access, "anna")
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
    with audited.acting(world.acting(action="key.create")):
        made = await world.store.write(keys.create_key, "p", "k")
    assert [entry.target for entry in await world.entries()] == [f"key:{made.key.uuid}"]


async def test_a_command_that_only_looks_leaves_no_entry(world: World) -> None:
    """Commands run every unit as a write; what they change decides."""
    with audited.acting(audited.by_command("project.list")):
        await world.store.write(keys.list_projects)
        await world.store.write(keys.project_named, "p")
    assert await world.entries() == []


async def test_a_command_is_told_in_the_project_that_it_changed(world: World) -> None:
    """The project is that of what came out, or the one that is named."""
    with audited.acting(audited.by_command("key.create")):
        made = await world.store.write(keys.create_key, "p", "k")
        await world.store.write(keys.create_project, "other")
    with audited.acting(audited.by_command("x", project="p")):
        await world.store.write(lambda tx: tx.run("key_revoke", uuid=made.key.uuid, now=1))
    found = await world.entries()
    assert [(entry.actor, entry.action) for entry in found] == [
        ("command", "key.create"),
        ("command", "x"),
    ]


async def test_a_command_that_does_not_say_what_it_changed_changes_nothing(world: World) -> None:
    """A change without a project to tell it in is our own mistake, and is undone."""
    with (
        audited.acting(audited.by_command("x")),
        pytest.raises(InvariantViolated, match="which project"),
    ):
        await world.store.write(lambda tx: keys.create_project(tx, "q").name)
    assert await world.plain.read(_count) == 1
