"""Mentions of people and things, before they become entities: names, relatives, pronouns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import regex

from recollect.extract.brief import KnownName, Turn
from recollect.extract.prose import nouns
from recollect.extract.prose.syntax import child
from recollect.extract.prose.voices import Voice
from recollect.extract.prose.words import (
    FEMALE,
    KIN,
    MALE,
    MONTHS_DAYS,
    PETS,
    PLURAL,
    SAME_KIN,
    listed,
    possessive,
)
from recollect.graph.found import EntityKind

if TYPE_CHECKING:
    from spacy.tokens import Token

_KIN = regex.compile(
    r"\bmy\s+(?:\w+\s+)?(?P<role>" + "|".join(sorted((*KIN, *PETS), reverse=True)) + r")"
    r"(?P<more>s?)\b(?:,?\s+(?P<name>\p{Lu}\p{Ll}+))?\b"
)
_NAME = regex.compile(r"(?<=[\p{Ll},]\s)\p{Lu}\p{Ll}+(?:\s\p{Lu}\p{Ll}+)*")
_REACH = 2
_GROUPS = listed("family couple household team crew band group class company firm")
_TITLES = {"Mrs": "f", "Ms": "f", "Miss": "f", "Madam": "f", "Mr": "m", "Sir": "m"}
_KEPT = listed(
    "best older younger elder eldest oldest youngest little big late ex former adoptive adopted"
    " biological step half first second middle twin close old childhood great"
)


@dataclass(slots=True, eq=False)
class Mention:
    """*name* is the entity's name; *text* is how a standalone sentence refers to it.

    *proper*: it has a name of its own. *owner* is the entity it belongs to, and *role* is what it is to
    the owner ("sister"). *guessed*: its kind comes from the parser's label alone. *sure* is false if only a
    pronoun names the owner, as in "their faces".
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
        """Whether it is definite enough for a sentence about it to be worth keeping."""
        return self.party or self.proper or bool(self.role) or self.owner is not None

    def settle(self, kind: EntityKind | None) -> None:
        """Set the kind that the text implies; it is no longer a guess."""
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


@dataclass(slots=True)
class _SeenMention:
    mention: Mention
    sentence: int
    subject: bool


class MentionHistory:
    """The mentions of an episode in reading order, preceded by those of earlier turns."""

    def __init__(self) -> None:
        self._seen: list[_SeenMention] = []
        self.sentence = 0

    def see(self, mention: Mention, subject: bool = False) -> None:
        """Remember a mention in the current sentence."""
        mention.gender = mention.gender or _TITLES.get(mention.name.split(" ")[0].rstrip("."), "")
        self._seen.append(_SeenMention(mention, self.sentence, subject))

    def see_before(
        self,
        turns: tuple[Turn, ...],
        speakers: list[Mention | None],
        known: tuple[KnownName, ...],
        parties: frozenset[str],
    ) -> None:
        """Remember whom earlier turns mention by name or as "my sister", except the *parties*."""
        kinds = {item.name: item.kind for item in known}
        for number, (turn, speaker) in enumerate(zip(turns, speakers, strict=True)):
            self.sentence = number - len(turns)
            for mention in _named_in(turn.content, speaker, kinds):
                if not _is_party(mention.name.casefold(), parties):
                    self.see(mention)
        self.sentence = 0

    def put_before(self, earlier: MentionHistory) -> None:
        """Put an earlier history in front of this one."""
        self._seen[:0] = earlier._seen

    def resolve(self, word: str, subject: Mention | None = None) -> Mention | None:
        """The antecedent of a third-person pronoun: the only candidate that fits, or None."""
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

    def _only(self, group: list[_SeenMention]) -> Mention | None:
        """The only member mentioned in the last sentence that mentions the group, and the one before it."""
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
    if mention.party or mention.plural or mention.name.rpartition(" ")[2].lower() in _GROUPS:
        return False
    numbered = any(char.isdigit() for char in mention.name) or mention.name.isupper()
    unknown = mention.proper and mention.kind is None and not numbered
    return mention.kind in ("person", "animal") or unknown


def _may_be(mention: Mention) -> bool:
    """Whether it may be a person after all: a one-word name labelled as a company or a town."""
    return (
        not mention.party and mention.kind in ("organization", "place") and " " not in mention.name
    )


def _is_party(name: str, parties: frozenset[str]) -> bool:
    """Whether it is the name of a party, or a short form of it: "Mel"."""
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


@dataclass(slots=True, eq=False)
class Relative:
    """A relative, friend or pet of an owner: "my sister Emma". *called* is the name; empty if not given."""

    head: Token
    role: str
    words: str
    called: str
    gender: str
    kind: EntityKind
    plural: bool
    owner_token: Token | None
    of_mine: bool
    mention: Mention | None = None
    owner: Mention | None = None


def relative(head: Token) -> Relative | None:
    """The relative, friend or pet that the phrase refers to, or None."""
    noun = _role_noun(head)
    if noun is None:
        return None
    owner, of_mine = _owner(noun, head)
    called = _called(noun, head)
    if owner is None and not of_mine and not (called and noun != head):
        return None
    return _relative(noun, head, called, owner, of_mine)


def having(noun: Token) -> Relative:
    """The relative in "I have two sisters", whose owner is the subject."""
    return _relative(noun, noun, _called(noun, noun), None, False)


def _relative(
    noun: Token, head: Token, called: str, owner: Token | None, of_mine: bool
) -> Relative:
    lemma = noun.lemma_.lower()
    role = SAME_KIN.get(lemma, lemma)
    plural = noun.tag_ == "NNS"
    kept = [item.lower_ for item in noun.lefts if item.lower_ in _KEPT and item.dep_ != "det"]
    return Relative(
        head=head,
        role=" ".join([*kept, role]),
        words=" ".join([*kept, noun.lower_]),
        called="" if plural else called,
        gender=KIN.get(lemma, ""),
        kind="animal" if lemma in PETS else "person",
        plural=plural,
        owner_token=owner,
        of_mine=of_mine,
    )


def is_role(token: Token) -> bool:
    """Whether the noun says what someone is to someone else."""
    lemma = token.lemma_.lower()
    pet = lemma in PETS and not _is_of_another_kind(token)
    return token.pos_ == "NOUN" and (lemma in KIN or pet)


def _is_of_another_kind(noun: Token) -> bool:
    """ "A toy cat", "a knitted rabbit": the words before it may say that it is no animal."""
    return any(
        (item.dep_ == "compound" and item.pos_ == "NOUN") or item.tag_ == "VBN"
        for item in noun.lefts
    )


def _role_noun(head: Token) -> Token | None:
    if is_role(head):
        return head
    if head.pos_ != "PROPN":
        return None
    beside: list[Token] = list(head.children)
    if head.dep_ == "appos":
        beside.append(head.head)
    for item in beside:
        near = item.dep_ in ("compound", "appos", "nmod") or item == head.head
        owned = child(item, "poss") is not None or child(head, "poss") is not None
        if near and owned and is_role(item):
            return item
    return None


def _owner(noun: Token, head: Token) -> tuple[Token | None, bool]:
    owner = child(noun, "poss") or child(head, "poss")
    if owner is None and noun.dep_ == "compound" and noun.head.pos_ == "PROPN":
        owner = child(noun.head, "poss")
    if owner is not None:
        return owner, False
    for item in noun.children:
        if item.dep_ == "prep" and item.lower_ == "of":
            inner = child(item, "pobj")
            if inner is not None and inner.lower_ in ("mine", "ours"):
                return None, True
    return None, False


def _called(noun: Token, head: Token) -> str:
    if noun == head and noun.dep_ in ("compound", "nmod") and noun.head.pos_ == "PROPN":
        return _plain(noun.head)
    if head != noun and head.pos_ == "PROPN":
        return nouns.name(head) if is_role(head) is False and head.dep_ != "appos" else _plain(head)
    for item in noun.children:
        if item.dep_ == "appos" and item.pos_ == "PROPN":
            return _plain(item)
    return given_name(noun)


def given_name(noun: Token) -> str:
    """The name in "a dog named Max", "a company called Tinfoil"."""
    for item in noun.children:
        if item.dep_ == "acl" and item.lemma_ in ("name", "call"):
            given = child(item, "oprd", "dobj", "attr", "npadvmod")
            if given is not None and given.text[:1].isupper():
                return _plain(given)
    return ""


def _plain(token: Token) -> str:
    """A person's name: the capitalised words of the phrase."""
    parts = [*(item for item in token.lefts if item.dep_ == "compound"), token]
    return " ".join(
        nouns.surface(part) for part in parts if part.pos_ == "PROPN" or part.text[:1].isupper()
    )
