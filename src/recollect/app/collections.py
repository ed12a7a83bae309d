"""Collections of documents, which are searched by themselves and belong to no graph."""

import asyncio

from msgspec import UnsetType

from recollect.app.services import Services
from recollect.graph.types import Access, Json
from recollect.records import collections
from recollect.records.collections import Collection, Document, DocumentChange, NewDocument
from recollect.search import documents
from recollect.search.documents import DocumentQuery
from recollect.search.query import Hit


async def list_all(services: Services, access: Access) -> list[Collection]:
    """Every collection of the project."""
    return await services.store.read(collections.all_of, access)


async def create(
    services: Services, access: Access, name: str, description: str | None, metadata: Json | None
) -> None:
    """A new, empty collection."""
    await services.store.write(collections.create, access, name, description, metadata)


async def get(services: Services, access: Access, name: str) -> Collection:
    """A collection by name."""
    return await services.store.read(collections.get, access, name)


async def update(
    services: Services,
    access: Access,
    name: str,
    description: str | UnsetType | None,
    metadata: Json | UnsetType | None,
) -> None:
    """Change what is given of a collection."""
    await services.store.write(collections.update, access, name, description, metadata)


async def delete(services: Services, access: Access, name: str) -> None:
    """Remove a collection with its documents."""
    await services.store.write(collections.delete, access, name)
    services.store.scrub_soon()


async def add(services: Services, access: Access, name: str, new: list[NewDocument]) -> list[str]:
    """Documents into a collection; their uuids in the order given."""
    prepared = await asyncio.to_thread(collections.prepared, new)
    return await services.store.write(collections.add, access, name, prepared)


async def get_documents(
    services: Services, access: Access, name: str, uuids: list[str], document_ids: list[str]
) -> list[Document]:
    """Documents by uuid or by id; unknown ones are left out."""
    return await services.store.read(collections.documents, access, name, uuids, document_ids)


async def get_document(services: Services, access: Access, name: str, uuid: str) -> Document:
    """A document by its uuid."""
    return await services.store.read(collections.document, access, name, uuid)


async def update_documents(
    services: Services, access: Access, name: str, changes: list[DocumentChange]
) -> None:
    """Change several documents, all or none."""
    await services.store.write(collections.update_documents, access, name, changes)


async def update_document(
    services: Services, access: Access, name: str, change: DocumentChange
) -> None:
    """Change the id or the metadata of a document."""
    await services.store.write(collections.update_document, access, name, change)


async def delete_documents(services: Services, access: Access, name: str, uuids: list[str]) -> int:
    """Remove several documents and say how many; one that is gone already is no error."""
    count = await services.store.write(collections.delete_documents, access, name, uuids)
    services.store.scrub_soon()
    return count


async def delete_document(services: Services, access: Access, name: str, uuid: str) -> None:
    """Remove a document."""
    await services.store.write(collections.delete_document, access, name, uuid)
    services.store.scrub_soon()


async def search(
    services: Services, access: Access, name: str, query: DocumentQuery
) -> list[Hit[Document]]:
    """The documents of a collection that fit a text, metadata, or both, best first."""
    return await documents.find(services.store, services.settings.models, access, name, query)
