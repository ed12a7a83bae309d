"""Features of a memory project and how they are organised: sets, set types, categories, tags."""

from collections.abc import Sequence

from msgspec.structs import replace

from recollect.app import embedding, tasks
from recollect.app.memory_projects import ProjectName, find, find_any
from recollect.app.services import Services
from recollect.app.units import glances, reads, writes
from recollect.episodic_memory import categories, feature_sets, features, names
from recollect.episodic_memory.categories import Category, NewCategory
from recollect.episodic_memory.feature_sets import FeatureSet, SetType
from recollect.episodic_memory.features import Added, Correction, Feature, NewFeature
from recollect.graph.predicates import Predicates
from recollect.graph.types import Access, Json
from recollect.ingest import direct
from recollect.store.protocol import Transaction

_WIDE = ((None, feature_sets.OF_PROJECT), (None, feature_sets.OF_ORGANISATION))


# ---------------------------------------------------------------- features


async def add(
    services: Services,
    access: Access,
    name: ProjectName,
    new: NewFeature,
    *,
    readable: Access | None,
) -> str:
    """Add a feature to a set, wait a short time until it can be read, and return its id.

    If a fact that says the same already existed and is *readable*, this is the id of that fact.
    """
    features.check(new)
    added = await services.store.write(_add, access, name, new, services.predicates)
    task = added.receipt.task_uuid
    if task is None or not await tasks.completed(services, access, task) or readable is None:
        return added.id
    done = await services.store.read(direct.outcome, readable, task)
    return done.facts[0].uuid if done.facts else added.id


def _add(
    tx: Transaction, access: Access, name: ProjectName, new: NewFeature, predicates: Predicates
) -> Added:
    return features.add(tx, access, find(tx, access, name), new, predicates)


@reads
def get(tx: Transaction, access: Access, name: ProjectName, feature_id: str) -> Feature:
    """A feature by its id."""
    return features.get(tx, access, find(tx, access, name), feature_id)


async def correct(
    services: Services, access: Access, name: ProjectName, feature_id: str, change: Correction
) -> None:
    """Correct a feature."""
    features.check_correction(change)
    vector = await embedding.sentence_vector(services, change.value)
    await services.store.write(_correct, access, name, feature_id, replace(change, vector=vector))


def _correct(
    tx: Transaction, access: Access, name: ProjectName, feature_id: str, change: Correction
) -> None:
    features.correct(tx, access, find(tx, access, name), feature_id, change)


async def delete(
    services: Services, access: Access, name: ProjectName, feature_ids: list[str]
) -> None:
    """Delete the named features, all or none; the episodes behind them stay."""
    await services.store.write(_delete, access, name, feature_ids)
    services.store.scrub_soon()


def _delete(tx: Transaction, access: Access, name: ProjectName, feature_ids: list[str]) -> None:
    features.delete(tx, access, find(tx, access, name), feature_ids)


# ---------------------------------------------------------------- sets and their types


@writes
def add_set_type(tx: Transaction, access: Access, name: ProjectName, new: SetType) -> str:
    """Define a set type by the metadata keys that distinguish its sets."""
    return categories.add_set_type(tx, find(tx, access, name), new)


async def set_types(services: Services, access: Access, name: ProjectName) -> list[SetType]:
    """The set types of a project; empty for an unknown project."""
    names.check(name.org_id, name.project_id)
    return await services.store.glance(_set_types, access, name)


def _set_types(tx: Transaction, access: Access, name: ProjectName) -> list[SetType]:
    graph = find_any(tx, access, name)
    return [] if graph is None else categories.set_types(tx, graph.id)


@writes
def delete_set_type(tx: Transaction, access: Access, name: ProjectName, type_id: str) -> None:
    """Delete a set type with its templates; features stay."""
    categories.delete_set_type(tx, find(tx, access, name), type_id)


async def sets(
    services: Services, access: Access, name: ProjectName, values: Json | None
) -> list[tuple[SetType | None, FeatureSet]]:
    """The sets of a project: the project-wide and organisation-wide ones, and those that *values* select.
    Without values, the sets with categories configured for them.
    """
    names.check(name.org_id, name.project_id)
    return await services.store.glance(_sets, access, name, values)


def _sets(
    tx: Transaction, access: Access, name: ProjectName, values: Json | None
) -> list[tuple[SetType | None, FeatureSet]]:
    graph = find_any(tx, access, name)
    own: list[SetType] = [] if graph is None else categories.set_types(tx, graph.id)
    chosen: Sequence[tuple[SetType | None, FeatureSet]]
    if values:
        feature_sets.check_values("set_metadata", values)
        chosen = feature_sets.selected((*own, *feature_sets.BUILT_IN), values)
    else:
        kinds = {(one.is_org_level, one.tags): one for one in own}
        said = [] if graph is None else categories.known_sets(tx, access, graph)
        chosen = [(kinds.get((one.is_org_level, one.keys)), one) for one in said]
    found: dict[str, tuple[SetType | None, FeatureSet]] = {}
    for of_type, one in (*_WIDE, *chosen):
        found.setdefault(one.key, (of_type, one))
    return list(found.values())


async def check_project(services: Services, access: Access, name: ProjectName) -> None:
    """Raise NotFound unless the project is there."""
    await services.store.glance(find, access, name)


# ---------------------------------------------------------------- categories and tags


@writes
def add_category(
    tx: Transaction, access: Access, name: ProjectName, of_set: FeatureSet, new: NewCategory
) -> str:
    """Add a category to a set."""
    return categories.add_category(tx, find(tx, access, name), of_set, new)


@writes
def add_template(
    tx: Transaction, access: Access, name: ProjectName, type_id: str, new: NewCategory
) -> str:
    """Add a category to all sets of a set type."""
    return categories.add_template(tx, find(tx, access, name), type_id, new)


@glances
def templates(tx: Transaction, access: Access, name: ProjectName, type_id: str) -> list[Category]:
    """The categories of a set type."""
    return categories.templates(tx, find(tx, access, name), type_id)


@glances
def category(tx: Transaction, access: Access, name: ProjectName, category_id: str) -> Category:
    """A category by its id."""
    return categories.get(tx, find(tx, access, name), category_id)


@glances
def sets_of_category(
    tx: Transaction, access: Access, name: ProjectName, category_id: str
) -> list[FeatureSet]:
    """The set of a category; for a template, the sets of its type with categories configured for them."""
    graph = find(tx, access, name)
    return categories.sets_of(tx, access, graph, categories.get(tx, graph, category_id))


@writes
def disable_category(
    tx: Transaction, access: Access, name: ProjectName, of_set: FeatureSet, category_name: str
) -> None:
    """Hide a category in a set."""
    categories.leave_out(tx, find(tx, access, name), of_set, category_name)


@writes
def delete_category(tx: Transaction, access: Access, name: ProjectName, category_id: str) -> None:
    """Remove a category with its tags."""
    categories.delete(tx, find(tx, access, name), category_id)


@writes
def add_tag(
    tx: Transaction,
    access: Access,
    name: ProjectName,
    category_id: str,
    tag: str,
    description: str,
) -> str:
    """Add a tag to a category."""
    return categories.add_tag(tx, find(tx, access, name), category_id, tag, description)


@writes
def delete_tag(tx: Transaction, access: Access, name: ProjectName, tag_id: str) -> None:
    """Remove a tag from its category."""
    categories.delete_tag(tx, find(tx, access, name), tag_id)
