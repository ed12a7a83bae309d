"""What all wire types are made of: their bases, small types, and filters.

An unknown filter must not be ignored: it would let through what its sender meant to exclude. So unknown
fields of filters are refused, unlike in other requests.
"""

from typing import Annotated, Any, Literal, TypeVar, dataclass_transform

import msgspec
from msgspec import Meta

from recollect.graph.types import KeywordOnly
from recollect.limits import INTEGER_MAX

T = TypeVar("T", bound=msgspec.Struct)
Json = dict[str, Any]
Count = Annotated[int, Meta(ge=0, le=INTEGER_MAX)]
PageNumber = Annotated[int, Meta(ge=1, le=INTEGER_MAX)]
RoleType = Literal["norole", "system", "assistant", "user", "function", "tool"]
DataType = Literal["text", "json", "message"]
Direction = Literal["asc", "desc"]


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(msgspec.field,))
class Wire(msgspec.Struct, metaclass=KeywordOnly, frozen=True, omit_defaults=True):
    """A wire model: what is not set is left out."""


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(msgspec.field,))
class Request(msgspec.Struct, metaclass=KeywordOnly, frozen=True):
    """What a client sends; unknown fields are ignored."""


class Success(Wire):
    """A write that has nothing else to say."""

    message: str


class FactRatingExamples(Wire):
    """One example per degree."""

    high: str | None = None
    medium: str | None = None
    low: str | None = None


class FactRatingInstruction(Wire):
    """How a project wants facts rated."""

    instruction: str | None = None
    examples: FactRatingExamples | None = None


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(msgspec.field,))
class Strict(msgspec.Struct, metaclass=KeywordOnly, frozen=True, forbid_unknown_fields=True):
    """A part of a request in which every field must be known."""


class DateFilter(Strict):
    """A test of one time; the null tests take no date."""

    comparison_operator: str
    date: str | None = None


class PropertyFilter(Strict):
    """A test of one named value; the null tests take no value."""

    property_name: str
    comparison_operator: str
    property_value: Any = None


class MetadataFilterGroup(Strict):
    """Tests of one episode's metadata, joined by `and` or `or`, with groups inside."""

    type: str
    filters: list[PropertyFilter] | None = None
    groups: list["MetadataFilterGroup"] | None = None


Dates = list[list[DateFilter]]


class SearchFilters(Strict):
    """Everything a search can be narrowed by; the outer list of dates is OR, the inner is AND."""

    node_labels: list[str] | None = None
    exclude_node_labels: list[str] | None = None
    edge_types: list[str] | None = None
    exclude_edge_types: list[str] | None = None
    created_at: Dates | None = None
    valid_at: Dates | None = None
    invalid_at: Dates | None = None
    expired_at: Dates | None = None
    property_filters: list[PropertyFilter] | None = None
    edge_uuids: list[str] | None = None
    episode_uuids: list[str] | None = None
    source_node_uuids: list[str] | None = None
    target_node_uuids: list[str] | None = None
    connected_node_uuids: list[str] | None = None
    episode_metadata_filters: MetadataFilterGroup | None = None


def shaped(model: type[T], found: object, /, **named: Any) -> T:
    """What was *found* as a client's model: fields not in *named* have the same name in both.

    A field that is in neither raises AttributeError, so that none is missed.
    """
    for field in model.__struct_fields__:
        if field not in named:
            named[field] = getattr(found, field)
    return model(**named)
