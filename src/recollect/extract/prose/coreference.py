"""Who "she" and "they" are: the only one who fits, or nobody."""

from __future__ import annotations

from dataclasses import dataclass

import regex

from recollect.extract.brief import KnownName, Turn
from recollect.extract.prose.inflect import possessive
from recollect.extract.prose.mention import Mention
from recollect.extract.prose.words import FEMALE, KIN, MALE, MONTHS_DAYS, PETS, PLURAL
from recollect.graph.found import EntityKind

_KIN = regex.compile(
    r"\bmy\s+(?:\w+\s+)?(?P<role>" + "|".join(sorted((*KIN, *PETS), reverse=True)) + r")"
    r"(?P<more>s?)\b(?:,?\s+(?P<name>\p{Lu}\p{Ll}+))?\b"
)
_NAME = regex.compile(r"(?<=[\p{Ll},]\s)\p{Lu}\p{Ll}+(?:\s\p{Lu}\p{Ll}+)*")


_REACH = 2
_TITLES = {"Mrs": "f", "Ms": "f", "Miss": "f", "Madam": "f", "Mr": "m", "Sir": "m"}


@dataclass(slots=True)
class _Seen:
    mention: Mention
    sentence: int
    subject: bool


class Window:
    """The mentions of an episode in reading order, after those of the turns before it."""

    def __init__(self) -> None:
        self._seen: list[_Seen] = []
        self.sentence = 0

    def see(self, mention: Mention, subject: bool = False) -> None:
        """Remember a mention of the sentence that is being read."""
        mention.gender = mention.gender or _TITLES.get(mention.name.split(" ")[0].rstrip("."), "")
        self._seen.append(_Seen(mention, self.sentence, subject))

    def see_before(
        self,
        turns: tuple[Turn, ...],
        speakers: list[Mention | None],
        known: tuple[KnownName, ...],
        parties: frozenset[str],
    ) -> None:
        """Remember who was spoken of before, by names and "my sister" alone, but the *parties*."""
        kinds = {item.name: item.kind for item in known}
        for number, (turn, speaker) in enumerate(zip(turns, speakers, strict=True)):
            self.sentence = number - len(turns)
            for mention in _named_in(turn.content, speaker, kinds):
                if not _is_party(mention.name.casefold(), parties):
                    self.see(mention)
        self.sentence = 0

    def put_before(self, earlier: Window) -> None:
        """Place what another window has seen in front of this one's."""
        self._seen[:0] = earlier._seen

    def resolve(self, word: str, subject: Mention | None = None) -> Mention | None:
        """What a third-person pronoun stands for. *subject* is that of the clause around it."""
        if word in MALE or word in FEMALE:
            return self._person("m" if word in MALE else "f", subject)
        return self._people() if word in PLURAL else None

    def _person(self, gender: str, subject: Mention | None) -> Mention | None:
        fits = [
            item
            for item in self._seen
            if _is_person(item.mention) and item.mention.gender in ("", gender)
        ]
        perhaps = [
            item
            for item in self._seen
            if item.subject and item.mention.proper and _may_be(item.mention)
        ]
        chosen = self._only(fits or perhaps)
        if chosen is not None:
            chosen.gender = gender
            chosen.kind = "animal" if chosen.kind == "animal" else "person"
        return chosen

    def _only(self, group: list[_Seen]) -> Mention | None:
        """Whoever is the only one in the last two sentences that speak of anybody."""
        last = group[-1].sentence if group else 0
        near = [item for item in group if item.sentence >= last - 1]
        return near[-1].mention if len({item.mention.key for item in near}) == 1 else None

    def _people(self) -> Mention | None:
        """The only group of people in the last sentences."""
        near = [item for item in self._seen if self.sentence - item.sentence <= _REACH]
        fits = {item.mention.key: item.mention for item in near if _is_people(item.mention)}
        return next(iter(fits.values())) if len(fits) == 1 else None


def _is_people(mention: Mention) -> bool:
    return mention.plural and mention.kind in ("person", "animal")


def _is_person(mention: Mention) -> bool:
    if mention.party or mention.plural:
        return False
    numbered = any(char.isdigit() for char in mention.name) or mention.name.isupper()
    unknown = mention.proper and mention.kind is None and not numbered
    return mention.kind in ("person", "animal") or unknown


def _may_be(mention: Mention) -> bool:
    """A one-word name that was taken for a company or a town may be a person's."""
    return (
        not mention.party and mention.kind in ("organization", "place") and " " not in mention.name
    )


def _is_party(name: str, parties: frozenset[str]) -> bool:
    """The name of a party, or short for it: "Mel"."""
    return any(name == party or (len(name) > 2 and party.startswith(name)) for party in parties)


def _named_in(
    text: str, speaker: Mention | None, kinds: dict[str, EntityKind | None]
) -> list[Mention]:
    found: list[Mention] = []
    for match in _KIN.finditer(text):
        role, name = match["role"], match["name"]
        kind: EntityKind = "animal" if role in PETS else "person"
        gender = KIN.get(role, "")
        if name:
            found.append(Mention(name, name, kind, True, owner=speaker, role=role, gender=gender))
        elif speaker is not None:
            called = f"{possessive(speaker.name)} {role}{match['more']}"
            found.append(
                Mention(
                    called,
                    called,
                    kind,
                    owner=speaker,
                    role=role,
                    gender=gender,
                    plural=bool(match["more"]),
                )
            )
    for match in _NAME.finditer(text):
        name = match.group()
        if name.lower() not in MONTHS_DAYS and all(name != item.name for item in found):
            found.append(Mention(name, name, kinds.get(name), True))
    return found
