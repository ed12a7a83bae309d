"""Document collections as clients of Zep v2 send and read them, field by field."""

from datetime import datetime

from msgspec import UNSET, UnsetType

from recollect.compat.zep.wire.base import Count, Json, Request, Wire


class Collection(Wire):
    """A collection. Searches make the vectors, so the embedded ones grow in number with them."""

    uuid: str
    name: str
    description: str | None = None
    metadata: Json | None = None
    document_count: int
    document_embedded_count: int
    is_auto_embedded: bool
    created_at: datetime
    updated_at: datetime


class AddCollection(Request):
    """POST collections/{collection_name}."""

    description: str | None = None
    metadata: Json | None = None


class UpdateCollection(Request):
    """PATCH collections/{collection_name}; what is absent stays, a null clears."""

    description: str | UnsetType | None = UNSET
    metadata: Json | UnsetType | None = UNSET


class Document(Wire):
    """A document."""

    uuid: str
    document_id: str | None = None
    content: str
    metadata: Json | None = None
    is_embedded: bool
    created_at: datetime
    updated_at: datetime


class NewDocument(Request):
    """One of the documents of POST …/documents."""

    content: str
    document_id: str | None = None
    metadata: Json | None = None


class UpdateDocument(Request):
    """PATCH …/documents/uuid/{document_uuid}; what is absent stays, metadata merges."""

    document_id: str | UnsetType | None = UNSET
    metadata: Json | UnsetType | None = UNSET


class UpdateDocumentItem(UpdateDocument):
    """One of the changes of PATCH …/documents/batchUpdate."""

    uuid: str


class GetDocuments(Request):
    """POST …/documents/batchGet, for at most 10 MiB of documents at a time."""

    uuids: list[str] | None = None
    document_ids: list[str] | None = None


class SearchDocuments(Request):
    """POST collections/{collection_name}/search; a text, metadata, or both."""

    text: str | None = None
    metadata: Json | None = None
    min_score: float | None = None
    mmr_lambda: float | None = None
    search_type: str | None = None


class SearchQuery(Request):
    """How many documents a search may answer."""

    limit: Count | None = None


class FoundDocument(Document):
    """A document, and how well it fits."""

    score: float


class FoundDocuments(Wire):
    """What a search found: one page, as more than a page is never answered."""

    results: list[FoundDocument]
    result_count: int
    total_pages: int
    current_page: int
