"""The command `recollect`.

A command's module is imported when the command runs: listing the commands imports none of them.
"""

from importlib import import_module
from typing import Annotated, Any, NamedTuple

import typer
from typer.core import TyperCommand, TyperGroup

import recollect
from recollect import extras


class _Command(NamedTuple):
    """Where a command is found, below `recollect.cli`, and what the list of commands says of it."""

    module: str
    name: str
    summary: str
    extra: str | None = None  # without which it cannot run


COMMANDS = {
    "serve": _Command("serve", "serve", "Start the memory server.", "server"),
    "worker": _Command(
        "serve",
        "worker",
        "Work on the queue of a store that `recollect serve --workers 0` fills.",
        "server",
    ),
    "mcp": _Command(
        "mcp", "mcp_", "Serve the Model Context Protocol on standard input and output.", "mcp"
    ),
    "hook": _Command(
        "hook",
        "hook",
        "Take an event of Claude Code or Codex: keep what was said, and print what is known to it.",
    ),
    "add": _Command(
        "remember",
        "add",
        "Remember a message, a text or JSON, and show what was learned from it.",
    ),
    "rate": _Command(
        "remember", "rate", "Have every fact learned from now on rated between 0 and 1."
    ),
    "search": _Command(
        "recall",
        "search",
        "Search a user's memory, or a graph, best matches first. Exit code 3 when nothing is found.",
    ),
    "context": _Command(
        "recall",
        "context",
        "Print one text for a prompt: what is known to a question, or to a thread's newest messages.",
    ),
    "facts": _Command(
        "recall",
        "facts",
        "List what holds now, the newest knowledge first. Exit code 3 when there is nothing.",
    ),
    "entity": _Command(
        "recall",
        "entity",
        "Show one entity: its labels, its summary and the facts about it that hold now.",
    ),
    "timeline": _Command(
        "recall",
        "timeline",
        "List all facts about an entity in the order in which they became true.",
    ),
    "why": _Command(
        "recall",
        "why",
        "Show why a fact is known: the episodes, the words in them, what ended it and what it ended.",
    ),
    "reopen": _Command(
        "correcting",
        "reopen",
        "Take back what ended a fact: it holds again, and the same words do not end it once more.",
    ),
    "undo": _Command("correcting", "undo", "Take back the last change by hand to a fact."),
    "merge": _Command(
        "correcting",
        "merge",
        "Say that two entities are the same: facts and names of the other go over to the first.",
    ),
    "unmerge": _Command(
        "correcting",
        "unmerge",
        "Take back a merge: both entities have the facts of their own again.",
    ),
    "expire": _Command("expiry", "expire", "Say when an episode or a fact ceases to be known."),
    "expired": _Command(
        "expiry",
        "expired",
        "List what ceased to be known, and what it was, as long as that is kept.",
    ),
    "migrate": _Command(
        "backup",
        "migrate",
        "Bring the store's schema up to date. `recollect serve` does the same when it starts.",
    ),
    "read": _Command("reading", "read", "Have a program read the episodes that wait for an agent."),
    "rebuild": _Command(
        "rebuild",
        "rebuild_",
        "Fold entities and facts again from the readings that are kept with the episodes.",
    ),
    "doctor": _Command(
        "doctor",
        "doctor",
        "Look at everything the server needs. Exit code 1 when something is wrong.",
    ),
    "backup": _Command(
        "backup",
        "backup_",
        "Write the store as it is at this moment to one file, whether or not a server is running.",
    ),
    "restore": _Command(
        "backup",
        "restore",
        "Check a backup, and make it the store of a folder that has none; says what was checked.",
    ),
    "export": _Command(
        "importing",
        "export",
        "Write a project, or one graph of it, to a file for `recollect import`.",
    ),
    "import": _Command(
        "importing", "import_", "Read a file of `recollect export`, or one of another memory."
    ),
    "copy": _Command(
        "copying",
        "copy",
        "Copy projects from one store into another, which takes the place of the first.",
    ),
    "audit": _Command("audit", "app", "List what was done by whom, and check the log."),
    "key": _Command("key", "app", "Make, list, change and revoke API keys."),
    "policy": _Command("policy", "app", "Write, look at and try out access policies."),
    "project": _Command(
        "project",
        "app",
        "Make, list, weigh and limit projects. Nothing crosses from one to another.",
    ),
    "webhook": _Command("webhook", "app", "Have a project told what happened, over HTTP."),
    "config": _Command("config", "app", "Show every setting and where it comes from."),
    "models": _Command("models", "app", "Install the weights of the local models."),
    "readings": _Command("reading", "app", "Episodes that wait for another reading."),
}


def load(name: str) -> Any:
    """The command of that name, with everything it imports."""
    entry = COMMANDS[name]
    if entry.extra and (sentence := extras.missing(entry.extra)):
        typer.echo(f"error: {sentence}", err=True)
        raise typer.Exit(1)
    found = getattr(import_module(f"recollect.cli.{entry.module}"), entry.name)
    if isinstance(found, typer.Typer):
        group = typer.main.get_group(found)
        group.name = name
        return group
    alone = typer.Typer(add_completion=False)
    alone.command(name)(found)
    return typer.main.get_command(alone)


class _Commands(TyperGroup):
    """All commands; each is loaded when it is run, and only named when they are listed."""

    def list_commands(self, ctx: Any) -> list[str]:
        """The names, in the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> TyperCommand | None:
        """What the list of commands shows of one."""
        entry = COMMANDS.get(cmd_name)
        return TyperCommand(cmd_name, help=entry.summary) if entry else None

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command that is run."""
        name, command, rest = super().resolve_command(ctx, args)
        return name, load(name) if name is not None and command is not None else command, rest


app = typer.Typer(
    name="recollect",
    cls=_Commands,
    help="Memory for AI agents: episodes in, facts with their time and their source out.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"recollect {recollect.__version__}")
        raise typer.Exit


@app.callback()
def _program(
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Show the version and exit.", callback=_version, is_eager=True
        ),
    ] = False,
) -> None:
    pass


def main() -> None:
    """Entry point of the installed program."""
    app()
