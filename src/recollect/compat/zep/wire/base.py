"""What every wire model shares, and the few shapes that several nouns use."""

from typing import Annotated, Any, Literal, dataclass_transform

import msgspec
from msgspec import Meta

from recollect.graph.types import KeywordOnly
from recollect.limits import INTEGER_MAX

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
