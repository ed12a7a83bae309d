"""The clauses of a sentence: who does what, cut along the dependency parse."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from recollect.extract.prose.syntax import (
    child,
    group_before,
    has_been,
    is_bare,
    is_embedded_question,
    is_purpose,
    opens,
    shared_helpers,
    subjects_of,
    verb_chain,
    verbal,
)
from recollect.extract.prose.words import EPISTEMIC, REPORTING, UNCERTAIN, listed

if TYPE_CHECKING:
    from spacy.tokens import Span, Token

ClauseRole = Literal["main", "implied", "request", "relative", "reason", "reported", "opinion"]

_REASONS = frozenset(
    {"because", "since", "as", "after", "while", "although", "though", "when", "but"}
)
_SAID_OF_ONESELF = listed("love hope wish miss need want hate appreciate guess think believe adore")
_REMINDING = frozenset({"remember", "forget", "note", "know"})
_INNER = frozenset(
    {"think", "believe", "guess", "suppose", "feel", "know", "mean", "see", "promise"}
)
_OBJECT_FORMS = frozenset({"me", "us", "him", "them"})
_GUESSES = frozenset({"must", "should", "would", "could", "might", "may"})


@dataclass(slots=True, eq=False)
class Clause:
    """One predication.

    *verbs* run from the finite verb to the one that carries the meaning ("want", "learn").
    *subjects* are the heads of its subject, empty if the speaker is meant. *base* heads the clause's
    subtree. *lead* are tokens shared with the clause it is joined to ("will" in "I will go and see").
    *cuts* are heads of parts that are clauses of their own. *referent* is the noun that a relative clause
    describes; *claimant* is the person who is reported to have said it.
    """

    verbs: tuple[Token, ...]
    subjects: tuple[Token, ...]
    how: ClauseRole
    base: Token
    lead: tuple[Token, ...] = ()
    cuts: set[int] = field(default_factory=set)
    marker: str = ""
    referent: Token | None = None
    claimant: Token | None = None
    carrier: Token | None = None
    emitted: bool = True
    parent: Clause | None = None

    @property
    def finite(self) -> Token:
        return self.verbs[0]

    @property
    def verb(self) -> Token:
        return self.verbs[-1]

    def denied(self) -> bool:
        """Whether its verb group has a "not"."""
        return any(word.dep_ == "neg" for verb in self.verbs for word in verb.children)


def clauses(sentence: Span) -> list[Clause]:
    """Every clause of a sentence that may state something, outer ones first."""
    finder = _Finder()
    root = sentence.root
    if verbal(root):
        finder.add(root, "main", None)
    else:
        finder.walk(root, None)
    return finder.found


class _Finder:
    def __init__(self) -> None:
        self.found: list[Clause] = []

    def add(self, head: Token, how: ClauseRole, parent: Clause | None, **more: object) -> Clause:
        verbs = verb_chain(head)
        subjects = subjects_of(head)
        if not subjects and head.dep_ == "ROOT":
            how = _without_subject(head, how)
        clause = Clause(verbs, subjects, how, head, parent=parent)
        clause.emitted = (
            how in ("relative", "reason") or not is_embedded_question(head)
        ) and not _odd(clause)
        for name, value in more.items():
            setattr(clause, name, value)
        self.found.append(clause)
        for verb in verbs:
            self.walk(verb, clause)
        return clause

    def walk(self, token: Token, clause: Clause | None) -> None:
        for item in token.children:
            if clause is not None and item in clause.verbs:
                continue
            if verbal(item) and self._clausal(token, item, clause):
                continue
            self.walk(item, clause)

    def _clausal(self, head: Token, item: Token, clause: Clause | None) -> bool:
        """Handle a verb below another word; False if it is not a clause of its own."""
        dep = item.dep_
        if dep == "conj" and verbal(head):
            return self._joined(head, item, clause)
        if dep == "conj" and clause is None and subjects_of(item):
            self.add(item, "main", None)
            return True
        if dep in ("ccomp", "parataxis", "dep"):
            return self._reminder(head, item, clause) or self._complement(head, item, clause)
        if dep == "advcl":
            return self._adverbial(item, clause)
        if dep == "relcl":
            return self._relative(head, item, clause)
        return False

    def _joined(self, head: Token, item: Token, clause: Clause | None) -> bool:
        if clause is None:
            self.add(item, "main", None)
            return True
        clause.cuts.add(item.i)
        own = bool(subjects_of(item)) or child(item, "expl") is not None
        if not own and head not in clause.verbs:
            clause.cuts.discard(item.i)
            return False
        if own:
            joined = self.add(item, _inherited(clause), clause)
            joined.claimant, joined.marker = clause.claimant, clause.marker
            return True
        if head == clause.verb and head.tag_ == item.tag_ and is_bare(head):
            clause.cuts.discard(item.i)
            clause.carrier = item
            return False
        before = clause.verbs[: clause.verbs.index(head)]
        if before and item.tag_ != head.tag_:  # "keep pushing and make it": joined to "keep"
            before, head = (), clause.finite
        joined = self.add(item, clause.how, clause)
        joined.verbs = (*before, *joined.verbs)
        joined.subjects, joined.referent = clause.subjects, clause.referent
        joined.claimant, joined.marker = clause.claimant, clause.marker
        joined.lead = (*group_before(before, head), *shared_helpers(head, item))
        if before and not joined.lead:
            joined.lead = clause.lead
        return True

    def _reminder(self, head: Token, item: Token, clause: Clause | None) -> bool:
        """ "Please remember that I live in Oslo" states where the speaker lives."""
        asked = clause is not None and clause.how == "request"
        if not asked or head.lemma_.lower() not in _REMINDING or is_embedded_question(item):
            return False
        if subjects_of(item):
            self.add(item, "main", None)
        return bool(subjects_of(item))

    def _complement(self, head: Token, item: Token, clause: Clause | None) -> bool:
        if clause is None:
            self.add(item, "main", None)
            return True
        own = bool(subjects_of(item)) or child(item, "expl") is not None
        if not own and item.tag_ == "VB" and item.i < head.i:
            clause.emitted = False  # "check out the photo I took"
            return True
        if not own and item.tag_ in ("VBD", "VBG") and item.lemma_ != "be" and opens(item):
            clause.cuts.add(item.i)
            self.add(item, "implied", clause)
            return True
        lemma = head.lemma_.lower()
        if not own:
            return False
        fronted = item.i < head.i and child(item, "mark") is None
        if fronted and child(head, "dobj") is not None:
            clause.cuts.add(item.i)
            self.add(item, "main", clause)
            return True
        if lemma in REPORTING:
            clause.emitted = False
            claimant = clause.subjects[0] if clause.subjects else None
            clause.cuts.add(item.i)
            self.add(item, "reported", clause, claimant=claimant)
            return True
        if lemma in UNCERTAIN:
            clause.emitted = False
            return True
        if lemma in _INNER and _first_person(clause) and not clause.denied():
            clause.emitted = False
            clause.cuts.add(item.i)
            self.add(item, "opinion", clause)
            return True
        if fronted and lemma not in EPISTEMIC:
            clause.cuts.add(item.i)
            self.add(item, "main", clause)
            return True
        return False

    def _adverbial(self, item: Token, clause: Clause | None) -> bool:
        mark = child(item, "mark") or next(
            (word for word in item.children if word.tag_ == "WRB"), None
        )
        marker = mark.lower_ if mark is not None else ""
        if clause is None:
            if not marker:
                self.add(item, "main", None)
            return True
        if not marker and not subjects_of(item) and item.tag_ == "VBD" and opens(item):
            clause.cuts.add(item.i)
            self.add(item, "implied", clause)
        elif subjects_of(item) and marker in _REASONS and not _whenever(item, marker):
            self.add(item, "reason", clause, marker=marker)
        elif subjects_of(item) and (not marker or marker == "so") and _stands_alone(item, clause):
            clause.cuts.add(item.i)
            self.add(item, "main", clause)
        return True

    def _relative(self, noun: Token, item: Token, clause: Clause | None) -> bool:
        subject = child(item, "nsubj", "nsubjpass")
        if subject is None or subject.tag_ not in ("WP", "WDT"):
            return True
        if noun.dep_ == "appos" and noun.head.pos_ == "PROPN":
            noun = noun.head  # "Tom, the guy who fixed my bike"
        about = _described(noun, clause)
        if about is None:
            return True
        if clause is not None and _has_name(noun, clause):
            clause.cuts.add(item.i)
        found = self.add(item, "relative", clause, referent=about)
        found.subjects = (about,)
        return True


def _stands_alone(item: Token, clause: Clause) -> bool:
    """Whether a clause states something of its own: the first of two, or a consequence ("so I work")."""
    so = any(word.lower_ == "so" and word.i < item.i for word in item.children)
    return item.i < clause.finite.i or (so and not is_purpose(item))


def _whenever(verb: Token, marker: str) -> bool:
    """ "when I'm around cats", "as soon as I start": a condition, not a statement."""
    helper = child(verb, "aux", "auxpass")
    present = (helper or verb).tag_ in ("VBP", "VBZ")
    timed = marker in ("when", "while", "after", "as")
    return verb.head.lower_ in ("soon", "long") or (timed and present)


def _described(noun: Token, clause: Clause | None) -> Token | None:
    """The noun that a relative clause describes, if it is definite."""
    if noun.dep_ == "attr" and clause is not None and noun.head in clause.verbs:
        return clause.subjects[0] if clause.subjects else None
    article = child(noun, "det")
    return noun if _has_name(noun, clause) or (article and article.lower_ == "the") else None


def _has_name(noun: Token, clause: Clause | None) -> bool:
    """Whether the noun is definite even without the relative clause."""
    told = noun.dep_ == "attr" and clause is not None and noun.head in clause.verbs
    return told or noun.pos_ == "PROPN" or child(noun, "poss") is not None


def _inherited(clause: Clause) -> ClauseRole:
    return clause.how if clause.how in ("opinion", "reported") else "main"


def _without_subject(head: Token, how: ClauseRole) -> ClauseRole:
    if child(head, "expl") is not None:
        return how
    helper = child(head, "aux")
    if helper is not None and helper.lemma_ == "do":
        return "request"
    if _of_something_else(head):
        return how
    base = head.tag_ in ("VB", "VBP") and child(head, "aux") is None
    if base and head.lemma_.lower() not in _SAID_OF_ONESELF:
        return "request"
    if (head.lemma_ == "be" and head.lower_ != "been") or not opens(head):
        return how
    return (
        "implied"
        if head.tag_ in ("VBD", "VBG", "VB", "VBP") or has_been(head) or head.lower_ == "been"
        else how
    )


def _of_something_else(head: Token) -> bool:
    """ "Must feel great", "made me proud", "having belief in yourself": not about the speaker."""
    guessed = any(item.dep_ == "aux" and item.lower_ in _GUESSES for item in head.children)
    inner = child(head, "ccomp")
    objects = [child(head, "dobj"), child(head, "dative"), inner and child(inner, "nsubj")]
    to_me = any(item is not None and item.lower_ in ("me", "us") for item in objects)
    return (
        guessed or to_me or any(item.lower_ in ("yourself", "yourselves") for item in head.subtree)
    )


def _odd(clause: Clause) -> bool:
    """A subject in the wrong case, or a lone "will", shows that the parser failed."""
    alone = len(clause.subjects) == 1 and clause.subjects[0].lower_ in _OBJECT_FORMS
    return alone or clause.verb.tag_ == "MD"


def _first_person(clause: Clause) -> bool:
    return not clause.subjects or clause.subjects[0].lower_ in ("i", "we")
