"""`recollect add` and `recollect rate`: add to the memory, and say how facts are rated."""

import json
import sys
from contextlib import nullcontext
from typing import Annotated, Any

import typer

from recollect.app.projects import DEFAULT_PROJECT
from recollect.cli import telling
from recollect.cli.common import DataOption, JsonOption, err, out
from recollect.cli.memory import (
    ExpiresOption,
    GraphOption,
    MetadataOption,
    ProjectOption,
    ThreadOption,
    UserOption,
    WhenOption,
    remember,
)
from recollect.library.memory import Memory
from recollect.library.results import Fact

_STDIN = "-"
_TEXT = typer.Argument(help="What to remember; `-` reads standard input.", show_default=False)
_JSON = typer.Option("--json-data", help="JSON to remember instead; `-` reads standard input.")


def add(
    text: Annotated[str | None, _TEXT] = None,
    json_data: Annotated[str | None, _JSON] = None,
    user: UserOption = None,
    graph: GraphOption = None,
    thread: ThreadOption = None,
    role: Annotated[
        str | None, typer.Option(help="Who speaks: user, assistant, system, tool.")
    ] = None,
    name: Annotated[str | None, typer.Option(help="Name of who speaks.")] = None,
    document: Annotated[
        bool, typer.Option("--document", help="It is a text that nobody says.")
    ] = False,
    at: WhenOption = None,
    expires: ExpiresOption = None,
    metadata: MetadataOption = None,
    wait: Annotated[
        bool, typer.Option("--wait/--no-wait", help="Wait until it has been learned.")
    ] = True,
    project: ProjectOption = DEFAULT_PROJECT,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Remember a message, a text or JSON, and show what was learned from it.

    It works on the folder itself, beside a running server, too. User, graph and thread are made
    when they are missing. With --no-wait a server, a worker or the next `recollect add` learns it.
    """
    content = _content(text, json_data)

    async def work(memory: Memory) -> tuple[str, list[Fact]]:
        uuid = await memory.add(
            content,
            user=user,
            graph=graph,
            thread=thread,
            kind="text" if document else None,
            role=role,
            name=name,
            created_at=at,
            expires_at=expires,
            metadata=dict(metadata) if metadata else None,
            wait=wait,
        )
        return uuid, await memory.learned(uuid) if wait else []

    with err.status("learning …") if wait and err.is_terminal else nullcontext():
        uuid, facts = remember(data, project, work, workers=1 if wait else 0)
    if as_json:
        telling.as_json({"episode": uuid, "facts": facts})
        return
    out.print(f"episode {uuid}")
    if facts:
        telling.things(facts)


def _content(text: str | None, json_data: str | None) -> str | dict[str, Any] | list[Any]:
    if (text is None) == (json_data is None):
        raise typer.BadParameter("give either a text or --json-data")
    given = text if text is not None else json_data
    if given == _STDIN:
        given = sys.stdin.read()
    if text is not None:
        return given or ""
    try:
        read = json.loads(given or "")
    except ValueError as error:
        raise typer.BadParameter(f"--json-data is no JSON: {error}") from error
    if not isinstance(read, dict | list):
        raise typer.BadParameter("--json-data: an object or an array is wanted")
    return read


def rate(
    instruction: Annotated[str, typer.Argument(help="What makes a fact matter.")],
    high: Annotated[str, typer.Option(help="A fact that matters most.")],
    medium: Annotated[str, typer.Option(help="A fact in the middle.")],
    low: Annotated[str, typer.Option(help="A fact that hardly matters.")],
    user: UserOption = None,
    graph: GraphOption = None,
    project: ProjectOption = DEFAULT_PROJECT,
    data: DataOption = None,
) -> None:
    """Have every fact learned from now on rated between 0 and 1.

    `recollect search --rating-min` leaves out what is rated lower. Facts learned before have no
    rating until `recollect rebuild --read`.
    """
    remember(
        data,
        project,
        lambda memory: memory.rate(
            instruction, high=high, medium=medium, low=low, user=user, graph=graph
        ),
        workers=0,
    )
    out.print("facts are rated from now on")
