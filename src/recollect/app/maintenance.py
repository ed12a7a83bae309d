"""Maintenance of a store: schema, backups, repair, and rebuilding its graphs."""

import asyncio
import tempfile
from collections.abc import Callable
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass

from recollect.app import stores
from recollect.app.services import Services, open_services
from recollect.app.stores import open_folder, without_project
from recollect.errors import NotFound, StoreDamaged
from recollect.extract.brief import ReaderKind
from recollect.governance import audit, audited, keys
from recollect.graph.acting import Acting, Target
from recollect.graph.types import Access
from recollect.ingest import queue, rebuild, rereadings
from recollect.ingest.folder import due as to_fold
from recollect.ingest.rebuild import GraphState
from recollect.settings import Settings
from recollect.store.protocol import Transaction
from recollect.store.sqlite import backup, migrate, rescue
from recollect.store.sqlite.connection import FILE_NAME, connect, prepare

__all__ = ["GraphState", "backup", "rescue"]

Compared = list[tuple[GraphState, GraphState]]
Reading = Callable[[int], AbstractContextManager[Callable[[int], None]]]

_REASON = "recollect rebuild --read"


def migrated(chosen: Settings) -> tuple[list[str], int]:
    """Migrate the schema; returns the migrations applied and the resulting version."""
    if (url := stores.database(chosen)) is not None:
        from recollect.store.postgres import state

        return state.migrated(url)
    with closing(connect(prepare(chosen.data), writer=True)) as connection:
        return migrate.apply(connection), migrate.version(connection)


@dataclass(frozen=True, slots=True)
class Inspected:
    """The contents of a backup, all verified."""

    projects: int
    audit_entries: int
    graphs: int
    episodes: int
    facts: int
    folded: bool


async def inspect(chosen: Settings, *, fold: bool) -> Inspected:
    """Verify the audit logs and count the contents; raises StoreDamaged at the first failure.

    With *fold*, every graph is also folded again and its digest compared.
    """
    folder = open_folder(chosen)
    try:
        found = await folder.store.read(_inspected, fold)
    finally:
        await folder.close()
    if fold:
        for before, after in await verify(chosen, None):
            if before.digest != after.digest:
                raise StoreDamaged(f"graph {before.graph_id}: comes out differently when rebuilt")
    return found


def _inspected(tx: Transaction, folded: bool) -> Inspected:
    projects = keys.list_projects(tx)
    entries = 0
    for project in projects:
        verdict = audit.verify(tx, project)
        if verdict.broken_at is not None:
            raise StoreDamaged(
                f"project {project.name}: the audit log is broken at entry {verdict.broken_at}"
            )
        entries += verdict.entries
    graphs = rebuild.states(tx)
    return Inspected(
        projects=len(projects),
        audit_entries=entries,
        graphs=len(graphs),
        episodes=sum(one.episodes for one in graphs),
        facts=sum(one.facts for one in graphs),
        folded=folded,
    )


async def verify(chosen: Settings, graph: str | None) -> Compared:
    """The graphs as they are, and as they come out when a copy is folded again."""
    with tempfile.TemporaryDirectory(prefix="recollect-verify-") as folder:
        there = stores.at(chosen, folder)
        if (url := stores.database(chosen)) is not None:
            await asyncio.to_thread(_copied_from, url, there, graph)
        else:
            await asyncio.to_thread(backup.copy, chosen.data, there.data)
        compared, _ = await refold(there, graph)
        return compared


def _copied_from(url: str, there: Settings, graph: str | None) -> None:
    """Copy the graphs of a database, with what they are folded from, into a separate folder."""
    from recollect.store.postgres import live

    migrated(there)
    live.copy_graphs(url, there.data / FILE_NAME, graph)


async def refold(
    chosen: Settings, graph: str | None, reading: Reading | None = None
) -> tuple[Compared, int]:
    """Fold graphs again in a folder that nobody else uses.

    Returns each graph's state before and after, and how many episodes still wait to be read. With *reading*,
    every episode is read again first: it is called with the total, and yields a callback for the number done.
    """
    services = await open_services(chosen)
    try:
        if services.has_folder_alone:
            await services.store.write(queue.free_all)
        for number in await services.store.read(to_fold):
            await services.folder.fold(number)  # as a server would do when it next starts
        before = await services.store.read(rebuild.states, graph)
        if graph is not None and not before:
            raise NotFound(f"graph not found: {graph}")
        left = await _read_again(services, before, reading) if reading else 0
        for one in before:
            await services.store.write(audited.on_behalf, _acting(one), rebuild.again, one.id)
            await services.folder.fold(one.id)
        after = await services.store.read(rebuild.states, graph)
    finally:
        await services.close()
    return list(zip(before, after, strict=True)), left


async def _read_again(services: Services, graphs: list[GraphState], reading: Reading) -> int:
    """Read every episode again, or those left over from an interrupted run.

    Returns how many still wait, for example for agents, or because the model does not answer.
    """
    reader: ReaderKind = "model" if services.settings.read_by == "model" else "embedded"
    numbers = [one.id for one in graphs]
    for one in graphs:
        access = _acting(one)
        await services.store.write(
            audited.on_behalf, access, rereadings.want_all, one.id, reader, _REASON
        )
    rereader = services.new_rereader("rebuild")
    total = await services.store.read(rereadings.left, numbers, _REASON)
    with reading(total) as done:
        while rereader is not None and await rereader.step():
            left = await services.store.read(rereadings.left, numbers, _REASON)
            done(total - left)
    return await services.store.read(rereadings.left, numbers, _REASON)


def _acting(graph: GraphState) -> Access:
    target = Target("user" if graph.kind == "user" else "graph", graph.graph_id, chosen=True)
    return without_project(Acting.by_command("rebuild", project=graph.project, target=target))
