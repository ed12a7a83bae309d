"""What a name is said to be in passing: "Ada Berg, a pharmacist from Bergen, ..."."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.extract.prose import nouns
from recollect.extract.prose.book import Book
from recollect.extract.prose.kinship import is_role
from recollect.extract.prose.moments import Moments
from recollect.extract.prose.render import Writer
from recollect.extract.prose.scene import Scene
from recollect.extract.prose.syntax import child
from recollect.graph.found import FoundFact

if TYPE_CHECKING:
    from spacy.tokens import Span, Token

_SURE = 0.75


def apposed(
    sentence: Span, scene: Scene, moments: Moments, book: Book, span: tuple[int, int]
) -> None:
    """Write down what stands beside a name; a relative is told of elsewhere."""
    for token in sentence:
        if token.dep_ != "appos" or token.pos_ != "NOUN" or token.head.pos_ != "PROPN":
            continue
        if child(token, "det") is None or is_role(token) or nouns.is_time(token):
            continue
        _write(token, scene, Writer(scene, moments), book, span)


def _write(token: Token, scene: Scene, writer: Writer, book: Book, span: tuple[int, int]) -> None:
    source, target, phrase = scene.mention(token.head), scene.mention(token), writer.phrase(token)
    if source is None or target is None or phrase is None or source.key == target.key:
        return
    name = "WORKS_AS" if nouns.is_job(token) else "IS_A"
    book.fact(
        FoundFact(
            source=book.entity(source),
            target=book.entity(target),
            name=name,
            predicate=name,
            fact=f"{source.text} is {phrase}",
            valid_at=scene.reading.at,
            span=span,
            confidence=_SURE,
        )
    )
