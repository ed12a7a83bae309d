"""How refusals reach a caller: typed where the client has a class, always an object that says why."""

import httpx
import pytest

from tests.contract.sdk.drivers import Zep
from tests.contract.sdk.requirements import requirement
from tests.contract.sdk.support import (
    NOBODY,
    a_thread,
    a_user,
    bad_request,
    missing,
    refused,
    said3,
    unique,
)
from tests.support.server import Server, create_key, create_project

IMPOSSIBLE_IDS = ["a/b", "a?b", "a#b", "a%b", ".."]
ANY_TEXT = "Zoë 🦊 & co: + @ ="


@requirement("v2:errors:401-carries-status", "v3:errors:401-carries-status")
def test_a_wrong_key_is_unauthorized(zep: Zep) -> None:
    """Reads and writes are refused with 401 and leave nothing behind."""
    stranger = zep.with_key("not-a-key")
    user_id = unique("user")
    with refused(401):
        stranger.user.get(user_id)
    with refused(401):
        stranger.user.add(user_id=user_id)
    with missing():
        zep.user.get(user_id)


@requirement("v2:errors:401-carries-status")
def test_where_401_has_a_class_it_is_used(zep2: Zep) -> None:
    """Document calls of generation 2 raise UnauthorizedError."""
    with refused(401, "UnauthorizedError"):
        zep2.with_key("not-a-key").document.list_collections()


@requirement("v3:errors:401-carries-status", "v3:errors:message-object")
@pytest.mark.parametrize("value", [None, "", "Api-Key", "Api-Key undefined", "Basic eDp5"])
def test_a_missing_or_broken_key_is_unauthorized(server: Server, value: str | None) -> None:
    """Whatever stands in the header instead of a key, the answer is 401 with a message."""
    headers = {} if value is None else {"Authorization": value}
    answer = httpx.get(f"{server.base_url}/users/x", headers=headers, trust_env=False)
    assert answer.status_code == 401
    assert answer.json()["message"]


@requirement("v2:ids:refused", "v3:ids:refused", "v2:errors:400-is-typed", "v3:errors:400-is-typed")
@pytest.mark.parametrize("impossible", IMPOSSIBLE_IDS)
def test_an_id_that_fits_no_path_is_refused_by_name(zep: Zep, impossible: str) -> None:
    """A client would send such an id to another route, so it is refused where it is made."""
    user_id = a_user(zep)["user_id"]
    if zep.client.generation == 2:
        creations = {
            "user_id": lambda: zep.user.add(user_id=impossible),
            "session_id": lambda: zep.memory.add_session(session_id=impossible, user_id=user_id),
            "group_id": lambda: zep.group.add(group_id=impossible),
        }
    else:
        creations = {
            "user_id": lambda: zep.user.add(user_id=impossible),
            "thread_id": lambda: zep.thread.create(thread_id=impossible, user_id=user_id),
            "graph_id": lambda: zep.graph.create(graph_id=impossible),
        }
    for field, create in creations.items():
        with bad_request() as error:
            create()
        assert field in error.value.body["message"]


@requirement("v2:ids:any-text", "v3:ids:any-text")
def test_an_id_may_be_any_other_text(zep: Zep) -> None:
    """Letters of any script, emoji, spaces and punctuation survive the way into the path."""
    user_id = f"{ANY_TEXT} {unique('user')}"
    assert zep.user.add(user_id=user_id)["user_id"] == user_id
    assert zep.user.get(user_id)["user_id"] == user_id
    assert zep.user.update(user_id, first_name="Zoë")["first_name"] == "Zoë"
    assert zep.user.get_node(user_id)["node"]["uuid"]
    zep.graph.add(user_id=user_id, type="text", data="A note.")
    listed = zep.graph.episode.get_by_user_id(user_id, lastn=1)
    assert listed["episodes"][0]["content"] == "A note."
    zep.user.delete(user_id)
    with missing():
        zep.user.get(user_id)


@requirement("v3:ids:any-text")
def test_a_thread_and_a_graph_may_have_any_other_text_as_id(zep3: Zep) -> None:
    """The same holds for the other things a caller names."""
    thread_id = f"{ANY_TEXT} {unique('thread')}"
    a_thread(zep3, thread_id=thread_id)
    zep3.thread.add_messages(thread_id, messages=[said3("Hi")])
    assert zep3.thread.get(thread_id)["total_count"] == 1
    graph_id = f"{ANY_TEXT} {unique('graph')}"
    zep3.graph.create(graph_id=graph_id)
    assert zep3.graph.get(graph_id)["graph_id"] == graph_id


@requirement("v3:errors:404-untyped")
def test_where_404_has_no_class_it_carries_its_status(zep3: Zep) -> None:
    """Episodes and writes to unknown targets are told by status."""
    with refused(404):
        zep3.graph.episode.get(NOBODY)
    with refused(404):
        zep3.graph.add(user_id=unique("nobody"), type="text", data="Lost.")


BROKEN_REQUESTS = {
    "not JSON": ("POST", "users", b"{", 400),
    "not an object": ("POST", "users", b"[1]", 400),
    "a required field missing": ("POST", "users", b"{}", 400),
    "a field of the wrong type": ("POST", "users", b'{"user_id": 5}', 400),
    "an empty id": ("POST", "users", b'{"user_id": ""}', 400),
    "an unknown kind": ("POST", "graph", b'{"data": "x", "type": "song"}', 400),
    "an unknown path": ("GET", "nothing-here", b"", 404),
    "a verb nobody sends": ("PUT", "users", b"{}", 405),
}


@requirement("v3:errors:message-object")
@pytest.mark.parametrize(
    ("verb", "path", "body", "status"), BROKEN_REQUESTS.values(), ids=BROKEN_REQUESTS
)
def test_every_error_is_an_object_with_a_message(
    http: httpx.Client, verb: str, path: str, body: bytes, status: int
) -> None:
    """Both generations parse an error as an object; anything else breaks inside the client."""
    answer = http.request(verb, path, content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code == status, answer.text
    assert answer.headers["Content-Type"].startswith("application/json")
    message = answer.json()["message"]
    assert isinstance(message, str)
    assert message


@requirement("shared:projects-are-isolated")
def test_a_key_sees_its_own_project_only(server: Server, py2: Zep, py3: Zep) -> None:
    """The same ids can be used in both projects and neither sees the other's."""
    name = unique("project")
    create_project(server.data, name)
    elsewhere = py3.with_key(create_key(server.data, name))
    user = a_user(py3)
    with missing():
        elsewhere.user.get(user["user_id"])
    with missing():
        elsewhere.graph.node.get(py3.user.get_node(user["user_id"])["node"]["uuid"])
    assert elsewhere.user.list_ordered(page_number=1, page_size=10)["total_count"] == 0
    twin = elsewhere.user.add(user_id=user["user_id"], first_name="Other")
    assert twin["uuid"] != user["uuid"]
    assert py2.user.get(user["user_id"])["first_name"] == "Jane"
    assert elsewhere.project.get()["project"]["uuid"] != py3.project.get()["project"]["uuid"]
