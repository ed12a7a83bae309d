"""Plugins: objects with any of the hooks. One is built in: a side log for long tool output."""

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from recollect.session_log.assembly import OUTPUT_CHARS_MAX
from recollect.session_log.errors import InvalidPlugin
from recollect.session_log.log import Episodic
from recollect.session_log.storage import Storage, settled

Hook = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Moment:
    """What a hook is given: the turn, its subject, and the working log."""

    agent: str
    session_id: str
    turn_id: str
    context: dict[str, Any]
    turn_input: list[Any]
    episodic: Episodic
    aborted: Callable[[], bool]


@dataclass(frozen=True)
class Tool:
    """Something a model may call: *run* gets the arguments as a dictionary."""

    name: str
    run: Hook
    description: str = ""
    parameters: dict[str, Any] | None = None


@dataclass(frozen=True)
class Plugin:
    """A plugin given by its hooks.

    A dictionary with these names works as well, or any object with such attributes. There, names may also
    be in camel case: `extendInput`.

    Every hook may be a coroutine function, and may take fewer arguments than are named here. *order* is
    "pre", "post" or None: pre before plain before post, and the order of registration within each.

    setup(agent), on_session_init(session): once each, before the first turn.
    on_turn_start(moment), on_finish(moment, answer), on_step_finish(moment, answer): all are run.
    extend_instructions(moment): texts, joined by blank lines.
    extend_input(moment): items for this one model call; they are not stored.
    extend_tools(moment): tools; of two with the same name the later wins.
    pre_tool_call(moment, call): the first result that is not None is the output, and the tool is
    not run.
    post_tool_call(moment, call, output): the first result that is not None replaces the output.
    on_turn_done(moment, state): receives what was saved; exceptions are ignored.
    on_event(event): receives every event of every turn.
    """

    name: str
    order: str | None = None
    setup: Hook | None = None
    on_session_init: Hook | None = None
    on_turn_start: Hook | None = None
    extend_instructions: Hook | None = None
    extend_input: Hook | None = None
    extend_tools: Hook | None = None
    pre_tool_call: Hook | None = None
    post_tool_call: Hook | None = None
    on_step_finish: Hook | None = None
    on_finish: Hook | None = None
    on_turn_done: Hook | None = None
    on_event: Hook | None = None
    storage: Storage | None = None


PLACES = {"pre": 0, None: 1, "post": 2}
STORAGE_METHODS = ("get", "set", "remove")
NAMES = tuple(field.name for field in fields(Plugin))
HOOKS = tuple(name for name in NAMES if name not in ("name", "order", "storage"))
SPELLINGS = {name: name for name in NAMES} | {
    re.sub("_(.)", lambda found: found[1].upper(), name): name for name in NAMES
}


def as_plugin(given: Any) -> Plugin:
    """Convert to a plugin; raises InvalidPlugin if that is not possible."""
    if isinstance(given, Plugin):
        made = given
    elif isinstance(given, Mapping):
        made = _from_names(given)
    else:
        made = _from_object(given)
    if made.order not in PLACES:
        raise InvalidPlugin(f"{made.name}.order is pre, post or nothing; got {made.order!r}")
    for name in HOOKS:
        hook = getattr(made, name)
        if hook is not None and not callable(hook):
            raise InvalidPlugin(f"{made.name}.{name} is not a function")
    storage = made.storage
    if storage is not None and not all(hasattr(storage, name) for name in STORAGE_METHODS):
        raise InvalidPlugin(f"{made.name}.storage has get, set and remove")
    return made


def _from_names(given: Mapping[Any, Any]) -> Plugin:
    if not isinstance(given.get("name"), str):
        raise InvalidPlugin("a plugin has a name")
    values: dict[str, Any] = {}
    for spelling, value in given.items():
        name = SPELLINGS.get(spelling)
        if name is None:
            raise InvalidPlugin(f"{given['name']}: a plugin has no {spelling!r}")
        if name in values:
            raise InvalidPlugin(f"{given['name']}: {name} is given twice")
        values[name] = value
    return Plugin(**values)


def _from_object(given: Any) -> Plugin:
    found = ((name, getattr(given, spelling, None)) for spelling, name in SPELLINGS.items())
    values = {name: value for name, value in found if value is not None}
    if not values.keys() & {*HOOKS, "storage"}:
        raise InvalidPlugin(f"{type(given).__name__} has no hook: a plugin has one at least")
    return Plugin(**{"name": type(given).__name__, **values})


def in_order(plugins: Iterable[Any]) -> list[Plugin]:
    """Pre, plain, post; otherwise as registered."""
    return sorted(map(as_plugin, plugins), key=lambda plugin: PLACES[plugin.order])


def hooks(plugins: Sequence[Plugin], name: str) -> list[Hook]:
    """The hooks of one name, in the order of their plugins."""
    found = (getattr(plugin, name) for plugin in plugins)
    return [hook for hook in found if hook is not None]


def tools_by_name(tools: Iterable[Tool]) -> dict[str, Tool]:
    """Of two tools with the same name the later wins, in the position of the first."""
    return {tool.name: tool for tool in tools}


PREVIEW_CHARS = 2_000
READ_CHARS_MAX = 4_000


class SideLog:
    """Stores long outputs under handles derived from their content: equal outputs are stored once."""

    def __init__(
        self,
        storage: Storage,
        *,
        longer_than: int = OUTPUT_CHARS_MAX,
        preview_chars: int = PREVIEW_CHARS,
    ) -> None:
        self._storage = storage
        self._longer_than = longer_than
        self._preview_chars = preview_chars

    async def keep(self, output: str) -> str:
        """What goes into the session log: the output itself, or a preview with a handle."""
        if len(output) <= self._longer_than:
            return output
        handle = hashlib.sha256(output.encode(errors="surrogatepass")).hexdigest()[:32]
        await settled(self._storage.set(_key(handle), json.dumps(output)))
        note = f"\n\n(kept aside: {len(output)} chars, handle {handle})\n\n"
        half = self._preview_chars // 2
        return output[:half] + note + (output[-half:] if half else "")

    async def fetch(self, handle: str, offset: int = 0, length: int = READ_CHARS_MAX) -> str | None:
        """A part of a stored output; None if there is no such handle."""
        kept = await settled(self._storage.get(_key(handle)))
        if kept is None:
            return None
        output: str = json.loads(kept)
        start = max(0, offset)
        return output[start : start + max(0, length)]

    def plugin(self) -> Plugin:
        """A plugin that stores long outputs and gives the model a tool to read more of them."""
        return Plugin("side-log", post_tool_call=self._post, extend_tools=self._extend)

    async def _post(self, moment: Moment, call: dict[str, Any], output: str) -> str | None:
        if len(output) <= self._longer_than:
            return None
        return await self.keep(output)

    def _extend(self, moment: Moment) -> list[Tool]:
        parameters = {
            "type": "object",
            "properties": {
                "handle": {"type": "string"},
                "offset": {"type": "integer"},
                "length": {"type": "integer", "maximum": READ_CHARS_MAX},
            },
            "required": ["handle"],
        }
        what = "Read a part of a tool output that was kept aside, by its handle."
        return [Tool("read_kept_output", self._read, what, parameters)]

    async def _read(self, arguments: dict[str, Any]) -> str:
        offset, length = arguments.get("offset", 0), arguments.get("length", READ_CHARS_MAX)
        if not isinstance(offset, int) or not isinstance(length, int):
            return "offset and length are whole numbers."
        part = await self.fetch(str(arguments.get("handle")), offset, min(length, READ_CHARS_MAX))
        return "There is no such handle." if part is None else part


def _key(handle: str) -> str:
    return json.dumps(["side", handle])
