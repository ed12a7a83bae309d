"""`recollect expire` and `recollect expired`: set an expiry, and list what has expired."""

from datetime import UTC, datetime
from typing import Annotated

import msgspec
import typer

from recollect.app import expiry
from recollect.app.projects import DEFAULT_PROJECT
from recollect.cli.common import DataOption, JsonOption, fail, in_project, out, show
from recollect.graph.expiry import ExpiringKind

ProjectOption = Annotated[str, typer.Option(help="Name of the project.")]


def expire(
    uuid: Annotated[str, typer.Argument(help="Id of the episode or, with --fact, of the fact.")],
    at: Annotated[
        str | None, typer.Option(help="When it expires, such as 2027-01-31 or 2027-01-31T12:00Z.")
    ] = None,
    never: Annotated[bool, typer.Option("--never", help="Remove the expiry.")] = False,
    fact: Annotated[bool, typer.Option("--fact", help="The id is that of a fact.")] = False,
    project: ProjectOption = DEFAULT_PROJECT,
    data: DataOption = None,
) -> None:
    """Set when an episode or a fact expires."""
    if (at is None) is not never:
        raise fail("give --at TIME or --never")
    kind: ExpiringKind = "fact" if fact else "episode"
    when = in_project(data, project, expiry.expire, kind, uuid, _moment(at))
    out.print("never" if when is None else when.isoformat(timespec="seconds"))


def _moment(text: str | None) -> datetime | None:
    """A time from the command line; without a zone it is UTC."""
    if text is None:
        return None
    try:
        found = datetime.fromisoformat(text)
    except ValueError as error:
        raise fail(f"--at: {error}") from error
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def expired(
    limit: Annotated[int, typer.Option(min=1, max=1000, help="Maximum number, latest first.")] = 50,
    project: ProjectOption = DEFAULT_PROJECT,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """List what has expired, and its content for as long as that is kept."""
    found = in_project(data, project, expiry.expired, limit)
    if as_json:
        typer.echo(msgspec.json.encode(found).decode())
        return
    rows = [
        {
            "id": one.uuid,
            "kind": one.kind,
            "graph": one.graph,
            "expired": one.expires_at.isoformat(timespec="seconds"),
            "was": one.told.get("content") or one.told.get("fact"),
        }
        for one in found
    ]
    show(rows, ["id", "kind", "graph", "expired", "was"], as_json=False)
