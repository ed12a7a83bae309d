"""An episode of a session as the episodic memory keeps it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Self

from recollect.episodic_memory.entries import MemoryEntry, moment
from recollect.errors import InvalidInput
from recollect.graph.episode_filters import (
    DEFAULT_PRODUCER,
    EPISODE_TYPE,
    addressee_of,
    producer_of,
    role_of,
)
from recollect.graph.types import Episode

When = datetime | str | int | float


class EpisodeType(StrEnum):
    """What an episode is."""

    MESSAGE = EPISODE_TYPE


@dataclass(frozen=True, slots=True, kw_only=True)
class EpisodeEntry:
    """A message: what was said, by whom, for whom and when, in UTC.

    A time may be given in any form that `recollect.episodic_memory.entries` reads; without one it is now.
    *uid* is there once it is kept, *score* where it was found.
    """

    content: str
    producer_id: str = DEFAULT_PRODUCER
    produced_for_id: str = ""
    producer_role: str = ""
    created_at: datetime | None = None
    metadata: dict[str, Any] = field(default_factory=dict)
    episode_type: EpisodeType = EpisodeType.MESSAGE
    uid: str | None = None
    score: float | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.content, str):
            raise InvalidInput(f"content: must be a text, got {type(self.content).__name__}")
        object.__setattr__(self, "created_at", _in_utc("created_at", self.created_at))
        object.__setattr__(self, "episode_type", EpisodeType(self.episode_type))

    @classmethod
    def from_message(
        cls,
        content: str,
        *,
        producer: str | None = None,
        produced_for: str | None = None,
        role: str | None = None,
        timestamp: When | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> Self:
        """A message in the words of the client, which this renames."""
        return cls(
            content=content,
            producer_id=producer or DEFAULT_PRODUCER,
            produced_for_id=produced_for or "",
            producer_role=role or "",
            created_at=_in_utc("timestamp", timestamp),
            metadata=dict(metadata or {}),
        )


def _in_utc(field_name: str, value: When | None) -> datetime | None:
    return moment(field_name, value.isoformat() if isinstance(value, datetime) else value)


def sent(entry: EpisodeEntry) -> MemoryEntry:
    """An entry to be kept, as the checks of every memory client take it."""
    at = entry.created_at
    return MemoryEntry(
        content=entry.content,
        producer=entry.producer_id,
        addressee=entry.produced_for_id,
        role=entry.producer_role,
        timestamp=None if at is None else at.isoformat(),
        metadata=entry.metadata,
        kind=entry.episode_type.value,
    )


def kept(episode: Episode, score: float | None = None) -> EpisodeEntry:
    """An episode of the log as an entry."""
    return EpisodeEntry(
        content=episode.content,
        producer_id=producer_of(episode),
        produced_for_id=addressee_of(episode) or "",
        producer_role=role_of(episode),
        created_at=episode.created_at,
        metadata={**(episode.metadata or {}), **(episode.extra or {})},
        uid=episode.uuid,
        score=score,
    )
