"""The audit log of a project, for its administrators."""

from datetime import datetime
from typing import Annotated, Any

import msgspec

from recollect.api.router import Call, Route
from recollect.app import audit
from recollect.app.audit import Outcome, Wanted
from recollect.limits import AUDIT_PAGE_DEFAULT, AUDIT_PAGE_MAX, INTEGER_MAX


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
    )
]
