"""Open triples against those that people wrote for CaRB's sentences."""

from collections import Counter
from collections.abc import Sequence

from tests.eval import triples
from tests.eval.chance import prf
from tests.eval.common import Options, Table, data, document, extractor, language, untokenised
from tests.eval.triples import Triple

Counts = tuple[float, float, float, float]


def _shared(left: Sequence[str], right: Sequence[str]) -> int:
    return (Counter(left) & Counter(right)).total()


def compare(found: Triple, gold: Triple) -> tuple[float, float]:
    """The share of the found words that are in the gold triple, and of its words that are found.

    Words count slot by slot. A pair that shares no word in some slot is no match at all.
    """
    slots = [
        (found.first, gold.first),
        (found.relation, gold.relation),
        (found.rest, gold.rest),
    ]
    shared = [_shared(left, right) for left, right in slots]
    if any(not count and right for count, (_, right) in zip(shared, slots, strict=True)):
        return 0.0, 0.0
    found_words = sum(len(left) for left, _ in slots)
    gold_words = sum(len(right) for _, right in slots)
    return sum(shared) / max(1, found_words), sum(shared) / max(1, gold_words)


def score(found: Sequence[Triple], gold: Sequence[Triple]) -> Counts:
    """Precision points, triples found, recall points, gold triples, of one sentence.

    A gold triple gets the recall of the best triple found; one found triple may serve several.
    For precision each found triple has one gold triple to itself, the best pairs first.
    """
    pairs = [[compare(item, wanted) for wanted in gold] for item in found]
    recall = sum(max((row[n][1] for row in pairs), default=0.0) for n in range(len(gold)))
    ranked = sorted(
        ((pair[0], i, j) for i, row in enumerate(pairs) for j, pair in enumerate(row)),
        key=lambda item: (-item[0], item[1], item[2]),
    )
    precision, rows, columns = 0.0, set[int](), set[int]()
    for value, row, column in ranked:
        if row not in rows and column not in columns:
            precision += value
            rows.add(row)
            columns.add(column)
    return precision, len(found), recall, len(gold)


def tables(options: Options) -> list[Table]:
    """CaRB dev: the extractor beside two baselines from the same parse."""
    sentences = options.take(data("carb_dev.json.gz"))
    counts: dict[str, list[Counts]] = {}
    for item in sentences:
        text = untokenised(item["sentence"])
        gold = [Triple.of(t[1], t[0], " ".join(t[2:])) for t in item["triples"]]
        doc = language()(text)
        found = {
            "first noun phrase, main verb, rest": triples.naive(doc),
            "every verb with a subject, rest": triples.clauses(doc),
            "embedded extractor": triples.of_found(extractor()(document(text))),
        }
        for name, items in found.items():
            counts.setdefault(name, []).append(score(items, gold))
    return [
        Table(
            f"CaRB dev: open triples, {len(sentences)} sentences",
            ("system", "triples a sentence", "precision", "recall", "F1"),
            tuple(
                (name, f"{sum(row[1] for row in rows) / len(rows):.2f}", *prf(rows))
                for name, rows in counts.items()
            ),
        )
    ]
