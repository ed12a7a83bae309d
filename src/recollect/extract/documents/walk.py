"""The walk from the top of a document to its leaves: which entity each value belongs to."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TypeGuard

import msgspec

from recollect.extract.brief import Brief
from recollect.extract.documents import identity, messages, times
from recollect.extract.documents.facts import Facts, Owner, is_record, state_time
from recollect.extract.documents.findings import DocumentFindings
from recollect.extract.documents.identity import (
    Referent,
    referenced_entity,
    references,
    text_of,
    the_user,
    with_combined_references,
)
from recollect.extract.documents.json_tree import JsonArray, JsonObject, JsonScalar, Node
from recollect.extract.documents.keys import canonical, singular, table
from recollect.extract.documents.times import ObjectTimes
from recollect.extract.documents.wording import PathStep, plain
from recollect.graph.found import FoundFact
from recollect.graph.types import Record

Fields = Mapping[str, Node]
Names = Mapping[str, Sequence[str]]


class EmbeddedText(Record):
    """A value to read as prose; *otherwise* is the fact to keep if that yields nothing."""

    value: JsonScalar
    reading: Brief
    depth: int
    otherwise: FoundFact | None = None


class Walk:
    """One pass over a document. Facts go to *findings*, running text to *texts* for later."""

    def __init__(self, reading: Brief) -> None:
        self.findings = DocumentFindings()
        self.texts: list[EmbeddedText] = []
        self._reading = reading
        self._facts = Facts(reading, self.findings)

    def root(self, node: Node) -> None:
        """Walk the whole document."""
        if isinstance(node, JsonObject):
            self._thing(node, None, "")
        elif isinstance(node, JsonArray):
            self._row(node, None, "")
        elif messages.is_prose("text", node):
            self._text(node, self._reading.at, 0)

    def _thing(
        self, thing: JsonObject, owner: Owner | None, key: str, names: Names | None = None
    ) -> None:
        """An object under *key* of *owner*; *names* are those made for the items of its list."""
        fields = _canonical(thing)
        if not fields:
            return
        period = times.read(fields, self._reading.time_zone)
        noun = _noun(key)
        listed = names is not None
        if key in table().envelopes.careers and owner is not None:
            step = PathStep(key=key, which=_which(fields) if listed else None)
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
            inner = owner.part(PathStep(key=key), period)
        else:
            inner = self._document(fields, period)
        self._fields(fields, inner)

    def _own(
        self,
        owner: Owner | None,
        key: str,
        period: ObjectTimes,
        named: Referent,
        *,
        record: bool,
        made: bool,
        listed: bool,
    ) -> Owner:
        """An entity of its own: joined to the one around it, with a path of its own."""
        inner = Owner(
            named=named,
            period=period,
            moment=state_time(period, named.noun) or (owner.moment if owner else None),
            depth=owner.depth + 1 if owner else 0,
            record=record,
            made=made,
        )
        place = self._facts.place(named)
        if named.mine:
            self._facts.belong(named, inner.depth)
        if owner is None or owner.named.anonymous or self._facts.place(owner.named) == place:
            return inner
        if not (named.mine and owner.named.entity.who):  # `belong` has said so already
            self._facts.join(owner, inner, key, listed=listed)
        return inner

    def _apart(self, fields: Fields, owner: Owner | None, noun: str, names: Names) -> Referent:
        """A name made from the object's content, distinct from those of the other items in the list."""
        named = self._made(fields, owner, noun)
        return identity.distinguished(named, fields, names.get(named.entity.name, ()))

    def _names(self, views: Sequence[Fields], owner: Owner | None, key: str) -> Names:
        noun = _noun(key)
        groups: dict[str, list[Fields]] = {}
        for view in views:
            groups.setdefault(self._made(view, owner, noun).entity.name, []).append(view)
        return {name: identity.distinguishing_keys(group) for name, group in groups.items()}

    def _made(self, fields: Fields, owner: Owner | None, noun: str) -> Referent:
        period = times.read(fields, self._reading.time_zone)
        party = owner.named if owner is not None and not owner.named.anonymous else None
        if not is_record(period, noun):
            return identity.name_item(fields, noun, party)
        order = table().identity.references
        known = [ref for ref in references(fields, None) if ref.noun in order]
        if party is None and known:
            first = min(known, key=lambda ref: order.index(ref.noun))
            value = text_of(first.value) or ""
            party = referenced_entity(first.noun, value, self._reading.user)
        return identity.name_record(fields, noun, period, party)

    def _document(self, fields: Fields, period: ObjectTimes) -> Owner:
        """The document itself, as the owner of what belongs to no entity in it."""
        user = self._reading.user
        if user is not None and identity.kind_of(fields, "") == "person":
            named = the_user(user)
        else:
            named = identity.name_document(fields, self._reading.source_description, user)
        return Owner(named=named, period=period, moment=state_time(period, ""))

    def _fields(self, fields: Fields, owner: Owner) -> None:
        whole = not owner.path
        fields = with_combined_references(fields, owner.named.spoken if whole else ())
        spoken = {*owner.period.spoken, *(owner.named.spoken if whole else owner.spoken)}
        self._facts.happened(owner)
        for reference in references(fields, owner.named if whole else None):
            if not owner.named.anonymous:
                spoken.add(reference.key)
                self._facts.refer(owner, reference)
        for key, node in fields.items():
            if key in table().ignored.keys or (key in spoken and _is_stated(key, owner)):
                continue
            if isinstance(node, JsonObject):
                self._thing(node, owner, key)
            elif isinstance(node, JsonArray):
                self._row(node, owner, key)
            elif not (owner.named.anonymous and key in table().envelopes.paging):
                self._leaf(key, node, owner, fields)

    def _leaf(self, key: str, node: JsonScalar, owner: Owner, fields: Fields) -> None:
        if node.kind == "null" or not plain(node.text):
            return
        if not messages.is_prose(key, node):
            fact = self._facts.value(key, node, owner, fields, listed=False)
            self._facts.keep(fact, owner, key)
            return
        spoken = messages.message(JsonObject(fields=dict(fields), span=node.span), None)
        at = owner.moment or self._reading.at
        if spoken is not None and spoken.content is node:
            voiced = messages.readings([spoken], self._reading)[0][1]
            self._text(node, at, owner.depth, reading=voiced)
        else:
            fact = self._facts.value(key, node, owner, fields, listed=False)
            self._text(node, at, owner.depth, otherwise=fact)

    def _row(self, row: JsonArray, owner: Owner | None, key: str) -> None:
        turns = messages.conversation(row, self._reading.time_zone)
        if turns is not None:
            self._conversation(turns, owner)
            return
        things = [item for item in row.items if isinstance(item, JsonObject)]
        names = self._names([_canonical(thing) for thing in things], owner, key)
        for thing in things:
            self._thing(thing, owner, key, names)
        for item in row.items:
            if isinstance(item, JsonArray):
                self._row(item, owner, key)
        leaves = [
            item for item in row.items if isinstance(item, JsonScalar) and item.kind != "null"
        ]
        if owner is not None and leaves:
            self._leaves(leaves, owner, key, row)

    def _leaves(self, leaves: Sequence[JsonScalar], owner: Owner, key: str, row: JsonArray) -> None:
        """A list of values: each text is a fact, all numbers together are one."""
        for leaf in leaves:
            if leaf.kind != "text" or not plain(leaf.text):
                continue
            if messages.is_prose(key, leaf):
                self._text(leaf, owner.moment or self._reading.at, owner.depth)
            else:
                fact = self._facts.value(key, leaf, owner, {}, listed=True)
                self._facts.keep(fact, owner, key)
        others = [leaf.text for leaf in leaves if leaf.kind != "text"]
        if others:
            together = JsonScalar(kind="number", text=", ".join(others), span=row.span)
            fact = self._facts.value(key, together, owner, {}, listed=False)
            self._facts.keep(fact, owner, key)

    def _conversation(self, turns: Sequence[messages.DocumentMessage], owner: Owner | None) -> None:
        depth = owner.depth + 1 if owner else 0
        for value, reading in messages.readings(turns, self._reading):
            self._text(value, reading.at, depth, reading=reading)
        if owner is None or owner.named.anonymous:
            return
        for message in turns:
            if (voice := messages.speaker(message, self._reading)) is not None:
                self._facts.take_part(voice, owner, message.at)

    def _text(
        self,
        value: JsonScalar,
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
        self.texts.append(
            EmbeddedText(value=value, reading=dated, depth=depth, otherwise=otherwise)
        )


def _canonical(thing: JsonObject) -> dict[str, Node]:
    return {canonical(key): node for key, node in thing.fields.items()}


def _noun(key: str) -> str:
    return "" if key in table().envelopes.generic else singular(key)


def _is_part(owner: Owner | None) -> TypeGuard[Owner]:
    return owner is not None and not owner.named.anonymous


def _line(owner: Owner, item: Owner, key: str) -> Owner:
    """A line item of an order: its fields belong to the order, and the item's name is already stated."""
    line = owner.part(PathStep(key=key, which=item.named.entity.name), item.period)
    return msgspec.structs.replace(line, spoken=item.named.spoken)


def _which(fields: Fields) -> str | None:
    """What distinguishes a part in a list: the first value that names something."""
    values = (
        text_of(fields[key])
        for relation in table().relation
        if relation.kind is not None
        for key in relation.keys
        if key in fields
    )
    return next((value for value in values if value), None)


def _is_stated(key: str, owner: Owner) -> bool:
    """Whether a key that names or dates its object needs no fact of its own.

    An entity with a name keeps its dates as facts; a record named after its content has them in it.
    """
    times_keys = table().times
    if key not in owner.period.spoken or owner.made or owner.path or owner.named.anonymous:
        return True
    return key in (*times_keys.seen, *times_keys.created)
