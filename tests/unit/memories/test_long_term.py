"""What the long-term memory recalls: hits with their surroundings, in time order, as allowed."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from recollect.episodic_memory import long_term
from recollect.episodic_memory.settings import MemoryQuery
from recollect.graph.episode_filters import EpisodeTest, EpisodeTree
from recollect.graph.filters import Filters
from recollect.graph.types import Access, Episode, Graph, NewEpisode
from recollect.graph.visibility import Constraint, Visibility, typed
from recollect.ingest import intake
from recollect.records import graphs
from recollect.search.finder import Finder
from recollect.search.query import Hit, Query
from recollect.search.segments import Segments
from recollect.settings import Settings
from recollect.store.protocol import Store
from tests.contract.store.world import (
    add_messages,
    new_graph,
    new_project,
    new_thread,
    new_user,
    work,
)
from tests.support.stores import open_store

START = datetime(2024, 3, 1, 9, 0, tzinfo=UTC)
NOW = datetime(2024, 9, 1, tzinfo=UTC)
# Twelve remarks; two of them are about an animal, far enough apart to lend each other no words.
SAID = (
    "Good morning to everybody.",
    "The bakery round the corner has closed.",
    "Tomorrow the plumber comes.",
    "We ran out of coffee.",
    "At the zoo I saw a zebra.",
    "Really? How old was it?",
    "Three years, the keeper told me.",
    "My bicycle needs a new chain.",
    "The train was late again.",
    "I painted the fence green.",
    "There is a zebra crossing near the school where children cross.",
    "Good night.",
)
ZEBRA, CROSSING = 4, 10


@dataclass(frozen=True)
class World:
    """A graph of memory clients, and what its long-term memory recalls."""

    store: Store
    finder: Finder
    access: Access
    graph: Graph

    async def ask(
        self,
        text: str,
        *,
        without: Sequence[str] = (),
        visibility: Visibility | None = None,
        **more: Any,
    ) -> tuple[Hit[Episode], ...]:
        """What is recalled for a question."""
        return await long_term.search(
            self.finder,
            self.store,
            replace(self.access, visibility=visibility),
            self.graph,
            MemoryQuery(text=text, now=NOW, **more),
            without=without,
        )

    async def places(self, text: str, **more: Any) -> list[int]:
        """The numbers of the remarks that are recalled, in the order they are told."""
        return [one.item.seq - 1 for one in await self.ask(text, **more)]

    async def add(self, *episodes: NewEpisode) -> list[str]:
        """Take in what was said, and make it findable."""
        receipt = await self.store.write(
            intake.add_entries, self.access, "standalone", self.graph.graph_id, episodes
        )
        await work(self.store)
        return receipt.uuids


def remark(number: int, content: str, **more: Any) -> NewEpisode:
    """Something that a memory client adds, a minute after what was said before it."""
    at = START + timedelta(minutes=number)
    return NewEpisode(
        **{"kind": "message", "content": content, "producer": "ann", "created_at": at} | more
    )


@asynccontextmanager
async def opened(folder: Path) -> AsyncIterator[World]:
    """An empty graph."""
    store = open_store(folder)
    segments = Segments(store, bytes_max=10**9)
    access = await new_project(store, "p")
    graph = await new_graph(store, access, "notes")
    try:
        yield World(store, Finder(store, segments, Settings().models), access, graph)
    finally:
        await segments.close()
        await store.close()


@pytest.fixture
async def empty(tmp_path: Path) -> AsyncIterator[World]:
    """A graph that nothing was said in."""
    async with opened(tmp_path / "one") as world:
        yield world


@pytest.fixture
async def world(empty: World) -> World:
    """The graph with all remarks in it."""
    await empty.add(*(remark(number, content) for number, content in enumerate(SAID)))
    return empty


@pytest.mark.parametrize("limit", [1, 2, 5, 20])
async def test_without_neighbours_it_recalls_the_best_of_the_search(
    world: World, limit: int
) -> None:
    for text in ("a zebra at the zoo", "children at school", "coffee or bread", "a green fence"):
        query = Query(text=text, kind="episode", now=NOW, limit=limit)
        best = await world.finder.find(world.access, world.graph, query)
        recalled = await world.ask(text, limit=limit)
        assert {one.item.uuid: one.score for one in recalled} == {
            one.item.uuid: one.score for one in best
        }
        assert recalled == tuple(sorted(recalled, key=lambda one: one.item.created_at))


async def test_a_third_of_the_context_is_what_was_said_before(world: World) -> None:
    assert await world.places("zoo", limit=4, expand=3) == [3, 4, 5, 6]
    assert await world.places("zoo", limit=7, expand=6) == [2, 3, 4, 5, 6, 7, 8]
    assert await world.places("zoo", limit=2, expand=1) == [4, 5]


async def test_no_more_neighbours_than_there_is_room_for(world: World) -> None:
    assert await world.places("zoo", limit=1, expand=50) == [ZEBRA]
    assert await world.places("zoo", limit=4, expand=50) == [3, 4, 5, 6]


async def test_what_stands_at_an_end_has_fewer_neighbours(world: World) -> None:
    found = await world.ask("night", limit=4, expand=3)
    best = max(one.score for one in found)
    assert [one.item.seq - 1 for one in found if one.score == best] == [10, 11]


async def test_the_best_context_is_told_whole_before_the_next_begins(world: World) -> None:
    found = await world.places("At the zoo a zebra", limit=5, expand=3)
    assert set(found) > {3, 4, 5, 6}
    assert len(found) == 5


async def test_all_of_a_context_have_its_score(world: World) -> None:
    found = await world.ask("zoo", limit=4, expand=3)
    assert len({one.score for one in found}) == 1
    alone = await world.ask("zoo", limit=1)
    assert found[0].score < alone[0].score  # what surrounds it fits less well than it does


async def test_a_context_below_the_least_score_is_left_out(world: World) -> None:
    every = await world.ask("a zebra at the zoo", limit=12)
    scores = sorted((one.score for one in every), reverse=True)
    kept = await world.ask("a zebra at the zoo", limit=12, score_min=scores[1])
    assert {one.score for one in kept} == set(scores[:2])
    assert await world.ask("a zebra at the zoo", limit=12, score_min=1.0) == ()


async def test_episodes_are_told_in_the_order_they_happened(empty: World) -> None:
    later = remark(0, "A zebra came by.", created_at=START + timedelta(days=3))
    same = [remark(2, "A zebra stood there."), remark(2, "A zebra ran away.")]
    await empty.add(later, *same)
    found = await empty.ask("zebra", limit=3)
    assert [one.item.content for one in found] == [
        "A zebra stood there.",
        "A zebra ran away.",
        "A zebra came by.",
    ]


async def test_what_the_window_shows_takes_no_room(world: World) -> None:
    (first,) = await world.ask("a zebra at the zoo", limit=1)
    second, third = await world.ask("a zebra at the zoo", limit=2, without=[first.item.uuid])
    assert first.item.uuid not in {second.item.uuid, third.item.uuid}
    (after,) = [one for one in await world.ask("zoo", limit=2, expand=1) if one.item.seq == 6]
    around = await world.places("zoo", limit=3, expand=2, without=[after.item.uuid])
    assert {ZEBRA, ZEBRA + 2} < set(around)
    assert ZEBRA + 1 not in around


async def test_other_sessions_are_not_around_a_hit(empty: World) -> None:
    await empty.add(
        *(
            remark(number, content, metadata={"session_id": "even" if number % 2 == 0 else "odd"})
            for number, content in enumerate(SAID)
        )
    )
    assert await empty.places("zoo", limit=4, expand=3) == [2, 4, 6, 8]


@pytest.mark.parametrize("session", [{}, {"session_id": "default"}])
async def test_other_users_are_not_around_a_hit(empty: World, session: dict[str, str]) -> None:
    """They name their sessions alike, or not at all."""
    await empty.add(
        *(
            remark(number, content, metadata={**session, "user_id": "bo" if number % 2 else "ann"})
            for number, content in enumerate(SAID)
        )
    )
    assert await empty.places("zoo", limit=4, expand=3) == [2, 4, 6, 8]


async def test_a_pause_does_not_end_a_context(empty: World) -> None:
    await empty.add(
        *(
            remark(number, content, created_at=START + timedelta(days=10 * number))
            for number, content in enumerate(SAID)
        )
    )
    assert await empty.places("zoo", limit=4, expand=3) == [3, 4, 5, 6]


async def test_other_threads_are_not_around_a_hit(empty: World) -> None:
    await new_user(empty.store, empty.access, "jane")
    for thread in ("t", "u"):
        await new_thread(empty.store, empty.access, thread, "jane")
    for number, content in enumerate(SAID):
        await add_messages(empty.store, empty.access, "u" if number % 2 else "t", content)
    await work(empty.store)
    graph = await empty.store.read(graphs.of_user, empty.access, "jane")
    of_user = replace_graph(empty, graph)
    assert await of_user.places("zoo", limit=4, expand=3) == [2, 4, 6, 8]


def replace_graph(world: World, graph: Graph) -> World:
    """The same store, another graph."""
    return World(world.store, world.finder, world.access, graph)


async def test_only_what_passes_the_filter_is_recalled(empty: World) -> None:
    await empty.add(
        *(
            remark(number, content, producer="bob" if number in (5, 10) else "ann")
            for number, content in enumerate(SAID)
        )
    )
    by_ann = EpisodeTree(
        joined_by="and", tests=(EpisodeTest(field="producer_id", comparison="=", value="ann"),)
    )
    assert await empty.places("zoo", limit=4, expand=3, tree=by_ann) == [3, 4, 6, 7]
    assert CROSSING not in await empty.places("zebra", limit=12, tree=by_ann)


async def test_what_is_kept_for_the_semantic_memory_is_not_recalled(empty: World) -> None:
    kept: dict[int, Any] = {5: "semantic", 10: "semantic", 6: "episodic"}
    await empty.add(
        *(remark(number, content, kept_for=kept.get(number)) for number, content in enumerate(SAID))
    )
    assert await empty.places("zoo", limit=4, expand=3) == [3, 4, 6, 7]
    assert CROSSING not in await empty.places("zebra", limit=12)
    query = Query(text="zebra", kind="episode", now=NOW, filters=Filters())
    found = await empty.finder.find(empty.access, empty.graph, query)
    assert CROSSING in {one.item.seq - 1 for one in found}


HIDDEN = Visibility(
    denied=(Constraint(required=(("secret", frozenset({typed("yes")})),), subset=True),)
)


@pytest.mark.parametrize("expand", [0, 3])
async def test_what_is_hidden_leaves_no_trace(tmp_path: Path, expand: int) -> None:
    """The same answer, scores included, as if it had never been said."""
    secret = (3, 5, 10)

    async def told(
        folder: str, keep: Callable[[int], bool], visibility: Visibility | None
    ) -> list[Any]:
        async with opened(tmp_path / folder) as world:
            await world.add(
                *(
                    remark(
                        number, content, metadata={"secret": "yes"} if number in secret else None
                    )
                    for number, content in enumerate(SAID)
                    if keep(number)
                )
            )
            return [
                (one.item.content, one.score)
                for text in ("zoo", "zebra", "coffee", "school")
                for limit in (1, 4, 20)
                for one in await world.ask(text, limit=limit, expand=expand, visibility=visibility)
            ]

    hiding = await told("hiding", lambda number: True, HIDDEN)
    assert hiding == await told("without", lambda number: number not in secret, None)
    assert hiding != await told("whole", lambda number: True, None)


async def test_who_asks_of_himself_hears_what_the_user_said(empty: World) -> None:
    await empty.add(
        remark(0, "A violin, really? Some play the violin.", producer="bot", role="assistant"),
        remark(1, "Yes, I play the violin since March.", producer="user"),
        remark(2, "The violin is what most people play.", producer="bot", role="assistant"),
    )
    assert await empty.places("what do I play", limit=1) == [1]


async def test_nothing_is_recalled_for_an_empty_question(world: World) -> None:
    assert await world.ask("  ", expand=3) == ()
    assert await world.ask("zebra", limit=0) == ()


async def test_an_empty_graph_recalls_nothing(empty: World) -> None:
    assert await empty.ask("zebra", expand=3) == ()
