"""Users: made, read, changed, listed and forgotten, each inside their own project."""

import pytest

from recollect.errors import AlreadyExists, InvalidInput, NotFound
from recollect.graph.types import Access
from recollect.ingest import intake, queue
from recollect.records import graphs, knowledge, threads, users
from recollect.records.pages import PageRequest
from recollect.records.users import UserDetails
from recollect.store.protocol import Store
from tests.contract.store.world import (
    StillClock,
    add_messages,
    findable,
    index_items,
    new_thread,
    new_user,
    text,
    work,
)

ALL_FACTS = PageRequest(order="uuid/asc", limit=100)


async def test_a_user_reads_back_as_created(
    store: Store, access: Access, clock: StillClock
) -> None:
    """Every detail that was given is there, with a uuid, a graph and both times."""
    given = {
        "email": "jane@example.com",
        "first_name": "Jane",
        "last_name": "Smith",
        "metadata": {"plan": "pro", "nested": {"a": [1, 2.5, None, True]}},
        "time_zone": "Europe/Berlin",
        "disable_default_ontology": True,
        "rating": {"instruction": "by relevance"},
    }
    made = await new_user(store, access, "jane", **given)
    assert await store.read(users.get, access, "jane") == made
    assert {name: getattr(made, name) for name in given} == given
    assert made.created_at == made.updated_at == clock.moment
    assert made.thread_count == 0
    graph = await store.read(graphs.of_user, access, "jane")
    assert (graph.id, graph.uuid, graph.kind) == (made.graph_id, made.graph_uuid, "user")


async def test_a_user_id_is_unique_in_its_project(
    store: Store, access: Access, stranger: Access
) -> None:
    """A taken id is refused and nothing changes; the same id in another project is another user."""
    first = await new_user(store, access, "jane", first_name="Jane")
    with pytest.raises(AlreadyExists, match="user_id"):
        await new_user(store, access, "jane", first_name="Other")
    other = await new_user(store, stranger, "jane", first_name="Joan")
    assert other.uuid != first.uuid
    assert other.graph_id != first.graph_id
    assert await store.read(users.get, access, "jane") == first
    await store.write(users.delete, access, "jane")
    assert await store.read(users.get, stranger, "jane") == other


async def test_ids_differ_by_case_and_by_every_character(store: Store, access: Access) -> None:
    """`Jane`, `jane` and `jané` are three users."""
    for user_id in ("Jane", "jane", "jané", "jane "[:4] + "2"):
        await new_user(store, access, user_id)
    page = await store.read(users.page, access, search="", order="user_id/asc", limit=10, offset=0)
    assert page.total == 4


async def test_a_refused_detail_leaves_no_user_behind(store: Store, access: Access) -> None:
    """A check that fails names the field, and no half-made user or graph is left."""
    with pytest.raises(InvalidInput, match="time_zone"):
        await new_user(store, access, "jane", time_zone="Mars/Olympus")
    with pytest.raises(InvalidInput, match="user_id"):
        await new_user(store, access, "a/b")
    with pytest.raises(NotFound):
        await store.read(users.get, access, "jane")
    with pytest.raises(NotFound):
        await store.read(graphs.of_user, access, "jane")


async def test_an_update_replaces_what_was_said(
    store: Store, access: Access, clock: StillClock
) -> None:
    """Details are replaced whole, the creation time stays, the change has its own time."""
    made = await new_user(store, access, "jane", email="old@example.com", metadata={"a": 1})
    clock.advance(5)
    details = UserDetails(first_name="Jane", metadata={"b": 2}, rating={"instruction": "x"})
    changed = await store.write(users.update, access, "jane", details)
    assert (changed.email, changed.first_name, changed.metadata) == (None, "Jane", {"b": 2})
    assert changed.rating == {"instruction": "x"}
    assert changed.created_at == made.created_at
    assert changed.updated_at == clock.moment
    assert changed.uuid == made.uuid


async def test_the_users_node_follows_the_profile(
    store: Store, access: Access, clock: StillClock
) -> None:
    """Renaming closes the old profile facts at that moment, keeps them, and adds new ones."""
    await new_user(store, access, "jane", first_name="Jane", email="jane@example.com")
    created = clock.moment
    clock.advance(60)
    await store.write(users.update, access, "jane", UserDetails(first_name="Joan"))
    node = await store.read(users.node, access, "jane")
    assert (node.name, node.is_user, node.labels) == ("Joan", True, ["Entity", "User"])
    assert node.attributes == {"user_id": "jane", "first_name": "Joan", "role_type": "user"}
    graph = await store.read(graphs.of_user, access, "jane")
    facts = (await store.read(knowledge.facts_page, access, graph, ALL_FACTS)).items
    closed = {fact.fact: fact for fact in facts if fact.expired_at is not None}
    assert set(closed) == {
        "Jane has the user id jane",
        "The user's name is Jane",
        "Jane has the email jane@example.com",
    }
    for fact in closed.values():
        assert (fact.valid_at, fact.created_at) == (created, created)
        assert (fact.invalid_at, fact.expired_at) == (clock.moment, clock.moment)
    holding = await store.read(knowledge.facts_holding, access, graph, 100)
    assert {fact.fact for fact in holding} == {
        "Joan has the user id jane",
        "The user's name is Joan",
    }


async def test_an_update_that_says_the_same_changes_no_fact(store: Store, access: Access) -> None:
    """Saying nothing new closes nothing and adds nothing."""
    await new_user(store, access, "jane", first_name="Jane", email="j@example.com")
    graph = await store.read(graphs.of_user, access, "jane")
    before = await store.read(knowledge.facts_page, access, graph, ALL_FACTS)
    details = UserDetails(first_name="Jane", email="j@example.com")
    await store.write(users.update, access, "jane", details)
    assert await store.read(knowledge.facts_page, access, graph, ALL_FACTS) == before


async def test_a_users_graph_carries_the_users_time_zone(store: Store, access: Access) -> None:
    """A zone given when the user is made counts as much as one given later."""
    await new_user(store, access, "made", time_zone="Europe/Berlin")
    await new_user(store, access, "changed")
    await store.write(users.update, access, "changed", UserDetails(time_zone="Europe/Berlin"))
    zones = [
        (await store.read(graphs.of_user, access, user_id)).time_zone
        for user_id in ("made", "changed")
    ]
    assert zones == ["Europe/Berlin", "Europe/Berlin"]


async def test_deleting_a_user_takes_everything_along(
    store: Store, access: Access, clock: StillClock
) -> None:
    """Threads, messages, jobs, graph, node and index go; another user's stay."""
    for user_id in ("jane", "joe"):
        await new_user(store, access, user_id)
        await new_thread(store, access, f"t-{user_id}", user_id)
        await add_messages(store, access, f"t-{user_id}", "done before")
    await work(store)
    jane = await store.read(users.get, access, "jane")
    node = await store.read(users.node, access, "jane")
    pending = await add_messages(store, access, "t-jane", "still owed")
    await store.write(users.delete, access, "jane")
    for gone in (
        store.read(users.get, access, "jane"),
        store.read(users.node, access, "jane"),
        store.read(threads.get, access, "t-jane"),
        store.read(graphs.of_user, access, "jane"),
        store.read(knowledge.entity, access, node.uuid),
        store.read(queue.task, access, pending.task_uuid),
        store.write(users.delete, access, "jane"),
        store.write(users.update, access, "jane", UserDetails()),
        store.write(intake.add_episodes, access, "jane", None, [text("x")]),
    ):
        with pytest.raises(NotFound):
            await gone
    assert await store.read(index_items, jane.graph_id) == {}
    assert (await store.read(queue.state)).pending == 0
    assert await store.write(queue.claim, "me") is None
    assert len(await store.read(threads.of_user, access, "joe", 9)) == 1
    joe = await store.read(users.get, access, "joe")
    assert await store.read(findable, joe.graph_id, "entity") == {joe.entity_uuid}
    assert len(await store.read(findable, joe.graph_id, "episode")) == 1


async def test_a_user_made_again_starts_empty(store: Store, access: Access) -> None:
    """The same id after a deletion is a new user with a new, empty graph."""
    old = await new_user(store, access, "jane")
    await new_thread(store, access, "t", "jane")
    await add_messages(store, access, "t", "before")
    await store.write(users.delete, access, "jane")
    new = await new_user(store, access, "jane")
    assert new.uuid != old.uuid
    assert new.graph_id != old.graph_id
    assert new.thread_count == 0
    assert await store.read(findable, new.graph_id, "entity", "episode") == {new.entity_uuid}


async def test_users_are_listed_in_every_declared_order(
    store: Store, access: Access, stranger: Access, clock: StillClock
) -> None:
    """Each order runs both ways, pages do not overlap, the total counts all of one project."""
    for number, user_id in enumerate(["b", "a", "c"]):
        clock.advance(1)
        await new_user(store, access, user_id, email=f"{2 - number}@example.com")
    clock.advance(1)
    await store.write(users.update, access, "a", UserDetails(email="1@example.com"))
    await new_user(store, stranger, "elsewhere")
    expected = {
        "created_at": "bac",
        "updated_at": "bca",
        "user_id": "abc",
        "email": "cab",
        "id": "bac",
    }
    for order, names in expected.items():
        for direction in ("asc", "desc"):
            wanted = list(names) if direction == "asc" else list(reversed(names))
            got = []
            for offset in range(3):
                page = await store.read(
                    users.page,
                    access,
                    search="",
                    order=f"{order}/{direction}",
                    limit=1,
                    offset=offset,
                )
                assert page.total == 3
                got += [user.user_id for user in page.users]
            assert got == wanted, (order, direction)


async def test_users_are_found_by_part_of_what_is_said(store: Store, access: Access) -> None:
    """Search looks into id, email and names, whatever the case; wildcards are plain characters."""
    await new_user(store, access, "u-1", first_name="Jane", last_name="Smith")
    await new_user(store, access, "u-2", email="JANE@example.com")
    await new_user(store, access, "u_3", first_name="Percy")

    async def found(search: str) -> tuple[list[str], int]:
        page = await store.read(
            users.page, access, search=search, order="id/asc", limit=10, offset=0
        )
        return [user.user_id for user in page.users], page.total

    assert await found("jane") == (["u-1", "u-2"], 2)
    assert await found("SMITH") == (["u-1"], 1)
    assert await found("_3") == (["u_3"], 1)
    assert await found("%") == ([], 0)
    assert await found("'") == ([], 0)
