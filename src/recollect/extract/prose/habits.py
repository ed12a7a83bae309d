"""What is so or done again and again: "gym on Tuesday", "Sunday is mass", "we always ski in March"."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

import regex
from msgspec.structs import replace

from recollect.dates.when import Tense, When
from recollect.extract.prose.expression import MONTH, TIED, Expression
from recollect.extract.prose.listed import listed
from recollect.extract.prose.syntax import SUBJECTS, child
from recollect.extract.prose.undated import is_undated

if TYPE_CHECKING:
    from spacy.tokens import Span, Token

_OFTEN = listed(
    "usually always normally generally typically regularly mostly often sometimes only still"
)
_YEARLY = frozenset({"birthday", "anniversary", "bday"})
_OPEN = frozenset({"open", "closed", "shut"})
_DAYS_OF = frozenset({"day", "night", "days", "nights"})
_REGULAR = listed(
    "club class choir practice training rehearsal standup retro mass yoga pilates lesson therapy"
)
# In the simple present these tell what is scheduled; other verbs tell what is done again and again.
_SCHEDULED = listed(
    "arrive leave depart fly land start begin open close end finish come go return drop launch release ship"
    " move travel drive meet see get visit expire stop resume air take fall join hand host marry depart"
    " need want hope expect wish plan think know owe say tell mean suit work happen let seem look turn"
    " graduate retire celebrate present check head sail kick premiere debut deliver sign face"
)
_NEAR = 6
_EVERY = regex.compile(r"\b(?:every|each) year\b|\b(?:yearly|annually)\b", regex.IGNORECASE)
_NTH = regex.compile(
    r"\b(?:first|second|third|fourth|last|[1-4]\p{L}\p{L}) \p{L}+ (?:of|in) the month$",
    regex.IGNORECASE,
)


def settled(
    whens: Sequence[When], sentence: Span, tenses: Mapping[int, Tense | None], at: datetime
) -> list[When]:
    """The expressions of a sentence that name a time; what repeats is marked."""
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
    """ "office Tue-Thu", "match day Sunday", or a note beside what is done every week."""
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
