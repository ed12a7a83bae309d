"""Tasks: what callers poll."""

from datetime import datetime
from typing import Literal

from recollect.compat.zep.v4.errors import ErrorBody4
from recollect.compat.zep.v4.wire.base import PageQuery4, Wire

TaskStatus4 = Literal["pending", "processing", "succeeded", "partial", "failed"]
TaskType4 = Literal[
    "user.delete",
    "agent.delete",
    "thread.delete",
    "graph.delete",
    "graph.add",
    "graph.add_nodes",
    "graph.add_edges",
    "graph.add_fact_triple",
    "graph.add_triple",
    "graph.edge.add",
    "graph.clone",
    "graph.warm",
    "graph.episode.delete",
    "graph.node.delete",
    "graph.edge.delete",
    "graph.hyperedge.add",
    "graph.hyperedge.create_edge",
    "graph.hyperedge.delete",
    "graph.hyperedge.delete_edge",
    "thread.add_messages",
    "batch.process",
    "agent.trajectory.finalize",
    "agent.trajectory.repair.task_family",
    "agent.trajectory.repair.evidence_deletion",
    "agent.trajectory_import.run",
    "agent.trajectory_import.delete",
    "agent.verifier.repair.evidence_invalidation",
    "agent.skill.repair.source_deletion",
    "agent.skill.export",
    "agent.skill.import",
]


class TaskProgress4(Wire):
    """How far a task is, in words."""

    stage: str


class TaskResultEpisode4(Wire):
    """An episode that a task stands for."""

    episode_uuid: str


class TaskResultEdge4(Wire):
    """An edge that a task added, and what it joins."""

    edge_uuid: str
    source_node_uuid: str
    target_node_uuid: str


class TaskResult4(Wire):
    """What came of a task, as far as it is known."""

    episode_uuid: str | None = None
    episodes: list[TaskResultEpisode4] | None = None
    edge_uuid: str | None = None
    source_node_uuid: str | None = None
    target_node_uuid: str | None = None
    edges: list[TaskResultEdge4] | None = None


class Task4(Wire):
    """Work that goes on after its request was answered."""

    uuid: str
    type: TaskType4
    status: TaskStatus4
    progress: TaskProgress4 | None = None
    result: TaskResult4 | None = None
    error: ErrorBody4 | None = None
    created_at: datetime
    updated_at: datetime
    started_at: datetime | None = None
    completed_at: datetime | None = None


class TaskAnswer4(Wire):
    """The task that stands for what was asked."""

    task: Task4


class TasksQuery4(PageQuery4):
    """Which page of the tasks, of which status and type."""

    status: TaskStatus4 | None = None
    type: TaskType4 | None = None
