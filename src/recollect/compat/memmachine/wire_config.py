"""The wire types of MemMachine's clients for switches, sizes, and the server's resources."""

from typing import Literal

from recollect.compat.memmachine.wire import (
    AtLeastOne,
    Backend,
    InProject,
    Json,
    PropertyType,
    Wire,
)

ResourceStatus = Literal["ready", "failed", "pending"]


class Change(Wire, forbid_unknown_fields=True):
    """Something to be configured. A key that means nothing here is refused: it would otherwise
    look as if it had been taken."""


class ChangeInProject(InProject, forbid_unknown_fields=True):
    """The same for one project."""


class EpisodicSwitches(Wire):
    """Which memories of a project are switched on."""

    enabled: bool
    long_term_memory_enabled: bool
    short_term_memory_enabled: bool


class SwitchEpisodic(ChangeInProject):
    """Switches to be set; those that are not given stay."""

    enabled: bool | None = None
    long_term_memory_enabled: bool | None = None
    short_term_memory_enabled: bool | None = None


class SwitchShortTerm(ChangeInProject):
    """The short-term memory of a project: on or off, how many messages its window holds, and how
    many characters they have all in all."""

    enabled: bool | None = None
    message_capacity: AtLeastOne | None = None
    character_capacity: AtLeastOne | None = None


class SwitchLongTerm(ChangeInProject):
    """The long-term memory of a project: on or off."""

    enabled: bool | None = None


class ShortTermSwitch(Wire):
    """The short-term memory of a project."""

    enabled: bool
    message_capacity: int
    character_capacity: int


class LongTermSwitch(Wire):
    """The long-term memory of a project."""

    enabled: bool


class Resource(Wire):
    """Something that the server is made of, and whether it can be used."""

    name: str
    provider: str
    status: ResourceStatus
    error: str | None = None


class Resources(Wire):
    """What the server is made of."""

    embedders: list[Resource]
    language_models: list[Resource]
    rerankers: list[Resource]
    databases: list[Resource]


class LongTermConfig(Wire):
    """What the long-term memory is made of, and whether it is on."""

    backend: Backend
    embedder: str
    reranker: str
    vector_graph_store: str | None
    vector_store: str
    segment_store: str
    properties_schema: dict[str, str] | None
    enabled: bool


class ShortTermConfig(Wire):
    """What the short-term memory is made of, how much it holds, and whether it is on."""

    llm_model: str | None
    message_capacity: int
    character_capacity: int
    enabled: bool


class EpisodicConfig(Wire):
    """The episodic memory of projects that chose nothing else."""

    long_term_memory: LongTermConfig
    short_term_memory: ShortTermConfig
    enabled: bool


class SemanticConfig(Wire):
    """What is known of people and things, and what it is made of."""

    enabled: bool
    database: str
    storage_backend: str
    feature_store: str
    vector_collection: str | None
    llm_model: str | None
    embedding_model: str


class ServerConfig(Wire):
    """Everything about a server that MemMachine's clients ask for."""

    resources: Resources
    episodic_memory: EpisodicConfig
    semantic_memory: SemanticConfig


class UpdateLongTerm(Change):
    """What to change about the long-term memory; what is not given stays."""

    backend: Backend | None = None
    embedder: str | None = None
    reranker: str | None = None
    vector_graph_store: str | None = None
    vector_store: str | None = None
    segment_store: str | None = None
    properties_schema: dict[str, PropertyType] | None = None
    enabled: bool | None = None


class UpdateShortTerm(Change):
    """What to change about the short-term memory; what is not given stays."""

    llm_model: str | None = None
    message_capacity: AtLeastOne | None = None
    character_capacity: AtLeastOne | None = None
    enabled: bool | None = None


class UpdateEpisodic(Change):
    """What to change about the episodic memory; what is not given stays."""

    long_term_memory: UpdateLongTerm | None = None
    short_term_memory: UpdateShortTerm | None = None
    long_term_memory_enabled: bool | None = None
    short_term_memory_enabled: bool | None = None
    enabled: bool | None = None


class UpdateSemantic(Change):
    """What to change about the semantic memory; what is not given stays."""

    enabled: bool | None = None
    database: str | None = None
    storage_backend: str | None = None
    feature_store: str | None = None
    vector_collection: str | None = None
    vector_dimensions: AtLeastOne | None = None
    llm_model: str | None = None
    embedding_model: str | None = None
    ingestion_trigger_messages: AtLeastOne | None = None
    ingestion_trigger_age_seconds: AtLeastOne | None = None


class UpdateMemory(Change):
    """What to change about both memories."""

    episodic_memory: UpdateEpisodic | None = None
    semantic_memory: UpdateSemantic | None = None


class Updated(Wire):
    """Whether a change was made, and what to say about it."""

    success: bool
    message: str


class Tried(Wire):
    """What came of looking at a resource again."""

    success: bool
    status: ResourceStatus
    error: str | None = None


class AddResource(Wire):
    """A model that a client would add."""

    name: str
    provider: str
    config: Json
