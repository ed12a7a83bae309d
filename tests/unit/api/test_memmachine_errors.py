"""A failure is told to memory clients in one shape, with the status that they expect."""

import json
from typing import Any

import pytest

from recollect import errors
from recollect.compat.memmachine.errors import reply_for

EXPECTED = [
    (errors.InvalidInput("no"), 422),
    (errors.BodyTooLarge("no"), 413),
    (errors.MethodNotAllowed("PUT", ["GET"]), 405),
    (errors.AlreadyExists("no"), 409),
    (errors.Conflict("no"), 409),
    (errors.NotAuthenticated(), 401),
    (errors.NotAllowed("no"), 403),
    (errors.NotFound("no"), 404),
    (errors.NotOffered("no"), 501),
    (errors.ModelUnavailable("no"), 503),
    (errors.StoreUnavailable("no"), 503),
    (errors.ModelAnswerInvalid("no"), 502),
]


def told(error: Exception) -> tuple[int, dict[str, Any], dict[str, str]]:
    """Status, detail and headers of a refusal."""
    reply = reply_for(error)
    said = json.loads(reply.body)
    assert set(said) == {"detail"}
    assert set(said["detail"]) == {"code", "message", "internal_error", "exception", "trace"}
    headers = {name.decode(): value.decode() for name, value in reply.headers}
    return reply.status, said["detail"], headers


@pytest.mark.parametrize(("error", "status"), EXPECTED, ids=lambda one: type(one).__name__)
def test_a_failure_has_its_status_its_class_and_its_words(
    error: errors.RecollectError, status: int
) -> None:
    """And nothing about our insides."""
    found, detail, headers = told(error)
    assert found == detail["code"] == status
    assert detail["message"] == error.message
    assert detail["exception"] == type(error).__name__
    assert (detail["internal_error"], detail["trace"]) == ("", "")
    assert headers["content-type"] == "application/json"


@pytest.mark.parametrize("error", [RuntimeError("secret"), errors.InvariantViolated("secret")])
def test_a_fault_of_ours_says_so_and_no_more(error: Exception) -> None:
    """Whoever runs the server finds the rest in its log."""
    status, detail, _ = told(error)
    assert status == 500
    assert "secret" not in json.dumps(detail)


def test_a_failure_that_passes_says_when_to_come_back() -> None:
    """Clients honour it, where they try again at all."""
    assert told(errors.StoreUnavailable())[2]["retry-after"] == "1"
