"""Sentences about the fields of JSON objects."""

import re
from collections.abc import Sequence

from recollect.extract.documents.keys import singular, table
from recollect.extract.prose.words import possessive
from recollect.graph.types import Record
from recollect.limits import JSON_VALUE_CHARS_MAX

_BLANK = re.compile(r"\s+")
_DESCRIBED = re.compile(r"[a-z]+( [a-z]+)? (of|on|with|for) ")
_SEGMENTS_MAX = 3


class PathStep(Record):
    """One key on the path from an entity to a value; *which* distinguishes list items."""

    key: str
    which: str | None = None


def plain(text: str) -> str:
    """Text on one line."""
    return _BLANK.sub(" ", text).strip()


def shortened(text: str) -> str:
    """A value, cut to a length that fits a sentence."""
    text = plain(text)
    return text if len(text) <= JSON_VALUE_CHARS_MAX else text[: JSON_VALUE_CHARS_MAX - 1] + "…"


def spaced(key: str) -> str:
    """A canonical key as words."""
    return key.replace("_", " ")


def joined(phrase: str) -> str:
    """Words as a canonical key."""
    return "_".join(re.findall(r"[^\W_]+", phrase.lower()))


def quoted(name: str) -> str:
    """A name, in quotes if it would not be recognised as one within a sentence."""
    loud = len(name.split()) > 4 or any(mark in name for mark in ":;!?,")
    return f'"{name}"' if loud else name


def opened(phrase: str) -> str:
    """A phrase with its first letter capitalised, to begin a sentence."""
    return phrase[:1].upper() + phrase[1:]


def slot(path: Sequence[PathStep]) -> str:
    """The key path of a value from its entity on. List items go by name, not by position."""
    parts = (step.key if step.which is None else f"{step.key}[{step.which}]" for step in path)
    return ".".join(parts)


def segments(path: Sequence[PathStep], noun: str) -> list[str]:
    """The informative parts of a path, outermost first.

    Envelope keys are left out, and so are words that repeat the owner or a neighbouring key: the
    account_status of an account is its status.
    """
    kept: list[str] = []
    for number, step in enumerate(path):
        if number < len(path) - 1 and step.key in table().envelopes.neutral:
            continue
        words = f"{spaced(singular(step.key))} {step.which}" if step.which else spaced(step.key)
        if kept and kept[-1].endswith(words):
            continue
        if kept and words.startswith(kept[-1] + " "):
            kept.pop()
        kept.append(words)
    owner = spaced(noun)
    if kept and noun and kept[0].startswith(f"{owner} "):
        kept[0] = kept[0][len(owner) + 1 :]
    return kept[-_SEGMENTS_MAX:]


def phrase(path: Sequence[PathStep], noun: str) -> str:
    """What a value is: "reason of the account status"."""
    return " of the ".join(reversed(segments(path, noun)))


def has(owner: str, what: str, value: str, *, person: bool) -> str:
    """The sentence for any field: "Eric Clapton's age is 78"."""
    verb = "are" if _is_plural(what) else "is"
    if person and " of the " not in what:
        return f"{possessive(owner)} {what} {verb} {value}"
    return f"The {what} of {determined(owner)} {verb} {value}"


def one_of(owner: str, what: str, value: str, *, person: bool) -> str:
    """The sentence for one value of several: "One of Jane Smith's projects is Alpha"."""
    if person and " of the " not in what:
        return f"One of {possessive(owner)} {what} is {value}"
    return f"One of the {what} of {determined(owner)} is {value}"


def noted(owner: str, what: str, value: str) -> str:
    """The sentence for a field of a document that does not say what it describes."""
    return f"In {owner}, the {what} {'are' if _is_plural(what) else 'is'} {value}"


def determined(label: str) -> str:
    """A label with an article, if it is a common noun with a description after it."""
    return f"the {label}" if _DESCRIBED.match(label) else label


def _is_plural(what: str) -> bool:
    last = what.split(" of the ", 1)[0].split(" ")[-1]
    return singular(last) != last
