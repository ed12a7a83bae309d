"""The default types of a user's graph: the user, preferences, places, rules for the agent."""

from collections.abc import Iterator, Sequence

import msgspec
import numpy as np
import regex

from recollect.extract.brief import Brief
from recollect.extract.ontology import words
from recollect.extract.ontology.shapes import Space
from recollect.extract.ontology.tables import DEFAULTS
from recollect.graph.found import Found, FoundEntity, FoundFact
from recollect.graph.types import Json

_TYPES = DEFAULTS.entity
_FAN_STEMS = frozenset(words.stem(word) for word in DEFAULTS.preference.fan_words)
_CATEGORIES = words.Runs(
    (word, category) for category, said in DEFAULTS.preference.categories.items() for word in said
)
_OTHER_CATEGORY = "General"
# Calibrated on names that the tests do not use: the least similarity of a name to a category (half from
# its nearest words, half from its description), and the lead over the next category.
_NEAREST_WORDS = 3
_LIKENESS_LEAST = 0.25
_AHEAD_OF_OTHERS = 0.02
_PHRASES = {
    name: [words.stems(item) for item in edge.phrases] for name, edge in DEFAULTS.edge.items()
}
_VERBS = frozenset(DEFAULTS.procedure.verbs)
_OPENINGS = "|".join(regex.escape(item) for item in DEFAULTS.procedure.openings)
_OPENING = regex.compile(rf"^(?:please[\s,]+)?(?:and\s+|so\s+)?(?:{_OPENINGS})\b", regex.IGNORECASE)
_CASE = regex.compile(r"^(?:when|whenever|if|every time|each time|before|after|for every)\b")
_STEPS = "first of all|first|firstly|second|secondly|third|then|next|after that|afterwards|finally|lastly"
_POLITE = regex.compile(
    r"^(?:please|you should|you must|you need to|i want you to|i'd like you to|always|never|"
    rf"only|just|make sure to|be sure to|from now on|in the future|going forward|also|{_STEPS})[\s,:]+"
)
_STEP = regex.compile(rf"^(?:and\s+)?(?:{_STEPS})\b[\s,:]+", regex.IGNORECASE)
_NAME_CHARS_MAX = 80


def type_of(number: int, found: Found) -> str | None:
    """The default type of an entity, if any: a person has none."""
    entity = found.entities[number]
    if entity.who is not None:
        return entity.who.capitalize()
    if preferring(number, found) is not None:
        return "Preference"
    for name, item in _TYPES.items():
        if entity.kind is not None and entity.kind in item.kinds:
            return name
    return None


def preferring(number: int, found: Found) -> FoundFact | None:
    """The fact that makes an entity a preference of the user, if there is one."""
    entity, rule = found.entities[number], _TYPES["Preference"]
    for fact in found.facts:
        if fact.target != number or found.entities[fact.source].who != "user" or fact.ends:
            continue
        relations = {fact.predicate.upper(), fact.name.upper()}
        fan = bool(_FAN_STEMS & set(words.stems(fact.fact)))
        if not fan and entity.kind in rule.not_kinds:
            continue
        if fan or any(relation in rule.relations for relation in relations):
            return fact
    return None


def attributes_of(label: str, number: int, found: Found, reading: Brief, space: Space) -> Json:
    """The attributes of an entity of a default type."""
    entity = found.entities[number]
    if label == "User":
        return _of_user(entity, reading)
    if label == "Assistant":
        return {"assistant_name": entity.name}
    fact = preferring(number, found) if label == "Preference" else None
    if fact is None:
        return {}
    return {"category": _category(entity, fact, reading, space), "description": fact.fact}


def _category(entity: FoundEntity, fact: FoundFact, reading: Brief, space: Space) -> str:
    """The category of a preference: by its words, by those around it, or by similarity."""
    around = reading.content if fact.span is None else reading.content[slice(*fact.span)]
    told = category_of(entity.name) or category_of(fact.fact) or category_of(around)
    return told or category_like(entity.name, space) or _OTHER_CATEGORY


def _of_user(entity: FoundEntity, reading: Brief) -> Json:
    user = reading.user
    if user is None:
        return {}
    told = {
        "user_id": user.user_id,
        "role_type": "user",
        "email": user.email,
        "first_name": user.first_name,
        "last_name": user.last_name,
    }
    return {key: value for key, value in told.items() if value}


def category_of(text: str) -> str | None:
    """The category whose words occur in a text, if it is only one."""
    told = set(_CATEGORIES.within(words.stems(text)))
    return told.pop() if len(told) == 1 else None


def category_like(name: str, space: Space) -> str | None:
    """The category most similar to a name, if clearly ahead of the others."""
    vector = space.thing(name)
    rules = DEFAULTS.preference
    likeness = []
    for category, said in rules.categories.items():
        near = np.sort([float(space.thing(word) @ vector) for word in said])[-_NEAREST_WORDS:]
        about = float(space.thing(rules.about[category]) @ vector)
        likeness.append(((about + float(near.mean())) / 2, category))
    (best, category), (second, _) = sorted(likeness, reverse=True)[:2]
    return category if best >= _LIKENESS_LEAST and best - second >= _AHEAD_OF_OTHERS else None


def edge_type_of(fact: FoundFact, labels: Sequence[str | None]) -> str | None:
    """The default type of a fact, if any: most have none."""
    if fact.source == fact.target:
        return None
    relation = words.stems(fact.predicate.replace("_", " "))
    for name, item in DEFAULTS.edge.items():
        said = name in (fact.name, fact.predicate) or _says(relation, _PHRASES[name])
        sides = ((item.source, labels[fact.source]), (item.target, labels[fact.target]))
        if said and all(wanted is None or wanted == label for wanted, label in sides):
            return name
    return None


def _says(relation: Sequence[str], phrases: Sequence[Sequence[str]]) -> bool:
    """Whether a relation is one of the phrases, or begins with one other than "be"."""
    return any(
        relation == phrase or (phrase[0] != "be" and relation[: len(phrase)] == phrase)
        for phrase in phrases
    )


def add_procedures(found: Found, reading: Brief) -> Found:
    """The findings plus the rules for the agent in the user's message.

    A rule is, for example, "When I ask for code, answer with code only".
    """
    if reading.kind != "message" or reading.role not in (None, "user", "norole"):
        return found
    user = next((place for place, item in enumerate(found.entities) if item.who == "user"), None)
    entities, facts = list(found.entities), list(found.facts)
    for sentence, rule, span in _rules(reading.content):
        if user is None:
            if reading.user is None:
                return found
            user = len(entities)
            entities.append(FoundEntity(name=reading.user.name, kind="person", who="user"))
        # What was read inside a rule is part of the rule; marked as a request it is dropped later.
        facts = [
            msgspec.structs.replace(fact, mood="requested") if _inside(fact, span) else fact
            for fact in facts
        ]
        entities.append(
            FoundEntity(name=_short(rule), label="Procedure", attributes={"instruction": sentence})
        )
        facts.append(
            FoundFact(
                source=user,
                target=len(entities) - 1,
                name="HAS_PROCEDURE",
                predicate="HAS_PROCEDURE",
                fact=f"{entities[user].name} instructed the assistant: {sentence}",
                valid_at=reading.at,
                span=span,
            )
        )
    return msgspec.structs.replace(found, entities=tuple(entities), facts=tuple(facts))


def procedure_parts(instruction: str) -> Json:
    """The condition and the instruction of a rule, under the field names a custom type may use."""
    rule = _rule(instruction)
    if rule is None:
        return {}
    case = instruction[: instruction.index(rule)].strip(" ,:")
    told: Json = dict.fromkeys(
        DEFAULTS.procedure.rule_fields, instruction[len(case) :].strip(" ,:.")
    )
    return {**told, **dict.fromkeys(DEFAULTS.procedure.case_fields, case)} if case else told


def _rules(content: str) -> Iterator[tuple[str, str, tuple[int, int]]]:
    """The text, instruction and span of each rule.

    Sentences that add a step ("Then write the code.") belong to the rule before them.
    """
    begun: tuple[int, int, str] | None = None
    place = 0
    for sentence in words.sentences(content):
        place = content.index(sentence, place)
        end = place + len(sentence)
        rule = _rule(sentence)
        if rule is None and begun is not None and _is_step(sentence):
            begun = (begun[0], end, f"{begun[2]}. {sentence.rstrip('.!')}")
        else:
            if begun is not None:
                yield content[begun[0] : begun[1]], begun[2], begun[:2]
            begun = (place, end, rule) if rule is not None else None
        place = end
    if begun is not None:
        yield content[begun[0] : begun[1]], begun[2], begun[:2]


def _is_step(sentence: str) -> bool:
    """Whether a sentence adds a step."""
    return _STEP.match(sentence) is not None and _commands(sentence)


def _rule(sentence: str) -> str | None:
    """The instruction to the agent if the sentence is a rule, else None."""
    if words.is_question(sentence) or not _OPENING.match(sentence):
        return None
    parts = [sentence]
    if _CASE.match(sentence.lower().removeprefix("please ")):
        parts = regex.split(r"[,:]\s+", sentence, maxsplit=1)
        if len(parts) < 2 or not regex.search(
            r"\b(?:i|we|the user|someone|you)\b", parts[0].lower()
        ):
            return None
    rule = parts[-1].strip()
    return rule.rstrip(".!") if _commands(rule) and len(words.words(rule)) > 2 else None


def _commands(text: str) -> bool:
    """Whether a clause begins with a command."""
    first = words.words(_politely(text.lower().replace("\u2019", "'")))[:1]
    return bool(first) and first[0] in _VERBS


def _politely(text: str) -> str:
    while (shorter := _POLITE.sub("", text, count=1)) != text:
        text = shorter
    return text


def _inside(fact: FoundFact, span: tuple[int, int]) -> bool:
    return fact.span is not None and span[0] <= fact.span[0] and fact.span[1] <= span[1] + 1


def _short(text: str) -> str:
    if len(text) <= _NAME_CHARS_MAX:
        return text
    return text[:_NAME_CHARS_MAX].rsplit(" ", 1)[0] + "…"
