"""`recollect audit`: list the audit log, and verify that it was not tampered with."""

import json
import re
from datetime import UTC, datetime
from typing import Annotated

import typer

from recollect.app import audit, projects
from recollect.app.audit import Entry, Verdict, Wanted
from recollect.cli.common import (
    DataOption,
    JsonOption,
    err,
    fail,
    in_project,
    on_folder,
    out,
    show,
)
from recollect.graph.types import Project
from recollect.limits import AUDIT_PAGE_DEFAULT, AUDIT_PAGE_MAX

app = typer.Typer(help="List who did what, and verify the audit log.", no_args_is_help=True)
_COLUMNS = ("number", "at", "actor", "action", "outcome", "status", "target", "detail")

ProjectOption = Annotated[
    str | None, typer.Option(help="Only this project.", show_default="all projects")
]


@app.command()
def verify(
    project: ProjectOption = None,
    expect: Annotated[
        str | None,
        typer.Option(
            help="A head printed earlier, which the log must still contain.", metavar="HASH"
        ),
    ] = None,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Verify the audit log of every project from its first entry to its last.

    Prints the number of entries and the hash of the last one, the head. A log whose end was cut off
    still verifies: keep the head elsewhere and pass it with --expect, together with --project. Exit
    code 1 if an entry does not verify.
    """
    if expect is not None and project is None:
        raise fail("--expect needs --project: every project has its own log")
    if expect is not None and not re.fullmatch("[0-9a-fA-F]{64}", expect):
        raise fail(
            "--expect must be a complete hash: 64 hexadecimal digits, as `verify` prints them"
        )
    found = on_folder(data, audit.verify, project, expect.lower() if expect else None)
    rows = [_row(owner, verdict) for owner, verdict in found]
    show(rows, ["project", "entries", "redacted", "head", "state"], as_json=as_json)
    broken = [(owner, verdict) for owner, verdict in found if verdict.broken_at is not None]
    for owner, verdict in broken:
        err.print(f"project {owner.name}: broken at entry {verdict.broken_at}: {verdict.why}")
    if broken:
        raise typer.Exit(1)


@app.command("list")
def list_(
    project: Annotated[str, typer.Option(help="Name of the project.")] = projects.DEFAULT_PROJECT,
    action: Annotated[str | None, typer.Option(help="Only this action.")] = None,
    outcome: Annotated[str | None, typer.Option(help="done, refused or failed.")] = None,
    actor: Annotated[str | None, typer.Option(help="`command` or `key:ID`.")] = None,
    since: Annotated[
        datetime | None, typer.Option(help="Not before this time, in UTC.", show_default=False)
    ] = None,
    limit: Annotated[
        int, typer.Option(help="Maximum number, newest first.", min=1, max=AUDIT_PAGE_MAX)
    ] = AUDIT_PAGE_DEFAULT,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """List what was done, newest first."""
    wanted = Wanted(
        action=action,
        outcome=outcome,
        actor=actor,
        since=None if since is None else since.replace(tzinfo=UTC),
    )
    found = in_project(data, project, audit.page, wanted, limit=limit)
    show([_line(entry, as_json=as_json) for entry in found], _COLUMNS, as_json=as_json)
    if not found and not as_json:
        out.print("no entries")


def _row(owner: Project, verdict: Verdict) -> dict[str, object]:
    return {
        "project": owner.name,
        "entries": verdict.entries,
        "redacted": verdict.redacted,
        "head": verdict.head,
        "state": "holds" if verdict.broken_at is None else f"broken at {verdict.broken_at}",
    }


def _line(entry: Entry, *, as_json: bool) -> dict[str, object]:
    line: dict[str, object] = {
        "number": entry.number,
        "at": entry.at.isoformat(timespec="milliseconds"),
        "actor": entry.actor,
        "action": entry.action,
        "outcome": entry.outcome,
        "status": entry.status,
        "target": entry.target,
        "detail": entry.detail,
        "hash": entry.hash,
    }
    if as_json:
        return line
    line["status"] = entry.status or ""
    line["target"] = entry.target or ("(erased)" if entry.named else "")
    line["detail"] = json.dumps(entry.detail) if entry.detail else ""
    return line
