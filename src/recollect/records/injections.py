"""The injection log: what went into which context, when, for whom, and why each line was there.

A key with restricted visibility sees only the contexts that it received itself, and of these only
the lines of facts and episodes that it may see now: a line derived from several things reveals all
of them.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Literal

from recollect.errors import NotFound
from recollect.graph.types import Access, GraphKind, Kind, Record
from recollect.records import episodes, knowledge
from recollect.store import rows
from recollect.store.protocol import Transaction
from recollect.store.queries.injections import InjectionLineRow, InjectionRow

# An ordinary block; one with chosen sections, room or ratings; facts and entities for Zep v2
# clients; or a filled template.
Form = Literal["block", "narrowed", "facts", "template"]
LineKind = Kind | Literal["user_summary"]
Reason = Literal["relevance", "freshness", "named", "section"]


class InjectedLine(Record):
    """A piece of a context: a line about an item, or the block's own text.

    A line is about an item of a *kind*, and has a reason to be there: *relevance* (with its score),
    *freshness* (nothing was asked, or found), *named* (by a fact that is shown), *section* (the user
    summary). The block's own text has neither.
    """

    text: str
    kind: LineKind | None = None
    uuid: str | None = None
    score: float | None = None
    reason: Reason | None = None


class NewInjection(Record):
    """A context that is given out, and how much of the log to keep."""

    project_id: int
    key_uuid: str
    graph_id: int
    thread_id: int | None
    form: Form
    question: str | None
    lines: list[InjectedLine]
    rows_max: int
    days_max: int


class Injection(Record):
    """A context that was given out. *key_uuid* is empty if no key asked for it."""

    uuid: str
    at: datetime
    key_uuid: str
    graph_kind: GraphKind
    graph: str
    thread_id: str | None
    form: Form
    question: str | None
    lines: list[InjectedLine]

    @property
    def text(self) -> str:
        """The context, as far as the log still has it."""
        return "".join(one.text for one in self.lines)


def keep(tx: Transaction, new: NewInjection) -> str:
    """Log a context, and drop entries that are too old or too many; returns its uuid."""
    uuid = tx.new_id()
    number = tx.injections.insert(
        uuid=uuid,
        project_id=new.project_id,
        graph_id=new.graph_id,
        thread_id=new.thread_id,
        key_uuid=new.key_uuid,
        at=rows.micros(tx.now),
        form=new.form,
        question=new.question,
    )
    for place, line in enumerate(new.lines):
        tx.injections.insert_line(
            graph_id=new.graph_id,
            injection_id=number,
            place=place,
            kind=line.kind,
            item_uuid=line.uuid,
            text=line.text,
            score=line.score,
            reason=line.reason,
        )
    oldest = tx.now - timedelta(days=new.days_max)
    tx.injections.trim(project_id=new.project_id, before=rows.micros(oldest), keep=new.rows_max)
    return uuid


def page(
    tx: Transaction, access: Access, *, graph_id: int | None, before: str | None, limit: int
) -> list[Injection]:
    """Newest first, without their lines, continuing after the uuid *before*."""
    found = tx.injections.page(
        project_id=access.project_id,
        key_uuid=_own(access),
        graph_id=graph_id,
        before=before,
        limit=limit,
    )
    return [_injection(access, row, []) for row in found]


def get(tx: Transaction, access: Access, uuid: str) -> Injection:
    """One injection with its visible lines."""
    row = tx.injections.by_uuid(uuid=uuid, project_id=access.project_id, key_uuid=_own(access))
    if row is None:
        raise NotFound(f"injection not found: {uuid}")
    lines = tx.injections.lines(graph_id=row.graph_id, injection_id=row.id)
    return _injection(access, row, _seen(tx, access, [_line(one) for one in lines]))


def _own(access: Access) -> str | None:
    """The key whose contexts are visible; None: those of all keys."""
    return None if access.visibility is None else access.key_uuid


def _seen(tx: Transaction, access: Access, lines: Sequence[InjectedLine]) -> list[InjectedLine]:
    if access.visibility is None:
        return list(lines)
    return [one for one in lines if one.kind is None or _sees(tx, access, one)]


def _sees(tx: Transaction, access: Access, line: InjectedLine) -> bool:
    read = {"fact": knowledge.fact, "episode": episodes.get}.get(line.kind or "")
    if read is None or line.uuid is None:
        return False
    try:
        read(tx, access, line.uuid)
    except NotFound:
        return False
    return True


def _line(row: InjectionLineRow) -> InjectedLine:
    return InjectedLine(
        text=row.text, kind=row.kind, uuid=row.item_uuid, score=row.score, reason=row.reason
    )


def _injection(access: Access, row: InjectionRow, lines: list[InjectedLine]) -> Injection:
    return Injection(
        uuid=row.uuid,
        at=rows.moment(row.at),
        key_uuid=row.key_uuid,
        graph_kind=row.graph_kind,
        graph=row.graph_name,
        thread_id=row.thread_name,
        form=row.form,
        # It may quote messages that the key can no longer see.
        question=row.question if access.visibility is None else None,
        lines=lines,
    )
