"""A few episodes of two classes, and everything that can rest on them, for tests of visibility."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from recollect.graph.types import Access, Episode, Graph, Json, NewEpisode, Thread
from recollect.graph.visibility import Constraint, Visibility, typed
from recollect.ingest import intake
from recollect.records import graphs, threads, users
from recollect.records.users import UserDetails
from recollect.store import rows
from recollect.store.protocol import Store, Transaction
from tests.contract.store.world import insert_entity, insert_fact

PUBLIC: Json = {"class": "public"}
SECRET: Json = {"class": "secret"}


def wanting(subset: bool = False, **values: Any) -> Constraint:
    """A constraint on keys, each with one value or a list of them."""
    required = tuple(
        (key, frozenset(typed(v) for v in (given if isinstance(given, list) else [given])))
        for key, given in values.items()
    )
    return Constraint(required=required, subset=subset)


# Everything that a public episode stands behind, among others.
TOUCHED_BY_PUBLIC = Visibility(allowed=(wanting(subset=True, **{"class": "public"}),))
ONLY_PUBLIC = Visibility(allowed=(wanting(**{"class": "public"}),))
NOT_SECRET = Visibility(denied=(wanting(subset=True, **{"class": "secret"}),))


def seen_by(access: Access, visibility: Visibility | None) -> Access:
    """The same asker with another visibility."""
    return Access(
        project_id=access.project_id,
        project_uuid=access.project_uuid,
        key_uuid=access.key_uuid,
        visibility=visibility,
    )


@dataclass
class World:
    """The graph of the user ann with a thread `t`; episodes, entities and facts by name."""

    store: Store
    access: Access
    graph: Graph
    thread: Thread
    episodes: dict[str, Episode] = field(default_factory=dict)
    entities: dict[str, int] = field(default_factory=dict)
    facts: dict[str, str] = field(default_factory=dict)
    uuids: dict[str, str] = field(default_factory=dict)

    async def say(self, **said: Json | None) -> None:
        """Messages of the thread: their words with underscores, and their metadata."""
        new = [
            NewEpisode(kind="message", content=_words(name), role="user", metadata=metadata)
            for name, metadata in said.items()
        ]
        receipt = await self.store.write(
            intake.add_messages, self.access, self.thread.thread_id, new
        )
        for name, uuid in zip(said, receipt.uuids, strict=True):
            row = await self.store.read(_row, uuid, self.access.project_id)
            self.episodes[name] = rows.episode(row)

    async def know(self, name: str, *episodes: str, attributes: Json | None = None) -> None:
        """An entity that episodes mention."""

        def write(tx: Transaction) -> None:
            number = insert_entity(tx, self.graph.id, _words(name), self._those(episodes))
            row = tx.entities.by_id(id=number)
            assert row is not None
            tx.entities.update(
                id=number,
                name=row.name,
                labels=row.labels,
                summary=f"What is told of {_words(name)}.",
                attributes=rows.to_json(attributes),
            )
            self.entities[name], self.uuids[name] = number, row.uuid

        await self.store.write(write)

    async def join(self, source: str, target: str, sentence: str, *episodes: str) -> str:
        """A fact between two entities that episodes support; its uuid."""
        ends = (self.entities[source], self.entities[target])
        uuid = await self.store.write(
            insert_fact, self.graph.id, ends, sentence, self._those(episodes)
        )
        self.facts[sentence] = uuid
        return uuid

    def _those(self, names: Sequence[str]) -> list[Episode]:
        return [self.episodes[name] for name in names]


def _words(name: str) -> str:
    return name.replace("_", " ")


def _row(tx: Transaction, uuid: str, project_id: int) -> Any:
    return tx.episodes.by_uuid(uuid=uuid, project_id=project_id)


async def new_world(store: Store, access: Access) -> World:
    """A world in which nothing was said yet."""
    await store.write(users.create, access, "ann", UserDetails(first_name="Ann"))
    thread = await store.write(threads.create, access, "t", "ann")
    graph = await store.read(graphs.of_user, access, "ann")
    made = World(store, access, graph, thread)
    node = await store.read(users.node, access, "ann")
    made.entities["Ann"], made.uuids["Ann"] = node.id, node.uuid
    return made
