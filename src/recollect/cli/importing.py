"""`recollect export` and `recollect import`: a project or a graph as a file, and what other memories write."""

import asyncio
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import IO, Annotated, Any

import typer

from recollect.app import exchange, projects
from recollect.app.data_folder import open_folder, without_project
from recollect.app.exchange import SHAPES, Brought, Exported, Imported, ImportTarget
from recollect.app.projects import DEFAULT_PROJECT
from recollect.app.stores import has_store
from recollect.cli.common import (
    DataOption,
    JsonOption,
    bar,
    err,
    fail,
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
            help=f"Whose file it is ({_SHAPES}), if not ours; and the file, - for standard input.",
        ),
    ],
    project: Annotated[
        str | None,
        typer.Option(help="Project that it goes into.", show_default=DEFAULT_PROJECT),
    ] = None,
    into: Annotated[
        str | None,
        typer.Option(
            help="What the project, or the one graph, is to be called.", show_default="as it was"
        ),
    ] = None,
    new_ids: Annotated[
        bool, typer.Option("--new-ids", help="Give everything new uuids, for a copy beside it.")
    ] = False,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Read a file of `recollect export`, or one of another memory.

    Ours comes whole or not at all, and with equal digests. Of others the episodes are read, and
    what they say is learned here; doing it again adds only what is missing.
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
        who = replace(this_command(), project=name)  # not every unit makes something of a project
        with bar("episodes", None) as step:
            return await exchange.bring(folder, who, name, shape, source, step)
    finally:
        await folder.close()


def _size(source: IO[bytes]) -> int | None:
    """How many bytes there are to read, if that can be known."""
    return os.fstat(source.fileno()).st_size if source.seekable() else None


def _place_in(source: IO[bytes], step: Callable[[int], None]) -> Callable[[int], None]:
    """Turns lines read into bytes read, once in a while."""

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
    file: Annotated[str, typer.Argument(help="File to write; - is standard output.")],
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

    The file holds episodes and all that was learned from them, one JSON record a line. A server
    may be running meanwhile: the file shows one moment. Keys and audit logs are not in it.
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
    if file != "-":  # otherwise the result is the file
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
    """A file that is there when all of it is, or standard output."""
    if file == "-":
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    path = Path(file)
    if path.exists():
        raise InvalidInput(f"{file} exists already")
    partial = path.with_name(path.name + ".part")
    try:
        partial.touch(0o600, exist_ok=False)  # it may hold what people said
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
    """What is in a file: its graphs with their digests, and how much of what."""
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
