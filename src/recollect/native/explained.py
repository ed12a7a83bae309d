"""Searches and contexts explained: the parts of each score, where a missed fact was dropped, the exact text,
and what was found but left out.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Literal, cast

import msgspec

from recollect.api.router import Call, Route
from recollect.app import context, explanations
from recollect.app.context import UserBlock
from recollect.compat.zep import translate_search
from recollect.compat.zep.wire import search as search_wire
from recollect.context.lines import line
from recollect.errors import InvalidInput
from recollect.graph.types import Fact, Item
from recollect.limits import SEARCH_QUERY_CHARS_MAX
from recollect.native import facts
from recollect.search import answers
from recollect.search.explain import ScoreBreakdown, SearchOutcome
from recollect.search.kinds import KINDS, kind_of
from recollect.search.query import Hit, Query

_WIDER = {"mmr": 4, "node_distance": 4, "episode_mentions": 4, "cross_encoder": 2, "rrf": 2}


class ExplainSearch(search_wire.Search, forbid_unknown_fields=True):
    """A search of one scope; *fact_uuid* is a fact that one misses among what it finds."""

    fact_uuid: str | None = None


class ScoreParts(msgspec.Struct, kw_only=True):
    """What a fused score is made of, before it is brought between 0 and 1. *fresh* is taken off by
    something newer, or by a doubt."""

    place: int
    score: float
    parts: dict[str, float]
    fresh: float


class ExplainedHit(msgspec.Struct, kw_only=True):
    """Something found; *weighed* is null where only a part of the question found it."""

    uuid: str
    text: str
    score: float
    relevance: float | None
    weighed: ScoreParts | None
    fact: facts.ToldFact | None


class SearchStep(msgspec.Struct, kw_only=True):
    """A step on the way into an answer: whether something took it, and why not."""

    name: str
    passed: bool
    why: str


class MissedFact(msgspec.Struct, kw_only=True):
    """A fact and its way: it was found, or the last step says where it fell out."""

    fact: facts.ToldFact | None
    found: bool
    steps: list[SearchStep]
    weighed: ScoreParts | None


class ExplainedSearch(msgspec.Struct, kw_only=True):
    """What a search finds, best first, with reasons."""

    hits: list[ExplainedHit]
    put_forward: int | None
    missed: MissedFact | None


async def explain(call: Call) -> ExplainedSearch:
    """What a search finds and why; and where a fact that one misses fell out. Scope `auto` is many
    searches at once and is not explained."""
    sent: ExplainSearch = call.body
    scope = translate_search.scope(sent)
    if scope == translate_search.AUTO:
        raise InvalidInput("scope: auto cannot be explained; name one scope")
    graph_id = sent.graph_id if sent.graph_id is not None else sent.group_id
    where = await explanations.search_scope(
        call.services, call.access, sent.user_id, graph_id, sent.fact_uuid
    )
    query = translate_search.question(
        sent,
        translate_search.KINDS[scope],
        translate_search.filters(sent, scope),
        chars_max=SEARCH_QUERY_CHARS_MAX,
        now=call.services.clock(),
        time_zone=where.time_zone,
    )
    reasons = await explanations.explain(call.services, call.access, where, query)
    if reasons is None:
        return ExplainedSearch(hits=[], put_forward=None, missed=None)
    hits, standing = reasons.hits, reasons.standing
    return ExplainedSearch(
        hits=[_hit(query, hit, reasons.weighed) for hit in hits],
        put_forward=None if standing is None else standing.put_forward,
        missed=None if sent.fact_uuid is None else _missed(query, hits, where.missed, standing),
    )


def _parts(found: ScoreBreakdown | None) -> ScoreParts | None:
    if found is None:
        return None
    return ScoreParts(place=found.place, score=found.score, parts=found.parts, fresh=found.fresh)


def _hit(query: Query, hit: Hit[Any], weighed: Mapping[int, ScoreBreakdown]) -> ExplainedHit:
    item = hit.item
    return ExplainedHit(
        uuid=item.uuid,
        text=KINDS[query.kind].text(item),
        score=hit.score,
        relevance=hit.relevance,
        weighed=_parts(weighed.get(item.id)),
        fact=facts.fact(item) if isinstance(item, Fact) else None,
    )


def _missed(
    query: Query, hits: list[Hit[Any]], fact: Fact | None, standing: SearchOutcome | None
) -> MissedFact:
    shown = fact is not None and any(hit.item.uuid == fact.uuid for hit in hits)
    steps = list(_steps(query, standing, shown=shown))
    return MissedFact(
        fact=None if fact is None else facts.fact(fact),
        found=shown,
        steps=steps,
        weighed=_parts(None if standing is None else standing.weighed),
    )


def _steps(query: Query, standing: SearchOutcome | None, *, shown: bool) -> list[SearchStep]:
    """The steps towards the answer, up to the one where the fact was dropped."""
    if query.kind != "fact":
        return [SearchStep(name="scope", passed=False, why="only scope edges finds facts")]
    steps: list[SearchStep] = []

    def step(name: str, why: str, *, passed: bool) -> bool:
        steps.append(SearchStep(name=name, passed=passed, why=why))
        return passed

    there = standing is not None and standing.there
    if standing is None or not step(
        "there",
        "the graph holds it" if there else "no such fact in this graph, or the key may not see it",
        passed=there,
    ):
        return steps or [SearchStep(name="there", passed=False, why="no such fact in this graph")]
    kept_out = standing.kept_out_by
    if not step(
        "filters",
        f"kept out by {', '.join(kept_out)}" if kept_out else "no filter keeps it out",
        passed=not kept_out,
    ):
        return steps
    why = "the question asks for more than a profile, and only a profile tells it"
    if not standing.asked_for:
        step("asked for", why, passed=False)
        return steps
    weighed = standing.weighed
    if weighed is None:
        why = f"{standing.put_forward} others are nearer in words or meaning"
        step("put forward", why, passed=False)
        return steps
    step("put forward", f"one of {standing.put_forward} that were scored", passed=True)
    looked_at = (
        answers.candidates(query)
        if answers.reads(query)
        else query.limit * _WIDER.get(query.reranker or "", 1)
    )
    why = f"place {weighed.place} by the fused score; the first {looked_at} are looked at"
    if not step("score", why, passed=shown or weighed.place <= looked_at):
        return steps
    step("answer", "it is in the answer" if shown else _late(query, weighed), passed=shown)
    return steps


def _late(query: Query, weighed: ScoreBreakdown) -> str:
    if query.score_min is not None and query.reranker is None:
        return f"its score {weighed.score:.2f} is below min_score {query.score_min}"
    order = "reading them with the question" if query.reranker is None else query.reranker
    return f"{order} puts {query.limit} others before it"


Section = Literal[
    "USER_SUMMARY", "FACTS", "ENTITIES", "OBSERVATIONS", "THREAD_SUMMARIES", "EPISODES"
]
_WORSE = "fits much worse than the best"


class ExplainContext(msgspec.Struct):
    """How many characters the block may have; the rest is as an agent asks."""

    max_characters: int | None = None


class LeftOutOfContext(msgspec.Struct):
    """Something that was found and is not told: the line it would have been, and why it is none."""

    section: Section
    uuid: str
    line: str
    why: str


class ExplainedContext(msgspec.Struct):
    """The exact text that an agent gets, what it was searched for with, and what is not in it."""

    context: str
    asked: str
    left_out: list[LeftOutOfContext]


async def explain_context(call: Call) -> ExplainedContext:
    """The context block of a thread as an agent gets it, and what was left out of it and why."""
    made = await context.explained_block(
        call.services,
        call.access,
        call.path["thread_id"],
        max_characters=call.query.max_characters,
    )
    return ExplainedContext(
        context=made.block.text, asked=made.asked, left_out=list(_left_out(made))
    )


def _left_out(made: UserBlock) -> Iterator[LeftOutOfContext]:
    for one in made.block.left_out:
        yield _shown(one.section, one.item, one.why)
    kept = {hit.item.uuid for hit in made.found}
    for hit in made.candidates:
        if hit.item.uuid not in kept:
            yield _shown(KINDS[kind_of(hit.item)].section, hit.item, _WORSE)


def _shown(section: str, item: Item, why: str) -> LeftOutOfContext:
    return LeftOutOfContext(
        section=cast(Section, section), uuid=item.uuid, line=line(item), why=why
    )


ROUTES = [
    Route(
        "POST",
        "/api/v1/search/explain",
        "graph.search",
        explain,
        "Search a graph, with reasons",
        body=ExplainSearch,
        reads=True,
    ),
    Route(
        "GET",
        "/api/v1/threads/{thread_id}/context",
        "thread.get_user_context",
        explain_context,
        "Get the context block of a thread, with what was left out",
        query=ExplainContext,
    ),
]
