"""The protocol that every store implements.

A unit of work is a plain function whose first argument is a transaction. The store decides where it
runs (a writer thread, a reader thread, a pool) and guarantees that it runs completely or not at all.
The queries it can call are in `queries/`, one module per noun; each store brings its own SQL.
"""

from collections.abc import Callable, Sequence
from typing import Concatenate, NamedTuple, ParamSpec, Protocol, TypeVar

from recollect.store.transaction import Transaction as Transaction

P = ParamSpec("P")
T = TypeVar("T")


class Refolded(NamedTuple):
    """A graph that was put back after a fold, with the thread summaries that changed.

    *outdated* are the summaries whose written text no longer rests on the same facts; *closed* are the
    uuids of facts that held before.
    """

    graph_id: int
    outdated: Sequence[int]
    changed: Sequence[int]
    closed: Sequence[str] = ()


class ApartGraph(Protocol):
    """A copy of one graph that is folded again while the store stays in use."""

    async def run(
        self, unit: Callable[Concatenate[Transaction, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Run *unit* on the copy."""

    async def catch_up(self) -> bool:
        """Copy what was appended to the log since; False if existing entries were changed."""

    async def put_back(self, then: Callable[[Transaction, Refolded], None]) -> bool:
        """Replace the store's graph with this one, atomically.

        False if the store's graph has moved on; then nothing is changed. *then* runs in the same transaction.
        """

    async def close(self) -> None:
        """Release the copy."""


class Store(Protocol):
    """Acknowledged means durable: `write` returns after the commit is on disk."""

    async def read(
        self, unit: Callable[Concatenate[Transaction, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Run *unit* on one consistent snapshot."""

    async def glance(
        self, unit: Callable[Concatenate[Transaction, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Run a unit that looks up a few rows by key.

        Like `read`, for units so short that handing them to another thread would cost more than running
        them. Nothing that scans belongs here.
        """

    async def write(
        self, unit: Callable[Concatenate[Transaction, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Run *unit* and commit it, alone or grouped with others; raises whatever the unit raised."""

    async def apart(self, graph_id: int) -> ApartGraph:
        """Copy what a graph is folded from, isolated from other users, with nothing folded yet."""

    def on_work(self, wake: Callable[[], None]) -> None:
        """Call *wake* in the caller's event loop when work was added to the queue.

        A store that can be shared also reports work added by other processes. Notifications may be lost, so
        callers must poll as well.
        """

    def trouble(self) -> str | None:
        """Any known problem with the store's files or disk; the text contains no path."""

    async def scrub(self) -> bool:
        """Erase every byte that was deleted before this call from the store's files.

        False if that was not possible right now, for instance because a long read still needs its snapshot.
        Calling it again later is always safe.
        """

    def scrub_soon(self) -> None:
        """Scrub in the background, without waiting."""

    async def close(self) -> None:
        """Finish all submitted work, then release every file and thread."""
