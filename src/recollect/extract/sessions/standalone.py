"""A question without its conversation: what its pronouns stand for is put in their place."""

from collections.abc import Sequence

import regex

from recollect.extract.ontology import words
from recollect.extract.sessions import matters

_NAME = regex.compile(
    r"\b\p{Lu}[\p{L}\p{N}&.'\u2019-]*(?:\s+(?:(?:of|the|de|and|&)\s+)?\p{Lu}[\p{L}\p{N}&'\u2019-]*)*"
)
_NOT_NAMES = frozenset(
    """
    i i'm i've i'll i'd a an the and but or so how what when where who which why whose is are was
    were do does did can could would will should have has had yes no sure okay ok perfect thanks
    thank hello hi hey please let let's my your our his her their it its it's this that these those
    there he she they we you in on at for from to with if not never also well great monday tuesday
    wednesday thursday friday saturday sunday january february march april may june july august
    september october november december tell show take play give find
    """.split()  # noqa: SIM905 - a list of one word per line hides the words
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


def standalone(question: str, before: Sequence[str], previous: str | None) -> str:
    """*question* with names for its pronouns, out of the texts *before* it, the newest last.

    A question that leaves out its verb ("And in Paris?") is put behind the *previous* one.
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
    """What somebody last said to have, and the sentences after that."""
    for place in range(len(sentences) - 1, -1, -1):
        if words.is_question(sentences[place]):
            continue
        owned = matters.said("product", sentences[place], answers=False)
        own = _OF_ONES_OWN.search(sentences[place])
        if owned or own:
            return owned[0] if owned else own[1] if own else None, sentences[place + 1 :]
    return None, ()


def _names_in(sentence: str) -> list[str]:
    """The names in a sentence, in order, but for that of whoever speaks."""
    if _INTRODUCED.search(sentence):
        return []
    found = (_cleaned(item, sentence) for item in _NAME.finditer(sentence))
    return list(dict.fromkeys(name for name in found if name))


def _cleaned(found: "regex.Match[str]", sentence: str) -> str | None:
    """A name without what only begins a sentence; a lone word there is no name for sure."""
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
