"""Judges what new facts do to similar facts that are not over, where the reader did not say.

For each new fact, the facts nearest in meaning that are not over are looked up, including plans and
facts whose end lies ahead. If one of them may well be over, a judge that sees only the two sentences
says whether it still holds. Its verdict is stored with the reading, so that a fold needs no judge. An
episode may close what an earlier one said that is not learned yet; then the earlier one is learned first.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple, Protocol

import numpy as np
from msgspec.structs import replace

from recollect.extract.brief import Extracted
from recollect.governance import policies
from recollect.graph.found import Judgement
from recollect.graph.gist import mark
from recollect.graph.types import Access, Episode, Fact, Graph
from recollect.graph.visibility import Constraint, Visibility, values
from recollect.ingest.known import everyone
from recollect.limits import (
    JUDGED_ALIKE_MIN,
    JUDGED_FACTS_MAX,
    JUDGED_NEAR_MAX,
)
from recollect.models.judge import Opinion, Pair, setting, worth_reading
from recollect.records import episodes
from recollect.search.columns import Floats
from recollect.search.finder import Finder
from recollect.search.query import Hit
from recollect.store import rows
from recollect.store.protocol import Store, Transaction

_Verdicts = dict[tuple[int, int], dict[str, Judgement]]


class Judge(Protocol):
    """Says what the newer of two sentences does to the older one."""

    async def judge(self, pairs: Sequence[Pair]) -> list[Opinion]:
        """One opinion for each pair, in order."""


class Read(NamedTuple):
    """An episode and what was found in it."""

    episode: Episode
    extracted: Extracted


class _New(NamedTuple):
    """A new fact that may close others.

    *place* is the index of its episode in this batch, *number* its own among the facts found there;
    *at* is when it begins to hold, *told* when it was said.
    """

    place: int
    number: int
    text: str
    owner: str
    vector: Floats
    at: datetime
    told: datetime


class _Old(NamedTuple):
    """A sentence that a new one is compared with.

    *facts* are the facts of the graph with this sentence; none if it comes from the same batch.
    """

    text: str
    owner: str
    alike: float
    at: datetime | None
    facts: tuple[Fact, ...] = ()


class _Case(NamedTuple):
    """A new fact, and the sentences it is compared with, each with the pair for the judge."""

    new: _New
    held: Sequence[tuple[_Old, Pair]]


def _case(new: _New, near: Sequence[_Old]) -> _Case:
    """A case with only those near sentences that may well be over, because judging a pair is expensive."""
    nearest = max((old.alike for old in near), default=0.0)
    pairs = [_pair(new, old, nearest) for old in near]
    places = worth_reading(pairs, setting(), JUDGED_NEAR_MAX)
    return _Case(new, [(near[place], pairs[place]) for place in places])


def _pair(new: _New, old: _Old, nearest: float) -> Pair:
    days = (new.at - old.at).total_seconds() / 86_400 if old.at else 0.0
    owners = f"{old.owner} {new.owner}"
    return Pair(old.text, new.text, owners, old.alike, old.alike - nearest, days)


async def one_judged(
    store: Store, finder: Finder, judge: Judge, episode: Episode, extracted: Extracted
) -> Extracted:
    """A reading of one episode with what it does to facts that its reader was not shown."""
    place = await store.glance(place_of, episode.graph_id)
    if place is None:
        return extracted
    (found,) = await judged(store, finder, place, [Read(episode, extracted)], judge)
    return found


class Place(NamedTuple):
    """A graph, and the metadata keys that policies of its project guard."""

    project_id: int
    graph: Graph
    guarded: frozenset[str]

    def access(self, episode: Episode) -> Access:
        """An access that sees only facts with the episode's own values for the guarded keys.

        Other facts are hidden from some who see the episode, and must not reveal their existence.
        """
        if not self.guarded:
            return everyone(self.project_id)
        own = values(episode.metadata, self.guarded)
        same = tuple((key, frozenset(own.get(key, ()))) for key in sorted(self.guarded))
        visibility = Visibility(allowed=(Constraint(required=same),))
        return replace(everyone(self.project_id), visibility=visibility)


def place_of(tx: Transaction, graph_id: int) -> Place | None:
    """A graph to judge in; None if it is gone."""
    row = tx.graphs.by_id(id=graph_id)
    if row is None:
        return None
    project_id = row.project_id
    return Place(project_id, rows.graph(row), policies.guarded(tx, project_id))


async def judged(
    store: Store, finder: Finder, place: Place, read: Sequence[Read], judge: Judge
) -> list[Extracted]:
    """The readings of the first of these episodes, with what their facts do to known ones.

    All of them, or those before the first episode that closes what another of them says.
    """
    cases = await _cases(store, finder, place, read)
    pairs = list(dict.fromkeys(pair for case in cases for _, pair in case.held))
    opinions = dict(zip(pairs, await judge.judge(pairs) if pairs else (), strict=True))
    verdicts: _Verdicts = {}
    end = len(read)
    for case in cases:
        said = [(old, opinions[pair]) for old, pair in case.held]
        if any(not old.facts and one.sure >= setting().doubt for old, one in said):
            end = min(end, case.new.place)
        known = verdicts.setdefault((case.new.place, case.new.number), {})
        for one in _judgements(case.new, said):
            known.setdefault(one.fact, one)
    return [_with(item.extracted, place, verdicts) for place, item in enumerate(read[:end])]


async def _cases(store: Store, finder: Finder, place: Place, read: Sequence[Read]) -> list[_Case]:
    """Each new fact with the sentences it is compared with, in order."""
    seen_by = [place.access(item.episode) for item in read]
    new = [one for number, item in enumerate(read) for one in _new(number, item)]
    found: dict[int, _Case] = {}
    for access in dict.fromkeys(seen_by):
        some = [at for at, one in enumerate(new) if seen_by[one.place] == access]
        beside = [new[at] for at in some]
        vectors, told = [one.vector for one in beside], [one.told for one in beside]
        near = await finder.nearest(access, place.graph, vectors, told, JUDGED_FACTS_MAX)
        said = await _said(store, place, access, list(zip(beside, near, strict=True)))
        for at, hits in zip(some, near, strict=True):
            known = _known(new[at], hits, read[new[at].place], said)
            found[at] = _case(new[at], [*known, *_beside(new[at], beside)])
    return [found[at] for at in range(len(new))]


def _new(place: int, item: Read) -> Iterator[_New]:
    """The facts of an episode that hold now: no wishes, and nothing that was already over."""
    episode, extracted = item
    at = episode.created_at
    both = zip(extracted.found.facts, extracted.fact_vectors, strict=True)
    for number, (fact, packed) in enumerate(both):
        over = fact.invalid_at is not None and fact.invalid_at <= at and not fact.ends
        if packed is not None and fact.mood == "stated" and not over:
            owner = extracted.found.entities[fact.source].name
            since = max(at, fact.valid_at or at)
            yield _New(place, number, fact.fact, owner, _vector(packed), since, at)


def _vector(packed: bytes) -> Floats:
    return np.frombuffer(packed, np.float16).astype(np.float32)


async def _said(
    store: Store, place: Place, access: Access, near: Sequence[tuple[_New, Sequence[Hit[Fact]]]]
) -> dict[str, datetime]:
    """When the episodes behind facts that begin later than the new ones were said, by uuid.

    A plan is said before it begins, and an episode that comes late may be about an earlier time.
    """
    later = (hit.item for new, hits in near for hit in hits if _begins_after(hit.item, new.at))
    uuids = list(dict.fromkeys(uuid for fact in later for uuid in fact.episodes))
    told = await store.read(episodes.by_uuids, access, place.graph, uuids) if uuids else []
    return {episode.uuid: episode.created_at for episode in told}


def _begins_after(fact: Fact, at: datetime) -> bool:
    return fact.valid_at is not None and fact.valid_at > at


def _known(
    new: _New, near: Sequence[Hit[Fact]], item: Read, said: Mapping[str, datetime]
) -> list[_Old]:
    """The nearest sentences of facts that are not over, were said by then and not shown to the reader."""
    shown, own = frozenset(item.extracted.found.shown), [item.episode.uuid]
    by_then = {uuid for uuid, at in said.items() if at <= new.told}
    found: dict[str, list[Hit[Fact]]] = {}
    for hit in near:
        fact = hit.item
        told = not _begins_after(fact, new.at) or not by_then.isdisjoint(fact.episodes)
        told &= fact.episodes != own
        if told and hit.score >= JUDGED_ALIKE_MIN and mark(fact.fact) not in shown:
            found.setdefault(fact.fact, []).append(hit)
    return [_old([hit.item for hit in hits], hits[0].score) for hits in found.values()]


def _old(facts: Sequence[Fact], alike: float) -> _Old:
    first = facts[0]
    at = first.valid_at or first.created_at
    return _Old(first.fact, first.source_name, round(alike, 4), at, tuple(facts))


def _beside(new: _New, others: Sequence[_New]) -> list[_Old]:
    """The nearest facts of earlier episodes in the same batch."""
    earlier = (one for one in others if one.place < new.place and one.told <= new.told)
    alike = ((float(one.vector @ new.vector), one) for one in earlier)
    near = sorted((one for one in alike if one[0] >= JUDGED_ALIKE_MIN), key=lambda one: -one[0])
    return [
        _Old(one.text, one.owner, round(score, 4), one.at) for score, one in near[:JUDGED_FACTS_MAX]
    ]


def _judgements(new: _New, said: Sequence[tuple[_Old, Opinion]]) -> Iterator[Judgement]:
    """Judgements of facts that are over, and of facts that may be."""
    for old, one in said:
        if one.sure >= setting().sure or (one.sure >= setting().doubt and _concerns(new, old)):
            yield from (_judgement(fact, one) for fact in old.facts)


def _concerns(new: _New, old: _Old) -> bool:
    """Whether a new fact may be about the owner of the older one.

    What someone else does casts no doubt, unless it mentions that owner. An owner without a proper name
    may be anyone.
    """
    named = old.owner[:1].isupper() and new.owner[:1].isupper()
    return not named or old.owner == new.owner or old.owner.split()[0] in new.text


def _judgement(fact: Fact, one: Opinion) -> Judgement:
    return Judgement(
        fact=fact.uuid,
        mark=mark(fact.fact),
        verdict=one.verdict if one.sure >= setting().sure else "doubts",
        sure=round(one.sure, 3),
        by=setting().version,
    )


def _with(extracted: Extracted, place: int, verdicts: _Verdicts) -> Extracted:
    """A reading with the judge's verdicts."""
    facts = tuple(
        replace(fact, judged=(*fact.judged, *verdicts.get((place, number), {}).values()))
        for number, fact in enumerate(extracted.found.facts)
    )
    return replace(extracted, found=replace(extracted.found, facts=facts))
