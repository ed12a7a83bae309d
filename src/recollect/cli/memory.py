"""What the commands that remember and recall share: options, and the memory in a folder.

They open the folder directly, through the library, whether or not a server is using it.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer

from recollect.app.stores import has_store
from recollect.cli.common import fail, settings, this_command
from recollect.errors import InvalidInput, RecollectError
from recollect.graph import checks
from recollect.library.engine import Engine, Opened
from recollect.library.memory import Memory

T = TypeVar("T")
NOTHING_FOUND = 3  # the exit code of a search or a list without results


def _moment(text: str) -> datetime:
    try:
        found = checks.moment("time", text)
    except InvalidInput as error:
        raise typer.BadParameter(error.message) from error
    if found is None:
        raise typer.BadParameter("a time is required")
    return found


def _pair(text: str) -> tuple[str, Any]:
    """Parse `name=value`; numbers, true and false are parsed as such."""
    name, equals, value = text.partition("=")
    if not (name and equals):
        raise typer.BadParameter(f"{text!r} is not NAME=VALUE")
    try:
        read = json.loads(value)
    except ValueError:
        read = value
    return name, read if isinstance(read, str | int | float | bool) else value


UserOption = Annotated[str | None, typer.Option(help="Id of the user whose memory to use.")]
GraphOption = Annotated[str | None, typer.Option(help="Id of a graph that belongs to no user.")]
ThreadOption = Annotated[str | None, typer.Option(help="Id of the thread (conversation).")]
ProjectOption = Annotated[str, typer.Option(help="Name of the project.")]
AtOption = Annotated[
    datetime | None,
    typer.Option(
        "--at",
        help="Only what was true at this time, such as 2024-05-01.",
        parser=_moment,
        metavar="TIME",
        show_default="now",
    ),
]
ExpiresOption = Annotated[
    datetime | None,
    typer.Option(
        "--expires",
        help="When it expires, such as 2027-01-31.",
        parser=_moment,
        metavar="TIME",
        show_default="never",
    ),
]
WhenOption = Annotated[
    datetime | None,
    typer.Option(
        "--at",
        help="When it happened, such as 2024-05-01.",
        parser=_moment,
        metavar="TIME",
        show_default="now",
    ),
]
KnownAtOption = Annotated[
    datetime | None,
    typer.Option(
        "--known-at", help="As it was known at this time.", parser=_moment, metavar="TIME"
    ),
]
# The parser returns a pair for each.
MetadataOption = Annotated[
    list[Any] | None,
    typer.Option(
        "--metadata", help="Metadata; may be repeated.", parser=_pair, metavar="NAME=VALUE"
    ),
]


def remember(
    data: Path | None, project: str, work: Callable[[Memory], Awaitable[T]], *, workers: int
) -> T:
    """Run something that adds to a memory; the folder is created if missing."""
    return _run(data, project, work, workers=workers, acts=True)


def recall(data: Path | None, project: str, work: Callable[[Memory], Awaitable[T]]) -> T:
    """Run something that reads an existing memory."""
    _require(data)
    return _run(data, project, work, workers=0, acts=False)


def change(data: Path | None, project: str, work: Callable[[Opened], Awaitable[T]]) -> T:
    """Run something that changes an existing memory, without workers."""
    _require(data)
    chosen = settings(data=data)

    async def run() -> T:
        engine = Engine(chosen, project=project, workers=0, acting=this_command())
        await engine.open()
        try:
            return await work(engine.opened)
        finally:
            await engine.close()

    try:
        return asyncio.run(run())
    except RecollectError as error:
        raise fail(error.message) from error


def correct(data: Path | None, project: str, work: Callable[[Memory], Awaitable[T]]) -> T:
    """Run something that corrects an existing memory by hand."""
    _require(data)
    return _run(data, project, work, workers=0, acts=True)


def _require(data: Path | None) -> None:
    chosen = settings(data=data)
    if not has_store(chosen):
        raise fail(f"there is no memory in {chosen.data}", "Choose its folder with --data.")


def _run(
    data: Path | None,
    project: str,
    work: Callable[[Memory], Awaitable[T]],
    *,
    workers: int,
    acts: bool,
) -> T:
    chosen = settings(data=data)

    async def run() -> T:
        acting = this_command() if acts else None
        async with Memory(
            Engine(chosen, project=project, workers=workers, acting=acting)
        ) as memory:
            return await work(memory)

    try:
        return asyncio.run(run())
    except RecollectError as error:
        raise fail(error.message) from error
