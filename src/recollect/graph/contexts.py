"""Hits together with what was said around them, and which of all that is told."""

from collections.abc import Collection, Iterator, Sequence

from recollect.graph.types import Record


class Reach(Record):
    """How many neighbours of a hit belong to its context, on either side."""

    before: int = 0
    after: int = 0


class Context(Record):
    """A hit, the *nucleus*, and its neighbours on either side, the nearest ones first.

    All are row ids of episodes. *score* is that of the context as a whole.
    """

    nucleus: int
    before: tuple[int, ...] = ()
    after: tuple[int, ...] = ()
    score: float


def reach(expand: int, limit: int) -> Reach:
    """How far contexts reach when *expand* more episodes are wanted around each hit.

    No more than what an answer of *limit* has room for beside the hit. A third of them come
    before it: what follows a remark tells more often what it was about.
    """
    more = max(0, min(expand, limit - 1))
    return Reach(before=more // 3, after=more - more // 3)


def fill(
    contexts: Sequence[Context], limit: int, without: Collection[int] = ()
) -> dict[int, float]:
    """The episodes of the best contexts, *limit* at most, with the score of the context each came
    from.

    The best context first, those given first among equals; of each the hit itself, then whoever
    is nearest to it. Those of *without* are passed over.
    """
    chosen: dict[int, float] = {}
    for context in sorted(contexts, key=lambda one: -one.score):
        for number in _members(context):
            if len(chosen) >= limit:
                return chosen
            if number not in without:
                chosen.setdefault(number, context.score)
    return chosen


def _members(context: Context) -> Iterator[int]:
    """The hit and its neighbours: for each one before it, two of those that follow."""
    yield context.nucleus
    places = [(place, 0, number) for place, number in enumerate(context.after, start=1)]
    places += [(2 * place, 1, number) for place, number in enumerate(context.before, start=1)]
    yield from (number for _, _, number in sorted(places))
