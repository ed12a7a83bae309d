"""Zep: users, sessions or threads with their messages, groups or graphs with their episodes.

The records are those that its released clients of generations 2 and 3 answer with. A list says where it belongs by what stands beside it, such
as `{"thread_id": "t", "user_id": "u", "messages": [...]}`.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from recollect.exchange import found
from recollect.exchange.found import (
    Found,
    FoundGraph,
    FoundThread,
    FoundUser,
    Place,
    Skipped,
)
from recollect.graph.types import ROLE_TYPES, EpisodeKind, NewEpisode
from recollect.subjects.graphs import GraphDetails
from recollect.subjects.users import UserDetails

Context = Mapping[str, Any]
_LISTS = (
    "users",
    "graphs",
    "groups",
    "threads",
    "sessions",
    "messages",
    "episodes",
    "nodes",
    "edges",
)
_IDS = ("user_id", "thread_id", "session_id", "graph_id", "group_id")
_DERIVED = Skipped(reason="a node or an edge: learned again from the episodes")
_NOWHERE = Skipped(reason="a message or an episode of which nothing says where it belongs")
_NO_USER = Skipped(reason="a thread without a user")
_KINDS: Mapping[str, EpisodeKind] = {"message": "message", "json": "json", "text": "text"}


def read(document: Any, around: Context | None = None) -> Iterator[Found]:
    """Every record of a document, at whatever depth its lists are."""
    if isinstance(document, list):
        for item in document:
            yield from read(item, around)
    elif isinstance(document, Mapping):
        yield from _record(document, around or {})
    else:
        yield found.UNKNOWN


def _record(record: Mapping[str, Any], around: Context) -> Iterator[Found]:
    here = {**around, **{name: record[name] for name in _IDS if record.get(name)}}
    listed = [name for name in _LISTS if isinstance(record.get(name), list)]
    own = _own(record, here, holds_lists=bool(listed))
    if own is not None:
        yield own
    for name in listed:
        yield from read(record[name], here)


def _own(record: Mapping[str, Any], here: Context, *, holds_lists: bool) -> Found | None:
    """What a record itself is; None for one that only says where its lists belong."""
    if isinstance(record.get("content"), str):
        return _told(record, here)
    if "fact" in record or "source_node_uuid" in record or "labels" in record:
        return _DERIVED
    thread = found.text(record, "thread_id", "session_id")
    if thread is not None:
        user = found.text(here, "user_id")
        if user is not None:
            return FoundThread(thread_id=thread, user_id=user)
        return None if holds_lists else _NO_USER
    if found.text(record, "user_id") is not None:
        return _user(record)
    graph = found.text(record, "graph_id", "group_id")
    if graph is not None:
        return _graph(record, graph)
    return None if holds_lists else found.UNKNOWN


def _user(record: Mapping[str, Any]) -> Found:
    given = record.get("metadata")
    details = UserDetails(
        email=found.text(record, "email"),
        first_name=found.text(record, "first_name"),
        last_name=found.text(record, "last_name"),
        metadata=dict(given) if isinstance(given, Mapping) else None,
        time_zone=found.text(record, "time_zone"),
    )
    return FoundUser(user_id=record["user_id"], details=details)


def _graph(record: Mapping[str, Any], graph: str) -> Found:
    details = GraphDetails(
        name=found.text(record, "name"),
        description=found.text(record, "description"),
        time_zone=found.text(record, "time_zone"),
    )
    return FoundGraph(graph_id=graph, details=details)


def _told(record: Mapping[str, Any], here: Context) -> Found:
    thread = found.text(here, "thread_id", "session_id")
    user = found.text(here, "user_id")
    graph = found.text(here, "graph_id", "group_id")
    is_message = "source" not in record or record.get("source") == "message"
    if thread is not None and is_message:
        place = Place(thread=thread, user=user)
    elif graph is not None:
        place = Place(graph=graph)
    elif user is not None:
        place = Place(user=user)
    else:
        return _NOWHERE
    id_ = found.text(record, "uuid", "uuid_")
    return found.episode(place, id_, lambda: _episode(record, id_))


def _episode(record: Mapping[str, Any], id_: str | None) -> NewEpisode:
    # Generation 2 says the kind of role in role_type and the name in role.
    kind_of_role = found.text(record, "role_type") or found.text(record, "role")
    speaker = found.text(record, "name" if "role_type" not in record else "role")
    kind = _KINDS.get(str(record.get("source", "message")), "text")
    return NewEpisode(
        kind=kind,
        content=record["content"],
        role=_role(kind_of_role) if kind == "message" else None,
        speaker=speaker if kind == "message" else None,
        source_description=found.text(record, "source_description"),
        document_id=found.text(record, "document_id"),
        metadata=found.metadata(record.get("metadata"), zep_id=id_),
        created_at=found.moment(record, "created_at"),
    )


def _role(given: str | None) -> str:
    return given if given in ROLE_TYPES else "norole"
