"""`recollect project`: make, list and weigh projects."""

import json
from typing import Annotated

import typer

from recollect.app import projects
from recollect.cli.common import DataOption, JsonOption, on_folder, out, show

app = typer.Typer(
    help="Make, list and weigh projects. Nothing crosses from one to another.",
    no_args_is_help=True,
)


@app.command()
def create(
    name: Annotated[str, typer.Argument(help="Name of the new project.")],
    description: Annotated[str | None, typer.Option(help="What it is for.")] = None,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Make a project. Give it keys with `recollect key create --project NAME`."""
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
            "created": project.created_at.isoformat(timespec="seconds"),
        }
        for project, weight in found
    ]
    show(rows, ["id", "name", "description", "weight", "created"], as_json=as_json)


@app.command()
def weigh(
    name: Annotated[str, typer.Argument(help="Name of the project.")],
    weight: Annotated[
        float, typer.Argument(help="Its share beside others that have 1; from 0.01 to 100.")
    ],
    data: DataOption = None,
) -> None:
    """Give a project a greater or smaller share of the workers when several have to wait."""
    on_folder(data, projects.weigh, name, weight)
    out.print(f"project {name} has the weight {weight:g}")
