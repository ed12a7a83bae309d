"""The question that a session leads to, reworded so that it can be understood without the conversation.

Pronouns in the last question are replaced by their antecedents. If nothing was asked, the question is
what an assistant would have to know to help.
"""

from collections.abc import Sequence

import regex

from recollect.extract.brief import Turn
from recollect.extract.ontology import words
from recollect.extract.ontology.tables import FORMS
from recollect.extract.prose.words import possessive, third
from recollect.extract.sessions import topics
from recollect.graph.gist import listed

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
_ORDERS = listed(
    """
    add arrange ask book bring buy calculate call cancel change check compare create deliver draft
    drive explain fetch find fix get give help list make navigate open order organise organize pay
    plan play prepare print put read recommend remind remove repair replace reserve schedule search
    send set share show start stop suggest summarise summarize take teach tell translate turn update
    write
    """
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
_SMALL = frozenset(words.stem(word) for word in words.FILLER) | {
    "yesterday",
    "today",
    "now",
    "then",
}
_NAME = regex.compile(
    r"\b\p{Lu}[\p{L}\p{N}&.'\u2019-]*(?:\s+(?:(?:of|the|de|and|&)\s+)?\p{Lu}[\p{L}\p{N}&'\u2019-]*)*"
)
_NOT_NAMES = listed(
    """
    i i'm i've i'll i'd a an the and but or so how what when where who which why whose is are was
    were do does did can could would will should have has had yes no sure okay ok perfect thanks
    thank hello hi hey please let let's my your our his her their it its it's this that these those
    there he she they we you in on at for from to with if not never also well great monday tuesday
    wednesday thursday friday saturday sunday january february march april may june july august
    september october november december tell show take play give find
    """
)
_VERB = r"(?:is|was|does|did|do|are|were|can|could|will|would|has|have|had|should|cost|work|mean)"
_NOT_A_THING = r"(?!\s+(?:possible|ok|okay|true|raining|snowing|going|late|time|better|safe|worth))"
_MANY = regex.compile(
    r"\b(?:those|these|them|they)\b(?!\s+(?!have|are|were|do|offer|serve|open|close|and|or)\p{L})",
    regex.IGNORECASE,
)
_POSSESSIVE = regex.compile(r"\b(?:its|his|their|her)\b(?=\s+\p{L})", regex.IGNORECASE)
_PLACE_TO = regex.compile(r"\b((?:get|go|drive|travel|fly|walk|come))\s+there\b", regex.IGNORECASE)
_PLACE_AT = regex.compile(
    r"(?<!\b(?:is|are|was|were|been|be|will)\s)\bthere\b(?=\s*(?:[?,.]|$))", regex.IGNORECASE
)
_ONE = regex.compile(
    rf"\bit\b{_NOT_A_THING}|\b(?:he|she|him|her)\b|\b(?:this|that)\b(?=\s+{_VERB}\b|\s*[?,.]|$)",
    regex.IGNORECASE,
)
_IT = regex.compile(rf"\bit\b{_NOT_A_THING}", regex.IGNORECASE)
_INTRODUCED = regex.compile(
    r"\b(?:i['\u2019]m|i am|my name is|this is|call me)\s+(?=\p{Lu})", regex.IGNORECASE
)
_OF_ONES_OWN = regex.compile(r"\b(?:my|our)\s+(?!name\b)(\p{Ll}[\p{L}-]+)", regex.IGNORECASE)
_ELLIPSIS = regex.compile(r"^(?:and|or|what about|how about|but)\b", regex.IGNORECASE)


def synthesize_question(turns: Sequence[Turn]) -> str:
    """The user's last question, reworded to be understood alone.

    Without a question, it is one about the user's last statement; empty if nothing was said.
    """
    asked = [place for place, turn in enumerate(turns) if turn.role in (None, "user", "norole")]
    for place in reversed(asked):
        questions = [
            item for item in words.sentences(turns[place].content) if words.is_question(item)
        ]
        if questions:
            before = [turn.content for turn in turns[:place]]
            within = turns[place].content.split(questions[-1], 1)[0]
            return standalone(questions[-1], [*before, within], _previous(turns, place, asked))
    for place in reversed(asked):
        before = [turn.content for turn in turns[:place]]
        said = standalone(turns[place].content, before, None)
        if question := question_about(said, turns[place].speaker):
            return question
    return ""


def _previous(turns: Sequence[Turn], place: int, asked: Sequence[int]) -> str | None:
    """The question before this one, which "And in Paris?" continues."""
    for earlier in reversed([other for other in asked if other < place]):
        for sentence in reversed(list(words.sentences(turns[earlier].content))):
            if words.is_question(sentence):
                return sentence
    return None


def question_about(message: str, speaker: str | None) -> str:
    """The question to ask after a message that is not a question; empty if the message says nothing."""
    told = [one.strip(" .!\u2026") for one in words.sentences(message)]
    telling = [one for one in told if len(words.words(one)) >= _WORDS_LEAST]
    if not telling:
        return ""
    who = speaker or NOBODY
    problem = topics.statement_about("problem", message, answers=False)
    if problem is not None:
        return f"What can be done, given that {in_third_person(problem[0], who)}?"
    return _asked(telling[-1], who)


def _asked(said: str, who: str) -> str:
    about = _ABOUT.fullmatch(said)
    if about:
        return f"What is there to know about {_of_others(about['what'], who)}?"
    together = _LETS.fullmatch(said)
    wish = topics.statement_about("wish", said, answers=False)
    if together or wish:
        wanted = together["what"] if together else wish[0] if wish else ""
        return _how(wanted, who, by=who)
    if words.words(said)[:1] and words.words(said)[0] in _ORDERS:
        return _how(said, who, by="one")
    return f"What is worth knowing, given that {in_third_person(said, who)}?"


def _how(wanted: str, who: str, *, by: str) -> str:
    """How to do what is wanted, or how to get it if it is a thing."""
    does = _TO_DO.fullmatch(wanted)
    act = does["what"] if does else wanted
    verb = words.words(act)[:1]
    if not does and verb and verb[0] not in _ORDERS | {"go", "eat", "meet", "visit", "talk", "see"}:
        act = f"get {act}"
    elif not does and verb and verb[0] in _ORDERS and by == who and act == wanted:
        by = "one"
    return f"How can {by} {_of_others(act[0].lower() + act[1:], who)}?"


def in_third_person(said: str, who: str) -> str:
    """A first-person statement in the third person, about *who*."""
    text = said.replace("\u2019", "'").strip(" .!?")
    text = _SELF.sub(lambda found: f"{who} {_verb(found)}", text)
    text = _of_others(text, who)
    opening = _FIRST_WORD.match(text)
    if opening and not text.startswith(who) and words.stem(opening[0]) in _SMALL:
        text = text[0].lower() + text[1:]
    return text


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


def standalone(question: str, before: Sequence[str], previous: str | None) -> str:
    """*question* with its pronouns replaced by names from the texts *before* it, the newest last.

    An elliptical question ("And in Paris?") is appended to the *previous* one.
    """
    question = question.strip()
    if previous is not None and _ELLIPSIS.match(question) and len(words.words(question)) <= 6:
        return f"{previous.strip()} {question}"
    sentences = [sentence for text in before for sentence in words.sentences(text)]
    thing, newer = _thing(sentences)
    if thing is not None and not any(_names_in(sentence) for sentence in newer):
        question = _IT.sub(lambda _: f"the {thing}", question)
    names = [found for sentence in sentences if (found := _names_in(sentence))]
    if not names:
        return question
    latest = names[-1]
    question = _MANY.sub(lambda _: _together(latest), question)
    one = latest[-1]
    question = _POSSESSIVE.sub(lambda _: f"{one}'s", question)
    question = _PLACE_TO.sub(lambda found: f"{found.group(1)} to {one}", question)
    question = _PLACE_AT.sub(lambda _: f"at {one}", question)
    return _ONE.sub(lambda _: one, question)


def _thing(sentences: Sequence[str]) -> tuple[str | None, Sequence[str]]:
    """The last thing that someone said they have, and the sentences after that."""
    for place in range(len(sentences) - 1, -1, -1):
        if words.is_question(sentences[place]):
            continue
        owned = topics.statement_about("product", sentences[place], answers=False)
        own = _OF_ONES_OWN.search(sentences[place])
        if owned or own:
            return owned[0] if owned else own[1] if own else None, sentences[place + 1 :]
    return None, ()


def _names_in(sentence: str) -> list[str]:
    """The names in a sentence, in order, except one by which the speaker introduces themselves."""
    if _INTRODUCED.search(sentence):
        return []
    found = (_cleaned(item, sentence) for item in _NAME.finditer(sentence))
    return list(dict.fromkeys(name for name in found if name))


def _cleaned(found: "regex.Match[str]", sentence: str) -> str | None:
    """A name without words that merely open the sentence; None for a single word that opens it."""
    parts = found.group().rstrip(".,").split()
    dropped = False
    while parts and parts[0].lower().replace("\u2019", "'") in _NOT_NAMES:
        parts, dropped = parts[1:], True
    first = not sentence[: found.start()].strip(" \"'\u201c")
    if not parts or (first and not dropped and len(parts) == 1):
        return None
    return regex.sub(r"['\u2019]s$", "", " ".join(parts))


def _together(names: Sequence[str]) -> str:
    if len(names) < 3:
        return " or ".join(names)
    return ", ".join(names[:-1]) + " or " + names[-1]
