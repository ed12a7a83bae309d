"""Row types shared by queries of several nouns."""

from typing import NamedTuple

from recollect.graph.found import EntityKind
from recollect.graph.types import EpisodeKind, MemoryKind


class SaidFactRow(NamedTuple):
    id: int
    fact: str
    gist: str
    source_id: int
    predicate: str
    slot: str | None
    joins: int
    of_user: int
    rating: float | None
    confidence: float
    invalid_at: int | None


class ThreadedEpisodeRow(NamedTuple):
    id: int
    uuid: str
    graph_id: int
    seq: int
    kind: EpisodeKind
    content: str
    role: str | None
    speaker: str | None
    source_description: str | None
    thread_id: int | None
    document_id: str | None
    metadata: str | None
    ignored: int
    strict_ontology: int
    created_at: int
    received_at: int
    processed_at: int | None
    task_uuid: str | None
    producer: str | None
    addressee: str | None
    extra: str | None
    kept_for: MemoryKind | None
    failure: str | None
    thread_name: str | None


class JobRow(NamedTuple):
    episode: ThreadedEpisodeRow
    run: str | None
    attempts: int
    task_uuid: str


class MessageRow(NamedTuple):
    id: int
    content: str
    speaker: str | None
    role: str | None


class IdUuidRow(NamedTuple):
    id: int
    uuid: str


class MetadataRow(NamedTuple):
    id: int
    metadata: str | None


class MetadataValueRow(NamedTuple):
    metadata: str | None


class InGraphRow(NamedTuple):
    id: int
    graph_id: int


class EntityRow(NamedTuple):
    id: int
    uuid: str
    graph_id: int
    name: str
    labels: str
    summary: str
    attributes: str | None
    is_user: int
    created_at: int
    kind: EntityKind | None
    is_assistant: int
    names: str
    given: str | None
    side: str


class SourceRow(NamedTuple):
    id: int
    uuid: str
    metadata: str | None
    role: str | None
    speaker: str | None
    producer: str | None
    addressee: str | None
    created_at: int


class UserRow(NamedTuple):
    id: int
    uuid: str
    project_id: int
    user_id: str
    graph_id: int
    entity_uuid: str
    email: str | None
    first_name: str | None
    last_name: str | None
    metadata: str | None
    time_zone: str | None
    disable_default_ontology: int
    thread_count: int
    created_at: int
    updated_at: int
    graph_uuid: str
    rating: str | None
