"""Rules that a user gives the agent: "When I ask for code, answer with code only"."""

from collections.abc import Iterator

import msgspec
import regex

from recollect.extract.brief import Brief
from recollect.extract.ontology import words
from recollect.extract.ontology.tables import DEFAULTS
from recollect.graph.found import Found, FoundEntity, FoundFact
from recollect.graph.types import Json

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


def add_procedures(found: Found, reading: Brief) -> Found:
    """What was found, with the rules for the agent that the user's message gives."""
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
        # What was read inside a rule is part of the rule; as a wish it goes, with its entities.
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


def parts(instruction: str) -> Json:
    """When a rule holds and what it asks for, under the names that a custom type may give them."""
    rule = _rule(instruction)
    if rule is None:
        return {}
    case = instruction[: instruction.index(rule)].strip(" ,:")
    told: Json = dict.fromkeys(
        DEFAULTS.procedure.rule_fields, instruction[len(case) :].strip(" ,:.")
    )
    return {**told, **dict.fromkeys(DEFAULTS.procedure.case_fields, case)} if case else told


def _rules(content: str) -> Iterator[tuple[str, str, tuple[int, int]]]:
    """Each rule in its own words, what it asks for, and where it stands. Sentences that go on with
    a further step ("Then write the code.") belong to the rule before them."""
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
    """Whether a sentence says what is to be done next."""
    return _STEP.match(sentence) is not None and _commands(sentence)


def _rule(sentence: str) -> str | None:
    """What the agent shall do, if the sentence tells the agent what to do in some case."""
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
    """Whether a clause begins with what the agent shall do."""
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
