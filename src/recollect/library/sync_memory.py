"""The memory inside a program, for code that does not await: generated, edit `memory.py`.

    with SyncMemory.open("my-memory") as memory:
        memory.add("I moved to Lisbon in May.", user="ann")
        for fact in memory.search("Where does Ann live?", user="ann"):
            print(fact)

`python scripts/sync_face.py` writes this file. A thread runs the asynchronous memory until it is
closed, and each call here waits for it; it may be used from several threads at once.
"""

from collections.abc import Coroutine, Mapping
from os import PathLike
from typing import Any, Literal, Self, Unpack, overload

from recollect.app.projects import DEFAULT_PROJECT
from recollect.errors import Conflict
from recollect.library.convert import Content, Moment, Told
from recollect.library.handles import GraphMemory, ThreadMemory
from recollect.library.memory import Memory
from recollect.library.portal import Face, OpenFace, Portal
from recollect.library.results import (
    Entity,
    Episode,
    Expired,
    Fact,
    Forgotten,
    Observation,
    Summary,
    Why,
)
from recollect.library.search import Kind, Narrowing, Results
from recollect.limits import PAGE_DEFAULT, PAGE_MAX, SEARCH_LIMIT_DEFAULT
from recollect.settings import Settings


class SyncGraphMemory(Face[GraphMemory]):
    """The memory of one user or one graph."""

    @property
    def id(self) -> str:
        """The id of the user or the graph."""
        return self._behind.id

    def add(
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
        return self._wait(
            self._behind.add(
                content,
                thread=thread,
                kind=kind,
                role=role,
                name=name,
                created_at=created_at,
                expires_at=expires_at,
                metadata=metadata,
                wait=wait,
            )
        )

    @overload
    def search(
        self,
        query: str,
        *,
        kind: Literal["facts"] = "facts",
        limit: int = SEARCH_LIMIT_DEFAULT,
        **narrow: Unpack[Narrowing],
    ) -> list[Fact]: ...

    @overload
    def search(
        self,
        query: str,
        *,
        kind: Literal["entities"],
        limit: int = SEARCH_LIMIT_DEFAULT,
        **narrow: Unpack[Narrowing],
    ) -> list[Entity]: ...

    @overload
    def search(
        self,
        query: str,
        *,
        kind: Literal["episodes"],
        limit: int = SEARCH_LIMIT_DEFAULT,
        **narrow: Unpack[Narrowing],
    ) -> list[Episode]: ...

    @overload
    def search(
        self,
        query: str,
        *,
        kind: Literal["observations"],
        limit: int = SEARCH_LIMIT_DEFAULT,
        **narrow: Unpack[Narrowing],
    ) -> list[Observation]: ...

    @overload
    def search(
        self,
        query: str,
        *,
        kind: Literal["summaries"],
        limit: int = SEARCH_LIMIT_DEFAULT,
        **narrow: Unpack[Narrowing],
    ) -> list[Summary]: ...

    def search(
        self,
        query: str,
        *,
        kind: Kind = "facts",
        limit: int = SEARCH_LIMIT_DEFAULT,
        **narrow: Unpack[Narrowing],
    ) -> Results:
        """The best matches for a question, best first."""
        work: Coroutine[Any, Any, Results] = self._behind.search(
            query, kind=kind, limit=limit, **narrow
        )
        return self._wait(work)

    def context(self, query: str | None = None) -> str:
        """One text for a prompt: what is relevant to the question, or else the newest facts."""
        return self._wait(self._behind.context(query))

    def facts(
        self,
        *,
        at: Moment | None = None,
        known_at: Moment | None = None,
        ended: bool = False,
        limit: int = PAGE_DEFAULT,
    ) -> list[Fact]:
        """The facts that hold now, or at a given time; with *ended*, all facts."""
        return self._wait(self._behind.facts(at=at, known_at=known_at, ended=ended, limit=limit))

    def entity(self, called: str) -> Entity:
        """Someone or something by name or uuid, with the facts about it that hold now."""
        return self._wait(self._behind.entity(called))

    def timeline(self, entity: str, *, limit: int = PAGE_MAX) -> list[Fact]:
        """All facts about an entity in the order they became true."""
        return self._wait(self._behind.timeline(entity, limit=limit))

    def rate(self, instruction: str, *, high: str, medium: str, low: str) -> None:
        """Rate every fact learned from now on from 0 to 1, by an example of each level."""
        return self._wait(self._behind.rate(instruction, high=high, medium=medium, low=low))

    def forget(self) -> Forgotten:
        """Erase the user or the graph with everything in it."""
        return self._wait(self._behind.forget())


class SyncThreadMemory(Face[ThreadMemory]):
    """One conversation of a user."""

    @property
    def id(self) -> str:
        """The id of the thread."""
        return self._behind.id

    @property
    def user(self) -> str:
        """The id of the thread's user."""
        return self._behind.user

    def add(
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
        return self._wait(
            self._behind.add(
                content,
                role=role,
                name=name,
                created_at=created_at,
                expires_at=expires_at,
                metadata=metadata,
                wait=wait,
            )
        )

    def context(self, query: str | None = None) -> str:
        """One text for a prompt: what is relevant to the newest messages, or to the question."""
        return self._wait(self._behind.context(query))

    def messages(self, *, limit: int = PAGE_DEFAULT) -> list[Episode]:
        """The newest messages, oldest first."""
        return self._wait(self._behind.messages(limit=limit))

    def forget(self) -> Forgotten:
        """Erase the thread, and what only it supported."""
        return self._wait(self._behind.forget())


class SyncMemory(OpenFace[Memory]):
    """Everything that one folder remembers of one project.

    Most methods need to know whose memory is meant: `user`, `graph` or, where it makes sense, `thread`.
    `user(...)`, `graph(...)` and `thread(...)` return the same methods bound to one of them.
    """

    @classmethod
    def open(
        cls,
        path: str | PathLike[str] | None = None,
        *,
        project: str = DEFAULT_PROJECT,
        workers: int = 1,
        settings: Settings | None = None,
    ) -> Self:
        """The memory in a folder, which is created if missing: use it in a `with` block, or await it.

        *workers* learn from what is added; 0 leaves that to another program that has the folder open,
        such as a server. Other settings come from the environment, or from *settings*.
        """
        portal = Portal()
        try:
            behind = portal.call(
                _opened(Memory.open(path, project=project, workers=workers, settings=settings))
            )
        except BaseException:
            portal.close()
            raise
        return cls(portal, behind)

    def close(self) -> None:
        """Finish what is being learned and close the folder; safe to repeat."""
        try:
            self._wait(self._behind.close())
        except Conflict:
            return
        finally:
            self._portal.close()

    def add(
        self,
        content: Content,
        *,
        user: str | None = None,
        graph: str | None = None,
        thread: str | None = None,
        kind: Told | None = None,
        role: str | None = None,
        name: str | None = None,
        created_at: Moment | None = None,
        expires_at: Moment | None = None,
        metadata: Mapping[str, Any] | None = None,
        wait: bool = True,
    ) -> str:
        """Remember something; returns its uuid.

        Text for a user or a thread is a message of that user, unless *role* and *name* give another
        speaker, or *kind* makes it a `text` without one. For a graph it is a text, unless a speaker is
        given. A dictionary or a list is JSON. User, graph and thread are created if missing. At
        *expires_at* it is forgotten. Returns once it has been learned or, without *wait*, once it is on disk.
        """
        return self._wait(
            self._behind.add(
                content,
                user=user,
                graph=graph,
                thread=thread,
                kind=kind,
                role=role,
                name=name,
                created_at=created_at,
                expires_at=expires_at,
                metadata=metadata,
                wait=wait,
            )
        )

    @overload
    def search(
        self,
        query: str,
        *,
        user: str | None = None,
        graph: str | None = None,
        kind: Literal["facts"] = "facts",
        limit: int = SEARCH_LIMIT_DEFAULT,
        **narrow: Unpack[Narrowing],
    ) -> list[Fact]: ...

    @overload
    def search(
        self,
        query: str,
        *,
        user: str | None = None,
        graph: str | None = None,
        kind: Literal["entities"],
        limit: int = SEARCH_LIMIT_DEFAULT,
        **narrow: Unpack[Narrowing],
    ) -> list[Entity]: ...

    @overload
    def search(
        self,
        query: str,
        *,
        user: str | None = None,
        graph: str | None = None,
        kind: Literal["episodes"],
        limit: int = SEARCH_LIMIT_DEFAULT,
        **narrow: Unpack[Narrowing],
    ) -> list[Episode]: ...

    @overload
    def search(
        self,
        query: str,
        *,
        user: str | None = None,
        graph: str | None = None,
        kind: Literal["observations"],
        limit: int = SEARCH_LIMIT_DEFAULT,
        **narrow: Unpack[Narrowing],
    ) -> list[Observation]: ...

    @overload
    def search(
        self,
        query: str,
        *,
        user: str | None = None,
        graph: str | None = None,
        kind: Literal["summaries"],
        limit: int = SEARCH_LIMIT_DEFAULT,
        **narrow: Unpack[Narrowing],
    ) -> list[Summary]: ...

    def search(
        self,
        query: str,
        *,
        user: str | None = None,
        graph: str | None = None,
        kind: Kind = "facts",
        limit: int = SEARCH_LIMIT_DEFAULT,
        **narrow: Unpack[Narrowing],
    ) -> Results:
        """The best matches for a question, best first; `Narrowing` lists the filters."""
        work: Coroutine[Any, Any, Results] = self._behind.search(
            query, user=user, graph=graph, kind=kind, limit=limit, **narrow
        )
        return self._wait(work)

    def context(
        self,
        query: str | None = None,
        *,
        user: str | None = None,
        graph: str | None = None,
        thread: str | None = None,
    ) -> str:
        """One text for a prompt: who the user is, and what is relevant.

        Relevant to the *query*, or else to the newest messages of the thread; without either, it has the
        newest facts.
        """
        return self._wait(self._behind.context(query, user=user, graph=graph, thread=thread))

    def facts(
        self,
        *,
        user: str | None = None,
        graph: str | None = None,
        at: Moment | None = None,
        known_at: Moment | None = None,
        ended: bool = False,
        limit: int = PAGE_DEFAULT,
    ) -> list[Fact]:
        """The facts that hold now, most recently learned first.

        Or what was true *at* some time, what the memory knew at *known_at*, or both combined; with
        *ended*, all facts, including those that no longer hold.
        """
        return self._wait(
            self._behind.facts(
                user=user, graph=graph, at=at, known_at=known_at, ended=ended, limit=limit
            )
        )

    def entity(self, called: str, *, user: str | None = None, graph: str | None = None) -> Entity:
        """Someone or something by name or uuid, with the facts about it that hold now."""
        return self._wait(self._behind.entity(called, user=user, graph=graph))

    def timeline(
        self,
        entity: str,
        *,
        user: str | None = None,
        graph: str | None = None,
        limit: int = PAGE_MAX,
    ) -> list[Fact]:
        """All facts about an entity, including ended ones, in the order they became true."""
        return self._wait(self._behind.timeline(entity, user=user, graph=graph, limit=limit))

    def learned(self, episode: str) -> list[Fact]:
        """The facts that an episode, given by its uuid, states, restates or closes."""
        return self._wait(self._behind.learned(episode))

    def why(self, fact: Fact | str) -> Why:
        """Why a fact is known: the episodes and quotes behind it, what ended it and who decided that,
        and what it ended."""
        return self._wait(self._behind.why(fact))

    def reopen(self, fact: Fact | str) -> Fact:
        """Undo what ended a fact: it holds again, and the same statement does not end it again."""
        return self._wait(self._behind.reopen(fact))

    def undo(self, fact: Fact | str) -> Fact:
        """Undo the last change by hand to a fact: a correction, an end, or a reopening."""
        return self._wait(self._behind.undo(fact))

    def merge(self, entity: Entity | str, other: Entity | str) -> Entity:
        """Merge the second entity into the first; a user's own node is always the one that stays."""
        return self._wait(self._behind.merge(entity, other))

    def unmerge(self, other: Entity | str) -> Entity:
        """Undo a merge: the merged entity is back, with its own facts."""
        return self._wait(self._behind.unmerge(other))

    def rate(
        self,
        instruction: str,
        *,
        high: str,
        medium: str,
        low: str,
        user: str | None = None,
        graph: str | None = None,
    ) -> None:
        """Rate every fact learned from now on from 0 to 1, by an example of each level.

        Searches can filter by it with *rating_min*, which never excludes facts without a rating.
        """
        return self._wait(
            self._behind.rate(
                instruction, high=high, medium=medium, low=low, user=user, graph=graph
            )
        )

    def forget(
        self,
        *,
        user: str | None = None,
        graph: str | None = None,
        thread: str | None = None,
        episode: str | None = None,
        fact: str | None = None,
    ) -> Forgotten:
        """Erase one of these and what only it supported.

        Facts that a user, a thread, a graph or an episode had ended hold again; those that a fact had
        ended do not.
        """
        return self._wait(
            self._behind.forget(user=user, graph=graph, thread=thread, episode=episode, fact=fact)
        )

    def expire(
        self, *, episode: str | None = None, fact: str | None = None, at: Moment | None
    ) -> None:
        """Let an episode or a fact expire at a time, as if it had never been added; None: never."""
        return self._wait(self._behind.expire(episode=episode, fact=fact, at=at))

    def expired(self, uuid: str) -> Expired | None:
        """An expired episode or fact, with when and why it expired; None if it has not, or if that is no
        longer stored."""
        return self._wait(self._behind.expired(uuid))

    def messages(self, thread: str, *, limit: int = PAGE_DEFAULT) -> list[Episode]:
        """The newest messages of a thread, oldest first."""
        return self._wait(self._behind.messages(thread, limit=limit))

    def user(
        self,
        user_id: str,
        *,
        first_name: str | None = None,
        last_name: str | None = None,
        email: str | None = None,
        time_zone: str | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> SyncGraphMemory:
        """The memory of a user, who is created if missing; the given details are stored."""
        return SyncGraphMemory(
            self._portal,
            self._wait(
                self._behind.user(
                    user_id,
                    first_name=first_name,
                    last_name=last_name,
                    email=email,
                    time_zone=time_zone,
                    metadata=metadata,
                )
            ),
        )

    def graph(self, graph_id: str) -> SyncGraphMemory:
        """The memory of a standalone graph, which is created if missing."""
        return SyncGraphMemory(self._portal, self._wait(self._behind.graph(graph_id)))

    def thread(self, thread_id: str, *, user: str | None = None) -> SyncThreadMemory:
        """A conversation; a new one is created for the *user*."""
        return SyncThreadMemory(self._portal, self._wait(self._behind.thread(thread_id, user=user)))


async def _opened(memory: Memory) -> Memory:
    return await memory
