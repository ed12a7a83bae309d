"""`recollect read`, `readings` and `retry`: let a program read episodes that wait for an agent, and list
or retry what waits or is parked.

They open the folder directly, whether or not a server is using it.
"""

import asyncio
import json
import shlex
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from recollect.app import readings as readings_
from recollect.app import tasks
from recollect.app.projects import DEFAULT_PROJECT
from recollect.app.readings import Taken, Waiting
from recollect.app.services import Services
from recollect.app.tasks import ParkedEpisode
from recollect.cli.common import DataOption, JsonOption, bar, err, fail, in_project, out, safe, show
from recollect.cli.memory import (
    NOTHING_FOUND,
    GraphOption,
    ProjectOption,
    UserOption,
    change,
)
from recollect.errors import AnswerRefused, Conflict, NotFound
from recollect.graph.types import Access
from recollect.library.engine import Opened
from recollect.limits import (
    PROGRAM_ERROR_CHARS_SHOWN,
    PROGRAM_FAILURES_MAX,
    READING_LEASE_S,
    READINGS_PER_PAGE_MAX,
)

_LIMIT = 10
_COLUMNS = ("episode", "graph", "reader", "status", "tries", "since", "says")

app = typer.Typer(help="List episodes that wait for a second reading.", invoke_without_command=True)


class _NoAnswer(Exception):
    """The program gave no answer; says why."""


@dataclass
class ReadCount:
    """How many episodes were read, how many facts they gave, how many tries failed, how many wait."""

    read: int = 0
    facts: int = 0
    failed: int = 0
    left: int = 0


def read(
    command: Annotated[
        str,
        typer.Option(
            "--with",
            help="Program to run: gets a JSON object on standard input, prints the answer.",
            metavar="COMMAND",
        ),
    ],
    user: UserOption = None,
    graph: GraphOption = None,
    limit: Annotated[int, typer.Option(help="Maximum number of episodes.", min=1)] = _LIMIT,
    every: Annotated[bool, typer.Option("--all", help="Continue until nothing waits.")] = False,
    project: ProjectOption = DEFAULT_PROJECT,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Have a program read the episodes that wait for an agent.

    The program is started once per episode. It gets one JSON object on standard input, {"system": …,
    "user": …, "schema": …}: the two parts of the prompt and the JSON Schema of the answer. It prints the
    answer, one JSON object, to standard output. An attempt fails if its exit code is not 0 or its
    output is not JSON. Exit code 1 if an attempt failed, 3 if nothing waits.
    """
    words = _words(command)

    async def work(opened: Opened) -> ReadCount:
        services, access = opened
        graph_id = await readings_.scope(services, access, user, graph)
        reader = _AgentLoop(services, access, graph_id, words)
        return await reader.run(None if every else limit)

    outcome = change(data, project, work)
    _tell(outcome, as_json=as_json)


def _words(command: str) -> list[str]:
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise typer.BadParameter(f"--with: {error}") from error
    if not words:
        raise typer.BadParameter("--with: must name a program")
    return words


def _tell(outcome: ReadCount, *, as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps(vars(outcome)))
    elif outcome.read or outcome.failed:
        out.print(f"read {outcome.read} episodes, {outcome.facts} facts; {outcome.left} wait")
    else:
        out.print("nothing waits for an agent")
    if outcome.failed:
        raise typer.Exit(1)
    if not outcome.read:
        raise typer.Exit(NOTHING_FOUND)


class _AgentLoop:
    """Takes one episode after another and lets the program answer."""

    def __init__(
        self, services: Services, access: Access, graph_id: int | None, words: list[str]
    ) -> None:
        self._services = services
        self._access = access
        self._graph_id = graph_id
        self._words = words
        self._in_a_row = 0

    async def run(self, limit: int | None) -> ReadCount:
        """Read until nothing is left, *limit* is reached, or the program fails too often in a row."""
        outcome = ReadCount()
        waiting = await self._waiting()
        with bar("reading", min(waiting, limit or waiting)) as step:
            while limit is None or outcome.read < limit:
                taken = await readings_.take(self._services, self._access, self._graph_id)
                if taken is None:
                    break
                await self._read(taken, outcome)
                step(outcome.read)
                if self._in_a_row >= PROGRAM_FAILURES_MAX:
                    err.print(f"it failed {self._in_a_row} times in a row and is not started again")
                    break
        outcome.left = await self._waiting()
        return outcome

    async def _waiting(self) -> int:
        return await readings_.count(self._services, self._access, self._graph_id)

    async def _read(self, taken: Taken, outcome: ReadCount) -> None:
        held = (self._services, self._access, taken.episode_uuid, taken.lease)
        uuid = taken.episode_uuid
        try:
            answer = await _answered(self._words, taken)
            given = await readings_.give(*held, answer)
        except _NoAnswer as error:
            parked = await readings_.fail(*held, str(error))
            self._failed(outcome, uuid, str(error) + ("; it is parked" if parked else ""))
        except AnswerRefused as error:
            await readings_.give_back(*held)
            self._failed(outcome, uuid, error.message)
        except (Conflict, NotFound) as error:
            self._failed(outcome, uuid, error.message)
        except BaseException:
            await readings_.give_back(*held)
            raise
        else:
            self._in_a_row = 0
            outcome.read += 1
            outcome.facts += given.facts

    def _failed(self, outcome: ReadCount, uuid: str, why: str) -> None:
        self._in_a_row += 1
        outcome.failed += 1
        err.print(safe(f"episode {uuid}: {why}"))


async def _answered(words: list[str], taken: Taken) -> bytes:
    """What the program prints for one episode."""
    asked = {"system": taken.prompt.system, "user": taken.prompt.user, "schema": taken.schema}
    pipe = asyncio.subprocess.PIPE
    try:
        program = await asyncio.create_subprocess_exec(*words, stdin=pipe, stdout=pipe, stderr=pipe)
    except OSError as error:
        raise fail(f"cannot start {words[0]}: {error.strerror}") from error
    try:
        async with asyncio.timeout(READING_LEASE_S):
            printed, said = await program.communicate(json.dumps(asked).encode())
    except TimeoutError as error:
        raise _NoAnswer(f"the program took longer than {READING_LEASE_S:g} s") from error
    finally:
        if program.returncode is None:
            program.kill()
            await program.wait()
    if program.returncode != 0:
        last = said.decode(errors="replace").strip()[-PROGRAM_ERROR_CHARS_SHOWN:]
        raise _NoAnswer(f"the program ended with code {program.returncode}: {last}")
    return _json(printed)


def _json(printed: bytes) -> bytes:
    try:
        json.loads(printed)
    except ValueError as error:
        raise _NoAnswer(f"the program printed no JSON: {error}") from error
    return printed


@app.callback()
def readings(
    context: typer.Context,
    project: ProjectOption = DEFAULT_PROJECT,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """List the episodes that wait for another reading, and those that are parked.

    Exit code 3 when there are none.
    """
    if context.invoked_subcommand is not None:
        return
    found = in_project(data, project, readings_.page, limit=READINGS_PER_PAGE_MAX)
    show([_row(one) for one in found], _COLUMNS, as_json=as_json)
    if not found:
        raise typer.Exit(NOTHING_FOUND)


def _row(one: Waiting) -> dict[str, Any]:
    return {
        "episode": one.episode_uuid,
        "graph": f"{one.graph_kind} {one.graph}",
        "reader": one.reader,
        "status": "taken" if one.taken_until else one.status,
        "tries": one.attempts,
        "since": one.created_at,
        "says": one.error or one.reason,
    }


@app.command()
def retry(
    episode: Annotated[
        str | None, typer.Argument(help="Id of an episode.", show_default=False)
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="All that are waiting or parked.")] = False,
    project: ProjectOption = DEFAULT_PROJECT,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Retry second readings now, as if they had never failed."""
    if (episode is None) == (not every):
        raise typer.BadParameter("give either an episode or --all")
    count = in_project(data, project, readings_.retry, episode)
    if as_json:
        typer.echo(json.dumps({"retried": count}))
    else:
        out.print(f"{count} are due now")


_PARKED_COLUMNS = ("episode", "graph", "tries", "parked", "says")


def retry_jobs(
    episode: Annotated[
        str | None, typer.Argument(help="Id of an episode.", show_default=False)
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="All parked jobs.")] = False,
    project: ProjectOption = DEFAULT_PROJECT,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """List parked jobs, or put them back into the queue.

    A job is parked when its episode could not be read after several attempts. Without EPISODE or --all,
    parked jobs are listed; exit code 3 if there are none. A running server or worker, or the next one to
    start, takes up the jobs that are put back. For second readings, see `recollect readings`.
    """
    if episode is not None and every:
        raise typer.BadParameter("give either an episode or --all")
    if episode is None and not every:
        _list_parked(
            [_parked_row(one) for one in in_project(data, project, tasks.parked)], as_json=as_json
        )
        return
    if episode is None:
        count = in_project(data, project, tasks.retry_all_later)
    else:
        in_project(data, project, tasks.retry_later, episode)
        count = 1
    if as_json:
        typer.echo(json.dumps({"retried": count}))
    else:
        out.print(f"{count} put back into the queue")


def _list_parked(rows: list[dict[str, Any]], *, as_json: bool) -> None:
    if rows or as_json:
        show(rows, _PARKED_COLUMNS, as_json=as_json)
    if not rows:
        err.print("no job is parked")
        raise typer.Exit(NOTHING_FOUND)


def _parked_row(one: ParkedEpisode) -> dict[str, Any]:
    return {
        "episode": one.episode_uuid,
        "graph": f"{one.graph_kind} {one.graph}",
        "tries": one.attempts,
        "parked": one.parked_at,
        "says": one.error,
    }
