"""Projects and keys: a secret is shown once, opens one project, and can be taken back."""

import pytest

from recollect.errors import AlreadyExists, Conflict, InvalidInput, NotFound
from recollect.governance import keys
from recollect.governance.keys import NewKey, hashed
from recollect.graph.types import Access, Key
from recollect.store.protocol import Store
from tests.contract.store.conftest import Reopen
from tests.contract.store.world import StillClock

GIVEN = "a-key-from-the-environment"
OTHER = "another-key-from-outside"


async def test_a_project_name_is_unique(store: Store) -> None:
    """Names tell projects apart on the command line."""
    made = await store.write(keys.create_project, "p")
    with pytest.raises(AlreadyExists):
        await store.write(keys.create_project, "p")
    with pytest.raises(InvalidInput, match="name"):
        await store.write(keys.create_project, " ")
    assert await store.read(keys.list_projects) == [made]
    assert await store.read(keys.project_named, "p") == made
    with pytest.raises(NotFound):
        await store.read(keys.project_named, "q")


async def test_a_key_opens_its_own_project(store: Store) -> None:
    """The project comes from the key alone."""
    for name in ("a", "b"):
        await store.write(keys.create_project, name)
    made = await store.write(keys.create_key, "b", "ci")
    assert made.secret.startswith(made.key.prefix)
    assert len(made.secret) > 40
    access = await store.read(keys.authenticate, hashed(made.secret))
    assert access is not None
    assert access.key_uuid == made.key.uuid
    assert (await store.read(keys.project_of, access)).name == "b"
    assert await store.read(keys.authenticate, hashed(made.secret + "x")) is None
    with pytest.raises(NotFound):
        await store.write(keys.create_key, "c", "ci")


async def test_a_secret_is_nowhere_to_be_read(store: Store) -> None:
    """Listing shows a prefix that is far too short to guess from."""
    await store.write(keys.create_project, "p")
    made = await store.write(keys.create_key, "p", "ci")
    (listed,) = await store.read(keys.list_keys)
    assert listed == made.key
    assert made.secret not in repr(listed)
    assert len(listed.prefix) < 10


async def test_a_revoked_key_opens_nothing(store: Store, clock: StillClock) -> None:
    """Revoking works at once, keeps the first time, and leaves other keys alone."""
    await store.write(keys.create_project, "p")
    made = await store.write(keys.create_key, "p", "one")
    other = await store.write(keys.create_key, "p", "two")
    revoked = await store.write(keys.revoke_key, made.key.uuid)
    assert revoked.revoked_at == clock.moment
    assert await store.read(keys.authenticate, hashed(made.secret)) is None
    assert await store.read(keys.authenticate, hashed(other.secret)) is not None
    clock.advance(9)
    assert (await store.write(keys.revoke_key, made.key.uuid)).revoked_at == revoked.revoked_at
    with pytest.raises(NotFound):
        await store.write(keys.revoke_key, "00000000-0000-7000-8000-00000000ffff")


async def test_the_first_start_makes_a_project_and_a_key(store: Store, reopen: Reopen) -> None:
    """Later starts find them and make nothing."""
    made = await store.write(keys.ensure_default, None)
    assert isinstance(made, NewKey)
    again = await store.write(keys.ensure_default, None)
    assert again == made.key
    assert [project.name for project in await store.read(keys.list_projects)] == ["default"]


async def test_a_start_after_every_key_was_revoked_makes_a_new_one(store: Store) -> None:
    """An operator is never locked out of the default project."""
    made = await store.write(keys.ensure_default, None)
    assert isinstance(made, NewKey)
    await store.write(keys.revoke_key, made.key.uuid)
    renewed = await store.write(keys.ensure_default, None)
    assert isinstance(renewed, NewKey)
    assert renewed.secret != made.secret


async def test_a_key_from_the_environment_replaces_the_one_before(store: Store) -> None:
    """The old one stops working, other keys do not, and the old one can come back."""
    cli = None
    first = await store.write(keys.ensure_default, GIVEN)
    cli = await store.write(keys.create_key, "default", "cli")
    await store.write(keys.ensure_default, OTHER)
    assert await store.read(keys.authenticate, hashed(GIVEN)) is None
    assert await store.read(keys.authenticate, hashed(OTHER)) is not None
    assert await store.read(keys.authenticate, hashed(cli.secret)) is not None
    back = await store.write(keys.ensure_default, GIVEN)
    assert isinstance(first, NewKey)
    assert isinstance(back, NewKey)
    assert await store.read(keys.authenticate, hashed(GIVEN)) is not None
    assert await store.read(keys.authenticate, hashed(OTHER)) is None


async def test_a_revoked_key_does_not_come_back_by_a_restart(store: Store) -> None:
    """Someone revoked it for a reason; the environment cannot undo that behind their back."""
    first = await store.write(keys.ensure_default, GIVEN)
    assert isinstance(first, NewKey)
    await store.write(keys.revoke_key, first.key.uuid)
    with pytest.raises(Conflict, match="revoked"):
        await store.write(keys.ensure_default, GIVEN)
    assert await store.read(keys.authenticate, hashed(GIVEN)) is None


async def test_a_key_of_another_project_is_not_adopted(store: Store) -> None:
    """The environment cannot turn one tenant's key into another's."""
    await store.write(keys.create_project, "tenant")
    made = await store.write(keys.create_key, "tenant", "theirs")
    with pytest.raises(AlreadyExists):
        await store.write(keys.ensure_default, made.secret)
    access = await store.read(keys.authenticate, hashed(made.secret))
    assert access is not None
    assert (await store.read(keys.project_of, access)).name == "tenant"


async def test_a_default_time_zone_belongs_to_one_project(
    store: Store, access: Access, stranger: Access
) -> None:
    """It is checked, kept, and unset again."""
    changed = await store.write(keys.set_default_time_zone, access, "Europe/Berlin")
    assert changed.default_time_zone == "Europe/Berlin"
    assert (await store.read(keys.project_of, stranger)).default_time_zone is None
    with pytest.raises(InvalidInput):
        await store.write(keys.set_default_time_zone, access, "Nowhere")
    unset = await store.write(keys.set_default_time_zone, access, None)
    assert unset.default_time_zone is None


async def test_keys_are_listed_in_the_order_they_were_made(store: Store) -> None:
    """Revoked ones included, with the project they open."""
    for name in ("b", "a"):
        await store.write(keys.create_project, name)
        await store.write(keys.create_key, name, f"key of {name}")
    listed: list[Key] = await store.read(keys.list_keys)
    assert [(key.project_name, key.name) for key in listed] == [
        ("b", "key of b"),
        ("a", "key of a"),
    ]
