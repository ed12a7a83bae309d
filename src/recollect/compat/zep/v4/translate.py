"""From our records to the wire types of Zep v4."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, cast, get_args

import msgspec
from msgspec import structs
from msgspec.structs import replace

from recollect.app.batches import Batch
from recollect.app.recall import HitDetails
from recollect.app.refs import InGraph, OwnedGraph
from recollect.app.tasks import Outcome, TaskReport, Tracked
from recollect.compat.zep.v4 import paging
from recollect.compat.zep.v4.errors import ErrorBody4
from recollect.compat.zep.v4.wire import agents as wire
from recollect.compat.zep.v4.wire import graphs, knowledge, project, tasks, threads
from recollect.compat.zep.v4.wire.base import Page4, PageQuery4, Role4
from recollect.compat.zep.v4.wire.search import Results4
from recollect.compat.zep.wire.base import shaped
from recollect.errors import InvariantViolated
from recollect.graph.types import (
    DocumentSummary,
    Entity,
    Episode,
    Fact,
    Observation,
    Project,
    Thread,
    ThreadSummary,
    User,
)
from recollect.records.agents import AgentRecord
from recollect.records.guidance import Template
from recollect.records.listing import ListedEntity
from recollect.records.traces import Trace, TraceEvent
from recollect.records.user_groups import UserGroup
from recollect.search.query import Hit

_ROLES: tuple[str, ...] = get_args(Role4)
_SAID_AS = {"nodes": "fact_triple"}


def user(found: User) -> threads.User4:
    """A user."""
    return shaped(threads.User4, found)


def thread(found: Thread) -> threads.Thread4:
    """A thread."""
    return shaped(threads.Thread4, found)


def _role(found: Episode) -> Any:
    """The speaker's role; None for no role and for roles that Zep v4 does not know."""
    return found.role if found.role in _ROLES else None


def message(thread_uuid: str, found: Episode) -> threads.Message4:
    """A message of a thread."""
    return threads.Message4(
        uuid=found.uuid,
        thread_uuid=thread_uuid,
        content=found.content,
        role=_role(found),
        name=found.speaker,
        metadata=found.metadata,
        processed=found.is_done,
        reference_time=found.created_at,
        created_at=found.received_at,
    )


def graph(where: OwnedGraph) -> graphs.Graph4:
    """A graph."""
    found = where.graph
    return shaped(
        graphs.Graph4,
        found,
        graph_id=where.graph_id,
        type="user" if found.kind == "user" else "standard",
        user_uuid=where.user_uuid,
    )


def episode(where: OwnedGraph, found: Episode, said_in: Mapping[str, str]) -> graphs.Episode4:
    """An episode; *said_in* has the uuids of threads."""
    source: Any = _SAID_AS.get(found.kind, found.kind)
    return graphs.Episode4(
        uuid=found.uuid,
        graph_uuid=where.graph.uuid,
        user_uuid=where.user_uuid,
        thread_uuid=said_in.get(found.thread_id or ""),
        document_id=found.document_id,
        content=found.content,
        source=source,
        source_description=found.source_description,
        role=_role(found),
        role_name=found.speaker,
        metadata=found.metadata,
        processed=found.is_done,
        reference_time=found.created_at,
        created_at=found.received_at,
    )


def episodes_page(asked: PageQuery4, found: InGraph[list[Episode]]) -> Page4[graphs.Episode4]:
    """A page of episodes in order; one more was read, to see whether there is a next page."""
    shown, following = paging.past(asked, found.value)
    items = [episode(found.where, one, found.thread_uuids) for one in shown]
    return Page4(items=items, next_cursor=following)


def node(where: OwnedGraph, found: ListedEntity) -> knowledge.Node4:
    """A node with the episodes that mention it, or without them if there are too many."""
    entity = found.entity
    return knowledge.Node4(
        uuid=entity.uuid,
        graph_uuid=where.graph.uuid,
        user_uuid=where.user_uuid,
        name=entity.name,
        summary=entity.summary,
        labels=entity.labels,
        attributes=entity.attributes or {},
        episode_uuids=found.episodes or [],
        episode_uuids_truncated=found.episodes is None,
        degree=found.degree,
        created_at=entity.created_at,
    )


def edge(where: OwnedGraph, found: Fact) -> knowledge.Edge4:
    """A fact."""
    return knowledge.Edge4(
        uuid=found.uuid,
        graph_uuid=where.graph.uuid,
        user_uuid=where.user_uuid,
        name=found.name,
        fact=found.fact,
        source_node_uuid=found.source_uuid,
        source_node_name=found.source_name or None,
        source_node_labels=found.source_labels or None,
        target_node_uuid=found.target_uuid,
        target_node_name=found.target_name or None,
        target_node_labels=found.target_labels or None,
        attributes=found.attributes or {},
        episode_uuids=found.episodes,
        created_at=found.created_at,
        valid_at=found.valid_at,
        invalid_at=found.invalid_at,
        expired_at=found.expired_at,
    )


def observation(where: OwnedGraph, found: Observation) -> graphs.Observation4:
    """An observation."""
    return graphs.Observation4(
        uuid=found.uuid,
        graph_uuid=where.graph.uuid,
        user_uuid=where.user_uuid,
        name=found.name,
        summary=found.summary,
        labels=found.labels,
        attributes=found.attributes,
        episode_uuids=found.episodes,
        created_at=found.created_at,
    )


def thread_summary(
    where: OwnedGraph, found: ThreadSummary, said_in: Mapping[str, str]
) -> graphs.ThreadSummary4:
    """What a thread was about."""
    return graphs.ThreadSummary4(
        uuid=found.uuid,
        graph_uuid=where.graph.uuid,
        thread_uuid=said_in.get(found.thread_id),
        summary=found.summary,
        created_at=found.created_at,
        last_summarized_at=found.updated_at,
        last_summarized_episode_valid_at=found.covered_at,
    )


def document_summary(found: DocumentSummary) -> graphs.DocumentSummary4:
    """What a document is about."""
    return graphs.DocumentSummary4(
        uuid=found.uuid,
        document_id=found.document_id,
        summary=found.summary,
        created_at=found.created_at,
        last_summarized_at=found.updated_at,
        last_summarized_episode_valid_at=found.covered_at,
    )


def results(
    where: OwnedGraph,
    hits: Sequence[Hit[Any]],
    details: HitDetails,
    *,
    selected: bool = False,
) -> Results4:
    """What a search found, by kind in its order; *selected* gives each hit its rank over all."""
    said_in = details.thread_uuids
    found = Results4(edges=[], nodes=[], episodes=[], observations=[], thread_summaries=[])
    for rank, hit in enumerate(hits, start=1):
        item: Any = hit.item
        kind: list[Any]
        shown: Any
        if isinstance(item, Fact):
            kind, shown = found.edges, edge(where, item)
        elif isinstance(item, Entity):
            kind, shown = found.nodes, node(where, details.entities[item.id])
        elif isinstance(item, Episode):
            kind, shown = found.episodes, episode(where, item, said_in)
        elif isinstance(item, Observation):
            kind, shown = found.observations, observation(where, item)
        else:
            kind, shown = found.thread_summaries, thread_summary(where, item, said_in)
        given = {"score": round(hit.score, 6), "relevance": hit.relevance}
        kind.append(replace(shown, **given, selection_rank=rank if selected else None))
    return found


# ---------------------------------------------------------------- tasks, batches, the project


def task_answer(found: Tracked) -> tasks.TaskAnswer4:
    """A response that contains only the task."""
    return tasks.TaskAnswer4(task=task(found))


def reported(found: TaskReport, now: datetime) -> tasks.Task4:
    """A task with its outcome."""
    if found.warmed is not None:
        return warmed(found.warmed, now)
    if found.task is None:
        raise InvariantViolated("a report is about a task or a graph")
    return task(found.task, found.outcome)


def warmed(where: OwnedGraph, now: datetime) -> tasks.Task4:
    """The task of warming a graph. It is not stored: it has the uuid of its graph, and is always done."""
    return tasks.Task4(
        uuid=where.graph.uuid,
        type="graph.warm",
        status="succeeded",
        created_at=now,
        updated_at=now,
        started_at=now,
        completed_at=now,
    )


def task(found: Tracked, came: Outcome | None = None) -> tasks.Task4:
    """A task; *came* is its outcome if it was a direct write."""
    known = found.task
    error = None
    if known.error is not None and (known.parked or known.status == "failed"):
        error = ErrorBody4(code="failed", message=known.error)
    return tasks.Task4(
        uuid=known.uuid,
        type=cast(tasks.TaskType4, found.type),
        status=known.status,
        progress=tasks.TaskProgress4(stage=_stage(found)),
        result=_result(found, came),
        error=error,
        created_at=known.created_at,
        updated_at=known.completed_at or known.started_at or known.created_at,
        started_at=known.started_at,
        completed_at=known.completed_at,
    )


def _stage(found: Tracked) -> str:
    """The progress of a task in words; deleted episodes are not read any more."""
    known = found.task
    done = known.succeeded + known.parked
    told = [f"{done} of {known.jobs} episodes read"] if known.jobs else []
    if found.deleted:
        told.append(f"{found.deleted} deleted since")
    return ", ".join(told) or known.status


def _result(found: Tracked, came: Outcome | None) -> tasks.TaskResult4 | None:
    edges = [
        tasks.TaskResultEdge4(
            edge_uuid=fact.uuid,
            source_node_uuid=fact.source_uuid,
            target_node_uuid=fact.target_uuid,
        )
        for fact in (came.facts if came else ())
    ]
    if edges:
        if len(edges) > 1:
            return tasks.TaskResult4(edges=edges)
        return tasks.TaskResult4(edges=edges, **structs.asdict(edges[0]))
    if not found.episodes:
        return None
    return tasks.TaskResult4(
        episodes=[tasks.TaskResultEpisode4(episode_uuid=uuid) for uuid in found.episodes],
        episode_uuid=found.episodes[0] if len(found.episodes) == 1 else None,
    )


def template(found: Template) -> project.Template4:
    """A context template."""
    return project.Template4(
        uuid=found.uuid,
        name=found.template_id,
        template=found.text,
        created_at=found.created_at,
    )


def project_of(found: Project) -> project.Project4:
    """A project; it has no hyperedges and no content policy."""
    return shaped(
        project.Project4, found, hyperedges_enabled=False, include_policy_violating_episodes=False
    )


def batch(found: Batch) -> project.Batch4:
    """A batch."""
    progress = found.progress
    return shaped(
        project.Batch4,
        found,
        progress=project.BatchProgress4(
            total_items=progress.total,
            queued_items=progress.queued,
            processing_items=progress.processing,
            succeeded_items=progress.succeeded,
            failed_items=progress.failed,
            skipped_items=progress.skipped,
            canceled_items=progress.canceled,
            percent_complete=progress.percent,
        ),
    )


def user_group(found: UserGroup) -> project.UserGroup4:
    """A group of users."""
    return shaped(project.UserGroup4, found)


def agent(found: AgentRecord) -> wire.Agent4:
    """An agent."""
    details = found.details
    return wire.Agent4(
        uuid=found.uuid,
        agent_id=found.agent_id,
        name=details.name,
        security_domain=found.security_domain,
        description=details.description,
        deployment_id=details.deployment_id,
        version=details.version,
        metadata=details.metadata,
        status="active",
        revision=found.revision,
        created_at=found.created_at,
        updated_at=found.updated_at,
    )


def trace(owner: AgentRecord, found: Trace) -> wire.Trace4:
    """A trace."""
    ended = found.status != "open"
    internal = wire.TraceInternal4(
        next_sequence=found.last_sequence + 1,
        closing_sequence=found.closing_sequence,
        last_task_uuid=found.task_uuid if ended else None,
    )
    return shaped(
        wire.Trace4,
        found,
        agent_uuid=owner.uuid,
        task_family_source=None if found.task_family is None else "declared",
        parent_trace_uuid=found.parent,
        attempt_family_uuid=found.family,
        internal=internal,
        closed_at=found.ended_at if found.status == "closed" else None,
        abandoned_at=found.ended_at if found.status == "abandoned" else None,
    )


def trace_after_erasure(owner: AgentRecord, found: Trace, *, whole: bool) -> wire.Trace4:
    """A trace after an erasure, in part or as a *whole*.

    It contains none of its text, because the response is stored for repeated requests.
    """
    shown = msgspec.structs.replace(
        trace(owner, found),
        objective="",  # clients require one
        trace_id=None,
        task_family=None,
        task_family_source=None,
        metadata=None,
    )
    if not whole:
        return shown
    internal = msgspec.structs.replace(shown.internal, last_task_uuid=None)
    return msgspec.structs.replace(shown, status="deleted", internal=internal)


def event(owner: AgentRecord, trace_uuid: str, found: TraceEvent) -> wire.Event4:
    """An event of a trace."""
    told, failed = found.told, found.state == "failed"
    made = datetime.fromisoformat(told["created_at"])
    return wire.Event4(
        uuid=found.uuid,
        agent_uuid=owner.uuid,
        trace_uuid=trace_uuid,
        event_id=found.event_id,
        event_type=told["event_type"],
        sequence=found.sequence,
        content=found.content,
        context=msgspec.convert(told.get("context"), wire.EventContext4 | None),
        sources=msgspec.convert(told.get("sources"), list[wire.EventSource4] | None),
        tool_call_id=told.get("tool_call_id"),
        metadata=told.get("metadata"),
        occurred_at=told.get("occurred_at"),
        processing_state=found.state,
        processed_at=None if failed else found.completed_at,
        failed_at=found.completed_at if failed else None,
        created_at=made,
        updated_at=found.completed_at or made,
    )
