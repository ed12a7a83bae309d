"""`recollect rebuild`: fold the graphs again from what was read, or check that they come out the same."""

import asyncio
from functools import partial
from typing import Annotated, Any

import typer

from recollect import log
from recollect.app import maintenance
from recollect.app.maintenance import GraphState
from recollect.app.stores import has_store
from recollect.cli import common, lock
from recollect.cli.common import DataOption, JsonOption, err, fail, settings, show
from recollect.errors import RecollectError
from recollect.settings import Settings

_COLUMNS = ("project", "kind", "graph", "entities", "facts", "unread", "edits", "result")


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
            compared, left = asyncio.run(maintenance.verify(chosen, graph)), 0
        else:
            reading = partial(common.bar, "reading", quiet=as_json) if read else None
            with lock.alone(chosen):
                compared, left = asyncio.run(maintenance.refold(chosen, graph, reading))
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
    if not has_store(chosen):
        raise fail(f"there is no store in {chosen.data}", "Choose its folder with --data.")
    if verify and read:
        raise fail("--verify and --read: one of them", "What is read again may well be different.")
    if read and chosen.extraction == "off":
        raise fail(
            "RECOLLECT_EXTRACTION is off, so nothing would be read",
            "Turn it on for this command.",
        )


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
