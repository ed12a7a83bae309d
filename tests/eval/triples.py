"""A fact's sentence as an open triple: who, relation, the rest."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from recollect.graph.found import Found, FoundFact
from tests.eval.common import language, words

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span, Token

_GROUP = {"aux", "auxpass", "neg"}
_SUBJECTS = {"nsubj", "nsubjpass", "csubj", "expl"}


@dataclass(frozen=True)
class Triple:
    """Words of the three slots. *rest* holds the second argument and every further one."""

    first: tuple[str, ...]
    relation: tuple[str, ...]
    rest: tuple[str, ...]

    @classmethod
    def of(cls, first: str, relation: str, rest: str) -> "Triple":
        return cls(words(first), words(relation), words(rest))


def _main_verb(doc: "Doc") -> "Token":
    root = next(doc.sents).root
    verbs = [token for token in doc if token.pos_ in {"VERB", "AUX"}]
    return root if root in verbs or not verbs else verbs[0]


def verb_group(verb: "Token") -> tuple[int, int]:
    """Where a verb with its auxiliaries, negation, particle and next preposition stands."""
    start, end = verb.i, verb.i + 1
    for child in verb.children:
        if child.dep_ in _GROUP and child.i < verb.i:
            start = min(start, child.i)
    while end < len(verb.doc) and verb.doc[end].dep_ in {"neg", "prt", "prep", "agent"}:
        end += 1
    return start, end


def _find(doc: "Doc", name: str, start: int) -> tuple[int, int] | None:
    """Where a name stands in a sentence, at or after a token, with the words that lead up to it."""
    wanted = [word for word in words(name) if word not in {"the", "a", "an"}]
    held = [(token.i, word) for token in doc[start:] for word in words(token.text)]
    for number in range(len(held) - len(wanted) + 1):
        if wanted and [word for _, word in held[number : number + len(wanted)]] == wanted:
            first, last = held[number][0], held[number + len(wanted) - 1][0] + 1
            return max(start, min(first, doc[first:last].root.left_edge.i)), last
    return None


def of_sentence(doc: "Doc", source: str, target: str | None) -> Triple:
    """The triple of a fact's sentence.

    The relation begins with the verb and reaches to the target; without a target behind the verb
    it is the verb group. What stands before it, from the source on, is the first argument.
    Everything else is the rest, so that no word of the sentence is left out.
    """
    start, end = verb_group(_main_verb(doc))
    at = _find(doc, source, 0)
    if at is None:
        at = (0, start)
    start, end = (at[1], max(end, at[1] + 1)) if at[1] > start else (start, end)
    aim = _find(doc, target, start) if target is not None else None
    if aim is not None and aim[0] > start:
        end = aim[0]
    first, relation = doc[at[0] : start], doc[start:end]
    rest = f"{doc[end:].text} {doc[: at[0]].text}"
    return Triple.of(first.text or source, relation.text, rest)


def of_found(found: Found) -> list[Triple]:
    """The triples of everything an extractor found in a text."""
    docs = language().pipe(fact.fact for fact in found.facts)
    return [_of_fact(found, fact, doc) for fact, doc in zip(found.facts, docs, strict=True) if doc]


def _of_fact(found: Found, fact: FoundFact, doc: "Doc") -> Triple:
    target = None if fact.target == fact.source else found.entities[fact.target].name
    return of_sentence(doc, found.entities[fact.source].name, target)


def naive(doc: "Doc") -> list[Triple]:
    """A baseline: the first noun phrase, the main verb, whatever follows."""
    triples = []
    for sentence in doc.sents:
        start, end = verb_group(sentence.root)
        chunk = next((item for item in sentence.noun_chunks), None)
        if chunk is not None and chunk.start < start and start >= sentence.start:
            relation, rest = doc[start:end], doc[end : sentence.end]
            triples.append(Triple.of(chunk.text, relation.text, rest.text))
    return triples


def clauses(doc: "Doc") -> list[Triple]:
    """A baseline: every verb with a subject of its own, and whatever hangs behind the verb."""
    return [
        Triple.of(_below(child).text, doc[start:end].text, _behind(verb, end).text)
        for verb in doc
        if verb.pos_ in {"VERB", "AUX"}
        for start, end in [verb_group(verb)]
        for child in verb.children
        if child.dep_ in _SUBJECTS and child.i < verb.i
    ]


def _below(token: "Token") -> "Span":
    return token.doc[token.left_edge.i : token.right_edge.i + 1]


def _behind(verb: "Token", end: int) -> "Span":
    """What depends on a verb and stands behind it, without clauses of equal rank."""
    edges = [
        child.right_edge.i + 1
        for child in verb.rights
        if child.dep_ not in {"conj", "cc", "punct"} and child.right_edge.i >= end
    ]
    return verb.doc[end : max(edges, default=end)]
