"""A store that tells of every unit of work as a span. Where nobody listens there is none."""

import contextvars
from collections.abc import Callable
from functools import partial, wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from recollect import spans
from recollect.store.protocol import ApartGraph, Store, Transaction

P = ParamSpec("P")
T = TypeVar("T")


def traced(store: Store) -> Store:
    """The store itself, unless somebody wants to know how long its units take."""
    return TracedStore(store) if spans.are_told() else store


class TracedStore:
    """Units run as they would, each within a span that has its name."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def read(
        self, unit: Callable[Concatenate[Transaction, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Run *unit* on one consistent snapshot."""
        with spans.span(f"read {name_of(unit)}", _UNIT):
            return await self._store.read(unit, *args, **kwargs)

    async def glance(
        self, unit: Callable[Concatenate[Transaction, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Run a unit that looks up a few rows by their keys."""
        with spans.span(f"glance {name_of(unit)}", _UNIT):
            return await self._store.glance(unit, *args, **kwargs)

    async def write(
        self, unit: Callable[Concatenate[Transaction, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Run *unit* and commit it; where it was asked for is known also where it runs."""
        with spans.span(f"write {name_of(unit)}", _UNIT):
            context = contextvars.copy_context()

            @wraps(unit)
            def here(tx: Transaction, /, *args: P.args, **kwargs: P.kwargs) -> T:
                return context.run(unit, tx, *args, **kwargs)

            return await self._store.write(here, *args, **kwargs)

    async def apart(self, graph_id: int) -> ApartGraph:
        """What a graph is folded from, apart from everyone."""
        return await self._store.apart(graph_id)

    def on_work(self, wake: Callable[[], None]) -> None:
        """Call *wake* when somebody has left work in the queue."""
        self._store.on_work(wake)

    def trouble(self) -> str | None:
        """What is known to be wrong with the store's files or their disk."""
        return self._store.trouble()

    async def scrub(self) -> bool:
        """Leave no byte of what was deleted before this call in the store's files."""
        with spans.span("scrub", _UNIT):
            return await self._store.scrub()

    def scrub_soon(self) -> None:
        """Have the same done in the background."""
        self._store.scrub_soon()

    async def close(self) -> None:
        """Finish what was handed in, then let go of every file and thread."""
        await self._store.close()


_UNIT = {"recollect.layer": "store unit"}


def name_of(unit: Callable[..., Any]) -> str:
    """A unit as people call it: `users.create`."""
    while isinstance(unit, partial):
        unit = unit.func
    module = getattr(unit, "__module__", "").rpartition(".")[2]
    name = getattr(unit, "__qualname__", type(unit).__name__).rpartition(".")[2]
    return f"{module}.{name}"
