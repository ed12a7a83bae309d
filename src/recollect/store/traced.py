"""A store that records a span for every unit of work. Without tracing, the plain store is used."""

import contextvars
from collections.abc import Callable
from functools import partial, wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from recollect import spans
from recollect.store.protocol import ApartGraph, Store, Transaction

P = ParamSpec("P")
T = TypeVar("T")


def traced(store: Store) -> Store:
    """Wrap the store if spans are recorded; otherwise return it unchanged."""
    return TracedStore(store) if spans.are_told() else store


class TracedStore:
    """Runs every unit of the wrapped store in a span named after it."""

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
        """Run a unit that looks up a few rows by key."""
        with spans.span(f"glance {name_of(unit)}", _UNIT):
            return await self._store.glance(unit, *args, **kwargs)

    async def write(
        self, unit: Callable[Concatenate[Transaction, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Run *unit* and commit it, with the caller's context variables in the writer's thread."""
        with spans.span(f"write {name_of(unit)}", _UNIT):
            context = contextvars.copy_context()

            @wraps(unit)
            def here(tx: Transaction, /, *args: P.args, **kwargs: P.kwargs) -> T:
                return context.run(unit, tx, *args, **kwargs)

            return await self._store.write(here, *args, **kwargs)

    async def apart(self, graph_id: int) -> ApartGraph:
        """Copy what a graph is folded from, isolated from other users."""
        return await self._store.apart(graph_id)

    def on_work(self, wake: Callable[[], None]) -> None:
        """Call *wake* when work was added to the queue."""
        self._store.on_work(wake)

    def trouble(self) -> str | None:
        """Any known problem with the store's files or disk."""
        return self._store.trouble()

    async def scrub(self) -> bool:
        """Erase every byte that was deleted before this call from the store's files."""
        with spans.span("scrub", _UNIT):
            return await self._store.scrub()

    def scrub_soon(self) -> None:
        """Scrub in the background."""
        self._store.scrub_soon()

    async def close(self) -> None:
        """Finish all submitted work, then release every file and thread."""
        await self._store.close()


_UNIT = {"recollect.layer": "store unit"}


def name_of(unit: Callable[..., Any]) -> str:
    """The short name of a unit: `users.create`."""
    while isinstance(unit, partial):
        unit = unit.func
    module = getattr(unit, "__module__", "").rpartition(".")[2]
    name = getattr(unit, "__qualname__", type(unit).__name__).rpartition(".")[2]
    return f"{module}.{name}"
