"""The records of the memory: access, projects, graphs, users, episodes, entities, facts, jobs;
and the kinds of them that a search can find."""

from datetime import datetime
from typing import Any, Literal, dataclass_transform

import msgspec

from recollect.graph.acting import Acting
from recollect.graph.policy import KeyPolicy, Mode, Role
from recollect.graph.usage import UsageLimits
from recollect.graph.visibility import Value, Visibility

GraphKind = Literal["user", "standalone"]
EpisodeKind = Literal["message", "text", "json", "fact_triple", "nodes"]
MemoryKind = Literal["episodic", "semantic"]
# Knowledge written directly by a caller: in the log, but not in its public lists.
DIRECT_KINDS = frozenset({"fact_triple", "nodes"})
TaskStatus = Literal["pending", "processing", "succeeded", "partial", "failed"]
ROLE_TYPES = ("norole", "system", "assistant", "user", "function", "tool")

Json = dict[str, Any]
# The effective metadata of an object, computed on reading by `derive.effective`.
Carried = dict[str, list[Value]]


class KeywordOnly(msgspec.StructMeta):
    """Makes structs whose fields are given by name, subclasses included."""

    def __new__(
        mcls, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **config: Any
    ) -> "KeywordOnly":
        config.setdefault("kw_only", True)
        return super().__new__(mcls, name, bases, namespace, **config)


@dataclass_transform(frozen_default=True, kw_only_default=True)
class Record(msgspec.Struct, metaclass=KeywordOnly, frozen=True):
    """A value from the store that is never changed in place."""


class Access(Record):
    """Who is asking. The project comes from the key alone; every read and write carries one."""

    project_id: int
    project_uuid: str
    key_uuid: str
    visibility: Visibility | None = None  # what this action may see; None: everything
    is_admin: bool = False
    logs_reads: bool = False
    mcp_write: bool = False  # the tools that change the memory are offered
    policy: KeyPolicy | None = None  # None: everything is allowed
    limits: UsageLimits | None = None  # usage limits; None: unlimited
    acting: Acting | None = None  # the actor of a write; None: none, as for what workers derive


class Project(Record):
    """A tenant: owns keys, users, graphs and guidance."""

    id: int
    uuid: str
    name: str
    description: str | None = None
    default_time_zone: str | None = None
    created_at: datetime


class Key(Record):
    """An API key. The secret itself is never stored, only its hash."""

    uuid: str
    project_id: int
    project_uuid: str
    project_name: str
    name: str
    prefix: str
    is_admin: bool = False
    role: Role = "default_allow"
    mode: Mode = "enforce"
    logs_reads: bool = False
    mcp_write: bool = False
    created_at: datetime
    revoked_at: datetime | None = None


class Graph(Record):
    """One memory: a user's, or a standalone one."""

    id: int
    uuid: str
    kind: GraphKind
    graph_id: str
    name: str | None = None
    description: str | None = None
    time_zone: str | None = None
    rating: Json | None = None
    created_at: datetime
    updated_at: datetime


class User(Record):
    """A person whose graph we keep."""

    id: int
    uuid: str
    user_id: str
    graph_id: int
    graph_uuid: str
    entity_uuid: str
    email: str | None = None
    first_name: str | None = None
    last_name: str | None = None
    metadata: Json | None = None
    time_zone: str | None = None
    disable_default_ontology: bool = False
    rating: Json | None = None
    thread_count: int = 0
    created_at: datetime
    updated_at: datetime


class Thread(Record):
    """A conversation of one user."""

    id: int
    uuid: str
    thread_id: str
    user_id: str
    user_uuid: str
    graph_id: int
    graph_uuid: str
    metadata: Json | None = None
    rating: Json | None = None
    created_at: datetime
    updated_at: datetime
    ended_at: datetime | None = None


class Episode(Record):
    """One immutable input. `created_at` is when it happened, `received_at` when we got it.

    What a MemMachine client adds has a `producer` and perhaps an `addressee`, in the client's words;
    `extra` is metadata that cannot be filtered by. It is `kept_for` one memory, the episodic or the
    semantic one, or for both (None). `failure` is why it could not be read, once it was given up.
    """

    id: int
    uuid: str
    graph_id: int
    seq: int
    kind: EpisodeKind
    content: str
    role: str | None = None
    speaker: str | None = None
    source_description: str | None = None
    thread_id: str | None = None
    document_id: str | None = None
    metadata: Json | None = None
    ignored: bool = False
    created_at: datetime
    received_at: datetime
    processed_at: datetime | None = None
    task_uuid: str | None = None
    producer: str | None = None
    addressee: str | None = None
    extra: Json | None = None
    kept_for: MemoryKind | None = None
    failure: str | None = None

    @property
    def is_done(self) -> bool:
        """Whether processing has ended: it was read, or cannot be."""
        return self.processed_at is not None or self.failure is not None


class NewEpisode(Record):
    """An input that has been checked and is about to be stored."""

    kind: EpisodeKind
    content: str
    role: str | None = None
    speaker: str | None = None
    source_description: str | None = None
    document_id: str | None = None
    metadata: Json | None = None
    ignored: bool = False
    strict_ontology: bool = False
    created_at: datetime | None = None
    producer: str | None = None
    addressee: str | None = None
    extra: Json | None = None
    kept_for: MemoryKind | None = None
    expires_at: datetime | None = None


class Entity(Record):
    """A node: someone or something, with the episodes that mention it."""

    id: int
    uuid: str
    graph_id: int
    graph_uuid: str | None = None  # where it was read to be told
    name: str
    labels: list[str]
    summary: str = ""
    attributes: Json | None = None
    is_user: bool = False
    is_assistant: bool = False
    metadata: Carried = {}
    created_at: datetime


class Fact(Record):
    """An edge: a sentence that holds for a time, joining two entities (or one with itself).

    *event_at* is when something happens or is due; where it is `valid_at`, it took place then.
    """

    id: int
    uuid: str
    graph_id: int
    graph_uuid: str | None = None  # where it was read to be told
    name: str
    fact: str
    source_uuid: str
    source_name: str
    source_labels: list[str]
    target_uuid: str
    target_name: str
    target_labels: list[str]
    attributes: Json | None = None
    rating: float | None = None
    episodes: list[str] = []
    metadata: Carried = {}
    created_at: datetime
    expired_at: datetime | None = None
    valid_at: datetime | None = None
    invalid_at: datetime | None = None
    event_at: datetime | None = None


class Observation(Record):
    """A recurring pattern over facts. It ends when its facts no longer support it."""

    id: int
    uuid: str
    graph_id: int
    name: str
    summary: str
    labels: list[str]
    attributes: Json | None = None
    episodes: list[str] = []
    facts: list[str] = []
    metadata: Carried = {}
    start_at: datetime | None = None
    latest_evidence_at: datetime | None = None
    end_at: datetime | None = None
    created_at: datetime


class ThreadSummary(Record):
    """What a thread was about. `covered_at` is the event time of the newest message in it."""

    id: int
    uuid: str
    graph_id: int
    thread_id: str
    summary: str
    metadata: Carried = {}
    created_at: datetime
    updated_at: datetime
    covered_at: datetime | None = None


class DocumentSummary(Record):
    """What the episodes of one document are about, as for a thread."""

    id: int
    uuid: str
    graph_id: int
    document_id: str
    summary: str
    metadata: Carried = {}
    created_at: datetime
    updated_at: datetime
    covered_at: datetime | None = None


class Job(Record):
    """Work owed to one episode. Jobs of a graph run in the order of their ids."""

    id: int
    graph_id: int
    episode: Episode
    task_uuid: str
    attempts: int
    strict_ontology: bool = False


class Task(Record):
    """What a caller polls: the jobs of one request, taken together."""

    uuid: str
    status: TaskStatus
    jobs: int
    succeeded: int
    parked: int
    error: str | None = None
    created_at: datetime
    started_at: datetime | None = None
    completed_at: datetime | None = None


Kind = Literal["fact", "entity", "episode", "observation", "thread_summary"]
Item = Fact | Entity | Episode | Observation | ThreadSummary
