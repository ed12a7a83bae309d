"""One session of the episodic memory, `organisation/project`: a graph, as its two memories see it."""

from collections.abc import Callable, Sequence
from typing import Any, Concatenate, ParamSpec, TypeVar

from recollect.governance.audit_targets import Target
from recollect.graph.types import Access, Graph, NewEpisode
from recollect.ingest import intake
from recollect.ingest.intake import Receipt
from recollect.library.engine import Engine
from recollect.memories import names, settings
from recollect.memories.settings import Choice
from recollect.memories.types import MemorySettings
from recollect.store.protocol import Transaction
from recollect.subjects import graphs

P = ParamSpec("P")
T = TypeVar("T")


class Session:
    """Where a session is kept. It is made by the first episode; until then there is nothing in it."""

    def __init__(self, engine: Engine, key: str) -> None:
        self.engine = engine
        self.key = key
        self.org_id, self.project_id = names.of_session(key)

    @property
    def target(self) -> Target:
        """What the audit log calls it."""
        named = names.graph_of(self.org_id, self.project_id)
        return Target("user" if named.kind == "user" else "graph", named.id, chosen=True)

    async def look(self) -> tuple[Graph | None, MemorySettings]:
        """The graph, if there is one, and what was chosen about its memories."""
        return await self.engine.read(_look, self, settings.usual(self.engine.settings))

    async def read(
        self,
        unit: Callable[Concatenate[Transaction, Access, P], T],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        """Run a unit on one snapshot."""
        return await self.engine.read(unit, *args, **kwargs)

    async def add(self, new: Sequence[NewEpisode], *, wait: bool) -> list[str]:
        """Keep checked episodes, and wait until they were learned, if that is wanted."""
        stored = await self.engine.write("memory.add", self.target, _add, self, new)
        if wait and stored.task_uuid is not None:
            await self.engine.learned(stored.task_uuid)
        else:
            self.engine.opened.services.wake_workers()
        return stored.uuids

    async def choose(self, **change: Any) -> None:
        """Let what is given hold for this session from now on; it has to be there."""
        await self.engine.write("memory.config.set", self.target, _choose, self, Choice(**change))


def _look(
    tx: Transaction, access: Access, session: Session, usual: MemorySettings
) -> tuple[Graph | None, MemorySettings]:
    named = names.graph_of(session.org_id, session.project_id)
    graph = graphs.find(tx, access, named.kind, named.id)
    if graph is None:
        return None, settings.of_project(tx, access, usual)
    return graph, settings.of_graph(tx, access, graph, usual)


def _add(tx: Transaction, access: Access, session: Session, new: Sequence[NewEpisode]) -> Receipt:
    named = names.graph_of(session.org_id, session.project_id)
    return intake.add_entries(tx, access, named.kind, named.id, new, field="session_key")


def _choose(tx: Transaction, access: Access, session: Session, change: Choice) -> None:
    graph = names.find(tx, access, session.org_id, session.project_id)
    settings.choose_for_graph(tx, access, graph, change)
