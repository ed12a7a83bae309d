"""The built-in tables: default types, common concepts, words for filling fields."""

import tomllib
from pathlib import Path
from typing import Any

import msgspec

from recollect.graph.types import Record

_HERE = Path(__file__).parent


class CommonNoun(Record, forbid_unknown_fields=True):
    """A common concept, explained in `concepts.toml`."""

    kinds: tuple[str, ...]
    words: tuple[str, ...]


class CommonRelation(Record, forbid_unknown_fields=True):
    """A common relation, explained in `concepts.toml`."""

    says: str
    verbs: tuple[str, ...]
    loose: bool = False


class DefaultType(Record, forbid_unknown_fields=True):
    """A default entity type, explained in `default_types.toml`."""

    description: str
    single: bool = False
    kinds: tuple[str, ...] = ()
    not_kinds: tuple[str, ...] = ()
    relations: tuple[str, ...] = ()
    attributes: tuple[str, ...] = ()


class DefaultEdge(Record, forbid_unknown_fields=True):
    """A default fact type, explained in `default_types.toml`."""

    description: str
    source: str | None = None
    target: str | None = None
    phrases: tuple[str, ...] = ()


class PreferenceWords(Record, forbid_unknown_fields=True):
    """How a preference and its category are recognised."""

    fan_words: tuple[str, ...]
    categories: dict[str, tuple[str, ...]]
    about: dict[str, str]


class ProcedureWords(Record, forbid_unknown_fields=True):
    """How a rule for the agent is recognised."""

    openings: tuple[str, ...]
    verbs: tuple[str, ...]
    case_fields: tuple[str, ...]
    rule_fields: tuple[str, ...]


class Defaults(Record, forbid_unknown_fields=True):
    """The whole of `default_types.toml`."""

    entity: dict[str, DefaultType]
    edge: dict[str, DefaultEdge]
    preference: PreferenceWords
    procedure: ProcedureWords


class Concepts(Record, forbid_unknown_fields=True):
    """The whole of `concepts.toml`."""

    noun: dict[str, CommonNoun]
    relation: dict[str, CommonRelation]
    forms: dict[str, str]


class FieldTables(Record, forbid_unknown_fields=True):
    """The whole of `fields.toml`."""

    values: dict[str, tuple[str, ...]]
    units: dict[str, tuple[str, ...]]
    evidence: dict[str, tuple[str, ...]]


def _read(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text(encoding="utf-8"))


DEFAULTS = msgspec.convert(_read(_HERE.parent / "default_types.toml"), Defaults)
CONCEPTS = msgspec.convert(_read(_HERE / "concepts.toml"), Concepts)
FIELDS = msgspec.convert(_read(_HERE / "fields.toml"), FieldTables)
FORMS = CONCEPTS.forms
