"""The words of a fact's sentence: names for pronouns, verbs that agree with them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.extract.prose.clauses import Clause
from recollect.extract.prose.inflect import possessive, third
from recollect.extract.prose.nouns import surface
from recollect.extract.prose.scene import Scene
from recollect.extract.prose.syntax import SUBJECTS, child, coordinated, verbal
from recollect.extract.prose.words import FIRST, FIRST_PLURAL, PLURAL, POINTING, POSSESSIVE, SECOND

if TYPE_CHECKING:
    from spacy.tokens import Token

_SELVES = frozenset({"myself", "ourselves", "yourself", "yourselves"})
_EXPANDED = {"n't": "not", "ca": "can", "wo": "will", "'ll": "will", "sha": "shall", "'m": "am"}


class Wording:
    """Says each token for a reader who was not there. *unnamed* are pronouns for "something"."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self.unnamed: set[int] = set()

    def word(
        self, token: Token, clause: Clause | None, singular: bool, following: bool = True
    ) -> str:
        gap = token.whitespace_ if following else " "
        text = _uncapitalised(token)
        if token.i in self.unnamed:
            return " something" + gap
        if token.tag_ in ("PRP", "PRP$") and token.dep_ != "expl":
            return f" {self._pronoun(token, clause)}{gap or ' '}"
        if token.lower_ in POINTING and token.dep_ == "det":
            return "the" + gap
        if token.tag_ in ("VBP", "VBD", "VBZ", "MD", "VB") or token.lower_ == "n't":
            said = self._verb(token, clause, singular)
            return said + gap if said == text else f" {said} "
        return text + gap

    def _pronoun(self, token: Token, clause: Clause | None) -> str:
        word = token.lower_
        mention = self._scene.mention(token)
        if mention is None or explained(token):
            return token.text
        if word in _SELVES:
            return "themselves"
        own = clause is not None and any(
            self._scene.mention(subject) is mention for subject in clause.subjects
        )
        if own and word not in FIRST | FIRST_PLURAL | SECOND:
            return token.text
        if (word in POSSESSIVE and token.tag_ == "PRP$") or token.dep_ == "poss":
            return possessive(mention.text)
        return possessive(mention.text) if word in ("mine", "ours", "yours") else mention.text

    def _verb(self, token: Token, clause: Clause | None, singular: bool) -> str:
        word = token.lower_
        if word in _EXPANDED and word != "'m":
            return _EXPANDED[word]
        if word == "'d":
            return "would" if token.tag_ == "MD" else "had"
        if word == "'s" and token.tag_ == "VBZ":
            done = token.lemma_ == "have" or (token.dep_ == "aux" and token.head.tag_ == "VBN")
            return "has" if done or token.head.lower_ == "been" else "is"
        if self._agrees_singular(token, clause, singular):
            return _third_person(token)
        return {"'m": "am", "'re": "are", "'ve": "have"}.get(word, _uncapitalised(token))

    def _agrees_singular(self, token: Token, clause: Clause | None, singular: bool) -> bool:
        """Whether the subject of this finite verb became one named third person."""
        if token.tag_ not in ("VBP", "VBD", "VB"):
            return False
        head = token.head if token.dep_ in ("aux", "auxpass") else token
        subject = child(head, *SUBJECTS)
        hop = head
        while subject is None and hop.dep_ == "conj":
            hop = hop.head
            subject = child(hop, *SUBJECTS)
        if token.tag_ == "VB" and (clause is None or token != clause.finite or has_helper(head)):
            return False
        own = clause is not None and clause.finite in (head, hop)
        if clause is not None and own and (singular or not clause.subjects):
            return clause.how != "request" or singular
        if subject is None or len(coordinated(subject)) > 1:
            return False
        word = subject.lower_
        if word in FIRST | FIRST_PLURAL | SECOND:
            return True
        mention = self._scene.mention(subject) if word in PLURAL else None
        return mention is not None and not mention.plural


def explained(token: Token) -> bool:
    """Whether "their" has its noun in the same sentence part: "friends reset their scores"."""
    if token.lower_ not in PLURAL:
        return False
    item = token
    while item.head != item:
        item = item.head
        subject = child(item, "nsubj", "dobj") if verbal(item) else None
        if subject is not None and subject.tag_ == "NNS" and subject.i < token.i:
            return True
        if item.dep_ in ("ROOT", "ccomp", "relcl", "advcl"):
            return False
    return False


def _uncapitalised(token: Token) -> str:
    """The first word of a sentence is written small where it is no name."""
    text = surface(token)
    named = token.pos_ == "PROPN" or token.ent_type_ or not text[1:].islower()
    return (
        text
        if named or not (token.is_sent_start or token.pos_ in ("VERB", "AUX"))
        else text.lower()
    )


def has_helper(head: Token) -> bool:
    return any(item.dep_ in ("aux", "auxpass") for item in head.children)


def lacks_has(clause: Clause) -> bool | None:
    """ "Been busy", "been helping": the "has" was left out."""
    said = clause.finite.lower_ == "been" or any(
        item.lower_ == "been" and item.dep_ == "aux" for item in clause.finite.children
    )
    have = any(item.lemma_ == "have" for item in clause.finite.children if item.dep_ == "aux")
    return True if said and not have else None


def _third_person(token: Token) -> str:
    word, lemma = token.lower_, token.lemma_.lower()
    if token.tag_ == "VBD":
        return "was" if word == "were" else _uncapitalised(token)
    if lemma == "be" or word in ("'m", "'re", "am", "are"):
        return "is"
    if word in ("'ve", "have"):
        return "has"
    return third("do" if word == "do" else lemma if lemma.isalpha() else word)
