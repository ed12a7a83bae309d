"""The settings of MemMachine's projects that have none of their own.

These defaults belong to the caller's own Recollect project; no other tenant's memory is affected. Models and
stores are the operator's choice, so they can be read here but not set.
"""

from functools import partial

from msgspec.structs import replace

from recollect.api.router import Call, Route
from recollect.app import memory_projects
from recollect.compat.memmachine import routes_resources
from recollect.compat.memmachine import wire_config as config
from recollect.compat.memmachine.errors import reply_for
from recollect.compat.memmachine.routes_resources import (
    DATABASE_NAME,
    EMBEDDER_NAME,
    RERANKER_NAME,
    STORAGE,
)
from recollect.compat.memmachine.wire import Backend
from recollect.episodic_memory.settings import MemorySettings, SettingsChange
from recollect.errors import InvalidInput
from recollect.models.embedder import DIMENSIONS

_BACKEND: Backend = "event"


async def _defaults(call: Call) -> MemorySettings:
    return await memory_projects.defaults(call.services, call.access)


async def get_config(call: Call) -> config.ServerConfig:
    """What the server is made of, and what holds for projects that chose nothing else."""
    return config.ServerConfig(
        resources=await routes_resources.look(call.services),
        episodic_memory=await get_episodic(call),
        semantic_memory=await get_semantic(call),
    )


async def get_episodic(call: Call) -> config.EpisodicConfig:
    """The episodic memory of projects that chose nothing else."""
    return config.EpisodicConfig(
        long_term_memory=await get_long_term(call),
        short_term_memory=await get_short_term(call),
        enabled=(await _defaults(call)).enabled,
    )


async def get_long_term(call: Call) -> config.LongTermConfig:
    """The long-term memory of projects that chose nothing else."""
    return config.LongTermConfig(
        backend=_BACKEND,
        embedder=EMBEDDER_NAME,
        reranker=RERANKER_NAME,
        vector_graph_store=None,
        vector_store=DATABASE_NAME,
        segment_store=DATABASE_NAME,
        properties_schema=None,
        enabled=(await _defaults(call)).long_term,
    )


async def get_short_term(call: Call) -> config.ShortTermConfig:
    """The short-term memory of projects that chose nothing else."""
    chosen = await _defaults(call)
    return config.ShortTermConfig(
        llm_model=routes_resources.language_model_name(call.services.settings),
        message_capacity=chosen.window.episodes,
        character_capacity=chosen.window.chars,
        enabled=chosen.short_term,
    )


async def get_semantic(call: Call) -> config.SemanticConfig:
    """The semantic memory of projects that chose nothing else."""
    return config.SemanticConfig(
        enabled=(await _defaults(call)).semantic,
        database=DATABASE_NAME,
        storage_backend=STORAGE,
        feature_store=DATABASE_NAME,
        vector_collection=None,
        llm_model=routes_resources.language_model_name(call.services.settings),
        embedding_model=EMBEDDER_NAME,
    )


async def update_all(call: Call) -> config.Updated:
    """Change what holds by default for both memories."""
    sent: config.UpdateMemory = call.body
    change = SettingsChange()
    if sent.episodic_memory is not None:
        change = _episodic(call, sent.episodic_memory, "episodic_memory.")
    if sent.semantic_memory is not None:
        semantic = _semantic(call, sent.semantic_memory, "semantic_memory.")
        change = replace(change, semantic=semantic.semantic)
    return await _choose(call, change)


async def update_episodic(call: Call) -> config.Updated:
    """Change what holds by default for the episodic memory."""
    return await _choose(call, _episodic(call, call.body))


async def update_long_term(call: Call) -> config.Updated:
    """Change what holds by default for the long-term memory."""
    return await _choose(call, _long_term(call.body))


async def update_short_term(call: Call) -> config.Updated:
    """Change what holds by default for the short-term memory."""
    return await _choose(call, _short_term(call, call.body))


async def update_semantic(call: Call) -> config.Updated:
    """Change what holds by default for the semantic memory."""
    return await _choose(call, _semantic(call, call.body))


async def _choose(call: Call, change: SettingsChange) -> config.Updated:
    if change == SettingsChange():
        return config.Updated(success=True, message="nothing to change")
    await memory_projects.choose_default(call.services, call.access, change)
    return config.Updated(success=True, message="holds for every project that chose nothing else")


def _episodic(call: Call, sent: config.UpdateEpisodic, place: str = "") -> SettingsChange:
    long = sent.long_term_memory or config.UpdateLongTerm()
    short = sent.short_term_memory or config.UpdateShortTerm()
    parts = (
        _long_term(long, f"{place}long_term_memory."),
        _short_term(call, short, f"{place}short_term_memory."),
    )
    on_long, on_short = sent.long_term_memory_enabled, sent.short_term_memory_enabled
    return SettingsChange(
        enabled=sent.enabled,
        long_term=parts[0].long_term if on_long is None else on_long,
        short_term=parts[1].short_term if on_short is None else on_short,
        episodes=parts[1].episodes,
        chars=parts[1].chars,
    )


def _long_term(sent: config.UpdateLongTerm, place: str = "") -> SettingsChange:
    _refuse_other(f"{place}backend", sent.backend, _BACKEND)
    _refuse_other(f"{place}embedder", sent.embedder, EMBEDDER_NAME)
    _refuse_other(f"{place}reranker", sent.reranker, RERANKER_NAME)
    _refuse_other(f"{place}vector_graph_store", sent.vector_graph_store, DATABASE_NAME)
    _refuse_other(f"{place}vector_store", sent.vector_store, DATABASE_NAME)
    _refuse_other(f"{place}segment_store", sent.segment_store, DATABASE_NAME)
    return SettingsChange(long_term=sent.enabled)


def _short_term(call: Call, sent: config.UpdateShortTerm, place: str = "") -> SettingsChange:
    model = routes_resources.language_model_name(call.services.settings)
    _refuse_other(f"{place}llm_model", sent.llm_model, model)
    return SettingsChange(
        short_term=sent.enabled, episodes=sent.message_capacity, chars=sent.character_capacity
    )


def _semantic(call: Call, sent: config.UpdateSemantic, place: str = "") -> SettingsChange:
    model = routes_resources.language_model_name(call.services.settings)
    _refuse_other(f"{place}llm_model", sent.llm_model, model)
    _refuse_other(f"{place}embedding_model", sent.embedding_model, EMBEDDER_NAME)
    _refuse_other(f"{place}database", sent.database, DATABASE_NAME)
    _refuse_other(f"{place}feature_store", sent.feature_store, DATABASE_NAME)
    _refuse_other(f"{place}storage_backend", sent.storage_backend, STORAGE)
    _refuse_other(f"{place}vector_collection", sent.vector_collection, None)
    _refuse_other(f"{place}vector_dimensions", sent.vector_dimensions, DIMENSIONS)
    for field in ("ingestion_trigger_messages", "ingestion_trigger_age_seconds"):
        if getattr(sent, field) is not None:
            raise InvalidInput(f"{place}{field}: every episode is read as it comes; leave it out")
    return SettingsChange(semantic=sent.enabled)


def _refuse_other(field: str, wanted: str | int | None, there: str | int | None) -> None:
    if wanted not in (None, there):
        has = "has none" if there is None else f"has {there!r}"
        raise InvalidInput(f"{field}: this server {has}; that is for its operator to choose")


_route = partial(Route, refusal=reply_for)
_read = partial(_route, "GET", action="memory.defaults.get")
_change = partial(_route, "PUT", action="memory.defaults.set", answer=config.Updated)

ROUTES = [
    _read(
        path="/config",
        handler=get_config,
        summary="What the server is made of, and what holds by default",
        answer=config.ServerConfig,
    ),
    _read(
        path="/config/memory/episodic",
        handler=get_episodic,
        summary="The defaults of the episodic memory",
        answer=config.EpisodicConfig,
    ),
    _read(
        path="/config/memory/episodic/long_term",
        handler=get_long_term,
        summary="The defaults of the long-term memory",
        answer=config.LongTermConfig,
    ),
    _read(
        path="/config/memory/episodic/short_term",
        handler=get_short_term,
        summary="The defaults of the short-term memory",
        answer=config.ShortTermConfig,
    ),
    _read(
        path="/config/memory/semantic",
        handler=get_semantic,
        summary="The defaults of the semantic memory",
        answer=config.SemanticConfig,
    ),
    _change(
        path="/config/memory",
        handler=update_all,
        summary="Change the defaults of both memories",
        body=config.UpdateMemory,
    ),
    _change(
        path="/config/memory/episodic",
        handler=update_episodic,
        summary="Change the defaults of the episodic memory",
        body=config.UpdateEpisodic,
    ),
    _change(
        path="/config/memory/episodic/long_term",
        handler=update_long_term,
        summary="Change the defaults of the long-term memory",
        body=config.UpdateLongTerm,
    ),
    _change(
        path="/config/memory/episodic/short_term",
        handler=update_short_term,
        summary="Change the defaults of the short-term memory",
        body=config.UpdateShortTerm,
    ),
    _change(
        path="/config/memory/semantic",
        handler=update_semantic,
        summary="Change the defaults of the semantic memory",
        body=config.UpdateSemantic,
    ),
]
