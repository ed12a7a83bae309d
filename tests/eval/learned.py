"""Stores that have learned conversations the way the product learns them, kept between runs."""

import asyncio
import hashlib
import multiprocessing
import os
import shutil
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

import msgspec

from recollect.app.services import Services, open_services
from recollect.governance import keys
from recollect.graph.types import Access, Graph, NewEpisode
from recollect.ingest import intake
from recollect.limits import MESSAGES_PER_CALL_MAX
from recollect.records import graphs, threads, users
from recollect.records.users import UserDetails
from recollect.search.finder import Finder
from recollect.settings import Settings
from recollect.store.protocol import Store
from tests.eval import kept
from tests.eval.common import CACHE
from tests.support import here

# What decides how a store looks afterwards. Ranking does not, so it can be changed quickly.
_DECIDES = ("extract", "dates", "models", "graph", "ingest", "store")
_CODE = kept.fingerprint(*_DECIDES)  # as of the moment it was loaded
_READ_AFTER = timedelta(minutes=1)
_STORES_KEPT = 3


@dataclass(frozen=True)
class Message:
    """One message. *place* is the number of the turn it is, or is a part of, in its memory."""

    place: int
    content: str
    role: str
    at: datetime
    speaker: str | None = None


@dataclass(frozen=True)
class Session:
    """Messages of one thread."""

    messages: tuple[Message, ...]


@dataclass(frozen=True)
class Memory:
    """All that one user's graph is made of."""

    user_id: str
    sessions: tuple[Session, ...]
    first_name: str | None = None


class _Kept(msgspec.Struct):
    """What it takes to use a store again: the asker, and the turn behind each episode."""

    access: Access
    places: dict[str, int]


@dataclass
class Learned:
    """An open store that has learned."""

    store: Store
    finder: Finder
    access: Access
    graph: Graph
    places: dict[str, int]


class _Clock:
    """Shows when a session was held while it is learned, and goes on a little with each look."""

    def __init__(self, moment: datetime) -> None:
        self.moment = moment

    def __call__(self) -> datetime:
        self.moment += timedelta(milliseconds=1)
        return self.moment

    def forward(self, moment: datetime) -> None:
        self.moment = max(self.moment, moment)


@asynccontextmanager
async def learned(name: str, memory: Memory, *, facts: bool = True) -> AsyncIterator[Learned]:
    """A store that knows *memory*; made now, unless the same code has made it before.

    Without *facts*, episodes get their words and vectors, and nothing is read from them.
    """
    kept.remember_models()
    folder = _folder(name, memory, facts=facts)
    if not folder.is_dir():
        await _build(folder, memory, facts=facts)
    held = msgspec.json.decode((folder / "kept.json").read_bytes(), type=_Kept)
    with tempfile.TemporaryDirectory() as used:
        # A copy, because searching may leave in a store what another search must not find there.
        shutil.copytree(folder, used, dirs_exist_ok=True)
        services = await open_services(Settings(data=Path(used)))
        graph = await services.store.read(graphs.of_user, held.access, memory.user_id)
        try:
            yield Learned(services.store, services.finder, held.access, graph, held.places)
        finally:
            await services.close()


def _folder(name: str, memory: Memory, *, facts: bool) -> Path:
    inputs = hashlib.sha256(msgspec.json.encode([memory, facts])).hexdigest()[:12]
    return CACHE / "learned" / f"{name}-{memory.user_id}" / f"{_CODE}-{inputs}"


def prepare(name: str, memories: Sequence[Memory], *, facts: bool = True) -> None:
    """Make the stores that are missing, on all processors at once."""
    folders = [(_folder(name, memory, facts=facts), memory) for memory in memories]
    missing = [(folder, memory, facts) for folder, memory in folders if not folder.is_dir()]
    if len(missing) > 1:
        context = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(mp_context=context) as pool:
            list(pool.map(_prepare, missing))


def _prepare(wanted: tuple[Path, Memory, bool]) -> None:
    folder, memory, facts = wanted
    asyncio.run(_build(folder, memory, facts=facts))


async def _build(folder: Path, memory: Memory, *, facts: bool) -> None:
    """Learn into a new folder."""
    part = folder.with_name(f"{folder.name}.{os.getpid()}")
    clock = _Clock(memory.sessions[0].messages[0].at)
    services = await open_services(Settings(data=part), clock=clock)
    try:
        held = await _learn(services, clock, memory, facts=facts)
    finally:
        await services.close()
    _settle(part, folder, held)


def _settle(part: Path, folder: Path, held: _Kept) -> None:
    """Put what was learned where it belongs; only the newest stores of a memory are kept."""
    (part / "kept.json").write_bytes(msgspec.json.encode(held))
    if folder.is_dir():  # another run was quicker
        shutil.rmtree(part)
    else:
        part.rename(folder)
    made = sorted(folder.parent.iterdir(), key=lambda path: path.stat().st_mtime)
    for old in made[:-_STORES_KEPT]:
        shutil.rmtree(old, ignore_errors=True)


async def _learn(services: Services, clock: _Clock, memory: Memory, *, facts: bool) -> _Kept:
    """Take in all sessions in their order, learning after each of them."""
    project = await services.store.write(keys.create_project, "evaluation")
    access = Access(project_id=project.id, project_uuid=project.uuid, key_uuid="")
    details = UserDetails(first_name=memory.first_name)
    await services.store.write(users.create, access, memory.user_id, details)
    places: dict[str, int] = {}
    began = time.monotonic()
    for number, session in enumerate(memory.sessions):
        clock.forward(session.messages[-1].at + _READ_AFTER)
        places |= await _take_in(services, access, memory.user_id, f"session-{number}", session)
        await here.learn(services.store, kept.extractor(facts=facts))
    spent = time.monotonic() - began
    print(f"learned {memory.user_id}: {len(places)} turns in {spent:.0f} s", flush=True)
    return _Kept(access, places)


async def _take_in(
    services: Services, access: Access, user_id: str, thread: str, session: Session
) -> dict[str, int]:
    """Store a session as the thread of a client; tells the turn behind each episode."""
    await services.store.write(threads.create, access, thread, user_id)
    places: dict[str, int] = {}
    for start in range(0, len(session.messages), MESSAGES_PER_CALL_MAX):
        messages = session.messages[start : start + MESSAGES_PER_CALL_MAX]
        episodes = [
            NewEpisode(
                kind="message",
                content=item.content,
                role=item.role,
                speaker=item.speaker,
                created_at=item.at,
            )
            for item in messages
        ]
        intake.check_messages(episodes)
        receipt = await services.store.write(intake.add_messages, access, thread, episodes)
        places |= zip(receipt.uuids, (item.place for item in messages), strict=True)
    return places
