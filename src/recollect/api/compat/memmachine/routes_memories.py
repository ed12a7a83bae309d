"""What is remembered in a project: adding, asking, listing, counting and forgetting episodes."""

from functools import partial

from recollect.api.compat.memmachine import translate, translate_features, wire
from recollect.api.compat.memmachine.refusing import reply_for
from recollect.api.erasing import erase
from recollect.api.http import Reply
from recollect.api.router import Call, Route
from recollect.errors import InvalidInput, NotFound
from recollect.governance.receipts import Erased
from recollect.graph import filter_language
from recollect.graph.episode_filters import EpisodeTree
from recollect.graph.types import Access, Graph, NewEpisode
from recollect.ingest import intake
from recollect.ingest.intake import Receipt
from recollect.limits import MEMORY_DELETED_PER_CALL_MAX, MEMORY_PAGE_MAX
from recollect.memories import entries, features, names, settings
from recollect.memories.types import MemorySettings, Question, Recalled
from recollect.store.protocol import Transaction
from recollect.subjects import episode_lists, episodes, erasing, graphs


async def add(call: Call) -> wire.AddedMemories:
    """Remember messages, and answer once they are on disk; an unknown project is made."""
    sent: wire.AddMemories = call.body
    names.check(sent.org_id, sent.project_id)
    new = entries.episodes(
        [translate.entry(message) for message in sent.messages],
        sent.types or (),
        roles=call.services.settings.memory_roles,
    )
    with call.services.memories.metrics.ingestion(len(new)):
        receipt = await call.services.store.write(_add, call.access, sent, new)
    call.services.wake_workers()
    return wire.AddedMemories(results=[wire.AddedMemory(uid=uuid) for uuid in receipt.uuids])


def _add(tx: Transaction, access: Access, sent: wire.AddMemories, new: list[NewEpisode]) -> Receipt:
    named = names.graph_of(sent.org_id, sent.project_id)
    return intake.add_entries(tx, access, named.kind, named.id, new, field="project_id")


def _known(
    tx: Transaction, access: Access, sent: wire.InProject, usual: MemorySettings
) -> tuple[Graph | None, MemorySettings]:
    """The graph of a project, if it is there, and what was chosen for it."""
    names.check(sent.org_id, sent.project_id)
    named = names.graph_of(sent.org_id, sent.project_id)
    graph = graphs.find(tx, access, named.kind, named.id)
    if graph is None:
        return None, settings.of_project(tx, access, usual)
    return graph, settings.of_graph(tx, access, graph, usual)


async def search(call: Call) -> wire.FoundMemories:
    """What both memories say to a question; of an unknown project, nothing."""
    sent: wire.SearchMemories = call.body
    asked = translate.question(sent, call.services.clock())
    usual = settings.usual(call.services.settings)
    graph, chosen = await call.services.store.glance(_known, call.access, sent, usual)
    try:
        content = await _answer(call, graph, chosen, asked)
    except NotFound:  # the project was deleted meanwhile
        content = await _answer(call, None, chosen, asked)
    return wire.FoundMemories(content=content)


async def _answer(
    call: Call, graph: Graph | None, chosen: MemorySettings, asked: Question
) -> wire.FoundContent:
    """What the memories that are asked say."""
    kinds = translate.kinds(call.body.types)
    episodic, semantic = None, None
    if "episodic" in kinds:
        episodic = await _recall(call, graph, chosen, asked)
    if "semantic" in kinds and chosen.semantic:
        semantic = await _features(call, graph, asked)
    return wire.FoundContent(episodic_memory=episodic, semantic_memory=semantic)


async def _recall(
    call: Call, graph: Graph | None, chosen: MemorySettings, asked: Question
) -> wire.EpisodicFound | None:
    """What the episodic memory says; None when it is switched off."""
    recalled: Recalled | None
    if graph is None:
        recalled = Recalled() if chosen.is_on else None
    else:
        async with call.services.memories.hold(graph) as memory:
            recalled = await memory.recall(call.access, asked)
    return None if recalled is None else translate.recalled(recalled)


async def _features(call: Call, graph: Graph | None, asked: Question) -> list[wire.SemanticFeature]:
    """What is known, as features that fit a question."""
    if graph is None:
        return []
    services, sent = call.services, call.body
    found = await features.search(
        services.finder,
        services.store,
        call.access,
        graph,
        asked.text,
        limit=asked.limit,
        now=asked.now,
        tree=asked.tree,
        set_metadata=sent.set_metadata,
    )
    return [translate_features.feature(one, sent) for one in found]


async def list_page(call: Call) -> wire.ListedMemories:
    """A page of episodes by the time they happened, or of features by when they were learned."""
    sent: wire.ListMemories = call.body
    tree = filter_language.parse(sent.filter or "")
    usual = settings.usual(call.services.settings)
    graph, chosen = await call.services.store.glance(_known, call.access, sent, usual)
    content = wire.ListedContent()
    if sent.type != "semantic":
        content = wire.ListedContent(episodic_memory=await _episodes_page(call, graph, tree))
    elif chosen.semantic:
        content = wire.ListedContent(semantic_memory=await _features_page(call, graph, tree))
    return wire.ListedMemories(content=content)


async def _episodes_page(
    call: Call, graph: Graph | None, tree: EpisodeTree | None
) -> list[wire.ListedEpisode]:
    if graph is None:
        return []
    sent: wire.ListMemories = call.body
    size = min(sent.page_size, MEMORY_PAGE_MAX)
    found = await call.services.store.read(
        episode_lists.page, call.access, graph, tree, size=size, number=sent.page_num
    )
    key = names.session_key(sent.org_id, sent.project_id)
    return [translate.listed(episode, key) for episode in found]


async def _features_page(
    call: Call, graph: Graph | None, tree: EpisodeTree | None
) -> list[wire.SemanticFeature]:
    if graph is None:
        return []
    services, sent = call.services, call.body
    found = await features.page(
        services.finder,
        services.store,
        call.access,
        graph,
        page_size=min(sent.page_size, MEMORY_PAGE_MAX),
        page_num=sent.page_num,
        now=services.clock(),
        tree=tree,
        set_metadata=sent.set_metadata,
    )
    return [translate_features.feature(one, sent) for one in found]


async def count(call: Call) -> wire.EpisodeCount:
    """How many episodes a project holds, as far as they may be seen."""
    found = await call.services.store.read(_count, call.access, call.body)
    return wire.EpisodeCount(count=found)


def _count(tx: Transaction, access: Access, sent: wire.AboutProject) -> int:
    graph = names.find(tx, access, sent.org_id, sent.project_id)
    return episode_lists.count(tx, access, graph)


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
    await erase(call, _erase, sent, uuids, tree)
    return Reply.nothing()


def _erase(
    tx: Transaction,
    access: Access,
    sent: wire.DeleteEpisodes,
    uuids: list[str],
    tree: EpisodeTree | None,
) -> Erased:
    graph = names.find(tx, access, sent.org_id, sent.project_id)
    if tree is not None:
        uuids = episode_lists.uuids(tx, access, graph, tree)
    if len(uuids) > MEMORY_DELETED_PER_CALL_MAX:
        raise InvalidInput(
            f"filter: lets {len(uuids)} episodes by, at most {MEMORY_DELETED_PER_CALL_MAX} can "
            "be deleted in one call"
        )
    found = episodes.by_uuids(tx, access, graph, uuids)
    missing = set(uuids) - {one.uuid for one in found}
    if missing:
        raise NotFound(f"episode not found: {min(missing)}")
    return erasing.several(tx, access, graph, found)


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
