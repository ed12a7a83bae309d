"""What store tests share: clocks that stand still, ids that count, and a few small inputs."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

from recollect.clock import Clock
from recollect.governance import keys
from recollect.graph.terms import packed, terms
from recollect.graph.types import DIRECT_KINDS, Access, Episode, Json, NewEpisode
from recollect.ids import Ids
from recollect.ingest import intake, pipeline, queue
from recollect.ingest.intake import Receipt
from recollect.limits import INTEGER_MAX
from recollect.records import episodes, graphs, threads, users
from recollect.records.graphs import GraphDetails
from recollect.records.users import UserDetails
from recollect.store import numbers, rows
from recollect.store.protocol import Store, Transaction
from recollect.store.queries.index import IndexRowsBetweenRow

START = datetime(2024, 5, 1, 10, 0, tzinfo=UTC)
# For reads of a graph that is in hand already.
SEES_ALL = Access(project_id=0, project_uuid="", key_uuid="")


@dataclass
class StillClock:
    """A clock that moves only when told to."""

    moment: datetime = START

    def __call__(self) -> datetime:
        return self.moment

    def advance(self, seconds: float) -> None:
        """Let time pass."""
        self.moment += timedelta(seconds=seconds)


@dataclass
class CountingIds:
    """Well-formed ids that count 1, 2, 3."""

    _numbers: Any = field(default_factory=lambda: count(1))

    def __call__(self) -> str:
        return f"00000000-0000-7000-8000-{next(self._numbers):012x}"


@dataclass(frozen=True)
class Backend:
    """One kind of store: how to open it on a place of its own, and the queries it knows."""

    name: str
    open: Callable[[Path, Clock, Ids | None], Store]
    query_names: Callable[[], frozenset[str]]


class Refused(Exception):
    """What a test's unit raises on purpose."""


async def new_project(store: Store, name: str) -> Access:
    """A project of its own, and what a key to it would be worth."""
    project = await store.write(keys.create_project, name)
    return Access(project_id=project.id, project_uuid=project.uuid, key_uuid="")


def text(content: str, **more: Any) -> NewEpisode:
    """A piece of text to remember."""
    return NewEpisode(kind="text", content=content, **more)


def message(content: str, *, ignored: bool = False, metadata: Json | None = None) -> NewEpisode:
    """Something a user said."""
    return NewEpisode(
        kind="message",
        content=content,
        role="user",
        speaker="Jane",
        ignored=ignored,
        metadata=metadata,
    )


async def new_user(store: Store, access: Access, user_id: str, **details: Any) -> users.User:
    """A user, by default with nothing said about them."""
    return await store.write(users.create, access, user_id, UserDetails(**details))


async def new_thread(store: Store, access: Access, thread_id: str, user_id: str) -> threads.Thread:
    """A thread of a user who exists."""
    return await store.write(threads.create, access, thread_id, user_id)


async def new_graph(store: Store, access: Access, graph_id: str, **details: Any) -> graphs.Graph:
    """A standalone graph."""
    return await store.write(graphs.create, access, graph_id, GraphDetails(**details))


@dataclass(frozen=True)
class Stored:
    """What a receipt speaks of, read back."""

    episodes: list[Episode]
    task_uuid: str | None


def read_back(tx: Transaction, access: Access, receipt: Receipt) -> Stored:
    """The episodes of a receipt."""
    found = [episodes.get(tx, access, uuid) for uuid in receipt.uuids]
    return Stored(found, receipt.task_uuid)


async def stored(store: Store, access: Access, receipt: Receipt) -> Stored:
    """The episodes of a receipt."""
    return await store.read(read_back, access, receipt)


async def add_text(store: Store, access: Access, graph_id: str, *contents: str) -> Stored:
    """Texts for a standalone graph, in one call."""
    receipt = await store.write(
        intake.add_episodes, access, None, graph_id, [text(content) for content in contents]
    )
    return await stored(store, access, receipt)


async def add_messages(store: Store, access: Access, thread_id: str, *contents: str) -> Stored:
    """Messages for a thread, in one call."""
    receipt = await store.write(
        intake.add_messages, access, thread_id, [message(content) for content in contents]
    )
    return await stored(store, access, receipt)


async def work(store: Store) -> int:
    """Process everything that is due, as a worker would; says how many jobs ran."""
    done = 0
    while (held := await store.write(queue.claim, "me")) is not None:
        await pipeline.process(store, held, held.jobs)
        await store.write(queue.release, held)
        done += len(held.jobs)
    return done


Place = tuple[str, int]  # the kind of an item and its row id


def index_rows(tx: Transaction, graph_id: int, since: int = 0) -> list[IndexRowsBetweenRow]:
    """The rows of a graph's index that changed after a version, in their order."""
    return tx.index.rows_between(graph_id=graph_id, since=since, until=INTEGER_MAX)


def index_items(tx: Transaction, graph_id: int) -> dict[Place, bytes | None]:
    """What the index says of each item of a graph; None for what is gone."""
    found = index_rows(tx, graph_id)
    items = {(row.item_kind, row.item_id): row.terms for row in found}
    assert len(items) == len(found)
    return items


def packed_words(words: str) -> bytes:
    """What the index holds of a text."""
    return packed(terms(words))


_READ_BY_IDS: dict[str, Callable[[Transaction], Callable[..., Sequence[Any]]]] = {
    "episode": lambda tx: tx.episodes.by_ids,
    "fact": lambda tx: tx.facts.told_by_ids,
    "entity": lambda tx: tx.entities.by_ids,
}


def findable(tx: Transaction, graph_id: int, *kinds: str) -> set[str]:
    """The uuids of the items of a graph that a search could find: all of them, or some kinds."""
    uuids: set[str] = set()
    for kind in kinds or _READ_BY_IDS:
        found = index_items(tx, graph_id).items()
        ids = [number for (of, number), held in found if of == kind and held is not None]
        known = _READ_BY_IDS[kind](tx)(ids=rows.to_json(ids))
        assert {row.graph_id for row in known} <= {graph_id}
        assert len(known) == len(ids)
        hidden = {
            row.id
            for row in known
            if kind == "episode" and (row.ignored or row.kind in DIRECT_KINDS)
        }
        uuids |= {row.uuid for row in known if row.id not in hidden}
    return uuids


def insert_entity(tx: Transaction, graph_id: int, name: str, episodes: Sequence[Episode]) -> int:
    """An entity that *episodes* mention; says its row id."""
    entity_id = tx.entities.insert(
        side="",
        **numbers.of_graph(graph_id),
        uuid=tx.new_id(),
        graph_id=graph_id,
        name=name,
        labels=rows.to_json(["Entity"]),
        summary="",
        attributes=None,
        is_user=False,
        is_assistant=False,
        kind=None,
        names=rows.to_json([name]),
        now=rows.micros(tx.now),
    )
    for episode in episodes:
        tx.links.mentions_add(pairs=rows.to_json([(entity_id, episode.id)]))
    return entity_id


def insert_fact(
    tx: Transaction,
    graph_id: int,
    ends: tuple[int, int],
    sentence: str,
    episodes: Sequence[Episode],
    *,
    valid_at: datetime | None = None,
    invalid_at: datetime | None = None,
    expired_at: datetime | None = None,
) -> str:
    """A fact between two entities that *episodes* support; says its uuid."""
    uuid = tx.new_id()
    fact_id = tx.facts.insert(
        side="",
        **numbers.of_graph(graph_id),
        uuid=uuid,
        graph_id=graph_id,
        source_id=ends[0],
        target_id=ends[1],
        name="KNOWS",
        fact=sentence,
        attributes=None,
        rating=None,
        created_at=rows.micros(tx.now),
        expired_at=rows.micros_or_none(expired_at),
        valid_at=rows.micros_or_none(valid_at),
        invalid_at=rows.micros_or_none(invalid_at),
        predicate="KNOWS",
        gist=sentence,
        negated=False,
        ends=False,
        slot=None,
        confidence=1.0,
        extractor="test",
        event_at=None,
    )
    for episode in episodes:
        tx.links.support_insert(
            fact_id=fact_id,
            episode_id=episode.id,
            role="states",
            span_start=None,
            span_end=None,
        )
    return uuid
