"""A class name means one thing in the whole tree."""

import ast
from collections import defaultdict
from functools import cache
from pathlib import Path

import recollect

SOURCE = Path(recollect.__file__).parent
# Types of a wire are named as their product or our routes name them.
WIRES = {"compat", "native"}
_RESULT = "what the library gives back, under the name of the core type"
_LOG = "session_log is a library of its own, and imports nothing of the rest"
REASONS = {
    "Answer": _LOG,
    "Entity": _RESULT,
    "Episode": f"{_RESULT}; {_LOG}",
    "Expired": _RESULT,
    "Fact": _RESULT,
    "Observation": _RESULT,
    "Tool": _LOG,
    "Turn": _LOG,
}
# To be told apart. Nothing is to be added here.
STILL_SHARED = {
    "Outcome",
    "Place",
    "Receipt",
    "Statement",
    "Trace",
    "View",
    "Wanted",
    "Writer",
    "_Place",
}


@cache
def _shared() -> dict[str, list[str]]:
    found = defaultdict(list)
    for path in SOURCE.rglob("*.py"):
        place = path.relative_to(SOURCE)
        if place.parts[0] in WIRES:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                found[node.name].append(str(place))
    return {name: places for name, places in found.items() if len(places) > 1}


def test_a_class_name_means_one_thing() -> None:
    shared = _shared()
    new = {name: shared[name] for name in shared.keys() - REASONS.keys() - STILL_SHARED}
    assert new == {}


def test_no_exception_is_stale() -> None:
    assert (REASONS.keys() | STILL_SHARED) - _shared().keys() == set()
