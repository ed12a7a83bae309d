"""What all commands share: options, opening the store, printing, a progress bar."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, Concatenate, ParamSpec, TypeVar

import typer
from pydantic import ValidationError
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from recollect.app import expiry, projects
from recollect.app.stores import DataFolder, open_folder, without_project
from recollect.errors import RecollectError
from recollect.graph.acting import Acting, Target
from recollect.graph.types import Access
from recollect.log import safe as safe
from recollect.settings import Settings

P = ParamSpec("P")
T = TypeVar("T")

out = Console(highlight=False, soft_wrap=True, markup=False)
err = Console(stderr=True, highlight=False, soft_wrap=True, markup=False)

_PIPE_CHARS = 1_000_000  # wide enough for any line
_COLUMN_CHARS_MIN = 16  # of a column whose text is wrapped

_COMMAND: ContextVar[typer.Context] = ContextVar("command")


def remember(context: typer.Context, value: T) -> T:
    """Remember the running command for the audit log; every command on a store has this option."""
    _COMMAND.set(context)
    return value


DataOption = Annotated[
    Path | None,
    typer.Option(
        "--data",
        help="Folder of the embedded store.",
        show_default="./recollect-data",
        callback=remember,
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]

_NOT_TOLD = {
    "data",
    "source",
    "target",
    "as_json",
    "project",
    "key_id",
    "fact_uuid",
    "policy_set",
    "webhook_id",
    "delivery_id",
    "url",
}


def settings(**given: Any) -> Settings:
    """The settings; command line options win over the environment."""
    try:
        return Settings(**{name: value for name, value in given.items() if value is not None})
    except ValidationError as error:
        # The value is omitted: it may be a secret.
        wrong = "; ".join(
            f"RECOLLECT_{'_'.join(map(str, item['loc'])).upper()}: {item['msg']}"
            for item in error.errors(include_input=False, include_url=False)
        )
        raise fail(wrong, "Correct the option, the environment variable or the file.") from None
    except RecollectError as error:
        raise fail(error.message) from None


def fail(message: str, hint: str = "") -> typer.Exit:
    """Print what is wrong and how to fix it; the caller raises the result."""
    err.print(Text("error: ", style="red").append(safe(message), style="default"))
    if hint:
        err.print(hint)
    return typer.Exit(1)


def files_only(chosen: Settings, command: str) -> None:
    """Fail if the store is a database, for commands that work on the files of a folder."""
    if chosen.store is not None:
        raise fail(
            f"`recollect {command}` works only on a store in a folder, but RECOLLECT_STORE names a database",
            "Use the tools of PostgreSQL instead, pg_dump and point-in-time recovery; "
            "docs/operating/postgresql.md has the recipe. `recollect copy` writes it into a folder.",
        )


UseCase = Callable[Concatenate[DataFolder, Access, P], Awaitable[T]]


def on_folder(data: Path | None, use_case: UseCase[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run a use case on a folder outside any project, whether or not a server is using it.

    Changes are recorded in the audit log.
    """

    async def enter(folder: DataFolder, acting: Acting) -> Access:
        return without_project(acting)

    return _run(data, enter, lambda folder, access: use_case(folder, access, *args, **kwargs))


def in_project(
    data: Path | None, project: str, use_case: UseCase[P, T], *args: P.args, **kwargs: P.kwargs
) -> T:
    """Run a use case in a project, which must exist, after forgetting what has expired in it."""
    kept_days = settings(data=data).expired_kept_days

    async def enter(folder: DataFolder, acting: Acting) -> Access:
        access = await projects.named(folder, acting, project)
        await expiry.hide_due(folder, access, kept_days=kept_days)
        return access

    return _run(data, enter, lambda folder, access: use_case(folder, access, *args, **kwargs))


def on_key(
    data: Path | None, key_id: str, use_case: UseCase[P, T], *args: P.args, **kwargs: P.kwargs
) -> T:
    """Run a use case in the project of a key."""

    async def enter(folder: DataFolder, acting: Acting) -> Access:
        return await projects.of_key(folder, acting, key_id)

    return _run(data, enter, lambda folder, access: use_case(folder, access, *args, **kwargs))


def _run(
    data: Path | None,
    enter: Callable[[DataFolder, Acting], Awaitable[Access]],
    work: Callable[[DataFolder, Access], Awaitable[T]],
) -> T:
    async def run() -> T:
        folder = open_folder(settings(data=data))
        try:
            return await work(folder, await enter(folder, this_command()))
        finally:
            await folder.close()

    try:
        return asyncio.run(run())
    except RecollectError as error:
        raise fail(error.message) from error


def this_command() -> Acting:
    """The running command as the actor in the audit log: `recollect key create` is `key.create`."""
    context = _COMMAND.get()
    told = context.params
    given = sorted(name for name in told if name not in _NOT_TOLD and _is_given(context, name))
    detail: dict[str, Any] = {"fields": given} if given else {}
    if "policy_set" in told:
        detail["policy_set"] = told["policy_set"]
    return Acting.by_command(
        _path(context),
        project=told.get("project"),
        target=_target(told),
        detail=detail,
    )


def _target(told: dict[str, Any]) -> Target | None:
    """The key or the fact that a command names."""
    if "key_id" in told:
        return Target("key", told["key_id"])
    return Target("edge", told["fact_uuid"]) if "fact_uuid" in told else None


def _is_given(context: typer.Context, name: str) -> bool:
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def _path(context: typer.Context) -> str:
    """The words of a command, without the program's name, joined by dots."""
    names: list[str] = []
    inner: Any = context
    while inner.parent is not None:
        names.insert(0, inner.info_name)
        inner = inner.parent
    return ".".join(names)


def console() -> Console:
    """A console on standard output; in a pipe, lines are not wrapped."""
    made = Console(highlight=False, markup=False)
    if made.is_terminal:
        return made
    return Console(highlight=False, markup=False, width=_PIPE_CHARS)


def show(rows: Sequence[dict[str, Any]], columns: Sequence[str], *, as_json: bool) -> None:
    """A table for people, or JSON for programs.

    A table too wide for the terminal becomes a block for each row, because a truncated or wrapped id is
    useless.
    """
    if as_json:
        typer.echo(json.dumps(list(rows), default=_plain))
        return
    place = console()
    cells = [[safe(_short(row[column])) for column in columns] for row in rows]
    widths = [_width(column, [row[at] for row in cells]) for at, column in enumerate(columns)]
    if sum(widths) + len(_GAP) * len(widths) <= place.width:
        place.print(_table(columns, cells, widths))
        return
    for number, row in enumerate(cells):
        place.print(*([] if number == 0 else [""]), _block(columns, row), sep="\n")


def say(line: str, told: dict[str, Any], *, as_json: bool) -> None:
    """Print what was done: one line for people, or JSON for programs."""
    if as_json:
        typer.echo(json.dumps(told, default=_plain))
    else:
        out.print(safe(line))


_GAP = "  "


def _plain(value: Any) -> str:
    return value.isoformat(timespec="seconds") if isinstance(value, datetime) else str(value)


def _short(value: Any) -> str:
    return f"{value:%Y-%m-%d %H:%M}" if isinstance(value, datetime) else str(value)


def _width(column: str, cells: Sequence[str]) -> int:
    """The minimum width of a column: its longest word, and more if it has whole sentences."""
    words = max((len(word) for cell in cells for word in cell.split()), default=0)
    longest = max((len(cell) for cell in cells), default=0)
    return max(len(column), words, min(longest, _COLUMN_CHARS_MIN))


def _table(columns: Sequence[str], cells: Sequence[Sequence[str]], widths: Sequence[int]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column, width in zip(columns, widths, strict=True):
        table.add_column(column, min_width=width)
    for row in cells:
        table.add_row(*map(Text, row))
    return table


def _block(columns: Sequence[str], row: Sequence[str]) -> Table:
    """One row as a block, a line for each non-empty column."""
    block = Table.grid(padding=(0, len(_GAP), 0, 0))
    block.add_column(style="dim", no_wrap=True)
    block.add_column(overflow="fold")
    for column, cell in zip(columns, row, strict=True):
        if cell:
            block.add_row(column, Text(cell))
    return block


Step = Callable[[int], None]


@contextmanager
def bar(label: str, total: int | None, *, quiet: bool = False) -> Iterator[Step]:
    """Show a progress bar; yields a callback for how much of *total* is done."""
    if quiet or not err.is_terminal:
        yield _unseen
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=err, transient=True) as shown:
        task = shown.add_task(label, total=total)
        yield lambda done: shown.update(task, completed=done)


def _unseen(done: int) -> None:
    """Ignore the progress: there is no terminal to show it on."""
