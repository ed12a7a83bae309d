"""`recollect policy`: write, list and try out access policies."""

import json
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer

from recollect.app import keys, policies
from recollect.app.authorize import Actions
from recollect.app.keys import GovernedKey
from recollect.app.policies import Question
from recollect.app.projects import DEFAULT_PROJECT
from recollect.asgi import route_table
from recollect.cli.common import DataOption, JsonOption, fail, in_project, on_key, out, say, show
from recollect.errors import RecollectError
from recollect.graph import policy_spec
from recollect.graph.policy import PolicySetDocument
from recollect.graph.policy_trace import RuleTrace, Trace
from recollect.limits import POLICY_BYTES_MAX

app = typer.Typer(help="Create, inspect and test access policies.", no_args_is_help=True)

ProjectOption = Annotated[str, typer.Option("--project", help="Name of the project.")]
FileArgument = Annotated[Path, typer.Argument(help="A policy set in YAML or JSON.")]
SetArgument = Annotated[str, typer.Argument(help="Name or uuid of a policy set.")]
KeyOption = Annotated[
    str, typer.Option("--key", help="Id of the key, as `recollect key list` shows it.")
]


def _read(file: Path) -> PolicySetDocument:
    """The policy set in a file; any error in it ends the command."""
    try:
        with file.open("rb") as opened:
            text = opened.read(POLICY_BYTES_MAX + 1).decode()
        return policy_spec.read(text, Actions(route_table()).known)
    except (OSError, UnicodeDecodeError) as error:
        raise fail(f"cannot read {file}: {error}") from error
    except RecollectError as error:
        raise fail(f"{file}: {error.message}") from error


@app.command()
def apply(
    file: FileArgument,
    project: ProjectOption = DEFAULT_PROJECT,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Create a policy set, or a new version of the one with that name."""
    made = in_project(data, project, policies.apply, _read(file))
    line = f"policy set {made.name} ({made.uuid}) is at version {made.version}, {made.mode}"
    told = {"id": made.uuid, "name": made.name, "version": made.version, "mode": made.mode}
    say(line, told, as_json=as_json)


@app.command()
def validate(file: FileArgument, as_json: JsonOption = False) -> None:
    """Check a policy set without storing it. Exit code 1 if something is wrong."""
    document = _read(file)
    rules = len(document.policies)
    line = f"policy set {document.name} is valid: {rules} rules"
    say(line, {"name": document.name, "rules": rules}, as_json=as_json)


@app.command("list")
def list_(
    project: ProjectOption = DEFAULT_PROJECT,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """List policy sets, and how many keys and user groups each is attached to."""
    rows = [
        {
            "id": found.uuid,
            "name": found.name,
            "version": found.version,
            "mode": found.mode,
            "rules": len(found.document.policies),
            "keys": found.keys,
            "groups": found.user_groups,
            "updated": found.updated_at,
        }
        for found in in_project(data, project, policies.list_)
    ]
    columns = ["id", "name", "version", "mode", "rules", "keys", "groups", "updated"]
    show(rows, columns, as_json=as_json)


@app.command("show")
def show_(
    policy_set: SetArgument,
    version: Annotated[
        int | None, typer.Option(help="Version to print.", show_default="the newest")
    ] = None,
    project: ProjectOption = DEFAULT_PROJECT,
    data: DataOption = None,
) -> None:
    """Print a policy set as JSON, in the form that `recollect policy apply` accepts."""
    if version is None:
        found = in_project(data, project, policies.get, policy_set).document
    else:
        found = in_project(data, project, policies.at_version, policy_set, version).document
    typer.echo(json.dumps(policy_spec.plain(found), indent=2, ensure_ascii=False))


@app.command()
def delete(
    policy_set: SetArgument,
    force: Annotated[
        bool, typer.Option("--force", help="Delete it even if it is attached.")
    ] = False,
    project: ProjectOption = DEFAULT_PROJECT,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Delete a policy set with all its versions."""
    gone = in_project(data, project, policies.delete, policy_set, force=force)
    say(f"deleted {gone.name}", {"deleted": gone.name}, as_json=as_json)


def _told(key_id: str, found: GovernedKey, *, as_json: bool) -> None:
    names = ", ".join(found.policy_sets) or "no policy sets"
    told = {"id": key_id, "policy_sets": found.policy_sets}
    say(f"key {key_id} has {names}", told, as_json=as_json)


@app.command()
def attach(
    policy_set: SetArgument,
    key_id: KeyOption,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Attach a policy set to a key. A running server notices within a second."""
    _told(key_id, on_key(data, key_id, keys.attach, key_id, policy_set), as_json=as_json)


@app.command()
def detach(
    policy_set: SetArgument,
    key_id: KeyOption,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Detach a policy set from a key. A running server notices within a second."""
    _told(key_id, on_key(data, key_id, keys.detach, key_id, policy_set), as_json=as_json)


@app.command()
def explain(
    key_id: KeyOption,
    action: Annotated[str, typer.Option(help="An action such as graph.search.")],
    metadata: Annotated[
        str | None, typer.Option(help="Effective metadata of an object, in JSON.")
    ] = None,
    object_uuid: Annotated[
        str | None, typer.Option("--object", help="The uuid of a stored object.")
    ] = None,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Explain whether a key may do something, and which rule decides. Nothing is executed."""
    actions = Actions(route_table())
    try:
        policies.check_action(action, actions.known)
    except RecollectError as error:
        raise fail(error.message) from error
    asked = Question(
        key_uuid=key_id,
        action=action,
        reads=action in actions.reading,
        object_uuid=object_uuid,
        object_metadata=None if metadata is None else _object(metadata),
    )
    trace = on_key(data, key_id, policies.explain, asked)
    if as_json:
        typer.echo(msgspec.json.encode(trace).decode())
    else:
        _print(trace)


def _object(text: str) -> dict[str, Any]:
    try:
        return msgspec.json.decode(text, type=dict[str, Any])
    except msgspec.MsgspecError as error:
        raise fail(f"--metadata: not a JSON object: {error}") from error


def _print(trace: Trace) -> None:
    out.print(f"{trace.action}: {trace.outcome} (role {trace.role}, mode {trace.mode})")
    out.print(f"  because {trace.why}")
    if trace.visible is not None:
        out.print(f"  the object is {'seen' if trace.visible else 'hidden'}")
    if trace.reported:
        change = "which differs" if trace.differs else "the same"
        out.print(f"  if everything were enforced: {trace.would_be}, {change}")
    for rule in trace.rules:
        out.print(f"  {_mark(rule)} {rule.policy_set}/{rule.rule} ({rule.effect}): {rule.why}")


def _mark(rule: RuleTrace) -> str:
    if rule.decided:
        return "→"
    return "·" if rule.matched else " "
