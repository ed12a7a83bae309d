"""Features, sets and categories: from what MemMachine's clients send to our types, and back."""

from recollect.compat.memmachine import wire
from recollect.compat.memmachine import wire_semantic as semantic
from recollect.episodic_memory import feature_sets, names
from recollect.episodic_memory.categories import Category
from recollect.episodic_memory.feature_sets import FeatureSet, SetType
from recollect.episodic_memory.features import Correction, Feature, NewFeature
from recollect.errors import InvalidInput
from recollect.limits import FEATURE_DELETED_PER_CALL_MAX


def feature(one: Feature, sent: wire.InProject, *, citations: bool = True) -> wire.SemanticFeature:
    """A feature of the project that a request is about, with its citations if they are wanted."""
    return wire.SemanticFeature(
        category=one.category,
        tag=one.tag,
        feature_name=one.name,
        value=one.value,
        set_id=set_id(one.set, sent),
        metadata=wire.FeatureMetadata(
            id=one.id, citations=list(one.citations) if citations else None, other=one.other
        ),
    )


def set_id(one: FeatureSet, sent: wire.InProject) -> str:
    """The id of a set of the project that a request is about."""
    return feature_sets.id_of(one, sent.org_id, sent.project_id)


def set_of(sent: semantic.OfSet) -> FeatureSet:
    """The set that a request names."""
    return feature_sets.read_id(sent.set_id, sent.org_id, sent.project_id)


def new_feature(sent: semantic.AddFeature) -> NewFeature:
    """A feature to be added; those of a project or an organisation are about it, and those of a
    user's own project about the user."""
    of_set = set_of(sent)
    place = sent.org_id if of_set.is_org_level else sent.project_id
    return NewFeature(
        set=of_set,
        project=None if sent.org_id == names.USERS_ORG else place,
        category=sent.category_name,
        tag=sent.tag,
        name=sent.feature,
        value=sent.value,
        metadata=sent.feature_metadata,
        citations=tuple(sent.citations or ()),
    )


def correction(sent: semantic.UpdateFeature) -> Correction:
    """What of a feature changes."""
    return Correction(
        category=sent.category_name,
        tag=sent.tag,
        name=sent.feature,
        value=sent.value,
        metadata=sent.metadata,
    )


def wanted_ids(sent: semantic.DeleteFeatures) -> list[str]:
    """The features that are to go, each once."""
    given = [sent.semantic_id or "", *(sent.semantic_ids or ())]
    wanted = list(dict.fromkeys(text.strip() for text in given if text.strip()))
    if not wanted:
        raise InvalidInput("semantic_id or semantic_ids: one of them is required")
    if len(wanted) > FEATURE_DELETED_PER_CALL_MAX:
        raise InvalidInput(
            f"semantic_ids: at most {FEATURE_DELETED_PER_CALL_MAX} per call, got {len(wanted)}"
        )
    return wanted


def set_type(one: SetType) -> semantic.SetTypeEntry:
    """A kind of sets."""
    return semantic.SetTypeEntry(
        id=one.uuid or "",
        is_org_level=one.is_org_level,
        tags=list(one.tags),
        name=one.name,
        description=one.description,
    )


def listed_set(one: FeatureSet, of_type: SetType | None, sent: wire.InProject) -> semantic.SetEntry:
    """A set, with the name of its kind."""
    return semantic.SetEntry(
        id=set_id(one, sent),
        is_org_level=one.is_org_level,
        tags=list(one.keys),
        name=of_type.name if of_type else None,
        description=of_type.description if of_type else None,
    )


def category(one: Category) -> semantic.CategoryEntry:
    """A category."""
    return semantic.CategoryEntry(
        id=one.uuid, name=one.name, prompt=one.prompt, description=one.description
    )


def template(one: Category) -> semantic.TemplateEntry:
    """A category of a kind of sets; nothing of ours inherits from elsewhere."""
    return semantic.TemplateEntry(
        id=one.uuid,
        name=one.name,
        origin_type="set_type",
        origin_id=one.set_type_uuid or "",
        inherited=False,
    )
