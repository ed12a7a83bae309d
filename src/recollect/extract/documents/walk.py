"""From the top of a document to its leaves: which thing each value belongs to."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TypeGuard

import msgspec

from recollect.extract.brief import Brief
from recollect.extract.documents import identity, naming, talk, times
from recollect.extract.documents.facts import Facts
from recollect.extract.documents.gather import Gather
from recollect.extract.documents.keys import canonical, singular, table
from recollect.extract.documents.named import Named, text_of, the_user
from recollect.extract.documents.owner import Owner, is_record, moment
from recollect.extract.documents.references import folded, references, referred
from recollect.extract.documents.scan import Node, Row, Scalar, Thing
from recollect.extract.documents.times import Period
from recollect.extract.documents.wording import Step, plain
from recollect.graph.found import FoundFact
from recollect.graph.types import Record

Fields = Mapping[str, Node]
Names = Mapping[str, Sequence[str]]


class Text(Record):
    """A value to be read as prose; *otherwise* is the fact to keep if that yields nothing."""

    value: Scalar
    reading: Brief
    depth: int
    otherwise: FoundFact | None = None


class Walk:
    """One pass over one document. Facts go into *gather*, text into *texts* for later."""

    def __init__(self, reading: Brief) -> None:
        self.gather = Gather()
        self.texts: list[Text] = []
        self._reading = reading
        self._facts = Facts(reading, self.gather)

    def root(self, node: Node) -> None:
        """Everything in a document."""
        if isinstance(node, Thing):
            self._thing(node, None, "")
        elif isinstance(node, Row):
            self._row(node, None, "")
        elif talk.is_prose("text", node):
            self._text(node, self._reading.at, 0)

    def _thing(
        self, thing: Thing, owner: Owner | None, key: str, names: Names | None = None
    ) -> None:
        """An object under *key* of *owner*; *names* are those made for the list it is in."""
        fields = _canonical(thing)
        if not fields:
            return
        period = times.read(fields, self._reading.time_zone)
        noun = _noun(key)
        listed = names is not None
        if key in table().envelopes.careers and owner is not None:
            step = Step(key=key, which=_which(fields) if listed else None)
            self._fields(fields, owner.part(step, period))
            return
        record = is_record(period, noun)
        named = identity.identify(fields, noun, self._reading.user, dated=record)
        made = named is None and (listed or (record and not _is_part(owner)))
        if made:
            named = self._apart(fields, owner, noun, names or {})
        if named is not None:
            inner = self._own(owner, key, period, named, record=record, made=made, listed=listed)
            if listed and _is_part(owner) and any(k in fields for k in table().amounts.lines):
                inner = _line(owner, inner, key)
        elif owner is not None:
            inner = owner.part(Step(key=key), period)
        else:
            inner = self._document(fields, period)
        self._fields(fields, inner)

    def _own(
        self,
        owner: Owner | None,
        key: str,
        period: Period,
        named: Named,
        *,
        record: bool,
        made: bool,
        listed: bool,
    ) -> Owner:
        """Something of its own: it is joined to what is around it and starts a path of its own."""
        inner = Owner(
            named=named,
            period=period,
            moment=moment(period, named.noun) or (owner.moment if owner else None),
            depth=owner.depth + 1 if owner else 0,
            record=record,
            made=made,
        )
        place = self._facts.place(named)
        if named.mine:
            self._facts.belong(named, inner.depth)
        if owner is None or owner.named.anonymous or self._facts.place(owner.named) == place:
            return inner
        if not (named.mine and owner.named.entity.who):  # that much is said already
            self._facts.join(owner, inner, key, listed=listed)
        return inner

    def _apart(self, fields: Fields, owner: Owner | None, noun: str, names: Names) -> Named:
        """A name made of content, different from the names of the others in the list."""
        named = self._made(fields, owner, noun)
        return naming.told_apart(named, fields, names.get(named.entity.name, ()))

    def _names(self, views: Sequence[Fields], owner: Owner | None, key: str) -> Names:
        noun = _noun(key)
        groups: dict[str, list[Fields]] = {}
        for view in views:
            groups.setdefault(self._made(view, owner, noun).entity.name, []).append(view)
        return {name: naming.differing(group) for name, group in groups.items()}

    def _made(self, fields: Fields, owner: Owner | None, noun: str) -> Named:
        period = times.read(fields, self._reading.time_zone)
        party = owner.named if owner is not None and not owner.named.anonymous else None
        if not is_record(period, noun):
            return naming.of_item(fields, noun, party)
        order = table().identity.references
        known = [ref for ref in references(fields, None) if ref.noun in order]
        if party is None and known:
            first = min(known, key=lambda ref: order.index(ref.noun))
            value = text_of(first.value) or ""
            party = referred(first.noun, value, self._reading.user)
        return naming.of_record(fields, noun, period, party)

    def _document(self, fields: Fields, period: Period) -> Owner:
        """The document itself, for what is not about anything in it."""
        user = self._reading.user
        if user is not None and identity.kind_of(fields, "") == "person":
            named = the_user(user)
        else:
            named = naming.of_document(fields, self._reading.source_description, user)
        return Owner(named=named, period=period, moment=moment(period, ""))

    def _fields(self, fields: Fields, owner: Owner) -> None:
        whole = not owner.path
        fields = folded(fields, owner.named.spoken if whole else ())
        spoken = {*owner.period.spoken, *(owner.named.spoken if whole else owner.spoken)}
        self._facts.happened(owner)
        for reference in references(fields, owner.named if whole else None):
            if not owner.named.anonymous:
                spoken.add(reference.key)
                self._facts.refer(owner, reference)
        for key, node in fields.items():
            if key in table().ignored.keys or (key in spoken and _is_told(key, owner)):
                continue
            if isinstance(node, Thing):
                self._thing(node, owner, key)
            elif isinstance(node, Row):
                self._row(node, owner, key)
            elif not (owner.named.anonymous and key in table().envelopes.paging):
                self._leaf(key, node, owner, fields)

    def _leaf(self, key: str, node: Scalar, owner: Owner, fields: Fields) -> None:
        if node.kind == "null" or not plain(node.text):
            return
        if not talk.is_prose(key, node):
            fact = self._facts.value(key, node, owner, fields, listed=False)
            self._facts.keep(fact, owner, key)
            return
        spoken = talk.message(Thing(fields=dict(fields), span=node.span), None)
        at = owner.moment or self._reading.at
        if spoken is not None and spoken.content is node:
            voiced = talk.readings([spoken], self._reading)[0][1]
            self._text(node, at, owner.depth, reading=voiced)
        else:
            fact = self._facts.value(key, node, owner, fields, listed=False)
            self._text(node, at, owner.depth, otherwise=fact)

    def _row(self, row: Row, owner: Owner | None, key: str) -> None:
        messages = talk.conversation(row, self._reading.time_zone)
        if messages is not None:
            self._conversation(messages, owner)
            return
        things = [item for item in row.items if isinstance(item, Thing)]
        names = self._names([_canonical(thing) for thing in things], owner, key)
        for thing in things:
            self._thing(thing, owner, key, names)
        for item in row.items:
            if isinstance(item, Row):
                self._row(item, owner, key)
        leaves = [item for item in row.items if isinstance(item, Scalar) and item.kind != "null"]
        if owner is not None and leaves:
            self._leaves(leaves, owner, key, row)

    def _leaves(self, leaves: Sequence[Scalar], owner: Owner, key: str, row: Row) -> None:
        """A list of values: each word is a fact, numbers are one fact together."""
        for leaf in leaves:
            if leaf.kind != "text" or not plain(leaf.text):
                continue
            if talk.is_prose(key, leaf):
                self._text(leaf, owner.moment or self._reading.at, owner.depth)
            else:
                fact = self._facts.value(key, leaf, owner, {}, listed=True)
                self._facts.keep(fact, owner, key)
        others = [leaf.text for leaf in leaves if leaf.kind != "text"]
        if others:
            together = Scalar(kind="number", text=", ".join(others), span=row.span)
            fact = self._facts.value(key, together, owner, {}, listed=False)
            self._facts.keep(fact, owner, key)

    def _conversation(self, messages: Sequence[talk.Message], owner: Owner | None) -> None:
        depth = owner.depth + 1 if owner else 0
        for value, reading in talk.readings(messages, self._reading):
            self._text(value, reading.at, depth, reading=reading)
        if owner is None or owner.named.anonymous:
            return
        for message in messages:
            if (voice := talk.speaker(message, self._reading)) is not None:
                self._facts.take_part(voice, owner, message.at)

    def _text(
        self,
        value: Scalar,
        at: datetime,
        depth: int,
        *,
        otherwise: FoundFact | None = None,
        reading: Brief | None = None,
    ) -> None:
        plain_reading = reading or msgspec.structs.replace(
            self._reading, kind="text", content=value.text, role=None, speaker=None
        )
        dated = msgspec.structs.replace(plain_reading, at=at)
        self.texts.append(Text(value=value, reading=dated, depth=depth, otherwise=otherwise))


def _canonical(thing: Thing) -> dict[str, Node]:
    return {canonical(key): node for key, node in thing.fields.items()}


def _noun(key: str) -> str:
    return "" if key in table().envelopes.generic else singular(key)


def _is_part(owner: Owner | None) -> TypeGuard[Owner]:
    return owner is not None and not owner.named.anonymous


def _line(owner: Owner, item: Owner, key: str) -> Owner:
    """The line of an order, whose fields are the order's; what names the item is said already."""
    line = owner.part(Step(key=key, which=item.named.entity.name), item.period)
    return msgspec.structs.replace(line, spoken=item.named.spoken)


def _which(fields: Fields) -> str | None:
    """What tells a part in a list from the others: the first value that names something."""
    values = (
        text_of(fields[key])
        for relation in table().relation
        if relation.kind is not None
        for key in relation.keys
        if key in fields
    )
    return next((value for value in values if value), None)


def _is_told(key: str, owner: Owner) -> bool:
    """Whether a key that names or dates its object needs no fact of its own.

    What is known by name keeps its dates as facts; a record made of its content is named by them.
    """
    times_keys = table().times
    if key not in owner.period.spoken or owner.made or owner.path or owner.named.anonymous:
        return True
    return key in (*times_keys.seen, *times_keys.created)
