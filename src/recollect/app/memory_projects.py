"""Projects in organisations, as MemMachine's clients use them: each is a graph."""

from collections.abc import Sequence
from functools import partial

from recollect.app.services import Services
from recollect.app.units import glances, reads, writes
from recollect.episodic_memory import features, names, settings
from recollect.episodic_memory.features import Feature
from recollect.episodic_memory.settings import MemoryQuery, MemorySettings, Recalled, SettingsChange
from recollect.errors import AlreadyExists, InvalidInput, NotFound
from recollect.governance.receipts import Erased
from recollect.graph.episode_filters import EpisodeTree
from recollect.graph.types import Access, Episode, Graph, Json, MemoryKind, NewEpisode, Record
from recollect.ingest import intake
from recollect.ingest.intake import Receipt
from recollect.limits import MEMORY_DELETED_PER_CALL_MAX
from recollect.records import episode_lists, episodes, erasing, graphs
from recollect.records.graphs import GraphDetails
from recollect.store.protocol import Transaction
from recollect.store.work import beside_others


class ProjectName(Record):
    """A project by its organisation and its id there."""

    org_id: str
    project_id: str


class Answers(Record):
    """The answers of the memories; None: not asked, or switched off."""

    episodic: Recalled | None = None
    semantic: tuple[Feature, ...] | None = None


def find(tx: Transaction, access: Access, name: ProjectName) -> Graph:
    """The graph of a project; raises NotFound when there is none."""
    return names.find(tx, access, name.org_id, name.project_id)


def find_any(tx: Transaction, access: Access, name: ProjectName) -> Graph | None:
    """The graph of a project, or None."""
    named = names.graph_of(name.org_id, name.project_id)
    return graphs.find(tx, access, named.kind, named.id)


# ---------------------------------------------------------------- projects


async def create(
    services: Services, access: Access, name: ProjectName, description: str, config: Json | None
) -> None:
    """Create a project and its graph; *config* is stored as it is."""
    names.check(name.org_id, name.project_id)
    await services.store.write(_create, access, name, description, config)


def _create(
    tx: Transaction, access: Access, name: ProjectName, description: str, config: Json | None
) -> Graph:
    if find_any(tx, access, name) is not None:
        raise AlreadyExists(
            f"project exists already: {names.session_key(name.org_id, name.project_id)}"
        )
    named = names.graph_of(name.org_id, name.project_id)
    details = GraphDetails(description=description or None)
    made = graphs.create(tx, access, named.id, details, field="project_id")
    if config is not None:
        settings.put_config(tx, access, made, config)
    return made


@glances
def get(tx: Transaction, access: Access, name: ProjectName) -> tuple[Graph, Json]:
    """The graph of a project, and its stored config."""
    graph = find(tx, access, name)
    return graph, settings.config(tx, access, graph)


async def list_all(services: Services, access: Access, limit: int) -> list[ProjectName]:
    """Every graph that can be addressed as a project, including those of users."""
    known = await services.store.read(graphs.names, access, limit)
    named = (names.project_of(kind, graph_id) for kind, graph_id in known)
    return [ProjectName(org_id=one[0], project_id=one[1]) for one in named if one]


async def delete(services: Services, access: Access, name: ProjectName) -> None:
    """Erase a project with its contents, once its memory is no longer in use."""
    graph = await services.store.glance(find, access, name)
    await services.memories.delete(graph, partial(_wipe, services, access, name))


async def _wipe(services: Services, access: Access, name: ProjectName) -> None:
    await services.wipe(await services.store.write(_erase, access, name))


def _erase(tx: Transaction, access: Access, name: ProjectName) -> Erased:
    return erasing.graph(tx, access, find(tx, access, name).graph_id)


# ---------------------------------------------------------------- settings


async def chosen(services: Services, access: Access, name: ProjectName) -> MemorySettings:
    """The settings in force for a project: its own, else its tenant's defaults, else the server's."""
    usual = settings.usual(services.settings)
    return await services.store.glance(_chosen, access, name, usual)


def _chosen(
    tx: Transaction, access: Access, name: ProjectName, usual: MemorySettings
) -> MemorySettings:
    return settings.of_graph(tx, access, find(tx, access, name), usual)


@writes
def choose(tx: Transaction, access: Access, name: ProjectName, change: SettingsChange) -> None:
    """Change settings of a project."""
    settings.choose_for_graph(tx, access, find(tx, access, name), change)


async def defaults(services: Services, access: Access) -> MemorySettings:
    """The settings of projects without settings of their own."""
    usual = settings.usual(services.settings)
    return await services.store.glance(settings.of_project, access, usual)


choose_default = writes(settings.choose_for_project)


# ---------------------------------------------------------------- memories


async def add(
    services: Services, access: Access, name: ProjectName, new: list[NewEpisode]
) -> Receipt:
    """Store messages; they are on disk when this returns. An unknown project is created."""
    with services.memories.metrics.ingestion(len(new)):
        receipt = await services.store.write(_add, access, name, new)
    services.wake_workers()
    return receipt


@beside_others
def _add(tx: Transaction, access: Access, name: ProjectName, new: list[NewEpisode]) -> Receipt:
    named = names.graph_of(name.org_id, name.project_id)
    return intake.add_entries(tx, access, named.kind, named.id, new, field="project_id")


async def _known(
    services: Services, access: Access, name: ProjectName
) -> tuple[Graph | None, MemorySettings]:
    names.check(name.org_id, name.project_id)
    usual = settings.usual(services.settings)
    return await services.store.glance(_find_chosen, access, name, usual)


def _find_chosen(
    tx: Transaction, access: Access, name: ProjectName, usual: MemorySettings
) -> tuple[Graph | None, MemorySettings]:
    """The graph of a project, if it exists, and the settings in force."""
    graph = find_any(tx, access, name)
    if graph is None:
        return None, settings.of_project(tx, access, usual)
    return graph, settings.of_graph(tx, access, graph, usual)


async def search(
    services: Services,
    access: Access,
    name: ProjectName,
    question: MemoryQuery,
    kinds: set[MemoryKind],
    set_metadata: Json | None,
) -> Answers:
    """The answers of the selected memories to a question; empty for an unknown project."""
    graph, chosen = await _known(services, access, name)
    given = (services, access, chosen, question, kinds, set_metadata)
    try:
        return await _answers(graph, *given)
    except NotFound:  # the project was deleted in the meantime
        return await _answers(None, *given)


async def _answers(
    graph: Graph | None,
    services: Services,
    access: Access,
    chosen: MemorySettings,
    question: MemoryQuery,
    kinds: set[MemoryKind],
    set_metadata: Json | None,
) -> Answers:
    episodic: Recalled | None = None
    semantic: tuple[Feature, ...] | None = None
    if "episodic" in kinds:
        episodic = await _recall(services, access, graph, chosen, question)
    if "semantic" in kinds and chosen.semantic:
        semantic = ()
        if graph is not None:
            semantic = await features.search(
                services.finder,
                services.store,
                access,
                graph,
                question.text,
                limit=question.limit,
                now=question.now,
                tree=question.tree,
                set_metadata=set_metadata,
            )
    return Answers(episodic=episodic, semantic=semantic)


async def _recall(
    services: Services,
    access: Access,
    graph: Graph | None,
    chosen: MemorySettings,
    question: MemoryQuery,
) -> Recalled | None:
    """The answer of the episodic memory; None if it is switched off."""
    if graph is None:
        return Recalled() if chosen.is_on else None
    async with services.memories.hold(graph) as memory:
        return await memory.recall(access, question)


async def episodes_page(
    services: Services,
    access: Access,
    name: ProjectName,
    tree: EpisodeTree | None,
    *,
    size: int,
    number: int,
) -> list[Episode]:
    """A page of episodes, ordered by when they happened; empty for an unknown project."""
    graph, _ = await _known(services, access, name)
    if graph is None:
        return []
    return await services.store.read(
        episode_lists.page, access, graph, tree, size=size, number=number
    )


async def features_page(
    services: Services,
    access: Access,
    name: ProjectName,
    tree: EpisodeTree | None,
    set_metadata: Json | None,
    *,
    size: int,
    number: int,
) -> Sequence[Feature] | None:
    """A page of features, ordered by when they were learned; None if they are switched off."""
    graph, chosen = await _known(services, access, name)
    if not chosen.semantic:
        return None
    if graph is None:
        return []
    return await features.page(
        services.finder,
        services.store,
        access,
        graph,
        page_size=size,
        page_num=number,
        now=services.clock(),
        tree=tree,
        set_metadata=set_metadata,
    )


@reads
def count(tx: Transaction, access: Access, name: ProjectName) -> int:
    """How many visible episodes a project has."""
    return episode_lists.count(tx, access, find(tx, access, name))


async def forget(
    services: Services,
    access: Access,
    name: ProjectName,
    uuids: list[str],
    tree: EpisodeTree | None,
) -> None:
    """Erase the given episodes, or those that match *tree*, and what only they supported: all, or none."""
    names.check(name.org_id, name.project_id)
    await services.wipe(await services.store.write(_forget, access, name, uuids, tree))


def _forget(
    tx: Transaction,
    access: Access,
    name: ProjectName,
    uuids: list[str],
    tree: EpisodeTree | None,
) -> Erased:
    graph = find(tx, access, name)
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
