"""Train the classifier of sentences: `make train`, a few minutes.

Labelled talk by two hands (`k1`, `k2`). Scores are those of a classifier that never saw the hand it is
asked about. The statements of the histories, all of which are worth remembering, made it worse.
"""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch.nn import functional

from recollect.extract.brief import Brief, Profile
from recollect.extract.prose.chat import normalise
from recollect.extract.prose.moments import Moments
from recollect.extract.prose.plain import Plain
from recollect.extract.prose.scene import Scene
from recollect.extract.prose.voices import speeches
from recollect.models import embedder, parser, sentence_kinds
from recollect.models.sentence_kinds import BUCKETS, FILE, KINDS, VECTOR_WEIGHT, Utterance
from recollect.settings import Settings

HERE = Path(__file__).parent
HANDS = ("k1", "k2")
NONE = KINDS.index("none")
SPEAKERS = {"user": "Jamie", "assistant": "Assistant", "other": "Robin"}
RIDGE = 2e-5
RECALL = 0.94


class Labelled(NamedTuple):
    """A sentence with its label."""

    said: Utterance
    kind: int


class Teller:
    """Tells a sentence as the product would."""

    def __init__(self) -> None:
        self._nlp = parser.load(Settings().models)
        self._at = datetime(2024, 6, 1, 12, tzinfo=UTC)

    def told(self, text: str, role: str) -> str:
        """The sentence as a fact."""
        brief = Brief(
            kind="text" if role == "document" else "message",
            content=text,
            at=self._at,
            role=role if role in ("user", "assistant") else None,
            speaker=SPEAKERS.get(role),
            user=Profile(name="Jamie Fields", user_id="jamie", first_name="Jamie"),
        )
        (speech,) = speeches(brief)[:1]
        doc = self._nlp(normalise(text, lambda _: True).text)
        if not len(doc):
            return text
        moments = Moments(
            doc[:], self._at, None, dict.fromkeys((token.idx for token in doc), "present")
        )
        return Plain(Scene(brief, speech)).tell(list(doc), moments) or text


def labelled(hand: str, teller: Teller) -> list[Labelled]:
    """The sentences of a hand."""
    return [one for file in sorted((HERE / hand).glob("*.txt")) for one in _file(file, teller)]


def _file(file: Path, teller: Teller) -> Iterator[Labelled]:
    lines = file.read_text(encoding="utf-8").splitlines()
    rows = [[part.strip() for part in line.split(" | ")] for line in lines[1:] if line.strip()]
    last: tuple[str, str, str] | None = None
    question, number = "", ""
    for role, message, text, kind in rows:
        if message != number:
            asked = last is not None and last[2].endswith("?") and last[0] != role
            question, number = last[2] if asked and last is not None else "", message
        yield Labelled(Utterance(text, role, question, teller.told(text, role)), KINDS.index(kind))
        last = (role, message, text)


Weights = tuple[torch.Tensor, torch.Tensor, torch.Tensor]


class Material(NamedTuple):
    """Sentences as tensors."""

    signs: torch.Tensor
    vectors: torch.Tensor
    kinds: torch.Tensor


def material(some: Sequence[Labelled], embed: embedder.Embedder) -> Material:
    """What a fit needs."""
    rows, columns, values = [], [], []
    for row, one in enumerate(some):
        places = sentence_kinds.buckets(one.said)
        rows += [row] * len(places)
        columns += places
        values += [sentence_kinds.scale(len(places))] * len(places)
    signs = torch.sparse_coo_tensor(
        torch.tensor([rows, columns]), torch.tensor(values), (len(some), BUCKETS)
    ).coalesce()
    vectors = torch.tensor(embed.passages([one.said.told for one in some])) * VECTOR_WEIGHT
    return Material(
        signs,
        vectors,
        torch.tensor([one.kind for one in some]),
    )


def logits(given: Material, by: Weights) -> torch.Tensor:
    """What the weights make of sentences."""
    found: torch.Tensor = torch.sparse.mm(given.signs, by[0]) + given.vectors @ by[1] + by[2]
    return found


def fitted(given: Material) -> Weights:
    """Weights of words and of meaning, and the bias."""
    torch.manual_seed(0)
    size = len(KINDS)
    by = (
        torch.zeros(BUCKETS, size, requires_grad=True),
        torch.zeros(given.vectors.shape[1], size, requires_grad=True),
        torch.zeros(size, requires_grad=True),
    )
    optimizer = torch.optim.LBFGS(by, max_iter=150, history_size=10, line_search_fn="strong_wolfe")

    def loss() -> torch.Tensor:
        optimizer.zero_grad()
        total = functional.cross_entropy(logits(given, by), given.kinds)
        total = total + RIDGE * ((by[0] ** 2).sum() + (by[1] ** 2).sum())
        total.backward()  # type: ignore[no-untyped-call]
        return total

    optimizer.step(loss)
    return by[0].detach(), by[1].detach(), by[2].detach()


def report(name: str, given: Material, by: Weights) -> npt.NDArray[np.float64]:
    """Print how good the weights are on sentences they did not learn from; how sure of worth."""
    chances = functional.softmax(logits(given, by), 1).numpy()
    kinds = given.kinds.numpy()
    worth, sure = kinds != NONE, 1 - chances[:, NONE]
    order = np.argsort(-sure)
    right = np.cumsum(worth[order])
    precision, recall = right / np.arange(1, len(order) + 1), right / worth.sum()
    told = (chances.argmax(1) == kinds).mean()
    at = [f"{100 * precision[np.argmax(recall >= wanted)]:.1f}" for wanted in (0.9, 0.95, 0.98)]
    both = ((sure > 0.5) == worth).mean()
    print(f"| {name} | {100 * told:.1f} | {100 * both:.1f} | {' | '.join(at)} |", flush=True)
    return np.asarray(sure[worth], dtype=np.float64)


def main() -> None:
    """Entry point."""
    torch.set_num_threads(1)
    teller, embed = Teller(), embedder.load(Settings().models)
    hands = [labelled(hand, teller) for hand in HANDS]
    made = [material(some, embed) for some in hands]
    print("| asked about | kind right | worth right | precision at recall 90 | 95 | 98 |")
    print("|---|---|---|---|---|---|")
    first, second = made
    sure = [
        report(HANDS[0], first, fitted(second)),
        report(HANDS[1], second, fitted(first)),
    ]
    threshold = float(np.quantile(np.concatenate(sure), 1 - RECALL))
    by = fitted(material([one for some in hands for one in some], embed))
    words, meaning, bias = (part.numpy().astype(np.float16) for part in by)
    np.savez_compressed(FILE, words=words, meaning=meaning, bias=bias, sure=np.float32(threshold))
    print(f"worth it from {threshold:.3f} on")


if __name__ == "__main__":
    main()
