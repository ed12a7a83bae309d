"""The guide to short-term and long-term episodic memory, section by section, with its own client.

Guide: short-long-term-memory. Each test names the section whose words it holds us to.
"""

import httpx
import pytest

from tests.contract.sdk.memmachine import MemMachine, Place, listed, recalled, told, window_of
from tests.contract.sdk.requirements import requirement
from tests.contract.sdk.support import eventually, instant, unique
from tests.support.server import Server, create_key, create_project

EPISODIC = {"memory_types": ["episodic"]}
MORNING = "2024-03-05T09:00:00Z"


@pytest.fixture
def own(mm: MemMachine, server: Server) -> MemMachine:
    """The client of a project whose defaults nobody else sees."""
    tenant = unique("guided")
    create_project(server.data, tenant)
    return mm.with_key(create_key(server.data, tenant))


# ---------------------------------------------------------------- Data Mapping: SDK to Server


@requirement("mm:memory.add:roles")
def test_role_assignment_validates_the_role(place: Place) -> None:
    """Data Mapping, Role Assignment: a role that is none is refused, and names those there are."""
    with told(422) as refusal:
        place.memory().add("Once upon a time.", role="narrator", **EPISODIC)
    said = refusal.value.body["detail"]["message"]
    assert "messages[0].role" in said
    assert "user, assistant" in said
    place.memory().add("Once upon a time.", role="assistant", **EPISODIC)
    assert listed(place) == ["Once upon a time."]


@requirement("mm:memory.add:timestamps")
@pytest.mark.parametrize(
    "written",
    [
        "Tue, 5 Mar 2024 10:00:00 +0100",
        "Tue, 05 Mar 2024 09:00:00 GMT",
        "2024-03-05 09:00",
        "March 5, 2024 at 9:00 AM",
        "5 March 2024 10:00 +01:00",
        "2024-03-05T10:00:00+01:00",
        "1709629200",
        1709629200,
        1709629200000,
    ],
)
def test_timestamp_normalization_converts_various_formats(place: Place, written: object) -> None:
    """Data Mapping, Timestamp Normalization: as people, mail and programs write it, it is UTC."""
    place.memory().add("It rained.", timestamp=written, **EPISODIC)
    (found,) = place.memory().list()["content"]["episodic_memory"]
    assert instant(found["created_at"]) == instant(MORNING)


@requirement("mm:memory.add:timestamps")
@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("03/05/2024", "month first"),
        ("3/5/24", "two digits"),
        ("2024-03-05 10:00 IST", "zone"),
        ("Mon, 5 Mar 2024 10:00:00 +0100", "day of the week"),
        ("5 March", "not a time"),
        ("yesterday", "not a time"),
    ],
)
def test_timestamp_normalization_refuses_what_has_two_readings(
    place: Place, written: str, said: str
) -> None:
    """Data Mapping, Timestamp Normalization: a guess would be a wrong time that nobody notices."""
    with told(422) as refusal:
        place.memory().add("It rained.", timestamp=written, **EPISODIC)
    message = refusal.value.body["detail"]["message"]
    assert message.startswith("messages[0].timestamp: ")
    assert said in message


@requirement("mm:memory.add:uids")
def test_a_long_message_becomes_several_episodes(place: Place) -> None:
    """The Ingestion Pipeline: nothing of a long message is refused or lost, and each of its
    episodes can be deleted by an id that was answered."""
    lines = [f"Page {number}: the harbour master counted {number} ships." for number in range(500)]
    uids = place.memory().add("\n".join(lines), timestamp=MORNING, **EPISODIC)
    parts = place.memory().list()["content"]["episodic_memory"]
    assert [part["uid"] for part in parts] == [one["uid"] for one in uids]
    assert len(parts) == 3
    assert [line for part in parts for line in part["content"].split("\n")] == lines
    place.memory().delete_episodic(episodic_ids=[one["uid"] for one in uids])
    assert listed(place) == []


# ---------------------------------------------------------------- Memory Configuration


@requirement("mm:short-term:capacity", "mm:config.update_short_term_memory_config")
def test_the_window_holds_the_most_recent_n_episodes(own: MemMachine) -> None:
    """Short-Term Memory, Server Logic and Operations: `message_capacity` counts messages, as the
    client says where it takes it."""
    place = Place(own)
    own.config.update_short_term_memory_config(message_capacity=3)
    assert own.config.get_short_term_memory_config()["message_capacity"] == 3
    lines = [f"Ship {number} came in." for number in range(5)]
    place.said(*lines, **EPISODIC)
    assert window_of(place.memory().search("ships")) == lines[-3:]


@requirement("mm:config:refusals")
@pytest.mark.parametrize(
    ("method", "path", "body", "unknown"),
    [
        ("PUT", "config/memory/episodic/short_term", {"mesage_capacity": 3}, "mesage_capacity"),
        ("PUT", "config/memory/episodic", {"short_term": {"enabled": False}}, "short_term"),
        ("PUT", "config/memory", {"episodic_memory": {"on": True}}, "on"),
        ("POST", "memory/episodic/short_term/config", {"capacity": 3}, "capacity"),
        ("POST", "memory/episodic/long_term/config", {"limit": 3}, "limit"),
        ("POST", "memory/episodic/config", {"short_term": False}, "short_term"),
        ("POST", "projects", {"config": {"embeder": "x"}}, "embeder"),
    ],
)
def test_an_unknown_configuration_key_is_refused(
    place: Place, http: httpx.Client, method: str, path: str, body: dict[str, object], unknown: str
) -> None:
    """Memory Configuration: a key that nobody knows is named, not swallowed."""
    named = {} if method == "PUT" else {"org_id": place.org_id, "project_id": place.project_id}
    answer = http.request(method, path, json={**named, **body})
    assert answer.status_code == 422, answer.text
    assert f"unknown field {unknown}" in answer.json()["detail"]["message"]


# ---------------------------------------------------------------- Long-Term Memory


@requirement("mm:short-term:summary")
def test_older_memories_are_condensed_to_how_things_stand(own: MemMachine) -> None:
    """Long-Term Memory, Server Logic, the summarization loop: what is left of the episodes before
    the window is short, reads as prose, and tells the newest state, decisions and open points."""
    place = Place(own)
    own.config.update_short_term_memory_config(message_capacity=1)
    memory = place.memory(user_id="dana")
    for line in (
        "I want a gas range for the kitchen.",
        "Our budget is 20,000 pounds.",
        "I have decided against gas. I will get an induction range instead.",
        "Our budget is now 25,000 pounds.",
        "I still need to choose the tiles.",
        "Thanks, talk to you later!",
    ):
        memory.add(line, role="user")

    def summary() -> str:
        found = place.memory().search("kitchen")["content"]["episodic_memory"]
        return " ".join(found["short_term_memory"]["episode_summary"])

    found = eventually(summary, lambda text: "Open: " in text and "25,000" in text)
    assert len(found) <= 2_000
    assert "gas range" not in found
    assert "20,000" not in found
    decided, is_open = found.index("Decided: "), found.index("Open: ")
    assert "induction range" in found[decided:is_open]
    assert "choose the tiles" in found[is_open:]


@requirement("mm:long-term:score")
def test_a_repeated_question_does_not_outrank_its_answer(own: MemMachine) -> None:
    """Long-Term Memory, Responsibility: what is wanted of the history is what it tells; to ask again
    is no memory, however alike it is."""
    place = Place(own)
    own.config.update_short_term_memory_config(message_capacity=1)
    question = "What is the name of our plumber?"
    memory = place.memory()
    memory.add(question, role="user")
    memory.add("The plumber is called Patel.", role="assistant")
    for line in ("We had soup.", "It rained all day.", "Hello! " + question, question):
        memory.add(line, role="user")
    memory.add("Bye for now.", role="user")

    def everything() -> list[str]:
        return recalled(memory.search(question, limit=20))

    eventually(everything, lambda found: len(found) == 6)
    assert recalled(memory.search(question, limit=1)) == ["The plumber is called Patel."]
    several = memory.search(question, limit=6)["content"]["episodic_memory"]["long_term_memory"]
    scores = {one["content"]: one["score"] for one in several["episodes"]}
    assert scores["The plumber is called Patel."] > scores[question]
