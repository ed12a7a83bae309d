"""Reading the chapters of a graph: older episodes condensed, with the episodes that bear it out."""

from typing import Annotated

import msgspec

from recollect.api.router import Call, Route
from recollect.app import provenance
from recollect.limits import CHAPTERS_PER_PAGE_DEFAULT, CHAPTERS_PER_PAGE_MAX, INTEGER_MAX
from recollect.records.chapters import Chapter


class ChaptersQuery(msgspec.Struct):
    """How many chapters, and those after which number."""

    limit: Annotated[int, msgspec.Meta(ge=1, le=CHAPTERS_PER_PAGE_MAX)] = CHAPTERS_PER_PAGE_DEFAULT
    cursor: Annotated[int, msgspec.Meta(ge=0, le=INTEGER_MAX)] = 0


class Chapters(msgspec.Struct):
    """Chapters, the oldest first; *next_cursor* asks for those after them."""

    chapters: list[Chapter]
    next_cursor: int | None


async def of_graph(call: Call) -> Chapters:
    """The chapters of a standalone graph."""
    return await _page(call, graph_id=call.path["graph_id"])


async def of_user(call: Call) -> Chapters:
    """The chapters of a user's graph."""
    return await _page(call, user_id=call.path["user_id"])


async def _page(call: Call, user_id: str | None = None, graph_id: str | None = None) -> Chapters:
    sent: ChaptersQuery = call.query
    found = await provenance.chapters_of(
        call.services,
        call.access,
        user_id=user_id,
        graph_id=graph_id,
        limit=sent.limit + 1,
        after=sent.cursor,
    )
    shown = found[: sent.limit]
    more = len(found) > sent.limit
    return Chapters(chapters=shown, next_cursor=shown[-1].number if more else None)


ROUTES = [
    Route(
        "GET",
        "/api/v1/graphs/{graph_id}/chapters",
        "chapter.list",
        of_graph,
        "List the chapters of a graph",
        query=ChaptersQuery,
    ),
    Route(
        "GET",
        "/api/v1/users/{user_id}/chapters",
        "chapter.list",
        of_user,
        "List the chapters of a user's graph",
        query=ChaptersQuery,
    ),
]
