"""Train the model that says whether a fact answers a question: part of `make train`.

It learns from the questions over the histories. Everything else is as for the judge: pinned weights,
fixed seeds, hands that nobody learned from to score it on.
"""

import argparse
import random
import time
from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np
import torch
from tokenizers import Tokenizer
from torch.nn import functional

from recollect.extract.prose import Prose
from recollect.graph import predicates
from recollect.models import embedder, parser
from recollect.settings import Settings
from training.answers import corpus
from training.answers.corpus import Example, Question, Read
from training.judge import encoder, reading
from training.judge.corpus import Vectors
from training.judge.encoder import Judge
from training.judge.scoring import Floats
from training.judge.train import BATCH, CACHE, Course, batches, kept

TRAINED_ON = (
    *("c1", "c2", "c3", "c4", "c5", "c6", "c7"),
    *("d1", "d2", "d3", "d4", "d5", "e1", "e2", "e3"),
)
CHOSEN_ON = ("h1", "h2")
CLOSED = ("c8",)
SCORED = 10  # the nearest statements of a question that a score looks at


def all_read(asked: Sequence[Question], file: Path) -> Read:
    """What the product reads in every statement, out of a file where it was made before."""
    found = msgspec.json.decode(file.read_bytes(), type=Read) if file.is_file() else {}
    histories = {one.history.name: one.history for one in asked}
    missing = [one for name, one in histories.items() if name not in found]
    if missing:
        prose = Prose(parser.load(Settings().models), predicates.load(), reading.everything)
        found |= {
            one.name: [[fact.fact for fact in said.facts] for said in reading.found(prose, one)]
            for one in missing
        }
        file.write_bytes(msgspec.json.encode(found))
    return found


class Data:
    """The questions of some hands with all that their pairs are drawn by."""

    def __init__(self, hands: Sequence[str]) -> None:
        self.asked = corpus.questions(hands)
        histories = list({one.history.name: one.history for one in self.asked}.values())
        name = "-".join((hands[0], hands[-1]))
        self.vectors = kept(CACHE / f"answers-{name}.npz", histories)
        model = embedder.load(Settings().models)
        texts = [one.text for one in self.asked]
        self.meanings: dict[str, Vectors] = corpus.stacked(texts, model.queries(texts))
        self.read = all_read(self.asked, CACHE / f"answers-{name}.json")

    def examples(self, chance: random.Random) -> list[Example]:
        """The pairs of a round."""
        return corpus.examples(self.asked, self.vectors, self.meanings, self.read, chance)


def logits(model: Judge, words: Tokenizer, pairs: Sequence[tuple[str, str]]) -> Floats:
    """What a model says about pairs of a question and a sentence."""
    model.eval()
    found = np.zeros(len(pairs))
    order = sorted(range(len(pairs)), key=lambda at: sum(map(len, pairs[at])))
    with torch.inference_mode():
        for start in range(0, len(order), 64):
            some = order[start : start + 64]
            found[some] = model(*encoder.encode(words, [pairs[at] for at in some]))[:, 0].numpy()
    return found


def score(name: str, data: Data, model: Judge, words: Tokenizer) -> str:
    """How well a model tells what answers among the statements nearest to a question, as read."""
    pairs, right, first = [], [], []
    for one in data.asked:
        likeness = data.vectors[one.history.name] @ data.meanings[one.text].T
        for place in np.argsort(-likeness)[:SCORED].tolist():
            for text in corpus.sentences(one.history, place, "read", data.read):
                pairs.append((one.text, text))
                right.append(place in one.answers | one.outdated)
                first.append(float(likeness[place]))
    truth = np.array(right)
    said = logits(model, words, pairs)
    return (
        f"{name}: average precision {precision(said, truth):.3f}, "
        f"by cosine of the clean sentence {precision(np.array(first), truth):.3f}, {len(pairs)} pairs"
    )


def precision(scores: Floats, truth: Floats) -> float:
    """Average precision."""
    ranked = truth[np.argsort(-scores, kind="stable")].astype(float)
    return float((np.cumsum(ranked) / np.arange(1, len(ranked) + 1) * ranked).sum() / ranked.sum())


def loss_of(model: Judge, words: Tokenizer, some: list[Example]) -> torch.Tensor:
    """How wrong a model is about some pairs."""
    said = model(*encoder.encode(words, [(one.question, one.sentence) for one in some]))[:, 0]
    labels = torch.tensor([float(one.answers) for one in some])
    return functional.binary_cross_entropy_with_logits(said, labels)


def train(layers: int, rounds: int, out: Path) -> Judge:
    """Train, telling after each round how good it is on hands it did not learn from."""
    torch.set_num_threads(2)
    torch.manual_seed(0)
    chance = random.Random(0)
    folder = encoder.fetch(layers, CACHE)
    model, words = encoder.pretrained(layers, folder, outputs=1), encoder.tokenizer(folder)
    data, chosen = Data(TRAINED_ON), Data(CHOSEN_ON)
    steps = rounds * (len(data.examples(random.Random(1))) // BATCH + 1)
    course = Course(model, 0, steps, out.with_suffix(".part"))
    seen, began = 0, time.perf_counter()
    for number in range(rounds):
        for some in batches(data.examples(chance), chance):
            seen += 1
            if seen <= course.done:
                continue
            model.train()
            loss = loss_of(model, words, some)
            course.learn(loss)
            if seen % 50 == 0:
                print(
                    f"  {seen} of {steps}, {loss.item():.3f}, {time.perf_counter() - began:.0f} s",
                    flush=True,
                )
        torch.save(model.state_dict(), out)
        print(score(f"{layers} layers, round {number}", chosen, model, words), flush=True)
    course.end()
    return model


def held(layers: int, file: Path) -> Judge:
    """A model that was trained before."""
    model = Judge(layers, outputs=1)
    model.load_state_dict(torch.load(file, weights_only=True))
    return model.eval()


def main() -> None:
    """Entry point."""
    parser_ = argparse.ArgumentParser(description=__doc__)
    parser_.add_argument("--layers", type=int, default=6, choices=sorted(encoder.KEPT))
    parser_.add_argument("--rounds", type=int, default=2)
    options = parser_.parse_args()
    CACHE.mkdir(parents=True, exist_ok=True)
    train(options.layers, options.rounds, CACHE / f"answers-{options.layers}.pt")


if __name__ == "__main__":
    main()
