"""One memory beneath: the MemMachine client and the Zep clients on the same graphs, both ways."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.contract.sdk.drivers import Zep
from tests.contract.sdk.memmachine import (
    MemMachine,
    Place,
    all_episodes,
    listed,
    recalled,
    spoken,
    told,
    window_of,
)
from tests.contract.sdk.requirements import requirement
from tests.contract.sdk.support import (
    a_graph,
    a_user,
    contents,
    eventually,
    missing,
    refused,
    said2,
    said3,
    unique,
)
from tests.support.server import Server, program_environment, run_program

EPISODIC = {"memory_types": ["episodic"]}
USERS = "recollect:users"
PUBLIC, SECRET = {"class": "public"}, {"class": "secret"}
RULES = """
policy_set:
  name: {name}
  spec:
    policies:
      - id: open
        type: authorization
        effect: allow
        actions: [readonly]
        attributes: {{class: [public]}}
"""


def episodes_of(zep3: Zep, graph_id: str) -> list[dict[str, Any]]:
    """The episodes of a graph, oldest first."""
    found: list[dict[str, Any]] = zep3.graph.episode.get_by_graph_id(graph_id, lastn=50)["episodes"]
    return sorted(found, key=lambda episode: episode["created_at"])


@requirement("mm:shared:project-is-graph")
def test_a_project_is_a_graph_to_the_other_clients(place: Place, py3: Zep) -> None:
    """Under its organisation and its name, with every episode under its own id."""
    (uid,) = place.said("The harbour is closed.", producer="ann", role="user", **EPISODIC)
    assert py3.graph.get(place.graph_id)["graph_id"] == place.graph_id
    (episode,) = episodes_of(py3, place.graph_id)
    assert (episode["uuid"], episode["content"]) == (uid, "The harbour is closed.")
    assert episode["source"] == "message"
    assert py3.graph.episode.get(uid)["content"] == "The harbour is closed."


@requirement("mm:shared:project-is-graph")
def test_a_project_of_no_organisation_is_the_graph_of_its_name(mm: MemMachine, py3: Zep) -> None:
    """The organisation that clients take when they name none adds nothing to the name."""
    place = Place(mm, "universal")
    place.said("Hello.", **EPISODIC)
    assert py3.graph.get(place.project_id)["graph_id"] == place.project_id


@requirement("mm:shared:project-is-graph")
def test_a_message_without_a_role_has_none_for_other_clients(place: Place, py3: Zep) -> None:
    """Nothing is made up for it."""
    (uid,) = place.said("Once upon a time.", role="", **EPISODIC)
    assert py3.graph.episode.get(uid).get("role_type") in (None, "norole")
    assert py3.graph.episode.get(uid)["content"] == "Once upon a time."


@requirement("mm:shared:graph-is-project")
def test_a_graph_is_a_project_here(mm: MemMachine, zep3: Zep) -> None:
    """Listed, counted and read, with the producer that its messages have."""
    graph_id = unique("graph")
    a_graph(zep3, graph_id=graph_id, name="Shared")
    added = zep3.graph.add(graph_id=graph_id, type="text", data="The library is open.")
    zep3.graph.add(graph_id=graph_id, type="message", data="Ann: I like tea.")
    project = mm.project("universal", graph_id)
    assert project.get_episode_count() == 2
    named = [(one["org_id"], one["project_id"]) for one in mm.client.list_projects()]
    assert ("universal", graph_id) in named
    rows = mm.memory("universal", graph_id).list()["content"]["episodic_memory"]
    assert rows[0]["uid"] == added["uuid"]
    assert rows[0]["content"] == "The library is open."
    assert rows[0]["session_key"] == f"universal/{graph_id}"
    assert all(row["producer_id"] for row in rows)
    assert rows[0]["content"] in window_of(mm.memory("universal", graph_id).search("library"))


@requirement("mm:shared:graph-is-project")
def test_a_graph_with_a_dot_in_its_name_is_a_project_of_an_organisation(
    mm: MemMachine, py3: Zep
) -> None:
    """One dot parts the two names; with more it has no name here and is not listed."""
    org_id, project_id = unique("org"), unique("project")
    a_graph(py3, graph_id=f"{org_id}.{project_id}")
    a_graph(py3, graph_id=f"{org_id}.{project_id}.x")
    assert mm.client.get_project(org_id, project_id)["project_id"] == project_id
    found = [one["project_id"] for one in mm.client.list_projects() if one["org_id"] == org_id]
    assert found == [project_id]


@requirement("mm:shared:users")
def test_the_graph_of_a_user_is_a_project_of_its_own_kind(mm: MemMachine, zep3: Zep) -> None:
    """Its messages are read here, and what is added here is read there."""
    user_id = a_user(zep3)["user_id"]
    thread_id = unique("thread")
    zep3.thread.create(thread_id=thread_id, user_id=user_id)
    zep3.thread.add_messages(thread_id, messages=[said3("I like tea.")])
    memory = mm.memory(USERS, user_id)
    (row,) = memory.list()["content"]["episodic_memory"]
    assert (row["content"], row["producer_id"]) == ("I like tea.", "Jane")
    memory.add("I like coffee, too.", **EPISODIC)
    there = zep3.graph.episode.get_by_user_id(user_id, lastn=10)["episodes"]
    assert "I like coffee, too." in contents(there)


@requirement("mm:shared:users")
def test_the_session_of_a_user_of_generation_2_is_read_here(mm: MemMachine, zep2: Zep) -> None:
    """Messages of both generations are in the same graph."""
    user_id = a_user(zep2)["user_id"]
    session_id = unique("session")
    zep2.memory.add_session(session_id=session_id, user_id=user_id)
    zep2.memory.add(session_id, messages=[said2("I like tea."), said2("And cake.")])
    rows = mm.memory(USERS, user_id).list()["content"]["episodic_memory"]
    assert sorted(spoken(rows)) == ["And cake.", "I like tea."]
    assert window_of(mm.memory(USERS, user_id).search("tea")) == spoken(rows)


@requirement("mm:shared:users")
def test_users_are_neither_made_nor_removed_here(mm: MemMachine, py3: Zep) -> None:
    """422 says where to do that, and the user stays."""
    user_id = a_user(py3)["user_id"]
    with told(422) as refusal:
        mm.project(USERS, user_id).delete()
    assert "user" in refusal.value.body["detail"]["message"]
    with told(422):
        mm.client.create_project(USERS, unique("user"))
    assert py3.user.get(user_id)["user_id"] == user_id
    with told(404):
        mm.memory(USERS, unique("nobody")).add("Hello.")


@requirement("mm:shared:search")
def test_each_client_finds_what_the_others_have_added(mm: MemMachine, py3: Zep) -> None:
    """The same words are found by both, from either side."""
    graph_id = a_graph(py3)["graph_id"]
    memory = mm.memory("universal", graph_id)
    memory.configure_episodic_memory(short_term_memory_enabled=False)
    memory.add("The ferry to Oslo leaves at noon.", **EPISODIC)
    py3.graph.add(graph_id=graph_id, type="text", data="The ferry to Bergen leaves at night.")

    def there() -> list[str]:
        found = py3.graph.search(graph_id=graph_id, query="ferry", scope="episodes", limit=5)
        return sorted(contents(found.get("episodes", [])))

    both = ["The ferry to Bergen leaves at night.", "The ferry to Oslo leaves at noon."]
    eventually(there, lambda found: found == both)
    eventually(lambda: sorted(recalled(memory.search("ferry"))), lambda found: found == both)


@requirement("mm:shared:deletion")
def test_what_one_client_deletes_is_gone_for_all(place: Place, py3: Zep) -> None:
    """Episodes and whole graphs, from either side."""
    first, second, third = place.said("One.", "Two.", "Three.", **EPISODIC)
    place.memory().delete_episodic(first)
    with refused(404):
        py3.graph.episode.get(first)
    py3.graph.episode.delete(second)
    assert listed(place) == ["Three."]
    with told(404):
        place.memory().delete_episodic(second)
    place.project.delete()
    with missing():
        py3.graph.get(place.graph_id)
    with refused(404):
        py3.graph.episode.get(third)
    place.said("Again.", **EPISODIC)
    py3.graph.delete(place.graph_id)
    with told(404):
        place.project.refresh()
    assert listed(place) == []


@pytest.fixture(scope="module")
def narrow_key(server: Server, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A key that may read what is public and nothing else."""
    name = unique("rules")
    file = tmp_path_factory.mktemp("rules") / "rules.yaml"
    file.write_text(RULES.format(name=name))
    recollect(server.data, "policy", "apply", str(file))
    role = ("--role", "default_deny", "--json")
    made = recollect(server.data, "key", "create", "--project", "default", *role)
    recollect(server.data, "policy", "attach", name, "--key", made["id"])
    key: str = made["key"]
    return key


def recollect(data: Path, *words: str) -> dict[str, Any]:
    """A command of the program on a data directory; what it answered in JSON, if it did."""
    done = run_program(
        *words, "--data", str(data), environment=program_environment(data), timeout=60
    )
    assert done.returncode == 0, done.stderr + done.stdout
    answer: dict[str, Any] = json.loads(done.stdout) if "--json" in words else {}
    return answer


@requirement("mm:shared:restricted")
def test_a_key_sees_here_what_it_may_see_and_no_more(place: Place, narrow_key: str) -> None:
    """In lists, windows, counts and recollections; what is hidden cannot be told from absent."""
    place.memory().add("The open word.", metadata=PUBLIC, **EPISODIC)
    (hidden,) = place.memory().add("The hidden word.", metadata=SECRET, **EPISODIC)
    narrow = place.mm.with_key(narrow_key)
    memory = narrow.memory(place.org_id, place.project_id)
    assert spoken(memory.list()["content"]["episodic_memory"]) == ["The open word."]
    assert spoken(all_episodes(memory.search("word"))) == ["The open word."]
    assert narrow.project(place.org_id, place.project_id).get_episode_count() == 1
    for call in (
        lambda: memory.add("More.", metadata=PUBLIC),
        lambda: memory.delete_episodic(hidden["uid"]),
        lambda: narrow.project(place.org_id, place.project_id).delete(),
    ):
        with told(403):
            call()
    assert listed(place) == ["The open word.", "The hidden word."]


@requirement("mm:shared:restricted")
def test_a_refusal_has_the_shape_of_the_client_that_asked(
    place: Place, py3: Zep, narrow_key: str
) -> None:
    """The same rule, told to each client in its own way."""
    place.said("Hello.", **EPISODIC)
    with told(403):
        place.mm.with_key(narrow_key).client.create_project(unique("org"), "p")
    with refused(403):
        py3.with_key(narrow_key).graph.create(graph_id=unique("graph"))
