"""Records which methods of the store's protocol the contract suite calls.

Each process records the calls while tests of `tests/contract/store` run in it. With xdist a worker sees
only some of the files, so workers send their records to the process that started them. That process
checks them, but only if every file of the suite ran: a partial run proves nothing.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property, wraps
from pathlib import Path
from typing import Any, get_type_hints

from recollect.store.transaction import Transaction
from tests.support.store_methods import methods

SUITE = Path(__file__).parents[1] / "contract" / "store"
# Methods that no test of the suite calls yet. Do not add to this list.
UNCOVERED: frozenset[str] = frozenset()
_HANDED_OVER = "store_coverage"


@dataclass
class Notes:
    """The methods that were called, and the test files that ran."""

    called: set[str] = field(default_factory=set)
    files: set[str] = field(default_factory=set)

    def add(self, called: Iterable[str], files: Iterable[str]) -> None:
        """Merge the records of another process."""
        self.called |= set(called)
        self.files |= set(files)


NOTES = Notes()


@contextmanager
def noting(file: str) -> Iterator[None]:
    """Record every method that a test of *file* calls in this context."""
    NOTES.files.add(file)
    before: list[tuple[type, str, Any]] = []
    for noun, queries in _queries():
        for name, method in list(vars(queries).items()):
            if callable(method) and not name.startswith("_"):
                before.append((queries, name, method))
                setattr(queries, name, _noted(f"{noun}.{name}", method))
    try:
        yield
    finally:
        for queries, name, method in before:
            setattr(queries, name, method)


def _noted(name: str, method: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(method)
    def noted(*args: Any, **params: Any) -> Any:
        NOTES.called.add(name)
        return method(*args, **params)

    return noted


def _queries() -> Iterator[tuple[str, type]]:
    for noun, value in vars(Transaction).items():
        if isinstance(value, cached_property) and noun != "now":
            yield noun, get_type_hints(value.func)["return"]


def hand_over(config: Any) -> None:
    """Send the records of an xdist worker at its end; does nothing in a run without workers."""
    if hasattr(config, "workeroutput"):
        noted = {"called": sorted(NOTES.called), "files": sorted(NOTES.files)}
        config.workeroutput[_HANDED_OVER] = noted


def take_over(node: Any) -> None:
    """Receive the records of a worker, unless it died."""
    noted = getattr(node, "workeroutput", {}).get(_HANDED_OVER)
    if noted is not None:
        NOTES.add(**noted)


def complaints(
    notes: Notes, uncovered: Iterable[str], known: Iterable[str], suite: Iterable[str]
) -> list[str] | None:
    """What is wrong with the suite; None if only a part of it ran, which proves nothing."""
    if not set(suite) <= notes.files:
        return None
    listed, there = set(uncovered), set(known)
    missing = there - notes.called - listed
    return [
        *(f"no contract test calls {name}" for name in sorted(missing)),
        *(f"{name} is called: take it off the list" for name in sorted(listed & notes.called)),
        *(f"{name} is listed, and no method" for name in sorted(listed - there)),
    ]


def verdict() -> list[str] | None:
    """The complaints for this run."""
    return complaints(NOTES, UNCOVERED, methods(), {path.name for path in SUITE.glob("test_*.py")})


def report() -> Iterator[str]:
    """The lines to print at the end of a run; none if the suite did not run."""
    if not NOTES.files:
        return
    there = methods()
    found = verdict()
    yield f"store protocol: the contract suite called {len(there & NOTES.called)} of {len(there)}"
    yield from ["only a part of the suite ran"] if found is None else found
