"""`recollect models`: install the weights of the local models."""

from typing import Annotated

import typer
from rich.progress import BarColumn, DownloadColumn, Progress, TaskID, TextColumn

from recollect.cli.common import err, fail, out, settings
from recollect.errors import ModelUnavailable
from recollect.models import weights

app = typer.Typer(help="Install the weights of the local models.", no_args_is_help=True)


@app.callback()
def models() -> None:
    """Install the weights of the local models."""


@app.command()
def install(
    quiet: Annotated[bool, typer.Option("--quiet", help="Do not show a progress bar.")] = False,
) -> None:
    """Download missing files, check all of them, and print their folder. Safe to repeat."""
    folder = settings().models
    bar = Progress(
        TextColumn("{task.description}"), BarColumn(), DownloadColumn(), console=err, disable=quiet
    )
    tasks: dict[str, TaskID] = {}

    def report(event: weights.InstallProgress) -> None:
        task = tasks.get(event.weight)
        if task is None:
            task = tasks[event.weight] = bar.add_task(event.weight, total=None)
        bar.update(
            task,
            description=f"{event.weight}: {event.phase}",
            completed=event.done_bytes,
            total=event.total_bytes,
        )

    try:
        with bar:
            installed = weights.install(folder, report=report)
    except ModelUnavailable as error:
        raise fail(error.message) from error
    for weight in installed:
        word = "installed" if weight.fetched else "present"
        out.print(f"{weight.name} {weight.version}: {word}, {weight.size_bytes / 1e6:.1f} MB")
    out.print(f"weights are in {folder}")
