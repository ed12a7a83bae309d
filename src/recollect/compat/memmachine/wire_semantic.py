"""The wire types of MemMachine's clients for features, sets, categories and tags, field by field."""

from typing import Literal

from recollect.compat.memmachine.wire import InProject, Json, Wire


class OfSet(InProject):
    """A request about a set."""

    set_id: str


class DeleteFeatures(InProject):
    """Features to be removed."""

    semantic_id: str | None = None
    semantic_ids: list[str] | None = None


class AddFeature(OfSet):
    """A feature to be added to a set."""

    category_name: str
    tag: str
    feature: str
    value: str
    feature_metadata: Json | None = None
    citations: list[str] | None = None


class AddedFeature(Wire):
    """A feature that is on disk."""

    feature_id: str


class GetFeature(InProject):
    """A feature that is asked for."""

    feature_id: str
    load_citations: bool = False


class UpdateFeature(InProject):
    """What of a feature changes; what is not given stays."""

    feature_id: str
    category_name: str | None = None
    tag: str | None = None
    feature: str | None = None
    value: str | None = None
    metadata: Json | None = None


class CreateSetType(InProject):
    """A kind of sets to be made."""

    metadata_tags: list[str]
    is_org_level: bool = False
    name: str | None = None
    description: str | None = None


class CreatedSetType(Wire):
    """A kind of sets that was made."""

    set_type_id: str


class SetTypeEntry(Wire):
    """A kind of sets in a list."""

    id: str
    is_org_level: bool
    tags: list[str]
    name: str | None
    description: str | None


class SetTypes(Wire):
    """The kinds of sets of a project."""

    set_types: list[SetTypeEntry]


class OfSetType(InProject):
    """A request about a kind of sets."""

    set_type_id: str


class GetSetId(InProject):
    """The set of some metadata."""

    metadata_tags: list[str]
    is_org_level: bool = False
    set_metadata: Json | None = None


class SetId(Wire):
    """The id of a set."""

    set_id: str


class ListSetIds(InProject):
    """The sets that there are for some metadata."""

    set_metadata: Json | None = None


class SetEntry(Wire):
    """A set in a list."""

    id: str
    is_org_level: bool
    tags: list[str]
    name: str | None
    description: str | None


class Sets(Wire):
    """Sets of a project."""

    sets: list[SetEntry]


class ConfigureSet(OfSet):
    """Which of the server's models a set is to be served with."""

    embedder_name: str | None = None
    llm_name: str | None = None


class AddCategory(OfSet):
    """A category to be added to a set."""

    category_name: str
    prompt: str
    description: str | None = None


class AddTemplate(InProject):
    """A category to be added to all sets of a type."""

    set_type_id: str
    category_name: str
    prompt: str
    description: str | None = None


class AddedCategory(Wire):
    """A category that was added."""

    category_id: str


class OfCategory(InProject):
    """A request about a category."""

    category_id: str


class CategoryEntry(Wire):
    """A category."""

    id: str
    name: str
    prompt: str
    description: str | None


class TemplateEntry(Wire):
    """A category in the list of a type of sets."""

    id: str
    name: str
    origin_type: Literal["set_type"]
    origin_id: str
    inherited: bool


class Templates(Wire):
    """The categories of a type of sets."""

    categories: list[TemplateEntry]


class DisableCategory(OfSet):
    """A category that a set is to leave out."""

    category_name: str


class SetIds(Wire):
    """The ids of sets."""

    set_ids: list[str]


class AddTag(InProject):
    """A tag to be added to a category."""

    category_id: str
    tag_name: str
    tag_description: str


class AddedTag(Wire):
    """A tag that was added."""

    tag_id: str


class OfTag(InProject):
    """A request about a tag."""

    tag_id: str
