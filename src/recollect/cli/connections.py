"""Limits on connections: how many there may be, and which ones to drop.

Neither one connection nor all those of one address can lock others out: the connection that has been idle
the longest makes room, and clients that are too slow to send or to read are dropped.
"""

import resource
from collections import Counter
from typing import Protocol

from recollect import log
from recollect.limits import (
    BODY_PAUSE_S_MAX,
    CONNECTIONS_TOLD_EVERY_S,
    DESCRIPTORS_RESERVED,
    HEAD_S_MAX,
    REQUEST_S_MAX,
    UNREAD_BYTES_MAX,
    UNREAD_S_MAX,
)

_log = log.get(__name__)


class Connected(Protocol):
    """What a connection has to provide. Times are those of the event loop."""

    address: str
    waits_since: float | None  # idle, or waiting for the end of a head; None: a request is running
    asks_since: float | None  # when a still incomplete request began
    heard_at: float  # when the last bytes arrived

    def unread_bytes(self) -> int:
        """How many bytes of responses the client has not read."""

    def late(self, what: str) -> None:
        """Drop it, with a reason if a response can still be sent."""

    def abort(self) -> None:
        """Drop it at once."""


class Crowd:
    """All connections of a server."""

    def __init__(self, *, most: int, per_address: int) -> None:
        self.most = most
        self.per_address = min(per_address, most)
        self._all: set[Connected] = set()
        self._of: Counter[str] = Counter()
        self._unread: dict[Connected, tuple[int, float]] = {}
        self._turned_away = 0
        self._told_at = float("-inf")

    def __len__(self) -> int:
        return len(self._all)

    def enter(self, one: Connected, now: float) -> bool:
        """Admit a new connection, if need be by dropping an idle one; False: no room."""
        if self._of[one.address] >= self.per_address:
            room = self._make_room(one.address)
        else:
            room = len(self._all) < self.most or self._make_room(None)
        if not room:
            self._tell(now)
            return False
        self._all.add(one)
        self._of[one.address] += 1
        return True

    def leave(self, one: Connected) -> None:
        """Remove a connection that was closed."""
        if one in self._all:
            self._all.remove(one)
            self._unread.pop(one, None)
            self._of[one.address] -= 1
            if not self._of[one.address]:
                del self._of[one.address]

    def _make_room(self, address: str | None) -> bool:
        waiting = [
            (one.waits_since, id(one), one)
            for one in self._all
            if one.waits_since is not None and address in (None, one.address)
        ]
        if not waiting:
            return False
        longest = min(waiting)[2]
        self.leave(longest)
        longest.abort()
        return True

    def _tell(self, now: float) -> None:
        self._turned_away += 1
        if now - self._told_at >= CONNECTIONS_TOLD_EVERY_S:
            _log.warning(
                "connections.refused",
                refused=self._turned_away,
                connections=len(self._all),
                connections_max=self.most,
                connections_per_address_max=self.per_address,
            )
            self._turned_away, self._told_at = 0, now

    def sweep(self, now: float) -> None:
        """Drop connections that are too slow; to be called about once a second."""
        for one in list(self._all):
            self._follow_unread(one, now)
            if one.waits_since is not None and one.asks_since is not None:
                if now - one.asks_since > HEAD_S_MAX:
                    one.late(f"the head of a request has to be here within {HEAD_S_MAX:g} s")
            elif one.asks_since is not None:
                self._sweep_body(one, one.asks_since, now)
        self._sweep_unread(now)

    def _sweep_body(self, one: Connected, began: float, now: float) -> None:
        if now - one.heard_at > BODY_PAUSE_S_MAX:
            one.late(f"body: nothing more came of it for {BODY_PAUSE_S_MAX:g} s")
        elif now - began > REQUEST_S_MAX:
            one.late(f"body: it has to be here within {REQUEST_S_MAX:g} s")

    def _follow_unread(self, one: Connected, now: float) -> None:
        """Track since when the client has read nothing of a response."""
        size = one.unread_bytes()
        before, since = self._unread.get(one, (0, now))
        if size:
            self._unread[one] = (size, since if 0 < before <= size else now)
        else:
            self._unread.pop(one, None)

    def _sweep_unread(self, now: float) -> None:
        """Drop stalled readers; if all unread responses exceed the limit, the largest go first."""
        total = sum(size for size, _ in self._unread.values())
        for one, (size, since) in sorted(self._unread.items(), key=lambda item: -item[1][0]):
            if total > UNREAD_BYTES_MAX or now - since > UNREAD_S_MAX:
                total -= size
                one.abort()


def crowd(most: int, per_address: int) -> Crowd:
    """A crowd for the requested number of connections, or as many as the system allows."""
    allowed = _descriptors(most + DESCRIPTORS_RESERVED)
    possible = min(most, max(1, allowed - DESCRIPTORS_RESERVED))
    if possible < most:
        _log.warning(
            "connections.limited", connections_max=possible, asked_for=most, descriptors=allowed
        )
    return Crowd(most=possible, per_address=per_address)


def _descriptors(wanted: int) -> int:
    """How many open files this process may have, after raising its limit towards *wanted*."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return wanted
    more = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (more, hard))
    except (OSError, ValueError):
        return soft
    return more
