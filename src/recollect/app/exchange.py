"""Projects as files: ours, written and read with equal digests, and those of other memories."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import IO, Any, Concatenate, ParamSpec, TypeVar

from recollect.app import projects
from recollect.app.data_folder import WithStore
from recollect.errors import StoreUnavailable
from recollect.exchange import exporter, foreign, importer
from recollect.exchange.exporter import Exported, ExportRequest
from recollect.exchange.foreign import SHAPES, Brought
from recollect.exchange.importer import Imported, ImportTarget
from recollect.governance import keys
from recollect.graph.acting import Acting
from recollect.graph.types import Access
from recollect.store.protocol import Transaction

__all__ = ["SHAPES", "Brought", "Exported", "ImportTarget", "Imported"]

P = ParamSpec("P")
T = TypeVar("T")
Progress = Callable[[int], Any]
Sink = AbstractContextManager[IO[bytes]]


async def export(
    services: WithStore,
    access: Access,
    user_id: str | None,
    graph_id: str | None,
    sink: Sink,
    progress: Callable[[int], AbstractContextManager[Progress]],
) -> Exported:
    """Write a project, or one graph of it, as it is at one moment; *progress* is told of how many
    graphs there are, and gives what hears how many are done."""
    owner = await services.store.read(keys.project_of, access)
    wanted = ExportRequest(project=owner, user_id=user_id, graph_id=graph_id)
    total = await services.store.read(exporter.graph_count, wanted)
    with progress(total) as step, sink as file:
        return await services.store.read(_once(exporter.export), wanted, file.write, step)


async def load(
    services: WithStore,
    access: Access,
    source: IO[bytes],
    target: ImportTarget,
    progress: Progress,
) -> Imported:
    """Read a file of ours, whole or not at all; a first import may be the first thing a store sees."""
    return await services.store.write(_once(_load), access, source, target, progress)


def _once(
    unit: Callable[Concatenate[Transaction, P], T],
) -> Callable[Concatenate[Transaction, P], T]:
    """A unit that cannot be run again when the database went away: a pipe was read, or written to."""
    begun = False

    def run(tx: Transaction, /, *args: P.args, **kwargs: P.kwargs) -> T:
        nonlocal begun
        if begun:
            raise StoreUnavailable("the database went away meanwhile; begin anew")
        begun = True
        return unit(tx, *args, **kwargs)

    return run


def _load(
    tx: Transaction, access: Access, source: IO[bytes], target: ImportTarget, progress: Progress
) -> Imported:
    default = keys.DEFAULT_PROJECT
    if target.project in (None, default) and not keys.is_project(tx, default):
        keys.create_project(tx, default)
    return importer.load(tx, source, target, progress)


async def bring(
    services: WithStore,
    acting: Acting,
    project: str,
    shape: str,
    source: IO[bytes],
    progress: Progress,
) -> Brought:
    """Store the episodes that another memory's file holds; what they say is learned here."""
    access = await projects.enter(services, acting, project)
    return await foreign.bring(services.store, access, shape, source, progress)
