"""The audit log of a project: reading it, and verifying that it was not tampered with."""

from recollect.app.stores import WithStore
from recollect.governance import audit, keys
from recollect.governance.audit import Entry, Outcome, Verdict, Wanted
from recollect.graph.types import Access, Project
from recollect.store.protocol import Transaction

__all__ = ["Entry", "Outcome", "Verdict", "Wanted"]


async def page(
    services: WithStore, access: Access, wanted: Wanted, *, limit: int, before: int | None = None
) -> list[Entry]:
    """The entries that match, newest first."""
    return await services.store.read(
        audit.page, access.project_id, wanted, limit=limit, before=before
    )


async def verify(
    services: WithStore, access: Access, project: str | None, expected: str | None
) -> list[tuple[Project, Verdict]]:
    """Verify the whole log of one project, or of every project."""
    return await services.store.read(_verify, project, expected)


def _verify(
    tx: Transaction, project: str | None, expected: str | None
) -> list[tuple[Project, Verdict]]:
    chosen = keys.list_projects(tx) if project is None else [keys.project_named(tx, project)]
    return [(owner, audit.verify(tx, owner, expected)) for owner in chosen]
