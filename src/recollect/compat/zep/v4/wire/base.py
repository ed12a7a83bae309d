"""What several nouns share: pages, and what a page is asked for by."""

from typing import Annotated, Generic, Literal, TypeVar

from msgspec import Meta

from recollect.compat.zep.wire.base import Json, Request, Wire
from recollect.limits import INTEGER_MAX

__all__ = ["Json", "Page4", "PageQuery4", "Request", "SearchList4", "Wire"]

T = TypeVar("T")
PageSize = Annotated[int, Meta(ge=1, le=INTEGER_MAX)]
Order = Literal["asc", "desc"]
Role4 = Literal["system", "assistant", "user", "function", "tool"]
DataType4 = Literal["text", "json", "message"]


class Page4(Wire, Generic[T]):
    """Some items; `next_cursor` is missing on the last page."""

    items: list[T]
    next_cursor: str | None = None
    total_size: int | None = None


class PageQuery4(Request):
    """Which page of a list."""

    page_size: PageSize | None = None
    cursor: str | None = None


class SearchList4(Request):
    """A text that what is listed has in its names."""

    search: str | None = None
