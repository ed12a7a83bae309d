"""What a program tells the memory, as an episode."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Literal

import msgspec

from recollect.app import memories
from recollect.app.memories import MemoryRef
from recollect.errors import InvalidInput
from recollect.graph import checks
from recollect.graph.types import NewEpisode
from recollect.limits import NAME_CHARS_MAX

Content = str | Mapping[str, Any] | list[Any]
Moment = datetime | str
Told = Literal["message", "text"]
_ROLE = "user"


def moment(field: str, given: Moment | None) -> datetime | None:
    """A time as aware UTC; one without a zone is read as UTC."""
    return checks.moment(field, given.isoformat() if isinstance(given, datetime) else given)


def episode(
    place: MemoryRef,
    content: Content,
    *,
    kind: Told | None,
    role: str | None,
    name: str | None,
    created_at: Moment | None,
    metadata: Mapping[str, Any] | None,
) -> NewEpisode:
    """What is told, as an episode that was checked."""
    told = isinstance(content, str)
    form = kind or ("message" if told and _is_said(place, role, name) else "text")
    if place.thread is not None and (form != "message" or not told):
        raise InvalidInput("content: a thread holds messages; other things go to its user")
    if form == "text" and (role is not None or name is not None):
        raise InvalidInput(
            "role and name: these are of a message, which is text that somebody says"
        )
    new = NewEpisode(
        kind=form if told else "json",
        content=content if isinstance(content, str) else _json(content),
        role=(role or _ROLE) if form == "message" else None,
        speaker=name,
        created_at=moment("created_at", created_at),
        metadata=None if metadata is None else dict(metadata),
    )
    _check(place, new)
    return new


def _is_said(place: MemoryRef, role: str | None, name: str | None) -> bool:
    """What a user is told to say is theirs, and "I" in it is the user; a graph is nobody."""
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
