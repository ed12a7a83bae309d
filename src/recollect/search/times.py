"""The time that a question is about: its tense, and the dates or events that it names.

"Last spring", "before she moved": only words that are clearly about time count. "Now" and "today" in
the present tense do not narrow, since what holds now comes first anyway. Neither do repetitions ("every
Monday", "in winter she skates") or durations ("for three years").
"""

import re
from datetime import datetime, timedelta
from itertools import islice
from typing import Literal, NamedTuple

from recollect.dates import Tense, When, find
from recollect.dates.lexer import may_speak_of_time
from recollect.graph.types import Record

_IRREGULAR = (
    "ate became began bent blew bought broke brought built came caught chose did drank drew drove "
    "fed fell felt flew forgot fought found gave got grew had heard held hid hung kept knew left "
    "lent lit lost made meant met paid ran rang rode rose said sang sat saw sent shot slept sold "
    "spent spoke stole stood swam taught thought threw told took understood was went were woke won "
    "wore wrote"
)
# "Bed", "red" and "need" only look like a past tense; "used" and "led" are one.
_NOT_PAST = "bed red need feed seed speed shed indeed hundred sacred breed weed reed wed sled fred"
_PAST = re.compile(
    rf"\b(?:{'|'.join(_IRREGULAR.split())}|(?!(?:{'|'.join(_NOT_PAST.split())})\b)[a-z]{{2,}}ed)\b"
)
_WAS = re.compile(r"\b(?:did|was|were|had|used to|(?:did|was|were|had)n['\u2019]?t)\b")
_PERFECT = re.compile(
    r"\b(?:has|have|'ve)(?:n['\u2019]?t)?\b(?:\s\w+){0,3}?\s(?:been|\w+ed|\w+en)\b"
)
_WILL = re.compile(
    r"\b(?:will|shall|won['\u2019]?t|gonna|going to|about to|upcoming|plans?|planning|scheduled)\b"
    r"|['\u2019]ll\b|\b(?:is|are|am|wh\w+['\u2019]?s)\b(?:\s\w+){0,3}?\s(?!thing\b|morning\b|evening\b)\w{2,}ing\b"
)
_HABIT = re.compile(r"\b(?:do|does|don['\u2019]?t|doesn['\u2019]?t|usually|always|typically)\b")
# "Is the doorbell muted", "what is the approved budget" ask for a state, unlike "the book that she borrowed".
_STATE = re.compile(
    r"\b(?:[Ii]s|[Aa]re|[Aa]m)\b(?P<between>(?:\s[\w'\u2019-]+){1,6}?)\s(?P<state>[a-z]{2,}ed)\b"
)
_DONE_BY = re.compile(
    r"\s\S+\s(?:I|you|he|she|it|we|they|who|that|which)$|\s[a-z]\S*(?:\s[A-Z]\S*)+$"
)
_BEING = re.compile(r"\b(?:is|are|am|can|should|may|must)\b|\b\w+['\u2019]s\b")


def tense_of(text: str) -> Tense | None:
    """The tense of a question; None if its words do not show it, like a list of keywords.

    What was planned then is past, what is planned now is future.
    """
    lower = text.lower()
    if _WAS.search(lower) or _PERFECT.search(lower):
        return "past"
    if _WILL.search(lower):
        return "future"
    if _HABIT.search(lower):
        return "present"
    if _PAST.search(_stateless(text).lower()):
        return "past"
    return "present" if _BEING.search(lower) else None


def _stateless(text: str) -> str:
    """A question without a participle that only describes a state."""
    state = _STATE.search(text)
    if state is None or _DONE_BY.search(state["between"]):
        return text
    return text[: state.start("state")] + text[state.end("state") :]


def is_habit(text: str) -> bool:
    """Whether a question asks about a habit, like "what does she eat"."""
    lower = text.lower()
    return tense_of(text) == "present" and _HABIT.search(lower) is not None


def says_past(clause: str) -> bool:
    """Whether a verb of *clause* is in the past tense."""
    return _PAST.search(clause.lower()) is not None


EventRelation = Literal["before", "after", "since", "when"]


class TimedEvent(NamedTuple):
    """An event, as a text to search for, and how the time in question relates to it."""

    text: str
    relation: EventRelation


class EventClause(NamedTuple):
    """An event and the characters of the question that name it, from *start* to *end*.

    The event's own text begins at *inner*, after the word for the relation.
    """

    event: TimedEvent
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
# What a clause must begin with; a name is recognized by its capital letter.
_PERSON = re.compile(rf"{_SUBJECT}(?:['\u2019]\w+)?\s+\w+", re.IGNORECASE)
_NAMED = re.compile(r"[A-Z][\w'\u2019-]*(?:\s+[A-Z][\w'\u2019-]*)*\s+\w+")
_OWNED = re.compile(rf"{_OWNER}\s+\w+", re.IGNORECASE)
_SOME = re.compile(r"(?:an?|that|this)\s+\w+", re.IGNORECASE)
_GERUND = re.compile(
    r"(?!(?:thing|anything|everything|something|morning|evening|spring)\b)\w{2,}ing\b"
)
_POSSESSED = re.compile(r"(?:\w+\s)?\w+['\u2019]s?\s+\w+")
# After these, "after" and "before" belong to the verb, and "when" is what the question asks for.
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
_WORDS_MAX = 8  # a question usually has one or two of them


def event_in(text: str) -> EventClause | None:
    """The first event by which *text* names a time; None for most questions.

    A habit ("before she goes to bed") is not an event, and a question for a time ("when did she move")
    does not name one.
    """
    for match in islice(_WORD.finditer(text), _WORDS_MAX):
        found = _clause(text, match)
        if found is not None:
            return found
    return None


def _clause(text: str, match: "re.Match[str]") -> EventClause | None:
    word = match.group().lower()
    start = match.end() + len(text[match.end() :]) - len(text[match.end() :].lstrip())
    end = _end(text, match.start(), start)
    clause = text[start:end].strip()
    around = f"{text[: match.start()]} {text[end:]}"
    if not clause or _is_taken(word, text[: match.start()], clause, around):
        return None
    if not _is_event(word, clause, around):
        return None
    return EventClause(TimedEvent(clause, _RELATIONS[word]), match.start(), start, end)


def _end(text: str, first: int, start: int) -> int:
    """Where a clause ends: at a punctuation mark, or, if it comes first, before the question after it."""
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
    """Whether it only points at a time ("that day", "this time") and names nothing to search for."""
    return (
        re.fullmatch(
            r"(?:this|that|these|those|the)\s+(?:time|times|day|days|moment|point|period|year|week|month"
            r"|fact|last|first|next)",
            clause,
            re.IGNORECASE,
        )
        is not None
    )


class TimeWindow(NamedTuple):
    """From *start* inclusive to *end* exclusive, in UTC; None is open."""

    start: datetime | None
    end: datetime | None

    def overlaps(self, first: datetime | None, last: datetime | None) -> bool:
        """Whether something that held from *first* until *last* held at some time in the window."""
        begins = self.end is None or first is None or first < self.end
        return begins and (self.start is None or last is None or last > self.start)


class TimeWords(Record):
    """What a question says about time: alternative windows, or an event, or both.

    *words* are the words for the time, *rest* is the question without them. An event must be searched
    for first; its dates then go into `around`.
    """

    windows: tuple[TimeWindow, ...] = ()
    event: TimedEvent | None = None
    words: str = ""
    rest: str = ""


def time_words(text: str, now: datetime, time_zone: str | None = None) -> TimeWords | None:
    """The time that *text*, asked at *now* in *time_zone*, is about; None for most texts.

    Only the first 2,000 characters are read.
    """
    text = _SPACES.sub(" ", text)
    head, tail = text[:_CHARS_MAX], text[_CHARS_MAX:]
    clause, found = _said(head, now, time_zone)
    if clause is None and not found:
        return None
    spans = [_span(head, when) for when in found] + ([(clause.start, clause.end)] if clause else [])
    spans.sort()
    return TimeWords(
        windows=_windows(found),
        event=clause.event if clause else None,
        words="; ".join(head[start:end].strip() for start, end in spans),
        rest=_without(head, spans) + tail,
    )


def around(event: TimedEvent, first: datetime | None, last: datetime | None) -> TimeWindow | None:
    """The window around an event that held from *first* until *last*; None without a date."""
    if first is None:
        return None
    if event.relation == "before":
        return TimeWindow(None, first)
    if event.relation == "when":
        return TimeWindow(first, last)
    return TimeWindow(first, None)


# Words that determine which year or week is meant; without them the tense must.
_FIXED = re.compile(
    r"\d{3,}|['\u2019]\d\d|\d[-/.]\d|\b(?:last|next|this|past|previous|coming|current|ago|yesterday"
    r"|today|tomorrow|tonight|century|now|back|earlier|later|recent|\d0s|\w+ties)\b",
    re.IGNORECASE,
)
_PLAIN_TODAY = re.compile(r"today|this (?:day|moment)|tonight", re.IGNORECASE)
_LEAD = re.compile(
    r"(?:^|\W)(?:(?:in|on|at|during|by|of|for|from|since|until|till|before|after|around|about|over"
    r"|within|throughout|through|between|and|to|as of|back in|early|late|mid)\s+(?:the\s+|her\s+|his"
    r"\s+|my\s+|our\s+|their\s+)?)$",
    re.IGNORECASE,
)
_FOLLOWED = re.compile(r"\s*(?:$|[?!.,;:)]|(?:and|or|but|with|that|when|what|where|who|how|did)\b)")
_DISTANCE = re.compile(
    r"\b(year|month|week|decade|quarter)s?\s+(?:ago|back|earlier|later|before|after|from now)\b|\bin\s+\S+\s+"
    r"(year|month|week|decade)s?\b",
    re.IGNORECASE,
)
# "What does she think about last year": "about" introduces a topic, not an approximate time.
_ABOUT = re.compile(r"about (?=last|next|this|the|yesterday|today|tomorrow)", re.IGNORECASE)
_GENITIVE = re.compile(r"['\u2019]s?\b")
_CHARS_MAX = 2_000
_SLACK = {
    "week": timedelta(days=4),
    "month": timedelta(days=16),
    "quarter": timedelta(days=46),
    "year": timedelta(days=183),
    "decade": timedelta(days=1830),
}


def _said(text: str, now: datetime, time_zone: str | None) -> tuple[EventClause | None, list[When]]:
    """The event and the times that narrow a search."""
    clause = event_in(text)
    if not may_speak_of_time(text):
        return clause, []
    outside = _without(text, [(clause.start, clause.end)]) if clause else text
    tense = tense_of(outside)
    # Which May is meant: questions to a memory are about the past, unless they say otherwise.
    reading: Tense = "future" if tense == "future" else "past"
    found = find(text, reference=now, zone=time_zone, tense=reading)
    if clause and any(_is_date(text, clause, when) for when in found):
        clause = None
    # A time inside an event's clause belongs to the event, not to the question.
    return clause, [
        when
        for when in found
        if not (clause and clause.start <= when.start < clause.end) and _narrows(text, when, tense)
    ]


def _is_date(text: str, clause: EventClause, when: When) -> bool:
    """Whether a clause is a date: "after Christmas", "during the summer"; not "after last year's trip"."""
    if not when.dated or _GENITIVE.match(text, when.end):
        return False
    return when.start <= clause.start < when.end or when.start <= clause.inner < when.end


def _narrows(text: str, when: When, tense: Tense | None) -> bool:
    if when.first is None or when.recurring or not when.dated or when.relation == "for":
        return False
    if when.timex == "PRESENT_REF" and when.relation == "at":
        return False
    if _PLAIN_TODAY.fullmatch(when.text):
        return tense in ("past", "future")
    if _FIXED.search(when.text):
        return True
    bare = " " not in when.text.strip() and when.relation == "at"
    if bare and not _LEAD.search(text[: when.start]) and not _FOLLOWED.match(text, when.end):
        return False  # "Sunday roast", "Christmas cards"
    return tense != "present"


def _windows(found: list[When]) -> tuple[TimeWindow, ...]:
    """The windows to search: periods are alternatives; without any, all bounds apply together."""
    periods = [_period(when) for when in found if not _is_bound(when)]
    if periods:
        return tuple(dict.fromkeys(periods))
    bounds = [_bound(when) for when in found]
    start = max((b.start for b in bounds if b.start is not None), default=None)
    end = min((b.end for b in bounds if b.end is not None), default=None)
    if not bounds:
        return ()
    if start is not None and end is not None and start >= end:
        return tuple(dict.fromkeys(bounds))
    return (TimeWindow(start, end),)


def _is_bound(when: When) -> bool:
    bounded = when.relation in ("since", "after", "until", "before")
    return bounded and not when.text.lower().startswith("as of")


def _bound(when: When) -> TimeWindow:
    if when.relation in ("until", "before"):
        return TimeWindow(None, when.edge)
    return TimeWindow(when.edge, None)


def _period(when: When) -> TimeWindow:
    """A period, widened if its words are approximate: "three years ago" is not a single day."""
    if when.first is None or when.last is None:
        return TimeWindow(when.first, when.last)
    slack = timedelta(0)
    distance = _DISTANCE.search(when.text)
    if distance and when.grain == "day":
        slack = _SLACK[(distance[1] or distance[2]).lower()]
    elif when.approximate and not _ABOUT.match(when.text):
        slack = (when.last - when.first) / 2
    return TimeWindow(_moved(when.first, -slack), _moved(when.last, slack))


def _moved(moment: datetime, by: timedelta) -> datetime:
    try:
        return moment + by
    except OverflowError:
        return moment


_HANGING = re.compile(
    r" ?\b(?:in|on|at|during|from|over|within|throughout|of|for|by|back in|back|as of|and|or)?"
    r"(?: the)? ?$",
    re.IGNORECASE,
)
_SPACES = re.compile(r"\s+")
_BEFORE_MARK = re.compile(r"[ ,;]+(?=[?!.])| (?=[,;])")


def _span(text: str, when: When) -> tuple[int, int]:
    """The characters that name a time, including a possessive ending."""
    about, owner = _ABOUT.match(when.text), _GENITIVE.match(text, when.end)
    return when.start + (about.end() if about else 0), owner.end() if owner else when.end


def _without(text: str, spans: list[tuple[int, int]]) -> str:
    """*text* without these spans and the prepositions left dangling before them."""
    parts: list[str] = []
    place = 0
    for start, end in spans:
        parts.append(_HANGING.sub("", text[place:start]))
        place = max(place, end)
    parts.append(text[place:])
    joined = _SPACES.sub(" ", " ".join(parts))
    return _BEFORE_MARK.sub("", joined).strip(" ,;")
