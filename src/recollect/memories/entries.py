"""What memory clients send, turned into episodes; every refusal names the message and the field."""

import math
from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import Any, Literal

from msgspec.structs import replace

from recollect.errors import InvalidInput
from recollect.graph import checks
from recollect.graph.episode_filters import DEFAULT_PRODUCER, EPISODE_TYPE
from recollect.graph.types import Json, MemoryKind, NewEpisode, Record
from recollect.limits import (
    BODY_BYTES_MAX,
    ECHO_CHARS_MAX,
    EPISODE_CHARS_MAX,
    MEMORY_EPISODES_PER_CALL_MAX,
    MEMORY_MESSAGES_PER_CALL_MAX,
    MEMORY_METADATA_KEYS_MAX,
    NAME_CHARS_MAX,
)
from recollect.memories.cutting import cut
from recollect.memories.moments import moment

Roles = Literal["any", "known"]
KNOWN_ROLES = ("user", "assistant", "system", "tool", "function")
_USER_KEY = "user_id"
_NO_USER = frozenset({"assistant", "ai", "bot", "agent", "system", "tool", "function"})


class Entry(Record):
    """A message as it was sent: whom it is by and for, and when it was said, in any form."""

    content: str
    producer: str | None = None
    addressee: str | None = None
    role: str | None = None
    timestamp: int | float | str | None = None
    metadata: Json | None = None
    kind: str | None = None


def episodes(
    entries: Sequence[Entry], kinds: Collection[MemoryKind] = (), *, roles: Roles = "any"
) -> list[NewEpisode]:
    """The entries of one call as episodes, in order, for the given kinds of memory or for both.
    One that is too long for an episode makes several.

    *roles*: "any" takes a role as it is, "known" only those that every client knows, or none.
    """
    if not entries:
        raise InvalidInput("messages: at least one is required")
    if len(entries) > MEMORY_MESSAGES_PER_CALL_MAX:
        raise InvalidInput(
            f"messages: at most {MEMORY_MESSAGES_PER_CALL_MAX} per call, got {len(entries)}"
        )
    kept_for = _kept_for(kinds)
    made = [
        part
        for number, entry in enumerate(entries)
        for part in _parts(_episode(f"messages[{number}]", entry, kept_for, roles))
    ]
    if len(made) > MEMORY_EPISODES_PER_CALL_MAX:
        raise InvalidInput(
            f"messages: too long: they make {len(made)} episodes of {EPISODE_CHARS_MAX} characters, "
            f"at most {MEMORY_EPISODES_PER_CALL_MAX} per call"
        )
    return made


def _parts(episode: NewEpisode) -> list[NewEpisode]:
    """An episode, or several when it is too long for one, each a moment after the one before."""
    if len(episode.content) <= EPISODE_CHARS_MAX:
        return [episode]
    pieces = cut(episode.content, EPISODE_CHARS_MAX)
    return [
        replace(episode, content=piece, created_at=_later(episode.created_at, number))
        for number, piece in enumerate(pieces)
    ]


def _later(said: datetime | None, micros: int) -> datetime | None:
    try:
        return None if said is None else said + timedelta(microseconds=micros)
    except OverflowError:
        return said


def _kept_for(kinds: Collection[MemoryKind]) -> MemoryKind | None:
    """The one memory that is meant; None when both are, or none is named."""
    wanted = set(kinds)
    return wanted.pop() if len(wanted) == 1 else None


def _episode(field: str, entry: Entry, kept_for: MemoryKind | None, roles: Roles) -> NewEpisode:
    if entry.kind not in (None, EPISODE_TYPE):
        raise InvalidInput(f"{field}.episode_type: only {EPISODE_TYPE!r} is known")
    checks.text(f"{field}.content", entry.content, BODY_BYTES_MAX, required=True)
    producer = entry.producer or DEFAULT_PRODUCER
    checks.text(f"{field}.producer", producer, NAME_CHARS_MAX, required=True)
    checks.text(f"{field}.produced_for", entry.addressee, NAME_CHARS_MAX)
    role = _role(f"{field}.role", entry.role, roles)
    metadata, extra = _metadata(f"{field}.metadata", entry.metadata or {})
    return NewEpisode(
        kind="message",
        content=entry.content,
        role=role,
        speaker=_speaker(producer, role, metadata),
        metadata=metadata or None,
        created_at=moment(f"{field}.timestamp", entry.timestamp),
        producer=producer,
        addressee=entry.addressee or None,
        extra=extra or None,
        kept_for=kept_for,
    )


def _role(field: str, value: str | None, roles: Roles) -> str | None:
    checks.text(field, value, NAME_CHARS_MAX)
    if not value or roles == "any":
        return value or None
    known = value.casefold()
    if known not in KNOWN_ROLES:
        raise InvalidInput(
            f"{field}: must be one of {', '.join(KNOWN_ROLES)}; got {value[:ECHO_CHARS_MAX]!r}"
        )
    return known


def _speaker(producer: str, role: str | None, metadata: Json) -> str | None:
    """Who really speaks; None is whoever has the role.

    Clients that say nothing of the producer are all the same "user", and tell their users apart
    by metadata: taken for one person, they would contradict each other. What they say in the role
    of an assistant is no user's word.
    """
    if producer != DEFAULT_PRODUCER:
        return producer
    if (role or "").casefold() in _NO_USER:
        return None
    named = metadata.get(_USER_KEY)
    if isinstance(named, bool | float | list | None):
        return producer
    return str(named).strip()[:NAME_CHARS_MAX] or producer


def _metadata(field: str, given: Json) -> tuple[Json, Json]:
    """What can be filtered by, and the rest, which is only kept; a null is of the rest."""
    if len(given) > MEMORY_METADATA_KEYS_MAX:
        raise InvalidInput(f"{field}: at most {MEMORY_METADATA_KEYS_MAX} keys, got {len(given)}")
    checks.json_object(field, given)
    for key, value in given.items():
        _key(field, key)
        if isinstance(value, float) and not math.isfinite(value):
            raise InvalidInput(f"{field}.{key[:ECHO_CHARS_MAX]}: must be a finite number")
    told = {key: value for key, value in given.items() if _is_told(value)}
    return told, {key: value for key, value in given.items() if key not in told}


def _key(field: str, key: str) -> None:
    if not key.strip():
        raise InvalidInput(f"{field}: a key must not be blank")
    if len(key) > NAME_CHARS_MAX:  # no filter and no policy could name it
        raise InvalidInput(f"{field}: a key has at most {NAME_CHARS_MAX} characters")
    if key.startswith("_"):
        shown = key[:ECHO_CHARS_MAX]
        raise InvalidInput(f"{field}.{shown}: a key must not begin with '_'")


def _is_told(value: Any) -> bool:
    """Whether access policies know what to make of a value. One that they did not see would let
    by what they deny, so lists are told to them, too."""
    listed = value if isinstance(value, list) else [value]
    return bool(listed) and all(isinstance(one, str | int | float) for one in listed)
