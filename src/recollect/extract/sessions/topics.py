"""Statements about what a text field may ask for: a problem, a wish, a reason, a feeling, a product.

Found by how people phrase them, since hardly anyone says "my problem is".
"""

from collections.abc import Iterator, Sequence
from typing import Literal

import regex

from recollect.extract.ontology import words

Topic = Literal["problem", "wish", "reason", "feeling", "product"]
_ANSWER_CHARS_MAX = 300

# Words in a field's name or description that ask for each topic.
_NAMED: dict[Topic, str] = {
    "problem": "problem issue complaint trouble error fault defect symptom concern bug",
    "wish": "goal wish request need intent intention desire objective aim want",
    "reason": "reason cause why motive motivation because",
    "feeling": "mood feeling emotion sentiment",
    "product": "product item device appliance purchase gadget",
}
_ASKS = {matter: frozenset(map(words.stem, named.split())) for matter, named in _NAMED.items()}
_TROUBLE = tuple(
    regex.compile(cue, regex.IGNORECASE)
    for cue in (
        r"\b(?:do|does|did|is|are|was|were|has|have|can|could|will|would|wo)n['\u2019]?t\b",
        r"\b(?:not|never|no longer|cannot|unable|nothing)\b",
        r"\bkeeps?\s+(?:on\s+)?\p{L}+ing\b",
        r"\b(?:fail|break|broke|brok|crash|leak|freez|froze|hang|drop|stuck|stop|lost|los[et]|vanish|"
        r"disappear|miss|refus|delay|damag|crack|scratch|tear|torn|overheat|overcharg)\p{L}*\b",
        r"\b(?:error|wrong|faulty|defective|bug|issue|problem|trouble|broken|noise|noisy|slow|late|"
        r"pain|hurts?|aches?|sore|dizzy|smells?|twice|complain\p{L}*)\b",
        r"\b(?:stays?|remains?|goes|went)\s+(?:black|blank|dark|off|red|silent|offline)\b",
        r"\btoo\s+(?:slow|late|hot|cold|loud|small|big|large|long|short|tight|expensive|weak)\b",
    )
)
_HEALTHY = regex.compile(
    r"\b(?:no|not a|without(?: any)?) (?:problem|issue|trouble)s?\b|\b(?:can(?:['\u2019]?t|not)) wait\b|"
    r"\b(?:works?|working) (?:fine|well|again|now)\b|\bdon['\u2019]?t (?:worry|mind)\b",
    regex.IGNORECASE,
)
_I = r"\b(?:i|we)(?:['\u2019](?:m|d|ve|re|ll))?\b\s*(?:(?:really|just|only|would|am|are|have|still|also)\s+)*"
_WISHES = regex.compile(
    rf"{_I}(?:want(?:ed)?|need|like|love|hop(?:e|ing)|plan(?:ning)?|aim(?:ing)?|trying|try|intend|"
    r"looking for|wish|going)\s+(?P<what>(?:to\s+)?\p{L}.*)",
    regex.IGNORECASE,
)
_LIKES = regex.compile(r"\b(?:i|we)\s+(?:really\s+)?(?:like|love)\b", regex.IGNORECASE)
_ASKED = regex.compile(
    r"(?:\bplease\s+(?P<what>\p{L}.*)|\b(?:can|could|would|will) you\s+(?:please\s+)?(?P<what>\p{L}.*))",
    regex.IGNORECASE,
)
_REASONS = regex.compile(
    r"\b(?:because(?: of)?|since|due to|as)\s+(?P<what>\p{L}.*)|"
    r"\b(?:the|my|our) (?:main )?reason (?:is|was)(?: that)?\s+(?P<what>\p{L}.*)",
    regex.IGNORECASE,
)
_REASON_BEHIND = regex.compile(r",?\s+(?:because|since|so that|but)\b")
_FEELS = regex.compile(
    r"\b(?:i|we)\s?(?:['\u2019](?:m|re)|am|are|feel|felt|was|were)\s+"
    r"(?:(?:really|so|very|quite|pretty|extremely|a bit|too|just)\s+)*"
    r"(?P<what>annoyed|angry|furious|upset|sad|unhappy|happy|glad|pleased|delighted|excited|thrilled|"
    r"worried|anxious|nervous|scared|afraid|frustrated|disappointed|tired|exhausted|bored|lonely|"
    r"confused|calm|relieved|grateful|satisfied|dissatisfied|proud|ashamed|stressed|overwhelmed)\b",
    regex.IGNORECASE,
)
_OWNS = regex.compile(
    r"\b(?:bought|ordered|purchased|got|have|own|received|returned|use|using|return|buy|order)\s+"
    r"(?:an?|the|your|my|our|this|one of your)\s+(?:(?:new|used|old)\s+)?"
    r"(?P<what>[\p{L}\p{N}-]+(?:\s(?!(?:last|this|on|in|at|from|for|and|but|a|two|three|yesterday|"
    r"today|which|that|because|since|with|to|it|is|was|when|after|before|via|by)\b)[\p{L}\p{N}-]+){0,3})",
    regex.IGNORECASE,
)
_SAYS: dict[Topic, tuple["regex.Pattern[str]", ...]] = {
    "wish": (_WISHES, _ASKED),
    "reason": (_REASONS,),
    "feeling": (_FEELS,),
    "product": (_OWNS,),
}
_LEAD = regex.compile(
    r"^(?:(?:hi|hello|hey|well|so|and|but|also|yes|no|ok|okay|actually|unfortunately)[,!]?\s+)+",
    regex.IGNORECASE,
)


def topic_of(own: frozenset[str], described: frozenset[str]) -> Topic | None:
    """The topic of a field, by the words of its name, then by those of its description."""
    for told in (own, described):
        for matter, named in _ASKS.items():
            if told & named:
                return matter
    return None


def statement_about(matter: Topic, text: str, *, answers: bool) -> tuple[str, int] | None:
    """What a text says about a topic, and how clearly, if anything.

    *answers*: the topic was asked for, so the first sentence is the answer unless one is clearer.
    """
    sentences = [one for one in words.sentences(text) if _LEAD.sub("", one).strip(" .!?")]
    found = max(_found(matter, sentences), key=lambda one: one[1], default=None)
    if found is None and answers and sentences and not words.is_question(sentences[0]):
        return _clean(sentences[0]), 1
    return found


def _found(matter: Topic, sentences: Sequence[str]) -> Iterator[tuple[str, int]]:
    for sentence in sentences:
        if matter == "problem":
            clear = _trouble(sentence)
            if clear:
                yield _clean(sentence), clear
            continue
        if matter == "wish" and _LIKES.search(sentence):
            continue
        for form in _SAYS[matter]:
            match = form.search(sentence)
            if match and (matter == "wish" or not words.is_question(sentence)):
                yield _clean(_REASON_BEHIND.split(match["what"])[0]), 1
                break


def _trouble(sentence: str) -> int:
    """The number of trouble cues in a sentence."""
    if words.is_question(sentence) or _HEALTHY.search(sentence) or _WISHES.search(sentence):
        return 0
    return sum(cue.search(sentence) is not None for cue in _TROUBLE)


def _clean(text: str) -> str:
    return _LEAD.sub("", text.strip()).strip(" .!?,")[:_ANSWER_CHARS_MAX]
