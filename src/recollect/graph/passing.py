"""Whether one item passes the filters: the rule every search and list is held to.

Each kind is asked only what means something for it:

- facts: all of it. `node_labels` wants a listed label at either end, `exclude_node_labels` wants
  none at both;
- entities: labels, properties, `episode_uuids`, `episode_metadata`, `episodes`. Types, dates,
  ratings and the fact anchors speak of facts and are passed over;
- episodes: `episode_uuids`, `episode_metadata` and `episodes`, of the episode itself, and
  `recallable_only`, which speaks of nothing else.

Whatever is asked must hold together; a list is satisfied by any of its members.
"""

from collections.abc import Collection, Iterable
from datetime import datetime

from recollect.graph.comparing import dates_hold, tree_holds, values_hold
from recollect.graph.episode_filters import Told, holds
from recollect.graph.filters import Filters
from recollect.graph.types import Entity, Episode, Fact, Json, Record


class Source(Record):
    """The least that is known of an episode to serve as evidence. An `Episode` serves as well."""

    uuid: str
    metadata: Json | None = None
    role: str | None = None
    speaker: str | None = None
    producer: str | None = None
    addressee: str | None = None
    created_at: datetime | None = None


def needs_evidence(filters: Filters) -> bool:
    """Whether the episodes behind an item matter; if not, none have to be handed in."""
    return (
        filters.episode_uuids is not None
        or filters.episode_metadata is not None
        or filters.episodes is not None
    )


def passes_fact(filters: Filters, fact: Fact, evidence: Iterable[Told] = ()) -> bool:
    """Whether a fact passes, resting on *evidence*: all its episodes, hidden ones included."""
    return (
        _among(fact.name, filters.edge_types)
        and fact.name not in filters.exclude_edge_types
        and _labels_pass(filters, [*fact.source_labels, *fact.target_labels])
        and _anchored(filters, fact)
        and _dated(filters, fact)
        and stands_at(fact, valid_on=filters.valid_on, known_on=filters.known_on)
        and _rated(filters, fact)
        and values_hold(filters.properties, fact.attributes or {})
        and rests_on(filters, evidence)
    )


def passes_entity(filters: Filters, entity: Entity, evidence: Iterable[Told] = ()) -> bool:
    """Whether an entity passes, resting on *evidence*: every episode that mentions it."""
    return (
        _labels_pass(filters, entity.labels)
        and values_hold(filters.properties, entity.attributes or {})
        and rests_on(filters, evidence)
    )


def passes_episode(filters: Filters, episode: Episode) -> bool:
    """Whether an episode passes: it is its own evidence."""
    if filters.recallable_only and episode.kept_for == "semantic":
        return False
    return rests_on(filters, (episode,))


def rests_on(filters: Filters, evidence: Iterable[Told]) -> bool:
    """Whether something passes as far as the episodes behind it matter.

    The anchor may be met by one episode and a tree by another; each tree by one alone.
    """
    if not needs_evidence(filters):
        return True
    behind = list(evidence)
    tree, episodes = filters.episode_metadata, filters.episodes
    return (
        _allowed(filters.episode_uuids, [one.uuid for one in behind])
        and (tree is None or any(tree_holds(tree, one.metadata or {}) for one in behind))
        and (episodes is None or any(holds(episodes, one) for one in behind))
    )


def stands_at(
    fact: Fact, *, valid_on: datetime | None = None, known_on: datetime | None = None
) -> bool:
    """Whether a fact was true at one moment, or known at one; an open end has no bound.

    With both: whether one would have said at *known_on* that it was true at *valid_on*. An end
    that was learned only later was not known then; a fact that was known to have ended was
    still known to have been true before.
    """
    if known_on is None:
        return valid_on is None or _within(valid_on, fact.valid_at, fact.invalid_at)
    if valid_on is None:
        return _within(known_on, fact.created_at, fact.expired_at)
    learned = fact.expired_at is None or fact.expired_at <= known_on
    end = fact.invalid_at if learned else None
    return fact.created_at <= known_on and _within(valid_on, fact.valid_at, end)


def _within(moment: datetime, start: datetime | None, end: datetime | None) -> bool:
    return (start is None or start <= moment) and (end is None or moment < end)


def _labels_pass(filters: Filters, labels: list[str]) -> bool:
    wanted = not filters.node_labels or not set(filters.node_labels).isdisjoint(labels)
    return wanted and set(filters.exclude_node_labels).isdisjoint(labels)


def _among(name: str, names: tuple[str, ...]) -> bool:
    return not names or name in names


def _anchored(filters: Filters, fact: Fact) -> bool:
    ends = (fact.source_uuid, fact.target_uuid)
    return (
        _allowed(filters.edge_uuids, (fact.uuid,))
        and _allowed(filters.source_node_uuids, (fact.source_uuid,))
        and _allowed(filters.target_node_uuids, (fact.target_uuid,))
        and _allowed(filters.connected_node_uuids, ends)
    )


def _allowed(anchors: tuple[str, ...] | None, uuids: Collection[str]) -> bool:
    return anchors is None or any(uuid in anchors for uuid in uuids)


def _dated(filters: Filters, fact: Fact) -> bool:
    return (
        dates_hold(filters.created_at, fact.created_at)
        and dates_hold(filters.valid_at, fact.valid_at)
        and dates_hold(filters.invalid_at, fact.invalid_at)
        and dates_hold(filters.expired_at, fact.expired_at)
    )


def _rated(filters: Filters, fact: Fact) -> bool:
    """A fact that nobody rated is never below the mark."""
    return filters.rating_min is None or fact.rating is None or fact.rating >= filters.rating_min
