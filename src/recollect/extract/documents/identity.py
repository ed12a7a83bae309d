"""Which object is something of its own, and what it is called."""

import re
from collections.abc import Mapping

from recollect.extract.brief import Profile
from recollect.extract.documents import wording
from recollect.extract.documents.keys import table
from recollect.extract.documents.named import Named, is_user, text_of, the_user
from recollect.extract.documents.references import referred
from recollect.extract.documents.scan import Node, Thing
from recollect.graph.found import EntityKind, FoundEntity
from recollect.graph.types import Record

Fields = Mapping[str, Node]

_ID = re.compile(r"(.+)_(?:id|uuid|guid)")


class _Id(Record):
    key: str
    noun: str
    value: str


class _Claims(Record):
    """What an object says of itself. *noun* is the word for what it is, if anything tells."""

    noun: str
    kind: EntityKind | None
    name: str | None = None
    own: _Id | None = None
    email: str | None = None

    @property
    def value(self) -> str | None:
        """The id of its own."""
        return self.own.value if self.own else None


def kind_of(fields: Fields, noun: str) -> EntityKind | None:
    """The sort of thing that an object describes, by the word for it or by what it has."""
    if (kind := table().kind_of(noun)) is not None:
        return kind
    signs = table().signs.items()
    return next((kind for kind, keys in signs if any(key in keys for key in fields)), None)


def identify(fields: Fields, noun: str, user: Profile | None, *, dated: bool) -> Named | None:
    """What an object is by its own names and ids; None if it has none.

    *noun* is the word that its place in the document gives it. In a *dated* record the id of an
    account or a person is the id of someone it concerns.
    """
    claims = _claims(fields, noun, dated=dated)
    if claims.name is None and claims.own is None and claims.email is None:
        return None
    if user is not None and _of_user(claims, user):
        return _user_record(fields, claims.own, user)
    return _thing(fields, claims, user)


def _claims(fields: Fields, noun: str, *, dated: bool) -> _Claims:
    typed = _typed(fields)
    kind = table().kind_of(noun) or table().kind_of(typed) or kind_of(fields, noun)
    noun = noun or typed
    name = _name(fields, kind)
    own = _own_id(fields, noun, kind, named=name is not None or dated)
    if own is not None and not noun:
        noun = own.noun
        kind = kind or table().kind_of(noun)
    email = _first(fields, table().identity.emails)
    personal = ("", *table().identity.persons)
    if email is not None and kind is None and noun in personal:
        kind = "person"
    if email is not None and kind not in ("person", "organization"):
        email = None  # a ticket has the address of whoever wrote it
    if name is None and own is not None and own.noun:
        name = _first(fields, (f"{own.noun}_name", f"{own.noun}_title"))
    return _Claims(noun=noun, kind=kind, name=name, own=own, email=email)


def _first(fields: Fields, keys: tuple[str, ...]) -> str | None:
    values = (text_of(fields[key]) for key in keys if key in fields)
    return next((value for value in values if value), None)


def _typed(fields: Fields) -> str:
    value = _first(fields, table().identity.types)
    return wording.joined(value) if value and len(value.split()) <= 2 and value.isascii() else ""


def _name(fields: Fields, kind: EntityKind | None) -> str | None:
    keys = table().identity
    for key in keys.names:
        node = fields.get(key)
        if isinstance(node, Thing):  # {"name": {"first": "Jane", "last": "Smith"}}
            inner = (text_of(node.fields.get(part)) for part in ("first", "last"))
            return " ".join(part for part in inner if part) or None
        if (value := text_of(node)) is not None:
            return value
    given, family = _first(fields, keys.given_names), _first(fields, keys.family_names)
    if given or family:
        return f"{given or ''} {family or ''}".strip()
    person = kind == "person" or any(f"{noun}_id" in fields for noun in keys.persons)
    return None if person and not _has_id(fields) else _first(fields, keys.titles)


def _has_id(fields: Fields) -> bool:
    return any(key in fields for key in table().identity.ids)


def _own_id(fields: Fields, noun: str, kind: EntityKind | None, *, named: bool) -> _Id | None:
    keys = table().identity
    exact = [key for key in (*keys.ids, f"{noun}_id", *keys.numbers) if key in fields]
    others = [key for key in fields if _ID.fullmatch(key)]
    free = [key for key in others if _prefix(key) not in keys.references]
    bound = [f"{name}_id" for name in keys.references if f"{name}_id" in fields]
    if named:  # beside a name or a date, only a person's own record is known by such an id
        bound = [key for key in bound if kind == "person" and _prefix(key) in keys.persons]
    for key in (*exact, *free, *bound):
        if (value := text_of(fields[key])) is not None:
            return _Id(key=key, noun=noun if key in keys.ids else _prefix(key), value=value)
    return None


def _prefix(key: str) -> str:
    return key.rpartition("_")[0]


def _of_user(claims: _Claims, user: Profile) -> bool:
    persons = table().identity.persons
    own = claims.own
    if own is not None and own.noun in persons and is_user(own.value, user):
        return True
    if claims.kind not in (None, "person") or claims.noun in table().identity.belongings:
        return False
    if own is not None and own.noun not in ("", *persons):
        return False
    # Anything can have the number 5; a user whose id that is has it only as a person.
    number = claims.kind is None and (claims.value or "").isdigit()
    values = (None if number else claims.value, claims.email, claims.name)
    return any(is_user(value, user) for value in values if value)


def _user_record(fields: Fields, own: _Id | None, user: Profile) -> Named:
    keys = table().identity
    telling = (*keys.names, *keys.given_names, *keys.family_names, *keys.emails)
    known = (user.first_name, user.last_name)
    spoken = [own.key] if own else []
    for key in telling:
        value = text_of(fields.get(key))
        if value and (is_user(value, user) or value in known):
            spoken.append(key)
    person = the_user(user)
    return Named(entity=person.entity, label=person.label, noun="user", spoken=tuple(spoken))


def _thing(fields: Fields, claims: _Claims, user: Profile | None) -> Named:
    noun = (claims.own.noun if claims.own else "") or claims.noun
    by_id = referred(noun or "record", claims.own.value, user) if claims.own else None
    title = claims.name or claims.email or (by_id.entity.name if by_id else "")
    label = wording.quoted(title) if claims.name else title
    mine = by_id is not None and by_id.mine
    if by_id is not None and mine and not claims.name:
        label = by_id.label
    return Named(
        entity=FoundEntity(
            name=title, kind=claims.kind, aliases=_aliases(title, by_id, claims, noun)
        ),
        label=label,
        noun=noun,
        spoken=_spoken(fields, title, claims.own),
        mine=mine,
        common=by_id is not None and label == by_id.label and by_id.common,
    )


def _aliases(title: str, by_id: Named | None, claims: _Claims, noun: str) -> tuple[str, ...]:
    """Other names of a thing. "record 7" is none: every table has a row of that number."""
    names = [] if by_id is None else [by_id.entity.name, *by_id.entity.aliases]
    if by_id is not None and not noun:
        names = names[1:]
    if claims.email:
        names.append(claims.email)
    return tuple(name for name in dict.fromkeys(names) if name != title)


def _spoken(fields: Fields, title: str, own: _Id | None) -> tuple[str, ...]:
    """The keys that the name came from, and the id it stands for when there is no other name."""
    keys = table().identity
    parts = {title, *title.split()}
    naming = [
        key
        for key in fields
        if text_of(fields[key]) == title
        or (key in (*keys.given_names, *keys.family_names) and text_of(fields[key]) in parts)
        or (key == "name" and isinstance(fields[key], Thing))
    ]
    return tuple(dict.fromkeys([*naming, *([own.key] if own else [])]))
