"""`recollect doctor --repair`: what can be read of a damaged store, in a new one."""

from pathlib import Path

import typer

from recollect.cli import lock
from recollect.cli.common import fail, out
from recollect.errors import RecollectError, StoreUnavailable
from recollect.settings import Settings
from recollect.store.sqlite import rescue


def repair(chosen: Settings, into: Path) -> None:
    """Save what can be read, and say what became of it."""
    try:
        if into.resolve() == chosen.data.resolve():
            raise StoreUnavailable(f"{into} is not empty: choose a folder that is not there yet")
        with lock.hold(chosen.data):
            saved = rescue.save(chosen.data, into)
    except (RecollectError, OSError) as error:
        raise fail(str(error)) from error
    for one in saved:
        if one.rows or one.broken:
            out.print(f"{one.table}: {one.rows} rows{', some are lost' if one.broken else ''}")
    out.print(f"Saved in {into}; {chosen.data} is as it was.")
    typer.echo(
        f"Look at it with `recollect doctor --check --data {into}`, and derive what was lost of "
        f"the graphs again with `recollect rebuild --data {into}`."
    )
