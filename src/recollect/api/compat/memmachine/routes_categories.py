"""How features are sorted: sets and their kinds, categories and tags."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from recollect.api.compat.memmachine import resources, translate_features, wire
from recollect.api.compat.memmachine import wire_semantic as semantic
from recollect.api.compat.memmachine.refusing import reply_for
from recollect.api.http import Reply
from recollect.api.router import Call, Route
from recollect.errors import InvalidInput
from recollect.graph.types import Access, Graph
from recollect.memories import categories, feature_sets, names
from recollect.memories.categories import NewCategory
from recollect.memories.feature_sets import FeatureSet, SetType
from recollect.store.protocol import Transaction
from recollect.subjects import graphs


def _graph(tx: Transaction, access: Access, sent: wire.InProject) -> Graph:
    return names.find(tx, access, sent.org_id, sent.project_id)


def _known(tx: Transaction, access: Access, sent: wire.InProject) -> Graph | None:
    named = names.graph_of(sent.org_id, sent.project_id)
    return graphs.find(tx, access, named.kind, named.id)


def _create_set_type(tx: Transaction, access: Access, sent: semantic.CreateSetType) -> str:
    new = SetType(
        tags=tuple(sent.metadata_tags),
        is_org_level=sent.is_org_level,
        name=sent.name,
        description=sent.description,
    )
    return categories.add_set_type(tx, _graph(tx, access, sent), new)


async def create_set_type(call: Call) -> semantic.CreatedSetType:
    """Define a kind of sets by the metadata that tells them."""
    made = await call.services.store.write(_create_set_type, call.access, call.body)
    return semantic.CreatedSetType(set_type_id=made)


def _set_types(tx: Transaction, access: Access, sent: wire.InProject) -> list[SetType]:
    graph = _known(tx, access, sent)
    return [] if graph is None else categories.set_types(tx, graph.id)


async def list_set_types(call: Call) -> semantic.SetTypes:
    """The kinds of sets that were defined."""
    names.check(call.body.org_id, call.body.project_id)
    found = await call.services.store.glance(_set_types, call.access, call.body)
    return semantic.SetTypes(set_types=[translate_features.set_type(one) for one in found])


def _delete_set_type(tx: Transaction, access: Access, sent: semantic.OfSetType) -> None:
    categories.delete_set_type(tx, _graph(tx, access, sent), sent.set_type_id)


async def delete_set_type(call: Call) -> Reply:
    """Remove a kind of sets with its templates; features stay."""
    return await _done(call, _delete_set_type)


async def _done(call: Call, unit: Any) -> Reply:
    await call.services.store.write(unit, call.access, call.body)
    return Reply.nothing()


async def get_set_id(call: Call) -> semantic.SetId:
    """The id of the set of some metadata; it is derived, so there always is one."""
    sent: semantic.GetSetId = call.body
    names.check(sent.org_id, sent.project_id)
    found = feature_sets.made(sent.metadata_tags, sent.set_metadata, is_org_level=sent.is_org_level)
    return semantic.SetId(set_id=translate_features.set_id(found, sent))


_WIDE = ((None, feature_sets.OF_PROJECT), (None, feature_sets.OF_ORGANISATION))


def _sets(
    tx: Transaction, access: Access, sent: semantic.ListSetIds
) -> list[tuple[SetType | None, FeatureSet]]:
    """The sets of a project: its own, those that values select, and without values those that
    something was said about."""
    graph = _known(tx, access, sent)
    own: list[SetType] = [] if graph is None else categories.set_types(tx, graph.id)
    chosen: Sequence[tuple[SetType | None, FeatureSet]]
    if sent.set_metadata:
        feature_sets.check_values("set_metadata", sent.set_metadata)
        chosen = feature_sets.selected((*own, *feature_sets.BUILT_IN), sent.set_metadata)
    else:
        kinds = {(one.is_org_level, one.tags): one for one in own}
        said = [] if graph is None else categories.known_sets(tx, access, graph)
        chosen = [(kinds.get((one.is_org_level, one.keys)), one) for one in said]
    found: dict[str, tuple[SetType | None, FeatureSet]] = {}
    for of_type, one in (*_WIDE, *chosen):
        found.setdefault(one.key, (of_type, one))
    return list(found.values())


async def list_set_ids(call: Call) -> semantic.Sets:
    """The sets that there are for some metadata."""
    sent: semantic.ListSetIds = call.body
    names.check(sent.org_id, sent.project_id)
    found = await call.services.store.glance(_sets, call.access, sent)
    return semantic.Sets(
        sets=[translate_features.listed_set(one, of_type, sent) for of_type, one in found]
    )


def _check_set(tx: Transaction, access: Access, sent: semantic.ConfigureSet) -> None:
    translate_features.set_of(sent)
    _graph(tx, access, sent)


async def configure_set(call: Call) -> Reply:
    """Accept the models that serve every set here: there is one of each kind, and no choice."""
    sent: semantic.ConfigureSet = call.body
    await call.services.store.glance(_check_set, call.access, sent)
    model = resources.language_model_name(call.services.settings)
    _check_name("embedder_name", sent.embedder_name, resources.EMBEDDER_NAME)
    _check_name("llm_name", sent.llm_name, model)
    return Reply.nothing()


def _check_name(field: str, given: str | None, known: str | None) -> None:
    if given is not None and given != known:
        there = "none" if known is None else repr(known)
        raise InvalidInput(f"{field}: this server has {there}")


def _new(sent: semantic.AddCategory | semantic.AddTemplate) -> NewCategory:
    return NewCategory(name=sent.category_name, prompt=sent.prompt, description=sent.description)


def _add_category(tx: Transaction, access: Access, sent: semantic.AddCategory) -> str:
    of_set = translate_features.set_of(sent)
    return categories.add_category(tx, _graph(tx, access, sent), of_set, _new(sent))


async def add_category(call: Call) -> semantic.AddedCategory:
    """Add a category to a set."""
    made = await call.services.store.write(_add_category, call.access, call.body)
    return semantic.AddedCategory(category_id=made)


def _add_template(tx: Transaction, access: Access, sent: semantic.AddTemplate) -> str:
    return categories.add_template(tx, _graph(tx, access, sent), sent.set_type_id, _new(sent))


async def add_template(call: Call) -> semantic.AddedCategory:
    """Add a category to all sets of a type."""
    made = await call.services.store.write(_add_template, call.access, call.body)
    return semantic.AddedCategory(category_id=made)


def _templates(
    tx: Transaction, access: Access, sent: semantic.OfSetType
) -> list[semantic.TemplateEntry]:
    found = categories.templates(tx, _graph(tx, access, sent), sent.set_type_id)
    return [translate_features.template(one) for one in found]


async def list_templates(call: Call) -> semantic.Templates:
    """The categories of a type of sets."""
    found = await call.services.store.glance(_templates, call.access, call.body)
    return semantic.Templates(categories=found)


def _category(tx: Transaction, access: Access, sent: semantic.OfCategory) -> categories.Category:
    return categories.get(tx, _graph(tx, access, sent), sent.category_id)


async def get_category(call: Call) -> semantic.CategoryEntry:
    """A category by its id."""
    found = await call.services.store.glance(_category, call.access, call.body)
    return translate_features.category(found)


def _sets_of(tx: Transaction, access: Access, sent: semantic.OfCategory) -> list[str]:
    graph = _graph(tx, access, sent)
    found = categories.sets_of(tx, access, graph, categories.get(tx, graph, sent.category_id))
    return [translate_features.set_id(one, sent) for one in found]


async def get_category_sets(call: Call) -> semantic.SetIds:
    """The set of a category; of a template those sets of its type that something was said about."""
    found = await call.services.store.glance(_sets_of, call.access, call.body)
    return semantic.SetIds(set_ids=found)


def _disable(tx: Transaction, access: Access, sent: semantic.DisableCategory) -> None:
    of_set = translate_features.set_of(sent)
    categories.leave_out(tx, _graph(tx, access, sent), of_set, sent.category_name)


async def disable_category(call: Call) -> Reply:
    """Have a set answer with nothing of a category."""
    return await _done(call, _disable)


def _delete_category(tx: Transaction, access: Access, sent: semantic.OfCategory) -> None:
    categories.delete(tx, _graph(tx, access, sent), sent.category_id)


async def delete_category(call: Call) -> Reply:
    """Remove a category with its tags."""
    return await _done(call, _delete_category)


def _add_tag(tx: Transaction, access: Access, sent: semantic.AddTag) -> str:
    graph = _graph(tx, access, sent)
    return categories.add_tag(tx, graph, sent.category_id, sent.tag_name, sent.tag_description)


async def add_tag(call: Call) -> semantic.AddedTag:
    """Add a tag to a category."""
    made = await call.services.store.write(_add_tag, call.access, call.body)
    return semantic.AddedTag(tag_id=made)


def _delete_tag(tx: Transaction, access: Access, sent: semantic.OfTag) -> None:
    categories.delete_tag(tx, _graph(tx, access, sent), sent.tag_id)


async def delete_tag(call: Call) -> Reply:
    """Remove a tag from its category."""
    return await _done(call, _delete_tag)


_BASE = "/memories/semantic"
_read = partial(Route, "POST", reads=True, refusal=reply_for)
_make = partial(Route, "POST", status=201, refusal=reply_for)
_change = partial(Route, "POST", status=204, refusal=reply_for)

ROUTES = [
    _make(
        f"{_BASE}/set_type",
        "memory.set_type.create",
        create_set_type,
        "Define a kind of sets",
        body=semantic.CreateSetType,
        answer=semantic.CreatedSetType,
    ),
    _read(
        f"{_BASE}/set_type/list",
        "memory.set_type.list",
        list_set_types,
        "List the kinds of sets",
        body=wire.InProject,
        answer=semantic.SetTypes,
    ),
    _change(
        f"{_BASE}/set_type/delete",
        "memory.set_type.delete",
        delete_set_type,
        "Remove a kind of sets",
        body=semantic.OfSetType,
    ),
    _read(
        f"{_BASE}/set_id/get",
        "memory.set.get",
        get_set_id,
        "Get the id of a set",
        body=semantic.GetSetId,
        answer=semantic.SetId,
    ),
    _read(
        f"{_BASE}/set_id/list",
        "memory.set.list",
        list_set_ids,
        "List sets",
        body=semantic.ListSetIds,
        answer=semantic.Sets,
    ),
    _change(
        f"{_BASE}/set/configure",
        "memory.set.configure",
        configure_set,
        "Say which models a set is served with",
        body=semantic.ConfigureSet,
    ),
    _read(
        f"{_BASE}/category/get",
        "memory.category.get",
        get_category,
        "Get a category",
        body=semantic.OfCategory,
        answer=semantic.CategoryEntry,
    ),
    _make(
        f"{_BASE}/category",
        "memory.category.add",
        add_category,
        "Add a category to a set",
        body=semantic.AddCategory,
        answer=semantic.AddedCategory,
    ),
    _make(
        f"{_BASE}/category/template",
        "memory.category.add",
        add_template,
        "Add a category to all sets of a type",
        body=semantic.AddTemplate,
        answer=semantic.AddedCategory,
    ),
    _read(
        f"{_BASE}/category/template/list",
        "memory.category.list",
        list_templates,
        "List the categories of a type of sets",
        body=semantic.OfSetType,
        answer=semantic.Templates,
    ),
    _change(
        f"{_BASE}/category/disable",
        "memory.category.disable",
        disable_category,
        "Leave a category out of a set",
        body=semantic.DisableCategory,
    ),
    _read(
        f"{_BASE}/category/set_ids/get",
        "memory.category.get",
        get_category_sets,
        "Get the sets of a category",
        body=semantic.OfCategory,
        answer=semantic.SetIds,
    ),
    _change(
        f"{_BASE}/category/delete",
        "memory.category.delete",
        delete_category,
        "Remove a category",
        body=semantic.OfCategory,
    ),
    _make(
        f"{_BASE}/category/tag",
        "memory.category.tag.add",
        add_tag,
        "Add a tag to a category",
        body=semantic.AddTag,
        answer=semantic.AddedTag,
    ),
    _change(
        f"{_BASE}/category/tag/delete",
        "memory.category.tag.delete",
        delete_tag,
        "Remove a tag from a category",
        body=semantic.OfTag,
    ),
]
