"""How a graph's features are organised: set types, categories and tags defined by clients.

The prompts of categories are stored but not used: facts are learned the same way whatever categories
exist. A category groups features added to it by hand and facts learned under one of its tags. A set
can exclude a category from its answers.
"""

from collections.abc import Sequence
from typing import Any

from recollect.episodic_memory import feature_sets
from recollect.episodic_memory.feature_sets import FeatureSet, SetType
from recollect.errors import AlreadyExists, InvalidInput, NotFound
from recollect.graph import checks
from recollect.graph.types import Access, Graph, Record
from recollect.limits import (
    DESCRIPTION_CHARS_MAX,
    FEATURE_CATEGORIES_MAX,
    FEATURE_SET_TYPES_MAX,
    FEATURE_TAGS_MAX,
    METADATA_KEYS_MAX,
    NAME_CHARS_MAX,
)
from recollect.records import seeing
from recollect.store import rows
from recollect.store.protocol import Transaction
from recollect.store.queries.features import FeatureCategoryRow, FeatureSetTypeRow

_WIDE = (feature_sets.OF_PROJECT.key, feature_sets.OF_ORGANISATION.key)


class Category(Record):
    """A category of one set, or a template for all sets of a type."""

    id: int
    uuid: str
    name: str
    prompt: str
    description: str | None = None
    set_key: str | None = None
    set_type_id: int | None = None
    set_type_uuid: str | None = None


class NewCategory(Record):
    """A category to be added."""

    name: str
    prompt: str
    description: str | None = None


class Sorting(Record):
    """All categories and tags of a graph, and what its sets exclude."""

    types: tuple[SetType, ...] = ()
    categories: tuple[Category, ...] = ()
    tags: dict[int, frozenset[str]]
    off: frozenset[tuple[str, str]] = frozenset()

    def leaves_out(self, of_set: FeatureSet, category: str) -> bool:
        """Whether a set excludes a category; what a project excludes, all its sets exclude."""
        return any((key, category) in self.off for key in (of_set.key, *_WIDE))

    def category_of(self, of_set: FeatureSet, tag: str) -> str | None:
        """The category that has this tag: one of the set's own, or of its type's."""
        types = [one.id for one in self.types if one.tags == of_set.keys]
        fitting = [one for one in self.categories if tag in self.tags.get(one.id, ())]
        own = [one.name for one in fitting if one.set_key == of_set.key]
        own += [one.name for one in fitting if one.set_type_id in types and one.set_key is None]
        return own[0] if own else None


def sorting(tx: Transaction, graph_id: int) -> Sorting:
    """How the features of a graph are organised."""
    tags: dict[int, set[str]] = {}
    for row in tx.features.tags_of(graph_id=graph_id):
        tags.setdefault(row.category_id, set()).add(row.name)
    off = tx.features.categories_off_of(graph_id=graph_id)
    return Sorting(
        types=tuple(set_types(tx, graph_id)),
        categories=tuple(_categories(tx, graph_id)),
        tags={number: frozenset(names) for number, names in tags.items()},
        off=frozenset((row.set_key, row.name) for row in off),
    )


def add_set_type(tx: Transaction, graph: Graph, new: SetType) -> str:
    """The uuid of a set type; it is reused for the same metadata and level."""
    for tag in new.tags:
        checks.text("metadata_tags", tag, NAME_CHARS_MAX, required=True)
    if not 1 <= len(new.tags) <= METADATA_KEYS_MAX:
        raise InvalidInput(f"metadata_tags: 1 to {METADATA_KEYS_MAX}, got {len(new.tags)}")
    checks.text("name", new.name, NAME_CHARS_MAX)
    checks.text("description", new.description, DESCRIPTION_CHARS_MAX)
    if len(set_types(tx, graph.id)) >= FEATURE_SET_TYPES_MAX:
        raise InvalidInput(f"a project has at most {FEATURE_SET_TYPES_MAX} set types")
    what: dict[str, Any] = {
        "graph_id": graph.id,
        "is_org_level": new.is_org_level,
        "tags": rows.to_json(sorted(set(new.tags))),
    }
    if tx.features.set_type_like(**what) is not None:
        raise AlreadyExists("metadata_tags: there is a set type of these already")
    uuid = tx.new_id()
    tx.features.set_type_insert(
        uuid=uuid,
        **what,
        name=new.name,
        description=new.description,
        now=rows.micros(tx.now),
    )
    return uuid


def set_types(tx: Transaction, graph_id: int) -> list[SetType]:
    """The set types that were defined, oldest first."""
    return [_set_type(row) for row in tx.features.set_types_of(graph_id=graph_id)]


def _set_type(row: FeatureSetTypeRow) -> SetType:
    return SetType(
        id=row.id,
        uuid=row.uuid,
        is_org_level=bool(row.is_org_level),
        tags=tuple(rows.from_json(row.tags)),
        name=row.name,
        description=row.description,
    )


def set_type(tx: Transaction, graph: Graph, type_id: str) -> SetType:
    """A set type of this graph."""
    found = next((one for one in set_types(tx, graph.id) if one.uuid == type_id), None)
    if found is None:
        raise _unknown("set type", type_id)
    return found


def delete_set_type(tx: Transaction, graph: Graph, type_id: str) -> None:
    """Delete a set type and its templates; features stay."""
    if not tx.features.set_type_delete(uuid=type_id, graph_id=graph.id):
        raise _unknown("set type", type_id)


def add_category(tx: Transaction, graph: Graph, of_set: FeatureSet, new: NewCategory) -> str:
    """Add a category to one set, which then no longer excludes that name."""
    key = of_set.key
    same = [one for one in _categories(tx, graph.id) if one.set_key == key]
    made = _insert(tx, graph, new, same, set_key=key)
    tx.features.category_off_drop(graph_id=graph.id, set_key=key, name=new.name)
    return made


def add_template(tx: Transaction, graph: Graph, type_id: str, new: NewCategory) -> str:
    """Add a category to all sets of a type."""
    kind = set_type(tx, graph, type_id)
    return _insert(tx, graph, new, templates(tx, graph, type_id), set_type_id=kind.id)


def _insert(
    tx: Transaction,
    graph: Graph,
    new: NewCategory,
    same: Sequence[Category],
    set_key: str | None = None,
    set_type_id: int | None = None,
) -> str:
    checks.text("category_name", new.name, NAME_CHARS_MAX, required=True)
    checks.text("prompt", new.prompt, DESCRIPTION_CHARS_MAX)
    checks.text("description", new.description, DESCRIPTION_CHARS_MAX)
    if any(one.name == new.name for one in same):
        raise AlreadyExists(f"category_name: {new.name!r} exists already")
    if len(_categories(tx, graph.id)) >= FEATURE_CATEGORIES_MAX:
        raise InvalidInput(f"a project has at most {FEATURE_CATEGORIES_MAX} categories")
    uuid = tx.new_id()
    tx.features.category_insert(
        uuid=uuid,
        graph_id=graph.id,
        set_key=set_key,
        set_type_id=set_type_id,
        name=new.name,
        prompt=new.prompt,
        description=new.description,
        now=rows.micros(tx.now),
    )
    return uuid


def templates(tx: Transaction, graph: Graph, type_id: str) -> list[Category]:
    """The categories of a set type."""
    wanted = set_type(tx, graph, type_id).id
    return [one for one in _categories(tx, graph.id) if one.set_type_id == wanted]


def _categories(tx: Transaction, graph_id: int) -> list[Category]:
    return [_category(row) for row in tx.features.categories_of(graph_id=graph_id)]


def _category(row: FeatureCategoryRow) -> Category:
    return Category(
        id=row.id,
        uuid=row.uuid,
        name=row.name,
        prompt=row.prompt,
        description=row.description,
        set_key=row.set_key,
        set_type_id=row.set_type_id,
        set_type_uuid=row.set_type_uuid,
    )


def get(tx: Transaction, graph: Graph, category_id: str) -> Category:
    """A category of this graph."""
    row = tx.features.category_by_uuid(uuid=category_id, graph_id=graph.id)
    if row is None:
        raise _unknown("category", category_id)
    return _category(row)


def delete(tx: Transaction, graph: Graph, category_id: str) -> None:
    """Delete a category and its tags; features added to it keep its name."""
    found = get(tx, graph, category_id)
    tx.features.category_delete(id=found.id, graph_id=graph.id)
    if found.set_key is not None:
        tx.features.category_off_drop(graph_id=graph.id, set_key=found.set_key, name=found.name)


def leave_out(tx: Transaction, graph: Graph, of_set: FeatureSet, name: str) -> None:
    """Make a set exclude a category."""
    checks.text("category_name", name, NAME_CHARS_MAX, required=True)
    if len(tx.features.categories_off_of(graph_id=graph.id)) >= FEATURE_CATEGORIES_MAX:
        raise InvalidInput(f"at most {FEATURE_CATEGORIES_MAX} categories can be disabled")
    tx.features.category_off_put(graph_id=graph.id, set_key=of_set.key, name=name)


def add_tag(tx: Transaction, graph: Graph, category_id: str, name: str, description: str) -> str:
    """Add a tag to a category: learned facts with this tag belong to the category."""
    found = get(tx, graph, category_id)
    checks.text("tag_name", name, NAME_CHARS_MAX, required=True)
    checks.text("tag_description", description, DESCRIPTION_CHARS_MAX)
    held = tx.features.tags_of(graph_id=graph.id)
    if any((row.category_id, row.name) == (found.id, name) for row in held):
        raise AlreadyExists(f"tag_name: {name!r} exists already")
    if len(held) >= FEATURE_TAGS_MAX:
        raise InvalidInput(f"a project has at most {FEATURE_TAGS_MAX} tags")
    uuid = tx.new_id()
    tx.features.tag_insert(
        uuid=uuid,
        category_id=found.id,
        name=name,
        description=description,
    )
    return uuid


def delete_tag(tx: Transaction, graph: Graph, tag_id: str) -> None:
    """Remove a tag from its category."""
    if not tx.features.tag_delete(uuid=tag_id, graph_id=graph.id):
        raise _unknown("tag", tag_id)


def _unknown(kind: str, given: str) -> NotFound:
    return NotFound(f"{kind} not found: {given[:NAME_CHARS_MAX]}")


def known_sets(tx: Transaction, access: Access, graph: Graph) -> list[FeatureSet]:
    """The visible sets that have categories of their own, or have categories turned off."""
    found = tx.features.set_keys(graph_id=graph.id)
    return _seen(access, found)


def _seen(access: Access, keys: Sequence[str]) -> list[FeatureSet]:
    """The sets whose values are visible, judged like an episode's metadata: a set's id reveals its values."""
    sets = [one for key in keys if (one := feature_sets.of_key(key)) is not None]
    return [one for one in sets if not one.tags or seeing.document(access, dict(one.tags))]


def sets_of(tx: Transaction, access: Access, graph: Graph, category: Category) -> list[FeatureSet]:
    """The visible sets of a category: its own or, for a template, the known sets of its type."""
    if category.set_key is not None:
        return _seen(access, [category.set_key])
    kind = set_type(tx, graph, category.set_type_uuid or "")
    return [
        one
        for one in known_sets(tx, access, graph)
        if (one.keys, one.is_org_level) == (kind.tags, kind.is_org_level)
    ]
