"""Expressions that only look like dates: parts of names, marks, versions, days counted in a story."""

from __future__ import annotations

from datetime import datetime, timedelta

import regex

from recollect.extract.prose.expression import MONTH, TIED, WEEKDAY, Expression
from recollect.extract.prose.syntax import verbal
from recollect.extract.prose.tenses import FROM_TO

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
    r"\b(?:on|by|since|until|till?|from|before|after|for)\s*$", regex.IGNORECASE
)
_LINKS = frozenset({"in", "on", "during", "since", "until", "till", "by", "from", "at", "for"})


def is_undated(said: Expression, at: datetime) -> bool:
    """Whether it names no date, as far as one can tell."""
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
    if _GREETING.search(said.before) and (when.grain == "decade" or "new year" in text.lower()):
        return True
    if text.lower().endswith("later") and any(token.tag_ == "VBD" for token in said.segment):
        return True  # than something else that was told
    slashed = _SLASHED.fullmatch(text)
    if slashed is not None and _is_ambiguous(slashed, said, at):
        return True
    marked = "/" in text and _LINKED.search(said.before) is None
    return _NO_DATE.fullmatch(text) is not None and (marked or "/" not in text)


def _is_ambiguous(date: regex.Match[str], said: Expression, at: datetime) -> bool:
    """Whether the day may be the month, and the month first gives a date far away: "12/5" in May."""
    one, two = int(date["one"]), int(date["two"])
    far = said.when.first is None or abs(said.when.first - at) > _FAR
    return one != two and max(one, two) <= _MONTHS and far


def _is_name(said: Expression) -> bool:
    """Whether it describes the noun behind it: "the *Easter* bunny", "before the *summer* break".

    A fiscal year begins when somebody decides, so it is but a name, too.
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
    """Whether it tells from which day something was moved, and not how long it lasts."""
    from_it = "from" in (said.before[-5:] + said.when.text[:5]).lower()
    return from_it and FROM_TO.search(said.before) is not None
