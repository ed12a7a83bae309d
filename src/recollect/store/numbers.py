"""Row ids that follow the log: what an episode brings forth is numbered after it.

Rows of one graph are compared by their ids, the older first. Ids that are given out as rows come
would say who was written last; a graph that is folded again writes an old place late. So every
episode has a range of ids of its own, and what no single episode brings forth (the user's node, a
copy, an import) a range of its graph, below all of them.
"""

from typing import TypedDict

_OF_GRAPHS = 1 << 59
_OF_EPISODES = 1 << 60
_PER_GRAPH = 1 << 32
_PER_EPISODE = 1 << 16


class Range(TypedDict):
    """The ids from *first* on, up to *end*, which is not among them."""

    first: int
    end: int


def of_graph(graph_id: int) -> Range:
    """What belongs to a graph as a whole."""
    first = _OF_GRAPHS + graph_id * _PER_GRAPH
    return Range(first=first, end=first + _PER_GRAPH)


def of_episode(episode_id: int) -> Range:
    """What one episode brings forth."""
    first = _OF_EPISODES + episode_id * _PER_EPISODE
    return Range(first=first, end=first + _PER_EPISODE)
