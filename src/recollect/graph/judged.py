"""What a reader says that its facts do to the ones it was shown, found again among those known.

A reading may be folded long after it was made, over a graph that has changed since. So a fact that
was shown counts as the one it was only while its words say the same (`gist.mark`): under its uuid,
or under another one.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime

from recollect.graph.delta import KnownFact
from recollect.graph.found import Found, FoundFact, Judgement
from recollect.graph.gist import mark, words

# Stands among the marks that do not close a fact any more: no episode does by itself.
BY_ITSELF = "*"
_SHARED_LEAST = 0.25  # of the words of the shorter sentence


class Judged:
    """The judgements of one reading over the facts of the graph that were loaded for it."""

    def __init__(self, found: Found, known: Mapping[str, KnownFact]) -> None:
        self.reader = found.extractor
        self._shown = frozenset(found.shown)
        self._known = known
        wanted = self._shown or found.judged or any(fact.judged for fact in found.facts)
        self._marks = {uuid: mark(fact.fact) for uuid, fact in known.items()} if wanted else {}

    def by(self, given: FoundFact | Found) -> dict[str, Judgement]:
        """What a fact, or a whole episode, does to known facts, by their uuids; one that is not
        there is not judged."""
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
        """Whether the reader was shown a fact: where it is silent about it, it let it stand."""
        return self._marks.get(uuid) in self._shown


def _standing(fact: KnownFact) -> tuple[bool, datetime, str]:
    return (fact.invalid_at is None, fact.created_at, fact.uuid)


def restated(
    judged: Mapping[str, Judgement], new: KnownFact, facts: Mapping[str, KnownFact]
) -> KnownFact | None:
    """The fact that a reader says *new* says again; one that was over by then is said anew.

    Taken by its word, a reader that is wrong here would lose what is new: another number, or a
    sentence about something else, is not the same.
    """
    same = (facts[uuid] for uuid, one in judged.items() if one.verdict == "same")
    fitting = (old for old in same if not is_over(old, new.valid_at or new.said_at))
    return next((old for old in fitting if _may_say(new.fact, old.fact)), None)


def _may_say(new: str, old: str) -> bool:
    """Whether two sentences can say the same: no number is new, and they share some words."""
    first, second = words(new), words(old)
    numbers = {word for word in first if word[0].isdigit()}
    shared = len(first & second)
    return numbers <= second and shared >= _SHARED_LEAST * min(len(first), len(second))


def is_over(fact: KnownFact, at: datetime | None) -> bool:
    """Whether a fact had an end by then."""
    return fact.invalid_at is not None and (at is None or fact.invalid_at <= at)


def end_of(old: KnownFact, new: KnownFact, one: Judgement, at: datetime) -> datetime | None:
    """When *old* ends on the word of a reader; None if that leaves it as it is.

    What is corrected never held: it ends where it begins. Else it ends when the new one begins, if
    that is later than its own beginning, and otherwise at the time of the episode.
    """
    if one.verdict == "same":
        return None
    if one.verdict == "corrects":
        return old.valid_at or old.said_at or at
    begins = new.valid_at
    if begins is not None and (old.valid_at is None or begins > old.valid_at):
        return begins
    return at


def is_kept(old: KnownFact, new: KnownFact) -> bool:
    """Whether someone said by hand that *new* does not close *old*."""
    return bool(old.kept_against) and mark(new.fact) in old.kept_against


def unjudged(facts: Iterable[KnownFact], judged: Mapping[str, Judgement]) -> list[KnownFact]:
    """The facts that a new one may restate by its words: none that it was said to do away with."""
    return [fact for fact in facts if fact.uuid not in judged]
