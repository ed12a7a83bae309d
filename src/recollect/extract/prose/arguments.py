"""What a verb relates its subject to: objects, complements, prepositional phrases."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from recollect.extract.prose.nouns import core, is_time
from recollect.extract.prose.syntax import child, coordinated, verbal

if TYPE_CHECKING:
    from spacy.tokens import Token

_PLACING = frozenset({"at", "in", "with", "near"})
LINKING = frozenset({"be", "become", "get", "feel", "seem", "look", "stay", "remain", "turn", "go"})


@dataclass(frozen=True, slots=True)
class Argument:
    """*head* is the word under which the other entity is found, None if there is no other.

    *lemmas* is how the relation is said; *phrase* is the whole part of the sentence; *core* marks
    what belongs to the verb, as opposed to a circumstance.
    """

    head: Token | None
    lemmas: tuple[str, ...]
    phrase: Token | None = None
    core: bool = True
    label: str = ""


def arguments(verb: Token, passive: bool) -> list[Argument]:
    """Everything the verb is said with, the most telling first."""
    lemma = verb.lemma_.lower()
    particle = child(verb, "prt")
    base = (lemma, particle.lower_) if particle is not None else (lemma,)
    if passive:
        helper = child(verb, "auxpass")
        get = helper is not None and helper.lemma_ == "get"
        base = ("get" if get else "be", verb.lower_, *base[1:])
        thing = child(verb, "dobj", "oprd")
        given = [Argument(thing, base, thing, label="object")] if thing is not None else []
        return [*given, *_prepositions(verb, base), Argument(None, base)]
    complement = child(verb, "attr", "acomp", "oprd")
    if complement is not None and lemma in LINKING:
        return [*_complement(verb, complement, base), *_prepositions(verb, base)]
    thing = child(verb, "dobj")
    if thing is not None:
        return _transitive(verb, thing, base)
    if lemma == "go" and (doing := _doing(verb)) is not None:
        return _going(verb, doing, base)
    return [*_prepositions(verb, base), Argument(None, base)]


def _doing(verb: Token) -> Token | None:
    return next(
        (item for item in verb.rights if item.dep_ in ("xcomp", "advcl") and item.tag_ == "VBG"),
        None,
    )


def _going(verb: Token, doing: Token, base: tuple[str, ...]) -> list[Argument]:
    words = (*base, doing.lower_)
    around = [*_prepositions(doing, words), *_prepositions(verb, words)]
    return [Argument(doing, base, doing, label="activity"), *around]


def _transitive(verb: Token, thing: Token, base: tuple[str, ...]) -> list[Argument]:
    found = [Argument(thing, base, thing, label="object")]
    noun = core(thing).lemma_.lower()
    for item in _prepositions(verb, base):
        found.append(item)
        found.append(
            Argument(item.head, (*base, noun, *item.lemmas[len(base) :]), item.phrase, False)
        )
    around = _prepositions(thing, (*base, noun))
    return found + [Argument(item.head, item.lemmas, item.phrase, False) for item in around]


def _complement(verb: Token, complement: Token, base: tuple[str, ...]) -> list[Argument]:
    noun = complement.pos_ in ("NOUN", "PROPN")
    word = complement.lemma_.lower() if noun else complement.lower_
    said = (*base, word)
    found = _prepositions(complement, said)
    if not noun:
        found += _prepositions(verb, said)
        infinitive = child(complement, "xcomp", "advcl")
        if infinitive is not None and verbal(infinitive) and not found:
            thing = child(infinitive, "dobj")
            words = (*said, "to", infinitive.lemma_.lower())
            found = [Argument(thing, words, thing)] if thing is not None else []
            found += _prepositions(infinitive, words)
        return [*found, Argument(None, _adjective(base, complement), complement, label="quality")]
    return [
        Argument(complement, base, complement, label="complement"),
        *(Argument(item.head, item.lemmas, item.phrase, False) for item in found),
    ]


def _adjective(base: tuple[str, ...], complement: Token) -> tuple[str, ...]:
    before = [
        item.lower_ for item in complement.lefts if item.dep_ in ("npadvmod", "amod", "compound")
    ]
    return (*base, *before, complement.lower_)


def _prepositions(head: Token, base: tuple[str, ...]) -> list[Argument]:
    found: list[Argument] = []
    for item in head.rights:
        if item.dep_ not in ("prep", "agent", "dative"):
            continue
        words, inner = _object(item)
        if inner is None or is_time(inner):
            continue
        found.append(Argument(inner, (*base, *words), item, item.dep_ == "agent"))
        found.extend(_nested(inner, base))
    return found


def _nested(noun: Token, base: tuple[str, ...]) -> list[Argument]:
    """ "a nurse at General Hospital": the place belongs to the verb as well."""
    found: list[Argument] = []
    for item in noun.rights:
        inner = child(item, "pobj") if item.dep_ == "prep" and item.lower_ in _PLACING else None
        if inner is not None and not is_time(inner):
            found.append(Argument(inner, (*base, item.lower_), item, False))
    return found


def _object(prep: Token) -> tuple[tuple[str, ...], Token | None]:
    words = [prep.lower_]
    inner = child(prep, "pobj", "pcomp")
    if inner is None and (nested := child(prep, "prep")) is not None:
        words.append(nested.lower_)
        inner = child(nested, "pobj", "pcomp")
    return tuple(words), inner


def members(head: Token) -> list[Token]:
    """The things of a list, or the one thing."""
    inner = core(head)
    if head.dep_ == "pobj" and head.head.lower_ == "between":
        return [inner]
    found = [item for item in coordinated(inner) if item == inner or _is_member(item)]
    if inner != head:  # "20 mg of Lipitor and two tablets of aspirin"
        found += [core(item) for item in coordinated(head)[1:] if not _denied(item)]
    return found


def _is_member(item: Token) -> bool:
    return not _denied(item) and item.pos_ not in ("ADJ", "ADV")


def denied(head: Token) -> list[Token]:
    """What a list excludes: "Denver, not Boston"."""
    beside = [*coordinated(head)[1:], *(item for item in head.children if item.dep_ == "appos")]
    return [item for item in beside if _denied(item)]


def _denied(item: Token) -> bool:
    before = item.doc[item.left_edge.i - 1] if item.left_edge.i else None
    own = child(item, "neg") is not None
    return own or (before is not None and before.lower_ == "not")
