"""Records of other products, translated to our terms."""

from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

import msgspec

from recollect.errors import InvalidInput
from recollect.graph import checks
from recollect.graph.types import Json, NewEpisode, Record
from recollect.ingest import intake
from recollect.records.graphs import GraphDetails
from recollect.records.users import UserDetails

_SCALARS = (str, int, float, bool)
_FIRST = datetime(1970, 1, 1, tzinfo=UTC)


class Destination(Record):
    """Where an episode goes: a user's graph, a standalone graph, or a thread of a user."""

    user: str | None = None
    graph: str | None = None
    thread: str | None = None


class ForeignUser(Record):
    """A user and what is known of them."""

    user_id: str
    details: UserDetails


class ForeignThread(Record):
    """A thread of a user."""

    thread_id: str
    user_id: str


class ForeignGraph(Record):
    """A standalone graph."""

    graph_id: str
    details: GraphDetails


class ForeignEpisode(Record):
    """An episode with its original id."""

    place: Destination
    id: str
    episode: NewEpisode

    @property
    def at(self) -> datetime:
        """When it happened; long ago when that is not known."""
        return self.episode.created_at or _FIRST


class Skipped(Record):
    """A record that is not imported, and why."""

    reason: str


ForeignRecord = ForeignUser | ForeignThread | ForeignGraph | ForeignEpisode | Skipped
Shape = Callable[[Any], Iterable[ForeignRecord]]
UNKNOWN = Skipped(reason="a record of a shape that is not known")


def episode(place: Destination, id_: Any, new: Callable[[], NewEpisode]) -> ForeignRecord:
    """An episode that passes our checks, or why it is skipped."""
    try:
        made = new()
        if made.kind == "message" and place.thread is not None:
            intake.check_message("message", made)
        else:
            intake.check_episode("", made)
    except InvalidInput as error:
        return Skipped(reason=error.message)
    return ForeignEpisode(place=place, id=_text(id_) or _named(made), episode=made)


def moment(record: Mapping[str, Any], *names: str) -> datetime | None:
    """The first of several times that a record has."""
    for name in names:
        value = record.get(name)
        if isinstance(value, str) and value:
            return checks.moment(name, value)
    return None


def metadata(given: Any, **more: Any) -> Json | None:
    """Metadata for an episode: anything but plain values becomes JSON text; *more* is added."""
    told = {name: _plain(value) for name, value in _mapping(given).items() if _told(value)}
    told.update({name: value for name, value in more.items() if value})
    return told or None


def text(record: Mapping[str, Any], *names: str) -> str | None:
    """The first of several fields that has text."""
    return next((found for name in names if (found := _text(record.get(name)))), None)


def items(document: Any, *names: str) -> list[Any]:
    """The records of a document: the list itself, a list under one of these names, or the
    document."""
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
    """An id for an episode without one: equal text at the same time is the same episode."""
    return f"{made.created_at}/{made.content}"
