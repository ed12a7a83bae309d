"""What is said of an event beside it: "I joined a club, *and it is great fun*"."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from recollect.extract.prose.clauses import Clause
from recollect.extract.prose.scene import Scene
from recollect.extract.prose.syntax import child
from recollect.extract.prose.words import EVALUATIVE, FEELINGS, NEUTRAL, PLURAL

if TYPE_CHECKING:
    from spacy.tokens import Token

_WORDS_MAX = 14
_FAR = 1_000_000_000
_ALL_SUBJECTS = ("nsubj", "nsubjpass", "expl")


@dataclass(slots=True)
class Aside:
    """Clauses that cannot stand alone: what "it" is in them, only the clause beside them tells.

    *kept* are heads of such clauses below the clause itself, the first of which begins at *start*;
    *after* are the words of one above it. *pointing* are the pronouns that may stay as they are.
    """

    kept: set[int] = field(default_factory=set)
    start: int = _FAR
    after: list[Token] = field(default_factory=list)
    pointing: set[int] = field(default_factory=set)

    def point(self, words: list[Token]) -> None:
        """Let the pronouns among these words stay."""
        self.pointing.update(word.i for word in words if word.lower_ in NEUTRAL | PLURAL)


def aside_of(clause: Clause, scene: Scene) -> Aside:
    """What is said beside a clause and of which no fact will be made."""
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
    """The aside that the parser takes for the main clause: "I joined a club - it is fun"."""
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
    """Whether a clause has a subject like "it" of which no fact will be made."""
    if subject.dep_ == "expl":
        return not any(word.lower_ == "but" for word in verb.head.children)
    if subject.lower_ not in NEUTRAL | PLURAL:
        return False
    complement = child(verb, "acomp", "attr")
    word = complement.lower_ if complement is not None else ""
    praised = word in EVALUATIVE or word in FEELINGS or word.endswith("ing")
    return praised or scene.mention(subject) is None


def _joint(verb: Token) -> int:
    """Where a clause that is joined to another begins, with its comma and its "and"."""
    start = verb.left_edge.i
    while start > 0 and verb.doc[start - 1].dep_ in ("cc", "punct"):
        start -= 1
    return int(start)
