"""A folder without the services: enough for a command that looks after keys, projects or files.

Opening it loads no reader, no model and no index, whether or not a server is using the folder.
"""

from dataclasses import dataclass
from typing import Protocol

from recollect.app.stores import open_store
from recollect.governance.audited import AuditedStore
from recollect.graph.acting import Acting
from recollect.graph.types import Access
from recollect.settings import Settings
from recollect.store.protocol import Store


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
