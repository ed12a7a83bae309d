"""Agents as readers: they take an episode as a prompt, and give an answer back.

They get the same prompt and schema as a language model, and the same rules apply to the answer. What
was shown is stored with the claim, so that ids in the answer mean what they meant then.
"""

from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from typing import Any, Literal

from msgspec.structs import replace

from recollect.errors import AnswerRefused, Conflict, ModelAnswerInvalid, NotFound
from recollect.extract import llm
from recollect.extract.brief import Brief, Extracted
from recollect.graph.found import Found
from recollect.graph.predicates import Predicates
from recollect.graph.types import Access, Episode, Record
from recollect.ingest import known, rereadings
from recollect.ingest.extractors import EmbeddedExtractor
from recollect.ingest.folder import Folder
from recollect.ingest.judging import one_judged
from recollect.ingest.rereadings import Held
from recollect.models.language_model import Prompt
from recollect.search.finder import Finder
from recollect.store.protocol import Store, Transaction

_READER: Literal["agent"] = "agent"


class Taken(Record):
    """An episode to read: the prompt, the schema of the answer, and when the lease expires."""

    episode_uuid: str
    lease: str
    expires_at: datetime
    prompt: Prompt
    schema: dict[str, Any]


class Given(Record):
    """How many entities and facts an accepted answer has."""

    episode_uuid: str
    entities: int
    facts: int


class Agents:
    """Hands out the episodes that wait for agents, and takes their answers.

    *embedded* computes the vectors of facts; it may return None if nothing is extracted here.
    """

    def __init__(
        self,
        store: Store,
        folder: Folder,
        finder: Finder,
        table: Predicates,
        embedded: Callable[[], EmbeddedExtractor | None],
        *,
        attempts_max: int,
        judges: bool = False,
    ) -> None:
        self._store = store
        self._folder = folder
        self._finder = finder
        self._table = table
        self._embedded = embedded
        self._attempts_max = attempts_max
        self._judges = judges

    async def take(self, access: Access, graph_id: int | None = None) -> Taken | None:
        """The next episode that waits for an agent, of one graph if given; None if there is none."""
        found = await self._claim(access, graph_id)
        if found is None:
            found = await self._claim_folded(access, graph_id)
        if found is None:
            return None
        taken, brief = found
        return Taken(
            episode_uuid=taken.episode.uuid,
            lease=taken.lease,
            expires_at=taken.until,
            prompt=llm.prompt(brief, self._table),
            schema=llm.schema(),
        )

    async def _claim_folded(
        self, access: Access, graph_id: int | None
    ) -> tuple[Held, Brief] | None:
        """Claim after folding what was left unfolded, for instance by a process that died."""
        left = await self._store.read(
            rereadings.unfolded, "agent", access=access, graph_id=graph_id
        )
        for one in left:
            await self._folder.fold(one)
        return await self._claim(access, graph_id) if left else None

    async def _claim(self, access: Access, graph_id: int | None) -> tuple[Held, Brief] | None:
        due = await self._store.read(rereadings.next_due, "agent", access=access, graph_id=graph_id)
        if due is None:
            return None
        taken = await self._store.write(_claim, access, graph_id)
        if taken is None:
            return None
        brief = await known.brief(
            self._store, self._finder, access, taken.episode, strict=taken.strict_ontology
        )
        if brief is None:
            return None
        try:
            await self._store.write(rereadings.show, taken, brief)
        except (Conflict, NotFound):  # forgotten in the meantime
            return None
        return taken, brief

    async def give(self, access: Access, episode_uuid: str, lease: str, answer: bytes) -> Given:
        """Replace the first reading with an answer.

        AnswerRefused says where it breaks a rule; the lease stays valid for a retry, unless there were
        too many. Conflict: the lease was lost. NotFound: the episode is gone.
        """
        taken, brief = await self._store.read(_shown, access, episode_uuid, lease)
        try:
            found = llm.read_answer(answer, brief, self._table, reader=_READER)
        except ModelAnswerInvalid as error:
            parked = await self._store.write(
                rereadings.fail, taken, error.message, attempts_max=self._attempts_max
            )
            more = "; too many answers were refused, and it is parked" if parked else ""
            raise AnswerRefused(f"answer: {error.message}{more}") from error
        read = await self._finished(taken.episode, brief, found)
        await self._store.write(_succeed, access, taken, read)
        await self._folder.fold(taken.episode.graph_id)
        return Given(
            episode_uuid=episode_uuid,
            entities=len(read.found.entities),
            facts=len(read.found.facts),
        )

    async def failed(self, access: Access, episode_uuid: str, lease: str, error: str) -> bool:
        """Record that there was no answer at all, and release the episode; True if it is parked now."""
        taken, _ = await self._store.read(_shown, access, episode_uuid, lease)
        return await self._store.write(_fail, access, taken, error, self._attempts_max)

    async def give_back(self, access: Access, episode_uuid: str, lease: str) -> None:
        """Release the episode, if the lease still holds."""
        nobody = replace(access, acting=None)  # the audit log already has the attempt before
        await self._store.write(_give_back, nobody, episode_uuid, lease)

    async def _finished(self, episode: Episode, brief: Brief, found: Found) -> Extracted:
        embedded = self._embedded() if found.facts else None
        if embedded is None:
            return Extracted(found=found, fact_vectors=(None,) * len(found.facts))
        read = await embedded.finish(brief, found)
        if not self._judges:
            return read
        return await one_judged(self._store, self._finder, embedded, episode, read)


def _claim(tx: Transaction, access: Access, graph_id: int | None) -> Held | None:
    return rereadings.claim(tx, "agent", access=access, graph_id=graph_id)


def _succeed(tx: Transaction, access: Access, taken: Held, read: Extracted) -> None:
    rereadings.succeed(tx, taken, read)


def _fail(tx: Transaction, access: Access, taken: Held, error: str, attempts_max: int) -> bool:
    return rereadings.fail(tx, taken, error, attempts_max=attempts_max, backoff_first_s=0.0)


def _shown(tx: Transaction, access: Access, episode_uuid: str, lease: str) -> tuple[Held, Brief]:
    """The episode held under a lease and the brief that was shown, if the caller may see it."""
    return rereadings.shown(tx, rereadings.place(tx, access, episode_uuid), lease)


def _give_back(tx: Transaction, access: Access, episode_uuid: str, lease: str) -> None:
    with suppress(Conflict, NotFound):  # it was parked, or lost
        rereadings.give_back(tx, _shown(tx, access, episode_uuid, lease)[0])
