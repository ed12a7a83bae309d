"""Keyset pagination: a cursor says where the last page ended, whatever was added or deleted since."""

import base64
from collections.abc import Callable, Sequence
from typing import Annotated, Any, Generic, Protocol, TypeVar

import msgspec

from recollect.errors import InvalidInput
from recollect.graph.types import Record
from recollect.store.statements import Keyed

T = TypeVar("T")


class Identified(Protocol):
    """A row with an id and a uuid."""

    @property
    def id(self) -> int: ...

    @property
    def uuid(self) -> str: ...


R = TypeVar("R", bound=Identified)


class Named(Protocol):
    """Anything with a uuid."""

    @property
    def uuid(self) -> str: ...


N = TypeVar("N", bound=Named)


class Mark(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """The last item of a page: its sort key and its uuid, and the order they belong to."""

    order: str
    key: Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)] | str
    uuid: str


class PageRequest(Record):
    """The requested page and its order (`key/direction`)."""

    order: str
    limit: int
    after: Mark | None = None

    def bounds(self) -> dict[str, Any]:
        """Query parameters; one extra row shows whether there is a next page."""
        return {
            "limit": self.limit + 1,
            "after_key": self.after.key if self.after else None,
            "after_uuid": self.after.uuid if self.after else None,
        }


class Page(Record, Generic[T]):
    """Items, the cursor of the next page, and the total if it was counted."""

    items: list[T]
    next_cursor: str | None = None
    total: int | None = None


def read_cursor(text: str | None, order: str) -> Mark | None:
    """Decode an opaque cursor; it is only valid for the order it was made for."""
    if not text:
        return None
    try:
        raw = base64.urlsafe_b64decode(text.encode() + b"=" * (-len(text) % 4))
        mark = msgspec.json.decode(raw, type=Mark)
    except (ValueError, msgspec.DecodeError) as error:
        raise InvalidInput("cursor: not issued by this server") from error
    if mark.order != order:
        raise InvalidInput("cursor: it belongs to another order_by or direction")
    if isinstance(mark.key, int) != _sorts_by_number(order):
        raise InvalidInput("cursor: not issued by this server")
    return mark


def _sorts_by_number(order: str) -> bool:
    """Times and counts are numbers; names and uuids are text."""
    key, _, _ = order.partition("/")
    return key.endswith("_at") or key == "degree"


def _write_cursor(mark: Mark) -> str:
    return base64.urlsafe_b64encode(msgspec.json.encode(mark)).decode().rstrip("=")


_ROWS_PER_LOOK = 200


def page_seen(
    read: Callable[[dict[str, Any]], list[Keyed[R]]],
    request: PageRequest,
    tell: Callable[[list[R]], dict[int, T]],
    *,
    narrowing: bool,
) -> Page[T]:
    """A page of those rows for which *tell* returns something, by row id.

    Unless something is *narrowing*, that is all of them. Otherwise rows without a result are skipped,
    page after page, so that page sizes and cursors do not reveal them.
    """
    bounds = request.bounds()
    if not narrowing:
        found = read(bounds)
        told = tell([one.row for one in found[: request.limit]])
        return _page_of(found, request, told)
    wanted = bounds["limit"]  # the first read is short: often nothing is left out
    kept: list[Keyed[R]] = []
    everything: dict[int, T] = {}
    while len(kept) < wanted:
        found = read(bounds)
        told = tell([one.row for one in found])
        kept += [one for one in found if one.row.id in told]
        everything.update(told)
        if len(found) < bounds["limit"]:
            break
        bounds["after_key"], bounds["after_uuid"] = found[-1].key, found[-1].row.uuid
        bounds["limit"] = max(wanted, _ROWS_PER_LOOK)
    return _page_of(kept[:wanted], request, everything)


def _page_of(found: list[Keyed[R]], request: PageRequest, told: dict[int, T]) -> Page[T]:
    """Cut *found* to its page, and add the cursor of the next."""
    kept = found[: request.limit]
    return Page(items=[told[one.row.id] for one in kept], next_cursor=_following(found, request))


def counted(found: Sequence[Keyed[N]], request: PageRequest, total: int | None) -> Page[N]:
    """The page of what was read within the bounds of *request*, out of *total* items."""
    items = [one.row for one in found[: request.limit]]
    return Page(items=items, next_cursor=_following(found, request), total=total or 0)


def _following(found: Sequence[Keyed[N]], request: PageRequest) -> str | None:
    """The cursor after the last item of a page; None if nothing follows."""
    if len(found) <= request.limit:
        return None
    last = found[request.limit - 1]
    return _write_cursor(Mark(request.order, last.key, last.row.uuid))
