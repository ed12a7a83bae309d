"""Sessions of the episodic memory, named `organisation/project`: each is a graph."""

from collections.abc import Collection, Sequence

from recollect.app.services import Services
from recollect.app.units import reads, writes
from recollect.episodic_memory import long_term, names, settings, short_term
from recollect.episodic_memory.settings import MemoryQuery, MemorySettings, SettingsChange
from recollect.graph.acting import Target
from recollect.graph.types import Access, Episode, Graph, NewEpisode, Record
from recollect.ingest import intake
from recollect.ingest.intake import Receipt
from recollect.records import graphs
from recollect.search.query import Hit
from recollect.store.protocol import Transaction
from recollect.store.work import beside_others


class SessionName(Record):
    """Which session: an organisation's project, or a user's own graph."""

    org_id: str
    project_id: str

    @property
    def target(self) -> Target:
        """The session as a target in the audit log."""
        named = names.graph_of(self.org_id, self.project_id)
        return Target("user" if named.kind == "user" else "graph", named.id, chosen=True)


def session_of(key: str) -> SessionName:
    """The session of a key such as `acme/support`."""
    org_id, project_id = names.of_session(key)
    return SessionName(org_id=org_id, project_id=project_id)


async def look(
    services: Services, access: Access, session: SessionName
) -> tuple[Graph | None, MemorySettings]:
    """The graph of a session, if there is one, and the settings of its memories."""
    return await services.store.read(_look, access, session, settings.usual(services.settings))


def _look(
    tx: Transaction, access: Access, session: SessionName, usual: MemorySettings
) -> tuple[Graph | None, MemorySettings]:
    named = names.graph_of(session.org_id, session.project_id)
    graph = graphs.find(tx, access, named.kind, named.id)
    if graph is None:
        return None, settings.of_project(tx, access, usual)
    return graph, settings.of_graph(tx, access, graph, usual)


async def add(
    services: Services, access: Access, session: SessionName, new: Sequence[NewEpisode]
) -> Receipt:
    """Store validated episodes; the first ones create the session."""
    stored = await services.store.write(_add, access, session, new)
    services.wake_workers()
    return stored


@beside_others
def _add(
    tx: Transaction, access: Access, session: SessionName, new: Sequence[NewEpisode]
) -> Receipt:
    named = names.graph_of(session.org_id, session.project_id)
    return intake.add_entries(tx, access, named.kind, named.id, new, field="session_key")


@writes
def choose(tx: Transaction, access: Access, session: SessionName, change: SettingsChange) -> None:
    """Change the settings of a session, which must exist."""
    graph = names.find(tx, access, session.org_id, session.project_id)
    settings.choose_for_graph(tx, access, graph, change)


newest = reads(short_term.read)


async def search(
    services: Services,
    access: Access,
    graph: Graph,
    asked: MemoryQuery,
    *,
    without: Collection[str] = (),
) -> tuple[Hit[Episode], ...]:
    """The episodes that match a question best, in chronological order."""
    return await long_term.search(
        services.finder, services.store, access, graph, asked, without=without
    )
