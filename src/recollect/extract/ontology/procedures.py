"""Rules that a user gives the agent: "When I ask for code, answer with code only"."""

from collections.abc import Iterator

import msgspec
import regex

from recollect.extract.brief import Brief
from recollect.extract.ontology import words
from recollect.extract.ontology.tables import DEFAULTS
from recollect.graph.found import Found, FoundEntity, FoundFact

_VERBS = frozenset(DEFAULTS.procedure.verbs)
_OPENINGS = "|".join(regex.escape(item) for item in DEFAULTS.procedure.openings)
_OPENING = regex.compile(rf"^(?:please[\s,]+)?(?:and\s+|so\s+)?(?:{_OPENINGS})\b", regex.IGNORECASE)
_CASE = regex.compile(r"^(?:when|whenever|if|every time|each time|before|after|for every)\b")
_POLITE = regex.compile(
    r"^(?:then|please|you should|you must|you need to|i want you to|i'd like you to|always|never|"
    r"only|just|make sure to|be sure to|from now on|in the future|going forward)[\s,]+"
)
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


def _rules(content: str) -> Iterator[tuple[str, str, tuple[int, int]]]:
    place = 0
    for sentence in words.sentences(content):
        place = content.index(sentence, place)
        rule = _rule(sentence)
        if rule is not None:
            yield sentence, rule, (place, place + len(sentence))
        place += len(sentence)


def _rule(sentence: str) -> str | None:
    """What the agent shall do, if the sentence tells the agent what to do in some case."""
    if words.is_question(sentence) or not _OPENING.match(sentence):
        return None
    parts = [sentence]
    if _CASE.match(sentence.lower().removeprefix("please ")):
        parts = regex.split(r",\s+", sentence, maxsplit=1)
        if len(parts) < 2 or not regex.search(
            r"\b(?:i|we|the user|someone|you)\b", parts[0].lower()
        ):
            return None
    rule = parts[-1].strip()
    bare = _politely(rule.lower().replace("\u2019", "'"))
    first = words.words(bare)[:1]
    return (
        rule.rstrip(".!") if first and first[0] in _VERBS and len(words.words(rule)) > 2 else None
    )


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
