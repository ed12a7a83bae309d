"""Episodic: the append-only session log that an agent runs on.

    from recollect.episodic import Episodic, assemble

    log = Episodic()
    log.append_items([{"type": "message", "role": "user", "content": "Hello"}], source="user")
    assemble(log.episodes).items

`Episodic` is the log, `Session` adds turns that are merged or dropped as a whole, `Agent` runs them
with a model and tools; `SyncSession` and `SyncAgent` are the same for code that does not await.
`select`, `assemble`, `dump`, `parse` and the views are pure functions over any sequence of
episodes.

Only the standard library is needed, and nothing else of this project.
"""

from recollect.episodic.agent import Agent, AgentSession
from recollect.episodic.anchors import anchor, anchors, begin, handoff, overflow_handoff
from recollect.episodic.assembly import Assembled, assemble, boundary_message, visible
from recollect.episodic.corrections import correct, corrected
from recollect.episodic.episode import Episode, Meta, from_wire
from recollect.episodic.errors import (
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
from recollect.episodic.events import Event
from recollect.episodic.jsonl import Parsed, dump, line_of, load, numbered, parse
from recollect.episodic.log import Episodic
from recollect.episodic.pairing import normalise
from recollect.episodic.plugins import Moment, Plugin, Tool
from recollect.episodic.queueing import Run
from recollect.episodic.reading import select
from recollect.episodic.runner import Answer, Request
from recollect.episodic.session import Session
from recollect.episodic.side import SideLog
from recollect.episodic.storage import FileStorage, MemoryStorage, State, Storage
from recollect.episodic.sync import SyncAgent, SyncSession
from recollect.episodic.turns import Turn
from recollect.episodic.views import after_anchor, after_last_anchor, between_anchors, view

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
