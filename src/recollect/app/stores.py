"""Opening the configured store: a file in a folder, or a database that processes share.

Also a data folder without the services on top.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol
from urllib.parse import urlsplit

from pydantic import SecretStr

from recollect import extras
from recollect.clock import Clock, system_clock
from recollect.errors import InvalidInput, StoreUnavailable
from recollect.governance.audited import AuditedStore
from recollect.graph.acting import Acting
from recollect.graph.types import Access
from recollect.settings import Settings
from recollect.store.protocol import Store
from recollect.store.sqlite import SqliteStore
from recollect.store.sqlite.connection import FILE_NAME

_DATABASE = ("postgresql://", "postgres://")


def open_store(
    chosen: Settings,
    *,
    readers: int | None = None,
    clock: Clock = system_clock,
    check_s: float | None = None,
) -> Store:
    """Open the configured store, creating and migrating it as needed.

    *check_s*: how long to wait for an integrity check of the file before it is used; None skips the check.
    """
    count = chosen.readers if readers is None else readers
    if (url := database(chosen)) is None:
        return SqliteStore.open(chosen.data, readers=count, clock=clock, check_s=check_s)
    from recollect.store.postgres import PostgresStore

    return PostgresStore.open(url, readers=count, clock=clock)


def database(chosen: Settings) -> str | None:
    """The URL of the database, None for a folder; raises StoreUnavailable if the driver is missing."""
    if chosen.store is None:
        return None
    if (says := extras.missing("postgres")) is not None:
        raise StoreUnavailable(says)
    return chosen.store.get_secret_value()


def has_store(chosen: Settings) -> bool:
    """Whether there is a store; a database is assumed to exist."""
    return chosen.store is not None or (chosen.data / FILE_NAME).is_file()


def place(chosen: Settings) -> str:
    """The location of the store for display, without password and options."""
    if chosen.store is None:
        return str(chosen.data.resolve())
    url = urlsplit(chosen.store.get_secret_value())
    who, at, where = url.netloc.rpartition("@")
    return f"{url.scheme}://{who.partition(':')[0]}{at}{where or 'localhost'}{url.path}"


def at(chosen: Settings, place: str) -> Settings:
    """The same settings with another store: a folder, or the URL of a database."""
    if place.startswith(_DATABASE):
        return chosen.model_copy(update={"store": SecretStr(place)})
    if "://" in place:
        known = " or ".join(f"{one}…" for one in _DATABASE)
        raise InvalidInput(
            f"{place.partition(':')[0]}: not a supported store; give a folder or {known}"
        )
    return chosen.model_copy(update={"data": Path(place), "store": None})


# A data folder without the services: enough for commands that manage keys, projects or files. Opening it
# loads no reader, no model and no index, and works while a server is using the folder.


class WithStore(Protocol):
    """Services or a data folder: what a use case takes if it needs nothing but the store."""

    @property
    def store(self) -> Store:
        """The store of the folder."""


@dataclass(frozen=True, slots=True)
class DataFolder:
    """An open data folder. The caller that opened it has to close it."""

    store: Store

    async def close(self) -> None:
        """Close every file."""
        await self.store.close()


def open_folder(chosen: Settings) -> DataFolder:
    """Open the store; it is created if missing."""
    return DataFolder(AuditedStore(open_store(chosen, readers=1)))


def without_project(acting: Acting | None) -> Access:
    """The access of an actor that has not named a project yet."""
    return Access(project_id=0, project_uuid="", key_uuid="", acting=acting)
