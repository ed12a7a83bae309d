"""`recollect search`, `context`, `facts`, `entity`, `timeline` and `why`: query the memory."""

from collections.abc import Sequence
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

from recollect.app.projects import DEFAULT_PROJECT
from recollect.cli import injected, telling
from recollect.cli.common import DataOption, JsonOption, console, err, safe
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
from recollect.cli.telling import day, id_line, span
from recollect.errors import NotFound
from recollect.library.memory import Memory
from recollect.library.results import (
    Closed,
    Doubt,
    Ending,
    Episode,
    Evidence,
    Expired,
    Fact,
    Why,
)
from recollect.library.search import Kind, Narrowing, Results
from recollect.limits import PAGE_DEFAULT, PAGE_MAX, SEARCH_LIMIT_DEFAULT, SEARCH_LIMIT_MAX
from recollect.search.query import Reranker

_Entity = Annotated[str, typer.Argument(help="Name or id of the entity.")]
_Limit = Annotated[int, typer.Option(help="Maximum number of results.", min=1, max=PAGE_MAX)]


def search(
    query: Annotated[str, typer.Argument(help="What to look for, in plain words.")],
    user: UserOption = None,
    graph: GraphOption = None,
    kind: Annotated[Kind, typer.Option(help="What to look for.")] = "facts",
    limit: Annotated[
        int, typer.Option(help="Maximum number of results.", min=1, max=SEARCH_LIMIT_MAX)
    ] = SEARCH_LIMIT_DEFAULT,
    at: AtOption = None,
    known_at: KnownAtOption = None,
    label: Annotated[
        list[str] | None, typer.Option(help="Only entities with this label; may be repeated.")
    ] = None,
    fact_type: Annotated[
        list[str] | None,
        typer.Option("--type", help="Only facts of this type, such as WORKS_AT; may be repeated."),
    ] = None,
    metadata: MetadataOption = None,
    rating_min: Annotated[
        float | None,
        typer.Option(help="Leave out facts with a lower rating.", min=0, max=1, show_default=False),
    ] = None,
    reranker: Annotated[
        Reranker | None, typer.Option(help="How results are ordered.", show_default=False)
    ] = None,
    project: ProjectOption = DEFAULT_PROJECT,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Search a user's memory, or a graph, best matches first. Exit code 3 if nothing is found."""
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
    replay: Annotated[
        str | None,
        typer.Option(
            metavar="ID", help="Id of a context to print again (see `recollect injections`)."
        ),
    ] = None,
    project: ProjectOption = DEFAULT_PROJECT,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Print what is known as a text for a prompt: about a question, or a thread's newest messages."""
    if replay is not None:
        if any((query, user, graph, thread)):
            raise typer.BadParameter(
                "--replay cannot be combined with a question, a user, a graph or a thread"
            )
        injected.replay(replay, project, data, as_json=as_json)
        return
    text = recall(
        data,
        project,
        lambda memory: memory.context(query, user=user, graph=graph, thread=thread),
    )
    if as_json:
        telling.as_json({"context": text})
    else:
        typer.echo(safe(text) if console().is_terminal else text)


def facts(
    user: UserOption = None,
    graph: GraphOption = None,
    at: AtOption = None,
    known_at: KnownAtOption = None,
    all_: Annotated[bool, typer.Option("--all", help="Include facts that no longer hold.")] = False,
    limit: _Limit = PAGE_DEFAULT,
    project: ProjectOption = DEFAULT_PROJECT,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """List the facts that hold now, newest first. Exit code 3 if there are none."""
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

    If there are more than the limit, the latest are listed. Exit code 3 if there are none.
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
    """Show why a fact is known: its episodes and the words in them, what ended it and what it ended.

    For a fact or an episode that has expired, shows when, why and what it was.
    """

    async def work(memory: Memory) -> Why | Expired:
        try:
            return await memory.why(fact)
        except NotFound:
            gone = await memory.expired(fact)
            if gone is None:
                raise
            return gone

    found = recall(data, project, work)
    if as_json:
        telling.as_json(found)
    elif isinstance(found, Expired):
        _expired(found)
    else:
        reasons(found)


_EXPIRED = {
    "said": "as {} had said",
    "type": "as facts of the type {} do",
    "episode": "with the episode {}, which told it",
}


def _expired(found: Expired) -> None:
    why = _EXPIRED[found.because].format(found.by or "somebody")
    place = console()
    place.print(Text(safe(found.text)))
    when = found.at.isoformat(sep=" ", timespec="seconds")
    place.print(f"\nThis {found.kind} is not known any more: it expired at {when}, {safe(why)}.")


def _show(found: Sequence[telling.Thing], *, as_json: bool) -> None:
    if as_json:
        telling.as_json(list(found))
    elif found:
        telling.things(found)
    else:
        err.print("nothing found")
    if not found:
        raise typer.Exit(NOTHING_FOUND)


_AROUND_CHARS = 200  # shown of an episode before and after the quote
_UNKNOWN = "at no known time"
_JUDGES = {
    "table": "on the word of the table of relations",
    "episode": "on the word of the episode itself",
    "hand": "set by hand",
}
_READERS = {"model": "a language model", "agent": "an agent"}


def reasons(found: Why) -> None:
    """Print a fact, the quotes behind it, what ended it and what it ended."""
    place = console()
    _fact(place, found.fact)
    for one in found.evidence:
        place.print()
        _evidence(place, one)
    if not found.evidence:
        place.print("\nNo episode stands behind it: it was written by hand.")
    if found.reopened_at is not None:
        place.print(
            f"\nreopened {day(found.reopened_at)}, by hand: what had ended it was taken back"
        )
    for ending in found.endings:
        place.print()
        _ending(place, ending)
    for doubt in found.doubts:
        place.print()
        _doubt(place, doubt)
    for closed in found.closed:
        place.print()
        _closed(place, closed)


def _fact(place: Console, fact: Fact) -> None:
    place.print(Text(safe(fact.text), style="bold"))
    id_line(place, fact.uuid)
    place.print(f"true     {span(fact.valid_at, fact.invalid_at) or _UNKNOWN}")
    if fact.event_at is not None:
        place.print(f"happens  {day(fact.event_at)}")
    place.print(f"believed {span(fact.learned_at, fact.given_up_at)}")


def _evidence(place: Console, one: Evidence) -> None:
    episode = one.episode
    where = f" in {safe(episode.thread)}" if episode.thread else ""
    place.print(f"{one.role:<8} {day(episode.created_at)}, {episode.kind}{_by(episode)}{where}")
    id_line(place, episode.uuid)
    place.print(_marked(one, plain=place.no_color or not place.is_terminal))


def _by(episode: Episode) -> str:
    who = episode.name or episode.role
    return f" by {safe(who)}" if who else ""


def _marked(one: Evidence, *, plain: bool) -> Text:
    """The quote in its context, highlighted, or between » and « without colours."""
    content = one.episode.content
    start, end = one.span or (0, 0)
    first, last = max(0, start - _AROUND_CHARS), min(len(content), end + _AROUND_CHARS)
    text = Text("…" if first else "").append(safe(content[first:start]))
    if one.span is not None:
        words = safe(content[start:end])
        text.append(f"»{words}«" if plain else words, style="" if plain else "bold black on yellow")
    return text.append(safe(content[end:last])).append("…" if last < len(content) else "")


def _ending(place: Console, one: Ending) -> None:
    by = f' by "{safe(one.by_fact.text)}"' if one.by_fact is not None else ""
    place.print(Text(f"ended    {day(one.ended_at) or _UNKNOWN}{by}{_brought(one)}, {_word(one)}"))
    place.print(f"learned  {day(one.learned_at) or _UNKNOWN}")
    _ids(place, one.by_fact, one.by_episode)


def _doubt(place: Console, one: Doubt) -> None:
    place.print(Text(f'in doubt by "{safe(one.by_fact.text)}"{_brought(one)}, {_word(one)}'))
    _ids(place, one.by_fact, one.by_episode)


def _closed(place: Console, one: Closed) -> None:
    when = day(one.ended_at) or _UNKNOWN
    place.print(Text(f'ends     "{safe(one.fact.text)}" {when}{_brought(one)}, {_word(one)}'))
    _ids(place, one.fact, one.by_episode)


def _ids(place: Console, fact: Fact | None, episode: Episode | None) -> None:
    if fact is not None:
        id_line(place, fact.uuid, "fact")
    if episode is not None:
        id_line(place, episode.uuid, "episode")


def _brought(one: Ending | Closed | Doubt) -> str:
    """The episode that caused an end or a doubt: its kind, when it was said and by whom."""
    episode = one.by_episode
    if episode is None:
        return ""
    return f" ({episode.kind} of {day(episode.created_at)}{_by(episode)})"


def _word(one: Ending | Closed | Doubt) -> str:
    """Who decided that it ended or may have, and with which confidence."""
    if one.judge is None:
        return "on whose word is not known"
    sure = "" if one.sure is None else f", {one.sure:.0%} sure"
    return f"{_JUDGES.get(one.judge) or _reader(one.judge)}{sure}"


def _reader(judge: str) -> str:
    if judge.startswith("judge."):
        return f"on the word of the judge ({safe(judge)})"
    kind, _, version = judge.partition(":")
    if kind in _READERS and version:
        return f"on the word of {_READERS[kind]} ({safe(version)})"
    return f"on the word of the reader {safe(judge)}"
