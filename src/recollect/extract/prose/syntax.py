"""Small questions to the dependency parse."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spacy.tokens import Token

SUBJECTS = frozenset({"nsubj", "nsubjpass", "csubj", "csubjpass"})


def verbal(token: Token) -> bool:
    """Whether the token can head a clause."""
    return token.tag_[:2] == "VB" or token.tag_ == "MD" or token.pos_ in ("VERB", "AUX")


def child(token: Token, *deps: str) -> Token | None:
    """The first dependent of one of these sorts."""
    return next((item for item in token.children if item.dep_ in deps), None)


def coordinated(token: Token) -> list[Token]:
    """The token and what is joined to it by commas and "and", in order."""
    found = [token]
    for item in found:
        found.extend(other for other in item.children if other.dep_ == "conj")
    return found


def subjects_of(head: Token) -> tuple[Token, ...]:
    """The heads of a verb's subject; of two, the one beside the verb: "Tom, today I left"."""
    found = [item for item in head.children if item.dep_ in SUBJECTS]
    if not found or found[0].tag_ == "EX":
        return ()
    before = [item for item in found if item.i < head.i]
    return tuple(coordinated(before[-1] if before else found[0]))


def verb_chain(head: Token) -> tuple[Token, ...]:
    verbs = [head]
    while True:
        inner = next(
            (
                item
                for item in verbs[-1].children
                if item.dep_ == "xcomp" and verbal(item) and not subjects_of(item)
            ),
            None,
        )
        thing = child(verbs[-1], "dobj")
        if thing is not None and thing.lemma_ in ("chance", "opportunity"):
            inner, thing = child(thing, "acl"), None
        if inner is None or thing is not None or not verbal(inner):
            return tuple(verbs)
        if verbs[-1].lemma_ == "go" and inner.tag_ == "VBG":  # "go hiking" is one thing to do
            return tuple(verbs)
        verbs.append(inner)


def asks(head: Token) -> bool:
    """An embedded question: "why I started", "how much she liked it"."""
    before = [item for item in head.children if item.i < head.i]
    if any(item.tag_ in ("WRB", "WP", "WDT") and item.lower_ != "when" for item in before):
        return True
    degrees = [item for item in before if item.dep_ in ("advmod", "acomp", "dobj", "attr")]
    return any(word.lower_ == "how" for item in degrees for word in item.children)


def has_been(head: Token) -> bool:
    return any(item.lemma_ in ("be", "have") for item in head.children if item.dep_ == "aux")


def opens(verb: Token) -> bool:
    """Whether nothing stands before the verb that could be its subject."""
    return all(
        item.dep_ in ("advmod", "aux", "auxpass", "neg", "intj", "cc", "punct", "prep", "mark")
        or item.ent_type_ in ("DATE", "TIME")
        or (item.dep_ == "advcl" and not subjects_of(item))
        for item in verb.lefts
    )


def is_bare(verb: Token) -> bool:
    """Whether a verb has nothing to its right but the verb joined to it."""
    return all(item.dep_ in ("conj", "cc", "punct", "advmod") for item in verb.rights)


def group_before(verbs: tuple[Token, ...], until: Token) -> tuple[Token, ...]:
    """The verb group in front of *until*: auxiliaries, negation, "to"."""
    kept = ("aux", "auxpass", "neg", "prt", "advmod")
    words = [
        word
        for verb in verbs
        for word in (verb, *verb.children)
        if word == verb or (word.dep_ in kept and word.i < until.i)
    ]
    return tuple(sorted(words, key=lambda word: word.i))


def shared_helpers(head: Token, item: Token) -> tuple[Token, ...]:
    """Auxiliaries that a joined verb borrows: "will go and *see*", "was running and *reading*"."""
    own = any(word.dep_ in ("aux", "auxpass") for word in item.children)
    if own or head.tag_ != item.tag_ or item.tag_ not in ("VB", "VBG", "VBN"):
        return ()
    return tuple(word for word in head.children if word.dep_ in ("aux", "auxpass", "neg"))


def text_of(tokens: Sequence[Token]) -> str:
    """The words of a stretch of text as they stand there."""
    return "".join(spaced(tokens)).rstrip()


def spaced(tokens: Sequence[Token]) -> list[str]:
    """Each word with the space behind it, also where the next one stood elsewhere in the text."""
    after = [*tokens[1:], None]
    return [
        token.text + (token.whitespace_ or (" " if is_apart(token, following) else ""))
        for token, following in zip(tokens, after, strict=True)
    ]


def is_apart(token: Token, following: Token | None) -> bool:
    """Whether two words that are told together did not stand side by side."""
    return following is not None and following.i != token.i + 1
