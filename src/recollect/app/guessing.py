"""Slows down key guessing: an address that sends one wrong key after the other has to wait.

Behind a proxy that hides the origin of requests, many callers share an address, and one of them must not
lock out the others. So only distinct wrong keys count, not a program that keeps sending its revoked key.
The count decays with time. While an address has to wait, keys too long to be guessed are still checked, so
that a valid one gets in. Only short keys, which somebody chose by hand, have to wait: those are the ones
that could be guessed.
"""

import math
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field

from recollect.errors import LimitReached
from recollect.limits import (
    GUESS_FORGIVEN_S,
    GUESS_PAUSE_FIRST_S,
    GUESS_PAUSE_S_MAX,
    GUESSED_NEVER_CHARS,
    GUESSERS_REMEMBERED_MAX,
)

_DOUBLINGS_MAX = 16


@dataclass(slots=True)
class _Guesser:
    counted: float = 0.0
    since: float = 0.0
    waits_until: float = 0.0
    tried: list[bytes] = field(default_factory=list)


class Guesses:
    """The addresses that sent wrong keys recently; beyond a bound the least recent one is forgotten.

    *most* wrong keys are tolerated; 0 disables the count.
    """

    def __init__(self, most: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._most = most
        self._clock = clock
        self._guessers: OrderedDict[str, _Guesser] = OrderedDict()

    def check(self, address: str, secret: str) -> None:
        """Raise LimitReached if the key must not be checked now."""
        if len(secret) < GUESSED_NEVER_CHARS:
            self._refuse(address)

    def wrong(self, address: str, digest: bytes) -> None:
        """Count a wrong key; raises LimitReached while the address has to wait."""
        if not self._most:
            return
        self._refuse(address)
        now = self._clock()
        guesser = self._guessers.setdefault(address, _Guesser(since=now))
        self._guessers.move_to_end(address)
        if len(self._guessers) > GUESSERS_REMEMBERED_MAX:
            self._guessers.popitem(last=False)
        if digest in guesser.tried:
            return
        guesser.tried = [*guesser.tried[1 - self._most :], digest] if self._most > 1 else [digest]
        forgiven = (now - guesser.since) / GUESS_FORGIVEN_S
        guesser.counted = max(0.0, guesser.counted - forgiven) + 1.0
        guesser.since = now
        beyond = guesser.counted - self._most
        if beyond > 0:
            doubled = GUESS_PAUSE_FIRST_S * 2 ** min(_DOUBLINGS_MAX, math.ceil(beyond) - 1)
            guesser.waits_until = now + min(GUESS_PAUSE_S_MAX, doubled)

    def _refuse(self, address: str) -> None:
        guesser = self._guessers.get(address)
        left_s = 0.0 if guesser is None else guesser.waits_until - self._clock()
        if left_s > 0:
            wait_s = max(1, math.ceil(left_s))
            raise LimitReached(
                f"too many wrong keys from this address; try again in {wait_s} s",
                retry_after_s=wait_s,
            )
