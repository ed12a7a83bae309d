"""An episodic memory: what one graph recalls, of both its memories.

A route asks it like this; the answer is None where the memory is switched off:

    async with call.services.memories.hold(graph) as memory:
        recalled = await memory.recall(call.access, question)

Everything is derived from the log. What an instance remembers of the window is compared with the
graph's row on every use, so it never matters who wrote meanwhile, or in which process: a change
of the log, of what was learned from it or of the settings holds for the next question.
"""

from collections import OrderedDict
from collections.abc import Callable
from typing import Protocol

from recollect.errors import InvariantViolated, NotFound
from recollect.graph.episode_filters import EpisodeTree
from recollect.graph.types import Access, Episode, Graph, Record
from recollect.limits import INSTANCE_WINDOWS_MAX
from recollect.memories import settings
from recollect.memories.metrics import MemoryMetrics
from recollect.memories.types import Bounds, MemorySettings, Question, Recalled, ShortTerm
from recollect.search.query import Ranked
from recollect.store import rows
from recollect.store.protocol import Store, Transaction

Mark = tuple[int, ...]
_MARKED = ("last_seq", "index_epoch", "index_version", "edits", "condensed")
ReadWindow = Callable[
    [Transaction, Access, Graph, Bounds, EpisodeTree | None, int],
    ShortTerm,
]


class SearchPast(Protocol):
    """How the long-term memory is asked; what has a uuid of *without* is told already."""

    async def __call__(
        self, access: Access, graph: Graph, question: Question, *, without: frozenset[str]
    ) -> tuple[Ranked[Episode], ...]: ...


class Parameters(Record):
    """What an instance is made of."""

    graph_uuid: str
    store: Store
    usual: MemorySettings  # what holds where neither the graph nor its project chose
    short_term: ReadWindow
    long_term: SearchPast
    metrics: MemoryMetrics


class State(Record):
    """A graph as it stands, and a mark that differs after every change of its log.

    Appending moves `last_seq`. Whatever is learned, changed or made unfindable takes a new
    `index_version`; a deletion counts as an edit even when nothing was found by it yet, and so
    does folding the graph again. `condensed` moves with the chapters.
    """

    graph: Graph
    mark: Mark
    settings: MemorySettings


def state(tx: Transaction, access: Access, graph_uuid: str, usual: MemorySettings) -> State:
    """A graph of the asker's project, with what holds for its memories."""
    row = tx.one("graph_by_uuid", uuid=graph_uuid, project_id=access.project_id)
    if row is None:
        raise NotFound("graph not found")
    graph = rows.graph(row)
    return State(
        graph=graph,
        mark=tuple(row[column] for column in _MARKED),
        settings=settings.of_graph(tx, access, graph, usual),
    )


class EpisodicMemory:
    """Both memories of one graph. Any number may ask at the same time."""

    def __init__(self, given: Parameters) -> None:
        self._given = given
        self._mark: Mark | None = None
        self._windows: OrderedDict[str, ShortTerm] = OrderedDict()  # all as of the mark
        self._closed = False

    async def recall(self, access: Access, question: Question) -> Recalled | None:
        """What both memories answer; None when they are switched off.

        The window comes first: it is at hand, or read in no time, and what it tells takes no
        room in the answer of the long-term memory.
        """
        if self._closed:
            raise InvariantViolated("a memory was asked after it was closed")
        given = self._given
        with given.metrics.query():
            now = await given.store.glance(state, access, given.graph_uuid, given.usual)
            if not now.settings.is_on:
                return None
            window = await self._window(access, question, now)
            told = frozenset(episode.uuid for episode in window.episodes)
            past: tuple[Ranked[Episode], ...] = ()
            if now.settings.long_term:
                past = await given.long_term(access, now.graph, question, without=told)
            return Recalled(short_term=window, long_term=past)

    async def close(self) -> None:
        """Hold nothing any more."""
        self._closed = True
        self._windows.clear()

    async def _window(self, access: Access, question: Question, now: State) -> ShortTerm:
        """The window as of now, remembered for whoever sees everything."""
        if not now.settings.short_term:
            return ShortTerm()
        if access.sight is not None:
            return (await self._read(access, question))[1]
        key = _key(now.settings.window, question)
        if now.mark == self._mark and key in self._windows:
            self._windows.move_to_end(key)
            return self._windows[key]
        then, window = await self._read(access, question)
        self._remember(then.mark, _key(then.settings.window, question), window)
        return window

    async def _read(self, access: Access, question: Question) -> tuple[State, ShortTerm]:
        given = self._given
        return await given.store.read(
            _look, access, given.graph_uuid, given.usual, given.short_term, question
        )

    def _remember(self, mark: Mark, key: str, window: ShortTerm) -> None:
        if self._closed:
            return
        if mark != self._mark:
            self._windows.clear()
            self._mark = mark
        self._windows[key] = window
        while len(self._windows) > INSTANCE_WINDOWS_MAX:
            self._windows.popitem(last=False)


def _look(
    tx: Transaction,
    access: Access,
    graph_uuid: str,
    usual: MemorySettings,
    read: ReadWindow,
    question: Question,
) -> tuple[State, ShortTerm]:
    """The window and the mark that belongs to it, of one moment."""
    now = state(tx, access, graph_uuid, usual)
    bounds = now.settings.window
    return now, read(tx, access, now.graph, bounds, question.tree, question.limit)


def _key(bounds: Bounds, question: Question) -> str:
    """What a window depends on besides the log. Spelled out, because 1 and true compare as equal."""
    return repr((bounds, question.tree, question.limit))
