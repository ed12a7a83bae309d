"""Facts out of fields: the sentence, the relation, the slot and the time of each."""

from collections.abc import Mapping, Sequence
from datetime import datetime

import msgspec

from recollect.extract.brief import Brief
from recollect.extract.documents import wording
from recollect.extract.documents.gather import Gather, Weight
from recollect.extract.documents.keys import Relation, relation_name, singular, table
from recollect.extract.documents.named import Named, is_user, text_of, the_user
from recollect.extract.documents.owner import Owner, holds
from recollect.extract.documents.references import Reference, referred
from recollect.extract.documents.scan import Node, Scalar, Span
from recollect.extract.documents.wording import Step
from recollect.graph import predicates
from recollect.graph.found import FoundEntity, FoundFact

_NAME_CHARS_MAX = 80
_SAID = {
    "is": ("is {}", "is not {}"),
    "has": ("has {}", "does not have {}"),
    "can": ("can {}", "can not {}"),
}


class Facts:
    """Makes the facts of one document and puts them where they are gathered."""

    def __init__(self, reading: Brief, gather: Gather) -> None:
        self._reading = reading
        self._gather = gather

    def place(self, named: Named) -> int:
        """The position of a thing among those found."""
        return self._gather.entity(named.entity)

    def keep(self, fact: FoundFact, owner: Owner, key: str) -> None:
        """Gather a fact with the weight that its key has."""
        late = set(key.split("_")) & set(table().ignored.last_words)
        joins = fact.source != fact.target or fact.name == "HAS_STATUS"
        weight: Weight = 2 if late else 0 if joins else 1
        self._gather.fact(fact, weight, owner.depth)

    def value(
        self, key: str, node: Scalar, owner: Owner, fields: Mapping[str, Node], *, listed: bool
    ) -> FoundFact:
        """The fact that a leaf is; *listed*: it is one of several under its key."""
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
        """Gather the fact that joins a thing to the one around it."""
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
        self._gather.fact(fact, 0, owner.depth)

    def refer(self, owner: Owner, reference: Reference) -> None:
        """Gather the fact that a thing has another one, of which only the id is given."""
        value = text_of(reference.value) or ""
        other = referred(reference.noun, value, self._reading.user)
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
        self._gather.fact(fact, 0, owner.depth)

    def belong(self, named: Named, depth: int) -> None:
        """Gather that the user has what carries the user's id."""
        if self._reading.user is None:
            return
        user = Owner(named=the_user(self._reading.user), depth=depth)
        text = f"{user.named.label} has the {named.entity.name}"
        name = relation_name(named.noun)
        fact = self._fact(user, named.noun, self.place(named), text=text, name=name)
        self._gather.fact(fact, 0, depth)

    def happened(self, owner: Owner) -> None:
        """Gather when something was, for objects that say it of themselves."""
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
            self._gather.fact(made, 2, owner.depth)

    def take_part(self, voice: FoundEntity, owner: Owner, at: datetime | None) -> None:
        """Gather that someone speaks in the conversation that a thing holds."""
        speaker = Owner(named=Named(entity=voice, label=voice.name), moment=at, depth=owner.depth)
        name = wording.opened(voice.name)  # a role such as "support agent" is no name
        text = f"{name} takes part in {wording.determined(owner.named.label)}"
        fact = self._fact(speaker, "", self.place(owner.named), text=text, name="PARTICIPATES_IN")
        self._gather.fact(msgspec.structs.replace(fact, slot=None), 0, owner.depth)

    def _truth(self, key: str, node: Scalar, owner: Owner) -> FoundFact:
        """True or false: "is_active" is said of the owner, other keys are settings."""
        holding = node.text == "true"
        verb, _, rest = key.partition("_")
        label = owner.named.subject
        if verb not in _SAID or not rest or owner.named.anonymous:
            words = wording.phrase((*owner.path, Step(key=key)), owner.named.noun)
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

    def _relation(self, key: str, owner: Owner) -> Relation | None:
        envelopes = table().envelopes
        near = all(step.key in (*envelopes.neutral, *envelopes.careers) for step in owner.path)
        kind = owner.named.kind if near and not owner.named.anonymous else None
        career = any(step.key in envelopes.careers for step in owner.path)
        return table().relation_of(key, kind, career=career)

    def _target(self, value: str, relation: Relation | None) -> Named | None:
        """The thing that a value names; None for a mere value."""
        user = self._reading.user
        person = (relation is not None and relation.kind == "person") or "@" in value
        if user is not None and person and is_user(value, user):
            return the_user(user)
        if relation is None or relation.kind is None or not _is_name(value):
            return None
        return Named(entity=FoundEntity(name=value, kind=relation.kind), label=value)

    def _fact(
        self,
        owner: Owner,
        key: str,
        target: int | None,
        *,
        text: str,
        name: str,
        which: str | None = None,
        relation: Relation | None = None,
        span: Span | None = None,
    ) -> FoundFact:
        source = self.place(owner.named)
        time = holds(owner, key, relation, self._reading.at)
        return FoundFact(
            source=source,
            target=source if target is None else target,
            name=name,
            predicate=name,
            fact=text,
            valid_at=time.valid_at,
            invalid_at=time.invalid_at,
            dated=time.dated,
            slot=wording.slot((*owner.path, Step(key=key, which=which))),
            span=span,
        )


def said(owner: Owner, relation: Relation | None, key: str, value: str, *, listed: bool) -> str:
    """The sentence for a value under a key of an owner."""
    named = owner.named
    words = wording.phrase((*owner.path, Step(key=key)), named.noun)
    if named.anonymous:
        what = f"one of the {words}" if listed else words
        return wording.noted(named.label, what, value)
    if relation is not None and relation.say:
        return relation.say.format(owner=named.subject, value=value, key=words)
    person = named.kind in ("person", "animal")
    if listed:
        return wording.one_of(named.label, words, value, person=person)
    return wording.has(named.label, words, value, person=person)


def _name(owner: Owner, key: str, relation: Relation | None, *, listed: bool) -> str:
    known = relation.name if relation else None
    if known is not None and not (listed and predicates.load()[known].single):
        return known
    keys = (step.key if step.which is None else singular(step.key) for step in owner.path)
    steps = (*(Step(key=step) for step in keys), Step(key=key))
    parts: Sequence[str] = wording.segments(steps, owner.named.noun)[-2:]
    plain = wording.joined(" ".join(parts))
    one = relation_name(singular(plain))
    # Of several addresses none is the address that an entity has one of at a time.
    return one if listed and not predicates.load()[one].single else relation_name(plain)


def _speaks_for_itself(named: Named, noun: str) -> bool:
    """Whether a label begins with the word for what it is: "account 17"."""
    label = named.entity.name if named.mine else named.label
    return label.startswith(f"{wording.spaced(noun)} ")


def _without(label: str, other: str) -> str:
    """A label made of another one, where the other stands beside it already."""
    return label.replace(f" for {other}", "", 1).replace(f" of {other}", "", 1)


def _is_name(value: str) -> bool:
    return len(value) <= _NAME_CHARS_MAX and "://" not in value and not value.isdigit()


def _reason(key: str, fields: Mapping[str, Node]) -> str | None:
    """Why something has the status it has, if the next field says it."""
    if key not in ("status", "state"):
        return None
    for other, node in fields.items():
        why = other == "reason" or other.endswith("_reason")
        if why and isinstance(node, Scalar) and node.kind == "text" and wording.plain(node.text):
            return f"{wording.spaced(other)}: {wording.shortened(node.text)}"
    return None
