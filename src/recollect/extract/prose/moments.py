"""The time expressions in a sentence: the clause of each, its wording, and when the clause holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import regex
from msgspec.structs import replace

from recollect import dates
from recollect.dates.grammar import CLOCK_GRAINS
from recollect.dates.lexicon import NAMELIKE_MONTHS
from recollect.dates.when import Tense, When, split
from recollect.extract.prose.clauses import Clause
from recollect.extract.prose.datewords import END, MOMENT, OWN_PREPOSITION, DateWords
from recollect.extract.prose.syntax import FINITE
from recollect.extract.prose.time_expressions import resolved_expressions
from recollect.extract.prose.words import MONTHS_DAYS, listed

if TYPE_CHECKING:
    from spacy.tokens import Span, Token

_AGO = regex.compile(r"\b(?P<unit>month|year|decade)s?\s+(?:ago|back)\b", regex.IGNORECASE)
_COMPARED = regex.compile(
    r"\b(?:as|like|than|unlike|versus|vs\.?|compared to)(?: in| on)?\s*$", regex.IGNORECASE
)
_UNTIL = regex.compile(r"\b(?:un)?till?\s+(?:[\p{L}'\u2019]+\s+){2,7}$", regex.IGNORECASE)
_DAY_ALONE = regex.compile(r"(?:the )?\d{1,2}(?:st|nd|rd|th)", regex.IGNORECASE)
_COUNTED_ON = regex.compile(r"\b(?:later|earlier|after|before)$", regex.IGNORECASE)
_DIGIT = regex.compile(r"\d")
_OWNS = ("'s", "\u2019s")
_DAY = timedelta(days=1)
_VISITING = listed("come stop drop swing pass")
_NOTES = frozenset({"acl", "appos", "attr", "conj", "dep", "npadvmod"})


@lru_cache(maxsize=64)
def _zone(name: str | None) -> ZoneInfo:
    try:
        return ZoneInfo(name or "UTC")
    except (ZoneInfoNotFoundError, ValueError):
        return ZoneInfo("UTC")


class Moments:
    """The expressions of time in one sentence, resolved against a reference and a time zone.

    *noted* are the positions of those in a verbless note beside the sentence. *tenses* maps the first
    character of each word to the tense of its clause.
    """

    def __init__(
        self,
        sentence: Span,
        at: datetime,
        zone: str | None,
        tenses: Mapping[int, Tense],
    ) -> None:
        self._zone = _zone(zone)
        self.start = sentence.start_char
        self._at = at
        self._text = sentence.text
        self._words = DateWords(at, self._zone)
        doers = {token.idx - self.start for token in sentence if _is_doer(token)}
        visits = {token.idx - self.start for token in sentence if _is_visit(token)}
        found: list[When] = []
        for tense in dict.fromkeys(tenses.values()):
            every = dates.find(sentence.text, reference=at, zone=zone, tense=tense)
            found += (one for one in every if self._tense(one, tenses) == tense)
            if not every:  # a tense decides which date is meant, not whether there is one
                break
        usual = {token.idx - self.start for token in sentence if _is_usual(token)}
        found = [when for when in found if when.start not in doers | usual]
        found = [when for when in found if _COUNTED_ON.search(when.text) is None]
        found = [self._visited(when) if when.start in visits else when for when in found]
        told = {when.start: self._tense(when, tenses) for when in found}
        self.noted = frozenset(start for start, tense in told.items() if tense == "noted")
        kept = resolved_expressions(found, sentence, told, at)
        self.whens = [self._at_its_end(_in_its_unit(one)) for one in self._in_order(kept)]

    def _tense(self, when: When, tenses: Mapping[int, Tense]) -> Tense | None:
        """The tense of an expression, by its first word that is in a clause."""
        inside = range(when.start + self.start, when.end + self.start)
        return next((tenses[place] for place in inside if place in tenses), None)

    def _in_order(self, found: list[When]) -> list[When]:
        """A day without a month follows the date before it: "on 12 August, back on the 26th"."""
        told: list[When] = []
        for when in sorted(found, key=lambda one: one.start):
            dated = told and told[-1].relation == "at" and _DIGIT.search(told[-1].text)
            before = told[-1].first if dated else None
            open_day = _DAY_ALONE.fullmatch(when.text) is not None and when.first is not None
            if open_day and before and self._at < (when.first or before) < before:
                again = dates.find(
                    f"on {when.text}", reference=before, zone=self._zone.key, tense="future"
                )
                for one in again[:1]:
                    when = replace(when, first=one.first, last=one.last)
            told.append(when)
        return told

    def _visited(self, when: When) -> When:
        """ "I'll come by on Friday" and "come by Friday" name the same day; it is no deadline."""
        day = when.text.partition(" ")[2]
        again = dates.find(day, reference=self._at, zone=self._zone.key, tense="future")
        moved = (replace(one, start=when.end - len(day), end=when.end) for one in again)
        return next(moved, when)

    def _at_its_end(self, when: When) -> When:
        """The end of a month is its last day."""
        ends = when.relation in ("at", "until", "before") and END.search(when.text)
        if not ends or when.edge is None or when.grain in CLOCK_GRAINS:
            return when
        last = (when.edge - MOMENT).astimezone(self._zone)
        first = last.replace(hour=0, minute=0, second=0).astimezone(UTC)
        return replace(when, first=first, last=when.edge, grain="day")

    def of(self, token: Token) -> When | None:
        """The expression that a token is part of."""
        at = token.idx - self.start
        for when in self.whens:
            if when.start <= at < when.end:
                return when
        return None

    def is_over(self) -> bool:
        """Whether it is about the past, and so not a request: "quit smoking 5 weeks ago"."""
        return any(
            when.dated and when.last is not None and when.last <= self._at for when in self.whens
        )

    def dates(self, when: When) -> bool:
        """Whether it dates something, rather than comparing: "as last year"."""
        return _COMPARED.search(self._text[: when.start]) is None

    def as_bound(self, when: When) -> When:
        """The time as a bound, if it is in an "until" clause: "until she's back in January"."""
        ends = when.relation == "at" and _UNTIL.search(self._text[: when.start])
        return replace(when, relation="until", edge=when.first) if ends else when

    def within(self, when: When, clause: Clause) -> bool:
        """Whether an expression of time belongs to this clause.

        A coordinated clause, or one that gives its time ("when we met"), shares that of the other.
        """
        if not self.dates(when):
            return False
        if self._inside(when, clause):
            return True
        outer = clause.parent
        if outer is None or not self._inside(when, outer):
            return False
        if clause.how == "reason":
            shares = clause.marker == "when"
        else:
            opens = when.start + self.start < outer.finite.idx
            shares = opens and clause.base.dep_ == "conj" and clause.subjects == outer.subjects
        return shares and not any(self._inside(other, clause) for other in self.whens)

    def tells_which(self, when: When, unit: Sequence[Token]) -> bool:
        """Whether a time in *unit* belongs to a relative clause: "the shoes I bought yesterday"."""
        at = when.start + self.start
        word = next((token for token in unit if token.idx <= at < token.idx + len(token)), None)
        while word is not None and word.head != word and not _tells_which(word):
            word = word.head
        return word is not None and _tells_which(word) and word in unit

    def shared(self, clause: Clause) -> list[Token]:
        """The words of a time that a clause shares with the one it is joined to."""
        if clause.parent is None or clause.how == "reason":
            return []
        taken = [
            (when.start + self.start, when.end + self.start)
            for when in self.whens
            if not self._inside(when, clause) and self.within(when, clause)
        ]
        if not taken:
            return []
        found = [t for t in clause.base.sent if any(a <= t.idx < b for a, b in taken)]
        before = [t.head for t in found if t.head.dep_ == "prep" and t.head not in found]
        return [*before, *found]

    def _inside(self, when: When, clause: Clause) -> bool:
        start, end = when.start + self.start, when.end + self.start
        for token in clause.base.subtree:
            if start <= token.idx < end:
                item = token
                while item != clause.base and item.head != item:
                    if item.i in clause.cuts or _is_beside(item):
                        return False
                    if when.relation == "at" and (_dates_a_thing(item) or _tells_which(item)):
                        return False
                    item = item.head
                return True
        return False

    def text(self, when: When, before: Token | None) -> str | None:
        """The date to put in place of an expression; None to keep its own words.

        *before* is the preceding word, which may already be the preposition.
        """
        owns = self._text[when.end : when.end + 2].lower() in _OWNS  # "yesterday's"
        whole = self._text[: when.start].lower().endswith(("all ", "just ", "only "))
        the = before is not None and before.tag_ == "DT" and self.of(before) is None
        named = the and when.grain == "day"  # "the Wednesday"
        return None if owns or whole or named else self._words.in_place(when, before)

    def occurs_in(self, when: When, text: str) -> bool:
        """Whether a text contains an expression, in its own words or as a date."""
        date = self.text(when, None) or when.text
        return when.text.lower() in text.lower() or date.split(maxsplit=1)[-1] in text

    def bracket(self, token: Token) -> str:
        """The date to put in brackets after the last word of an expression that leaves the date open."""
        when = self._closed_by(token)
        told = when is not None and self.dates(when)
        text = self._words.in_brackets(when) if when is not None and told else None
        if text is None or _is_listed(token):
            return ""
        space = "" if token.whitespace_ else " "
        return f"{space}({text}){token.whitespace_}"

    def _closed_by(self, token: Token) -> When | None:
        """The expression that ends with a word, including its "'s"."""
        if token.i + 1 < len(token.doc) and token.nbor(1).tag_ == "POS":
            return None
        last = token.nbor(-1) if token.tag_ == "POS" and token.i else token
        when = self.of(last)
        closes = when is not None and last.idx + len(last) - self.start >= when.end
        return when if closes else None

    def swallows(self, token: Token) -> bool:
        """Whether the date after this preposition brings a preposition of its own."""
        if token.dep_ != "prep" or token.lower_ not in OWN_PREPOSITION:
            return False
        after = token.doc[token.i + 1] if token.i + 1 < len(token.doc) else None
        if after is None or self.of(token) is not None:
            return False
        when = self.of(after)
        if when is None or self._words.has_own_words(when):
            return False
        return self.text(when, token) is not None


def _is_doer(token: Token) -> bool:
    """Whether "by" names an agent rather than a deadline: "written by June"."""
    return token.dep_ == "agent" and any(
        item.dep_ == "pobj" and item.lower_ in NAMELIKE_MONTHS for item in token.children
    )


def _is_usual(token: Token) -> bool:
    """Whether a weekday says which of several things is meant: "the Thursday class"."""
    day = token.lower_ in MONTHS_DAYS and token.lower_.endswith("day")
    beside = day and token.dep_ in ("compound", "nmod") and token.head.pos_ == "NOUN"
    return beside and token.head.i > token.i and token.head.ent_type_ not in ("DATE", "TIME")


def _is_visit(token: Token) -> bool:
    """Whether "by" belongs to the verb: "come by next weekend"."""
    return token.lower_ == "by" and token.head.lemma_.lower() in _VISITING


def _in_its_unit(when: When) -> When:
    """ "years ago" is precise to the year, "months ago" to the month."""
    counted = _AGO.search(when.text)
    if counted is None or when.grain in CLOCK_GRAINS or when.relation != "at":
        return when
    return replace(when, grain="month" if counted["unit"].lower() == "month" else "year")


def _is_listed(token: Token) -> bool:
    """ "Mon/Wed/Fri": days of every week."""
    near = token.doc[max(token.i - 1, 0) : token.i + 2]
    return any(item.text == "/" for item in near)


def _is_beside(item: Token) -> bool:
    """ "the buyer is Dr. Marsh, cash, closing July 11": a note after a comma has its own time."""
    if item.dep_ not in _NOTES or item.left_edge.i <= item.sent.start:
        return False
    opening = item.left_edge
    return opening.nbor(-1).text == "," and opening.dep_ not in ("prep", "mark", "advmod", "cc")


def _dates_a_thing(item: Token) -> bool:
    """ "found a book from the 1900s": dates the book, not the finding."""
    if item.dep_ != "prep" or item.lower_ not in ("from", "of"):
        return False
    return item.head.pos_ in ("NOUN", "PROPN") and item.head.dep_ in (
        "dobj",
        "pobj",
        "attr",
    )


def _tells_which(verb: Token) -> bool:
    """ "the shoes I bought last year": when they were bought, not when anything else was so."""
    return verb.dep_ == "relcl" and verb.tag_ in FINITE


def _exact(edge: datetime | None, at: datetime) -> datetime | None:
    """Dates have whole seconds; one within the episode's second is the episode's exact time."""
    return at if edge == at.replace(microsecond=0) else edge


class Validity:
    """When a clause holds, by the expressions of time in it."""

    __slots__ = ("dated", "event", "first", "last", "since")

    def __init__(self, whens: Sequence[When], at: datetime, past_state: bool, ended: bool) -> None:
        """Compute the validity from the time expressions.

        An undated past event counts from the episode, by which time it had happened. An undated past state
        began at an unknown time and was over by the time of the episode.
        """
        self.first: datetime | None = None
        self.last: datetime | None = None
        self.event: datetime | None = None
        self.since = any(when.relation not in ("at", "between") for when in whens)
        for when in whens:
            if when.relation == "for" and _is_of_the_clock(when):
                continue
            first, last = (_exact(edge, at) for edge in split(when))
            if when.relation == "for" and past_state:
                continue
            self.first = self.first or first
            self.last = self.last or last
            if past_state and first is not None and when.relation == "at":
                self.last = self.last or when.last
        self.dated = self.first is not None or self.last is not None
        if not self.dated:
            self.first = at if not past_state and not ended else None
            self.last = at if past_state else None
        elif self.first is None and not past_state and self.last is not None and self.last > at:
            self.first = at
        if self.first is not None and self.last is not None and self.last <= self.first:
            self.last = None

    def complete(self, at: datetime) -> None:
        """Correct a later time for something that was done by *at*: it is the time of something else.

        Examples: "told Ana that it is due on the 25th", "confirmed 21 June", "booked it from 10:00 to 11:30".
        """
        if self.first is not None and self.first > at and not self.since:
            self.event, self.first, self.last, self.dated = self.first, at, None, False


def is_past(unit: Sequence[Token], whens: Sequence[When], at: datetime) -> bool:
    """Whether it is in the past tense, or noted with a past date: "quit smoking 5 weeks ago"."""
    tags = {token.tag_ for token in unit}
    if tags & {"VBD", "VBN"}:
        return True
    over = any(when.dated and when.last is not None and when.last <= at for when in whens)
    return over and not tags & {"VBZ", "VBP", "MD"}


def is_event(when: When, at: datetime) -> bool:
    """Whether it is the time of an event; "this year" merely includes the time of speaking."""
    if not when.dated or when.first is None or when.last is None:
        return False
    return not (when.first <= at < when.last and when.last - when.first > _DAY)


def bounds(whens: Sequence[When]) -> list[When]:
    """The expressions that say since when or until when something holds."""
    found = [when for when in whens if when.relation in ("since", "until", "for", "between")]
    return [when for when in found if not _is_of_the_clock(when)]


def _is_of_the_clock(when: When) -> bool:
    """ "for 40 minutes", "from 9 to 11": how long it takes, not how long it stays true."""
    return when.relation in ("for", "between") and when.grain in CLOCK_GRAINS
