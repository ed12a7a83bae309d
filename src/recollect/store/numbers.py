"""Row ids that follow the log: rows derived from an episode sort by that episode's place.

Rows of one graph are ordered by id, oldest first. Ids assigned at insertion would reflect when a row
was written, but folding a graph again writes old places late. So every episode has its own id range.
Rows that belong to no single episode (the user's node, a copy, an import) use a range of their
graph, which lies below all episode ranges.
"""

from typing import TypedDict

_OF_GRAPHS = 1 << 59
_OF_EPISODES = 1 << 60
_PER_GRAPH = 1 << 32
_PER_EPISODE = 1 << 16


class Range(TypedDict):
    """A half-open range of ids: *end* is excluded."""

    first: int
    end: int


def of_graph(graph_id: int) -> Range:
    """The ids for rows that belong to a graph as a whole."""
    first = _OF_GRAPHS + graph_id * _PER_GRAPH
    return Range(first=first, end=first + _PER_GRAPH)


def of_episode(episode_id: int) -> Range:
    """The ids for rows derived from one episode."""
    first = _OF_EPISODES + episode_id * _PER_EPISODE
    return Range(first=first, end=first + _PER_EPISODE)
