"""The list of requirements and the tests agree, both ways, and the list is the clients' own."""

import importlib
import inspect
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from recollect.asgi import route_table
from tests.contract.sdk.drivers import Zep
from tests.contract.sdk.memmachine import MemMachine
from tests.contract.sdk.requirements import (
    BASE_PATH_4,
    MARK,
    NOT_OFFERED_3,
    REQUIREMENTS,
    is_method,
)
from tests.contract.sdk.requirements_4 import NOT_OFFERED as NOT_OFFERED_4
from tests.contract.sdk.requirements_mm import NOT_OFFERED

HERE = Path(__file__).resolve().parent
ROUTE = re.compile(r"(GET|POST|PUT|PATCH|DELETE) /api/v[24](/([\w-]+|\{\w+\}))+")
# Python conveniences that send nothing of their own: each ends in a method of the list.
HELPERS = {"graph.set_ontology", "graph.set_entity_types", "memory.extract"}
MEMMACHINE_HELPERS = {
    "client.request",
    "client.config",
    "client.close",
    "project.memory",
    "memory.get_context",
    "memory.get_current_metadata",
    "memory.get_default_filter_dict",
    "memory.mark_client_closed",
}


def all_tests() -> Iterator[tuple[str, Callable[..., None]]]:
    """Every test function of this suite but those of this module, with its module's name."""
    for file in sorted(HERE.glob("test_*.py")):
        if file.stem == Path(__file__).stem:
            continue
        module = importlib.import_module(f"{__package__}.{file.stem}")
        for name, test in inspect.getmembers(module, inspect.isfunction):
            if name.startswith("test_") and test.__module__ == module.__name__:
                yield file.stem, test


def named(test: Callable[..., None]) -> tuple[str, ...]:
    """The entries a test shows."""
    ids: tuple[str, ...] = getattr(test, MARK, ())
    return ids


def methods(generation: str) -> dict[str, str]:
    """The client methods of a generation and their routes."""
    prefix = f"{generation}:"
    return {
        name.removeprefix(prefix): entry.http or ""
        for name, entry in REQUIREMENTS.items()
        if name.startswith(prefix) and is_method(name)
    }


def test_every_requirement_has_a_test() -> None:
    """An entry nobody shows is a promise nobody keeps."""
    shown = {name for _, test in all_tests() for name in named(test)}
    assert sorted(REQUIREMENTS.keys() - shown) == []


def test_every_test_shows_a_requirement_that_exists() -> None:
    """A test without an entry, or with a misspelt one, guards nothing the list knows of."""
    unmarked = [test.__name__ for _, test in all_tests() if not named(test)]
    unknown = [name for _, test in all_tests() for name in named(test) if name not in REQUIREMENTS]
    assert unmarked == []
    assert unknown == []


def test_every_test_says_in_a_sentence_what_holds() -> None:
    """The docstring of a test is the behaviour it shows."""
    assert [test.__name__ for _, test in all_tests() if not (test.__doc__ or "").strip()] == []


@pytest.mark.parametrize(("generation", "count"), [("v2", 70), ("v3", 99)])
def test_every_method_of_a_generation_has_its_own_route(generation: str, count: int) -> None:
    """As many methods as the contract counts, no two of them on one verb and path."""
    routes = methods(generation)
    assert len(routes) == count
    assert len({re.sub(r"\{\w+\}", "{}", route) for route in routes.values()}) == count
    assert [route for route in routes.values() if not ROUTE.fullmatch(route)] == []


def test_both_generations_together_use_as_many_routes_as_the_contract_counts() -> None:
    """24 routes are shared, so the union is smaller than the sum."""
    routes = {
        re.sub(r"\{\w+\}", "{}", route)
        for generation in ("v2", "v3")
        for route in methods(generation).values()
    }
    assert len(routes) == 145


def test_the_methods_of_generation_4_are_as_many_as_the_contract_counts() -> None:
    """194 methods on 193 verbs and paths: a question is asked in two ways of one of them."""
    routes = methods("v4")
    assert len(routes) == 194
    assert len({re.sub(r"\{\w+\}", "{}", route) for route in routes.values()}) == 193
    assert [route for route in routes.values() if not ROUTE.fullmatch(route)] == []
    agents = [name for name in routes if name.startswith(("agent.", "trace_connection."))]
    assert len(agents) == 77


def test_the_server_has_exactly_the_routes_of_generation_4() -> None:
    """Nothing that the client calls is missing, and nothing else is under its address."""
    served = {
        f"{route.method} " + re.sub(r"\{\w+\}", "{}", route.path)
        for route in route_table()
        if route.path.startswith(BASE_PATH_4)
    }
    assert served == {re.sub(r"\{\w+\}", "{}", route) for route in methods("v4").values()}


def test_the_methods_of_the_memmachine_client_are_as_many_as_the_contract_counts() -> None:
    """52 methods on 50 verbs and paths: three of them read a project. None is a Zep route."""
    routes = methods("mm")
    assert len(routes) == 52
    assert len(set(routes.values())) == 50
    assert [route for route in routes.values() if not ROUTE.fullmatch(route)] == []
    others = {*methods("v2").values(), *methods("v3").values()}
    assert sorted(set(routes.values()) & others) == []


def test_only_methods_can_be_declared_as_not_offered() -> None:
    """What is lacking is said in the list with its reason, and never of a further promise."""
    lacking = {name: entry for name, entry in REQUIREMENTS.items() if entry.not_offered}
    assert lacking
    assert [name for name in lacking if not is_method(name)] == []
    others = {f"v3:{name}" for name in NOT_OFFERED_3} | {f"v4:{name}" for name in NOT_OFFERED_4}
    assert {f"mm:{name}" for name in NOT_OFFERED} | others == lacking.keys()


def test_the_list_holds_exactly_the_methods_of_the_memmachine_client(mm: MemMachine) -> None:
    """Nothing that sends a request is missing from the list, and nothing on it is made up."""
    offered = mm.methods()
    assert set(offered) - MEMMACHINE_HELPERS == set(methods("mm"))
    assert set(offered) >= MEMMACHINE_HELPERS


def test_the_list_holds_exactly_the_methods_of_the_released_clients(
    py2: Zep, py3: Zep, zep4: Zep
) -> None:
    """Nothing a client offers is missing from the list, and nothing on it is made up."""
    for generation, zep in (("v2", py2), ("v3", py3), ("v4", zep4)):
        helpers = HELPERS - methods(generation).keys()
        assert set(zep.call("methods", (), {}, raw=False)) - helpers == set(methods(generation))
