"""Feature sets, categories and tags, and the episodes that support features."""

from typing import NamedTuple

from recollect.store.statements import Queries


class FeatureSourcesRow(NamedTuple):
    fact_id: int
    producer: str | None
    speaker: str | None
    metadata: str | None


class StatementAwaitedRow(NamedTuple):
    id: int
    content: str
    received_at: int


class FeatureSetTypeRow(NamedTuple):
    id: int
    uuid: str
    graph_id: int
    is_org_level: int
    tags: str
    name: str | None
    description: str | None
    created_at: int


class FeatureCategoryRow(NamedTuple):
    id: int
    uuid: str
    graph_id: int
    set_key: str | None
    set_type_id: int | None
    name: str
    prompt: str
    description: str | None
    created_at: int
    set_type_uuid: str | None


class FeatureTagsOfRow(NamedTuple):
    id: int
    category_id: int
    name: str


class FeatureCategoriesOffOfRow(NamedTuple):
    set_key: str
    name: str


class FeatureQueries(Queries):
    """Feature sets, categories and tags, and the episodes that support features."""

    __slots__ = ()

    def sources(self, *, ids: str | None) -> list[FeatureSourcesRow]:
        """Who stated each fact, in the order of the log; includes episodes written directly by callers."""
        return self._all(FeatureSourcesRow, "features.sources", ids=ids)

    def statement_awaited(self, *, uuid: str, graph_id: int) -> StatementAwaitedRow | None:
        return self._one(
            StatementAwaitedRow, "features.statement_awaited", uuid=uuid, graph_id=graph_id
        )

    def fact_of_statement(self, *, uuid: str, graph_id: int) -> str | None:
        return self._value(str, "features.fact_of_statement", uuid=uuid, graph_id=graph_id)

    def set_type_insert(
        self,
        *,
        uuid: str,
        graph_id: int,
        is_org_level: int,
        tags: str,
        name: str | None,
        description: str | None,
        now: int,
    ) -> None:
        self._post(
            "features.set_type_insert",
            uuid=uuid,
            graph_id=graph_id,
            is_org_level=is_org_level,
            tags=tags,
            name=name,
            description=description,
            now=now,
        )

    def set_type_like(self, *, graph_id: int, is_org_level: int, tags: str) -> int | None:
        """Whether there is a set type with the same metadata."""
        return self._value(
            int, "features.set_type_like", graph_id=graph_id, is_org_level=is_org_level, tags=tags
        )

    def set_types_of(self, *, graph_id: int) -> list[FeatureSetTypeRow]:
        return self._all(FeatureSetTypeRow, "features.set_types_of", graph_id=graph_id)

    def set_type_delete(self, *, uuid: str, graph_id: int) -> int:
        return self._run("features.set_type_delete", uuid=uuid, graph_id=graph_id)

    def category_insert(
        self,
        *,
        uuid: str,
        graph_id: int,
        set_key: str | None,
        set_type_id: int | None,
        name: str,
        prompt: str,
        description: str | None,
        now: int,
    ) -> None:
        self._post(
            "features.category_insert",
            uuid=uuid,
            graph_id=graph_id,
            set_key=set_key,
            set_type_id=set_type_id,
            name=name,
            prompt=prompt,
            description=description,
            now=now,
        )

    def category_by_uuid(self, *, uuid: str, graph_id: int) -> FeatureCategoryRow | None:
        return self._one(
            FeatureCategoryRow, "features.category_by_uuid", uuid=uuid, graph_id=graph_id
        )

    def categories_of(self, *, graph_id: int) -> list[FeatureCategoryRow]:
        return self._all(FeatureCategoryRow, "features.categories_of", graph_id=graph_id)

    def category_delete(self, *, id: int, graph_id: int) -> int:
        return self._run("features.category_delete", id=id, graph_id=graph_id)

    def tag_insert(self, *, uuid: str, category_id: int, name: str, description: str) -> None:
        self._post(
            "features.tag_insert",
            uuid=uuid,
            category_id=category_id,
            name=name,
            description=description,
        )

    def tags_of(self, *, graph_id: int) -> list[FeatureTagsOfRow]:
        return self._all(FeatureTagsOfRow, "features.tags_of", graph_id=graph_id)

    def tag_delete(self, *, uuid: str, graph_id: int) -> int:
        return self._run("features.tag_delete", uuid=uuid, graph_id=graph_id)

    def category_off_put(self, *, graph_id: int, set_key: str, name: str) -> int:
        return self._run("features.category_off_put", graph_id=graph_id, set_key=set_key, name=name)

    def category_off_drop(self, *, graph_id: int, set_key: str, name: str) -> int:
        return self._run(
            "features.category_off_drop", graph_id=graph_id, set_key=set_key, name=name
        )

    def categories_off_of(self, *, graph_id: int) -> list[FeatureCategoriesOffOfRow]:
        return self._all(FeatureCategoriesOffOfRow, "features.categories_off_of", graph_id=graph_id)

    def set_keys(self, *, graph_id: int) -> list[str]:
        """The sets that have categories of their own, or have categories turned off."""
        return self._values(str, "features.set_keys", graph_id=graph_id)
