"""Keys that hold the id of something else, alone or with its name beside it."""

import re
from collections.abc import Iterator, Mapping

from recollect.extract.brief import Profile
from recollect.extract.documents import wording
from recollect.extract.documents.keys import table
from recollect.extract.documents.named import Named, is_user, text_of, the_user
from recollect.extract.documents.scan import Node, Scalar, Thing
from recollect.graph.found import FoundEntity
from recollect.graph.types import Record

_ID = re.compile(r"(.+)_(?:id|uuid|guid)")
_TELLING = re.compile(r"(?=.*\d)(?=.*[^\W\d_]).{6,}|\d{8,}")


class Reference(Record):
    """A key whose value is the id of something else."""

    key: str
    noun: str
    value: Scalar


def references(fields: Mapping[str, Node], named: Named | None) -> Iterator[Reference]:
    """The keys of an object that hold the id of something else."""
    for key, node in fields.items():
        found = _ID.fullmatch(key)
        other = named is None or key not in named.spoken
        if found and other and isinstance(node, Scalar) and text_of(node) is not None:
            yield Reference(key=key, noun=found[1], value=node)


def folded(fields: Mapping[str, Node], spoken: tuple[str, ...]) -> dict[str, Node]:
    """An object where customer_id, customer_name and customer_email are one customer."""
    result = dict(fields)
    for noun in table().identity.references:
        keys = [f"{noun}_{part}" for part in ("id", "name", "email")]
        told = [key for key in keys if text_of(fields.get(key)) is not None and key not in spoken]
        if f"{noun}_name" in told and len(told) > 1 and noun not in fields:
            inside = {key.removeprefix(f"{noun}_"): result.pop(key) for key in told}
            spans = [node.span for node in inside.values()]
            result[noun] = Thing(fields=inside, span=(min(spans)[0], max(spans)[1]))
    return result


def referred(noun: str, value: str, user: Profile | None) -> Named:
    """The thing that an id of a kind of things stands for."""
    if noun in table().identity.persons and is_user(value, user) and user is not None:
        return the_user(user)
    name = f"{wording.spaced(noun)} {value}"
    mine = noun in table().identity.belongings and is_user(value, user)
    label = f"{wording.possessive(user.name)} {name}" if mine and user else name
    entity = FoundEntity(name=name, kind=table().kind_of(noun), aliases=_telling(value, mine=mine))
    return Named(entity=entity, label=label, noun=noun, mine=mine, common=not mine)


def _telling(value: str, *, mine: bool) -> tuple[str, ...]:
    """An id by itself, if it can hardly be the id of anything else."""
    return (value,) if _TELLING.fullmatch(value) and not mine else ()
