"""Search hits with their neighbouring episodes, and which of those fit into the answer."""

from collections.abc import Collection, Iterator, Sequence

from recollect.graph.types import Record


class ContextSpan(Record):
    """How many neighbours on either side of a hit belong to its context."""

    before: int = 0
    after: int = 0


class Context(Record):
    """A hit, the *nucleus*, with its neighbours on either side, nearest first.

    All are row ids of episodes; *score* is that of the whole context.
    """

    nucleus: int
    before: tuple[int, ...] = ()
    after: tuple[int, ...] = ()
    score: float


def reach(expand: int, limit: int) -> ContextSpan:
    """How far contexts extend when *expand* more episodes are wanted around each hit.

    Never more than an answer of *limit* has room for. A third of them come before the hit, because
    what follows a remark is more often about it than what precedes it.
    """
    more = max(0, min(expand, limit - 1))
    return ContextSpan(before=more // 3, after=more - more // 3)


def fill(
    contexts: Sequence[Context], limit: int, without: Collection[int] = ()
) -> dict[int, float]:
    """The episodes of the best contexts, at most *limit*, each with the score of its context.

    Contexts are taken best first, and of each the hit first, then the nearest neighbours. Episodes
    in *without* are skipped.
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
    """The hit and its neighbours, two after it for each one before it."""
    yield context.nucleus
    places = [(place, 0, number) for place, number in enumerate(context.after, start=1)]
    places += [(2 * place, 1, number) for place, number in enumerate(context.before, start=1)]
    yield from (number for _, _, number in sorted(places))
