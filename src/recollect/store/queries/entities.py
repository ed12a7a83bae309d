"""Entities, the names they are known by, and what each side knows of a user."""

from typing import Any, NamedTuple

from recollect.graph.found import EntityKind
from recollect.store.queries.shapes import (
    EntityRow,
    IdUuidRow,
    InGraphRow,
    MetadataRow,
)
from recollect.store.statements import Keyed, Queries


class EntityEpisodesRow(NamedTuple):
    id: int
    uuid: str
    metadata: str | None


class EntitiesAskedRow(NamedTuple):
    key: str
    id: int


class NamedRow(NamedTuple):
    id: int
    uuid: str
    name: str
    names: str
    kind: EntityKind | None
    is_user: int


class NamesBesideRow(NamedTuple):
    asked: str
    entity_id: int
    key: str


class UserSideRow(NamedTuple):
    names: str | None
    attributes: str | None
    all_names: str
    all_attributes: str


class UserSidesOfRow(NamedTuple):
    side: str
    names: str
    attributes: str | None


class TakerRow(NamedTuple):
    entity: EntityRow
    key: str


class EntityPlaceRow(NamedTuple):
    id: int
    graph_id: int
    side: str
    is_user: int


class EntitiesLabelledRow(NamedTuple):
    id: int
    uuid: str
    name: str
    labels: str


class EntityQueries(Queries):
    """Entities, the names they are known by, and what each side knows of a user."""

    __slots__ = ()

    def direct_nodes_of_task(self, *, task_uuid: str) -> list[EntityRow]:
        return self._all(EntityRow, "entities.direct_nodes_of_task", task_uuid=task_uuid)

    def metadata(self, *, ids: str) -> list[MetadataRow]:
        return self._all(MetadataRow, "entities.metadata", ids=ids)

    def own(self, *, ids: str | None) -> list[int]:
        return self._values(int, "entities.own", ids=ids)

    def episodes(self, *, ids: str | None) -> list[EntityEpisodesRow]:
        """All episodes shown with an entity, newest first."""
        return self._all(EntityEpisodesRow, "entities.episodes", ids=ids)

    def uuids_among(self, *, graph_id: int, ids: str | None) -> list[IdUuidRow]:
        return self._all(IdUuidRow, "entities.uuids_among", graph_id=graph_id, ids=ids)

    def ids_mentioned_by(self, *, episodes: str | None) -> list[int]:
        return self._values(int, "entities.ids_mentioned_by", episodes=episodes)

    def set_summaries(self, *, pairs: str | None) -> None:
        self._post("entities.set_summaries", pairs=pairs)

    def unname(self, *, name: str, names: str | None, attributes: str | None, id: int) -> None:
        self._post("entities.unname", name=name, names=names, attributes=attributes, id=id)

    def delete_unsupported(self, *, ids: str | None) -> list[InGraphRow]:
        """Keeps the user's own node and any entity that a surviving fact refers to."""
        return self._all(InGraphRow, "entities.delete_unsupported", ids=ids)

    def ids_by_uuids(self, *, graph_id: int, uuids: str) -> list[int]:
        return self._values(int, "entities.ids_by_uuids", graph_id=graph_id, uuids=uuids)

    def asked(self, *, keys: str | None, graph_id: int) -> list[EntitiesAskedRow]:
        """Entities whose full name or alias is one of the keys."""
        return self._all(EntitiesAskedRow, "entities.asked", keys=keys, graph_id=graph_id)

    def insert(
        self,
        *,
        first: int,
        end: int,
        uuid: str,
        graph_id: int,
        name: str,
        labels: str | None,
        summary: str,
        attributes: str | None,
        is_user: int,
        now: int,
        kind: str | None,
        is_assistant: int,
        names: str | None,
        side: str,
    ) -> int:
        return self._insert(
            "entities.insert",
            first=first,
            end=end,
            uuid=uuid,
            graph_id=graph_id,
            name=name,
            labels=labels,
            summary=summary,
            attributes=attributes,
            is_user=is_user,
            now=now,
            kind=kind,
            is_assistant=is_assistant,
            names=names,
            side=side,
        )

    def by_uuid(self, *, uuid: str, project_id: int) -> EntityRow | None:
        return self._one(EntityRow, "entities.by_uuid", uuid=uuid, project_id=project_id)

    def update(
        self, *, name: Any, labels: int | str | None, summary: Any, attributes: str | None, id: int
    ) -> None:
        self._post(
            "entities.update",
            name=name,
            labels=labels,
            summary=summary,
            attributes=attributes,
            id=id,
        )

    def learn(
        self,
        *,
        name: str,
        labels: str | None,
        summary: str,
        attributes: str | None,
        kind: str | None,
        names: str | None,
        id: int | str | None,
    ) -> None:
        """What an episode adds to an entity."""
        self._post(
            "entities.learn",
            name=name,
            labels=labels,
            summary=summary,
            attributes=attributes,
            kind=kind,
            names=names,
            id=id,
        )

    def names_add(self, *, graph_id: int, keys: str | None, entity_id: int) -> None:
        self._post("entities.names_add", graph_id=graph_id, keys=keys, entity_id=entity_id)

    def name_insert(self, *, graph_id: int, key: str, entity_id: int) -> None:
        self._post("entities.name_insert", graph_id=graph_id, key=key, entity_id=entity_id)

    def names_delete(self, *, entity_id: int | str | None) -> None:
        """Keeps the keys of entities that were merged into this one by hand."""
        self._post("entities.names_delete", entity_id=entity_id)

    def takes_in_nobody(self, *, entity_id: int | str | None) -> None:
        self._post("entities.takes_in_nobody", entity_id=entity_id)

    def set_names(self, *, names: str | None, id: int) -> None:
        self._post("entities.set_names", names=names, id=id)

    def ids_by_key(self, *, graph_id: int, key: str, limit: int) -> list[int]:
        """A few per key, oldest first: a common first name must not cost more in a large graph."""
        return self._values(int, "entities.ids_by_key", graph_id=graph_id, key=key, limit=limit)

    def by_keys(self, *, keys: str | None, graph_id: int, side: str, limit: int) -> list[EntityRow]:
        """The same for several keys on one side, with full rows.

        An entity that matches several keys is returned once per key.
        """
        return self._all(
            EntityRow, "entities.by_keys", keys=keys, graph_id=graph_id, side=side, limit=limit
        )

    def names_beside(
        self, *, keys: str | None, graph_id: int, side: str, limit: int
    ) -> list[NamesBesideRow]:
        """The exact names of the entities that `by_keys` would return, as keys."""
        return self._all(
            NamesBesideRow,
            "entities.names_beside",
            keys=keys,
            graph_id=graph_id,
            side=side,
            limit=limit,
        )

    def who(self, *, graph_id: int) -> list[EntityRow]:
        """The user's own node and the assistant's, one per side."""
        return self._all(EntityRow, "entities.who", graph_id=graph_id)

    def by_uuids_on_side(self, *, graph_id: int, uuids: str | None, side: str) -> list[EntityRow]:
        return self._all(
            EntityRow, "entities.by_uuids_on_side", graph_id=graph_id, uuids=uuids, side=side
        )

    def user_side(self, *, entity_id: int, side: str) -> UserSideRow | None:
        """What a user's node learned on one side, and everything it learned on any side."""
        return self._one(UserSideRow, "entities.user_side", entity_id=entity_id, side=side)

    def user_side_put(
        self, *, entity_id: int, side: str | None, names: str | None, attributes: str | None
    ) -> None:
        self._post(
            "entities.user_side_put",
            entity_id=entity_id,
            side=side,
            names=names,
            attributes=attributes,
        )

    def user_sides_of(self, *, entity_id: int) -> list[UserSidesOfRow]:
        return self._all(UserSidesOfRow, "entities.user_sides_of", entity_id=entity_id)

    def user_sides_drop(self, *, graph_id: int) -> int:
        return self._run("entities.user_sides_drop", graph_id=graph_id)

    def by_id(self, *, id: int | str | None) -> EntityRow | None:
        return self._one(EntityRow, "entities.by_id", id=id)

    def by_ids(self, *, ids: str | None) -> list[EntityRow]:
        return self._all(EntityRow, "entities.by_ids", ids=ids)

    def by_uuids(self, *, graph_id: int, uuids: str | None) -> list[EntityRow]:
        return self._all(EntityRow, "entities.by_uuids", graph_id=graph_id, uuids=uuids)

    def delete(self, *, id: int) -> None:
        self._post("entities.delete", id=id)

    def page(
        self, *, order: str, graph_id: int, after_uuid: str | None, after_key: Any, limit: int
    ) -> list[Keyed[EntityRow]]:
        return self._page(
            EntityRow,
            f"entities.page/{order}",
            graph_id=graph_id,
            after_uuid=after_uuid,
            after_key=after_key,
            limit=limit,
        )

    def of_episode(self, *, episode_id: int, limit: int) -> list[EntityRow]:
        return self._all(EntityRow, "entities.of_episode", episode_id=episode_id, limit=limit)

    def set_given(self, *, given: str | None, id: int | str | None) -> None:
        self._post("entities.set_given", given=given, id=id)

    def named(self, *, graph_id: int, keys: str | None, side: str, limit: int) -> list[NamedRow]:
        """Entities that match one of the name keys: a person by any, the others by a whole name.

        *limit* bounds how many match at all, whole names first, whether they are returned or not.
        """
        return self._all(
            NamedRow, "entities.named", graph_id=graph_id, keys=keys, side=side, limit=limit
        )

    def that_took_in(self, *, graph_id: int, uuid: str) -> list[EntityRow]:
        """Entities that absorbed this uuid, on any side; the key may have the side after the uuid."""
        return self._all(EntityRow, "entities.that_took_in", graph_id=graph_id, uuid=uuid)

    def of_graph(self, *, graph_id: int) -> list[EntityRow]:
        return self._all(EntityRow, "entities.of_graph", graph_id=graph_id)

    def answers(self, *, name: str, graph_id: int, key: str, side: str | None) -> int | None:
        """Whether an entity on a side has exactly this name; the key is one it is looked up by.

        The user's own node matches by names that this side taught it, or that no side did.
        """
        return self._value(
            int, "entities.answers", name=name, graph_id=graph_id, key=key, side=side
        )

    def unsupported(self, *, graph_id: int) -> list[int]:
        return self._values(int, "entities.unsupported", graph_id=graph_id)

    def mentioned_by(self, *, episode_id: int) -> list[EntityRow]:
        return self._all(EntityRow, "entities.mentioned_by", episode_id=episode_id)

    def taking_in(self, *, graph_id: int, keys: str | None) -> list[TakerRow]:
        """Entities that absorbed others by hand, looked up by the keys of those others."""
        return self._all_with(
            TakerRow, EntityRow, "entities.taking_in", graph_id=graph_id, keys=keys
        )

    def place(self, *, uuid: str) -> EntityPlaceRow | None:
        return self._one(EntityPlaceRow, "entities.place", uuid=uuid)

    def labelled(self, *, ids: str | None) -> list[EntitiesLabelledRow]:
        return self._all(EntitiesLabelledRow, "entities.labelled", ids=ids)

    def page_among(
        self,
        *,
        order: str,
        ids: str | None,
        graph_id: int,
        after_uuid: str | None,
        after_key: Any,
        limit: int,
    ) -> list[Keyed[EntityRow]]:
        return self._page(
            EntityRow,
            f"entities.page_among/{order}",
            ids=ids,
            graph_id=graph_id,
            after_uuid=after_uuid,
            after_key=after_key,
            limit=limit,
        )
