"""The short-term memory equals a plain list, whatever is told, deleted, hidden or asked for."""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace as changed

from recollect.episodic_memory import short_term
from recollect.episodic_memory.settings import Bounds, ShortTerm
from recollect.episodic_memory.short_term import reserved
from recollect.graph.episode_filters import EpisodeTest, EpisodeTree, holds
from recollect.graph.types import Episode, NewEpisode
from recollect.graph.visibility import Constraint, Visibility, typed
from recollect.limits import CHAPTER_EPISODES
from tests.contract.store.world import new_graph
from tests.property.effort import examples
from tests.support.told_log import Look, ToldLog, spoken, told_log

EXAMPLES = examples(40)
NUMBERS = count(1)

contents = st.sampled_from(
    [
        *(f"{who} likes {what}" for who in ("ann", "bob") for what in ("tea", "golf", "go")),
        *(f"{who} lives_in {where}" for who in ("ann", "bob") for where in ("rome", "oslo")),
        "what a long day it was today",
        "ok",
        "word " * 30,
    ]
)
carried = st.sampled_from([None, {"user_id": "a"}, {"user_id": "b"}, {"class": "secret"}])
episodes = st.builds(
    spoken,
    contents,
    metadata=carried,
    kept_for=st.sampled_from([None, None, "episodic", "semantic"]),
    ignored=st.sampled_from([False, False, False, True]),
)
steps = st.one_of(
    st.lists(episodes, min_size=1, max_size=6),
    st.lists(episodes, min_size=CHAPTER_EPISODES, max_size=CHAPTER_EPISODES),
    st.sampled_from(["learn", "condense"]),
    st.tuples(st.sampled_from(["delete", "forget"]), st.integers(0, 200)),
)
bounds = st.builds(Bounds, episodes=st.integers(1, 12), chars=st.integers(1, 1_500))


def _constraint(key: str, value: str) -> Constraint:
    return Constraint(required=((key, frozenset({typed(value)})),))


VISIBILITIES = (
    None,
    Visibility(denied=(_constraint("class", "secret"),)),
    Visibility(allowed=(_constraint("user_id", "a"),)),
)


def _tree(joined_by: Any, **test: Any) -> EpisodeTree:
    one = EpisodeTest(field="metadata", key="user_id", comparison="=", **test)
    return EpisodeTree(joined_by=joined_by, tests=(one,))


TREES = (None, _tree("and", value="a"), _tree("not", value="a"))


@dataclass(frozen=True)
class Wanted:
    """What is asked for, and by whom."""

    bounds: Bounds
    visibility: Visibility | None
    tree: EpisodeTree | None
    limit: int | None


wanted = st.builds(
    Wanted,
    bounds=bounds,
    visibility=st.sampled_from(VISIBILITIES),
    tree=st.sampled_from(TREES),
    limit=st.sampled_from([None, 0, 1, 3]),
)


def expected(look: Look, asked: Wanted) -> ShortTerm:
    """The same from a list of all there is."""
    members = look.members(asked.visibility)
    window: list[Episode] = []
    most = asked.bounds.chars - reserved(asked.bounds.chars)
    for one in reversed(members):
        fits = len(window) < asked.bounds.episodes and _chars([one, *window]) <= most
        if window and not fits:
            break
        window.insert(0, one)
    if not window:
        return ShortTerm()

    def passing(one: Episode) -> bool:
        return asked.tree is None or holds(asked.tree, one)

    chosen = [one for one in window if passing(one)]
    kept = chosen if asked.limit is None else chosen[len(chosen) - min(len(chosen), asked.limit) :]
    room = min(reserved(asked.bounds.chars), asked.bounds.chars - _chars(window))
    room = room if room >= 20 else 0
    return ShortTerm(
        episodes=tuple(kept), summary=look.summary(window[0].seq, room, asked.visibility, passing)
    )


def _chars(found: list[Episode]) -> int:
    return sum(len(one.content) for one in found)


async def act(log: ToldLog, step: Any) -> None:
    """One thing that happens to a log."""
    if isinstance(step, list):
        await log.tell(*step)
    elif step == "learn":
        await log.learn()
    elif step == "condense":
        await log.condense()
    else:
        mode, number = step
        there = log.look().log
        await log.erase([there[number % len(there)].uuid] if there else [], mode)


async def check(log: ToldLog, history: list[Any], several: list[Wanted]) -> None:
    """Let a history happen to a new graph, and ask."""
    name = f"g{next(NUMBERS)}"
    told = replace(log, graph=await new_graph(log.store, log.access, name))
    for step in history:
        await act(told, step)
    look = told.look()
    for asked in several:
        access = changed(told.access, visibility=asked.visibility)
        found = await told.store.read(
            short_term.read, access, told.graph, asked.bounds, asked.tree, asked.limit
        )
        assert found == expected(look, asked)


@pytest.fixture
def running(tmp_path: Path) -> Iterator[tuple[asyncio.Runner, ToldLog]]:
    """One store for all examples, each of which has a graph of its own."""
    with asyncio.Runner() as runner:
        opened = told_log(tmp_path)
        log = runner.run(opened.__aenter__())
        yield runner, log
        runner.run(opened.__aexit__(None, None, None))


def test_it_equals_a_plain_list(running: tuple[asyncio.Runner, ToldLog]) -> None:
    """Window, order, limit and summary, with and without chapters."""
    runner, log = running

    @settings(max_examples=EXAMPLES, deadline=None)
    @given(st.lists(steps, max_size=8), st.lists(wanted, min_size=1, max_size=6))
    def run(history: list[Any], several: list[Wanted]) -> None:
        runner.run(check(log, history, several))

    run()


def test_whoever_may_not_see_episodes_reads_as_if_they_had_never_been(
    running: tuple[asyncio.Runner, ToldLog],
) -> None:
    """The same words in two graphs, one of which was never told what is hidden."""
    runner, log = running
    visibility = VISIBILITIES[1]

    @settings(max_examples=EXAMPLES // 2, deadline=None)
    @given(st.lists(episodes, max_size=40), bounds, st.sampled_from(TREES))
    def run(said: list[NewEpisode], within: Bounds, tree: EpisodeTree | None) -> None:
        open_ = [one for one in said if (one.metadata or {}).get("class") != "secret"]
        private = [_renamed(one) if one not in open_ else one for one in said]
        both = [runner.run(_told(log, some, within, tree, visibility)) for some in (private, open_)]
        assert both[0] == both[1]

    run()


def _renamed(episode: NewEpisode) -> NewEpisode:
    """What is hidden speaks of things of its own: a fact is seen or not as a whole."""
    return changed(episode, content=episode.content.replace("ann", "eve").replace("bob", "eve"))


async def _told(
    log: ToldLog,
    said: list[NewEpisode],
    within: Bounds,
    tree: EpisodeTree | None,
    visibility: Visibility | None,
) -> tuple[list[str], tuple[str, ...]]:
    name = f"g{next(NUMBERS)}"
    told = replace(log, graph=await new_graph(log.store, log.access, name))
    if said:
        await told.tell(*said)
    await told.learn()
    access = changed(told.access, visibility=visibility)
    found = await told.store.read(short_term.read, access, told.graph, within, tree, None)
    return [one.content for one in found.episodes], found.summary
