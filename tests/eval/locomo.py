"""Long conversations: do the turns that answer questions become facts, and are they found again?"""

import random
from collections.abc import Iterator, Sequence

import numpy as np

from tests.eval import ranking
from tests.eval.chance import Floats, estimate, means, ratio
from tests.eval.common import Options, Table, data, extractor, language, words
from tests.eval.conversations import Conversation, Question, read, readings

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop"}
ADVERSARIAL = 5


def remember(conversation: Conversation) -> None:
    """Read every turn, in order."""
    for reading in readings(conversation):
        conversation.found.append(extractor()(reading))


def _share(flags: Sequence[bool]) -> str:
    units = np.array([(flag, 1) for flag in flags], dtype=np.float64).reshape(-1, 2)
    return estimate(units, ratio).percent()


def coverage(conversations: Sequence[Conversation]) -> Table:
    """How many of the turns that hold evidence became at least one fact."""
    rows = []
    every = [bool(found.facts) for item in conversations for found in item.found]
    groups: dict[str, Sequence[int]] = {"evidence of all four": tuple(CATEGORIES)}
    groups |= {f"evidence, {name}": (number,) for number, name in CATEGORIES.items()}
    for name, numbers in groups.items():
        flags = [
            bool(item.found[place].facts)
            for item in conversations
            for place in sorted(_evidence(item, numbers))
        ]
        rows.append((name, str(len(flags)), _share(flags)))
    rows.append(("all turns", str(len(every)), _share(every)))
    facts = sum(len(item.facts) for item in conversations)
    size = np.mean([len(words(fact)) for item in conversations for _, fact in item.facts] or [0])
    note = f"{facts} facts, {facts / max(1, len(every)):.2f} a turn, {size:.1f} words each."
    return Table(
        "LoCoMo dev: turns that became facts", ("turns", "turns", "with a fact"), tuple(rows), note
    )


def _evidence(conversation: Conversation, categories: Sequence[int]) -> set[int]:
    chosen = [item.wanted for item in conversation.questions if item.category in categories]
    return set().union(*chosen)


Ranked = dict[str, list[int]]


class Searched:
    """Texts that belong to turns, ready to be searched."""

    def __init__(self, owned: Sequence[tuple[int, str]]) -> None:
        self.owners = [owner for owner, _ in owned]
        texts = [text for _, text in owned]
        self._words, self._vectors = ranking.Words(texts), ranking.embedded(texts)

    def scores(self, question: str, vector: Floats) -> dict[str, Floats]:
        """The score of every text, by each way of searching."""
        if not self.owners:
            return {}
        by_words, meaning = self._words.scores(question), self._vectors @ vector
        both = ranking.mixed(meaning, by_words)
        return {"words": by_words, "meaning": meaning, "both": both}


def _sentences(conversation: Conversation) -> list[tuple[int, str]]:
    """A baseline: the turns' sentences as they are, with the speaker in front."""
    docs = language().pipe([turn.text for turn in conversation.turns])
    return [
        (turn.place, f"{turn.speaker}: {sentence.text}")
        for turn, doc in zip(conversation.turns, docs, strict=True)
        for sentence in doc.sents
    ]


def _rankings(conversation: Conversation) -> Iterator[tuple[Question, Ranked]]:
    """Every question with the turns in the order in which each way of searching finds them."""
    turns = [(turn.place, f"{turn.speaker}: {turn.text}") for turn in conversation.turns]
    kinds = {
        "turns": Searched(turns),
        "sentences": Searched(_sentences(conversation)),
        "facts": Searched(conversation.facts),
    }
    asked = ranking.embedded([item.text for item in conversation.questions], queries=True)
    for question, vector in zip(conversation.questions, asked, strict=True):
        scores = {kind: held.scores(question.text, vector) for kind, held in kinds.items()}
        ranked = {
            f"{kind}, {way}": ranking.order(values, kinds[kind].owners)
            for kind, ways in scores.items()
            for way, values in ways.items()
        }
        own = scores["turns"]["both"]
        for kind in ("sentences", "facts"):
            if scores[kind]:
                best = best_of(scores[kind]["both"], kinds[kind].owners, len(turns))
                ranked |= {
                    f"turns and {kind}, better": ranking.order(
                        np.maximum(own, best), kinds["turns"].owners
                    ),
                    f"turns and {kind}, sum": ranking.order(own + best, kinds["turns"].owners),
                }
        yield question, ranked


def best_of(scores: Floats, owners: Sequence[int], count: int) -> Floats:
    """The best score among each owner's items; an owner of none gets the lowest score there is."""
    best = np.full(count, scores.min(), dtype=np.float64)
    np.maximum.at(best, np.array(owners, dtype=np.int64), scores)
    return best


def _means(rows: Sequence[tuple[float, ...]]) -> tuple[str, ...]:
    return tuple(item.percent() for item in means(rows))


def search(conversations: Sequence[Conversation]) -> list[Table]:
    """Where the evidence comes when turns, facts or both are searched for a question."""
    results: dict[str, dict[int, list[tuple[float, ...]]]] = {}
    for conversation in conversations:
        for question, ranked in _rankings(conversation):
            for name, places in ranked.items():
                measures = ranking.measures(places, question.wanted)
                results.setdefault(name, {}).setdefault(question.category, []).append(measures)
    names = [*CATEGORIES.values(), "adversarial"]
    whole, apart = [], []
    for name, groups in results.items():
        answerable = [row for number in CATEGORIES for row in groups.get(number, [])]
        whole.append((name, *_means(answerable)))
        tens = [[(row[1],) for row in groups.get(n, [])] for n in (*CATEGORIES, ADVERSARIAL)]
        apart.append((name, *(_means(rows)[0] if rows else "–" for rows in tens)))  # noqa: RUF001
    count = sum(q.category in CATEGORIES for c in conversations for q in c.questions)
    head = ("searched", "R@5", "R@10", "R@20", "nDCG@10", "MRR")
    return [
        Table(f"LoCoMo dev: evidence found, {count} answerable questions", head, tuple(whole)),
        Table("LoCoMo dev: R@10 by kind of question", ("searched", *names), tuple(apart)),
    ]


def show(conversations: Sequence[Conversation], count: int = 20) -> None:
    """Print some turns with what became of them."""
    pairs = [pair for item in conversations for pair in zip(item.turns, item.found, strict=True)]
    for turn, found in random.Random(7).sample(pairs, min(count, len(pairs))):  # noqa: S311
        print(f"\n[{turn.at:%Y-%m-%d}] {turn.speaker}: {turn.text}")
        for fact in found.facts:
            ends = f"{found.entities[fact.source].name} -> {found.entities[fact.target].name}"
            when = f" {fact.valid_at:%Y-%m-%d}" if fact.valid_at else ""
            print(f"    {fact.name}: {fact.fact}   [{ends}]{when}")


def tables(options: Options) -> list[Table]:
    """LoCoMo dev, each turn one episode. A sample is that many turns of each conversation."""
    conversations = [read(raw) for raw in data("locomo_dev.json.gz")]
    if options.sample is not None:
        conversations = [beginning(item, options.sample) for item in conversations]
    for conversation in conversations:
        remember(conversation)
    if options.show:
        show(conversations)
    return [coverage(conversations), *search(conversations)]


def beginning(conversation: Conversation, count: int) -> Conversation:
    """The first turns of a conversation, and the questions that they answer."""
    questions = [item for item in conversation.questions if max(item.wanted) < count]
    return Conversation(conversation.turns[:count], questions)
