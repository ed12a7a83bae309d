"""`python -m tests.bench.models`: what the small models cost, beside the bare model and the file it came in.

CPU milliseconds of one thread, each asked in turn, so that a busy machine slows all of them alike.
"""

import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from recollect.models import embedder, judge, onnx
from recollect.models.manifest import EMBEDDER
from recollect.settings import Settings

ROUNDS = 200
QUESTION = "When did our neighbour Marek say that he would mend the fence?"
FACT = "Marek mended the garden fence on Saturday, 4 May 2024"
PAIR = ("Marek's garden fence is broken", "Marek mended the garden fence on Saturday (4 May 2024)")


def timed(tasks: dict[str, Callable[[], Any]]) -> dict[str, list[float]]:
    """The CPU milliseconds of each task in every round."""
    took: dict[str, list[float]] = {name: [] for name in tasks}
    for _ in range(ROUNDS):
        for name, task in tasks.items():
            began = time.thread_time()
            task()
            took[name].append(1000 * (time.thread_time() - began))
    return took


def bare(session: Any, ids: list[int], sides: list[int]) -> Callable[[], Any]:
    """A session on tokens that are ready."""
    tokens = np.array([ids], dtype=np.int64)
    every = {
        "input_ids": tokens,
        "attention_mask": np.ones_like(tokens),
        "token_type_ids": np.array([sides], dtype=np.int64),
    }
    feed = {item.name: every[item.name] for item in session.get_inputs()}
    return lambda: session.run(None, feed)


def report(what: str, took: dict[str, list[float]]) -> None:
    """One row for each task."""
    floor = statistics.median(took["bare"])
    for name, times in took.items():
        middle = statistics.median(times)
        print(f"| {what}, {name} | {min(times):.2f} | {middle:.2f} | {middle / floor:.2f} |")


def main() -> None:
    """Entry point."""
    models = Settings().models
    folder = EMBEDDER.folder(models)
    vectors, pairs = embedder.load(models), judge.load(models)
    came, judge_came = onnx.session(folder / "model.onnx"), onnx.session(judge.FILE)
    print("| | least, CPU ms | median | of the bare model |\n|---|---|---|---|")
    for what, text, task in (
        ("a question", embedder.QUERY_PREFIX + QUESTION, lambda: vectors.queries([QUESTION])),
        ("a fact", FACT, lambda: vectors.passages([FACT])),
    ):
        found = vectors._tokenizer.encode(text)
        tasks: dict[str, Callable[[], Any]] = {"as the product asks": task}
        tasks["bare"] = bare(vectors._session, found.ids, found.type_ids)
        tasks["bare, the file as it came"] = bare(came, found.ids, found.type_ids)
        report(f"{what} of {len(found.ids)} tokens", timed(tasks))
    found = pairs._tokenizer.encode(*PAIR)

    def read() -> None:
        pairs._recent.clear()
        pairs.read([PAIR])

    tasks = {"as the product asks": read}
    tasks["bare"] = bare(pairs._session, found.ids, found.type_ids)
    tasks["bare, the file as it came"] = bare(judge_came, found.ids, found.type_ids)
    report(f"a pair of {len(found.ids)} tokens", timed(tasks))


if __name__ == "__main__":
    main()
