"""`recollect key`: make, list and revoke API keys."""

import json
from typing import Annotated

import typer

from recollect.cli.common import DataOption, JsonOption, on_store, out, show
from recollect.governance import keys

app = typer.Typer(help="Make, list and revoke API keys.", no_args_is_help=True)


@app.command()
def create(
    project: Annotated[str, typer.Option(help="Project the key opens.")] = keys.DEFAULT_PROJECT,
    name: Annotated[str, typer.Option(help="A name to tell keys apart.")] = "key",
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Make a key and print it. It is shown this once; only its hash is kept."""
    made = on_store(data, keys.create_key, project, name)
    if as_json:
        typer.echo(
            json.dumps({"key": made.secret, "id": made.key.uuid, "project": made.key.project_name})
        )
    else:
        out.print(made.secret)


@app.command("list")
def list_(data: DataOption = None, as_json: JsonOption = False) -> None:
    """List keys: who they are for and whether they still work."""
    found = on_store(data, keys.list_keys)
    rows = [
        {
            "id": key.uuid,
            "project": key.project_name,
            "name": key.name,
            "begins": key.prefix + "…",
            "created": key.created_at.isoformat(timespec="seconds"),
            "state": "revoked" if key.revoked_at else "active",
        }
        for key in found
    ]
    show(rows, ["id", "project", "name", "begins", "created", "state"], as_json=as_json)


@app.command()
def revoke(
    key_id: Annotated[str, typer.Argument(help="The id that `recollect key list` shows.")],
    data: DataOption = None,
) -> None:
    """Make a key useless. A running server notices within a second."""
    revoked = on_store(data, keys.revoke_key, key_id)
    out.print(f"revoked {revoked.name} ({revoked.prefix}…)")
