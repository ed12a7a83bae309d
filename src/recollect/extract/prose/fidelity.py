"""Whether a fact is faithful to its source, and whether the parse of the source can be trusted.

A fact may replace pronouns by names, change the person of a verb, resolve a date, and leave out whole
clauses around it or other items of a list. Everything else must occur in the source in the same order
without gaps.

Chat breaks off, runs on and leaves words out; the parser then guesses, and a sentence made from a guess
says what nobody said. So a clause is rephrased only if it is *clear*, built like a textbook sentence: a
subject, then a verb that agrees with it, and nothing that is not plainly attached to them.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import regex

from recollect.extract.prose.syntax import AUXILIARIES, FINITE, SUBJECTS, child, is_below, verbal
from recollect.extract.prose.words import POSSESSIVE, listed, third

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from spacy.tokens import Token

_WORD = regex.compile(r"[\p{L}\p{N}]+(?:['\u2019.,:@/+-][\p{L}\p{N}]+)*")
_PART = regex.compile(r"[\p{L}\p{N}]+")
_GRAMMAR = listed(
    "a an the is are was were be been being has have had do does did will would to of in on at"
    " and or that who which by before after since until from for with as around week weekend month"
    " january february march april may june july august september october november december"
)
WHOLE = 1.0
_DENIALS = listed("not n't no never nor neither without except cannot hardly")
_NAMING = frozenset({"name", "named", "called", "really", "just"})
_OPENING_MARK = regex.compile(r"(?<!\w)'(?!\d0s)")
_CLOSING_MARK = regex.compile(r"'(?!\w)")
_DOUBLED = regex.compile(r"(?<![\w'\u2019])(\p{L}+) \1(?![\w'\u2019])", regex.IGNORECASE)
_PAUSE = regex.compile(r"[:;\u2013\u2014]|--| -|- ")
_LIST = frozenset({",", "and", "or", "&", "/", "nor", "but", "plus"})
_LEADING = frozenset({"advmod", "npadvmod", "prep", "advcl", "punct"})
_BETWEEN = frozenset({"aux", "auxpass", "neg", "advmod"})
_GUESSED = frozenset({"dep", "parataxis", "intj", "meta", "ROOT"})
BARE_AFTER = listed("let make help have see hear watch go come")
_NO_LEAD = listed("no so not however whatever whoever fine well gon going")
SAME_IN_PAST = listed("set put cut let hit quit shut read split cost hurt burst cast bet bid")
_OTHER_PERSONS = listed("i you we they")


@dataclass(frozen=True, slots=True)
class SourceWord:
    """A word of the source. *carries*: it has meaning of its own; *joins*: it can join the items of a
    list; *denies*, *owns*: it negates, or says whose something is; *pronoun*: a name may replace it."""

    forms: frozenset[str]
    carries: bool
    joins: bool
    verb: bool
    denies: bool
    owns: bool
    pronoun: bool


def _word(token: Token, otherwise: bool) -> SourceWord:
    text = token.text.lower()
    empty = token.is_stop or text in _NAMING or not any(map(str.isalnum, text))
    carries = not (otherwise or empty or token.pos_ in ("PRON", "INTJ", "PART"))
    return SourceWord(
        frozenset({text, token.lemma_.lower(), *_WORD.findall(text)}),
        carries,
        text in _LIST,
        token.pos_ in ("VERB", "AUX"),
        text in _DENIALS,
        token.tag_ in ("POS", "PRP$") or text in ("mine", "ours", "yours", "hers", "theirs"),
        otherwise or token.pos_ == "PRON" or text in POSSESSIVE,
    )


class SourceClause:
    """A clause that facts are compared with. *names* may replace pronouns; *otherwise* are the
    positions of words that a fact may reword: dates, "the user"."""

    def __init__(
        self, tokens: Sequence[Token], otherwise: Collection[int], names: Collection[str]
    ) -> None:
        self._words = [_word(token, token.i in otherwise) for token in tokens if not token.is_space]
        inserted = {part.lower() for name in names for part in _WORD.findall(name)}
        self._inserted = inserted | {part + mark for part in inserted for mark in ("'s", "'")}
        self.carrying = frozenset(at for at, word in enumerate(self._words) if word.carries)
        told = [token for token in tokens if not token.is_space]
        self._pauses = frozenset(at for at, token in enumerate(told) if _is_pause(token))

    def covered(self, fact: str) -> frozenset[int] | None:
        """The meaningful words of the source that a fact covers; None if it is not faithful."""
        if _is_torn(fact) or self._doubles(fact):
            return None
        plain = fact.lower().replace("cannot", "can not")
        words = [part for word in _WORD.findall(plain) for part in self._parts(word)]
        back = _places(words[::-1], self._words[::-1])[::-1]
        last = [None if place is None else len(self._words) - 1 - place for place in back]
        told = (self._kept(words, places) for places in (_places(words, self._words), last))
        found = next((found for found in told if found is not None), None)
        return None if found is None or self._runs_on(fact, found) else found

    def _doubles(self, fact: str) -> bool:
        """Whether a fact says a word twice where the source does not: "Ana called Mokka Mokka"."""
        found = (match.lower() for match in _DOUBLED.findall(fact))
        said = {one for left, right in pairwise(self._words) for one in left.forms & right.forms}
        return any(word not in said for word in found)

    def _runs_on(self, fact: str, kept: frozenset[int]) -> bool:
        """Whether a fact leaves out the dash or colon that separates its words."""
        if not kept or _PAUSE.search(fact) is not None:
            return False
        return any(min(kept) < at < max(kept) for at in self._pauses)

    def _kept(self, words: Sequence[str], places: Sequence[int | None]) -> frozenset[int] | None:
        for at, (word, place) in enumerate(zip(words, places, strict=True)):
            if place is None and not (self._may_insert(word) or self._names(at, words, places)):
                return None
        kept = sorted(place for place in places if place is not None)
        if (
            not kept
            or self._denied_before(kept[0])
            or any(self._drops(one, two, kept) for one, two in pairwise(kept))
        ):
            return None
        return self.carrying.intersection(kept)

    def _denied_before(self, first: int) -> bool:
        """Whether a "not" right before the first word covered is left out."""
        for word in reversed(self._words[:first]):
            if word.carries or word.joins:
                return False
            if word.denies:
                return True
        return False

    def _drops(self, one: int, two: int, kept: Sequence[int]) -> bool:
        """Whether something is lost between two words that a fact covers.

        The auxiliaries of one verb also belong to the next: "been working on a book *and* painting".
        """
        gap = self._words[one + 1 : two]
        helps = not any(at <= one for at in self.carrying.intersection(kept))
        if _may_skip(gap, before_verb=self._words[two].verb):
            return False
        return not (helps and any(word.joins for word in gap[-2:]))

    def rearranged(self, fact: str) -> frozenset[int]:
        """The meaningful words that a fact covers, in any order and whatever it adds."""
        words = {word.lower() for word in _WORD.findall(fact)}
        return frozenset(
            at for at in self.carrying if any(_same(word, self._words[at]) for word in words)
        )

    def covers(self, *parts: frozenset[int], share: float = WHOLE) -> bool:
        """Whether these words together are the given share of the meaningful ones.

        To cover the whole, no verb may be missing.
        """
        told = frozenset[int]().union(*parts)
        missing = share == WHOLE and any(self._words[at].verb for at in self.carrying - told)
        return bool(told) and not missing and len(told) >= share * len(self.carrying)

    def _parts(self, word: str) -> Sequence[str]:
        """A word as the source tokenises it: "555-1234" may be several words there."""
        parts = _PART.findall(word)
        whole = any(word in one.forms for one in self._words)
        split = all(any(part in one.forms for one in self._words) for part in parts)
        return parts if split and not whole else (word,)

    def _may_insert(self, word: str) -> bool:
        return word in _GRAMMAR or word.replace("/", "").isdigit()

    def _names(self, at: int, words: Sequence[str], places: Sequence[int | None]) -> bool:
        """Whether a name replaces a pronoun (or possessive) at that position, or is put in front."""
        if words[at] not in self._inserted:
            return False
        before = max((one for one in places[:at] if one is not None), default=-1)
        after = min((one for one in places[at:] if one is not None), default=len(self._words))
        gap = self._words[before + 1 : after]
        if not any(one.pronoun for one in gap):
            return before < 0
        ends = at + 1 == len(words) or places[at + 1] is not None or words[at + 1] in _GRAMMAR
        owned = words[at].endswith(("'s", "'")) or not ends
        return owned or not all(one.owns for one in gap if one.pronoun)


def _is_pause(token: Token) -> bool:
    """A dash, colon or semicolon, but not the hyphen of a word."""
    before = token.nbor(-1).whitespace_ if token.i else ""
    apart = bool(token.whitespace_ or before)
    return token.text in (":", ";", "--", "\u2013", "\u2014") or (token.text == "-" and apart)


def _is_torn(fact: str) -> bool:
    """Whether a quotation is cut in two: it is opened and not closed, or the other way round."""
    single = len(_OPENING_MARK.findall(fact)) > len(_CLOSING_MARK.findall(fact))
    return single or fact.count('"') % 2 == 1


def _may_skip(gap: Sequence[SourceWord], *, before_verb: bool) -> bool:
    """Whether words may be left out.

    They may if none has a meaning of its own, or if they are only the other items of a list or of several
    subjects. What follows another list may belong to its last item alone.
    """
    if any(word.denies or (word.owns and not word.pronoun) for word in gap):
        return False
    if not any(word.carries for word in gap):
        return True
    edges = [word for word in gap if word.carries or word.joins]
    aside = edges[-1].joins or (before_verb and edges[0].joins)
    return aside and not any(word.verb for word in gap)


def _places(told: Sequence[str], source: Sequence[SourceWord]) -> list[int | None]:
    """The position of each word in the source, by the longest common subsequence."""
    rows, columns = len(told), len(source)
    best = [[0] * (columns + 1) for _ in range(rows + 1)]
    for row in range(rows - 1, -1, -1):
        for column in range(columns - 1, -1, -1):
            if _same(told[row], source[column]):
                best[row][column] = 1 + best[row + 1][column + 1]
            else:
                best[row][column] = max(best[row + 1][column], best[row][column + 1])
    found: list[int | None] = [None] * rows
    row = column = 0
    while row < rows and column < columns:
        if _same(told[row], source[column]):
            found[row] = column
            row, column = row + 1, column + 1
        elif best[row + 1][column] >= best[row][column + 1]:
            row += 1
        else:
            column += 1
    return found


def _same(word: str, source: SourceWord) -> bool:
    """The same word, or a verb in another person."""
    if word in source.forms:
        return True
    return source.verb and any(len(form) > 1 and _inflects(word, form) for form in source.forms)


def _inflects(word: str, form: str) -> bool:
    return word in (form + "s", form + "es", form + "ing", form[:-1] + "ies", form[:-1] + "ing")


def is_clear(unit: Sequence[Token]) -> bool:
    """Whether a clause is built so plainly that it can be rephrased without changing its sense."""
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
    shares = [finite, *(token for token in unit if _shares_subject(token, heads))]
    agree = all(_agrees(subject, verb) for verb in shares)
    return agree and not any(_is_guess(one, heads, places) for one in unit)


def is_whole(unit: Sequence[Token], head: Token) -> bool:
    """Whether everything in a clause without a subject plainly depends on its first word."""
    places = {token.i for token in unit}
    lead = [token.i for token in unit if token.i < head.i]
    own = head.head.i not in places or head.dep_ in ("ROOT", "conj", "ccomp")
    rest = [token for token in unit if token.i not in lead]
    return own and not any(_is_guess(token, [head], places) for token in rest)


def main_verb(unit: Sequence[Token]) -> Token | None:
    """The first verb with a subject of its own that depends on no other clause of the unit."""
    places = {token.i for token in unit}
    for token in unit:
        if not verbal(token) or token.dep_ in AUXILIARIES or subject_in(token, unit) is None:
            continue
        above = token.head
        own = token.dep_ == "ROOT" or above.i not in places or token.dep_ in ("conj", "ccomp")
        if own and not _is_marked(token, places):
            return token
    return None


def says_several(unit: Sequence[Token]) -> bool:
    """Whether it has several finite verbs, each with a subject and none below another: a run-on sentence."""
    found = 0
    for token in unit:
        verb = token.head if token.dep_ in AUXILIARIES else token
        subject = child(verb, *SUBJECTS, "expl") if token.tag_ in FINITE else None
        found += subject is not None and subject in unit and _is_beside(verb, unit)
    return found > 1


def _is_beside(verb: Token, unit: Sequence[Token]) -> bool:
    """Whether a verb says something of its own, not when, why or which."""
    places = {token.i for token in unit}
    told = verb.dep_ == "ccomp" and verb.head.i < verb.i and verb.head.i in places
    return not (told or _is_marked(verb, places) or is_below(verb, unit))


def subject_in(verb: Token, unit: Sequence[Token]) -> Token | None:
    """The subject of a verb, its own or a shared one, if it is in the unit."""
    found = child(verb, *SUBJECTS, "expl")
    while found is None and verb.dep_ == "conj" and verbal(verb.head):
        verb = verb.head
        found = child(verb, *SUBJECTS, "expl")
    return found if found in unit else None


def _finite_of(verb: Token) -> Token | None:
    helpers = [item for item in verb.children if item.dep_ in AUXILIARIES]
    found = [item for item in (*helpers, verb) if item.tag_ in FINITE]
    if found:
        return min(found, key=lambda item: item.i)
    shares = verb.dep_ == "conj" and verbal(verb.head)
    return _finite_of(verb.head) if shares else None


def _is_marked(verb: Token, places: Collection[int]) -> bool:
    """ "because I left", "when I left": a subordinate clause."""
    before = [item for item in verb.children if item.i < verb.i and item.i in places]
    return any(item.dep_ == "mark" or item.tag_ in ("WRB", "WP", "WDT") for item in before)


def _is_plain_phrase(subject: Token) -> bool:
    """Not "Budget 120k, wants ..." nor "Change of plan, the vendor ...": split by a single comma."""
    words = list(subject.subtree)
    commas = [word.i for word in words if word.text == ","]
    if len(commas) != 1:
        return True
    return words[-1].i != commas[0] and not any(
        word.dep_ == "appos" and word.i > commas[0] for word in words
    )


def _sharing(main: Token) -> list[Token]:
    """The main verb and those it is joined to, whose subject and tense it shares."""
    heads = [main]
    while heads[-1].dep_ == "conj" and verbal(heads[-1].head):
        heads.append(heads[-1].head)
    return heads


def _may_lead(token: Token, heads: Sequence[Token]) -> bool:
    """Whether a word may precede the subject: as part of a time, place or clause that modifies the verb."""
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
    if token.dep_ == "advcl" and (not verbal(token) or _dangles(token)):
        return False
    return token.dep_ in _LEADING and token.head in heads


def _dangles(deed: Token) -> bool:
    """Whether somebody else does it than the main clause is about: "packing the van, my lease ends"."""
    subject = child(deed.head, *SUBJECTS)
    bare = deed.tag_ == "VBG" and child(deed, "mark", "prep", "aux", *SUBJECTS) is None
    return bare and subject is not None and subject.pos_ == "NOUN"


def _agrees(subject: Token, finite: Token) -> bool:
    """Subject and verb agree; not "5 need a 7", "budget 120k wants a pilot"."""
    if subject.tag_ == "CD":
        return False
    if finite.tag_ == "VBP" and (finite.lower_ in SAME_IN_PAST or _looks_past(finite.lower_)):
        return False  # "I quit in May": past or present, and the third person would have to decide
    several = child(subject, "conj") is not None
    plural = several or subject.tag_ in ("NNS", "NNPS") or subject.lower_ in _OTHER_PERSONS
    if finite.tag_ == "VBZ":
        return subject.tag_ == "NNPS" or not plural
    single = subject.tag_ in ("NN", "NNP") and not several
    return not (finite.tag_ == "VBP" and single)


def _shares_subject(verb: Token, heads: Sequence[Token]) -> bool:
    """Whether a finite verb is joined to the main one: not in "I ran, and turns out I'm fit"."""
    joined = verb.dep_ == "conj" and verb.head in heads and verb.tag_ in ("VBZ", "VBP")
    return joined and child(verb, *SUBJECTS, "expl") is None


def _looks_past(word: str) -> bool:
    """ "I PASSED" is read as the present, because of its capitals."""
    return len(word) > 4 and word.endswith("ed") and not word.endswith(("eed", "embed"))


def _is_guess(token: Token, heads: Sequence[Token], places: set[int]) -> bool:
    """Whether the parser only guessed how a word belongs to the clause."""
    if token == heads[0] or token.is_punct:
        return token.text == "?"
    if token.lower_ == "no" and token.i and token.nbor(-1).lower_ == "so":
        return True  # "I drive now so no more trams": a verbless consequence
    if token.lower_ == "like" and token.head.lemma_ == "be":
        return True  # "I was like talking to him"
    if (
        token.lower_ in ("please", "pls")
        or token.dep_ in _GUESSED
        or (token.head.i not in places and token.head not in heads)
    ):
        return True
    if token.dep_ == "relcl" and _lacks_nothing(token):
        return True  # "she sold the boat she's in Kiel now"
    if token.tag_ == "POS" and token.i + 1 < len(token.doc) and verbal(token.nbor(1)):
        return True
    if token.lower_ in ("'d", "\u2019d"):
        return token.head.tag_ not in ("VB", "VBN")
    return verbal(token) and token.dep_ not in AUXILIARIES and not _is_bound(token, places)


def _lacks_nothing(verb: Token) -> bool:
    """Whether a clause without a "who" or "that" has its subject and complement, and so describes no noun."""
    whole = child(verb, "attr", "acomp", "prep") is not None and verb.lemma_ == "be"
    open_ended = any(
        child(item, "pobj", "pcomp") is None for item in verb.rights if item.dep_ == "prep"
    )
    led = any(item.tag_ in ("WDT", "WP", "WP$", "WRB") for item in verb.subtree if item.i < verb.i)
    subject = child(verb, "nsubj")
    named = subject is not None and subject.tag_ == "PRP"
    return whole and named and not (led or open_ended)


def _is_bound(verb: Token, places: Collection[int]) -> bool:
    """Whether a further verb plainly belongs to the clause: by a conjunction, or as a complement."""
    finite = verb.tag_ in FINITE or any(item.tag_ in FINITE for item in verb.children)
    bare = verb.tag_ == "VB" and not finite and not any(_is_to(item) for item in verb.children)
    if bare and child(verb, *SUBJECTS) is None:
        first = verb
        while first.dep_ == "conj" and first.head.tag_ == "VB":
            first = first.head
        led = any(_is_to(item) or item.tag_ == "MD" for item in first.children)
        return led or first.head.lemma_.lower() in BARE_AFTER
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
    """Whether the parser took the wrong lemma: "hat" for "hates", "hop" for "hoping"."""
    lemma, word = verb.lemma_.lower(), verb.lower_
    if verb.tag_ == "VBZ" and lemma not in ("be", "have") and word.isalpha():
        return word != third(lemma)
    short = len(lemma) > 2 and lemma[-1] not in "aeiouwxy" and lemma[-2] in "aeiou"
    return short and lemma[-3] not in "aeiou" and word in (lemma + "ing", lemma + "ed")


def is_denied(verb: Token) -> bool:
    """Whether a verb is negated, by a "not", "never" or "no" of its own."""
    words = [*verb.children, *(item for thing in verb.children for item in _dets(thing))]
    return any(word.dep_ == "neg" or word.lower_ in ("no", "never", "cannot") for word in words)


def _dets(thing: Token) -> list[Token]:
    own = thing.dep_ in ("dobj", "attr")
    return [item for item in thing.children if own and item.dep_ == "det"]
