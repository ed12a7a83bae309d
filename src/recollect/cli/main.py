"""The command `recollect`.

A command's module is imported when the command runs; listing the commands imports none of them.
"""

from importlib import import_module
from typing import Annotated, Any, NamedTuple

import typer
from typer.completion import completion_init  # type: ignore[attr-defined]  # its own, not listed
from typer.core import TyperCommand, TyperGroup

import recollect
from recollect import extras


class _Command(NamedTuple):
    """The module of a command, below `recollect.cli`, and its line in the list of commands."""

    module: str
    name: str
    summary: str
    extra: str | None = None  # the extra it needs


SECTIONS: dict[str, dict[str, _Command]] = {
    "Remember and recall": {
        "add": _Command("remember", "add", "Remember a message, a text or JSON."),
        "search": _Command("recall", "search", "Search a user's memory, or a graph."),
        "context": _Command("recall", "context", "Print what is known as a text for a prompt."),
        "facts": _Command("recall", "facts", "List the facts that hold now, newest first."),
        "entity": _Command("recall", "entity", "Show one entity."),
        "timeline": _Command(
            "recall",
            "timeline",
            "List all facts about an entity.",
        ),
        "why": _Command("recall", "why", "Show why a fact is known."),
        "users": _Command("lists", "users", "List users, newest first."),
        "threads": _Command("lists", "threads", "List threads, newest first."),
    },
    "Correct and forget": {
        "reopen": _Command("correcting", "reopen", "Undo the end of a fact."),
        "undo": _Command("correcting", "undo", "Undo the last manual change to a fact."),
        "merge": _Command("correcting", "merge", "Declare two entities to be the same."),
        "unmerge": _Command("correcting", "unmerge", "Undo a merge."),
        "rate": _Command(
            "remember", "rate", "Rate every fact learned from now on between 0 and 1."
        ),
        "forget": _Command(
            "forgetting", "forget", "Erase a user, a graph, a thread or an episode."
        ),
        "expire": _Command("expiry", "expire", "Set when an episode or a fact expires."),
        "expired": _Command("expiry", "expired", "List what has expired."),
    },
    "Serve": {
        "serve": _Command("serve", "serve", "Start the memory server.", "server"),
        "worker": _Command("serve", "worker", "Process the queue of a store.", "server"),
        "mcp": _Command("mcp", "mcp_", "Serve the Model Context Protocol.", "mcp"),
        "hook": _Command("hook", "hook", "Handle an event of Claude Code or Codex."),
    },
    "Read again": {
        "retry": _Command(
            "reading", "retry_jobs", "List parked jobs, or put them back into the queue."
        ),
        "readings": _Command("reading", "app", "List episodes that wait for a second reading."),
        "read": _Command(
            "reading", "read", "Have a program read the episodes that wait for an agent."
        ),
        "rebuild": _Command("backup", "rebuild_", "Rebuild entities and facts."),
    },
    "Maintain the store": {
        "doctor": _Command("doctor", "doctor", "Check everything the server needs."),
        "backup": _Command("backup", "backup_", "Back up the store to one file."),
        "restore": _Command(
            "backup", "restore", "Check a backup, and restore it into a folder without a store."
        ),
        "migrate": _Command("backup", "migrate", "Bring the store's schema up to date."),
        "export": _Command(
            "importing", "export", "Write a project, or one graph of it, to a file."
        ),
        "import": _Command(
            "importing", "import_", "Import a file of `recollect export` or of another product."
        ),
        "copy": _Command("importing", "copy", "Copy projects from one store into another."),
    },
    "Govern": {
        "project": _Command("project", "app", "Create, list, weight and limit projects."),
        "key": _Command("key", "app", "Create, list, change and revoke API keys."),
        "policy": _Command("policy", "app", "Create, inspect and test access policies."),
        "injections": _Command(
            "injected", "injections", "List the contexts that were returned, newest first."
        ),
        "webhook": _Command("webhook", "app", "Notify a URL of what happens in a project."),
        "audit": _Command("audit", "app", "List who did what, and verify the audit log."),
    },
    "Set up": {
        "config": _Command("config", "app", "Show every setting and where it comes from."),
        "models": _Command("models", "app", "Install the weights of the local models."),
        "completion": _Command(
            "completion", "completion", "Print a completion script for a shell."
        ),
    },
}
COMMANDS = {name: entry for section in SECTIONS.values() for name, entry in section.items()}


def load(name: str) -> Any:
    """The command of that name, with everything it imports."""
    entry = COMMANDS[name]
    if entry.extra and (sentence := extras.missing(entry.extra)):
        typer.echo(f"error: {sentence}", err=True)
        raise typer.Exit(1)
    found = getattr(import_module(f"recollect.cli.{entry.module}"), entry.name)
    if isinstance(found, typer.Typer):
        found.rich_markup_mode = None
        group = typer.main.get_group(found)
        group.name = name
        return group
    alone = typer.Typer(add_completion=False, rich_markup_mode=None)
    alone.command(name)(found)
    return typer.main.get_command(alone)


class _Commands(TyperGroup):
    """All commands; each is loaded only when it is run."""

    def list_commands(self, ctx: Any) -> list[str]:
        """The names, in the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> TyperCommand | None:
        """A command as the list shows it, without loading it."""
        entry = COMMANDS.get(cmd_name)
        return TyperCommand(cmd_name, help=entry.summary) if entry else None

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """A section for each topic; every command on one line."""
        width = max(map(len, COMMANDS))
        for title, commands in SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl(
                    [(name.ljust(width), one.summary) for name, one in commands.items()]
                )

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Load the command that is run."""
        name, command, rest = super().resolve_command(ctx, args)
        return name, load(name) if name is not None and command is not None else command, rest


app = typer.Typer(
    name="recollect",
    cls=_Commands,
    help="Memory for AI agents: stores episodes, returns facts with time and source.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,  # `recollect completion` prints it
    rich_markup_mode=None,
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
    completion_init()  # the shells that `recollect completion` knows
    app()
