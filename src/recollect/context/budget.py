"""Spends a character budget on whole lines, and chooses which lines are worth it.

Facts are short, dated and true as far as we know, so they come first. A message then shows only what
no fact said, and everything else only what neither said. A line that says nothing new is left out.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import TypeVar

from msgspec.structs import replace

from recollect.context.lines import line
from recollect.graph.terms import terms
from recollect.graph.types import Entity, Episode, Fact, Item, Observation, Record, ThreadSummary
from recollect.search.kinds import has_ended
from recollect.search.query import Hit

T = TypeVar("T")


def affordable(
    offers: Iterable[tuple[str, str]], room: int, frames: Mapping[str, int] | None = None
) -> list[int]:
    """Which of *offers* fit into *room*, in order; one that is too long is skipped.

    An offer is a section and a line for it. A line costs its characters and the line break before it; the
    first line of a section also costs the section's frame.
    """
    left = room
    unpaid = dict(frames or {})
    taken = []
    for number, (section, text) in enumerate(offers):
        cost = len(text) + 1 + unpaid.get(section, 0)
        if cost <= left:
            left -= cost
            unpaid.pop(section, None)
            taken.append(number)
    return taken


def distinct(offers: Iterable[T], text: Callable[[T], str]) -> list[T]:
    """*offers* in order, without empty texts and duplicates of an earlier one.

    One sentence may stand for several facts ("works at Acme as a cook"): a block shows it once.
    """
    first: dict[str, T] = {}
    for offer in offers:
        first.setdefault(text(offer), offer)
    first.pop("", None)
    return list(first.values())


def in_turns(lists: Sequence[Sequence[T]], shares: Sequence[int] | None = None) -> Iterator[T]:
    """Round-robin over lists, best first: each turn takes a list's *share* from it."""
    shares = shares or [1] * len(lists)
    for turn in range(max((len(each) for each in lists), default=0)):
        for each, share in zip(lists, shares, strict=True):
            yield from each[turn * share : (turn + 1) * share]


# Polite words; a message of nothing else asks and says nothing.
SMALL_TALK = frozenset(
    terms(
        """
        afternoon ah aha alright also am back bye cheers cool day dear evening everybody everyone
        fine folks good goodbye goodnight got great greetings haha hello hey hi hiya hm hmm just
        later ll lol m morning nice night oh ok okay perfect please re really right s see sure
        thank thanks thx today well welcome yeah yep yes yo
        bonjour buenas buenos ciao danke días gracias guten hallo hola merci moin olá salut servus
        tag
        """
    )
)
FACTS_SHARE = 0.5  # of the room, as long as messages can use the rest
_NEWS = 0.34  # a sentence is worth showing if more than this share of its words is new
_REPEATS = 0.1  # a line repeats another if at most this share of its words is not in it
_SENTENCE_END = re.compile(r"(?<=[.!?\u2026])\s+|\n+")

Words = frozenset[str]


class LeftOut(Record):
    """An item that was found but is not in the block, and why."""

    section: str
    item: Item
    why: str


NO_ROOM = "no room left"
NO_NEWS = "another line says it already"
SMALL = "says nothing but small talk"


class Chooser:
    """Spends a character budget on lines; a section's first line also pays for its frame."""

    def __init__(self, room: int, frames: Mapping[str, int]) -> None:
        self.chosen: list[tuple[str, Item]] = []
        self.left_out: list[LeftOut] = []
        self._left = room
        self._frames = dict(frames)
        self._lines: list[tuple[Words, bool]] = []  # words of each line, whether it has ended
        self._of_episode: dict[str, set[str]] = {}  # words of the facts that each supports

    def facts(self, hits: Sequence[Hit[Fact]], share: float = 1.0) -> Sequence[Hit[Fact]]:
        """Show facts until *share* of the remaining room is spent; returns those not considered."""
        floor = self._left * (1 - share)
        for place, hit in enumerate(hits):
            if self._left <= floor:
                return hits[place:]
            words, over = _words(hit.item.fact), has_ended(hit.item)
            if not self._is_news(words, over=over):
                self._leave("FACTS", hit.item, NO_NEWS)
            elif not self._show("FACTS", hit.item, words, over=over):
                continue
            for uuid in hit.item.episodes:
                self._of_episode.setdefault(uuid, set()).update(words)
        return ()

    def leave(self, hits: Iterable[Hit[Fact]]) -> None:
        """Record facts that were not considered."""
        for hit in hits:
            self._leave("FACTS", hit.item, NO_ROOM)

    def messages(self, hits: Iterable[Hit[Episode]]) -> None:
        """Show the parts of messages that no fact covers."""
        for hit in hits:
            left = self._unsaid(hit.item)
            words = _words(left)
            if not words - SMALL_TALK:
                self._leave("EPISODES", hit.item, SMALL if left == hit.item.content else NO_NEWS)
            elif not self._is_news(words):
                self._leave("EPISODES", hit.item, NO_NEWS)
            else:
                self._show("EPISODES", replace(hit.item, content=left), words)

    def others(self, section: str, items: Iterable[Entity | Observation | ThreadSummary]) -> None:
        """Show other items as far as they are news."""
        for item in items:
            left = _news(item.summary, set(chain.from_iterable(line for line, _ in self._lines)))
            if left and not _is_told(item, left):
                self._show(section, replace(item, summary=left), _words(left))
            else:
                self._leave(section, item, NO_NEWS)

    def _unsaid(self, episode: Episode) -> str:
        """A message without the sentences that its facts cover."""
        heard = self._of_episode.get(episode.uuid)
        return _news(episode.content, heard) if heard else episode.content

    def _is_news(self, words: Words, *, over: bool = False) -> bool:
        """Whether no single line contains nearly all of these words."""
        return not any(
            ended == over and len(words - line) <= _REPEATS * len(words)
            for line, ended in self._lines
        )

    def _leave(self, section: str, item: Item, why: str) -> None:
        self.left_out.append(LeftOut(section=section, item=item, why=why))

    def _show(self, section: str, item: Item, words: Words, *, over: bool = False) -> bool:
        text = line(item)
        cost = len(text) + 1 + self._frames.get(section, 0)
        if not text or cost > self._left:
            self._leave(section, item, NO_ROOM if text else NO_NEWS)
            return False
        self._left -= cost
        self._frames.pop(section, None)
        self._lines.append((words, over))
        self.chosen.append((section, item))
        return True


def sentences(text: str) -> list[str]:
    """A text in its sentences and lines."""
    return _SENTENCE_END.split(text)


def _news(text: str, heard: Collection[str]) -> str:
    """The sentences of *text* that say more than *heard*."""
    parts = [(part, _words(part)) for part in sentences(text)]
    kept = [part for part, words in parts if len(words.difference(heard)) > _NEWS * len(words)]
    return text if len(kept) == len(parts) else " ".join(kept)


def _is_told(item: Entity | Observation | ThreadSummary, left: str) -> bool:
    """Whether the rest of an observation is not worth a line: facts already say what matters of it."""
    return isinstance(item, Observation) and left != item.summary


def _words(text: str) -> Words:
    return frozenset(terms(text))
