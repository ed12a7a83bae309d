"""The memory embedded in a program, for asynchronous code.

    async with Memory.open("my-memory") as memory:
        await memory.add("I moved to Lisbon in May.", user="ann")
        for fact in await memory.search("Where does Ann live?", user="ann"):
            print(fact)

Several programs can have a folder open at once, including a server. Nothing is printed, and logging is
silent unless the program configures structlog.
"""

from collections.abc import Generator, Mapping
from os import PathLike
from types import TracebackType
from typing import Any, Literal, Self, Unpack, overload

from recollect.app import expiry, memories, provenance
from recollect.app.memories import MemoryRef, one_memory
from recollect.app.projects import DEFAULT_PROJECT
from recollect.errors import InvalidInput
from recollect.graph.acting import Target
from recollect.graph.types import Json
from recollect.library import convert, engine, search
from recollect.library.convert import Content, Moment, Told, moment
from recollect.library.engine import Engine, choose, text_only
from recollect.library.episodic_memory import EpisodicMemoryManager
from recollect.library.handles import GraphMemory, ThreadMemory
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


class Memory:
    """Everything that one folder remembers of one project.

    Most methods need to know whose memory is meant: `user`, `graph` or, where it makes sense, `thread`.
    `user(...)`, `graph(...)` and `thread(...)` return the same methods bound to one of them.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.episodic = EpisodicMemoryManager(engine)  # short-term and long-term, by session

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
        chosen = choose(path, settings)
        return cls(Engine(chosen, project=project, workers=workers))

    async def __aenter__(self) -> Self:
        await self._engine.open()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    def __await__(self) -> Generator[Any, None, Self]:
        return self.__aenter__().__await__()

    async def close(self) -> None:
        """Finish what is being learned and close the folder; safe to repeat."""
        await self.episodic.close()
        await self._engine.close()

    async def add(
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
        place = one_memory(user, graph, thread)
        with text_only():
            new = convert.new_episode(
                place,
                content,
                kind=kind,
                role=role,
                name=name,
                created_at=created_at,
                expires_at=expires_at,
                metadata=metadata,
            )
        if wait:
            self._engine.require_models()
        action = "graph.add" if thread is None else "thread.add_messages"
        access = self._engine.acts(action, place.target)
        stored = await self._engine.act(access, memories.remember, place, new)
        if wait and stored.task_uuid is not None:
            await self._engine.learned(stored.task_uuid)
        return stored.uuids[0]

    @overload
    async def search(
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
    async def search(
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
    async def search(
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
    async def search(
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
    async def search(
        self,
        query: str,
        *,
        user: str | None = None,
        graph: str | None = None,
        kind: Literal["summaries"],
        limit: int = SEARCH_LIMIT_DEFAULT,
        **narrow: Unpack[Narrowing],
    ) -> list[Summary]: ...

    async def search(
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
        place = one_memory(user, graph)
        return await search.search(self._engine, place, query, kind, limit, narrow)

    async def context(
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
        return await self._engine.ask(memories.context, one_memory(user, graph, thread), query)

    async def facts(
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
        if ended and (at is not None or known_at is not None):
            raise InvalidInput("ended: cannot be combined with a point in time")
        found = await self._engine.ask(
            memories.facts,
            one_memory(user, graph),
            at=moment("at", at),
            known_at=moment("known_at", known_at),
            ended=ended,
            limit=limit,
        )
        return [convert.fact(one) for one in found]

    async def entity(
        self, called: str, *, user: str | None = None, graph: str | None = None
    ) -> Entity:
        """Someone or something by name or uuid, with the facts about it that hold now."""
        found, known = await self._engine.ask(memories.entity, one_memory(user, graph), called)
        return convert.entity(found, facts=tuple(convert.fact(one) for one in known))

    async def timeline(
        self,
        entity: str,
        *,
        user: str | None = None,
        graph: str | None = None,
        limit: int = PAGE_MAX,
    ) -> list[Fact]:
        """All facts about an entity, including ended ones, in the order they became true."""
        place = one_memory(user, graph)
        known = await self._engine.ask(memories.timeline, place, entity, limit)
        return [convert.fact(one) for one in known]

    async def learned(self, episode: str) -> list[Fact]:
        """The facts that an episode, given by its uuid, states, restates or closes."""
        found = await self._engine.ask(memories.learned_from, episode)
        return [convert.fact(one) for one in found]

    async def why(self, fact: Fact | str) -> Why:
        """Why a fact is known: the episodes and quotes behind it, what ended it and who decided that,
        and what it ended."""
        uuid = fact if isinstance(fact, str) else fact.uuid
        return convert.why(await self._engine.ask(provenance.of_fact, uuid))

    async def reopen(self, fact: Fact | str) -> Fact:
        """Undo what ended a fact: it holds again, and the same statement does not end it again."""
        uuid = fact if isinstance(fact, str) else fact.uuid
        access = self._engine.acts("graph.edge.reopen", Target("edge", uuid))
        return convert.fact(await self._engine.act(access, provenance.reopen, uuid))

    async def undo(self, fact: Fact | str) -> Fact:
        """Undo the last change by hand to a fact: a correction, an end, or a reopening."""
        uuid = fact if isinstance(fact, str) else fact.uuid
        access = self._engine.acts("graph.edge.undo", Target("edge", uuid))
        return convert.fact(await self._engine.act(access, provenance.undo, uuid))

    async def merge(self, entity: Entity | str, other: Entity | str) -> Entity:
        """Merge the second entity into the first; a user's own node is always the one that stays."""
        uuid, gone = (one if isinstance(one, str) else one.uuid for one in (entity, other))
        access = self._engine.acts("graph.node.merge", Target("node", uuid))
        return convert.entity(await self._engine.act(access, provenance.merge, uuid, gone))

    async def unmerge(self, other: Entity | str) -> Entity:
        """Undo a merge: the merged entity is back, with its own facts."""
        uuid = other if isinstance(other, str) else other.uuid
        access = self._engine.acts("graph.node.unmerge", Target("node", uuid))
        await self._engine.act(access, provenance.unmerge, uuid)
        return convert.entity(await self._engine.ask(memories.known_entity, uuid))

    async def rate(
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
        place = one_memory(user, graph)
        given = _rating(instruction, high=high, medium=medium, low=low)
        action = "user.update" if user is not None else "graph.update"
        access = self._engine.acts(action, place.target)
        await self._engine.act(access, memories.rate, place, given)

    async def forget(
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
        named = {"user": user, "graph": graph, "thread": thread, "episode": episode, "fact": fact}
        return await engine.forget(self._engine, named)

    async def expire(
        self, *, episode: str | None = None, fact: str | None = None, at: Moment | None
    ) -> None:
        """Let an episode or a fact expire at a time, as if it had never been added; None: never."""
        uuid = episode or fact
        if uuid is None or (episode is not None and fact is not None):
            raise InvalidInput("give an episode or a fact")
        kind: Literal["episode", "fact"] = "episode" if episode else "fact"
        noun = "episode" if episode else "edge"
        access = self._engine.acts(f"graph.{noun}.update", Target(noun, uuid))
        await self._engine.act(access, expiry.expire, kind, uuid, moment("at", at))

    async def expired(self, uuid: str) -> Expired | None:
        """An expired episode or fact, with when and why it expired; None if it has not, or if that is no
        longer stored."""
        found = await self._engine.ask(expiry.expired_thing, uuid)
        return None if found is None else convert.expired(found)

    async def messages(self, thread: str, *, limit: int = PAGE_DEFAULT) -> list[Episode]:
        """The newest messages of a thread, oldest first."""
        found = await self._engine.ask(memories.messages, thread, limit)
        return [convert.episode(one) for one in found]

    async def user(
        self,
        user_id: str,
        *,
        first_name: str | None = None,
        last_name: str | None = None,
        email: str | None = None,
        time_zone: str | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> GraphMemory:
        """The memory of a user, who is created if missing; the given details are stored."""
        told: dict[str, Any] = {
            "first_name": first_name,
            "last_name": last_name,
            "email": email,
            "time_zone": time_zone,
            "metadata": None if metadata is None else dict(metadata),
        }
        told = {field: value for field, value in told.items() if value is not None}
        access = self._engine.acts("user.add", Target("user", user_id, chosen=True))
        await self._engine.act(access, memories.ensure_user, user_id, told)
        return GraphMemory(self, user=user_id)

    async def graph(self, graph_id: str) -> GraphMemory:
        """The memory of a standalone graph, which is created if missing."""
        place = MemoryRef(graph=graph_id)
        access = self._engine.acts("graph.create", place.target)
        await self._engine.act(access, memories.ensure, place)
        return GraphMemory(self, graph=graph_id)

    async def thread(self, thread_id: str, *, user: str | None = None) -> ThreadMemory:
        """A conversation; a new one is created for the *user*."""
        access = self._engine.acts("thread.create", Target("thread", thread_id, chosen=True))
        found = await self._engine.act(access, memories.ensure_thread, thread_id, user)
        return ThreadMemory(self, thread=thread_id, user=found.user_id)


def _rating(text: str, *, high: str, medium: str, low: str) -> Json:
    examples = {"high": high, "medium": medium, "low": low}
    for name, given in {"instruction": text, **examples}.items():
        if not given.strip():
            raise InvalidInput(f"{name}: must not be empty")
    return {"instruction": text, "examples": examples}
