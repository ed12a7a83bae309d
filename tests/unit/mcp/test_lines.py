"""What tools answer, in lines."""

from typing import Any

import pytest

from recollect.mcp.lines import told

FACT = {
    "uuid": "e-1",
    "fact": "Ann works\nat Acme.",
    "name": "WORKS_AT",
    "edge_type": "WORKS_AT",
    "valid_at": "2024-05-01T12:00:00Z",
    "invalid_at": None,
    "episodes": ["s-1", "s-2", "s-3", "s-4"],
    "rating": None,
}
ENDED = {**FACT, "uuid": "e-2", "invalid_at": "2025-01-02T00:00:00Z", "episodes": [], "rating": 0.5}
NODE = {"uuid": "n-1", "name": "Acme", "labels": ["Organization"], "summary": "A firm."}
SAID = {
    "uuid": "s-1",
    "content": "Hi.",
    "role": "user",
    "name": "Ann",
    "created_at": "2024-05-01T12:34:56Z",
}


@pytest.mark.parametrize(
    ("value", "text"),
    [
        pytest.param({"context": "line\nline"}, "line\nline", id="a context is itself"),
        pytest.param({"context": ""}, "Nothing was found.", id="an empty one says so"),
        pytest.param([], "Nothing was found.", id="an empty list says so"),
        pytest.param(
            [FACT, ENDED],
            "- Ann works at Acme. (WORKS_AT, since 2024-05-01) [edge e-1, from episode s-1, s-2, s-3, …]\n"
            "- Ann works at Acme. (WORKS_AT, since 2024-05-01, ended 2025-01-02, rating 0.5) [edge e-2]",
            id="facts",
        ),
        pytest.param(
            {"edges": [ENDED], "nodes": [NODE, {"uuid": "n-2"}]},
            "edges:\n- Ann works at Acme. (WORKS_AT, since 2024-05-01, ended 2025-01-02, rating 0.5) "
            "[edge e-2]\n\nnodes:\n- Acme (Organization): A firm. [node n-1]\n- ? [node n-2]",
            id="what a search found",
        ),
        pytest.param(
            {"messages": [SAID], "total_count": 1, "user_id": None},
            "total_count: 1\n\nmessages:\n- 2024-05-01T12:34 Ann: Hi. [episode s-1]",
            id="messages",
        ),
        pytest.param(
            {"result": [{"thread_id": "t", "created_at": "2024-05-01T12:34:56Z"}]},
            "- t (last 2024-05-01T12:34)",
            id="a list that was wrapped",
        ),
        pytest.param(
            {
                "users": [{"user_id": "ann", "first_name": "Ann", "email": "a@b.c"}],
                "total_count": 1,
            },
            "total_count: 1\n\nusers:\n- ann (Ann, a@b.c)",
            id="users",
        ),
        pytest.param(
            {"user_id": "ann", "email": None, "metadata": {"a": 1}, "labels": ["x", "y"]},
            'user_id: ann\nmetadata: {"a": 1}\nlabels: x, y',
            id="one thing",
        ),
        pytest.param([1, {"other": True}], '- 1\n- {"other": true}', id="anything else"),
    ],
)
def test_an_answer_is_told(value: Any, text: str) -> None:
    assert told(value) == text
