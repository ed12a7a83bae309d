"""`recollect search`, `context`, `facts`, `entity`, `timeline` and `why`: ask the memory."""

from collections.abc import Sequence
from typing import Annotated, Any

import typer

from recollect.app.projects import DEFAULT_PROJECT
from recollect.cli import reasons, telling
from recollect.cli.common import DataOption, JsonOption, err, safe
from recollect.cli.memory import (
    NOTHING_FOUND,
    AtOption,
    GraphOption,
    KnownAtOption,
    MetadataOption,
    ProjectOption,
    ThreadOption,
    UserOption,
    recall,
)
from recollect.library.memory import Memory
from recollect.library.search import Kind, Narrowing, Results
from recollect.limits import PAGE_DEFAULT, PAGE_MAX, SEARCH_LIMIT_DEFAULT, SEARCH_LIMIT_MAX
from recollect.search.query import Reranker

_Entity = Annotated[str, typer.Argument(help="Name or id of the entity.")]
_Limit = Annotated[int, typer.Option(help="How many at most.", min=1, max=PAGE_MAX)]


def search(
    query: Annotated[str, typer.Argument(help="What to look for, in plain words.")],
    user: UserOption = None,
    graph: GraphOption = None,
    kind: Annotated[Kind, typer.Option(help="What to look for.")] = "facts",
    limit: Annotated[
        int, typer.Option(help="How many at most.", min=1, max=SEARCH_LIMIT_MAX)
    ] = SEARCH_LIMIT_DEFAULT,
    at: AtOption = None,
    known_at: KnownAtOption = None,
    label: Annotated[
        list[str] | None, typer.Option(help="Only entities of this label; may be repeated.")
    ] = None,
    fact_type: Annotated[
        list[str] | None,
        typer.Option("--type", help="Only facts of this type, such as WORKS_AT; may be repeated."),
    ] = None,
    metadata: MetadataOption = None,
    rating_min: Annotated[
        float | None,
        typer.Option(help="Leave out facts rated lower.", min=0, max=1, show_default=False),
    ] = None,
    reranker: Annotated[
        Reranker | None, typer.Option(help="How results are ordered.", show_default=False)
    ] = None,
    project: ProjectOption = DEFAULT_PROJECT,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Search a user's memory, or a graph, best matches first. Exit code 3 when nothing is found."""
    given: dict[str, Any] = {
        "valid_at": at,
        "known_at": known_at,
        "labels": label,
        "types": fact_type,
        "metadata": dict(metadata) if metadata else None,
        "rating_min": rating_min,
        "reranker": reranker,
    }
    narrow: Narrowing = {name: value for name, value in given.items() if value}  # type: ignore[assignment]

    async def work(memory: Memory) -> Results:
        return await memory.search(query, user=user, graph=graph, kind=kind, limit=limit, **narrow)

    _show(recall(data, project, work), as_json=as_json)


def context(
    query: Annotated[
        str | None, typer.Argument(help="What the context is for.", show_default=False)
    ] = None,
    user: UserOption = None,
    graph: GraphOption = None,
    thread: ThreadOption = None,
    project: ProjectOption = DEFAULT_PROJECT,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Print one text for a prompt: what is known to a question, or to a thread's newest messages."""
    text = recall(
        data,
        project,
        lambda memory: memory.context(query, user=user, graph=graph, thread=thread),
    )
    if as_json:
        telling.as_json({"context": text})
    else:
        typer.echo(safe(text) if telling.console().is_terminal else text)


def facts(
    user: UserOption = None,
    graph: GraphOption = None,
    at: AtOption = None,
    known_at: KnownAtOption = None,
    all_: Annotated[bool, typer.Option("--all", help="Also what no longer holds.")] = False,
    limit: _Limit = PAGE_DEFAULT,
    project: ProjectOption = DEFAULT_PROJECT,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """List what holds now, the newest knowledge first. Exit code 3 when there is nothing."""
    found = recall(
        data,
        project,
        lambda memory: memory.facts(
            user=user, graph=graph, at=at, known_at=known_at, ended=all_, limit=limit
        ),
    )
    _show(found, as_json=as_json)


def entity(
    called: _Entity,
    user: UserOption = None,
    graph: GraphOption = None,
    project: ProjectOption = DEFAULT_PROJECT,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show one entity: its labels, its summary and the facts about it that hold now."""
    found = recall(data, project, lambda memory: memory.entity(called, user=user, graph=graph))
    if as_json:
        telling.as_json(found)
    else:
        telling.entity(found)


def timeline(
    called: _Entity,
    user: UserOption = None,
    graph: GraphOption = None,
    limit: _Limit = PAGE_DEFAULT,
    project: ProjectOption = DEFAULT_PROJECT,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """List all facts about an entity in the order in which they became true.

    Of more than the limit, the latest. Exit code 3 when there are none.
    """
    found = recall(
        data,
        project,
        lambda memory: memory.timeline(called, user=user, graph=graph, limit=limit),
    )
    _show(found, as_json=as_json)


def why(
    fact: Annotated[str, typer.Argument(help="Id of the fact, as the other commands show it.")],
    project: ProjectOption = DEFAULT_PROJECT,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show why a fact is known: the episodes, the words in them, what ended it and what it ended."""
    found = recall(data, project, lambda memory: memory.why(fact))
    if as_json:
        telling.as_json(found)
    else:
        reasons.why(found)


def _show(found: Sequence[telling.Thing], *, as_json: bool) -> None:
    if as_json:
        telling.as_json(list(found))
    elif found:
        telling.things(found)
    else:
        err.print("nothing found")
    if not found:
        raise typer.Exit(NOTHING_FOUND)
