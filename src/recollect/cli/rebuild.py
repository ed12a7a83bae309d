"""`recollect rebuild`: derive the graphs again from their logs, or check that they would be."""

import asyncio
import tempfile
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from recollect import log
from recollect.cli import lock
from recollect.cli.common import DataOption, JsonOption, err, fail, settings, show
from recollect.errors import NotFound, RecollectError
from recollect.governance import audited
from recollect.governance.audit_targets import Target
from recollect.governance.audited import Acting, AuditedStore
from recollect.ingest import rebuild, unkept
from recollect.ingest.extractors import EmbeddedExtractor
from recollect.ingest.folder import Folder
from recollect.ingest.rebuild import GraphState
from recollect.settings import Settings
from recollect.store.sqlite import SqliteStore
from recollect.store.sqlite.connection import FILE_NAME, copy

_COLUMNS = ("project", "kind", "graph", "entities", "facts", "unread", "edits", "result")

Compared = list[tuple[GraphState, GraphState]]


def rebuild_(
    verify: Annotated[
        bool, typer.Option("--verify", help="Only check, on a copy; nothing is changed.")
    ] = False,
    graph: Annotated[
        str | None, typer.Option(help="Only graphs (or users) of this id.", show_default="all")
    ] = None,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Derive entities and facts again from the stored episodes.

    With --verify the same is done on a copy, and compared: exit code 1 when a graph that nobody
    edited by hand comes out differently. Without it, exit code 1 when an episode that was read
    before could not be read again.
    """
    chosen = settings(data=data)
    log.configure(chosen.log_format, "warning")  # the result is told in the end
    _require_something_to_derive(chosen)
    try:
        if verify:
            compared = asyncio.run(_verify(chosen, graph))
        else:
            with lock.hold(chosen.data):
                compared = asyncio.run(_rebuild(chosen, chosen.data, graph))
    except RecollectError as error:
        raise fail(error.message) from error
    tell = _verified if verify else _rebuilt
    show(
        [_row(after, before.edits, tell(before, after)) for before, after in compared],
        _COLUMNS,
        as_json=as_json,
    )
    lost = sum(after.unread - before.unread for before, after in compared)
    if lost > 0:
        err.print(f"{lost} episodes could not be read; `recollect doctor` tells more")
    if lost > 0 or (verify and any(map(_broken, compared))):
        raise typer.Exit(1)


def _require_something_to_derive(chosen: Settings) -> None:
    if not (chosen.data / FILE_NAME).is_file():
        raise fail(f"there is no store in {chosen.data}", "Choose its folder with --data.")
    if chosen.extraction == "off":
        raise fail(
            "RECOLLECT_EXTRACTION is off, so nothing would be derived",
            "Turn it on for this command.",
        )


async def _verify(chosen: Settings, graph: str | None) -> Compared:
    """Rebuild a copy."""
    with tempfile.TemporaryDirectory(prefix="recollect-verify-") as folder:
        place = Path(folder)
        await asyncio.to_thread(copy, chosen.data, place)
        return await _rebuild(chosen, place, graph)


async def _rebuild(chosen: Settings, place: Path, graph: str | None) -> Compared:
    """The graphs as they were, and as they came out."""
    store = SqliteStore.open(place, readers=1)
    extractor = EmbeddedExtractor(chosen.models, chosen.predicates)
    try:
        before = await store.read(rebuild.states, graph)
        if graph is not None and not before:
            raise NotFound(f"graph not found: {graph}")
        folder = Folder(store, extractor.predicates, partial(unkept.read, store, extractor))
        for one in before:
            with audited.acting(_acting(one)):
                await AuditedStore(store).write(rebuild.again, one.id)
            await folder.fold(one.id)
        after = await store.read(rebuild.states, graph)
    finally:
        await extractor.close()
        await store.close()
    return list(zip(before, after, strict=True))


def _acting(graph: GraphState) -> Acting:
    target = Target("user" if graph.kind == "user" else "graph", graph.graph_id, chosen=True)
    return audited.by_command("rebuild", project=graph.project, target=target)


def _broken(pair: tuple[GraphState, GraphState]) -> bool:
    before, after = pair
    return before.digest != after.digest and not before.edits


def _verified(before: GraphState, after: GraphState) -> str:
    if before.digest == after.digest:
        return "same"
    if before.edits:
        return "differs (edited by hand)"
    others = [reader for reader in before.readers if reader not in after.readers]
    return f"differs (was read by {', '.join(others)})" if others else "differs"


def _rebuilt(before: GraphState, after: GraphState) -> str:
    return "as before" if before.digest == after.digest else "changed"


def _row(state: GraphState, edits: int, result: str) -> dict[str, Any]:
    return {
        "project": state.project,
        "kind": state.kind,
        "graph": state.graph_id,
        "entities": state.entities,
        "facts": state.facts,
        "unread": state.unread,
        "edits": edits,
        "result": result,
    }
