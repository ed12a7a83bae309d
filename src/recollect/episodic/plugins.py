"""Plugins: objects with hooks. A plugin has those it needs and no others."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from recollect.episodic.errors import InvalidPlugin
from recollect.episodic.log import Episodic
from recollect.episodic.storage import Storage

Hook = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Moment:
    """What a hook is told: whose turn it is, what it is about, and the working log."""

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

    A dictionary with these names will do as well, or any object that has attributes of them. There
    a name may also be written in camel case: `extendInput`.

    Every hook may be a coroutine function, and may take fewer arguments than are named here. *order* is "pre", "post" or None: pre before plain
    before post, and the order of registration within each.

    setup(agent), on_session_init(session): once each, before the first turn.
    on_turn_start(moment), on_finish(moment, answer), on_step_finish(moment, answer): all are run.
    extend_instructions(moment): texts, joined by blank lines.
    extend_input(moment): items for this one model call; nothing of it is stored.
    extend_tools(moment): tools; of two with one name the later wins.
    pre_tool_call(moment, call): the first result that is not None is the output, and the tool is
    not run.
    post_tool_call(moment, call, output): the first result that is not None replaces the output.
    on_turn_done(moment, state): told what was saved; what it raises is ignored.
    on_event(event): told every event of every turn.
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
    """A plugin from whatever it was given as; raises InvalidPlugin for what is not understood."""
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
    """Of two tools with one name the later stays, in the place of the first."""
    return {tool.name: tool for tool in tools}
