"""What several routes of generation 4 share: places, tasks in an answer, refusals of what is not
offered."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from msgspec.structs import replace

from recollect.api.compat.zep import translate_filters
from recollect.api.compat.zep4 import paging, show_project
from recollect.api.compat.zep4.wire import tasks as wire
from recollect.api.compat.zep4.wire.base import PageQuery4
from recollect.api.compat.zep4.wire.content_policy import ContentPolicyRequest4
from recollect.api.router import Call
from recollect.errors import NotFound, NotOffered
from recollect.graph.filters import NO_FILTERS, Filters
from recollect.graph.types import Access
from recollect.ingest import tasks
from recollect.search.query import Kind
from recollect.store import tasks as stored
from recollect.store.protocol import Transaction
from recollect.subjects import episodes, lookups
from recollect.subjects.lookups import Place

NO_CONTENT_POLICY = (
    "content_policy: this server has no content policies; what a key may see is said by policy sets "
    "(PUT /api/v1/policy-sets)"
)


def place(tx: Transaction, access: Access, path: dict[str, str]) -> Place:
    """The graph that a path names."""
    return lookups.place(tx, access, path["graph_uuid"])


def place_after(tx: Transaction, access: Access, asked: PageQuery4) -> int | None:
    """Where in the log the episode stands that ended the page before."""
    return paging.after(asked, lambda uuid: episodes.get(tx, access, uuid).seq)


async def matching(call: Call, kind: Kind, chosen: Filters) -> list[int] | None:
    """The row ids of what passes in the graph of the path and may be seen; None when nothing
    narrows."""
    meant = translate_filters.for_kind(chosen, kind)
    if meant == NO_FILTERS and call.access.sight is None:
        return None
    where = await call.services.store.glance(place, call.access, call.path)
    return await call.services.finder.matching(call.access, where.graph, kind, meant)


def within(where: Place, graph_id: int, noun: str, uuid: str) -> None:
    """Refuse what lies in another graph than the one that the path names."""
    if graph_id != where.graph.id:
        raise NotFound(f"{noun} not found: {uuid}")


def task(tx: Transaction, access: Access, uuid: str | None, kind: str) -> wire.Task4:
    """The task of what was just written, for whoever wrote it; one that owes nothing is done."""
    if uuid is None:
        uuid = tx.new_id()
        stored.note(tx, access.project_id, uuid, kind)
    return show_project.task(tasks.get(tx, replace(access, sight=None), uuid))


def batch_task(tx: Transaction, access: Access, uuid: str) -> wire.Task4:
    """The task of a batch that was just started: others may have filled it, so of its episodes only
    those are told that may be seen."""
    try:
        return show_project.task(tasks.get(tx, access, uuid))
    except NotFound:
        whole = task(tx, access, uuid, "batch.process")
        return replace(whole, progress=None, result=None)


def warmed(where: Place, now: datetime) -> wire.Task4:
    """The task of having a graph in memory. Nothing is kept of it: it has the uuid of its graph, and
    whoever asks for that is told that it is done."""
    return wire.Task4(
        uuid=where.graph.uuid,
        type="graph.warm",
        status="succeeded",
        created_at=now,
        updated_at=now,
        started_at=now,
        completed_at=now,
    )


def no_policy(sent: ContentPolicyRequest4 | None) -> None:
    """Refuse a content policy that says anything: nobody would hold to it."""
    if sent is not None and (sent.categories or sent.rules):
        raise NotOffered(NO_CONTENT_POLICY)


def part(items: Sequence[Any], begin: int, size: int) -> Sequence[Any]:
    """A page of a list that is there as a whole."""
    return items[begin : begin + size]
