"""Things to tell, made up for the tests of blocks."""

from datetime import UTC, datetime, timedelta
from typing import Any

from recollect.graph.types import Entity, Episode, Fact, Observation, ThreadSummary
from recollect.search.query import Hit

NOW = datetime(2025, 6, 1, 12, 0, tzinfo=UTC)


def day(number: int) -> datetime:
    """The n-th day of 2025, as counted from zero."""
    return datetime(2025, 1, 1, tzinfo=UTC) + timedelta(days=number)


def a_fact(number: int, text: str = "", **fields: Any) -> Fact:
    """A fact that holds since its day."""
    known: dict[str, Any] = {
        "id": number,
        "uuid": f"fact-{number}",
        "graph_id": 1,
        "name": "KNOWS",
        "fact": text or f"fact number {number}",
        "source_uuid": "jane",
        "source_name": "Jane",
        "source_labels": ["Entity"],
        "target_uuid": f"other-{number}",
        "target_name": f"Other {number}",
        "target_labels": ["Entity"],
        "created_at": NOW,
        "valid_at": day(number),
    }
    return Fact(**{**known, **fields})


def an_entity(number: int, summary: str = "", **fields: Any) -> Entity:
    """An entity with a summary."""
    known: dict[str, Any] = {
        "id": number,
        "uuid": f"other-{number}",
        "graph_id": 1,
        "name": f"Other {number}",
        "labels": ["Entity", "Person"],
        "summary": summary or f"what is known of {number}",
        "created_at": day(number),
    }
    return Entity(**{**known, **fields})


def an_episode(number: int, content: str = "", **fields: Any) -> Episode:
    """A message that Jane wrote on its day."""
    known: dict[str, Any] = {
        "id": number,
        "uuid": f"episode-{number}",
        "graph_id": 1,
        "seq": number,
        "kind": "message",
        "content": content or f"message number {number}",
        "role": "user",
        "speaker": "Jane",
        "created_at": day(number),
        "received_at": NOW,
    }
    return Episode(**{**known, **fields})


def an_observation(number: int, summary: str = "", **fields: Any) -> Observation:
    """A pattern that goes on since its day."""
    known: dict[str, Any] = {
        "id": number,
        "uuid": f"observation-{number}",
        "graph_id": 1,
        "name": f"pattern {number}",
        "summary": summary or f"pattern number {number}",
        "labels": ["Observation"],
        "start_at": day(number),
        "created_at": NOW,
    }
    return Observation(**{**known, **fields})


def a_thread_summary(number: int, summary: str = "", **fields: Any) -> ThreadSummary:
    """What a thread was about."""
    known: dict[str, Any] = {
        "id": number,
        "uuid": f"summary-{number}",
        "graph_id": 1,
        "thread_id": f"thread-{number}",
        "summary": summary or f"talk number {number}",
        "created_at": NOW,
        "updated_at": NOW,
        "covered_at": day(number),
    }
    return ThreadSummary(**{**known, **fields})


def hits_of(**kinds: Any) -> list[Hit[Any]]:
    """Hits of several kinds, one kind after the other."""
    return [hit for hits in kinds.values() for hit in hits]
