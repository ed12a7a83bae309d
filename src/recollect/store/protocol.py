"""What a store must be able to do.

A unit of work is a plain function whose first argument is a transaction. The store decides
where it runs (a writer thread, a reader thread, a pool) and that it runs whole or not at all.
What it may ask is in `queries/`, by noun; the SQL of it belongs to
each store.
"""

from collections.abc import Callable, Sequence
from typing import Concatenate, NamedTuple, ParamSpec, Protocol, TypeVar

from recollect.store.transaction import Transaction as Transaction

P = ParamSpec("P")
T = TypeVar("T")


class Refolded(NamedTuple):
    """A graph that was put back, with the thread summaries that read differently now.

    *outdated* are those whose written text does not rest on the same facts any more; *closed* are the
    uuids of facts that held before.
    """

    graph_id: int
    outdated: Sequence[int]
    changed: Sequence[int]
    closed: Sequence[str] = ()


class ApartGraph(Protocol):
    """One graph in a place of its own, where it is folded again while everybody else goes on."""

    async def run(
        self, unit: Callable[Concatenate[Transaction, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Do something with the graph as it is there."""

    async def catch_up(self) -> bool:
        """Take what was added to its log since; False when something in it was changed."""

    async def put_back(self, then: Callable[[Transaction, Refolded], None]) -> bool:
        """Let the store have the graph as it is there, at once; False when the store has moved on,
        and then nothing is changed. *then* runs in the same transaction."""

    async def close(self) -> None:
        """Let go of it."""


class Store(Protocol):
    """Acknowledged means durable: `write` returns after the commit is on disk."""

    async def read(
        self, unit: Callable[Concatenate[Transaction, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Run *unit* on one consistent snapshot."""

    async def glance(
        self, unit: Callable[Concatenate[Transaction, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Run a unit that looks up a few rows by their keys.

        The same as `read`, for units so short that handing them to another thread would cost
        more than they do. Nothing that scans belongs here.
        """

    async def write(
        self, unit: Callable[Concatenate[Transaction, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Run *unit* and commit it, alone or together with others; raise what it raised."""

    async def apart(self, graph_id: int) -> ApartGraph:
        """What a graph is folded from, apart from everyone, with nothing folded yet."""

    def on_work(self, wake: Callable[[], None]) -> None:
        """Call *wake*, in the event loop that asks, when somebody has left work in the queue; another
        process, where the store can be shared. Nobody may rely on it alone."""

    def trouble(self) -> str | None:
        """What is known to be wrong with the store's files or their disk, without a path."""

    async def scrub(self) -> bool:
        """Leave no byte of what was deleted before this call in the store's files.

        False when that was not possible just now, for instance because a long read still needs
        what it saw; calling it again later is always right.
        """

    def scrub_soon(self) -> None:
        """Have the same done in the background, without anyone waiting for it."""

    async def close(self) -> None:
        """Finish what was handed in, then let go of every file and thread."""
