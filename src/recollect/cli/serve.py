"""`recollect serve` and `recollect worker`: the two long-running commands, with TLS or without."""

import asyncio
import contextlib
import os
import signal
import socket
import ssl
from collections.abc import Awaitable, Callable, Iterator
from functools import partial
from ipaddress import ip_address
from pathlib import Path
from types import FrameType
from typing import Annotated

import typer
import uvicorn
import uvloop

from recollect import log
from recollect.api.http import Receive, Scope, Send
from recollect.app import projects, stores
from recollect.app.projects import NewKey
from recollect.app.services import Services, open_services
from recollect.asgi import application, for_pages, watching
from recollect.cli import connections, lock, supervisor, telemetry
from recollect.cli.common import DataOption, err, fail, settings
from recollect.cli.connections import Crowd
from recollect.cli.protocol import BoundedProtocol
from recollect.errors import InvalidInput, RecollectError, StoreUnavailable
from recollect.graph.acting import Acting
from recollect.graph.types import Key
from recollect.limits import KEEP_ALIVE_S, START_CHECK_S
from recollect.settings import Settings

IN_THE_CLEAR = (
    "warning: {host} can be reached from elsewhere, and without TLS keys and memories pass in the clear.\n"
    "         Give --tls-cert and --tls-key, or listen on 127.0.0.1 behind a proxy that has them."
)


def check_tls(chosen: Settings) -> None:
    """Raise InvalidInput if the files are not a certificate and its key."""
    if chosen.tls_cert is None or chosen.tls_key is None:
        return
    for name, path in (("tls_cert", chosen.tls_cert), ("tls_key", chosen.tls_key)):
        try:
            path.read_bytes()
        except OSError as error:
            raise InvalidInput(f"{name}: {path}: {error.strerror}") from error
    try:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(chosen.tls_cert, chosen.tls_key, password=_no_password)
    except (ssl.SSLError, ValueError) as error:
        why = getattr(error, "reason", None) or str(error)
        raise InvalidInput(
            f"tls_cert and tls_key: not a certificate and its key in PEM: {why}"
        ) from error


def _no_password() -> str:
    raise ValueError("the key has a password, and nobody is there to type it")


def is_in_the_clear(chosen: Settings, listening: socket.socket) -> bool:
    """Whether the server is reachable from other machines without TLS."""
    if chosen.tls_cert is not None:
        return False
    return not ip_address(str(listening.getsockname()[0]).partition("%")[0]).is_loopback


_log = log.get(__name__)
Asgi = Callable[[Scope, Receive, Send], Awaitable[None]]
SERVER = "server"
_FIRST_KEY_FILE = "first-key"
_BACKLOG = 2048
_TICKS_PER_SWEEP = 10  # a tick is a tenth of a second


def serve(
    host: Annotated[
        str | None, typer.Option(help="Address to listen on.", show_default="127.0.0.1")
    ] = None,
    port: Annotated[
        int | None,
        typer.Option(help="Port to listen on; 0 chooses a free one.", show_default="8000"),
    ] = None,
    data: DataOption = None,
    tls_cert: Annotated[
        Path | None, typer.Option(help="File with the TLS certificate and its chain.")
    ] = None,
    tls_key: Annotated[
        Path | None, typer.Option(help="File with the key of the certificate.")
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(help="Workers in this process; 0 for none.", show_default="2"),
    ] = None,
) -> None:
    """Start the memory server."""
    chosen = settings(
        host=host, port=port, data=data, workers=workers, tls_cert=tls_cert, tls_key=tls_key
    )
    log.configure(chosen.log_format, chosen.log_level)
    try:
        check_tls(chosen)
    except RecollectError as error:
        raise fail(error.message) from error
    listening = [_listen(chosen.host, chosen.port)]
    if chosen.metrics_port is not None:
        listening.append(_listen(chosen.metrics_host or chosen.host, chosen.metrics_port))
    try:
        with (
            lock.alone(chosen),
            asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner,
        ):
            runner.run(_serve(chosen, listening))
    except RecollectError as error:
        raise fail(error.message) from error


def _listen(host: str, port: int) -> socket.socket:
    """Bind the port first: a port in use is reported at once, before the store is touched."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
        listening.listen(_BACKLOG)
    except OSError as error:
        listening.close()
        raise fail(
            f"cannot listen on {host}:{port}: {error.strerror}",
            "Stop the program that uses the port, or choose another port with --port.",
        ) from error
    return listening


class _Server(uvicorn.Server):
    """A server that exits with code 0 when it is asked to stop."""

    def __init__(self, config: uvicorn.Config, services: Services, crowd: Crowd) -> None:
        super().__init__(config)
        self._services = services
        self._crowd = crowd

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start serving, and notify the supervisor."""
        await super().startup(sockets)
        supervisor.tell("READY=1")

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Release the listeners of session logs, or the shutdown would wait for them."""
        supervisor.tell("STOPPING=1")
        self._services.listeners.close()
        super().handle_exit(sig, frame)

    async def on_tick(self, counter: int) -> bool:
        """Sweep the connections now and then."""
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


async def _serve(chosen: Settings, listening: list[socket.socket]) -> None:
    async with telemetry.sent(chosen) as attach:
        services = await open_services(chosen, check_s=START_CHECK_S)
        attach(services)
        await _answer(services, listening)


async def _answer(services: Services, listening: list[socket.socket]) -> None:
    chosen, app = services.settings, application(services)
    try:
        await _prepare(services, listening[0])
        crowd = connections.crowd(chosen.connections_max, chosen.connections_per_address_max)
        config = uvicorn.Config(
            _by_port(for_pages(app), services, listening),
            http=partial(BoundedProtocol, crowd=crowd),  # type: ignore[arg-type]
            lifespan="off",
            access_log=False,
            log_level="warning",
            ws="none",
            server_header=False,
            date_header=False,
            proxy_headers=bool(chosen.trusted_proxies),
            forwarded_allow_ips=chosen.trusted_proxies or None,
            timeout_graceful_shutdown=int(chosen.stop_grace_s),
            timeout_keep_alive=KEEP_ALIVE_S,
            ssl_certfile=chosen.tls_cert,
            ssl_keyfile=chosen.tls_key,
        )
        await _Server(config, services, crowd).serve(sockets=listening)
    finally:
        await app.close()
        await services.close()


def _by_port(app: Asgi, services: Services, listening: list[socket.socket]) -> Asgi:
    """The application; on the second port, only metrics, health and readiness."""
    if len(listening) == 1:
        return app
    watched, port = watching(services), listening[1].getsockname()[1]
    _log.info("metrics.served", port=port)

    async def choose(scope: Scope, receive: Receive, send: Send) -> None:
        answer = watched if (scope.get("server") or (None, None))[1] == port else app
        await answer(scope, receive, send)

    return choose


async def _prepare(services: Services, listening: socket.socket) -> None:
    """Set up the default project, its key and the workers; then print where and how to connect."""
    chosen = services.settings
    secret = chosen.api_key.get_secret_value() if chosen.api_key else None
    key = await _default_key(services, secret)
    if services.has_folder_alone:
        try:
            await services.take_over(SERVER)
        except StoreUnavailable as error:
            _log.error("store.not_writable", error=error.message)  # reads are still served
    services.start_workers(
        chosen.workers, owner=SERVER if services.has_folder_alone else services.owner
    )
    services.warm()
    services.finish_erasures()
    host, port = listening.getsockname()[:2]
    if is_in_the_clear(chosen, listening):
        err.print(IN_THE_CLEAR.format(host=host))
        _log.warning("server.in_the_clear", host=host)
    scheme = "http" if chosen.tls_cert is None else "https"
    _announce(f"{scheme}://{host}:{port}", chosen, key, given=secret is not None)


async def _default_key(services: Services, secret: str | None) -> NewKey | Key:
    """The key of the default project; if the store is not writable, the existing one."""
    try:
        return await projects.default_key(services, Acting.by_command("serve"), secret)
    except StoreUnavailable:
        found = await projects.default_key_there(services, secret)
        if found is None:
            raise
        return found


def _announce(address: str, chosen: Settings, key: NewKey | Key, *, given: bool) -> None:
    err.print(f"Recollect listens on  {address}   (documentation: {address}/docs)")
    err.print(f"Data is kept in       {stores.place(chosen)}")
    if given:
        err.print("API key               the one in RECOLLECT_API_KEY")
    elif isinstance(key, NewKey) and err.is_terminal:
        err.print(f"API key               {key.secret}")
        err.print("                      shown only once: save it, only its hash is stored")
    elif isinstance(key, NewKey):
        err.print(f"API key               in {_kept(chosen.data, key.secret)}")
        err.print(
            "                      delete the file once you have saved the key: only its hash is stored"
        )
    else:
        err.print(
            f"API key               created earlier ({key.prefix}…); "
            "`recollect key create` creates another"
        )


def _kept(folder: Path, secret: str) -> Path:
    """Write a new key to a file if there is no terminal: logs are stored, and others read them."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)  # the store itself may be elsewhere
    file = folder.resolve() / _FIRST_KEY_FILE
    file.unlink(missing_ok=True)
    with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as kept:
        kept.write(f"{secret}\n")
    return file


def worker(data: DataOption = None) -> None:
    """Process the queue of a store; `recollect serve --workers 0` leaves the queue to it."""
    chosen = settings(data=data)
    log.configure(chosen.log_format, chosen.log_level)
    try:
        asyncio.run(_work(chosen))
    except RecollectError as error:
        raise fail(error.message) from error


async def _work(chosen: Settings) -> None:
    async with telemetry.sent(chosen) as attach:
        services = await open_services(chosen)
        attach(services)
        await _work_off(services)


async def _work_off(services: Services) -> None:
    chosen, stopped = services.settings, asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stopped.set)
    services.start_workers(max(1, chosen.workers), owner=services.owner)
    err.print(f"Processing the queue of {stores.place(chosen)}")
    supervisor.tell("READY=1")
    await stopped.wait()
    supervisor.tell("STOPPING=1")
    await services.close()
