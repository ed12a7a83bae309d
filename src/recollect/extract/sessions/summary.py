"""The class of a session, and a summary made of its own sentences."""

from collections.abc import Sequence

import numpy as np
import regex

from recollect.errors import InvalidInput
from recollect.extract.brief import Turn
from recollect.extract.ontology import words
from recollect.extract.ontology.shapes import Embed, Space
from recollect.models.embedder import Vectors

_TEXT_CHARS_MAX = 900
# The weight of a class name with the instruction before it, relative to the name alone.
_CONTEXT = 0.5
_SENTENCES_MAX = 200
_WORDS_LEAST = 4
_RECENCY = 0.08
_REPEATS = 0.93

_FIRST_PERSON = regex.compile(r"\b(?:i|me|we|us|our|ours|mine|myself|you|your|yours)\b")
_OPENINGS = (
    (regex.compile(r"^I(?:['\u2019]m| am)\b"), "is"),
    (regex.compile(r"^I was\b"), "was"),
    (regex.compile(r"^I(?:['\u2019]ve| have)\b"), "has"),
    (regex.compile(r"^I had\b"), "had"),
    (regex.compile(r"^I(?:['\u2019]ll| will)\b"), "will"),
    (regex.compile(r"^I (?=\p{Ll}+ed\b)"), ""),
)


def classify_text(text: str, classes: Sequence[str], instruction: str | None, embed: Embed) -> str:
    """The class most similar to a text; *instruction* says what the classes are about."""
    if not classes:
        raise InvalidInput("classes: must not be empty")
    space = Space(embed)
    said = space.thing(text[-_TEXT_CHARS_MAX:])
    names = [" ".join(words.name_words(item)) or item for item in classes]
    scores = [float(space.thing(name) @ said) for name in names]
    if instruction and instruction.strip():
        context = instruction.strip().rstrip(".:")
        told = [float(space.thing(f"{context}: {name}") @ said) for name in names]
        scores = [one + _CONTEXT * other for one, other in zip(scores, told, strict=True)]
    return classes[int(np.argmax(scores))]


def summarize(said: Sequence[Turn] | Sequence[str], chars_max: int, embed: Embed) -> str:
    """The most representative sentences, in their order, within *chars_max* characters.

    Central sentences are chosen first, newer ones before older. First-person statements are put
    into the third person where that is simple, and quoted otherwise.
    """
    sentences = [sentence for item in said for sentence in _sentences_of(item)][-_SENTENCES_MAX:]
    sentences = list(dict.fromkeys(sentences))
    if not sentences:
        return ""
    vectors = embed(sentences)
    chosen: list[int] = []
    for place in _by_weight(vectors):
        size = sum(len(sentences[other]) + 1 for other in chosen) + len(sentences[place])
        repeats = any(float(vectors[place] @ vectors[other]) > _REPEATS for other in chosen)
        if size <= chars_max and not repeats:
            chosen.append(place)
    if not chosen:
        return _cut(sentences[_by_weight(vectors)[0]], chars_max)
    return " ".join(sentences[place] for place in sorted(chosen))


def _by_weight(vectors: Vectors) -> list[int]:
    count = len(vectors)
    central = (vectors @ vectors.T).mean(axis=1)
    newer = np.arange(count) / max(count - 1, 1)
    return [int(place) for place in np.argsort(-(central + _RECENCY * newer), kind="stable")]


def _sentences_of(item: Turn | str) -> list[str]:
    if isinstance(item, str):
        text = item.strip()
        return [text if text.endswith((".", "!", "?")) else text + "."] if text else []
    told = [sentence for sentence in words.sentences(item.content) if _tells(sentence)]
    return [_in_third_person(sentence, item.speaker or item.role or "user") for sentence in told]


def _tells(sentence: str) -> bool:
    return not words.is_question(sentence) and len(words.words(sentence)) >= _WORDS_LEAST


def _in_third_person(sentence: str, speaker: str) -> str:
    sentence = sentence.strip()
    closed = sentence if sentence.endswith((".", "!")) else sentence + "."
    if not _FIRST_PERSON.search(regex.sub(r"['\u2019]\p{L}+", "", closed.lower())) and not (
        regex.search(r"\bmy\b", closed.lower())
    ):
        return closed
    for opening, verb in _OPENINGS:
        if opening.match(closed):
            rest = regex.sub(r"\bmy\b", "their", opening.sub("", closed, count=1)).strip()
            if not _FIRST_PERSON.search(rest.lower()):
                return " ".join(part for part in (speaker, verb, rest) if part)
    return f"{speaker} said: \u201c{sentence}\u201d"


def _cut(text: str, chars_max: int) -> str:
    if len(text) <= chars_max:
        return text
    if chars_max < 2:
        return text[:chars_max]
    return text[: chars_max - 1].rsplit(" ", 1)[0][: chars_max - 1] + "…"
