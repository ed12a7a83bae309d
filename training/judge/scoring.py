"""How good a judge is on whole histories: precision and recall of closings over its thresholds."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from training.judge.corpus import History, Vectors, near_pairs

Floats = npt.NDArray[np.float64]
Judging = Callable[[Sequence[tuple[str, str]]], Floats]
NEAR = 6  # as many as the product asks about


@dataclass(frozen=True)
class Curve:
    """All pairs that were asked about, the surest first: whether each closes, and how sure it was.
    *wanted* counts all closings, those that nobody asked about included."""

    right: npt.NDArray[np.bool_]
    sure: Floats
    wanted: int

    @property
    def average_precision(self) -> float:
        """The mean precision at each right closing; one that is never found counts nothing."""
        return float((self._precision() * self.right).sum() / self.wanted)

    def _precision(self) -> Floats:
        return np.cumsum(self.right) / np.arange(1, len(self.right) + 1)

    def at(self, sure: float) -> tuple[float, float]:
        """Precision and recall of closings when that is sure enough."""
        taken = int((self.sure >= sure).sum())
        right = int(self.right[:taken].sum())
        return right / max(1, taken), right / self.wanted

    def threshold(self, precision: float) -> float:
        """The lowest sureness from which on so many are right; 1 when there is none."""
        enough = np.flatnonzero(self._precision() >= precision)
        return float(self.sure[enough[-1]]) if len(enough) else 1.0


def curve(histories: Sequence[History], vectors: dict[str, Vectors], judging: Judging) -> Curve:
    """Ask a judge about all that the product would ask."""
    pairs: list[tuple[str, str]] = []
    closes: list[bool] = []
    wanted = 0
    for history in histories:
        facts = [said.fact for said in history.statements]
        near, far = near_pairs(history, vectors[history.name], NEAR)
        pairs += [(facts[pair.older], facts[pair.newer]) for pair in near]
        closes += [pair.label > 0 for pair in near]
        wanted += sum(pair.label > 0 for pair in near) + len(far)
    sure = judging(pairs)
    order = np.argsort(-sure, kind="stable")
    return Curve(np.array(closes)[order], sure[order], wanted)


def line(name: str, found: Curve) -> str:
    """A row of a table: average precision, and recall at 90 and 95 percent precision."""
    recalls = (found.at(found.threshold(wanted))[1] for wanted in (0.9, 0.95))
    return (
        f"| {name} | {found.average_precision:.3f} | "
        + " | ".join(f"{100 * recall:.1f}" for recall in recalls)
        + " |"
    )
