"""What the searches of Zep v2 say about records: equal metadata, and how to rank."""

from typing import Any

from recollect.errors import InvalidInput
from recollect.graph.filters import MetadataTree, Scalar, ValueTest
from recollect.limits import ECHO_CHARS_MAX, FILTER_TESTS_MAX, FILTER_VALUE_CHARS_MAX

_SEARCH_TYPES = ("similarity", "mmr")


def metadata_tree(field: str, given: dict[str, Any] | None) -> MetadataTree | None:
    """Metadata that a record must have: each name with the given value, null for none at all."""
    if not given:
        return None
    if len(given) > FILTER_TESTS_MAX:
        raise InvalidInput(f"{field}: at most {FILTER_TESTS_MAX} names, got {len(given)}")
    return MetadataTree(
        joined_by="and", tests=tuple(_test(field, name, value) for name, value in given.items())
    )


def _test(field: str, name: str, value: Any) -> ValueTest:
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
    """The weight of relevance when hits shall differ from each other; None when they need not."""
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
