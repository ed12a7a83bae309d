"""Decides which objects are entities of their own, and how sentences refer to them."""

import re
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from recollect.extract.brief import Profile
from recollect.extract.documents import wording
from recollect.extract.documents.json_tree import JsonObject, JsonScalar, Node
from recollect.extract.documents.keys import table
from recollect.extract.documents.times import ObjectTimes
from recollect.extract.prose.words import possessive
from recollect.graph.found import EntityKind, FoundEntity
from recollect.graph.types import Record

Fields = Mapping[str, Node]

_NAME_CHARS_MAX = 200
_ID = re.compile(r"(.+)_(?:id|uuid|guid)")
_TELLING = re.compile(r"(?=.*\d)(?=.*[^\W\d_]).{6,}|\d{8,}")
_DETAILS_MAX = 3
_KEYS_MAX = 4


class Referent(Record):
    """An entity and how sentences refer to it.

    *noun* is the word for what it is ("account"), empty if unknown. *spoken* are the keys that went
    into its name and need no fact. *mine*: it carries the user's id. *common*: the label begins with
    a common noun, which is capitalised at the start of a sentence.
    """

    entity: FoundEntity
    label: str
    noun: str = ""
    spoken: tuple[str, ...] = ()
    mine: bool = False
    anonymous: bool = False
    common: bool = False

    @property
    def kind(self) -> EntityKind | None:
        """The kind of entity."""
        return self.entity.kind

    @property
    def subject(self) -> str:
        """The label as a sentence begins with it."""
        label = wording.determined(self.label) if self.common else self.label
        return wording.opened(label) if self.common else label


def text_of(node: Node | None) -> str | None:
    """The value of a leaf that can be part of a name."""
    if not isinstance(node, JsonScalar) or node.kind not in ("text", "number"):
        return None
    plain = wording.plain(node.text)
    return plain if 0 < len(plain) <= _NAME_CHARS_MAX else None


def is_user(value: str, user: Profile | None) -> bool:
    """Whether a name, an id or an e-mail address is the user's own."""
    if user is None:
        return False
    full = f"{user.first_name or ''} {user.last_name or ''}" if user.last_name else None
    own = (user.user_id, user.email, user.name, full)
    return value.casefold() in {plain.casefold() for plain in own if plain}


def the_user(user: Profile) -> Referent:
    """The entity of the user whose graph this is."""
    return Referent(entity=FoundEntity(name=user.name, kind="person", who="user"), label=user.name)


class Reference(Record):
    """A key whose value is the id of something else."""

    key: str
    noun: str
    value: JsonScalar


def references(fields: Fields, named: Referent | None) -> Iterator[Reference]:
    """The keys of an object that hold the id of something else."""
    for key, node in fields.items():
        found = _ID.fullmatch(key)
        other = named is None or key not in named.spoken
        if found and other and isinstance(node, JsonScalar) and text_of(node) is not None:
            yield Reference(key=key, noun=found[1], value=node)


def with_combined_references(fields: Fields, spoken: tuple[str, ...]) -> dict[str, Node]:
    """The fields, with customer_id, customer_name and customer_email combined into one customer."""
    result = dict(fields)
    for noun in table().identity.references:
        keys = [f"{noun}_{part}" for part in ("id", "name", "email")]
        told = [key for key in keys if text_of(fields.get(key)) is not None and key not in spoken]
        if f"{noun}_name" in told and len(told) > 1 and noun not in fields:
            inside = {key.removeprefix(f"{noun}_"): result.pop(key) for key in told}
            spans = [node.span for node in inside.values()]
            result[noun] = JsonObject(fields=inside, span=(min(spans)[0], max(spans)[1]))
    return result


def referenced_entity(noun: str, value: str, user: Profile | None) -> Referent:
    """The entity that an id stands for."""
    if noun in table().identity.persons and is_user(value, user) and user is not None:
        return the_user(user)
    name = f"{wording.spaced(noun)} {value}"
    mine = noun in table().identity.belongings and is_user(value, user)
    label = f"{possessive(user.name)} {name}" if mine and user else name
    entity = FoundEntity(name=name, kind=table().kind_of(noun), aliases=_telling(value, mine=mine))
    return Referent(entity=entity, label=label, noun=noun, mine=mine, common=not mine)


def _telling(value: str, *, mine: bool) -> tuple[str, ...]:
    """The bare id as an alias, if it is unlikely to be the id of anything else."""
    return (value,) if _TELLING.fullmatch(value) and not mine else ()


class _Id(Record):
    key: str
    noun: str
    value: str


class _Claims(Record):
    """What an object says about itself. *noun* is the word for what it is, if known."""

    noun: str
    kind: EntityKind | None
    name: str | None = None
    own: _Id | None = None
    email: str | None = None

    @property
    def value(self) -> str | None:
        """Its own id."""
        return self.own.value if self.own else None


def kind_of(fields: Fields, noun: str) -> EntityKind | None:
    """The kind of entity that an object describes, by its noun or by its keys."""
    if (kind := table().kind_of(noun)) is not None:
        return kind
    signs = table().signs.items()
    return next((kind for kind, keys in signs if any(key in keys for key in fields)), None)


def identify(fields: Fields, noun: str, user: Profile | None, *, dated: bool) -> Referent | None:
    """The entity that an object is by its own names and ids; None if it has none.

    *noun* is the word for its position in the document. In a *dated* record the id of an account or
    a person belongs to someone it concerns.
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
    email = first_text(fields, table().identity.emails)
    personal = ("", *table().identity.persons)
    if email is not None and kind is None and noun in personal:
        kind = "person"
    if email is not None and kind not in ("person", "organization"):
        email = None  # the address in a ticket is that of its author
    if name is None and own is not None and own.noun:
        name = first_text(fields, (f"{own.noun}_name", f"{own.noun}_title"))
    if not (name or own or email or noun or dated):
        noun, name = _subject(fields)
        kind = kind or table().kind_of(noun)
    return _Claims(noun=noun, kind=kind, name=name, own=own, email=email)


def first_text(fields: Fields, keys: Sequence[str]) -> str | None:
    """The first of these keys that has a text or number."""
    values = (text_of(fields[key]) for key in keys if key in fields)
    return next((value for value in values if value), None)


def _typed(fields: Fields) -> str:
    value = first_text(fields, table().identity.types)
    return wording.joined(value) if value and len(value.split()) <= 2 and value.isascii() else ""


def _name(fields: Fields, kind: EntityKind | None) -> str | None:
    keys = table().identity
    for key in keys.names:
        node = fields.get(key)
        if isinstance(node, JsonObject):  # {"name": {"first": "Jane", "last": "Smith"}}
            inner = (text_of(node.fields.get(part)) for part in ("first", "last"))
            return " ".join(part for part in inner if part) or None
        if (value := text_of(node)) is not None:
            return value
    given, family = first_text(fields, keys.given_names), first_text(fields, keys.family_names)
    if given or family:
        return f"{given or ''} {family or ''}".strip()
    person = kind == "person" or any(f"{noun}_id" in fields for noun in keys.persons)
    return None if person and not _has_id(fields) else first_text(fields, keys.titles)


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
    return None if noun or named else _record_id(fields)


def _record_id(fields: Fields) -> _Id | None:
    """The id of a record whose key alone says what it is: {"booking": "RX-88213", ...}."""
    for key in table().identity.records:
        value = text_of(fields.get(key)) or ""
        if any(map(str.isdigit, value)) and " " not in value:
            return _Id(key=key, noun=key, value=value)
    return None


def _subject(fields: Fields) -> tuple[str, str | None]:
    """What a record without a name or an id of its own is about: {"account": "Acme", "city": ...}."""
    for key in table().identity.subjects:
        value = text_of(fields.get(key)) or ""
        if any(map(str.isalpha, value)) and len(fields) > 1:
            return key, value
    return "", None


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
    # Anything can have the number 5; it is the user's id only if the object is a person.
    number = claims.kind is None and (claims.value or "").isdigit()
    values = (None if number else claims.value, claims.email, claims.name)
    return any(is_user(value, user) for value in values if value)


def _user_record(fields: Fields, own: _Id | None, user: Profile) -> Referent:
    keys = table().identity
    telling = (*keys.names, *keys.given_names, *keys.family_names, *keys.emails)
    known = (user.first_name, user.last_name)
    spoken = [own.key] if own else []
    for key in telling:
        value = text_of(fields.get(key))
        if value and (is_user(value, user) or value in known):
            spoken.append(key)
    person = the_user(user)
    return Referent(entity=person.entity, label=person.label, noun="user", spoken=tuple(spoken))


def _thing(fields: Fields, claims: _Claims, user: Profile | None) -> Referent:
    noun = (claims.own.noun if claims.own else "") or claims.noun
    by_id = referenced_entity(noun or "record", claims.own.value, user) if claims.own else None
    title = claims.name or claims.email or (by_id.entity.name if by_id else "")
    label = wording.quoted(title) if claims.name else title
    mine = by_id is not None and by_id.mine
    if by_id is not None and mine and not claims.name:
        label = by_id.label
    return Referent(
        entity=FoundEntity(
            name=title, kind=claims.kind, aliases=_aliases(title, by_id, claims, noun)
        ),
        label=label,
        noun=noun,
        spoken=_spoken(fields, title, claims.own),
        mine=mine,
        common=by_id is not None and label == by_id.label and by_id.common,
    )


def _aliases(title: str, by_id: Referent | None, claims: _Claims, noun: str) -> tuple[str, ...]:
    """Other names of an entity. "record 7" does not count: every table has a row with that number."""
    names = [] if by_id is None else [by_id.entity.name, *by_id.entity.aliases]
    if by_id is not None and not noun:
        names = names[1:]
    if claims.email:
        names.append(claims.email)
    return tuple(name for name in dict.fromkeys(names) if name != title)


def _spoken(fields: Fields, title: str, own: _Id | None) -> tuple[str, ...]:
    """The keys that the name came from, and that of the id."""
    keys = table().identity
    parts = {title, *title.split()}
    naming = [
        key
        for key in fields
        if text_of(fields[key]) == title
        or (key in (*keys.given_names, *keys.family_names) and text_of(fields[key]) in parts)
        or (key == "name" and isinstance(fields[key], JsonObject))
    ]
    return tuple(dict.fromkeys([*naming, *([own.key] if own else [])]))


def noun_of(fields: Fields, noun: str, *, dated: bool) -> str:
    """The word for what an object is: by its position, its type, or its keys."""
    shapes = table().shapes.items()
    shape = next((name for name, keys in shapes if any(key in fields for key in keys)), "")
    if not dated:
        return noun or "record"
    typed = next((t for key in table().identity.events if (t := text_of(fields.get(key)))), "")
    plain = wording.joined(typed) if len(typed.split()) <= 3 else ""
    general = noun in ("", "event", "record", "entry", "item", "log", "activity")
    return (plain if general else noun) or noun or shape or "record"


def name_record(fields: Fields, noun: str, period: ObjectTimes, party: Referent | None) -> Referent:
    """A name for something that happened: "transaction of 99.99 on 2024-08-30 for account 17".

    Names are made from content, so that the same record sent again is the same entity."""
    noun = noun_of(fields, noun, dated=True)
    moment = period.happened or period.created
    amount, amount_keys = _amount(fields)
    about = wording.spaced(noun) + (f" of {amount}" if amount else "")
    if moment:
        about += f" on {moment.text}"
    typed = [
        k for k in table().identity.events if wording.joined(text_of(fields.get(k)) or "") == noun
    ]
    return _made(about, noun, party, spoken=(*amount_keys, *typed))


def name_item(fields: Fields, noun: str, parent: Referent | None) -> Referent:
    """A name for a list item: "address with type home and city Berlin of Jane Smith"."""
    noun = noun_of(fields, noun, dated=False)
    typed = next((t for key in table().identity.types if (t := text_of(fields.get(key)))), None)
    if typed and len(typed.split()) <= 3:
        about = f"{typed.lower()} {wording.spaced(noun)}"
        return _made(about, noun, parent, joint="of", spoken=("type",))
    details = _details(fields)
    about = wording.spaced(noun) + (f" with {' and '.join(details)}" if details else "")
    return _made(about, noun, parent, joint="of")


def distinguishing_keys(group: Sequence[Fields]) -> list[str]:
    """The keys whose values differ among objects of one name."""
    keys = sorted({key for fields in group for key in fields})
    return [key for key in keys if len({text_of(fields.get(key)) for fields in group}) > 1]


def distinguished(named: Referent, fields: Fields, keys: Sequence[str]) -> Referent:
    """A name extended by the object's values under *keys*."""
    told = [(key, text_of(fields.get(key))) for key in keys]
    details = [f"{wording.spaced(key)} {value}" for key, value in told if value is not None]
    if not details:
        return named
    detail = f" ({', '.join(details[:_DETAILS_MAX])})"
    entity = FoundEntity(name=named.entity.name + detail, kind=named.entity.kind)
    return msgspec.structs.replace(named, entity=entity, label=named.label + detail)


def name_document(fields: Fields, source: str | None, user: Profile | None) -> Referent:
    """The entity for a document that does not say what it describes."""
    if user is not None:
        entity = FoundEntity(name=user.name, kind="person", who="user")
        return Referent(entity=entity, label=f"the data about {user.name}", anonymous=True)
    title = wording.plain(source or "")
    if not title or len(title) > 80:
        keys = sorted(wording.spaced(key) for key in fields)
        title = f"document with {', '.join(keys[:_KEYS_MAX])}"
    entity = FoundEntity(name=title, kind="document")
    return Referent(entity=entity, label=wording.determined(title), anonymous=True)


def _made(
    about: str, noun: str, other: Referent | None, joint: str = "for", spoken: tuple[str, ...] = ()
) -> Referent:
    kind = table().kind_of(noun) or ("event" if joint == "for" else None)
    name, label = about, about
    nests = len(about) if other is None else len(about) + len(other.entity.name)
    if other is not None and not other.anonymous and nests <= _NAME_CHARS_MAX:
        name = f"{about} {joint} {other.entity.name}"
        label = f"{about} {joint} {other.label}"
    entity = FoundEntity(name=name, kind=kind)
    return Referent(entity=entity, label=label, noun=noun, spoken=spoken, common=True)


def _amount(fields: Fields) -> tuple[str | None, tuple[str, ...]]:
    keys = table().amounts
    for key in keys.keys:
        node = fields.get(key)
        if (
            isinstance(node, JsonScalar)
            and (value := text_of(node))
            and any(map(str.isdigit, value))
        ):
            currency = next((c for c in keys.currencies if text_of(fields.get(c))), None)
            if currency is None:
                return value, (key,)
            return f"{value} {text_of(fields[currency])}", (key, currency)
    return None, ()


def _details(fields: Fields) -> list[str]:
    values = [(key, text_of(fields[key])) for key in sorted(fields)]
    told = [f"{wording.spaced(key)} {value}" for key, value in values if value and len(value) <= 40]
    return told[:_DETAILS_MAX]
