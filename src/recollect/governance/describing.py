"""Rebuilds entity summaries after part of their content was erased.

A summary keeps the sentences of surviving facts, those that a caller wrote by hand, and those that a
surviving episode contains verbatim. Everything else is assumed to come from what was erased.
"""

from collections.abc import Sequence

from recollect.graph import summary
from recollect.store import index, rows
from recollect.store.protocol import Transaction
from recollect.store.queries.facts import FactsAroundRow
from recollect.store.queries.shapes import EntityRow


def describe_again(
    tx: Transaction,
    entity_ids: Sequence[int],
    also: Sequence[int] = (),
    changed: Sequence[int] = (),
) -> int:
    """Rebuild the summaries of entities, and their index rows, from what is left.

    *also*: facts that were reopened and should be mentioned. *changed*: entities whose names changed, so
    that they must be reindexed. Returns how many summaries changed.
    """
    listed = rows.to_json(list(entity_ids))
    entities = tx.entities.by_ids(ids=listed)
    facts: dict[int, list[FactsAroundRow]] = {}
    for fact in tx.facts.around(ids=listed):
        facts.setdefault(fact.entity_id, []).append(fact)
    drafts = [(row, _Draft(row, facts.get(row.id, []))) for row in entities]
    borne = _borne(tx, [(row.id, text) for row, draft in drafts for text in draft.others])
    new = {}
    for row, draft in drafts:
        text = draft.text({text for number, text in borne if number == row.id}, set(also), tx)
        if text != row.summary:
            new[row.id] = text
    if new:
        tx.entities.set_summaries(pairs=rows.to_json(list(new.items())))
    for row in entities:
        if row.id in new or row.id in changed:
            text = new.get(row.id, row.summary)
            index.put(tx, row.graph_id, [index.entity_item(row.id, row.name, text)])
    return len(new)


class _Draft:
    """A summary split into the facts it mentions and its other sentences."""

    def __init__(self, row: EntityRow, facts: Sequence[FactsAroundRow]) -> None:
        self._given = (rows.from_json(row.given) or {}).get("summary") or ""
        self._facts = facts
        self._told, self.others = summary.taken_apart(row.summary, [fact.fact for fact in facts])

    def text(self, borne: set[str], also: set[int], tx: Transaction) -> str:
        """The new summary; *borne* are the other sentences that a surviving episode contains."""
        kept = [text for text in self.others if text in borne or text in self._given]
        told = set(self._told)
        # A summary given by a caller replaced the facts; without it they are mentioned again.
        anew = bool(self.others) and not kept
        if anew or also:
            now = rows.micros(tx.now)
            told |= {
                place
                for place, fact in enumerate(self._facts)
                if (anew or fact.id in also) and (fact.invalid_at is None or fact.invalid_at > now)
            }
        return summary.composed(kept, [self._facts[place].fact for place in sorted(told)])


def _borne(tx: Transaction, pairs: Sequence[tuple[int, str]]) -> set[tuple[int, str]]:
    if not pairs:
        return set()
    found = tx.graphs.texts_bearing(pairs=rows.to_json(list(pairs)), among=None)
    return {pairs[place] for place in found}
