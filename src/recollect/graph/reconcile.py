"""Decide what an episode changes: same entity or new, same fact or new, what closes and when.

The middle of the path of an episode, pure from one end to the other. The caller loads what
`needs.py` asks for, calls `reconcile` and writes the delta. The rules are elsewhere: who is who in
`resolve.py` and `merge.py`, what says nothing new in `restate.py`, what contradicts what and when
it ends in `supersede.py`, summaries in `summary.py`.
"""

from collections.abc import Iterator
from datetime import datetime

import msgspec

from recollect.graph import merge, summary
from recollect.graph.delta import ChangedEntity, Delta, Known, KnownEntity
from recollect.graph.found import Found, FoundEntity
from recollect.graph.ledger import Ledger, NewId
from recollect.graph.predicates import Predicates
from recollect.graph.resolve import Resolved, resolve


def reconcile(
    known: Known,
    found: Found,
    *,
    now: datetime,
    at: datetime,
    new_id: NewId,
    predicates: Predicates,
    resolved: Resolved | None = None,
) -> Delta:
    """What the graph has to change so that it knows what was found. Pure: no I/O, no clock.

    *now* is when we learn it; *at* is the episode's own time. *new_id* gives the uuid of what is new
    at a place: entities are counted first, then facts. *resolved* is the answer of
    `resolve(known.entities, found)` when the caller has it already.
    """
    resolved = resolved or resolve(known.entities, found)
    people = _Entities(known, found, resolved, new_id)
    ledger = Ledger(known.facts, people.now, now=now, at=at, new_id=new_id, predicates=predicates)
    ledger.enter_all(found, people.of)
    people.summarise(ledger)
    return Delta(
        new_entities=tuple(map(merge.as_new, people.new())),
        changed_entities=tuple(people.changed()),
        new_facts=tuple(ledger.new_facts(found)),
        closed_facts=tuple(ledger.closed_facts()),
        closings=tuple(ledger.closings),
        doubts=tuple(ledger.doubts()),
        supports=tuple(ledger.supports()),
        mentions=tuple(dict.fromkeys(people.of)),
    )


class _Entities:
    """The entities of the episode as they stand from now on; *of* has the uuid of each found."""

    def __init__(self, known: Known, found: Found, resolved: Resolved, new_id: NewId) -> None:
        self._before = {item.uuid: item for item in known.entities}
        self.now = dict(self._before)
        self._given = set[str]()
        groups: dict[int, list[FoundEntity]] = {}
        for group, item in zip(resolved.groups, found.entities, strict=True):
            groups.setdefault(group, []).append(item)
        old = dict(zip(resolved.groups, resolved.known, strict=True))
        uuids: dict[int, str] = {}
        for group, items in groups.items():
            uuid = old[group]
            if uuid is None:
                asked = next((item.uuid for item in items if item.uuid), None)
                uuid = asked or new_id(resolved.groups.index(group))
                entity = merge.born(uuid, items, self.now.values())
            else:
                entity = merge.merged(self.now[uuid], items, self.now.values())
            self.now[uuid] = entity
            uuids[group] = uuid
            if any(item.summary for item in items):
                self._given.add(uuid)
        self.of = [uuids[group] for group in resolved.groups]

    def summarise(self, ledger: Ledger) -> None:
        """Let the summaries follow the facts, but for those that a caller gave just now."""
        for uuid, (said, gone) in ledger.news().items():
            # One that is not loaded stays as it is.
            if uuid in self.now and uuid not in self._given:
                text = summary.grow(self.now[uuid].summary, said, gone)
                self.now[uuid] = msgspec.structs.replace(self.now[uuid], summary=text)

    def new(self) -> Iterator[KnownEntity]:
        """Those to be added, in the order of their uuids' making."""
        return (item for uuid, item in self.now.items() if uuid not in self._before)

    def changed(self) -> Iterator[ChangedEntity]:
        """Those of the graph that are not what they were."""
        for uuid, before in sorted(self._before.items()):
            after = self.now[uuid]
            changed = None if after is before else merge.as_changed(before, after)
            if changed is not None:
                yield changed
