"""`recollect rebuild`: fold the graphs again from what was read, or check that they come out the same."""

import asyncio
import tempfile
from pathlib import Path
from typing import Annotated, Any

import typer

from recollect import log
from recollect.bootstrap import Services, open_services
from recollect.cli import lock, progress
from recollect.cli.common import DataOption, JsonOption, err, fail, settings, show
from recollect.errors import NotFound, RecollectError
from recollect.extract.brief import ReaderKind
from recollect.governance import audited
from recollect.governance.audit_targets import Target
from recollect.governance.audited import Acting
from recollect.ingest import queue, rebuild, rereadings
from recollect.ingest.rebuild import GraphState
from recollect.settings import Settings
from recollect.store.sqlite import backup
from recollect.store.sqlite.connection import FILE_NAME

_COLUMNS = ("project", "kind", "graph", "entities", "facts", "unread", "edits", "result")
_REASON = "recollect rebuild --read"

Compared = list[tuple[GraphState, GraphState]]


def rebuild_(
    verify: Annotated[
        bool, typer.Option("--verify", help="Only check, on a copy; nothing is changed.")
    ] = False,
    read: Annotated[
        bool,
        typer.Option(
            "--read",
            help="Read every episode again before; when that is interrupted, the same command goes on.",
        ),
    ] = False,
    graph: Annotated[
        str | None, typer.Option(help="Only graphs (or users) of this id.", show_default="all")
    ] = None,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Fold entities and facts again from the readings that are kept with the episodes.

    That asks no reader and no model. With --verify the same is done on a copy, and compared: exit
    code 1 when a graph comes out differently. With --read the episodes are read again first, by
    whoever RECOLLECT_READER says; exit code 1 when some of them could not be.
    """
    chosen = settings(data=data)
    log.configure(chosen.log_format, "warning")  # the result is told in the end
    _require_something_to_derive(chosen, verify=verify, read=read)
    try:
        if verify:
            compared, left = asyncio.run(verified(chosen, graph)), 0
        else:
            with lock.hold(chosen.data):
                compared, left = asyncio.run(_rebuild(chosen, graph, read=read, quiet=as_json))
    except RecollectError as error:
        raise fail(error.message) from error
    tell = _verified if verify else _rebuilt
    listed = [_row(after, tell(before, after)) for before, after in compared]
    show(listed, _COLUMNS, as_json=as_json)
    if left:
        err.print(f"{left} episodes wait to be read again; `recollect readings` tells more")
    if left or (verify and any(before.digest != after.digest for before, after in compared)):
        raise typer.Exit(1)


def _require_something_to_derive(chosen: Settings, *, verify: bool, read: bool) -> None:
    if not (chosen.data / FILE_NAME).is_file():
        raise fail(f"there is no store in {chosen.data}", "Choose its folder with --data.")
    if verify and read:
        raise fail("--verify and --read: one of them", "What is read again may well be different.")
    if read and chosen.extraction == "off":
        raise fail(
            "RECOLLECT_EXTRACTION is off, so nothing would be read",
            "Turn it on for this command.",
        )


async def verified(chosen: Settings, graph: str | None) -> Compared:
    """The graphs as they are, and as they come out of a fold on a copy."""
    with tempfile.TemporaryDirectory(prefix="recollect-verify-") as folder:
        await asyncio.to_thread(backup.copy, chosen.data, Path(folder))
        there = chosen.model_copy(update={"data": Path(folder)})
        compared, _ = await _rebuild(there, graph, read=False, quiet=True)
        return compared


async def _rebuild(
    chosen: Settings, graph: str | None, *, read: bool, quiet: bool
) -> tuple[Compared, int]:
    """The graphs as they were and as they came out, and how many episodes are still to be read."""
    services = await open_services(chosen)
    try:
        await services.store.write(queue.free_all)  # nobody else is at work on these files
        before = await services.store.read(rebuild.states, graph)
        if graph is not None and not before:
            raise NotFound(f"graph not found: {graph}")
        left = await _read(services, before, quiet=quiet) if read else 0
        for one in before:
            with audited.acting(_acting(one)):
                await services.store.write(rebuild.again, one.id)
            await services.folder.fold(one.id)
        after = await services.store.read(rebuild.states, graph)
    finally:
        await services.close()
    return list(zip(before, after, strict=True)), left


async def _read(services: Services, graphs: list[GraphState], *, quiet: bool) -> int:
    """Have every episode read again, or those that are left of the last time; says how many still
    wait, for instance because the model does not answer, or for agents."""
    reader: ReaderKind = "model" if services.settings.read_by == "model" else "embedded"
    numbers = [one.id for one in graphs]
    for one in graphs:
        with audited.acting(_acting(one)):
            await services.store.write(rereadings.want_all, one.id, reader, _REASON)
    rereader = services.new_rereader("rebuild")
    total = await services.store.read(rereadings.left, numbers, _REASON)
    with progress.bar("reading", total, quiet=quiet) as done:
        while rereader is not None and await rereader.step():
            left = await services.store.read(rereadings.left, numbers, _REASON)
            done(total - left)
    return await services.store.read(rereadings.left, numbers, _REASON)


def _acting(graph: GraphState) -> Acting:
    target = Target("user" if graph.kind == "user" else "graph", graph.graph_id, chosen=True)
    return audited.by_command("rebuild", project=graph.project, target=target)


def _verified(before: GraphState, after: GraphState) -> str:
    return "same" if before.digest == after.digest else "differs"


def _rebuilt(before: GraphState, after: GraphState) -> str:
    return "as before" if before.digest == after.digest else "changed"


def _row(state: GraphState, result: str) -> dict[str, Any]:
    return {
        "project": state.project,
        "kind": state.kind,
        "graph": state.graph_id,
        "entities": state.entities,
        "facts": state.facts,
        "unread": state.unread,
        "edits": state.edits,
        "result": result,
    }
