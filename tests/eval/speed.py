"""What a turn costs: parsing alone, extraction with its parsing, the vectors of turn and facts."""

import time
from collections.abc import Callable

import numpy as np

from recollect.extract.brief import Brief
from tests.eval import conversations
from tests.eval.chance import estimate, ratio
from tests.eval.common import Options, Table, data, extractor, language, vectors

TURNS = 300


def _milliseconds(work: Callable[[], object]) -> float:
    """Processor time, because the machines are shared."""
    began = time.process_time()
    work()
    return (time.process_time() - began) * 1000


def _measure(reading: Brief) -> tuple[float, float, float, float]:
    facts = [fact.fact for fact in extractor()(reading).facts]
    return (
        _milliseconds(lambda: language()(reading.content)),
        _milliseconds(lambda: extractor()(reading)),
        _milliseconds(lambda: vectors().passages([reading.content])),
        _milliseconds(lambda: vectors().passages(facts)),
    )


def tables(options: Options) -> list[Table]:
    """Milliseconds of processor time a turn, over turns spread through the conversations."""
    turns = [
        reading
        for raw in data("locomo_dev.json.gz")
        for reading in conversations.readings(conversations.read(raw))
    ]
    chosen = Options(sample=min(TURNS, options.sample or TURNS)).take(turns)
    costs = np.array([_measure(reading) for reading in chosen])
    names = ("parse the turn", "extract, parse included", "embed the turn", "embed its facts")
    rows = []
    for name, column in zip(names, costs.T, strict=True):
        mean = estimate(np.stack([column, np.ones(len(column))], axis=1), ratio)
        interval = f"{mean.value:.1f} ({mean.low:.1f}–{mean.high:.1f})"  # noqa: RUF001
        rows.append((name, interval, f"{np.median(column):.1f}", f"{column.max():.1f}"))
    head = ("step", "mean", "median", "longest")
    return [Table(f"Milliseconds of processor time, {len(chosen)} LoCoMo turns", head, tuple(rows))]
