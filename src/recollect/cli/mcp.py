"""`recollect mcp`: the memory as tools for an MCP client that starts this program."""

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from typing import Annotated, Any, Literal, NamedTuple

import typer
from msgspec.structs import replace

from recollect import log
from recollect.api.app import App
from recollect.app import projects, users
from recollect.app.services import Services, open_services
from recollect.asgi import application
from recollect.cli import lock
from recollect.cli.common import DataOption, fail, settings
from recollect.errors import AlreadyExists, InvalidInput, NotAuthenticated, RecollectError
from recollect.graph.acting import Acting
from recollect.graph.types import Access
from recollect.records.users import UserDetails
from recollect.settings import Settings

_WORKER = "mcp"
Text = Literal["lines", "json"]
_UNKNOWN_KEY = "RECOLLECT_API_KEY is no key of this store: mend it, or leave it unset"
_NOT_WITH_A_KEY = (
    "--project, --write and --read-only are for when no key is given: a key opens its own project, and "
    "`recollect key change --mcp-write` lets it write"
)


def mcp_(
    project: Annotated[
        str | None,
        typer.Option(help="Project to open if no key is given.", show_default="default"),
    ] = None,
    write: Annotated[
        bool | None,
        typer.Option(
            "--write/--read-only",
            help="Offer the tools that change the memory, or only those that read it.",
            show_default="write, where no key is given",
        ),
    ] = None,
    user: Annotated[
        str | None,
        typer.Option(
            help="Id of the user that tools use if a call names none; created if missing."
        ),
    ] = None,
    text: Annotated[
        Text, typer.Option(help="The text of answers: lines for a model, or the value as JSON.")
    ] = "lines",
    url: Annotated[
        str | None, typer.Option(help="Use the server at this address instead of opening a store.")
    ] = None,
    data: DataOption = None,
) -> None:
    """Serve the Model Context Protocol on standard input and output.

    If RECOLLECT_API_KEY is set, that key decides what is allowed. Otherwise the whole project can be
    read and changed, as by anybody with access to the folder.
    """
    chosen = settings(data=data)
    secret = chosen.api_key.get_secret_value() if chosen.api_key else None
    if (secret or url) and (project or write is not None):
        raise fail(_NOT_WITH_A_KEY)
    log.configure(chosen.log_format, chosen.log_level)
    try:
        served = _Served(user, text, writes=write is not False)
        work = _relay(url, secret, served) if url else _open(chosen, secret, project, served)
        asyncio.run(_to_the_end(work))
    except RecollectError as error:
        raise fail(error.message) from error


async def _to_the_end(work: Coroutine[Any, Any, bool]) -> None:
    if not await work:
        # A thread is still blocked on standard input, and closing the loop would wait for it.
        os._exit(0)


class _Served(NamedTuple):
    """The default user of the tools, the form of their answers, and whether writing tools are offered."""

    user: str | None
    text: Text
    writes: bool


async def _relay(url: str, secret: str | None, served: _Served) -> bool:
    return await _until_stopped(_forward(url, secret, served))


async def _forward(url: str, secret: str | None, served: _Served) -> None:
    from recollect.mcp import stdio  # the SDK: only this command has to wait for it
    from recollect.mcp.calls import Served

    try:
        await stdio.forward(url, secret, Served(served.user, served.text == "lines"))
    except Exception as error:
        raise RecollectError(f"the server at {url} cannot be used: {_cause(error)}") from error


def _cause(error: BaseException) -> str:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return str(error) or type(error).__name__


async def _open(chosen: Settings, secret: str | None, project: str | None, served: _Served) -> bool:
    """Serve the store; returns whether input ended by itself. Everything is closed either way."""
    services = await open_services(chosen)
    app = application(services)
    try:
        access = await _access(services, app, secret, project or projects.DEFAULT_PROJECT, served)
        if lock.holder(chosen.data) is None:  # otherwise the server on the folder does the work
            services.start_workers(min(1, chosen.workers), owner=_WORKER)
        return await _until_stopped(_serve(app, access, served))
    finally:
        await app.close()
        await services.close()


async def _serve(app: App, access: Callable[[], Awaitable[Access]], served: _Served) -> None:
    from recollect.mcp import stdio  # the SDK: only this command has to wait for it
    from recollect.mcp.calls import Served

    await stdio.serve(app.gate, access, Served(served.user, served.text == "lines"))


async def _access(
    services: Services, app: App, secret: str | None, project: str, served: _Served
) -> Callable[[], Awaitable[Access]]:
    """A function that gives the caller's access: the key's, checked for each message, or full access."""
    if secret is None:
        acting = Acting.by_command("mcp", project=project)
        entered = await projects.enter(services, acting, project)
        if served.user is not None and served.writes:
            with suppress(AlreadyExists):
                await users.create(services, entered, served.user, UserDetails())
        everything = replace(entered, acting=None, mcp_write=served.writes)
        return lambda: _given(everything)
    known = app.gate.authenticator
    try:
        await known.access(secret)
    except NotAuthenticated as error:
        raise InvalidInput(_UNKNOWN_KEY) from error
    return lambda: known.access(secret)


async def _given(access: Access) -> Access:
    return access


async def _until_stopped(work: Coroutine[Any, Any, None]) -> bool:
    """Run the work until it is done or a signal asks to stop; returns whether it was done."""
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stopped.set)
    working, stopping = asyncio.create_task(work), asyncio.create_task(stopped.wait())
    await asyncio.wait([working, stopping], return_when=asyncio.FIRST_COMPLETED)
    stopping.cancel()
    if working.done():
        working.result()
    return working.done()
