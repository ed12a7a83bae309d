"""Times that a question names by what happened then: "before she moved", "during the wedding"."""

import re
from itertools import islice
from typing import Literal, NamedTuple

from recollect.search.tenses import is_habit, says_past, tense_of

EventRelation = Literal["before", "after", "since", "when"]


class Event(NamedTuple):
    """What happened, as a text to search for, and where the time asked for lies around it."""

    text: str
    relation: EventRelation


class Clause(NamedTuple):
    """An event and the characters of the question that speak of it, from *start* to *end*.

    The event's own text begins at *inner*, behind the word that says how it stands to the time.
    """

    event: Event
    start: int
    inner: int
    end: int


_RELATIONS: dict[str, EventRelation] = {
    "before": "before",
    "until": "before",
    "till": "before",
    "prior to": "before",
    "leading up to": "before",
    "after": "after",
    "following": "after",
    "since": "since",
    "ever since": "since",
    "during": "when",
    "while": "when",
    "when": "when",
    "at the time of": "when",
    "by the time": "before",
}
_WORD = re.compile(
    r"(?<![\w-])(?:" + "|".join(sorted(_RELATIONS, key=len, reverse=True)) + r")(?![\w-])",
    re.IGNORECASE,
)
_SUBJECT = r"(?:i|you|he|she|it|we|they)"
_OWNER = r"(?:the|his|her|their|my|our|your|its|this|that|these|those)"
_AUXILIARY = re.compile(
    r"(?:did|do|does|is|are|was|were|will|would|has|have|had|can|could|should|shall|may|might|s)\b",
    re.IGNORECASE,
)
# What a clause must begin with: a name counts by its capital letter.
_PERSON = re.compile(rf"{_SUBJECT}(?:['\u2019]\w+)?\s+\w+", re.IGNORECASE)
_NAMED = re.compile(r"[A-Z][\w'\u2019-]*(?:\s+[A-Z][\w'\u2019-]*)*\s+\w+")
_OWNED = re.compile(rf"{_OWNER}\s+\w+", re.IGNORECASE)
_SOME = re.compile(r"(?:an?|that|this)\s+\w+", re.IGNORECASE)
_GERUND = re.compile(
    r"(?!(?:thing|anything|everything|something|morning|evening|spring)\b)\w{2,}ing\b"
)
_POSSESSED = re.compile(r"(?:\w+\s)?\w+['\u2019]s?\s+\w+")
# Behind these, "after" and "before" belong to the verb, and "when" is what is asked for.
_TAKEN = re.compile(
    r"\b(?:look|looks|looked|looking|named?|names|naming|take|takes|took|taking|ask|asks|asked|run"
    r"|runs|ran|go|goes|went|sought|chas\w+|seek\w*|and|the ones?|never|ever|once)\s*$",
    re.IGNORECASE,
)
_ASKED = re.compile(
    r"\b(?:know|knows|knew|tell me|tell us|told me|remember|remind me|recall|say|said|ask|asked|sure"
    r"|wonder|wondering|find out|figure out|exactly|check|date|year|day|month|is|was|to|on|and|or)\s*$",
    re.IGNORECASE,
)
_END = re.compile(r"[,;?!]|\.(?:\s|$)|$")
_QUESTION = re.compile(
    r"\s(?=(?:what|where|who|whom|which|how|why|did|does)\b)|\s(?=(?:was|were|is)\s+(?:the|she|he)\b)",
    re.IGNORECASE,
)
_LETTER = re.compile(r"[^\W\d_]")
_WORDS_MAX = 8  # a question has one or two of them


def event_in(text: str) -> Clause | None:
    """The first event that *text* names a time by; None for most questions.

    What is done again and again ("before she goes to bed") is no event, and a question for a time
    ("when did she move") does not name one.
    """
    for match in islice(_WORD.finditer(text), _WORDS_MAX):
        found = _clause(text, match)
        if found is not None:
            return found
    return None


def _clause(text: str, match: "re.Match[str]") -> Clause | None:
    word = match.group().lower()
    start = match.end() + len(text[match.end() :]) - len(text[match.end() :].lstrip())
    end = _end(text, match.start(), start)
    clause = text[start:end].strip()
    around = f"{text[: match.start()]} {text[end:]}"
    if not clause or _is_taken(word, text[: match.start()], clause, around):
        return None
    if not _is_event(word, clause, around):
        return None
    return Clause(Event(clause, _RELATIONS[word]), match.start(), start, end)


def _end(text: str, first: int, start: int) -> int:
    """Where a clause ends: at a mark, or before the question that follows one in front."""
    mark = _END.search(text, start)
    end = mark.start() if mark else len(text)
    if not _LETTER.search(text[:first]):
        question = _QUESTION.search(text, start, end)
        end = question.start() if question else end
    return end


def _is_taken(word: str, before: str, clause: str, around: str) -> bool:
    if word in ("after", "before", "following") and _TAKEN.search(before):
        return True
    if word != "when":
        return False
    asks = _AUXILIARY.match(clause) or _ASKED.search(before)
    return bool(asks) or not _LETTER.search(around)


def _is_event(word: str, clause: str, around: str) -> bool:
    """Whether *clause* names something that happened once."""
    if _PERSON.match(clause) or (_NAMED.match(clause) and says_past(clause)):
        return says_past(clause)
    if word in ("when", "while", "by the time"):
        return says_past(clause) and bool(_OWNED.match(clause) or _GERUND.match(clause))
    if is_habit(around) and _RELATIONS[word] != "since":
        return False
    if _OWNED.match(clause) or _POSSESSED.match(clause):
        return not _is_pointer(clause)
    past = tense_of(around) in ("past", None)
    return past and bool(_GERUND.match(clause) or _SOME.match(clause))


def _is_pointer(clause: str) -> bool:
    """ "Before that day" or "during this time" points at nothing that could be searched for."""
    return (
        re.fullmatch(
            r"(?:this|that|these|those|the)\s+(?:time|times|day|days|moment|point|period|year|week|month"
            r"|fact|last|first|next)",
            clause,
            re.IGNORECASE,
        )
        is not None
    )
