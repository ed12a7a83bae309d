"""The state while a speech is read: who speaks, what was mentioned, what each noun refers to."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from recollect.extract.brief import Brief, Turn
from recollect.extract.prose import nouns, products
from recollect.extract.prose.mentions import (
    Mention,
    MentionHistory,
    Relative,
    given_name,
    having,
    party,
    relative,
)
from recollect.extract.prose.syntax import child, verbal
from recollect.extract.prose.voices import Speech, Voice, user_voice, voice
from recollect.extract.prose.words import (
    FEMALE,
    FIRST,
    FIRST_PLURAL,
    KIN,
    MALE,
    NEUTRAL,
    ONLY_ONE,
    PLURAL,
    POINTING,
    SECOND,
    possessive,
)

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span, Token

_ROLES = frozenset({"nsubj", "nsubjpass", "dobj", "pobj", "attr", "oprd"})
_NAMED = _ROLES | {"conj", "appos"}
_THIRD = MALE | FEMALE | PLURAL


ParseTurn = Callable[[Speech], "Doc"]


class Scene:
    """The reader's state for one speech. *look* parses an earlier turn when a pronoun requires it.
    *company* is whom the assistant speaks for."""

    def __init__(self, reading: Brief, speech: Speech, look: ParseTurn | None = None) -> None:
        self._look = look
        self.reading = reading
        self.speech = speech
        self.has_quotes = any(mark in speech.text for mark in "\"'\u201c\u2018")
        self.spoken = reading.kind == "message" or speech.speaker is not None  # an e-mail is talk
        self.user = user_voice(reading)
        self.speaker = party(speech.speaker) if speech.speaker is not None else None
        self.listener = party(speech.listener) if speech.listener is not None else None
        self.company = products.company_of(speech, self.user)
        self.relatives: list[Relative] = []
        self._window = MentionHistory()
        self._looked_back = False
        self._roles: dict[tuple[str, str], Mention] = {}
        self._cache: dict[int, Mention | None] = {}
        self._noted: set[int] = set()
        self._known = {item.name.casefold(): item for item in reading.known}

    def next_sentence(self, sentence: Span) -> None:
        """Move on to the next sentence, remembering also people about whom *sentence* stated nothing."""
        for token in sentence:
            if token.pos_ == "PROPN" and token.dep_ in _NAMED:
                named = self.mention(token)
                if named is not None and named.kind == "person":
                    self._note(token)
        self._window.sentence += 1

    def _note(self, token: Token) -> None:
        """Remember a noun, once; a name given ("oprd") is what the clause is about."""
        if token.i in self._noted or _is_theirs(token) or _is_place(token):
            return
        self._noted.add(token.i)
        mention = self.mention(token)
        if mention is not None:
            self._window.see(mention, token.dep_ in ("nsubj", "nsubjpass", "oprd"))

    def see(self, mention: Mention, subject: bool = False) -> None:
        """Remember what a clause was about, for later pronouns."""
        self._window.see(mention, subject)

    def mention(self, token: Token) -> Mention | None:
        """What the phrase headed by *token* refers to; None if it is nothing definite."""
        if token.i not in self._cache:
            self._cache[token.i] = self._read(token)
        return self._cache[token.i]

    def pronoun(self, token: Token) -> Mention | None:
        """What a pronoun refers to."""
        word = token.lower_
        if self._is_the_company(token):
            return self.company
        if word in FIRST or word in FIRST_PLURAL or (word == "'s" and token.tag_ == "PRP"):
            return self.speaker
        if word in SECOND:
            return self.listener
        if word in _THIRD:
            self._look_back()
            self._see_earlier(token)
            found = self._window.resolve(word)
            if found is not None:
                self._window.see(found, token.dep_ in ("nsubj", "nsubjpass"))
            return found
        return None

    def _is_the_company(self, token: Token) -> bool:
        """ "Your app", said to a company's assistant; "our app", said by it."""
        if self.company is None or not products.belongs_to_company(token):
            return False
        own = self.speaker is not None and self.speaker.who == "assistant"
        return token.lower_ == ("our" if own else "your")

    def _see_earlier(self, pronoun: Token) -> None:
        """Remember the nouns of the clauses before a pronoun in its sentence."""
        own = _clause_verb(pronoun)
        for token in pronoun.doc[pronoun.sent.start : pronoun.i]:
            named = token.pos_ in ("NOUN", "PROPN") and token.dep_ in _ROLES
            if named and _clause_verb(token) != own:
                self._note(token)

    def _look_back(self) -> None:
        if self._looked_back:
            return
        self._looked_back = True
        turns = self.speech.before[-6:]
        window = MentionHistory()
        speakers = [self.said_by(turn) for turn in turns]
        parties = [said.names for said in (self.speech.speaker, self.speech.listener) if said]
        window.see_before(turns, speakers, self.reading.known, frozenset().union(*parties))
        if self._look is not None and turns:
            self._see_last(turns[-1], self._look, window)
        self._window.put_before(window)

    def _see_last(self, turn: Turn, look: ParseTurn, window: MentionHistory) -> None:
        """Remember what the previous turn mentions, from its own speaker's point of view."""
        own = self.said_by(turn) is self.speaker
        listener = self.speech.listener if own else self.speech.speaker
        speech = Speech(turn.content, 0, voice(turn, self.user), listener, ())
        scene = Scene(self.reading, speech)
        doc = look(speech)
        count = sum(1 for _ in doc.sents)
        for number, sentence in enumerate(doc.sents):
            window.sentence = number - count
            for token in sentence:
                if token.dep_ not in _ROLES or _is_place(token):
                    continue
                if token.pos_ in ("NOUN", "PROPN"):
                    mention = scene.mention(token)
                    if mention is not None and not mention.party:
                        window.see(mention, token.dep_ in ("nsubj", "nsubjpass"))
        window.sentence = 0

    def said_by(self, turn: Turn) -> Mention | None:
        """The speaker of a turn."""
        return self._party_of(voice(turn, self.user))

    def _party_of(self, said_by: Voice | None) -> Mention | None:
        for mention in (self.speaker, self.listener):
            if mention is not None and said_by is not None and mention.name == said_by.name:
                return mention
        return party(said_by) if said_by is not None else None

    def _read(self, token: Token) -> Mention | None:
        if token.tag_ in ("WP", "WDT") or (token.lower_ == "that" and token.head.dep_ == "relcl"):
            return self.mention(token.head.head) if token.head.dep_ == "relcl" else None
        if token.pos_ == "PRON" or token.lower_ in _THIRD | NEUTRAL | POINTING:
            return self.pronoun(token)
        head = nouns.core(token)
        if head.pos_ == "PRON":
            return self.pronoun(head)
        if verbal(head) and head.pos_ != "PROPN" and _is_deed(head):
            called = nouns.activity(head)
            return Mention(called, called, "topic") if called else None
        return self._noun(head)

    def _noun(self, head: Token) -> Mention | None:
        value = nouns.VALUE.fullmatch(head.text)
        if value is not None and head.ent_type_ not in ("DATE", "TIME"):
            return self._party_named(head.text) or Mention(head.text, head.text, "value", True)
        amount = nouns.quantity(head)
        if amount:
            return Mention(amount, amount, "value", True)
        if not nouns.worth_naming(head):
            return None
        if self.is_the_user(head):
            return party(self.user) if self.user is not None else None
        kin = relative(head)
        if kin is not None:
            return self._relative(kin)
        return self._thing(head)

    def is_the_user(self, head: Token) -> bool:
        """Whether it is "the user" in a text, or "User" as agents begin their notes."""
        if self.user is None or head.lower_ != "user":
            return False
        det = child(head, "det")
        if det is None:
            return head.text == "User" and head.left_edge.is_sent_start is True
        return not self.spoken and det.lower_ == "the"

    def _thing(self, head: Token) -> Mention | None:
        given = given_name(head)
        title = (nouns.quoted(head) or nouns.entitled(head)) if self.has_quotes else ""
        called = given or title or nouns.name(head)
        if not called or not any(char.isalnum() for char in called):
            return None
        if not (given or title) and any(part in FIRST for part in called.casefold().split()):
            return None  # "I absolutley love tea", which the parser takes for one name
        named = self._party_named(called)
        if named is not None:
            return named
        named_here = bool(given or title)
        if not named_here and head.pos_ == "NOUN" and _is_the(head):
            called = products.full_name(called, (turn.content for turn in self.speech.before))
        proper = named_here or head.pos_ == "PROPN" or called.casefold() in self._known
        before = self._known.get(called.casefold())
        told = (before.kind if before is not None else None) or nouns.told_kind(head)
        kind = told or nouns.kind(head, proper)
        plural = head.tag_ in ("NNS", "NNPS") and not proper
        owner_token = child(head, "poss") if not named_here else None
        owner = self.mention(owner_token) if owner_token is not None else None
        if owner is not None and owner is self.company and products.is_product(head):
            return owner
        text = called if proper or _is_called(head) else f"the {called}"
        if owner is not None and proper and (calling := nouns.calling(head)):
            text = f"{possessive(owner.text)} {calling} {called}"
        if owner is not None and not proper:
            text = f"{possessive(owner.text)} {called}"
            known = owner.party or owner is self.company
            if not known or kind in ("person", "organization"):
                called = f"{possessive(owner.name)} {called}"
        found = Mention(called, text, kind, proper, owner=owner, plural=plural)
        found.sure, found.guessed = not _is_theirs(head), kind is not None and told is None
        return found

    def _party_named(self, called: str) -> Mention | None:
        """The user, the speaker or the listener, if it is their name."""
        folded = called.casefold()
        if self.user is not None and folded in self.user.names:
            return party(self.user)
        for mention, said in (
            (self.speaker, self.speech.speaker),
            (self.listener, self.speech.listener),
        ):
            if mention is not None and said is not None and folded in said.names:
                return mention
        return None

    def _relative(self, kin: Relative) -> Mention | None:
        owner = self.mention(kin.owner_token) if kin.owner_token is not None else None
        if owner is None and kin.of_mine:
            owner = self.speaker
        if owner is None and (kin.owner_token is not None or not kin.called):
            return None
        if owner is None:
            return Mention(kin.called, kin.called, kin.kind, True, gender=kin.gender)
        key = (owner.key, kin.role)
        if not kin.called and key in self._roles and not kin.plural:
            return self._roles[key]
        mention = self._new_relative(kin, owner)
        self._roles[key] = mention
        kin.mention, kin.owner = mention, owner
        self.relatives.append(kin)
        return mention

    def owned_relative(self, head: Token, owner: Mention) -> Mention:
        """The relative in "I have a sister named Emma"."""
        kin = having(head)
        key = (owner.key, kin.role)
        mention = self._roles.get(key) if not kin.called else None
        if mention is None:
            mention = self._roles[key] = self._new_relative(kin, owner)
        self.settle(head, mention)
        return mention

    def settle(self, token: Token, mention: Mention | None) -> None:
        """Fix what a phrase refers to; None if to nothing that is known."""
        self._cache[token.i] = mention

    def _new_relative(self, kin: Relative, owner: Mention) -> Mention:
        qualified = f"{possessive(owner.name)} {kin.words}"
        called = kin.called or qualified
        alias = (qualified,) if kin.called and kin.role in ONLY_ONE else ()
        text = kin.called or f"{possessive(owner.text)} {kin.words}"
        return Mention(
            called,
            text,
            kin.kind,
            bool(kin.called),
            owner=owner,
            role=kin.role,
            gender=kin.gender,
            plural=kin.plural,
            aliases=alias,
        )


def _is_called(noun: Token) -> bool:
    """ "Mom fell": what a relative is called needs no article."""
    bare = child(noun, "det", "poss", "nummod") is None and noun.tag_ == "NN"
    return bare and noun.text.istitle() and noun.lemma_.lower() in KIN


def _is_the(noun: Token) -> bool:
    det = child(noun, "det")
    return det is not None and det.lower_ == "the"


def _is_theirs(noun: Token) -> bool:
    """Whether only a pronoun says whose it is: "their faces". A proper name needs no owner."""
    whose = child(noun, "poss") if noun.pos_ != "PROPN" else None
    return whose is not None and whose.lower_ in MALE | FEMALE | PLURAL | NEUTRAL


def _is_place(name: Token) -> bool:
    """Whether it is a place, which no "she" refers to: "Marta at Greenleaf", "a job in Bergen"."""
    return name.dep_ == "pobj" and name.head.lower_ in ("at", "in") and name.pos_ == "PROPN"


def _is_deed(verb: Token) -> bool:
    """Whether a verb names an activity: "playing chess", "to play chess"."""
    return verb.tag_ == "VBG" or verb.dep_ in ("xcomp", "pcomp", "csubj")


def _clause_verb(token: Token) -> int:
    """The verb of the clause that a word is in."""
    while token.head != token and not verbal(token):
        token = token.head
    return int(token.i)
