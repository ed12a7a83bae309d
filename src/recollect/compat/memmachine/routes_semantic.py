"""Features of sets, and how they are organised: set types, categories and tags."""

from functools import partial

from recollect.api.http import Reply
from recollect.api.router import Call, Route
from recollect.app import features
from recollect.compat.memmachine import routes_resources, translate, wire
from recollect.compat.memmachine import wire_semantic as semantic
from recollect.compat.memmachine.errors import reply_for
from recollect.episodic_memory import feature_sets, names
from recollect.episodic_memory.categories import NewCategory
from recollect.episodic_memory.feature_sets import SetType
from recollect.errors import InvalidInput


async def add(call: Call) -> semantic.AddedFeature:
    """Add a feature to a set, and wait until it can be read, if that is soon."""
    sent: semantic.AddFeature = call.body
    made = await features.add(
        call.services,
        call.access,
        translate.project_name(sent),
        translate.new_feature(sent),
        readable=call.access_for("memory.feature.get"),
    )
    return semantic.AddedFeature(feature_id=made)


async def get(call: Call) -> wire.SemanticFeature:
    """A feature by its id."""
    sent: semantic.GetFeature = call.body
    name = translate.project_name(sent)
    found = await features.get(call.services, call.access, name, sent.feature_id)
    return translate.feature(found, sent, citations=sent.load_citations)


async def update(call: Call) -> Reply:
    """Correct a feature."""
    sent: semantic.UpdateFeature = call.body
    name, change = translate.project_name(sent), translate.correction(sent)
    await features.correct(call.services, call.access, name, sent.feature_id, change)
    return Reply.nothing()


async def delete(call: Call) -> Reply:
    """Remove features, all that are named or none; the episodes behind them stay."""
    sent: semantic.DeleteFeatures = call.body
    ids = translate.feature_ids(sent)
    await features.delete(call.services, call.access, translate.project_name(sent), ids)
    return Reply.nothing()


async def create_set_type(call: Call) -> semantic.CreatedSetType:
    """Define a kind of sets by the metadata that tells them."""
    sent: semantic.CreateSetType = call.body
    new = SetType(
        tags=tuple(sent.metadata_tags),
        is_org_level=sent.is_org_level,
        name=sent.name,
        description=sent.description,
    )
    name = translate.project_name(sent)
    made = await features.add_set_type(call.services, call.access, name, new)
    return semantic.CreatedSetType(set_type_id=made)


async def list_set_types(call: Call) -> semantic.SetTypes:
    """The kinds of sets that were defined."""
    name = translate.project_name(call.body)
    found = await features.set_types(call.services, call.access, name)
    return semantic.SetTypes(set_types=[translate.set_type(one) for one in found])


async def delete_set_type(call: Call) -> Reply:
    """Remove a kind of sets with its templates; features stay."""
    sent: semantic.OfSetType = call.body
    name = translate.project_name(sent)
    await features.delete_set_type(call.services, call.access, name, sent.set_type_id)
    return Reply.nothing()


async def get_set_id(call: Call) -> semantic.SetId:
    """The id of the set of some metadata; it is derived, so there always is one."""
    sent: semantic.GetSetId = call.body
    names.check(sent.org_id, sent.project_id)
    found = feature_sets.made(sent.metadata_tags, sent.set_metadata, is_org_level=sent.is_org_level)
    return semantic.SetId(set_id=translate.set_id(found, sent))


async def list_set_ids(call: Call) -> semantic.Sets:
    """The sets that there are for some metadata."""
    sent: semantic.ListSetIds = call.body
    name = translate.project_name(sent)
    found = await features.sets(call.services, call.access, name, sent.set_metadata)
    return semantic.Sets(sets=[translate.listed_set(one, of_type, sent) for of_type, one in found])


async def configure_set(call: Call) -> Reply:
    """Accept the models that serve every set here: there is one of each kind, and no choice."""
    sent: semantic.ConfigureSet = call.body
    translate.set_of(sent)
    await features.check_project(call.services, call.access, translate.project_name(sent))
    model = routes_resources.language_model_name(call.services.settings)
    _check_name("embedder_name", sent.embedder_name, routes_resources.EMBEDDER_NAME)
    _check_name("llm_name", sent.llm_name, model)
    return Reply.nothing()


def _check_name(field: str, given: str | None, known: str | None) -> None:
    if given is not None and given != known:
        there = "none" if known is None else repr(known)
        raise InvalidInput(f"{field}: this server has {there}")


def _new(sent: semantic.AddCategory | semantic.AddTemplate) -> NewCategory:
    return NewCategory(name=sent.category_name, prompt=sent.prompt, description=sent.description)


async def add_category(call: Call) -> semantic.AddedCategory:
    """Add a category to a set."""
    sent: semantic.AddCategory = call.body
    given = (translate.project_name(sent), translate.set_of(sent), _new(sent))
    made = await features.add_category(call.services, call.access, *given)
    return semantic.AddedCategory(category_id=made)


async def add_template(call: Call) -> semantic.AddedCategory:
    """Add a category to all sets of a type."""
    sent: semantic.AddTemplate = call.body
    given = (translate.project_name(sent), sent.set_type_id, _new(sent))
    made = await features.add_template(call.services, call.access, *given)
    return semantic.AddedCategory(category_id=made)


async def list_templates(call: Call) -> semantic.Templates:
    """The categories of a type of sets."""
    sent: semantic.OfSetType = call.body
    name = translate.project_name(sent)
    found = await features.templates(call.services, call.access, name, sent.set_type_id)
    return semantic.Templates(categories=[translate.template(one) for one in found])


async def get_category(call: Call) -> semantic.CategoryEntry:
    """A category by its id."""
    sent: semantic.OfCategory = call.body
    name = translate.project_name(sent)
    found = await features.category(call.services, call.access, name, sent.category_id)
    return translate.category(found)


async def get_category_sets(call: Call) -> semantic.SetIds:
    """The set of a category; of a template those sets of its type that something was said about."""
    sent: semantic.OfCategory = call.body
    name = translate.project_name(sent)
    found = await features.sets_of_category(call.services, call.access, name, sent.category_id)
    return semantic.SetIds(set_ids=[translate.set_id(one, sent) for one in found])


async def disable_category(call: Call) -> Reply:
    """Have a set answer with nothing of a category."""
    sent: semantic.DisableCategory = call.body
    given = (translate.project_name(sent), translate.set_of(sent), sent.category_name)
    await features.disable_category(call.services, call.access, *given)
    return Reply.nothing()


async def delete_category(call: Call) -> Reply:
    """Remove a category with its tags."""
    sent: semantic.OfCategory = call.body
    name = translate.project_name(sent)
    await features.delete_category(call.services, call.access, name, sent.category_id)
    return Reply.nothing()


async def add_tag(call: Call) -> semantic.AddedTag:
    """Add a tag to a category."""
    sent: semantic.AddTag = call.body
    given = (translate.project_name(sent), sent.category_id, sent.tag_name, sent.tag_description)
    made = await features.add_tag(call.services, call.access, *given)
    return semantic.AddedTag(tag_id=made)


async def delete_tag(call: Call) -> Reply:
    """Remove a tag from its category."""
    sent: semantic.OfTag = call.body
    await features.delete_tag(call.services, call.access, translate.project_name(sent), sent.tag_id)
    return Reply.nothing()


_BASE = "/memories/semantic"
_route = partial(Route, "POST", refusal=reply_for)
_read = partial(Route, "POST", reads=True, refusal=reply_for)
_make = partial(Route, "POST", status=201, refusal=reply_for)
_change = partial(Route, "POST", status=204, refusal=reply_for)

ROUTES = [
    _route(
        f"{_BASE}/delete",
        "memory.feature.delete",
        delete,
        "Remove features",
        body=semantic.DeleteFeatures,
        status=204,
        erases=True,
    ),
    _route(
        f"{_BASE}/feature",
        "memory.feature.add",
        add,
        "Add a feature to a set",
        body=semantic.AddFeature,
        answer=semantic.AddedFeature,
        status=201,
    ),
    _route(
        f"{_BASE}/feature/get",
        "memory.feature.get",
        get,
        "Get a feature",
        body=semantic.GetFeature,
        answer=wire.SemanticFeature,
        reads=True,
    ),
    _route(
        f"{_BASE}/feature/update",
        "memory.feature.update",
        update,
        "Correct a feature",
        body=semantic.UpdateFeature,
        status=204,
    ),
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
