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

from recollect.limits import JUDGED_ALIKE_MIN, JUDGED_NEAR_MAX, JUDGED_SAID_ALIKE_MIN
from recollect.models import embedder, judge
from recollect.models.judge import Judge, Setting, Weights
from recollect.models.manifest import EMBEDDER
from recollect.models.pair_signs import Pair, signs
from recollect.settings import Settings
from training.judge import corpus, scoring
from training.judge.corpus import History
from training.judge.scoring import Curve
from training.judge.train import CHOSEN_ON, CLOSED

Floats = npt.NDArray[np.float64]
VERSION = "judge.1"
PRECISION = 0.95
FOLDS = 7
RIDGE = 1e-3


class Asked(msgspec.Struct):
    """What the product would ask about some histories. *wanted* counts all closings."""

    pairs: list[Pair]
    closes: npt.NDArray[np.bool_]
    group: npt.NDArray[np.int64]
    wanted: int


def asked(histories: Sequence[History], *, said: bool) -> Asked:
    """Each statement, as a clean sentence or as it was said, against the open facts near it."""
    model = embedder.load(Settings().models)
    least = JUDGED_SAID_ALIKE_MIN if said else JUDGED_ALIKE_MIN
    pairs, closes, groups, wanted = [], [], [], 0
    for number, history in enumerate(histories):
        facts = [one.fact for one in history.statements]
        new = [f"{one.who}: {one.text}" for one in history.statements] if said else facts
        old_vectors = model.passages(facts)
        new_vectors = (
            model.passages([one.text for one in history.statements]) if said else old_vectors
        )
        by_newer: dict[int, list[tuple[float, corpus.Pair]]] = {}
        for pair in corpus.open_pairs(history):
            wanted += pair.label > 0
            alike = round(float(old_vectors[pair.older] @ new_vectors[pair.newer]), 4)
            by_newer.setdefault(pair.newer, []).append((alike, pair))
        for near in by_newer.values():
            near.sort(key=lambda one: -one[0])
            for alike, pair in near[:JUDGED_NEAR_MAX]:
                if alike >= least:
                    behind = alike - near[0][0]
                    days = _days(history, pair)
                    owners = f"{history.owner} {history.owner}"
                    pairs.append(
                        Pair(facts[pair.older], new[pair.newer], owners, alike, behind, days)
                    )
                    closes.append(pair.label > 0)
                    groups.append(number)
    return Asked(pairs, np.array(closes), np.array(groups), wanted)


def _days(history: History, pair: corpus.Pair) -> float:
    first, last = (datetime.fromisoformat(history.statements[at].at) for at in pair[:2])
    return (last - first).total_seconds() / 86_400


def features(model: Judge, pairs: Sequence[Pair]) -> Floats:
    """The model's own logit, then the signs."""
    read = model.read([(pair.older, pair.newer) for pair in pairs])
    return np.array([[one.logit, *signs(pair)] for one, pair in zip(read, pairs, strict=True)])


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


def weighed(model: Judge, what: Asked) -> tuple[Weights, Curve, Floats]:
    """Weights for all of it, and the curve for what each fit left out, from which the threshold is."""
    given = features(model, what.pairs)
    values = left_out(given, what)
    found = curve(what, values)
    weights, bias = fitted(given, what.closes)
    rounded = tuple(float(f"{one:.6g}") for one in weights)
    threshold = round(found.threshold(PRECISION), 4)
    return Weights(weights=rounded, bias=float(f"{bias:.6g}"), sure=threshold), found, given


def main() -> None:
    """Entry point."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--closed", action="store_true", help="look at the closed hand, too")
    options = parser.parse_args()
    model = Judge(judge.FILE, EMBEDDER.folder(Settings().models) / "tokenizer.json", sha256=None)
    histories = corpus.read(CHOSEN_ON)
    facts = asked(histories, said=False)
    fact, fact_curve, given = weighed(model, facts)
    said, said_curve, _ = weighed(model, asked(histories, said=True))
    setting = Setting(
        version=VERSION,
        sha256=hashlib.sha256(judge.FILE.read_bytes()).hexdigest(),
        fact=fact,
        said=said,
        logit_max=round(float(given[:, 0].max()), 3),
    )
    judge.SETTING.write_bytes(msgspec.json.format(msgspec.json.encode(setting)) + b"\n")
    print("| | average precision | recall at 90 | recall at 95 |\n|---|---|---|---|")
    print(scoring.line("cosine alone", curve(facts, given[:, 1])))
    print(scoring.line("the model alone", curve(facts, given[:, 0])))
    print(scoring.line("weighed", fact_curve))
    print(scoring.line("weighed, as it was said", said_curve))
    print(setting)
    for name, spoken, by in (
        (("facts", False, fact), ("said", True, said)) if options.closed else ()
    ):
        closed = asked(corpus.read(CLOSED), said=spoken)
        values = sure(features(model, closed.pairs), np.array(by.weights), by.bias)
        found = curve(closed, values)
        print(scoring.line(f"closed hand, {name}", found), found.at(by.sure))


if __name__ == "__main__":
    main()
