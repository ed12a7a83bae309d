"""Converts a program's input to episodes, and stored items to the library's result types."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Literal

import msgspec

from recollect.app import memories
from recollect.app.forget import Receipt
from recollect.app.memories import MemoryRef
from recollect.errors import InvalidInput
from recollect.graph import checks, expiry, types
from recollect.graph.types import NewEpisode
from recollect.library.results import (
    Closed,
    Doubt,
    Ending,
    Entity,
    Episode,
    Evidence,
    Expired,
    Fact,
    Forgotten,
    Observation,
    Summary,
    Why,
)
from recollect.limits import NAME_CHARS_MAX
from recollect.records import provenance


def fact(found: types.Fact, score: float | None = None) -> Fact:
    """A fact as the library returns it."""
    return Fact(
        uuid=found.uuid,
        text=found.fact,
        name=found.name,
        source=found.source_name,
        source_uuid=found.source_uuid,
        target=found.target_name,
        target_uuid=found.target_uuid,
        valid_at=found.valid_at,
        invalid_at=found.invalid_at,
        learned_at=found.created_at,
        given_up_at=found.expired_at,
        event_at=found.event_at,
        episodes=tuple(found.episodes),
        rating=found.rating,
        attributes=found.attributes or {},
        score=score,
    )


def entity(found: types.Entity, score: float | None = None, facts: tuple[Fact, ...] = ()) -> Entity:
    """An entity as the library returns it."""
    return Entity(
        uuid=found.uuid,
        name=found.name,
        labels=tuple(found.labels),
        summary=found.summary,
        attributes=found.attributes or {},
        learned_at=found.created_at,
        facts=facts,
        score=score,
    )


def episode(found: types.Episode, score: float | None = None) -> Episode:
    """An episode as the library returns it."""
    return Episode(
        uuid=found.uuid,
        kind=found.kind,
        content=found.content,
        role=found.role,
        name=found.speaker,
        thread=found.thread_id,
        metadata=found.metadata or {},
        created_at=found.created_at,
        received_at=found.received_at,
        score=score,
    )


def observation(found: types.Observation, score: float | None = None) -> Observation:
    """An observation as the library returns it."""
    return Observation(
        uuid=found.uuid,
        name=found.name,
        text=found.summary,
        facts=tuple(found.facts),
        valid_at=found.start_at,
        invalid_at=found.end_at,
        score=score,
    )


def summary(found: types.ThreadSummary, score: float | None = None) -> Summary:
    """The summary of a thread as the library returns it."""
    return Summary(
        uuid=found.uuid,
        thread=found.thread_id,
        text=found.summary,
        updated_at=found.updated_at,
        score=score,
    )


def why(found: provenance.Provenance) -> Why:
    """The provenance of a fact as the library returns it."""
    return Why(
        fact=fact(found.fact),
        evidence=tuple(
            Evidence(episode=episode(one.episode), role=one.role, span=one.span)
            for one in found.evidence
        ),
        endings=tuple(_ending(one) for one in found.endings),
        closed=tuple(_closed(one) for one in found.closed),
        doubts=tuple(_doubt(one) for one in found.doubts),
        reopened_at=found.reopened_at,
    )


def _ending(found: provenance.EndReason) -> Ending:
    return Ending(
        by_fact=None if found.by_fact is None else fact(found.by_fact),
        by_episode=None if found.by_episode is None else episode(found.by_episode),
        ended_at=found.ended_at,
        learned_at=found.expired_at,
        judge=found.judge,
        sure=found.sure,
    )


def _closed(found: provenance.EndedFact) -> Closed:
    return Closed(
        fact=fact(found.fact),
        by_episode=None if found.by_episode is None else episode(found.by_episode),
        ended_at=found.ended_at,
        learned_at=found.expired_at,
        judge=found.judge,
        sure=found.sure,
    )


def _doubt(found: provenance.DoubtReason) -> Doubt:
    return Doubt(
        by_fact=fact(found.by_fact),
        by_episode=None if found.by_episode is None else episode(found.by_episode),
        judge=found.judge,
        sure=found.sure,
    )


def expired(found: expiry.Expired) -> Expired:
    """Something that has expired, as the library returns it."""
    return Expired(
        uuid=found.uuid,
        kind=found.kind,
        text=found.told.get("content") or found.told.get("fact") or "",
        at=found.expires_at,
        because=found.because.kind,
        by=found.because.by,
    )


def forgotten(receipt: Receipt) -> Forgotten:
    """An erasure as the library returns it."""
    return Forgotten(removed=receipt.removed, wiped=receipt.scrubbed)


Content = str | Mapping[str, Any] | list[Any]
Moment = datetime | str
Told = Literal["message", "text"]
_ROLE = "user"


def moment(field: str, given: Moment | None) -> datetime | None:
    """A time as aware UTC; a time without a zone is taken as UTC."""
    return checks.moment(field, given.isoformat() if isinstance(given, datetime) else given)


def new_episode(
    place: MemoryRef,
    content: Content,
    *,
    kind: Told | None,
    role: str | None,
    name: str | None,
    created_at: Moment | None,
    expires_at: Moment | None,
    metadata: Mapping[str, Any] | None,
) -> NewEpisode:
    """The given content as a validated episode."""
    told = isinstance(content, str)
    form = kind or ("message" if told and _is_said(place, role, name) else "text")
    if place.thread is not None and (form != "message" or not told):
        raise InvalidInput(
            "content: a thread can only contain messages; add other content to its user"
        )
    if form == "text" and (role is not None or name is not None):
        raise InvalidInput("role and name: only for messages, not for texts without a speaker")
    new = NewEpisode(
        kind=form if told else "json",
        content=content if isinstance(content, str) else _json(content),
        role=(role or _ROLE) if form == "message" else None,
        speaker=name,
        created_at=moment("created_at", created_at),
        expires_at=moment("expires_at", expires_at),
        metadata=None if metadata is None else dict(metadata),
    )
    _check(place, new)
    return new


def _is_said(place: MemoryRef, role: str | None, name: str | None) -> bool:
    """Whether text is a message: for a user it is, and "I" means the user; a graph has no speaker."""
    return place.graph is None or role is not None or name is not None


def _check(place: MemoryRef, new: NewEpisode) -> None:
    if place.thread is not None:
        memories.check_messages([new])
        return
    memories.check_episode("", new)
    checks.text("name", new.speaker, NAME_CHARS_MAX)
    if new.role is not None:
        checks.role("role", new.role)


def _json(content: Any) -> str:
    try:
        return msgspec.json.encode(content).decode()
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"content: cannot be written as JSON: {error}") from error
