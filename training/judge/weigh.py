"""Weigh the exported judge with what two sentences have in common, and choose when it is sure.

A logistic regression over the model's own logit and the signs of `pair_signs.py`, fitted on hands that
the model did not learn from; thresholds come from predictions for histories that the fit left out.
Everything is asked as the product asks: the nearest sentences, pair by pair, from the exported file.
"""

import argparse
import hashlib
from collections.abc import Sequence
from datetime import datetime

import msgspec
import numpy as np
import numpy.typing as npt
import torch

from recollect.limits import JUDGED_ALIKE_MIN, JUDGED_NEAR_MAX
from recollect.models import embedder, judge
from recollect.models.judge import JudgeModel, JudgeSettings, Pair, pair_features
from recollect.models.manifest import EMBEDDER
from recollect.settings import Settings
from training.judge import corpus, reading, scoring
from training.judge.corpus import History
from training.judge.scoring import Curve
from training.judge.train import CHOSEN_ON, CLOSED

Floats = npt.NDArray[np.float64]
Read = dict[str, list[str | None]]
VERSION = "judge.2"
PRECISION = 0.94
DOUBT = 0.3
FOLDS = 7
RIDGE = 1e-3


class Asked(msgspec.Struct):
    """What the product would ask about some histories. *wanted* counts all closings."""

    pairs: list[Pair]
    closes: npt.NDArray[np.bool_]
    group: npt.NDArray[np.int64]
    wanted: int


def asked(histories: Sequence[History], read: Read | None = None) -> Asked:
    """Each statement against the open ones near it: as clean sentences, or as the product *read* them."""
    model = embedder.load(Settings().models)
    pairs, closes, groups, wanted = [], [], [], 0
    for number, history in enumerate(histories):
        facts = [one.fact for one in history.statements]
        if read is not None:
            facts = [
                seen or f"{one.who}: {one.text}"
                for seen, one in zip(read[history.name], history.statements, strict=True)
            ]
        vectors = model.passages(facts)
        by_newer: dict[int, list[tuple[float, corpus.Pair]]] = {}
        for pair in corpus.open_pairs(history):
            wanted += pair.label > 0
            alike = round(float(vectors[pair.older] @ vectors[pair.newer]), 4)
            by_newer.setdefault(pair.newer, []).append((alike, pair))
        for near in by_newer.values():
            near.sort(key=lambda one: -one[0])
            for alike, pair in near[:JUDGED_NEAR_MAX]:
                if alike >= JUDGED_ALIKE_MIN:
                    behind = alike - near[0][0]
                    days = _days(history, pair)
                    owners = f"{history.owner} {history.owner}"
                    pairs.append(
                        Pair(facts[pair.older], facts[pair.newer], owners, alike, behind, days)
                    )
                    closes.append(pair.label > 0)
                    groups.append(number)
    return Asked(pairs, np.array(closes), np.array(groups), wanted)


def _days(history: History, pair: corpus.Pair) -> float:
    first, last = (datetime.fromisoformat(history.statements[at].at) for at in pair[:2])
    return (last - first).total_seconds() / 86_400


def features(model: JudgeModel, pairs: Sequence[Pair]) -> Floats:
    """The model's own logits, then the signs."""
    read = model.read([(pair.older, pair.newer) for pair in pairs])
    return np.array(
        [
            [one.closes, one.about, *pair_features(pair)]
            for one, pair in zip(read, pairs, strict=True)
        ]
    )


def fitted(given: Floats, closes: npt.NDArray[np.bool_]) -> tuple[Floats, float]:
    """Weights and bias of a logistic regression, with a little pull towards none."""
    mean, deviation = given.mean(0), given.std(0) + 1e-6
    x = torch.tensor((given - mean) / deviation)
    y = torch.tensor(closes.astype(np.float64))
    weights = torch.zeros(given.shape[1] + 1, dtype=torch.float64, requires_grad=True)
    optimizer = torch.optim.LBFGS([weights], max_iter=500)

    def loss() -> torch.Tensor:
        optimizer.zero_grad()
        total = (
            torch.nn.functional.binary_cross_entropy_with_logits(x @ weights[:-1] + weights[-1], y)
            + RIDGE * (weights[:-1] ** 2).sum()
        )
        total.backward()
        return total

    optimizer.step(loss)
    found = weights.detach().numpy()
    own = found[:-1] / deviation
    return own, float(found[-1] - (own * mean).sum())


def sure(given: Floats, weights: Floats, bias: float) -> Floats:
    """How sure it is of each pair."""
    return 1 / (1 + np.exp(-(given @ weights + bias)))


def curve(asked_: Asked, values: Floats) -> Curve:
    """The pairs in the order of sureness."""
    order = np.argsort(-values, kind="stable")
    return Curve(asked_.closes[order], values[order], asked_.wanted)


def left_out(given: Floats, asked_: Asked) -> Floats:
    """How sure it is of each pair when the histories of its fold are left out of the fit."""
    found = np.zeros(len(given))
    for fold in range(FOLDS):
        out = asked_.group % FOLDS == fold
        found[out] = sure(given[out], *fitted(given[~out], asked_.closes[~out]))
    return found


def together(*parts: Asked) -> Asked:
    """What was asked in several ways; a history stays in one fold."""
    return Asked(
        [pair for part in parts for pair in part.pairs],
        np.concatenate([part.closes for part in parts]),
        np.concatenate([part.group for part in parts]),
        sum(part.wanted for part in parts),
    )


def ended(asked_: Asked, values: Floats, least: float) -> tuple[float, float]:
    """Precision and recall of the statements that end when so much is sure enough: one that a second
    sentence would end as well counts once."""
    found: dict[tuple[int, str], tuple[bool, bool]] = {}
    for pair, group, closes, value in zip(
        asked_.pairs, asked_.group, asked_.closes, values, strict=True
    ):
        was, should = found.get((int(group), pair.older), (False, False))
        found[int(group), pair.older] = (was or value >= least, should or bool(closes))
    right = [should for was, should in found.values() if was]
    return sum(right) / max(1, len(right)), sum(right) / asked_.wanted


def sure_enough(asked_: Asked, values: Floats) -> float:
    """The lowest sureness, in steps, from which on so many of the statements that end should."""
    steps = np.arange(0.5, 0.995, 0.01)
    return float(next((s for s in steps if ended(asked_, values, s)[0] >= PRECISION), steps[-1]))


def main() -> None:
    """Entry point."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--closed", action="store_true", help="look at the closed hand, too")
    options = parser.parse_args()
    model = JudgeModel(
        judge.FILE, EMBEDDER.folder(Settings().models) / "tokenizer.json", sha256=None
    )
    histories = corpus.read(CHOSEN_ON)
    clean, typed = asked(histories), asked(histories, reading.read(histories))
    every = together(clean, typed)
    given = features(model, every.pairs)
    values = left_out(given, every)
    first = len(clean.pairs)
    weights, bias = fitted(given, every.closes)
    setting = JudgeSettings(
        version=VERSION,
        sha256=hashlib.sha256(judge.FILE.read_bytes()).hexdigest(),
        weights=tuple(float(f"{one:.6g}") for one in weights),
        bias=float(f"{bias:.6g}"),
        sure=round(sure_enough(clean, values[:first]), 4),
        doubt=DOUBT,
        most=(round(float(given[:, 0].max()), 3), round(float(given[:, 1].max()), 3)),
    )
    judge.SETTING.write_bytes(msgspec.json.format(msgspec.json.encode(setting)) + b"\n")
    print("| | average precision | recall at 90 | recall at 95 | precision, recall as shipped |")
    print("|---|---|---|---|---|")
    print(scoring.line("cosine alone", curve(clean, given[:first, 2])))
    print(scoring.line("the model alone", curve(clean, given[:first, 0])))
    for name, part, some in (("clean", clean, values[:first]), ("as read", typed, values[first:])):
        print(scoring.line(name, curve(part, some)), ended(part, some, setting.sure))
    print(setting)
    if options.closed:
        closed = corpus.read(CLOSED)
        for name, read in (("clean", None), ("as read", reading.read(closed))):
            what = asked(closed, read)
            found = sure(features(model, what.pairs), weights, bias)
            told = ended(what, found, setting.sure)
            print(scoring.line(f"closed hand, {name}", curve(what, found)), told)


if __name__ == "__main__":
    main()
