"""A memory bound to one user, graph or thread: the same methods without naming it each time."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, Unpack, overload

from recollect.library.convert import Content, Moment, Told
from recollect.library.results import Entity, Episode, Fact, Forgotten, Observation, Summary
from recollect.library.search import Kind, Narrowing, Results
from recollect.limits import PAGE_DEFAULT, PAGE_MAX, SEARCH_LIMIT_DEFAULT

if TYPE_CHECKING:
    from recollect.library.memory import Memory


class GraphMemory:
    """The memory of one user or one graph."""

    def __init__(
        self, memory: "Memory", *, user: str | None = None, graph: str | None = None
    ) -> None:
        self._memory = memory
        self._user = user
        self._graph = graph

    @property
    def id(self) -> str:
        """The id of the user or the graph."""
        return self._user or self._graph or ""

    async def add(
        self,
        content: Content,
        *,
        thread: str | None = None,
        kind: Told | None = None,
        role: str | None = None,
        name: str | None = None,
        created_at: Moment | None = None,
        expires_at: Moment | None = None,
        metadata: Mapping[str, Any] | None = None,
        wait: bool = True,
    ) -> str:
        """Remember something; returns its uuid."""
        return await self._memory.add(
            content,
            user=self._user,
            graph=self._graph,
            thread=thread,
            kind=kind,
            role=role,
            name=name,
            created_at=created_at,
            expires_at=expires_at,
            metadata=metadata,
            wait=wait,
        )

    @overload
    async def search(
        self,
        query: str,
        *,
        kind: Literal["facts"] = "facts",
        limit: int = SEARCH_LIMIT_DEFAULT,
        **narrow: Unpack[Narrowing],
    ) -> list[Fact]: ...

    @overload
    async def search(
        self,
        query: str,
        *,
        kind: Literal["entities"],
        limit: int = SEARCH_LIMIT_DEFAULT,
        **narrow: Unpack[Narrowing],
    ) -> list[Entity]: ...

    @overload
    async def search(
        self,
        query: str,
        *,
        kind: Literal["episodes"],
        limit: int = SEARCH_LIMIT_DEFAULT,
        **narrow: Unpack[Narrowing],
    ) -> list[Episode]: ...

    @overload
    async def search(
        self,
        query: str,
        *,
        kind: Literal["observations"],
        limit: int = SEARCH_LIMIT_DEFAULT,
        **narrow: Unpack[Narrowing],
    ) -> list[Observation]: ...

    @overload
    async def search(
        self,
        query: str,
        *,
        kind: Literal["summaries"],
        limit: int = SEARCH_LIMIT_DEFAULT,
        **narrow: Unpack[Narrowing],
    ) -> list[Summary]: ...

    async def search(
        self,
        query: str,
        *,
        kind: Kind = "facts",
        limit: int = SEARCH_LIMIT_DEFAULT,
        **narrow: Unpack[Narrowing],
    ) -> Results:
        """The best matches for a question, best first."""
        return await self._memory.search(
            query, user=self._user, graph=self._graph, kind=kind, limit=limit, **narrow
        )

    async def context(self, query: str | None = None) -> str:
        """One text for a prompt: what is relevant to the question, or else the newest facts."""
        return await self._memory.context(query, user=self._user, graph=self._graph)

    async def facts(
        self,
        *,
        at: Moment | None = None,
        known_at: Moment | None = None,
        ended: bool = False,
        limit: int = PAGE_DEFAULT,
    ) -> list[Fact]:
        """The facts that hold now, or at a given time; with *ended*, all facts."""
        return await self._memory.facts(
            user=self._user, graph=self._graph, at=at, known_at=known_at, ended=ended, limit=limit
        )

    async def entity(self, called: str) -> Entity:
        """Someone or something by name or uuid, with the facts about it that hold now."""
        return await self._memory.entity(called, user=self._user, graph=self._graph)

    async def timeline(self, entity: str, *, limit: int = PAGE_MAX) -> list[Fact]:
        """All facts about an entity in the order they became true."""
        return await self._memory.timeline(entity, user=self._user, graph=self._graph, limit=limit)

    async def rate(self, instruction: str, *, high: str, medium: str, low: str) -> None:
        """Rate every fact learned from now on from 0 to 1, by an example of each level."""
        await self._memory.rate(
            instruction, high=high, medium=medium, low=low, user=self._user, graph=self._graph
        )

    async def forget(self) -> Forgotten:
        """Erase the user or the graph with everything in it."""
        return await self._memory.forget(user=self._user, graph=self._graph)


class ThreadMemory:
    """One conversation of a user."""

    def __init__(self, memory: "Memory", *, thread: str, user: str) -> None:
        self._memory = memory
        self._thread = thread
        self._user = user

    @property
    def id(self) -> str:
        """The id of the thread."""
        return self._thread

    @property
    def user(self) -> str:
        """The id of the thread's user."""
        return self._user

    async def add(
        self,
        content: str,
        *,
        role: str = "user",
        name: str | None = None,
        created_at: Moment | None = None,
        expires_at: Moment | None = None,
        metadata: Mapping[str, Any] | None = None,
        wait: bool = True,
    ) -> str:
        """Remember a message; returns its uuid."""
        return await self._memory.add(
            content,
            user=self._user,
            thread=self._thread,
            role=role,
            name=name,
            created_at=created_at,
            expires_at=expires_at,
            metadata=metadata,
            wait=wait,
        )

    async def context(self, query: str | None = None) -> str:
        """One text for a prompt: what is relevant to the newest messages, or to the question."""
        return await self._memory.context(query, user=self._user, thread=self._thread)

    async def messages(self, *, limit: int = PAGE_DEFAULT) -> list[Episode]:
        """The newest messages, oldest first."""
        return await self._memory.messages(self._thread, limit=limit)

    async def forget(self) -> Forgotten:
        """Erase the thread, and what only it supported."""
        return await self._memory.forget(thread=self._thread)
