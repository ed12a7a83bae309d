"""`recollect project`: create, list, weigh and limit projects."""

import json
from typing import Annotated, Any

import msgspec
import typer

from recollect.app import projects
from recollect.app.projects import ProjectLimits
from recollect.cli.common import DataOption, JsonOption, fail, on_folder, out, say, settings, show

_OFF, _DEFAULT = "off", "default"

app = typer.Typer(
    help="Create, list, weight and limit projects.",
    no_args_is_help=True,
)


@app.command()
def create(
    name: Annotated[str, typer.Argument(help="Name of the new project.")],
    description: Annotated[str | None, typer.Option(help="Purpose of the project.")] = None,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Create a project. Add keys with `recollect key create --project NAME`."""
    made = on_folder(data, projects.create, name, description)
    if as_json:
        typer.echo(json.dumps({"name": made.name, "id": made.uuid}))
    else:
        out.print(f"project {made.name} ({made.uuid})")


@app.command("list")
def list_(data: DataOption = None, as_json: JsonOption = False) -> None:
    """List projects."""
    found = on_folder(data, projects.list_weighted)
    rows = [
        {
            "id": project.uuid,
            "name": project.name,
            "description": project.description or "",
            "weight": f"{weight:g}",
            "created": project.created_at,
        }
        for project, weight in found
    ]
    show(rows, ["id", "name", "description", "weight", "created"], as_json=as_json)


@app.command()
def limit(
    name: Annotated[str, typer.Argument(help="Name of the project.")],
    changes: Annotated[
        list[str] | None,
        typer.Argument(
            help="LIMIT=NUMBER, LIMIT=off for no limit, or LIMIT=default for the value in the settings.",
            show_default=False,
        ),
    ] = None,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show the limits of a project and their use today, or change them.

    A running server notices within a second.
    """
    chosen = settings(data=data)
    if changes:
        given = dict(_change(text) for text in changes)
        kept = {limit: value for limit, value in given.items() if value != _DEFAULT}
        found = on_folder(
            data, projects.choose_limits, name, kept, chosen, dropped=given.keys() - kept.keys()
        )
    else:
        found = on_folder(data, projects.look_at_limits, name, chosen)
    show(_limit_rows(found), ["limit", "value", "from", "used today"], as_json=as_json)


def _change(text: str) -> tuple[Any, Any]:
    limit, _, value = text.partition("=")
    if value in (_OFF, _DEFAULT):
        return limit, None if value == _OFF else _DEFAULT
    try:
        return limit, float(value)
    except ValueError:
        raise fail(f"{text}: give LIMIT=NUMBER, LIMIT=off or LIMIT=default") from None


def _limit_rows(found: ProjectLimits) -> list[dict[str, Any]]:
    used = {f"project_{what}_per_day": count for what, count in found.used.items()}
    rows = []
    for limit, value in msgspec.structs.asdict(found.in_force).items():
        told = {"limit": limit, "value": _OFF if value is None else f"{value:g}"}
        source = "project" if limit in found.chosen else "settings"
        rows.append({**told, "from": source, "used today": used.get(limit, "")})
    return rows


@app.command()
def weigh(
    name: Annotated[str, typer.Argument(help="Name of the project.")],
    weight: Annotated[
        float, typer.Argument(help="Its share, from 0.01 to 100; other projects have 1.")
    ],
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Set a project's share of the workers while several projects wait for them."""
    on_folder(data, projects.weigh, name, weight)
    line = f"project {name} has the weight {weight:g}"
    say(line, {"name": name, "weight": weight}, as_json=as_json)
