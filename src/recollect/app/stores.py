"""The store that the settings name: a file in a folder, or a database that many processes
share; and a folder of data without the services."""

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
    """Open it, making and migrating it as needed.

    *check_s*: how long to wait for a look at the whole file before it is used; None for no look.
    """
    count = chosen.readers if readers is None else readers
    if (url := database(chosen)) is None:
        return SqliteStore.open(chosen.data, readers=count, clock=clock, check_s=check_s)
    from recollect.store.postgres import PostgresStore

    return PostgresStore.open(url, readers=count, clock=clock)


def database(chosen: Settings) -> str | None:
    """The URL of the database, None for a folder; what it takes to speak to one is there."""
    if chosen.store is None:
        return None
    if (says := extras.missing("postgres")) is not None:
        raise StoreUnavailable(says)
    return chosen.store.get_secret_value()


def has_store(chosen: Settings) -> bool:
    """Whether there is a store; a database is taken to be there."""
    return chosen.store is not None or (chosen.data / FILE_NAME).is_file()


def place(chosen: Settings) -> str:
    """Where the store is, for people to read: no password, no options."""
    if chosen.store is None:
        return str(chosen.data.resolve())
    url = urlsplit(chosen.store.get_secret_value())
    who, at, where = url.netloc.rpartition("@")
    return f"{url.scheme}://{who.partition(':')[0]}{at}{where or 'localhost'}{url.path}"


def at(chosen: Settings, place: str) -> Settings:
    """The same settings with the store at another place, a folder or the URL of a database."""
    if place.startswith(_DATABASE):
        return chosen.model_copy(update={"store": SecretStr(place)})
    if "://" in place:
        known = " or ".join(f"{one}…" for one in _DATABASE)
        raise InvalidInput(f"{place.partition(':')[0]}: no store of ours; give a folder or {known}")
    return chosen.model_copy(update={"data": Path(place), "store": None})


# A folder without the services: enough for a command that looks after keys, projects or files.
#
# Opening it loads no reader, no model and no index, whether or not a server is using the folder.


class WithStore(Protocol):
    """Services, or only the folder: what a use case takes that needs nothing but the store."""

    @property
    def store(self) -> Store:
        """The store of the folder."""


@dataclass(frozen=True, slots=True)
class DataFolder:
    """An open folder. Whoever opened it closes it."""

    store: Store

    async def close(self) -> None:
        """Let go of every file."""
        await self.store.close()


def open_folder(chosen: Settings) -> DataFolder:
    """Open the store, which is made when it is missing."""
    return DataFolder(AuditedStore(open_store(chosen, readers=1)))


def without_project(acting: Acting | None) -> Access:
    """The access of somebody who has not named a project yet."""
    return Access(project_id=0, project_uuid="", key_uuid="", acting=acting)
