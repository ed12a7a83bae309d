"""Standalone graphs: a memory of their own, apart from users' graphs."""

import pytest

from recollect.errors import AlreadyExists, InvalidInput, NotFound
from recollect.graph.types import Access
from recollect.ingest import intake, queue
from recollect.records import episodes, graphs
from recollect.records.graphs import GraphDetails
from recollect.store.protocol import Store
from tests.contract.store.world import (
    StillClock,
    add_text,
    index_items,
    new_graph,
    new_user,
    text,
    work,
)


async def test_a_graph_reads_back_as_created(
    store: Store, access: Access, clock: StillClock
) -> None:
    """Every detail that was given is there, with a uuid and both times."""
    given = {
        "name": "Team",
        "description": "What we know",
        "time_zone": "Asia/Tokyo",
        "rating": {"instruction": "x"},
    }
    made = await new_graph(store, access, "g", **given)
    assert await store.read(graphs.get, access, "g") == made
    assert {name: getattr(made, name) for name in given} == given
    assert (made.kind, made.created_at, made.updated_at) == (
        "standalone",
        clock.moment,
        clock.moment,
    )


async def test_a_graph_id_is_unique_in_its_project(
    store: Store, access: Access, stranger: Access
) -> None:
    """Taken is taken; another project and a user's graph of that name do not count."""
    made = await new_graph(store, access, "g")
    with pytest.raises(AlreadyExists, match="graph_id"):
        await new_graph(store, access, "g")
    other = await new_graph(store, stranger, "g")
    user = await new_user(store, access, "g")
    assert len({made.id, other.id, user.graph_id}) == 3
    await store.write(graphs.delete, access, "g")
    assert await store.read(graphs.get, stranger, "g") == other
    assert (await store.read(graphs.of_user, access, "g")).id == user.graph_id


async def test_an_update_replaces_what_was_said(
    store: Store, access: Access, clock: StillClock
) -> None:
    """Details are replaced whole; the creation time and the uuid stay."""
    made = await new_graph(store, access, "g", name="old", description="d")
    clock.advance(3)
    changed = await store.write(graphs.update, access, "g", GraphDetails(name="new"))
    assert (changed.name, changed.description) == ("new", None)
    assert (changed.uuid, changed.created_at) == (made.uuid, made.created_at)
    assert changed.updated_at == clock.moment


async def test_a_users_graph_is_not_a_standalone_one(store: Store, access: Access) -> None:
    """It cannot be read, changed or deleted under its user's id as a graph."""
    await new_user(store, access, "jane")
    for refused in (
        store.read(graphs.get, access, "jane"),
        store.write(graphs.update, access, "jane", GraphDetails()),
        store.write(graphs.delete, access, "jane"),
    ):
        with pytest.raises(NotFound):
            await refused
    page = await store.read(
        graphs.page, access, search="", order="graph_id/asc", limit=10, offset=0
    )
    assert (page.graphs, page.total) == ([], 0)


async def test_a_request_names_one_graph(store: Store, access: Access) -> None:
    """Exactly one of the two ids; both or none are refused."""
    graph = await new_graph(store, access, "g")
    user = await new_user(store, access, "u")
    assert await store.read(graphs.target, access, None, "g") == graph
    assert (await store.read(graphs.target, access, "u", None)).id == user.graph_id
    for ids in (("u", "g"), (None, None)):
        with pytest.raises(InvalidInput, match="user_id"):
            await store.read(graphs.target, access, *ids)


async def test_deleting_a_graph_takes_everything_along(store: Store, access: Access) -> None:
    """Episodes, jobs, tasks and index go; a graph of the same name starts empty."""
    graph = await new_graph(store, access, "g")
    done = await add_text(store, access, "g", "one")
    await work(store)
    owed = await add_text(store, access, "g", "two")
    await store.write(graphs.delete, access, "g")
    for gone in (
        store.read(graphs.get, access, "g"),
        store.read(episodes.get, access, done.episodes[0].uuid),
        store.read(queue.task, access, owed.task_uuid),
        store.write(graphs.delete, access, "g"),
        store.write(intake.add_episodes, access, None, "g", [text("x")]),
    ):
        with pytest.raises(NotFound):
            await gone
    assert await store.read(index_items, graph.id) == {}
    assert await store.write(queue.claim, "me") is None
    again = await new_graph(store, access, "g")
    assert again.id != graph.id
    assert await store.read(episodes.last, access, again, 10) == []
    fresh = await add_text(store, access, "g", "first")
    assert fresh.episodes[0].seq == 1


async def test_graphs_are_listed_in_every_declared_order(
    store: Store, access: Access, stranger: Access, clock: StillClock
) -> None:
    """Each order runs both ways, by page, within one project."""
    await new_graph(store, stranger, "elsewhere")
    await new_user(store, access, "not-listed")
    for graph_id, name in (("b", "2"), ("a", None), ("c", "1")):
        clock.advance(1)
        await new_graph(store, access, graph_id, name=name)
    expected = {"created_at": "bac", "graph_id": "abc", "name": "acb"}
    for order, names in expected.items():
        for direction in ("asc", "desc"):
            wanted = list(names) if direction == "asc" else list(reversed(names))
            got = []
            for offset in (0, 2):
                page = await store.read(
                    graphs.page,
                    access,
                    search="",
                    order=f"{order}/{direction}",
                    limit=2,
                    offset=offset,
                )
                assert page.total == 3
                got += [graph.graph_id for graph in page.graphs]
            assert got == wanted


async def test_graphs_are_found_by_part_of_id_or_name(store: Store, access: Access) -> None:
    """Search ignores case, and the total counts what was found."""
    await new_graph(store, access, "team-red", name="Fire")
    await new_graph(store, access, "team-blue", name="Water")
    page = await store.read(
        graphs.page, access, search="FIRE", order="graph_id/asc", limit=10, offset=0
    )
    assert ([graph.graph_id for graph in page.graphs], page.total) == (["team-red"], 1)


async def test_a_graph_of_another_project_cannot_be_reached(
    store: Store, access: Access, stranger: Access
) -> None:
    """Reading, changing, appending and deleting all say that there is no such graph."""
    graph = await new_graph(store, access, "g")
    for refused in (
        store.read(graphs.get, stranger, "g"),
        store.write(graphs.update, stranger, "g", GraphDetails(name="x")),
        store.write(graphs.delete, stranger, "g"),
        store.write(intake.add_episodes, stranger, None, "g", [text("x")]),
    ):
        with pytest.raises(NotFound):
            await refused
    assert await store.read(graphs.get, access, "g") == graph


async def test_a_graph_cannot_take_a_word_of_the_api(store: Store, access: Access) -> None:
    """A graph of that name could be made and then never be read."""
    with pytest.raises(InvalidInput, match="graph_id"):
        await store.write(graphs.create, access, "list-all", GraphDetails())
