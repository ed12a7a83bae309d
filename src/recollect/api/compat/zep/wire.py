"""What clients of generation 2 and 3 send and read, field by field.

Where both speak to one route, the request takes both spellings and the answer gives both.
"""

from datetime import datetime
from typing import Annotated, Any, Literal, dataclass_transform

import msgspec
from msgspec import UNSET, Meta, UnsetType

from recollect.graph.types import KeywordOnly
from recollect.limits import INTEGER_MAX

Json = dict[str, Any]
Count = Annotated[int, Meta(ge=0, le=INTEGER_MAX)]
PageNumber = Annotated[int, Meta(ge=1, le=INTEGER_MAX)]
RoleType = Literal["norole", "system", "assistant", "user", "function", "tool"]
DataType = Literal["text", "json", "message"]
Direction = Literal["asc", "desc"]


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(msgspec.field,))
class Wire(msgspec.Struct, metaclass=KeywordOnly, frozen=True, omit_defaults=True):
    """A wire model: what is not set is left out."""


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(msgspec.field,))
class Request(msgspec.Struct, metaclass=KeywordOnly, frozen=True):
    """What a client sends; unknown fields are ignored."""


# ---------------------------------------------------------------- shared


class Success(Wire):
    """A write that has nothing else to say."""

    message: str


class FactRatingExamples(Wire):
    """One example per degree."""

    high: str | None = None
    medium: str | None = None
    low: str | None = None


class FactRatingInstruction(Wire):
    """How a project wants facts rated."""

    instruction: str | None = None
    examples: FactRatingExamples | None = None


# ---------------------------------------------------------------- users


class User(Wire):
    """A user as both generations read it."""

    uuid: str
    user_id: str
    email: str | None = None
    first_name: str | None = None
    last_name: str | None = None
    metadata: Json | None = None
    time_zone: str | None = None
    disable_default_ontology: bool | None = None
    fact_rating_instruction: Json | None = None
    session_count: int | None = None
    graph_uuid: str
    project_uuid: str
    created_at: datetime
    updated_at: datetime


class AddUser(Request):
    """POST users."""

    user_id: str
    email: str | None = None
    first_name: str | None = None
    last_name: str | None = None
    metadata: Json | None = None
    time_zone: str | None = None
    disable_default_ontology: bool | None = None
    fact_rating_instruction: FactRatingInstruction | None = None


class UpdateUser(Request):
    """PATCH users/{user_id}; what is absent stays, a null clears."""

    email: str | UnsetType | None = UNSET
    first_name: str | UnsetType | None = UNSET
    last_name: str | UnsetType | None = UNSET
    metadata: Json | UnsetType | None = UNSET
    time_zone: str | UnsetType | None = UNSET
    disable_default_ontology: bool | UnsetType | None = UNSET
    fact_rating_instruction: FactRatingInstruction | UnsetType | None = UNSET


class UserList(Wire):
    """A page of users."""

    users: list[User]
    row_count: int
    total_count: int


class ListQuery(Request):
    """Pages as users and graphs spell them."""

    page_number: PageNumber = msgspec.field(name="pageNumber", default=1)
    page_size: PageNumber | None = msgspec.field(name="pageSize", default=None)
    search: str = ""
    order_by: str | None = None
    asc: bool = False


# ---------------------------------------------------------------- threads and sessions


class Session(Wire):
    """A thread as generation 2 reads it."""

    uuid: str
    session_id: str
    user_id: str
    metadata: Json | None = None
    fact_rating_instruction: Json | None = None
    project_uuid: str
    created_at: datetime
    updated_at: datetime
    ended_at: datetime | None = None


class Thread(Wire):
    """A thread as generation 3 reads it."""

    uuid: str
    thread_id: str
    user_id: str
    user_uuid: str
    graph_uuid: str
    project_uuid: str
    created_at: datetime


class AddSession(Request):
    """POST sessions."""

    session_id: str
    user_id: str
    metadata: Json | None = None
    fact_rating_instruction: FactRatingInstruction | None = None


class UpdateSession(Request):
    """PATCH sessions/{session_id}; metadata merges, a null value takes a key away."""

    metadata: Json | None = None
    fact_rating_instruction: FactRatingInstruction | None = None


class CreateThread(Request):
    """POST threads."""

    thread_id: str
    user_id: str


class ThreadsQuery(Request):
    """Pages as threads and sessions spell them."""

    page_number: PageNumber = 1
    page_size: PageNumber | None = None
    order_by: str | None = None
    asc: bool = False


class SessionList(Wire):
    """A page of sessions."""

    sessions: list[Session]
    response_count: int
    total_count: int


class ThreadList(Wire):
    """A page of threads."""

    threads: list[Thread]
    response_count: int
    total_count: int


class EndSession(Request):
    """POST sessions/{session_id}/end."""

    classify: Json | None = None
    instruction: str | None = None


class EndSessions(Request):
    """POST sessions/end."""

    session_ids: list[str]
    instruction: str | None = None


class EndSessionAnswer(Wire):
    """The session that ended."""

    session: Session


class EndSessionsAnswer(Wire):
    """The sessions that ended."""

    sessions: list[Session]


# ---------------------------------------------------------------- messages


class Message2(Wire):
    """A message as generation 2 reads it: `role` is who, `role_type` is what."""

    uuid: str
    content: str
    role: str | None = None
    role_type: str
    metadata: Json | None = None
    processed: bool | None = None
    created_at: datetime
    updated_at: datetime


class Message3(Wire):
    """A message as generation 3 reads it: `name` is who, `role` is what."""

    uuid: str
    content: str
    name: str | None = None
    role: str
    metadata: Json | None = None
    processed: bool | None = None
    created_at: datetime


class NewMessage2(Request):
    """A message as generation 2 sends it."""

    content: str
    role_type: RoleType
    role: str | None = None
    metadata: Json | None = None
    created_at: str | None = None


class NewMessage3(Request):
    """A message as generation 3 sends it."""

    content: str
    role: RoleType
    name: str | None = None
    metadata: Json | None = None
    created_at: str | None = None


class AddMemory(Request):
    """POST sessions/{session_id}/memory."""

    messages: list[NewMessage2]
    ignore_roles: list[RoleType] | None = None
    return_context: bool | None = None


class AddMessages(Request):
    """POST threads/{thread_id}/messages."""

    messages: list[NewMessage3]
    ignore_roles: list[RoleType] | None = None
    return_context: bool | None = None
    strict_ontology: bool | None = None


class AddMemoryAnswer(Wire):
    """What generation 2 hears of added messages."""

    context: str | None = None


class AddMessagesAnswer(Wire):
    """What generation 3 hears of added messages."""

    message_uuids: list[str]
    task_id: str | None = None
    context: str | None = None


class MemoryQuery(Request):
    """GET sessions/{session_id}/memory."""

    lastn: Count | None = None
    min_rating: float | None = msgspec.field(name="minRating", default=None)


class MessagesQuery(Request):
    """GET …/messages; `cursor` counts the messages already seen, `lastn` wins over both."""

    limit: Count | None = None
    cursor: Count | None = None
    lastn: Count | None = None


class MessageList2(Wire):
    """A page of messages, generation 2."""

    messages: list[Message2]
    row_count: int
    total_count: int


class MessageList3(Wire):
    """A page of messages, generation 3."""

    messages: list[Message3]
    row_count: int
    total_count: int
    thread_created_at: datetime
    user_id: str
    user_uuid: str


class UpdateMetadata(Request):
    """PATCH of a message or an episode: a merge, a null value takes a key away."""

    metadata: Json


class Memory(Wire):
    """What generation 2 reads before a turn: context, facts, newest messages."""

    context: str
    messages: list[Message2]
    facts: list[str]
    relevant_facts: "list[Fact2]"
    metadata: Json | None = None


class ContextQuery(Request):
    """GET threads/{thread_id}/context."""

    template_id: str | None = None
    mode: str | None = None
    min_rating: float | None = msgspec.field(name="minRating", default=None)


class ContextAnswer(Wire):
    """The context block."""

    context: str


# ---------------------------------------------------------------- graphs and groups


class Graph(Wire):
    """A standalone graph as generation 3 reads it."""

    uuid: str
    graph_id: str
    name: str | None = None
    description: str | None = None
    time_zone: str | None = None
    canonical_graph_uuid: str | None = None
    project_uuid: str
    created_at: datetime
    updated_at: datetime


class Group(Wire):
    """A standalone graph as generation 2 reads it."""

    uuid: str
    group_id: str
    name: str | None = None
    description: str | None = None
    fact_rating_instruction: Json | None = None
    project_uuid: str
    created_at: datetime


class CreateGraph(Request):
    """POST graph/create."""

    graph_id: str
    name: str | None = None
    description: str | None = None
    time_zone: str | None = None
    fact_rating_instruction: FactRatingInstruction | None = None


class AddGroup(Request):
    """POST groups."""

    group_id: str
    name: str | None = None
    description: str | None = None
    fact_rating_instruction: FactRatingInstruction | None = None


class UpdateGraph(Request):
    """PATCH of a graph or group; what is absent stays, a null clears."""

    name: str | UnsetType | None = UNSET
    description: str | UnsetType | None = UNSET
    time_zone: str | UnsetType | None = UNSET
    fact_rating_instruction: FactRatingInstruction | UnsetType | None = UNSET


class GraphList(Wire):
    """A page of graphs."""

    graphs: list[Graph]
    page_number: int
    page_size: int
    row_count: int
    total_count: int


class GroupList(Wire):
    """A page of groups."""

    groups: list[Group]
    row_count: int
    total_count: int


# ---------------------------------------------------------------- episodes


class Episode(Wire):
    """An episode as both generations read it."""

    uuid: str
    content: str
    source: str
    source_description: str | None = None
    role: str | None = None
    role_type: str | None = None
    session_id: str | None = None
    thread_id: str | None = None
    document_id: str | None = None
    metadata: Json | None = None
    processed: bool
    task_id: str | None = None
    score: float | None = None
    created_at: datetime


class Episodes(Wire):
    """Several episodes."""

    episodes: list[Episode]


class AddData(Request):
    """POST graph."""

    data: str
    type: DataType
    user_id: str | None = None
    graph_id: str | None = None
    group_id: str | None = None
    created_at: str | None = None
    source_description: str | None = None
    document_id: str | None = None
    metadata: Json | None = None
    strict_ontology: bool | None = None


class BatchEpisode(Request):
    """One piece of data of POST graph-batch."""

    data: str
    type: DataType
    created_at: str | None = None
    source_description: str | None = None
    metadata: Json | None = None


class AddDataBatch(Request):
    """POST graph-batch."""

    episodes: list[BatchEpisode]
    user_id: str | None = None
    graph_id: str | None = None
    group_id: str | None = None
    document_id: str | None = None
    strict_ontology: bool | None = None


class LastQuery(Request):
    """GET graph/episodes/…/{id}."""

    lastn: Count | None = None


class DocumentQuery(Request):
    """GET graph/documents/{document_id}/episodes."""

    graph_id: str


class PageRequest(Request):
    """POST of a list of nodes, edges or episodes."""

    limit: Count | None = None
    cursor: str | None = None
    uuid_cursor: str | None = None
    order_by: str | None = None
    direction: Direction | None = None
    filters: Json | None = None
    mentioned_node_uuids: list[str] | None = None
    episode_metadata_filters: Json | None = None


# ---------------------------------------------------------------- nodes and edges


class Node(Wire):
    """An entity."""

    uuid: str
    name: str
    summary: str
    labels: list[str]
    attributes: Json | None = None
    score: float | None = None
    created_at: datetime


class NodeAnswer(Wire):
    """A user's own node."""

    node: Node


class Edge(Wire):
    """A fact with its two clocks and its episodes."""

    uuid: str
    name: str
    fact: str
    source_node_uuid: str
    source_node_name: str | None = None
    source_node_labels: list[str] | None = None
    target_node_uuid: str
    target_node_name: str | None = None
    target_node_labels: list[str] | None = None
    attributes: Json | None = None
    episodes: list[str]
    score: float | None = None
    created_at: datetime
    expired_at: datetime | None = None
    valid_at: datetime | None = None
    invalid_at: datetime | None = None


class Mentions(Wire):
    """What came out of an episode."""

    nodes: list[Node]
    edges: list[Edge]


class Fact2(Wire):
    """A fact as the older routes of generation 2 read it."""

    uuid: str
    fact: str
    content: str
    name: str | None = None
    rating: float | None = None
    source_node_name: str | None = None
    target_node_name: str | None = None
    created_at: datetime
    expired_at: datetime | None = None
    valid_at: datetime | None = None
    invalid_at: datetime | None = None


class FactAnswer(Wire):
    """One fact."""

    fact: Fact2


class FactsAnswer(Wire):
    """Several facts."""

    facts: list[Fact2]


class UpdateNode(Request):
    """PATCH graph/node/{uuid}; attributes merge."""

    name: str | UnsetType | None = UNSET
    summary: str | UnsetType | None = UNSET
    labels: list[str] | UnsetType | None = UNSET
    attributes: Json | UnsetType | None = UNSET


class UpdateEdge(Request):
    """PATCH graph/edge/{uuid}; attributes merge."""

    name: str | UnsetType | None = UNSET
    fact: str | UnsetType | None = UNSET
    attributes: Json | UnsetType | None = UNSET
    expired_at: str | UnsetType | None = UNSET
    valid_at: str | UnsetType | None = UNSET
    invalid_at: str | UnsetType | None = UNSET


# ---------------------------------------------------------------- search, tasks, project


class Search(Request):
    """POST graph/search."""

    query: str
    user_id: str | None = None
    graph_id: str | None = None
    group_id: str | None = None
    limit: Count | None = None
    scope: str | None = None
    reranker: str | None = None
    search_filters: Json | None = None
    min_fact_rating: float | None = None
    min_score: float | None = None
    mmr_lambda: float | None = None
    center_node_uuid: str | None = None
    bfs_origin_node_uuids: list[str] | None = None
    max_characters: Count | None = None
    return_raw_results: bool | None = None


class SearchAnswer(Wire):
    """What was found."""

    episodes: list[Episode] | None = None
    nodes: list[Node] | None = None
    edges: list[Edge] | None = None


class TaskError(Wire):
    """Why a task failed."""

    code: str
    message: str


class TaskProgress(Wire):
    """How far a task is."""

    stage: str
    message: str


class Task(Wire):
    """A task."""

    task_id: str
    type: str
    status: str
    progress: TaskProgress
    error: TaskError | None = None
    created_at: datetime
    updated_at: datetime
    started_at: datetime | None = None
    completed_at: datetime | None = None


class ProjectInfo(Wire):
    """A project."""

    uuid: str
    name: str
    description: str | None = None
    default_time_zone: str | None = None
    created_at: datetime


class ProjectAnswer(Wire):
    """The project that the key belongs to."""

    project: ProjectInfo


class UpdateProject(Request):
    """PATCH projects/info."""

    default_time_zone: str | UnsetType | None = UNSET
