"""The export formats of other products, each a function from a document to records.

Only users, threads, graphs and episodes are imported. Entities, facts and features are skipped and
counted, because they are learned again from the episodes.

- Graphiti (getzep/graphiti): episodic nodes as its models write them. A group becomes a graph.
- Mem0 (mem0ai/mem0): what `get_all` and exports return. A memory goes to its user's graph, or to a
  graph named after its agent or run.
- MemMachine (MemMachine/MemMachine): what listing memories returns. A project becomes a graph named
  after its organisation and itself.
- Zep v2 and v3: users, sessions or threads with messages, groups or graphs with episodes. The fields
  beside a list say where it belongs: `{"thread_id": "t", "user_id": "u", "messages": [...]}`.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

import msgspec

from recollect.errors import InvalidInput
from recollect.graph import checks
from recollect.graph.types import ROLE_TYPES, EpisodeKind, Json, NewEpisode, Record
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
    """A user and their details."""

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
        """When it happened; a fixed early date if unknown."""
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
    """The first of these times that a record has."""
    for name in names:
        value = record.get(name)
        if isinstance(value, str) and value:
            return checks.moment(name, value)
    return None


def metadata(given: Any, **more: Any) -> Json | None:
    """Metadata for an episode: anything but plain values becomes JSON text; *more* is added."""
    told = {name: _plain(value) for name, value in _mapping(given).items() if _said(value)}
    told.update({name: value for name, value in more.items() if value})
    return told or None


def text(record: Mapping[str, Any], *names: str) -> str | None:
    """The first of these fields that has text."""
    return next((found for name in names if (found := _text(record.get(name)))), None)


def items(document: Any, *names: str) -> list[Any]:
    """The records of a document: the list itself, a list under one of these names, or the document."""
    if isinstance(document, list):
        return document
    lists = [_mapping(document).get(name) for name in names]
    found = [one for one in lists if isinstance(one, list)]
    return [item for one in found for item in one] if found else [document]


def _mapping(given: Any) -> Mapping[str, Any]:
    return given if isinstance(given, Mapping) else {}


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _said(value: Any) -> bool:
    return value is not None and value != []


def _plain(value: Any) -> Any:
    items = value if isinstance(value, list) else [value]
    if all(isinstance(item, _SCALARS) for item in items):
        return value
    return msgspec.json.encode(value).decode()


def _named(made: NewEpisode) -> str:
    """An id for an episode without one: equal text at the same time is the same episode."""
    return f"{made.created_at}/{made.content}"


_GRAPHITI_DERIVED = Skipped(
    reason="an entity, a fact or a community: learned again from the episodes"
)
_KINDS: Mapping[str, EpisodeKind] = {"message": "message", "json": "json", "text": "text"}
_GROUP = "default"  # Graphiti's name for no group


def read_graphiti(document: Any) -> Iterator[ForeignRecord]:
    """Every node and edge of a document: lists by name, a single list, or a single record."""
    names = ("episodes", "episodic_nodes", "nodes", "edges", "entity_nodes", "entity_edges")
    for record in items(document, *names, "episodic_edges", "communities"):
        yield _graphiti_record(record) if isinstance(record, Mapping) else UNKNOWN


def _graphiti_record(record: Mapping[str, Any]) -> ForeignRecord:
    if "content" in record and ("source" in record or "valid_at" in record):
        place = Destination(graph=text(record, "group_id") or _GROUP)
        return episode(place, record.get("uuid"), lambda: _graphiti_episode(record))
    if "fact" in record or "source_node_uuid" in record or "summary" in record:
        return _GRAPHITI_DERIVED
    return UNKNOWN


def _graphiti_episode(record: Mapping[str, Any]) -> NewEpisode:
    return NewEpisode(
        kind=_KINDS.get(str(record.get("source")), "text"),
        content=text(record, "content") or "",
        source_description=text(record, "source_description"),
        metadata=metadata(
            None,
            graphiti_id=text(record, "uuid"),
            graphiti_name=text(record, "name"),
        ),
        created_at=moment(record, "valid_at", "created_at"),
    )


_MEM0_NOWHERE = Skipped(reason="a memory that names no user, agent or run")
_OWN = ("agent_id", "run_id", "app_id", "actor_id")


def read_mem0(document: Any) -> Iterator[ForeignRecord]:
    """Every memory of a document: a list, an answer with results, or one memory."""
    for record in items(document, "results", "memories"):
        yield _memory(record) if isinstance(record, Mapping) else UNKNOWN


def _memory(record: Mapping[str, Any]) -> ForeignRecord:
    told = text(record, "memory", "text", "data")
    if told is None:
        return UNKNOWN
    user = text(record, "user_id")
    graph = text(record, "agent_id", "run_id", "app_id")
    if user is None and graph is None:
        return _MEM0_NOWHERE
    place = Destination(user=user) if user is not None else Destination(graph=graph)
    return episode(place, record.get("id"), lambda: _mem0_episode(record, told))


def _mem0_episode(record: Mapping[str, Any], told: str) -> NewEpisode:
    own = {name: text(record, name) for name in _OWN}
    return NewEpisode(
        kind="text",
        content=told,
        source_description="mem0",
        metadata=metadata(record.get("metadata"), mem0_id=text(record, "id"), **own),
        created_at=moment(record, "created_at", "updated_at"),
    )


_MEMMACHINE_DERIVED = Skipped(reason="a semantic feature: learned again from the episodes")
_MEMMACHINE_NOWHERE = Skipped(reason="an episode without the key of its session")


def read_memmachine(document: Any) -> Iterator[ForeignRecord]:
    """Every episode and feature of an answer, of several, or of a plain list."""
    if isinstance(document, list):
        for item in document:
            yield from read_memmachine(item)
        return
    content = document.get("content") if isinstance(document, Mapping) else None
    if isinstance(content, Mapping):
        yield from _answer(content)
    elif isinstance(document, Mapping):
        yield _memmachine_record(document)
    else:
        yield UNKNOWN


def _answer(content: Mapping[str, Any]) -> Iterator[ForeignRecord]:
    episodic = content.get("episodic_memory")
    terms = [episodic]
    if isinstance(episodic, Mapping):  # a search response, grouped by retention
        terms = [episodic.get(name) for name in ("long_term_memory", "short_term_memory")]
    for term in [*terms, content.get("semantic_memory")]:
        for record in [] if term is None else items(term, "episodes"):
            yield _memmachine_record(record) if isinstance(record, Mapping) else UNKNOWN


def _memmachine_record(record: Mapping[str, Any]) -> ForeignRecord:
    if "feature_name" in record:
        return _MEMMACHINE_DERIVED
    if "content" not in record or "producer_id" not in record:
        return UNKNOWN
    org, _, project = (text(record, "session_key") or "").partition("/")
    if not org or not project:
        return _MEMMACHINE_NOWHERE
    place = Destination(graph=f"{org}.{project}")
    return episode(place, record.get("uid"), lambda: _memmachine_episode(record))


def _memmachine_episode(record: Mapping[str, Any]) -> NewEpisode:
    producer = text(record, "producer_id")
    role = text(record, "producer_role")
    return NewEpisode(
        kind="message",
        content=text(record, "content") or "",
        role=role if role in ROLE_TYPES else "user",
        speaker=producer,
        producer=producer,
        addressee=text(record, "produced_for_id"),
        source_description="memmachine",
        metadata=metadata(
            record.get("metadata") or record.get("filterable_metadata"),
            memmachine_id=text(record, "uid"),
        ),
        created_at=moment(record, "created_at"),
    )


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
_ZEP_DERIVED = Skipped(reason="a node or an edge: learned again from the episodes")
_ZEP_NOWHERE = Skipped(reason="a message or an episode of which nothing says where it belongs")
_NO_USER = Skipped(reason="a thread without a user")


def read_zep(document: Any, around: Context | None = None) -> Iterator[ForeignRecord]:
    """Every record of a document, however deeply its lists are nested."""
    if isinstance(document, list):
        for item in document:
            yield from read_zep(item, around)
    elif isinstance(document, Mapping):
        yield from _zep_record(document, around or {})
    else:
        yield UNKNOWN


def _zep_record(record: Mapping[str, Any], around: Context) -> Iterator[ForeignRecord]:
    here = {**around, **{name: record[name] for name in _IDS if record.get(name)}}
    listed = [name for name in _LISTS if isinstance(record.get(name), list)]
    own = _own(record, here, holds_lists=bool(listed))
    if own is not None:
        yield own
    for name in listed:
        yield from read_zep(record[name], here)


def _own(record: Mapping[str, Any], here: Context, *, holds_lists: bool) -> ForeignRecord | None:
    """The record itself; None for one that only says where its lists belong."""
    if isinstance(record.get("content"), str):
        return _told(record, here)
    if "fact" in record or "source_node_uuid" in record or "labels" in record:
        return _ZEP_DERIVED
    thread = text(record, "thread_id", "session_id")
    if thread is not None:
        user = text(here, "user_id")
        if user is not None:
            return ForeignThread(thread_id=thread, user_id=user)
        return None if holds_lists else _NO_USER
    if text(record, "user_id") is not None:
        return _user(record)
    graph = text(record, "graph_id", "group_id")
    if graph is not None:
        return _graph(record, graph)
    return None if holds_lists else UNKNOWN


def _user(record: Mapping[str, Any]) -> ForeignRecord:
    given = record.get("metadata")
    details = UserDetails(
        email=text(record, "email"),
        first_name=text(record, "first_name"),
        last_name=text(record, "last_name"),
        metadata=dict(given) if isinstance(given, Mapping) else None,
        time_zone=text(record, "time_zone"),
    )
    return ForeignUser(user_id=record["user_id"], details=details)


def _graph(record: Mapping[str, Any], graph: str) -> ForeignRecord:
    details = GraphDetails(
        name=text(record, "name"),
        description=text(record, "description"),
        time_zone=text(record, "time_zone"),
    )
    return ForeignGraph(graph_id=graph, details=details)


def _told(record: Mapping[str, Any], here: Context) -> ForeignRecord:
    thread = text(here, "thread_id", "session_id")
    user = text(here, "user_id")
    graph = text(here, "graph_id", "group_id")
    is_message = "source" not in record or record.get("source") == "message"
    if thread is not None and is_message:
        place = Destination(thread=thread, user=user)
    elif graph is not None:
        place = Destination(graph=graph)
    elif user is not None:
        place = Destination(user=user)
    else:
        return _ZEP_NOWHERE
    id_ = text(record, "uuid", "uuid_")
    return episode(place, id_, lambda: _zep_episode(record, id_))


def _zep_episode(record: Mapping[str, Any], id_: str | None) -> NewEpisode:
    # Zep v2 has the kind of role in role_type and the name in role.
    kind_of_role = text(record, "role_type") or text(record, "role")
    speaker = text(record, "name" if "role_type" not in record else "role")
    kind = _KINDS.get(str(record.get("source", "message")), "text")
    return NewEpisode(
        kind=kind,
        content=record["content"],
        role=_role(kind_of_role) if kind == "message" else None,
        speaker=speaker if kind == "message" else None,
        source_description=text(record, "source_description"),
        document_id=text(record, "document_id"),
        metadata=metadata(record.get("metadata"), zep_id=id_),
        created_at=moment(record, "created_at"),
    )


def _role(given: str | None) -> str:
    return given if given in ROLE_TYPES else "norole"
