"""MemMachine: what listing memories answers (repository MemMachine/MemMachine).

The episodes of a project of an organisation become a graph named after both. Semantic features
are not taken over: what they say is learned again from the episodes.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from recollect.exchange import found
from recollect.exchange.found import Found, Place, Skipped
from recollect.graph.types import ROLE_TYPES, NewEpisode

_DERIVED = Skipped(reason="a semantic feature: learned again from the episodes")
_NOWHERE = Skipped(reason="an episode without the key of its session")


def read(document: Any) -> Iterator[Found]:
    """Every episode and feature of an answer, of several, or of a plain list."""
    if isinstance(document, list):
        for item in document:
            yield from read(item)
        return
    content = document.get("content") if isinstance(document, Mapping) else None
    if isinstance(content, Mapping):
        yield from _answer(content)
    elif isinstance(document, Mapping):
        yield _record(document)
    else:
        yield found.UNKNOWN


def _answer(content: Mapping[str, Any]) -> Iterator[Found]:
    episodic = content.get("episodic_memory")
    terms = [episodic]
    if isinstance(episodic, Mapping):  # a search: by how long it is kept
        terms = [episodic.get(name) for name in ("long_term_memory", "short_term_memory")]
    for term in [*terms, content.get("semantic_memory")]:
        for record in [] if term is None else found.items(term, "episodes"):
            yield _record(record) if isinstance(record, Mapping) else found.UNKNOWN


def _record(record: Mapping[str, Any]) -> Found:
    if "feature_name" in record:
        return _DERIVED
    if "content" not in record or "producer_id" not in record:
        return found.UNKNOWN
    org, _, project = (found.text(record, "session_key") or "").partition("/")
    if not org or not project:
        return _NOWHERE
    place = Place(graph=f"{org}.{project}")
    return found.episode(place, record.get("uid"), lambda: _episode(record))


def _episode(record: Mapping[str, Any]) -> NewEpisode:
    producer = found.text(record, "producer_id")
    role = found.text(record, "producer_role")
    return NewEpisode(
        kind="message",
        content=found.text(record, "content") or "",
        role=role if role in ROLE_TYPES else "user",
        speaker=producer,
        producer=producer,
        addressee=found.text(record, "produced_for_id"),
        source_description="memmachine",
        metadata=found.metadata(
            record.get("metadata") or record.get("filterable_metadata"),
            memmachine_id=found.text(record, "uid"),
        ),
        created_at=found.moment(record, "created_at"),
    )
