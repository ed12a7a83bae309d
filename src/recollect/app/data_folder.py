"""A folder without the services: enough for a command that looks after keys, projects or files.

Opening it loads no reader, no model and no index, whether or not a server is using the folder.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from recollect.governance.audited import AuditedStore
from recollect.graph.acting import Acting
from recollect.graph.types import Access
from recollect.store.protocol import Store
from recollect.store.sqlite import SqliteStore
from recollect.store.sqlite.connection import FILE_NAME


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


def open_folder(data: Path) -> DataFolder:
    """Open the store of a folder, which is made when it is missing."""
    return DataFolder(AuditedStore(SqliteStore.open(data, readers=1)))


def has_store(data: Path) -> bool:
    """Whether there is a store in a folder."""
    return (data / FILE_NAME).is_file()


def without_project(acting: Acting | None) -> Access:
    """The access of somebody who has not named a project yet."""
    return Access(project_id=0, project_uuid="", key_uuid="", acting=acting)
