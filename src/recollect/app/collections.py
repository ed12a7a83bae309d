"""Collections of documents, which are searched on their own and belong to no graph."""

import asyncio

from recollect.app.services import Services
from recollect.app.units import reads, writes
from recollect.graph.types import Access
from recollect.records import collections
from recollect.records.collections import Document, NewDocument
from recollect.search import documents
from recollect.search.documents import DocumentQuery
from recollect.search.query import Hit

list_all = reads(collections.all_of)
create = writes(collections.create)
get = reads(collections.get)
update = writes(collections.update)


async def delete(services: Services, access: Access, name: str) -> None:
    """Remove a collection with its documents."""
    await services.store.write(collections.delete, access, name)
    services.store.scrub_soon()


async def add(services: Services, access: Access, name: str, new: list[NewDocument]) -> list[str]:
    """Add documents to a collection; returns their uuids in the given order."""
    prepared = await asyncio.to_thread(collections.prepared, new)
    return await services.store.write(collections.add, access, name, prepared)


get_documents = reads(collections.documents)
get_document = reads(collections.document)
update_documents = writes(collections.update_documents)
update_document = writes(collections.update_document)


async def delete_documents(services: Services, access: Access, name: str, uuids: list[str]) -> int:
    """Delete several documents and return how many there were; a missing one is not an error."""
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
    """The documents of a collection that match a text, metadata, or both, best first."""
    return await documents.find(services.store, services.settings.models, access, name, query)
