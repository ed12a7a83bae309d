"""A bar for work that takes a while: on a terminal only, and never among the results."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

from recollect.cli.common import err

Step = Callable[[int], None]


@contextmanager
def bar(label: str, total: int | None, *, quiet: bool = False) -> Iterator[Step]:
    """Shows how far the work is; the caller says each time how much of *total* is done."""
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
    """Nobody is watching."""
