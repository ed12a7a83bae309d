"""What memories are asked, what they answer, and what can be chosen about them."""

from datetime import datetime

from recollect.graph.episode_filters import EpisodeTree
from recollect.graph.types import Episode, Record
from recollect.search.query import Ranked


class Bounds(Record):
    """How much the window holds at most: so many episodes, and so many characters in all."""

    episodes: int
    chars: int


class MemorySettings(Record):
    """What is switched on for a graph, and how large its window is."""

    window: Bounds
    enabled: bool = True
    short_term: bool = True
    long_term: bool = True
    semantic: bool = True

    @property
    def is_on(self) -> bool:
        """Whether there is any episodic memory to ask: with neither of its parts it is off."""
        return self.enabled and (self.short_term or self.long_term)


class Question(Record):
    """What is asked of both memories.

    At most *limit* episodes from each; *expand* more around every hit of the long-term memory;
    no context below *score_min*; only episodes that satisfy *tree*.
    """

    text: str
    now: datetime
    limit: int = 10
    expand: int = 0
    score_min: float | None = None
    tree: EpisodeTree | None = None


class ShortTerm(Record):
    """The newest episodes, oldest first, and what is left of those that went before them."""

    episodes: tuple[Episode, ...] = ()
    summary: tuple[str, ...] = ()


class Recalled(Record):
    """What both memories answer; no episode is in both. The long-term ones are in time order."""

    short_term: ShortTerm = ShortTerm()
    long_term: tuple[Ranked[Episode], ...] = ()
