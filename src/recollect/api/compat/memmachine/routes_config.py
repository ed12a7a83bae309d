"""The switches of a project: which memories are on, and how much the window holds."""

from functools import partial

from recollect.api.compat.memmachine import wire
from recollect.api.compat.memmachine import wire_config as config
from recollect.api.compat.memmachine.refusing import reply_for
from recollect.api.http import Reply
from recollect.api.router import Call, Route
from recollect.graph.types import Access
from recollect.memories import names, settings
from recollect.memories.settings import Choice
from recollect.memories.types import MemorySettings
from recollect.store.protocol import Transaction


async def _choose(call: Call, change: Choice) -> Reply:
    await call.services.store.write(_put, call.access, call.body, change)
    return Reply.nothing()


def _put(tx: Transaction, access: Access, sent: wire.InProject, change: Choice) -> None:
    graph = names.find(tx, access, sent.org_id, sent.project_id)
    settings.choose_for_graph(tx, access, graph, change)


async def _chosen(call: Call) -> MemorySettings:
    usual = settings.usual(call.services.settings)
    return await call.services.store.glance(_read, call.access, call.body, usual)


def _read(
    tx: Transaction, access: Access, sent: wire.InProject, usual: MemorySettings
) -> MemorySettings:
    graph = names.find(tx, access, sent.org_id, sent.project_id)
    return settings.of_graph(tx, access, graph, usual)


async def switch(call: Call) -> Reply:
    """Switch the memories of a project on or off."""
    sent: config.SwitchEpisodic = call.body
    change = Choice(
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
    change = Choice(
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
    return await _choose(call, Choice(long_term=sent.enabled))


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
