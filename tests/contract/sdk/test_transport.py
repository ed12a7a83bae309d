"""What goes over the wire besides the words: bodies, headers, paths, connections, timestamps."""

from typing import Any

import httpx
import pytest

from tests.contract.sdk.drivers import Zep
from tests.contract.sdk.requirements import requirement
from tests.contract.sdk.support import (
    ZONED,
    a_group,
    a_session,
    a_thread,
    a_user,
    said3,
    unique,
)

STAMPS = ("created_at", "updated_at", "ended_at", "valid_at", "invalid_at", "expired_at")
AWKWARD = {
    "snake_case": 1,
    "camelCase": 2,
    "Mixed_Case": 3,
    "with space": "x",
    "ünï": "é",
    "yes": True,
    "ratio": 0.25,
    "big": 9007199254740991,
}


def stamps(value: Any) -> list[str]:
    """All timestamps anywhere in an answer."""
    if isinstance(value, list):
        return [stamp for item in value for stamp in stamps(item)]
    if not isinstance(value, dict):
        return []
    own = [item for name, item in value.items() if name in STAMPS]
    return own + [stamp for item in value.values() for stamp in stamps(item)]


@requirement("v2:transport:body-on-get")
@pytest.mark.parametrize("verb", ["GET", "DELETE"])
def test_a_body_on_get_and_delete_is_drained(http: httpx.Client, verb: str) -> None:
    """The Python client of generation 2 sends one; the next call on the connection is in step."""
    for _ in range(3):
        user_id = unique("user")
        assert http.post("users", json={"user_id": user_id}).is_success
        answer = http.request(verb, f"users/{user_id}", json={"left": "over" * 500})
        assert answer.status_code == 200
    assert http.get("projects/info").json()["project"]["uuid"]


@requirement("v2:transport:body-on-get", "v3:transport:keep-alive")
def test_many_calls_stay_in_step(zep: Zep) -> None:
    """Reads, writes and refusals in turn never meet the answer of another call."""
    user_id = a_user(zep)["user_id"]
    for number in range(10):
        assert zep.user.update(user_id, first_name=f"N{number}")["first_name"] == f"N{number}"
        assert zep.user.get(user_id)["first_name"] == f"N{number}"


@requirement("v3:transport:empty-body")
@pytest.mark.parametrize("body", [b"", b"{}"])
@pytest.mark.parametrize("content_type", [None, "application/json"])
def test_an_absent_body_is_an_empty_object(
    http: httpx.Client, body: bytes, content_type: str | None
) -> None:
    """Zero bytes, with or without a content type, are as good as `{}`."""
    user_id = unique("user")
    http.post("users", json={"user_id": user_id})
    headers = {} if content_type is None else {"Content-Type": content_type}
    listed = http.post(f"graph/node/user/{user_id}", content=body, headers=headers)
    assert listed.status_code == 200, listed.text
    assert isinstance(listed.json(), list)
    assert http.patch(f"users/{user_id}", content=body, headers=headers).status_code == 200


@requirement("v2:transport:delete-answers-json")
def test_a_delete_answers_an_object(zep2: Zep, http: httpx.Client) -> None:
    """An empty answer would be an error to the clients of both generations."""
    session = a_session(zep2)
    group = a_group(zep2)
    for path in (
        f"sessions/{session['session_id']}/memory",
        f"users/{session['user_id']}",
        f"groups/{group['group_id']}",
    ):
        answer = http.delete(path)
        assert answer.status_code == 200
        assert isinstance(answer.json(), dict)


@requirement("v2:transport:no-slash-redirect")
@pytest.mark.parametrize("path", ["users-ordered/", "users/nobody/", "threads/", "/users//x"])
def test_a_slash_too_many_never_redirects(http: httpx.Client, path: str) -> None:
    """The Python clients take any 3xx for an error of the server."""
    answer = http.get(path, follow_redirects=False)
    assert not answer.is_redirect
    assert answer.headers["Content-Type"].startswith("application/json")


@requirement("v2:transport:raw-path")
def test_an_encoded_slash_stays_inside_its_segment(http: httpx.Client) -> None:
    """`users/a%2Fnode` asks for the user `a/node`, not for the node of the user `a`."""
    user_id = unique("user")
    http.post("users", json={"user_id": user_id})
    assert http.get(f"users/{user_id}/node").status_code == 200
    answer = http.get(f"users/{user_id}%2Fnode")
    assert answer.status_code == 404
    assert answer.json()["message"]


@requirement("v3:transport:unknown-ignored")
def test_unknown_fields_and_query_names_are_ignored(http: httpx.Client) -> None:
    """Older and newer clients send more than this one knows."""
    user_id = unique("user")
    created = http.post(
        "users?mode=fast", json={"user_id": user_id, "favourite_colour": "blue", "x": [1]}
    )
    assert created.is_success
    assert http.get(f"users/{user_id}?minRating=0.5&foo=bar").json()["user_id"] == user_id


@requirement("v2:transport:zoned-timestamps", "v3:transport:zoned-timestamps")
def test_timestamps_are_utc_and_say_so(zep: Zep) -> None:
    """Every timestamp ends in Z and has at most six digits of a second."""
    user = a_user(zep)
    user_id = user["user_id"]
    answers = [
        user,
        zep.user.get_node(user_id),
        zep.graph.edge.get_by_user_id(user_id),
        zep.graph.add(
            user_id=user_id, type="text", data="A note.", created_at="2024-05-01T12:00:00+02:00"
        ),
    ]
    found = stamps(answers)
    assert len(found) >= 4
    assert [stamp for stamp in found if not ZONED.fullmatch(stamp)] == []
    assert stamps(answers[-1])[0].startswith("2024-05-01T10:00:00")


@requirement("v2:transport:free-form-maps", "v3:transport:free-form-maps")
def test_metadata_comes_back_untouched(zep: Zep) -> None:
    """Keys are not renamed and values keep their type, whatever they look like."""
    metadata = {**AWKWARD, "deep": {"snake_case": [1, {"camelCase": None}]}}
    user = a_user(zep, metadata=metadata)
    assert zep.user.get(user["user_id"])["metadata"] == metadata


@requirement("v3:transport:free-form-maps")
def test_message_metadata_comes_back_untouched(zep3: Zep) -> None:
    """The same holds for messages, where values are scalars and lists of scalars."""
    thread_id = a_thread(zep3)["thread_id"]
    zep3.thread.add_messages(thread_id, messages=[said3("Hi", metadata=AWKWARD)])
    assert zep3.thread.get(thread_id)["messages"][0]["metadata"] == AWKWARD
