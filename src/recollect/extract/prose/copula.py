"""Clauses with "be": names, relatives, occupations, ages, and what is one's favourite."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from recollect.extract.prose import nouns, salience
from recollect.extract.prose.drafts import FactDraft
from recollect.extract.prose.mentions import Mention, is_role
from recollect.extract.prose.relations import RelationName, complement_of, screaming_snake
from recollect.extract.prose.support import GENERAL
from recollect.extract.prose.syntax import child, coordinated
from recollect.extract.prose.words import (
    ATTRIBUTES,
    FEMALE,
    FIRST,
    HOMES,
    IDENTITY,
    MALE,
    NEUTRAL,
    PETS,
    SAME_KIN,
    possessive,
)
from recollect.graph import names

if TYPE_CHECKING:
    from spacy.tokens import Token

    from recollect.extract.prose.frames import Framer

_NAMES = frozenset({"name", "surname", "nickname"})
_BESIDE = frozenset({"by", "of", "in", "for", "from", "at"})
_PLACED = frozenset({"at", "with", "for"})


class CopulaReader:
    """Reads what something is. Each method returns whether it handled the clause."""

    def __init__(self, framer: Framer) -> None:
        self._framer = framer

    def fill(self, draft: FactDraft) -> bool:
        """Add the facts of a clause with "be" or "have"; False leaves it to the general rules."""
        verb = draft.clause.verb
        lemma = verb.lemma_.lower()
        if lemma in ("have", "get", "adopt") and self._has_relative(draft, verb):
            return True
        if lemma in ("name", "call") and self._names(draft, verb):
            return True
        if len(draft.clause.verbs) > 1 and self._aim(draft):
            return True
        if lemma not in ("be", "become") or len(draft.clause.verbs) > 1:
            return False
        complement = complement_of(verb)
        if complement is None:
            self._home(draft)
            return False
        if self._age(draft, complement) or self._kin(draft, complement):
            return True
        if self._name(draft, complement) or self._attribute(draft, complement):
            return True
        return self._what(draft, complement)

    def _home(self, draft: FactDraft) -> None:
        """ "Our new flat is in Leeds": that is where they live from then on."""
        token = draft.clause.subjects[0] if draft.clause.subjects else None
        owner, found = draft.source.owner, draft.aspect
        if token is None or owner is None or not owner.party or owner.kind != "person":
            return
        before = [item.lower_ for item in token.lefts if item.dep_ in ("amod", "compound")]
        if token.lemma_.lower() not in HOMES or before != ["new"]:
            return
        if found.tense != "present" or found.perfect or found.negated or found.able:
            return
        prep = next((item for item in draft.clause.verb.rights if item.lower_ == "in"), None)
        inner = child(prep, "pobj") if prep is not None else None
        place = self._framer.scene.mention(inner) if inner is not None else None
        if place is not None and place.proper and place.kind == "place":
            self._write(replace(draft, source=owner), place, "LIVES_IN")

    def _age(self, draft: FactDraft, complement: Token) -> bool:
        number = complement if complement.pos_ == "NUM" else None
        if complement.lower_ == "old":
            years = child(complement, "npadvmod")
            number = child(years, "nummod") if years is not None else None
        age = int(number.text) if number is not None and number.text.isdigit() else 0
        if draft.source.kind not in ("person", "animal", None) or not 0 < age < 120:
            return False
        thing = draft.source.owner is not None and not draft.source.role
        if thing or not draft.source.anchored:
            return False  # "the target is 20"
        if child(draft.clause.verb, "mark") is not None:
            return True  # "since I was 17" is a time, no age
        value = Mention(str(age), str(age), "value", True)
        return self._write(draft, value, "HAS_AGE")

    def _kin(self, draft: FactDraft, complement: Token) -> bool:
        """ "Emma is my sister"; "my sister is Emma"."""
        if is_role(complement) and draft.source.proper:
            owner_token = child(complement, "poss")
            owner = self._framer.scene.mention(owner_token) if owner_token is not None else None
            if owner is None or owner.key == draft.source.key:
                return False
            person, draft.source = draft.source, owner
            person.kind = person.kind or "person"
            self._framer.scene.settle(complement, person)
            return self._write(draft, person, role_name(complement))
        return False

    def _name(self, draft: FactDraft, complement: Token) -> bool:
        token = draft.clause.subjects[0] if draft.clause.subjects else None
        if token is None or not complement.text[:1].isupper():
            return False
        owner_token = child(token, "poss")
        if token.lemma_.lower() in _NAMES and owner_token is not None:
            owner = self._framer.scene.mention(owner_token)
            if owner is not None and owner.party and owner_token.lower_ in MALE | FEMALE | NEUTRAL:
                return True  # never rename a speaker after a pronoun
            return owner is not None and self._called(draft, owner, nouns.name(complement))
        if token.lower_ in FIRST and complement.ent_type_ == "PERSON":
            return self._called(draft, draft.source, nouns.name(complement))
        if draft.source.role and not draft.source.proper and complement.pos_ == "PROPN":
            return self._called(draft, draft.source, nouns.name(complement))
        return False

    def _called(self, draft: FactDraft, who: Mention, name: str) -> bool:
        """Someone gets a name: a known party an alias, a relative a name."""
        if who.party:
            who.aliases = tuple(dict.fromkeys((*who.aliases, name)))
            draft.source = who
            if names.extends(who.name, name):
                self._framer.findings.entity(who)
                return True  # "Ada Berg is Ada" says nothing
            value = Mention(name, name, "value", True)
            return self._write(
                draft, who if name.casefold() in who.name.casefold() else value, "HAS_NAME"
            )
        if not who.role or who.owner is None:
            return False
        old = who.name
        who.aliases = (*who.aliases, old)
        who.name = who.text = name
        who.proper = True
        draft.source = who.owner
        text = f"{name} is {possessive(who.owner.text)} {who.role}"
        return self._framer.emit(draft, who, _has(who.role), text)

    def _aim(self, draft: FactDraft) -> bool:
        """ "my goal is to give kids a home"."""
        source, finite = draft.source, draft.clause.finite
        token = draft.clause.subjects[0] if draft.clause.subjects else None
        if finite.lemma_ != "be" or token is None or source.owner is None or source.role:
            return False
        if token.lemma_.lower() not in ATTRIBUTES:
            return False
        draft.source = source.owner
        words = [word.lower_ for word in nouns.words(token)]
        done = nouns.activity(draft.clause.verb)
        target = Mention(done, done, "topic") if done else source.owner
        return self._write(draft, target, screaming_snake(["has", *words]))

    def _names(self, draft: FactDraft, verb: Token) -> bool:
        """ "I named her Tilly"."""
        whom, given = child(verb, "dobj", "nsubjpass"), child(verb, "oprd", "attr")
        if whom is None or given is None:
            inner = child(verb, "ccomp")
            whom, given = (child(inner, "nsubj"), inner) if inner is not None else (None, None)
        who = self._framer.scene.mention(whom) if whom is not None else None
        if who is None or given is None or not given.text[:1].isupper() or who.party:
            return False
        if whom is not None and whom.pos_ == "PRON" and who.proper:
            self._framer.scene.settle(whom, None)  # who has a name already is not meant
            return True
        return self._called(draft, who, nouns.name(given))

    def _attribute(self, draft: FactDraft, complement: Token) -> bool:
        """ "my favourite colour is blue": the owner has it."""
        source = draft.source
        token = draft.clause.subjects[0] if draft.clause.subjects else None
        if source.owner is None or source.role or token is None or source.proper:
            return False
        if token.pos_ != "NOUN" or salience.empty_noun(complement) or _is_praise(complement):
            return False
        favourite = [
            item.lower_ for item in token.lefts if item.lower_ in ("favorite", "favourite")
        ]
        if token.lemma_.lower() not in ATTRIBUTES and not favourite and not _is_value(complement):
            return False
        words = [*favourite, *(word.lower_ for word in nouns.words(token))]
        name = screaming_snake(["has", *words]).replace("FAVOURITE", "FAVORITE")
        draft.source = source.owner
        done = False
        for item in [complement, *(c for c in complement.children if c.dep_ == "conj")]:
            value = self._value(item)
            if value is None:
                continue
            if nouns.EMAIL.fullmatch(value.name):
                self._own_alias(draft.source, value.name)
            done |= self._write(draft, value, name, item if done else None)
        return done or self._write(draft, draft.source, name)

    def _value(self, item: Token) -> Mention | None:
        whole = item.doc.text[item.left_edge.idx : item.right_edge.idx + len(item.right_edge)]
        given = nouns.VALUE.fullmatch(whole.strip(" .,!")) or nouns.VALUE.fullmatch(item.text)
        if given is not None:
            return Mention(given.group(), given.group(), "value", True)
        found = self._framer.scene.mention(item) if item.pos_ in ("NOUN", "PROPN") else None
        if found is None and item.pos_ in ("ADJ", "NOUN", "NUM", "X"):
            found = Mention(item.text, item.text, "value")
        return found

    def _own_alias(self, owner: Mention, value: str) -> None:
        owner.aliases = tuple(dict.fromkeys((*owner.aliases, value)))

    def _what(self, draft: FactDraft, complement: Token) -> bool:
        """ "Jane is a senior engineer at Acme"; "Emily is vegetarian"."""
        scene = self._framer.scene
        word = complement.lower_
        if word in IDENTITY and complement.pos_ in ("ADJ", "NOUN", "VERB"):
            return self._quality(draft, complement)
        if complement.pos_ not in ("NOUN", "PROPN"):
            return False
        if self._known_noun(draft, complement) or self._favourite(draft, complement):
            return True
        if scene.spoken and (salience.empty_noun(complement) or _is_praise(complement)):
            return not draft.source.party or _is_praise(complement)
        target = scene.mention(complement)
        if target is None or target.key == draft.source.key:
            return False
        if target.proper and names.extends(draft.source.name, target.name):
            return True  # "Ada Berg is Ada"
        if target.owner is not None and not target.role and target.owner.key != draft.source.key:
            thing, draft.source = draft.source, target.owner
            words = [word.lower_ for word in nouns.words(complement)]
            return self._write(draft, thing, screaming_snake(["has", *words[-3:]]))
        person = draft.source.kind == "person" or (
            draft.source.kind is None and draft.source.anchored
        )
        job = nouns.is_job(complement) and person
        name = "WORKS_AS" if job else "IS_A" if complement.pos_ == "NOUN" else "IS"
        if name == "IS_A" and not _is_one_of_its_kind(complement):
            name = GENERAL
        if job:
            target = Mention(target.name, target.text, "topic")
            draft.source.kind = draft.source.kind or "person"
        whole = self._named_beside(draft, complement, job)
        wrote = whole or self._write(draft, target, name)
        self._workplace(draft, complement, job)
        return wrote

    def _named_beside(self, draft: FactDraft, complement: Token, job: bool) -> bool:
        """ "an album by Jeff Healey": also a fact about the name; True if it is the whole fact."""
        whole = False
        for prep in complement.rights:
            inner = child(prep, "pobj") if prep.dep_ in ("prep", "agent") else None
            if inner is None or inner.pos_ != "PROPN" or prep.lower_ not in _BESIDE:
                continue
            if nouns.is_time(inner) or (job and prep.lower_ in _PLACED):
                continue
            target = self._framer.scene.mention(inner)
            if target is None or not target.proper or target.key == draft.source.key:
                continue
            named = screaming_snake(["is", complement.lemma_.lower(), prep.lower_])
            if job and target.kind == "organization":
                named = "WORKS_AT"  # "the CEO of Acme"
            done = self._write(draft, target, named)
            whole |= done and prep.lower_ == "of" and not job
        return whole

    def _favourite(self, draft: FactDraft, complement: Token) -> bool:
        """ "seeing it grow was my favourite part": the owner has it."""
        whose = child(complement, "poss")
        liked = any(item.lower_ in ("favorite", "favourite") for item in complement.lefts)
        owner = self._framer.scene.mention(whose) if whose is not None and liked else None
        if owner is None or owner.key == draft.source.key:
            return False
        thing, draft.source = draft.source, owner
        return self._write(
            draft, thing, screaming_snake(["has", "favorite", complement.lemma_.lower()])
        )

    def _known_noun(self, draft: FactDraft, complement: Token) -> bool:
        """ "is a fan of X", "is a member of Y": a relation of the table."""
        for prep in complement.rights:
            inner = child(prep, "pobj") if prep.dep_ == "prep" else None
            if inner is None:
                continue
            lemmas = ("be", complement.lemma_.lower(), prep.lower_)
            if self._framer.table.of_phrase(" ".join(lemmas)) is None:
                continue
            target = self._framer.scene.mention(inner)
            text = draft.writer.sentence(draft.clause, draft.subject, singular=draft.singular)
            if target is not None and text is not None:
                link = self._framer.relation(lemmas, draft, target)
                return self._framer.emit(draft, target, link, text)
        return False

    def _workplace(self, draft: FactDraft, complement: Token, job: bool) -> None:
        student = complement.lemma_.lower() == "student"
        if not job and not student:
            return
        preps = (*complement.rights, *draft.clause.verb.rights)
        for prep in preps:
            inner = child(prep, "pobj") if prep.dep_ == "prep" else None
            if inner is None or prep.lower_ not in _PLACED or nouns.is_time(inner):
                continue
            place = self._framer.scene.mention(inner)
            if place is not None and (place.proper or place.kind == "organization"):
                self._write(draft, place, "STUDIES_AT" if student else "WORKS_AT")
                return

    def _quality(self, draft: FactDraft, complement: Token) -> bool:
        prep = next((item for item in complement.children if item.dep_ == "prep"), None)
        if prep is not None and not nouns.is_time(child(prep, "pobj") or prep):
            return False
        before = [i.lower_ for i in complement.lefts if i.dep_ in ("amod", "npadvmod", "compound")]
        called = " ".join([*before, complement.lower_])
        link = self._framer.relation(("be", *before, complement.lower_), draft, None)
        text = draft.writer.sentence(draft.clause, draft.subject, singular=draft.singular)
        topic = Mention(called, called, "topic")
        return text is not None and self._framer.emit(draft, topic, link, text)

    def _has_relative(self, draft: FactDraft, verb: Token) -> bool:
        """ "I have a sister named Emma", "she has two dogs"."""
        first = child(verb, "dobj")
        things = coordinated(first) if first is not None else []
        if not all(map(is_role, things)) or not things or draft.aspect.negated or draft.aspect.lead:
            return False
        past = draft.aspect.tense == "past" and not draft.aspect.perfect
        if past and verb.lemma_ != "have" and _is_pet(things) and draft.source.kind == "person":
            self._framer.scene.owned_relative(things[0], draft.source)  # the general rules go on
            return False
        if past or any(child(thing, "poss") is not None for thing in things):
            return False
        for thing in things:
            mention = self._framer.scene.owned_relative(thing, draft.source)
            self._write(draft, mention, role_name(thing), thing if len(things) > 1 else None)
        return True

    def _write(
        self, draft: FactDraft, target: Mention, name: str, chosen: Token | None = None
    ) -> bool:
        text = draft.writer.sentence(draft.clause, draft.subject, chosen, singular=draft.singular)
        if text is None:
            return False
        link = RelationName(name, name)
        if draft.aspect.negated:
            link = _denied(name, draft)
        self._framer.scene.see(target)
        return self._framer.emit(draft, target, link, text)


def _is_pet(things: list[Token]) -> bool:
    return len(things) == 1 and things[0].lemma_.lower() in PETS and things[0].tag_ == "NN"


def _denied(name: str, draft: FactDraft) -> RelationName:
    """A denied "is": IS_NOT_A, WAS_NOT_A."""
    was = "WAS" if draft.aspect.tense == "past" else "IS"
    if name.startswith("IS"):
        return RelationName(f"{was}_NOT{name[2:]}", name)
    if name == "WORKS_AS":
        return RelationName(f"{was}_NOT_A", name)
    return RelationName(f"NOT_{name}", name)


def role_name(noun: Token) -> str:
    """The relation from the owner to a relative: HAS_SISTER."""
    lemma = noun.lemma_.lower()
    return screaming_snake(["has", SAME_KIN.get(lemma, lemma)])


def _has(role: str) -> RelationName:
    name = screaming_snake(["has", role])
    return RelationName(name, name)


def _is_one_of_its_kind(noun: Token) -> bool:
    """Whether a noun can be counted, and so names a kind: not "is game for it", nor "is fun"."""
    return noun.tag_ == "NNS" or child(noun, "det", "poss", "nummod") is not None


def _is_value(token: Token) -> bool:
    return nouns.VALUE.fullmatch(token.text) is not None or token.text[:1].isdigit()


def _is_praise(noun: Token) -> bool:
    """ "a great listener": a judgement, not a description."""
    if nouns.is_job(noun) or child(noun, "poss") is not None:
        return False
    return any(item.dep_ == "amod" and salience.empty_quality(item) for item in noun.lefts)
