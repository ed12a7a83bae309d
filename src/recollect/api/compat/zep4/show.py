"""From our records to the words of generation 4."""

from collections.abc import Mapping, Sequence
from typing import Any, get_args

from msgspec.structs import replace

from recollect.api.compat.zep4.wire import graphs, knowledge, threads, users
from recollect.api.compat.zep4.wire.base import Role4
from recollect.api.compat.zep4.wire.search import Results4
from recollect.graph.types import (
    Access,
    DocumentSummary,
    Entity,
    Episode,
    Fact,
    Observation,
    Thread,
    ThreadSummary,
    User,
)
from recollect.search.query import Ranked
from recollect.store.protocol import Transaction
from recollect.subjects import listing, lookups
from recollect.subjects.listing import ListedEntity
from recollect.subjects.lookups import Place

_ROLES: tuple[str, ...] = get_args(Role4)
_SAID_AS = {"nodes": "fact_triple"}


def user(found: User) -> users.User4:
    """A user."""
    return users.User4(
        uuid=found.uuid,
        user_id=found.user_id,
        graph_uuid=found.graph_uuid,
        email=found.email,
        first_name=found.first_name,
        last_name=found.last_name,
        metadata=found.metadata,
        time_zone=found.time_zone,
        disable_default_ontology=found.disable_default_ontology,
        created_at=found.created_at,
    )


def thread(found: Thread) -> threads.Thread4:
    """A thread."""
    return threads.Thread4(
        uuid=found.uuid,
        thread_id=found.thread_id,
        user_uuid=found.user_uuid,
        graph_uuid=found.graph_uuid,
        created_at=found.created_at,
        updated_at=found.updated_at,
    )


def _role(found: Episode) -> Any:
    """The role of who spoke; generation 4 has no word for none, and not for those of others."""
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


def graph(place: Place) -> graphs.Graph4:
    """A graph."""
    found = place.graph
    return graphs.Graph4(
        uuid=found.uuid,
        graph_id=place.graph_id,
        type="user" if found.kind == "user" else "standard",
        user_uuid=place.user_uuid,
        name=found.name,
        description=found.description,
        time_zone=found.time_zone,
        created_at=found.created_at,
        updated_at=found.updated_at,
    )


def episode(place: Place, found: Episode, said_in: Mapping[str, str]) -> graphs.Episode4:
    """An episode; *said_in* has the uuids of threads."""
    source: Any = _SAID_AS.get(found.kind, found.kind)
    return graphs.Episode4(
        uuid=found.uuid,
        graph_uuid=place.graph.uuid,
        user_uuid=place.user_uuid,
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


def episodes(
    tx: Transaction, access: Access, place: Place, found: Sequence[Episode]
) -> list[graphs.Episode4]:
    """Episodes of one graph."""
    said_in = lookups.threads_of(tx, access, found)
    return [episode(place, one, said_in) for one in found]


def node(place: Place, found: ListedEntity) -> knowledge.Node4:
    """A node with the episodes that mention it, none of them when they are too many."""
    entity = found.entity
    return knowledge.Node4(
        uuid=entity.uuid,
        graph_uuid=place.graph.uuid,
        user_uuid=place.user_uuid,
        name=entity.name,
        summary=entity.summary,
        labels=entity.labels,
        attributes=entity.attributes or {},
        episode_uuids=found.episodes or [],
        episode_uuids_truncated=found.episodes is None,
        degree=found.degree,
        created_at=entity.created_at,
    )


def nodes(
    tx: Transaction, access: Access, place: Place, found: Sequence[Entity]
) -> list[knowledge.Node4]:
    """Nodes of one graph."""
    return [node(place, one) for one in listing.with_episodes(tx, access, found)]


def edge(place: Place, found: Fact) -> knowledge.Edge4:
    """A fact."""
    return knowledge.Edge4(
        uuid=found.uuid,
        graph_uuid=place.graph.uuid,
        user_uuid=place.user_uuid,
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


def observation(place: Place, found: Observation) -> graphs.Observation4:
    """An observation."""
    return graphs.Observation4(
        uuid=found.uuid,
        graph_uuid=place.graph.uuid,
        user_uuid=place.user_uuid,
        name=found.name,
        summary=found.summary,
        labels=found.labels,
        attributes=found.attributes,
        episode_uuids=found.episodes,
        created_at=found.created_at,
    )


def thread_summary(
    place: Place, found: ThreadSummary, said_in: Mapping[str, str]
) -> graphs.ThreadSummary4:
    """What a thread was about."""
    return graphs.ThreadSummary4(
        uuid=found.uuid,
        graph_uuid=place.graph.uuid,
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
    tx: Transaction,
    access: Access,
    place: Place,
    hits: Sequence[Ranked[Any]],
    *,
    selected: bool = False,
) -> Results4:
    """What a search found, by kind in its order; *selected* gives each hit its place over all."""
    said_in = _threads_of_hits(tx, access, hits)
    entities = [hit.item for hit in hits if isinstance(hit.item, Entity)]
    listed = {one.entity.id: one for one in listing.with_episodes(tx, access, entities)}
    found = Results4(edges=[], nodes=[], episodes=[], observations=[], thread_summaries=[])
    for rank, hit in enumerate(hits, start=1):
        item: Any = hit.item
        kept: list[Any]
        shown: Any
        if isinstance(item, Fact):
            kept, shown = found.edges, edge(place, item)
        elif isinstance(item, Entity):
            kept, shown = found.nodes, node(place, listed[item.id])
        elif isinstance(item, Episode):
            kept, shown = found.episodes, episode(place, item, said_in)
        elif isinstance(item, Observation):
            kept, shown = found.observations, observation(place, item)
        else:
            kept, shown = found.thread_summaries, thread_summary(place, item, said_in)
        given = {"score": round(hit.score, 6), "relevance": hit.relevance}
        kept.append(replace(shown, **given, selection_rank=rank if selected else None))
    return found


def _threads_of_hits(
    tx: Transaction, access: Access, hits: Sequence[Ranked[Any]]
) -> dict[str, str]:
    ids = [getattr(hit.item, "thread_id", None) for hit in hits]
    return lookups.thread_uuids(tx, access, [id_ for id_ in ids if id_])
