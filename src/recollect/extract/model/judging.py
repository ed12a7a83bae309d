"""What an answer says about known things, by the ids that were offered; any other id spoils it."""

from collections.abc import Iterator, Mapping
from typing import TypeVar

from recollect.errors import ModelAnswerInvalid
from recollect.extract.brief import ShownEntity, ShownFact
from recollect.extract.model.answer import AnswerFact
from recollect.extract.model.offer import Offer
from recollect.graph.found import Judgement, Verdict
from recollect.graph.gist import mark

_ECHO_CHARS_MAX = 12

T = TypeVar("T")


def entity(place: str, id_: str | None, some: Offer) -> ShownEntity | None:
    """The known entity that is meant; None when none is."""
    return None if id_ is None else _offered(place, id_, some.entities, "entity")


def judged(place: str, item: AnswerFact, some: Offer) -> tuple[Judgement, ...]:
    """What a fact does to known ones. What it says again it does not do away with as well; of two
    ways to do away with one fact the stronger counts."""
    found: dict[str, tuple[Verdict, ShownFact]] = {}
    for field, verdict, ids in _named(item):
        for number, id_ in enumerate(ids):
            at = f"{place}.{field}" if field == "same_as" else f"{place}.{field}[{number}]"
            fact = _offered(at, id_, some.facts, "fact")
            held = found.setdefault(id_.strip(), (verdict, fact))
            if "same" in {held[0], verdict} and held[0] != verdict:
                raise ModelAnswerInvalid(f"{at}: {_echo(id_)} is said to be the same as well")
    return tuple(one for verdict, fact in found.values() for one in _judgements(verdict, fact))


def _named(item: AnswerFact) -> Iterator[tuple[str, Verdict, list[str]]]:
    yield "same_as", "same", [] if item.same_as is None else [item.same_as]
    yield "corrects", "corrects", item.corrects
    yield "replaces", "replaces", item.replaces
    yield "ends", "ends", item.ends


def _judgements(verdict: Verdict, fact: ShownFact) -> Iterator[Judgement]:
    """Of several facts in the same words one is said again, but all of them end."""
    said = mark(fact.sentence)
    for uuid in (fact.uuid,) if verdict == "same" else (fact.uuid, *fact.twins):
        yield Judgement(fact=uuid, mark=said, verdict=verdict)


def shown(some: Offer) -> tuple[str, ...]:
    """The marks of all facts that were offered."""
    return tuple(dict.fromkeys(mark(fact.sentence) for fact in some.facts.values()))


def _offered(place: str, id_: str, known: Mapping[str, T], what: str) -> T:
    found = known.get(id_.strip())
    if found is None:
        offered = f"one of {len(known)} that were" if known else "any: none was"
        raise ModelAnswerInvalid(f"{place}: {_echo(id_)} is no known {what}, not {offered} shown")
    return found


def _echo(id_: str) -> str:
    """An id as it was given, if it looks like one: an answer may hold anything in its place."""
    id_ = id_.strip()
    return repr(id_) if id_.isalnum() and len(id_) <= _ECHO_CHARS_MAX else "what it gives"
