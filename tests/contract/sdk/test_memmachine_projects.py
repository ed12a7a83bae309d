"""Projects of the MemMachine client: made, read, listed, counted and removed."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from tests.contract.sdk.memmachine import MemMachine, Place, listed, raises, told
from tests.contract.sdk.requirements import requirement
from tests.contract.sdk.support import unique
from tests.support.server import Server, create_key, create_project

NO_CONFIG: dict[str, Any] = {
    "backend": None,
    "reranker": "",
    "embedder": "",
    "vector_graph_store": "",
    "vector_store": "",
    "segment_store": "",
    "properties_schema": {},
}


@requirement("mm:client.create_project", "mm:client.get_project")
def test_a_project_reads_back_as_it_was_made(place: Place) -> None:
    """Its ids, its description and an empty configuration come back from both calls."""
    made = place.mm.client.create_project(place.org_id, place.project_id, description="Notes")
    found = place.mm.client.get_project(place.org_id, place.project_id)
    named = {"org_id": place.org_id, "project_id": place.project_id}
    assert made == {**named, "description": "Notes", "config": NO_CONFIG}
    assert found == made


@requirement("mm:client.create_project:config")
def test_what_a_project_is_made_of_is_kept(place: Place) -> None:
    """Names of models as well, whatever they name elsewhere: clients come from other servers."""
    asked = {"backend": "event", "properties_schema": {"age": "int"}, "embedder": "elsewhere"}
    place.mm.client.create_project(place.org_id, place.project_id, **asked)
    found = place.mm.client.get_project(place.org_id, place.project_id)
    assert found["config"] == {**NO_CONFIG, **asked}


@requirement("mm:client.create_project:config", "mm:errors:names-field")
@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("backend", "graph"),
        ("embedder", 7),
        ("reranker", "x" * 5000),
        ("properties_schema", {"age": "number"}),
        ("properties_schema", []),
    ],
)
def test_a_project_cannot_be_made_of_nonsense(
    place: Place, http: httpx.Client, field: str, value: object
) -> None:
    """It is refused by name, and no project comes of it."""
    named = {"org_id": place.org_id, "project_id": place.project_id}
    answer = http.post("projects", json={**named, "config": {field: value}})
    assert answer.status_code == 422, answer.text
    assert field in answer.json()["detail"]["message"]
    with told(404):
        place.mm.client.get_project(place.org_id, place.project_id)


@requirement("mm:client.create_project", "mm:errors:statuses")
def test_a_project_is_made_once(place: Place) -> None:
    """The second time it is 409, and the first one stays as it is."""
    place.mm.client.create_project(place.org_id, place.project_id, description="first")
    with told(409):
        place.mm.client.create_project(place.org_id, place.project_id, description="second")
    assert place.mm.client.get_project(place.org_id, place.project_id)["description"] == "first"


@requirement("mm:client.create_project:ids", "mm:errors:names-field")
@pytest.mark.parametrize("field", ["org_id", "project_id"])
@pytest.mark.parametrize("value", ["a.b", "a/b", "a b", "", "a\n", "x" * 5000, None, 7])
def test_ids_of_other_letters_are_refused(http: httpx.Client, field: str, value: object) -> None:
    """What the client would not send is 422 with the name of the field."""
    body = {"org_id": "acme", "project_id": unique("project"), field: value}
    for path in ("projects", "projects/get", "projects/delete"):
        answer = http.post(path, json=body)
        assert answer.status_code == 422, answer.text
        assert field in answer.json()["detail"]["message"]


@requirement("mm:client.create_project:ids")
@pytest.mark.parametrize("id_", ["café", "東京", "a:b-c_D9", "Ⅷ", "x" * 100])
def test_ids_of_any_letters_and_digits_name_a_project(place: Place, id_: str) -> None:
    """Letters of any script, digits, colon, hyphen and underscore are fine."""
    place.mm.client.create_project(place.org_id, id_)
    assert place.mm.client.get_project(place.org_id, id_)["project_id"] == id_


@requirement("mm:client.get_or_create_project")
def test_a_project_that_is_not_there_is_made_when_asked_for(place: Place) -> None:
    """The first call makes it, the second reads it, and what the second says is ignored."""
    named = (place.org_id, place.project_id)
    made = place.mm.client.get_or_create_project(*named, description="first")
    assert made["description"] == "first"
    assert place.mm.client.get_or_create_project(*named, description="second") == made


@requirement("mm:client.get_or_create_project:race")
def test_of_many_who_make_a_project_one_succeeds(place: Place, http: httpx.Client) -> None:
    """The others are told that it is there, and then get it."""
    body = {"org_id": place.org_id, "project_id": place.project_id}
    with ThreadPoolExecutor(4) as threads:
        answers = list(threads.map(lambda _: http.post("projects", json=body), range(8)))
    assert sorted(answer.status_code for answer in answers) == [201, *[409] * 7]
    assert place.mm.client.get_or_create_project(place.org_id, place.project_id)


@requirement("mm:client.list_projects")
def test_projects_are_listed_by_name(mm: MemMachine, place: Place) -> None:
    """Those made and those that came into being with a first message."""
    mm.client.create_project(place.org_id, place.project_id)
    other = Place(mm, place.org_id)
    other.said("Hello.", memory_types=["episodic"])
    found = {(one["org_id"], one["project_id"]) for one in mm.client.list_projects()}
    assert found >= {(place.org_id, place.project_id), (place.org_id, other.project_id)}


@requirement("mm:project.refresh")
def test_a_project_object_learns_what_changed(place: Place) -> None:
    """An object made from the ids alone has the description after a refresh."""
    place.mm.client.create_project(place.org_id, place.project_id, description="Notes")
    assert place.project.refresh()["description"] == "Notes"


@requirement("mm:project.get_episode_count")
def test_episodes_of_a_project_are_counted(place: Place) -> None:
    """None at first, then as many as were added."""
    place.mm.client.create_project(place.org_id, place.project_id)
    assert place.project.get_episode_count() == 0
    place.said("One.", "Two.", "Three.", memory_types=["episodic"])
    assert place.project.get_episode_count() == 3


@requirement("mm:errors:statuses")
def test_a_project_that_is_not_there_is_missing(place: Place) -> None:
    """Reading it, counting in it and deleting it are 404."""
    with told(404):
        place.mm.client.get_project(place.org_id, place.project_id)
    for ask in (place.project.refresh, place.project.get_episode_count, place.project.delete):
        with told(404):
            ask()


@requirement("mm:errors:422-is-value-error")
def test_an_impossible_id_is_a_value_error(mm: MemMachine) -> None:
    """The client says so itself, with what the server found wrong."""
    with raises("ValueError") as error:
        mm.client.get_project("acme", "x" * 5000)
    assert "422" in error.value.message
    assert "project_id" in error.value.message


@requirement("mm:project.delete", "mm:project.delete:wipes")
def test_a_deleted_project_is_gone_with_all_it_held(place: Place) -> None:
    """It is not read, not listed, not found, and a second deletion has nothing to delete."""
    place.said("The harbour is closed.", "It opens in May.", memory_types=["episodic"])
    assert place.project.delete() is True
    with told(404):
        place.project.refresh()
    with told(404):
        place.project.get_episode_count()
    with told(404):
        place.project.delete()
    named = [one["project_id"] for one in place.mm.client.list_projects()]
    assert place.project_id not in named
    assert listed(place) == []
    found = place.memory().search("harbour")["content"]
    assert found["episodic_memory"]["long_term_memory"]["episodes"] == []
    assert found["episodic_memory"]["short_term_memory"] == {"episodes": [], "episode_summary": []}


@requirement("mm:project.delete:again")
def test_a_project_can_be_made_anew_and_is_empty(place: Place) -> None:
    """Neither messages nor switches nor the description of the former one are left."""
    place.mm.client.create_project(place.org_id, place.project_id, description="old")
    place.said("The old one.", memory_types=["episodic"])
    place.memory().configure_episodic_memory(short_term_memory_enabled=False)
    place.project.delete()
    made = place.mm.client.create_project(place.org_id, place.project_id)
    assert made["description"] == ""
    assert place.project.get_episode_count() == 0
    assert listed(place) == []
    assert place.memory().get_episodic_memory_config()["short_term_memory_enabled"] is True


@requirement("mm:projects:isolated")
def test_a_project_of_another_key_does_not_exist(server: Server, place: Place) -> None:
    """The same names under another key are another project."""
    place.said("The secret of the first.", memory_types=["episodic"])
    tenant = unique("tenant")
    create_project(server.data, tenant)
    stranger = place.mm.with_key(create_key(server.data, tenant))
    with told(404):
        stranger.client.get_project(place.org_id, place.project_id)
    assert stranger.client.list_projects() == []
    memory = stranger.memory(place.org_id, place.project_id)
    assert memory.list()["content"]["episodic_memory"] == []
    memory.add("The word of the second.", memory_types=["episodic"])
    assert stranger.project(place.org_id, place.project_id).get_episode_count() == 1
    stranger.project(place.org_id, place.project_id).delete()
    assert listed(place) == ["The secret of the first."]
