"""The short-term memory: the newest episodes of a graph, and a summary of what went before them.

It has no state. What it holds is read off the log each time, so nothing can be lost or out of step,
and whoever may not see an episode has a window in which it never was.
"""

from recollect.graph import window as rules
from recollect.graph.episode_filters import EpisodeTree, tree_test
from recollect.graph.types import Access, Episode, Graph, Record
from recollect.graph.window import Held
from recollect.limits import INTEGER_MAX, WINDOW_EPISODES_PER_READ
from recollect.memories import rolling
from recollect.memories.types import Bounds, ShortTerm
from recollect.store import rows
from recollect.store.protocol import Transaction
from recollect.subjects import seeing


class Window(Record):
    """Some of the newest episodes, the newest first, and how much room they take."""

    episodes: tuple[Episode, ...]
    held: Held


def read(
    tx: Transaction,
    access: Access,
    graph: Graph,
    bounds: Bounds,
    tree: EpisodeTree | None,
    limit: int | None,
) -> ShortTerm:
    """The newest *limit* episodes of the window that satisfy *tree*, and what those that left it
    and satisfy it said. How far the window reaches depends on neither.

    What is only there to be learned from is not in it, nor what a caller wrote down as knowledge.
    """
    found = window(tx, access, graph, bounds)
    passes = None if tree is None else tree_test(tree)
    chosen = [one for one in found.episodes if passes is None or passes(one)]
    summary: tuple[str, ...] = ()
    if found.episodes:
        room = rules.room(found.held, bounds.chars)
        summary = rolling.summary(tx, access, graph, found.episodes[-1].seq, tree, room)
    return ShortTerm(episodes=tuple(chosen[:limit][::-1]), summary=summary)


def window(tx: Transaction, access: Access, graph: Graph, bounds: Bounds) -> Window:
    """The window itself, newest first: as many of the newest episodes that may be seen as fit."""
    held, taken, before = Held(), list[Episode](), INTEGER_MAX
    while not held.full:
        found = tx.all(
            "window_episodes", graph_id=graph.id, before=before, limit=WINDOW_EPISODES_PER_READ
        )
        seen = seeing.episodes(access, [rows.episode(row) for row in found])
        lengths = (len(one.content) for one in seen)
        held = rules.hold(held, lengths, episodes=bounds.episodes, chars=bounds.chars)
        taken += seen
        if len(found) < WINDOW_EPISODES_PER_READ:
            break
        before = found[-1]["seq"]
    return Window(episodes=tuple(taken[: held.count]), held=held)
