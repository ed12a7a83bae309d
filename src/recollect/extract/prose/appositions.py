"""What is said of somebody or something in passing: "Ada Berg, a pharmacist from Bergen, ..."."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from recollect.extract.prose import nouns
from recollect.extract.prose.book import Book
from recollect.extract.prose.kinship import is_role
from recollect.extract.prose.mention import Mention
from recollect.extract.prose.moments import Moments
from recollect.extract.prose.render import Writer
from recollect.extract.prose.scene import Scene
from recollect.extract.prose.syntax import child
from recollect.graph.found import FoundFact

if TYPE_CHECKING:
    from spacy.tokens import Span, Token

_SURE = 0.75
_PLACES = frozenset({"GPE", "LOC"})
_LONG = 25


def apposed(
    sentence: Span, scene: Scene, moments: Moments, book: Book, span: tuple[int, int]
) -> None:
    """Write down what stands beside a name; a relative is told of elsewhere."""
    aside = _Aside(scene, moments, book, span)
    for token in sentence:
        if token.lower_ == "born" and token.dep_ in ("acl", "advcl"):
            aside.born(token)
        if token.dep_ != "appos" or token.head.pos_ != "PROPN":
            continue
        if token.ent_type_ in _PLACES and token.head.ent_type_ in _PLACES:
            aside.within(token)
        if token.pos_ != "NOUN" or child(token, "det") is None:
            continue
        if not is_role(token) and not nouns.is_time(token):
            aside.described(token)


@dataclass(slots=True)
class _Aside:
    """Writes what one sentence says in passing."""

    scene: Scene
    moments: Moments
    book: Book
    span: tuple[int, int]

    def described(self, token: Token) -> None:
        """ "Ada Berg, a pharmacist"."""
        source, target = self.scene.mention(token.head), self.scene.mention(token)
        phrase = Writer(self.scene, self.moments).phrase(token)
        if source is None or target is None or phrase is None or source.key == target.key:
            return
        person = source.kind in ("person", None)
        name = "WORKS_AS" if nouns.is_job(token) and person else "IS_A"
        self._write(source, target, name, f"{source.text} is {phrase}")

    def within(self, token: Token) -> None:
        """ "in Sudbury, Ontario": the first lies in the second."""
        comma = token.doc[token.left_edge.i - 1] if token.left_edge.i else None
        source, target = self.scene.mention(token.head), self.scene.mention(token)
        if comma is None or comma.text != "," or source is None or target is None:
            return
        if source.key != target.key and source.proper and target.proper:
            self._write(source, target, "LOCATED_IN", f"{source.text} is in {target.text}")

    def born(self, token: Token) -> None:
        """ "Schneider (born 13 March 1963 in Mediaș)", "Born in Prelate, he moved"."""
        if child(token, "auxpass", "nsubjpass", "aux") is not None:
            return
        subject = token.head if token.dep_ == "acl" else child(token.head, "nsubj", "nsubjpass")
        source = self.scene.mention(subject) if subject is not None else None
        words = [item for item in token.subtree if item.i > token.i and item.text not in "()"]
        loose = any(item.tag_ in ("PRP", "PRP$") for item in words)
        if source is None or not source.proper or loose or not 0 < len(words) <= _LONG:
            return
        source.kind = source.kind or "person"
        told = "".join(item.text_with_ws for item in words).strip(" ,;.")
        place = next((item for item in map(self._place, token.rights) if item is not None), None)
        name = "BORN_IN" if place is not None else "WAS_BORN"
        day = next((when.first for item in words if (when := self.moments.of(item))), None)
        self._write(source, place or source, name, f"{source.text} was born {told}", day)

    def _place(self, prep: Token) -> Mention | None:
        inner = child(prep, "pobj") if prep.dep_ == "prep" and prep.lower_ in ("in", "at") else None
        if inner is None or inner.pos_ != "PROPN" or nouns.is_time(inner):
            return None
        return self.scene.mention(inner)

    def _write(
        self,
        source: Mention,
        target: Mention,
        name: str,
        text: str,
        day: datetime | None = None,
    ) -> None:
        self.book.fact(
            FoundFact(
                source=self.book.entity(source),
                target=self.book.entity(target),
                name=name,
                predicate=name,
                fact=text,
                valid_at=day or self.scene.reading.at,
                dated=day is not None,
                span=self.span,
                confidence=_SURE,
            )
        )
