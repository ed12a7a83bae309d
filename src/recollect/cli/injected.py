"""`recollect injections` and `recollect context --replay`: what went into contexts, and why."""

from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer
from rich.text import Text

from recollect.app import injections as injections_
from recollect.app.injections import InjectedLine, Injection, Replay
from recollect.app.projects import DEFAULT_PROJECT
from recollect.cli.common import DataOption, JsonOption, console, err, in_project, safe, show
from recollect.cli.memory import NOTHING_FOUND, GraphOption, ProjectOption, UserOption, change
from recollect.limits import PAGE_DEFAULT, PAGE_MAX

_COLUMNS = ("id", "at", "for", "form")


def injections(
    user: UserOption = None,
    graph: GraphOption = None,
    limit: Annotated[
        int, typer.Option(help="Maximum number of results.", min=1, max=PAGE_MAX)
    ] = PAGE_DEFAULT,
    project: ProjectOption = DEFAULT_PROJECT,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """List the contexts that were returned, newest first. Exit code 3 if there are none.

    They are recorded if RECOLLECT_INJECTION_LOG is `lines` or `questions`. `recollect context --replay
    ID` prints one again.
    """
    found = in_project(data, project, injections_.page, user_id=user, graph_id=graph, limit=limit)
    if found or as_json:
        show([_row(one) for one in found], _COLUMNS, as_json=as_json)
    if not found:
        err.print("none were recorded; RECOLLECT_INJECTION_LOG controls whether they are")
        raise typer.Exit(NOTHING_FOUND)


def _row(one: Injection) -> dict[str, Any]:
    place = f"thread {one.thread_id}" if one.thread_id else f"{one.graph_kind} {one.graph}"
    return {
        "id": one.uuid,
        "at": one.at,
        "for": place,
        "form": one.form,
        "key": one.key_uuid,
        "question": one.question,
    }


def replay(uuid: str, project: str, data: Path | None, *, as_json: bool) -> None:
    """Print a context from the log, why each line was there, and what would be different today."""
    found = change(data, project, lambda opened: injections_.replay(*opened, uuid))
    if as_json:
        told = msgspec.to_builtins(found)
        typer.echo(msgspec.json.encode({**told, "context": found.injection.text}).decode())
        return
    place = console()
    place.print(Text(safe(found.injection.text)))
    place.print()
    for line in found.injection.lines:
        if line.kind is not None:
            place.print(Text(_why(line), style="dim"))
    place.print()
    for said in _today(found):
        place.print(Text(safe(said)))


def _why(line: InjectedLine) -> str:
    score = "" if line.score is None else f" {line.score:.2f}"
    return f"{line.reason}{score}  {line.kind} {line.uuid or ''}".rstrip()


def _today(found: Replay) -> list[str]:
    """What would be different today, a line for each difference."""
    said = [
        f"told otherwise now: {one.was.strip()} -> {one.now.strip()}"
        if one.now
        else f"not there any more: {one.was.strip()}"
        for one in found.changed
    ]
    if found.added is None or found.left_out is None:
        return [
            *said,
            "whether other lines would be there today is not known: it was not asked again",
        ]
    said += [f"would be there today: {text.strip()}" for text in found.added]
    said += [f"would not be there today: {text.strip()}" for text in found.left_out]
    return said or ["the same today"]
