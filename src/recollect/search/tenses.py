"""Whether a question is about what was, what is or what will be, by its plainest words."""

import re

from recollect.dates import Tense

_IRREGULAR = (
    "ate became began bent blew bought broke brought built came caught chose did drank drew drove "
    "fed fell felt flew forgot fought found gave got grew had heard held hid hung kept knew left "
    "lent lit lost made meant met paid ran rang rode rose said sang sat saw sent shot slept sold "
    "spent spoke stole stood swam taught thought threw told took understood was went were woke won "
    "wore wrote"
)
# "Bed", "red" and "need" only look like a past; "used" and "led" are one.
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
# "Is the doorbell muted", "what is the approved budget": a state, but "the book that she borrowed".
_STATE = re.compile(
    r"\b(?:[Ii]s|[Aa]re|[Aa]m)\b(?P<between>(?:\s[\w'\u2019-]+){1,6}?)\s(?P<state>[a-z]{2,}ed)\b"
)
_DONE_BY = re.compile(
    r"\s\S+\s(?:I|you|he|she|it|we|they|who|that|which)$|\s[a-z]\S*(?:\s[A-Z]\S*)+$"
)
_BEING = re.compile(r"\b(?:is|are|am|can|should|may|must)\b|\b\w+['\u2019]s\b")


def tense_of(text: str) -> Tense | None:
    """The tense of a question; None when its words do not tell, as a list of keywords does not.

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
    """A question without the participle that only says in what state something is."""
    state = _STATE.search(text)
    if state is None or _DONE_BY.search(state["between"]):
        return text
    return text[: state.start("state")] + text[state.end("state") :]


def is_habit(text: str) -> bool:
    """Whether a question asks what is done again and again, as "what does she eat" does."""
    lower = text.lower()
    return tense_of(text) == "present" and _HABIT.search(lower) is not None


def says_past(clause: str) -> bool:
    """Whether some verb of *clause* is in the past."""
    return _PAST.search(clause.lower()) is not None
