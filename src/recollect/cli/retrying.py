"""`recollect retry`: episodes that could not be read, and another try."""

import json
from typing import Annotated, Any

import typer

from recollect.app import tasks
from recollect.app.projects import DEFAULT_PROJECT
from recollect.app.tasks import ParkedEpisode
from recollect.cli.common import DataOption, JsonOption, err, in_project, out, show
from recollect.cli.memory import NOTHING_FOUND, ProjectOption

_COLUMNS = ("episode", "graph", "tries", "parked", "says")


def retry(
    episode: Annotated[
        str | None, typer.Argument(help="Id of an episode.", show_default=False)
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="All jobs that are parked.")] = False,
    project: ProjectOption = DEFAULT_PROJECT,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """List jobs that are parked, or put them back into the queue.

    A job is parked when its episode could not be read after several tries. Without EPISODE and --all
    they are listed; exit code 3 when there are none. A server or a worker that is running takes up
    what is put back; so does the next one that starts. Second readings: `recollect readings`.
    """
    if episode is not None and every:
        raise typer.BadParameter("give either an episode or --all")
    if episode is None and not every:
        _list([_row(one) for one in in_project(data, project, tasks.parked)], as_json=as_json)
        return
    if episode is None:
        count = in_project(data, project, tasks.retry_all_later)
    else:
        in_project(data, project, tasks.retry_later, episode)
        count = 1
    if as_json:
        typer.echo(json.dumps({"retried": count}))
    else:
        out.print(f"{count} put back into the queue")


def _list(rows: list[dict[str, Any]], *, as_json: bool) -> None:
    if rows or as_json:
        show(rows, _COLUMNS, as_json=as_json)
    if not rows:
        err.print("no job is parked")
        raise typer.Exit(NOTHING_FOUND)


def _row(one: ParkedEpisode) -> dict[str, Any]:
    return {
        "episode": one.episode_uuid,
        "graph": f"{one.graph_kind} {one.graph}",
        "tries": one.attempts,
        "parked": one.parked_at,
        "says": one.error,
    }
