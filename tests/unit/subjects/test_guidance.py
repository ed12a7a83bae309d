"""Guidance is kept at a scope; a narrower scope wins whole, and an empty one reads the project's."""

from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Concatenate, ParamSpec, TypeVar

import pytest

from recollect.errors import AlreadyExists, InvalidInput, InvariantViolated, NotFound
from recollect.governance import keys
from recollect.graph.types import Access
from recollect.records import graphs, guidance, users
from recollect.records.graphs import GraphDetails
from recollect.records.guidance import (
    PROJECT,
    EdgeType,
    Ends,
    EntityType,
    Instruction,
    InstructionKind,
    ObservationType,
    Ontology,
    Property,
    Scope,
    Steering,
    Targets,
)
from recollect.records.users import UserDetails
from recollect.store.protocol import Store, Transaction
from tests.support.stores import behind, open_store

P = ParamSpec("P")
T = TypeVar("T")
ANN, TEA, NOBODY = "ann", "tea", "nobody"


class World:
    """A store with the user ann and the standalone graph tea in each of two projects."""

    def __init__(self, store: Store, path: Path, access: Access, other: Access) -> None:
        self.store = store
        self.path = path
        self.access = access
        self.other = other

    async def do(
        self,
        unit: Callable[Concatenate[Transaction, Access, P], T],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        """Run a unit of work for the first project."""
        return await self.store.write(unit, self.access, *args, **kwargs)

    async def scope(self, user_id: str | None = None, graph_id: str | None = None) -> Scope:
        """The scope behind an id."""
        return await self.do(guidance.scope, user_id, graph_id)

    def rows(self) -> int:
        """How much guidance there is in the store, whoever it belongs to."""
        with behind(self.path) as connection:
            return int(connection.execute("SELECT count(*) FROM guidance").fetchone()[0])


async def _project(store: Store, name: str) -> Access:
    project = await store.write(keys.create_project, name)
    key = (await store.write(keys.create_key, name, "test")).key
    access = Access(project_id=project.id, project_uuid=project.uuid, key_uuid=key.uuid)
    await store.write(users.create, access, ANN, UserDetails())
    await store.write(graphs.create, access, TEA, GraphDetails())
    return access


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    """Two projects with a user and a graph each."""
    store = open_store(tmp_path, readers=1)
    one, two = await _project(store, "one"), await _project(store, "two")
    yield World(store, tmp_path, one, two)
    await store.close()


def entity(name: str, *fields: str, identity: tuple[str, ...] | None = None) -> EntityType:
    """A custom entity type with text fields."""
    properties = tuple(Property(name=field, type="Text", description="") for field in fields)
    return EntityType(
        name=name, description="A thing.", properties=properties, identity_properties=identity
    )


def edge(name: str, *ends: Ends) -> EdgeType:
    """A custom edge type."""
    return EdgeType(name=name, description="A bond.", source_targets=ends)


def types(*names: str) -> Ontology:
    """A set of entity types."""
    return Ontology(entity_types=tuple(entity(name, "code") for name in names))


def advice(*names: str) -> list[Instruction]:
    """Some instructions."""
    return [Instruction(name=name, text=f"About {name}.") for name in names]


async def names_at(
    world: World, user_id: str | None = None, graph_id: str | None = None
) -> list[str]:
    """The names of the entity types that hold somewhere."""
    where = await world.scope(user_id, graph_id)
    found = await world.do(guidance.ontology_at, where)
    return [item.name for item in found.entity_types]


# ---------------------------------------------------------------- ontology


async def test_an_ontology_is_read_as_it_was_written(world: World) -> None:
    """Fields, identity and allowed ends come back, missing sides stay missing."""
    said = Ontology(
        entity_types=(entity("Ship", "imo", "flag", identity=("imo",)), entity("Port")),
        edge_types=(edge("CALLED_AT", Ends(source="Ship"), Ends(target="Port"), Ends()),),
    )
    await world.do(guidance.set_ontology, Targets(), said)
    assert await world.do(guidance.ontology_at, PROJECT) == said


async def test_setting_types_replaces_the_whole_set(world: World) -> None:
    """Nothing of the set before is left, edge types included."""
    await world.do(
        guidance.set_ontology,
        Targets(),
        Ontology(entity_types=(entity("Ship"),), edge_types=(edge("SAILS"),)),
    )
    await world.do(guidance.set_ontology, Targets(), types("Port"))
    assert await world.do(guidance.ontology_at, PROJECT) == types("Port")


async def test_a_narrower_scope_wins_whole(world: World) -> None:
    """A user's types hide all of the project's, and say nothing about a graph's."""
    await world.do(guidance.set_ontology, Targets(), types("Ship", "Port"))
    await world.do(guidance.set_ontology, Targets(user_ids=(ANN,)), types("Cup"))
    assert await names_at(world, user_id=ANN) == ["Cup"]
    assert await names_at(world, graph_id=TEA) == ["Ship", "Port"]
    assert await names_at(world) == ["Ship", "Port"]


async def test_one_call_sets_every_named_scope(world: World) -> None:
    """Users and graphs may be named together, and the project is then left alone."""
    await world.do(guidance.set_ontology, Targets(user_ids=(ANN,), graph_ids=(TEA,)), types("Cup"))
    assert await names_at(world, user_id=ANN) == ["Cup"]
    assert await names_at(world, graph_id=TEA) == ["Cup"]
    assert await names_at(world) == []


async def test_an_empty_set_gives_a_scope_back_to_the_project(world: World) -> None:
    """Clearing a user's types lets the project's show again."""
    await world.do(guidance.set_ontology, Targets(), types("Ship"))
    await world.do(guidance.set_ontology, Targets(user_ids=(ANN,)), types("Cup"))
    await world.do(guidance.set_ontology, Targets(user_ids=(ANN,)), Ontology())
    assert await names_at(world, user_id=ANN) == ["Ship"]


async def test_an_unknown_target_changes_nothing(world: World) -> None:
    """All named scopes must exist before any of them is written."""
    with pytest.raises(NotFound, match="nobody"):
        await world.do(guidance.set_ontology, Targets(user_ids=(ANN, NOBODY)), types("Cup"))
    with pytest.raises(NotFound, match="nothing"):
        await world.do(
            guidance.set_ontology, Targets(user_ids=(ANN,), graph_ids=("nothing",)), types("Cup")
        )
    assert world.rows() == 0


@pytest.mark.parametrize("noun", ["user", "graph"])
async def test_guidance_goes_with_its_user_or_graph(world: World, noun: str) -> None:
    """Someone new of the same name starts from the project's guidance."""
    targets = Targets(user_ids=(ANN,)) if noun == "user" else Targets(graph_ids=(TEA,))
    await world.do(guidance.set_ontology, targets, types("Cup"))
    await world.do(guidance.add_instructions, "extraction", targets, advice("tone"))
    where = await world.scope(*((ANN, None) if noun == "user" else (None, TEA)))
    await world.do(guidance.set_steering, where, Steering(instruction="Look."))
    assert world.rows() == 3
    if noun == "user":
        await world.do(users.delete, ANN)
        await world.do(users.create, ANN, UserDetails())
    else:
        await world.do(graphs.delete, TEA)
        await world.do(graphs.create, TEA, GraphDetails())
    assert world.rows() == 0
    assert await names_at(world, *((ANN, None) if noun == "user" else (None, TEA))) == []


async def test_projects_do_not_hear_each_other(world: World) -> None:
    """Types, instructions, steering and templates of one project are unknown to another."""
    await world.do(guidance.set_ontology, Targets(user_ids=(ANN,)), types("Cup"))
    await world.do(guidance.add_instructions, "summary", Targets(), advice("work"))
    await world.do(guidance.set_steering, PROJECT, Steering(instruction="Look."))
    await world.do(guidance.create_template, "mine", "%{edges}")
    read, other = world.store.read, world.other
    theirs = await read(guidance.scope, other, ANN, None)
    assert await read(guidance.ontology_at, other, theirs) == Ontology()
    assert await read(guidance.instructions_at, other, PROJECT, "summary") == []
    assert await read(guidance.steering_at, other, PROJECT) == Steering()
    assert await read(guidance.list_templates, other) == []
    with pytest.raises(NotFound):
        await read(guidance.get_template, other, "mine")


def _properties(*names: str) -> Ontology:
    return Ontology(edge_types=(EdgeType(name="E", description="", properties=_fields(*names)),))


def _fields(*names: str) -> tuple[Property, ...]:
    return tuple(Property(name=name, type="Int", description="") for name in names)


BAD_ONTOLOGIES = {
    "entity_types: at most 10, got 11": types(*(f"T{n}" for n in range(11))),
    "edge_types: at most 10, got 11": Ontology(edge_types=tuple(edge(f"E{n}") for n in range(11))),
    "edge_types[0].properties: at most 10, got 11": _properties(*(f"f{n}" for n in range(11))),
    "entity_types[1].name: must not be empty": types("Ship", " "),
    "entity_types: 'Ship' is given twice": types("Ship", "Port", "Ship"),
    "edge_types[0].properties[1].name: must not be empty": _properties("a", ""),
    "edge_types[0].properties: 'a' is given twice": _properties("a", "b", "a"),
    "edge_types[0].source_targets[0].target: must not be empty": Ontology(
        edge_types=(edge("E", Ends(source="Ship", target=" ")),)
    ),
    "edge_types[0].source_targets: at most 400, got 401": Ontology(
        edge_types=(edge("E", *(Ends(source="Ship") for _ in range(401))),)
    ),
    "entity_types[0].identity_properties: 'imo' is not a property of 'Ship'": Ontology(
        entity_types=(entity("Ship", "flag", identity=("imo",)),)
    ),
    "entity_types[0].description: at most 10000 characters": Ontology(
        entity_types=(EntityType(name="Ship", description="x" * 10_001),)
    ),
    "entity_types and edge_types: at most 65536 bytes of JSON together": Ontology(
        entity_types=tuple(EntityType(name=f"T{n}", description="é" * 4_000) for n in range(9))
    ),
    **{
        f"edge_types[0].properties[0].name: {name!r} is reserved": _properties(name)
        for name in sorted(guidance.RESERVED_FIELDS)
    },
}


@pytest.mark.parametrize("complaint", BAD_ONTOLOGIES)
async def test_types_that_cannot_be_kept_are_refused(world: World, complaint: str) -> None:
    """The message names the type and the field; nothing is stored."""
    with pytest.raises(InvalidInput) as refused:
        await world.do(guidance.set_ontology, Targets(), BAD_ONTOLOGIES[complaint])
    assert refused.value.message.startswith(complaint)
    assert world.rows() == 0


async def test_ten_types_with_ten_fields_fit(world: World) -> None:
    """The limits themselves are allowed, and both kinds count apart."""
    names = [f"f{number}" for number in range(10)]
    said = Ontology(
        entity_types=tuple(entity(name, *names) for name in names),
        edge_types=tuple(edge(name) for name in names),
    )
    await world.do(guidance.set_ontology, Targets(), said)
    assert await world.do(guidance.ontology_at, PROJECT) == said


async def test_a_request_names_one_scope_or_none(world: World) -> None:
    """Two ids are a mistake, an unknown one is not found, none is the project."""
    with pytest.raises(InvalidInput, match="not both"):
        await world.scope(ANN, TEA)
    with pytest.raises(NotFound):
        await world.scope(user_id=NOBODY)
    assert await world.scope() == PROJECT


async def test_stored_guidance_that_cannot_be_read_is_our_fault(world: World) -> None:
    """A row that was changed behind our back is an alarm, not a guess."""
    await world.do(guidance.set_ontology, Targets(), types("Cup"))
    with behind(world.path) as connection:
        connection.execute("UPDATE guidance SET value = '[1]'")
    with pytest.raises(InvariantViolated):
        await world.do(guidance.ontology_at, PROJECT)


# ---------------------------------------------------------------- instructions


async def told(
    world: World, kind: InstructionKind = "extraction", user_id: str | None = None
) -> dict[str, str]:
    """The instructions that hold somewhere, by name."""
    where = await world.scope(user_id)
    found = await world.do(guidance.instructions_at, where, kind)
    return {item.name: item.text for item in found}


@pytest.mark.parametrize("kind", ["extraction", "summary"])
async def test_adding_keeps_the_others_and_rewrites_the_known(
    world: World, kind: InstructionKind
) -> None:
    """A name is said once; what was first said stays first."""
    await world.do(guidance.add_instructions, kind, Targets(), advice("tone", "words"))
    again = [Instruction(name="tone", text="Else."), Instruction(name="ships", text="Yes.")]
    await world.do(guidance.add_instructions, kind, Targets(), again)
    found = await told(world, kind)
    assert list(found.items()) == [("tone", "Else."), ("words", "About words."), ("ships", "Yes.")]


async def test_the_two_kinds_of_instructions_are_apart(world: World) -> None:
    """A summary instruction is not an extraction instruction."""
    await world.do(guidance.add_instructions, "summary", Targets(), advice("work"))
    assert await told(world, "extraction") == {}


async def test_instructions_of_a_scope_hide_the_projects(world: World) -> None:
    """A user with instructions of their own reads only those, and without any the project's."""
    await world.do(guidance.add_instructions, "extraction", Targets(), advice("all"))
    assert list(await told(world, user_id=ANN)) == ["all"]
    mine = Targets(user_ids=(ANN,))
    await world.do(guidance.add_instructions, "extraction", mine, advice("mine"))
    assert list(await told(world, user_id=ANN)) == ["mine"]
    await world.do(guidance.delete_instructions, "extraction", mine, [])
    assert list(await told(world, user_id=ANN)) == ["all"]


async def test_a_delete_takes_the_named_ones_and_without_names_all(world: World) -> None:
    """A name that is not there is no reason to fail."""
    await world.do(guidance.add_instructions, "extraction", Targets(), advice("a", "b", "c"))
    await world.do(guidance.delete_instructions, "extraction", Targets(), ["a", "unknown"])
    assert list(await told(world)) == ["b", "c"]
    await world.do(guidance.delete_instructions, "extraction", Targets(), [])
    assert await told(world) == {}


async def test_five_summary_instructions_are_the_most_in_one_place(world: World) -> None:
    """The sixth is refused, a known name and another user are not."""
    await world.do(guidance.add_instructions, "summary", Targets(), advice(*"abcde"))
    with pytest.raises(InvalidInput, match="at most 5 in one scope, this would make 6"):
        await world.do(guidance.add_instructions, "summary", Targets(), advice("e", "f"))
    await world.do(guidance.add_instructions, "summary", Targets(), advice("e"))
    await world.do(guidance.add_instructions, "summary", Targets(user_ids=(ANN,)), advice("f"))
    assert list(await told(world, "summary")) == list("abcde")


async def test_a_scope_without_room_keeps_the_others_from_changing(world: World) -> None:
    """One request is done everywhere or nowhere."""
    await world.do(guidance.add_instructions, "summary", Targets(user_ids=(ANN,)), advice(*"abcde"))
    with pytest.raises(InvalidInput):
        await world.do(
            guidance.add_instructions,
            "summary",
            Targets(graph_ids=(TEA,), user_ids=(ANN,)),
            advice("f"),
        )
    assert world.rows() == 5


BAD_INSTRUCTIONS: list[tuple[InstructionKind, list[Instruction], str]] = [
    ("extraction", [], "instructions: must not be empty"),
    ("extraction", advice(*"abcdef"), "instructions: at most 5, got 6"),
    ("extraction", advice("a", "a"), "instructions: 'a' is given twice"),
    ("extraction", advice(" "), "instructions[0].name: must not be empty"),
    ("extraction", advice("a" * 101), "instructions[0].name: at most 100 characters"),
    ("extraction", [Instruction(name="a", text=" ")], "instructions[0].text: must not be empty"),
    (
        "extraction",
        [Instruction(name="a", text="x" * 5001)],
        "instructions[0].text: at most 5000 characters",
    ),
    (
        "summary",
        [*advice("a"), Instruction(name="b", text="x" * 101)],
        "instructions[1].text: at most 100 characters",
    ),
]


@pytest.mark.parametrize(("kind", "said", "complaint"), BAD_INSTRUCTIONS)
async def test_instructions_out_of_bounds_are_refused(
    world: World, kind: InstructionKind, said: list[Instruction], complaint: str
) -> None:
    """The message names the instruction and the field."""
    with pytest.raises(InvalidInput) as refused:
        await world.do(guidance.add_instructions, kind, Targets(), said)
    assert refused.value.message.startswith(complaint)


async def test_fifty_users_are_the_most_for_one_request(world: World) -> None:
    """The bound is told before anyone is looked up."""
    many = Targets(user_ids=(NOBODY,) * 51)
    with pytest.raises(InvalidInput, match="user_ids: at most 50, got 51"):
        await world.do(guidance.add_instructions, "extraction", many, advice("a"))
    with pytest.raises(InvalidInput, match="user_ids: at most 50, got 51"):
        await world.do(guidance.set_ontology, many, types("Cup"))
    many = Targets(graph_ids=(NOBODY,) * 51)
    with pytest.raises(InvalidInput, match="graph_ids: at most 50, got 51"):
        await world.do(guidance.delete_instructions, "extraction", many, [])
    with pytest.raises(InvalidInput, match="graph_ids: at most 50, got 51"):
        await world.do(guidance.set_ontology, many, types("Cup"))


# ---------------------------------------------------------------- steering


async def test_steering_is_overridden_whole_until_cleared(world: World) -> None:
    """A user's steering without types does not borrow the project's types."""
    habit = ObservationType(name="daily_habit", description="Done again and again.")
    project = Steering(instruction="Look for habits.", types=(habit,))
    own = Steering(instruction="Look for pets.")
    where = await world.scope(user_id=ANN)
    assert await world.do(guidance.set_steering, PROJECT, project) == project
    assert await world.do(guidance.steering_at, where) == project
    assert await world.do(guidance.set_steering, where, own) == own
    assert await world.do(guidance.steering_at, where) == own
    assert await world.do(guidance.set_steering, where, Steering(instruction=" ")) == Steering()
    assert await world.do(guidance.steering_at, where) == project
    await world.do(guidance.set_steering, PROJECT, Steering())
    assert await world.do(guidance.steering_at, where) == Steering()
    assert world.rows() == 0


def _kinds(*names: str, description: str = "Something.") -> Steering:
    return Steering(types=tuple(ObservationType(name=n, description=description) for n in names))


BAD_STEERING = {
    "instruction: at most 2000 characters": Steering(instruction="x" * 2001),
    "types: at most 10, got 11": _kinds(*(f"kind_{n}" for n in range(11))),
    "types: 'habit' is given twice": _kinds("habit", "habit"),
    "types[0].name: must not be empty": _kinds(""),
    "types[0].name: at most 50 characters": _kinds("x" * 51),
    "types[0].name: must be in snake_case, got 'Habit'": _kinds("Habit"),
    "types[0].name: must be in snake_case, got 'a-b'": _kinds("a-b"),
    "types[0].name: must be in snake_case, got '1st'": _kinds("1st"),
    "types[0].name: must be in snake_case, got 'a\\n'": _kinds("a\n"),
    "types[1].name: 'generic' is reserved": _kinds("habit", "generic"),
    "types[0].description: must not be empty": _kinds("habit", description=" "),
    "types[0].description: at most 500 characters": _kinds("habit", description="x" * 501),
}


@pytest.mark.parametrize("complaint", BAD_STEERING)
async def test_steering_out_of_bounds_is_refused(world: World, complaint: str) -> None:
    """The message names the type and the field."""
    with pytest.raises(InvalidInput) as refused:
        await world.do(guidance.set_steering, PROJECT, BAD_STEERING[complaint])
    assert refused.value.message.startswith(complaint)


# ---------------------------------------------------------------- templates


async def test_a_template_keeps_its_uuid_when_rewritten(world: World) -> None:
    """Only the text changes, and the place in the list stays."""
    first = await world.do(guidance.create_template, "first", "%{edges}")
    await world.do(guidance.create_template, "second", "%{edges}")
    changed = await world.do(guidance.update_template, "first", "%{entities}")
    assert (changed.uuid, changed.text) == (first.uuid, "%{entities}")
    listed = await world.do(guidance.list_templates)
    assert [item.template_id for item in listed] == ["first", "second"]
    await world.do(guidance.delete_template, "first")
    assert [item.template_id for item in await world.do(guidance.list_templates)] == ["second"]


async def test_a_template_id_is_taken_once(world: World) -> None:
    """A second creation leaves the first as it was."""
    await world.do(guidance.create_template, "mine", "one")
    with pytest.raises(AlreadyExists, match="mine"):
        await world.do(guidance.create_template, "mine", "two")
    assert (await world.do(guidance.get_template, "mine")).text == "one"


async def test_a_template_that_is_not_there_is_not_found(world: World) -> None:
    """Reading, rewriting and deleting say so alike."""
    with pytest.raises(NotFound):
        await world.do(guidance.get_template, "gone")
    with pytest.raises(NotFound):
        await world.do(guidance.update_template, "gone", "text")
    with pytest.raises(NotFound):
        await world.do(guidance.delete_template, "gone")


@pytest.mark.parametrize("template_id", ["", "a/b", " a", "x" * 101])
async def test_a_template_id_can_be_addressed(world: World, template_id: str) -> None:
    """An id that no path could carry is refused, and so is one that is too long."""
    with pytest.raises(InvalidInput, match="template_id"):
        await world.do(guidance.create_template, template_id, "text")


@pytest.mark.parametrize("text", [" ", "x" * 1201])
async def test_a_template_has_some_text_but_not_too_much(world: World, text: str) -> None:
    """1,200 characters are the most."""
    with pytest.raises(InvalidInput, match="template"):
        await world.do(guidance.create_template, "mine", text)


async def test_a_project_has_room_for_so_many_templates(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The list has no pages, so it has an end."""
    monkeypatch.setattr(guidance.templates, "TEMPLATES_MAX", 1)
    await world.do(guidance.create_template, "first", "text")
    with pytest.raises(InvalidInput, match="at most 1 templates"):
        await world.do(guidance.create_template, "second", "text")
