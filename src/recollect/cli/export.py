"""`recollect export`: a project, or one graph of it, as a file."""

import asyncio
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import IO, Annotated, Any

import typer

from recollect.app import exchange, projects
from recollect.app.data_folder import has_store, open_folder
from recollect.app.exchange import Exported
from recollect.cli.common import DataOption, JsonOption, err, fail, settings, show
from recollect.cli.progress import bar
from recollect.errors import InvalidInput, RecollectError

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
    place = settings(data=data).data
    if not has_store(place):
        raise fail(f"there is no store in {place}", "Choose its folder with --data.")
    try:
        told = asyncio.run(_export(place, file, project, user, graph))
    except RecollectError as error:
        raise fail(error.message) from error
    except OSError as error:
        raise fail(f"{file}: {error.strerror}") from error
    if file != "-":  # otherwise the result is the file
        tell(told.project, told.graphs, told.counts, as_json=as_json)


async def _export(
    place: Path, file: str, project: str, user: str | None, graph: str | None
) -> Exported:
    folder = open_folder(place)
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
