"""The tables of the search bench."""

import statistics
from collections.abc import Iterator, Sequence

import numpy as np

from tests.bench import recall
from tests.bench.cases import Case, Plan
from tests.bench.clients import TOGETHER, Answers
from tests.bench.floor import Cold, Parts

_HTTP_GOAL = {10_000: 2.0, 100_000: 2.0}
_RANKED_GOAL = {10_000: 1.5, 100_000: 5.0}
_RECALL_MAX = 100_000


def _middle(values: Iterator[float] | Sequence[float]) -> float:
    return statistics.median(values)


def searches(cases: Sequence[Case]) -> None:
    """Waits over HTTP, against the floor."""
    print(
        "| search over HTTP | clients | p50 ms | p95 | p99 | per second | server CPU ms |", end=""
    )
    print(" client CPU ms | p50 of the floor's | CPU of the floor's | goal |")
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    for case in cases:
        for clients, rounds in ((1, case.alone), (TOGETHER, case.together)):
            waits = [wait for answers in rounds for wait in answers.waits]
            p50, p95, p99 = (float(np.percentile(waits, share)) for share in (50, 95, 99))
            wall, cpu = _ratios(case, rounds)
            goal = _HTTP_GOAL.get(case.facts) if clients == 1 and case.scope == "edges" else None
            print(
                f"| {case.title} | {clients} | {p50:.1f} | {p95:.1f} | {p99:.1f} "
                f"| {_middle([a.per_s for a in rounds]):.0f} "
                f"| {_middle([a.server_cpu for a in rounds]):.1f} "
                f"| {_middle([_middle(a.client_cpu) for a in rounds]):.1f} "
                f"| {wall:.2f} | {cpu:.2f} | {f'≤ {goal:g}' if goal else ''} |"
            )
    for told, wrong in (("found nothing", 0), ("failed", -1)):
        counts = {c.title: sum(a.found.count(wrong) for a in c.alone + c.together) for c in cases}
        listed = ", ".join(f"{count} in {title}" for title, count in counts.items() if count)
        if listed:
            print(f"\nSearches that {told}: {listed}.")


def _ratios(case: Case, rounds: Sequence[Answers]) -> tuple[float, float]:
    """Medians over the rounds: of the wait, and of the server's CPU time, to the floor's."""
    wall, cpu = [], []
    for answers, floor in zip(rounds, case.floor, strict=True):
        wall.append(
            _middle(answers.waits) / _middle([p.embedding.wall + p.bare.wall for p in floor])
        )
        cpu.append(answers.server_cpu / _middle([p.embedding.cpu + p.bare.cpu for p in floor]))
    return _middle(wall), _middle(cpu)


def parts(cases: Sequence[Case]) -> None:
    """What the parts of a search cost in process."""
    print("\n| in process, ms: clock (CPU) | embedding | bare scan and postings |", end="")
    print(" getting the question ready | ranking | ranking of bare, CPU | goal, ranking |")
    print("|---|---|---|---|---|---|---|")
    for case in cases:
        asked = [one for floor in case.floor for one in floor]
        cells = []
        for name in Parts._fields:
            took = [getattr(one, name) for one in asked]
            cells.append(
                f"{_middle([t.wall for t in took]):.2f} ({_middle([t.cpu for t in took]):.2f})"
            )
        ratio = _middle([one.ranked.cpu / one.bare.cpu for one in asked])
        goal = _RANKED_GOAL.get(case.facts) if case.scope == "edges" else None
        told = f"≤ {goal:g}" if goal else ""
        print(f"| {case.title} | {' | '.join(cells)} | {ratio:.2f} | {told} |")


def cold(
    facts: int, inside: dict[str, list[Cold]], outside: dict[str, list[tuple[float, int]]]
) -> None:
    """First searches, and the memory that a graph takes."""
    print(
        f"\n| first search of a graph of {facts:,} facts | in process, without the embedding, ms |",
        end="",
    )
    print(" CPU ms | over HTTP, embedder loaded, ms | goal, without the embedding |")
    print("|---|---|---|---|---|")
    for source in inside:
        print(
            f"| from its {source} | {_middle([one.wall for one in inside[source]]):.0f} "
            f"| {_middle([one.cpu for one in inside[source]]):.0f} "
            f"| {_middle([wait for wait, _ in outside[source]]):.0f} | ≤ 100 |"
        )
    counted = inside["rows"][0].bytes / facts
    grown = max(one.resident for one in inside["rows"]) / facts
    served = {source: _middle([more for _, more in outside[source]]) / facts for source in outside}
    print(
        f"\nBytes per fact, with its share of entities and episodes: counted {counted:.0f}; ",
        end="",
    )
    print(
        f"resident {grown:.0f} in process, in the server {served['rows']:.0f} from rows and ",
        end="",
    )
    print(f"{served['snapshot']:.0f} from a snapshot.")


def recalled(plan: Plan) -> None:
    """How near the vector stage comes to looking at everything."""
    print("\n| recall of the nearest 20 by the vector stage | against exact | goal |")
    print("|---|---|---|")
    if plan.real:
        told = recall.of_sentences(plan.real)
        print(f"| {plan.real:,} sentences of real talk | {told} | ≥ 0.99 |")
    for size in plan.sizes:
        if size <= _RECALL_MAX:
            print(f"| {size:,} vectors of the bench | {recall.of_made_ones(size)} | ≥ 0.99 |")
