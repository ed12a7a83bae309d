"""The filters over whole shelves: for every slot, whether its item is there and passes.

What passes is decided in `graph/passing.py`; this is the same rule over columns. What has to be
read as JSON is looked at once per text, however many items carry it.
"""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

import msgspec
import numpy as np

from recollect.graph.comparing import Values, tree_test
from recollect.graph.filters import Dates, DateTest, Filters, MetadataTree
from recollect.graph.types import Record
from recollect.search.columns import NO_TIME, Codes, Flags, Ints, Slots
from recollect.search.episode_masks import episodes_holding
from recollect.search.metadata import satisfying
from recollect.search.shelves import EntityShelf, EpisodeShelf, FactShelf, Links, Shelves
from recollect.store.rows import micros

_COMPARED: dict[str, Callable[[Any, Any], Any]] = {
    "=": np.equal,
    "<>": np.not_equal,
    ">": np.greater,
    "<": np.less,
    ">=": np.greater_equal,
    "<=": np.less_equal,
}
_decode = msgspec.json.Decoder(dict[str, Any]).decode


class Anchors(Record):
    """The uuid lists of the filters, as slots: None does not narrow, an empty one lets none by."""

    facts: Slots | None = None
    episodes: Slots | None = None
    sources: Slots | None = None
    targets: Slots | None = None
    connected: Slots | None = None
    named: Mapping[str, int] = {}  # the slots of episodes that conditions name, by uuid


NO_ANCHORS = Anchors()


def fact_mask(shelves: Shelves, filters: Filters, anchors: Anchors = NO_ANCHORS) -> Flags:
    """The facts that are there and pass."""
    facts = shelves.facts
    mask: Flags = facts.alive.array.copy()
    if filters.edge_types:
        mask &= _by_code(facts.names.flags(filters.edge_types), facts.name.array)
    if filters.exclude_edge_types:
        mask &= ~_by_code(facts.names.flags(filters.exclude_edge_types), facts.name.array)
    if filters.node_labels or filters.exclude_node_labels:
        mask &= _joining_labelled(shelves, filters)
    if filters.rating_min is not None:
        mask &= ~(facts.rating.array < np.float32(filters.rating_min))  # also True of NaN
    if filters.properties:
        mask &= _with_properties(facts, filters)
    _keep_anchored(mask, shelves, anchors)
    _keep_dated(mask, facts, filters)
    return _keep_resting(mask, shelves, shelves.supports, filters, anchors)


def entity_mask(shelves: Shelves, filters: Filters, anchors: Anchors = NO_ANCHORS) -> Flags:
    """The entities that are there and pass."""
    entities = shelves.entities
    mask: Flags = entities.alive.array.copy()
    if filters.node_labels or filters.exclude_node_labels:
        mask &= _wanted_labels(entities, filters) & ~_unwanted_labels(entities, filters)
    if filters.properties:
        mask &= _with_properties(entities, filters)
    return _keep_resting(mask, shelves, shelves.mentions, filters, anchors)


def episode_mask(shelves: Shelves, filters: Filters, anchors: Anchors = NO_ANCHORS) -> Flags:
    """The episodes that can be found and pass."""
    episodes = shelves.episodes
    mask: Flags = episodes.alive.array & episodes.open.array
    if anchors.episodes is not None:
        mask &= _flagged(anchors.episodes, len(mask))
    if filters.episode_metadata is not None:
        mask &= satisfying_episodes(episodes, filters)
    if filters.episodes is not None:
        mask &= episodes_holding(filters.episodes, episodes, anchors.named)
    if filters.recallable_only:
        mask &= episodes.recallable.array
    return mask


def observation_mask(shelves: Shelves, filters: Filters, anchors: Anchors = NO_ANCHORS) -> Flags:
    """The observations that are there and rest on a fact whose episodes pass."""
    mask: Flags = shelves.observations.alive.array.copy()
    for episodes in _wanted_episodes(shelves, filters, anchors):
        facts = resting_on(shelves.supports, episodes, len(shelves.facts))
        facts &= shelves.facts.alive.array
        held = [
            slot for slot, behind in shelves.observations.evidence.items() if facts[behind].any()
        ]
        mask &= _flagged(np.array(held, np.int32), len(mask))
    return mask


def thread_summary_mask(shelves: Shelves, filters: Filters, anchors: Anchors = NO_ANCHORS) -> Flags:
    """The thread summaries that are there and have a message that passes."""
    mask: Flags = shelves.thread_summaries.alive.array.copy()
    for episodes in _wanted_episodes(shelves, filters, anchors):
        strands = np.zeros(len(shelves.episodes.strands.values) + 1, bool)
        strands[shelves.episodes.strand.array[episodes]] = True
        strands[-1] = False  # without a strand
        mask &= strands[shelves.thread_summaries.strand.array]
    return mask


def _wanted_episodes(shelves: Shelves, filters: Filters, anchors: Anchors) -> list[Flags]:
    """Sets of episodes, of each of which something must rest on one."""
    wanted = []
    if anchors.episodes is not None:
        near = _flagged(anchors.episodes, len(shelves.episodes))
        wanted.append(near & shelves.episodes.alive.array)
    if filters.episode_metadata is not None:
        wanted.append(satisfying_episodes(shelves.episodes, filters))
    if filters.episodes is not None:
        wanted.append(episodes_holding(filters.episodes, shelves.episodes, anchors.named))
    return wanted


def resting_on(links: Links, episodes: Flags, size: int) -> Flags:
    """Of a shelf of *size* items, those that rest on at least one of the flagged episodes."""
    mask = np.zeros(size, bool)
    mask[links.item.array[episodes[links.episode.array]]] = True
    return mask


def satisfying_episodes(episodes: EpisodeShelf, filters: Filters) -> Flags:
    """The episodes that are there and satisfy the whole metadata tree, each by itself."""
    tree = filters.episode_metadata
    if tree is None:
        return np.array(episodes.alive.array)
    fitting = satisfying(tree, episodes.key, len(episodes.metadata_texts.values))
    flags: Flags = fitting[episodes.metadata.array] & episodes.alive.array
    return flags


def _by_code(flags: Flags, codes: Any, without: bool = False) -> Flags:
    """The flag of each code; -1, no code at all, counts as *without*."""
    found: Flags = np.append(flags, without)[codes]
    return found


def _flagged(slots: Slots, size: int) -> Flags:
    flags = np.zeros(size, bool)
    flags[slots] = True
    return flags


def _fitting_texts(texts: Codes, holds: Callable[[Values], bool]) -> Flags:
    return np.fromiter((holds(_decode(text)) for text in texts.values), bool, len(texts.values))


def _with_properties(shelf: FactShelf | EntityShelf, filters: Filters) -> Flags:
    holds = tree_test(MetadataTree(joined_by="and", tests=filters.properties))
    fitting = _fitting_texts(shelf.attribute_texts, holds)
    return _by_code(fitting, shelf.attributes.array, holds({}))


def _joining_labelled(shelves: Shelves, filters: Filters) -> Flags:
    """The facts with a wanted label at either end, and at neither an unwanted one."""
    source, target = shelves.facts.source.array, shelves.facts.target.array
    wanted = _wanted_labels(shelves.entities, filters)
    unwanted = _unwanted_labels(shelves.entities, filters)
    without = not filters.node_labels
    joining = _by_code(wanted, source, without) | _by_code(wanted, target, without)
    return joining & ~(_by_code(unwanted, source) | _by_code(unwanted, target))


def _wanted_labels(entities: EntityShelf, filters: Filters) -> Flags:
    if not filters.node_labels:
        return np.ones(len(entities), bool)
    return _labelled(entities, set(filters.node_labels))


def _unwanted_labels(entities: EntityShelf, filters: Filters) -> Flags:
    return _labelled(entities, set(filters.exclude_node_labels))


def _labelled(entities: EntityShelf, names: set[str]) -> Flags:
    """The entities that carry one of the labels."""
    sets = entities.label_sets.values
    carrying = np.fromiter((not names.isdisjoint(labels) for labels in sets), bool, len(sets))
    return _by_code(carrying, entities.labels.array)


def _keep_anchored(mask: Flags, shelves: Shelves, anchors: Anchors) -> None:
    source, target = shelves.facts.source.array, shelves.facts.target.array
    entities = len(shelves.entities)
    if anchors.facts is not None:
        mask &= _flagged(anchors.facts, len(mask))
    if anchors.sources is not None:
        mask &= _by_code(_flagged(anchors.sources, entities), source)
    if anchors.targets is not None:
        mask &= _by_code(_flagged(anchors.targets, entities), target)
    if anchors.connected is not None:
        near = _flagged(anchors.connected, entities)
        mask &= _by_code(near, source) | _by_code(near, target)


def _keep_dated(mask: Flags, facts: FactShelf, filters: Filters) -> None:
    for dates, moments in (
        (filters.created_at, facts.created_at),
        (filters.valid_at, facts.valid_at),
        (filters.invalid_at, facts.invalid_at),
        (filters.expired_at, facts.expired_at),
    ):
        if dates:
            mask &= _dated(dates, moments.array)
    if filters.valid_on is not None or filters.known_on is not None:
        mask &= _standing(facts, filters.valid_on, filters.known_on)


def _standing(facts: FactShelf, valid_on: datetime | None, known_on: datetime | None) -> Flags:
    """What was true at one moment, known at another, or would have been told at the second of
    the first."""
    starts, ends = facts.valid_at.array, facts.invalid_at.array
    created, expired = facts.created_at.array, facts.expired_at.array
    if valid_on is None:
        return _within(known_on, created, expired) if known_on else facts.alive.array
    if known_on is None:
        return _within(valid_on, starts, ends)
    at = micros(known_on)
    later = (expired != NO_TIME) & (expired > at)  # that it ended was not known yet
    known: Flags = created <= at
    return known & _within(valid_on, starts, np.where(later, NO_TIME, ends))


def _dated(dates: Dates, moments: Ints) -> Flags:
    fitting = np.zeros(len(moments), bool)
    for group in dates:
        together = np.ones(len(moments), bool)
        for test in group:
            together &= _tested(test, moments)
        fitting |= together
    return fitting


def _tested(test: DateTest, moments: Ints) -> Flags:
    known: Flags = moments != NO_TIME
    if test.operator == "IS NULL":
        return np.logical_not(known)
    if test.operator == "IS NOT NULL":
        return known
    compared = _COMPARED.get(test.operator)
    if compared is None or test.moment is None:
        return np.zeros(len(moments), bool)
    known &= compared(moments, micros(test.moment))
    return known


def _within(moment: datetime, starts: Ints, ends: Ints) -> Flags:
    """An unknown start is earlier than any moment anyway; an unknown end must be let by."""
    at = micros(moment)
    spans: Flags = (starts <= at) & ((ends > at) | (ends == NO_TIME))
    return spans


def _keep_resting(
    mask: Flags, shelves: Shelves, links: Links, filters: Filters, anchors: Anchors
) -> Flags:
    """The anchor may be met by one episode and a tree by another, as in the rule."""
    for episodes in _wanted_episodes(shelves, filters, anchors):
        mask &= resting_on(links, episodes, len(mask))
    return mask
