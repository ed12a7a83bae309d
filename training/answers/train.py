"""Train the model that says which facts answer a question: part of `make train`.

It learns from the questions over the histories. Everything else is as for the judge: pinned weights,
fixed seeds, hands that nobody learned from to score it on. With `--from-shipped` it goes on from what
the package has.
"""

import argparse
import random
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
import numpy as np
import torch
from tokenizers import Tokenizer
from torch.nn import functional

from recollect.extract.prose import Prose
from recollect.graph import predicates
from recollect.models import answers as product
from recollect.models import embedder, parser
from recollect.models.answers import encode
from recollect.settings import Settings
from training.answers import corpus
from training.answers.corpus import Example, Question, Read
from training.answers.model import OUTPUTS, Answers, padded
from training.answers.shipped import shipped_weights
from training.judge import encoder, reading
from training.judge.corpus import Vectors
from training.judge.scoring import Floats
from training.judge.train import CACHE, Course, kept

TRAINED_ON = (
    *("c1", "c2", "c3", "c4", "c5", "c6", "c7"),
    *("d1", "d2", "d3", "d4", "d5", "e1", "e2", "e3"),
)
CHOSEN_ON = ("h1", "h2")
CLOSED = ("c8",)
SCORED = 10  # the nearest statements of a question that a score looks at
BATCH = 12
SCORED_EVERY = 150  # batches


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


def logits(
    model: Answers, words: Tokenizer, lists: Sequence[tuple[str, list[str]]]
) -> list[Floats]:
    """What a model says about each line of each list, twice: whether it answers, and whether that is over."""
    model.eval()
    with torch.inference_mode():
        return [
            model(*padded([encode(words, question, texts)]))[0].numpy() for question, texts in lists
        ]


def score(name: str, data: Data, model: Answers, words: Tokenizer) -> str:
    """How well a model tells what answers, and of that what is over, among the lines nearest to a question."""
    lists, answers, over = [], [], []
    for one in data.asked:
        likeness = data.vectors[one.history.name] @ data.meanings[one.text].T
        near = sorted(np.argsort(-likeness)[:SCORED].tolist())
        told = [line for place in near for line in corpus.lines(one, place, "read", data.read)]
        lists.append((one.text, [line.text for line in told]))
        right = one.answers | one.outdated
        places = [place for place in near for _ in corpus.lines(one, place, "read", data.read)]
        answers += [place in right for place in places]
        over += [place in one.outdated for place in places]
    said = np.concatenate(logits(model, words, lists))
    right_, over_ = np.array(answers), np.array(over)
    both = np.minimum(said[:, 0], said[:, 1])
    return (
        f"{name}: average precision of what answers {precision(said[:, 0], right_):.3f}, "
        f"of that what is over {precision(said[right_, 1], over_[right_]):.3f} "
        f"({over_[right_].mean():.3f} by chance), "
        f"of all what is over {precision(both, over_):.3f}; {len(lists)} lists, {len(said)} lines"
    )


def precision(scores: Floats, truth: Floats) -> float:
    """Average precision."""
    ranked = truth[np.argsort(-scores, kind="stable")].astype(float)
    return float((np.cumsum(ranked) / np.arange(1, len(ranked) + 1) * ranked).sum() / ranked.sum())


def loss_of(model: Answers, words: Tokenizer, some: Sequence[Example]) -> torch.Tensor:
    """How wrong a model is about some lists."""
    said = model(*padded([encode(words, one.question, texts(one)) for one in some]))
    answers = [
        (said[row, at, 0], line.answers)
        for row, one in enumerate(some)
        for at, line in enumerate(one.lines)
        if line.answers is not None
    ]
    over = [
        (said[row, at, 1], line.over)
        for row, one in enumerate(some)
        for at, line in enumerate(one.lines)
        if line.over is not None
    ]
    return _loss(answers) + _loss(over)


def _loss(said: Sequence[tuple[torch.Tensor, bool | None]]) -> torch.Tensor:
    if not said:
        return torch.zeros(())
    values = torch.stack([value for value, _ in said])
    labels = torch.tensor([float(bool(label)) for _, label in said])
    return functional.binary_cross_entropy_with_logits(values, labels)


def texts(example: Example) -> list[str]:
    """The lines of a list without their labels."""
    return [line.text for line in example.lines]


def batches(drawn: list[Example], chance: random.Random) -> Iterator[list[Example]]:
    """Lists of about one length together, so that little is padded."""
    chance.shuffle(drawn)
    for start in range(0, len(drawn), 20 * BATCH):
        block = sorted(drawn[start : start + 20 * BATCH], key=lambda one: sum(map(len, texts(one))))
        some = [block[at : at + BATCH] for at in range(0, len(block), BATCH)]
        chance.shuffle(some)
        yield from some


def begin(layers: int, folder: Path, *, shipped: bool) -> Answers:
    """A model that knows English, or what ships already."""
    model = Answers(layers)
    own = model.state_dict() | encoder.pretrained(layers, folder, outputs=OUTPUTS).state_dict()
    if shipped:
        for name, value in shipped_weights(product.FILE, layers).items():
            own[name][: len(value)] = value  # an older one has fewer places, and one output
    model.load_state_dict(own)
    return model


def train(layers: int, rounds: int, out: Path, *, shipped: bool) -> Answers:
    """Train, telling after each round how good it is on hands it did not learn from."""
    torch.set_num_threads(2)
    torch.manual_seed(0)
    chance = random.Random(0)
    folder = encoder.fetch(layers, CACHE)
    model, words = begin(layers, folder, shipped=shipped), encoder.tokenizer(folder)
    data, chosen = Data(TRAINED_ON), Data(CHOSEN_ON)
    steps = rounds * (len(data.asked) // BATCH + 1)
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
            if seen % 25 == 0:
                print(
                    f"  {seen} of {steps}, {loss.item():.3f}, {time.perf_counter() - began:.0f} s",
                    flush=True,
                )
            if seen % SCORED_EVERY == 0:
                print(score(f"batch {seen}", chosen, model, words), flush=True)
                torch.save(model.state_dict(), out)
        torch.save(model.state_dict(), out)
        print(score(f"{layers} layers, round {number}", chosen, model, words), flush=True)
    course.end()
    return model


def held(layers: int, file: Path) -> Answers:
    """A model that was trained before."""
    model = Answers(layers)
    model.load_state_dict(torch.load(file, weights_only=True))
    return model.eval()


def main() -> None:
    """Entry point."""
    parser_ = argparse.ArgumentParser(description=__doc__)
    parser_.add_argument("--layers", type=int, default=6, choices=sorted(encoder.KEPT))
    parser_.add_argument("--rounds", type=int, default=2)
    parser_.add_argument("--from-shipped", action="store_true", help="go on from what ships")
    options = parser_.parse_args()
    CACHE.mkdir(parents=True, exist_ok=True)
    file = CACHE / f"answers-{options.layers}.pt"
    train(options.layers, options.rounds, file, shipped=options.from_shipped)


if __name__ == "__main__":
    main()
