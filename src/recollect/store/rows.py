"""Converts rows to values and back. Times are whole microseconds since 1970; JSON is text."""

from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any

import msgspec

from recollect.graph.types import Entity, Episode, Fact, Graph, Job, Key, Project, Thread, User
from recollect.store.queries.agents import AgentRow
from recollect.store.queries.facts import WholeFactRow
from recollect.store.queries.graphs import GraphRow
from recollect.store.queries.keys import KeyRow
from recollect.store.queries.links import EvidenceRow
from recollect.store.queries.projects import ProjectRow
from recollect.store.queries.shapes import EntityRow, JobRow, ThreadedEpisodeRow, UserRow
from recollect.store.queries.threads import ThreadRow

_MOMENTS_REMEMBERED = 16_384  # facts of one graph share few timestamps and are read repeatedly
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder().decode


def micros(moment: datetime) -> int:
    """*moment* as the store keeps it."""
    return (moment - _EPOCH) // _MICROSECOND


def micros_or_none(moment: datetime | None) -> int | None:
    """*moment* as the store keeps it, if there is one."""
    return None if moment is None else micros(moment)


@lru_cache(maxsize=_MOMENTS_REMEMBERED)
def moment(value: int) -> datetime:
    """The aware UTC time of a stored number."""
    return _EPOCH + timedelta(microseconds=value)


def moment_or_none(value: int | None) -> datetime | None:
    """The aware UTC time of a stored number, if there is one."""
    return None if value is None else moment(value)


def to_json(value: Any) -> str | None:
    """JSON text, or None for None."""
    return None if value is None else _encode(value).decode()


def from_json(text: str | None) -> Any:
    """Decode JSON text; None stays None."""
    return None if text is None else _decode(text)


def project(row: ProjectRow) -> Project:
    """A project row as a value."""
    return Project(
        id=row.id,
        uuid=row.uuid,
        name=row.name,
        description=row.description,
        default_time_zone=row.default_time_zone,
        created_at=moment(row.created_at),
    )


def key(row: KeyRow) -> Key:
    """A key row as a value, without the hash."""
    return Key(
        uuid=row.uuid,
        project_id=row.project_id,
        project_uuid=row.project_uuid,
        project_name=row.project_name,
        name=row.name,
        prefix=row.prefix,
        is_admin=bool(row.is_admin),
        role=row.role,
        mode=row.mode,
        logs_reads=bool(row.logs_reads),
        mcp_write=bool(row.mcp_write),
        created_at=moment(row.created_at),
        revoked_at=moment_or_none(row.revoked_at),
    )


def graph(row: GraphRow | AgentRow) -> Graph:
    """A graph row as a value."""
    return Graph(
        id=row.id,
        uuid=row.uuid,
        kind=row.kind,
        graph_id=row.graph_id,
        name=row.name,
        description=row.description,
        time_zone=row.time_zone,
        rating=from_json(row.rating),
        created_at=moment(row.created_at),
        updated_at=moment(row.updated_at),
    )


def user(row: UserRow) -> User:
    """A user row as a value."""
    return User(
        id=row.id,
        uuid=row.uuid,
        user_id=row.user_id,
        graph_id=row.graph_id,
        graph_uuid=row.graph_uuid,
        entity_uuid=row.entity_uuid,
        email=row.email,
        first_name=row.first_name,
        last_name=row.last_name,
        metadata=from_json(row.metadata),
        time_zone=row.time_zone,
        disable_default_ontology=bool(row.disable_default_ontology),
        rating=from_json(row.rating),
        thread_count=row.thread_count,
        created_at=moment(row.created_at),
        updated_at=moment(row.updated_at),
    )


def thread(row: ThreadRow) -> Thread:
    """A thread row as a value."""
    return Thread(
        id=row.id,
        uuid=row.uuid,
        thread_id=row.thread_id,
        user_id=row.user_id,
        user_uuid=row.user_uuid,
        graph_id=row.graph_id,
        graph_uuid=row.graph_uuid,
        metadata=from_json(row.metadata),
        rating=from_json(row.rating),
        created_at=moment(row.created_at),
        updated_at=moment(row.updated_at),
        ended_at=moment_or_none(row.ended_at),
    )


def episode(row: ThreadedEpisodeRow | EvidenceRow) -> Episode:
    """An episode row as a value."""
    return Episode(
        id=row.id,
        uuid=row.uuid,
        graph_id=row.graph_id,
        seq=row.seq,
        kind=row.kind,
        content=row.content,
        role=row.role,
        speaker=row.speaker,
        source_description=row.source_description,
        thread_id=row.thread_name,
        document_id=row.document_id,
        metadata=from_json(row.metadata),
        ignored=bool(row.ignored),
        created_at=moment(row.created_at),
        received_at=moment(row.received_at),
        processed_at=moment_or_none(row.processed_at),
        task_uuid=row.task_uuid,
        producer=row.producer,
        addressee=row.addressee,
        extra=from_json(row.extra),
        kept_for=row.kept_for,
        failure=row.failure,
    )


def entity(row: EntityRow) -> Entity:
    """An entity row as a value."""
    return Entity(
        id=row.id,
        uuid=row.uuid,
        graph_id=row.graph_id,
        name=row.name,
        labels=from_json(row.labels),
        summary=row.summary,
        attributes=from_json(row.attributes),
        is_user=bool(row.is_user),
        is_assistant=bool(row.is_assistant),
        created_at=moment(row.created_at),
    )


def fact(row: WholeFactRow) -> Fact:
    """A fact row as a value, with the names of its entities and its supporting episodes."""
    return Fact(
        id=row.id,
        uuid=row.uuid,
        graph_id=row.graph_id,
        name=row.name,
        fact=row.fact,
        source_uuid=row.source_uuid,
        source_name=row.source_name,
        source_labels=from_json(row.source_labels),
        target_uuid=row.target_uuid,
        target_name=row.target_name,
        target_labels=from_json(row.target_labels),
        attributes=from_json(row.attributes),
        rating=row.rating,
        episodes=from_json(row.episodes) or [],
        created_at=moment(row.created_at),
        expired_at=moment_or_none(row.expired_at),
        valid_at=moment_or_none(row.valid_at),
        invalid_at=moment_or_none(row.invalid_at),
        event_at=moment_or_none(row.event_at),
    )


def job(row: JobRow) -> Job:
    """A job with its episode, as a value."""
    return Job(
        id=row.episode.id,
        graph_id=row.episode.graph_id,
        episode=episode(row.episode),
        task_uuid=row.task_uuid,
        attempts=row.attempts,
        strict_ontology=bool(row.episode.strict_ontology),
    )
