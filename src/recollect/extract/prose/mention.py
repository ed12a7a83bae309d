"""Someone or something that the text speaks of, before it is an entity."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from recollect.extract.prose.voices import Voice
from recollect.graph.found import EntityKind


@dataclass(slots=True, eq=False)
class Mention:
    """*name* is the entity's; *text* is how a sentence of its own calls it.

    *proper*: it has a name of its own. *owner* is whose it is; *role* is what it is to the owner
    ("sister"). *guessed*: only the parser's label of the name tells its kind. *sure*: it is not known by a pronoun alone, as "their faces" are.
    """

    name: str
    text: str
    kind: EntityKind | None = None
    proper: bool = False
    who: Literal["user", "assistant"] | None = None
    owner: Mention | None = None
    role: str = ""
    gender: str = ""
    plural: bool = False
    aliases: tuple[str, ...] = ()
    sure: bool = True
    guessed: bool = False
    party: bool = False

    @property
    def key(self) -> str:
        return self.who or self.name.casefold()

    @property
    def anchored(self) -> bool:
        """Someone or something definite, so that a sentence about it is worth keeping."""
        return self.party or self.proper or bool(self.role) or self.owner is not None

    def settle(self, kind: EntityKind | None) -> None:
        """What is said of it tells what sort of thing it is."""
        self.kind, self.guessed = kind, False


def party(voice: Voice) -> Mention:
    """The speaker or the listener."""
    return Mention(
        name=voice.name,
        text=voice.name,
        kind="person" if voice.who != "assistant" else None,
        proper=True,
        who=voice.who,
        aliases=voice.aliases,
        party=True,
    )
