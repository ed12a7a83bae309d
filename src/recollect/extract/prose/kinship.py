"""Relatives, friends and pets: "my sister Emma", "Anna, my boss", "a dog named Max"."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from recollect.extract.prose import nouns
from recollect.extract.prose.listed import listed
from recollect.extract.prose.mention import Mention
from recollect.extract.prose.syntax import child
from recollect.extract.prose.words import KIN, PETS, SAME_KIN
from recollect.graph.found import EntityKind

if TYPE_CHECKING:
    from spacy.tokens import Token

_KEPT = listed(
    "best older younger elder eldest oldest youngest little big late ex former adoptive adopted"
    " biological step half first second middle twin close old childhood great"
)


@dataclass(slots=True, eq=False)
class Relative:
    """Someone who is something to an owner. *called* is the own name, empty if none is given."""

    head: Token
    role: str
    words: str
    called: str
    gender: str
    kind: EntityKind
    plural: bool
    owner_token: Token | None
    of_mine: bool
    mention: Mention | None = None
    owner: Mention | None = None


def relative(head: Token) -> Relative | None:
    """Read a phrase as a relative, a friend or a pet of somebody; None if it is neither."""
    noun = _role_noun(head)
    if noun is None:
        return None
    owner, of_mine = _owner(noun, head)
    called = _called(noun, head)
    if owner is None and not of_mine and not (called and noun != head):
        return None
    return _described(noun, head, called, owner, of_mine)


def having(noun: Token) -> Relative:
    """The relative in "I have two sisters", whose owner is the subject."""
    return _described(noun, noun, _called(noun, noun), None, False)


def _described(
    noun: Token, head: Token, called: str, owner: Token | None, of_mine: bool
) -> Relative:
    lemma = noun.lemma_.lower()
    role = SAME_KIN.get(lemma, lemma)
    plural = noun.tag_ == "NNS"
    kept = [item.lower_ for item in noun.lefts if item.lower_ in _KEPT and item.dep_ != "det"]
    return Relative(
        head=head,
        role=" ".join([*kept, role]),
        words=" ".join([*kept, noun.lower_]),
        called="" if plural else called,
        gender=KIN.get(lemma, ""),
        kind="animal" if lemma in PETS else "person",
        plural=plural,
        owner_token=owner,
        of_mine=of_mine,
    )


def is_role(token: Token) -> bool:
    """Whether the noun is what someone is to someone."""
    lemma = token.lemma_.lower()
    return token.pos_ == "NOUN" and (lemma in KIN or lemma in PETS)


def _role_noun(head: Token) -> Token | None:
    if is_role(head):
        return head
    if head.pos_ != "PROPN":
        return None
    beside: list[Token] = list(head.children)
    if head.dep_ == "appos":
        beside.append(head.head)
    for item in beside:
        near = item.dep_ in ("compound", "appos", "nmod") or item == head.head
        owned = child(item, "poss") is not None or child(head, "poss") is not None
        if near and owned and is_role(item):
            return item
    return None


def _owner(noun: Token, head: Token) -> tuple[Token | None, bool]:
    owner = child(noun, "poss") or child(head, "poss")
    if owner is None and noun.dep_ == "compound" and noun.head.pos_ == "PROPN":
        owner = child(noun.head, "poss")
    if owner is not None:
        return owner, False
    for item in noun.children:
        if item.dep_ == "prep" and item.lower_ == "of":
            inner = child(item, "pobj")
            if inner is not None and inner.lower_ in ("mine", "ours"):
                return None, True
    return None, False


def _called(noun: Token, head: Token) -> str:
    if noun == head and noun.dep_ in ("compound", "nmod") and noun.head.pos_ == "PROPN":
        return _plain(noun.head)
    if head != noun and head.pos_ == "PROPN":
        return nouns.name(head) if is_role(head) is False and head.dep_ != "appos" else _plain(head)
    for item in noun.children:
        if item.dep_ == "appos" and item.pos_ == "PROPN":
            return _plain(item)
    return given_name(noun)


def given_name(noun: Token) -> str:
    """The name in "a dog named Max", "a company called Tinfoil"."""
    for item in noun.children:
        if item.dep_ == "acl" and item.lemma_ in ("name", "call"):
            given = child(item, "oprd", "dobj", "attr", "npadvmod")
            if given is not None and given.text[:1].isupper():
                return _plain(given)
    return ""


def _plain(token: Token) -> str:
    """A person's name: the capitalised words of the phrase."""
    parts = [*(item for item in token.lefts if item.dep_ == "compound"), token]
    return " ".join(
        nouns.surface(part) for part in parts if part.pos_ == "PROPN" or part.text[:1].isupper()
    )
