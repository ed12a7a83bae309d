"""Time expressions in their context: which only look like dates, and which recur."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import regex
from msgspec.structs import replace

from recollect.dates.when import Tense, When
from recollect.extract.prose.syntax import SUBJECTS, child, verbal
from recollect.extract.prose.verbs import FROM_TO, is_note, segments
from recollect.extract.prose.words import listed

if TYPE_CHECKING:
    from spacy.tokens import Span, Token

WEEKDAY = regex.compile(
    r"\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|mon|tues?|weds?|thurs?|thu|fri|sat|sun)\b",
    regex.IGNORECASE,
)
_SEVERAL = regex.compile(
    rf"{WEEKDAY.pattern}(?:(?:\s*(?:[-\u2013/&,+]|to|n|and|or|through|thru)\s*)+{WEEKDAY.pattern})+",
    regex.IGNORECASE,
)
# Words that tie an expression to one date or one year.
TIED = regex.compile(
    r"\b(?:last|next|this|that|coming|past|previous|following|ago|today|tonight|tomorrow|yesterday|now"
    r"|weeks?|(?:1\d|20)\d\d)\b",
    regex.IGNORECASE,
)
MONTH = regex.compile(
    r"\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\p{L}*\b", regex.IGNORECASE
)
_NO_DATE = regex.compile(
    r"(?:the )?next (?:day|morning)|.*\bearlier"
    r"|(?:the )?(?:coming|next|following|past|last) (?:days|weeks|months|years)"
    r"|\d{1,2}/(?:5|10)|(?:on )?(?:first|second|third|fourth|fifth)|(?:over|under)[ -]?\d0s",
    regex.IGNORECASE,
)
_VERSION = regex.compile(r"\d{4}\.\d{1,2}\.\d{1,2}")
_VERSIONED = regex.compile(
    r"\b(?:version|release|v|updat\w+|upgrad\w+|rolled|roll|build)\b", regex.IGNORECASE
)
_GREETING = regex.compile(r"\b(?:happy|merry|over|under|like)(?: the)?\s*$", regex.IGNORECASE)
_DAY_NUMBER = regex.compile(r"\b\d{1,2}(?:st|nd|rd|th)?\b", regex.IGNORECASE)
_SLASHED = regex.compile(r"(?P<one>\d{1,2})/(?P<two>\d{1,2})")
_MONTHS = 12
_FAR = timedelta(days=120)
_LINKED = regex.compile(
    r"\b(?:on|by|since|until|till?|from|before|after|for|at|in|over)(?: the)?\s*$", regex.IGNORECASE
)
_LINKS = frozenset({"in", "on", "during", "since", "until", "till", "by", "from", "at", "for"})
_OFTEN = listed(
    "usually always normally generally typically regularly mostly often sometimes only still"
)
_YEARLY = frozenset({"birthday", "anniversary", "bday"})
_OPEN = frozenset({"open", "closed", "shut"})
_DAYS_OF = frozenset({"day", "night", "days", "nights"})
_REGULAR = listed(
    "club class choir practice training rehearsal standup retro mass yoga pilates lesson therapy"
)
# In the simple present these mean something scheduled; other verbs mean a habit.
_SCHEDULED = listed(
    "arrive leave depart fly land start begin open close end finish come go return drop launch release ship"
    " move travel drive meet see get visit expire stop resume air take fall join hand host marry depart"
    " need want hope expect wish plan think know owe say tell mean suit work happen let seem look turn"
    " graduate retire celebrate present check head sail kick premiere debut deliver sign face"
)
_NEAR = 6
_EVERY = regex.compile(r"\b(?:every|each) year\b|\b(?:yearly|annually)\b", regex.IGNORECASE)
_EXCEPT = regex.compile(r"\b(?:except|excluding|apart from|but not)(?: for| on)?\s*$", regex.I)
_NTH = regex.compile(
    r"\b(?:first|second|third|fourth|last|[1-4]\p{L}\p{L}) \p{L}+ (?:of|in) the month\b",
    regex.IGNORECASE,
)


class Expression:
    """A time expression in its sentence.

    *words* are its own words, *segment* those between the pauses around it. *noted*: the segment has no verb.
    *weekdays* counts weekdays that are not tied to a date ("Friday", not "last Friday").
    """

    def __init__(self, when: When, sentence: Span) -> None:
        self.when = when
        self.sentence = sentence
        start, end = when.start + sentence.start_char, when.end + sentence.start_char
        self.words = [token for token in sentence if start <= token.idx < end]
        tied = TIED.search(when.text) or MONTH.search(when.text)
        self.weekdays = 0 if tied else self._count()
        segment = next((part for part in segments(sentence) if set(part) & set(self.words)), [])
        self.segment: list[Token] = segment
        self.noted = is_note(segment) or not any(map(verbal, segment))
        self.verb = self._verb()
        self.before = sentence.text[: when.start]

    def _count(self) -> int:
        """The number of weekdays it names, including those it is joined to: "sun-thu"."""
        own = len(WEEKDAY.findall(self.when.text))
        for match in _SEVERAL.finditer(self.sentence.text):
            if own and match.start() < self.when.end and self.when.start < match.end():
                return max(own, len(WEEKDAY.findall(match.group())))
        return own

    def _verb(self) -> Token | None:
        """The verb that it modifies."""
        for token in self.words[:1]:
            item = token
            while not verbal(item) and item.head != item:
                item = item.head
            return item if verbal(item) else None
        return None

    @property
    def finite(self) -> bool:
        """Whether its segment has a finite verb."""
        return any(token.tag_ in ("VBZ", "VBP", "VBD", "MD") for token in self.segment)

    @property
    def previous(self) -> Token | None:
        """The word in front of it."""
        return self.words[0].nbor(-1) if self.words and self.words[0].i else None

    @property
    def around(self) -> str:
        """Its segment, as text."""
        return "".join(token.text_with_ws for token in self.segment)


def is_undated(said: Expression, at: datetime) -> bool:
    """Whether it probably is not a date: part of a name, a mark, a version, a day in a story."""
    return _looks_only(said, at) or _is_name(said) or _is_change(said)


def _looks_only(said: Expression, at: datetime) -> bool:
    when, text = said.when, said.when.text
    if said.before[-1:] == "-" and said.before[-2:-1].isalpha():  # "Min-jun"
        return True
    if when.grain == "year" and text.isdigit():  # "a Corolla 2021", "the code is 1987"
        last = said.previous
        return last is not None and (last.pos_ == "PROPN" or last.lemma_ == "be")
    if _VERSION.fullmatch(text) and _VERSIONED.search(said.before):
        return True
    if text.lower() == "new year" and _LINKED.search(said.before) is None:
        return True  # "new year, new me"
    if _GREETING.search(said.before) and (when.grain == "decade" or "new year" in text.lower()):
        return True
    if text.lower().endswith("later") and any(token.tag_ == "VBD" for token in said.segment):
        return True  # later than something else in the story
    slashed = _SLASHED.fullmatch(text)
    if slashed is not None and _is_ambiguous(slashed, said, at):
        return True
    marked = "/" in text and _LINKED.search(said.before) is None
    return _NO_DATE.fullmatch(text) is not None and (marked or "/" not in text)


def _is_ambiguous(date: regex.Match[str], said: Expression, at: datetime) -> bool:
    """Whether day and month may be swapped and the date, month first, is far away: "12/5" in May."""
    one, two = int(date["one"]), int(date["two"])
    far = said.when.first is None or abs(said.when.first - at) > _FAR
    return one != two and max(one, two) <= _MONTHS and far


def _is_name(said: Expression) -> bool:
    """Whether it modifies a noun: "the *Easter* bunny", "before the *summer* break".

    A fiscal year begins when the company chooses, so it counts as a name too.
    """
    text = said.when.text
    if (said.when.timex or "")[:2] in ("FY", "SY"):
        return True
    tied = TIED.search(text) and text.lower() != "last night"
    if not said.words or tied or not said.when.dated or _DAY_NUMBER.search(text):
        return False
    last = said.words[-1]
    head = last.head
    near = head.i > last.i and head.pos_ in ("NOUN", "PROPN")
    if not near or last.dep_ not in ("compound", "nmod", "amod"):
        return False
    if any(token.is_punct or verbal(token) for token in head.doc[last.i + 1 : head.i]):
        return False
    dated = MONTH.search(text) or WEEKDAY.search(text)
    return not (dated and said.previous is not None and said.previous.lower_ in _LINKS)


def _is_change(said: Expression) -> bool:
    """Whether it is the old date of something that was moved to another."""
    from_it = "from" in (said.before[-5:] + said.when.text[:5]).lower()
    return from_it and FROM_TO.search(said.before) is not None


def resolved_expressions(
    whens: Sequence[When], sentence: Span, tenses: Mapping[int, Tense | None], at: datetime
) -> list[When]:
    """The expressions of a sentence that name a time; those of habits are marked as recurring."""
    found = [Expression(when, sentence) for when in whens]
    kept = [one for one in found if not is_undated(one, at)]
    habits = {one.when.start for one in kept if _is_habit(one, kept, tenses.get(one.when.start))}
    if habits:
        habits |= {one.when.start for one in kept if one.weekdays and not one.finite}
    return [_repeating(one.when) if one.when.start in habits else one.when for one in kept]


def _repeating(when: When) -> When:
    return replace(when, recurring=True, first=None, last=None, edge=None)


def _is_habit(said: Expression, others: Sequence[Expression], tense: Tense | None) -> bool:
    when, ahead = said.when, tense in ("present", "noted")
    if ahead and _NTH.search(when.text):
        return True
    if when.recurring or not when.dated or TIED.search(when.text):
        return False
    if (said.weekdays and _is_beside_habit(said, others)) or _EVERY.search(said.around):
        return True
    if said.weekdays and (_EXCEPT.search(said.before) or said.before.endswith("/")):
        return True  # "every day except Wednesday", "Mon/Wed/Fri"
    if not ahead:
        return False
    if _is_yearly(said) or (_is_often(said) and when.relation == "at"):
        return True
    if not said.weekdays or when.relation in ("since", "until", "before", "after"):
        return False
    return _is_weekly_note(said, others) if said.noted else _is_weekly(said, others)


def _is_beside_habit(said: Expression, others: Sequence[Expression]) -> bool:
    """ "tues n thurs evenings"."""
    return any(
        other.when.recurring and other.segment == said.segment
        for other in others
        if min(
            abs(other.when.start - said.when.end),
            abs(said.when.start - other.when.end),
        )
        <= _NEAR
    )


def _is_often(said: Expression) -> bool:
    return any(token.lower_ in _OFTEN and token.dep_ == "advmod" for token in said.segment)


def _is_yearly(said: Expression) -> bool:
    """ "my birthday is on 12 March"."""
    subject = child(said.verb, *SUBJECTS) if said.verb is not None else None
    day = not said.weekdays and MONTH.search(said.when.text) is not None
    return day and subject is not None and subject.lemma_.lower() in _YEARLY


def _is_weekly_note(said: Expression, others: Sequence[Expression]) -> bool:
    """ "office Tue-Thu", "match day Sunday", or a note beside something weekly."""
    beside = [other for other in others if other.weekdays and other.segment == said.segment]
    if said.weekdays > 1 or len(beside) > 1 or any(other.when.recurring for other in others):
        return True
    before = said.previous.lower_ if said.previous is not None else ""
    if before in _DAYS_OF or {token.lower_ for token in said.segment} & _OPEN:
        return True
    root = said.sentence.root
    regular = root.lemma_ == "work" or not _is_scheduled(root)
    return _is_simple_present(root) and regular and root.lemma_ not in ("be", "have")


def _is_weekly(said: Expression, others: Sequence[Expression]) -> bool:
    verb = said.verb
    if verb is None or not _is_simple_present(verb):
        return False
    if child(said.words[0], "poss") is not None:  # "my Saturday"
        return True
    if verb.lemma_ == "be" and said.when.text.lower().startswith(("from", "between")):
        return False
    beside = sum(other.weekdays for other in others if other.verb == verb)
    if beside > 1 or {token.lower_ for token in said.segment} & _OPEN:
        return True
    subject = child(verb, *SUBJECTS)
    if verb.lemma_ == "be":
        return _is_day_of(said, verb, subject)
    if verb.lemma_ == "have":
        thing = child(verb, "dobj")
        return thing is not None and thing.tag_ == "NN" and not list(thing.lefts)
    if verb.tag_ == "VBN":
        return subject is not None and subject.tag_ == "NNS"
    return subject not in said.words and not _is_scheduled(verb)


def _is_day_of(said: Expression, verb: Token, subject: Token | None) -> bool:
    """ "Monday is pizza night", "office day is Friday", "the shifts are Saturday"."""
    opens = subject in said.words or (subject is None and said.words[0].i < verb.i)
    other = child(verb, "attr") if opens else subject
    if other is None or other in said.words:
        return False
    if other.lower_ in _DAYS_OF | _REGULAR or other.tag_ == "NNS":
        return True
    fronts = any(item.dep_ in ("det", "poss", "nummod") for item in other.lefts)
    return opens and other.tag_ == "NN" and not fronts


def _is_scheduled(verb: Token) -> bool:
    """The train leaves, the pool reopens."""
    lemma = verb.lemma_.lower()
    return lemma in _SCHEDULED or lemma.removeprefix("re") in _SCHEDULED


def _is_simple_present(verb: Token) -> bool:
    helpers = [item for item in verb.children if item.dep_ in ("aux", "auxpass")]
    if verb.tag_ == "VBN":
        return any(item.tag_ in ("VBZ", "VBP") and item.lemma_ == "be" for item in helpers)
    if verb.tag_ == "VB":
        return any(item.lower_ in ("can", "do", "does") for item in helpers)
    return verb.tag_ in ("VBZ", "VBP") and not helpers
