"""The graphs that the product runs give what the files give that their weights are in."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from recollect.models import embedder, judge, onnx
from recollect.models.manifest import EMBEDDER
from recollect.settings import Settings

FOLDER = EMBEDDER.folder(Settings().models)
TEXTS = [
    "",
    "Oskar keeps bees.",
    "Where did Oskar put the second hive after the storm in March?",
    embedder.QUERY_PREFIX + "who looks after the bees while Oskar is away",
    "Nadia sold the blue van to her cousin on 3 May 2021 for 2,450 euros, and now takes the tram to work.",
    "The committee met twice, argued about the roof, the drains and the fence, and put it all off. "
    * 12,
]
PAIRS = [
    ("Nadia drives a blue van", "Nadia sold the blue van and takes the tram"),
    ("Nadia drives a blue van", "Oskar keeps bees behind the chapel"),
    ("The rent of the hall is 340 euros", "The rent of the hall went up to 365 euros in July"),
    ("Oskar is allergic to walnuts", "Oskar never eats walnuts"),
    ("Oskar keeps bees. " * 20, "Oskar gave the hives away. " * 20),
]


def tokens(*rows: list[int]) -> dict[str, Any]:
    """What the model as it came takes: ids, mask and sides."""
    names = ("input_ids", "token_type_ids")
    given = {name: np.array([row]) for name, row in zip(names, rows, strict=False)}
    mask = np.ones_like(given["input_ids"])
    return {"attention_mask": mask, "token_type_ids": np.zeros_like(mask), **given}


def test_the_embedder_gives_the_vectors_of_the_installed_file() -> None:
    whole = onnx.session(FOLDER / "model.onnx")
    words = onnx.tokenizer(FOLDER / "tokenizer.json", embedder.TOKENS_MAX)
    ours = embedder.load(Settings().models).passages(TEXTS)
    for vector, encoded in zip(ours, words.encode_batch(TEXTS), strict=True):
        first = whole.run(None, tokens(encoded.ids))[0][0, 0]
        assert vector @ first / np.linalg.norm(first) > 0.999


def test_the_judge_gives_the_logits_of_its_file() -> None:
    """To rounding, which the scales of int8 make larger."""
    whole = onnx.session(judge.FILE)
    words = onnx.tokenizer(FOLDER / "tokenizer.json", judge.TOKENS_MAX)
    ours = judge.load(Settings().models).read(PAIRS)
    for read, encoded in zip(ours, words.encode_batch(PAIRS), strict=True):
        given = tokens(encoded.ids, encoded.type_ids)
        holds, replaces, ends, about = whole.run(None, given)[0][0]
        assert read.closes == pytest.approx(np.logaddexp(replaces, ends) - holds, abs=0.3)
        assert read.about == pytest.approx(about, abs=0.3)


@pytest.mark.parametrize(
    ("graph", "pinned"),
    [
        (embedder.GRAPH, next(f.sha256 for f in EMBEDDER.files if f.path == "model.onnx")),
        (judge.GRAPH, judge.setting().sha256),
    ],
)
def test_a_graph_fits_the_file_that_is_pinned(graph: Path, pinned: str) -> None:
    """It points to bytes in that file, and notes its hash."""
    assert pinned.encode() in re.findall(rb"[0-9a-f]{64}", graph.read_bytes())
