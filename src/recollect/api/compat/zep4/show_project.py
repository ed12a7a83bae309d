"""From our records of a project to the words of generation 4: tasks, batches, templates, groups."""

from msgspec import structs

from recollect.api.compat.zep4.refusing import ErrorBody4
from recollect.api.compat.zep4.wire import project, tasks
from recollect.graph.types import Project
from recollect.ingest.batches import Batch
from recollect.ingest.direct_results import Outcome
from recollect.ingest.tasks import Tracked
from recollect.subjects.guidance import Template
from recollect.subjects.user_groups import UserGroup


def task(found: Tracked, came: Outcome | None = None) -> tasks.Task4:
    """A task; *came* is what came of it, where that was knowledge that a caller wrote down."""
    known = found.task
    error = None
    if known.error is not None and (known.parked or known.status == "failed"):
        error = ErrorBody4(code="failed", message=known.error)
    return tasks.Task4(
        uuid=known.uuid,
        type=found.type,
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
    """How far a task is, in words; of what was deleted nothing is read any more."""
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
    """A project; it has no edges of more than two ends and no content policy."""
    return project.Project4(
        uuid=found.uuid,
        name=found.name,
        description=found.description,
        default_time_zone=found.default_time_zone,
        hyperedges_enabled=False,
        include_policy_violating_episodes=False,
        created_at=found.created_at,
    )


def batch(found: Batch) -> project.Batch4:
    """A batch."""
    progress = found.progress
    return project.Batch4(
        uuid=found.uuid,
        status=found.status,
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
        strict_ontology=found.strict_ontology,
        metadata=found.metadata,
        created_at=found.created_at,
    )


def user_group(found: UserGroup) -> project.UserGroup4:
    """A group of users."""
    return project.UserGroup4(
        uuid=found.uuid,
        name=found.name,
        description=found.description,
        version=found.version,
        created_at=found.created_at,
        updated_at=found.updated_at,
    )
