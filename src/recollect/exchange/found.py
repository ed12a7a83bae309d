"""What is found in files of other memories, in our own words."""

from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

import msgspec

from recollect.errors import InvalidInput
from recollect.graph import checks
from recollect.graph.types import Json, NewEpisode, Record
from recollect.ingest import intake
from recollect.subjects.graphs import GraphDetails
from recollect.subjects.users import UserDetails

_SCALARS = (str, int, float, bool)
_FIRST = datetime(1970, 1, 1, tzinfo=UTC)


class Place(Record):
    """Where something belongs: a user's graph, a standalone one, or a thread of a user's."""

    user: str | None = None
    graph: str | None = None
    thread: str | None = None


class FoundUser(Record):
    """A user and what is known of them."""

    user_id: str
    details: UserDetails


class FoundThread(Record):
    """A thread of a user."""

    thread_id: str
    user_id: str


class FoundGraph(Record):
    """A standalone graph."""

    graph_id: str
    details: GraphDetails


class FoundEpisode(Record):
    """Something that was told, under the id that it has there."""

    place: Place
    id: str
    episode: NewEpisode

    @property
    def at(self) -> datetime:
        """When it happened; long ago when that is not known."""
        return self.episode.created_at or _FIRST


class Skipped(Record):
    """A record that is not taken over, and why."""

    reason: str


Found = FoundUser | FoundThread | FoundGraph | FoundEpisode | Skipped
Shape = Callable[[Any], Iterable[Found]]
UNKNOWN = Skipped(reason="a record of a shape that is not known")


def episode(place: Place, id_: Any, new: Callable[[], NewEpisode]) -> Found:
    """An episode within the bounds that all of ours have, or why it is skipped."""
    try:
        made = new()
        if made.kind == "message" and place.thread is not None:
            intake.check_message("message", made)
        else:
            intake.check_episode("", made)
    except InvalidInput as error:
        return Skipped(reason=error.message)
    return FoundEpisode(place=place, id=_text(id_) or _named(made), episode=made)


def moment(record: Mapping[str, Any], *names: str) -> datetime | None:
    """The first of several times that a record tells."""
    for name in names:
        value = record.get(name)
        if isinstance(value, str) and value:
            return checks.moment(name, value)
    return None


def metadata(given: Any, **more: Any) -> Json | None:
    """Metadata as episodes carry it: what is no plain value becomes JSON text; *more* is added."""
    told = {name: _plain(value) for name, value in _mapping(given).items() if _told(value)}
    told.update({name: value for name, value in more.items() if value})
    return told or None


def text(record: Mapping[str, Any], *names: str) -> str | None:
    """The first of several fields that has text."""
    return next((found for name in names if (found := _text(record.get(name)))), None)


def items(document: Any, *names: str) -> list[Any]:
    """What a document lists, itself or under one of these names; else it is the only one."""
    if isinstance(document, list):
        return document
    lists = [_mapping(document).get(name) for name in names]
    found = [one for one in lists if isinstance(one, list)]
    return [item for one in found for item in one] if found else [document]


def _mapping(given: Any) -> Mapping[str, Any]:
    return given if isinstance(given, Mapping) else {}


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _told(value: Any) -> bool:
    return value is not None and value != []


def _plain(value: Any) -> Any:
    items = value if isinstance(value, list) else [value]
    if all(isinstance(item, _SCALARS) for item in items):
        return value
    return msgspec.json.encode(value).decode()


def _named(made: NewEpisode) -> str:
    """An id for what has none: the same words at the same time are the same."""
    return f"{made.created_at}/{made.content}"
