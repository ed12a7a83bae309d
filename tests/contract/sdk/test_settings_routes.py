"""What steers a project: ontology, instructions, context templates, time zone, steering."""

from typing import Any

import pytest

from tests.contract.sdk.drivers import Zep, typed
from tests.contract.sdk.requirements import requirement
from tests.contract.sdk.support import a_graph, a_user, bad_request, missing, unique

RESTAURANT = {
    "description": "A place to eat.",
    "fields": {
        "cuisine": {"type": "text", "description": "What is cooked"},
        "seats": {"type": "int", "description": "How many can sit"},
        "rating": {"type": "float", "description": "How good it is"},
        "open_late": {"type": "boolean", "description": "Whether it opens at night"},
    },
}
VISITED = {
    "description": "Somebody ate there.",
    "fields": {"occasion": {"type": "text", "description": "Why they went"}},
    "source_targets": [{"source": "User", "target": "Restaurant"}],
}
PROPERTY_TYPES = {"cuisine": "Text", "seats": "Int", "rating": "Float", "open_late": "Boolean"}


def entity_type(name: str) -> dict[str, Any]:
    """A custom entity type with one property, in the client's own models."""
    field = typed("EntityProperty", name="code", type="Text", description="A code")
    return typed("EntityType", name=name, description=f"A {name}.", properties=[field])


def names(types: list[dict[str, Any]]) -> list[str]:
    """The names of types or instructions, sorted."""
    return sorted(item["name"] for item in types)


@requirement(
    "v2:graph.set_ontology:classes",
    "v3:graph.set_ontology:classes",
    "v2:graph.list_entity_types",
    "v3:graph.list_entity_types",
)
def test_classes_become_the_types_of_the_project(zep: Zep) -> None:
    """Descriptions, fields with their types, and allowed ends come back as they were written."""
    zep.graph.set_ontology(entities={"Restaurant": RESTAURANT}, edges={"VISITED": VISITED})
    found = zep.graph.list_entity_types()
    (restaurant,) = [item for item in found["entity_types"] if item["name"] == "Restaurant"]
    assert restaurant["description"] == "A place to eat."
    properties = {field["name"]: field for field in restaurant["properties"]}
    assert {name: field["type"] for name, field in properties.items()} == PROPERTY_TYPES
    assert properties["cuisine"]["description"] == "What is cooked"
    (visited,) = [item for item in found["edge_types"] if item["name"] == "VISITED"]
    assert visited["source_targets"] == [{"source": "User", "target": "Restaurant"}]
    assert names(visited["properties"]) == ["occasion"]


@requirement("v2:graph.set_entity_types_internal", "v3:graph.set_entity_types_internal")
def test_setting_types_replaces_the_ones_before(zep: Zep) -> None:
    """The second set is all there is, and an empty set clears it."""
    for name in ("Vessel", "Harbour"):
        answer = zep.graph.set_entity_types_internal(
            entity_types=[entity_type(name)], edge_types=[]
        )
        assert answer["message"]
    found = zep.graph.list_entity_types()
    assert "Harbour" in names(found["entity_types"])
    assert "Vessel" not in names(found["entity_types"])
    zep.graph.set_entity_types_internal(entity_types=[], edge_types=[])
    assert "Harbour" not in names(zep.graph.list_entity_types().get("entity_types", []))


@requirement("v3:graph.set_ontology:scopes", "v3:graph.list_entity_types")
def test_types_of_a_scope_stay_with_it(zep3: Zep) -> None:
    """A user's types are not the project's, nor those of a graph."""
    user_id, graph_id = a_user(zep3)["user_id"], a_graph(zep3)["graph_id"]
    zep3.graph.set_ontology(entities={"Vessel": RESTAURANT}, user_ids=[user_id])
    zep3.graph.set_ontology(entities={"Harbour": RESTAURANT}, graph_ids=[graph_id])
    of_user = names(zep3.graph.list_entity_types(user_id=user_id)["entity_types"])
    of_graph = names(zep3.graph.list_entity_types(graph_id=graph_id)["entity_types"])
    of_project = names(zep3.graph.list_entity_types().get("entity_types", []))
    assert "Vessel" in of_user
    assert "Harbour" not in of_user
    assert "Harbour" in of_graph
    assert not {"Vessel", "Harbour"} & set(of_project)


@requirement("v2:graph.set_entity_types:limits", "v2:errors:400-is-typed")
def test_ten_types_are_the_most(zep2: Zep) -> None:
    """Eleven custom types are the client's BadRequestError."""
    with bad_request():
        zep2.graph.set_entity_types_internal(
            entity_types=[entity_type(f"Kind{number}") for number in range(11)]
        )


@requirement(
    "v3:graph.add_custom_instructions",
    "v3:graph.list_custom_instructions",
    "v3:graph.delete_custom_instructions",
    "v3:transport:body-on-delete",
)
def test_extraction_instructions_are_added_listed_and_removed(zep3: Zep) -> None:
    """Adding keeps what was there, a known name is rewritten, a delete takes the named ones."""
    graph_id = a_graph(zep3)["graph_id"]

    def add(name: str, text: str) -> None:
        instruction = typed("CustomInstruction", name=name, text=text)
        answer = zep3.graph.add_custom_instructions(
            instructions=[instruction], graph_ids=[graph_id]
        )
        assert answer["message"]

    def listed() -> dict[str, str]:
        found = zep3.graph.list_custom_instructions(graph_id=graph_id)
        return {item["name"]: item["text"] for item in found.get("instructions", [])}

    add("tone", "Keep it short.")
    add("words", "Ship words only.")
    add("tone", "Keep it long.")
    assert listed() == {"tone": "Keep it long.", "words": "Ship words only."}
    zep3.graph.delete_custom_instructions(instruction_names=["tone"], graph_ids=[graph_id])
    assert listed() == {"words": "Ship words only."}
    zep3.graph.delete_custom_instructions(graph_ids=[graph_id])
    assert listed() == {}


@requirement(
    "v3:graph.add_custom_instructions",
    "v3:graph.list_custom_instructions",
    "v3:graph.delete_custom_instructions",
)
def test_instructions_without_a_scope_are_the_projects(zep3: Zep) -> None:
    """They are listed without a scope, and a delete without arguments clears them."""
    name = unique("rule")
    zep3.graph.add_custom_instructions(
        instructions=[typed("CustomInstruction", name=name, text="Be kind.")]
    )
    assert name in names(zep3.graph.list_custom_instructions()["instructions"])
    zep3.graph.delete_custom_instructions()
    assert zep3.graph.list_custom_instructions().get("instructions", []) == []


@requirement(
    "v3:user.add_user_summary_instructions",
    "v3:user.list_user_summary_instructions",
    "v3:user.delete_user_summary_instructions",
)
def test_summary_instructions_of_a_user_are_added_listed_and_removed(zep3: Zep) -> None:
    """Adding keeps what was there, a delete takes the named ones, and one without names all."""
    user_id = a_user(zep3)["user_id"]

    def listed() -> list[str]:
        found = zep3.user.list_user_summary_instructions(user_id=user_id)
        return names(found.get("instructions", []))

    for name in ("work", "family"):
        instruction = typed("UserInstruction", name=name, text=f"What about {name}?")
        answer = zep3.user.add_user_summary_instructions(
            instructions=[instruction], user_ids=[user_id]
        )
        assert answer["message"]
    assert listed() == ["family", "work"]
    zep3.user.delete_user_summary_instructions(instruction_names=["work"], user_ids=[user_id])
    assert listed() == ["family"]
    zep3.user.delete_user_summary_instructions(user_ids=[user_id])
    assert listed() == []


@requirement(
    "v3:context.create_context_template",
    "v3:context.get_context_template",
    "v3:context.update_context_template",
    "v3:context.delete_context_template",
    "v3:context.list_context_templates",
)
def test_a_context_template_lives_from_creation_to_deletion(zep3: Zep) -> None:
    """Created, read, listed, rewritten, deleted; a second creation is refused."""
    template_id = unique("template")
    created = zep3.context.create_context_template(template_id=template_id, template="%{edges}")
    assert created["template_id"] == template_id
    assert zep3.context.get_context_template(template_id)["template"] == "%{edges}"
    with bad_request():
        zep3.context.create_context_template(template_id=template_id, template="%{edges}")
    changed = zep3.context.update_context_template(template_id, template="%{entities}")
    assert changed["template"] == "%{entities}"
    assert changed["uuid"] == created["uuid"]
    listed = zep3.context.list_context_templates()["templates"]
    mine = [item["template"] for item in listed if item["template_id"] == template_id]
    assert mine == ["%{entities}"]
    assert zep3.context.delete_context_template(template_id)["message"]
    with missing():
        zep3.context.get_context_template(template_id)


@requirement("v3:context.create_context_template:limits")
def test_a_context_template_has_limits(zep3: Zep) -> None:
    """1,200 characters of text and 100 of id are the most."""
    with bad_request():
        zep3.context.create_context_template(template_id=unique("template"), template="x" * 1201)
    with bad_request():
        zep3.context.create_context_template(template_id="x" * 101, template="%{edges}")
    longest = unique("template")
    zep3.context.create_context_template(template_id=longest, template="x" * 1200)
    zep3.context.delete_context_template(longest)


@requirement("v3:context.create_context_template:variables")
@pytest.mark.parametrize("template", ["%{weather}", "%{edges", "%{edges limit=0x}"])
def test_a_template_that_cannot_be_filled_in_is_refused(py3: Zep, template: str) -> None:
    """Unknown variables, open brackets and broken options are found when it is saved."""
    with bad_request():
        py3.context.create_context_template(template_id=unique("template"), template=template)


@requirement("v3:project.get", "v3:project.update")
def test_the_project_of_the_key_is_told_and_keeps_a_time_zone(zep3: Zep) -> None:
    """Name and uuid are there, the zone round-trips, and an unknown zone is refused."""
    project = zep3.project.get()["project"]
    assert project["uuid"]
    assert project["name"]
    changed = zep3.project.update(default_time_zone="Asia/Tokyo")["project"]
    assert changed["default_time_zone"] == "Asia/Tokyo"
    assert zep3.project.get()["project"]["default_time_zone"] == "Asia/Tokyo"
    with bad_request():
        zep3.project.update(default_time_zone="Mars/Olympus")
    zep3.project.update(default_time_zone=project.get("default_time_zone", "UTC"))


@requirement(
    "v3:project.get_observation_steering",
    "v3:project.set_observation_steering",
    "v3:project.observation_steering:fallback",
)
def test_steering_of_a_scope_hides_the_projects_until_cleared(zep3: Zep) -> None:
    """A user without its own steering reads the project's; an empty one clears the level."""
    user_id = a_user(zep3)["user_id"]
    habit = typed("ObservationType", name="habit", description="Things done again and again")
    zep3.project.set_observation_steering(instruction="Look for habits.", types=[habit])
    read = zep3.project.get_observation_steering(user_id=user_id)
    assert read["instruction"] == "Look for habits."
    assert names(read["types"]) == ["habit"]
    own = zep3.project.set_observation_steering(user_id=user_id, instruction="Look for pets.")
    assert own["instruction"] == "Look for pets."
    assert zep3.project.get_observation_steering(user_id=user_id)["instruction"] == "Look for pets."
    assert zep3.project.get_observation_steering()["instruction"] == "Look for habits."
    zep3.project.set_observation_steering(user_id=user_id)
    assert (
        zep3.project.get_observation_steering(user_id=user_id)["instruction"] == "Look for habits."
    )
    zep3.project.set_observation_steering()
    assert not zep3.project.get_observation_steering().get("instruction")
