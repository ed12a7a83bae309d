"""Document collections and their documents."""

from typing import NamedTuple

from recollect.store.statements import Queries


class CollectionRow(NamedTuple):
    id: int
    uuid: str
    project_id: int
    name: str
    description: str | None
    metadata: str | None
    created_at: int
    updated_at: int
    document_count: int
    embedded_count: int


class DocumentRow(NamedTuple):
    id: int
    uuid: str
    collection_id: int
    document_id: str | None
    content: str
    metadata: str | None
    created_at: int
    updated_at: int
    embedded: int


class DocumentShelfRow(NamedTuple):
    id: int
    terms: bytes
    vector: bytes | None
    metadata: str | None


class DocumentBeginningsRow(NamedTuple):
    id: int
    beginning: str


class DocumentVectorsByIdsRow(NamedTuple):
    id: int
    vector: bytes


class DocumentMetadataOfRow(NamedTuple):
    metadata: str | None
    embedded: int


class CollectionQueries(Queries):
    """Document collections and their documents."""

    __slots__ = ()

    def insert(
        self,
        *,
        uuid: str,
        project_id: int,
        name: str,
        description: str | None,
        metadata: str | None,
        now: int,
    ) -> None:
        self._post(
            "collections.insert",
            uuid=uuid,
            project_id=project_id,
            name=name,
            description=description,
            metadata=metadata,
            now=now,
        )

    def by_name(self, *, project_id: int, name: str) -> CollectionRow | None:
        return self._one(CollectionRow, "collections.by_name", project_id=project_id, name=name)

    def all(self, *, project_id: int) -> list[CollectionRow]:
        return self._all(CollectionRow, "collections.all", project_id=project_id)

    def count(self, *, project_id: int) -> int | None:
        return self._value(int, "collections.count", project_id=project_id)

    def update(self, *, description: str | None, metadata: str | None, now: int, id: int) -> None:
        self._post("collections.update", description=description, metadata=metadata, now=now, id=id)

    def delete(self, *, id: int) -> int:
        return self._run("collections.delete", id=id)

    def document_insert(
        self,
        *,
        uuid: str,
        collection_id: int,
        document_id: str | None,
        content: str,
        metadata: str | None,
        now: int,
    ) -> int:
        return self._insert(
            "collections.document_insert",
            uuid=uuid,
            collection_id=collection_id,
            document_id=document_id,
            content=content,
            metadata=metadata,
            now=now,
        )

    def document_terms_insert(self, *, id: int, terms: bytes) -> None:
        self._post("collections.document_terms_insert", id=id, terms=terms)

    def document_set_vector(self, *, vector: bytes, id: bytes | int | str | None) -> None:
        self._post("collections.document_set_vector", vector=vector, id=id)

    def document_by_uuid(self, *, uuid: str, collection_id: int) -> DocumentRow | None:
        return self._one(
            DocumentRow,
            "collections.document_by_uuid",
            uuid=uuid,
            collection_id=collection_id,
        )

    def document_by_name(self, *, collection_id: int, document_id: str) -> DocumentRow | None:
        return self._one(
            DocumentRow,
            "collections.document_by_name",
            collection_id=collection_id,
            document_id=document_id,
        )

    def documents_by_ids(self, *, ids: str | None, collection_id: int) -> list[DocumentRow]:
        return self._all(
            DocumentRow, "collections.documents_by_ids", ids=ids, collection_id=collection_id
        )

    def document_shelf(
        self, *, with_metadata: int, collection_id: int, after: int, limit: int
    ) -> list[DocumentShelfRow]:
        """A page of what a search scans, without the texts."""
        return self._all(
            DocumentShelfRow,
            "collections.document_shelf",
            with_metadata=with_metadata,
            collection_id=collection_id,
            after=after,
            limit=limit,
        )

    def document_beginnings(self, *, chars: int, ids: str | None) -> list[DocumentBeginningsRow]:
        return self._all(
            DocumentBeginningsRow, "collections.document_beginnings", chars=chars, ids=ids
        )

    def document_vectors_by_ids(self, *, ids: str | None) -> list[DocumentVectorsByIdsRow]:
        return self._all(DocumentVectorsByIdsRow, "collections.document_vectors_by_ids", ids=ids)

    def document_update(
        self, *, document_id: str | None, metadata: str | None, now: int, id: int
    ) -> None:
        self._post(
            "collections.document_update",
            document_id=document_id,
            metadata=metadata,
            now=now,
            id=id,
        )

    def document_delete(self, *, uuid: str, collection_id: int) -> int:
        return self._run("collections.document_delete", uuid=uuid, collection_id=collection_id)

    def metadata_of(self, *, collection_id: int) -> list[DocumentMetadataOfRow]:
        """The metadata that decides which documents of a collection are visible."""
        return self._all(
            DocumentMetadataOfRow, "collections.metadata_of", collection_id=collection_id
        )
