"""The switches of a project: which memories are on, and how much the window holds."""

from functools import partial

from recollect.api.http import Reply
from recollect.api.router import Call, Route
from recollect.app import memory_projects
from recollect.compat.memmachine import translate, wire
from recollect.compat.memmachine import wire_config as config
from recollect.compat.memmachine.errors import reply_for
from recollect.episodic_memory.settings import MemorySettings, SettingsChange


async def _choose(call: Call, change: SettingsChange) -> Reply:
    name = translate.project_name(call.body)
    await memory_projects.choose(call.services, call.access, name, change)
    return Reply.nothing()


async def _chosen(call: Call) -> MemorySettings:
    name = translate.project_name(call.body)
    return await memory_projects.chosen(call.services, call.access, name)


async def switch(call: Call) -> Reply:
    """Switch the memories of a project on or off."""
    sent: config.SwitchEpisodic = call.body
    change = SettingsChange(
        enabled=sent.enabled,
        short_term=sent.short_term_memory_enabled,
        long_term=sent.long_term_memory_enabled,
    )
    return await _choose(call, change)


async def get(call: Call) -> config.EpisodicSwitches:
    """Which memories of a project are on."""
    chosen = await _chosen(call)
    return config.EpisodicSwitches(
        enabled=chosen.enabled,
        long_term_memory_enabled=chosen.long_term,
        short_term_memory_enabled=chosen.short_term,
    )


async def switch_short_term(call: Call) -> Reply:
    """Switch the short-term memory of a project, and say how much it holds."""
    sent: config.SwitchShortTerm = call.body
    change = SettingsChange(
        short_term=sent.enabled, episodes=sent.message_capacity, chars=sent.character_capacity
    )
    return await _choose(call, change)


async def get_short_term(call: Call) -> config.ShortTermSwitch:
    """The short-term memory of a project."""
    chosen = await _chosen(call)
    return config.ShortTermSwitch(
        enabled=chosen.short_term,
        message_capacity=chosen.window.episodes,
        character_capacity=chosen.window.chars,
    )


async def switch_long_term(call: Call) -> Reply:
    """Switch the long-term memory of a project."""
    sent: config.SwitchLongTerm = call.body
    return await _choose(call, SettingsChange(long_term=sent.enabled))


async def get_long_term(call: Call) -> config.LongTermSwitch:
    """The long-term memory of a project."""
    return config.LongTermSwitch(enabled=(await _chosen(call)).long_term)


_set = partial(Route, "POST", action="memory.config.set", status=204, refusal=reply_for)
_get = partial(
    Route,
    "POST",
    action="memory.config.get",
    body=wire.InProject,
    reads=True,
    refusal=reply_for,
)

ROUTES = [
    _set(
        path="/memory/episodic/config",
        handler=switch,
        summary="Switch the memories of a project",
        body=config.SwitchEpisodic,
    ),
    _get(
        path="/memory/episodic/config/get",
        handler=get,
        summary="Which memories of a project are on",
        answer=config.EpisodicSwitches,
    ),
    _set(
        path="/memory/episodic/short_term/config",
        handler=switch_short_term,
        summary="Configure the short-term memory of a project",
        body=config.SwitchShortTerm,
    ),
    _get(
        path="/memory/episodic/short_term/config/get",
        handler=get_short_term,
        summary="How the short-term memory of a project is configured",
        answer=config.ShortTermSwitch,
    ),
    _set(
        path="/memory/episodic/long_term/config",
        handler=switch_long_term,
        summary="Configure the long-term memory of a project",
        body=config.SwitchLongTerm,
    ),
    _get(
        path="/memory/episodic/long_term/config/get",
        handler=get_long_term,
        summary="How the long-term memory of a project is configured",
        answer=config.LongTermSwitch,
    ),
]
