"""A store that goes through histories of readings, and queries to check it afterwards."""

import asyncio
import shutil
import tempfile
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from msgspec.structs import replace

from recollect.derive import readings
from recollect.errors import Conflict, InvalidInput, NotFound
from recollect.extract.brief import Brief, Extracted, Profile
from recollect.governance import erasure
from recollect.graph import predicates
from recollect.graph.found import FoundEntity, FoundFact, Nodes, Triple
from recollect.graph.types import DIRECT_KINDS, Access, Episode, NewEpisode
from recollect.ingest import intake, queue, rebuild
from recollect.ingest.intake import Receipt
from recollect.records import graphs, knowledge, merges, threads, users
from recollect.records.graphs import GraphDetails
from recollect.records.knowledge import EntityChange, FactChange
from recollect.records.users import UserDetails
from recollect.store import rows
from recollect.store.protocol import Transaction
from tests.contract.store.world import new_project
from tests.property.fold_steps import (
    RELATIONS,
    Add,
    Change,
    Erase,
    Reread,
    Restart,
    Retry,
    Settle,
    Step,
)
from tests.property.reader import VECTOR, LearnedReader
from tests.support import here
from tests.support.stores import copy_store, open_store, raw

T = TypeVar("T")
BEGIN = datetime(2024, 1, 1, tzinfo=UTC)
TABLE = predicates.load()


class Told:
    """A reader that returns a given result."""

    together = 1
    wants_known = False
    predicates = TABLE

    def __init__(self, answer: Extracted) -> None:
        self._answer = answer

    async def extract(self, readings: Sequence[Brief]) -> list[Extracted]:
        """The given result, whatever the text says."""
        return [self._answer for _ in readings]

    async def close(self) -> None:
        """Nothing to close."""


async def begin(folder: Path) -> None:
    """A user, a thread and a standalone graph."""
    store = open_store(folder, readers=1, clock=lambda: BEGIN)
    access = await new_project(store, "first")
    await store.write(users.create, access, "u", UserDetails(first_name="Jane"))
    await store.write(threads.create, access, "t", "u")
    await store.write(graphs.create, access, "g", GraphDetails())
    await store.close()


class World:
    """A copy of another store, with a clock that is set by hand."""

    def __init__(self, like: Path) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="recollect-fold-"))
        copy_store(like, self.folder)
        self.runner = asyncio.Runner()
        self.now = BEGIN
        self._open()
        self.access: Access = self.read(_only_key)
        self.graphs: list[int] = self.read(_graph_ids)

    def _open(self) -> None:
        self.store = open_store(self.folder, readers=1, clock=lambda: self.now)

    def run(self, call: Awaitable[T]) -> T:
        """Await on this world's own loop."""

        async def wait() -> T:
            return await call

        return self.runner.run(wait())

    def write(self, unit: Callable[..., T], *args: Any) -> T:
        """Run a write unit."""
        return self.run(self.store.write(unit, *args))

    def read(self, unit: Callable[..., T], *args: Any) -> T:
        """Run a read unit."""
        return self.run(self.store.read(unit, *args))

    def close(self) -> None:
        """Close and remove the store."""
        self.run(self.store.close())
        self.runner.close()
        shutil.rmtree(self.folder)

    def restart(self) -> None:
        """Close the store and open it again."""
        self.run(self.store.close())
        self._open()

    def settle(self) -> None:
        """Fold the graphs that are marked to be folded again."""
        for graph_id in self.graphs:
            self.run(here.settle(self.store, graph_id))

    def fold(self) -> None:
        """Fold everything from the beginning."""
        for graph_id in self.graphs:
            self.run(here.fold(self.store, graph_id))

    def digests(self) -> list[str]:
        """The digests of both graphs."""
        return [self.read(rebuild.digest, graph_id) for graph_id in self.graphs]

    def live(self, history: Sequence[Step], after: Callable[[Step], None] = lambda _: None) -> None:
        """Take all steps, an hour apart."""
        for number, step in enumerate(history, start=1):
            self.now = BEGIN + timedelta(hours=number)
            self.take(step)
            after(step)

    def take(self, step: Step) -> None:
        """Take one step; does nothing if there is nothing to apply it to."""
        if isinstance(step, Add):
            self._add(step)
        elif isinstance(step, Retry):
            self._retry(step)
        elif isinstance(step, Reread):
            self._reread(step)
        elif isinstance(step, Erase):
            if (episode := self._episode(step.pick)) is not None:
                self.write(erasure.forget_episodes, [episode.id], step.mode)
        elif isinstance(step, Change):
            self._change(step)
        elif isinstance(step, Settle):
            self.settle()
        elif isinstance(step, Restart):
            self.restart()

    def _add(self, step: Add) -> None:
        self.write(say, self.access, step, self.now)
        if step.fails:
            self.park()
        else:
            self.run(here.learn(self.store, LearnedReader()))

    def park(self) -> None:
        """Let all due jobs fail until they are parked."""
        while (held := self.write(queue.claim, "w")) is not None:
            self.write(_park, held)

    def _retry(self, step: Retry) -> None:
        parked = self.read(queue.parked, self.access, 100)
        if parked:
            self.write(queue.retry, self.access, parked[step.pick % len(parked)].episode_uuid)
            self.run(here.learn(self.store, LearnedReader()))

    def _reread(self, step: Reread) -> None:
        episode = self._episode(step.pick)
        if episode is None or episode.processed_at is None or episode.kind in DIRECT_KINDS:
            return
        user = Profile(name="Jane", user_id="u") if episode.graph_id == self.graphs[0] else None
        text = " ".join(step.words)
        brief = Brief(kind="text", content=text, at=episode.created_at, user=user)
        (answer,) = self.run(LearnedReader().extract([brief]))
        before = [e for e in self.read(log) if e.graph_id == episode.graph_id and e.processed_at]
        cites = tuple(e.seq for e in before if e.seq < episode.seq and step.cites)
        told = tuple(replace(fact, cites=cites) for fact in answer.found.facts)
        found = replace(answer.found, facts=told, placed=True, guarded=())
        self.write(readings.replace, episode.id, found, answer.fact_vectors)

    def _episode(self, pick: int) -> Episode | None:
        found = self.read(log)
        return found[pick % len(found)] if found else None

    def _change(self, step: Change) -> None:
        kind, _, how = step.what.partition(".")
        if step.what == "entity.unmerge":
            found = self.read(merged)
        else:
            found = self.read(facts if kind == "fact" else entities)
        if not found:
            return
        row = found[step.pick % len(found)]
        if step.what == "entity.merge":
            with suppress(InvalidInput):  # entities of two graphs, or twice the same
                other = found[(step.pick + len(step.word)) % len(found)]
                self.write(merges.merge, self.access, row["uuid"], other["uuid"])
            return
        # An open fact cannot be reopened, the user's own node cannot be deleted, and a merge that was not
        # carried out cannot be undone.
        with suppress(Conflict, InvalidInput, NotFound):
            self.write(by_hand, self.access, kind, how, row["uuid"], step.word)


def by_hand(tx: Transaction, access: Access, kind: str, how: str, uuid: str, word: str) -> None:
    """Change a fact or an entity by hand."""
    if (kind, how) == ("entity", "unmerge"):
        merges.unmerge(tx, access, uuid)
    elif (kind, how) == ("fact", "undo"):
        merges.undo(tx, access, uuid)
    elif (kind, how) == ("fact", "delete"):
        knowledge.delete_fact(tx, access, uuid)
    elif (kind, how) == ("fact", "reopen"):
        knowledge.reopen_fact(tx, access, uuid)
    elif (kind, how) == ("entity", "delete"):
        knowledge.delete_entity(tx, access, uuid)
    elif kind == "fact":
        changes = {
            "word": FactChange(fact=f"it is said of {word}", vector=VECTOR),
            "end": FactChange(invalid_at=tx.now, expired_at=tx.now),
            "begin": FactChange(valid_at=BEGIN, attributes={"by": word}),
        }
        knowledge.update_fact(tx, access, uuid, changes[how])
    else:
        given = {
            "name": EntityChange(name=word.title()),
            "summary": EntityChange(summary=f"Known for {word}."),
            "attributes": EntityChange(attributes={"by": word}),
        }
        knowledge.update_entity(tx, access, uuid, given[how])


def _park(tx: Transaction, held: queue.Claim) -> None:
    queue.fail(tx, held, held.jobs[0], "x", attempts_max=1, backoff_first_s=0.0)


def say(tx: Transaction, access: Access, step: Add, now: datetime) -> Receipt:
    """Add an episode where it belongs."""
    new = _episode(step, now)
    if step.place != "thread":
        ids = ("u", None) if step.place == "user" else (None, "g")
        return intake.add_episodes(tx, access, *ids, [new])
    if step.kind == "text":
        return intake.add_messages(tx, access, "t", [new])
    thread = threads.get(tx, access, "t")
    return intake.add_direct(tx, access, thread.graph_id, [new], thread.id)


def _episode(step: Add, now: datetime) -> NewEpisode:
    first, last = step.words[0], step.words[-1]
    if step.kind == "text" and step.place == "thread":
        return NewEpisode(kind="message", content=" ".join(step.words), role="user")
    if step.kind == "text":
        return NewEpisode(kind="text", content=" ".join(step.words))
    if step.kind == "node":
        told = f"Known for {last}." if len(step.words) > 1 else None
        nodes = Nodes(nodes=(FoundEntity(name=first, summary=told),))
        return NewEpisode(kind="nodes", content=msgspec.json.encode(nodes).decode())
    relation, last = RELATIONS[len(step.words) % len(RELATIONS)], f"{last}ville"
    sentence = f"{first} {relation.lower()} {last}"
    fact = FoundFact(
        source=0, target=1, name=relation, predicate=relation, fact=sentence, valid_at=now
    )
    triple = Triple(source=FoundEntity(name=first), target=FoundEntity(name=last), fact=fact)
    return NewEpisode(kind="fact_triple", content=msgspec.json.encode(triple).decode())


# Queries for what is in the store.


def _only_key(tx: Any) -> Access:
    row = raw(tx).execute("SELECT id, uuid FROM projects").fetchone()
    return Access(project_id=row["id"], project_uuid=row["uuid"], key_uuid="k")


def _graph_ids(tx: Any) -> list[int]:
    return [row["id"] for row in raw(tx).execute("SELECT id FROM graphs ORDER BY kind DESC")]


def log(tx: Any) -> list[Episode]:
    """All episodes, in order."""
    found = raw(tx).named(
        "SELECT e.*, t.thread_id AS thread_name FROM episodes e"
        " LEFT JOIN threads t ON t.id = e.thread_id ORDER BY e.graph_id, e.seq"
    )
    return [rows.episode(row) for row in found]


def facts(tx: Any) -> list[Any]:
    """The learned facts, without those from the user's record."""
    sql = "SELECT * FROM facts WHERE extractor IS NOT NULL ORDER BY graph_id, uuid"
    return list(raw(tx).execute(sql).fetchall())


def entities(tx: Any) -> list[Any]:
    """All entities."""
    return list(raw(tx).execute("SELECT * FROM entities ORDER BY graph_id, uuid").fetchall())


def merged(tx: Any) -> list[Any]:
    """The entities that were merged by hand into another, under their old uuids."""
    sql = "SELECT subject AS uuid FROM edits WHERE kind = 'entity.merge' ORDER BY id"
    return list(raw(tx).execute(sql).fetchall())
