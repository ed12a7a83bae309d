"""Use cases that are a single unit of work: written as that unit, called with the services.

    @reads
    def last(tx: Transaction, access: Access, ref: GraphRef, limit: int) -> list[Episode]: ...

    found = await episodes.last(services, access, ref, 10)

A use case with follow-up work after a write (waking workers, wiping files) is a coroutine of its own.
"""

from collections.abc import Callable, Coroutine
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from recollect.app.stores import WithStore
from recollect.graph.types import Access
from recollect.store.protocol import Transaction

P = ParamSpec("P")
T = TypeVar("T")
Unit = Callable[Concatenate[Transaction, Access, P], T]
UnitUseCase = Callable[Concatenate[WithStore, Access, P], Coroutine[Any, Any, T]]


def reads(unit: Unit[P, T]) -> UnitUseCase[P, T]:
    """A use case that reads on one snapshot."""

    @wraps(unit)
    async def run(services: WithStore, access: Access, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await services.store.read(unit, access, *args, **kwargs)

    return run


def glances(unit: Unit[P, T]) -> UnitUseCase[P, T]:
    """A use case that looks up a few rows by key, without switching threads."""

    @wraps(unit)
    async def run(services: WithStore, access: Access, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await services.store.glance(unit, access, *args, **kwargs)

    return run


def writes(unit: Unit[P, T]) -> UnitUseCase[P, T]:
    """A use case that is one write transaction, without follow-up work."""

    @wraps(unit)
    async def run(services: WithStore, access: Access, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await services.store.write(unit, access, *args, **kwargs)

    return run
