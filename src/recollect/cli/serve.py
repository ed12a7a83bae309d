"""`recollect serve` and `recollect worker`: the two long-running commands."""

import asyncio
import contextlib
import signal
import socket
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Annotated

import typer
import uvicorn
import uvloop

from recollect import log
from recollect.app import projects
from recollect.app.projects import NewKey
from recollect.app.services import Services, open_services
from recollect.asgi import application
from recollect.cli import connections, lock
from recollect.cli.common import DataOption, err, fail, settings
from recollect.cli.connections import Crowd
from recollect.cli.protocol import BoundedProtocol
from recollect.errors import RecollectError, StoreUnavailable
from recollect.graph.acting import Acting
from recollect.graph.types import Key
from recollect.limits import KEEP_ALIVE_S, START_CHECK_S
from recollect.settings import Settings

_log = log.get(__name__)
SERVER = "server"
_BACKLOG = 2048
_TICKS_PER_SWEEP = 10  # of a tenth of a second


def serve(
    host: Annotated[
        str | None, typer.Option(help="Address to listen on.", show_default="127.0.0.1")
    ] = None,
    port: Annotated[
        int | None, typer.Option(help="Port to listen on; 0 takes a free one.", show_default="8000")
    ] = None,
    data: DataOption = None,
    workers: Annotated[
        int | None,
        typer.Option(help="Workers in this process; 0 for none.", show_default="2"),
    ] = None,
) -> None:
    """Start the memory server."""
    chosen = settings(host=host, port=port, data=data, workers=workers)
    log.configure(chosen.log_format, chosen.log_level)
    listening = _listen(chosen)
    try:
        with (
            lock.hold(chosen.data),
            asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner,
        ):
            runner.run(_serve(chosen, listening))
    except RecollectError as error:
        raise fail(error.message) from error


def _listen(chosen: Settings) -> socket.socket:
    """Take the port first: a taken one is said at once, before the store is touched."""
    family = socket.AF_INET6 if ":" in chosen.host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((chosen.host, chosen.port))
        listening.listen(_BACKLOG)
    except OSError as error:
        listening.close()
        raise fail(
            f"cannot listen on {chosen.host}:{chosen.port}: {error.strerror}",
            "Stop what uses the port, or choose another one with --port.",
        ) from error
    return listening


class _Server(uvicorn.Server):
    """A server for which being asked to stop is not a failure: it ends with exit code 0."""

    def __init__(self, config: uvicorn.Config, services: Services, crowd: Crowd) -> None:
        super().__init__(config)
        self._services = services
        self._crowd = crowd

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Let those go who listen to session logs, or the end would wait for them."""
        self._services.listeners.close()
        super().handle_exit(sig, frame)

    async def on_tick(self, counter: int) -> bool:
        """Look after those who are connected, now and then."""
        if counter % _TICKS_PER_SWEEP == 0:
            self._crowd.sweep(asyncio.get_running_loop().time())
        return await super().on_tick(counter)

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Stop on SIGINT and SIGTERM, and do not raise them again afterwards."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self.handle_exit, number, None)
        yield
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)


async def _serve(chosen: Settings, listening: socket.socket) -> None:
    services = await open_services(chosen, check_s=START_CHECK_S)
    app = application(services)
    try:
        await _prepare(services, listening)
        crowd = connections.crowd(chosen.connections_max, chosen.connections_per_address_max)
        config = uvicorn.Config(
            app,
            http=partial(BoundedProtocol, crowd=crowd),  # type: ignore[arg-type]
            lifespan="off",
            access_log=False,
            log_level="warning",
            ws="none",
            server_header=False,
            date_header=False,
            proxy_headers=False,
            timeout_graceful_shutdown=int(chosen.stop_grace_s),
            timeout_keep_alive=KEEP_ALIVE_S,
        )
        await _Server(config, services, crowd).serve(sockets=[listening])
    finally:
        await app.close()
        await services.close()


async def _prepare(services: Services, listening: socket.socket) -> None:
    """The default project, its key, the workers; then say where and how to reach us."""
    chosen = services.settings
    secret = chosen.api_key.get_secret_value() if chosen.api_key else None
    key = await _default_key(services, secret)
    try:
        await services.take_over(SERVER)
    except StoreUnavailable as error:
        _log.error("store.not_writable", error=error.message)  # what can be read is served
    services.start_workers(chosen.workers, owner=SERVER)
    services.warm()
    services.finish_erasures()
    host, port = listening.getsockname()[:2]
    _announce(f"http://{host}:{port}", chosen.data, key, given=secret is not None)


async def _default_key(services: Services, secret: str | None) -> NewKey | Key:
    """The key of the default project; where nothing can be written, the one that is there."""
    try:
        return await projects.default_key(services, Acting.by_command("serve"), secret)
    except StoreUnavailable:
        found = await projects.default_key_there(services, secret)
        if found is None:
            raise
        return found


def _announce(address: str, folder: Path, key: NewKey | Key, *, given: bool) -> None:
    err.print(f"Recollect listens on  {address}   (documentation: {address}/docs)")
    err.print(f"Data is kept in       {folder.resolve()}")
    if given:
        err.print("API key               the one in RECOLLECT_API_KEY")
    elif isinstance(key, NewKey):
        err.print(f"API key               {key.secret}")
        err.print("                      shown this once: keep it, only its hash is stored")
    else:
        err.print(
            f"API key               the one made before ({key.prefix}…); "
            "`recollect key create` makes another"
        )


def worker(data: DataOption = None) -> None:
    """Work on the queue of a store that `recollect serve --workers 0` fills."""
    chosen = settings(data=data)
    log.configure(chosen.log_format, chosen.log_level)
    try:
        asyncio.run(_work(chosen))
    except RecollectError as error:
        raise fail(error.message) from error


async def _work(chosen: Settings) -> None:
    services = await open_services(chosen)
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stopped.set)
    services.start_workers(max(1, chosen.workers), owner="worker")
    err.print(f"Working on the queue in {chosen.data.resolve()}")
    await stopped.wait()
    await services.close()
