"""Translation between MemMachine's terms and ours: a project is a graph, a producer is a speaker; features,
sets and categories.
"""

import math
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from recollect.app.memory_projects import ProjectName
from recollect.compat.memmachine import wire
from recollect.compat.memmachine import wire_semantic as semantic
from recollect.episodic_memory import feature_sets, filter_language, names
from recollect.episodic_memory.categories import Category
from recollect.episodic_memory.entries import MemoryEntry
from recollect.episodic_memory.feature_sets import FeatureSet, SetType
from recollect.episodic_memory.features import Correction, Feature, NewFeature
from recollect.episodic_memory.settings import MemoryQuery, Recalled
from recollect.errors import InvalidInput
from recollect.graph import checks
from recollect.graph.episode_filters import EPISODE_TYPE, addressee_of, producer_of, role_of
from recollect.graph.types import Episode, MemoryKind
from recollect.limits import (
    FEATURE_DELETED_PER_CALL_MAX,
    MEMORY_DELETED_PER_CALL_MAX,
    MEMORY_EXPAND_MAX,
    MEMORY_SEARCH_LIMIT_MAX,
    SEARCH_QUERY_CHARS_MAX,
)

_CONTENT_TYPE: Final = "string"


def project_name(sent: wire.InProject) -> ProjectName:
    """The project that a request is about."""
    return ProjectName(org_id=sent.org_id, project_id=sent.project_id)


def entry(sent: wire.MemoryMessage) -> MemoryEntry:
    """A message to remember."""
    return MemoryEntry(
        content=sent.content,
        producer=sent.producer,
        addressee=sent.produced_for,
        role=sent.role,
        timestamp=sent.timestamp,
        metadata=sent.metadata,
        kind=sent.episode_type,
    )


def kinds(sent: list[MemoryKind] | None) -> set[MemoryKind]:
    """The named memories; both if none is named."""
    return set(sent or ()) or {"episodic", "semantic"}


def question(sent: wire.SearchMemories, now: datetime) -> MemoryQuery:
    """The query of a request; limits beyond our own are lowered."""
    checks.text("query", sent.query, SEARCH_QUERY_CHARS_MAX)
    threshold = sent.score_threshold
    if threshold is not None and not math.isfinite(threshold):
        raise InvalidInput("score_threshold: must be a finite number")
    return MemoryQuery(
        text=sent.query,
        now=now,
        limit=min(sent.top_k, MEMORY_SEARCH_LIMIT_MAX),
        expand=min(sent.expand_context, MEMORY_EXPAND_MAX),
        score_min=threshold,
        tree=filter_language.parse(sent.filter or ""),
    )


def wanted_ids(sent: wire.DeleteEpisodes) -> list[str]:
    """The ids of the episodes to forget, without duplicates, in the given order."""
    given: list[UUID] = [*filter(None, [sent.episodic_id]), *(sent.episodic_ids or ())]
    if len(given) > MEMORY_DELETED_PER_CALL_MAX:
        raise InvalidInput(f"episodic_ids: at most {MEMORY_DELETED_PER_CALL_MAX} per call")
    return list(dict.fromkeys(map(str, given)))


def found(episode: Episode, score: float | None = None) -> wire.FoundEpisode:
    """An episode in a search result."""
    return wire.FoundEpisode(
        uid=episode.uuid,
        content=episode.content,
        producer_id=producer_of(episode),
        producer_role=role_of(episode),
        produced_for_id=addressee_of(episode),
        episode_type=EPISODE_TYPE,
        metadata=_metadata(episode),
        created_at=episode.created_at,
        score=score,
    )


def listed(episode: Episode, session_key: str) -> wire.ListedEpisode:
    """An episode in a list."""
    return wire.ListedEpisode(
        uid=episode.uuid,
        content=episode.content,
        session_key=session_key,
        created_at=episode.created_at,
        producer_id=producer_of(episode),
        producer_role=role_of(episode),
        produced_for_id=addressee_of(episode),
        episode_type=EPISODE_TYPE,
        content_type=_CONTENT_TYPE,
        filterable_metadata=_scalars(episode),
        metadata=_metadata(episode),
    )


def recalled(answer: Recalled) -> wire.EpisodicFound:
    """The answers of both parts of the episodic memory."""
    short = answer.short_term
    return wire.EpisodicFound(
        long_term_memory=wire.LongTermFound(
            episodes=[found(hit.item, hit.score) for hit in answer.long_term]
        ),
        short_term_memory=wire.ShortTermFound(
            episodes=[found(episode) for episode in short.episodes],
            episode_summary=list(short.summary),
        ),
    )


def _metadata(episode: Episode) -> dict[str, Any] | None:
    return {**(episode.metadata or {}), **(episode.extra or {})} or None


def _scalars(episode: Episode) -> dict[str, Any] | None:
    """The metadata without lists: other clients may store those, and this one does not know them."""
    given = episode.metadata or {}
    return {key: value for key, value in given.items() if not isinstance(value, list)} or None


def feature(one: Feature, sent: wire.InProject, *, citations: bool = True) -> wire.SemanticFeature:
    """A feature of the request's project, with its citations on request."""
    return wire.SemanticFeature(
        category=one.category,
        tag=one.tag,
        feature_name=one.name,
        value=one.value,
        set_id=set_id(one.set, sent),
        metadata=wire.FeatureMetadata(
            id=one.id, citations=list(one.citations) if citations else None, other=one.other
        ),
    )


def set_id(one: FeatureSet, sent: wire.InProject) -> str:
    """The id of a set of the request's project."""
    return feature_sets.id_of(one, sent.org_id, sent.project_id)


def set_of(sent: semantic.OfSet) -> FeatureSet:
    """The set that a request names."""
    return feature_sets.read_id(sent.set_id, sent.org_id, sent.project_id)


def new_feature(sent: semantic.AddFeature) -> NewFeature:
    """A feature to add. Its subject is the project or the organisation, or the user if the project is a
    user's own."""
    of_set = set_of(sent)
    place = sent.org_id if of_set.is_org_level else sent.project_id
    return NewFeature(
        set=of_set,
        project=None if sent.org_id == names.USERS_ORG else place,
        category=sent.category_name,
        tag=sent.tag,
        name=sent.feature,
        value=sent.value,
        metadata=sent.feature_metadata,
        citations=tuple(sent.citations or ()),
    )


def correction(sent: semantic.UpdateFeature) -> Correction:
    """The changes to a feature."""
    return Correction(
        category=sent.category_name,
        tag=sent.tag,
        name=sent.feature,
        value=sent.value,
        metadata=sent.metadata,
    )


def feature_ids(sent: semantic.DeleteFeatures) -> list[str]:
    """The ids of the features to delete, without duplicates."""
    given = [sent.semantic_id or "", *(sent.semantic_ids or ())]
    wanted = list(dict.fromkeys(text.strip() for text in given if text.strip()))
    if not wanted:
        raise InvalidInput("semantic_id or semantic_ids: one of them is required")
    if len(wanted) > FEATURE_DELETED_PER_CALL_MAX:
        raise InvalidInput(
            f"semantic_ids: at most {FEATURE_DELETED_PER_CALL_MAX} per call, got {len(wanted)}"
        )
    return wanted


def set_type(one: SetType) -> semantic.SetTypeEntry:
    """A set type."""
    return semantic.SetTypeEntry(
        id=one.uuid or "",
        is_org_level=one.is_org_level,
        tags=list(one.tags),
        name=one.name,
        description=one.description,
    )


def listed_set(one: FeatureSet, of_type: SetType | None, sent: wire.InProject) -> semantic.SetEntry:
    """A set, with the name of its set type."""
    return semantic.SetEntry(
        id=set_id(one, sent),
        is_org_level=one.is_org_level,
        tags=list(one.keys),
        name=of_type.name if of_type else None,
        description=of_type.description if of_type else None,
    )


def category(one: Category) -> semantic.CategoryEntry:
    """A category."""
    return semantic.CategoryEntry(
        id=one.uuid, name=one.name, prompt=one.prompt, description=one.description
    )


def template(one: Category) -> semantic.TemplateEntry:
    """A category of a set type; ours are never inherited."""
    return semantic.TemplateEntry(
        id=one.uuid,
        name=one.name,
        origin_type="set_type",
        origin_id=one.set_type_uuid or "",
        inherited=False,
    )
