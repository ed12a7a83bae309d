"""Chapters of the guide of generation 2 with its own examples, through the released client.

"Customizing Graph Structure": procedures, preferences, a default type that is overridden.
"Walkthrough": Emily and the support of PaintWiz. Observations: what a user comes back to.
"""

import json
from typing import Any

import pytest

from tests.contract.sdk.drivers import Zep
from tests.contract.sdk.requirements import requirement
from tests.contract.sdk.support import a_thread, a_user, eventually, processed, said2, said3, unique
from tests.contract.sdk.test_reading import field

pytestmark = pytest.mark.usefixtures("awake")
CODE = "Whenever I ask you for code, first write the tests, then write the code, then explain it."
EMILY = {"first_name": "Emily", "last_name": "Painter"}
CHAT = (
    ("assistant", "Hello Emily, welcome to PaintWiz support. How can I assist you today?"),
    ("user", "I'm absolutely furious! Your AI art generation is completely broken!"),
    (
        "user",
        "Every time I try to draw mountains, your stupid app keeps turning them into fountains!",
    ),
)
CASE = (
    (
        "user",
        "14:20",
        "Whenever I use the magic pen tool to draw boats, it ends up drawing goats instead.",
    ),
    (
        "user",
        "14:25",
        "Sure, I select the magic pen, draw a boat shape, and it just replaces the shape with goats.",
    ),
    (
        "support_agent",
        "14:27",
        "Got it! We'll escalate this to our engineering team. In the meantime, you can manually "
        "select the boat shape from the options rather than drawing it with the pen.",
    ),
)
RUNS = (
    ("01", "I went for a run along the river."),
    ("04", "I ran ten kilometres with Tom."),
    ("09", "I signed up for a half marathon."),
)


def told(zep2: Zep, user_id: str, *messages: dict[str, Any]) -> None:
    """Say something in a session of a user and wait until it was learned."""
    session_id = unique("session")
    zep2.memory.add_session(session_id=session_id, user_id=user_id)
    zep2.memory.add(session_id, messages=list(messages))
    episodes = zep2.graph.episode.get_by_user_id(user_id, lastn=len(messages))["episodes"]
    for episode in episodes:
        processed(zep2, episode["uuid"])


def nodes_of(zep: Zep, user_id: str) -> dict[str, dict[str, Any]]:
    """The nodes of a user by their names."""
    return {node["name"]: node for node in zep.graph.node.get_by_user_id(user_id)}


def labelled(zep: Zep, user_id: str, label: str) -> list[dict[str, Any]]:
    """The nodes of a type."""
    return [node for node in nodes_of(zep, user_id).values() if label in node["labels"]]


@requirement("v2:graph.set_ontology:classifies")
def test_steps_for_the_agent_are_a_procedure_and_likes_have_a_category(py2: Zep) -> None:
    """ "Default Entity Types": the types are there without being asked for."""
    user_id = a_user(py2)["user_id"]
    likes = "I really like pop music, and I don't like metal."
    told(py2, user_id, said2(CODE), said2(likes), said2("I'm a huge fan of Eric Clapton."))
    (rule,) = labelled(py2, user_id, "Procedure")
    assert rule["attributes"]["instruction"] == CODE
    found = {
        node["name"]: node["attributes"]["category"]
        for node in labelled(py2, user_id, "Preference")
    }
    assert found == {"pop music": "Music", "metal": "Music", "Eric Clapton": "Music"}


@requirement("v3:graph.set_ontology:classifies")
def test_a_default_type_that_is_overridden_fills_the_fields_of_its_own(py3: Zep) -> None:
    """ "Custom Entity and Edge Types": a type of the same name takes the place of the default."""
    thread = a_thread(py3)
    own = {
        "description": "How the assistant should behave.",
        "fields": {
            "trigger": field("When the procedure applies"),
            "steps": field("What the assistant does, in order"),
        },
    }
    user_id = thread["user_id"]
    py3.graph.set_ontology(entities={"Procedure": own}, edges={}, user_ids=[user_id])
    py3.thread.add_messages(thread["thread_id"], messages=[said3(CODE)])
    (rule,) = eventually(lambda: labelled(py3, user_id, "Procedure"), bool)
    assert rule["attributes"]["trigger"] == "Whenever I ask you for code"
    assert rule["attributes"]["steps"].startswith("first write the tests, then write the code")
    assert "instruction" not in rule["attributes"]


@requirement("v2:graph.set_ontology:classifies")
def test_the_product_of_the_walkthrough_is_known_by_what_is_said_of_it(py2: Zep) -> None:
    """ "Walkthrough": what its support is called "your app" is PaintWiz; one magic pen tool; the
    workaround is a fact."""
    user_id = a_user(py2, **EMILY)["user_id"]
    names = {"user": "Emily", "assistant": "SupportBot"}
    told(py2, user_id, *(said2(text, role, role=names[role]) for role, text in CHAT))
    messages = [
        {"role": role, "content": text, "timestamp": f"2024-03-16T{time}:00Z"}
        for role, time, text in CASE
    ]
    case = json.dumps({"subject": "Bug: goats instead of boats", "messages": messages})
    processed(py2, py2.graph.add(user_id=user_id, type="json", data=case)["uuid"])
    nodes = nodes_of(py2, user_id)
    house = nodes["PaintWiz"]
    assert "AI art generation is completely broken" in house["summary"]
    edges = py2.graph.edge.get_by_user_id(user_id)
    ends = {edge["fact"]: {edge["source_node_uuid"], edge["target_node_uuid"]} for edge in edges}
    about = [fact for fact, both in ends.items() if house["uuid"] in both]
    assert any("mountains" in fact and "fountains" in fact for fact in about)
    assert [name for name in nodes if "magic pen" in name.lower()] == ["magic pen tool"]
    (around,) = [fact for fact in ends if "manually select the boat shape" in fact]
    assert ends[around] == {nodes["Emily Painter"]["uuid"], nodes["boat shape"]["uuid"]}


@requirement("v3:graph.observation.get_by_user_id")
def test_what_a_user_comes_back_to_is_observed(py3: Zep) -> None:
    """Different facts on one topic, on three days, told in one text that names them."""
    thread = a_thread(py3)
    messages = [said3(text, created_at=f"2024-03-{day}T09:00:00Z") for day, text in RUNS]
    added = py3.thread.add_messages(thread["thread_id"], messages=messages)["message_uuids"]
    found = eventually(lambda: py3.graph.observation.get_by_user_id(thread["user_id"]), bool)
    (topic,) = [one for one in found if "running" in one["name"]]
    assert topic["summary"].startswith(
        "Jane Smith has spoken about running on 3 days, from 1 March 2024 to 9 March 2024."
    )
    assert sorted(topic["episode_ids"]) == sorted(added)
