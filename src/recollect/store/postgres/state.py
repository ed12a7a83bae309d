"""A read-only view of the database for its operator."""

import ipaddress
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import NamedTuple

import psycopg

from recollect.clock import system_clock
from recollect.errors import StoreUnavailable
from recollect.ids import TimeOrderedIds
from recollect.store.postgres import migrate
from recollect.store.postgres.connection import (
    APPLICATION,
    Connection,
    DatabaseSession,
    PostgresTransaction,
    connect,
)
from recollect.store.postgres.store import unreachable

VERSION_MIN = 15
_ROLE = "SELECT rolname, rolsuper, rolbypassrls FROM pg_roles WHERE rolname = current_user"
_OTHERS = (
    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
    " AND application_name = %s AND pid <> pg_backend_pid()"
)


class DatabaseState(NamedTuple):
    """The state of the server and the role. *known* is the schema version of this program."""

    version: int
    encoding: str
    is_encrypted: bool
    is_near: bool
    role: str
    sees_everything: bool
    schema: int
    known: int
    connections: int


@contextmanager
def looking(url: str) -> Iterator[Connection]:
    """A read-only connection; raises StoreUnavailable if the database cannot be reached."""
    try:
        opened = connect(url)
    except psycopg.Error as error:
        raise unreachable(error) from error
    with closing(opened) as connection:
        connection.execute("SET default_transaction_read_only = on")
        connection.execute("SET recollect.project = '*'")  # of all projects, or no rows are visible
        try:
            yield connection
        except psycopg.Error as error:
            raise StoreUnavailable(
                f"the database says: {str(error).partition(chr(10))[0]}"
            ) from error


def state(connection: Connection) -> DatabaseState:
    """Query the state of the database."""
    role = connection.execute(_ROLE).fetchone() or ("", 0, 0)
    encoding = connection.execute("SHOW server_encoding").fetchone() or ("",)
    others = connection.execute(_OTHERS, (APPLICATION,)).fetchone() or (0,)
    return DatabaseState(
        version=connection.info.server_version // 10_000,
        encoding=str(encoding[0]),
        is_encrypted=connection.pgconn.ssl_in_use,
        is_near=_is_near(connection.info.host),
        role=str(role[0]),
        sees_everything=bool(role[1] or role[2]),
        schema=migrate.version(connection),
        known=len(migrate.available()),
        connections=int(others[0]),
    )


def transaction(connection: Connection) -> PostgresTransaction:
    """A transaction object for typed queries, each of which sees the data at its own moment."""
    return PostgresTransaction(DatabaseSession(connection), system_clock, TimeOrderedIds())


def migrated(url: str) -> tuple[list[str], int]:
    """Bring the schema up to date; returns what was applied, and the version now."""
    try:
        with closing(connect(url)) as connection:
            return migrate.apply(connection), migrate.version(connection)
    except (psycopg.OperationalError, psycopg.ProgrammingError) as error:
        raise unreachable(error) from error


def _is_near(host: str) -> bool:
    """Whether nobody can eavesdrop on the way: a socket, or a loopback address."""
    if host.startswith(("/", "@")) or host in ("", "localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
