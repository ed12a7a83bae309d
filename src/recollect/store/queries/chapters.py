"""Chapters: runs of a graph's log, condensed level by level."""

from typing import NamedTuple

from recollect.store.queries.shapes import SaidFactRow, ThreadedEpisodeRow
from recollect.store.statements import Queries


class GraphCondensingRow(NamedTuple):
    condenses: int
    condensed: int
    last_seq: int


class ChaptersAmongRow(NamedTuple):
    level: int
    number: int


class ChaptersTouchedRow(NamedTuple):
    graph_id: int
    number: int


class WindowLeftRow(NamedTuple):
    id: int
    uuid: str
    seq: int
    role: str | None
    speaker: str | None
    producer: str | None
    addressee: str | None
    metadata: str | None
    created_at: int


class ChapterMembersRow(NamedTuple):
    id: int
    uuid: str
    seq: int
    metadata: str | None
    created_at: int


class ChapterQueries(Queries):
    """Chapters: runs of a graph's log, condensed level by level."""

    __slots__ = ()

    def condense(self, *, id: int) -> int:
        return self._run("chapters.condense", id=id)

    def condensing(self, *, id: int) -> GraphCondensingRow | None:
        return self._one(GraphCondensingRow, "chapters.condensing", id=id)

    def condensed(self, *, condensed: int, id: int) -> None:
        self._post("chapters.condensed", condensed=condensed, id=id)

    def waits(self, *, graph_id: int, first: int, last: int) -> int | None:
        """Whether an episode between two places in the log has not been read yet."""
        return self._value(int, "chapters.waits", graph_id=graph_id, first=first, last=last)

    def told(self, *, graph_id: int, first: int, last: int) -> int | None:
        """Whether there is an episode between two places in the log."""
        return self._value(int, "chapters.told", graph_id=graph_id, first=first, last=last)

    def said(self, *, graph_id: int, first: int, last: int) -> list[SaidFactRow]:
        """The facts stated between two places in the log, as summaries see them."""
        return self._all(SaidFactRow, "chapters.said", graph_id=graph_id, first=first, last=last)

    def facts_of(self, *, chapters: str | None, graph_id: int) -> list[SaidFactRow]:
        """The facts kept for some chapters, given as pairs of level and number."""
        return self._all(SaidFactRow, "chapters.facts_of", chapters=chapters, graph_id=graph_id)

    def among(self, *, chapters: str | None, graph_id: int) -> ChaptersAmongRow | None:
        return self._one(ChaptersAmongRow, "chapters.among", chapters=chapters, graph_id=graph_id)

    def put(self, *, graph_id: int, level: int, number: int) -> int:
        return self._run("chapters.put", graph_id=graph_id, level=level, number=number)

    def drop(self, *, graph_id: int, level: int, number: int) -> int:
        return self._run("chapters.drop", graph_id=graph_id, level=level, number=number)

    def facts_drop(self, *, graph_id: int, level: int, number: int, facts: str | None) -> None:
        self._post(
            "chapters.facts_drop", graph_id=graph_id, level=level, number=number, facts=facts
        )

    def facts_put(self, *, facts: str | None, graph_id: int, level: int, number: int) -> None:
        self._post("chapters.facts_put", facts=facts, graph_id=graph_id, level=level, number=number)

    def touched(self, *, episodes: str | None, facts: str | None) -> list[ChaptersTouchedRow]:
        """Chapters that contain these episodes, or an episode that supports one of these facts."""
        return self._all(ChaptersTouchedRow, "chapters.touched", episodes=episodes, facts=facts)

    def page(self, *, graph_id: int, after: int, limit: int) -> list[int]:
        return self._values(int, "chapters.page", graph_id=graph_id, after=after, limit=limit)

    def copy(self, *, graph_id: int, source: int | str) -> None:
        self._post("chapters.copy", graph_id=graph_id, source=source)

    def facts_copy(self, *, pairs: str | None, graph_id: int) -> None:
        """Each pair is a fact of the original and its copy."""
        self._post("chapters.facts_copy", pairs=pairs, graph_id=graph_id)

    def forget_all(self, *, graph_id: int) -> int:
        return self._run("chapters.forget_all", graph_id=graph_id)

    def window_episodes(
        self, *, graph_id: int, before: int, limit: int
    ) -> list[ThreadedEpisodeRow]:
        """Newest first, before a place in the log."""
        return self._all(
            ThreadedEpisodeRow,
            "chapters.window_episodes",
            graph_id=graph_id,
            before=before,
            limit=limit,
        )

    def window_left(
        self, *, graph_id: int, after: int, before: int, limit: int
    ) -> list[WindowLeftRow]:
        """Episodes that left the window, between two places in the log; newest first, without their text."""
        return self._all(
            WindowLeftRow,
            "chapters.window_left",
            graph_id=graph_id,
            after=after,
            before=before,
            limit=limit,
        )

    def members(
        self, *, graph_id: int, after: int, last: int, limit: int
    ) -> list[ChapterMembersRow]:
        """Oldest first, without their text, after a place in the log."""
        return self._all(
            ChapterMembersRow,
            "chapters.members",
            graph_id=graph_id,
            after=after,
            last=last,
            limit=limit,
        )
