"""Bringing in what other memories hold: their episodes are stored, and learned here.

Every episode gets a uuid that follows from where it came from, so bringing in the same file again
adds only what is missing; a file that breaks off is simply brought in again.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import IO, Any

import msgspec

from recollect import ids
from recollect.errors import AlreadyExists, InvalidInput, NotFound
from recollect.exchange.found import (
    Found,
    FoundEpisode,
    FoundGraph,
    FoundThread,
    FoundUser,
    Place,
    Shape,
    Skipped,
)
from recollect.exchange.shapes import graphiti, mem0, memmachine, zep
from recollect.graph.checks import has_nul
from recollect.graph.types import Access, Project, Record
from recollect.ingest import intake
from recollect.limits import EXCHANGE_LINE_BYTES_MAX, IMPORT_EPISODES_PER_COMMIT
from recollect.store import rows
from recollect.store.protocol import Store, Transaction
from recollect.subjects import graphs, threads, users
from recollect.subjects.graphs import GraphDetails
from recollect.subjects.users import UserDetails

SHAPES: Mapping[str, Shape] = {
    "zep": zep.read,
    "mem0": mem0.read,
    "graphiti": graphiti.read,
    "memmachine": memmachine.read,
}


class Brought(Record):
    """What was made and stored; *known* was there before, *skipped* tells why and how much."""

    users: int
    threads: int
    graphs: int
    episodes: int
    known: int
    skipped: dict[str, int]


async def bring(
    store: Store, project: Project, shape: str, file: IO[bytes], progress: Callable[[int], Any]
) -> Brought:
    """Store everything that *file* tells; *progress* hears how many episodes that were."""
    tally = _Tally(project, shape)
    for document in documents(file):
        told = sorted(SHAPES[shape](document), key=_order)
        for place, some in groupby(told, key=_place):
            if place is None:
                for item in some:
                    await _make(store, tally, item)
            else:
                await _store(store, tally, place, [one for one in some if _is_episode(one)])
                progress(tally.episodes + tally.known)
    return tally.told()


def documents(file: IO[bytes]) -> Iterator[Any]:
    """The documents of a file: one JSON document, or one on each line."""
    first = file.readline(EXCHANGE_LINE_BYTES_MAX + 1)
    try:
        document = msgspec.json.decode(first)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        yield _decoded(1, first + file.read())
        return
    yield document if not has_nul(first) else _decoded(1, first)
    number = 1
    while line := file.readline(EXCHANGE_LINE_BYTES_MAX + 1):
        number += 1
        if line.strip():
            yield _decoded(number, line)


def _decoded(number: int, text: bytes) -> Any:
    if has_nul(text):
        raise InvalidInput(f"line {number}: must not contain a NUL character")
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InvalidInput(
            f"line {number}: {error}; what was read before it is kept, and is not doubled when "
            "the mended file is read again"
        ) from error


def _is_episode(item: Found) -> bool:
    return isinstance(item, FoundEpisode)


def _order(item: Found) -> tuple[int, str, Any]:
    """Users, graphs and threads before what was told in them; that by place and time."""
    if isinstance(item, FoundEpisode):
        return 2, repr(item.place), item.at
    return (1 if isinstance(item, FoundThread) else 0), "", 0


def _place(item: Found) -> Place | None:
    return item.place if isinstance(item, FoundEpisode) else None


class _Tally:
    """What was done so far."""

    def __init__(self, project: Project, shape: str) -> None:
        self.project = project
        self.shape = shape
        self.access = Access(project_id=project.id, project_uuid=project.uuid, key_uuid="")
        self.made = {"users": 0, "threads": 0, "graphs": 0}
        self.episodes = 0
        self.known = 0
        self.skipped: dict[str, int] = {}

    def skip(self, reason: str, count: int = 1) -> None:
        self.skipped[reason] = self.skipped.get(reason, 0) + count

    def uuid(self, found: FoundEpisode) -> str:
        seed = f"{self.project.uuid}/{self.shape}/{found.place!r}/{found.id}"
        return ids.derived(found.at, 0, seed)()

    def told(self) -> Brought:
        return Brought(**self.made, episodes=self.episodes, known=self.known, skipped=self.skipped)


class _Done(Record):
    """What one commit did; the audit log finds the project by it."""

    project_id: int
    made: dict[str, int]
    stored: int = 0


async def _make(store: Store, tally: _Tally, item: Found) -> None:
    if isinstance(item, Skipped):
        tally.skip(item.reason)
        return
    try:
        done = await store.write(_made, tally.access, item)
    except (InvalidInput, NotFound) as error:
        tally.skip(error.message)
        return
    _count(tally, done)


def _count(tally: _Tally, done: _Done) -> None:
    for noun, count in done.made.items():
        tally.made[noun] += count


def _made(tx: Transaction, access: Access, item: Found) -> _Done:
    made: dict[str, int] = {}
    if isinstance(item, FoundUser):
        made = _user(tx, access, item.user_id, item.details)
    elif isinstance(item, FoundGraph):
        made = _graph(tx, access, item.graph_id, item.details)
    elif isinstance(item, FoundThread):
        made = _thread(tx, access, item.thread_id, item.user_id)
    return _Done(project_id=access.project_id, made=made)


def _user(tx: Transaction, access: Access, user_id: str, details: UserDetails) -> dict[str, int]:
    try:
        users.get(tx, access, user_id)
    except NotFound:
        users.create(tx, access, user_id, details)
        return {"users": 1}
    return {}


def _graph(tx: Transaction, access: Access, graph_id: str, details: GraphDetails) -> dict[str, int]:
    try:
        graphs.get(tx, access, graph_id)
    except NotFound:
        graphs.create(tx, access, graph_id, details)
        return {"graphs": 1}
    return {}


def _thread(tx: Transaction, access: Access, thread_id: str, user_id: str) -> dict[str, int]:
    try:
        there = threads.get(tx, access, thread_id)
    except NotFound:
        made = _user(tx, access, user_id, UserDetails())
        threads.create(tx, access, thread_id, user_id)
        return {**made, "threads": 1}
    if there.user_id != user_id:
        raise AlreadyExists(f"thread {thread_id!r} is here another user's")
    return {}


async def _store(store: Store, tally: _Tally, place: Place, told: Sequence[Any]) -> None:
    for start in range(0, len(told), IMPORT_EPISODES_PER_COMMIT):
        some = told[start : start + IMPORT_EPISODES_PER_COMMIT]
        planned = [(tally.uuid(one), one.episode) for one in some]
        try:
            done = await store.write(_stored, tally.access, place, planned)
        except (InvalidInput, NotFound) as error:
            tally.skip(error.message, len(some))
            continue
        _count(tally, done)
        tally.episodes += done.stored
        tally.known += len(some) - done.stored


def _stored(
    tx: Transaction, access: Access, place: Place, planned: Sequence[tuple[str, Any]]
) -> _Done:
    made, graph_id, thread_key = _there(tx, access, place)
    listed = rows.to_json([uuid for uuid, _ in planned])
    known = {row["uuid"] for row in tx.all("import_known_episodes", uuids=listed)}
    fresh = {uuid: new for uuid, new in planned if uuid not in known}
    if fresh:
        intake.add_planned(
            tx,
            graph_id=graph_id,
            thread_key=thread_key,
            task_uuid=tx.new_id(),
            planned=list(fresh.items()),
        )
    return _Done(project_id=access.project_id, made=made, stored=len(fresh))


def _there(tx: Transaction, access: Access, place: Place) -> tuple[dict[str, int], int, int | None]:
    """The graph that a place means, and the thread; made when missing, which is told."""
    if place.thread is not None:
        made = {} if place.user is None else _thread(tx, access, place.thread, place.user)
        row = tx.one("thread_place", project_id=access.project_id, thread_id=place.thread)
        if row is None:
            raise NotFound("a thread without a user")
        return made, row["graph_id"], row["id"]
    if place.user is not None:
        made = _user(tx, access, place.user, UserDetails())
        return made, graphs.of_user(tx, access, place.user).id, None
    made = _graph(tx, access, place.graph or "", GraphDetails())
    return made, graphs.get(tx, access, place.graph or "").id, None
