"""Features that clients write: added as direct facts, and corrected as facts are."""

import re
from uuid import UUID

import msgspec

from recollect.errors import InvalidInput
from recollect.graph import checks
from recollect.graph.predicates import Predicates
from recollect.graph.types import Access, Graph, Json, Record
from recollect.ingest import direct_features
from recollect.ingest.direct_features import Statement
from recollect.ingest.intake import Receipt
from recollect.limits import DIRECT_NAME_CHARS_MAX, EPISODE_CHARS_MAX, NAME_CHARS_MAX
from recollect.memories import feature_sets, features
from recollect.memories.feature_sets import FeatureSet
from recollect.store.protocol import Transaction
from recollect.subjects import knowledge
from recollect.subjects.knowledge import UNSET, FactChange

_UNNAMED = "HAS_FEATURE"  # of a feature whose name has no letter that relations are written with
_NOT_IN_NAMES = re.compile(r"[^A-Z0-9]+")


class NewFeature(Record):
    """A feature to be added to a set. *project* is what the set of a project is about."""

    set: FeatureSet
    project: str | None
    category: str
    tag: str
    name: str
    value: str
    metadata: Json | None = None
    citations: tuple[str, ...] = ()


class Correction(Record):
    """What of a feature changes; None stays. *vector* is that of the new value."""

    category: str | None = None
    tag: str | None = None
    name: str | None = None
    value: str | None = None
    metadata: Json | None = None
    vector: bytes | None = None


class Added(Record):
    """The id that a feature has once it is taken in, and the task of taking it in."""

    id: str
    receipt: Receipt


def relation_of(name: str) -> str:
    """The relation that a feature's name stands for: `favorite food` is FAVORITE_FOOD."""
    plain = _NOT_IN_NAMES.sub("_", name.upper()).strip("_")
    named = plain if not plain or plain[0].isalpha() else f"HAS_{plain}"
    return named[:DIRECT_NAME_CHARS_MAX].strip("_") or _UNNAMED


def check(new: NewFeature) -> None:
    """A feature within its bounds."""
    _check_texts(new.category, new.tag, new.name, new.value)
    _check_metadata("feature_metadata", new.metadata)
    for place, cited in enumerate(new.citations):
        _check_uuid(f"citations[{place}]", cited)


def _check_texts(
    category: str | None, tag: str | None, name: str | None, value: str | None
) -> None:
    given = {"category_name": category, "tag": tag, "feature": name}
    for field, text in given.items():
        if text is not None:
            checks.text(field, text, NAME_CHARS_MAX, required=True)
    if value is not None:
        checks.text("value", value, EPISODE_CHARS_MAX, required=True)


def _check_metadata(field: str, metadata: Json | None) -> None:
    for key, value in (metadata or {}).items():
        if key in features.OWN or not key.strip():
            raise InvalidInput(f"{field}: {key!r} cannot be a name here")
        if isinstance(value, dict | list):
            raise InvalidInput(f"{field}.{key}: must be a string, number, boolean or null")
    checks.json_object(field, metadata)


def _check_uuid(field: str, value: str) -> None:
    try:
        UUID(value)
    except ValueError as error:
        raise InvalidInput(f"{field}: must be a uuid") from error


def add(
    tx: Transaction, access: Access, graph: Graph, new: NewFeature, predicates: Predicates
) -> Added:
    """Append a checked feature to the log; it is there once that is read, in its turn."""
    cited = [str(UUID(uuid)) for uuid in dict.fromkeys(new.citations)]
    values = dict(new.set.tags)
    producer = values.pop(feature_sets.PRODUCER, None)
    same = [new.set.key, new.category, new.tag, new.name, new.value]
    statement = Statement(
        subject=feature_sets.subject(new.set) or new.project,
        name=relation_of(new.name),
        fact=new.value,
        kept_as=msgspec.json.encode(same).decode(),
        uuid=tx.new_id(),
        attributes=_attributes(new),
        metadata=values or None,
        producer=None if producer is None else str(producer),
        cites=direct_features.cited(tx, access, graph, cited),
    )
    receipt = direct_features.add(tx, access, graph, statement, predicates)
    return Added(id=statement.uuid, receipt=receipt)


def _attributes(new: NewFeature) -> Json:
    own = {
        features.CATEGORY: new.category,
        features.TAG: new.tag,
        features.NAME: new.name,
        features.SET: new.set.key,
    }
    known = {key: value for key, value in (new.metadata or {}).items() if value is not None}
    return {**known, **own}


def check_correction(change: Correction) -> None:
    """A correction within its bounds."""
    _check_texts(change.category, change.tag, change.name, change.value)
    _check_metadata("metadata", change.metadata)


def correct(tx: Transaction, access: Access, graph: Graph, uuid: str, change: Correction) -> None:
    """Correct a feature by hand; metadata merges."""
    wanted = features.fact_of(tx, access, graph, uuid).uuid
    own = {
        features.CATEGORY: change.category,
        features.TAG: change.tag,
        features.NAME: change.name,
    }
    attributes = {key: value for key, value in own.items() if value is not None}
    attributes |= change.metadata or {}
    knowledge.update_fact(
        tx,
        access,
        wanted,
        FactChange(
            name=UNSET if change.name is None else relation_of(change.name),
            fact=UNSET if change.value is None else change.value.strip(),
            vector=change.vector,
            attributes=attributes or UNSET,
        ),
    )
