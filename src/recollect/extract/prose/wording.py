"""The words of a fact's sentence and their order: names instead of pronouns, verbs that agree with them."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from recollect.extract.prose.clauses import Clause
from recollect.extract.prose.nouns import surface
from recollect.extract.prose.scene import Scene
from recollect.extract.prose.syntax import (
    SUBJECTS,
    child,
    coordinated,
    has_auxiliary,
    is_around,
    verbal,
)
from recollect.extract.prose.words import (
    FIRST,
    FIRST_PLURAL,
    PLURAL,
    POSSESSIVE,
    SECOND,
    possessive,
    third,
)

if TYPE_CHECKING:
    from spacy.tokens import Token

TEXT_CHARS_MAX = 300
_SELVES = frozenset({"myself", "ourselves", "yourself", "yourselves"})
_EXPANDED = {
    "n't": "not",
    "ca": "can",
    "wo": "will",
    "'ll": "will",
    "sha": "shall",
    "'m": "am",
}
_CAUSING = frozenset({"let", "make", "help", "have", "see", "hear", "watch", "feel"})
_DROPPABLE = frozenset({"prep", "advcl", "npadvmod", "advmod", "relcl", "acl", "appos", "dative"})
_TAILS = frozenset({"prep", "relcl", "acl", "advcl"})
_FRONTS = frozenset({"det", "poss", "amod", "nummod", "compound", "predet"})
_GAP = re.compile(r"\s+")
_CANNOT = re.compile(r"\bcan not\b")
_BEFORE = re.compile(r"\s+([,.;:!?)%])")
_BRACKETS = re.compile(r"[()]")
_COMMAS = re.compile(r"(?:,\s*){2,}")
_EDGE = re.compile(r"^[\s,;:.\u2013\u2014-]+|(?:[\s,;:.!?\u2013\u2014-]|\s(?:and|or|but|so))+$")


class Wording:
    """Words each token for a reader who does not know the conversation.

    *unnamed* are pronouns to replace by "something"; *pointing* are those that refer to a noun of the
    same sentence and stay.
    """

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self.pointing: set[int] = set()
        self.unnamed: set[int] = set()

    def word(
        self,
        token: Token,
        clause: Clause | None,
        singular: bool,
        following: bool = True,
    ) -> str:
        gap = token.whitespace_ if following else " "
        text = _uncapitalised(token)
        if token.i in self.unnamed:
            return " something" + gap
        if token.tag_ in ("PRP", "PRP$") and token.dep_ != "expl":
            return f" {self._pronoun(token, clause)}{gap or ' '}"
        if token.lower_ == "mine" and self._scene.speaker is not None:
            return f" {possessive(self._scene.speaker.text)}{gap}"
        if token.tag_ in ("VBP", "VBD", "VBZ", "MD", "VB") or token.lower_ == "n't":
            said = self._verb(token, clause, singular)
            return said + gap if said == text else f" {said} "
        return text + gap

    def _pronoun(self, token: Token, clause: Clause | None) -> str:
        word = token.lower_
        mention = self._scene.mention(token)
        if mention is None or token.i in self.pointing or explained(token):
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
            return "would" if token.head.tag_ == "VB" else "had"
        if word == "'s" and token.tag_ == "VBZ":
            return "has" if _is_has(token) else "is"
        if self._agrees_singular(token, clause, singular):
            return _third_person(token)
        if word in ("'m", "am"):  # the "I" was replaced by a name
            subject = child(token.head, *SUBJECTS) or child(token, *SUBJECTS)
            return "are" if subject is not None and len(coordinated(subject)) > 1 else "is"
        return {"'re": "are", "'ve": "have"}.get(word, _uncapitalised(token))

    def _agrees_singular(self, token: Token, clause: Clause | None, singular: bool) -> bool:
        """Whether the subject of this finite verb was replaced by a single third person."""
        if token.tag_ not in ("VBP", "VBD", "VB") or _is_base_form(token, clause):
            return False
        head = token.head if token.dep_ in ("aux", "auxpass") else token
        subject = child(head, *SUBJECTS)
        if subject is None and child(head, "expl") is not None:
            return False
        hop = head
        while subject is None and hop.dep_ == "conj":
            hop = hop.head
            subject = child(hop, *SUBJECTS)
        if token.tag_ == "VB" and (clause is None or token != clause.finite or has_auxiliary(head)):
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


def _is_has(short: Token) -> bool:
    """Whether "'s" is "has": "she's been", "he's just bought"."""
    verb = short.head
    if short.lemma_ == "have" or (short.dep_ == "aux" and verb.tag_ == "VBN"):
        return True
    if short.dep_ == "auxpass" and (verb.lower_ == "gotten" or child(verb, "dobj") is not None):
        return True
    after = short.i + 1
    while after < len(short.doc) and short.doc[after].dep_ in ("advmod", "neg"):
        after += 1
    return after < len(short.doc) and short.doc[after].lower_ == "been"


def _is_base_form(token: Token, clause: Clause | None) -> bool:
    """Whether a verb is a base form, after "can", "to" or "let me"; the parser often misses that."""
    if token.tag_ == "VBD" or token.dep_ in ("aux", "auxpass"):
        return False
    if clause is not None and any(
        word.tag_ in ("MD", "TO") and word.i < token.i for word in clause.lead
    ):
        return token == clause.finite or token == clause.base
    verb = token
    while True:
        if any(word.tag_ in ("MD", "TO") and word.i < verb.i for word in verb.children):
            return True
        if verb.dep_ != "conj" or child(verb, *SUBJECTS) is not None:
            break
        verb = verb.head
    return (
        verb.dep_ in ("ccomp", "xcomp")
        and verb.head.lemma_.lower() in _CAUSING
        and verb.head.i < verb.i
        and child(verb, "mark") is None
    )


def has_antecedent(token: Token) -> bool:
    """Whether a noun before the pronoun in the same sentence can be its antecedent."""
    word = token.lower_
    if word not in PLURAL and word not in ("it", "its"):
        return False
    tags = ("NNS", "NNPS") if word in PLURAL else ("NN", "NNP")
    return any(
        item.tag_ in tags
        and item.dep_ in ("dobj", "pobj", "attr", "conj")
        and not (item.ent_type_ or is_around(item, token))
        for item in token.doc[token.sent.start : token.i]
    )


def explained(token: Token) -> bool:
    """Whether "their" refers to a noun in the same clause: "friends reset their scores"."""
    if token.lower_ not in PLURAL:
        return False
    item = token
    while item.head != item:
        item = item.head
        subject = child(item, "nsubj", "dobj") if verbal(item) else None
        if subject is not None and subject.tag_ == "NNS" and subject.i < token.i:
            return True
        if item.dep_ == "relcl":
            return item.head.tag_ == "NNS"  # "people who lost their homes"
        if item.dep_ in ("ROOT", "ccomp", "advcl"):
            return False
    return False


def _uncapitalised(token: Token) -> str:
    """The word, in lower case if only its position capitalises it."""
    text = surface(token)
    named = token.pos_ == "PROPN" or token.ent_type_ or not text[1:].islower()
    return (
        text
        if named or not (token.is_sent_start or token.pos_ in ("VERB", "AUX"))
        else text.lower()
    )


def left_out(clause: Clause, singular: bool) -> str:
    """The auxiliary that was left out of a verb group: "(is) reading a lot", "(has) been busy"."""
    finite = clause.finite
    helpers = [*clause.lead, *(item for item in finite.children if item.dep_ == "aux")]
    said = {item.lemma_ for item in helpers if item.lower_ != "been"}
    if any(item.lower_ == "been" for item in (*helpers, finite)):
        return "has " if clause.how == "implied" and not said & {"have", "be"} else ""
    if finite.tag_ != "VBG" or said & {"be", "have"}:
        return ""
    past = finite.dep_ == "conj" and finite.head.tag_ == "VBD"
    first = clause.subjects[0] if clause.subjects else None
    many = first is not None and (first.tag_ in ("NNS", "NNPS") or len(clause.subjects) > 1)
    if many and not singular:
        return "were " if past else "are "
    return "was " if past else "is "


def _third_person(token: Token) -> str:
    word, lemma = token.lower_, token.lemma_.lower()
    if token.tag_ == "VBD":
        return "was" if word == "were" else _uncapitalised(token)
    if lemma == "be" or word in ("'m", "'re", "am", "are"):
        return "is"
    if word in ("'ve", "have"):
        return "has"
    return third(word) if word in ("do", lemma) else _uncapitalised(token)


def under(head: Token, drop: set[int], swapped: set[int]) -> list[Token]:
    """The tokens of a phrase, except dropped parts and the other items of a list."""
    found = [] if head.i in swapped else [head]
    for item in head.children:
        if item.i in drop or item.dep_ == "intj":
            continue
        if item.dep_ == "cc" and joins_nothing(item, drop):
            continue
        found.extend(under(item, drop, swapped))
    return found


def joins_nothing(word: Token, drop: set[int]) -> bool:
    """Whether what follows an "and" is left out."""
    joined = next(
        (item for item in word.head.rights if item.i > word.i and item.dep_ == "conj"),
        None,
    )
    return joined is not None and joined.i in drop


def swapped_out(chosen: Token | None) -> set[int]:
    """The other items of the list that *chosen* belongs to."""
    if chosen is None:
        return set()
    first = chosen
    while first.dep_ == "conj":
        first = first.head
    if len(coordinated(first)) == 1 and not any(item.dep_ == "neg" for item in first.children):
        return set()
    kept = {t.i for t in chosen.subtree}
    for item in (*chosen.children, *(c for c in first.children if c.dep_ == "neg")):
        if item.dep_ in ("conj", "cc", "neg") or (item.dep_ == "punct" and item.i > chosen.i):
            kept -= {t.i for t in item.subtree}
    for item in _shared(first, chosen):
        kept |= {t.i for t in item.subtree}
    return {t.i for t in first.subtree} - kept


def _shared(first: Token, chosen: Token) -> list[Token]:
    """The modifiers of the whole list: "*the old* books and maps *of my aunt*"."""
    members = coordinated(first)
    last = max(item.i for item in members)
    found = [
        item
        for member in members
        for item in member.rights
        if item.dep_ in _TAILS and item.i > last > member.i
    ]
    if chosen == first or verbal(chosen) or any(item.dep_ in _FRONTS for item in chosen.lefts):
        return found
    fronts = [item for item in first.lefts if item.dep_ in _FRONTS]
    article = next((item for item in fronts if item.dep_ in ("det", "poss")), None)
    if article is None or (article.lower_ in ("a", "an") and chosen.tag_ != first.tag_):
        return found
    return [*fronts, *found]


def placed(chosen: Token, swapped: set[int]) -> Callable[[Token], tuple[int, int]]:
    """The order of tokens when *chosen* replaces the list's first item."""
    first = chosen
    while first.dep_ == "conj":
        first = first.head
    own = {t.i for t in chosen.subtree} - swapped
    return lambda t: (first.i, t.i) if t.i in own else (t.i, 0)


def part_around(loose: Token, clause: Clause, chosen: Token | None) -> Token | None:
    """The phrase to leave out in order to avoid an unresolved pronoun."""
    item = loose
    while item.head != item and item not in clause.verbs:
        if item.dep_ in _DROPPABLE and not _holds(item, chosen):
            inner = verbal(item.head) and item.head not in clause.verbs
            return None if inner and item.dep_ == "prep" else item
        item = item.head
    return None


def _holds(item: Token, chosen: Token | None) -> bool:
    return chosen is not None and (chosen == item or item.is_ancestor(chosen))


def tidy(text: str) -> str:
    """The sentence without gaps, double commas and loose ends."""
    text = _GAP.sub(" ", text)
    text = _BEFORE.sub(r"\1", _COMMAS.sub(", ", text))
    if text.endswith(' "'):
        text = text[:-2] + '"'
    if text.count("(") != text.count(")"):
        text = _GAP.sub(" ", _BRACKETS.sub("", text))
    return _CANNOT.sub("cannot", _EDGE.sub("", text)).strip()
