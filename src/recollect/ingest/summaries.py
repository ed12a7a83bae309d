"""Updates observations and summaries with each episode.

It runs once per episode, in the transaction that learns it, so that the result does not depend on how
episodes share a commit.
"""

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
    """Update what rests on an episode that was just learned; returns what must be indexed again.

    *delta* is what the episode changed. The work is bounded: a few facts for each relation that the
    episode is about, a few for its thread. An episode that was processed before counts as of then.
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
    """The type of a new observation, among those that the project defines."""
    row = tx.graphs.by_id(id=graph_id)
    if row is None:
        return rules.GENERIC
    # Steering belongs to the project and does not depend on the caller.
    access = Access(project_id=row.project_id, project_uuid="", key_uuid="")
    steering = guidance.steering_at(tx, access, guidance.scope_of(rows.graph(row)))
    return rules.label(text, [(item.name, item.description) for item in steering.types])
