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
        str | None, typer.Option(help="Role of the speaker: user, assistant, system or tool.")
    ] = None,
    name: Annotated[str | None, typer.Option(help="Name of the speaker.")] = None,
    document: Annotated[
        bool, typer.Option("--document", help="Treat it as a document, not as something said.")
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

    This opens the store directly, even while a server is running. User, graph and thread are created
    if missing. With --no-wait, a server, a worker or the next `recollect add` does the learning.
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
        raise typer.BadParameter(f"--json-data is not valid JSON: {error}") from error
    if not isinstance(read, dict | list):
        raise typer.BadParameter("--json-data: must be an object or an array")
    return read


def rate(
    instruction: Annotated[str, typer.Argument(help="What makes a fact important.")],
    high: Annotated[str, typer.Option(help="Example of a very important fact.")],
    medium: Annotated[str, typer.Option(help="Example of a fairly important fact.")],
    low: Annotated[str, typer.Option(help="Example of an unimportant fact.")],
    user: UserOption = None,
    graph: GraphOption = None,
    project: ProjectOption = DEFAULT_PROJECT,
    data: DataOption = None,
) -> None:
    """Rate every fact learned from now on between 0 and 1.

    `recollect search --rating-min` leaves out facts with a lower rating. Facts learned earlier have no
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
    out.print("facts learned from now on are rated")
