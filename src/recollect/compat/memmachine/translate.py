"""Between MemMachine's words and ours: a project is a graph, a producer is who speaks."""

import math
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from recollect.app.memory_projects import ProjectName
from recollect.compat.memmachine import wire
from recollect.episodic_memory import filter_language
from recollect.episodic_memory.entries import MemoryEntry
from recollect.episodic_memory.types import MemoryQuery, Recalled
from recollect.errors import InvalidInput
from recollect.graph import checks
from recollect.graph.episode_filters import EPISODE_TYPE, addressee_of, producer_of, role_of
from recollect.graph.types import Episode, MemoryKind
from recollect.limits import (
    MEMORY_DELETED_PER_CALL_MAX,
    MEMORY_EXPAND_MAX,
    MEMORY_SEARCH_LIMIT_MAX,
    SEARCH_QUERY_CHARS_MAX,
)

_CONTENT_TYPE: Final = "string"


def project_name(sent: wire.InProject) -> ProjectName:
    """The project that a request is about."""
    return ProjectName(org_id=sent.org_id, project_id=sent.project_id)


def entry(sent: wire.MemoryMessage) -> MemoryEntry:
    """A message to be remembered."""
    return MemoryEntry(
        content=sent.content,
        producer=sent.producer,
        addressee=sent.produced_for,
        role=sent.role,
        timestamp=sent.timestamp,
        metadata=sent.metadata,
        kind=sent.episode_type,
    )


def kinds(sent: list[MemoryKind] | None) -> set[MemoryKind]:
    """The memories that are meant; both, when none is named."""
    return set(sent or ()) or {"episodic", "semantic"}


def question(sent: wire.SearchMemories, now: datetime) -> MemoryQuery:
    """What is asked; more than we would ever give is asked for in vain."""
    checks.text("query", sent.query, SEARCH_QUERY_CHARS_MAX)
    threshold = sent.score_threshold
    if threshold is not None and not math.isfinite(threshold):
        raise InvalidInput("score_threshold: must be a finite number")
    return MemoryQuery(
        text=sent.query,
        now=now,
        limit=min(sent.top_k, MEMORY_SEARCH_LIMIT_MAX),
        expand=min(sent.expand_context, MEMORY_EXPAND_MAX),
        score_min=threshold,
        tree=filter_language.parse(sent.filter or ""),
    )


def wanted_ids(sent: wire.DeleteEpisodes) -> list[str]:
    """The ids of episodes to be forgotten, each once, in the order given."""
    given: list[UUID] = [*filter(None, [sent.episodic_id]), *(sent.episodic_ids or ())]
    if len(given) > MEMORY_DELETED_PER_CALL_MAX:
        raise InvalidInput(f"episodic_ids: at most {MEMORY_DELETED_PER_CALL_MAX} per call")
    return list(dict.fromkeys(map(str, given)))


def found(episode: Episode, score: float | None = None) -> wire.FoundEpisode:
    """An episode in the answer to a question."""
    return wire.FoundEpisode(
        uid=episode.uuid,
        content=episode.content,
        producer_id=producer_of(episode),
        producer_role=role_of(episode),
        produced_for_id=addressee_of(episode),
        episode_type=EPISODE_TYPE,
        metadata=_metadata(episode),
        created_at=episode.created_at,
        score=score,
    )


def listed(episode: Episode, session_key: str) -> wire.ListedEpisode:
    """An episode in a list."""
    return wire.ListedEpisode(
        uid=episode.uuid,
        content=episode.content,
        session_key=session_key,
        created_at=episode.created_at,
        producer_id=producer_of(episode),
        producer_role=role_of(episode),
        produced_for_id=addressee_of(episode),
        episode_type=EPISODE_TYPE,
        content_type=_CONTENT_TYPE,
        filterable_metadata=_scalars(episode),
        metadata=_metadata(episode),
    )


def recalled(answer: Recalled) -> wire.EpisodicFound:
    """What both parts of the episodic memory answer."""
    short = answer.short_term
    return wire.EpisodicFound(
        long_term_memory=wire.LongTermFound(
            episodes=[found(hit.item, hit.score) for hit in answer.long_term]
        ),
        short_term_memory=wire.ShortTermFound(
            episodes=[found(episode) for episode in short.episodes],
            episode_summary=list(short.summary),
        ),
    )


def _metadata(episode: Episode) -> dict[str, Any] | None:
    return {**(episode.metadata or {}), **(episode.extra or {})} or None


def _scalars(episode: Episode) -> dict[str, Any] | None:
    """What can be filtered by; other clients may keep lists, of which this one knows nothing."""
    given = episode.metadata or {}
    return {key: value for key, value in given.items() if not isinstance(value, list)} or None
