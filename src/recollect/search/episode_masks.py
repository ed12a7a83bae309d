"""Conditions on single episodes over a whole shelf: for every slot, whether they hold.

The rule for one episode is in `graph/episode_filters.py`. Values are judged once, however many
episodes have them.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

import numpy as np

from recollect.graph.episode_filters import (
    EPISODE_TYPE,
    ORDERED,
    EpisodeTest,
    EpisodeTree,
    Judge,
    judge,
)
from recollect.graph.scalars import text_of, written_number
from recollect.graph.sight import Typed, typed
from recollect.search.columns import Codes, Column, Flags
from recollect.search.metadata import MetadataKey
from recollect.search.shelves import EpisodeShelf
from recollect.store.rows import micros

Named = Mapping[str, int]  # the slots of episodes that a tree names, by uuid


def episodes_holding(tree: EpisodeTree, episodes: EpisodeShelf, named: Named) -> Flags:
    """The episodes that are there and of which the whole tree holds."""
    found: Flags = _holding(tree, episodes, named) & episodes.alive.array
    return found


def _holding(tree: EpisodeTree, episodes: EpisodeShelf, named: Named) -> Flags:
    parts = [_TESTED[test.field](test, episodes, named) for test in tree.tests]
    parts += [_holding(inner, episodes, named) for inner in tree.trees]
    together = tree.joined_by == "and"
    found = np.full(len(episodes), together)
    for part in parts:
        found = found & part if together else found | part
    return ~found if tree.joined_by == "not" else found


def _metadata(test: EpisodeTest, episodes: EpisodeShelf, _: Named) -> Flags:
    flags: Flags = _texts(test, episodes.key(test.key))[episodes.metadata.array]
    return flags


def _texts(test: EpisodeTest, key: MetadataKey) -> Flags:
    """For every text of metadata, and in the end for having none, whether the test holds."""
    if test.comparison == "IS NULL":
        return ~key.present
    given = test.value if isinstance(test.value, tuple) else (test.value,)
    if test.comparison not in ORDERED and all(isinstance(one, str) for one in given):
        # Everything that is stored can be read as a text, so there is no need to look at it.
        equal = key.holding(key.one_of([alike for one in given for alike in _written(str(one))]))
        return key.present & ~equal if test.comparison == "<>" else equal
    judged = judge(test)
    fits, differs = _weighed(judged, key.read_as(judged.read))
    if test.comparison == "<>":
        return key.holding(differs) & ~key.holding(fits)
    return key.holding(fits)


def _written(text: str) -> list[Typed]:
    """Every stored value that is written as *text*."""
    number = written_number(text)
    found = [typed(text)]
    if number is not None and text_of(number) == text:
        found.append(typed(number))
    return found + [typed(truth) for truth in (True, False) if text_of(truth) == text]


def _weighed(judged: Judge, readings: Sequence[Any]) -> tuple[Flags, Flags]:
    """Which values fit, and which can be read but do not."""
    known = np.fromiter((one is not None for one in readings), bool, len(readings))
    fits = judged.fits
    fitting = np.fromiter((one is not None and fits(one) for one in readings), bool, len(readings))
    return fitting, known & ~fitting


def _coded(test: EpisodeTest, codes: Codes, column: Column) -> Flags:
    """The same for a field with at most one value; code -1 is none."""
    if test.comparison == "IS NULL":
        absent: Flags = column.array == -1
        return absent
    judged = judge(test)
    fits, differs = _weighed(judged, [judged.read(value) for value in codes.values])
    chosen = differs if test.comparison == "<>" else fits
    flags: Flags = np.append(chosen, False)[column.array]
    return flags


def _producer(test: EpisodeTest, episodes: EpisodeShelf, _: Named) -> Flags:
    return _coded(test, episodes.producers, episodes.producer)


def _role(test: EpisodeTest, episodes: EpisodeShelf, _: Named) -> Flags:
    return _coded(test, episodes.roles, episodes.role)


def _addressee(test: EpisodeTest, episodes: EpisodeShelf, _: Named) -> Flags:
    return _coded(test, episodes.addressees, episodes.addressee)


def _type(test: EpisodeTest, episodes: EpisodeShelf, _: Named) -> Flags:
    """All episodes are of one type."""
    verdict = None if test.comparison == "IS NULL" else judge(test)(EPISODE_TYPE)
    return np.full(len(episodes), verdict is (test.comparison != "<>"))


def _created_at(test: EpisodeTest, episodes: EpisodeShelf, _: Named) -> Flags:
    given = test.value if isinstance(test.value, tuple) else (test.value,)
    moments = [micros(one) for one in given if isinstance(one, datetime)]
    created = episodes.created_at.array
    if not moments:
        return np.zeros(len(created), bool)
    order = ORDERED.get(test.comparison)
    if order is not None:
        return np.asarray(order(created, moments[0]))
    return np.isin(created, moments, invert=test.comparison == "<>")


def _uid(test: EpisodeTest, episodes: EpisodeShelf, named: Named) -> Flags:
    """A uid equals texts only, and has no order."""
    given = test.value if isinstance(test.value, tuple) else (test.value,)
    texts = [one for one in given if isinstance(one, str)]
    equal = np.zeros(len(episodes), bool)
    if not texts or test.comparison in ORDERED:
        return equal
    equal[[named[one] for one in texts if one in named]] = True
    return ~equal if test.comparison == "<>" else equal


_TESTED: dict[str, Callable[[EpisodeTest, EpisodeShelf, Named], Flags]] = {
    "uid": _uid,
    "producer_id": _producer,
    "producer_role": _role,
    "produced_for_id": _addressee,
    "episode_type": _type,
    "created_at": _created_at,
    "metadata": _metadata,
}
