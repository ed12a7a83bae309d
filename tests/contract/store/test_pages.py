"""Pages that go on after the last item told: users, threads, graphs and groups of users."""

from collections.abc import Callable
from typing import Any

import pytest

from recollect.errors import InvalidInput
from recollect.graph.types import Access
from recollect.records import graphs, threads, user_groups, users
from recollect.records.pages import Page, PageRequest, read_cursor
from recollect.records.users import UserDetails
from recollect.store.protocol import Store
from tests.contract.store.world import StillClock, add_messages, new_graph, new_thread, new_user

Read = Callable[..., Page[Any]]


async def _walk(
    store: Store, access: Access, read: Read, order: str, *given: Any, limit: int = 1
) -> list[Any]:
    """Everything that is listed, page by page; every page knows how much that is."""
    found: list[Any] = []
    cursor: str | None = ""
    totals = set()
    while cursor is not None:
        request = PageRequest(order=order, limit=limit, after=read_cursor(cursor, order))
        page = await store.read(read, access, *given, request)
        assert 1 <= len(page.items) <= limit
        found += page.items
        totals.add(page.total)
        cursor = page.next_cursor
    assert totals == {len(found)}
    return found


async def test_users_are_walked_in_every_order(
    store: Store, access: Access, stranger: Access, clock: StillClock
) -> None:
    """Both ways, also past those who were made at the same moment or have no email."""
    for user_id, email in (("b", "2@example.com"), ("a", None), ("c", None)):
        await new_user(store, access, user_id, email=email)
    clock.advance(1)
    await new_user(store, access, "d", email="1@example.com")
    await new_user(store, stranger, "elsewhere")
    expected = {"created_at": "bacd", "user_id": "abcd", "email": "acdb", "uuid": "bacd"}
    for order, names in expected.items():
        for direction, step in (("asc", 1), ("desc", -1)):
            for limit in (1, 2, 3, 4):
                order_by = f"{order}/{direction}"
                found = await _walk(store, access, users.page_after, order_by, limit=limit)
                assert [user.user_id for user in found] == list(names)[::step], (order_by, limit)


async def test_graphs_are_walked_in_every_order(
    store: Store, access: Access, stranger: Access, clock: StillClock
) -> None:
    """Those of users are not among them."""
    await new_graph(store, stranger, "elsewhere")
    await new_user(store, access, "not-listed")
    for graph_id, name in (("b", "2"), ("a", None), ("c", "1")):
        clock.advance(1)
        await new_graph(store, access, graph_id, name=name)
    for order, names in {"created_at": "bac", "name": "acb", "uuid": "bac"}.items():
        for direction, step in (("asc", 1), ("desc", -1)):
            found = await _walk(store, access, graphs.page_after, f"{order}/{direction}")
            assert [graph.graph_id for graph in found] == list(names)[::step], (order, direction)


async def test_threads_are_walked_in_every_order(
    store: Store, access: Access, stranger: Access, clock: StillClock
) -> None:
    """All of them by when something was said last, those of one user by their own changes."""
    for user_id in ("x", "y"):
        await new_user(store, access, user_id)
    await new_user(store, stranger, "x")
    await new_thread(store, stranger, "elsewhere", "x")
    for thread_id, user_id in (("b", "y"), ("a", "x"), ("c", "y")):
        clock.advance(1)
        await new_thread(store, access, thread_id, user_id)
    clock.advance(1)
    await store.write(threads.update, access, "a", metadata={"k": 1}, rating=None)
    clock.advance(1)
    await add_messages(store, access, "b", "Said last.")
    for order, names in {"created_at": "bac", "updated_at": "cab", "uuid": "bac"}.items():
        for direction, step in (("asc", 1), ("desc", -1)):
            found = await _walk(store, access, threads.page_after, f"{order}/{direction}")
            assert [one.thread_id for one in found] == list(names)[::step], (order, direction)
    for order in ("created_at", "updated_at", "uuid"):
        found = await _walk(store, access, threads.page_of_user, f"{order}/asc", "y")
        assert [thread.thread_id for thread in found] == ["b", "c"], order


async def test_groups_and_their_users_are_walked(
    store: Store, access: Access, stranger: Access
) -> None:
    """The group of all users comes first, and once."""
    made = [await new_user(store, access, name) for name in ("u", "v", "w")]
    groups = [await store.write(user_groups.create, access, name, None) for name in "ba"]
    await store.write(user_groups.create, stranger, "elsewhere", None)
    one = groups[0].uuid
    await store.write(user_groups.add_members, access, one, [user.uuid for user in made[:2]])
    for limit in (1, 2, 3):
        order = user_groups.ORDER
        found = await _walk(store, access, user_groups.page_after, order, limit=limit)
        assert [group.name for group in found] == [user_groups.ALL_USERS, "b", "a"]
        of_u = (user_groups.page_of_user, order, made[0].uuid)
        found = await _walk(store, access, *of_u, limit=limit)
        assert [group.name for group in found] == [user_groups.ALL_USERS, "b"]
    everyone = user_groups.virtual_uuid(access)
    for group, read, wanted in (
        (one, user_groups.members_after, ["u", "v"]),
        (one, user_groups.candidates_after, ["w"]),
        (everyone, user_groups.members_after, ["u", "v", "w"]),
    ):
        users_ = await _walk(store, access, read, user_groups.ORDER, group)
        assert [user.user_id for user in users_] == wanted


async def test_what_comes_and_goes_between_pages_moves_nobody_else(
    store: Store, access: Access, clock: StillClock
) -> None:
    """Also when the very user is gone who ended the page before."""
    for user_id in "abcdef":
        clock.advance(1)
        await new_user(store, access, user_id)
    order = "user_id/asc"
    first = await store.read(users.page_after, access, PageRequest(order=order, limit=3))
    assert [user.user_id for user in first.items] == ["a", "b", "c"]
    for gone in ("a", "c", "e"):
        await store.write(users.delete, access, gone)
    for new in ("aa", "dd"):
        await new_user(store, access, new)
    await store.write(users.update, access, "d", UserDetails(email="d@example.com"))
    after = read_cursor(first.next_cursor, order)
    rest = await store.read(
        users.page_after, access, PageRequest(order=order, limit=9, after=after)
    )
    assert [user.user_id for user in rest.items] == ["d", "dd", "f"]
    assert (rest.next_cursor, rest.total) == (None, 5)


async def test_a_cursor_fits_only_the_order_it_was_made_for(store: Store, access: Access) -> None:
    """Whoever turns around has to begin again."""
    for user_id in "ab":
        await new_user(store, access, user_id)
    page = await store.read(users.page_after, access, PageRequest(order="uuid/asc", limit=1))
    for other in ("uuid/desc", "created_at/asc", "user_id/asc"):
        with pytest.raises(InvalidInput, match="cursor: it belongs to another"):
            read_cursor(page.next_cursor, other)
