"""The facts an episode touches, and how they change as its own facts are entered one by one."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime

import msgspec

from recollect.graph import judged, supersede
from recollect.graph.delta import (
    ClosedFact,
    Closing,
    KnownEntity,
    KnownFact,
    NewDoubt,
    NewFact,
    Support,
    SupportRole,
)
from recollect.graph.found import Found, FoundFact, Judgement
from recollect.graph.gist import gist
from recollect.graph.judged import BY_ITSELF, Judged
from recollect.graph.needs import predicate_of
from recollect.graph.predicates import Predicates
from recollect.graph.supersede import Assertion, Contradiction, Restatement

NewId = Callable[[int], str]
_Word = tuple[str, float | None]  # who decided that a fact ends, and how sure they were
_TABLE: _Word = ("table", None)
_ITSELF: _Word = ("episode", None)


class Ledger:
    """The known facts that matter here, and those of the episode as they are entered."""

    def __init__(
        self,
        known: Iterable[KnownFact],
        entities: Mapping[str, KnownEntity],
        *,
        now: datetime,
        at: datetime,
        new_id: NewId,
        predicates: Predicates,
    ) -> None:
        self._before = {
            item.uuid: item for item in sorted(known, key=lambda f: (f.created_at, f.uuid))
        }
        self._facts = dict(self._before)
        self._numbers: dict[str, int] = {}
        self._first_place = 0
        self._wishes = set[str]()
        self._values = set[tuple[str, str | None, str]]()
        self._supports: dict[str, Support] = {}
        self.closings: list[Closing] = []
        self._doubts: list[NewDoubt] = []
        self._judged = Judged(Found(), {})
        self._now = now
        self._at = at
        self._new_id = new_id
        self._predicates = predicates
        self._contradiction = Contradiction(predicates, entities)
        self._restatement = Restatement(predicates, entities, self._contradiction)

    def enter_all(self, found: Found, uuids: Sequence[str]) -> None:
        """Enter all facts of an episode; *uuids* are those of its entities.

        Facts that end something come last, so that "sold the car" also ends an ownership stated in the
        same sentence.
        """

        self._judged = Judged(found, self._before)
        self._first_place = len(found.entities)
        drafts = [self._draft(fact, uuids) for fact in found.facts]
        self._values = {supersede.slot_value(draft) for draft in drafts if draft.slot is not None}
        for number in sorted(
            range(len(drafts)), key=lambda n: self._contradiction.ending(drafts[n])
        ):
            self._enter(number, found.facts[number], drafts[number])
        self._end_judged(found)
        for uuid, fact in list(self._facts.items()):
            if fact.invalid_at is not None and fact != self._before.get(uuid):
                self._end_carried(fact, fact.invalid_at)

    def _enter(self, number: int, fact: FoundFact, draft: KnownFact) -> None:
        claim = Assertion(fact=draft, corrects=fact.corrects, dated=fact.dated)
        verdicts = self._judged.by(fact)
        old = judged.restated(verdicts, draft, self._facts) or self._restatement.find(
            claim, judged.unjudged(self._facts.values(), verdicts)
        )
        if old is not None:
            self._restate(old, draft, fact)
            self._close_judged(msgspec.structs.replace(draft, uuid=old.uuid), verdicts, fact)
            return
        new = msgspec.structs.replace(draft, uuid=self._uuid(number, fact))
        claim = msgspec.structs.replace(claim, fact=new)
        self._close_judged(new, verdicts, fact)
        self._close_others(claim, fact, verdicts)
        others = [one for one in self._facts.values() if not self._stands(new, one, verdicts)]
        later = [] if new.took_place else supersede.later_than(claim, others, self._contradiction)
        self._facts[new.uuid] = supersede.born_closed(new, [end for _, end in later], self._now)
        self._note_ends(new, later)
        self._numbers[new.uuid] = number
        if fact.mood == "requested":
            self._wishes.add(new.uuid)
        self._support(new.uuid, "states", fact)
        self._doubt(new, fact)

    def _doubt(self, new: KnownFact, fact: FoundFact) -> None:
        """Note what may be over because of a new fact, unless someone undid that by hand."""
        for uuid, one in self._judged.doubted(fact).items():
            if uuid != new.uuid and not judged.is_kept(self._facts[uuid], new):
                word = one.by or self._judged.reader
                self._doubts.append(NewDoubt(fact=uuid, by=new.uuid, judge=word, sure=one.sure))

    def _note_ends(self, new: KnownFact, later: Sequence[tuple[KnownFact, datetime]]) -> None:
        """Record what ends a new fact: its own episode, or a fact that holds later."""
        if new.invalid_at is not None or new.expired_at is not None:
            self._note(new, None, _ITSELF)
        for other, end in later:
            self._note(supersede.closed(_endless(new), end, self._now), other.uuid, ours=False)

    def _note(
        self, ended: KnownFact, by: str | None, word: _Word = _TABLE, *, ours: bool = True
    ) -> None:
        self.closings.append(
            Closing(
                fact=ended.uuid,
                by=by,
                ended_at=ended.invalid_at,
                expired_at=ended.expired_at,
                ours=ours,
                judge=word[0],
                sure=word[1],
            )
        )

    def _draft(self, fact: FoundFact, uuids: Sequence[str]) -> KnownFact:
        # The value of a slot is what a document says now; without a time it could not be ordered.
        begin = fact.valid_at or (self._at if fact.slot is not None else None)
        end = fact.invalid_at
        if end is not None and begin is not None and end < begin:
            end = None  # an end before the beginning is not believed
        over = end is not None and end <= self._now
        return KnownFact(
            uuid="",
            source=uuids[fact.source],
            target=uuids[fact.target],
            name=fact.name,
            predicate=predicate_of(fact, self._predicates).name,
            fact=fact.fact,
            gist=gist(fact.fact),
            negated=fact.negated,
            ends=fact.ends,
            slot=fact.slot,
            valid_at=begin,
            invalid_at=end,
            created_at=self._now,
            expired_at=fact.expired_at or (self._now if over else None),
            attributes=fact.attributes,
            said_at=self._at,
            event_at=fact.event_at,
        )

    def _uuid(self, number: int, fact: FoundFact) -> str:
        wanted = fact.uuid
        if wanted is not None and wanted not in self._facts:
            return wanted
        return self._new_id(self._first_place + number)

    def _restate(self, old: KnownFact, new: KnownFact, fact: FoundFact) -> None:
        """Add the episode to a known fact. Its times stay, unless the episode states an end it lacked."""
        end = None if old.took_place or judged.is_kept(old, new) else new.invalid_at
        if end is not None:
            ended = supersede.closed(_endless(old), end, self._now)
            self._note(ended, None, _ITSELF)
        if old.invalid_at is None and end is not None:
            self._facts[old.uuid] = supersede.closed(old, end, self._now)
            self._support(old.uuid, "closes", fact)
        else:
            self._support(old.uuid, "restates", fact)

    def _stands(self, new: KnownFact, old: KnownFact, verdicts: Mapping[str, Judgement]) -> bool:
        """Whether the reader has settled this pair, so that the table of relations is not asked.

        It saw the old fact and gave a verdict, or let it stand, or wrote both facts. A new value in a
        document's slot replaces the old one regardless.
        """
        if old.uuid in verdicts:
            return True
        wrote_both = self._judged.weighs and old.uuid in self._numbers
        settled = wrote_both or self._judged.saw(old.uuid)
        return settled and not supersede.is_other_value(new, old)

    def _close_judged(
        self, new: KnownFact, verdicts: Mapping[str, Judgement], fact: FoundFact
    ) -> None:
        """Close what the reader says is over."""
        for uuid, one in verdicts.items():
            old = self._facts[uuid]
            end = judged.end_of(old, new, one, self._at)
            if end is not None and uuid != new.uuid and not judged.is_kept(old, new):
                self._end(old, end, new.uuid, fact, (one.by or self._judged.reader, one.sure))

    def _end_judged(self, found: Found) -> None:
        """Close what the episode as a whole is said to end, as of its own time."""
        for uuid, one in self._judged.by(found).items():
            old = self._facts[uuid]
            if BY_ITSELF in old.kept_against or old.took_place:
                continue
            if not judged.is_over(old, self._at):
                ended = supersede.closed(_endless(old), self._at, self._now)
                self._note(ended, None, (one.by or self._judged.reader, one.sure))
                self._facts[uuid] = supersede.closed(old, self._at, self._now)
                self._support(uuid, "closes", Support(fact=uuid, role="closes"))

    def _close_others(
        self, claim: Assertion, fact: FoundFact, verdicts: Mapping[str, Judgement]
    ) -> None:
        for old in list(self._facts.values()):
            if self._stands(claim.fact, old, verdicts) or judged.is_kept(old, claim.fact):
                continue
            if old.took_place and not claim.corrects:
                continue
            # A list is a slot with several values: those that it still has are not replaced.
            kept = old.slot is not None and supersede.slot_value(old) in self._values
            together = kept or old.uuid in self._numbers
            force = self._contradiction.force(
                claim.fact, old, corrects=claim.corrects, together=together
            )
            if force is None:
                continue
            end = supersede.end_by(
                claim, old, force, self._contradiction, at=self._at, together=together
            )
            if end is not None:
                self._end(old, end, claim.fact.uuid, fact)

    def _end(
        self, old: KnownFact, end: datetime, by: str, fact: FoundFact, word: _Word = _TABLE
    ) -> None:
        after, ended = (supersede.closed(fact_, end, self._now) for fact_ in (old, _endless(old)))
        self._note(ended, by, word)
        if after != old:
            self._facts[old.uuid] = after
            self._support(old.uuid, "closes", fact)

    def _end_carried(self, carrier: KnownFact, end: datetime) -> None:
        """When a job ends, so does the title stated by the same sentence.

        The same words with another beginning are another statement and stay.
        """
        carried = self._predicates[carrier.predicate].carries
        for other in list(self._facts.values()) if carried else ():
            if other.predicate not in carried or _telling(other) != _telling(carrier):
                continue
            if self._is_kept(other, carrier):
                continue
            after = supersede.closed(other, end, self._now)
            if after != other:
                self._facts[other.uuid] = after
                self._support(other.uuid, "closes", self._supports[carrier.uuid])
                self._note_carried(carrier, other)

    def _note_carried(self, carrier: KnownFact, other: KnownFact) -> None:
        for held in [one for one in self.closings if one.fact == carrier.uuid]:
            if held.ended_at is not None:
                ended = supersede.closed(_endless(other), held.ended_at, self._now)
                self._note(ended, held.by, (held.judge, held.sure), ours=held.ours)

    def _is_kept(self, other: KnownFact, carrier: KnownFact) -> bool:
        """Whether someone said by hand that what ended the carrier does not end the other."""
        closers = (one.by for one in self.closings if one.fact == carrier.uuid)
        return any(judged.is_kept(other, self._facts[by]) for by in closers if by is not None)

    def _support(self, uuid: str, role: SupportRole, given: FoundFact | Support) -> None:
        """Record one support per fact; stating outranks closing, closing outranks restating."""
        held = self._supports.get(uuid)
        if held is None or (held.role, role) == ("restates", "closes"):
            self._supports[uuid] = Support(fact=uuid, role=role, span=given.span, cites=given.cites)
        elif role != "closes":
            cites = tuple(dict.fromkeys((*held.cites, *given.cites)))
            self._supports[uuid] = msgspec.structs.replace(held, cites=cites)

    def new_facts(self, found: Found) -> Iterator[NewFact]:
        """The facts to add, in the order they were found."""
        for uuid, number in sorted(self._numbers.items(), key=lambda item: item[1]):
            given = found.facts[number]
            fields = msgspec.structs.asdict(self._facts[uuid])
            yield NewFact(**fields, found=number, rating=given.rating, confidence=given.confidence)

    def closed_facts(self) -> Iterator[ClosedFact]:
        """The known facts that were closed."""
        for uuid, before in self._before.items():
            after = self._facts[uuid]
            if after.invalid_at is not None and after != before:
                yield ClosedFact(
                    uuid=uuid, invalid_at=after.invalid_at, expired_at=after.expired_at
                )

    def doubts(self) -> Iterator[NewDoubt]:
        """The doubts about facts that still hold and were not restated."""
        for one in self._doubts:
            said_again = one.fact in self._supports and self._supports[one.fact].role != "closes"
            if self._facts[one.fact].invalid_at is None and not said_again:
                yield one

    def supports(self) -> Iterator[Support]:
        """What the episode supports, known facts first."""
        return (self._supports[uuid] for uuid in self._facts if uuid in self._supports)

    def news(self) -> dict[str, tuple[list[str], list[str]]]:
        """For each entity, the sentences of new facts that hold, and of facts that are now over."""
        found: dict[str, tuple[list[str], list[str]]] = {}
        for uuid, fact in self._facts.items():
            if self._says_something(uuid):
                for entity in dict.fromkeys((fact.source, fact.target)):
                    said, gone = found.setdefault(entity, ([], []))
                    (said if uuid in self._numbers else gone).append(fact.fact)
        return found

    def _says_something(self, uuid: str) -> bool:
        end = self._facts[uuid].invalid_at
        over = end is not None and end <= self._now
        if uuid in self._numbers:
            return not over and uuid not in self._wishes
        return over and self._facts[uuid] != self._before[uuid]


def _telling(fact: KnownFact) -> tuple[str, str, datetime | None]:
    """The subject of a fact, its gist, and since when it holds."""
    return (fact.source, fact.gist, fact.valid_at)


def _endless(fact: KnownFact) -> KnownFact:
    """*fact* without its end."""
    return msgspec.structs.replace(fact, invalid_at=None, expired_at=None)
