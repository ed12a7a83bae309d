"""Queries to the memories, their answers and their settings."""

from datetime import datetime

from recollect.graph.episode_filters import EpisodeTree
from recollect.graph.types import Episode, Record
from recollect.search.query import Hit


class Bounds(Record):
    """The maximum size of the window, in episodes and in characters."""

    episodes: int
    chars: int


class MemorySettings(Record):
    """What is switched on for a graph, and the size of its window."""

    window: Bounds
    enabled: bool = True
    short_term: bool = True
    long_term: bool = True
    semantic: bool = True

    @property
    def is_on(self) -> bool:
        """Whether there is any episodic memory to ask: with neither of its parts it is off."""
        return self.enabled and (self.short_term or self.long_term)


class MemoryQuery(Record):
    """A query to both memories.

    At most *limit* episodes from each; *expand* more around every long-term hit; no context that
    scores below *score_min*; only episodes that satisfy *tree*.
    """

    text: str
    now: datetime
    limit: int = 10
    expand: int = 0
    score_min: float | None = None
    tree: EpisodeTree | None = None


class ShortTerm(Record):
    """The newest episodes, oldest first, and a summary of what went before."""

    episodes: tuple[Episode, ...] = ()
    summary: tuple[str, ...] = ()


class Recalled(Record):
    """The answers of both memories, without overlap; the long-term ones are in time order."""

    short_term: ShortTerm = ShortTerm()
    long_term: tuple[Hit[Episode], ...] = ()
