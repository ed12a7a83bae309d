"""Document collections of Zep v2."""

from msgspec import structs

from recollect.api.router import Call, Route
from recollect.app import collections
from recollect.compat.zep import translate_filters
from recollect.compat.zep.wire import documents as documents_wire
from recollect.compat.zep.wire.base import Success, shaped
from recollect.errors import InvalidInput
from recollect.limits import SEARCH_LIMIT_DEFAULT, SEARCH_LIMIT_MAX, SEARCH_QUERY_CHARS_MAX
from recollect.records.collections import Collection, Document, DocumentChange, NewDocument
from recollect.search.documents import DocumentQuery


def _collection(found: Collection) -> documents_wire.Collection:
    return shaped(
        documents_wire.Collection,
        found,
        document_embedded_count=found.embedded_count,
        is_auto_embedded=True,
    )


def _document(found: Document) -> documents_wire.Document:
    return shaped(documents_wire.Document, found, is_embedded=found.embedded)


async def list_collections(call: Call) -> list[list[documents_wire.Collection]]:
    """Every collection, in the list of lists that the client declares."""
    found = await collections.list_all(call.services, call.access)
    return [[_collection(collection) for collection in found]]


async def add_collection(call: Call) -> Success:
    """A new, empty collection."""
    sent: documents_wire.AddCollection = call.body
    await collections.create(
        call.services,
        call.access,
        call.path["collection_name"],
        sent.description,
        sent.metadata,
    )
    return Success(message="collection created")


async def get_collection(call: Call) -> documents_wire.Collection:
    """A collection by name."""
    found = await collections.get(call.services, call.access, call.path["collection_name"])
    return _collection(found)


async def update_collection(call: Call) -> Success:
    """Change what is given of a collection."""
    sent: documents_wire.UpdateCollection = call.body
    await collections.update(
        call.services,
        call.access,
        call.path["collection_name"],
        sent.description,
        sent.metadata,
    )
    return Success(message="collection updated")


async def delete_collection(call: Call) -> Success:
    """Remove a collection with its documents."""
    await collections.delete(call.services, call.access, call.path["collection_name"])
    return Success(message="collection deleted")


async def add_documents(call: Call) -> list[list[str]]:
    """Documents into a collection; their uuids in the order given."""
    sent: list[documents_wire.NewDocument] = call.body
    new = [
        NewDocument(content=one.content, document_id=one.document_id, metadata=one.metadata)
        for one in sent
    ]
    made = await collections.add(call.services, call.access, call.path["collection_name"], new)
    return [made]


async def get_documents(call: Call) -> list[list[documents_wire.Document]]:
    """Documents by uuid or by id, at most 10 MiB of them; unknown ones are left out."""
    sent: documents_wire.GetDocuments = call.body
    found = await collections.get_documents(
        call.services,
        call.access,
        call.path["collection_name"],
        sent.uuids or [],
        sent.document_ids or [],
    )
    return [[_document(document) for document in found]]


async def update_documents(call: Call) -> Success:
    """Change several documents, all or none."""
    sent: list[documents_wire.UpdateDocumentItem] = call.body
    changes = [
        DocumentChange(uuid=one.uuid, document_id=one.document_id, metadata=one.metadata)
        for one in sent
    ]
    await collections.update_documents(
        call.services, call.access, call.path["collection_name"], changes
    )
    return Success(message=f"{len(changes)} documents updated")


async def delete_documents(call: Call) -> Success:
    """Remove several documents; one that is gone already is no error."""
    sent: list[str] = call.body
    count = await collections.delete_documents(
        call.services, call.access, call.path["collection_name"], sent
    )
    return Success(message=f"{count} documents deleted")


async def get_document(call: Call) -> documents_wire.Document:
    """A document by its uuid."""
    found = await collections.get_document(
        call.services,
        call.access,
        call.path["collection_name"],
        call.path["document_uuid"],
    )
    return _document(found)


async def update_document(call: Call) -> Success:
    """Change the id or the metadata of a document."""
    sent: documents_wire.UpdateDocument = call.body
    change = DocumentChange(
        uuid=call.path["document_uuid"], document_id=sent.document_id, metadata=sent.metadata
    )
    await collections.update_document(
        call.services, call.access, call.path["collection_name"], change
    )
    return Success(message="document updated")


async def delete_document(call: Call) -> Success:
    """Remove a document."""
    await collections.delete_document(
        call.services,
        call.access,
        call.path["collection_name"],
        call.path["document_uuid"],
    )
    return Success(message="document deleted")


async def search(call: Call) -> documents_wire.FoundDocuments:
    """The documents of a collection that fit a text, metadata, or both."""
    sent: documents_wire.SearchDocuments = call.body
    asked: documents_wire.SearchQuery = call.query
    if sent.text is None and sent.metadata is None:
        raise InvalidInput("text: a text or metadata is required")
    query = DocumentQuery(
        text=None if sent.text is None else sent.text[:SEARCH_QUERY_CHARS_MAX],
        tree=translate_filters.equal_metadata("metadata", sent.metadata),
        limit=min(asked.limit or SEARCH_LIMIT_DEFAULT, SEARCH_LIMIT_MAX),
        score_min=sent.min_score,
        mmr_lambda=translate_filters.mmr_lambda(sent.search_type, sent.mmr_lambda),
    )
    found = await collections.search(
        call.services, call.access, call.path["collection_name"], query
    )
    results = [_found(hit.item, hit.score) for hit in found]
    return documents_wire.FoundDocuments(
        results=results, result_count=len(results), total_pages=1, current_page=1
    )


def _found(document: Document, score: float) -> documents_wire.FoundDocument:
    return documents_wire.FoundDocument(score=score, **structs.asdict(_document(document)))


ROUTES = [
    Route(
        "GET",
        "/collections",
        "document.list_collections",
        list_collections,
        "List document collections",
    ),
    Route(
        "POST",
        "/collections/{collection_name}",
        "document.add_collection",
        add_collection,
        "Add a document collection",
        body=documents_wire.AddCollection,
    ),
    Route(
        "GET",
        "/collections/{collection_name}",
        "document.get_collection",
        get_collection,
        "Get a document collection",
    ),
    Route(
        "PATCH",
        "/collections/{collection_name}",
        "document.update_collection",
        update_collection,
        "Update a document collection",
        body=documents_wire.UpdateCollection,
    ),
    Route(
        "DELETE",
        "/collections/{collection_name}",
        "document.delete_collection",
        delete_collection,
        "Delete a document collection",
    ),
    Route(
        "POST",
        "/collections/{collection_name}/documents",
        "document.add_documents",
        add_documents,
        "Add documents to a collection",
        body=list[documents_wire.NewDocument],
    ),
    Route(
        "POST",
        "/collections/{collection_name}/documents/batchGet",
        "document.get_document",
        get_documents,
        "Get several documents",
        body=documents_wire.GetDocuments,
        reads=True,
    ),
    Route(
        "PATCH",
        "/collections/{collection_name}/documents/batchUpdate",
        "document.update_document",
        update_documents,
        "Update several documents",
        body=list[documents_wire.UpdateDocumentItem],
    ),
    Route(
        "POST",
        "/collections/{collection_name}/documents/batchDelete",
        "document.delete_document",
        delete_documents,
        "Delete several documents",
        body=list[str],
    ),
    Route(
        "POST",
        "/collections/{collection_name}/search",
        "document.search",
        search,
        "Search a collection",
        body=documents_wire.SearchDocuments,
        query=documents_wire.SearchQuery,
        reads=True,
    ),
    Route(
        "GET",
        "/collections/{collection_name}/documents/uuid/{document_uuid}",
        "document.get_document",
        get_document,
        "Get a document",
    ),
    Route(
        "PATCH",
        "/collections/{collection_name}/documents/uuid/{document_uuid}",
        "document.update_document",
        update_document,
        "Update a document's id or metadata",
        body=documents_wire.UpdateDocument,
    ),
    Route(
        "DELETE",
        "/collections/{collection_name}/documents/uuid/{document_uuid}",
        "document.delete_document",
        delete_document,
        "Delete a document",
    ),
]
