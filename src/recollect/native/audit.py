"""The audit log of a project, and erasing with a receipt."""

from datetime import datetime
from typing import Annotated, Any

import msgspec

from recollect.api.router import Call, Route
from recollect.app import audit, forget
from recollect.app.audit import Outcome, Wanted
from recollect.app.forget import Mode, Receipt
from recollect.limits import AUDIT_PAGE_DEFAULT, AUDIT_PAGE_MAX, INTEGER_MAX, PAGE_DEFAULT, PAGE_MAX


class ErasureQuery(msgspec.Struct):
    """*mode*: `delete` leaves ended what erased episodes ended, `forget` opens it again."""

    mode: Mode = "delete"


class ErasuresQuery(msgspec.Struct):
    """How many receipts, and those before which one."""

    limit: Annotated[int, msgspec.Meta(ge=1, le=PAGE_MAX)] = PAGE_DEFAULT
    cursor: str | None = None


class Erasures(msgspec.Struct):
    """Receipts, the newest first; *next_cursor* asks for those before them."""

    erasures: list[Receipt]
    next_cursor: str | None


async def erase_episode(call: Call) -> Receipt:
    """Erase an episode, and what rested on it alone."""
    return await _erase(call, "episode", call.path["uuid"])


async def erase_fact(call: Call) -> Receipt:
    """Erase a fact; the episodes that say it stay."""
    return await forget.fact(call.services, call.access, call.path["uuid"])


async def erase_thread(call: Call) -> Receipt:
    """Erase a thread with its messages, and what rested on them alone."""
    return await _erase(call, "thread", call.path["thread_id"])


async def erase_graph(call: Call) -> Receipt:
    """Erase a standalone graph with all it holds."""
    return await _erase(call, "graph", call.path["graph_id"])


async def erase_user(call: Call) -> Receipt:
    """Erase a user with threads, messages and graph."""
    return await _erase(call, "user", call.path["user_id"])


async def _erase(call: Call, kind: forget.Kind, name: str) -> Receipt:
    sent: ErasureQuery = call.query
    return await forget.one(call.services, call.access, kind, name, sent.mode)


async def list_erasures(call: Call) -> Erasures:
    """The receipts of this project, the newest first."""
    sent: ErasuresQuery = call.query
    found = await forget.page(call.services, call.access, limit=sent.limit + 1, before=sent.cursor)
    shown = found[: sent.limit]
    more = len(found) > sent.limit
    return Erasures(erasures=shown, next_cursor=shown[-1].uuid if more else None)


async def get_erasure(call: Call) -> Receipt:
    """One receipt."""
    return await forget.receipt(call.services, call.access, call.path["uuid"])


class AuditQuery(msgspec.Struct):
    """Which entries are asked for."""

    action: str | None = None
    outcome: Outcome | None = None
    actor: str | None = None
    since: Annotated[datetime, msgspec.Meta(tz=True)] | None = None
    limit: Annotated[int, msgspec.Meta(ge=1, le=AUDIT_PAGE_MAX)] = AUDIT_PAGE_DEFAULT
    cursor: Annotated[int, msgspec.Meta(ge=1, le=INTEGER_MAX)] | None = None


class AuditEntry(msgspec.Struct):
    """What was done. A target that was erased since is null, and *erased* says so."""

    number: int
    at: datetime
    actor: str
    action: str
    outcome: Outcome
    status: int | None
    target: str | None
    erased: bool
    detail: dict[str, Any] | None
    hash: str


class AuditPage(msgspec.Struct):
    """Entries, the newest first, and the cursor of those before them."""

    entries: list[AuditEntry]
    next_cursor: int | None


async def entries(call: Call) -> AuditPage:
    """What was done in this project, by whom, when, and how it ended; the newest first."""
    sent: AuditQuery = call.query
    wanted = Wanted(action=sent.action, outcome=sent.outcome, actor=sent.actor, since=sent.since)
    found = await audit.page(
        call.services, call.access, wanted, limit=sent.limit + 1, before=sent.cursor
    )
    kept = found[: sent.limit]
    return AuditPage(
        entries=[
            AuditEntry(
                number=entry.number,
                at=entry.at,
                actor=entry.actor,
                action=entry.action,
                outcome=entry.outcome,
                status=entry.status,
                target=entry.target,
                erased=entry.named and entry.target is None,
                detail=entry.detail,
                hash=entry.hash,
            )
            for entry in kept
        ],
        next_cursor=kept[-1].number if len(found) > len(kept) else None,
    )


ROUTES = [
    Route(
        "GET",
        "/api/v1/audit",
        "audit.list",
        entries,
        "List what was done in the project, and by whom",
        query=AuditQuery,
        admin=True,
    ),
    Route(
        "DELETE",
        "/api/v1/episodes/{uuid}",
        "graph.episode.delete",
        erase_episode,
        "Erase an episode, with a receipt",
        query=ErasureQuery,
    ),
    Route(
        "DELETE",
        "/api/v1/facts/{uuid}",
        "graph.edge.delete",
        erase_fact,
        "Erase a fact, with a receipt",
    ),
    Route(
        "DELETE",
        "/api/v1/threads/{thread_id}",
        "thread.delete",
        erase_thread,
        "Erase a thread with its messages, with a receipt",
        query=ErasureQuery,
    ),
    Route(
        "DELETE",
        "/api/v1/graphs/{graph_id}",
        "graph.delete",
        erase_graph,
        "Erase a standalone graph, with a receipt",
        query=ErasureQuery,
    ),
    Route(
        "DELETE",
        "/api/v1/users/{user_id}",
        "user.delete",
        erase_user,
        "Erase a user and everything known about them, with a receipt",
        query=ErasureQuery,
    ),
    Route(
        "GET",
        "/api/v1/erasures",
        "erasure.list",
        list_erasures,
        "List receipts of erasures",
        query=ErasuresQuery,
    ),
    Route(
        "GET",
        "/api/v1/erasures/{uuid}",
        "erasure.get",
        get_erasure,
        "Get the receipt of an erasure",
    ),
]
