"""Where sessions are stored: storages with three methods, and the state they hold.

A state is the JSON object {context, episodic}, where episodic is a log as JSONL.
"""

import asyncio
import contextlib
import hashlib
import json
import os
import tempfile
from collections.abc import Awaitable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeVar

from recollect.session_log.errors import OldState

T = TypeVar("T")

OLD_STATE = (
    "the state under {key} is of the format before there was a log: it has `items` and no "
    "`episodic`. Take it out of the storage, give its items to the session as `items=` and its "
    "context as `context=`, and they are where the new log begins; or remove it"
)


class Storage(Protocol):
    """Texts under keys. Each method may be a coroutine or return at once."""

    def get(self, key: str) -> Awaitable[str | None] | str | None:
        """The text under a key, or None."""

    def set(self, key: str, value: str) -> Awaitable[None] | None:
        """Store a text atomically."""

    def remove(self, key: str) -> Awaitable[None] | None:
        """Delete a key; it may be absent."""


class MemoryStorage:
    """A dictionary."""

    def __init__(self) -> None:
        self.values: dict[str, str] = {}

    def get(self, key: str) -> str | None:
        """The text under a key, or None."""
        return self.values.get(key)

    def set(self, key: str, value: str) -> None:
        """Store a text."""
        self.values[key] = value

    def remove(self, key: str) -> None:
        """Delete a key."""
        self.values.pop(key, None)


class FileStorage:
    """A folder with one file per key, replaced atomically and synced to disk."""

    def __init__(self, folder: str | Path) -> None:
        self._folder = Path(folder)

    def path(self, key: str) -> Path:
        """The file of a key, named by digest because a key may contain anything."""
        return (
            self._folder / f"{hashlib.sha256(key.encode(errors='surrogatepass')).hexdigest()}.json"
        )

    async def get(self, key: str) -> str | None:
        """The text under a key, or None; bytes that are not valid text are detected later."""
        return await asyncio.to_thread(self._get, key)

    async def set(self, key: str, value: str) -> None:
        """Store a text; the old file stays until the new one is complete."""
        await asyncio.to_thread(self._set, key, value)

    async def remove(self, key: str) -> None:
        """Delete a key, and leftovers of a process that died while writing it."""
        await asyncio.to_thread(self._remove, key)

    def _get(self, key: str) -> str | None:
        with contextlib.suppress(FileNotFoundError):
            return self.path(key).read_bytes().decode(errors="replace")
        return None

    def _set(self, key: str, value: str) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(".new", f"{self.path(key).stem}.", self._folder)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(value.encode())
                file.flush()
                os.fsync(file.fileno())
            Path(name).replace(self.path(key))
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
        self._sync_folder()

    def _remove(self, key: str) -> None:
        self.path(key).unlink(missing_ok=True)
        for unfinished in self._folder.glob(f"{self.path(key).stem}.*.new"):
            unfinished.unlink(missing_ok=True)
        if self._folder.exists():
            self._sync_folder()

    def _sync_folder(self) -> None:
        handle = os.open(self._folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


class State(NamedTuple):
    """The stored state of a session."""

    context: dict[str, Any]
    episodic: str


def key_of(agent: str, session_id: str) -> str:
    """The key of a session: a JSON array, so that no two pairs of names collide."""
    return json.dumps([agent, session_id], separators=(",", ":"))


def write_state(context: Mapping[str, Any], episodic: str) -> str:
    """The text that a storage holds."""
    return json.dumps({"context": dict(context), "episodic": episodic}, allow_nan=False)


def read_state(value: object) -> State | None:
    """The state in a stored text; None if it is absent or damaged, OldState if it has no log."""
    if not isinstance(value, str):
        return None
    try:
        state = json.loads(value)
    except (ValueError, RecursionError):
        return None
    if not isinstance(state, dict):
        return None
    if "items" in state and "episodic" not in state:
        raise OldState
    context, episodic = state.get("context"), state.get("episodic")
    if not isinstance(context, dict) or not isinstance(episodic, str):
        return None
    return State(context, episodic)


class Storages:
    """Several storages as one: the first valid state is loaded; saving and removing reach all."""

    def __init__(self, storages: Sequence[Storage], key: str) -> None:
        self._storages = list(storages)
        self._key = key

    async def load(self) -> State | None:
        """The first valid state."""
        for storage in self._storages:
            text = await settled(storage.get(self._key))
            try:
                state = read_state(text)
            except OldState:
                raise OldState(OLD_STATE.format(key=self._key)) from None
            if state is not None:
                return state
        return None

    def __bool__(self) -> bool:
        """Whether there are any storages."""
        return bool(self._storages)

    async def save(self, context: Mapping[str, Any], episodic: str) -> None:
        """Save in every storage, in order; stops at the first failure."""
        text = write_state(context, episodic)
        for storage in self._storages:
            await settled(storage.set(self._key, text))

    async def remove(self) -> None:
        """Remove from every storage."""
        for storage in self._storages:
            await settled(storage.remove(self._key))


async def settled(value: Awaitable[T] | T) -> T:
    """The value, awaited if necessary."""
    return await value if isinstance(value, Awaitable) else value
