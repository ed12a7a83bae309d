"""Weigh the exported judge with what two sentences have in common, and choose when it is sure.

Two logistic regressions, fitted on hands that the model did not learn from: one over the features of a
pair alone says which of the nearest sentences are worth reading, the other weighs the features with
what the model made of those. Thresholds come from predictions for histories that the fit left out.
Everything is asked as the product asks, pair by pair, from the exported file.
"""

import argparse
import hashlib
from collections.abc import Sequence
from datetime import datetime

import msgspec
import numpy as np
import numpy.typing as npt
import torch

from recollect.limits import JUDGED_ALIKE_MIN, JUDGED_FACTS_MAX, JUDGED_NEAR_MAX
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
VERSION = "judge.3"
PRECISION = 0.94
DOUBT = 0.3
WORTH = 0.015  # the chance from which on a pair is read: no more pairs than the three nearest were
FOLDS = 7
RIDGE = 1e-3


class Asked(msgspec.Struct):
    """Pairs that the product would look at in some histories: whether each closes, the numbers of its
    history and of its newer sentence. *wanted* counts all closings."""

    pairs: list[Pair]
    closes: npt.NDArray[np.bool_]
    group: npt.NDArray[np.int64]
    newer: npt.NDArray[np.int64]
    wanted: int


def near(histories: Sequence[History], read: Read | None = None) -> Asked:
    """Each statement against the open ones near it: as clean sentences, or as the product *read* them."""
    model = embedder.load(Settings().models)
    pairs, closes, groups, newer, wanted = [], [], [], [], 0
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
        for some in by_newer.values():
            some.sort(key=lambda one: -one[0])
            for alike, pair in some[:JUDGED_FACTS_MAX]:
                if alike >= JUDGED_ALIKE_MIN:
                    behind = alike - some[0][0]
                    days = _days(history, pair)
                    owners = f"{history.owner} {history.owner}"
                    pairs.append(
                        Pair(facts[pair.older], facts[pair.newer], owners, alike, behind, days)
                    )
                    closes.append(pair.label > 0)
                    groups.append(number)
                    newer.append(pair.newer)
    return Asked(pairs, np.array(closes), np.array(groups), np.array(newer), wanted)


def narrowed(found: Asked, chances: Floats) -> Asked:
    """Only the pairs that are worth reading, by their *chances* before that."""
    by_newer: dict[tuple[int, int], list[int]] = {}
    for place, one in enumerate(zip(found.group.tolist(), found.newer.tolist(), strict=True)):
        by_newer.setdefault(one, []).append(place)
    kept = [
        place
        for places in by_newer.values()
        for place in sorted(places, key=lambda place: -chances[place])[:JUDGED_NEAR_MAX]
        if chances[place] >= WORTH
    ]
    pairs = [found.pairs[place] for place in kept]
    return Asked(pairs, found.closes[kept], found.group[kept], found.newer[kept], found.wanted)


def _days(history: History, pair: corpus.Pair) -> float:
    first, last = (datetime.fromisoformat(history.statements[at].at) for at in pair[:2])
    return (last - first).total_seconds() / 86_400


def unread(pairs: Sequence[Pair]) -> Floats:
    """The features of pairs that the model has not read."""
    return np.array([pair_features(pair) for pair in pairs])


def features(model: JudgeModel, pairs: Sequence[Pair]) -> Floats:
    """The model's own logits, then the features of the pairs."""
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
        np.concatenate([part.newer for part in parts]),
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


class Weighed(msgspec.Struct):
    """What was fitted to some histories: the pairs worth reading as clean sentences and as read, how
    sure a fit that left their history out is of each, and the setting."""

    clean: Asked
    typed: Asked
    given: Floats
    values: Floats
    setting: JudgeSettings


def weighed(model: JudgeModel, histories: Sequence[History]) -> Weighed:
    """Fit both regressions and choose from when on the judge is sure."""
    clean, typed = near(histories), near(histories, reading.read(histories))
    every = together(clean, typed)
    first, before = len(clean.pairs), unread(every.pairs)
    unread_weights, unread_bias = fitted(before, every.closes)
    chances = left_out(before, every)
    clean, typed = narrowed(clean, chances[:first]), narrowed(typed, chances[first:])
    every = together(clean, typed)
    given = features(model, every.pairs)
    weights, bias = fitted(given, every.closes)
    values = left_out(given, every)
    setting = JudgeSettings(
        version=VERSION,
        sha256=hashlib.sha256(judge.FILE.read_bytes()).hexdigest(),
        weights=_short(weights),
        bias=_short([bias])[0],
        sure=round(sure_enough(clean, values[: len(clean.pairs)]), 4),
        doubt=DOUBT,
        unread=_short(unread_weights),
        unread_bias=_short([unread_bias])[0],
        worth=WORTH,
    )
    return Weighed(clean, typed, given, values, setting)


def _short(numbers: Sequence[float] | Floats) -> tuple[float, ...]:
    return tuple(float(f"{one:.6g}") for one in numbers)


def main() -> None:
    """Entry point."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--closed", action="store_true", help="look at the closed hand, too")
    options = parser.parse_args()
    words = EMBEDDER.folder(Settings().models) / "tokenizer.json"
    model = JudgeModel(judge.FILE, words, sha256=None)
    found = weighed(model, corpus.read(CHOSEN_ON))
    setting, clean, first = found.setting, found.clean, len(found.clean.pairs)
    judge.SETTING.write_bytes(msgspec.json.format(msgspec.json.encode(setting)) + b"\n")
    print("| | average precision | recall at 90 | recall at 95 | precision, recall as shipped |")
    print("|---|---|---|---|---|")
    print(scoring.line("cosine alone", curve(clean, found.given[:first, 2])))
    print(scoring.line("the model alone", curve(clean, found.given[:first, 0])))
    _tell("clean", clean, found.values[:first], setting)
    _tell("as read", found.typed, found.values[first:], setting)
    print(setting)
    if options.closed:
        closed = corpus.read(CLOSED)
        for name, read in (("clean", None), ("as read", reading.read(closed))):
            what = near(closed, read)
            before = unread(what.pairs)
            what = narrowed(what, sure(before, np.array(setting.unread), setting.unread_bias))
            given = features(model, what.pairs)
            values = sure(given, np.array(setting.weights), setting.bias)
            _tell(f"closed hand, {name}", what, values, setting)


def _tell(name: str, part: Asked, values: Floats, setting: JudgeSettings) -> None:
    precision, recall = ended(part, values, setting.sure)
    row = scoring.line(name, curve(part, values))
    print(f"{row} {100 * precision:.1f}, {100 * recall:.1f} | {len(part.pairs)} pairs", flush=True)


if __name__ == "__main__":
    main()
