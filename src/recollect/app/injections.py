"""The injection log: recording what goes into contexts, listing it, and replaying an entry."""

from typing import Any

from msgspec.structs import replace

from recollect import log
from recollect.app import refs
from recollect.app.refs import GraphRef
from recollect.app.services import Services
from recollect.app.units import reads
from recollect.context import blocks, gather
from recollect.context.blocks import Block, ToldLine
from recollect.context.gather import ContextRequest, Gatherer, Notes
from recollect.context.lines import line
from recollect.context.pieces import apart
from recollect.errors import NotFound
from recollect.graph.types import Access, Record
from recollect.records import injections, knowledge
from recollect.records.injections import Form, InjectedLine, Injection, NewInjection, Reason
from recollect.store.protocol import Transaction

__all__ = ["InjectedLine", "Injection"]

_log = log.get(__name__)
get = reads(injections.get)


def gatherer(services: Services, access: Access, asked: ContextRequest) -> Gatherer:
    """A gatherer for a context; it takes notes only if the injection log is on."""
    notes = None if services.settings.injection_log == "off" else Notes()
    return Gatherer(services.store, services.finder, access, asked, services.clock(), notes)


async def keep(services: Services, given: Gatherer, form: Form, block: Block) -> str:
    """Record a block in the injection log, if that is on, and return its text.

    The caller gets the context even if it could not be recorded.
    """
    chosen = services.settings
    if given.notes is None:
        return block.text
    asked = given.request
    new = NewInjection(
        project_id=given.access.project_id,
        key_uuid=given.access.key_uuid,
        graph_id=asked.graph.id,
        thread_id=asked.thread.id if asked.thread else None,
        form=form,
        question=asked.text if chosen.injection_log == "questions" else None,
        lines=[
            InjectedLine(text=one.text) if one.line is None else _injected(one.line, given.notes)
            for one in apart(block.text, block.told)
        ],
        rows_max=chosen.injection_log_rows_max,
        days_max=chosen.injection_log_days_max,
    )
    try:
        await services.store.write(injections.keep, new)
    except Exception as error:  # noqa: BLE001 - a context is worth more than its record
        _log.warning("injection.not_kept", exc_info=error)
    return block.text


def _injected(told: ToldLine, notes: Notes) -> InjectedLine:
    score = notes.scores.get(told.uuid or "")
    reason: Reason = "named"
    if told.uuid is None:
        reason = "section"
    elif score is not None:
        reason = "relevance"
    elif told.uuid in notes.newest:
        reason = "freshness"
    return InjectedLine(text=told.text, kind=told.kind, uuid=told.uuid, score=score, reason=reason)


@reads
def page(
    tx: Transaction,
    access: Access,
    *,
    user_id: str | None = None,
    graph_id: str | None = None,
    before: str | None = None,
    limit: int,
) -> list[Injection]:
    """Injections without their lines, newest first; those of one user or graph if given."""
    number = None
    if user_id is not None or graph_id is not None:
        ref = GraphRef(user_id=user_id, graph_id=graph_id)
        number = refs.graph(tx, access, ref).graph.id
    return injections.page(tx, access, graph_id=number, before=before, limit=limit)


class ChangedLine(Record):
    """The line of a fact in a context, and the line it would have now; None: the fact is gone."""

    was: str
    now: str | None


class Replay(Record):
    """A context from the log, and what would be different today.

    *changed* are facts whose line is different now. *added* and *left_out* are lines that the same
    question would add or no longer include today; None if the question was not stored.
    """

    injection: Injection
    changed: list[ChangedLine]
    added: list[str] | None
    left_out: list[str] | None


async def replay(services: Services, access: Access, uuid: str) -> Replay:
    """A context from the log, compared with what the same question gives today.

    Only blocks can be built again: a template may have changed since.
    """
    found = await get(services, access, uuid)
    changed = await services.store.read(_changed, access, found)
    if found.question is None or found.form != "block":
        return Replay(injection=found, changed=changed, added=None, left_out=None)
    asked = await services.store.read(_asked_again, access, found, found.question)
    collected = Gatherer(services.store, services.finder, access, asked, services.clock())
    hits = await collected.everything(gather.ALL_KINDS)
    summary = None if asked.user is None else asked.user.summary
    room = services.settings.context_chars_max
    today = [one.text for one in blocks.user_block(summary, hits, room).told]
    then = [one.text for one in found.lines if one.kind is not None]
    return Replay(
        injection=found,
        changed=changed,
        added=[text for text in today if text not in set(then)],
        left_out=[text for text in then if text not in set(today)],
    )


def _asked_again(
    tx: Transaction, access: Access, found: Injection, question: str
) -> ContextRequest:
    if found.thread_id is not None:
        return replace(gather.thread_request(tx, access, found.thread_id, 1), text=question)
    named: dict[str, Any] = {"user_id" if found.graph_kind == "user" else "graph_id": found.graph}
    graph = refs.graph(tx, access, GraphRef(**named)).graph
    return gather.graph_request(tx, access, graph, question)


def _changed(tx: Transaction, access: Access, found: Injection) -> list[ChangedLine]:
    changed = []
    for one in found.lines:
        if one.kind == "fact" and one.uuid is not None:
            now = _line_now(tx, access, one.uuid)
            if now != one.text:
                changed.append(ChangedLine(was=one.text, now=now))
    return changed


def _line_now(tx: Transaction, access: Access, uuid: str) -> str | None:
    try:
        return line(knowledge.fact(tx, access, uuid))
    except NotFound:
        return None
