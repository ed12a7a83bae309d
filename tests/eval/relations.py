"""Who is linked to whom, against the relations marked in Re-DocRED's documents."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

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
from tests.eval.names import NOT_NAMES, Counts

Pair = frozenset[int]

# Wikidata's relations, the names of the same relation in our graph, and whether head and tail are
# the other way round. Dates are left out: in our graph they are times of facts, not entities.
EXPRESSED: Mapping[str, tuple[tuple[str, bool], ...]] = {
    "P108 employer": (("WORKS_AT", False),),
    "P551 residence": (("LIVES_IN", False),),
    "P26 spouse": (
        *(("MARRIED_TO", False), ("MARRIED_TO", True)),
        *(("HAS_WIFE", False), ("HAS_WIFE", True)),
        *(("HAS_HUSBAND", False), ("HAS_HUSBAND", True)),
    ),
    "P22 P25 parent": (
        *(("HAS_FATHER", False), ("HAS_MOTHER", False)),
        *(("HAS_SON", True), ("HAS_DAUGHTER", True), ("HAS_CHILD", True)),
    ),
    "P40 child": (
        *(("HAS_SON", False), ("HAS_DAUGHTER", False), ("HAS_CHILD", False)),
        *(("HAS_FATHER", True), ("HAS_MOTHER", True)),
    ),
    "P3373 sibling": (
        *(("HAS_BROTHER", False), ("HAS_BROTHER", True)),
        *(("HAS_SISTER", False), ("HAS_SISTER", True)),
    ),
    "P69 educated at": (
        *(("STUDIES_AT", False), ("GRADUATED_FROM", False), ("BE_EDUCATED_AT", False)),
    ),
    "P463 P54 member of": (("MEMBER_OF", False),),
    "P19 place of birth": (("BORN_IN", False),),
    "P20 place of death": (("DIE_IN", False), ("DIED", False)),
    "P17 P131 located in": (("LOCATED_IN", False),),
    "P361 part of": (("PART_OF", False),),
    "P112 founded by": (("FOUNDED", True), ("BE_FOUNDED_BY", False)),
    "P50 author": (("WROTE", True), ("WRITTEN_BY", False)),
    "P57 director": (("DIRECT", True), ("BE_DIRECTED_BY", False)),
    "P175 performer": (("PERFORM", True), ("BE_PERFORMED_BY", False)),
    "P166 award": (("WON", False), ("RECEIVED", False)),
    "P127 owned by": (("OWNS", True), ("BE_OWNED_BY", False)),
}


@dataclass(frozen=True)
class Document:
    """A document with its marked entities, and what is said of them."""

    text: str
    sentences: tuple[str, ...]
    by_surface: Mapping[str, int]
    mentioned: tuple[frozenset[int], ...]
    relations: tuple[tuple[str, int, int], ...]

    @property
    def pairs(self) -> set[Pair]:
        """Every two entities between which a relation is marked."""
        return {frozenset((head, tail)) for _, head, tail in self.relations if head != tail}

    @property
    def near(self) -> set[Pair]:
        """Those of the pairs that some sentence names together."""
        return {pair for pair in self.pairs if any(pair <= held for held in self.mentioned)}


def read(raw: Mapping[str, Any]) -> Document:
    """A document of the data set. Dates and numbers do not count as entities here."""
    things = {
        number: mentions
        for number, mentions in enumerate(raw["vertexSet"])
        if mentions[0]["type"] not in {"TIME", "NUM"}
    }
    sentences = tuple(untokenised(" ".join(tokens)) for tokens in raw["sents"])
    mentioned = tuple(
        frozenset(n for n, items in things.items() if any(i["sent_id"] == place for i in items))
        for place in range(len(sentences))
    )
    return Document(
        text=" ".join(sentences),
        sentences=sentences,
        by_surface={surface(i["name"]): n for n, items in things.items() for i in items},
        mentioned=mentioned,
        relations=tuple(
            (label["r"], label["h"], label["t"])
            for label in raw["labels"]
            if label["h"] in things and label["t"] in things
        ),
    )


def links(found: Found, doc: Document) -> Iterator[tuple[str, int, int]]:
    """The facts whose two ends are marked entities: predicate, source, target."""
    for fact in found.facts:
        source = doc.by_surface.get(surface(found.entities[fact.source].name))
        target = doc.by_surface.get(surface(found.entities[fact.target].name))
        if source is not None and target is not None and source != target and not fact.negated:
            yield fact.predicate, source, target


def together(doc: Document) -> set[Pair]:
    """A baseline: every two marked entities that the bare parser names in one sentence."""
    pairs: set[Pair] = set()
    for parsed in language().pipe(doc.sentences):
        names = [e.text for e in parsed.ents if e.label_ not in NOT_NAMES - {"LANGUAGE", "NORP"}]
        held = sorted({doc.by_surface[surface(n)] for n in names if surface(n) in doc.by_surface})
        pairs |= {frozenset(pair) for pair in combinations(held, 2)}
    return pairs


def score(found: set[Any], gold: set[Any]) -> Counts:
    """Right items found, items found, the same, items wanted."""
    right = len(found & gold)
    return right, len(found), right, len(gold)


def add(left: Counts, right: Counts) -> Counts:
    """Counts of two relations together."""
    return left[0] + right[0], left[1] + right[1], left[2] + right[2], left[3] + right[3]


def typed(relation: str, found: list[tuple[str, int, int]]) -> set[tuple[int, int]]:
    """(head, tail) of the links that say one of the data set's relations."""
    return {
        (target, source) if turned else (source, target)
        for name, turned in EXPRESSED[relation]
        for predicate, source, target in found
        if predicate == name
    }


def tables(options: Options) -> list[Table]:
    """Re-DocRED dev: pairs linked by facts, and the relations that our table has a name for."""
    docs = [read(raw) for raw in options.take(data("redocred_dev150.json.gz"))]
    found = [list(links(extractor()(document(doc.text)), doc)) for doc in docs]
    linked = [{frozenset(link[1:]) for link in items} for items in found]
    beside = [together(doc) for doc in docs]
    wanted = {
        "all pairs": [doc.pairs for doc in docs],
        "pairs of one sentence": [doc.near for doc in docs],
    }
    systems = {"every two names of a sentence": beside, "embedded extractor": linked}
    rows = []
    for title, gold in wanted.items():
        for name, pairs in systems.items():
            counts = [score(*both) for both in zip(pairs, gold, strict=True)]
            rows.append((f"{title}: {name}", f"{sum(c[3] for c in counts):.0f}", *prf(counts)))
    head = ("against: system", "marked", "precision", "recall", "F1")
    pairs_table = Table(f"Re-DocRED dev: linked pairs, {len(docs)} documents", head, tuple(rows))
    return [pairs_table, _typed_table(docs, found)]


def _typed_table(docs: list[Document], found: list[list[tuple[str, int, int]]]) -> Table:
    """Each relation by itself; one that is neither marked nor found is left out."""
    rows = []
    total: list[Counts] = [(0.0, 0.0, 0.0, 0.0)] * len(docs)
    for relation in EXPRESSED:
        codes = {part for part in relation.split() if part[1:].isdigit()}
        counts = [
            score(typed(relation, items), {(h, t) for r, h, t in doc.relations if r in codes})
            for doc, items in zip(docs, found, strict=True)
        ]
        total = [add(*both) for both in zip(total, counts, strict=True)]
        marked, said = sum(c[3] for c in counts), sum(c[1] for c in counts)
        if marked or said:
            rows.append((relation, f"{marked:.0f}", f"{said:.0f}", *prf(counts)))
    head = ("relation", "marked", "found", "precision", "recall", "F1")
    all_row = (
        "together",
        f"{sum(c[3] for c in total):.0f}",
        f"{sum(c[1] for c in total):.0f}",
        *prf(total),
    )
    return Table("Re-DocRED dev: relations by name", head, (*rows, all_row))
