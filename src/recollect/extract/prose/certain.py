"""Whether the parse of a clause is sure enough to put the clause into the third person.

Chat breaks off, runs on and leaves words out; the parser then guesses, and a sentence made of a guess
says what nobody said. A clause is *clear* if it is built as a textbook would have it: a subject, the
verb behind it in the right person, and nothing else that is not plainly attached to them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.extract.prose.inflect import third
from recollect.extract.prose.listed import listed
from recollect.extract.prose.syntax import SUBJECTS, child, verbal

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from spacy.tokens import Token

FINITE = frozenset({"VBZ", "VBP", "VBD", "MD"})
_HELPERS = frozenset({"aux", "auxpass"})
_LEADING = frozenset({"advmod", "npadvmod", "prep", "advcl", "punct"})
_BETWEEN = frozenset({"aux", "auxpass", "neg", "advmod"})
_GUESSED = frozenset({"dep", "parataxis", "intj", "meta", "ROOT"})
_BARE_AFTER = listed("let make help have see hear watch go come")
_NO_LEAD = listed("no so not however whatever whoever fine well gon going")
SAME_IN_PAST = listed("set put cut let hit quit shut read split cost hurt burst cast bet bid")
_OTHER_PERSONS = listed("i you we they")


def is_clear(unit: Sequence[Token]) -> bool:
    """Whether a clause is built so plainly that its words can be changed without changing its sense."""
    main = main_verb(unit)
    subject = subject_in(main, unit) if main is not None else None
    if main is None or subject is None:
        return False
    finite = _finite_of(main)
    heads = _sharing(main)
    lead = [token for token in unit if token.i < subject.left_edge.i]
    if finite is None or not all(_may_lead(token, heads) for token in lead):
        return False
    middle = [token for token in unit if subject.right_edge.i < token.i < finite.i]
    if subject.right_edge.i >= finite.i or not all(item.dep_ in _BETWEEN for item in middle):
        return False
    if not _is_plain_phrase(subject):
        return False
    places = {token.i for token in unit}
    return _agrees(subject, finite) and not any(_is_guess(one, heads, places) for one in unit)


def is_whole(unit: Sequence[Token], head: Token) -> bool:
    """Whether everything in a clause without a subject plainly hangs on its first word."""
    places = {token.i for token in unit}
    lead = [token.i for token in unit if token.i < head.i]
    own = head.head.i not in places or head.dep_ in ("ROOT", "conj", "ccomp")
    rest = [token for token in unit if token.i not in lead]
    return own and not any(_is_guess(token, [head], places) for token in rest)


def main_verb(unit: Sequence[Token]) -> Token | None:
    """The first verb with a subject of its own that hangs on no other clause of the unit."""
    places = {token.i for token in unit}
    for token in unit:
        if not verbal(token) or token.dep_ in _HELPERS or subject_in(token, unit) is None:
            continue
        above = token.head
        own = token.dep_ == "ROOT" or above.i not in places or token.dep_ in ("conj", "ccomp")
        if own and not _is_marked(token, places):
            return token
    return None


def subject_in(verb: Token, unit: Sequence[Token]) -> Token | None:
    """The subject of a verb, its own or the one it shares, if the unit has it."""
    found = child(verb, *SUBJECTS, "expl")
    while found is None and verb.dep_ == "conj" and verbal(verb.head):
        verb = verb.head
        found = child(verb, *SUBJECTS, "expl")
    return found if found in unit else None


def _finite_of(verb: Token) -> Token | None:
    helpers = [item for item in verb.children if item.dep_ in _HELPERS]
    found = [item for item in (*helpers, verb) if item.tag_ in FINITE]
    if found:
        return min(found, key=lambda item: item.i)
    shares = verb.dep_ == "conj" and verbal(verb.head)
    return _finite_of(verb.head) if shares else None


def _is_marked(verb: Token, places: Collection[int]) -> bool:
    """ "because I left", "when I left": below another clause. A "that" which was left out marks nothing."""
    before = [item for item in verb.children if item.i < verb.i and item.i in places]
    return any(item.dep_ == "mark" or item.tag_ in ("WRB", "WP", "WDT") for item in before)


def _is_plain_phrase(subject: Token) -> bool:
    """Not "Budget 120k, wants ..." nor "Change of plan, the vendor ...": cut by one comma alone."""
    words = list(subject.subtree)
    commas = [word.i for word in words if word.text == ","]
    if len(commas) != 1:
        return True
    return words[-1].i != commas[0] and not any(
        word.dep_ == "appos" and word.i > commas[0] for word in words
    )


def _sharing(main: Token) -> list[Token]:
    """The main verb and those it is joined to, whose subject and time it shares."""
    heads = [main]
    while heads[-1].dep_ == "conj" and verbal(heads[-1].head):
        heads.append(heads[-1].head)
    return heads


def _may_lead(token: Token, heads: Sequence[Token]) -> bool:
    """Whether a word may stand before the subject: of a time, a place or a clause that hangs on the verb."""
    if token.lower_ in _NO_LEAD or token.text == ":":
        return False
    while token.head not in heads and token.head != token:
        token = token.head
    if token.dep_ == "punct":
        return token.text == ","
    if token.dep_ == "npadvmod":
        return token.ent_type_ in ("DATE", "TIME") or token.lower_ == "time"
    if token.dep_ == "advmod" and token.tag_ != "RB":
        return False
    if token.dep_ == "advcl" and not verbal(token):
        return False
    return token.dep_ in _LEADING and token.head in heads


def _agrees(subject: Token, finite: Token) -> bool:
    """ "5 need a 7", "budget 120k wants a pilot": no subject of such a verb."""
    if subject.tag_ == "CD":
        return False
    if finite.tag_ == "VBP" and finite.lower_ in SAME_IN_PAST:
        return False  # "I quit in May": done or to do, and the third person would have to tell
    several = child(subject, "conj") is not None
    plural = several or subject.tag_ in ("NNS", "NNPS") or subject.lower_ in _OTHER_PERSONS
    if finite.tag_ == "VBZ":
        return subject.tag_ == "NNPS" or not plural
    single = subject.tag_ in ("NN", "NNP") and not several
    return not (finite.tag_ == "VBP" and single)


def _is_guess(token: Token, heads: Sequence[Token], places: set[int]) -> bool:
    """Whether a word is not plainly part of the clause."""
    if token == heads[0] or token.is_punct:
        return token.text == "?"
    if token.lower_ == "like" and token.head.lemma_ == "be":
        return True  # "I was like talking to him"
    if (
        token.lower_ in ("please", "pls")
        or token.dep_ in _GUESSED
        or (token.head.i not in places and token.head not in heads)
    ):
        return True
    if token.tag_ == "POS" and token.i + 1 < len(token.doc) and verbal(token.nbor(1)):
        return True
    if token.lower_ in ("'d", "\u2019d"):
        return token.head.tag_ not in ("VB", "VBN")
    return verbal(token) and token.dep_ not in _HELPERS and not _is_bound(token, places)


def _is_bound(verb: Token, places: Collection[int]) -> bool:
    """Whether a further verb plainly hangs on the clause: with a joint of its own, or as a complement."""
    finite = verb.tag_ in FINITE or any(item.tag_ in FINITE for item in verb.children)
    bare = verb.tag_ == "VB" and not finite and not any(_is_to(item) for item in verb.children)
    if bare and child(verb, *SUBJECTS) is None:
        first = verb
        while first.dep_ == "conj" and first.head.tag_ == "VB":
            first = first.head
        led = any(_is_to(item) or item.tag_ == "MD" for item in first.children)
        return led or first.head.lemma_.lower() in _BARE_AFTER
    if not finite or child(verb, *SUBJECTS, "expl") is None:
        return True
    if verb.dep_ in ("relcl", "acl", "csubj", "csubjpass", "pcomp"):
        return True
    if verb.dep_ == "conj":
        before = verb.left_edge
        while before.i > before.sent.start and before.dep_ in ("advmod", "mark"):
            before = before.nbor(-1)
        return before.i > 0 and (before.dep_ == "cc" or before.nbor(-1).dep_ in ("cc", "punct"))
    if verb.dep_ == "ccomp":
        return verb.head.i < verb.i
    return _is_marked(verb, places)


def _is_to(item: Token) -> bool:
    return item.tag_ == "TO" and item.dep_ == "aux"


def is_misread(verb: Token) -> bool:
    """Whether the parser made another verb of a word: "hates" of "hat", "hoping" of "hop"."""
    lemma, word = verb.lemma_.lower(), verb.lower_
    if verb.tag_ == "VBZ" and lemma not in ("be", "have") and word.isalpha():
        return word != third(lemma)
    short = len(lemma) > 2 and lemma[-1] not in "aeiouwxy" and lemma[-2] in "aeiou"
    return short and lemma[-3] not in "aeiou" and word in (lemma + "ing", lemma + "ed")


def is_denied(verb: Token) -> bool:
    """Whether a verb says that something is not so: by "not", "never" or "no" of its own."""
    words = [*verb.children, *(item for thing in verb.children for item in _dets(thing))]
    return any(word.dep_ == "neg" or word.lower_ in ("no", "never", "cannot") for word in words)


def _dets(thing: Token) -> list[Token]:
    own = thing.dep_ in ("dobj", "attr")
    return [item for item in thing.children if own and item.dep_ == "det"]
