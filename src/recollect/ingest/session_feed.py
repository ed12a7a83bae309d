"""What was said in a session, as messages of its user's graph.

Messages of the user, the assistant and the system are fed, nothing else. A text longer than a message
may be is split into several messages, so that none of it is lost.
"""

import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from msgspec.structs import replace

from recollect.errors import Conflict, InvalidInput, NotAllowed
from recollect.graph import checks
from recollect.graph.types import Access, Json, NewEpisode, Record
from recollect.ingest import intake
from recollect.limits import LOG_FED_CHARS_MAX, LOG_FED_ITEMS_MAX, MESSAGE_CHARS_MAX, NAME_CHARS_MAX
from recollect.records import session_logs, users
from recollect.records.session_logs import SessionLog, episode_of, line_row
from recollect.session_log.episode import ITEM, Episode
from recollect.store.protocol import Transaction

FED_ROLES = ("user", "assistant", "system")
_TEXT_PARTS = ("text", "input_text", "output_text")
_LAST_SPACE = re.compile(r"\s(?=\S*\Z)")


class Said(NamedTuple):
    """Who said what, and when, if the log has the time."""

    role: str
    text: str
    name: str | None = None
    at: datetime | None = None


def said_in(episode: Episode) -> Said | None:
    """What an episode adds to a conversation; None if there is nothing to feed to a graph."""
    item = episode.item if episode.type == ITEM else None
    if not isinstance(item, dict) or item.get("type") != "message" or not episode.meta.in_context:
        return None
    role, name = item.get("role"), item.get("name")
    text = _clean(_text(item.get("content")))
    if role not in FED_ROLES or not text.strip():
        return None
    called = _clean(name)[:NAME_CHARS_MAX] if isinstance(name, str) else None
    return Said(role, text, called or None, _moment(episode.meta.get("date")))


def _text(content: Any) -> str:
    """The text of a message: its content, or its text parts joined."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    found = [
        part["text"]
        for part in parts
        if isinstance(part, dict)
        and part.get("type") in _TEXT_PARTS
        and isinstance(part.get("text"), str)
    ]
    return "\n".join(found)


def _clean(text: str) -> str:
    """Text without what a graph cannot store: NUL, and lone surrogates."""
    return text.replace("\0", "").encode(errors="replace").decode()


def _moment(date: Any) -> datetime | None:
    try:
        return checks.moment("date", date) if isinstance(date, str) else None
    except InvalidInput:
        return None


def pieces(text: str, chars_max: int = MESSAGE_CHARS_MAX) -> list[str]:
    """The text split into pieces of at most *chars_max*, between words where possible."""
    found, start = [], 0
    while len(text) - start > chars_max:
        space = _LAST_SPACE.search(text, start + 1, start + chars_max + 1)
        end = start + chars_max if space is None else space.start()
        found.append(text[start:end])
        start = end
        while start < len(text) and text[start].isspace():
            start += 1
    return [piece for piece in (*found, text[start:]) if piece.strip()]


def feed(
    tx: Transaction,
    access: Access,
    session: SessionLog,
    stored: Sequence[tuple[int, Episode]],
    *,
    allowed: bool = True,
    said_by: datetime | None = None,
) -> dict[int, list[str]]:
    """Add what was said to the graph of the session's user; returns the uuids by log id.

    *stored* are episodes of the log with their row ids. Unless *allowed*, it raises if there is
    anything to feed. What has no time of its own was said by *said_by*, or else now.
    """
    if not session.feeds or session.user_id is None:
        return {}
    heard = [(row_id, one.id, said) for row_id, one in stored if (said := said_in(one))]
    if not heard:
        return {}
    if not allowed:
        raise NotAllowed(
            "this key may not do thread.add_messages, and this session feeds its user's memory"
        )
    session_logs.ensure_thread(tx, access, session.session_id, session.user_id)
    messages = [
        (row_id, number, message)
        for row_id, number, said in heard
        for message in _messages(session, number, said)
    ]
    new = [message for *_, message in messages]
    if said_by is not None:
        new = _dated(new, said_by)
    receipt = intake.add_messages(tx, access, session.session_id, new)
    fed: dict[int, list[str]] = {}
    for (row_id, number, _), uuid in zip(messages, receipt.uuids, strict=True):
        tx.session_logs.fed_insert(uuid=uuid, log_episode_id=row_id)
        fed.setdefault(number, []).append(uuid)
    return fed


def _dated(messages: list[NewEpisode], said_by: datetime) -> list[NewEpisode]:
    """Give each message without a time one just before the next message's, the last one *said_by*.

    The order of the log is kept, because later words replace earlier ones.
    """
    told: list[NewEpisode] = []
    for message in reversed(messages):
        at = message.created_at or said_by
        told.append(message if message.created_at else replace(message, created_at=at))
        said_by = min(said_by, at) - timedelta(microseconds=1)
    return told[::-1]


def _messages(session: SessionLog, number: int, said: Said) -> list[NewEpisode]:
    texts = pieces(said.text)
    source = f"session {session.session_id}, episode {number}"
    return [
        NewEpisode(
            kind="message",
            content=text,
            role=said.role,
            speaker=said.name,
            source_description=(
                source if len(texts) == 1 else f"{source}, part {place} of {len(texts)}"
            ),
            metadata=session.metadata,
            created_at=said.at,
        )
        for place, text in enumerate(texts, 1)
    ]


# Changing a session, and binding one to a user after it was begun.
#
# A user bound late must be remembered as if they had been known from the start: what was said before
# is fed to their graph in the same transaction, unless feeding is off.


class Changed(Record):
    """The changed session, and whether a graph has something new to read."""

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
    """Change the given fields of a session; the user only if it has none yet."""
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
    """Feed what was said before; what has no date was said by the time the log last changed."""
    _check_size(tx, session)
    found = tx.session_logs.items(log_id=session.id)
    stored = [(row.id, episode_of(line_row(row))) for row in found]
    fed = feed(tx, access, session, stored, allowed=may_feed, said_by=before.updated_at)
    return bool(fed)


def _check_size(tx: Transaction, session: SessionLog) -> None:
    row = tx.session_logs.items_size(log_id=session.id)
    if row and (row.items > LOG_FED_ITEMS_MAX or row.chars > LOG_FED_CHARS_MAX):
        raise Conflict(
            f"user_id: a log of more than {LOG_FED_ITEMS_MAX} items or {LOG_FED_CHARS_MAX} "
            "characters is bound with `feeds` false, and fed from then on when that is switched on"
        )
