"""`recollect copy`: projects from one store into another."""

import asyncio
from typing import Annotated, Any

import msgspec
import typer

from recollect.app import copying, stores
from recollect.app.copying import ComparedGraph, ComparedProject
from recollect.app.data_folder import DataFolder, open_folder, without_project
from recollect.cli.common import JsonOption, bar, err, fail, remember, settings, show, this_command
from recollect.errors import RecollectError
from recollect.settings import Settings

_COLUMNS = ("project", "kind", "graph", "episodes", "digest", "result")


def copy(
    source: Annotated[
        str,
        typer.Option(
            "--from",
            metavar="STORE",
            help="Store to copy from: its folder, or postgresql://user@host/database.",
            callback=remember,
        ),
    ],
    target: Annotated[
        str, typer.Option("--to", metavar="STORE", help="Store to copy to; made when missing.")
    ],
    project: Annotated[
        str | None, typer.Option(help="Only this project.", show_default="all projects")
    ] = None,
    into: Annotated[
        str | None,
        typer.Option(help="What that project is to be called there.", show_default="as it is"),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Copy projects from one store into another, which takes the place of the first.

    Everything goes along: memory, guidance, policies, groups, sessions, API keys (as hashes, so that
    they go on working), receipts of erasures and audit logs. Each project is copied as it is at one
    moment, whole or not at all, and compared afterwards; what is there already is only compared, so
    the same command goes on after an interruption. Exit code 1 when something differs.

    Not copied: what is under way (batches, tasks, open turns of sessions, second readings that
    wait), answers kept for repeated requests, and what deleted episodes left for a later fold.
    """
    if into is not None and project is None:
        raise fail("--into is the name of one project", "Say which with --project.")
    try:
        chosen = settings()
        here, there = stores.at(chosen, source), stores.at(chosen, target)
        if not stores.has_store(here):
            raise fail(f"there is no store in {here.data}")
        if stores.place(here) == stores.place(there):
            raise fail("--from and --to are the same store")
        told = asyncio.run(_copy(here, there, project, into, as_json=as_json))
    except RecollectError as error:
        raise fail(error.message) from error
    except KeyboardInterrupt as error:
        again = "The same command goes on: what was copied whole is only compared."
        raise fail("stopped; nothing is left behind of the project under way", again) from error
    _tell(told, as_json=as_json)
    if not all(one.is_same for one in told):
        raise typer.Exit(1)


async def _copy(
    here: Settings, there: Settings, project: str | None, into: str | None, *, as_json: bool
) -> list[ComparedProject]:
    source = await asyncio.to_thread(open_folder, here)
    try:
        target = await asyncio.to_thread(open_folder, there)
        try:
            return await _copied(source, target, project, into, as_json=as_json)
        finally:
            await target.close()
    finally:
        await source.close()


async def _copied(
    source: DataFolder,
    target: DataFolder,
    project: str | None,
    into: str | None,
    *,
    as_json: bool,
) -> list[ComparedProject]:
    every = await copying.project_names(source, without_project(None))
    told = []
    for name in every if project is None else [project]:

        def watch(what: str, total: int) -> Any:
            return bar(what, total, quiet=as_json)

        told.append(await copying.copy(source, target, this_command(), name, into, watch))
    return told


def _tell(told: list[ComparedProject], *, as_json: bool) -> None:
    if as_json:
        listed = [{**msgspec.to_builtins(one), "same": one.is_same} for one in told]
        show(listed, (), as_json=True)
        return
    show([_row(one, graph) for one in told for graph in one.graphs], _COLUMNS, as_json=False)
    for one in told:
        err.print(_line(one))
    if not told:
        err.print("there is no project to copy")


def _row(told: ComparedProject, graph: ComparedGraph) -> dict[str, Any]:
    return {
        "project": told.into,
        "kind": graph.kind,
        "graph": graph.graph_id,
        "episodes": graph.episodes,
        "digest": (graph.here or graph.there or "")[:12],
        "result": _result(graph),
    }


def _result(graph: ComparedGraph) -> str:
    if graph.here is None or graph.there is None:
        return "only there" if graph.here is None else "only here"
    return "same" if graph.here == graph.there else "differs"


def _line(told: ComparedProject) -> str:
    done = f"{told.records} records copied" if told.records else "was there already"
    same = "all digests are equal" if told.is_same else "some graphs differ"
    holds = "holds" if told.audit_broken_at is None else f"is broken at {told.audit_broken_at}"
    return (
        f"project {told.into}: {done}; {len(told.graphs)} graphs, {same}; {told.keys} keys; "
        f"audit log of {told.audit_entries} entries {holds}"
    )
