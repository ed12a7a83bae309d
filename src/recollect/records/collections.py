"""Document collections: named sets of texts that Zep v2 clients keep beside memory."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from recollect.errors import AlreadyExists, InvalidInput, NotFound
from recollect.graph import checks
from recollect.graph.terms import packed, terms
from recollect.graph.types import Access, Json, Record
from recollect.limits import (
    COLLECTION_DOCUMENT_CHARS_MAX,
    COLLECTION_DOCUMENTS_BYTES_PER_READ_MAX,
    COLLECTION_DOCUMENTS_PER_CALL_MAX,
    COLLECTIONS_MAX,
    DESCRIPTION_CHARS_MAX,
)
from recollect.records import seeing
from recollect.store import rows
from recollect.store.protocol import Transaction
from recollect.store.queries.collections import CollectionRow, DocumentRow


class Collection(Record):
    """A named set of documents."""

    id: int
    uuid: str
    name: str
    description: str | None
    metadata: Json | None
    document_count: int
    embedded_count: int
    created_at: datetime
    updated_at: datetime


class Document(Record):
    """A text, with the caller's own id if it has one."""

    id: int
    uuid: str
    document_id: str | None
    content: str
    metadata: Json | None
    embedded: bool
    created_at: datetime
    updated_at: datetime


class NewDocument(Record):
    """A document about to be stored."""

    content: str
    document_id: str | None = None
    metadata: Json | None = None
    terms: bytes = b""  # its search terms, from `prepared`


class DocumentChange(Record):
    """A change to one document; UNSET leaves a field unchanged, metadata is merged."""

    uuid: str
    document_id: str | UnsetType | None = UNSET
    metadata: Json | UnsetType | None = UNSET


def create(
    tx: Transaction, access: Access, name: str, description: str | None, metadata: Json | None
) -> Collection:
    """Create an empty collection; its name must be free."""
    checks.caller_id("collection_name", name)
    _check(description, metadata)
    if _find(tx, access, name) is not None:
        raise AlreadyExists(f"collection_name: {name!r} exists already")
    count = tx.collections.count(project_id=access.project_id)
    if count is not None and count >= COLLECTIONS_MAX:
        raise InvalidInput(f"collection_name: at most {COLLECTIONS_MAX} collections in a project")
    tx.collections.insert(
        uuid=tx.new_id(),
        project_id=access.project_id,
        name=name,
        description=description,
        metadata=rows.to_json(metadata),
        now=rows.micros(tx.now),
    )
    return get(tx, access, name)


def _check(description: str | None, metadata: Json | None) -> None:
    checks.text("description", description, DESCRIPTION_CHARS_MAX)
    checks.json_object("metadata", metadata)


def get(tx: Transaction, access: Access, name: str) -> Collection:
    """A collection by its name."""
    found = _find(tx, access, name)
    if found is None:
        raise NotFound(f"collection not found: {name}")
    return found


def _find(tx: Transaction, access: Access, name: str) -> Collection | None:
    row = tx.collections.by_name(project_id=access.project_id, name=name)
    return None if row is None else _counted(tx, access, _collection(row))


def all_of(tx: Transaction, access: Access) -> list[Collection]:
    """Every collection of a project, oldest first."""
    found = tx.collections.all(project_id=access.project_id)
    return [_counted(tx, access, _collection(row)) for row in found]


def _counted(tx: Transaction, access: Access, found: Collection) -> Collection:
    """The collection with counts of visible documents only."""
    if access.visibility is None:
        return found
    seen = [
        row.embedded
        for row in tx.collections.metadata_of(collection_id=found.id)
        if seeing.document(access, rows.from_json(row.metadata))
    ]
    return replace(found, document_count=len(seen), embedded_count=sum(seen))


def update(
    tx: Transaction,
    access: Access,
    name: str,
    description: str | UnsetType | None,
    metadata: Json | UnsetType | None,
) -> Collection:
    """Change a collection; UNSET leaves a field unchanged, metadata is merged."""
    old = get(tx, access, name)
    described = old.description if isinstance(description, UnsetType) else description
    merged = _merged(old.metadata, metadata)
    _check(described, merged)
    tx.collections.update(
        id=old.id,
        description=described,
        metadata=rows.to_json(merged),
        now=rows.micros(tx.now),
    )
    return get(tx, access, name)


def delete(tx: Transaction, access: Access, name: str) -> None:
    """Delete a collection with its documents."""
    tx.collections.delete(id=get(tx, access, name).id)


def check_documents(new: Sequence[NewDocument]) -> None:
    """Check that the documents of one call are few enough, and each within its bounds."""
    _check_count(len(new))
    for number, document in enumerate(new):
        field = f"documents[{number}]"
        checks.text(
            f"{field}.content", document.content, COLLECTION_DOCUMENT_CHARS_MAX, required=True
        )
        checks.json_object(f"{field}.metadata", document.metadata)
        if document.document_id is not None:
            checks.caller_id(f"{field}.document_id", document.document_id)


def prepared(new: Sequence[NewDocument]) -> list[NewDocument]:
    """Checked documents with their search terms; done in a thread, to keep it out of the write."""
    check_documents(new)
    return [replace(one, terms=packed(terms(one.content))) for one in new]


def _check_count(count: int) -> None:
    if not count:
        raise InvalidInput("documents: at least one is required")
    if count > COLLECTION_DOCUMENTS_PER_CALL_MAX:
        raise InvalidInput(
            f"documents: at most {COLLECTION_DOCUMENTS_PER_CALL_MAX} per call, got {count}"
        )


def add(tx: Transaction, access: Access, name: str, new: Sequence[NewDocument]) -> list[str]:
    """Store prepared documents, all or none; returns their uuids in the given order."""
    collection = get(tx, access, name)
    return [
        _insert(tx, collection, f"documents[{number}].document_id", document)
        for number, document in enumerate(new)
    ]


def _insert(tx: Transaction, collection: Collection, field: str, new: NewDocument) -> str:
    _require_free(tx, collection, field, new.document_id)
    uuid = tx.new_id()
    made = tx.collections.document_insert(
        uuid=uuid,
        collection_id=collection.id,
        document_id=new.document_id,
        content=new.content,
        metadata=rows.to_json(new.metadata),
        now=rows.micros(tx.now),
    )
    tx.collections.document_terms_insert(id=made, terms=new.terms)
    return uuid


def _require_free(
    tx: Transaction, collection: Collection, field: str, document_id: str | None
) -> None:
    if document_id is not None and _by_name(tx, collection, document_id) is not None:
        raise AlreadyExists(f"{field}: {document_id!r} exists already")


def document(tx: Transaction, access: Access, name: str, uuid: str) -> Document:
    """A document by its uuid."""
    return _document_of(tx, access, get(tx, access, name), uuid)


def _document_of(tx: Transaction, access: Access, collection: Collection, uuid: str) -> Document:
    found = _by_uuid(tx, collection, uuid)
    if found is None or not seeing.document(access, found.metadata):
        raise NotFound(f"document not found: {uuid}")
    return found


def _by_uuid(tx: Transaction, collection: Collection, uuid: str) -> Document | None:
    row = tx.collections.document_by_uuid(collection_id=collection.id, uuid=uuid)
    return None if row is None else _document(row)


def _by_name(tx: Transaction, collection: Collection, document_id: str) -> Document | None:
    row = tx.collections.document_by_name(collection_id=collection.id, document_id=document_id)
    return None if row is None else _document(row)


def documents(
    tx: Transaction, access: Access, name: str, uuids: Sequence[str], ids: Sequence[str]
) -> list[Document]:
    """The documents with these uuids or caller's ids, without duplicates; unknown ones are left out.

    Refused if they are too large for one response; the caller then asks for fewer.
    """
    _check_count(len(uuids) + len(ids))
    collection = get(tx, access, name)
    found: dict[int, Document] = {}
    size = 0
    for one in _named(tx, collection, uuids, ids):
        if one.id in found or not seeing.document(access, one.metadata):
            continue
        found[one.id] = one
        size += len(one.content.encode()) + len((rows.to_json(one.metadata) or "").encode())
        if size > COLLECTION_DOCUMENTS_BYTES_PER_READ_MAX:
            raise InvalidInput(
                "uuids and document_ids: the documents have more than "
                f"{COLLECTION_DOCUMENTS_BYTES_PER_READ_MAX} bytes together: ask for fewer"
            )
    return list(found.values())


def _named(
    tx: Transaction, collection: Collection, uuids: Sequence[str], ids: Sequence[str]
) -> Iterator[Document]:
    """Yield documents one at a time, so that no more are held in memory than are returned."""
    for uuid in uuids:
        if (found := _by_uuid(tx, collection, uuid)) is not None:
            yield found
    for document_id in ids:
        if (found := _by_name(tx, collection, document_id)) is not None:
            yield found


def by_ids(
    tx: Transaction, access: Access, collection: Collection, ids: Sequence[int]
) -> list[Document]:
    """Documents of a collection in the given order; deleted ones are left out."""
    found = tx.collections.documents_by_ids(
        collection_id=collection.id, ids=rows.to_json(list(ids))
    )
    known = {row.id: _document(row) for row in found}
    told = [known[number] for number in ids if number in known]
    return [one for one in told if seeing.document(access, one.metadata)]


def update_document(tx: Transaction, access: Access, name: str, change: DocumentChange) -> None:
    """Change the id or the metadata of one document; its text stays."""
    _change(tx, access, get(tx, access, name), "", change)


def update_documents(
    tx: Transaction, access: Access, name: str, changes: Sequence[DocumentChange]
) -> None:
    """Change several documents, all or none."""
    _check_count(len(changes))
    collection = get(tx, access, name)
    for number, change in enumerate(changes):
        _change(tx, access, collection, f"documents[{number}].", change)


def _change(
    tx: Transaction, access: Access, collection: Collection, field: str, change: DocumentChange
) -> None:
    old = _document_of(tx, access, collection, change.uuid)
    document_id = old.document_id
    if not isinstance(change.document_id, UnsetType) and change.document_id != document_id:
        document_id = change.document_id
        if document_id is not None:
            checks.caller_id(f"{field}document_id", document_id)
        _require_free(tx, collection, f"{field}document_id", document_id)
    metadata = checks.json_object(f"{field}metadata", _merged(old.metadata, change.metadata))
    tx.collections.document_update(
        id=old.id,
        document_id=document_id,
        metadata=rows.to_json(metadata),
        now=rows.micros(tx.now),
    )


def delete_document(tx: Transaction, access: Access, name: str, uuid: str) -> None:
    """Delete one document."""
    if not delete_documents(tx, access, name, [uuid]):
        raise NotFound(f"document not found: {uuid}")


def delete_documents(tx: Transaction, access: Access, name: str, uuids: Sequence[str]) -> int:
    """Delete documents and return how many existed; one that is already gone is not an error."""
    _check_count(len(uuids))
    collection = get(tx, access, name)
    seen = [uuid for uuid in uuids if _may_delete(tx, access, collection, uuid)]
    return sum(
        tx.collections.document_delete(collection_id=collection.id, uuid=uuid) for uuid in seen
    )


def _may_delete(tx: Transaction, access: Access, collection: Collection, uuid: str) -> bool:
    if access.visibility is None:
        return True
    found = _by_uuid(tx, collection, uuid)
    return found is not None and seeing.document(access, found.metadata)


def _merged(old: Json | None, change: Json | UnsetType | None) -> Json | None:
    if isinstance(change, UnsetType):
        return old
    return None if change is None else checks.merge(old, change)


def _collection(row: CollectionRow) -> Collection:
    return Collection(
        id=row.id,
        uuid=row.uuid,
        name=row.name,
        description=row.description,
        metadata=rows.from_json(row.metadata),
        document_count=row.document_count,
        embedded_count=row.embedded_count,
        created_at=rows.moment(row.created_at),
        updated_at=rows.moment(row.updated_at),
    )


def _document(row: DocumentRow) -> Document:
    return Document(
        id=row.id,
        uuid=row.uuid,
        document_id=row.document_id,
        content=row.content,
        metadata=rows.from_json(row.metadata),
        embedded=bool(row.embedded),
        created_at=rows.moment(row.created_at),
        updated_at=rows.moment(row.updated_at),
    )
