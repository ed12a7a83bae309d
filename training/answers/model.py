"""The model of answers: a question and what a search found, read at once."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from training.judge.encoder import DROPOUT, PLACES, WIDTH, WORDS, Layer

OUTPUTS = 2  # whether a fact answers, now or formerly; whether that is over


class Answers(nn.Module):
    """Reads a question and facts in the order in which they were said, and says of each fact whether it
    answers the question, and whether it no longer does. Reading is joint, so a fact is seen beside those
    that came after it; what is compared in the end is the mean of the question and of the fact."""

    def __init__(self, layers: int) -> None:
        super().__init__()
        self.words = nn.Embedding(WORDS, WIDTH)
        self.places = nn.Embedding(PLACES, WIDTH)
        self.sides = nn.Embedding(2, WIDTH)
        self.norm = nn.LayerNorm(WIDTH, eps=1e-12)
        self.dropout = nn.Dropout(DROPOUT)
        self.layers = nn.ModuleList(Layer() for _ in range(layers))
        self.head = nn.Sequential(
            nn.Linear(4 * WIDTH, 192), nn.Tanh(), nn.Dropout(DROPOUT), nn.Linear(192, OUTPUTS)
        )

    def forward(self, input_ids: Tensor, parts: Tensor, numbers: Tensor) -> Tensor:
        """*parts*: 0 for a token of the question, n for one of the nth fact, -1 where nothing is.
        *numbers* are those of the parts."""
        there = parts >= 0
        x = self.words(input_ids) + self.places(torch.arange(input_ids.shape[1]))
        x = self.dropout(self.norm(x + self.sides((parts > 0).long())))
        mask = there[:, None, None, :]
        for layer in self.layers:
            x = layer(x, mask)
        of = (parts[:, None, :] == numbers[None, :, None]).to(x.dtype)
        means = of @ x / of.sum(2, keepdim=True).clamp(min=1.0)
        one, two = means[:, :1].expand(-1, means.shape[1] - 1, -1), means[:, 1:]
        found: Tensor = self.head(torch.cat((one, two, (one - two).abs(), one * two), 2))
        return found


def padded(encoded: Sequence[tuple[list[int], list[int]]]) -> tuple[Tensor, Tensor, Tensor]:
    """Several lists, as `recollect.models.answers.encode` makes them, as tensors."""
    longest = max(len(ids) for ids, _ in encoded)
    rows = [ids + [0] * (longest - len(ids)) for ids, _ in encoded]
    parts = torch.tensor([places + [-1] * (longest - len(places)) for _, places in encoded])
    return torch.tensor(rows), parts, torch.arange(int(parts.max()) + 1)
