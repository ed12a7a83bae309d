"""What is left to say of the episodes before a window: how things stood after them.

For whoever sees everything and asks for everything, chapters tell of the whole log at little cost.
Chapters do not tell whose words they keep; where somebody may not see all or asks for some episodes
only, the summary is of these alone, and looks back over a bounded number of episodes.
"""

from collections.abc import Sequence
from datetime import datetime

from recollect.graph import chapters as rules
from recollect.graph import rolling_summary, thread_summary
from recollect.graph.episode_filters import EpisodeTree, tree_test
from recollect.graph.thread_summary import Said
from recollect.graph.types import Access, Graph, Json
from recollect.limits import SUMMARY_MESSAGES_MAX, WINDOW_LOOK_BACK_EPISODES
from recollect.store import chapters, rows
from recollect.store.protocol import Row, Transaction
from recollect.subjects import seeing

_EPISODES_PER_READ = 256


def summary(
    tx: Transaction,
    access: Access,
    graph: Graph,
    before: int,
    tree: EpisodeTree | None,
    room: int,
) -> tuple[str, ...]:
    """What the episodes before a place of the log say, of those that may be seen and satisfy
    *tree*: nothing, or one text of at most *room* characters."""
    if room <= 0:
        return ()
    whole = 0
    if access.sight is None and tree is None:
        whole = min(chapters.made(tx, graph.id) or 0, rules.before(before))
    _, after = rules.extent(whole)
    left = _left(tx, access, graph, (after, before), tree, WINDOW_LOOK_BACK_EPISODES)
    facts = _facts(tx, access, graph, whole, left)
    if not facts and whole:
        left = _left(tx, access, graph, (0, before), tree, SUMMARY_MESSAGES_MAX)
    if facts:
        text = rolling_summary.tell(facts, room)
    else:
        text = thread_summary.summarize((), chapters.messages(tx, left), room)
    return (text,) if text else ()


def _facts(
    tx: Transaction, access: Access, graph: Graph, whole: int, left: Sequence[int]
) -> list[Said]:
    """The facts worth telling: of whole chapters, and of the episodes that are in none of them."""
    said = chapters.said(tx, left)
    if whole:
        said += chapters.kept(tx, graph.id, rules.making_up(whole))
    once = {fact.number: fact for fact in said}.values()
    return thread_summary.keep_seen(once, lambda some: seeing.ids(tx, access, "fact", some))


def _left(
    tx: Transaction,
    access: Access,
    graph: Graph,
    between: tuple[int, int],
    tree: EpisodeTree | None,
    most: int,
) -> list[int]:
    """The row ids of episodes between two places of the log that satisfy *tree*, of the newest
    *most* that may be seen."""
    after, before = between
    passes = None if tree is None else tree_test(tree)
    chosen: list[int] = []
    while most > 0:
        limit = min(most, _EPISODES_PER_READ)
        found = tx.all("window_left", graph_id=graph.id, after=after, before=before, limit=limit)
        seen = seeing.carriers(access, found)
        chosen += [row["id"] for row in seen if passes is None or passes(_Left(row))]
        if len(found) < limit:
            break
        most, before = most - len(seen), found[-1]["seq"]
    return chosen


class _Left:
    """An episode before the window as filters look at it: only what they ask for is read."""

    def __init__(self, row: Row) -> None:
        self._row = row

    @property
    def uuid(self) -> str:
        """The episode's uuid."""
        return str(self._row["uuid"])

    @property
    def role(self) -> str | None:
        """The role of whoever speaks."""
        return self._text("role")

    @property
    def speaker(self) -> str | None:
        """Who speaks."""
        return self._text("speaker")

    @property
    def producer(self) -> str | None:
        """Whom it is by, in the words of the client."""
        return self._text("producer")

    @property
    def addressee(self) -> str | None:
        """Whom it is for."""
        return self._text("addressee")

    @property
    def metadata(self) -> Json | None:
        """What the episode itself carries."""
        found: Json | None = rows.from_json(self._row["metadata"])
        return found

    @property
    def created_at(self) -> datetime:
        """When it happened."""
        return rows.moment(self._row["created_at"])

    def _text(self, column: str) -> str | None:
        found: str | None = self._row[column]
        return found
