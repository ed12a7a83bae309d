"""The table of JSON keys: which ones name, date, package or relate things."""

import re
import tomllib
import unicodedata
from functools import cache
from pathlib import Path

import msgspec

from recollect.errors import InvalidInput
from recollect.graph.found import EntityKind
from recollect.graph.types import Record
from recollect.limits import FACT_NAME_CHARS_MAX

_TABLE = Path(__file__).parent.with_name("json_keys.toml")
_WORD = re.compile(r"[^\W_]+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_UNNAMED = re.compile(r"[^A-Z0-9]+")
_UNCOUNTED = ("ss", "us", "is", "news", "series", "species")

Keys = tuple[str, ...]


class IdentityKeys(Record, forbid_unknown_fields=True):
    """Keys that say what an object is."""

    names: Keys
    titles: Keys
    given_names: Keys
    family_names: Keys
    ids: Keys
    numbers: Keys
    records: Keys
    subjects: Keys
    emails: Keys
    references: Keys
    persons: Keys
    belongings: Keys
    types: Keys
    events: Keys


class TimeKeys(Record, forbid_unknown_fields=True):
    """Keys that say when an object holds."""

    happened: Keys
    begins: Keys
    ends: Keys
    seen: Keys
    created: Keys
    unchanging: Keys


class ProseKeys(Record, forbid_unknown_fields=True):
    """Keys of text that people wrote."""

    keys: Keys
    contents: Keys
    speakers: Keys
    roles: Keys
    assistants: Keys
    users: Keys


class EnvelopeKeys(Record, forbid_unknown_fields=True):
    """Keys that package other things."""

    neutral: Keys
    generic: Keys
    careers: Keys
    paging: Keys


class AmountKeys(Record, forbid_unknown_fields=True):
    """Keys of sums of money and the like."""

    keys: Keys
    currencies: Keys
    lines: Keys


class IgnoredKeys(Record, forbid_unknown_fields=True):
    """Keys that are not made into facts, or only when there is room."""

    keys: Keys
    last_words: Keys


class KeyRelation(Record, forbid_unknown_fields=True):
    """What a key says about its object. The fields are explained in `json_keys.toml`."""

    keys: Keys
    owner: EntityKind | None = None
    name: str | None = None
    kind: EntityKind | None = None
    say: str | None = None
    term: bool = False
    career: bool = False


class KeyTable(Record, forbid_unknown_fields=True):
    """All of `json_keys.toml`."""

    identity: IdentityKeys
    times: TimeKeys
    shapes: dict[str, Keys]
    amounts: AmountKeys
    kinds: dict[EntityKind, Keys]
    signs: dict[EntityKind, Keys]
    prose: ProseKeys
    envelopes: EnvelopeKeys
    ignored: IgnoredKeys
    relation: tuple[KeyRelation, ...]

    def kind_of(self, word: str) -> EntityKind | None:
        """The kind of entity that a noun names."""
        return next((kind for kind, words in self.kinds.items() if word in words), None)

    def relation_of(
        self, key: str, owner: EntityKind | None, *, career: bool = False
    ) -> KeyRelation | None:
        """What *key* says about an object of the kind *owner*: the first entry that fits."""
        fitting = (r for r in self.relation if key in r.keys and r.owner in (None, owner))
        return next((r for r in fitting if career or not r.career), None)


@cache
def table() -> KeyTable:
    """The table that comes with the program."""
    try:
        raw = tomllib.loads(_TABLE.read_text(encoding="utf-8"))
        return msgspec.convert(raw, KeyTable)
    except (OSError, ValueError, msgspec.ValidationError) as error:
        raise InvalidInput(f"the table of keys {_TABLE} cannot be read: {error}") from error


def words(key: str) -> tuple[str, ...]:
    """The words of a key, in lower case: cardLastFour, card_last_four and "Card last four"."""
    found = _WORD.findall(_CAMEL.sub(" ", key))
    return tuple(word.lower() for word in found) or ("value",)


def canonical(key: str) -> str:
    """The form in which keys are compared and put into slots."""
    return "_".join(words(key))


def singular(key: str) -> str:
    """The singular of a canonical key: of transactions, categories, statuses."""
    if key.endswith(_UNCOUNTED) or not key.endswith("s") or len(key) < 4:
        return {"children": "child", "people": "person"}.get(key, key)
    if key.endswith("ies"):
        return key[:-3] + "y"
    if key.endswith(("sses", "tuses", "xes", "ches", "shes")):
        return key[:-2]
    return key[:-1]


def relation_name(key: str, verb: str = "HAS_") -> str:
    """The relation named after a key, without characters that names cannot have."""
    plain = unicodedata.normalize("NFKD", key).upper()
    kept = _UNNAMED.sub("_", plain.encode("ascii", "ignore").decode()).strip("_")
    return f"{verb}{kept or 'PROPERTY'}"[:FACT_NAME_CHARS_MAX].rstrip("_")
