"""The injection log: what went into each context returned to a caller, and why."""

from datetime import datetime
from typing import Annotated, Any, Literal

import msgspec

from recollect.api.router import Call, Route
from recollect.app import injections
from recollect.app.injections import InjectedLine, Injection
from recollect.graph.types import GraphKind, Kind
from recollect.limits import PAGE_DEFAULT, PAGE_MAX


class InjectionsQuery(msgspec.Struct):
    """Whose, and which page; *cursor* is that of the page before."""

    user_id: str | None = None
    graph_id: str | None = None
    limit: Annotated[int, msgspec.Meta(ge=1, le=PAGE_MAX)] = PAGE_DEFAULT
    cursor: str | None = None


class GivenContext(msgspec.Struct, kw_only=True):
    """A context that was given out. *question* is null where it is not kept."""

    uuid: str
    at: datetime
    key_uuid: str | None
    graph_kind: GraphKind
    graph: str
    thread_id: str | None
    form: Literal["block", "narrowed", "facts", "template"]
    question: str | None


class GivenLine(msgspec.Struct, kw_only=True):
    """A piece of a context. A line tells of a thing of a *kind* and has a *reason*; words of the block
    itself have neither. *score* is that of the search that found it."""

    text: str
    kind: Kind | Literal["user_summary"] | None
    uuid: str | None
    score: float | None
    reason: Literal["relevance", "freshness", "named", "section"] | None


class GivenLines(GivenContext, kw_only=True):
    """A context that was given out, in pieces that make its text one after the other."""

    lines: list[GivenLine]


class Injections(msgspec.Struct):
    """Contexts that were given out, the newest first."""

    injections: list[GivenContext]
    next_cursor: str | None


async def list_injections(call: Call) -> Injections:
    """Contexts that were given out, the newest first. A narrowed key sees those that it was given."""
    asked: InjectionsQuery = call.query
    found = await injections.page(
        call.services,
        call.access,
        user_id=asked.user_id,
        graph_id=asked.graph_id,
        before=asked.cursor,
        limit=asked.limit + 1,
    )
    shown = [GivenContext(**_told(one)) for one in found[: asked.limit]]
    more = len(found) > asked.limit
    return Injections(injections=shown, next_cursor=shown[-1].uuid if more else None)


async def get_injection(call: Call) -> GivenLines:
    """A context that was given out, with why each line was there."""
    found = await injections.get(call.services, call.access, call.path["uuid"])
    return GivenLines(**_told(found), lines=[_line(one) for one in found.lines])


def _told(one: Injection) -> dict[str, Any]:
    return {
        "uuid": one.uuid,
        "at": one.at,
        "key_uuid": one.key_uuid or None,
        "graph_kind": one.graph_kind,
        "graph": one.graph,
        "thread_id": one.thread_id,
        "form": one.form,
        "question": one.question,
    }


def _line(one: InjectedLine) -> GivenLine:
    return GivenLine(
        text=one.text, kind=one.kind, uuid=one.uuid, score=one.score, reason=one.reason
    )


ROUTES = [
    Route(
        "GET",
        "/api/v1/injections",
        "injection.list",
        list_injections,
        "List the contexts that were returned",
        query=InjectionsQuery,
    ),
    Route(
        "GET",
        "/api/v1/injections/{uuid}",
        "injection.get",
        get_injection,
        "Get a context that was returned, and why each line was included",
    ),
]
