"""What goes over the wire of the MemMachine client besides the words, and its helpers."""

import json
import subprocess
from typing import Any

import httpx
import pytest

from tests.contract.sdk.environments import MM, client_environment, python_of
from tests.contract.sdk.memmachine import MemMachine, Place, listed, raises, told, window_of
from tests.contract.sdk.requirements import REQUIREMENTS, is_method, requirement
from tests.contract.sdk.support import NOBODY, unique
from tests.support.server import Server

EPISODIC = {"memory_types": ["episodic"]}
ROUTES = sorted(
    {
        entry.http
        for name, entry in REQUIREMENTS.items()
        if name.startswith("mm:") and is_method(name) and entry.http
    }
)
OPEN = {"GET /api/v2/health", "GET /api/v2/metrics"}


def split(route: str) -> tuple[str, str]:
    """The verb and the path of a route, with a name in it where it wants one."""
    verb, _, path = route.partition(" ")
    return verb, path.replace("{name}", "nothing")


@requirement("mm:client.health_check")
def test_the_server_says_that_it_is_up(mm: MemMachine) -> None:
    """An object with a status, also to a client without a key."""
    found = mm.client.health_check()
    assert found["status"]
    assert found["version"]
    assert mm.with_key(None).client.health_check()["status"] == found["status"]


@requirement("mm:client.get_metrics")
def test_metrics_are_text_with_counts_of_what_was_done(mm: MemMachine, place: Place) -> None:
    """Messages taken in and questions answered are counted and timed."""
    place.said("Hello.", **EPISODIC)
    place.memory().search("hello")
    text = mm.client.get_metrics()
    names = {line.split("{")[0].split(" ")[0].lower() for line in text.splitlines() if line}
    for word in ("ingestion_count", "ingestion_latency", "query_count", "query_latency"):
        assert any(word in name for name in names), (word, sorted(names))


@requirement("mm:transport:origin")
@pytest.mark.parametrize("slashes", ["", "/", "//"])
def test_the_bare_origin_is_the_address(mm: MemMachine, slashes: str) -> None:
    """With or without slashes at its end."""
    client = MemMachine(mm.driver, f"{mm.origin}{slashes}", mm.api_key)
    assert isinstance(client.client.list_projects(), list)


@requirement("mm:transport:bearer", "mm:errors:shape")
@pytest.mark.parametrize("route", [route for route in ROUTES if route not in OPEN])
@pytest.mark.parametrize("value", [None, "Bearer", "Bearer not-a-key", "Basic eDp5"])
def test_without_a_key_nothing_is_answered(server: Server, route: str, value: str | None) -> None:
    """401 with an object that says why, on every route of the client."""
    verb, path = split(route)
    headers = {} if value is None else {"Authorization": value}
    answer = httpx.request(verb, f"{server.url}{path}", headers=headers, trust_env=False)
    assert answer.status_code == 401, answer.text
    assert isinstance(answer.json(), dict)
    assert answer.headers["www-authenticate"]


@requirement("mm:transport:bearer")
def test_a_wrong_key_is_an_http_error(mm: MemMachine) -> None:
    """The client raises it with the status; nothing is stored."""
    stranger = mm.with_key("not-a-key")
    org_id, project_id = unique("org"), unique("project")
    for call in (
        lambda: stranger.client.create_project(org_id, project_id),
        lambda: stranger.memory(org_id, project_id).add("Hello."),
        lambda: stranger.client.list_projects(),
    ):
        with raises("HTTPError") as error:
            call()
        assert error.value.status == 401
    with told(404):
        mm.client.get_project(org_id, project_id)


@requirement("mm:errors:shape")
@pytest.mark.parametrize("route", [route for route in ROUTES if route.startswith(("POST", "PUT"))])
@pytest.mark.parametrize("body", [b"{", b"[]", b'"text"', b"\xff", b"nul"])
def test_a_body_that_is_no_object_has_one_shape_of_refusal(
    http: httpx.Client, route: str, body: bytes
) -> None:
    """Where a body is read it is 422 with code and message; it is never a fault of ours."""
    verb, path = split(route)
    json_ = {"Content-Type": "application/json"}
    answer = http.request(verb, path.removeprefix("/api/v2/"), content=body, headers=json_)
    if answer.is_success or answer.status_code in (404, 501):  # the calls that take no body
        assert path.endswith(("projects/list", "retry")), answer.text
        return
    assert answer.status_code == 422, answer.text
    detail = answer.json()["detail"]
    assert set(detail) == {"code", "message", "internal_error", "exception", "trace"}
    assert detail["code"] == 422
    assert detail["message"]


@requirement("mm:transport:content-type")
def test_a_type_of_content_without_content_is_no_content(mm: MemMachine) -> None:
    """The client sends the type with every request, also where there is no body."""
    assert isinstance(mm.client.list_projects(), list)
    assert mm.client.health_check()
    assert mm.config.get_config()
    with told(404):
        mm.config.retry_reranker("no-such-resource")


@requirement("mm:transport:no-slash-redirect")
@pytest.mark.parametrize("route", ROUTES)
def test_no_path_is_redirected(http: httpx.Client, route: str) -> None:
    """A redirect would turn the client's POST into a GET."""
    verb, path = split(route)
    for ending in ("", "/"):
        answer = http.request(
            verb, f"{path.removeprefix('/api/v2/')}{ending}", follow_redirects=False
        )
        assert not answer.is_redirect


@requirement("mm:transport:not-retried")
def test_what_is_not_offered_or_not_there_is_told_once(mm: MemMachine) -> None:
    """A client that tries again gets the refusal itself, not the end of its patience."""
    patient = mm.retrying(2)
    with told(501):
        patient.config.delete_embedder("nothing")
    with told(404):
        patient.memory(unique("org"), "p").delete_episodic(NOBODY)
    with told(422):
        patient.config.update_short_term_memory_config(llm_model="no-such-model")


@requirement("mm:transport:keep-alive")
def test_answers_without_a_body_keep_the_connection_in_step(place: Place) -> None:
    """Many calls on one connection never meet the answer of another."""
    memory = place.memory()
    for number in range(10):
        (added,) = memory.add(f"Number {number}.", **EPISODIC)
        assert window_of(memory.search("number"))[-1] == f"Number {number}."
        memory.delete_episodic(added["uid"])
        memory.configure_episodic_memory(enabled=True)
        assert listed(place) == []


@requirement("mm:transport:keep-alive")
def test_an_answer_without_content_has_no_body(place: Place, http: httpx.Client) -> None:
    """204 and not a byte more, as HTTP wants it."""
    (uid,) = place.said("Hello.", **EPISODIC)
    named = {"org_id": place.org_id, "project_id": place.project_id}
    bodies: dict[str, dict[str, Any]] = {
        "memories/episodic/delete": {"episodic_id": uid},
        "memory/episodic/config": {"enabled": True},
        "projects/delete": {},
    }
    for path, more in bodies.items():
        answer = http.post(path, json={**named, **more})
        assert (answer.status_code, answer.content) == (204, b""), (path, answer.text)


@requirement("mm:transport:unknown-ignored")
def test_fields_of_newer_clients_are_ignored(place: Place, http: httpx.Client) -> None:
    """In requests to add, search and list alike."""
    named = {"org_id": place.org_id, "project_id": place.project_id, "favourite_colour": ["blue"]}
    said = {"content": "Hello.", "mood": {"good": 1}}
    added = http.post("memories", json={**named, "types": ["episodic"], "messages": [said]})
    assert added.status_code == 200, added.text
    assert http.post("memories/search", json={**named, "query": "hello"}).status_code == 200
    assert http.post("memories/list", json=named).status_code == 200


@requirement("mm:defects:after-close")
def test_a_memory_that_outlives_its_client_still_gets_answers(place: Place) -> None:
    """Only the client object itself refuses after it was closed."""
    place.said("Hello.", **EPISODIC)
    late = place.memory().after_close
    assert window_of(late.search("hello")) == ["Hello."]
    late.add("Still here.", **EPISODIC)
    assert listed(place) == ["Hello.", "Still here."]
    with raises("RuntimeError"):
        place.mm.client.after_close.list_projects()


@requirement("mm:client:cli")
def test_the_command_line_of_the_client_works(place: Place) -> None:
    """A project, a message, a search and a list, with the address from the environment."""
    environment = {
        **client_environment(),
        "MEMORY_BACKEND_URL": place.mm.origin,
        "MEMMACHINE_API_KEY": place.mm.api_key or "",
        "MEMMACHINE_ORG_ID": place.org_id,
        "MEMMACHINE_PROJECT_ID": place.project_id,
        "MEMMACHINE_MAX_RETRIES": "0",
    }

    def cli(*words: str) -> Any:
        done = subprocess.run(
            [str(python_of(MM)), "-m", "memmachine_client.cli", *words],
            env=environment,
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )
        return json.loads(done.stdout)

    assert cli("projects", "create", "--description", "Notes")["description"] == "Notes"
    assert cli("memory", "add", "The harbour is closed.", "--metadata", "user_id=u1")
    found = cli("memory", "search", "harbour")
    assert window_of(found) == ["The harbour is closed."]
    assert len(cli("memory", "list")["content"]["episodic_memory"]) == 1


@requirement("mm:client:tools")
def test_the_tools_for_graphs_of_agents_work(place: Place) -> None:
    """They make the project, add and search, in the context they were given."""
    tools = place.mm.tools(org_id=place.org_id, project_id=place.project_id, user_id="u1")
    added = tools.add_memory("The harbour is closed.")
    assert added["status"] == "success", added
    found = tools.search_memory("harbour")
    assert found["status"] == "success", found
    assert "The harbour is closed." in json.dumps(found["results"])
    (episode,) = place.memory(user_id="u1").list()["content"]["episodic_memory"]
    assert (episode["producer_role"], episode["uid"]) == ("user", added["uids"][0])
