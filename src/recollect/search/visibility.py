"""A segment as a key with limited visibility sees it.

Hidden items do not exist for it: they are not found, are no neighbours and count in no statistics, so
such a key finds what it would find if the rest did not exist. The rule is that of `graph/visibility.py`,
applied to columns. A visible item loses words, labels and attributes that may come from hidden ones.
"""

from collections.abc import Callable, Iterable
from copy import copy
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from recollect.graph.types import Kind
from recollect.graph.visibility import Constraint, Visibility
from recollect.search.columns import NO_TIME, Flags, Slots
from recollect.search.kinds import KINDS, Visible, observations_from
from recollect.search.segment import Segment
from recollect.search.tables import EpisodeTable, ItemTable, Tables

Spread = Callable[[Flags], Flags]  # from episodes to the items that rest on one of them

_SEEN_MAX = 4  # cached for each graph


def as_seen(segment: Segment, visibility: Visibility | None) -> Segment:
    """The segment as a key with this visibility sees it; valid until the segment changes."""
    if visibility is None:
        return segment
    found = segment.seen.pop(visibility, None) or _narrowed(segment, visibility)
    segment.seen[visibility] = found  # moves to the end: most recently used
    while len(segment.seen) > _SEEN_MAX:
        del segment.seen[next(iter(segment.seen))]
    return found


def _narrowed(segment: Segment, visibility: Visibility) -> Segment:
    """The segment without what *visibility* hides."""
    tables = segment.tables
    seen = visible(tables, visibility)
    narrowed = copy(segment)
    narrowed.hold(tables.narrowed(seen))
    ends = _ends(tables, seen)
    narrowed.facts.invalid_at = tables.facts.invalid_at.where(~ends.hidden, ends.invalid_at)
    narrowed.facts.expired_at = tables.facts.expired_at.where(~ends.hidden, ends.expired_at)
    # It is not recorded which episode an attribute comes from.
    hidden = tables.episodes.alive.array & ~seen["episode"]
    retold = KINDS["fact"].resting(tables, hidden)
    narrowed.facts.attributes = tables.facts.attributes.where(~retold, -1)
    narrowed.words = {kind: copy(words) for kind, words in segment.words.items()}
    narrowed.vectors = dict(segment.vectors)
    quoting = {kind: spec.quoting(tables, seen) for kind, spec in KINDS.items() if spec.quoting}
    for kind, flags in quoting.items():
        narrowed.words[kind] = segment.words[kind].without(_slots(flags))
        narrowed.vectors[kind] = segment.vectors[kind].without(_slots(flags))
    narrowed.entities.attributes = tables.entities.attributes.where(~quoting["entity"], -1)
    return narrowed


def visible(tables: Tables, visibility: Visibility) -> Visible:
    """For each kind, which slots exist and are visible."""

    def seen(kind: Kind, spread: Spread) -> Flags:
        return _seen(tables.episodes, visibility, tables.by_kind[kind], spread)

    found = {kind: seen(kind, partial(_resting, tables, kind)) for kind in KINDS}
    found["entity"] = seen("entity", partial(_entities, tables, found["episode"]))
    # An observation combines all its facts, so all of them must be visible.
    found["observation"] &= ~observations_from(tables, ~found["fact"])
    return found


def _seen(
    episodes: EpisodeTable, visibility: Visibility, table: ItemTable, spread: Spread
) -> Flags:
    seen: Flags = table.alive.array.copy()
    if visibility.allowed is not None:
        allowed = np.zeros(len(seen), bool)
        for constraint in visibility.allowed:
            allowed |= _holds(episodes, constraint, spread, len(seen))
        seen &= allowed
    for constraint in visibility.denied:
        seen &= ~_holds(episodes, constraint, spread, len(seen))
    return (
        seen if visibility.also is None else seen & _seen(episodes, visibility.also, table, spread)
    )


def _holds(episodes: EpisodeTable, constraint: Constraint, spread: Spread, size: int) -> Flags:
    """Which items have the values that a constraint requires, over all their episodes together."""
    held = np.ones(size, bool)
    for name, wanted in constraint.required:
        key = episodes.key(name)
        for value in wanted:
            held &= spread(key.holding(key.one_of([value]))[episodes.metadata.array])
        if not constraint.subset:
            others = key.holding(~key.one_of(list(wanted)))
            held &= ~spread(others[episodes.metadata.array])
    return held


def _resting(tables: Tables, kind: Kind, episodes: Flags) -> Flags:
    """Which items rest on an existing episode that is flagged."""
    return KINDS[kind].resting(tables, episodes & tables.episodes.alive.array)


def _entities(tables: Tables, seen: Flags, episodes: Flags) -> Flags:
    """The same for entities; for the user's node, only visible episodes count."""
    every = _resting(tables, "entity", episodes)
    own = _resting(tables, "entity", episodes & seen)
    flags: Flags = np.where(tables.entities.own.array, own, every)
    return flags


class _Ends(NamedTuple):
    """The facts that a hidden episode ended, and the ends that others gave them."""

    hidden: Flags
    invalid_at: Any
    expired_at: Any


def _ends(tables: Tables, visible: Visible) -> _Ends:
    """A deleted episode hides nothing: it is no longer recorded that it gave this end."""
    hidden = tables.episodes.alive.array & ~visible["episode"]
    size = len(tables.facts)
    found = _Ends(
        np.zeros(size, bool), np.full(size, NO_TIME, np.int64), np.full(size, NO_TIME, np.int64)
    )
    for slot, endings in tables.facts.endings.items():
        if not any(episode >= 0 and hidden[episode] for episode, _, _ in endings):
            continue
        told = [one for one in endings if one[0] < 0 or not hidden[one[0]]]
        found.hidden[slot] = True
        found.invalid_at[slot] = _earliest(ended_at for _, ended_at, _ in told)
        found.expired_at[slot] = _earliest(expired_at for _, _, expired_at in told)
    return found


def _earliest(moments: Iterable[int]) -> int:
    return min((one for one in moments if one != NO_TIME), default=int(NO_TIME))


def _slots(flags: Flags) -> Slots:
    return np.flatnonzero(flags).astype(np.int32)
