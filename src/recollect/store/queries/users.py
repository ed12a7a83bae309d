"""Users."""

from typing import Any

from recollect.store.queries.shapes import UserRow
from recollect.store.statements import Keyed, Queries


class UserQueries(Queries):
    """Users."""

    __slots__ = ()

    def insert(
        self,
        *,
        uuid: str,
        project_id: int,
        user_id: int | str,
        graph_id: int,
        entity_uuid: str,
        email: str | None,
        first_name: str | None,
        last_name: str | None,
        metadata: str | None,
        time_zone: str | None,
        disable_default_ontology: int,
        now: int,
    ) -> None:
        self._post(
            "users.insert",
            uuid=uuid,
            project_id=project_id,
            user_id=user_id,
            graph_id=graph_id,
            entity_uuid=entity_uuid,
            email=email,
            first_name=first_name,
            last_name=last_name,
            metadata=metadata,
            time_zone=time_zone,
            disable_default_ontology=disable_default_ontology,
            now=now,
        )

    def by_name(self, *, project_id: int, user_id: int | str) -> UserRow | None:
        return self._one(UserRow, "users.by_name", project_id=project_id, user_id=user_id)

    def by_uuid(self, *, project_id: int, uuid: str) -> UserRow | None:
        return self._one(UserRow, "users.by_uuid", project_id=project_id, uuid=uuid)

    def of_graph(self, *, graph_id: int) -> UserRow | None:
        return self._one(UserRow, "users.of_graph", graph_id=graph_id)

    def update(
        self,
        *,
        email: str | None,
        first_name: str | None,
        last_name: str | None,
        metadata: str | None,
        time_zone: str | None,
        disable_default_ontology: int,
        now: int,
        id: int,
    ) -> None:
        self._post(
            "users.update",
            email=email,
            first_name=first_name,
            last_name=last_name,
            metadata=metadata,
            time_zone=time_zone,
            disable_default_ontology=disable_default_ontology,
            now=now,
            id=id,
        )

    def count_threads(self, *, change: int | str, user_id: int | str, project_id: int) -> None:
        """The count is stored: counting threads would make every read of a user slower."""
        self._post("users.count_threads", change=change, user_id=user_id, project_id=project_id)

    def page(
        self, *, order: str, project_id: int, search: str, limit: int, offset: int
    ) -> list[UserRow]:
        return self._all(
            UserRow,
            f"users.page/{order}",
            project_id=project_id,
            search=search,
            limit=limit,
            offset=offset,
        )

    def page_after(
        self,
        *,
        order: str,
        project_id: int,
        search: str,
        after_key: Any,
        after_uuid: str | None,
        limit: int,
    ) -> list[Keyed[UserRow]]:
        return self._page(
            UserRow,
            f"users.page_after/{order}",
            project_id=project_id,
            search=search,
            after_key=after_key,
            after_uuid=after_uuid,
            limit=limit,
        )

    def count(self, *, project_id: int, search: str) -> int | None:
        return self._value(int, "users.count", project_id=project_id, search=search)
