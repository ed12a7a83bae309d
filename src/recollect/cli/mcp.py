"""`recollect mcp`: the memory as tools of an MCP client that starts this program."""

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable, Coroutine
from typing import Annotated, Any

import typer
from msgspec.structs import replace

from recollect import log
from recollect.api.app import App
from recollect.app import projects
from recollect.app.services import Services, open_services
from recollect.asgi import application
from recollect.cli import lock
from recollect.cli.common import DataOption, fail, settings
from recollect.errors import InvalidInput, NotAuthenticated, RecollectError
from recollect.graph.acting import Acting
from recollect.graph.types import Access
from recollect.settings import Settings

_WORKER = "mcp"
_UNKNOWN_KEY = "RECOLLECT_API_KEY is no key of this store: mend it, or leave it unset"
_NOT_WITH_A_KEY = (
    "--project and --write are for when no key is given: a key opens its own project, and "
    "`recollect key change --mcp-write` lets it write"
)


def mcp_(
    project: Annotated[
        str | None,
        typer.Option(help="Project to open when no key is given.", show_default="default"),
    ] = None,
    write: Annotated[
        bool, typer.Option("--write", help="Offer the tools that change the memory, too.")
    ] = False,
    url: Annotated[
        str | None, typer.Option(help="Speak to the server there instead of opening a folder.")
    ] = None,
    data: DataOption = None,
) -> None:
    """Serve the Model Context Protocol on standard input and output.

    With RECOLLECT_API_KEY set, that key says what may be done; else the whole project may be read.
    """
    chosen = settings(data=data)
    secret = chosen.api_key.get_secret_value() if chosen.api_key else None
    if (secret or url) and (project or write):
        raise fail(_NOT_WITH_A_KEY)
    log.configure(chosen.log_format, chosen.log_level)
    try:
        work = _relay(url, secret) if url else _open(chosen, secret, project, write=write)
        asyncio.run(_to_the_end(work))
    except RecollectError as error:
        raise fail(error.message) from error


async def _to_the_end(work: Coroutine[Any, Any, bool]) -> None:
    if not await work:
        # A thread still waits for a line that may never come, and the loop would wait for it.
        os._exit(0)


async def _relay(url: str, secret: str | None) -> bool:
    return await _until_stopped(_forward(url, secret))


async def _forward(url: str, secret: str | None) -> None:
    from recollect.mcp import stdio  # the SDK: only this command has to wait for it

    try:
        await stdio.forward(url, secret)
    except Exception as error:
        raise RecollectError(f"the server at {url} cannot be used: {_cause(error)}") from error


def _cause(error: BaseException) -> str:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return str(error) or type(error).__name__


async def _open(chosen: Settings, secret: str | None, project: str | None, *, write: bool) -> bool:
    """Whether input ended by itself, after which everything is closed either way."""
    services = await open_services(chosen)
    app = application(services)
    try:
        access = await _access(
            services, app, secret, project or projects.DEFAULT_PROJECT, write=write
        )
        if lock.holder(chosen.data) is None:  # a server that runs on the folder does the work
            services.start_workers(min(1, chosen.workers), owner=_WORKER)
        return await _until_stopped(_serve(app, access))
    finally:
        await app.close()
        await services.close()


async def _serve(app: App, access: Callable[[], Awaitable[Access]]) -> None:
    from recollect.mcp import stdio  # the SDK: only this command has to wait for it

    await stdio.serve(app.gate, access)


async def _access(
    services: Services, app: App, secret: str | None, project: str, *, write: bool
) -> Callable[[], Awaitable[Access]]:
    """Who asks: the key's owner, as of each message, or somebody who may do everything."""
    if secret is None:
        entered = await projects.enter(services, Acting.by_command("mcp"), project)
        everything = replace(entered, acting=None, mcp_write=write)
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
    """Do the work until it is done or a signal asks to stop; whether it was done."""
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
