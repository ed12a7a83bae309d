"""Everything raised on purpose: one tree, one message each, one status each."""

import re

import pytest

from recollect import errors
from recollect.api.errors import STATUS, reply_for, status_of
from recollect.errors import RecollectError


def _tree(kind: type[RecollectError]) -> list[type[RecollectError]]:
    return [kind, *(below for child in kind.__subclasses__() for below in _tree(child))]


def _own(kind: type[RecollectError]) -> list[type[RecollectError]]:
    """The part of the tree that the product defines; tests may have leaves of their own."""
    return [found for found in _tree(kind) if found.__module__ == errors.__name__]


EVERY = _own(RecollectError)
LEAVES = [kind for kind in EVERY if not [c for c in _own(kind) if c is not kind]]


def make(kind: type[RecollectError]) -> RecollectError:
    """An error of that kind, as it is usually raised."""
    if kind is errors.MethodNotAllowed:
        return errors.MethodNotAllowed("PUT", ["GET"])
    if kind is errors.LogMoved:
        return errors.LogMoved(3, 7)
    return kind()


@pytest.mark.parametrize("kind", LEAVES, ids=lambda kind: kind.__name__)
def test_every_leaf_has_a_status(kind: type[RecollectError]) -> None:
    """Nobody has to guess what a client is told."""
    assert kind in STATUS
    assert status_of(make(kind)) == STATUS[kind]
    assert 400 <= STATUS[kind] <= 599


def test_the_table_names_nothing_else() -> None:
    """Every entry is a kind of error that exists, and none is the base."""
    assert set(STATUS) <= set(EVERY)
    assert RecollectError not in STATUS


@pytest.mark.parametrize("kind", EVERY, ids=lambda kind: kind.__name__)
def test_every_error_says_something(kind: type[RecollectError]) -> None:
    """The docstring is the default message, and a reply carries the message and its status."""
    error = make(kind)
    assert error.message
    assert str(error) == error.message
    reply = reply_for(error)
    assert reply.status == status_of(error)


def test_a_new_kind_inherits_its_parents_status() -> None:
    """Forgetting the table is a poor status, not a crash."""

    class Stranger(errors.NotFound):
        """no such stranger"""

    assert status_of(Stranger()) == STATUS[errors.NotFound]
    assert status_of(RecollectError("bare")) == 500


def test_a_fault_of_ours_tells_nothing_about_itself() -> None:
    """Neither a violated invariant nor an unforeseen error leaks its words."""
    for error in (errors.InvariantViolated("row 17 of alice"), ValueError("row 17 of alice")):
        reply = reply_for(error)
        assert reply.status == 500
        assert b"alice" not in reply.body


def test_the_docstring_draws_the_tree_that_is_there() -> None:
    """The picture at the top of the module lists each error under its parent."""
    drawn: dict[str, str] = {}
    path: list[str] = ["RecollectError"]
    for line in (errors.__doc__ or "").splitlines():
        found = re.match(r"^((?:│   |    )*)[├└]── (\w+)", line)
        if found:
            depth = len(found[1]) // 4 + 1
            path = [*path[:depth], found[2]]
            drawn[found[2]] = path[depth - 1]
    real = {kind.__name__: kind.__mro__[1].__name__ for kind in EVERY if kind is not RecollectError}
    assert drawn == real
