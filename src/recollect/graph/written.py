"""Knowledge that a caller writes down directly: a fact between two nodes, or nodes alone.

It goes through the log like everything else, as an episode whose content says what to write, so
that order, provenance and rebuilding hold for it, too.
"""

import msgspec

from recollect.graph.found import Found, FoundEntity, FoundFact
from recollect.graph.types import EpisodeKind, Record


class Triple(Record):
    """The content of an episode of kind `fact_triple`."""

    source: FoundEntity
    target: FoundEntity
    fact: FoundFact


class Nodes(Record):
    """The content of an episode of kind `nodes`."""

    nodes: tuple[FoundEntity, ...]


def read(kind: EpisodeKind, content: str) -> Found:
    """What the caller wrote, as it was checked when it came in."""
    if kind == "nodes":
        return Found(entities=msgspec.json.decode(content, type=Nodes).nodes)
    triple = _triple(content)
    return Found(entities=(triple.source, triple.target), facts=(triple.fact,))


def sentence(content: str) -> str:
    """What an episode of kind `fact_triple` says, in words."""
    return _triple(content).fact.fact


def _triple(content: str) -> Triple:
    return msgspec.json.decode(content, type=Triple)


def encoded(content: Nodes | Triple) -> str:
    """The content of an episode."""
    return msgspec.json.encode(content).decode()
