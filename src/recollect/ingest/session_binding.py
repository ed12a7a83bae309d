"""Changing a session, and binding one to a user after it was begun.

Whoever is bound late is to be remembered as if they had been known from the start: what was said
before is fed to their graph in the same transaction, unless feeding is off.
"""

from recollect.errors import Conflict
from recollect.graph.types import Access, Json, Record
from recollect.ingest import session_feed
from recollect.limits import LOG_FED_CHARS_MAX, LOG_FED_ITEMS_MAX
from recollect.records import session_logs, users
from recollect.records.session_lines import episode_of, line_row
from recollect.records.session_logs import SessionLog
from recollect.store.protocol import Transaction


class Changed(Record):
    """A session as it is now, and whether a graph has something new to read."""

    session: SessionLog
    fed: bool = False


def change(
    tx: Transaction,
    access: Access,
    session_id: str,
    *,
    user_id: str | None = None,
    feeds: bool | None = None,
    metadata: Json | None = None,
    context: Json | None = None,
    may_feed: bool = True,
) -> Changed:
    """Change what is given of a session; a user only if it has none yet."""
    before = session_logs.get(tx, access, session_id)
    binds = user_id is not None and user_id != before.user_id
    if user_id is not None and binds:
        _bind(tx, access, before, user_id)
    session = session_logs.update(
        tx, access, session_id, feeds=feeds, metadata=metadata, context=context
    )
    if not binds or not session.feeds:
        return Changed(session=session)
    return Changed(session=session, fed=_feed(tx, access, before, session, may_feed=may_feed))


def _bind(tx: Transaction, access: Access, session: SessionLog, user_id: str) -> None:
    if session.user_id is not None:
        raise Conflict(f"user_id: the session is bound to {session.user_id!r} and stays so")
    if tx.traces.session_log_is_trace(id=session.id) is not None:
        raise Conflict("user_id: this is the trace of an agent, and feeds the agent's graph")
    owner = users.get(tx, access, user_id)
    session_logs.check_thread(tx, access, session.session_id, owner.user_id)
    tx.session_logs.bind(id=session.id, user_id=owner.id)


def _feed(
    tx: Transaction, access: Access, before: SessionLog, session: SessionLog, *, may_feed: bool
) -> bool:
    """Feed what was said before; without a date it was said by the time the log last changed."""
    _check_size(tx, session)
    found = tx.session_logs.items(log_id=session.id)
    stored = [(row.id, episode_of(line_row(row))) for row in found]
    fed = session_feed.feed(
        tx, access, session, stored, allowed=may_feed, said_by=before.updated_at
    )
    return bool(fed)


def _check_size(tx: Transaction, session: SessionLog) -> None:
    row = tx.session_logs.items_size(log_id=session.id)
    if row and (row.items > LOG_FED_ITEMS_MAX or row.chars > LOG_FED_CHARS_MAX):
        raise Conflict(
            f"user_id: a log of more than {LOG_FED_ITEMS_MAX} items or {LOG_FED_CHARS_MAX} "
            "characters is bound with `feeds` false, and fed from then on when that is switched on"
        )
