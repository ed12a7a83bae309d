"""The wire types of MemMachine's clients for projects and episodes, field by field.

Unknown fields of requests are ignored, but for those that configure something; answers carry every field, those of a client's own models
and no other.
"""

from datetime import datetime
from typing import Annotated, Any, Literal, dataclass_transform
from uuid import UUID

import msgspec
from msgspec import Meta

from recollect.episodic_memory import names
from recollect.graph.types import KeywordOnly, MemoryKind
from recollect.limits import INTEGER_MAX

Json = dict[str, Any]
Backend = Literal["declarative", "event"]
PropertyType = Literal["bool", "int", "float", "str", "datetime"]
AtLeastOne = Annotated[int, Meta(ge=1, le=INTEGER_MAX)]
AtLeastNone = Annotated[int, Meta(ge=0, le=INTEGER_MAX)]


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(msgspec.field,))
class Wire(msgspec.Struct, metaclass=KeywordOnly, frozen=True):
    """A part of a request or of an answer."""


class InProject(Wire):
    """A request about the memory of a project, which the client may leave unnamed."""

    org_id: str = names.DEFAULT_ID
    project_id: str = names.DEFAULT_ID

    @property
    def user_id(self) -> str | None:
        """The user whose graph is named, if it is a user's."""
        return _named(self, "user")

    @property
    def graph_id(self) -> str | None:
        """The standalone graph that is named, if it is one."""
        return _named(self, "standalone")


class AboutProject(InProject):
    """A request about a project itself: both ids are required."""

    org_id: str
    project_id: str


def _named(sent: InProject, kind: str) -> str | None:
    named = names.graph_of(sent.org_id, sent.project_id)
    return named.id if named.kind == kind else None


class ProjectConfig(Wire, forbid_unknown_fields=True):
    """What a client would have a project made of; names are ours, or empty."""

    backend: Backend | None = None
    reranker: str = ""
    embedder: str = ""
    vector_graph_store: str = ""
    vector_store: str = ""
    segment_store: str = ""
    properties_schema: dict[str, PropertyType] = {}


class CreateProject(AboutProject):
    """A project to be made."""

    description: str = ""
    config: ProjectConfig = ProjectConfig()


class MemoryProject(Wire):
    """A project."""

    org_id: str
    project_id: str
    description: str
    config: ProjectConfig


class ListedProject(Wire):
    """A project in a list."""

    org_id: str
    project_id: str


class EpisodeCount(Wire):
    """How many episodes a project holds."""

    count: int


class MemoryMessage(Wire):
    """One message to be remembered."""

    content: str
    producer: str | None = None
    produced_for: str | None = None
    timestamp: int | float | str | None = None
    role: str | None = None
    metadata: Json | None = None
    episode_type: str | None = None


class AddMemories(InProject):
    """Messages to be remembered, by both memories when no types are given."""

    messages: list[MemoryMessage]
    types: list[MemoryKind] | None = None


class AddedMemory(Wire):
    """A message that is on disk."""

    uid: str


class AddedMemories(Wire):
    """Messages that are on disk, in the order they were sent."""

    results: list[AddedMemory]


class SearchMemories(InProject):
    """A question to both memories."""

    query: str
    top_k: AtLeastOne = 10
    filter: str | None = ""
    set_metadata: Json | None = None
    expand_context: AtLeastNone = 0
    score_threshold: float | None = None
    types: list[MemoryKind] | None = None
    agent_mode: bool = False


class FoundEpisode(Wire):
    """An episode in the answer to a question."""

    uid: str
    content: str
    producer_id: str
    producer_role: str
    produced_for_id: str | None
    episode_type: Literal["message"]
    metadata: Json | None
    created_at: datetime
    score: float | None = None


class LongTermFound(Wire):
    """What the long-term memory recalls, in the order of time."""

    episodes: list[FoundEpisode]


class ShortTermFound(Wire):
    """The newest episodes, oldest first, and what is left of those before them."""

    episodes: list[FoundEpisode]
    episode_summary: list[str]


class EpisodicFound(Wire):
    """What both parts of the episodic memory answer."""

    long_term_memory: LongTermFound
    short_term_memory: ShortTermFound


class FeatureMetadata(Wire):
    """Where a feature comes from."""

    id: str | None = None
    citations: list[str] | None = None
    other: Json | None = None


class SemanticFeature(Wire):
    """Something known, as a named value."""

    category: str
    tag: str
    feature_name: str
    value: str
    set_id: str | None = None
    metadata: FeatureMetadata = FeatureMetadata()


class FoundContent(Wire):
    """What each memory answers; null is one that was not asked, or is switched off."""

    episodic_memory: EpisodicFound | None = None
    semantic_memory: list[SemanticFeature] | None = None


class FoundMemories(Wire):
    """The answer to a question."""

    content: FoundContent
    status: int = 0


class ListMemories(InProject):
    """A page of episodes or of features."""

    page_size: AtLeastOne = 100
    page_num: AtLeastNone = 0
    filter: str | None = ""
    set_metadata: Json | None = None
    type: MemoryKind | None = None


class ListedEpisode(Wire):
    """An episode in a list."""

    uid: str
    content: str
    session_key: str
    created_at: datetime
    producer_id: str
    producer_role: str
    produced_for_id: str | None
    episode_type: Literal["message"]
    content_type: Literal["string"]
    filterable_metadata: Json | None
    metadata: Json | None


class ListedContent(Wire):
    """A page of the kind that was asked for; the other is null."""

    episodic_memory: list[ListedEpisode] | None = None
    semantic_memory: list[SemanticFeature] | None = None


class ListedMemories(Wire):
    """A page."""

    content: ListedContent
    status: int = 0


class DeleteEpisodes(InProject):
    """Episodes to be forgotten: the named ones, or every one that a filter lets by."""

    episodic_id: UUID | None = None
    episodic_ids: list[UUID] | None = None
    filter: str | None = None


class ServiceHealth(Wire):
    """The process lives."""

    status: Literal["healthy"]
    service: str
    version: str
