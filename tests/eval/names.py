"""Names in noisy text, against the marks that people made in WNUT 2017."""

from collections.abc import Iterable, Sequence

from recollect.graph.found import Found
from tests.eval.chance import prf
from tests.eval.common import (
    Options,
    Table,
    data,
    document,
    extractor,
    language,
    surface,
    untokenised,
)

Counts = tuple[float, float, float, float]
NOT_NAMES = {
    *("CARDINAL", "DATE", "MONEY", "ORDINAL", "PERCENT", "QUANTITY", "TIME"),
    *("LANGUAGE", "NORP"),
}


def spans(tagged: Sequence[Sequence[str]]) -> list[str]:
    """The marked names of a sentence of (token, tag) pairs with B-, I- and O tags."""
    names: list[list[str]] = []
    for token, tag in tagged:
        if tag.startswith("B-"):
            names.append([token])
        elif tag.startswith("I-") and names:
            names[-1].append(token)
    return [" ".join(parts) for parts in names]


def score(found: Iterable[str], gold: Iterable[str]) -> Counts:
    """Right names found, names found, the same, names marked: distinct surface forms."""
    ours = {surface(name) for name in found} - {""}
    theirs = {surface(name) for name in gold} - {""}
    right = len(ours & theirs)
    return right, len(ours), right, len(theirs)


def named(found: Found) -> list[str]:
    """What an extractor gave a name that is written as one."""
    return [
        item.name
        for item in found.entities
        if item.kind != "value" and item.who is None and item.name != item.name.lower()
    ]


def tables(options: Options) -> list[Table]:
    """WNUT 2017 dev: entities of the extractor beside the bare parser."""
    sentences = options.take(data("wnut17_dev.json.gz"))
    counts: dict[str, list[Counts]] = {}
    for tagged in sentences:
        text = untokenised(" ".join(token for token, _ in tagged))
        doc = language()(text)
        capital = [part.text for part in doc.noun_chunks if part.root.pos_ == "PROPN"]
        found = {
            "noun phrases around a proper noun": capital,
            "the parser's names": [e.text for e in doc.ents if e.label_ not in NOT_NAMES],
            "embedded extractor": named(extractor()(document(text))),
        }
        for name, items in found.items():
            counts.setdefault(name, []).append(score(items, spans(tagged)))
    return [
        Table(
            f"WNUT 2017 dev: names, {len(sentences)} sentences",
            ("system", "names found", "precision", "recall", "F1"),
            tuple(
                (name, f"{sum(row[1] for row in rows):.0f}", *prf(rows))
                for name, rows in counts.items()
            ),
            f"{sum(row[3] for row in counts['embedded extractor']):.0f} names are marked.",
        )
    ]
