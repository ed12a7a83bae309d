"""The episodes of a project: adding, searching, listing, counting and forgetting them."""

from functools import partial

from recollect.api.http import Reply
from recollect.api.router import Call, Route
from recollect.app import memory_projects
from recollect.compat.memmachine import translate, wire
from recollect.compat.memmachine.errors import reply_for
from recollect.episodic_memory import entries, filter_language, names
from recollect.errors import InvalidInput
from recollect.limits import MEMORY_PAGE_MAX


async def add(call: Call) -> wire.AddedMemories:
    """Remember messages, and answer once they are on disk; an unknown project is made."""
    sent: wire.AddMemories = call.body
    names.check(sent.org_id, sent.project_id)
    new = entries.episodes(
        [translate.entry(message) for message in sent.messages],
        sent.types or (),
        roles=call.services.settings.memory_roles,
    )
    name = translate.project_name(sent)
    receipt = await memory_projects.add(call.services, call.access, name, new)
    return wire.AddedMemories(results=[wire.AddedMemory(uid=uuid) for uuid in receipt.uuids])


async def search(call: Call) -> wire.FoundMemories:
    """What both memories say to a question; of an unknown project, nothing."""
    sent: wire.SearchMemories = call.body
    found = await memory_projects.search(
        call.services,
        call.access,
        translate.project_name(sent),
        translate.question(sent, call.services.clock()),
        translate.kinds(sent.types),
        sent.set_metadata,
    )
    episodic, semantic = found.episodic, found.semantic
    content = wire.FoundContent(
        episodic_memory=None if episodic is None else translate.recalled(episodic),
        semantic_memory=None
        if semantic is None
        else [translate.feature(one, sent) for one in semantic],
    )
    return wire.FoundMemories(content=content)


async def list_page(call: Call) -> wire.ListedMemories:
    """A page of episodes by the time they happened, or of features by when they were learned."""
    sent: wire.ListMemories = call.body
    tree = filter_language.parse(sent.filter or "")
    name, size = translate.project_name(sent), min(sent.page_size, MEMORY_PAGE_MAX)
    if sent.type != "semantic":
        episodes = await memory_projects.episodes_page(
            call.services, call.access, name, tree, size=size, number=sent.page_num
        )
        key = names.session_key(sent.org_id, sent.project_id)
        listed = [translate.listed(episode, key) for episode in episodes]
        return wire.ListedMemories(content=wire.ListedContent(episodic_memory=listed))
    features = await memory_projects.features_page(
        call.services,
        call.access,
        name,
        tree,
        sent.set_metadata,
        size=size,
        number=sent.page_num,
    )
    if features is None:
        return wire.ListedMemories(content=wire.ListedContent())
    shown = [translate.feature(one, sent) for one in features]
    return wire.ListedMemories(content=wire.ListedContent(semantic_memory=shown))


async def count(call: Call) -> wire.EpisodeCount:
    """How many episodes a project holds, as far as they may be seen."""
    name = translate.project_name(call.body)
    return wire.EpisodeCount(count=await memory_projects.count(call.services, call.access, name))


async def delete(call: Call) -> Reply:
    """Forget episodes, and what rested on them alone: all that are meant, or none."""
    sent: wire.DeleteEpisodes = call.body
    names.check(sent.org_id, sent.project_id)
    uuids = translate.wanted_ids(sent)
    tree = filter_language.parse(sent.filter or "")
    if not uuids and tree is None:
        raise InvalidInput("episodic_id, episodic_ids or filter: one of them is required")
    if uuids and tree is not None:
        raise InvalidInput("episodic_ids and filter: give one of them, not both")
    name = translate.project_name(sent)
    await memory_projects.forget(call.services, call.access, name, uuids, tree)
    return Reply.nothing()


_route = partial(Route, refusal=reply_for)

ROUTES = [
    _route(
        "POST",
        "/memories",
        "memory.add",
        add,
        "Remember messages",
        body=wire.AddMemories,
        answer=wire.AddedMemories,
    ),
    _route(
        "POST",
        "/memories/search",
        "memory.search",
        search,
        "Ask the memories of a project",
        body=wire.SearchMemories,
        answer=wire.FoundMemories,
        reads=True,
    ),
    _route(
        "POST",
        "/memories/list",
        "memory.list",
        list_page,
        "List what a project remembers",
        body=wire.ListMemories,
        answer=wire.ListedMemories,
        reads=True,
    ),
    _route(
        "POST",
        "/memories/episodic/delete",
        "memory.delete",
        delete,
        "Forget episodes of a project",
        body=wire.DeleteEpisodes,
        status=204,
        erases=True,
    ),
    _route(
        "POST",
        "/projects/episode_count/get",
        "memory.project.count",
        count,
        "Count the episodes of a project",
        body=wire.AboutProject,
        answer=wire.EpisodeCount,
        reads=True,
    ),
]
