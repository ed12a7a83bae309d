"""What two do together: "Anna and Bob got married", "Anna and Bob are friends"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.extract.prose.clauses import Clause
from recollect.extract.prose.draft import Draft
from recollect.extract.prose.relations import Relation, screaming
from recollect.extract.prose.render import Writer
from recollect.extract.prose.syntax import child
from recollect.extract.prose.verbs import Aspect

if TYPE_CHECKING:
    from recollect.extract.prose.frames import Framer

_TOGETHER = {
    "friend": "KNOWS",
    "colleague": "WORKS_WITH",
    "coworker": "WORKS_WITH",
    "married": "MARRIED_TO",
    "engaged": "ENGAGED_TO",
    "divorced": "DIVORCED",
    "marry": "MARRIED_TO",
    "divorce": "DIVORCED",
    "meet": "MET",
    "date": "DATES",
    "separate": "DIVORCED",
}
_BESIDE = (
    "friend",
    "sibling",
    "sister",
    "brother",
    "cousin",
    "neighbor",
    "roommate",
    "couple",
    "twin",
)
_SURE = 0.85


def reciprocal(framer: Framer, clause: Clause, aspect: Aspect, writer: Writer) -> bool:
    """Write one fact between the two; False if they do not do it to each other."""
    if len(clause.subjects) != 2 or child(clause.verb, "dobj") is not None:
        return False
    word = _word(clause)
    first, second = (framer.scene.mention(token) for token in clause.subjects)
    if word is None or first is None or second is None:
        return False
    if not all(item.proper or item.role for item in (first, second)):
        return False
    subject = writer.phrase(clause.subjects[0])
    text = writer.sentence(clause, subject) if subject is not None else None
    if text is None or subject is None:
        return False
    predicate = _TOGETHER.get(word) or screaming(["is", word, "of"])
    name = f"NOT_{predicate}" if aspect.negated else predicate
    draft = Draft(clause, aspect, first, subject, writer, _SURE)
    draft.whens = framer.whens_of(clause)
    for item in (first, second):
        item.kind = item.kind or "person"
    return framer.emit(draft, second, Relation(name, predicate), text)


def _word(clause: Clause) -> str | None:
    """The word that says what they are to each other."""
    verb = clause.verb
    complement = child(verb, "attr", "acomp", "oprd")
    words = [verb.lower_, verb.lemma_.lower()]
    if complement is not None:
        words = [complement.lower_, complement.lemma_.lower()]
    elif child(verb, "prep") is not None:
        return None if verb.lemma_.lower() not in _TOGETHER else verb.lemma_.lower()
    return next((word for word in words if word in _TOGETHER or word in _BESIDE), None)
