"""Graphiti: episodic nodes as its models write them (repository getzep/graphiti).

Every group becomes a graph. Entities and facts are not taken over: they are learned again from
the episodes, which is told.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from recollect.exchange import found
from recollect.exchange.found import Found, Place, Skipped
from recollect.graph.types import EpisodeKind, NewEpisode

_DERIVED = Skipped(reason="an entity, a fact or a community: learned again from the episodes")
_KINDS: Mapping[str, EpisodeKind] = {"message": "message", "json": "json", "text": "text"}
_GROUP = "default"  # what Graphiti calls nothing


def read(document: Any) -> Iterator[Found]:
    """Every node and edge of a document: lists under their names, one list, or one of them."""
    names = ("episodes", "episodic_nodes", "nodes", "edges", "entity_nodes", "entity_edges")
    for record in found.items(document, *names, "episodic_edges", "communities"):
        yield _record(record) if isinstance(record, Mapping) else found.UNKNOWN


def _record(record: Mapping[str, Any]) -> Found:
    if "content" in record and ("source" in record or "valid_at" in record):
        place = Place(graph=found.text(record, "group_id") or _GROUP)
        return found.episode(place, record.get("uuid"), lambda: _episode(record))
    if "fact" in record or "source_node_uuid" in record or "summary" in record:
        return _DERIVED
    return found.UNKNOWN


def _episode(record: Mapping[str, Any]) -> NewEpisode:
    return NewEpisode(
        kind=_KINDS.get(str(record.get("source")), "text"),
        content=found.text(record, "content") or "",
        source_description=found.text(record, "source_description"),
        metadata=found.metadata(
            None,
            graphiti_id=found.text(record, "uuid"),
            graphiti_name=found.text(record, "name"),
        ),
        created_at=found.moment(record, "valid_at", "created_at"),
    )
