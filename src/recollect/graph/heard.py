"""Where the names of known things stand in a running text.

A name is looked for by its key (`names.keys`), so a text of any length is held against a graph of any
size with a bounded number of look-ups. That the letters are equal is not enough: "will" is no Will,
a green day is no Green Day, and who speaks of Sean Paul does not speak of Paul.
"""

import re
from collections.abc import Container, Iterable, Iterator
from functools import lru_cache

from recollect.graph import names
from recollect.graph.types import Record
from recollect.limits import NAME_WORDS_MAX, NAMED_WORDS_MAX

_REMEMBERED = 16_384
_WORD = re.compile(r"[^\s,;:!?()\[\]{}<>\"\u201c\u201d\u201e\u00ab\u00bb\u2026\u2014\u2013/|]+")
_SHORT = re.compile(r"[A-Z]\w{0,2}\.")  # "St. Gallen", "Dr. Who": no end of a sentence
_POSSESSIVE = re.compile(r"['\u2019]s?$")
_ENDS = re.compile(r"[.!?\n]")
_I = frozenset({"i", "i'm", "i'll", "i've", "i'd"})
_TITLES = frozenset({"mr", "mrs", "ms", "miss", "mx", "dr", "prof", "professor", "sir", "dame"})
_ARTICLES = frozenset({"a", "an", "the"})
_INDEFINITE = frozenset({"a", "an"})
_PRONOUNS = frozenset("i you he she it we they who".split())  # noqa: SIM905
_DEMONSTRATIVES = frozenset("this that these those there which what".split())  # noqa: SIM905
_MODALS = frozenset(
    [
        "to",
        "can",
        "could",
        "will",
        "would",
        "shall",
        "should",
        "may",
        "might",
        "must",
        "do",
        "does",
        "did",
        "don't",
        "doesn't",
        "didn't",
        "can't",
        "couldn't",
        "won't",
        "wouldn't",
        "shouldn't",
        "not",
        "never",
        "let's",
        "please",
        "always",
        "often",
        "usually",
    ]
)
# What follows the first word of a sentence when that one is a verb: "Will you", "Mark the", "Hope to".
_OBJECTS = frozenset(
    [
        "i",
        "you",
        "he",
        "she",
        "it",
        "we",
        "they",
        "me",
        "him",
        "her",
        "us",
        "them",
        "the",
        "a",
        "an",
        "this",
        "that",
        "these",
        "those",
        "there",
        "my",
        "your",
        "his",
        "our",
        "their",
        "its",
        "to",
        "off",
        "up",
        "out",
        "someone",
        "somebody",
        "anyone",
        "anybody",
        "everyone",
        "everybody",
        "nobody",
        "everything",
        "something",
        "anything",
        "nothing",
        "all",
        "any",
        "some",
        "no",
        "not",
        "both",
        "each",
    ]
)
_NO_NOUNS = _PRONOUNS | _DEMONSTRATIVES | _MODALS | _OBJECTS
_BEFORE_VERBS = _PRONOUNS | _MODALS
_NO_PART_OF_NAMES = _I | _TITLES
_MONTHS_AND_DAYS = frozenset(
    [
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
        "monday",
        "tuesday",
        "wednesday",
        "thursday",
        "friday",
        "saturday",
        "sunday",
    ]
)
_BEFORE_DATES = frozenset(
    [
        "in",
        "last",
        "next",
        "this",
        "since",
        "until",
        "till",
        "by",
        "early",
        "late",
        "mid",
        "of",
        "during",
        "on",
        "every",
        "before",
        "after",
    ]
)


class Heard(Record):
    """A stretch of words of a text. *before* and *after* are its neighbours in the same clause,
    empty if there is none; *opens*: its sentence begins with it; *follows_opening*: with *before*.
    *caseless*: the text has no capitals, so their absence tells nothing.
    """

    text: str
    first: int
    count: int
    before: str
    after: str
    opens: bool
    follows_opening: bool
    caseless: bool

    @property
    def key(self) -> str | None:
        """What an entity of this name is stored under."""
        return next(iter(names.keys(self.text)), None)

    @property
    def places(self) -> range:
        """The numbers of its words."""
        return range(self.first, self.first + self.count)


class _Word(Record):
    text: str
    opens: bool  # a sentence
    joined: bool  # nothing but a space between it and the word before


class Text:
    """A running text, to be asked for names."""

    def __init__(self, text: str) -> None:
        self._words = _words(text)
        self._starts = [_start(word.text) for word in self._words]
        own = (word.text for word in self._words if word.text.casefold() not in _I)
        self._caseless = not any(map(_capital, own))

    def keys(self) -> list[str]:
        """The keys of entities with a name that begins with a word of the text."""
        return [key for key in dict.fromkeys(self._starts) if key]

    def phrases(self, known: Container[str]) -> list[Heard]:
        """All stretches of words that begin with one of the *known* keys, the longest first, then in
        the order of the text."""
        starts = [n for n, key in enumerate(self._starts) if key and key in known]
        return [
            self._heard(start, count)
            for count in range(NAME_WORDS_MAX, 0, -1)
            for start in starts
            if start + count <= len(self._words)
            if all(word.joined for word in self._words[start + 1 : start + count])
        ]

    def _heard(self, first: int, count: int) -> Heard:
        words, end = self._words, first + count
        joined = first > 0 and words[first].joined
        return Heard(
            text=" ".join(word.text for word in words[first:end]),
            first=first,
            count=count,
            before=words[first - 1].text if joined else "",
            after=words[end].text if end < len(words) and words[end].joined else "",
            opens=words[first].opens,
            follows_opening=joined and words[first - 1].opens,
            caseless=self._caseless,
        )


@lru_cache(maxsize=_REMEMBERED)
def _start(word: str) -> str:
    """The key of names that begin with a word: of its first part, or of the whole address; an
    article has none."""
    form = names.normal(word)
    if not form or form in _ARTICLES:
        return ""
    return f"={form}" if names.is_address(word) else "f:" + form.partition(" ")[0]


def _words(text: str) -> list[_Word]:
    found: list[_Word] = []
    end, last = 0, ""
    for match in _WORD.finditer(text):
        gap = text[end : match.start()]
        stopped = last.endswith(".") and not _SHORT.fullmatch(last)
        opens = not found or stopped or (gap != " " and _ENDS.search(gap) is not None)
        joined = not opens and not gap.strip(" \t")
        end, last = match.end(), match[0]
        found.append(_Word(text=last.strip("'\u2018\u2019*_.`"), opens=opens, joined=joined))
        if len(found) == NAMED_WORDS_MAX:
            break
    return found


def is_name(heard: Heard, name: str, *, person: bool) -> bool:
    """Whether a stretch of a text that reads like *name* is that name, as far as its looks tell."""
    if names.is_address(name):
        return True
    if len(names.normal(name)) < 2 or name.isdigit():
        return False
    if not _capital(name):
        return _is_noun(heard)
    if heard.count > 1:
        return _as_capital(heard.text, name) or heard.before.casefold() not in _INDEFINITE
    if not (heard.caseless or _as_capital(heard.text, name)):
        return False
    if heard.caseless:
        return _is_noun(heard) and heard.before.casefold() not in _DEMONSTRATIVES
    return not (_in_longer_name(heard) or _is_verb(heard) or (person and _is_date(heard)))


def _capital(word: str) -> bool:
    return any(map(str.isupper, word))


def _as_capital(text: str, name: str) -> bool:
    """Whether each word is written with a capital that is so in the name."""
    said, known = text.split(), name.split()
    if len(said) != len(known):
        return _capital(text)
    return all(_capital(one) or not _capital(other) for one, other in zip(said, known, strict=True))


def _is_noun(heard: Heard) -> bool:
    """Whether a word of the language stands where a noun can: "the work", not "I work"."""
    if heard.count > 1:
        return True
    word, before = heard.text.casefold(), heard.before.casefold()
    if word in _NO_NOUNS or _in_longer_name(heard):
        return False
    return before not in _BEFORE_VERBS and not _is_verb(heard)


def _in_longer_name(heard: Heard) -> bool:
    """Whether a capitalised word has another beside it that the text does not tell from it."""
    if not _capital(heard.text) or _POSSESSIVE.search(heard.text):
        return False
    after = heard.after if heard.after.casefold() not in _I else ""
    before = "" if heard.follows_opening else heard.before
    if before.casefold() in _NO_PART_OF_NAMES or _POSSESSIVE.search(before):
        before = ""
    return _capital(after) or _capital(before)


def _is_verb(heard: Heard) -> bool:
    """Whether the first word of a sentence is followed by what follows a verb."""
    return heard.opens and heard.after.casefold() in _OBJECTS


def _is_date(heard: Heard) -> bool:
    """Whether a person's name is here that of a month or a day: "in May", "May 5"."""
    if heard.text.casefold() not in _MONTHS_AND_DAYS:
        return False
    return heard.before.casefold() in _BEFORE_DATES or heard.after[:1].isdigit()


def first_names(heard: Iterable[Heard]) -> Iterator[Heard]:
    """Those that may be the first name of someone who is known by a full one."""
    return (one for one in heard if one.count == 1 and is_name(one, one.text, person=True))
