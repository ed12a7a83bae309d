"""The short-term memory: the newest episodes of a graph, and a summary of what went before.

It has no state: the window is read from the log each time, as if hidden episodes did not exist. It
is bounded by a number of episodes and of characters, part of which is reserved for the summary. The
newest episode is always in it, however long it is.
"""

from collections.abc import Iterable

from recollect.episodic_memory import rolling_summary
from recollect.episodic_memory.settings import Bounds, ShortTerm
from recollect.graph.episode_filters import EpisodeTree, tree_test
from recollect.graph.types import Access, Episode, Graph, Record
from recollect.limits import (
    INTEGER_MAX,
    WINDOW_EPISODES_PER_READ,
    WINDOW_SUMMARY_CHARS_MAX,
    WINDOW_SUMMARY_CHARS_MIN,
    WINDOW_SUMMARY_CHARS_SMALL,
    WINDOW_SUMMARY_SHARE,
)
from recollect.records import seeing
from recollect.store import rows
from recollect.store.protocol import Transaction


class WindowSize(Record):
    """How many episodes the window holds, and their total length."""

    count: int = 0
    chars: int = 0
    full: bool = False


def reserved(chars: int) -> int:
    """How many of a window's characters are reserved for the summary.

    This is a fixed share, relatively more in a small window, and never more than a summary can use.
    """
    share = max(chars // WINDOW_SUMMARY_SHARE, min(WINDOW_SUMMARY_CHARS_SMALL, chars // 2))
    return _room(min(share, WINDOW_SUMMARY_CHARS_MAX))


def summary_room(held: WindowSize, chars: int) -> int:
    """How long the summary may be, so that window and summary fit together."""
    return _room(min(reserved(chars), max(chars - held.chars, 0)))


def hold(held: WindowSize, lengths: Iterable[int], *, episodes: int, chars: int) -> WindowSize:
    """The window extended by older episodes, given by their lengths, newest first.

    The first one that does not fit ends it, even if an older one is shorter.
    """
    count, total = held.count, held.chars
    most = chars - reserved(chars)
    for length in lengths if not held.full else ():
        if count and (count >= episodes or total + length > most):
            return WindowSize(count=count, chars=total, full=True)
        count, total = count + 1, total + length
    return WindowSize(count=count, chars=total, full=held.full)


def _room(chars: int) -> int:
    return chars if chars >= WINDOW_SUMMARY_CHARS_MIN else 0


class EpisodeWindow(Record):
    """The newest episodes, newest first, and their size."""

    episodes: tuple[Episode, ...]
    held: WindowSize


def read(
    tx: Transaction,
    access: Access,
    graph: Graph,
    bounds: Bounds,
    tree: EpisodeTree | None,
    limit: int | None,
) -> ShortTerm:
    """The newest *limit* episodes of the window and a summary of older ones, all satisfying *tree*.

    Neither *limit* nor *tree* changes how far the window reaches. Episodes kept for semantic memory
    only, and knowledge written directly, are not in it.
    """
    found = window(tx, access, graph, bounds)
    passes = None if tree is None else tree_test(tree)
    chosen = [one for one in found.episodes if passes is None or passes(one)]
    summary: tuple[str, ...] = ()
    if found.episodes:
        room = summary_room(found.held, bounds.chars)
        summary = rolling_summary.summary(tx, access, graph, found.episodes[-1].seq, tree, room)
    return ShortTerm(episodes=tuple(chosen[:limit][::-1]), summary=summary)


def window(tx: Transaction, access: Access, graph: Graph, bounds: Bounds) -> EpisodeWindow:
    """The window: as many of the newest visible episodes as fit, newest first."""
    held, taken, before = WindowSize(), list[Episode](), INTEGER_MAX
    while not held.full:
        found = tx.chapters.window_episodes(
            graph_id=graph.id, before=before, limit=WINDOW_EPISODES_PER_READ
        )
        seen = seeing.episodes(access, [rows.episode(row) for row in found])
        lengths = (len(one.content) for one in seen)
        held = hold(held, lengths, episodes=bounds.episodes, chars=bounds.chars)
        taken += seen
        if len(found) < WINDOW_EPISODES_PER_READ:
            break
        before = found[-1].seq
    return EpisodeWindow(episodes=tuple(taken[: held.count]), held=held)
