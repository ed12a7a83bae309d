"""Translation between the clients' terms and ours: a session is a thread, a group is a graph."""

from collections.abc import Collection
from datetime import datetime
from typing import Any, Final, cast

from msgspec import UNSET, UnsetType, to_builtins
from msgspec.structs import replace

from recollect.app.threads import Messages
from recollect.compat.zep.wire import batches as batches_wire
from recollect.compat.zep.wire import graphs as graphs_wire
from recollect.compat.zep.wire import knowledge as knowledge_wire
from recollect.compat.zep.wire import messages as messages_wire
from recollect.compat.zep.wire import threads as threads_wire
from recollect.compat.zep.wire.base import FactRatingInstruction, Json, RoleType, shaped
from recollect.errors import InvalidInput
from recollect.graph import checks
from recollect.graph.types import (
    ROLE_TYPES,
    Access,
    Entity,
    Episode,
    Fact,
    Graph,
    NewEpisode,
    Observation,
    Project,
    Task,
    Thread,
    User,
)
from recollect.limits import GRAPH_PAGE_MAX, PAGE_DEFAULT, PAGE_MAX, SEARCH_TEXT_CHARS_MAX
from recollect.records import threads
from recollect.records.knowledge import FactChange
from recollect.records.listing import ListedEntity
from recollect.records.pages import Mark, PageRequest, read_cursor

_NO_ROLE: Final = "norole"


def rating(value: FactRatingInstruction | None) -> Json | None:
    """A rating instruction as we store it."""
    return None if value is None else to_builtins(value)


def new_rating(value: FactRatingInstruction | UnsetType | None) -> Json | None:
    """The rating instruction of an update; None leaves it as it is."""
    return None if isinstance(value, UnsetType) else rating(value)


def user(access: Access, found: User) -> threads_wire.User:
    """A user for the wire."""
    return shaped(
        threads_wire.User,
        found,
        fact_rating_instruction=found.rating,
        session_count=found.thread_count,
        project_uuid=access.project_uuid,
    )


def session(access: Access, found: Thread) -> threads_wire.Session:
    """A thread as Zep v2 shows it."""
    return threads_wire.Session(
        uuid=found.uuid,
        session_id=found.thread_id,
        user_id=found.user_id,
        metadata=found.metadata,
        classifications=threads.classes(found) or None,
        fact_rating_instruction=found.rating,
        project_uuid=access.project_uuid,
        created_at=found.created_at,
        updated_at=found.updated_at,
        ended_at=found.ended_at,
    )


def thread(access: Access, found: Thread) -> threads_wire.Thread:
    """A thread as Zep v3 shows it."""
    return shaped(threads_wire.Thread, found, project_uuid=access.project_uuid)


def role_type(found: Episode) -> RoleType | None:
    """The role of an episode; MemMachine's clients use roles that these clients do not know."""
    known = found.role is None or found.role in ROLE_TYPES
    return cast(RoleType | None, found.role) if known else _NO_ROLE


def message2(episode: Episode) -> messages_wire.Message2:
    """A message as Zep v2 shows it."""
    return messages_wire.Message2(
        uuid=episode.uuid,
        content=episode.content,
        role=episode.speaker,
        role_type=role_type(episode) or _NO_ROLE,
        metadata=episode.metadata,
        processed=episode.is_done,
        created_at=episode.created_at,
        updated_at=episode.received_at,
    )


def message3(episode: Episode) -> messages_wire.Message3:
    """A message as Zep v3 shows it."""
    return messages_wire.Message3(
        uuid=episode.uuid,
        content=episode.content,
        name=episode.speaker,
        role=role_type(episode) or _NO_ROLE,
        metadata=episode.metadata,
        processed=episode.is_done,
        created_at=episode.created_at,
    )


def message_list3(found: Messages) -> messages_wire.MessageList3:
    """Some messages of a thread for Zep v3."""
    messages = [message3(episode) for episode in found.messages]
    return messages_wire.MessageList3(
        messages=messages,
        row_count=len(messages),
        total_count=found.total,
        thread_created_at=found.thread.created_at,
        user_id=found.thread.user_id,
        user_uuid=found.thread.user_uuid,
    )


def new_message2(
    number: int, sent: messages_wire.NewMessage2, ignored: Collection[str]
) -> NewEpisode:
    """A message of Zep v2 as an episode."""
    return NewEpisode(
        kind="message",
        content=sent.content,
        role=sent.role_type,
        speaker=sent.role,
        metadata=sent.metadata,
        ignored=sent.role_type in ignored,
        created_at=checks.moment(f"messages[{number}].created_at", sent.created_at),
        expires_at=checks.moment(f"messages[{number}].expires_at", sent.expires_at),
    )


def new_message3(
    number: int, sent: messages_wire.NewMessage3, ignored: Collection[str], *, strict: bool
) -> NewEpisode:
    """A message of Zep v3 as an episode."""
    return NewEpisode(
        kind="message",
        content=sent.content,
        role=sent.role,
        speaker=sent.name,
        metadata=sent.metadata,
        ignored=sent.role in ignored,
        strict_ontology=strict,
        created_at=checks.moment(f"messages[{number}].created_at", sent.created_at),
        expires_at=checks.moment(f"messages[{number}].expires_at", sent.expires_at),
    )


def graph_id_of(graph_id: str | None, group_id: str | None, prefix: str = "") -> str | None:
    """The id under either of its two names; *prefix* is what both names start with."""
    if graph_id is not None and group_id is not None and graph_id != group_id:
        raise InvalidInput(
            f"{prefix}graph_id and {prefix}group_id: they are the same thing, give one"
        )
    return graph_id if graph_id is not None else group_id


def graph(access: Access, found: Graph) -> graphs_wire.Graph:
    """A standalone graph as Zep v3 shows it."""
    return shaped(
        graphs_wire.Graph, found, canonical_graph_uuid=found.uuid, project_uuid=access.project_uuid
    )


def group(access: Access, found: Graph) -> graphs_wire.Group:
    """A standalone graph as Zep v2 shows it."""
    return graphs_wire.Group(
        uuid=found.uuid,
        group_id=found.graph_id,
        name=found.name,
        description=found.description,
        fact_rating_instruction=found.rating,
        project_uuid=access.project_uuid,
        created_at=found.created_at,
    )


def episode(found: Episode, score: float | None = None) -> graphs_wire.Episode:
    """An episode for the wire."""
    return graphs_wire.Episode(
        uuid=found.uuid,
        content=found.content,
        source=found.kind,
        source_description=found.source_description,
        role=found.speaker,
        role_type=role_type(found),
        session_id=found.thread_id,
        thread_id=found.thread_id,
        document_id=found.document_id,
        metadata=found.metadata,
        processed=found.is_done,
        error=found.failure,
        task_id=found.task_uuid,
        score=score,
        created_at=found.created_at,
    )


def node(found: Entity) -> knowledge_wire.Node:
    """An entity for the wire, without the episodes that mention it.

    Without attributes it has an empty map: clients look up fields that may not be set.
    """
    return knowledge_wire.Node(
        uuid=found.uuid,
        name=found.name,
        summary=found.summary,
        labels=found.labels,
        attributes=found.attributes or {},
        metadata=found.metadata,
        graph_id=found.graph_uuid,
        created_at=found.created_at,
    )


def listed_node(found: ListedEntity) -> knowledge_wire.Node:
    """An entity for the wire with its episodes, or without them if there are too many."""
    return replace(
        node(found.entity),
        episodes=found.episodes or [],
        episodes_truncated=found.episodes is None,
        degree=found.degree,
    )


def edge(found: Fact) -> knowledge_wire.Edge:
    """A fact for the wire."""
    return knowledge_wire.Edge(
        uuid=found.uuid,
        name=found.name,
        fact=found.fact,
        source_node_uuid=found.source_uuid,
        source_node_name=found.source_name or None,
        source_node_labels=found.source_labels or None,
        target_node_uuid=found.target_uuid,
        target_node_name=found.target_name or None,
        target_node_labels=found.target_labels or None,
        attributes=found.attributes or {},
        rating=found.rating,
        episodes=found.episodes,
        metadata=found.metadata,
        graph_id=found.graph_uuid,
        created_at=found.created_at,
        expired_at=found.expired_at,
        valid_at=found.valid_at,
        invalid_at=found.invalid_at,
    )


def fact_change(sent: knowledge_wire.UpdateEdge) -> FactChange:
    """A correction of an edge; only times can be removed."""
    for name in ("name", "fact", "attributes"):
        not_null(name, getattr(sent, name))
    return FactChange(
        name=sent.name,  # type: ignore[arg-type]
        fact=sent.fact,  # type: ignore[arg-type]
        attributes=sent.attributes,  # type: ignore[arg-type]
        expired_at=_moment("expired_at", sent.expired_at),
        valid_at=_moment("valid_at", sent.valid_at),
        invalid_at=_moment("invalid_at", sent.invalid_at),
    )


def not_null(field: str, value: object) -> None:
    """Refuse to remove a field that every item of its kind has."""
    if value is None:
        raise InvalidInput(f"{field}: must not be null")


def _moment(field: str, value: str | UnsetType | None) -> datetime | UnsetType | None:
    return UNSET if isinstance(value, UnsetType) else checks.moment(field, value)


def fact2(found: Fact) -> knowledge_wire.Fact2:
    """A fact as Zep v2 shows it."""
    return shaped(
        knowledge_wire.Fact2,
        found,
        content=found.fact,
        source_node_name=found.source_name or None,
        target_node_name=found.target_name or None,
    )


def project(found: Project) -> batches_wire.ProjectAnswer:
    """A project for the wire."""
    return batches_wire.ProjectAnswer(project=shaped(batches_wire.ProjectInfo, found))


def task(found: Task, params: Json | None = None) -> batches_wire.Task:
    """A task for the wire."""
    done = found.succeeded + found.parked
    error = None
    if found.parked:
        error = batches_wire.TaskError(code="job_parked", message=found.error or "a job failed")
    return batches_wire.Task(
        task_id=found.uuid,
        type="ingest",
        status=found.status,
        progress=batches_wire.TaskProgress(
            stage=found.status, message=f"{done} of {found.jobs} episodes done"
        ),
        error=error,
        params=params,
        created_at=found.created_at,
        updated_at=found.completed_at or found.started_at or found.created_at,
        started_at=found.started_at,
        completed_at=found.completed_at,
    )


def order(order_by: str | None, allowed: Collection[str], *, default: str, asc: bool) -> str:
    """`key/direction` as the queries declare it."""
    key = order_by or default
    if key not in allowed:
        raise InvalidInput(f"order_by: must be one of {', '.join(allowed)}; got {key!r}")
    return f"{key}/{'asc' if asc else 'desc'}"


def search_text(value: str) -> str:
    """A text to search lists for, checked."""
    checks.text("search", value, SEARCH_TEXT_CHARS_MAX)
    return value


def window(page_number: int, page_size: int | None, default: int = PAGE_DEFAULT) -> dict[str, Any]:
    """Limit and offset for a page number, which counts from 1."""
    size = min(page_size or default, PAGE_MAX)
    return {"limit": size, "offset": min((page_number - 1) * size, 2**53)}


def graph_page(sent: graphs_wire.PageRequest, allowed: Collection[str]) -> PageRequest:
    """The requested page of nodes, edges or episodes."""
    by = order(sent.order_by, allowed, default="uuid", asc=sent.direction == "asc")
    limit = PAGE_DEFAULT if not sent.limit else min(sent.limit, GRAPH_PAGE_MAX)
    after = read_cursor(sent.cursor, by)
    if after is None and sent.uuid_cursor:
        # The older cursor: the uuid of the last item seen, in the default order.
        by = "uuid/desc"
        after = Mark(by, sent.uuid_cursor, sent.uuid_cursor)
    return PageRequest(order=by, limit=limit, after=after)


def observation(found: Observation) -> knowledge_wire.Observation:
    """An observation; a search adds its score."""
    return shaped(
        knowledge_wire.Observation,
        found,
        episode_ids=found.episodes,
        score=None,
        relevance=None,
        selection_rank=None,
    )
