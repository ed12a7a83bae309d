"""Commands and proposals, kept for an ontology that wants them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.extract.prose import salience
from recollect.extract.prose.clauses import Clause
from recollect.extract.prose.draft import Draft
from recollect.extract.prose.inflect import gerund
from recollect.extract.prose.moments import Moments
from recollect.extract.prose.render import Writer
from recollect.extract.prose.syntax import child, verbal
from recollect.extract.prose.verbs import Aspect

if TYPE_CHECKING:
    from recollect.extract.prose.frames import Framer

_SURE = 0.5


def request(framer: Framer, clause: Clause, moments: Moments) -> None:
    """Write down what the speaker asks for. An assistant's commands are advice, not wishes."""
    speaker = framer.scene.speaker
    if speaker is None or speaker.who == "assistant" or clause.denied():
        return
    proposed = _proposal(clause)
    verb = proposed.base if proposed is not None else clause.base
    if not salience.is_request(verb) or moments.is_over():
        return
    asked = proposed or clause
    draft = Draft(asked, Aspect(), speaker, speaker.text, Writer(framer.scene, moments), _SURE)
    draft.mood = "requested"
    draft.whens = moments.whens
    lemma = verb.lemma_.lower()
    draft.said_as = f"is {gerund(lemma)}" if proposed is not None else f"asked to {lemma}"
    framer.fill_request(draft)


def _proposal(clause: Clause) -> Clause | None:
    """The inner clause of "let's go"."""
    if clause.base.lower_ != "let":
        return None
    inner = child(clause.base, "ccomp", "xcomp")
    if inner is None or not verbal(inner):
        return None
    who = child(inner, "nsubj") or child(clause.base, "dobj", "nsubj")
    if who is None or who.lower_ not in ("'s", "us"):
        return None
    return Clause((inner,), (), "request", inner)
