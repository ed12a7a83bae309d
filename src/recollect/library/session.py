"""One session of the episodic memory, `organisation/project`: a graph, as its two memories see it."""

from collections.abc import Sequence
from typing import Any

from recollect.app import episodic_sessions
from recollect.app.episodic_sessions import session_of
from recollect.episodic_memory.settings import SettingsChange
from recollect.episodic_memory.types import MemorySettings
from recollect.graph.types import Graph, NewEpisode
from recollect.library.engine import Engine


class EpisodicSession:
    """Where a session is kept. It is made by the first episode; until then there is nothing in it."""

    def __init__(self, engine: Engine, key: str) -> None:
        self.engine = engine
        self.key = key
        self.place = session_of(key)

    async def look(self) -> tuple[Graph | None, MemorySettings]:
        """The graph, if there is one, and what was chosen about its memories."""
        return await self.engine.ask(episodic_sessions.look, self.place)

    async def add(self, new: Sequence[NewEpisode], *, wait: bool) -> list[str]:
        """Keep checked episodes, and wait until they were learned, if that is wanted."""
        access = self.engine.acts("memory.add", self.place.target)
        stored = await self.engine.act(access, episodic_sessions.add, self.place, new)
        if wait and stored.task_uuid is not None:
            await self.engine.learned(stored.task_uuid)
        return stored.uuids

    async def choose(self, **change: Any) -> None:
        """Let what is given hold for this session from now on; it has to be there."""
        access = self.engine.acts("memory.config.set", self.place.target)
        await self.engine.act(
            access, episodic_sessions.choose, self.place, SettingsChange(**change)
        )
