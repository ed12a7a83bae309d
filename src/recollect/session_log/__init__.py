"""Episodic: the append-only session log that an agent runs on.

    from recollect.session_log import Episodic, assemble

    log = Episodic()
    log.append_items([{"type": "message", "role": "user", "content": "Hello"}], source="user")
    assemble(log.episodes).items

`Episodic` is the log, `Session` adds turns that are merged or dropped as a whole, `Agent` runs them
with a model and tools; `SyncSession` and `SyncAgent` are the same for code that does not await.
`select`, `assemble`, `dump`, `parse` and the views are pure functions over any sequence of
episodes.

Only the standard library is needed, and nothing else of this project.
"""

from recollect.session_log.agent import Agent, AgentSession, Run
from recollect.session_log.anchors import (
    after_anchor,
    after_last_anchor,
    anchor,
    anchors,
    begin,
    between_anchors,
    correct,
    corrected,
    handoff,
    overflow_handoff,
    view,
)
from recollect.session_log.assembly import Assembled, assemble, boundary_message, normalise, visible
from recollect.session_log.episode import Episode, Meta, from_wire
from recollect.session_log.errors import (
    ContextOverflow,
    DefaultSession,
    EpisodicError,
    InvalidEpisode,
    InvalidPlugin,
    InvalidQuery,
    LogFull,
    NoAnchor,
    OldState,
    SessionExists,
    SessionRemoved,
    TurnAborted,
)
from recollect.session_log.jsonl import Parsed, dump, line_of, load, numbered, parse
from recollect.session_log.log import Episodic
from recollect.session_log.plugins import Moment, Plugin, SideLog, Tool
from recollect.session_log.runner import Answer, Request
from recollect.session_log.selection import select
from recollect.session_log.session import Session
from recollect.session_log.storage import FileStorage, MemoryStorage, State, Storage
from recollect.session_log.sync import SyncAgent, SyncSession
from recollect.session_log.turns import Event, Turn

__all__ = [
    "Agent",
    "AgentSession",
    "Answer",
    "Assembled",
    "ContextOverflow",
    "DefaultSession",
    "Episode",
    "Episodic",
    "EpisodicError",
    "Event",
    "FileStorage",
    "InvalidEpisode",
    "InvalidPlugin",
    "InvalidQuery",
    "LogFull",
    "MemoryStorage",
    "Meta",
    "Moment",
    "NoAnchor",
    "OldState",
    "Parsed",
    "Plugin",
    "Request",
    "Run",
    "Session",
    "SessionExists",
    "SessionRemoved",
    "SideLog",
    "State",
    "Storage",
    "SyncAgent",
    "SyncSession",
    "Tool",
    "Turn",
    "TurnAborted",
    "after_anchor",
    "after_last_anchor",
    "anchor",
    "anchors",
    "assemble",
    "begin",
    "between_anchors",
    "boundary_message",
    "correct",
    "corrected",
    "dump",
    "from_wire",
    "handoff",
    "line_of",
    "load",
    "normalise",
    "numbered",
    "overflow_handoff",
    "parse",
    "select",
    "view",
    "visible",
]
