"""Projects, guidance, templates, batches, groups and lookups with the client of generation 4."""

import pytest

from tests.contract.sdk.drivers import ClientError, Zep, typed
from tests.contract.sdk.requirements import requirement
from tests.contract.sdk.support import NOBODY, eventually, unique
from tests.contract.sdk.support_4 import a_graph4, a_thread4, a_user4, ended, refused4

NO_RETRIES = {"request_options": {"max_retries": 0}}


@requirement("v4:project.get", "v4:project.update")
def test_the_project_of_the_key_is_read_and_changed(zep4: Zep) -> None:
    """Its time zone; what it cannot have is refused."""
    before = zep4.project.get()
    assert before["hyperedges_enabled"] is False
    try:
        made = zep4.project.update(default_time_zone="Europe/Lisbon")
        assert made == {**before, "default_time_zone": "Europe/Lisbon"}
    finally:
        zep4.project.update(default_time_zone="UTC")
    with pytest.raises(ClientError) as raised:
        zep4.project.update(hyperedges_enabled=True, **NO_RETRIES)
    assert raised.value.status == 501


@requirement(
    "v4:graph.get_ontology",
    "v4:graph.set_ontology",
    "v4:project.get_ontology",
    "v4:project.set_ontology",
)
def test_types_are_set_by_classes_and_inherited(zep4: Zep) -> None:
    """A graph has the project's types until it has its own, and again when it gives them up."""
    graph = a_graph4(zep4)["uuid"]
    fields = {"home": {"type": "text", "description": "Where they live"}}
    classes = {
        "entities": {"Traveler": {"description": "Someone who travels", "fields": fields}},
        "edges": {
            "TRAVELED_TO": {
                "description": "A trip",
                "source_targets": [{"source": "Traveler", "target": "Location"}],
            }
        },
    }
    made = zep4.graph.set_ontology(graph, **{"$classes": classes})
    assert made["inherited"] is False
    assert made["entity_types"][0]["properties"] == [
        {"name": "home", "type": "text", "description": "Where they live"}
    ]
    assert made["edge_types"][0]["source_targets"] == [{"source": "Traveler", "target": "Location"}]
    assert zep4.graph.get_ontology(graph) == made
    left = zep4.graph.set_ontology(graph, inherited=True)
    assert (left["inherited"], left["entity_types"]) == (True, [])
    own = [typed("EntityType", name="Book", description="A book")]
    try:
        assert zep4.project.set_ontology(entity_types=own)["inherited"] is False
        assert zep4.project.get_ontology()["entity_types"][0]["name"] == "Book"
        assert zep4.graph.get_ontology(graph)["entity_types"][0]["name"] == "Book"
    finally:
        zep4.project.set_ontology(entity_types=[])
    assert zep4.project.get_ontology()["entity_types"] == []


@requirement(
    "v4:graph.get_instructions",
    "v4:graph.set_instructions",
    "v4:project.get_instructions",
    "v4:project.set_instructions",
    "v4:project.get_user_summary_instructions",
    "v4:project.set_user_summary_instructions",
)
def test_instructions_are_replaced_as_a_whole(zep4: Zep) -> None:
    """Of a graph, of the project, and for the summaries of its users."""
    graph = a_graph4(zep4)["uuid"]
    first = [typed("CustomInstruction", name="a", text="Names matter.")]
    second = [typed("CustomInstruction", name="b", text="Dates matter.")]
    zep4.graph.set_instructions(graph, instructions=first)
    made = zep4.graph.set_instructions(graph, instructions=second)
    assert [one["name"] for one in made["instructions"]] == ["b"]
    assert zep4.graph.get_instructions(graph) == made
    try:
        zep4.project.set_instructions(instructions=first)
        assert zep4.project.get_instructions()["instructions"][0]["name"] == "a"
        assert zep4.graph.get_instructions(a_graph4(zep4)["uuid"])["inherited"] is True
        asked = [typed("UserInstruction", name="work", text="Where do they work?")]
        zep4.project.set_user_summary_instructions(instructions=asked)
        told = zep4.project.get_user_summary_instructions()
        assert told["instructions"] == [{"name": "work", "text": "Where do they work?"}]
    finally:
        zep4.project.set_instructions(instructions=[])
        zep4.project.set_user_summary_instructions(instructions=[])


@requirement(
    "v4:graph.get_observation_steering",
    "v4:graph.set_observation_steering",
    "v4:project.get_observation_steering",
    "v4:project.set_observation_steering",
)
def test_steering_is_set_and_inherited(zep4: Zep) -> None:
    """What observations look for, of a graph or else of the project."""
    graph = a_graph4(zep4)["uuid"]
    types = [typed("ObservationType", name="habit", description="What recurs")]
    made = zep4.graph.set_observation_steering(graph, instruction="Look closely.", types=types)
    assert made["inherited"] is False
    assert zep4.graph.get_observation_steering(graph) == made
    try:
        zep4.project.set_observation_steering(instruction="Look.")
        assert zep4.project.get_observation_steering()["instruction"] == "Look."
        other = zep4.graph.get_observation_steering(a_graph4(zep4)["uuid"])
        assert (other["inherited"], other["instruction"]) == (True, "Look.")
    finally:
        zep4.project.set_observation_steering()


@requirement(
    "v4:context.create_template",
    "v4:context.list_templates",
    "v4:context.get_template",
    "v4:context.update_template",
    "v4:context.delete_template",
)
def test_templates_are_kept_by_uuid_and_name(zep4: Zep) -> None:
    """Made, renamed, found by name and removed."""
    name = unique("template")
    made = zep4.context.create_template(name=name, template="Known: %{edges}")
    assert zep4.context.get_template(made["uuid"]) == made
    changed = zep4.context.update_template(made["uuid"], name=f"{name}-2", template="%{entities}")
    assert changed == {**made, "name": f"{name}-2", "template": "%{entities}"}
    assert zep4.context.list_templates(name=f"{name}-2", **{"$all": True}) == [changed]
    zep4.context.delete_template(made["uuid"])
    with refused4(404, "NotFoundError"):
        zep4.context.get_template(made["uuid"])


@requirement(
    "v4:batch.create",
    "v4:batch.list",
    "v4:batch.get",
    "v4:batch.delete",
    "v4:batch.list_items",
    "v4:batch.add_items",
    "v4:batch.process",
    "v4:batch.add_items:rejected",
)
def test_a_batch_is_filled_processed_and_followed(zep4: Zep) -> None:
    """What cannot be taken is named by its place; the task ends with the batch."""
    user = a_user4(zep4)
    thread, graph = a_thread4(zep4, user), a_graph4(zep4)
    batch = zep4.batch.create(metadata={"from": "export"})
    items = [
        typed(
            "BatchItemInput",
            type="thread_message",
            thread_uuid=thread["uuid"],
            role="user",
            content="I like tea.",
        ),
        typed("BatchItemInput", type="graph_episode", graph_uuid=NOBODY, data="Nowhere."),
        typed("BatchItemInput", type="graph_episode", data="No place."),
        typed("BatchItemInput", type="graph_episode", graph_uuid=graph["uuid"], data="Eva left."),
        typed("BatchItemInput", type="graph_episode", user_uuid=user["uuid"], data="Jane sang."),
    ]
    taken = zep4.batch.add_items(batch["uuid"], items=items)
    assert [one["index"] for one in taken["rejected_items"]] == [1, 2]
    assert NOBODY in taken["rejected_items"][0]["reason"]
    assert len(taken["items"]) == 3
    assert taken["items"][0]["thread_uuid"] == thread["uuid"]
    started = zep4.batch.process(batch["uuid"])
    assert started["task"]["type"] == "batch.process"
    assert ended(zep4, started)["status"] == "succeeded"
    done = eventually(
        lambda: zep4.batch.get(batch["uuid"]), lambda found: found["status"] == "succeeded"
    )
    assert done["progress"]["succeeded_items"] == 3
    listed = zep4.batch.list_items(batch["uuid"], page_size=2, **{"$all": True})
    assert [one["status"] for one in listed] == ["succeeded"] * 3
    assert zep4.thread.list_messages(thread["uuid"])["items"][0]["content"] == "I like tea."
    draft = zep4.batch.create()
    assert draft in zep4.batch.list(status="draft", **{"$all": True})
    zep4.batch.delete(draft["uuid"])
    with refused4(404, "NotFoundError"):
        zep4.batch.get(draft["uuid"])


@requirement(
    "v4:user_group.create",
    "v4:user_group.list",
    "v4:user_group.get",
    "v4:user_group.delete",
    "v4:user_group.update",
    "v4:user_group.list_member_candidates",
    "v4:user_group.add_members",
    "v4:user_group.list_members",
    "v4:user_group.remove_members",
    "v4:user_group.remove_member",
    "v4:user_group.list_for_user",
)
def test_groups_of_users(zep4: Zep) -> None:
    """Made, filled, emptied and removed; who is in them is told from both sides."""
    word = unique("member")
    ann, bob = (a_user4(zep4, user_id=f"{word}-{n}") for n in range(2))
    group = zep4.user_group.create(name=unique("team"), description="Friends")
    uuid = group["uuid"]
    assert zep4.user_group.get(uuid) == group
    assert group in zep4.user_group.list(search=group["name"], **{"$all": True})
    both = [ann["uuid"], bob["uuid"]]
    assert zep4.user_group.add_members(uuid, user_uuids=both)["added_count"] == 2
    members = zep4.user_group.list_members(uuid, page_size=1, **{"$all": True})
    assert {user["uuid"] for user in members} == set(both)
    assert uuid in [one["uuid"] for one in zep4.user_group.list_for_user(ann["uuid"])["items"]]
    zep4.user_group.remove_member(uuid, ann["uuid"])
    free = zep4.user_group.list_member_candidates(uuid, search=word)["items"]
    assert [user["uuid"] for user in free] == [ann["uuid"]]
    done = zep4.user_group.remove_members(uuid, user_uuids=both)
    assert (done["removed_count"], done["no_op_count"]) == (1, 1)
    renamed = zep4.user_group.update(uuid, name=unique("crew"), expected_version=group["version"])
    assert renamed["version"] == group["version"] + 1
    with refused4(409, "ConflictError"):
        zep4.user_group.update(uuid, name="late", expected_version=group["version"], **NO_RETRIES)
    zep4.user_group.delete(uuid)
    with refused4(404, "NotFoundError"):
        zep4.user_group.get(uuid)


@requirement("v4:lookup.batch")
def test_older_ids_are_looked_up_together(zep4: Zep, py3: Zep) -> None:
    """Users, threads and graphs of older generations, and what is not there."""
    user_id, thread_id, graph_id = unique("u"), unique("t"), unique("g")
    user = py3.user.add(user_id=user_id)
    thread = py3.thread.create(thread_id=thread_id, user_id=user_id)
    graph = py3.graph.create(graph_id=graph_id)
    found = zep4.lookup.batch(users=[user_id, "nobody"], threads=[thread_id], graphs=[graph_id])
    assert [(one["resource_type"], one["found"], one.get("uuid")) for one in found["items"]] == [
        ("user", True, user["uuid"]),
        ("user", False, None),
        ("thread", True, thread["uuid"]),
        ("graph", True, graph["uuid"]),
    ]


@requirement(
    "v4:project.get_content_policy",
    "v4:project.set_content_policy",
    "v4:project.list_content_policy_revisions",
    "v4:project.get_content_policy_revision",
    "v4:graph.get_content_policy",
    "v4:graph.list_content_policy_events",
    "v4:debug_log.enable",
)
def test_there_is_no_content_policy_and_nobody_pretends(zep4: Zep) -> None:
    """Reading tells an empty one; setting one that says something is refused."""
    graph = a_graph4(zep4)["uuid"]
    assert zep4.project.get_content_policy()["rules"] == []
    assert zep4.project.set_content_policy(categories=[], rules=[])["revision"] == 0
    assert zep4.project.list_content_policy_revisions(**{"$all": True}) == []
    assert zep4.graph.get_content_policy(graph)["categories"] == []
    assert zep4.graph.list_content_policy_events(graph, **{"$all": True}) == []
    assert zep4.debug_log.enable()["ingestion_trace_enabled"] is True
    with refused4(404, "NotFoundError"):
        zep4.project.get_content_policy_revision(NOBODY)
    rule = typed("ContentPolicyRuleRequest", category_key="health", description="No health data")
    with pytest.raises(ClientError) as raised:
        zep4.project.set_content_policy(rules=[rule], **NO_RETRIES)
    assert raised.value.status == 501


@requirement(
    "v4:graph.hyperedge.add",
    "v4:graph.hyperedge.list",
    "v4:graph.hyperedge.get",
    "v4:graph.hyperedge.delete",
    "v4:graph.hyperedge.update",
    "v4:graph.hyperedge.create_edge",
    "v4:graph.hyperedge.delete_edge",
)
def test_there_are_no_hyperedges(zep4: Zep) -> None:
    """None is listed or found, and adding one says what to do instead."""
    graph = a_graph4(zep4)["uuid"]
    assert zep4.graph.hyperedge.list(graph, **{"$all": True}) == []
    ends = {
        "source_node": typed("EdgeNodeRef", name="Ada"),
        "target_node": typed("EdgeNodeRef", name="Acme"),
    }
    for read in (
        lambda: zep4.graph.hyperedge.get(graph, NOBODY),
        lambda: zep4.graph.hyperedge.delete(graph, NOBODY),
        lambda: zep4.graph.hyperedge.update(graph, NOBODY, fact="x"),
        lambda: zep4.graph.hyperedge.create_edge(graph, NOBODY, name="LEADS", **ends),
        lambda: zep4.graph.hyperedge.delete_edge(graph, NOBODY, NOBODY),
    ):
        with refused4(404, "NotFoundError"):
            read()
    edge = typed("HyperedgeInput", name="LEADS", **ends)
    with pytest.raises(ClientError) as raised:
        zep4.graph.hyperedge.add(graph, fact="Ada leads Acme", edges=[edge], **NO_RETRIES)
    assert raised.value.status == 501
