"""A segment as a key sees it that may not see everything.

What is hidden is not there: it is found by nobody, is nobody's neighbour and counts in no
statistics, so what is found for such a key is what would be found if the rest did not exist. The
rule is that of `graph/sight.py`, over columns. Where something visible has words, labels or
attributes of what is hidden, it goes without them.
"""

from collections.abc import Callable, Iterable
from copy import copy
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from recollect.graph.sight import Constraint, Sight
from recollect.search.columns import NO_TIME, Flags, Slots
from recollect.search.masks import resting_on
from recollect.search.segment import Segment
from recollect.search.shelves import EpisodeShelf, Links, Shelf, Shelves
from recollect.store.index import ItemKind

Spread = Callable[[Flags], Flags]  # from episodes to whatever rests on one of them
Visible = dict[ItemKind, Flags]

_SEEN_MAX = 4  # kept for each graph


def as_seen(segment: Segment, sight: Sight | None) -> Segment:
    """The segment as a key with this sight sees it; valid until the segment changes."""
    if sight is None:
        return segment
    found = segment.seen.pop(sight, None) or _through(segment, sight)
    segment.seen[sight] = found  # the last one is the one used last
    while len(segment.seen) > _SEEN_MAX:
        del segment.seen[next(iter(segment.seen))]
    return found


def _through(segment: Segment, sight: Sight) -> Segment:
    """The segment without what *sight* hides."""
    shelves = segment.shelves
    seen = visible(shelves, sight)
    narrowed = copy(segment)
    narrowed.hold(shelves.narrowed(seen))
    mixed = _speak_of_hidden(shelves, seen)
    narrowed.entities.attributes = shelves.entities.attributes.where(~mixed, -1)
    retold = _told_by_hidden(shelves, seen)
    narrowed.facts.attributes = shelves.facts.attributes.where(~retold, -1)
    ends = _ends(shelves, seen)
    narrowed.facts.invalid_at = shelves.facts.invalid_at.where(~ends.hidden, ends.invalid_at)
    narrowed.facts.expired_at = shelves.facts.expired_at.where(~ends.hidden, ends.expired_at)
    partial_sums = _slots(_sum_up_hidden(shelves, seen))
    narrowed.words = {kind: copy(words) for kind, words in segment.words.items()}
    narrowed.words["entity"] = segment.words["entity"].without(_slots(mixed))
    narrowed.words["thread_summary"] = segment.words["thread_summary"].without(partial_sums)
    narrowed.vectors = dict(segment.vectors)
    narrowed.vectors["thread_summary"] = segment.vectors["thread_summary"].without(partial_sums)
    return narrowed


def visible(shelves: Shelves, sight: Sight) -> Visible:
    """For each kind, which slots are there and may be seen."""
    there = shelves.episodes.alive.array
    to_facts = partial(_to_items, shelves.supports, shelves.facts, there)
    sees = partial(_seen, shelves.episodes, sight)
    episodes = sees(shelves.episodes, lambda flags: flags)
    to_entities = partial(_to_entities, shelves, there, episodes)
    facts = sees(shelves.facts, to_facts)
    observed = sees(shelves.observations, lambda flags: _observed(shelves, to_facts(flags)))
    return {
        "fact": facts,
        "entity": sees(shelves.entities, to_entities),
        "episode": episodes,
        "observation": observed & ~_observed(shelves, ~facts),
        "thread_summary": sees(shelves.thread_summaries, partial(_summed_up, shelves)),
    }


def _seen(episodes: EpisodeShelf, sight: Sight, shelf: Shelf, spread: Spread) -> Flags:
    seen: Flags = shelf.alive.array.copy()
    if sight.allowed is not None:
        allowed = np.zeros(len(seen), bool)
        for constraint in sight.allowed:
            allowed |= _holds(episodes, constraint, spread, len(seen))
        seen &= allowed
    for constraint in sight.denied:
        seen &= ~_holds(episodes, constraint, spread, len(seen))
    return seen if sight.also is None else seen & _seen(episodes, sight.also, shelf, spread)


def _holds(episodes: EpisodeShelf, constraint: Constraint, spread: Spread, size: int) -> Flags:
    """Which items have the values that a constraint wants, over all their episodes together."""
    held = np.ones(size, bool)
    for name, wanted in constraint.required:
        key = episodes.key(name)
        for value in wanted:
            held &= spread(key.holding(key.one_of([value]))[episodes.metadata.array])
        if not constraint.subset:
            others = key.holding(~key.one_of(list(wanted)))
            held &= ~spread(others[episodes.metadata.array])
    return held


def _to_items(links: Links, shelf: Shelf, there: Flags, episodes: Flags) -> Flags:
    return resting_on(links, episodes & there, len(shelf))


def _to_entities(shelves: Shelves, there: Flags, seen: Flags, episodes: Flags) -> Flags:
    """What mentions an entity; of the user's node, what may be seen of it."""
    spread = partial(_to_items, shelves.mentions, shelves.entities)
    own = shelves.entities.own.array
    flags: Flags = np.where(own, spread(there & seen, episodes), spread(there, episodes))
    return flags


def _observed(shelves: Shelves, facts: Flags) -> Flags:
    """The observations that rest on one of the flagged facts."""
    evidence = shelves.observations.evidence
    flags = np.zeros(len(shelves.observations), bool)
    flags[[slot for slot, behind in evidence.items() if facts[behind].any()]] = True
    return flags


def _summed_up(shelves: Shelves, episodes: Flags) -> Flags:
    """The thread summaries that one of the flagged episodes belongs to."""
    strands = np.zeros(len(shelves.episodes.strands.values) + 1, bool)
    strands[shelves.episodes.strand.array[episodes & shelves.episodes.alive.array]] = True
    strands[-1] = False  # without a strand
    flags: Flags = strands[shelves.thread_summaries.strand.array]
    return flags


def _speak_of_hidden(shelves: Shelves, seen: Visible) -> Flags:
    """The entities that a hidden fact or episode is about: what is said of them may tell it. The
    user's node is always taken to be one."""
    facts = shelves.facts.alive.array & ~seen["fact"]
    flags = np.zeros(len(shelves.entities) + 1, bool)
    flags[shelves.facts.source.array[facts]] = True
    flags[shelves.facts.target.array[facts]] = True
    episodes = shelves.episodes.alive.array & ~seen["episode"]
    mixed = resting_on(shelves.mentions, episodes, len(shelves.entities))
    own: Flags = shelves.entities.own.array
    return flags[:-1] | mixed | own


def _told_by_hidden(shelves: Shelves, seen: Visible) -> Flags:
    """The facts that a hidden episode tells, too: their attributes may be from there."""
    episodes = shelves.episodes.alive.array & ~seen["episode"]
    return resting_on(shelves.supports, episodes, len(shelves.facts))


class _Ends(NamedTuple):
    """The facts that a hidden episode gave an end, and the ends that others gave them."""

    hidden: Flags
    invalid_at: Any
    expired_at: Any


def _ends(shelves: Shelves, seen: Visible) -> _Ends:
    """One that is gone hides nothing: nobody knows any more who gave that end."""
    hidden = shelves.episodes.alive.array & ~seen["episode"]
    size = len(shelves.facts)
    found = _Ends(
        np.zeros(size, bool), np.full(size, NO_TIME, np.int64), np.full(size, NO_TIME, np.int64)
    )
    for slot, endings in shelves.facts.endings.items():
        if not any(episode >= 0 and hidden[episode] for episode, _, _ in endings):
            continue
        told = [one for one in endings if one[0] < 0 or not hidden[one[0]]]
        found.hidden[slot] = True
        found.invalid_at[slot] = _earliest(ended_at for _, ended_at, _ in told)
        found.expired_at[slot] = _earliest(expired_at for _, _, expired_at in told)
    return found


def _earliest(moments: Iterable[int]) -> int:
    return min((one for one in moments if one != NO_TIME), default=int(NO_TIME))


def _sum_up_hidden(shelves: Shelves, seen: Visible) -> Flags:
    """The thread summaries that may tell of a hidden message or fact."""
    episodes = shelves.episodes.alive.array & ~seen["episode"]
    links = shelves.supports
    untold = (shelves.facts.alive.array & ~seen["fact"])[links.item.array]
    episodes[links.episode.array[untold]] = True
    return _summed_up(shelves, episodes)


def _slots(flags: Flags) -> Slots:
    return np.flatnonzero(flags).astype(np.int32)
