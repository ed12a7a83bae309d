"""Helpers for tests of second readings: answers, and a view of the readings that wait."""

import json
from typing import Any

from msgspec.structs import replace

from recollect.derive import readings
from recollect.extract.brief import Brief, Extracted, ReaderKind
from recollect.graph.found import Found
from recollect.graph.types import Access, Episode
from recollect.graph.visibility import Constraint, Visibility, typed
from recollect.ingest import rereadings
from recollect.ingest.extractors import EmbeddedExtractor
from recollect.store.protocol import Store, Transaction
from tests.support import here


def likes(what: str = "chess", who: str = "Jane") -> dict[str, Any]:
    """A valid answer: someone likes something."""
    entities = [
        {
            "name": name,
            "known_id": None,
            "rename_to": None,
            "kind": kind,
            "label": None,
            "aliases": [],
            "attributes": [],
        }
        for name, kind in ((who, "person"), (what, "object"))
    ]
    fact = {
        "quote": None,
        "source": 0,
        "target": 1,
        "relation": "LIKES",
        "sentence": f"{who} likes {what}",
        "mood": "stated",
        "same_as": None,
        "replaces": [],
        "ends": [],
        "corrects": [],
        "stopped": False,
        "negated": False,
        "valid_at": None,
        "invalid_at": None,
        "event_time": None,
        "slot": None,
        "attributes": [],
        "rating": None,
    }
    return {"entities": entities, "facts": [fact]}


class HereEmbedded(EmbeddedExtractor):
    """The embedded reader in the test's own process, loaded once for all tests."""

    def __init__(self, *_: Any, **__: Any) -> None:
        self.predicates = here.extractor().predicates
        self.broken = ""

    async def extract(self, readings: Any) -> list[Extracted]:
        """What each episode says; fails on an episode that contains the word in *broken*."""
        if self.broken and any(self.broken in brief.content for brief in readings):
            raise RuntimeError("it broke")
        return here.extractor().embedded.read(list(readings))

    async def finish(self, reading: Brief, found: Found) -> Extracted:
        """Another reader's findings, rated and embedded."""
        return here.extractor().embedded.finish(reading, found)

    async def close(self) -> None:
        """Nothing to close."""


async def want(store: Store, episodes: list[Episode], reader: ReaderKind = "agent") -> None:
    """Request a second reading of episodes."""
    for episode in episodes:
        await store.write(rereadings.want, episode.id, reader, "a test wants it")


def waiting(tx: Transaction) -> dict[str, tuple[str, str, int]]:
    """Waiting and parked readings by the episode's content: the reader, the status and the attempts."""
    found = tx.rereadings.page(project_id=None, status=None, after=0, limit=10_000)
    said = {row.id: row.content for row in _episodes(tx, [r.episode_id for r in found])}
    return {said[r.episode_id]: (r.reader, r.status, r.attempts) for r in found}


def _episodes(tx: Transaction, ids: list[int]) -> list[Any]:
    return tx.episodes.by_ids(ids=json.dumps(ids))


def kept(tx: Transaction, episode: Episode) -> list[str] | None:
    """The sentences of an episode's reading; None if it has none."""
    found = readings.of_episode(tx, episode.id)
    return None if found is None else [fact.fact for fact in found.found.facts]


def narrowed(access: Access, **required: str) -> Access:
    """Access to the same project, restricted to objects with these metadata values."""
    wanted = tuple((key, frozenset({typed(value)})) for key, value in required.items())
    return replace(access, visibility=Visibility(allowed=(Constraint(required=wanted),)))
