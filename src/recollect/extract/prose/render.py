"""A clause as a short sentence that can stand alone, close to the original words."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from recollect.extract.prose.clauses import Clause
from recollect.extract.prose.moments import Moments
from recollect.extract.prose.scene import Scene
from recollect.extract.prose.syntax import SUBJECTS, child, verbal
from recollect.extract.prose.wording import (
    TEXT_CHARS_MAX,
    Wording,
    explained,
    has_antecedent,
    joins_nothing,
    left_out,
    part_around,
    placed,
    swapped_out,
    tidy,
    under,
)
from recollect.extract.prose.words import EVALUATIVE, FEELINGS, NEUTRAL, PLURAL, POINTING, listed

if TYPE_CHECKING:
    from spacy.tokens import Token

_DISCOURSE = listed(
    "actually anyway anyways well so also just basically honestly then though even too yeah"
    " luckily especially overall fortunately unfortunately hopefully definitely totally literally"
    " seriously obviously however therefore finally btw maybe perhaps like please really absolutely truly"
)
_UNNAMED = frozenset({"it", "this", "that"})
_MARKS = frozenset("!?.-:;\u2013\u2014")
_TELLING = ("prep", "relcl", "acl")
_FRONTED = frozenset({"prep", "npadvmod", "advcl", "advmod"})
_CLAUSE_WORDS_MIN = 4
_WORDS_MAX = 14
_FAR = 1_000_000_000
_ALL_SUBJECTS = ("nsubj", "nsubjpass", "expl")


class SentenceWriter:
    """Writes the clauses of one sentence."""

    def __init__(self, scene: Scene, moments: Moments) -> None:
        self._scene = scene
        self._moments = moments
        self._wording = Wording(scene)
        self._verbs: tuple[Token, ...] = ()
        self._aside = Aside()
        self.dropped = False

    @property
    def vague(self) -> bool:
        """Whether the last sentence says "something" in place of an unresolved pronoun."""
        return bool(self._wording.unnamed)

    def sentence(
        self,
        clause: Clause,
        subject: str,
        chosen: Token | None = None,
        without: frozenset[int] = frozenset(),
        singular: bool = False,
        said_as: str | None = None,
    ) -> str | None:
        """The clause with *subject* in front; *chosen* is the list item that it is about.

        *without* are phrases to leave out; *said_as* replaces the verb. None if an unresolved pronoun would
        remain.
        """
        self._aside, self._verbs = aside_of(clause, self._scene), clause.verbs
        self._wording.pointing = self._aside.pointing
        drop = (set(clause.cuts) | set(without)) - self._aside.kept
        self.dropped = False
        self._wording.unnamed.clear()
        for _ in range(6):
            tokens = self._tokens(clause, drop, chosen)
            loose = next((token for token in tokens if self._is_loose(token)), None)
            if loose is None:
                break
            part = part_around(loose, clause, chosen)
            if part is not None and verbal(part) and len(list(part.subtree)) >= _CLAUSE_WORDS_MIN:
                self._wording.pointing.add(loose.i)
                continue
            self.dropped = True
            if part is not None:
                drop.add(part.i)
            elif loose.dep_ == "dobj" and loose.lower_ in _UNNAMED:
                self._wording.unnamed.add(loose.i)
            else:
                return None
        else:
            return None
        if any(token.lower_ == "each" and token.head.lower_ == "other" for token in tokens):
            return None
        if said_as is not None:
            subject, tokens = (
                f"{subject} {said_as}",
                [t for t in tokens if t != clause.base],
            )
        words = self._words(tokens, clause, singular)
        text = tidy(f"{subject} {''.join(words)}")
        return (
            text
            if len(text) <= TEXT_CHARS_MAX
            else self._shorter(clause, subject, chosen, drop, singular)
        )

    def phrase(self, head: Token, without: frozenset[int] = frozenset()) -> str | None:
        """A noun phrase by itself, with its pronouns replaced."""
        tokens = sorted(under(head, set(without), set()), key=lambda token: token.i)
        if any(self._is_loose(token) for token in tokens):
            return None
        words = (
            self._wording.word(token, None, False) + self._moments.bracket(token)
            for token in tokens
        )
        return tidy("".join(words))

    def _shorter(
        self,
        clause: Clause,
        subject: str,
        chosen: Token | None,
        drop: set[int],
        singular: bool,
    ) -> str | None:
        """The sentence without side clauses; None if it is still too long."""
        tokens = self._tokens(clause, drop, chosen)
        side = {t.i for t in tokens if t.dep_ in ("advcl", "relcl", "acl", "ccomp", "appos")}
        side -= {verb.i for verb in clause.verbs}
        if not side:
            return None
        tokens = self._tokens(clause, drop | side, chosen)
        text = tidy(f"{subject} {''.join(self._words(tokens, clause, singular))}")
        return text if len(text) <= TEXT_CHARS_MAX else None

    def _tokens(self, clause: Clause, drop: set[int], chosen: Token | None) -> list[Token]:
        """The tokens after the subject, in output order."""
        subjects = {item.i for item in clause.base.children if item.dep_ in SUBJECTS | {"expl"}}
        begin = min(subjects, default=clause.base.left_edge.i)
        swapped = swapped_out(chosen)
        found = list(clause.lead)
        fronted: list[Token] = []
        for item in clause.base.children:
            if item.i in subjects or item.i in drop or self._is_noise(item, clause, drop):
                continue
            if item.is_punct and item.i < clause.base.i:
                continue
            part = under(item, drop, swapped)
            if subjects and item.i < begin:
                if item.dep_ in _FRONTED and not _turns_to_topic(item):
                    fronted.extend(part)
            else:
                found.extend(part)
        found.append(clause.base)
        fronted.extend(self._moments.shared(clause))
        place = (lambda t: (t.i, 0)) if chosen is None else placed(chosen, swapped)
        lead = {token.i for token in clause.lead}
        found = sorted(set(found), key=lambda t: (t.i not in lead, *place(t)))
        ahead = [t for t in found if t.i < self._aside.start or t.i in lead]
        behind = [t for t in found if t.i >= self._aside.start and t.i not in lead]
        return ahead + sorted(fronted, key=lambda t: t.i) + behind + self._aside.after

    def _is_noise(self, item: Token, clause: Clause, drop: set[int]) -> bool:
        dep = item.dep_
        if dep in ("intj", "mark", "meta") or (dep == "advmod" and item.lower_ in _DISCOURSE):
            return True
        if dep == "cc":
            return item.i < clause.base.i or joins_nothing(item, drop)
        if dep == "punct" and item.text in _MARKS:
            return True
        if dep in ("appos", "dep") and self._stands_alone(item):
            return True
        if dep == "preconj" or (dep == "advmod" and item.tag_ == "WRB"):
            return True
        return dep in ("npadvmod", "appos", "dep", "vocative") and self._is_address(item)

    def _stands_alone(self, item: Token) -> bool:
        """Whether it is a lone last word that belongs to no phrase: "..., understood"."""
        last = next((word for word in reversed(item.sent) if not word.is_punct), None)
        lone = item == last and not any(not word.is_punct for word in item.children)
        return lone and verbal(item.head) and self._moments.of(item) is None

    def _is_address(self, item: Token) -> bool:
        listener = self._scene.listener
        return (
            item.pos_ == "PROPN"
            and self._moments.of(item) is None
            and (listener is None or item.text[:3].lower() == listener.name[:3].lower())
        )

    def _is_loose(self, token: Token) -> bool:
        """Whether it is a pronoun that cannot be resolved."""
        if token.dep_ in ("expl", "mark") or token.pos_ not in ("PRON", "DET"):
            return False
        if token.i in self._wording.unnamed or token.i in self._wording.pointing:
            return False
        word = token.lower_
        if token.dep_ == "det" or token.tag_ in ("WP", "WDT", "WP$", "EX", "WRB"):
            return False
        if word in POINTING:
            return token.dep_ not in ("mark", "det") and child(token, *_TELLING) is None
        if token.tag_ not in ("PRP", "PRP$"):
            return False
        if self._scene.mention(token) is not None or explained(token):
            return False
        return token.head in self._verbs or not has_antecedent(token)

    def _words(self, tokens: list[Token], clause: Clause, singular: bool) -> list[str]:
        words: list[str] = []
        done: set[int] = set()
        previous: Token | None = None
        words.append(left_out(clause, singular))
        for number, token in enumerate(tokens):
            following = tokens[number + 1].i == token.i + 1 if number + 1 < len(tokens) else False
            when = self._moments.of(token)
            if when is not None and (text := self._moments.text(when, previous)) is not None:
                if when.start not in done:
                    words.append(f" {text} ")
                done.add(when.start)
            elif not self._moments.swallows(token):
                word = self._wording.word(token, clause, singular, following)
                words.append(word + self._moments.bracket(token))
            previous = token
        return words


def _turns_to_topic(item: Token) -> bool:
    """Whether it only changes the topic: "on another note", "by the way"."""
    inner = child(item, "pobj") if item.dep_ == "prep" else None
    return inner is not None and inner.lower_ in ("note", "way", "topic", "subject")


@dataclass(slots=True)
class Aside:
    """Clauses that depend on the clause beside them: "I joined a club, *and it is great fun*".

    They cannot stand alone, because their "it" refers to that clause. *kept* are heads of asides below the
    clause itself, the first of which begins at *start*; *after* are the words of an aside above it.
    *pointing* are pronouns that may stay as they are.
    """

    kept: set[int] = field(default_factory=set)
    start: int = _FAR
    after: list[Token] = field(default_factory=list)
    pointing: set[int] = field(default_factory=set)

    def point(self, words: list[Token]) -> None:
        """Let the pronouns among these words stay."""
        self.pointing.update(word.i for word in words if word.lower_ in NEUTRAL | PLURAL)


def aside_of(clause: Clause, scene: Scene) -> Aside:
    """The asides of a clause that will not become facts of their own."""
    found = Aside(after=_said_after(clause, scene))
    found.point(found.after)
    for place in sorted(clause.cuts):
        verb = clause.base.doc[place]
        subject = child(verb, *_ALL_SUBJECTS)
        if subject is None or verb.i < clause.finite.i or not _only_points(subject, verb, scene):
            continue
        words = list(verb.subtree)
        if len(words) <= _WORDS_MAX and not any(word.text == "?" for word in words):
            found.kept.add(place)
            found.start = min(found.start, _joint(verb))
            found.point(words)
    return found


def _said_after(clause: Clause, scene: Scene) -> list[Token]:
    """The aside that the parser mistakes for the main clause: "I joined a club - it is fun"."""
    main = clause.base.head
    subject = child(main, *_ALL_SUBJECTS)
    if clause.base.dep_ != "ccomp" or subject is None or subject.i < clause.base.i:
        return []
    own = {word.i for word in clause.base.subtree}
    words = [word for word in main.subtree if word.i not in own]
    if len(words) > _WORDS_MAX or words[0].i < clause.base.i or words[-1].text == "?":
        return []
    return words if _only_points(subject, main, scene) else []


def _only_points(subject: Token, verb: Token, scene: Scene) -> bool:
    """Whether a clause has a subject like "it" and will not become a fact."""
    if subject.dep_ == "expl":
        return not any(word.lower_ == "but" for word in verb.head.children)
    if subject.lower_ not in NEUTRAL | PLURAL:
        return False
    complement = child(verb, "acomp", "attr")
    word = complement.lower_ if complement is not None else ""
    praised = word in EVALUATIVE or word in FEELINGS or word.endswith("ing")
    return praised or scene.mention(subject) is None


def _joint(verb: Token) -> int:
    """Where a coordinated clause begins, including its comma and "and"."""
    start = verb.left_edge.i
    while start > 0 and verb.doc[start - 1].dep_ in ("cc", "punct"):
        start -= 1
    return int(start)
