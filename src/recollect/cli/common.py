"""What every command shares: options, opening the store, printing."""

import asyncio
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any, Concatenate, ParamSpec, TypeVar

import typer
from pydantic import ValidationError
from rich.console import Console
from rich.table import Table
from rich.text import Text

from recollect.errors import RecollectError
from recollect.settings import Settings
from recollect.store.protocol import Transaction
from recollect.store.sqlite import SqliteStore

P = ParamSpec("P")
T = TypeVar("T")

out = Console(highlight=False, soft_wrap=True, markup=False)
err = Console(stderr=True, highlight=False, soft_wrap=True, markup=False)

DataOption = Annotated[
    Path | None,
    typer.Option("--data", help="Folder of the embedded store.", show_default="./recollect-data"),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]


def settings(**given: Any) -> Settings:
    """The settings, with command line options in front of the environment."""
    try:
        return Settings(**{name: value for name, value in given.items() if value is not None})
    except ValidationError as error:
        # The value itself is left out: it may be a secret.
        wrong = "; ".join(
            f"RECOLLECT_{'_'.join(map(str, item['loc'])).upper()}: {item['msg']}"
            for item in error.errors(include_input=False, include_url=False)
        )
        raise fail(wrong, "Mend the option or the environment variable.") from None


def fail(message: str, hint: str = "") -> typer.Exit:
    """Say what is wrong and how to mend it; the caller raises the result."""
    err.print(Text("error: ", style="red").append(message, style="default"))
    if hint:
        err.print(hint)
    return typer.Exit(1)


def on_store(
    data: Path | None,
    unit: Callable[Concatenate[Transaction, P], T],
    *args: P.args,
    **kwargs: P.kwargs,
) -> T:
    """Run one unit of work on the store, whether or not a server is using it."""

    async def run() -> T:
        store = SqliteStore.open(settings(data=data).data, readers=1)
        try:
            return await store.write(unit, *args, **kwargs)
        finally:
            await store.close()

    try:
        return asyncio.run(run())
    except RecollectError as error:
        raise fail(error.message) from error


def show(rows: Sequence[dict[str, Any]], columns: Sequence[str], *, as_json: bool) -> None:
    """A table for people, or JSON for programs."""
    if as_json:
        typer.echo(json.dumps(list(rows), default=str))
        return
    table = Table(*columns, box=None, pad_edge=False, header_style="bold")
    for row in rows:
        table.add_row(*(Text(str(row[column])) for column in columns))
    out.print(table)
