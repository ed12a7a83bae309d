"""`recollect key`: create, list, change and revoke API keys."""

import json
from enum import StrEnum
from typing import Annotated, Any

import typer

from recollect.app import keys
from recollect.app.keys import GovernedKey
from recollect.app.projects import DEFAULT_PROJECT
from recollect.cli.common import (
    DataOption,
    JsonOption,
    in_project,
    on_folder,
    on_key,
    out,
    say,
    show,
)
from recollect.graph.policy import Mode, Role

app = typer.Typer(help="Create, list, change and revoke API keys.", no_args_is_help=True)


class RoleChoice(StrEnum):
    """The roles of a key, as an option takes them."""

    default_allow = "default_allow"
    default_deny = "default_deny"


class ModeChoice(StrEnum):
    """The modes of a key, as an option takes them."""

    enforce = "enforce"
    report_only = "report_only"
    off = "off"


_ROLE: dict[RoleChoice, Role] = {
    RoleChoice.default_allow: "default_allow",
    RoleChoice.default_deny: "default_deny",
}
_MODE: dict[ModeChoice, Mode] = {
    ModeChoice.enforce: "enforce",
    ModeChoice.report_only: "report_only",
    ModeChoice.off: "off",
}
_ROLE_HELP = "What applies where no rule does."
_MODE_HELP = "Whether policies are enforced, only reported, or ignored."
_READS_HELP = "Record its reads in the audit log, too."
_MCP_HELP = "Offer it the MCP tools that change the memory."
KeyArgument = Annotated[
    str, typer.Argument(help="Id of the key, as `recollect key list` shows it.")
]


@app.command()
def create(
    project: Annotated[
        str, typer.Option(help="Project the key gives access to.")
    ] = DEFAULT_PROJECT,
    name: Annotated[str, typer.Option(help="A name to tell keys apart.")] = "key",
    admin: Annotated[
        bool,
        typer.Option(
            "--admin", help="Allow it to manage policies and keys; no policy applies to it."
        ),
    ] = False,
    role: Annotated[RoleChoice, typer.Option(help=_ROLE_HELP)] = RoleChoice.default_allow,
    mode: Annotated[ModeChoice, typer.Option(help=_MODE_HELP)] = ModeChoice.enforce,
    log_reads: Annotated[bool, typer.Option("--log-reads", help=_READS_HELP)] = False,
    mcp_write: Annotated[bool, typer.Option("--mcp-write", help=_MCP_HELP)] = False,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Create a key and print it. It is shown only once; only its hash is stored."""
    made = in_project(
        data,
        project,
        keys.create,
        name,
        admin=admin,
        role=_ROLE[role],
        mode=_MODE[mode],
        logs_reads=log_reads,
        mcp_write=mcp_write,
    )
    if as_json:
        typer.echo(
            json.dumps({"key": made.secret, "id": made.key.uuid, "project": made.key.project_name})
        )
    else:
        out.print(made.secret)


def _row(found: GovernedKey) -> dict[str, Any]:
    key = found.key
    return {
        "id": key.uuid,
        "project": key.project_name,
        "name": key.name,
        "begins": key.prefix + "…",
        "created": key.created_at,
        "state": "revoked" if key.revoked_at else "active",
        "role": "admin" if key.is_admin else key.role,
        "mode": key.mode,
        "log_reads": key.logs_reads,
        "mcp_write": key.mcp_write,
        "policy_sets": found.policy_sets,
    }


@app.command("list")
def list_(data: DataOption = None, as_json: JsonOption = False) -> None:
    """List keys with their project, their settings and whether they have been revoked."""
    rows = [_row(one) for one in on_folder(data, keys.list_everywhere)]
    if not as_json:
        rows = [{**row, "policy sets": ", ".join(row["policy_sets"])} for row in rows]
    columns = ["id", "project", "name", "begins", "created", "state", "role", "mode", "policy sets"]
    show(rows, columns, as_json=as_json)


@app.command()
def change(
    key_id: KeyArgument,
    role: Annotated[RoleChoice | None, typer.Option(help=_ROLE_HELP)] = None,
    mode: Annotated[ModeChoice | None, typer.Option(help=_MODE_HELP)] = None,
    log_reads: Annotated[
        bool | None, typer.Option("--log-reads/--no-log-reads", help=_READS_HELP)
    ] = None,
    mcp_write: Annotated[
        bool | None, typer.Option("--mcp-write/--no-mcp-write", help=_MCP_HELP)
    ] = None,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Change the settings of a key. A running server notices within a second."""
    found = on_key(
        data,
        key_id,
        keys.change,
        key_id,
        role=_ROLE[role] if role else None,
        mode=_MODE[mode] if mode else None,
        logs_reads=log_reads,
        mcp_write=mcp_write,
    )
    made = found.key
    told = "reads are logged" if made.logs_reads else "reads are not logged"
    told += ", MCP may write" if made.mcp_write else ""
    line = f"{made.name} ({made.prefix}…): {made.role}, {made.mode}, {told}"
    say(line, _row(found), as_json=as_json)


@app.command()
def revoke(key_id: KeyArgument, data: DataOption = None, as_json: JsonOption = False) -> None:
    """Revoke a key. A running server notices within a second."""
    found = on_key(data, key_id, keys.revoke, key_id)
    line = f"revoked {found.key.name} ({found.key.prefix}…)"
    say(line, _row(found), as_json=as_json)
