"""The result types of the library: frozen values, independent of the store."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

EpisodeKind = Literal["message", "text", "json", "fact_triple", "nodes"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """A sentence that holds for a time and joins two entities.

    Two timelines: it is true from *valid_at* to *invalid_at*, and the memory believed it from *learned_at*
    to *given_up_at*. *event_at* is when something happens or is due; if it equals `valid_at`, it happened
    then. *score* is how well it matches a search, from 0 to 1.
    """

    uuid: str
    text: str
    name: str
    source: str
    source_uuid: str
    target: str
    target_uuid: str
    valid_at: datetime | None
    invalid_at: datetime | None
    learned_at: datetime
    given_up_at: datetime | None
    event_at: datetime | None = None
    episodes: tuple[str, ...] = ()
    rating: float | None = None
    attributes: Mapping[str, Any] = field(default_factory=dict)
    score: float | None = None

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True, kw_only=True)
class Entity:
    """Someone or something. *facts* are only set if a single entity was requested."""

    uuid: str
    name: str
    labels: tuple[str, ...]
    summary: str
    attributes: Mapping[str, Any] = field(default_factory=dict)
    learned_at: datetime
    facts: tuple[Fact, ...] = ()
    score: float | None = None

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True, kw_only=True)
class Episode:
    """One input: a message, a text or JSON.

    *created_at* is when it happened, *received_at* when the memory received it.
    """

    uuid: str
    kind: EpisodeKind
    content: str
    role: str | None
    name: str | None
    thread: str | None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    created_at: datetime
    received_at: datetime
    score: float | None = None

    def __str__(self) -> str:
        return self.content


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """A pattern that recurs across facts."""

    uuid: str
    name: str
    text: str
    facts: tuple[str, ...]
    valid_at: datetime | None
    invalid_at: datetime | None
    score: float | None = None

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """What a thread was about."""

    uuid: str
    thread: str
    text: str
    updated_at: datetime
    score: float | None = None

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """An episode behind a fact: it `states`, `restates` or `closes` it, in the words *quoted*.

    *span* is their position in the episode's content.
    """

    episode: Episode
    role: Literal["states", "restates", "closes"]
    span: tuple[int, int] | None

    @property
    def quoted(self) -> str | None:
        """The quoted words of the episode, or None if their position is not known."""
        return None if self.span is None else self.episode.content[slice(*self.span)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """What ended a fact: another fact, an episode, or neither if the end was set by hand.

    *judge* is who decided it: `table`, the table of relations; `episode`, if the fact itself states its end;
    `hand`; the name of the reader that decided, with its confidence in *sure*; or None if that was not
    recorded.
    """

    by_fact: Fact | None
    by_episode: Episode | None
    ended_at: datetime | None
    learned_at: datetime | None
    judge: str | None = None
    sure: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Closed:
    """A fact that another one ended; when, by which episode and who decided, as for an `Ending`."""

    fact: Fact
    by_episode: Episode | None
    ended_at: datetime | None
    learned_at: datetime | None
    judge: str | None = None
    sure: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Doubt:
    """Why a fact that holds may have ended: a newer fact, who says so, and with which confidence."""

    by_fact: Fact
    by_episode: Episode | None
    judge: str
    sure: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Why:
    """A fact, the episodes behind it in order of arrival, what ended it, what it closed, and what casts
    doubt on it.

    *reopened_at* is when it was last reopened by hand.
    """

    fact: Fact
    evidence: tuple[Evidence, ...]
    endings: tuple[Ending, ...]
    closed: tuple[Closed, ...] = ()
    doubts: tuple[Doubt, ...] = ()
    reopened_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Expired:
    """Something that has expired, and its text.

    *because*: an expiry was set on it, its type expires, or its episode expired; *by* is who set it, which
    type, or which episode.
    """

    uuid: str
    kind: Literal["episode", "fact"]
    text: str
    at: datetime
    because: Literal["said", "type", "episode"]
    by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgotten:
    """How much was erased, by kind. *wiped*: the bytes are gone from the files, too."""

    removed: Mapping[str, int]
    wiped: bool
