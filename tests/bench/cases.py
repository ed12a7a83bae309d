"""The sorts of searches that are measured, and the questions they ask."""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from recollect.graph.types import Kind
from tests.bench import graphs
from tests.bench.clients import Answers
from tests.bench.floor import Parts

_SCOPES_AT = 10_000
_FACTS_OF_MANY = 1_000
_KINDS: dict[str, Kind] = {"edges": "fact", "nodes": "entity", "episodes": "episode"}


@dataclass
class Case:
    """Searches of one sort: in which graphs, for what, and what came of them."""

    title: str
    names: list[str]
    facts: int
    scope: str = "edges"
    alone: list[Answers] = field(default_factory=list)
    together: list[Answers] = field(default_factory=list)
    floor: list[list[Parts]] = field(default_factory=list)

    @property
    def kind(self) -> Kind:
        """What is searched for, in the words of the program."""
        return _KINDS[self.scope]

    def questions(self, seed_of: dict[str, int]) -> Iterator[tuple[str, str]]:
        """Graphs in turn, and questions in the words of their facts, no two alike."""
        order = np.random.default_rng(1)
        told = {name: _questions(self.facts, seed_of[name], order) for name in self.names}
        while True:
            for name in self.names:
                yield name, next(told[name])


def _questions(facts: int, seed: int, order: np.random.Generator) -> Iterator[str]:
    said = graphs.Sentences(seed).make(min(facts, graphs._CHUNK))
    while True:
        first, second = order.permutation(len(said)), order.permutation(len(said))
        for one, other in zip(first.tolist(), second.tolist(), strict=True):
            who, _, *words = said[one].split()
            more = said[other].split()[-1]
            yield f"Did {who} ever mention {words[-1]} {words[-2]} or {words[-3]} {more}?"


@dataclass(frozen=True)
class Plan:
    """How much is measured."""

    sizes: tuple[int, ...]
    many: int
    rounds: int
    searches: int
    real: int

    def cases(self) -> list[Case]:
        """All sorts of searches."""
        found = [Case(f"{size:,} facts", [f"one-{size}"], size) for size in self.sizes]
        if _SCOPES_AT in self.sizes:
            found += [
                Case(f"{_SCOPES_AT:,} facts, {scope}", [f"one-{_SCOPES_AT}"], _SCOPES_AT, scope)
                for scope in ("nodes", "episodes")
            ]
        names = [f"many-{number}" for number in range(self.many)]
        title = f"{self.many:,} graphs of {_FACTS_OF_MANY:,} facts"
        return [*found, *([Case(title, names, _FACTS_OF_MANY)] if names else [])]
