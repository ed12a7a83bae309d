"""What a conversation or a document is about, in sentences of its own facts or messages.

Nothing is rephrased: whole sentences within a budget, the weightiest and the newest facts, oldest
first. Facts that no longer hold are left out, unless there is nothing else; then the end is given.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from datetime import datetime

from recollect.graph import gist
from recollect.graph.summary import clause, day, sentence
from recollect.graph.types import Record
from recollect.limits import (
    SUMMARY_CHARS_MAX,
    SUMMARY_NEWEST_FACTS_MAX,
    SUMMARY_WEIGHTY_FACTS_MAX,
)

_ENDED = "(ended by "
_WORDS_ENOUGH = 8
_MESSAGE_WORDS_MIN = 3
_UNRATED = 0.5
_SENTENCE_CHARS_MIN = 20  # with less room left, the search for a sentence stops
_LOOKED_AT_ONCE = 64


class SummaryFact(Record):
    """A fact that was mentioned.

    *place* identifies what it is a value of, so that later facts replace earlier ones; *gist* is that
    of its sentence.
    """

    number: int
    fact: str
    gist: str
    place: str
    joins: bool = False  # two different things
    of_user: bool = False
    rating: float | None = None
    confidence: float = 1.0
    invalid_at: datetime | None = None


class SummaryMessage(Record):
    """A message, and its speaker if known."""

    number: int
    content: str
    speaker: str | None = None


def weight(fact: SummaryFact) -> float:
    """How much a fact says, by properties of it that never change."""
    words = min(fact.gist.count(" ") + 1, _WORDS_ENOUGH) / _WORDS_ENOUGH
    rated = _UNRATED if fact.rating is None else fact.rating
    return rated + 0.4 * words + 0.2 * fact.joins + 0.2 * fact.of_user + 0.2 * fact.confidence


def keep(facts: Iterable[SummaryFact]) -> list[SummaryFact]:
    """The facts to keep for a summary: the weightiest and the newest, oldest first.

    Keeping in several steps gives the same result as keeping from all at once.
    """
    ordered = sorted(facts, key=lambda fact: fact.number)
    if len(ordered) <= SUMMARY_NEWEST_FACTS_MAX:
        return ordered
    chosen = {fact.number for fact in ordered[-SUMMARY_NEWEST_FACTS_MAX:]}
    chosen.update(fact.number for fact in _ranked(ordered)[:SUMMARY_WEIGHTY_FACTS_MAX])
    return [fact for fact in ordered if fact.number in chosen]


def keep_seen(
    facts: Iterable[SummaryFact], seen: Callable[[Sequence[int]], Collection[int]]
) -> list[SummaryFact]:
    """The same, restricted to facts whose numbers are *seen*; asks about few more than it keeps."""
    ordered = sorted(facts, key=lambda fact: fact.number)
    newest = _first_seen(ordered[::-1], SUMMARY_NEWEST_FACTS_MAX, seen)
    weighty = _first_seen(_ranked(ordered), SUMMARY_WEIGHTY_FACTS_MAX, seen)
    chosen = {fact.number: fact for fact in (*newest, *weighty)}
    return [chosen[number] for number in sorted(chosen)]


def _first_seen(
    facts: Sequence[SummaryFact], most: int, seen: Callable[[Sequence[int]], Collection[int]]
) -> list[SummaryFact]:
    found: list[SummaryFact] = []
    for start in range(0, len(facts), _LOOKED_AT_ONCE):
        some = facts[start : start + _LOOKED_AT_ONCE]
        shown = seen([fact.number for fact in some])
        found += [fact for fact in some if fact.number in shown]
        if len(found) >= most:
            break
    return found[:most]


def summarize(
    facts: Sequence[SummaryFact],
    messages: Sequence[SummaryMessage] = (),
    room: int = SUMMARY_CHARS_MAX,
) -> str:
    """At most *room* characters; from *messages* when there are no facts."""
    if not facts:
        return _from_messages(messages, room)
    told = [fact for fact in facts if fact.invalid_at is None] or facts
    return _within(((fact.number, fact.gist, _told(fact)) for fact in _ranked(told)), room)


def is_over(summary: str) -> bool:
    """Whether a summary has only facts that no longer hold."""
    return _ENDED in summary


def _ranked(facts: Iterable[SummaryFact]) -> list[SummaryFact]:
    """The weightiest first, newer ones first among equals."""
    return sorted(facts, key=lambda fact: (-weight(fact), -fact.number))


def _told(fact: SummaryFact) -> str:
    if fact.invalid_at is None:
        return sentence(fact.fact)
    return f"{clause(fact.fact)} {_ENDED}{day(fact.invalid_at)})."


def _from_messages(messages: Sequence[SummaryMessage], room: int) -> str:
    """The messages that say most; very short ones only if there is nothing else."""
    heard = {item.number: gist.words(item.content) for item in messages}
    ranked = sorted(messages, key=lambda item: (-len(heard[item.number]), -item.number))
    telling = [item for item in ranked if len(heard[item.number]) >= _MESSAGE_WORDS_MIN]
    told = telling or ranked
    return _within(
        ((item.number, gist.join(heard[item.number]), _quoted(item)) for item in told), room
    )


def _quoted(message: SummaryMessage) -> str:
    text = sentence(message.content)
    return f"{message.speaker}: {text}" if message.speaker else text


def _within(ranked: Iterable[tuple[int, str, str]], chars_max: int) -> str:
    """The best that fit, in the order of their numbers, without duplicates."""
    chosen: dict[str, tuple[int, str]] = {}
    room, first = chars_max, ""
    for number, mark, text in ranked:
        first = first or text
        if mark not in chosen and len(text) <= room:
            chosen[mark] = (number, text)
            room -= len(text) + 1
        if room < _SENTENCE_CHARS_MIN:
            break
    if not chosen:
        return first and first[: chars_max - 1].rsplit(" ", 1)[0] + "\u2026"
    return " ".join(text for _, text in sorted(chosen.values()))
