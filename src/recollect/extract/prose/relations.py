"""What a verb relates its subject to, the name of that relation, and its entry in the table."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import regex

from recollect.extract.prose.nouns import core, is_time
from recollect.extract.prose.syntax import child, coordinated, verbal
from recollect.extract.prose.verbs import Aspect
from recollect.extract.prose.words import HOMES, gerund, listed, third
from recollect.graph.found import EntityKind
from recollect.graph.predicates import Predicates

if TYPE_CHECKING:
    from spacy.tokens import Token

    from recollect.extract.prose.mentions import Mention

_PLACING = frozenset({"at", "in", "with", "near"})
LINKING = frozenset({"be", "become", "get", "feel", "seem", "look", "stay", "remain", "turn", "go"})
_WORDS_MAX = 4
_PARTICLES = frozenset({"up", "out", "off", "away", "down", "over", "through"})
_DIRECTIONS = _PARTICLES | {"back", "together", "apart", "aside", "forward", "along"}
_NOT_WORD = regex.compile(r"[^A-Z0-9]+")
# The kinds of a relation's target; it is not meant where the target is plainly of another kind.
TARGETS: dict[str, tuple[EntityKind, ...]] = {
    "WORKS_AT": ("organization",),
    "STUDIES_AT": ("organization", "place"),
    "LIVES_IN": ("place",),
    "MOVED_FROM": ("place",),
    "BORN_IN": ("place",),
    "IS_FROM": ("place",),
    "VISITED": ("place", "event", "organization"),
    "TRAVELS_TO": ("place",),
    "MARRIED_TO": ("person",),
    "DATES": ("person",),
    "MEMBER_OF": ("organization",),
    "LOCATED_IN": ("place",),
    "KNOWS": ("person",),
    "WORKS_AS": ("topic",),
}
_PEOPLE_ONLY = frozenset({"MARRIED_TO", "DATES", "DIVORCED", "ENGAGED_TO"})
_LOSING = frozenset({"lose", "be", "get"})  # who is fired did not quit
_OUTER_HOLDS = frozenset(
    {"manage", "get", "happen", "help", "come", "go", "be", "end", "learn", "finish"}
)
_TURNS = {"now": "now", "nowadays": "now", "instead": "instead", "currently": "now"}
# The kinds of a relation's source; a building that "serves as" something has no job.
_SOURCES: dict[str, tuple[EntityKind, ...]] = {
    "WORKS_AS": ("person",),
    "WORKS_AT": ("person",),
    "STUDIES_AT": ("person",),
    "MARRIED_TO": ("person",),
    "ENGAGED_TO": ("person",),
    "DATES": ("person",),
    "DIVORCED": ("person",),
    "GRADUATED_FROM": ("person",),
    "LIVES_WITH": ("person", "animal"),
    "HAS_AGE": ("person", "animal"),
}
_LIVING = ("person", "animal")
_MEETING = listed("club team band choir group class office shop store company firm meeting standup")
_DWELLINGS = HOMES | listed(
    "city town village country county state suburb suburbs neighborhood neighbourhood area street"
    " countryside coast island district region cottage condo dorm farm studio building abroad"
    " bungalow loft townhouse houseboat"
)
# Verbs after which something is so: whoever bought a bike has it.
_CHANGES = listed(
    "move relocate settle marry wed join start begin become get buy purchase adopt acquire inherit hire"
    " employ promote appoint accept take land engage propose befriend bear raise grow come name call"
    " diagnose enroll enrol immigrate emigrate switch sign make fall find"
)
_LASTS_AFTER = _CHANGES | listed("work live study serve base")
_NO_PEOPLE = frozenset({"WORKS_AT", "LIVES_IN", "STUDIES_AT", "BORN_IN", "MOVED_FROM", "IS_FROM"})


@dataclass(frozen=True, slots=True)
class Argument:
    """An object, complement or prepositional phrase of a verb.

    *head* is the head of the other entity, if there is one; *lemmas* word the relation; *phrase* heads
    the whole phrase; *core*: it belongs to the verb and is no mere circumstance. *sure* is false if *lemmas*
    leave out the verb's object, or if the phrase may belong to another one before it.
    """

    head: Token | None
    lemmas: tuple[str, ...]
    phrase: Token | None = None
    core: bool = True
    label: str = ""
    sure: bool = True


def arguments(verb: Token, passive: bool) -> list[Argument]:
    """All arguments of the verb, the most informative first."""
    lemma = verb.lemma_.lower()
    particle = _particle(verb)
    base = (lemma, particle.lower_) if particle is not None else (lemma,)
    if passive:
        helper = child(verb, "auxpass")
        get = helper is not None and helper.lemma_ == "get"
        base = ("get" if get else "be", verb.lower_, *base[1:])
        thing = child(verb, "dobj", "oprd")
        given = [Argument(thing, base, thing, label="object")] if thing is not None else []
        return [*given, *_prepositions(verb, base), Argument(None, base)]
    complement = complement_of(verb)
    if complement is not None and lemma in LINKING:
        return [*_complement(verb, complement, base), *_prepositions(verb, base)]
    thing = child(verb, "dobj")
    if thing is not None:
        return _transitive(verb, thing, base)
    if lemma == "go" and (doing := _doing(verb)) is not None:
        return _going(verb, doing, base)
    return [*_prepositions(verb, base), Argument(None, base)]


def _particle(verb: Token) -> Token | None:
    """The "up" of "gave up" and the "back" of "rolled back", without which it is another verb."""
    after = verb.nbor(1) if verb.i + 1 < len(verb.doc) else None
    beside = after is not None and after.head == verb and after.dep_ == "advmod"
    moved = beside and verb.lemma_ != "be" and after is not None and after.lower_ in _DIRECTIONS
    return after if moved else child(verb, "prt")


def complement_of(verb: Token) -> Token | None:
    """The complement of "be": what something is.

    A noun after a prepositional phrase is only a guess by the parser, such as "requests" in "is on leave,
    route requests to Tom".
    """
    found = child(verb, "attr", "acomp", "oprd")
    if found is None or found.pos_ not in ("NOUN", "PROPN"):
        return found
    before = verb.doc[verb.i + 1 : max(found.i, verb.i + 1)]
    return None if any(item.dep_ == "prep" and item.head == verb for item in before) else found


def _doing(verb: Token) -> Token | None:
    return next(
        (item for item in verb.rights if item.dep_ in ("xcomp", "advcl") and item.tag_ == "VBG"),
        None,
    )


def _going(verb: Token, doing: Token, base: tuple[str, ...]) -> list[Argument]:
    words = (*base, doing.lower_)
    around = [*_prepositions(doing, words), *_prepositions(verb, words)]
    return [Argument(doing, base, doing, label="activity"), *around]


def _transitive(verb: Token, thing: Token, base: tuple[str, ...]) -> list[Argument]:
    found = [Argument(thing, base, thing, label="object")]
    noun = core(thing).lemma_.lower()
    for item in _prepositions(verb, base):
        words = (*base, noun, *item.lemmas[len(base) :])
        found.append(replace(item, sure=False))
        found.append(replace(item, lemmas=words, core=False))
    around = _prepositions(thing, (*base, noun))
    return found + [replace(item, core=False) for item in around]


def _complement(verb: Token, complement: Token, base: tuple[str, ...]) -> list[Argument]:
    noun = complement.pos_ in ("NOUN", "PROPN")
    word = complement.lemma_.lower() if noun else complement.lower_
    said = (*base, word)
    found = _prepositions(complement, said)
    if not noun:
        found += _prepositions(verb, said)
        infinitive = child(complement, "xcomp", "advcl")
        if infinitive is not None and _is_infinitive(infinitive) and not found:
            thing = child(infinitive, "dobj")
            words = (*said, "to", infinitive.lemma_.lower())
            found = [Argument(thing, words, thing)] if thing is not None else []
            found += _prepositions(infinitive, words)
        return [*found, Argument(None, _adjective(base, complement), complement, label="quality")]
    return [
        Argument(complement, base, complement, label="complement"),
        *(replace(item, core=False) for item in found),
    ]


def _is_infinitive(verb: Token) -> bool:
    return verbal(verb) and any(item.tag_ == "TO" for item in verb.children)


def _adjective(base: tuple[str, ...], complement: Token) -> tuple[str, ...]:
    before = [
        item.lower_ for item in complement.lefts if item.dep_ in ("npadvmod", "amod", "compound")
    ]
    return (*base, *before, complement.lower_)


def _prepositions(head: Token, base: tuple[str, ...]) -> list[Argument]:
    found: list[Argument] = []
    for item in head.rights:
        if item.dep_ not in ("prep", "agent", "dative"):
            continue
        words, inner = _object(item)
        if inner is None or is_time(inner) or (words == ("at",) and inner.like_num):
            continue  # "at 8"
        if head.lemma_ == "be" and item.i and item.nbor(-1).lower_ in _DIRECTIONS | {"there"}:
            words = (item.nbor(-1).lower_, *words)  # "is up for", "is out for"
        sure = _is_next(item)
        found.append(Argument(inner, (*base, *words), item, item.dep_ == "agent", sure=sure))
        found.extend(_nested(inner, base))
    # "from Okta to Entra ID": where it goes tells more than where it comes from.
    return sorted(found, key=lambda one: one.phrase is not None and one.phrase.lower_ == "from")


def _is_next(prep: Token) -> bool:
    """Whether no other phrase stands before it that it may belong to: "the lease for the flat *on* Elm Street"."""
    before = prep.nbor(-1) if prep.i else prep
    inside = before.dep_ in ("pobj", "appos", "conj") and before != prep.head
    left = before.head.lower_ == "from"  # "from Okta to Entra ID"
    return not inside or left or is_time(before)


def _nested(noun: Token, base: tuple[str, ...]) -> list[Argument]:
    """ "a nurse at General Hospital": the place belongs to the verb as well."""
    found: list[Argument] = []
    for item in noun.rights:
        inner = child(item, "pobj") if item.dep_ == "prep" and item.lower_ in _PLACING else None
        if inner is not None and not is_time(inner):
            found.append(Argument(inner, (*base, item.lower_), item, False))
    return found


def _object(prep: Token) -> tuple[tuple[str, ...], Token | None]:
    words = [prep.lower_]
    inner = child(prep, "pobj", "pcomp")
    if inner is None and (nested := child(prep, "prep")) is not None:
        words.append(nested.lower_)
        inner = child(nested, "pobj", "pcomp")
    return tuple(words), inner


def members(head: Token) -> list[Token]:
    """The items of a list, or the single thing."""
    inner = core(head)
    if head.dep_ == "pobj" and head.head.lower_ == "between":
        return [inner]
    found = [item for item in coordinated(inner) if item == inner or _is_member(item)]
    if inner != head:  # "20 mg of Lipitor and two tablets of aspirin"
        found += [core(item) for item in coordinated(head)[1:] if not _denied(item)]
    return found


def _is_member(item: Token) -> bool:
    return not _denied(item) and item.pos_ not in ("ADJ", "ADV")


def denied(head: Token) -> list[Token]:
    """What a list excludes: "Denver, not Boston"."""
    beside = [*coordinated(head)[1:], *(item for item in head.children if item.dep_ == "appos")]
    return [item for item in beside if _denied(item)]


def _denied(item: Token) -> bool:
    before = item.doc[item.left_edge.i - 1] if item.left_edge.i else None
    own = child(item, "neg") is not None
    return own or (before is not None and before.lower_ == "not")


def settles(source: Mention, target: Mention | None) -> bool:
    """Whether the one who moves lives there from then on.

    That is not so if a club moves to another room, a meeting to another day, or a person to another desk.
    """
    someone = source.party or source.proper or bool(source.role) or source.kind in _LIVING
    grouped = source.name.rpartition(" ")[2].casefold() in _MEETING
    if target is None or not someone or grouped:
        return False
    return target.proper or not _DWELLINGS.isdisjoint(target.name.casefold().split())


def fits(predicate: str, kind: EntityKind | None, anchored: bool) -> bool:
    """Whether an entity of this kind can be the source of the relation."""
    wanted = _SOURCES.get(predicate)
    return wanted is None or kind in wanted or (kind is None and anchored)


@dataclass(frozen=True, slots=True)
class RelationName:
    """*name* for clients, *predicate* for comparison."""

    name: str
    predicate: str


def screaming_snake(words: list[str]) -> str:
    """Words as a relation name, at most four."""
    joined = "_".join(words).upper().replace("'", "")
    parts = [part for part in _NOT_WORD.split(joined) if part]
    return "_".join(parts[: _WORDS_MAX + 1])


def relation(
    table: Predicates,
    lemmas: list[str],
    verb: Token,
    aspect: Aspect,
    kind: EntityKind | None,
    dated: bool = False,
) -> RelationName:
    """Name the relation that *lemmas* express ("work", "at"), given the aspect of the verb group."""
    intended = _intended(lemmas, aspect)
    if intended is not None:
        return intended
    known = None
    if not (aspect.negated or aspect.no_longer or aspect.tense == "past"):
        known = _changed(table, lemmas, verb, kind)
    known = known or _known(table, lemmas, kind)
    if known is not None and not table[known].event and _is_over(verb, aspect):
        known = None  # "had a dog", "loved the concert": no word on what is so now
    coming = aspect.progressive and aspect.tense == "present" and verb.lemma_.lower() in _CHANGES
    if known is not None and (coming or aspect.tense == "future") and not dated:
        entry = table[known]
        if entry.single or entry.ends or entry.replaces:
            known = None  # an undated plan changes nothing today
    predicate = known or screaming_snake(lemmas)
    return RelationName(_name(table, lemmas, verb, aspect, known), predicate)


def _is_over(verb: Token, aspect: Aspect) -> bool:
    """Whether a verb tells of a past state or habit, which the present tense would misstate."""
    past = aspect.tense == "past" and not (aspect.perfect or aspect.ended or aspect.no_longer)
    past = past and not aspect.passive  # a book that was written by somebody still is
    lasts = verb.lemma_.lower() in _LASTS_AFTER or verb.lemma_ == "be"
    return past and aspect.lead in ("", "other", "taste") and not lasts


def _intended(lemmas: list[str], aspect: Aspect) -> RelationName | None:
    """The relation for something wanted, tried or possible, which is not stated as true."""
    if aspect.ended or aspect.no_longer:
        return None
    if aspect.lead in ("wish", "plan"):
        if lemmas[0] == "wait":
            return RelationName("LOOKS_FORWARD_TO", "LOOKS_FORWARD_TO")
        predicate = "WANTS_TO" if aspect.lead == "wish" else "PLANS_TO"
        verb = "want" if aspect.lead == "wish" else "plan"
        return RelationName(
            f"DOES_NOT_{verb.upper()}_TO" if aspect.negated else predicate, predicate
        )
    outer = aspect.outer
    holds = outer in _OUTER_HOLDS or (outer == "have" and aspect.tense == "past")
    if aspect.lead == "other" and not holds:
        words = [outer, "to", *lemmas]
        said = ["does", "not", *words] if aspect.negated else [third(outer), *words[1:]]
        if aspect.made_to:  # "is allowed to drive", which is not to allow
            words = ["be", aspect.made_to, *words[1:]]
            said = ["is", "not", *words[1:]] if aspect.negated else ["is", *words[1:]]
        return RelationName(screaming_snake(said), screaming_snake(words))
    if aspect.able and not aspect.negated:
        return RelationName(screaming_snake(["can", *lemmas]), screaming_snake(["can", *lemmas]))
    return None


def _changed(
    table: Predicates, lemmas: list[str], verb: Token, kind: EntityKind | None
) -> str | None:
    """The relation for a change: "likes Puma shoes now"."""
    for item in verb.children:
        bare = item.dep_ in ("advmod", "npadvmod") and not list(item.children)  # no "right now"
        word = _TURNS.get(item.lower_) if bare else None
        if item.dep_ == "npadvmod" and item.lower_ == "days":
            word = "now" if any(part.lower_ == "these" for part in item.children) else None
        if item.dep_ == "prep" and item.lower_ == "from":
            word = "now" if any(part.lower_ == "now" for part in item.children) else None
        if word is not None and (known := _known(table, [*lemmas, word], kind)) is not None:
            return known
    return None


def _known(table: Predicates, lemmas: list[str], kind: EntityKind | None) -> str | None:
    known = table.of_phrase(" ".join(lemmas))
    if known is None:
        return None
    if known in _PEOPLE_ONLY and kind not in ("person", None):
        return None
    if known == "KNOWS" and kind != "person":
        return None
    if lemmas == ["be", "with"] and kind != "organization":
        return None  # "is out with a torn ligament"
    if known == "BREEDS" and kind not in ("animal", "person"):
        return None  # people also raise money
    if known == "LOCATED_IN" and kind not in ("place", "organization"):
        return None
    return None if known in _NO_PEOPLE and kind in ("person", "animal", "event", "topic") else known


def _name(
    table: Predicates, lemmas: list[str], verb: Token, aspect: Aspect, known: str | None
) -> str:
    first, rest = lemmas[0], lemmas[1:]
    if aspect.lead == "used":
        return screaming_snake(["used", "to", *lemmas])
    if aspect.lead == "stop":
        return screaming_snake(["stopped", gerund(first), *rest])
    if aspect.no_longer:
        return screaming_snake(["no", "longer", third(first), *rest])
    if aspect.negated:
        return screaming_snake([*_denial(first, aspect), *(rest if first == "be" else lemmas)])
    if known is not None and not (
        table[known].event and aspect.tense != "past" and not aspect.perfect
    ):
        if known == "HAS" and first == "get" and aspect.tense == "past" and not aspect.perfect:
            return "GOT"  # "got a nice view": not everything that one gets is kept
        return "LOST_JOB" if known == "QUIT" and first in _LOSING else known
    if aspect.lead == "start" and known is None:
        return screaming_snake(["started", gerund(first), *rest])
    name = screaming_snake([_said(first, verb, aspect), *rest])
    return name if name not in table or name == known else screaming_snake([third(first), *rest])


def _denial(first: str, aspect: Aspect) -> list[str]:
    if aspect.able:
        return ["cannot"]
    if first == "be":
        return ["was" if aspect.tense == "past" else "is", "not"]
    if aspect.tense == "future":
        return ["will", "not"]
    return ["did" if aspect.tense == "past" or aspect.perfect else "does", "not"]


def _said(first: str, verb: Token, aspect: Aspect) -> str:
    if first == "be" and verb.lemma_.lower() != "be":
        return "was" if aspect.tense == "past" else "is"
    if aspect.tense == "past" and verb.tag_ in ("VBD", "VBN") and verb.lemma_.lower() == first:
        return verb.lower_ if verb.lower_.isalpha() else third(first)
    return third(first)
