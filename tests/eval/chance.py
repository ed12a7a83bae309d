"""Figures with their 95 % intervals, by resampling the units that were measured."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Statistic = Callable[[Floats], Floats]

ROUNDS = 1000
_SEED = 20


@dataclass(frozen=True)
class Estimate:
    """A figure and the interval that holds 95 % of its resampled values."""

    value: float
    low: float
    high: float

    def percent(self) -> str:
        """As a percentage, with the interval behind it."""
        return f"{100 * self.value:.1f} ({100 * self.low:.1f}–{100 * self.high:.1f})"  # noqa: RUF001


def estimate(units: Floats, statistic: Statistic) -> Estimate:
    """The statistic of the column sums of *units*, one row for each unit, and its interval.

    *statistic* gets sums in its last axis, for one sample or for many at once.
    """
    count = len(units)
    if not count:
        return Estimate(0.0, 0.0, 0.0)
    draws = np.random.default_rng(_SEED).multinomial(count, np.full(count, 1 / count), size=ROUNDS)
    low, high = np.quantile(statistic(draws @ units), [0.025, 0.975])
    return Estimate(float(statistic(units.sum(axis=0))), float(low), float(high))


def ratio(sums: Floats) -> Floats:
    """The first column over the second."""
    return np.divide(
        sums[..., 0], sums[..., 1], out=np.zeros(sums.shape[:-1]), where=sums[..., 1] > 0
    )


def precision(sums: Floats) -> Floats:
    """Of (right among found, found, right among wanted, wanted): the share of found that is right."""
    return ratio(sums[..., :2])


def recall(sums: Floats) -> Floats:
    """Of the same four columns: the share of wanted that was found."""
    return ratio(sums[..., 2:])


def f1(sums: Floats) -> Floats:
    """The harmonic mean of precision and recall."""
    found, wanted = precision(sums), recall(sums)
    both = found + wanted
    return np.divide(2 * found * wanted, both, out=np.zeros(np.shape(both)), where=both > 0)


def prf(rows: list[tuple[float, float, float, float]]) -> tuple[str, str, str]:
    """Precision, recall and F1 of rows with those four columns, as percentages."""
    units = np.array(rows, dtype=np.float64).reshape(-1, 4)
    return tuple(estimate(units, item).percent() for item in (precision, recall, f1))  # type: ignore[return-value]


def means(rows: Sequence[Sequence[float]]) -> list[Estimate]:
    """The mean of each column, one row for each unit."""
    columns = np.array(rows, dtype=np.float64).T
    return [estimate(np.stack([c, np.ones(len(c))], axis=1), ratio) for c in columns]
