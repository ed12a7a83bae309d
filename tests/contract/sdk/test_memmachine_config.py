"""Configuration through the MemMachine client: switches, the size of the window, resources."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.contract.sdk.drivers import ClientError
from tests.contract.sdk.memmachine import (
    MemMachine,
    Place,
    model,
    recalled,
    told,
    window_of,
)
from tests.contract.sdk.requirements import requirement
from tests.contract.sdk.support import eventually, unique
from tests.support.server import Server, create_key, create_project

EPISODIC = {"memory_types": ["episodic"]}
ALL_ON = {"enabled": True, "long_term_memory_enabled": True, "short_term_memory_enabled": True}
KINDS = ("embedders", "language_models", "rerankers", "databases")


@pytest.fixture(scope="module")
def own_key(server: Server) -> str:
    """The key of a project of its own, so that what is configured here reaches no other test."""
    tenant = unique("configured")
    create_project(server.data, tenant)
    return create_key(server.data, tenant)


@pytest.fixture
def own(mm: MemMachine, own_key: str) -> Iterator[MemMachine]:
    """The client of that project; whatever a test switched is on again after it."""
    client = mm.with_key(own_key)
    before = client.config.get_short_term_memory_config()["message_capacity"]
    yield client
    client.config.update_episodic_memory_config(**ALL_ON)
    client.config.update_short_term_memory_config(message_capacity=before)


@pytest.fixture
def made(own: MemMachine) -> Place:
    """An empty project there."""
    place = Place(own)
    own.client.create_project(place.org_id, place.project_id)
    return place


def part(http: httpx.Client, place: Place, path: str, **fields: Any) -> httpx.Response:
    """A call that no method of the client makes."""
    named = {"org_id": place.org_id, "project_id": place.project_id}
    key = {"Authorization": f"Bearer {place.mm.api_key}"}
    return http.post(f"memory/episodic/{path}", json={**named, **fields}, headers=key)


@requirement("mm:memory.get_episodic_memory_config", "mm:memory.configure_episodic_memory")
@pytest.mark.parametrize("switch", sorted(ALL_ON))
def test_each_switch_of_a_project_is_its_own(made: Place, switch: str) -> None:
    """All are on at first; one that is switched off leaves the others as they are."""
    memory = made.memory()
    assert memory.get_episodic_memory_config() == ALL_ON
    assert memory.configure_episodic_memory(**{switch: False}) is True
    assert memory.get_episodic_memory_config() == {**ALL_ON, switch: False}
    memory.configure_episodic_memory()
    assert memory.get_episodic_memory_config() == {**ALL_ON, switch: False}
    memory.configure_episodic_memory(**{switch: True})
    assert memory.get_episodic_memory_config() == ALL_ON


@requirement("mm:toggles:unknown")
def test_a_project_that_is_not_there_has_no_switches(place: Place, http: httpx.Client) -> None:
    """Reading and setting them is 404, by every route."""
    with told(404):
        place.memory().get_episodic_memory_config()
    with told(404):
        place.memory().configure_episodic_memory(enabled=False)
    for path in ("short_term/config", "long_term/config"):
        assert part(http, place, path, enabled=True).status_code == 404
        assert part(http, place, f"{path}/get").status_code == 404


@requirement("mm:toggles:short-term")
def test_a_window_that_is_off_is_empty_and_whole_when_on_again(made: Place) -> None:
    """What was said while it was off is in it afterwards: it is read from what is stored."""
    memory = made.memory()
    made.said("One.", **EPISODIC)
    memory.configure_episodic_memory(short_term_memory_enabled=False)
    made.said("Two.", **EPISODIC)
    off = memory.search("numbers")
    assert off["content"]["episodic_memory"]["short_term_memory"] == {
        "episodes": [],
        "episode_summary": [],
    }
    eventually(lambda: recalled(memory.search("numbers")), lambda found: found == ["One.", "Two."])
    memory.configure_episodic_memory(short_term_memory_enabled=True)
    assert window_of(memory.search("numbers")) == ["One.", "Two."]


@requirement("mm:toggles:long-term")
def test_a_long_term_memory_that_is_off_recalls_nothing(made: Place) -> None:
    """The window is there alone, and what was said meanwhile is recalled when it is on again."""
    memory = made.memory()
    memory.configure_episodic_memory(long_term_memory_enabled=False)
    made.said(*"ABCDE", **EPISODIC)
    found = memory.search("letters", limit=2)
    assert window_of(found) == ["D", "E"]
    assert recalled(found) == []
    memory.configure_episodic_memory(long_term_memory_enabled=True)
    eventually(
        lambda: recalled(memory.search("letters", limit=2)),
        lambda hits: len(hits) == 2 and set(hits) < set("ABC"),
    )


@requirement("mm:toggles:episodic")
def test_an_episodic_memory_that_is_off_is_not_in_the_answer(made: Place) -> None:
    """Messages are kept and listed all the same."""
    memory = made.memory()
    memory.configure_episodic_memory(enabled=False)
    made.said("Hello.", **EPISODIC)
    assert memory.search("hello")["content"]["episodic_memory"] is None
    assert made.project.get_episode_count() == 1


@requirement("mm:toggles:parts")
def test_one_memory_can_be_switched_by_a_route_of_its_own(made: Place, http: httpx.Client) -> None:
    """The same switches as those of both together."""
    for path, switch in (
        ("short_term/config", "short_term_memory_enabled"),
        ("long_term/config", "long_term_memory_enabled"),
    ):
        assert part(http, made, f"{path}/get").json()["enabled"] is True
        answer = part(http, made, path, enabled=False)
        assert (answer.status_code, answer.content) == (204, b"")
        assert part(http, made, f"{path}/get").json()["enabled"] is False
        assert made.memory().get_episodic_memory_config()[switch] is False
        assert part(http, made, path, enabled="maybe").status_code == 422


@requirement("mm:toggles:server-wide", "mm:config.update_episodic_memory_config")
def test_what_the_server_is_told_holds_where_a_project_does_not_say(
    own: MemMachine, made: Place
) -> None:
    """A project that chose for itself keeps its choice."""
    other = Place(own)
    own.client.create_project(other.org_id, other.project_id)
    other.memory().configure_episodic_memory(short_term_memory_enabled=True)
    assert own.config.update_episodic_memory_config(short_term_memory_enabled=False)["success"]
    assert made.memory().get_episodic_memory_config()["short_term_memory_enabled"] is False
    assert other.memory().get_episodic_memory_config()["short_term_memory_enabled"] is True
    found = own.config.get_episodic_memory_config()
    assert found["short_term_memory"]["enabled"] is False
    assert found["long_term_memory"]["enabled"] is True


@requirement("mm:config.get_short_term_memory_config", "mm:config.update_short_term_memory_config")
def test_the_size_of_the_window_reads_back(own: MemMachine) -> None:
    """And is left alone by a change of the switch."""
    done = own.config.update_short_term_memory_config(message_capacity=700)
    assert done["success"] is True
    assert done["message"]
    assert own.config.get_short_term_memory_config()["message_capacity"] == 700
    own.config.update_short_term_memory_config(enabled=False)
    found = own.config.get_short_term_memory_config()
    assert (found["message_capacity"], found["enabled"]) == (700, False)


@requirement("mm:short-term:capacity", "mm:short-term:summary")
def test_a_window_holds_no_more_than_its_capacity(own: MemMachine, made: Place) -> None:
    """The newest messages that fit beside the summary, and a summary of those that left."""
    lines = [f"Number {n}: the ship brought {n} crates of oranges to the port." for n in range(30)]
    own.config.update_short_term_memory_config(message_capacity=6)
    made.said(*lines, **EPISODIC)
    memory = made.memory()

    def short() -> dict[str, Any]:
        found = memory.search("oranges", limit=30)["content"]["episodic_memory"]
        window: dict[str, Any] = found["short_term_memory"]
        return window

    found = eventually(short, lambda window: len(window["episode_summary"]) > 0)
    said = [episode["content"] for episode in found["episodes"]]
    assert said == lines[-6:]
    assert all(text.strip() for text in found["episode_summary"])


@requirement("mm:config.get_config", "mm:config.get_episodic_memory_config")
def test_the_whole_configuration_is_that_of_its_parts(own: MemMachine) -> None:
    """Every part that can be read by itself is the same in the whole."""
    whole = own.config.get_config()
    assert whole["resources"] == own.config.get_resources()
    episodic = own.config.get_episodic_memory_config()
    assert whole["episodic_memory"] == episodic
    assert episodic["long_term_memory"] == own.config.get_long_term_memory_config()
    assert episodic["short_term_memory"] == own.config.get_short_term_memory_config()
    assert whole["semantic_memory"] == own.config.get_semantic_memory_config()


@requirement("mm:config.get_resources")
def test_models_and_stores_are_listed_by_name(own: MemMachine) -> None:
    """At least an embedder and a store, each ready."""
    found = own.config.get_resources()
    assert set(found) == set(KINDS)
    assert found["embedders"]
    assert found["databases"]
    for one in (one for kind in KINDS for one in found[kind]):
        assert one["name"]
        assert one["provider"]
        assert one["status"] == "ready"
        assert one["error"] is None


@requirement("mm:config.get_long_term_memory_config", "mm:config.update_long_term_memory_config")
def test_the_long_term_memory_is_switched_for_the_server(own: MemMachine, made: Place) -> None:
    """The resources it names are those that are listed."""
    names = {one["name"] for kind in KINDS for one in own.config.get_resources()[kind]}
    found = own.config.get_long_term_memory_config()
    assert found["enabled"] is True
    assert found["embedder"] in names
    assert own.config.update_long_term_memory_config(enabled=False)["success"] is True
    assert own.config.get_long_term_memory_config() == {**found, "enabled": False}
    assert made.memory().get_episodic_memory_config()["long_term_memory_enabled"] is False
    assert own.config.update_long_term_memory_config(embedder=found["embedder"])["success"] is True


@requirement("mm:config.get_semantic_memory_config", "mm:config.update_semantic_memory_config")
def test_features_are_switched_for_the_server(own: MemMachine, made: Place) -> None:
    """While they are off none are answered."""
    found = own.config.get_semantic_memory_config()
    assert found["enabled"] is True
    assert own.config.update_semantic_memory_config(enabled=False)["success"] is True
    try:
        assert own.config.get_semantic_memory_config() == {**found, "enabled": False}
        assert not made.memory().search("anything")["content"]["semantic_memory"]
    finally:
        own.config.update_semantic_memory_config(enabled=True)


@requirement("mm:config.update_memory_config", "mm:config:round-trip")
def test_several_memories_are_configured_at_once(own: MemMachine) -> None:
    """What is named is changed, and nothing else."""
    before = own.config.get_config()
    window = model("UpdateShortTermMemorySpec", message_capacity=800)
    episodic = model("UpdateEpisodicMemorySpec", short_term_memory=window)
    assert own.config.update_memory_config(episodic_memory=episodic)["success"] is True
    after = own.config.get_config()
    assert after["episodic_memory"]["short_term_memory"]["message_capacity"] == 800
    before["episodic_memory"]["short_term_memory"]["message_capacity"] = 800
    assert after == before


@requirement("mm:config:refusals")
def test_what_is_not_there_cannot_be_configured(own: MemMachine, http: httpx.Client) -> None:
    """Unknown resources by name, sizes below one, and none of it changes anything."""
    before = own.config.get_config()
    with told(422) as refusal:
        own.config.update_long_term_memory_config(embedder="no-such-model", enabled=False)
    assert "embedder" in refusal.value.body["detail"]["message"]
    with told(422):
        own.config.update_short_term_memory_config(llm_model="no-such-model")
    with told(422):
        own.config.update_semantic_memory_config(database="no-such-store")
    key = {"Authorization": f"Bearer {own.api_key}"}
    for size in (0, -1, "x", 10**18):
        answer = http.put(
            "config/memory/episodic/short_term", json={"message_capacity": size}, headers=key
        )
        assert answer.status_code == 422, answer.text
        assert "message_capacity" in answer.json()["detail"]["message"]
    assert own.config.get_config() == before


@requirement(
    "mm:config.add_embedder",
    "mm:config.add_language_model",
    "mm:config.delete_embedder",
    "mm:config.delete_language_model",
)
def test_models_can_neither_be_added_nor_removed(own: MemMachine) -> None:
    """501 says so, and what to do instead; the models stay as they are."""
    before = own.config.get_resources()
    name = before["embedders"][0]["name"]
    model_ = {"name": "n", "config": {"api_key": "x"}}
    calls = {
        "add_embedder": {**model_, "provider": "openai"},
        "add_language_model": {**model_, "provider": "openai-responses"},
        "delete_embedder": {"name": name},
        "delete_language_model": {"name": name},
    }
    for method, fields in calls.items():
        with told(501) as refusal:
            getattr(own.config, method)(**fields)
        assert "model" in refusal.value.body["detail"]["message"].lower(), method
        assert "x" not in refusal.value.body["detail"]["message"].split()
    assert own.config.get_resources() == before


@requirement(
    "mm:config.retry_embedder", "mm:config.retry_language_model", "mm:config.retry_reranker"
)
def test_a_resource_that_is_ready_is_ready_again(own: MemMachine) -> None:
    """Each that is listed says so; one that is not listed is 404."""
    listed = own.config.get_resources()
    for noun in ("embedder", "language_model", "reranker"):
        retry = getattr(own.config, f"retry_{noun}")
        for one in listed[f"{noun}s"]:
            assert retry(one["name"]) == {"success": True, "status": "ready", "error": None}
        with told(404):
            retry("no-such-resource")


@requirement("mm:defects:raw-names")
@pytest.mark.parametrize("name", ["a b", "ünï", "a%2Fb", "a/b", "a?b=c", "a#b"])
def test_names_that_are_not_encoded_reach_nothing_else(own: MemMachine, name: str) -> None:
    """The client puts names into paths as they are; none of them is a fault of the server."""
    before = own.config.get_resources()
    for call in (own.config.retry_embedder, own.config.delete_embedder):
        with pytest.raises(ClientError) as refusal:
            call(name)
        assert refusal.value.status in (404, 405, 422, 501), refusal.value
    assert own.config.get_resources() == before
