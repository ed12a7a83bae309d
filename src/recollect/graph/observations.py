"""Patterns over the facts of one entity, each summed up in a sentence with counts and dates.

There are four kinds: *repeats*, the same thing on several days; *gathers*, one relation to several
things; *changes*, a single-valued relation that had several values; *topics*, several things said
about one topic on several days. A topic is a theme, recognized by its words, or a person or thing,
recognized by its name. A pattern ends when all its facts have ended.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Literal

from recollect.graph import gist
from recollect.graph.summary import clause, day, listing, span
from recollect.graph.types import Record
from recollect.limits import OBSERVATION_NAMES_MAX, OBSERVATION_OPEN_FACTS_MAX

# Words of themes that recur in people's lives. Mostly words with one meaning only, so not "book" or
# "application".
_THEME_WORDS = {
    "running": "run ran running runner jog jogging marathon treadmill parkrun",
    "cycling": "bike bicycle cycling cyclist biking",
    "swimming": "swim swam swimming swimmer",
    "the gym": "gym workout weightlifting deadlift crossfit",
    "yoga": "yoga pilates meditation meditate meditated",
    "hiking": "hike hiking trek trekking",
    "coffee": "coffee espresso latte cappuccino caffeine decaf",
    "tea": "tea matcha chai",
    "alcohol": "alcohol beer wine whisky whiskey cocktail hangover",
    "smoking": "smoking cigarette vape vaping nicotine",
    "food and diet": "diet calorie vegetarian vegan gluten keto",
    "cooking": "cook cooking bake baking recipe",
    "sleep": "sleep slept asleep insomnia nap bedtime",
    "pain": "pain ache hurt sore injury injured injure",
    "headaches": "headache migraine",
    "the boss": "boss supervisor",
    "stress": "stress stressed burnout overwhelmed anxious anxiety",
    "money": "money budget debt savings mortgage loan",
    "reading": "novel audiobook",
    "music": "music concert album guitar piano",
    "films and series": "movie cinema",
    "games": "videogame gaming chess",
    "the garden": "garden gardening tomato seedling",
    "travel": "trip travel flight vacation holiday airport",
    "learning a language": "duolingo vocabulary",
    "the house": "renovation landlord kitchen bathroom",
    "exams and study": "exam homework lecture thesis",
    "job hunting": "recruiter",
}
_THEME_OF = {
    gist.stem(word): theme for theme, said in _THEME_WORDS.items() for word in said.split()
}
# Words too general to be a topic.
_GENERAL_WORDS = frozenset(
    gist.stem(word)
    for word in gist.listed(
        """
    afternoon answer bit bunch day evening everyone everything fact front help home hour idea issue
    kind life line lot minute moment month morning name night number one part people person place
    plan point problem question reason side someone something stuff thing time today tomorrow tonight
    top type way week weekend work year yesterday
        """
    )
)
_NAME_CHARS_MIN = 3


def themes(text: str) -> frozenset[str]:
    """The themes whose words occur in a sentence."""
    return frozenset(_THEME_OF[word] for word in gist.words(text) if word in _THEME_OF)


def name_words(names: Iterable[str], owner: str) -> tuple[frozenset[str], ...]:
    """For each name, the words that a sentence about it contains; uninformative names are omitted.

    What belongs to the *owner* is mentioned without the owner's name.
    """
    others = gist.words(owner)
    found = dict.fromkeys(gist.words(name) - others for name in names)
    return tuple(words for words in found if _is_telling(words))


def _is_telling(words: frozenset[str]) -> bool:
    """Whether the words name something specific enough to recur, and not already a theme."""
    telling = {word for word in words if len(word) >= _NAME_CHARS_MIN and word.isalpha()}
    return bool(telling - _GENERAL_WORDS) and not any(word in _THEME_OF for word in words)


def names_it(text: str, called: Iterable[frozenset[str]]) -> bool:
    """Whether a sentence contains one of the names."""
    said = gist.words(text)
    return any(words <= said for words in called)


def spoken(name: str) -> str:
    """A name as used in a sentence: "Biscuit", "the knee", "running shoes"."""
    single = name.islower() and not name.endswith(("s", "ing"))
    return f"the {name}" if single else name


PatternKind = Literal["repeats", "gathers", "changes", "topics"]
# How many days, things or values make a pattern.
LEAST: dict[PatternKind, int] = {"repeats": 3, "gathers": 3, "changes": 2, "topics": 3}
GENERIC = "generic"  # the type of an observation when no other fits
_CHANGES_SHOWN_MAX = 4
_BETWEEN_SHOWN_MAX = 2  # of what was said on a topic between the first and the last time
_STATES = gist.listed(
    """
    afraid allergic born diagnosed engaged from grateful interested located married member named
    part proud related worried written
    """
)


class FactEvidence(Record):
    """A fact as patterns see it.

    *said_at* are the times of the episodes that state or restate it; *value* distinguishes its object
    from others.
    """

    number: int
    fact: str
    value: str
    object_name: str
    valid_at: datetime | None = None
    invalid_at: datetime | None = None
    said_at: tuple[datetime, ...] = ()

    @property
    def since(self) -> datetime | None:
        """When it began to hold, or else when it was first said."""
        return self.valid_at or min(self.said_at, default=None)

    @property
    def seen(self) -> datetime | None:
        """The latest time that supports it."""
        return max((*self.said_at, *((self.valid_at,) if self.valid_at else ())), default=None)


class ObservedPattern(Record):
    """A pattern, and the facts it is based on."""

    name: str
    summary: str
    facts: tuple[int, ...]
    start_at: datetime | None
    latest_evidence_at: datetime | None
    end_at: datetime | None


def pattern(
    kind: PatternKind,
    who: str,
    relation: str,
    facts: Sequence[FactEvidence],
    least: int | None = None,
) -> ObservedPattern | None:
    """The pattern of this kind in *facts*, or None.

    *facts* are all of one entity, called *who*, and of one relation or topic. There must be at
    least *least* values.
    """
    needed = LEAST[kind] if least is None else least
    ordered = sorted(facts, key=lambda fact: fact.number)
    if kind == "repeats":
        return _repeats(ordered, needed)
    if kind == "gathers":
        return _gathers(who, relation, ordered, needed)
    if kind == "topics":
        return _topics(who, relation, ordered, needed)
    return _changes(who, relation, ordered, needed)


def label(text: str, types: Sequence[tuple[str, str]]) -> str:
    """The type whose name and description share the most words with a text; `generic` if none does."""
    heard = gist.words(text)
    shared = [
        len(heard & gist.words(f"{name.replace('_', ' ')} {description}"))
        for name, description in types
    ]
    best = max(shared, default=0)
    return types[shared.index(best)][0] if best else GENERIC


def _repeats(facts: Sequence[FactEvidence], needed: int) -> ObservedPattern | None:
    days = sorted({moment.date(): moment for fact in facts for moment in _days(fact)}.values())
    if len(days) < needed or not days:
        return None
    held = [fact for fact in facts if fact.invalid_at is None]
    newest = clause((held or facts)[-1].fact)
    count = "1 day" if len(days) == 1 else f"{len(days)} days"
    summary = f"Came up on {count}, {span(days[0], days[-1])}: {newest}."
    return _made(f"Repeatedly: {newest}", summary, facts, end_at=_end(facts))


def _days(fact: FactEvidence) -> list[datetime]:
    """The days that count: when it began, or else was first said, and each time it was said again."""
    said = sorted(fact.said_at)
    return said if fact.valid_at is None else [fact.valid_at, *said[1:]]


def _gathers(
    who: str, relation: str, facts: Sequence[FactEvidence], needed: int
) -> ObservedPattern | None:
    newest = {fact.value: fact for fact in facts}
    held = [fact for fact in newest.values() if fact.invalid_at is None]
    over = [fact for fact in newest.values() if fact.invalid_at is not None]
    if len(newest) < needed or not newest:
        return None
    end_at = None if len(held) >= needed else _last_end(over)
    verb = _verb(relation)
    shown, gone = _names(held or over), _names(over) if held else ""
    more = "at least " if len(facts) >= OBSERVATION_OPEN_FACTS_MAX else ""
    dates = _dates(facts)
    summary = f"{who} {verb} {shown} ({more}{len(newest)} in all{', ' if dates else ''}{dates})"
    summary += f"; no longer {gone}." if gone else "."
    return _made(f"{who} {verb} several", summary, facts, end_at=end_at)


def _verb(relation: str) -> str:
    """A relation as words between two names; names of relations leave out "is"."""
    words = relation.replace("_", " ").lower()
    return f"is {words}" if words.split(" ")[0] in _STATES else words


def _names(facts: Sequence[FactEvidence]) -> str:
    return listing([clause(fact.object_name) for fact in facts], OBSERVATION_NAMES_MAX)


def _changes(
    who: str, relation: str, facts: Sequence[FactEvidence], needed: int
) -> ObservedPattern | None:
    known = sorted(facts, key=lambda fact: (fact.since is not None, fact.since, fact.number))
    values = [
        fact
        for at, fact in enumerate(known)
        if at + 1 == len(known) or known[at + 1].value != fact.value
    ]
    if len(values) < needed or not values:
        return None
    times = len(values) - 1
    shown = "; ".join(_stage(fact) for fact in values[-_CHANGES_SHOWN_MAX:])
    changed = "once" if times == 1 else f"{times} times"
    verb = _verb(relation)
    summary = f"Changed {changed}: {shown}." if times else f"{shown}."
    return _made(f"{who} {verb}: changed {changed}", summary, facts, end_at=_end(facts))


def _stage(fact: FactEvidence) -> str:
    """One value with the time it held."""
    text = clause(fact.fact)
    if fact.invalid_at is not None:
        return f"{text} (until {day(fact.invalid_at)})"
    return f"{text} (since {day(fact.since)})" if fact.since else text


def _topics(
    who: str, topic: str, facts: Sequence[FactEvidence], needed: int
) -> ObservedPattern | None:
    """A topic that someone keeps talking about: since when, and the first and latest statements."""
    said = sorted(
        (max(fact.said_at), fact.number, fact)
        for fact in {fact.value: fact for fact in facts if fact.said_at}.values()
    )
    days = sorted({day.date(): day for fact in facts for day in fact.said_at}.values())
    if len(days) < needed or len(said) < needed or not said:
        return None
    # Statements that no longer hold are left out, unless all of them are over.
    told = [fact for _, _, fact in said if fact.invalid_at is None] or [one[-1] for one in said]
    more = "at least " if len(facts) >= OBSERVATION_OPEN_FACTS_MAX else ""
    count = "1 day" if len(days) == 1 else f"{more}{len(days)} days"
    parts = [f"{who} has spoken about {topic} on {count}, {span(days[0], days[-1])}"]
    if len(told) > 1:
        parts.append(f"First: {_ended(told[0])}")
    parts += [f"Later: {_ended(fact)}" for fact in told[1:-1][-_BETWEEN_SHOWN_MAX:]]
    parts.append(f"Most recently: {_ended(told[-1])}")
    return ObservedPattern(
        name=f"{who} keeps speaking about {topic}",
        summary=". ".join(parts) + ".",
        facts=tuple(fact.number for fact in facts),
        start_at=days[0],
        latest_evidence_at=days[-1],
        end_at=_end(facts),
    )


def _ended(fact: FactEvidence) -> str:
    """A statement, with its end if it no longer holds."""
    text = clause(fact.fact)
    return text if fact.invalid_at is None else f"{text} (until {day(fact.invalid_at)})"


def _made(
    name: str, summary: str, facts: Sequence[FactEvidence], *, end_at: datetime | None
) -> ObservedPattern:
    begun = [fact.since for fact in facts if fact.since is not None]
    seen = [fact.seen for fact in facts if fact.seen is not None]
    return ObservedPattern(
        name=name,
        summary=summary,
        facts=tuple(fact.number for fact in facts),
        start_at=min(begun, default=None),
        latest_evidence_at=max(seen, default=None),
        end_at=end_at,
    )


def _dates(facts: Sequence[FactEvidence]) -> str:
    begun = [fact.since for fact in facts if fact.since is not None]
    return span(min(begun), max(begun)) if begun else ""


def _end(facts: Sequence[FactEvidence]) -> datetime | None:
    """When the last of them ended; None if one still holds."""
    return None if any(fact.invalid_at is None for fact in facts) else _last_end(facts)


def _last_end(facts: Sequence[FactEvidence]) -> datetime | None:
    return max((fact.invalid_at for fact in facts if fact.invalid_at is not None), default=None)
