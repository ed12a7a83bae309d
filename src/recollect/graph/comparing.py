"""How a value or a moment stands to one that a filter gives.

A value is what JSON holds. A list is looked at element by element; a key that is absent, null
or an empty list has no value, and only `IS NULL` is true of it; an object equals nothing that
can be given. Equality knows types: 5 and 5.0 are the same number, 5, "5" and true are three
different things. Order is that of numbers between two numbers and that of texts between any
others, so "9" comes after "10".
"""

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from operator import ge, gt, le, lt
from typing import Any

from recollect.graph.filters import Dates, DateTest, MetadataTree, Operator, ValueTest
from recollect.graph.scalars import text_of

Values = Mapping[str, Any]

_NUMBERS = frozenset({int, float})  # by exact type: a boolean is none
_ORDERED: dict[Operator, Callable[[Any, Any], bool]] = {">": gt, "<": lt, ">=": ge, "<=": le}


def dates_hold(dates: Dates, moment: datetime | None) -> bool:
    """Whether all tests of any of the groups hold; no groups at all do not narrow."""
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
    """Whether every test holds of the named values."""
    return all(value_test(test)(values) for test in tests)


def tree_holds(tree: MetadataTree, values: Values) -> bool:
    """Whether the whole tree holds of the metadata of one episode."""
    return tree_test(tree)(values)


def tree_test(tree: MetadataTree) -> Callable[[Values], bool]:
    """The tree made ready to be asked of many maps."""
    parts = [*map(value_test, tree.tests), *map(tree_test, tree.trees)]
    if len(parts) == 1:
        return parts[0]
    if tree.joined_by == "and":
        return lambda values: all(part(values) for part in parts)
    return lambda values: any(part(values) for part in parts)


def value_test(test: ValueTest) -> Callable[[Values], bool]:
    """One test made ready to be asked of many maps."""
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
    """Whether a scalar is what the test is about: for `<>`, whether it equals the given one."""
    given = test.value
    if test.operator == "CONTAINS":
        listed = given if isinstance(given, tuple) else (given,)
        texts = frozenset(choice for choice in listed if type(choice) is str)
        others = [_equal_to(choice) for choice in listed if type(choice) is not str]
        return lambda element: text_of(element) in texts or any(same(element) for same in others)
    if test.operator in ("=", "<>"):
        return _equal_to(given)
    return _ordered_to(_ORDERED[test.operator], given)


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
