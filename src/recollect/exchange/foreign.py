"""Imports from other products: their episodes are stored and read here.

The uuid of an episode is derived from its origin. So importing a file again adds only what is
missing, and an interrupted import can simply be repeated.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import IO, Any

import msgspec

from recollect import ids
from recollect.errors import AlreadyExists, InvalidInput, NotFound
from recollect.exchange import foreign_formats
from recollect.exchange.foreign_formats import (
    Destination,
    ForeignEpisode,
    ForeignGraph,
    ForeignRecord,
    ForeignThread,
    ForeignUser,
    Shape,
    Skipped,
)
from recollect.graph.checks import has_nul
from recollect.graph.types import Access, Record
from recollect.ingest import intake
from recollect.limits import EXCHANGE_LINE_BYTES_MAX, IMPORT_EPISODES_PER_COMMIT
from recollect.records import graphs, threads, users
from recollect.records.graphs import GraphDetails
from recollect.records.users import UserDetails
from recollect.store import rows
from recollect.store.protocol import Store, Transaction

SHAPES: Mapping[str, Shape] = {
    "zep": foreign_formats.read_zep,
    "mem0": foreign_formats.read_mem0,
    "graphiti": foreign_formats.read_graphiti,
    "memmachine": foreign_formats.read_memmachine,
}


class Brought(Record):
    """Counts of what was created and stored; *known* existed before, *skipped* counts by reason."""

    users: int
    threads: int
    graphs: int
    episodes: int
    known: int
    skipped: dict[str, int]


async def bring(
    store: Store, access: Access, shape: str, file: IO[bytes], progress: Callable[[int], Any]
) -> Brought:
    """Import everything in *file*; *progress* is called with the number of episodes."""
    tally = _Progress(access, shape)
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
    """The documents of a file: a single JSON document, or one per line."""
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
            f"line {number}: {error}; the lines before it were imported, and will not be duplicated when "
            "the corrected file is imported again"
        ) from error


def _is_episode(item: ForeignRecord) -> bool:
    return isinstance(item, ForeignEpisode)


def _order(item: ForeignRecord) -> tuple[int, str, Any]:
    """Users, graphs and threads first, then episodes by destination and time."""
    if isinstance(item, ForeignEpisode):
        return 2, repr(item.place), item.at
    return (1 if isinstance(item, ForeignThread) else 0), "", 0


def _place(item: ForeignRecord) -> Destination | None:
    return item.place if isinstance(item, ForeignEpisode) else None


class _Progress:
    """Counts of the import so far."""

    def __init__(self, access: Access, shape: str) -> None:
        self.access = access
        self.shape = shape
        self.made = {"users": 0, "threads": 0, "graphs": 0}
        self.episodes = 0
        self.known = 0
        self.skipped: dict[str, int] = {}

    def skip(self, reason: str, count: int = 1) -> None:
        self.skipped[reason] = self.skipped.get(reason, 0) + count

    def uuid(self, found: ForeignEpisode) -> str:
        # Spelled as in earlier releases, so that importing a file again finds what it stored before.
        place = repr(found.place).replace("Destination", "Place", 1)
        seed = f"{self.access.project_uuid}/{self.shape}/{place}/{found.id}"
        return ids.derived(found.at, 0, seed)()

    def told(self) -> Brought:
        return Brought(**self.made, episodes=self.episodes, known=self.known, skipped=self.skipped)


class _Done(Record):
    """What one commit did; the audit log finds the project by it."""

    project_id: int
    made: dict[str, int]
    stored: int = 0


async def _make(store: Store, tally: _Progress, item: ForeignRecord) -> None:
    if isinstance(item, Skipped):
        tally.skip(item.reason)
        return
    try:
        done = await store.write(_made, tally.access, item)
    except (InvalidInput, NotFound) as error:
        tally.skip(error.message)
        return
    _count(tally, done)


def _count(tally: _Progress, done: _Done) -> None:
    for noun, count in done.made.items():
        tally.made[noun] += count


def _made(tx: Transaction, access: Access, item: ForeignRecord) -> _Done:
    made: dict[str, int] = {}
    if isinstance(item, ForeignUser):
        made = _user(tx, access, item.user_id, item.details)
    elif isinstance(item, ForeignGraph):
        made = _graph(tx, access, item.graph_id, item.details)
    elif isinstance(item, ForeignThread):
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
        raise AlreadyExists(f"thread {thread_id!r} belongs to another user here")
    return {}


async def _store(store: Store, tally: _Progress, place: Destination, told: Sequence[Any]) -> None:
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
    tx: Transaction, access: Access, place: Destination, planned: Sequence[tuple[str, Any]]
) -> _Done:
    made, graph_id, thread_key = _there(tx, access, place)
    listed = rows.to_json([uuid for uuid, _ in planned])
    known = set(tx.exchange.known_episodes(uuids=listed))
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


def _there(
    tx: Transaction, access: Access, place: Destination
) -> tuple[dict[str, int], int, int | None]:
    """The graph and thread of a destination, created if missing, with counts of what was."""
    if place.thread is not None:
        made = {} if place.user is None else _thread(tx, access, place.thread, place.user)
        row = tx.threads.place(project_id=access.project_id, thread_id=place.thread)
        if row is None:
            raise NotFound("a thread without a user")
        return made, row.graph_id, row.id
    if place.user is not None:
        made = _user(tx, access, place.user, UserDetails())
        return made, graphs.of_user(tx, access, place.user).id, None
    made = _graph(tx, access, place.graph or "", GraphDetails())
    return made, graphs.get(tx, access, place.graph or "").id, None
