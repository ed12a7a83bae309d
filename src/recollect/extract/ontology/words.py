"""Words of names, descriptions and sentences, normalised for comparison."""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Generic, TypeVar

import regex

from recollect.extract.ontology.tables import FORMS
from recollect.graph import gist

_WORD = regex.compile(r"[\p{L}\p{M}\p{N}]+(?:['\u2019-][\p{L}\p{M}\p{N}]+)*")
_CAMEL = regex.compile(r"(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})")
_SENTENCE = regex.compile(r"[^.!?\n]+(?:[.!?](?![\s\n]|$)[^.!?\n]*)*[.!?]*")
_LIST_OPENING = regex.compile(
    r"\b(?:for example|for instance|e\.g|such as|including|examples?)\b[\s,:.]*|, like\s+|:\s+",
    regex.IGNORECASE,
)
_LIST_END = regex.compile(r"[.;()\n]|\betc\b|\band so on\b", regex.IGNORECASE)
_LIST_COMMA = regex.compile(
    r"\s*,\s*(?:or\s+|and\s+)?|\s+or\s+|\s+and\s+|\s*/\s*", regex.IGNORECASE
)
_NEGATION = frozenset({"not", "no", "never", "without", "neither", "nor", "cannot", "nothing"})
_ARTICLES = ("a ", "an ", "the ")
_HEAD_END = r"\s+(?:of|in|at|for|with|on|from|by|near|such as|like|including|about)\s+|,|\("
_EXAMPLE_WORDS_MAX = 5
_BOOLEAN_WORDS = frozenset({"true", "false", "yes", "no"})

# Words that say nothing about a type or a relation.
FILLER = gist.listed(
    """
    a an the of to in on at for with by from and or as is are was were be been being that which who
    whom whose this these those it its his her their my our your i you he she we they me him us them
    represent represents fact specific entity entities type kind sort something someone anything any
    some user users such etc has have had do does did not no if there thing things about into
    """
)

Value = TypeVar("Value")


def words(text: str) -> list[str]:
    """The words of *text* in order, in lower case, with plain apostrophes."""
    return [word.lower().replace("\u2019", "'") for word in _WORD.findall(text)]


@lru_cache(maxsize=16_384)
def stem(word: str) -> str:
    """A word without its ending, so that "visited" matches "visit" and "cafes" matches "cafe"."""
    word = word.lower().replace("\u2019", "'").removesuffix("'s")
    word = FORMS.get(word, word)
    if word.endswith("s") and len(word) > 3 and word[-2] not in "su":
        word = word[:-2] if word.endswith(("sses", "xes", "ches", "shes")) else word[:-1]
    word = _without_verb_ending(word)
    if word.endswith("ie"):
        return word[:-1]
    if word.endswith("y") and len(word) > 3:
        return word[:-1] + "i"
    return word[:-1] if word.endswith("e") and len(word) > 3 else word


def _without_verb_ending(word: str) -> str:
    for ending in ("ing", "ed"):
        base = word.removesuffix(ending)
        if base == word or len(base) < 3 or not any(letter in "aeiouy" for letter in base):
            continue
        doubled = base[-1] == base[-2] and base[-1] not in "lsz"
        return base[:-1] if doubled else base
    return word


def stems(text: str) -> list[str]:
    """The stems of the words of *text*, in order."""
    return [stem(word) for word in words(text)]


def telling(text: str) -> set[str]:
    """The stems of the meaningful words of *text*."""
    return {stem(word) for word in words(text) if word not in FILLER}


def name_words(name: str) -> list[str]:
    """The words of an identifier: "RestaurantVisit" and "RESTAURANT_VISIT" are two each."""
    spaced = _CAMEL.sub(" ", name.replace("_", " ").replace("-", " "))
    return words(spaced)


class Runs(Generic[Value]):
    """Values keyed by phrases, looked up in a sentence by the first stem of each."""

    def __init__(self, pairs: Iterable[tuple[str, Value]]) -> None:
        self._by_first: dict[str, list[tuple[list[str], Value]]] = {}
        for phrase, value in pairs:
            run = stems(phrase)
            self._by_first.setdefault(run[0], []).append((run, value))

    def within(self, said: Sequence[str]) -> list[Value]:
        """The values whose phrases occur in a sentence, in its order."""
        return [
            value
            for place, first in enumerate(said)
            for run, value in self._by_first.get(first, ())
            if list(said[place : place + len(run)]) == run
        ]


def position(haystack: Sequence[str], needle: Sequence[str]) -> int | None:
    """Where *needle* begins in *haystack*, if it occurs there as a run."""
    size = len(needle)
    if not size:
        return None
    for start in range(len(haystack) - size + 1):
        if list(haystack[start : start + size]) == list(needle):
            return start
    return None


def sentences(text: str) -> Iterator[str]:
    """The sentences of *text*, roughly, with their punctuation."""
    for match in _SENTENCE.finditer(text):
        if sentence := match.group().strip():
            yield sentence


def is_question(sentence: str) -> bool:
    """Whether a sentence is a question."""
    return sentence.rstrip().endswith("?")


def examples(description: str) -> tuple[str, ...]:
    """What a description gives as examples: after "for example", "such as" or a colon."""
    found: dict[str, None] = {}
    for opening in _LIST_OPENING.finditer(description):
        end = _LIST_END.search(description, opening.end())
        listed = description[opening.end() : end.start() if end else len(description)]
        for item in _LIST_COMMA.split(listed):
            cleaned = bare(item.strip(" '\"`"))
            if cleaned and len(cleaned.split()) <= _EXAMPLE_WORDS_MAX:
                found[cleaned] = None
    return tuple(item for item in found if item.lower() not in _BOOLEAN_WORDS)


def listed(phrase: str) -> list[str]:
    """The alternatives in a phrase: "a car, truck, or motorcycle"."""
    return [item for item in _LIST_COMMA.split(phrase) if item.strip()]


def bare(phrase: str) -> str:
    """A phrase without its article."""
    for article in _ARTICLES:
        if phrase.lower().startswith(article):
            return phrase[len(article) :]
    return phrase


def with_article(noun: str) -> str:
    """A noun with the article that fits it."""
    return f"{'an' if noun[:1].lower() in 'aeiou' else 'a'} {noun}"


def negated_before(tokens: Sequence[str], place: int, reach: int = 4) -> bool:
    """Whether a negation shortly precedes a position in a sentence."""
    return any(
        word in _NEGATION or word.endswith("n't") for word in tokens[max(0, place - reach) : place]
    )


def is_named(name: str) -> bool:
    """Whether it looks like a proper name: it has a capital or a digit."""
    return any(letter.isupper() or letter.isdigit() for letter in name)


def head(name: str) -> str:
    """The stem of a name's head noun: "Green Leaf Cafe" is a cafe."""
    before = regex.split(_HEAD_END, name, maxsplit=1)[0]
    found = stems(before) or stems(name)
    return found[-1] if found else ""
