"""Lists of users, threads, graphs and groups while others add and delete, with the client of generation 4."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.contract.sdk.drivers import Zep
from tests.contract.sdk.requirements import requirement
from tests.contract.sdk.support import unique
from tests.contract.sdk.support_4 import Json, a_graph4, a_thread4, a_user4, ended

Make = Callable[[], Json]
List = Callable[..., Any]
Delete = Callable[[Json], object]


def _users(zep4: Zep) -> tuple[Make, List, Delete]:
    word = unique("paged")
    return (
        lambda: a_user4(zep4, user_id=unique(word)),
        lambda **asked: zep4.user.list(search=word, order="asc", **asked),
        lambda user: ended(zep4, zep4.user.delete(user["uuid"])),
    )


def _threads(zep4: Zep) -> tuple[Make, List, Delete]:
    user = a_user4(zep4)
    return (
        lambda: a_thread4(zep4, user),
        lambda **asked: zep4.thread.list(user_uuid=user["uuid"], order="asc", **asked),
        lambda thread: ended(zep4, zep4.thread.delete(thread["uuid"])),
    )


def _graphs(zep4: Zep) -> tuple[Make, List, Delete]:
    word = unique("paged")
    return (
        lambda: a_graph4(zep4, name=unique(word)),
        lambda **asked: zep4.graph.list(search=word, order="asc", **asked),
        lambda graph: ended(zep4, zep4.graph.delete(graph["uuid"])),
    )


def _groups(zep4: Zep) -> tuple[Make, List, Delete]:
    word = unique("paged")
    return (
        lambda: zep4.user_group.create(name=unique(word)),
        lambda **asked: zep4.user_group.list(search=word, **asked),
        lambda group: zep4.user_group.delete(group["uuid"]),
    )


def _members(zep4: Zep) -> tuple[Make, List, Delete]:
    group = zep4.user_group.create(name=unique("paged"))["uuid"]

    def join() -> Json:
        user = a_user4(zep4)
        zep4.user_group.add_members(group, user_uuids=[user["uuid"]])
        return user

    return (
        join,
        lambda **asked: zep4.user_group.list_members(group, **asked),
        lambda user: zep4.user_group.remove_members(group, user_uuids=[user["uuid"]]),
    )


LISTS = {
    "users": _users,
    "threads": _threads,
    "graphs": _graphs,
    "groups": _groups,
    "members": _members,
}


@requirement(
    "v4:transport:pages",
    "v4:user.list",
    "v4:thread.list",
    "v4:graph.list",
    "v4:user_group.list",
    "v4:user_group.list_members",
)
@pytest.mark.parametrize("kind", LISTS)
def test_a_list_goes_on_after_what_was_told_last(zep4: Zep, kind: str) -> None:
    """What is added or deleted meanwhile skips and repeats nothing else, not even the last item told."""
    make, list_, delete = LISTS[kind](zep4)
    made = [make() for _ in range(6)]
    first = list_(page_size=3)
    assert [item["uuid"] for item in first["items"]] == [one["uuid"] for one in made[:3]]
    assert first["total_size"] == 6
    for gone in (made[0], made[2], made[4]):
        delete(gone)
    made.append(make())
    rest = list_(page_size=3, cursor=first["next_cursor"])
    wanted = [made[number]["uuid"] for number in (3, 5, 6)]
    assert [item["uuid"] for item in rest["items"]] == wanted
    assert "next_cursor" not in rest
    assert rest["total_size"] == 4
