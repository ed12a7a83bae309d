"""What clients see of what was read: types with their fields, facts with their ratings."""

from typing import Any

from tests.contract.sdk.drivers import Zep, typed
from tests.contract.sdk.requirements import requirement
from tests.contract.sdk.support import a_user, eventually, said2, said3, unique

JOHN = {"first_name": "John", "last_name": "Doe"}


def field(description: str, kind: str = "text") -> dict[str, str]:
    """A field of a custom type."""
    return {"type": kind, "description": description}


# The types and the talk of the guide of generation 2, as it prints them.
RESTAURANT = {
    "description": "Represents a specific restaurant.",
    "fields": {
        "cuisine_type": field(
            "The cuisine type of the restaurant, for example: American, Mexican, Indian, etc."
        ),
        "dietary_accommodation": field(
            "The dietary accommodation of the restaurant, if any, for example: vegetarian, vegan, etc."
        ),
    },
}
AUDIOBOOK = {
    "description": "Represents an audiobook entity.",
    "fields": {
        "genre": field(
            "The genre of the audiobook, for example: self-help, fiction, nonfiction, etc."
        )
    },
}
EDGES = {
    "RESTAURANT_VISIT": {
        "description": "Represents the fact that the user visited a restaurant.",
        "fields": {"restaurant_name": field("The name of the restaurant the user visited")},
        "source_targets": [{"source": "User", "target": "Restaurant"}],
    },
    "AUDIOBOOK_LISTEN": {
        "description": "Represents the fact that the user listened to or played an audiobook.",
        "fields": {
            "audiobook_title": field("The title of the audiobook the user listened to or played")
        },
        "source_targets": [{"source": "User", "target": "Audiobook"}],
    },
    "DIETARY_PREFERENCE": {
        "description": "Represents the fact that the user has a dietary preference or dietary restriction.",
        "fields": {
            "preference_type": field(
                "Preference type of the user: anything, vegetarian, vegan, peanut allergy, etc."
            ),
            "allergy": field(
                "Whether this dietary preference represents a user allergy: True or false",
                "boolean",
            ),
        },
        "source_targets": [{"source": "User"}],
    },
}
TALK = (
    ("user", "Take me to a lunch place"),
    ("assistant", "How about Panera Bread, Chipotle, or Green Leaf Cafe, which are nearby?"),
    ("user", "Do any of those have vegetarian options? I’m vegetarian"),  # noqa: RUF001
    ("assistant", "Yes, Green Leaf Cafe has vegetarian options"),
    ("user", "Let’s go to Green Leaf Cafe"),  # noqa: RUF001
    ("assistant", "Navigating to Green Leaf Cafe"),
    ("user", "Play the 7 habits of highly effective people"),
    ("assistant", "Playing the 7 habits of highly effective people"),
)
NAMES = {"user": "John Doe", "assistant": "Assistant"}


def edges_of(zep: Zep, user_id: str) -> dict[str, dict[str, Any]]:
    """The facts of a user by their type."""
    return {edge["name"]: edge for edge in zep.graph.edge.get_by_user_id(user_id)}


def check_types(zep: Zep, user_id: str) -> None:
    """What the guide prints, in our words."""
    found = eventually(lambda: edges_of(zep, user_id), lambda edges: edges.keys() >= EDGES.keys())
    assert found["RESTAURANT_VISIT"]["attributes"]["restaurant_name"] == "Green Leaf Cafe"
    title = found["AUDIOBOOK_LISTEN"]["attributes"]["audiobook_title"]
    assert title.lower().removeprefix("the ") == "7 habits of highly effective people"
    assert found["DIETARY_PREFERENCE"]["attributes"]["preference_type"] == "vegetarian"
    assert found["DIETARY_PREFERENCE"]["attributes"]["allergy"] is False
    nodes = {node["name"]: node for node in zep.graph.node.get_by_user_id(user_id)}
    assert nodes["Green Leaf Cafe"]["labels"] == ["Entity", "Restaurant"]
    assert nodes["John Doe"]["labels"] == ["Entity", "User"]


@requirement("v2:graph.set_ontology:classifies")
def test_the_types_of_the_guide_are_found_in_its_conversation(zep2: Zep) -> None:
    """Restaurant, audiobook and diet, with assistant messages as context only."""
    zep2.graph.set_ontology(
        entities={"Restaurant": RESTAURANT, "Audiobook": AUDIOBOOK}, edges=EDGES
    )
    user_id = a_user(zep2, **JOHN)["user_id"]
    session_id = unique("session")
    zep2.memory.add_session(session_id=session_id, user_id=user_id)
    messages = [said2(content, role, role=NAMES[role]) for role, content in TALK]
    zep2.memory.add(session_id, messages=messages, ignore_roles=["assistant"])
    try:
        check_types(zep2, user_id)
    finally:
        zep2.graph.set_entity_types_internal(entity_types=[], edge_types=[])


@requirement("v3:graph.set_ontology:classifies")
def test_the_types_of_one_user_are_found_in_a_thread(zep3: Zep) -> None:
    """The same for threads, with types that belong to the user alone."""
    user_id = a_user(zep3, **JOHN)["user_id"]
    zep3.graph.set_ontology(
        entities={"Restaurant": RESTAURANT, "Audiobook": AUDIOBOOK},
        edges=EDGES,
        user_ids=[user_id],
    )
    thread_id = unique("thread")
    zep3.thread.create(thread_id=thread_id, user_id=user_id)
    messages = [said3(content, role, name=NAMES[role]) for role, content in TALK]
    zep3.thread.add_messages(thread_id, messages=messages, ignore_roles=["assistant"])
    check_types(zep3, user_id)


@requirement("v2:user.add:fact-ratings")
def test_facts_are_rated_by_the_examples_of_their_user(zep2: Zep) -> None:
    """What is like the high example rates above what is like the low one."""
    examples = typed(
        "FactRatingExamples",
        high="The user received news of a family member's serious illness.",
        medium="The user completed a challenging marathon.",
        low="The user bought a new brand of toothpaste.",
    )
    instruction = typed(
        "FactRatingInstruction",
        instruction="Rate the facts by poignancy. Highly poignant facts have a significant "
        "emotional impact or relevance to the user.",
        examples=examples,
    )
    user_id = a_user(zep2, fact_rating_instruction=instruction)["user_id"]
    session_id = unique("session")
    zep2.memory.add_session(session_id=session_id, user_id=user_id)
    said = ("My mother was diagnosed with cancer.", "I bought a new toothbrush.")
    zep2.memory.add(session_id, messages=[said2(content) for content in said])

    def rated() -> dict[str, float]:
        found = zep2.memory.get_session_facts(session_id)["facts"]
        return {fact["fact"]: fact["rating"] for fact in found if fact.get("rating") is not None}

    ratings = eventually(rated, lambda found: any("toothbrush" in fact for fact in found))
    high = max(rating for fact, rating in ratings.items() if "cancer" in fact)
    low = max(rating for fact, rating in ratings.items() if "toothbrush" in fact)
    assert 0 <= low < high <= 1
    best = zep2.memory.get_session_facts(session_id, min_rating=high)["facts"]
    assert not any("toothbrush" in fact["fact"] for fact in best)
