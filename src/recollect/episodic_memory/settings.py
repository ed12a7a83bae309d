"""Queries to a graph's memories, their answers, and their settings.

Settings are chosen for the graph, for its project, or by the operator. Each choice is stored where it
was made. A graph without one follows its project, and a project the operator, so a changed default
reaches every graph that did not choose for itself.
"""

from datetime import datetime
from typing import TypeVar

from msgspec import structs

from recollect.errors import InvalidInput
from recollect.graph.episode_filters import EpisodeTree
from recollect.graph.types import Access, Episode, Graph, Json, Record
from recollect.limits import MEMORY_WINDOW_CHARS_MAX, MEMORY_WINDOW_EPISODES_MAX
from recollect.records.guidance import PROJECT, scopes
from recollect.records.guidance.scopes import Scope
from recollect.search.query import Hit
from recollect.settings import Settings
from recollect.store.protocol import Transaction


class Bounds(Record):
    """The maximum size of the window, in episodes and in characters."""

    episodes: int
    chars: int


class MemorySettings(Record):
    """What is switched on for a graph, and the size of its window."""

    window: Bounds
    enabled: bool = True
    short_term: bool = True
    long_term: bool = True
    semantic: bool = True

    @property
    def is_on(self) -> bool:
        """Whether there is any episodic memory to query: without either part it is off."""
        return self.enabled and (self.short_term or self.long_term)


class MemoryQuery(Record):
    """A query to both memories.

    At most *limit* episodes from each; *expand* more around every long-term hit; no context that
    scores below *score_min*; only episodes that satisfy *tree*.
    """

    text: str
    now: datetime
    limit: int = 10
    expand: int = 0
    score_min: float | None = None
    tree: EpisodeTree | None = None


class ShortTerm(Record):
    """The newest episodes, oldest first, and a summary of what went before."""

    episodes: tuple[Episode, ...] = ()
    summary: tuple[str, ...] = ()


class Recalled(Record):
    """The answers of both memories, without overlap; the long-term ones are in time order."""

    short_term: ShortTerm = ShortTerm()
    long_term: tuple[Hit[Episode], ...] = ()


_SWITCHES = "switches"
_CONFIG = "config"
T = TypeVar("T")


class SettingsChange(Record):
    """Chosen settings; None leaves the decision to the level above."""

    enabled: bool | None = None
    short_term: bool | None = None
    long_term: bool | None = None
    semantic: bool | None = None
    episodes: int | None = None
    chars: int | None = None


def usual(chosen: Settings) -> MemorySettings:
    """The operator's settings."""
    window = Bounds(episodes=chosen.memory_window_episodes, chars=chosen.memory_window_chars)
    return MemorySettings(window=window, semantic=chosen.extraction != "off")


def of_graph(
    tx: Transaction, access: Access, graph: Graph, otherwise: MemorySettings
) -> MemorySettings:
    """The settings of a graph; *otherwise* are the operator's."""
    own = _chosen(tx, access, scopes.scope_of(graph))
    return _with(of_project(tx, access, otherwise), own)


def of_project(tx: Transaction, access: Access, otherwise: MemorySettings) -> MemorySettings:
    """The settings of those graphs of a project that chose none."""
    return _with(otherwise, _chosen(tx, access, PROJECT))


def choose_for_graph(tx: Transaction, access: Access, graph: Graph, change: SettingsChange) -> None:
    """Choose settings for a graph."""
    _choose(tx, access, scopes.scope_of(graph), change)


def choose_for_project(tx: Transaction, access: Access, change: SettingsChange) -> None:
    """Choose settings for the graphs of a project that chose none."""
    _choose(tx, access, PROJECT, change)


def put_config(tx: Transaction, access: Access, graph: Graph, config: Json) -> None:
    """Store the configuration that a client gave its graph."""
    scopes.put(tx, access, "memory", scopes.scope_of(graph), config, _CONFIG)


def config(tx: Transaction, access: Access, graph: Graph) -> Json:
    """The configuration that a client gave its graph; empty if none."""
    row = scopes.named(tx, access, "memory", scopes.scope_of(graph), _CONFIG)
    return {} if row is None else scopes.value(row, Json)


def _choose(tx: Transaction, access: Access, where: Scope, change: SettingsChange) -> None:
    _check(change)
    given = {name: value for name, value in structs.asdict(change).items() if value is not None}
    if given:
        merged = structs.replace(_chosen(tx, access, where), **given)
        scopes.put(tx, access, "memory", where, merged, _SWITCHES)


def _check(change: SettingsChange) -> None:
    for field, value, most, unit in (
        ("message_capacity", change.episodes, MEMORY_WINDOW_EPISODES_MAX, "messages"),
        ("character_capacity", change.chars, MEMORY_WINDOW_CHARS_MAX, "characters"),
    ):
        if value is not None and not 1 <= value <= most:
            raise InvalidInput(f"{field}: must be between 1 and {most} {unit}, got {value}")


def _chosen(tx: Transaction, access: Access, where: Scope) -> SettingsChange:
    row = scopes.named(tx, access, "memory", where, _SWITCHES)
    return SettingsChange() if row is None else scopes.value(row, SettingsChange)


def _with(base: MemorySettings, choice: SettingsChange) -> MemorySettings:
    """*base*, overridden by what was chosen."""
    return MemorySettings(
        window=Bounds(
            episodes=_first(choice.episodes, base.window.episodes),
            chars=_first(choice.chars, base.window.chars),
        ),
        enabled=_first(choice.enabled, base.enabled),
        short_term=_first(choice.short_term, base.short_term),
        long_term=_first(choice.long_term, base.long_term),
        semantic=_first(choice.semantic, base.semantic),
    )


def _first(chosen: T | None, otherwise: T) -> T:
    return otherwise if chosen is None else chosen
