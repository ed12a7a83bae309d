"""Translation of Zep v4's filters to ours. Errors name the path in the request."""

from collections.abc import Sequence
from typing import Any

from recollect.compat.zep import translate_filters as shared
from recollect.compat.zep.v4.wire.filters import (
    AnyFilters4,
    DateFilter4,
    DateFilters4,
    MetadataFilterGroup4,
    ValueFilter4,
)
from recollect.errors import InvalidInput
from recollect.graph import checks
from recollect.graph.filters import (
    NO_FILTERS,
    DateTest,
    Filters,
    MetadataTree,
    ValueTest,
)
from recollect.limits import FILTER_TESTS_MAX, NAME_CHARS_MAX

PATH = "filters"


def filters(sent: AnyFilters4 | None, *, edges: bool = True) -> Filters:
    """Our filters; *edges* says whether the search includes edges."""
    if sent is None:
        return NO_FILTERS
    if getattr(sent, "content_policy_violated", None):
        raise InvalidInput(f"{PATH}.content_policy_violated: there is no content policy here")
    if not edges:
        shared.refuse_ends(sent, PATH)
    return Filters(
        **shared.named_lists(sent, PATH),
        **_dates(f"{PATH}.date_filters", getattr(sent, "date_filters", None)),
        properties=_properties(getattr(sent, "property_filters", None) or ()),
        episode_metadata=metadata_tree(getattr(sent, "metadata_filters", None)),
    )


def metadata_tree(sent: MetadataFilterGroup4 | None) -> MetadataTree | None:
    """A tree of tests on an episode's metadata, within bounds."""
    if sent is None:
        return None
    path = f"{PATH}.metadata_filters"
    shared.bound_tree(sent, path)
    return _tree(sent, path)


def _tree(sent: MetadataFilterGroup4, path: str) -> MetadataTree:
    if not sent.filters and not sent.groups:
        raise InvalidInput(f"{path}: a group must have filters or groups")
    return MetadataTree(
        joined_by=sent.type,
        tests=tuple(
            _value_test(test, f"{path}.filters[{number}]")
            for number, test in enumerate(sent.filters or ())
        ),
        trees=tuple(
            _tree(group, f"{path}.groups[{number}]")
            for number, group in enumerate(sent.groups or ())
        ),
    )


def _properties(sent: Sequence[ValueFilter4]) -> tuple[ValueTest, ...]:
    path = f"{PATH}.property_filters"
    if len(sent) > FILTER_TESTS_MAX:
        raise InvalidInput(f"{path}: at most {FILTER_TESTS_MAX}, got {len(sent)}")
    return tuple(_value_test(test, f"{path}[{number}]") for number, test in enumerate(sent))


def _value_test(sent: ValueFilter4, path: str) -> ValueTest:
    checks.text(f"{path}.property_name", sent.property_name, NAME_CHARS_MAX, required=True)
    operator = shared.OPERATORS[sent.operator]
    value = shared.value_for(f"{path}.value", operator, sent.value)
    return ValueTest(name=sent.property_name, operator=operator, value=value)


def _dates(path: str, sent: DateFilters4 | None) -> dict[str, Any]:
    """Tests of each time: any of the groups, each of which is all of its tests.

    Our filters support alternatives for one time, or several times that must all match. Anything else cannot
    be expressed with them.
    """
    if sent is None:
        return {}
    groups = [group.all_of for group in sent.any_of]
    if sum(map(len, groups)) > FILTER_TESTS_MAX:
        raise InvalidInput(f"{path}: at most {FILTER_TESTS_MAX} tests in all")
    for number, group in enumerate(groups):
        if not group:
            raise InvalidInput(f"{path}.any_of[{number}].all_of: must not be empty")
    named = {test.field for group in groups for test in group}
    if len(groups) > 1 and len(named) > 1:
        raise InvalidInput(f"{path}: alternatives must all be about the same field")
    read: dict[str, Any] = {}
    for field in named:
        read[field] = tuple(
            tuple(
                _date_test(test, f"{path}.any_of[{number}].all_of[{inner}]")
                for inner, test in enumerate(group)
                if test.field == field
            )
            for number, group in enumerate(groups)
        )
    return read


def _date_test(sent: DateFilter4, path: str) -> DateTest:
    operator = shared.OPERATORS[sent.operator]
    shared.need_or_not(f"{path}.value", operator, sent.value)
    return DateTest(operator=operator, moment=checks.moment(f"{path}.value", sent.value))
