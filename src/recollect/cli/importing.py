"""`recollect export`, `import` and `copy`: projects and graphs as files, the files of other products, and
copying projects between stores."""

import asyncio
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import IO, Annotated, Any

import msgspec
import typer

from recollect.app import exchange, projects, stores
from recollect.app.exchange import (
    SHAPES,
    Brought,
    ComparedGraph,
    ComparedProject,
    Exported,
    Imported,
    ImportTarget,
)
from recollect.app.projects import DEFAULT_PROJECT
from recollect.app.stores import DataFolder, has_store, open_folder, without_project
from recollect.cli.common import (
    DataOption,
    JsonOption,
    bar,
    err,
    fail,
    remember,
    safe,
    settings,
    show,
    this_command,
)
from recollect.errors import InvalidInput, RecollectError
from recollect.settings import Settings

_SHAPES = ", ".join(SHAPES)


def import_(
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="[WHOSE] FILE",
            help=f"Product that wrote the file ({_SHAPES}), if not Recollect; then the file, or `-` for standard input.",
        ),
    ],
    project: Annotated[
        str | None,
        typer.Option(help="Project to import into.", show_default=DEFAULT_PROJECT),
    ] = None,
    into: Annotated[
        str | None,
        typer.Option(
            help="Name of the imported project or, if the file contains one graph, of that graph.",
            show_default="as it was",
        ),
    ] = None,
    new_ids: Annotated[
        bool,
        typer.Option(
            "--new-ids", help="Give everything new uuids, for a copy beside the original."
        ),
    ] = False,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Import a file of `recollect export` or of another product.

    A file of `recollect export` is imported completely or not at all, and its digests are verified.
    From other products only the episodes are imported, and read again here; repeating the command adds
    only what is missing.
    """
    if len(words) > 2:
        raise fail(f"one file at a time; got {' '.join(words)}")
    shape, file = (None, words[0]) if len(words) == 1 else words
    if shape is not None and shape not in SHAPES:
        raise fail(f"{shape}: none of {', '.join(SHAPES)}")
    if shape is not None and (into is not None or new_ids):
        raise fail("--into and --new-ids are for files of `recollect export`")
    chosen = settings(data=data)
    try:
        with _opened(file) as source:
            if shape is None:
                target = ImportTarget(project=project, into=into, new_ids=new_ids)
                _tell_ours(asyncio.run(_load(chosen, source, target)), as_json=as_json)
            else:
                name = project or DEFAULT_PROJECT
                _tell_theirs(asyncio.run(_bring(chosen, source, shape, name)), as_json=as_json)
    except RecollectError as error:
        raise fail(error.message) from error
    except OSError as error:
        raise fail(f"{file}: {error.strerror}") from error


@contextmanager
def _opened(file: str) -> Iterator[IO[bytes]]:
    if file == "-":
        yield sys.stdin.buffer
    else:
        with Path(file).open("rb") as source:
            yield source


async def _load(chosen: Settings, source: IO[bytes], target: ImportTarget) -> Imported:
    folder = open_folder(chosen)
    try:
        with bar("bytes", _size(source)) as step:
            heard = _place_in(source, step)
            return await exchange.load(
                folder, without_project(this_command()), source, target, heard
            )
    finally:
        await folder.close()


async def _bring(chosen: Settings, source: IO[bytes], shape: str, name: str) -> Brought:
    folder = open_folder(chosen)
    try:
        who = replace(this_command(), project=name)  # not every unit sets the project
        with bar("episodes", None) as step:
            return await exchange.bring(folder, who, name, shape, source, step)
    finally:
        await folder.close()


def _size(source: IO[bytes]) -> int | None:
    """The size of the input in bytes; None for a pipe."""
    return os.fstat(source.fileno()).st_size if source.seekable() else None


def _place_in(source: IO[bytes], step: Callable[[int], None]) -> Callable[[int], None]:
    """A callback for lines read that reports bytes read, every 500 lines."""

    def tell_bytes(line: int) -> None:
        if line % 500 == 0 and source.seekable():
            step(source.tell())

    return tell_bytes


def _tell_ours(told: Imported, *, as_json: bool) -> None:
    tell(told.project, told.graphs, told.counts, as_json=as_json)


def _tell_theirs(told: Brought, *, as_json: bool) -> None:
    row = {
        "users": told.users,
        "threads": told.threads,
        "graphs": told.graphs,
        "episodes": told.episodes,
        "known": told.known,
        "skipped": sum(told.skipped.values()),
    }
    show([{**row, "reasons": told.skipped} if as_json else row], tuple(row), as_json=as_json)
    for reason, count in told.skipped.items():
        err.print(f"skipped {count}: {safe(reason)}")
    if told.episodes:
        err.print("A running server learns from them now; `recollect worker` does it without one.")


COLUMNS = ("kind", "graph", "episodes", "digest")


def export(
    file: Annotated[str, typer.Argument(help="File to write; `-` writes standard output.")],
    project: Annotated[str, typer.Option(help="Name of the project.")] = projects.DEFAULT_PROJECT,
    graph: Annotated[
        str | None, typer.Option(help="Only this graph.", show_default="whole project")
    ] = None,
    user: Annotated[
        str | None, typer.Option(help="Only this user's graph.", show_default="whole project")
    ] = None,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Write a project, or one graph of it, to a file for `recollect import`.

    The file contains episodes and everything learned from them, one JSON record per line, as of one
    moment; a server may be running. It contains no keys and no audit logs.
    """
    chosen = settings(data=data)
    if not has_store(chosen):
        raise fail(f"there is no store in {chosen.data}", "Choose its folder with --data.")
    try:
        told = asyncio.run(_export(chosen, file, project, user, graph))
    except RecollectError as error:
        raise fail(error.message) from error
    except OSError as error:
        raise fail(f"{file}: {error.strerror}") from error
    if file != "-":  # otherwise standard output is the file
        tell(told.project, told.graphs, told.counts, as_json=as_json)


async def _export(
    chosen: Settings, file: str, project: str, user: str | None, graph: str | None
) -> Exported:
    folder = open_folder(chosen)
    try:
        access = await projects.named(folder, None, project)
        return await exchange.export(
            folder, access, user, graph, opened(file), partial(bar, "graphs")
        )
    finally:
        await folder.close()


@contextmanager
def opened(file: str) -> Iterator[IO[bytes]]:
    """A file that gets its name once it is complete, or standard output."""
    if file == "-":
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    path = Path(file)
    if path.exists():
        raise InvalidInput(f"{file} exists already")
    partial = path.with_name(path.name + ".part")
    try:
        partial.touch(0o600, exist_ok=False)  # it may contain user data
    except FileExistsError as error:
        raise InvalidInput(
            f"{partial} exists: another export writes it, or one broke off and it can be removed"
        ) from error
    try:
        with partial.open("wb") as sink:
            yield sink
        partial.rename(path)
    finally:
        partial.unlink(missing_ok=True)


def tell(project: str, graphs: Any, counts: dict[str, int], *, as_json: bool) -> None:
    """Print what a file contains: its graphs with their digests, and the number of records."""
    told = [
        {
            "kind": graph.kind,
            "graph": graph.graph_id,
            "episodes": graph.episodes,
            "digest": graph.digest,
        }
        for graph in graphs
    ]
    if as_json:
        show([{"project": project, "graphs": told, "records": counts}], (), as_json=True)
        return
    show([{**row, "digest": row["digest"][:12]} for row in told], COLUMNS, as_json=False)
    err.print(f"{sum(counts.values())} records of project {project}")


_COPY_COLUMNS = ("project", "kind", "graph", "episodes", "digest", "result")


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
        str, typer.Option("--to", metavar="STORE", help="Store to copy to; created if missing.")
    ],
    project: Annotated[
        str | None, typer.Option(help="Only this project.", show_default="all projects")
    ] = None,
    into: Annotated[
        str | None,
        typer.Option(help="Name of that project in the other store.", show_default="as it is"),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Copy projects from one store into another that is to replace it.

    Everything is copied: memory, guidance, policies, groups, sessions, API keys (as hashes, so they
    keep working), receipts of erasures and audit logs. Each project is copied as of one moment,
    completely or not at all, and compared afterwards. What is already there is only compared, so the
    same command resumes after an interruption. Exit code 1 if something differs.

    Not copied: work in progress (batches, tasks, open turns of sessions, second readings that wait),
    answers kept for repeated requests, and what deleted episodes left for a later fold.
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
    every = await exchange.project_names(source, without_project(None))
    told = []
    for name in every if project is None else [project]:

        def watch(what: str, total: int) -> Any:
            return bar(what, total, quiet=as_json)

        told.append(await exchange.copy(source, target, this_command(), name, into, watch))
    return told


def _tell(told: list[ComparedProject], *, as_json: bool) -> None:
    if as_json:
        listed = [{**msgspec.to_builtins(one), "same": one.is_same} for one in told]
        show(listed, (), as_json=True)
        return
    show([_row(one, graph) for one in told for graph in one.graphs], _COPY_COLUMNS, as_json=False)
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
