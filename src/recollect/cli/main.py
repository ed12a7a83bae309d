"""The command `recollect`."""

import typer

from recollect.cli import (
    audit,
    correcting,
    doctor,
    export,
    importing,
    key,
    mcp,
    models,
    policy,
    project,
    reading,
    rebuild,
    recall,
    remember,
    serve,
    store,
)

app = typer.Typer(
    name="recollect",
    help="Memory for AI agents: episodes in, facts with their time and their source out.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
app.command()(serve.serve)
app.command()(serve.worker)
app.command("mcp")(mcp.mcp_)
app.command()(remember.add)
app.command()(recall.search)
app.command()(recall.context)
app.command()(recall.facts)
app.command()(recall.entity)
app.command()(recall.timeline)
app.command()(recall.why)
app.command()(correcting.reopen)
app.command()(store.migrate)
app.command()(reading.read)
app.command("rebuild")(rebuild.rebuild_)
app.command()(doctor.doctor)
app.command()(export.export)
app.command("import")(importing.import_)
app.add_typer(audit.app, name="audit")
app.add_typer(key.app, name="key")
app.add_typer(policy.app, name="policy")
app.add_typer(project.app, name="project")
app.add_typer(models.app, name="models")
app.add_typer(reading.app, name="readings")


def main() -> None:
    """Entry point of the installed program."""
    app()
