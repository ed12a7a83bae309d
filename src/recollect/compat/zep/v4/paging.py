"""Pages of Zep v4: which one is requested, and where the next one starts."""

import base64
import binascii
from collections.abc import Callable, Collection, Sequence
from typing import Any, Protocol, TypeVar

from recollect.compat.zep.translate import order as checked_order
from recollect.compat.zep.v4.wire.base import Page4, PageQuery4
from recollect.errors import InvalidInput
from recollect.limits import GRAPH_PAGE_MAX, INTEGER_MAX, LIST_ALL_DEFAULT, PAGE_MAX
from recollect.records.pages import Page, PageRequest, read_cursor

_PLACE, _ITEM = "at:", "past:"


class _Named(Protocol):
    """Something with a uuid."""

    @property
    def uuid(self) -> str:
        """The server's id."""


T = TypeVar("T", bound=_Named)
Item = TypeVar("Item")
Told = TypeVar("Told")


def order(sent: Any, default: str, direction: str = "desc") -> str:
    """`key/direction` of a list, newest first by default."""
    return f"{sent.order_by or default}/{sent.order or direction}"


def size(sent: PageQuery4, most: int = PAGE_MAX, default: int = LIST_ALL_DEFAULT) -> int:
    """How many items a page has."""
    return min(sent.page_size or default, most)


def offset(sent: PageQuery4) -> int:
    """How many items come before the page, or another position that callers know anyway."""
    text = _read(sent, _PLACE)
    if text is None:
        return 0
    if not text.isascii() or not text.isdigit() or int(text) > INTEGER_MAX:
        raise InvalidInput("cursor: not one that this server gave out")
    return int(text)


def cursor(begin: int) -> str:
    """The cursor that `offset` reads."""
    return _written(_PLACE, str(begin))


def after(sent: PageQuery4) -> str | None:
    """The uuid of the last item of the previous page.

    Its position cannot be the cursor: it would reveal how many items the caller may not see.
    """
    return _read(sent, _ITEM)


def _read(sent: PageQuery4, kind: str) -> str | None:
    if not sent.cursor:
        return None
    try:
        text = base64.b64decode(sent.cursor.encode(), altchars=b"-_", validate=True).decode()
    except (binascii.Error, ValueError) as error:
        raise InvalidInput("cursor: not one that this server gave out") from error
    if not text.startswith(kind):
        raise InvalidInput("cursor: not one that this server gave out")
    return text.removeprefix(kind)


def _written(kind: str, text: str) -> str:
    return base64.urlsafe_b64encode(f"{kind}{text}".encode()).decode()


def following(sent: PageQuery4, told: int, total: int) -> str | None:
    """The cursor after a page with *told* of *total* items; None on the last page."""
    begin = offset(sent) + told
    return cursor(begin) if told and begin < total else None


def past(
    sent: PageQuery4, found: Sequence[T], most: int = PAGE_MAX
) -> tuple[Sequence[T], str | None]:
    """The page of items read after the cursor, and the cursor of the next page.

    *found* has one item more than the page if there is a next one. That starts after the last item of this
    one, so that no page costs more than another.
    """
    told = found[: size(sent, most)]
    return told, _written(_ITEM, told[-1].uuid) if len(found) > len(told) else None


def graph_page(sent: Any, allowed: Collection[str]) -> PageRequest:
    """The page of nodes, edges, episodes or what is derived from them."""
    ascending = sent.order == "asc"
    by = checked_order(sent.order_by, allowed, default="uuid", asc=ascending)
    after = read_cursor(sent.cursor, by)
    return PageRequest(order=by, limit=size(sent, GRAPH_PAGE_MAX, GRAPH_PAGE_MAX), after=after)


def keyset(sent: Any, default: str) -> PageRequest:
    """The page of a list that continues after the last item of the previous page."""
    return in_order(sent, order(sent, default))


def in_order(sent: PageQuery4, by: str) -> PageRequest:
    """The page of a list in a given order that callers do not choose."""
    return PageRequest(order=by, limit=size(sent), after=read_cursor(sent.cursor, by))


def answer(page: Page[Item], tell: Callable[[Item], Told]) -> Page4[Told]:
    """A page for the wire."""
    items = [tell(one) for one in page.items]
    return Page4(items=items, next_cursor=page.next_cursor, total_size=page.total)


def part(sent: PageQuery4, items: Sequence[T]) -> tuple[Sequence[T], str | None]:
    """A page of a list that is completely in memory, oldest first, and the cursor of the next page."""
    told_last = after(sent) or ""
    return past(sent, [one for one in sorted(items, key=_uuid) if one.uuid > told_last])


def _uuid(item: _Named) -> str:
    return item.uuid
