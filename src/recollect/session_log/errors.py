"""The exceptions of the session log library, as one tree.

EpisodicError
├── InvalidEpisode     something to be appended is not a valid episode
├── InvalidQuery       a read asked for something that does not exist
├── InvalidPlugin      something given as a plugin is not one
├── OldState           a stored state has the format from before there was a log
├── LogFull            there is no id left that every JSON reader represents exactly
├── NoAnchor           a view was to start or end at an anchor that does not exist
├── TurnAborted        the turn was aborted; carries the reason
├── ContextOverflow    raised by a model: the input did not fit
├── SessionExists      the id of a fork is taken
├── SessionRemoved     the session of this handle was removed
└── DefaultSession     the default session of an agent cannot be removed
"""


class EpisodicError(Exception):
    """Base of the tree."""


class InvalidEpisode(EpisodicError, ValueError):
    """Something to be appended is not a valid episode."""


class InvalidQuery(EpisodicError, ValueError):
    """A read asked for something that does not exist."""


class InvalidPlugin(EpisodicError, ValueError):
    """Something given as a plugin is not one, or has a member that plugins do not have."""


class OldState(EpisodicError):
    """A stored state has the format from before there was a log; the message says what to do."""


class LogFull(EpisodicError):
    """There is no id left that every JSON reader represents exactly."""


class NoAnchor(EpisodicError, LookupError):
    """The log has no such anchor."""


class TurnAborted(EpisodicError):
    """The turn was aborted and its working log dropped."""

    def __init__(self, reason: object = None) -> None:
        super().__init__(f"the turn was aborted: {reason}")
        self.reason = reason


class ContextOverflow(EpisodicError):
    """A model raises this when its input does not fit."""


class SessionExists(EpisodicError):
    """A session with this id exists."""


class SessionRemoved(EpisodicError):
    """This session was removed."""


class DefaultSession(EpisodicError):
    """The default session cannot be removed."""
