"""Keeping observations and summaries in step with the log: called once for each episode, in the
transaction that learns it, so that how episodes share a commit changes nothing."""

from recollect.derive import derived, observations, summaries
from recollect.derive.derived import Derived
from recollect.graph import copies
from recollect.graph import observations as rules
from recollect.graph.delta import Delta
from recollect.graph.predicates import Predicates
from recollect.graph.types import Access, Episode
from recollect.records import guidance
from recollect.store import rows
from recollect.store.protocol import Transaction


def refresh(
    tx: Transaction, episode: Episode, table: Predicates, delta: Delta, distance: int
) -> list[Derived]:
    """Take an episode that was just learned, and the *delta* it made, into all that rests on it;
    tells what reads differently now and can be found.

    The work is bounded: a few facts for each relation that the episode speaks of, a few for its
    thread. An episode that was processed before is taken in as of then.
    """
    now = episode.processed_at or tx.now
    new_id = copies.derived(episode, distance, "/derived")
    told = summaries.add(tx, episode, now=now, new_id=new_id)
    if any(support.role == "closes" for support in delta.supports):
        told += summaries.closed(tx, episode)
    seen = [
        kept
        for cluster in (observations.touched(tx, episode.id, table) if delta.supports else ())
        if (
            kept := observations.renew(
                tx,
                episode.graph_id,
                cluster,
                episode_id=episode.id,
                now=now,
                new_id=new_id,
                label=lambda text: _label(tx, episode.graph_id, text),
            )
        )
    ]
    latest = {kept.id: kept for kept in told if kept.of_thread}
    return [
        *(derived.summary(kept) for kept in latest.values()),
        *(derived.observation(kept) for kept in seen),
    ]


def _label(tx: Transaction, graph_id: int, text: str) -> str:
    """The type of observation, of those that the project asks for, that a new one is."""
    row = tx.graphs.by_id(id=graph_id)
    if row is None:
        return rules.GENERIC
    # The wishes belong to the project, whoever is asking.
    access = Access(project_id=row.project_id, project_uuid="", key_uuid="")
    steering = guidance.steering_at(tx, access, guidance.scope_of(rows.graph(row)))
    return rules.label(text, [(item.name, item.description) for item in steering.types])
