"""What of all that was found a block tells: each thing once, and what holds before the rest.

Facts are short, dated and true as far as we know, so they have the first word. A message then tells
what no fact told of it, and whatever else is known tells what neither did. A line that says nothing
new is no line.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain

from msgspec.structs import replace

from recollect.context.asking import SMALL_TALK
from recollect.context.defusing import SAFE
from recollect.context.lines import Item, told
from recollect.context.order import has_ended
from recollect.graph.terms import terms
from recollect.graph.types import Entity, Episode, Fact, Observation, Record, ThreadSummary
from recollect.search.query import Ranked

FACTS_SHARE = 0.5  # of the room, as long as messages have a use for the rest
_NEWS = 0.34  # the share of its words that nothing told yet, of a sentence that is worth telling
_REPEATS = 0.1  # a line of which so little is not in another one says the same
_SENTENCE_END = re.compile(r"(?<=[.!?\u2026])\s+|\n+")

Words = frozenset[str]


class LeftOut(Record):
    """Something that was found and is not told, and why."""

    section: str
    item: Item
    why: str


NO_ROOM = "no room left"
NO_NEWS = "another line says it already"
SMALL = "says nothing but small talk"


class Chooser:
    """Spends a budget of characters on lines; a section's first line pays for its frame."""

    def __init__(self, room: int, frames: Mapping[str, int]) -> None:
        self.chosen: list[tuple[str, Item]] = []
        self.left_out: list[LeftOut] = []
        self._left = room
        self._frames = dict(frames)
        self._lines: list[tuple[Words, bool]] = []  # the words of each, and whether it is over
        self._of_episode: dict[str, set[str]] = {}  # what facts told of each

    def facts(self, hits: Sequence[Ranked[Fact]], share: float = 1.0) -> Sequence[Ranked[Fact]]:
        """Tell facts until *share* of what is left is spent; answers those whose turn did not come."""
        floor = self._left * (1 - share)
        for place, hit in enumerate(hits):
            if self._left <= floor:
                return hits[place:]
            words, over = _words(hit.item.fact), has_ended(hit.item)
            if not self._is_news(words, over=over):
                self._leave("FACTS", hit.item, NO_NEWS)
            elif not self._tell("FACTS", hit.item, words, over=over):
                continue
            for uuid in hit.item.episodes:
                self._of_episode.setdefault(uuid, set()).update(words)
        return ()

    def leave(self, hits: Iterable[Ranked[Fact]]) -> None:
        """Note that the turn of these never came."""
        for hit in hits:
            self._leave("FACTS", hit.item, NO_ROOM)

    def messages(self, hits: Iterable[Ranked[Episode]]) -> None:
        """Tell what messages say that no fact told."""
        for hit in hits:
            left = self._untold(hit.item)
            words = _words(left)
            if not words - SMALL_TALK:
                self._leave("EPISODES", hit.item, SMALL if left == hit.item.content else NO_NEWS)
            elif not self._is_news(words):
                self._leave("EPISODES", hit.item, NO_NEWS)
            else:
                self._tell("EPISODES", replace(hit.item, content=left), words)

    def others(self, section: str, items: Iterable[Entity | Observation | ThreadSummary]) -> None:
        """Tell what else is known, as far as it is news to all that was told."""
        for item in items:
            left = _news(item.summary, set(chain.from_iterable(line for line, _ in self._lines)))
            if left:
                self._tell(section, replace(item, summary=left), _words(left))
            else:
                self._leave(section, item, NO_NEWS)

    def _untold(self, episode: Episode) -> str:
        """A message without the sentences that facts told of it."""
        heard = self._of_episode.get(episode.uuid)
        return _news(episode.content, heard) if heard else episode.content

    def _is_news(self, words: Words, *, over: bool = False) -> bool:
        """Whether no single line has nearly all of these words."""
        return not any(
            ended == over and len(words - line) <= _REPEATS * len(words)
            for line, ended in self._lines
        )

    def _leave(self, section: str, item: Item, why: str) -> None:
        self.left_out.append(LeftOut(section=section, item=item, why=why))

    def _tell(self, section: str, item: Item, words: Words, *, over: bool = False) -> bool:
        line = told(item, SAFE)
        cost = len(line) + 1 + self._frames.get(section, 0)
        if not line or cost > self._left:
            self._leave(section, item, NO_ROOM if line else NO_NEWS)
            return False
        self._left -= cost
        self._frames.pop(section, None)
        self._lines.append((words, over))
        self.chosen.append((section, item))
        return True


def _news(text: str, heard: Collection[str]) -> str:
    """The sentences of *text* that say more than was heard."""
    parts = [(part, _words(part)) for part in _SENTENCE_END.split(text)]
    kept = [part for part, words in parts if len(words.difference(heard)) > _NEWS * len(words)]
    return text if len(kept) == len(parts) else " ".join(kept)


def _words(text: str) -> Words:
    return frozenset(terms(text))
