"""Exporting and importing projects, importing other products' files, and copying between stores.

A project that is exported and imported again has the same digests.
"""

import tempfile
import threading
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import IO, Any, Concatenate, ParamSpec, TypeVar

from recollect.app import projects
from recollect.app.stores import WithStore, without_project
from recollect.app.units import reads
from recollect.errors import AlreadyExists, Conflict, StoreUnavailable
from recollect.exchange import exporter, foreign, importer
from recollect.exchange.exporter import Exported, ExportedGraph, ExportRequest
from recollect.exchange.foreign import SHAPES, Brought
from recollect.exchange.importer import Imported, ImportTarget
from recollect.governance import audit, keys
from recollect.graph.acting import Acting
from recollect.graph.types import Access, Project, Record
from recollect.store.protocol import Transaction

__all__ = [
    "SHAPES",
    "Brought",
    "ComparedGraph",
    "ComparedProject",
    "Exported",
    "ImportTarget",
    "Imported",
    "Step",
    "Watch",
    "copy",
    "project_names",
]

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
    """Export a snapshot of a project, or of one of its graphs.

    *progress* is called with the number of graphs, and yields a callback that takes the number done.
    """
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
    """Import one of our files in one transaction; the store may still be empty."""
    return await services.store.write(_once(_load), access, source, target, progress)


def _once(
    unit: Callable[Concatenate[Transaction, P], T],
) -> Callable[Concatenate[Transaction, P], T]:
    """Make a unit fail instead of being retried after a lost connection: a pipe cannot be rewound."""
    begun = False

    def run(tx: Transaction, /, *args: P.args, **kwargs: P.kwargs) -> T:
        nonlocal begun
        if begun:
            raise StoreUnavailable("the connection to the database was lost; start again")
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
    """Store the episodes in another product's file; facts are extracted from them here."""
    access = await projects.enter(services, acting, project)
    return await foreign.bring(services.store, access, shape, source, progress)


Step = Callable[[int], Any]
Watch = Callable[[str, int], AbstractContextManager[Step]]
_LINES_PER_STEP = 500


class ComparedGraph(Record):
    """One graph with its digests in both stores; None where a store does not have it."""

    kind: str
    graph_id: str
    episodes: int
    here: str | None
    there: str | None


class ComparedProject(Record):
    """A project that both stores have now.

    *records*: how many were written, 0 if the project was already there. *keys*, *audit_entries*: its counts
    in the target store; *audit_broken_at* is the first audit entry there that fails verification.
    """

    project: str
    into: str
    graphs: tuple[ComparedGraph, ...]
    records: int
    keys: int
    audit_entries: int
    audit_broken_at: int | None

    @property
    def is_same(self) -> bool:
        """Whether every graph is in both stores with equal digests."""
        return all(one.here == one.there for one in self.graphs)


@reads
def project_names(tx: Transaction, access: Access) -> list[str]:
    """The names of all projects of a store."""
    return [one.name for one in keys.list_projects(tx)]


async def copy(
    here: WithStore, there: WithStore, acting: Acting, project: str, into: str | None, watch: Watch
) -> ComparedProject:
    """Copy a snapshot of a project in one transaction, and compare the digests afterwards.

    A project that is already there is compared and left alone. *watch* is called with a label and a total,
    and yields a callback for the progress. A cancelled copy leaves nothing behind.
    """
    owner = await here.store.read(keys.project_named, project)
    found = await there.store.read(_found, owner, into or owner.name)
    if found is not None:
        graphs: Sequence[ExportedGraph] = await here.store.read(exporter.graphs_of, owner.id)
        records = 0
    else:
        graphs, made = await _carry(here, there, acting, owner, into or owner.name, watch)
        found = await there.store.read(keys.project_named, made.project)
        records = sum(made.counts.values())
    return await there.store.read(_compared, owner, found, graphs, records)


def _found(tx: Transaction, owner: Project, name: str) -> Project | None:
    """The same project (by uuid) in the other store, whatever its name there."""
    every = keys.list_projects(tx)
    same = next((one for one in every if one.uuid == owner.uuid), None)
    if same is None and any(one.name == name for one in every):
        raise AlreadyExists(
            f"the other store has a project {name!r} that is not this one (a server makes "
            f"'{keys.DEFAULT_PROJECT}' when it starts); copy into a store that no server has used yet, "
            "or under another name with --into"
        )
    return same


async def _carry(
    here: WithStore, there: WithStore, acting: Acting, owner: Project, name: str, watch: Watch
) -> tuple[Sequence[ExportedGraph], Imported]:
    """Export the project to a private temporary file, and import it from there."""
    wanted = ExportRequest(project=owner, copies=True)
    total = await here.store.read(exporter.graph_count, wanted)
    stopped = threading.Event()
    with tempfile.TemporaryFile(prefix="recollect-copy-") as file:
        try:
            with watch(f"{owner.name}: reading", total) as step:
                written = await here.store.read(_write, wanted, file, stopped, step)
            with watch(f"{owner.name}: writing", file.tell()) as step:
                target = ImportTarget(into=name, copies=True)
                access = without_project(acting)
                made = await there.store.write(_load_copy, access, file, target, stopped, step)
        finally:
            stopped.set()  # a thread may still be working on the file
    return written.graphs, made


def _write(
    tx: Transaction, wanted: ExportRequest, file: IO[bytes], stopped: threading.Event, step: Step
) -> exporter.Exported:
    """Start from an empty file: the store retries a unit after a lost connection."""
    file.seek(0)
    file.truncate()

    def put(line: bytes) -> None:
        _go_on(stopped)
        file.write(line)

    return exporter.export(tx, wanted, put, step)


def _load_copy(
    tx: Transaction,
    access: Access,
    file: IO[bytes],
    target: ImportTarget,
    stopped: threading.Event,
    step: Step,
) -> Imported:
    """Start at the beginning of the file, because this unit may be retried, too."""
    file.seek(0)

    def hear(line: int) -> None:
        _go_on(stopped)
        if line % _LINES_PER_STEP == 0:
            step(file.tell())

    return importer.load(tx, file, target, hear)


def _go_on(stopped: threading.Event) -> None:
    if stopped.is_set():
        raise Conflict("the copy was stopped")


def _compared(
    tx: Transaction, owner: Project, found: Project, here: Sequence[ExportedGraph], records: int
) -> ComparedProject:
    there = {(one.kind, one.graph_id): one for one in exporter.graphs_of(tx, found.id)}
    both = {(one.kind, one.graph_id): one for one in here}
    verdict = audit.verify(tx, found)
    return ComparedProject(
        project=owner.name,
        into=found.name,
        graphs=tuple(
            ComparedGraph(
                kind=one.kind,
                graph_id=one.graph_id,
                episodes=one.episodes,
                here=both[key].digest if key in both else None,
                there=there[key].digest if key in there else None,
            )
            for key, one in {**there, **both}.items()
        ),
        records=records,
        keys=len(keys.list_keys(tx, found.id)),
        audit_entries=verdict.entries,
        audit_broken_at=verdict.broken_at,
    )
