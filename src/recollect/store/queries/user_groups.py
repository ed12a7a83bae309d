"""Groups of users."""

from typing import Any, NamedTuple

from recollect.store.queries.shapes import IdUuidRow, UserRow
from recollect.store.statements import Keyed, Queries


class UserGroupRow(NamedTuple):
    id: int
    uuid: str
    project_id: int
    name: str
    description: str | None
    version: int
    created_at: int
    updated_at: int
    member_count: int
    policy_set_count: int


class UserGroupQueries(Queries):
    """Groups of users."""

    __slots__ = ()

    def insert(
        self, *, uuid: str, project_id: int, name: str, description: str | None, now: int
    ) -> None:
        self._post(
            "user_groups.insert",
            uuid=uuid,
            project_id=project_id,
            name=name,
            description=description,
            now=now,
        )

    def by_uuid(self, *, project_id: int, uuid: str) -> UserGroupRow | None:
        return self._one(UserGroupRow, "user_groups.by_uuid", project_id=project_id, uuid=uuid)

    def by_name(self, *, project_id: int, name: str) -> IdUuidRow | None:
        return self._one(IdUuidRow, "user_groups.by_name", project_id=project_id, name=name)

    def page(self, *, project_id: int, search: str, limit: int, offset: int) -> list[UserGroupRow]:
        return self._all(
            UserGroupRow,
            "user_groups.page",
            project_id=project_id,
            search=search,
            limit=limit,
            offset=offset,
        )

    def page_after(
        self,
        *,
        project_id: int,
        search: str,
        after_key: Any,
        after_uuid: str | None,
        limit: int,
    ) -> list[Keyed[UserGroupRow]]:
        return self._page(
            UserGroupRow,
            "user_groups.page_after",
            project_id=project_id,
            search=search,
            after_key=after_key,
            after_uuid=after_uuid,
            limit=limit,
        )

    def count(self, *, project_id: int, search: str) -> int | None:
        return self._value(int, "user_groups.count", project_id=project_id, search=search)

    def of_user(self, *, user_id: int, limit: int) -> list[UserGroupRow]:
        return self._all(UserGroupRow, "user_groups.of_user", user_id=user_id, limit=limit)

    def of_user_after(
        self,
        *,
        user_id: int,
        after_key: Any,
        after_uuid: str | None,
        limit: int,
    ) -> list[Keyed[UserGroupRow]]:
        return self._page(
            UserGroupRow,
            "user_groups.of_user_after",
            user_id=user_id,
            after_key=after_key,
            after_uuid=after_uuid,
            limit=limit,
        )

    def count_of_user(self, *, user_id: int) -> int | None:
        return self._value(int, "user_groups.count_of_user", user_id=user_id)

    def update(self, *, name: str, description: str | None, now: int, id: int) -> None:
        self._post("user_groups.update", name=name, description=description, now=now, id=id)

    def delete(self, *, id: int) -> int:
        return self._run("user_groups.delete", id=id)

    def member_insert(self, *, group_id: int, user_id: int) -> int:
        return self._run("user_groups.member_insert", group_id=group_id, user_id=user_id)

    def member_delete(self, *, group_id: int, project_id: int, user_uuid: str) -> int:
        return self._run(
            "user_groups.member_delete",
            group_id=group_id,
            project_id=project_id,
            user_uuid=user_uuid,
        )

    def users_page(
        self,
        *,
        project_id: int,
        group_id: int,
        members: bool | str,
        search: str,
        limit: int,
        offset: int,
    ) -> list[UserRow]:
        """The members of a group, or the users who are not in it."""
        return self._all(
            UserRow,
            "user_groups.users_page",
            project_id=project_id,
            group_id=group_id,
            members=members,
            search=search,
            limit=limit,
            offset=offset,
        )

    def users_page_after(
        self,
        *,
        project_id: int,
        group_id: int,
        members: bool | str,
        search: str,
        after_key: Any,
        after_uuid: str | None,
        limit: int,
    ) -> list[Keyed[UserRow]]:
        """The members of a group, or the users who are not in it."""
        return self._page(
            UserRow,
            "user_groups.users_page_after",
            project_id=project_id,
            group_id=group_id,
            members=members,
            search=search,
            after_key=after_key,
            after_uuid=after_uuid,
            limit=limit,
        )

    def users_count(
        self, *, project_id: int, group_id: int, members: bool | str, search: str
    ) -> int | None:
        return self._value(
            int,
            "user_groups.users_count",
            project_id=project_id,
            group_id=group_id,
            members=members,
            search=search,
        )
