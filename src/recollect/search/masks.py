"""Filters over whole tables: for every slot, whether its item exists and passes.

`graph/filters.py` and `graph/episode_filters.py` decide for a single item; this is the same rule over
columns. JSON texts and metadata values are tested once each, however many items carry them.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

import msgspec
import numpy as np

from recollect.graph.episode_filters import (
    EPISODE_TYPE,
    ORDERED,
    EpisodeTest,
    EpisodeTree,
    TestParts,
    judge,
    text_of,
    written_number,
)
from recollect.graph.filters import (
    Dates,
    DateTest,
    Filters,
    MetadataTree,
    Values,
    ValueTest,
    tree_test,
    value_test,
)
from recollect.graph.visibility import Typed, typed
from recollect.search.columns import NO_TIME, Codes, Column, Flags, Ints, MetadataKey, Slots
from recollect.search.query import Lookups
from recollect.search.tables import EntityTable, EpisodeTable, FactTable, Tables
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


def fact_mask(tables: Tables, filters: Filters, lookups: Lookups) -> Flags:
    """The facts that exist and pass, whatever they rest on."""
    facts = tables.facts
    mask: Flags = facts.alive.array.copy()
    if filters.edge_types:
        mask &= _by_code(facts.names.flags(filters.edge_types), facts.name.array)
    if filters.exclude_edge_types:
        mask &= ~_by_code(facts.names.flags(filters.exclude_edge_types), facts.name.array)
    if filters.node_labels or filters.exclude_node_labels:
        mask &= _joining_labelled(tables, filters)
    if filters.rating_min is not None:
        mask &= ~(facts.rating.array < np.float32(filters.rating_min))  # also True of NaN
    if filters.properties:
        mask &= _with_properties(facts, filters)
    _keep_anchored(mask, tables, lookups)
    _keep_dated(mask, facts, filters)
    return mask


def entity_mask(tables: Tables, filters: Filters, _: Lookups) -> Flags:
    """The entities that exist and pass, whatever they rest on."""
    entities = tables.entities
    mask: Flags = entities.alive.array.copy()
    if filters.node_labels or filters.exclude_node_labels:
        mask &= _wanted_labels(entities, filters) & ~_unwanted_labels(entities, filters)
    if filters.properties:
        mask &= _with_properties(entities, filters)
    return mask


def episode_mask(tables: Tables, filters: Filters, _: Lookups) -> Flags:
    """The episodes that can be found."""
    episodes = tables.episodes
    mask: Flags = episodes.alive.array & episodes.open.array
    return mask & episodes.recallable.array if filters.recallable_only else mask


def required_episodes(tables: Tables, filters: Filters, lookups: Lookups) -> list[Flags]:
    """Sets of episodes; an item passes only if it rests on one of each set.

    One episode may satisfy the uuid list and another one a condition.
    """
    required = []
    if lookups.episodes is not None:
        near = _flagged(tables.episodes.known(lookups.episodes), len(tables.episodes))
        required.append(near & tables.episodes.alive.array)
    if filters.episode_metadata is not None:
        required.append(satisfying_episodes(tables.episodes, filters))
    if filters.episodes is not None:
        required.append(episodes_holding(filters.episodes, tables.episodes, lookups.tested))
    return required


def satisfying_episodes(episodes: EpisodeTable, filters: Filters) -> Flags:
    """The episodes that exist and satisfy the whole metadata tree, each by itself."""
    tree = filters.episode_metadata
    if tree is None:
        return np.array(episodes.alive.array)
    fitting = _satisfying(tree, episodes, len(episodes.metadata_texts.values))
    flags: Flags = fitting[episodes.metadata.array] & episodes.alive.array
    return flags


def _satisfying(tree: MetadataTree, episodes: EpisodeTable, size: int) -> Flags:
    """For each of *size* metadata texts, and last for having none, whether the tree holds."""
    parts = [_value_holds(test, episodes.key(test.name)) for test in tree.tests]
    parts += [_satisfying(part, episodes, size) for part in tree.trees]
    joined = np.logical_and if tree.joined_by == "and" else np.logical_or
    found: Flags = joined.reduce(parts) if parts else np.full(size + 1, tree.joined_by == "and")
    return found


def _value_holds(test: ValueTest, key: MetadataKey) -> Flags:
    if test.operator == "IS NULL":
        return ~key.present
    if test.operator == "IS NOT NULL":
        return key.present
    given = test.value
    if test.operator in ("=", "<>") and isinstance(given, str | int | float):
        equal = key.holding(key.one_of([typed(given)]))
        return equal if test.operator == "=" else key.present & ~equal
    holds = value_test(test)
    fitting = (holds({key.name: value}) for value in key.values)
    return key.holding(np.fromiter(fitting, bool, len(key.values)))


def _by_code(flags: Flags, codes: Any, without: bool = False) -> Flags:
    """The flag of each code; -1, which means no code, counts as *without*."""
    found: Flags = np.append(flags, without)[codes]
    return found


def _flagged(slots: Slots, size: int) -> Flags:
    flags = np.zeros(size, bool)
    flags[slots] = True
    return flags


def _fitting_texts(texts: Codes, holds: Callable[[Values], bool]) -> Flags:
    return np.fromiter((holds(_decode(text)) for text in texts.values), bool, len(texts.values))


def _with_properties(table: FactTable | EntityTable, filters: Filters) -> Flags:
    holds = tree_test(MetadataTree(joined_by="and", tests=filters.properties))
    fitting = _fitting_texts(table.attribute_texts, holds)
    return _by_code(fitting, table.attributes.array, holds({}))


def _joining_labelled(tables: Tables, filters: Filters) -> Flags:
    """The facts with a wanted label at either end, and no unwanted one at either."""
    source, target = tables.facts.source.array, tables.facts.target.array
    wanted = _wanted_labels(tables.entities, filters)
    unwanted = _unwanted_labels(tables.entities, filters)
    without = not filters.node_labels
    joining = _by_code(wanted, source, without) | _by_code(wanted, target, without)
    return joining & ~(_by_code(unwanted, source) | _by_code(unwanted, target))


def _wanted_labels(entities: EntityTable, filters: Filters) -> Flags:
    if not filters.node_labels:
        return np.ones(len(entities), bool)
    return _labelled(entities, set(filters.node_labels))


def _unwanted_labels(entities: EntityTable, filters: Filters) -> Flags:
    return _labelled(entities, set(filters.exclude_node_labels))


def _labelled(entities: EntityTable, names: set[str]) -> Flags:
    """The entities that carry one of the labels."""
    sets = entities.label_sets.values
    carrying = np.fromiter((not names.isdisjoint(labels) for labels in sets), bool, len(sets))
    return _by_code(carrying, entities.labels.array)


def _keep_anchored(mask: Flags, tables: Tables, lookups: Lookups) -> None:
    """Keep the facts that the filters name, or that join the entities they name."""
    source, target = tables.facts.source.array, tables.facts.target.array

    def entities(ids: Sequence[int]) -> Flags:
        return _flagged(tables.entities.known(ids), len(tables.entities))

    if lookups.facts is not None:
        mask &= _flagged(tables.facts.known(lookups.facts), len(mask))
    if lookups.sources is not None:
        mask &= _by_code(entities(lookups.sources), source)
    if lookups.targets is not None:
        mask &= _by_code(entities(lookups.targets), target)
    if lookups.connected is not None:
        near = entities(lookups.connected)
        mask &= _by_code(near, source) | _by_code(near, target)


def _keep_dated(mask: Flags, facts: FactTable, filters: Filters) -> None:
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


def _standing(facts: FactTable, valid_on: datetime | None, known_on: datetime | None) -> Flags:
    """The facts that were true at *valid_on*, or known at *known_on*, or both as in `filters.stands_at`."""
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
            together &= _date_holds(test, moments)
        fitting |= together
    return fitting


def _date_holds(test: DateTest, moments: Ints) -> Flags:
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
    """Which spans contain a moment. An unknown start is smaller than any moment; an unknown end is open."""
    at = micros(moment)
    spans: Flags = (starts <= at) & ((ends > at) | (ends == NO_TIME))
    return spans


def episodes_holding(tree: EpisodeTree, episodes: EpisodeTable, tested: Mapping[str, int]) -> Flags:
    """The episodes that exist and satisfy the whole tree; *tested* has the row ids of uuids it names."""
    named = {uuid: int(slot) for uuid, id_ in tested.items() for slot in episodes.known([id_])}
    found: Flags = _holding(tree, episodes, named) & episodes.alive.array
    return found


def _holding(tree: EpisodeTree, episodes: EpisodeTable, named: Mapping[str, int]) -> Flags:
    parts = [_EPISODE_TESTS[test.field](test, episodes, named) for test in tree.tests]
    parts += [_holding(inner, episodes, named) for inner in tree.trees]
    together = tree.joined_by == "and"
    found = np.full(len(episodes), together)
    for part in parts:
        found = found & part if together else found | part
    return ~found if tree.joined_by == "not" else found


def _metadata(test: EpisodeTest, episodes: EpisodeTable, _: Mapping[str, int]) -> Flags:
    flags: Flags = _texts(test, episodes.key(test.key))[episodes.metadata.array]
    return flags


def _texts(test: EpisodeTest, key: MetadataKey) -> Flags:
    """For every metadata text, and last for having none, whether the test holds."""
    if test.comparison == "IS NULL":
        return ~key.present
    given = test.value if isinstance(test.value, tuple) else (test.value,)
    if test.comparison not in ORDERED and all(isinstance(one, str) for one in given):
        # Every stored value can be read as text, so there is no need to read the values one by one.
        equal = key.holding(key.one_of([alike for one in given for alike in _written(str(one))]))
        return key.present & ~equal if test.comparison == "<>" else equal
    judged = judge(test)
    fits, differs = _weighed(judged, key.read_as(judged.read))
    if test.comparison == "<>":
        return key.holding(differs) & ~key.holding(fits)
    return key.holding(fits)


def _written(text: str) -> list[Typed]:
    """Every value whose text form is *text*."""
    number = written_number(text)
    found = [typed(text)]
    if number is not None and text_of(number) == text:
        found.append(typed(number))
    return found + [typed(truth) for truth in (True, False) if text_of(truth) == text]


def _weighed(judged: TestParts, readings: Sequence[Any]) -> tuple[Flags, Flags]:
    """Which values fit, and which can be read but do not."""
    known = np.fromiter((one is not None for one in readings), bool, len(readings))
    fits = judged.fits
    fitting = np.fromiter((one is not None and fits(one) for one in readings), bool, len(readings))
    return fitting, known & ~fitting


def _coded(test: EpisodeTest, codes: Codes, column: Column) -> Flags:
    """Whether the test holds for a field with at most one value; code -1 is no value."""
    if test.comparison == "IS NULL":
        absent: Flags = column.array == -1
        return absent
    judged = judge(test)
    fits, differs = _weighed(judged, [judged.read(value) for value in codes.values])
    chosen = differs if test.comparison == "<>" else fits
    flags: Flags = np.append(chosen, False)[column.array]
    return flags


def _type(test: EpisodeTest, episodes: EpisodeTable, _: Mapping[str, int]) -> Flags:
    """All episodes are of one type."""
    verdict = None if test.comparison == "IS NULL" else judge(test)(EPISODE_TYPE)
    return np.full(len(episodes), verdict is (test.comparison != "<>"))


def _created_at(test: EpisodeTest, episodes: EpisodeTable, _: Mapping[str, int]) -> Flags:
    given = test.value if isinstance(test.value, tuple) else (test.value,)
    moments = [micros(one) for one in given if isinstance(one, datetime)]
    created = episodes.created_at.array
    if not moments:
        return np.zeros(len(created), bool)
    order = ORDERED.get(test.comparison)
    if order is not None:
        return np.asarray(order(created, moments[0]))
    return np.isin(created, moments, invert=test.comparison == "<>")


def _uid(test: EpisodeTest, episodes: EpisodeTable, named: Mapping[str, int]) -> Flags:
    """A uid equals texts only, and has no order."""
    given = test.value if isinstance(test.value, tuple) else (test.value,)
    texts = [one for one in given if isinstance(one, str)]
    equal = np.zeros(len(episodes), bool)
    if not texts or test.comparison in ORDERED:
        return equal
    equal[[named[one] for one in texts if one in named]] = True
    return ~equal if test.comparison == "<>" else equal


_EPISODE_TESTS: dict[str, Callable[[EpisodeTest, EpisodeTable, Mapping[str, int]], Flags]] = {
    "uid": _uid,
    "producer_id": lambda test, table, _: _coded(test, table.producers, table.producer),
    "producer_role": lambda test, table, _: _coded(test, table.roles, table.role),
    "produced_for_id": lambda test, table, _: _coded(test, table.addressees, table.addressee),
    "episode_type": _type,
    "created_at": _created_at,
    "metadata": _metadata,
}
