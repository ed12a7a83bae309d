"""Names for objects that have none: made of what is in them, so that the same record sent again
is the same thing, wherever it stands in a list."""

from collections.abc import Mapping, Sequence

import msgspec

from recollect.extract.brief import Profile
from recollect.extract.documents import wording
from recollect.extract.documents.keys import table
from recollect.extract.documents.named import Named, text_of
from recollect.extract.documents.scan import Node, Scalar
from recollect.extract.documents.times import Period
from recollect.graph.found import FoundEntity

Fields = Mapping[str, Node]

_DETAILS_MAX = 3
_KEYS_MAX = 4
_NAME_CHARS_MAX = 200


def noun_of(fields: Fields, noun: str, *, dated: bool) -> str:
    """The word for what an object is: from its place, its type, or its shape."""
    shapes = table().shapes.items()
    shape = next((name for name, keys in shapes if any(key in fields for key in keys)), "")
    if not dated:
        return noun or "record"
    typed = next((t for key in table().identity.events if (t := text_of(fields.get(key)))), "")
    plain = wording.joined(typed) if len(typed.split()) <= 3 else ""
    general = noun in ("", "event", "record", "entry", "item", "log", "activity")
    return (plain if general else noun) or noun or shape or "record"


def of_record(fields: Fields, noun: str, period: Period, party: Named | None) -> Named:
    """Something that happened: "transaction of 99.99 on 2024-08-30 for account 17"."""
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


def of_item(fields: Fields, noun: str, parent: Named | None) -> Named:
    """An item of a list: "address with type home and city Berlin of Jane Smith"."""
    noun = noun_of(fields, noun, dated=False)
    typed = next((t for key in table().identity.types if (t := text_of(fields.get(key)))), None)
    if typed and len(typed.split()) <= 3:
        about = f"{typed.lower()} {wording.spaced(noun)}"
        return _made(about, noun, parent, joint="of", spoken=("type",))
    details = _details(fields)
    about = wording.spaced(noun) + (f" with {' and '.join(details)}" if details else "")
    return _made(about, noun, parent, joint="of")


def differing(group: Sequence[Fields]) -> list[str]:
    """The keys by which objects of one name can be told apart."""
    keys = sorted({key for fields in group for key in fields})
    return [key for key in keys if len({text_of(fields.get(key)) for fields in group}) > 1]


def told_apart(named: Named, fields: Fields, keys: Sequence[str]) -> Named:
    """A name that also says what an object has under *keys*."""
    told = [(key, text_of(fields.get(key))) for key in keys]
    details = [f"{wording.spaced(key)} {value}" for key, value in told if value is not None]
    if not details:
        return named
    detail = f" ({', '.join(details[:_DETAILS_MAX])})"
    entity = FoundEntity(name=named.entity.name + detail, kind=named.entity.kind)
    return msgspec.structs.replace(named, entity=entity, label=named.label + detail)


def of_document(fields: Fields, source: str | None, user: Profile | None) -> Named:
    """A document that does not say what it describes."""
    if user is not None:
        entity = FoundEntity(name=user.name, kind="person", who="user")
        return Named(entity=entity, label=f"the data about {user.name}", anonymous=True)
    title = wording.plain(source or "")
    if not title or len(title) > 80:
        keys = sorted(wording.spaced(key) for key in fields)
        title = f"document with {', '.join(keys[:_KEYS_MAX])}"
    entity = FoundEntity(name=title, kind="document")
    return Named(entity=entity, label=wording.determined(title), anonymous=True)


def _made(
    about: str, noun: str, other: Named | None, joint: str = "for", spoken: tuple[str, ...] = ()
) -> Named:
    kind = table().kind_of(noun) or ("event" if joint == "for" else None)
    name, label = about, about
    nests = len(about) if other is None else len(about) + len(other.entity.name)
    if other is not None and not other.anonymous and nests <= _NAME_CHARS_MAX:
        name = f"{about} {joint} {other.entity.name}"
        label = f"{about} {joint} {other.label}"
    entity = FoundEntity(name=name, kind=kind)
    return Named(entity=entity, label=label, noun=noun, spoken=spoken, common=True)


def _amount(fields: Fields) -> tuple[str | None, tuple[str, ...]]:
    keys = table().amounts
    for key in keys.keys:
        node = fields.get(key)
        if isinstance(node, Scalar) and (value := text_of(node)) and any(map(str.isdigit, value)):
            currency = next((c for c in keys.currencies if text_of(fields.get(c))), None)
            if currency is None:
                return value, (key,)
            return f"{value} {text_of(fields[currency])}", (key, currency)
    return None, ()


def _details(fields: Fields) -> list[str]:
    values = [(key, text_of(fields[key])) for key in sorted(fields)]
    told = [f"{wording.spaced(key)} {value}" for key, value in values if value and len(value) <= 40]
    return told[:_DETAILS_MAX]
