"""`recollect project`: make and list projects."""

import json
from typing import Annotated

import typer

from recollect.cli.common import DataOption, JsonOption, on_store, out, show
from recollect.governance import keys

app = typer.Typer(
    help="Make and list projects. Nothing crosses from one to another.", no_args_is_help=True
)


@app.command()
def create(
    name: Annotated[str, typer.Argument(help="Name of the new project.")],
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Make a project. Give it keys with `recollect key create --project NAME`."""
    made = on_store(data, keys.create_project, name)
    if as_json:
        typer.echo(json.dumps({"name": made.name, "id": made.uuid}))
    else:
        out.print(f"project {made.name} ({made.uuid})")


@app.command("list")
def list_(data: DataOption = None, as_json: JsonOption = False) -> None:
    """List projects."""
    found = on_store(data, keys.list_projects)
    rows = [
        {
            "id": project.uuid,
            "name": project.name,
            "created": project.created_at.isoformat(timespec="seconds"),
        }
        for project in found
    ]
    show(rows, ["id", "name", "created"], as_json=as_json)
