"""Train the judge: `make train`.

From pinned weights, with fixed seeds and two threads; torch promises the same figures only on the same
kind of machine. The judge learns from the pairs that the product would ask it about: each statement of
a history with the open ones nearest to it, of which about one in twelve closes, and all that it
closes. Histories are split by who wrote them; nobody looks at those of the last hand.
"""

import argparse
import random
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np
import torch
from tokenizers import Tokenizer
from torch.nn import functional
from torch.nn.utils import clip_grad_norm_

from recollect.models import embedder
from recollect.settings import Settings
from training.judge import corpus, encoder, reading, scoring
from training.judge.corpus import Example, History, Vectors
from training.judge.encoder import Judge
from training.judge.scoring import NEAR, Floats

TRAINED_ON = ("c1", "c2", "c3", "c4", "c5", "c6", "c7", "d1", "d2", "d3", "d4", "d5")
CHOSEN_ON = ("h1", "h2")
CLOSED = ("c8",)
CACHE = Path(".cache") / "train"
BATCH = 32
RATE, HEAD_RATE = 1e-4, 1e-3
WARMING = 0.08
SLOT_WEIGHT = 0.3
Texts = TypeVar("Texts", bound=tuple[Any, ...])  # the first two are texts
PART_EVERY = 100  # batches after which a training that is stopped can go on


class Recipe(NamedTuple):
    """From which hands a judge learns, with how many pairs that hold for each that closes, and how
    many of its lowest layers stay as they are: they know English already, and that saves a third."""

    hands: tuple[str, ...] = TRAINED_ON
    holding: int = 5
    frozen: int = 0


RECIPES = {10: Recipe((*TRAINED_ON, "e1", "e2", "e3"), holding=3, frozen=4)}


def embedded(histories: Sequence[History]) -> dict[str, Vectors]:
    """What each statement means, by the embedder of the product."""
    model = embedder.load(Settings().models)
    return {
        history.name: model.passages([said.fact for said in history.statements])
        for history in histories
    }


def kept(file: Path, histories: Sequence[History]) -> dict[str, Vectors]:
    """The same out of a file, where it was made before from as many statements."""
    if file.is_file():
        with np.load(file, allow_pickle=False) as held:
            found = {name: held[name] for name in held.files}
        if all(len(found.get(one.name, ())) == len(one.statements) for one in histories):
            return found
    found = embedded(histories)
    np.savez(file, **found)  # type: ignore[arg-type]
    return found


def examples(
    histories: Sequence[History],
    vectors: dict[str, Vectors],
    read: dict[str, list[str | None]],
    chance: random.Random,
    holding_per_closing: int,
) -> list[Example]:
    """All pairs that close, and some that do not, drawn anew for each round."""
    found = []
    for history in histories:
        sentences = corpus.told(history, read[history.name], chance)
        near, far = corpus.near_pairs(history, vectors[history.name], NEAR)
        closing = [pair for pair in near if pair.label] + far
        holding = [pair for pair in near if not pair.label]
        chance.shuffle(holding)
        found += [
            Example(sentences[pair.older], sentences[pair.newer], pair.label, pair.same_slot)
            for pair in closing + holding[: holding_per_closing * len(closing)]
        ]
    return found


def batches(drawn: list[Texts], chance: random.Random) -> Iterator[list[Texts]]:
    """Pairs of about one length together, so that little is padded."""
    chance.shuffle(drawn)
    for start in range(0, len(drawn), 20 * BATCH):
        block = sorted(drawn[start : start + 20 * BATCH], key=lambda one: len(one[0]) + len(one[1]))
        some = [block[at : at + BATCH] for at in range(0, len(block), BATCH)]
        chance.shuffle(some)
        yield from some


def sure(judge: Judge, words: Tokenizer, pairs: Sequence[tuple[str, str]]) -> Floats:
    """How sure a judge is of each pair that it closes."""
    judge.eval()
    found = np.zeros(len(pairs))
    order = sorted(range(len(pairs)), key=lambda at: sum(map(len, pairs[at])))
    with torch.inference_mode():
        for start in range(0, len(order), 64):
            some = order[start : start + 64]
            logits = judge(*encoder.encode(words, [pairs[at] for at in some]))
            found[some] = 1 - functional.softmax(logits[:, :3], 1)[:, 0].numpy()
    return found


def loss_of(logits: torch.Tensor, some: Sequence[Example]) -> torch.Tensor:
    """How wrong a judge is about the classes, and about what is about the same thing."""
    labels = torch.tensor([one.label for one in some])
    loss = functional.cross_entropy(logits[:, :3], labels, label_smoothing=0.02)
    known = [place for place, one in enumerate(some) if one.same_slot is not None]
    if known:
        same = torch.tensor([float(bool(some[place].same_slot)) for place in known])
        about = functional.binary_cross_entropy_with_logits(logits[known, 3], same)
        loss = loss + SLOT_WEIGHT * about
    return loss


class Course:
    """What changes while a judge learns. It is put down from time to time, so that a training that
    was stopped goes on where it was, with the same outcome."""

    def __init__(self, judge: Judge, frozen: int, steps: int, file: Path) -> None:
        below = [judge.words, judge.places]  # there are no new words to learn
        if frozen:
            below += [judge.sides, judge.norm, *judge.layers[:frozen]]
        for part in below:
            part.requires_grad_(requires_grad=False)
        head = [*judge.head.parameters()]
        own = {id(one) for one in head}
        body = [one for one in judge.parameters() if one.requires_grad and id(one) not in own]
        groups = [{"params": body, "lr": RATE}, {"params": head, "lr": HEAD_RATE}]
        optimizer = torch.optim.AdamW(groups, weight_decay=0.01)
        schedule = torch.optim.lr_scheduler.LambdaLR(
            optimizer, lambda at: min(1, (at + 1) / (WARMING * steps)) * max(0.02, 1 - at / steps)
        )
        self._judge, self._optimizer, self._schedule, self._file = judge, optimizer, schedule, file
        self.done = self._found() if file.is_file() else 0

    def learn(self, loss: torch.Tensor) -> None:
        """One step."""
        self._optimizer.zero_grad()
        loss.backward()
        clip_grad_norm_(self._judge.parameters(), 1.0)
        self._optimizer.step()
        self._schedule.step()
        self.done += 1
        if self.done % PART_EVERY == 0:
            self._put_down()

    def end(self) -> None:
        """Nothing is left to go on with."""
        self._file.unlink(missing_ok=True)

    def _put_down(self) -> None:
        parts = (self._judge, self._optimizer, self._schedule)
        now = [part.state_dict() for part in parts]
        torch.save([self.done, torch.get_rng_state(), *now], self._file)

    def _found(self) -> int:
        done, chance, judge, optimizer, schedule = torch.load(self._file, weights_only=True)
        self._judge.load_state_dict(judge)
        self._optimizer.load_state_dict(optimizer)
        self._schedule.load_state_dict(schedule)
        torch.set_rng_state(chance)
        return int(done)


def train(layers: int, rounds: int, seed: int, threads: int, out: Path) -> Judge:
    """Train, telling after each round how good it is on hands it did not learn from."""
    torch.set_num_threads(threads)
    torch.manual_seed(seed)
    chance = random.Random(seed)
    folder = encoder.fetch(layers, CACHE)
    judge, words = encoder.pretrained(layers, folder), encoder.tokenizer(folder)
    recipe = RECIPES.get(layers, Recipe())
    learned, chosen = corpus.read(recipe.hands), corpus.read(CHOSEN_ON)
    vectors = kept(CACHE / "vectors.npz", [*learned, *chosen])
    read, written = reading.kept(learned, CACHE), corpus.written_pairs()

    def drawn(by: random.Random) -> list[Example]:
        return [*examples(learned, vectors, read, by, recipe.holding), *written]

    steps = rounds * (len(drawn(random.Random(1))) // BATCH + 20)
    course = Course(judge, recipe.frozen, steps, out.with_suffix(".part"))
    seen = 0
    for number in range(rounds):
        judge.train()
        began, losses = time.perf_counter(), []
        for batch in batches(drawn(chance), chance):
            seen += 1
            if seen <= course.done:
                continue
            logits = judge(*encoder.encode(words, [(one.older, one.newer) for one in batch]))
            loss = loss_of(logits, batch)
            course.learn(loss)
            losses.append(loss.item())
            if seen % 50 == 0:
                took = time.perf_counter() - began
                print(
                    f"  {seen} batches, loss {np.mean(losses[-50:]):.3f}, {took:.0f} s", flush=True
                )
        torch.save(judge.state_dict(), out)
        found = scoring.curve(chosen, vectors, lambda pairs: sure(judge, words, pairs))
        print(scoring.line(f"{layers} layers, round {number}", found), flush=True)
    course.end()
    return judge


def main() -> None:
    """Entry point."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--layers", type=int, default=6, choices=sorted(encoder.KEPT))
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    CACHE.mkdir(parents=True, exist_ok=True)
    train(
        options.layers,
        options.rounds,
        options.seed,
        options.threads,
        CACHE / f"judge-{options.layers}.pt",
    )


if __name__ == "__main__":
    main()
