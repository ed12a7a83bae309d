"""Distances in the graph of a segment: how many facts lie between things."""

import numpy as np
import numpy.typing as npt

from recollect.graph.types import Kind
from recollect.search.columns import Flags, Slots
from recollect.search.segment import Segment

FAR = np.int16(np.iinfo(np.int16).max)  # not reached

Hops = npt.NDArray[np.int16]


def hops(segment: Segment, origins: Slots, facts: Flags, depth_max: int) -> Hops:
    """How many facts lie between each entity and the nearest origin, over the facts given."""
    found = np.full(segment.entities.alive.size, FAR, np.int16)
    found[origins] = 0
    source = segment.facts.source.array[facts]
    target = segment.facts.target.array[facts]
    for depth in range(depth_max):
        outward = found[source] == depth
        inward = found[target] == depth
        reached = np.concatenate([target[outward], source[inward]])
        reached = reached[found[reached] == FAR]
        if not len(reached):
            break
        found[reached] = depth + 1
    return found


def fact_hops(segment: Segment, entities: Hops) -> Hops:
    """The distance of each fact: that of the nearer of its ends."""
    source, target = segment.facts.source.array, segment.facts.target.array
    if not len(source):
        return np.empty(0, np.int16)
    # An unknown end, -1, would read the last entity: pad, so that it reads FAR.
    padded = np.append(entities, FAR)
    nearer: Hops = np.minimum(padded[source], padded[target])
    return nearer


def item_hops(segment: Segment, kind: Kind, origins: Slots, depth_max: int) -> Hops:
    """How far each item of a kind is from the nearest origin, over all existing facts."""
    entities = hops(segment, origins, segment.facts.alive.array, depth_max)
    if kind == "entity":
        return entities
    facts = fact_hops(segment, entities)
    if kind == "fact":
        return facts
    found = np.full(segment.table(kind).alive.size, FAR, np.int16)
    if kind == "episode":
        items, episodes = segment.supports.pairs(segment.episodes)
        np.minimum.at(
            found, episodes, np.where(segment.facts.alive.array[items], facts[items], FAR)
        )
        items, episodes = segment.mentions.pairs(segment.episodes)
        np.minimum.at(
            found, episodes, np.where(segment.entities.alive.array[items], entities[items], FAR)
        )
    return found


def mentioned(segment: Segment, episodes: Slots) -> Slots:
    """The entities that episodes mention, or that their facts join."""
    chosen = np.zeros(segment.episodes.alive.size, bool)
    chosen[episodes] = True
    items, origins = segment.mentions.pairs(segment.episodes)
    named = items[chosen[origins] & segment.entities.alive.array[items]]
    facts, origins = segment.supports.pairs(segment.episodes)
    stated = facts[chosen[origins] & segment.facts.alive.array[facts]]
    ends = [segment.facts.source.array[stated], segment.facts.target.array[stated]]
    found: Slots = np.unique(np.concatenate([named, *ends]))
    return found[found >= 0]
