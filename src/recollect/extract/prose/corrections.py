"""Taking something back: "actually, it's Denver, not Boston", "sorry, I meant Tuesday's class"."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec

from recollect.extract.brief import Turn
from recollect.extract.prose.arguments import denied
from recollect.extract.prose.book import Book
from recollect.extract.prose.clauses import Clause
from recollect.extract.prose.mention import Mention
from recollect.extract.prose.scene import Scene
from recollect.extract.prose.syntax import child
from recollect.graph.found import Found, FoundEntity, FoundFact

if TYPE_CHECKING:
    from spacy.tokens import Token

Again = Callable[[Turn], Found]
_CORRECTING = frozenset({"mean"})
_SURE = 0.8


def correct(clause: Clause, scene: Scene, book: Book, again: Again, span: tuple[int, int]) -> bool:
    """Restate what was said with the right thing in it; False if the clause corrects nothing.

    What was said is looked for in this episode, then in the speaker's turns before it.
    """
    said = _right(clause)
    if said is None:
        return False
    right = scene.mention(said)
    wrong = [mention for token in denied(said) if (mention := scene.mention(token)) is not None]
    if right is None:
        return True
    for found in _sources(scene, book, again):
        fact = _match(found, right, wrong)
        if fact is not None:
            _restate(book, found, fact, right, span)
            break
    return True


def _right(clause: Clause) -> Token | None:
    """The thing put right: of "it's X" and of "I meant X"."""
    verb = clause.verb
    subject = clause.subjects[0].lower_ if clause.subjects else "i"
    if verb.lemma_ == "be" and subject in ("it", "that"):
        return child(verb, "attr")
    if verb.lemma_ in _CORRECTING and subject == "i":
        return child(verb, "dobj")
    return None


def _sources(scene: Scene, book: Book, again: Again) -> list[Found]:
    own = book.drafted()
    if own.facts:
        return [own]
    speaker = scene.speaker
    turns = [turn for turn in reversed(scene.speech.before) if scene.said_by(turn) == speaker]
    return [again(turn) for turn in turns[:2]]


def _match(found: Found, right: Mention, wrong: list[Mention]) -> FoundFact | None:
    """The newest fact with the wrong thing, or one with a thing of the same sort."""
    names = {mention.name.casefold() for mention in wrong}
    for fact in reversed(found.facts):
        target = found.entities[fact.target]
        if fact.source == fact.target or target.who is not None:
            continue
        if target.name.casefold() in names if names else _alike(target, right):
            return fact
    return None


def _alike(target: FoundEntity, right: Mention) -> bool:
    return right.kind is None or target.kind in (right.kind, None)


def _restate(
    book: Book, found: Found, fact: FoundFact, right: Mention, span: tuple[int, int]
) -> None:
    old, source = found.entities[fact.target], found.entities[fact.source]
    if old.name not in fact.fact:
        return
    who = Mention(source.name, source.name, source.kind, True, who=source.who)
    right.kind = right.kind or old.kind
    new = msgspec.structs.replace(
        fact,
        source=book.entity(who),
        target=book.entity(right),
        fact=fact.fact.replace(old.name, right.text),
        corrects=True,
        span=span,
        confidence=_SURE,
    )
    book.fact(new)
