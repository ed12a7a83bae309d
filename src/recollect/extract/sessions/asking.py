"""A question out of what somebody said without asking: what one would have to know to help.

The statement is put into the third person, so that the question stands without its conversation.
"""

import regex

from recollect.extract.ontology import words
from recollect.extract.ontology.tables import FORMS
from recollect.extract.prose.inflect import possessive, third
from recollect.extract.sessions import matters

NOBODY = "the user"
_WORDS_LEAST = 3
_ADVERBS = (
    r"(?:(?:really|just|also|always|still|often|never|usually|only|already|now|currently)\s+)?"
)
_TO_DO = regex.compile(r"(?:to|going to|about to)\s+(?P<what>\p{L}.*)", regex.IGNORECASE)
_LETS = regex.compile(r"let['\u2019]?s\s+(?P<what>.*)", regex.IGNORECASE)
_ABOUT = regex.compile(
    r"(?:please\s+)?(?:tell|teach|show|remind) (?:me|us)\s+(?:\p{L}+\s+){0,3}?(?:about|of)\s+(?P<what>.*)",
    regex.IGNORECASE,
)
_ORDERS = frozenset(
    """
    add arrange ask book bring buy calculate call cancel change check compare create deliver draft
    drive explain fetch find fix get give help list make navigate open order organise organize pay
    plan play prepare print put read recommend remind remove repair replace reserve schedule search
    send set share show start stop suggest summarise summarize take teach tell translate turn update
    write
    """.split()  # noqa: SIM905 - a list of one word per line hides the words
)
_BE = {"'m": "is", " am": "is", "'re": "is", " are": "is", " was": "was", " were": "was"}
_HELPERS = _BE | {
    "'ve": "has",
    " have": "has",
    "'ll": "will",
    "'d": "would",
    " had": "had",
    **{f" {verb}": verb for verb in ("will", "would", "can", "could", "must", "should", "might")},
    " don't": "does not",
    " do not": "does not",
    " didn't": "did not",
    " haven't": "has not",
    " can't": "cannot",
    " won't": "will not",
    " couldn't": "could not",
    " wasn't": "was not",
}
_HELPED = "|".join(sorted(map(regex.escape, _HELPERS), key=len, reverse=True))
_SELF = regex.compile(
    rf"\b(?:i|we)(?:(?P<helper>{_HELPED})\b|\s+(?P<adverb>{_ADVERBS})(?P<verb>\p{{L}}+))",
    regex.IGNORECASE,
)
_OTHERS = regex.compile(r"\b(?:my|our|mine|ours|me|us|myself|your|yours|you)\b", regex.IGNORECASE)
_FIRST_WORD = regex.compile(r"\p{Lu}\p{Ll}*")


def question_about(message: str, speaker: str | None) -> str:
    """What there is to ask after a message that asks nothing; empty when it says nothing."""
    told = [one.strip(" .!\u2026") for one in words.sentences(message)]
    telling = [one for one in told if len(words.words(one)) >= _WORDS_LEAST]
    if not telling:
        return ""
    who = speaker or NOBODY
    problem = matters.said("problem", message, answers=False)
    if problem is not None:
        return f"What can be done, given that {in_third_person(problem[0], who)}?"
    return _asked(telling[-1], who)


def _asked(said: str, who: str) -> str:
    about = _ABOUT.fullmatch(said)
    if about:
        return f"What is there to know about {_of_others(about['what'], who)}?"
    together = _LETS.fullmatch(said)
    wish = matters.said("wish", said, answers=False)
    if together or wish:
        wanted = together["what"] if together else wish[0] if wish else ""
        return _how(wanted, who, by=who)
    if words.words(said)[:1] and words.words(said)[0] in _ORDERS:
        return _how(said, who, by="one")
    return f"What is worth knowing, given that {in_third_person(said, who)}?"


def _how(wanted: str, who: str, *, by: str) -> str:
    """How something that is wanted is done, or got if it is a thing."""
    does = _TO_DO.fullmatch(wanted)
    act = does["what"] if does else wanted
    verb = words.words(act)[:1]
    if not does and verb and verb[0] not in _ORDERS | {"go", "eat", "meet", "visit", "talk", "see"}:
        act = f"get {act}"
    elif not does and verb and verb[0] in _ORDERS and by == who and act == wanted:
        by = "one"
    return f"How can {by} {_of_others(act[0].lower() + act[1:], who)}?"


def in_third_person(said: str, who: str) -> str:
    """What somebody says of themselves, as others would say it."""
    text = said.replace("\u2019", "'").strip(" .!?")
    text = _SELF.sub(lambda found: f"{who} {_verb(found)}", text)
    text = _of_others(text, who)
    opening = _FIRST_WORD.match(text)
    if opening and not text.startswith(who) and words.stem(opening[0]) in _SMALL:
        text = text[0].lower() + text[1:]
    return text


_SMALL = frozenset(words.stem(word) for word in words.FILLER) | {
    "yesterday",
    "today",
    "now",
    "then",
}


def _verb(found: "regex.Match[str]") -> str:
    if found["helper"]:
        return _HELPERS[found["helper"].lower()]
    verb = found["verb"].lower()
    inflected = verb in FORMS or verb.endswith("ed")
    return f"{found['adverb']}{verb if inflected else third(verb)}"


def _of_others(text: str, who: str) -> str:
    named = False

    def other(found: "regex.Match[str]") -> str:
        nonlocal named
        word = found.group().lower()
        if word in ("my", "our", "mine", "ours"):
            first, named = not named, True
            return possessive(who) if first else "their"
        if word in ("your", "yours", "you"):
            return "the" if word == "your" else "the assistant"
        return "themselves" if word == "myself" else who

    return _OTHERS.sub(other, text)
