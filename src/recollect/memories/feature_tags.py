"""What a fact is about, in one word, told by its relation and by what that leads to."""

import tomllib
from functools import cache
from pathlib import Path

import msgspec

from recollect.graph import predicates
from recollect.graph.types import Fact, Record
from recollect.ingest import direct

PROFILE = "profile"  # the category of what was learned, unless a client has one for its tag
OTHER = "other"
_TABLE = Path(__file__).with_name("feature_tags.toml")


class _Rule(Record, forbid_unknown_fields=True):
    relations: frozenset[str] = frozenset()
    begins: tuple[str, ...] = ()
    labels: frozenset[str] = frozenset()


@cache
def _rules() -> dict[str, _Rule]:
    table = tomllib.loads(_TABLE.read_text(encoding="utf-8"))
    return msgspec.convert(table, type=dict[str, _Rule])


def tag(fact: Fact) -> str:
    """The tag of a fact that nobody gave one."""
    name, _ = direct.relation(fact.name, predicates.load())  # DOES_NOT_LIKE is about what LIKES is
    by_relation = (
        word
        for word, rule in _rules().items()
        if name in rule.relations or name.startswith(rule.begins)
    )
    by_label = (
        word for word, rule in _rules().items() if not rule.labels.isdisjoint(fact.target_labels)
    )
    return next(by_relation, None) or next(by_label, OTHER)
