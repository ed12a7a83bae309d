"""Plugins: objects with hooks. A plugin has those it needs and no others."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

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
    """A plugin given by its hooks. Any object with attributes of these names will do as well.

    Every hook may be a coroutine function. *order* is "pre", "post" or None: pre before plain
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


def in_order(plugins: Iterable[Any]) -> list[Any]:
    """Pre, plain, post; otherwise as registered."""
    places = {"pre": 0, "post": 2}
    return sorted(plugins, key=lambda plugin: places.get(getattr(plugin, "order", None) or "", 1))


def hooks(plugins: Sequence[Any], name: str) -> list[Hook]:
    """The hooks of one name, in the order of their plugins."""
    found = (getattr(plugin, name, None) for plugin in plugins)
    return [hook for hook in found if hook is not None]


def tools_by_name(tools: Iterable[Tool]) -> dict[str, Tool]:
    """Of two tools with one name the later stays, in the place of the first."""
    return {tool.name: tool for tool in tools}
