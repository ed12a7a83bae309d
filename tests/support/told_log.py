"""A graph with a log that tests fill, and an oracle that computes from all its rows what should be there."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from recollect.derive import chapters
from recollect.derive.summaries import said_by
from recollect.episodic_memory import rolling_summary
from recollect.governance import erasure
from recollect.graph import thread_summary
from recollect.graph.thread_summary import SummaryFact, SummaryMessage
from recollect.graph.types import DIRECT_KINDS, Access, Episode, Graph, NewEpisode
from recollect.graph.visibility import Visibility, effective
from recollect.ingest import intake
from recollect.limits import CHAPTER_EPISODES, CHAPTER_PARTS, SUMMARY_MESSAGES_MAX
from recollect.store import rows
from recollect.store.protocol import Store
from tests.contract.store.world import CountingIds, StillClock, new_graph, new_project
from tests.support import here
from tests.support.stores import Rows, behind, open_store
from tests.support.three_words import ThreeWords

Passing = Callable[[Episode], bool]
Chapters = dict[tuple[int, int], set[int]]


@dataclass
class ToldLog:
    """A store with one graph `g`."""

    folder: Path
    store: Store
    access: Access
    graph: Graph

    async def condense(self) -> None:
        """Enable chapters for the graph from now on."""
        await self.store.write(chapters.condense, self.graph.id)

    async def tell(self, *said: str | NewEpisode) -> list[str]:
        """Append to the log without reading it; returns the uuids."""
        given = [one if isinstance(one, NewEpisode) else spoken(one) for one in said]
        name = self.graph.graph_id
        receipt = await self.store.write(intake.add_episodes, self.access, None, name, given)
        return list(receipt.uuids)

    async def learn(self) -> None:
        """Read what was appended."""
        await here.learn(self.store, ThreeWords())

    async def erase(self, uuids: Sequence[str], mode: erasure.Mode = "delete") -> None:
        """Delete episodes."""
        wanted = set(uuids)
        ids = [one.id for one in self.look().log if one.uuid in wanted]
        await self.store.write(erasure.forget_episodes, ids, mode)

    def look(self, graph: Graph | None = None) -> "Look":
        """The oracle for a graph, from all its rows as they are now."""
        return Look(self.folder, (graph or self.graph).id)


@asynccontextmanager
async def told_log(folder: Path) -> AsyncIterator[ToldLog]:
    """A new store with an empty graph."""
    store = open_store(folder, clock=StillClock(), ids=CountingIds())
    try:
        access = await new_project(store, "first")
        yield ToldLog(folder, store, access, await new_graph(store, access, "g"))
    finally:
        await store.close()


def spoken(content: str, **more: Any) -> NewEpisode:
    """A message."""
    return NewEpisode(kind="message", content=content, role="user", **more)


class Look:
    """The oracle: plain lists and sets over a graph's rows, without index, increments or cache."""

    def __init__(self, folder: Path, graph_id: int) -> None:
        with behind(folder) as connection:
            episodes = connection.named(
                "SELECT *, NULL AS thread_name FROM episodes WHERE graph_id = ? ORDER BY seq",
                (graph_id,),
            )
            self.log = [rows.episode(row) for row in episodes]
            facts = connection.named(_FACTS, (graph_id,))
            self.facts: dict[int, SummaryFact] = {row.id: said_by(row) for row in facts}
            self.supports = [tuple(row) for row in connection.execute(_SUPPORTS)]
            self.stored = self._stored(connection, graph_id)

    def _stored(self, connection: Rows, graph_id: int) -> Chapters:
        """The chapters that are in the store, with their facts."""
        found: Chapters = {}
        for row in connection.named(_CHAPTERS, (graph_id,)):
            kept = found.setdefault((row.level, row.number), set())
            if row.fact_id is not None:
                kept.add(row.fact_id)
        return found

    def members(self, visibility: Visibility | None = None) -> list[Episode]:
        """The visible episodes that belong in a window, in order."""
        return [
            one
            for one in self.log
            if not one.ignored
            and one.kind not in DIRECT_KINDS
            and one.kept_for != "semantic"
            and (visibility is None or visibility.sees(effective([one.metadata])))
        ]

    def said(
        self, episodes: Sequence[Episode], visibility: Visibility | None = None
    ) -> list[SummaryFact]:
        """The facts worth keeping that some episodes state."""
        told = {one.id for one in episodes}
        stated = {f for f, e, role in self.supports if e in told and role != "closes"}
        found = [self.facts[number] for number in stated if number in self.facts]
        return thread_summary.keep(
            fact
            for fact in found
            if visibility is None or visibility.sees(self._carried(fact.number))
        )

    def _carried(self, fact: int) -> dict[str, list[Any]]:
        metadata = {one.id: one.metadata for one in self.log}
        return effective(metadata[e] for f, e, _ in sorted(self.supports) if f == fact)

    def summary(
        self,
        before: int,
        room: int,
        visibility: Visibility | None = None,
        passing: Passing = lambda _: True,
    ) -> tuple[str, ...]:
        """The expected summary of everything before a place in the log."""
        left = [one for one in self.members(visibility) if one.seq < before and passing(one)]
        quoted = [
            SummaryMessage(number=one.id, content=one.content, speaker=one.speaker or one.role)
            for one in left[-SUMMARY_MESSAGES_MAX:]
        ]
        facts = self.said(left, visibility)
        if not room:
            return ()
        told = rolling_summary.tell(facts, room) if facts else ""
        text = told if facts else thread_summary.summarize((), quoted, room)
        return (text,) if text else ()

    def chapters(self, whole: int) -> Chapters:
        """The expected chapters of the first *whole* runs of the log."""
        found: Chapters = {}
        level, extent = 0, 1
        while extent <= whole:
            places = CHAPTER_EPISODES * extent
            for number in range(1, whole // extent + 1):
                first, last = (number - 1) * places + 1, number * places
                held = [one for one in self.members() if first <= one.seq <= last]
                if held:
                    found[level, number] = {fact.number for fact in self.said(held)}
            level, extent = level + 1, extent * CHAPTER_PARTS
        return found


_FACTS = """
SELECT f.id, f.fact, f.gist, f.source_id, f.predicate, f.slot, f.target_id <> f.source_id AS joins,
    n.is_user AS of_user, f.rating, f.confidence, f.invalid_at
FROM facts f JOIN entities n ON n.id = f.source_id
WHERE f.graph_id = ? AND f.extractor IS NOT NULL
"""
_SUPPORTS = "SELECT fact_id, episode_id, role FROM supports"
_CHAPTERS = """
SELECT c.level, c.number, k.fact_id FROM chapters c
LEFT JOIN chapter_facts k ON k.chapter_id = c.id WHERE c.graph_id = ?
"""
