"""Mem0: what `get_all` and exports answer, a list of short memories (repository mem0ai/mem0).

A memory of a user goes to that user's graph, one of an agent or a run to a graph of that name.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from recollect.exchange import found
from recollect.exchange.found import Found, Place, Skipped
from recollect.graph.types import NewEpisode

_NOWHERE = Skipped(reason="a memory that names no user, agent or run")
_OWN = ("agent_id", "run_id", "app_id", "actor_id")


def read(document: Any) -> Iterator[Found]:
    """Every memory of a document: a list, an answer with results, or one memory."""
    for record in found.items(document, "results", "memories"):
        yield _memory(record) if isinstance(record, Mapping) else found.UNKNOWN


def _memory(record: Mapping[str, Any]) -> Found:
    told = found.text(record, "memory", "text", "data")
    if told is None:
        return found.UNKNOWN
    user = found.text(record, "user_id")
    graph = found.text(record, "agent_id", "run_id", "app_id")
    if user is None and graph is None:
        return _NOWHERE
    place = Place(user=user) if user is not None else Place(graph=graph)
    return found.episode(place, record.get("id"), lambda: _episode(record, told))


def _episode(record: Mapping[str, Any], told: str) -> NewEpisode:
    own = {name: found.text(record, name) for name in _OWN}
    return NewEpisode(
        kind="text",
        content=told,
        source_description="mem0",
        metadata=found.metadata(record.get("metadata"), mem0_id=found.text(record, "id"), **own),
        created_at=found.moment(record, "created_at", "updated_at"),
    )
