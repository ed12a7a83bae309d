"""Filters of searches and lists: their types, and the rule by which one item passes.

An empty filter passes everything; all conditions given must hold, and a list of alternatives is met
by any of them. Each kind of item is tested only for what applies to it:

- facts: everything. `node_labels` needs a listed label at either end, `exclude_node_labels` allows
  none at either;
- entities: labels, properties, `episode_uuids`, `episode_metadata`, `episodes`;
- episodes: `episode_uuids`, `episode_metadata`, `episodes` and `recallable_only`.

Values are JSON. A list is tested element by element; a key that is absent, null or an empty list
has no value and satisfies `IS NULL` only; an object equals nothing. Equality is typed: 5 and 5.0
are equal, 5, "5" and true are not. Two numbers compare as numbers, anything else as text, so "9" >
"10". Only a text starts with another, in the same case.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from datetime import datetime
from operator import ge, gt, le, lt
from typing import Any, Literal

from recollect.graph.episode_filters import EpisodeFields, EpisodeTree, holds, text_of
from recollect.graph.types import Entity, Episode, Fact, Json, Record

Operator = Literal[
    "=", "<>", ">", "<", ">=", "<=", "IS NULL", "IS NOT NULL", "CONTAINS", "STARTS WITH"
]
Scalar = str | int | float | bool


class DateTest(Record):
    """A comparison of a time, or a test whether there is one."""

    operator: Operator
    moment: datetime | None = None


class ValueTest(Record):
    """A comparison of a named value; `CONTAINS` takes several."""

    name: str
    operator: Operator
    value: Scalar | tuple[Scalar, ...] | None = None


class MetadataTree(Record):
    """Tests of one episode's metadata joined by `and` or `or`, possibly nested."""

    joined_by: Literal["and", "or"]
    tests: tuple[ValueTest, ...] = ()
    trees: tuple["MetadataTree", ...] = ()


Dates = tuple[tuple[DateTest, ...], ...]  # groups joined by `or`; the tests in a group by `and`


class Filters(Record):
    """All filters. A uuid list of None filters nothing; an empty one lets nothing pass."""

    node_labels: tuple[str, ...] = ()
    exclude_node_labels: tuple[str, ...] = ()
    edge_types: tuple[str, ...] = ()
    exclude_edge_types: tuple[str, ...] = ()
    created_at: Dates = ()
    valid_at: Dates = ()
    invalid_at: Dates = ()
    expired_at: Dates = ()
    properties: tuple[ValueTest, ...] = ()
    edge_uuids: tuple[str, ...] | None = None
    episode_uuids: tuple[str, ...] | None = None
    source_node_uuids: tuple[str, ...] | None = None
    target_node_uuids: tuple[str, ...] | None = None
    connected_node_uuids: tuple[str, ...] | None = None
    episode_metadata: MetadataTree | None = None
    episodes: EpisodeTree | None = None  # at least one episode behind it satisfies the whole tree
    recallable_only: bool = False  # of episodes: without those kept for the semantic memory alone
    rating_min: float | None = None
    # As of both clocks: what was true then, and what was known then. Facts only.
    valid_on: datetime | None = None
    known_on: datetime | None = None


NO_FILTERS = Filters()


Values = Mapping[str, Any]

_NUMBERS = frozenset({int, float})  # by exact type: a boolean is not a number
_ORDERED: dict[Operator, Callable[[Any, Any], bool]] = {">": gt, "<": lt, ">=": ge, "<=": le}


def dates_hold(dates: Dates, moment: datetime | None) -> bool:
    """Whether all tests of at least one group hold; without groups, true."""
    return not dates or any(all(_date_holds(test, moment) for test in group) for group in dates)


def _date_holds(test: DateTest, moment: datetime | None) -> bool:
    if test.operator == "IS NULL":
        return moment is None
    if test.operator == "IS NOT NULL":
        return moment is not None
    if moment is None or test.moment is None:
        return False
    if test.operator == "=":
        return moment == test.moment
    if test.operator == "<>":
        return moment != test.moment
    ordered = _ORDERED.get(test.operator)
    return ordered is not None and ordered(moment, test.moment)


def values_hold(tests: Iterable[ValueTest], values: Values) -> bool:
    """Whether the values pass every test."""
    return all(value_test(test)(values) for test in tests)


def tree_holds(tree: MetadataTree, values: Values) -> bool:
    """Whether the metadata of one episode satisfies the tree."""
    return tree_test(tree)(values)


def tree_test(tree: MetadataTree) -> Callable[[Values], bool]:
    """The tree compiled to a predicate, for testing many mappings."""
    parts = [*map(value_test, tree.tests), *map(tree_test, tree.trees)]
    if len(parts) == 1:
        return parts[0]
    if tree.joined_by == "and":
        return lambda values: all(part(values) for part in parts)
    return lambda values: any(part(values) for part in parts)


def value_test(test: ValueTest) -> Callable[[Values], bool]:
    """One test compiled to a predicate, for testing many mappings."""
    name = test.name
    if test.operator == "IS NULL":
        return lambda values: not _has_value(values.get(name))
    if test.operator == "IS NOT NULL":
        return lambda values: _has_value(values.get(name))
    fits = _scalar_test(test)
    wanted = test.operator != "<>"

    def holds(values: Values) -> bool:
        value = values.get(name)
        if isinstance(value, list):
            return _has_value(value) and any(map(fits, value)) is wanted
        return value is not None and fits(value) is wanted

    return holds


def _has_value(value: Any) -> bool:
    if isinstance(value, list):
        return any(element is not None for element in value)
    return value is not None


def _scalar_test(test: ValueTest) -> Callable[[Any], bool]:
    """Whether a scalar matches; for `<>`, whether it equals the given value."""
    given = test.value
    if test.operator == "CONTAINS":
        listed = given if isinstance(given, tuple) else (given,)
        texts = frozenset(choice for choice in listed if type(choice) is str)
        others = [_equal_to(choice) for choice in listed if type(choice) is not str]
        return lambda element: text_of(element) in texts or any(same(element) for same in others)
    if test.operator == "STARTS WITH":
        return lambda element: _starts_with(element, given)
    if test.operator in ("=", "<>"):
        return _equal_to(given)
    return _ordered_to(_ORDERED[test.operator], given)


def _starts_with(element: Any, given: Any) -> bool:
    return isinstance(element, str) and isinstance(given, str) and element.startswith(given)


def _equal_to(given: Any) -> Callable[[Any], bool]:
    if type(given) in _NUMBERS:
        return lambda element: type(element) in _NUMBERS and element == given
    kind = type(given)
    return lambda element: type(element) is kind and element == given


def _ordered_to(ordered: Callable[[Any, Any], bool], given: Any) -> Callable[[Any], bool]:
    text = text_of(given)
    number = type(given) in _NUMBERS

    def holds(element: Any) -> bool:
        if number and type(element) in _NUMBERS:
            return ordered(element, given)
        written = text_of(element)
        return written is not None and text is not None and ordered(written, text)

    return holds


class EpisodeSource(Record):
    """As much of an episode as evidence needs; a whole `Episode` will do as well."""

    uuid: str
    metadata: Json | None = None
    role: str | None = None
    speaker: str | None = None
    producer: str | None = None
    addressee: str | None = None
    created_at: datetime | None = None


def needs_evidence(filters: Filters) -> bool:
    """Whether the episodes behind an item matter to these filters."""
    return (
        filters.episode_uuids is not None
        or filters.episode_metadata is not None
        or filters.episodes is not None
    )


def passes_fact(filters: Filters, fact: Fact, evidence: Iterable[EpisodeFields] = ()) -> bool:
    """Whether a fact passes, resting on *evidence*: all its episodes, hidden ones included."""
    return (
        _among(fact.name, filters.edge_types)
        and fact.name not in filters.exclude_edge_types
        and _labels_pass(filters, [*fact.source_labels, *fact.target_labels])
        and _anchored(filters, fact)
        and _dated(filters, fact)
        and stands_at(fact, valid_on=filters.valid_on, known_on=filters.known_on)
        and _rated(filters, fact)
        and values_hold(filters.properties, fact.attributes or {})
        and rests_on(filters, evidence)
    )


def passes_entity(filters: Filters, entity: Entity, evidence: Iterable[EpisodeFields] = ()) -> bool:
    """Whether an entity passes, resting on *evidence*: every episode that mentions it."""
    return (
        _labels_pass(filters, entity.labels)
        and values_hold(filters.properties, entity.attributes or {})
        and rests_on(filters, evidence)
    )


def passes_episode(filters: Filters, episode: Episode) -> bool:
    """Whether an episode passes: it is its own evidence."""
    if filters.recallable_only and episode.kept_for == "semantic":
        return False
    return rests_on(filters, (episode,))


def rests_on(filters: Filters, evidence: Iterable[EpisodeFields]) -> bool:
    """Whether the episodes behind an item satisfy the filters.

    Different episodes may satisfy the uuid list and each tree, but each tree needs one that
    satisfies all of it.
    """
    if not needs_evidence(filters):
        return True
    behind = list(evidence)
    tree, episodes = filters.episode_metadata, filters.episodes
    return (
        _allowed(filters.episode_uuids, [one.uuid for one in behind])
        and (tree is None or any(tree_holds(tree, one.metadata or {}) for one in behind))
        and (episodes is None or any(holds(episodes, one) for one in behind))
    )


def stands_at(
    fact: Fact, *, valid_on: datetime | None = None, known_on: datetime | None = None
) -> bool:
    """Whether a fact was true at *valid_on*, or known at *known_on*.

    With both: whether, as known at *known_on*, it was true at *valid_on*. An end that was learned later
    does not count.
    """
    if known_on is None:
        return valid_on is None or _within(valid_on, fact.valid_at, fact.invalid_at)
    if valid_on is None:
        return _within(known_on, fact.created_at, fact.expired_at)
    learned = fact.expired_at is None or fact.expired_at <= known_on
    end = fact.invalid_at if learned else None
    return fact.created_at <= known_on and _within(valid_on, fact.valid_at, end)


def _within(moment: datetime, start: datetime | None, end: datetime | None) -> bool:
    return (start is None or start <= moment) and (end is None or moment < end)


def _labels_pass(filters: Filters, labels: list[str]) -> bool:
    wanted = not filters.node_labels or not set(filters.node_labels).isdisjoint(labels)
    return wanted and set(filters.exclude_node_labels).isdisjoint(labels)


def _among(name: str, names: tuple[str, ...]) -> bool:
    return not names or name in names


def _anchored(filters: Filters, fact: Fact) -> bool:
    ends = (fact.source_uuid, fact.target_uuid)
    return (
        _allowed(filters.edge_uuids, (fact.uuid,))
        and _allowed(filters.source_node_uuids, (fact.source_uuid,))
        and _allowed(filters.target_node_uuids, (fact.target_uuid,))
        and _allowed(filters.connected_node_uuids, ends)
    )


def _allowed(anchors: tuple[str, ...] | None, uuids: Collection[str]) -> bool:
    return anchors is None or any(uuid in anchors for uuid in uuids)


def _dated(filters: Filters, fact: Fact) -> bool:
    return (
        dates_hold(filters.created_at, fact.created_at)
        and dates_hold(filters.valid_at, fact.valid_at)
        and dates_hold(filters.invalid_at, fact.invalid_at)
        and dates_hold(filters.expired_at, fact.expired_at)
    )


def _rated(filters: Filters, fact: Fact) -> bool:
    """Whether its rating is high enough; an unrated fact always passes."""
    return filters.rating_min is None or fact.rating is None or fact.rating >= filters.rating_min
