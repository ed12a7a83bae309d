"""What the episodic library raises on purpose, as one tree.

EpisodicError
├── InvalidEpisode     what was to be appended has not the shape of an episode
├── InvalidQuery       a read was asked for something that there is not
├── InvalidPlugin      what was given as a plugin is none
├── OldState           a stored state is of the format before there was a log
├── LogFull            no id is left that every JSON reader keeps exact
├── NoAnchor           a view was asked for that starts or ends at an anchor that is not there
├── TurnAborted        the turn was aborted; carries the reason
├── ContextOverflow    raised by a model: the input did not fit
├── SessionExists      the id of a fork is taken
├── SessionRemoved     the handle of a session that was removed
└── DefaultSession     the default session of an agent cannot be removed
"""


class EpisodicError(Exception):
    """Base of the tree."""


class InvalidEpisode(EpisodicError, ValueError):
    """What was to be appended has not the shape of an episode."""


class InvalidQuery(EpisodicError, ValueError):
    """A read was asked for something that there is not."""


class InvalidPlugin(EpisodicError, ValueError):
    """What was given as a plugin is none, or has something in it that no plugin has."""


class OldState(EpisodicError):
    """A stored state is of the format before there was a log; the message says what to do."""


class LogFull(EpisodicError):
    """No id is left that every JSON reader keeps exact."""


class NoAnchor(EpisodicError, LookupError):
    """There is no such anchor in the log."""


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
