"""Translation of the clients' filters to ours. Errors name the path in the request.

The searches of Zep v2 are simpler: equal metadata, and how to rank.
"""

import math
import re
from collections.abc import Sequence
from typing import Any, Literal, cast

from msgspec.structs import replace

from recollect.compat.zep.wire.base import (
    DateFilter,
    MetadataFilterGroup,
    PropertyFilter,
    SearchFilters,
)
from recollect.errors import InvalidInput
from recollect.graph import checks
from recollect.graph.filters import (
    NO_FILTERS,
    Dates,
    DateTest,
    Filters,
    MetadataTree,
    Operator,
    Scalar,
    ValueTest,
)
from recollect.limits import (
    ECHO_CHARS_MAX,
    FILTER_LIST_MAX,
    FILTER_TESTS_MAX,
    FILTER_TREE_DEPTH_MAX,
    FILTER_VALUE_CHARS_MAX,
    NAME_CHARS_MAX,
)

OPERATORS: dict[str, Operator] = {
    "=": "=",
    "eq": "=",
    "<>": "<>",
    "ne": "<>",
    ">": ">",
    "gt": ">",
    "<": "<",
    "lt": "<",
    ">=": ">=",
    "gte": ">=",
    "<=": "<=",
    "lte": "<=",
    "is null": "IS NULL",
    "is_null": "IS NULL",
    "is not null": "IS NOT NULL",
    "is_not_null": "IS NOT NULL",
    "contains": "CONTAINS",
    "in": "CONTAINS",  # both ask whether the stored value is one of several
    "starts with": "STARTS WITH",
    "starts_with": "STARTS WITH",
}
_NULL_OPERATORS = ("IS NULL", "IS NOT NULL")
_NOT_FOR_DATES = ("CONTAINS", "STARTS WITH")
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_DATE_FIELDS = ("created_at", "valid_at", "invalid_at", "expired_at")
_WORD_FIELDS = ("node_labels", "exclude_node_labels", "edge_types", "exclude_edge_types")
_UUID_FIELDS = (
    "edge_uuids",
    "episode_uuids",
    "source_node_uuids",
    "target_node_uuids",
    "connected_node_uuids",
)
_ENDS = ("source_node_uuids", "target_node_uuids", "connected_node_uuids")


def filters(sent: SearchFilters | None, path: str, *, edges: bool = True) -> Filters:
    """Our filters; *edges* says whether the search includes edges."""
    if sent is None:
        return NO_FILTERS
    if not edges:
        refuse_ends(sent, path)
    tree = sent.episode_metadata_filters
    read = named_lists(sent, path)
    for name in _DATE_FIELDS:
        read[name] = _dates(f"{path}.{name}", getattr(sent, name))
    return Filters(
        **read,
        properties=_properties(f"{path}.property_filters", sent.property_filters or ()),
        episode_metadata=metadata_tree(tree, f"{path}.episode_metadata_filters"),
    )


def as_of(chosen: Filters, valid_at: str | None, known_at: str | None) -> Filters:
    """The filters, restricted to facts as of a time on either timeline."""
    return replace(
        chosen,
        valid_on=checks.moment("valid_at", valid_at),
        known_on=checks.moment("known_at", known_at),
    )


def named_lists(sent: Any, path: str) -> dict[str, Any]:
    """The lists of labels, types and uuids that a filter has."""
    read: dict[str, Any] = {}
    for names, reader in ((_WORD_FIELDS, words), (_UUID_FIELDS, _uuids)):
        for name in names:
            read[name] = reader(f"{path}.{name}", getattr(sent, name, None))
    return read


def for_kind(chosen: Filters, kind: str) -> Filters:
    """The filters that apply to items of *kind*: times, ends and ratings only apply to facts."""
    if kind == "fact":
        return chosen
    nothing: dict[str, Any] = dict.fromkeys(_DATE_FIELDS, ())
    nothing |= dict.fromkeys((*_ENDS, "edge_uuids", "rating_min", "valid_on", "known_on"))
    return replace(chosen, **nothing)


def rating(field: str, value: float | None) -> float | None:
    """The minimum rating of facts, checked."""
    if value is not None and not 0 <= value <= 1:
        raise InvalidInput(f"{field}: must be from 0 to 1, got {value}")
    return value


def metadata_tree(sent: MetadataFilterGroup | None, path: str) -> MetadataTree | None:
    """A tree of tests on an episode's metadata, within bounds."""
    if sent is None:
        return None
    bound_tree(sent, path)
    return _tree(sent, path)


def refuse_ends(sent: Any, path: str) -> None:
    """Refuse filters on edges if the search does not include edges."""
    for name in _ENDS:
        if getattr(sent, name, None) is not None:
            raise InvalidInput(f"{path}.{name}: it narrows edges, and none are asked for")


def bound_tree(sent: Any, path: str) -> None:
    """Check the bounds of a tree, level by level, so that a deep tree cannot exhaust the stack."""
    level, depth, tests = [(path, sent)], 1, 0
    while level:
        if depth > FILTER_TREE_DEPTH_MAX:
            raise InvalidInput(f"{level[0][0]}: nested deeper than {FILTER_TREE_DEPTH_MAX} groups")
        for where, group in level:
            tests += len(group.filters or ())
            if tests > FILTER_TESTS_MAX:
                raise InvalidInput(f"{where}.filters: at most {FILTER_TESTS_MAX} in the whole tree")
        level = [inner for where, group in level for inner in _groups_of(where, group)]
        if len(level) > FILTER_TESTS_MAX:
            where = level[FILTER_TESTS_MAX][0]
            raise InvalidInput(f"{where}: at most {FILTER_TESTS_MAX} groups side by side")
        depth += 1


def _groups_of(path: str, sent: Any) -> list[tuple[str, Any]]:
    return [(f"{path}.groups[{n}]", group) for n, group in enumerate(sent.groups or ())]


def _tree(sent: MetadataFilterGroup, path: str) -> MetadataTree:
    joined_by = sent.type.lower()
    if joined_by not in ("and", "or"):
        raise InvalidInput(f"{path}.type: must be and or or, got {_echo(sent.type)}")
    if not sent.filters and not sent.groups:
        raise InvalidInput(f"{path}: a group must have filters or groups")
    return MetadataTree(
        joined_by=cast(Literal["and", "or"], joined_by),
        tests=tuple(
            _value_test(test, f"{path}.filters[{number}]")
            for number, test in enumerate(sent.filters or ())
        ),
        trees=tuple(_tree(group, where) for where, group in _groups_of(path, sent)),
    )


def _properties(path: str, sent: Sequence[PropertyFilter]) -> tuple[ValueTest, ...]:
    if len(sent) > FILTER_TESTS_MAX:
        raise InvalidInput(f"{path}: at most {FILTER_TESTS_MAX}, got {len(sent)}")
    return tuple(_value_test(test, f"{path}[{number}]") for number, test in enumerate(sent))


def _value_test(sent: PropertyFilter, path: str) -> ValueTest:
    checks.text(f"{path}.property_name", sent.property_name, NAME_CHARS_MAX, required=True)
    operator = _operator(f"{path}.comparison_operator", sent.comparison_operator)
    value = value_for(f"{path}.property_value", operator, sent.property_value)
    return ValueTest(name=sent.property_name, operator=operator, value=value)


def value_for(path: str, operator: Operator, value: Any) -> Any:
    """The operand of a test: none, one value, or any of several."""
    need_or_not(path, operator, value)
    if operator == "CONTAINS":
        return _any_of(path, value)
    if operator == "STARTS WITH":
        return _beginning(path, value)
    return None if value is None else _scalar(path, value)


def _operator(path: str, sent: str) -> Operator:
    known = OPERATORS.get(" ".join(sent.lower().split()))
    if known is None:
        names = "=, <>, >, <, >=, <=, CONTAINS, IN, STARTS WITH, IS NULL, IS NOT NULL"
        raise InvalidInput(f"{path}: must be one of {names}; got {_echo(sent)}")
    return known


def need_or_not(path: str, operator: Operator, value: object) -> None:
    """Check the operand: null tests take none, and all others need one."""
    if operator in _NULL_OPERATORS:
        if value is not None:
            raise InvalidInput(f"{path}: {operator} takes no value")
    elif value is None:
        raise InvalidInput(f"{path}: {operator} needs a value")


def _any_of(path: str, value: Any) -> tuple[Scalar, ...]:
    """The alternatives for a value: a list, or comma-separated words."""
    if isinstance(value, list):
        chosen = [_scalar(f"{path}[{number}]", item) for number, item in enumerate(value)]
    elif isinstance(value, str):
        chosen = [word.strip() for word in value.split(",") if word.strip()]
    else:
        chosen = [_scalar(path, value)]
    if not chosen:
        raise InvalidInput(f"{path}: must name at least one value")
    if len(chosen) > FILTER_LIST_MAX:
        raise InvalidInput(f"{path}: at most {FILTER_LIST_MAX} values, got {len(chosen)}")
    return tuple(chosen)


def _beginning(path: str, value: Any) -> str:
    """The prefix of a text; an empty one is refused, because every text starts with it."""
    if not isinstance(value, str) or not value:
        raise InvalidInput(f"{path}: must be a string with something in it")
    checks.text(path, value, FILTER_VALUE_CHARS_MAX)
    return value


def _scalar(path: str, value: Any) -> Scalar:
    if not isinstance(value, str | int | float):  # a boolean is an int
        raise InvalidInput(f"{path}: must be a string, a number or a boolean")
    if isinstance(value, float) and not math.isfinite(value):
        raise InvalidInput(f"{path}: must be a finite number")
    if isinstance(value, str):
        checks.text(path, value, FILTER_VALUE_CHARS_MAX)
    return value


def _dates(path: str, sent: list[list[DateFilter]] | None) -> Dates:
    """Tests of one time: any group must hold, and a group holds if all of its tests do."""
    if sum(len(group) for group in sent or ()) > FILTER_TESTS_MAX:
        raise InvalidInput(f"{path}: at most {FILTER_TESTS_MAX} filters in all")
    for number, group in enumerate(sent or ()):
        if not group:
            raise InvalidInput(f"{path}[{number}]: must not be empty")
    return tuple(
        tuple(_date_test(test, f"{path}[{number}][{inner}]") for inner, test in enumerate(group))
        for number, group in enumerate(sent or ())
    )


def _date_test(sent: DateFilter, path: str) -> DateTest:
    operator = _operator(f"{path}.comparison_operator", sent.comparison_operator)
    if operator in _NOT_FOR_DATES:
        raise InvalidInput(
            f"{path}.comparison_operator: {_echo(sent.comparison_operator)} is not for dates"
        )
    need_or_not(f"{path}.date", operator, sent.date)
    return DateTest(operator=operator, moment=checks.moment(f"{path}.date", sent.date))


def words(path: str, sent: list[str] | None) -> tuple[str, ...]:
    """Names of types or labels, within bounds."""
    _bound_list(path, sent)
    for number, word in enumerate(sent or ()):
        checks.text(f"{path}[{number}]", word, NAME_CHARS_MAX, required=True)
    return tuple(sent or ())


def _uuids(path: str, sent: list[str] | None) -> tuple[str, ...] | None:
    """A list of uuids: None does not filter, an empty list matches nothing."""
    if sent is None:
        return None
    _bound_list(path, sent)
    for number, uuid in enumerate(sent):
        if _UUID.fullmatch(uuid) is None:
            raise InvalidInput(f"{path}[{number}]: {_echo(uuid)} is not a uuid")
    return tuple(uuid.lower() for uuid in sent)


def _bound_list(path: str, sent: list[str] | None) -> None:
    if len(sent or ()) > FILTER_LIST_MAX:
        raise InvalidInput(f"{path}: at most {FILTER_LIST_MAX}, got {len(sent or ())}")


def _echo(value: str) -> str:
    return repr(value if len(value) <= ECHO_CHARS_MAX else value[:ECHO_CHARS_MAX] + "…")


_SEARCH_TYPES = ("similarity", "mmr")


def equal_metadata(field: str, given: dict[str, Any] | None) -> MetadataTree | None:
    """Metadata that a record must have: each name with the given value; null: it must be absent."""
    if not given:
        return None
    if len(given) > FILTER_TESTS_MAX:
        raise InvalidInput(f"{field}: at most {FILTER_TESTS_MAX} names, got {len(given)}")
    return MetadataTree(
        joined_by="and", tests=tuple(_equal(field, name, value) for name, value in given.items())
    )


def _equal(field: str, name: str, value: Any) -> ValueTest:
    if value is None:
        return ValueTest(name=name, operator="IS NULL")
    if not isinstance(value, Scalar):
        raise InvalidInput(
            f"{field}.{name[:ECHO_CHARS_MAX]}: must be a text, a number, true, false or null;"
            " metadata is compared name by name"
        )
    if isinstance(value, str) and len(value) > FILTER_VALUE_CHARS_MAX:
        raise InvalidInput(
            f"{field}.{name[:ECHO_CHARS_MAX]}: at most {FILTER_VALUE_CHARS_MAX} characters"
        )
    return ValueTest(name=name, operator="=", value=value)


def mmr_lambda(search_type: str | None, given: float | None) -> float | None:
    """The weight of relevance against diversity for MMR; None without MMR."""
    chosen = search_type or "similarity"
    if chosen not in _SEARCH_TYPES:
        raise InvalidInput(
            f"search_type: must be one of {', '.join(_SEARCH_TYPES)}; got {chosen[:ECHO_CHARS_MAX]!r}"
        )
    if given is not None and not 0 <= given <= 1:
        raise InvalidInput(f"mmr_lambda: must be from 0 to 1, got {given}")
    if chosen == "similarity":
        return None
    return 0.5 if given is None else given
