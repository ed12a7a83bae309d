"""Facts from fields: the sentence, relation, slot and time of each."""

from collections.abc import Mapping, Sequence
from datetime import datetime

import msgspec

from recollect.extract.brief import Brief
from recollect.extract.documents import wording
from recollect.extract.documents.findings import DocumentFindings, FactRank
from recollect.extract.documents.identity import (
    Reference,
    Referent,
    is_user,
    referenced_entity,
    text_of,
    the_user,
)
from recollect.extract.documents.json_tree import JsonScalar, Node, Span
from recollect.extract.documents.keys import KeyRelation, relation_name, singular, table
from recollect.extract.documents.times import ObjectTimes
from recollect.extract.documents.wording import PathStep
from recollect.graph import predicates
from recollect.graph.found import FoundEntity, FoundFact
from recollect.graph.types import Record

_NAME_CHARS_MAX = 80
_SAID = {
    "is": ("is {}", "is not {}"),
    "has": ("has {}", "does not have {}"),
    "can": ("can {}", "can not {}"),
}


class Owner(Record):
    """The entity that a part of a document is about. *path* leads from the entity to that part;
    *moment* is when the part was true, if it says so."""

    named: Referent
    path: tuple[PathStep, ...] = ()
    period: ObjectTimes = ObjectTimes()
    moment: datetime | None = None
    depth: int = 0
    record: bool = False
    made: bool = False
    spoken: tuple[str, ...] = ()

    def part(self, step: PathStep, period: ObjectTimes) -> "Owner":
        """The same entity, one key further down."""
        timed = bool(period.spoken or period.parts)
        return msgspec.structs.replace(
            self,
            path=(*self.path, step),
            period=period if timed else self.period,
            moment=state_time(period, self.named.noun) or self.moment,
            depth=self.depth + 1,
        )


class FactValidity(Record):
    """When a fact holds; *dated*: by the document itself."""

    valid_at: datetime | None
    invalid_at: datetime | None = None
    dated: bool = False


def is_record(period: ObjectTimes, noun: str) -> bool:
    """Whether an object records something that happened once."""
    return period.happened is not None or (
        period.created is not None and noun in table().times.unchanging
    )


def state_time(period: ObjectTimes, noun: str) -> datetime | None:
    """When the state described by an object was true."""
    if period.happened is not None:
        return period.happened.at
    if period.created is not None and noun in table().times.unchanging:
        return period.created.at
    return period.seen


def validity_of(owner: Owner, key: str, relation: KeyRelation | None, at: datetime) -> FactValidity:
    """The validity of a fact under *key*. Without a time in the document it holds as of *at*."""
    begin, end = _bounds(owner, key, relation)
    start = begin or owner.moment
    if end is not None and start is not None and end <= start:
        end = None
    if start is None and end is not None and end <= at:
        return FactValidity(valid_at=None, invalid_at=end, dated=True)
    if start is None:
        return FactValidity(valid_at=at, invalid_at=end)
    return FactValidity(valid_at=start, invalid_at=end, dated=True)


def _bounds(
    owner: Owner, key: str, relation: KeyRelation | None
) -> tuple[datetime | None, datetime | None]:
    for part in owner.period.parts:
        if key == part.prefix or key.startswith(f"{part.prefix}_"):
            return part.begin, part.end
    career = any(step.key in table().envelopes.careers for step in owner.path)
    # The start date in a person's record is the start of a job, not of, say, their age.
    if owner.named.kind == "person" and not career and not (relation and relation.term):
        return None, None
    return owner.period.begin, owner.period.end


class Facts:
    """Makes the facts of one document and adds them to its findings."""

    def __init__(self, reading: Brief, findings: DocumentFindings) -> None:
        self._reading = reading
        self._findings = findings

    def place(self, named: Referent) -> int:
        """The position of an entity among the findings."""
        return self._findings.entity(named.entity)

    def keep(self, fact: FoundFact, owner: Owner, key: str) -> None:
        """Add a fact, ranked by its key."""
        late = set(key.split("_")) & set(table().ignored.last_words)
        joins = fact.source != fact.target or fact.name == "HAS_STATUS"
        weight: FactRank = 2 if late else 0 if joins else 1
        self._findings.fact(fact, weight, owner.depth)

    def value(
        self, key: str, node: JsonScalar, owner: Owner, fields: Mapping[str, Node], *, listed: bool
    ) -> FoundFact:
        """The fact for a leaf; *listed*: it is one of several under its key."""
        if node.kind == "truth" and not listed:
            return self._truth(key, node, owner)
        value = wording.shortened(node.text)
        relation = self._relation(key, owner)
        text = said(owner, relation, key, value, listed=listed)
        if (reason := _reason(key, fields)) is not None:
            text += f" ({reason})"
        target = self._target(value, relation)
        return self._fact(
            owner,
            key,
            self.place(owner.named) if target is None else self.place(target),
            text=text,
            name=_name(owner, key, relation, listed=listed),
            which=value if listed else None,
            relation=relation,
            span=node.span,
        )

    def join(self, owner: Owner, inner: Owner, key: str, *, listed: bool) -> None:
        """Add the fact that joins an entity to the one around it."""
        noun, other = singular(key), inner.named
        relation = self._relation(key, owner)
        if not (relation and relation.say) and _speaks_for_itself(other, noun):
            text = f"{owner.named.subject} has the {_without(other.label, owner.named.label)}"
        else:
            text = said(owner, relation, key, other.label, listed=listed)
        timed = inner if inner.record else owner
        fact = self._fact(
            msgspec.structs.replace(owner, period=timed.period, moment=timed.moment),
            key,
            self.place(other),
            text=text,
            name=_name(owner, key, relation, listed=listed),
            which=other.entity.name if listed else None,
            relation=relation,
        )
        self._findings.fact(fact, 0, owner.depth)

    def refer(self, owner: Owner, reference: Reference) -> None:
        """Add the fact that an entity refers to another one by its id alone."""
        value = text_of(reference.value) or ""
        other = referenced_entity(reference.noun, value, self._reading.user)
        if self.place(other) == self.place(owner.named):
            return
        keys = table().identity
        party = other.entity.who or reference.noun in (*keys.persons, *keys.belongings)
        if other.mine:
            self.belong(other, owner.depth)
        if owner.record and party:
            around = Owner(named=other, depth=owner.depth)
            self.join(around, owner, owner.named.noun or "record", listed=True)
            return
        fact = self._fact(
            owner,
            reference.noun,
            self.place(other),
            text=said(owner, None, reference.noun, other.label, listed=False),
            name=_name(owner, reference.noun, None, listed=False),
            span=reference.value.span,
        )
        self._findings.fact(fact, 0, owner.depth)

    def belong(self, named: Referent, depth: int) -> None:
        """Add the fact that an object with the user's id belongs to the user."""
        if self._reading.user is None:
            return
        user = Owner(named=the_user(self._reading.user), depth=depth)
        text = f"{user.named.label} has the {named.entity.name}"
        name = relation_name(named.noun)
        fact = self._fact(user, named.noun, self.place(named), text=text, name=name)
        self._findings.fact(fact, 0, depth)

    def happened(self, owner: Owner) -> None:
        """Add the fact that says when an object was created, if the object says so."""
        period, label = owner.period, owner.named.subject
        if owner.named.kind == "person":
            label = f"The record of {label}"
        if owner.made or owner.path or owner.named.anonymous:
            return
        if period.created is not None:
            text = f"{label} was created on {period.created.text}"
            fact = self._fact(owner, "created_at", None, text=text, name="WAS_CREATED")
            made = msgspec.structs.replace(
                fact, valid_at=period.created.at, invalid_at=None, dated=True
            )
            self._findings.fact(made, 2, owner.depth)

    def take_part(self, voice: FoundEntity, owner: Owner, at: datetime | None) -> None:
        """Add the fact that someone takes part in an entity's conversation."""
        speaker = Owner(
            named=Referent(entity=voice, label=voice.name), moment=at, depth=owner.depth
        )
        name = wording.opened(voice.name)  # it may be a role, such as "support agent"
        text = f"{name} takes part in {wording.determined(owner.named.label)}"
        fact = self._fact(speaker, "", self.place(owner.named), text=text, name="PARTICIPATES_IN")
        self._findings.fact(msgspec.structs.replace(fact, slot=None), 0, owner.depth)

    def _truth(self, key: str, node: JsonScalar, owner: Owner) -> FoundFact:
        """A boolean: "is_active" is a statement about the owner, other keys are settings."""
        holding = node.text == "true"
        verb, _, rest = key.partition("_")
        label = owner.named.subject
        if verb not in _SAID or not rest or owner.named.anonymous:
            words = wording.phrase((*owner.path, PathStep(key=key)), owner.named.noun)
            text = f"{label} has {words} set to {node.text}"
            if owner.named.anonymous:
                text = wording.noted(owner.named.label, words, node.text)
            name = _name(owner, key, None, listed=False)
            return self._fact(owner, key, None, text=text, name=name, span=node.span)
        text = f"{label} {_SAID[verb][0 if holding else 1].format(wording.spaced(rest))}"
        name = relation_name(rest, f"{verb.upper()}_")
        shown = name if holding else name.replace("_", "_NOT_", 1)
        fact = self._fact(owner, key, None, text=text, name=shown, span=node.span)
        return msgspec.structs.replace(fact, predicate=name, negated=not holding)

    def _relation(self, key: str, owner: Owner) -> KeyRelation | None:
        envelopes = table().envelopes
        near = all(step.key in (*envelopes.neutral, *envelopes.careers) for step in owner.path)
        kind = owner.named.kind if near and not owner.named.anonymous else None
        career = any(step.key in envelopes.careers for step in owner.path)
        return table().relation_of(key, kind, career=career)

    def _target(self, value: str, relation: KeyRelation | None) -> Referent | None:
        """The entity that a value names; None if it names none."""
        user = self._reading.user
        person = (relation is not None and relation.kind == "person") or "@" in value
        if user is not None and person and is_user(value, user):
            return the_user(user)
        if relation is None or relation.kind is None or not _is_name(value):
            return None
        return Referent(entity=FoundEntity(name=value, kind=relation.kind), label=value)

    def _fact(
        self,
        owner: Owner,
        key: str,
        target: int | None,
        *,
        text: str,
        name: str,
        which: str | None = None,
        relation: KeyRelation | None = None,
        span: Span | None = None,
    ) -> FoundFact:
        source = self.place(owner.named)
        time = validity_of(owner, key, relation, self._reading.at)
        return FoundFact(
            source=source,
            target=source if target is None else target,
            name=name,
            predicate=name,
            fact=text,
            valid_at=time.valid_at,
            invalid_at=time.invalid_at,
            dated=time.dated,
            slot=wording.slot((*owner.path, PathStep(key=key, which=which))),
            span=span,
        )


def said(owner: Owner, relation: KeyRelation | None, key: str, value: str, *, listed: bool) -> str:
    """The sentence for a value under a key of an owner."""
    named = owner.named
    words = wording.phrase((*owner.path, PathStep(key=key)), named.noun)
    if named.anonymous:
        what = f"one of the {words}" if listed else words
        return wording.noted(named.label, what, value)
    if relation is not None and relation.say:
        return relation.say.format(owner=named.subject, value=value, key=words)
    person = named.kind in ("person", "animal")
    if listed:
        return wording.one_of(named.label, words, value, person=person)
    return wording.has(named.label, words, value, person=person)


def _name(owner: Owner, key: str, relation: KeyRelation | None, *, listed: bool) -> str:
    known = relation.name if relation else None
    if known is not None and not (listed and predicates.load()[known].single):
        return known
    keys = (step.key if step.which is None else singular(step.key) for step in owner.path)
    steps = (*(PathStep(key=step) for step in keys), PathStep(key=key))
    parts: Sequence[str] = wording.segments(steps, owner.named.noun)[-2:]
    plain = wording.joined(" ".join(parts))
    one = relation_name(singular(plain))
    # One of several addresses is not the one address that an entity has at a time.
    return one if listed and not predicates.load()[one].single else relation_name(plain)


def _speaks_for_itself(named: Referent, noun: str) -> bool:
    """Whether a label begins with its noun: "account 17"."""
    label = named.entity.name if named.mine else named.label
    return label.startswith(f"{wording.spaced(noun)} ")


def _without(label: str, other: str) -> str:
    """A label without the owner's, which precedes it in the sentence."""
    return label.replace(f" for {other}", "", 1).replace(f" of {other}", "", 1)


def _is_name(value: str) -> bool:
    return len(value) <= _NAME_CHARS_MAX and "://" not in value and not value.isdigit()


def _reason(key: str, fields: Mapping[str, Node]) -> str | None:
    """The reason for a status, if another field gives it."""
    if key not in ("status", "state"):
        return None
    for other, node in fields.items():
        why = other == "reason" or other.endswith("_reason")
        if (
            why
            and isinstance(node, JsonScalar)
            and node.kind == "text"
            and wording.plain(node.text)
        ):
            return f"{wording.spaced(other)}: {wording.shortened(node.text)}"
    return None
