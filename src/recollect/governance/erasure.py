"""Erases episodes and facts, with everything that rested on nothing else.

There are two modes. *delete* is what callers expect: what an erased episode ended stays ended, and
names stay. *forget* goes further: facts ended only by erased content hold again, and names and
attributes that only erased texts used are dropped. In both modes, every text composed from facts is
composed again from those that are left.
"""

from collections.abc import Iterable, Sequence
from typing import Literal

from msgspec.structs import replace

from recollect.derive import derived, findable, readings, remainders
from recollect.derive.derived import Aftermath, Resting
from recollect.derive.remainders import Remainder
from recollect.errors import NotAllowed
from recollect.governance import describing, outbox, unnaming, unsaying
from recollect.graph.gist import mark
from recollect.graph.types import Access, Kind, Record
from recollect.store import index, rows
from recollect.store.protocol import Transaction
from recollect.store.queries.closings import ClosingsWithoutReasonRow
from recollect.store.queries.episodes import EpisodePlacesRow
from recollect.store.queries.facts import FactEndsRow, FactRow
from recollect.store.queries.shapes import InGraphRow

Mode = Literal["delete", "forget"]


class Removed(Record):
    """How much was removed, and how much of the rest had to change."""

    episodes: int = 0
    facts: int = 0
    entities: int = 0
    observations: int = 0
    summaries: int = 0
    facts_reopened: int = 0
    entities_reworded: int = 0
    derived_reworded: int = 0


def require_full_visibility(access: Access) -> None:
    """Refuse to erase a whole thread, graph or user for a key that sees only part of it."""
    if access.visibility is not None:
        raise NotAllowed("policies hide part of this from this key, and all of it would be erased")


def unsay_answers(tx: Transaction, graph_id: int) -> None:
    """Blank the answers that are kept for repeated requests."""
    tx.answers.unsay(graph_id=graph_id)


def _unsay_injections(tx: Transaction, graph_id: int) -> None:
    """Remove what is gone from the injection log, and what may mention it.

    That is, lines derived from several things, and questions, which may quote messages.
    """
    tx.injections.drop_gone(graph_id=graph_id)
    tx.injections.drop_derived(graph_id=graph_id)
    tx.injections.drop_questions(graph_id=graph_id)


def forget_episodes(tx: Transaction, episode_ids: Iterable[int], mode: Mode = "delete") -> Removed:
    """Remove episodes from the log and from every association.

    A fact or an entity is removed only if no other episode supports it. The user's own node always
    stays, and so does an entity of a surviving fact. In *forget* mode, a fact is also removed if the
    remaining episodes only state what replaced it.
    """
    ids = list(episode_ids)
    if not ids:
        return Removed()
    listed = rows.to_json(ids)
    places = tx.episodes.places(ids=listed)
    forgetting = mode == "forget"
    resting_alone = tx.facts.said_only_by if forgetting else tx.facts.supported_only_by
    lonely = resting_alone(episodes=listed)
    touched = set(tx.entities.ids_mentioned_by(episodes=listed))
    touched.update(_ends(lonely))
    reopened = _lose_ends(tx, ids, [row.id for row in lonely]) if forgetting else []
    heard = unnaming.heard(tx, sorted(touched), ids) if forgetting else []
    resting = derived.resting_on(tx, episodes=ids, facts=[row.id for row in reopened])
    left = [] if forgetting else _keep_ends(tx, ids, [row.id for row in lonely])
    tx.facts.delete(ids=rows.to_json([row.id for row in lonely]))
    tx.episodes.delete(ids=listed)
    removed = tx.entities.delete_unsupported(ids=rows.to_json(sorted(touched)))
    _unindex(tx, "fact", lonely)
    _unindex(tx, "entity", removed)
    _unindex(tx, "episode", places)
    _reopen(tx, reopened)
    renamed = unnaming.drop_unheard(tx, heard)
    around = (touched | _ends(reopened)) - {row.id for row in removed}
    reworded = describing.describe_again(
        tx, sorted(around), also=[row.id for row in reopened], changed=renamed
    )
    if renamed:
        resting = derived.merged(resting, derived.resting_on(tx, entities=renamed))
    after = derived.renew(tx, resting, forgetting=forgetting)
    findable.settle(tx, after)
    _fold_without(tx, places, left)
    return _counted(after, places, lonely, removed, reopened, reworded)


def _keep_ends(tx: Transaction, episodes: Sequence[int], facts: Sequence[int]) -> list[Remainder]:
    """Record the ends that stay although their cause is removed; returns the episodes' readings."""
    for row in _without_reason(tx, episodes, facts):
        _keep_end(tx, row)
    return remainders.before(tx, episodes)


def _without_reason(
    tx: Transaction, episodes: Sequence[int], facts: Sequence[int]
) -> Sequence[ClosingsWithoutReasonRow]:
    """The ends that lose their cause when these episodes and facts are removed."""
    given = {"episodes": rows.to_json(list(episodes)), "facts": rows.to_json(list(facts))}
    return tx.closings.without_reason(**given)


def _keep_end(tx: Transaction, row: ClosingsWithoutReasonRow) -> None:
    to = {"ended_at": row.ended_at, "expired_at": row.expired_at, "judge": row.judge}
    tx.edits.insert(
        graph_id=row.graph_id,
        seq=row.seq,
        kind="fact.end",
        subject=row.uuid,
        near=row.source_uuid,
        mark=mark(row.fact),
        change=rows.to_json(to),
        vector=None,
        side=row.side,
        now=rows.micros(tx.now),
    )


def _fold_without(
    tx: Transaction, places: Sequence[EpisodePlacesRow], left: Sequence[Remainder]
) -> None:
    """Leave remainders at the places of deleted episodes, and have their graphs folded again from there.

    What came later was learned in the light of what is gone.
    """
    remainders.leave(tx, left)
    first: dict[int, int] = {}
    for row in places:
        first[row.graph_id] = min(row.seq, first.get(row.graph_id, row.seq))
    for graph_id, seq in first.items():
        _keep_no_words(tx, graph_id)
        tx.entities.user_sides_drop(graph_id=graph_id)  # a fold brings back what is left
        readings.fold_again(tx, graph_id, seq)
        tx.graphs.edited(graph_id=graph_id)


def forget_facts(
    tx: Transaction,
    graph_id: int,
    facts: Sequence[FactEndsRow | FactRow],
    *,
    folding: bool = False,
) -> Removed:
    """Remove facts; an entity they joined stays if an episode mentions it.

    *folding*: this was already done to the log, which stays as it is.
    """
    ids = [row.id for row in facts]
    behind = _carriers(tx, ids, None, folding=folding)
    resting = derived.resting_on(tx, facts=ids, episodes=[row.id for row in behind])
    left = _without_reason(tx, [row.id for row in behind], ids)
    tx.facts.delete(ids=rows.to_json(ids))
    _unindex(tx, "fact", facts)
    around, unsaid = _settle_around(tx, resting, facts, behind)
    if not folding:
        _log_without(tx, graph_id, around.episodes + unsaid, left)
    return around


def forget_unsupported(tx: Transaction, graph_id: int) -> None:
    """Remove from a refolded graph what only deleted episodes supported."""
    facts = tx.facts.unsupported(graph_id=graph_id)
    if facts:
        forget_facts(tx, graph_id, facts, folding=True)
    lonely = rows.to_json(tx.entities.unsupported(graph_id=graph_id))
    _unindex(tx, "entity", tx.entities.delete_unsupported(ids=lonely))


def forget_entity(
    tx: Transaction, graph_id: int, entity_id: int, *, folding: bool = False
) -> Removed:
    """Remove an entity and its facts, with everything that mentioned them."""
    gone = tx.facts.of_entities(ids=rows.to_json([entity_id]))
    ids = [row.id for row in gone]
    behind = _carriers(tx, ids, entity_id, folding=folding)
    left = _without_reason(tx, [row.id for row in behind], ids)
    resting = derived.resting_on(
        tx, facts=ids, episodes=[row.id for row in behind], entities=[entity_id]
    )
    tx.entities.delete(id=entity_id)
    _unindex(tx, "fact", gone)
    index.remove(tx, graph_id, "entity", [entity_id])
    around, unsaid = _settle_around(tx, resting, gone, behind, entity_id)
    if not folding:
        _log_without(tx, graph_id, around.episodes + unsaid, left)
    return around


def _carriers(
    tx: Transaction, facts: Sequence[int], entity_id: int | None, *, folding: bool
) -> Sequence[InGraphRow]:
    """The episodes that were written only to state what is being removed."""
    if folding:
        return []
    return tx.episodes.direct_episodes_behind(facts=rows.to_json(list(facts)), entity_id=entity_id)


def _log_without(
    tx: Transaction, graph_id: int, episodes: int, left: Sequence[ClosingsWithoutReasonRow]
) -> None:
    """Remove the remains of what is gone.

    If *episodes* were deleted too, or lost their text, the graph is folded again without them; what they
    ended stays ended.
    """
    _keep_no_words(tx, graph_id)
    if episodes:
        for row in left:
            _keep_end(tx, row)
        readings.fold_again(tx, graph_id, 0)


def _keep_no_words(tx: Transaction, graph_id: int) -> None:
    """Drop text about things that are gone wherever else it is kept; dropped edits need another fold."""
    unsay_answers(tx, graph_id)
    outbox.withdraw(tx, graph_id)
    tx.expiries.drop_unsaid(graph_id=graph_id)
    tx.expiries.withdraw(graph_id=graph_id)
    _unsay_injections(tx, graph_id)
    remainders.renew(tx, graph_id)
    if tx.edits.drop_of_gone(graph_id=graph_id):
        readings.fold_again(tx, graph_id, 0)
    tx.rereadings.unshow(graph_id=graph_id)


def _settle_around(
    tx: Transaction,
    resting: Resting,
    gone: Sequence[FactEndsRow | FactRow],
    behind: Sequence[InGraphRow],
    entity_id: int | None = None,
) -> tuple[Removed, int]:
    """Update what was attached to removed facts; *entity_id* was removed with them.

    Also returns how many episodes lost their text but stay.
    """
    near = sorted(_ends(gone) - {entity_id})
    removed = tx.entities.delete_unsupported(ids=rows.to_json(near))
    _unindex(tx, "entity", removed)
    listed = rows.to_json([row.id for row in behind])
    useless = tx.episodes.delete_useless(ids=listed)
    _unindex(tx, "episode", useless)
    unsaid = unsaying.unsay(tx, [row.id for row in behind])
    reworded = describing.describe_again(tx, near)
    after = derived.renew(tx, resting)
    findable.settle(tx, after)
    counted = _counted(after, useless, gone, removed, [], reworded)
    return replace(counted, entities=counted.entities + (entity_id is not None)), unsaid


def _lose_ends(tx: Transaction, episodes: Sequence[int], facts: Sequence[int]) -> list[FactEndsRow]:
    """Remove the ends that these gave to other facts; returns those facts."""
    given = {"episodes": rows.to_json(list(episodes)), "facts": rows.to_json(list(facts))}
    lost = set(tx.facts.reopened_without(**given)) - set(facts)
    tx.closings.inherit(facts=given["facts"])
    tx.closings.forget(**given)
    return tx.facts.ends(ids=rows.to_json(sorted(lost))) if lost else []


def _reopen(tx: Transaction, facts: Sequence[FactEndsRow | FactRow]) -> None:
    if facts:
        tx.facts.end_again(ids=rows.to_json([row.id for row in facts]))
        for graph_id, numbers in _by_graph(facts).items():
            index.touch(tx, graph_id, "fact", numbers)


def _ends(facts: Iterable[FactEndsRow | FactRow]) -> set[int]:
    return {end for row in facts for end in (row.source_id, row.target_id)}


def _unindex(
    tx: Transaction,
    kind: Kind,
    gone: Iterable[InGraphRow | EpisodePlacesRow | FactEndsRow | FactRow],
) -> list[int]:
    """Remove what is gone from the index; returns its graphs."""
    places = _by_graph(gone)
    for graph_id, numbers in places.items():
        index.remove(tx, graph_id, kind, numbers)
    return list(places)


def _by_graph(
    found: Iterable[InGraphRow | EpisodePlacesRow | FactEndsRow | FactRow],
) -> dict[int, list[int]]:
    ids: dict[int, list[int]] = {}
    for row in found:
        ids.setdefault(row.graph_id, []).append(row.id)
    return ids


def _counted(
    after: Aftermath,
    episodes: Sequence[InGraphRow | EpisodePlacesRow],
    facts: Sequence[FactEndsRow | FactRow],
    entities: Sequence[InGraphRow],
    reopened: Sequence[FactEndsRow],
    reworded: int,
) -> Removed:
    kinds = [gone.kind for gone in after.gone]
    return Removed(
        episodes=len(episodes),
        facts=len(facts),
        entities=len(entities),
        observations=kinds.count("observation"),
        summaries=kinds.count("thread_summary"),
        facts_reopened=len(reopened),
        entities_reworded=reworded,
        derived_reworded=len(after.renewed),
    )
