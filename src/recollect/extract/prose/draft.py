"""A fact on its way: what is decided about it before its second entity and its relation are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from recollect.dates.when import When
from recollect.extract.prose.clauses import Clause
from recollect.extract.prose.mention import Mention
from recollect.extract.prose.render import Writer
from recollect.extract.prose.syntax import child
from recollect.extract.prose.verbs import Aspect
from recollect.graph.found import Mood


@dataclass(slots=True)
class Draft:
    """*subject* is how the sentence names its source; *singular*: the verb has to agree with one."""

    clause: Clause
    aspect: Aspect
    source: Mention
    subject: str
    writer: Writer
    confidence: float
    whens: Sequence[When] = ()
    singular: bool = False
    corrects: bool = False
    mood: Mood = "stated"
    claimant: Mention | None = None
    said_as: str | None = None

    def past_judgement(self) -> bool:
        """Whether it tells how something was: "the event was awesome"."""
        complement = child(self.clause.verb, "acomp", "attr")
        return complement is not None and not self.source.party and self.aspect.tense == "past"
