"""Drives a conversation through intake, queue, extractor, reconciliation and store, in process."""

import asyncio
import tempfile
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Literal

from recollect.clock import Clock
from recollect.governance import keys
from recollect.graph.types import Access, Entity, Episode, Fact, Graph, NewEpisode
from recollect.ingest import intake
from recollect.records import graphs, guidance, knowledge, threads, users
from recollect.records.graphs import GraphDetails
from recollect.records.guidance import Ontology, Targets
from recollect.records.pages import PageRequest
from recollect.records.users import UserDetails
from recollect.store.protocol import Store, Transaction
from tests.contract.store.world import SEES_ALL
from tests.support import here
from tests.support.stores import open_store

LEARNED = datetime(2025, 6, 1, 12, 0, tzinfo=UTC)
_EVERYTHING = PageRequest(order="uuid/asc", limit=1_000)
_EPISODES_MAX = 1_000


@dataclass(frozen=True)
class Input:
    """One thing to remember. With a *thread* it is a message there, without one it is data."""

    content: str
    at: datetime
    kind: Literal["message", "text", "json"] = "message"
    role: str | None = None
    speaker: str | None = None
    thread: str | None = None
    ignored: bool = False

    def episode(self) -> NewEpisode:
        return NewEpisode(
            kind=self.kind,
            content=self.content,
            role=self.role,
            speaker=self.speaker,
            ignored=self.ignored,
            created_at=self.at,
        )


@dataclass(frozen=True)
class Story:
    """A memory to be built: whose it is, and what goes in, in order. No user: a shared graph."""

    inputs: tuple[Input, ...]
    user_id: str | None = None
    first_name: str | None = None
    last_name: str | None = None
    email: str | None = None
    ontology: Ontology | None = None


@dataclass(frozen=True)
class Learned:
    """What the graph holds afterwards. Facts about the user's account here are left out."""

    entities: list[Entity]
    facts: list[Fact]
    episodes: dict[str, list[Episode]] = field(default_factory=dict)

    def named(self, name: str) -> Entity:
        found = [entity for entity in self.entities if entity.name == name]
        assert len(found) == 1, f"{name!r} among {sorted(e.name for e in self.entities)}"
        return found[0]


@dataclass
class _Clock:
    """Goes on a little with each look, so that what is learned later is later."""

    moment: datetime = LEARNED

    def __call__(self) -> datetime:
        self.moment += timedelta(milliseconds=1)
        return self.moment


@cache
def learned(story: Story) -> Learned:
    """The graph that a story leads to; each story is told once."""
    return asyncio.run(_tell(story))


async def _tell(story: Story) -> Learned:
    with tempfile.TemporaryDirectory() as folder:
        clock: Clock = _Clock()
        store = open_store(Path(folder), readers=1, clock=clock)
        try:
            return await _told(store, story)
        finally:
            await store.close()


async def _told(store: Store, story: Story) -> Learned:
    project = await store.write(keys.create_project, "golden")
    access = Access(project_id=project.id, project_uuid=project.uuid, key_uuid="")
    graph = await _graph(store, access, story)
    if story.ontology is not None:
        await store.write(guidance.set_ontology, access, Targets(), story.ontology)
    seeded = {fact.uuid for fact in (await store.read(_read, graph))[1]}
    for item in story.inputs:
        await _remember(store, access, story, item)
    await here.learn(store)
    entities, facts, episodes = await store.read(_read, graph)
    return Learned(entities, [fact for fact in facts if fact.uuid not in seeded], episodes)


async def _graph(store: Store, access: Access, story: Story) -> Graph:
    if story.user_id is None:
        return await store.write(graphs.create, access, "shared", GraphDetails())
    details = UserDetails(first_name=story.first_name, last_name=story.last_name, email=story.email)
    await store.write(users.create, access, story.user_id, details)
    for thread in dict.fromkeys(item.thread for item in story.inputs if item.thread):
        await store.write(threads.create, access, thread, story.user_id)
    return await store.read(graphs.of_user, access, story.user_id)


async def _remember(store: Store, access: Access, story: Story, item: Input) -> None:
    episode = item.episode()
    if item.thread is not None:
        await store.write(intake.add_messages, access, item.thread, [episode])
    elif story.user_id is not None:
        await store.write(intake.add_episodes, access, story.user_id, None, [episode])
    else:
        await store.write(intake.add_episodes, access, None, "shared", [episode])


def _read(
    tx: Transaction, graph: Graph
) -> tuple[list[Entity], list[Fact], dict[str, list[Episode]]]:
    entities = knowledge.entities_page(tx, SEES_ALL, graph, _EVERYTHING).items
    facts = knowledge.facts_page(tx, SEES_ALL, graph, _EVERYTHING).items
    episodes = {
        entity.name: knowledge.episodes_of_entity(tx, SEES_ALL, entity, _EPISODES_MAX)
        for entity in entities
    }
    return entities, facts, episodes
