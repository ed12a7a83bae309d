"""Every episode that names a known thing is associated with it, whether it says anything of it."""

from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from recollect.extract.brief import Brief, Extracted
from recollect.governance import policies
from recollect.graph import policy_spec, predicates
from recollect.graph.found import Found, FoundEntity, Nodes, encode_direct, read_direct
from recollect.graph.types import DIRECT_KINDS, Access, NewEpisode
from recollect.ingest import intake
from recollect.records import episodes, graphs, knowledge
from recollect.records.graphs import GraphDetails
from recollect.records.knowledge import EntityChange
from recollect.records.pages import PageRequest
from recollect.store.protocol import Store
from tests.contract.store.world import new_project
from tests.support import here
from tests.support.stores import open_store, raw

PAUL = FoundEntity(name="Paul Atreides", kind="person", aliases=("Muad'Dib",))
SENTENCES = {
    "Someone broke Paul's guitar.": {"Paul Atreides", "guitar"},
    "What about the jazz?": {"jazz"},
    "According to Paul, rain is coming.": {"Paul Atreides"},
    "Hm.": set(),
    "No idea what Muad'Dib would say.": {"Paul Atreides"},
    "Paul Atreides, no less!": {"Paul Atreides"},
    "how is paul doing?": {"Paul Atreides"},
    "Jazz again tonight?": {"jazz"},
    "The guitar, please.": {"guitar"},
    "Ask them at the Green Leaf Cafe.": {"Green Leaf Cafe"},
    "green leaf cafe or somewhere else?": {"Green Leaf Cafe"},
    "Is that Paul over there with the guitar?": {"Paul Atreides", "guitar"},
    "That was Will, I think.": {"Will"},
    "Will you be there?": set(),
    "It will be fun.": set(),
    "Have you seen Paul Newman lately?": set(),
    "I love the Utah Jazz.": set(),
    "To guitar or not to guitar.": set(),
    "Thanks, bye!": set(),
    "Where do Will and Paul meet?": {"Paul Atreides", "Will"},
}


class Deaf:
    """Reads what callers wrote down as knowledge, and finds nothing in any text."""

    together = 4
    wants_known = False
    predicates = predicates.load()

    async def extract(self, readings: Sequence[Brief]) -> list[Extracted]:
        """What each episode says, in order."""
        found = [
            read_direct(one.kind, one.content) if one.kind in DIRECT_KINDS else Found()
            for one in readings
        ]
        return [Extracted(found=one, fact_vectors=(None,) * len(one.facts)) for one in found]

    async def close(self) -> None:
        """Nothing to let go of."""


class World:
    """A graph `g` that is told things."""

    def __init__(self, store: Store, access: Access) -> None:
        self.store = store
        self.access = access

    async def knows(self, *entities: FoundEntity, **metadata: Any) -> None:
        """Somebody writes nodes down."""
        await self.says(encode_direct(Nodes(nodes=entities)), kind="nodes", **metadata)

    async def says(self, *contents: str, kind: Any = "text", **metadata: Any) -> None:
        """Episodes, added together and read."""
        new = [NewEpisode(kind=kind, content=one, metadata=metadata or None) for one in contents]
        await self.store.write(intake.add_episodes, self.access, None, "g", new)
        await here.learn(self.store, Deaf())

    async def named(self) -> dict[str, set[str]]:
        """Which entities each text is associated with."""

        def ask(tx: Any) -> list[Any]:
            return list(
                raw(tx).execute(
                    "SELECT e.content, n.name FROM episodes e LEFT JOIN mentions m"
                    " ON m.episode_id = e.id LEFT JOIN entities n ON n.id = m.entity_id"
                    " WHERE e.kind <> 'nodes'",
                    (),
                )
            )

        found: dict[str, set[str]] = {}
        for content, name in await self.store.read(ask):
            found.setdefault(content, set()).update([name] if name else [])
        return found

    async def fold(self) -> None:
        """Fold the graph from its beginning."""
        graph = await self.store.read(graphs.get, self.access, "g")
        await here.fold(self.store, graph.id)

    async def rename(self, name: str, other: str) -> None:
        """Somebody gives an entity another name by hand."""
        graph = await self.store.read(graphs.get, self.access, "g")
        page = PageRequest(order="uuid/asc", limit=100)
        found = await self.store.read(knowledge.entities_page, self.access, graph, page)
        (uuid,) = (item.uuid for item in found.items if item.name == name)
        change = EntityChange(name=other)
        await self.store.write(knowledge.update_entity, self.access, uuid, change)

    async def guard(self, key: str) -> None:
        """A policy that asks for a key of metadata."""
        rule = {"id": "r", "type": "authorization", "effect": "allow", "actions": ["graph.search"]}
        rules = [rule | {"attributes": {key: ["red"]}}]
        whole = {"policy_set": {"name": "s", "spec": {"policies": rules}}}
        document = policy_spec.check(whole, frozenset({"graph.search"}))
        await self.store.write(policies.apply, self.access.project_id, document)


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    """An empty graph."""
    store = open_store(tmp_path, readers=1)
    access = await new_project(store, "first")
    await store.write(graphs.create, access, "g", GraphDetails())
    yield World(store, access)
    await store.close()


async def test_plain_sentences_name_whom_they_name(world: World) -> None:
    """Guide "Episode metadata projection", "How episodes associate": every episode that mentions an
    entity; the same when the graph is folded again."""
    await world.knows(PAUL)
    for name in ("guitar", "jazz", "Green Leaf Cafe"):
        await world.knows(FoundEntity(name=name))
    await world.knows(FoundEntity(name="Will", kind="person"))
    await world.says(*SENTENCES)
    assert await world.named() == SENTENCES
    await world.fold()
    assert await world.named() == SENTENCES


async def test_a_first_name_of_two_names_nobody(world: World) -> None:
    """A full name still does."""
    await world.knows(PAUL)
    await world.knows(FoundEntity(name="Paul Simon", kind="person"))
    said = {"What does Paul think?": set[str](), "What does Paul Simon think?": {"Paul Simon"}}
    await world.says(*said)
    assert await world.named() == said


async def test_the_strings_of_a_document_name_people(world: World) -> None:
    """Its keys do not."""
    await world.knows(PAUL)
    await world.knows(FoundEntity(name="owner"))
    text = '{"owner": {"id": 7}, "notes": ["seen by Paul"]}'
    await world.says(text, kind="json")
    assert await world.named() == {text: {"Paul Atreides"}}


async def test_what_becomes_known_later_is_named_from_then_on(world: World) -> None:
    """An episode is held against what was known before it."""
    await world.says("What about the jazz?")
    await world.knows(FoundEntity(name="jazz"))
    await world.says("More jazz!")
    expected = {"What about the jazz?": set[str](), "More jazz!": {"jazz"}}
    assert await world.named() == expected
    await world.fold()
    assert await world.named() == expected


async def test_a_name_given_by_hand_counts_from_then_on(world: World) -> None:
    """Between two episodes that are folded together it comes when it came."""
    await world.knows(PAUL)
    await world.says("Is Usul in?", "Muad'Dib is.")
    await world.rename("Paul Atreides", "Usul")
    await world.says("Was it Usul?", "Not a word of Muad'Dib.")
    expected = {
        "Is Usul in?": set[str](),
        "Muad'Dib is.": {"Usul"},
        "Was it Usul?": {"Usul"},
        "Not a word of Muad'Dib.": {"Usul"},
    }
    assert await world.named() == expected
    await world.fold()
    assert await world.named() == expected


async def test_nobody_is_named_across_a_wall(world: World) -> None:
    """A key that sees red alone must not learn from a red question who is known to the blue."""
    await world.guard("team")
    await world.knows(PAUL, team="blue")
    await world.knows(FoundEntity(name="jazz"), team="red")
    await world.says("Does Paul like jazz?", team="red")
    await world.says("Does Paul like jazz, too?", team="blue")
    expected = {"Does Paul like jazz?": {"jazz"}, "Does Paul like jazz, too?": {"Paul Atreides"}}
    assert await world.named() == expected
    await world.fold()
    assert await world.named() == expected


async def test_who_is_known_on_both_sides_is_named_by_names_of_the_own_side(world: World) -> None:
    """Another name that only the other side uses tells nothing."""
    await world.guard("team")
    await world.knows(FoundEntity(name="Paul Atreides", kind="person"), team="red")
    await world.knows(PAUL, team="blue")
    await world.says("Any word from Paul Atreides?", "Any word from Muad'Dib?", team="red")
    assert await world.named() == {
        "Any word from Paul Atreides?": {"Paul Atreides"},
        "Any word from Muad'Dib?": set(),
    }


async def test_a_wall_that_is_moved_is_heeded(world: World) -> None:
    """Other metadata of an episode, and the graph is folded with it."""
    await world.guard("team")
    await world.knows(FoundEntity(name="jazz"), team="red")
    await world.says("What about the jazz?", team="red")
    text = "What about the jazz?"
    assert await world.named() == {text: {"jazz"}}
    graph = await world.store.read(graphs.get, world.access, "g")
    (episode,) = await world.store.read(episodes.last, world.access, graph, 1)
    blue = {"team": "blue"}
    await world.store.write(episodes.update_metadata, world.access, episode.uuid, blue)
    await here.settle(world.store, graph.id)
    assert await world.named() == {text: set()}
