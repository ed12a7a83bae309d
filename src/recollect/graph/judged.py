"""A reader's verdicts on facts it was shown, matched to the facts known now.

A reading may be folded long after it was made, when the graph has changed. A verdict therefore
applies to a fact only while its words still say the same (`gist.mark`), under the uuid that was
shown or another.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime

from recollect.graph.delta import KnownFact
from recollect.graph.found import Found, FoundFact, Judgement
from recollect.graph.gist import mark, words

# An entry of `kept_against` besides marks: no episode as a whole may close the fact any more.
BY_ITSELF = "*"
_SHARED_LEAST = 0.25  # of the words of the shorter sentence
_WEIGHING = ("agent:", "model:")  # readers that decide themselves which fact ends which


class Judged:
    """The judgements of one reading, applied to the facts loaded for it."""

    def __init__(self, found: Found, known: Mapping[str, KnownFact]) -> None:
        self.reader = found.extractor
        self.weighs = found.extractor.startswith(_WEIGHING)
        self._shown = frozenset(found.shown)
        self._known = known
        wanted = self._shown or found.judged or any(fact.judged for fact in found.facts)
        self._marks = {uuid: mark(fact.fact) for uuid, fact in known.items()} if wanted else {}

    def by(self, given: FoundFact | Found) -> dict[str, Judgement]:
        """What a fact, or a whole episode, does to known facts, by uuid; facts not found are omitted."""
        return self._found(one for one in given.judged if one.verdict != "doubts")

    def doubted(self, fact: FoundFact) -> dict[str, Judgement]:
        """The known facts that may be over because of a new one."""
        return self._found(one for one in fact.judged if one.verdict == "doubts")

    def _found(self, judged: Iterable[Judgement]) -> dict[str, Judgement]:
        found: dict[str, Judgement] = {}
        for one in judged:
            uuid = self._meant(one)
            if uuid is not None:
                found.setdefault(uuid, one)
        return found

    def _meant(self, one: Judgement) -> str | None:
        if self._marks.get(one.fact) == one.mark:
            return one.fact
        alike = [uuid for uuid, held in self._marks.items() if held == one.mark]
        return max(alike, key=lambda uuid: _standing(self._known[uuid]), default=None)

    def saw(self, uuid: str) -> bool:
        """Whether the reader was shown a fact; if it then says nothing about it, the fact stands."""
        return self._marks.get(uuid) in self._shown


def _standing(fact: KnownFact) -> tuple[bool, datetime, str]:
    return (fact.invalid_at is None, fact.created_at, fact.uuid)


def restated(
    judged: Mapping[str, Judgement], new: KnownFact, facts: Mapping[str, KnownFact]
) -> KnownFact | None:
    """The fact that *new* restates according to a reader; a fact that had ended is stated anew instead.

    A wrong verdict would lose information, so a new number or a sentence about something else is
    never taken to be the same.
    """
    same = (facts[uuid] for uuid, one in judged.items() if one.verdict == "same")
    fitting = (old for old in same if not is_over(old, new.valid_at or new.said_at))
    return next((old for old in fitting if _may_say(new.fact, old.fact)), None)


def _may_say(new: str, old: str) -> bool:
    """Whether two sentences can say the same: no new number, and some words in common."""
    first, second = words(new), words(old)
    numbers = {word for word in first if word[0].isdigit()}
    shared = len(first & second)
    return numbers <= second and shared >= _SHARED_LEAST * min(len(first), len(second))


def is_over(fact: KnownFact, at: datetime | None) -> bool:
    """Whether a fact had ended by then."""
    return fact.invalid_at is not None and (at is None or fact.invalid_at <= at)


def end_of(old: KnownFact, new: KnownFact, one: Judgement, at: datetime) -> datetime | None:
    """When *old* ends on a reader's word; None if it does not.

    A corrected fact never held and ends where it begins. A fact about something that took place can
    end in no other way. Any other fact ends when the new one begins, if that is later than its own
    beginning, or else at the time of the episode.
    """
    if one.verdict == "same":
        return None
    if one.verdict == "corrects":
        return old.valid_at or old.said_at or at
    if old.took_place:
        return None
    begins = new.valid_at
    if begins is not None and (old.valid_at is None or begins > old.valid_at):
        return begins
    return at


def is_kept(old: KnownFact, new: KnownFact) -> bool:
    """Whether someone said by hand that *new* does not close *old*."""
    return bool(old.kept_against) and mark(new.fact) in old.kept_against


def unjudged(facts: Iterable[KnownFact], judged: Mapping[str, Judgement]) -> list[KnownFact]:
    """The facts that a new one may still restate by its words: those without a verdict."""
    return [fact for fact in facts if fact.uuid not in judged]
