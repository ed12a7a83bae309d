"""Turns a model's answer into findings. An answer is accepted as a whole or not at all."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, TypeVar

import msgspec

from recollect.errors import ModelAnswerInvalid
from recollect.extract.brief import Brief, ShownEntity, ShownFact
from recollect.extract.llm import material, values
from recollect.extract.llm.answer import Answer, AnswerEntity, AnswerFact
from recollect.extract.llm.material import Offer
from recollect.graph.found import (
    EntityRef,
    Found,
    FoundEntity,
    FoundFact,
    Judgement,
    Verdict,
)
from recollect.graph.gist import mark
from recollect.graph.predicates import Predicates
from recollect.graph.types import Json
from recollect.limits import NAME_CHARS_MAX
from recollect.records.guidance import EdgeType, EntityType

Who = Literal["user", "assistant"]
_ITEMS_MAX = 1_000
_SENTENCE_CHARS_MAX = 2_000
_RELATION_CHARS_MAX = 100
_CONFIDENCE_QUOTED = 1.0
_CONFIDENCE_UNQUOTED = 0.5
_ECHO_CHARS_MAX = 12


def party_of(name: str, reading: Brief) -> Who | None:
    """Whether a name means the user or the assistant."""
    folded = _fold(name)
    if folded in _user_names(reading):
        return "user"
    if folded == "assistant" or (
        reading.role == "assistant" and reading.speaker and folded == _fold(reading.speaker)
    ):
        return "assistant"
    return None


def _user_names(reading: Brief) -> set[str]:
    user = reading.user
    if user is None:
        return set()
    full = f"{user.first_name or ''} {user.last_name or ''}"
    names = (user.name, full, user.first_name, user.email, user.user_id, "user", "the user")
    return {_fold(name) for name in names if name and name.strip()}


def _fold(name: str) -> str:
    return " ".join(name.split()).casefold()


def interpret(answer: Answer, reading: Brief, table: Predicates, *, extractor: str) -> Found:
    """The findings of an answer; ModelAnswerInvalid names the offending field."""
    for name, items in (("entities", answer.entities), ("facts", answer.facts)):
        if len(items) > _ITEMS_MAX:
            raise ModelAnswerInvalid(f"{name}: {len(items)}, more than {_ITEMS_MAX}")
    some = material.offered(reading, table)
    kinds = values.entity_types(reading.guidance)
    entities = [
        _entity(f"entities[{number}]", item, reading, kinds, some)
        for number, item in enumerate(answer.entities)
    ]
    edges = values.edge_types(reading.guidance)
    facts = [
        _fact(f"facts[{number}]", item, entities, reading, edges, table, some)
        for number, item in enumerate(answer.facts)
    ]
    if reading.strict:
        wanted = edges if reading.guidance.ontology.edge_types else {}
        entities, facts = _only_typed(entities, facts, kinds, wanted)
    return Found(
        entities=tuple(entities),
        facts=tuple(facts),
        extractor=extractor,
        shown=shown_marks(some),
    )


def _entity(
    place: str, item: AnswerEntity, reading: Brief, kinds: dict[str, EntityType], some: Offer
) -> FoundEntity:
    known = known_entity(f"{place}.known_id", item.known_id, some)
    name = _text(f"{place}.name", item.name, NAME_CHARS_MAX)
    rename = _text(f"{place}.rename_to", item.rename_to, NAME_CHARS_MAX) if item.rename_to else None
    aliases = [
        _text(f"{place}.aliases", alias, NAME_CHARS_MAX) for alias in item.aliases if alias.strip()
    ]
    who = party_of(name, reading) if known is None else known.who
    if who == "user" and reading.user is not None:
        aliases, name = [name, *aliases], reading.user.name
    type_ = _type_of(item.label, who, kinds)
    return FoundEntity(
        name=name,
        kind="person" if who == "user" else item.kind,
        label=type_.name if type_ else None,
        # "user" refers to the user, but it is not a name.
        aliases=tuple(
            alias for alias in dict.fromkeys(aliases) if alias != name and not _generic(alias)
        ),
        who=who,
        attributes=values.typed_attributes(item.attributes, type_.properties) if type_ else None,
        known=None if known is None else EntityRef(uuid=known.uuid, name=known.first),
        rename=None if rename == (known.name if known else name) else rename,
    )


def _generic(alias: str) -> bool:
    return alias.casefold() in {"user", "the user", "assistant", "the assistant"}


def _type_of(label: str | None, who: Who | None, kinds: dict[str, EntityType]) -> EntityType | None:
    """The type with that name. The types "User" and "Assistant" are only for those two."""
    own = {"user": "User", "assistant": "Assistant"}
    if who is not None and own[who] in kinds:
        return kinds[own[who]]
    wanted = (label or "").strip().casefold()
    found = next((kind for name, kind in kinds.items() if name.casefold() == wanted), None)
    return None if found is None or found.name in own.values() else found


def _fact(
    place: str,
    item: AnswerFact,
    entities: Sequence[FoundEntity],
    reading: Brief,
    edges: dict[str, EdgeType],
    table: Predicates,
    some: Offer,
) -> FoundFact:
    source, target = _ends(place, item, len(entities))
    type_ = _edge_type(item.relation, entities[source], entities[target], edges)
    name = type_.name if type_ else _relation(place, item)
    span = values.quote_span(item.quote, reading.content)
    return FoundFact(
        source=source,
        target=target,
        name=name,
        predicate=values.predicate_of(name, table),
        fact=_text(f"{place}.sentence", item.sentence, _SENTENCE_CHARS_MAX),
        negated=item.negated or values.is_negated(name),
        ends=item.stopped,
        mood=item.mood,
        slot=(item.slot or None) if reading.kind == "json" else None,
        attributes=_edge_fields(item, type_),
        span=span,
        confidence=_CONFIDENCE_UNQUOTED if span is None else _CONFIDENCE_QUOTED,
        rating=_rating(place, item, reading),
        judged=judgements(place, item, some),
        **_times(place, item, reading),
    )


def _ends(place: str, item: AnswerFact, count: int) -> tuple[int, int]:
    target = item.source if item.target is None else item.target
    for side, number in (("source", item.source), ("target", target)):
        if not 0 <= number < count:
            raise ModelAnswerInvalid(f"{place}.{side}: {number} is none of {count} entities")
    return item.source, target


def _edge_type(
    relation: str, source: FoundEntity, target: FoundEntity, edges: dict[str, EdgeType]
) -> EdgeType | None:
    wanted = values.spell_relation(relation)
    found = next(
        (type_ for name, type_ in edges.items() if values.spell_relation(name) == wanted), None
    )
    return found if found and wanted and values.type_fits(found, source, target) else None


def _edge_fields(item: AnswerFact, type_: EdgeType | None) -> Json | None:
    return values.typed_attributes(item.attributes, type_.properties) if type_ else None


def _relation(place: str, item: AnswerFact) -> str:
    name = values.spell_relation(item.relation)
    if name is None or len(name) > _RELATION_CHARS_MAX:
        raise ModelAnswerInvalid(f"{place}.relation: cannot be spelled in SCREAMING_SNAKE_CASE")
    return f"NOT_{name}" if item.negated and not values.is_negated(name) else name


def _times(place: str, item: AnswerFact, reading: Brief) -> Json:
    valid_at = values.parse_time(f"{place}.valid_at", item.valid_at, reading)
    invalid_at = values.parse_time(f"{place}.invalid_at", item.invalid_at, reading)
    if valid_at is not None and invalid_at is not None:
        if invalid_at < valid_at:
            raise ModelAnswerInvalid(f"{place}.invalid_at: is before valid_at")
        if invalid_at == valid_at:
            # A momentary event, such as a visit: it has a time but no end.
            invalid_at = None
    dated = valid_at is not None and valid_at != reading.at
    event_at = values.parse_time(f"{place}.event_time", item.event_time, reading)
    if event_at is not None and event_at == valid_at:
        # A past event never ends. For a future one, the event time only repeats valid_at.
        event_at, invalid_at = (event_at, None) if event_at <= reading.at else (None, invalid_at)
    return {"valid_at": valid_at, "invalid_at": invalid_at, "dated": dated, "event_at": event_at}


def _rating(place: str, item: AnswerFact, reading: Brief) -> float | None:
    if reading.guidance.rating is None or item.rating is None:
        return None
    if not 0 <= item.rating <= 1:
        raise ModelAnswerInvalid(f"{place}.rating: must be between 0 and 1")
    return item.rating


def _text(place: str, value: str, chars_max: int) -> str:
    text = " ".join(value.split())
    if not text:
        raise ModelAnswerInvalid(f"{place}: must not be empty")
    if len(text) > chars_max:
        raise ModelAnswerInvalid(f"{place}: {len(text)} characters, more than {chars_max}")
    return text


def _only_typed(
    entities: Sequence[FoundEntity],
    facts: Sequence[FoundFact],
    kinds: dict[str, EntityType],
    edges: dict[str, EdgeType],
) -> tuple[list[FoundEntity], list[FoundFact]]:
    """What a strict ontology admits (I14): typed entities, and, if it has fact types, facts of them."""
    kept = [
        number
        for number, entity in enumerate(entities)
        if kinds and (entity.label is not None or entity.who is not None)
    ]
    moved = {old: new for new, old in enumerate(kept)}
    return [entities[number] for number in kept], [
        msgspec.structs.replace(fact, source=moved[fact.source], target=moved[fact.target])
        for fact in facts
        if fact.source in moved
        and fact.target in moved
        and (not edges or _typed(fact, entities, edges))
    ]


def _typed(fact: FoundFact, entities: Sequence[FoundEntity], edges: dict[str, EdgeType]) -> bool:
    type_ = edges.get(fact.name)
    return type_ is not None and values.type_fits(
        type_, entities[fact.source], entities[fact.target]
    )


T = TypeVar("T")


def known_entity(place: str, id_: str | None, some: Offer) -> ShownEntity | None:
    """The known entity with that id, if one is given."""
    return None if id_ is None else _by_id(place, id_, some.entities, "entity")


def judgements(place: str, item: AnswerFact, some: Offer) -> tuple[Judgement, ...]:
    """What a fact does to known facts.

    It cannot both repeat a fact and close it. Of several ways to close a fact, the strongest counts.
    """
    found: dict[str, tuple[Verdict, ShownFact]] = {}
    for field, verdict, ids in _named_ids(item):
        for number, id_ in enumerate(ids):
            at = f"{place}.{field}" if field == "same_as" else f"{place}.{field}[{number}]"
            fact = _by_id(at, id_, some.facts, "fact")
            held = found.setdefault(id_.strip(), (verdict, fact))
            if "same" in {held[0], verdict} and held[0] != verdict:
                raise ModelAnswerInvalid(f"{at}: {_echo(id_)} is said to be the same as well")
    return tuple(one for verdict, fact in found.values() for one in _judgements(verdict, fact))


def _named_ids(item: AnswerFact) -> Iterator[tuple[str, Verdict, list[str]]]:
    yield "same_as", "same", [] if item.same_as is None else [item.same_as]
    yield "corrects", "corrects", item.corrects
    yield "replaces", "replaces", item.replaces
    yield "ends", "ends", item.ends


def _judgements(verdict: Verdict, fact: ShownFact) -> Iterator[Judgement]:
    """One judgement for "same"; any other verdict applies to all facts with the same wording."""
    said = mark(fact.sentence)
    for uuid in (fact.uuid,) if verdict == "same" else (fact.uuid, *fact.twins):
        yield Judgement(fact=uuid, mark=said, verdict=verdict)


def shown_marks(some: Offer) -> tuple[str, ...]:
    """The marks of all facts that were shown."""
    return tuple(dict.fromkeys(mark(fact.sentence) for fact in some.facts.values()))


def _by_id(place: str, id_: str, known: Mapping[str, T], what: str) -> T:
    found = known.get(id_.strip())
    if found is None:
        offered = f"one of {len(known)} that were" if known else "any: none was"
        raise ModelAnswerInvalid(f"{place}: {_echo(id_)} is no known {what}, not {offered} shown")
    return found


def _echo(id_: str) -> str:
    """The id as given, if it looks like an id: an answer may contain any text there."""
    id_ = id_.strip()
    return repr(id_) if id_.isalnum() and len(id_) <= _ECHO_CHARS_MAX else "what it gives"
