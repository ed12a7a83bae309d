"""Where the names of known entities occur in running text.

Names are looked up by key (`names.keys`), so the number of lookups is bounded however long the text
and however large the graph. Equal letters are not enough: "will" is not Will, a green day is not
Green Day, and a mention of Sean Paul is not one of Paul.
"""

import re
from collections.abc import Container, Iterable, Iterator
from functools import lru_cache

from recollect.graph import names
from recollect.graph.gist import listed
from recollect.graph.types import Record
from recollect.limits import NAME_WORDS_MAX, NAMED_WORDS_MAX

_REMEMBERED = 16_384
_WORD = re.compile(r"[^\s,;:!?()\[\]{}<>\"\u201c\u201d\u201e\u00ab\u00bb\u2026\u2014\u2013/|]+")
_SHORT = re.compile(r"[A-Z]\w{0,2}\.")  # "St. Gallen", "Dr. Who": not the end of a sentence
_POSSESSIVE = re.compile(r"['\u2019]s?$")
_ENDS = re.compile(r"[.!?\n]")
_I = listed("i i'm i'll i've i'd")
_ARTICLES = listed("a an the")
_INDEFINITE = listed("a an")
_PRONOUNS = listed("i you he she it we they who")
_DEMONSTRATIVES = listed("this that these those there which what")
_MODALS = listed(
    "to can could will would shall should may might must do does did don't doesn't didn't "
    "can't couldn't won't wouldn't shouldn't not never let's please always often usually"
)
# Words that follow a verb at the start of a sentence: "Will you", "Mark the", "Hope to".
_OBJECTS = listed(
    "i you he she it we they me him her us them the a an this that these those there my your "
    "his our their its to off up out someone somebody anyone anybody everyone everybody "
    "nobody everything something anything nothing all any some no not both each"
)
_NO_NOUNS = _PRONOUNS | _DEMONSTRATIVES | _MODALS | _OBJECTS
_BEFORE_VERBS = _PRONOUNS | _MODALS
_NO_PART_OF_NAMES = _I | names.TITLES
MONTHS_DAYS = listed(
    "january february march april may june july august september october november december "
    "monday tuesday wednesday thursday friday saturday sunday"
)
_BEFORE_DATES = listed(
    "in last next this since until till by early late mid of during on every before after"
)


class NameMention(Record):
    """A run of words in a text that may be a name.

    *before* and *after* are its neighbours in the same clause, or empty. *opens*: it begins its
    sentence; *follows_opening*: *before* does. *caseless*: the text has no capitals, so their
    absence means nothing.
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
    def key(self) -> str:
        """The key of an entity with this name; empty if there can be none."""
        return names.whole_key(self.text)

    @property
    def places(self) -> range:
        """The indexes of its words."""
        return range(self.first, self.first + self.count)


class _Word(Record):
    text: str
    opens: bool  # a sentence
    joined: bool  # nothing but a space between it and the word before


class NamedText:
    """Running text, searched for names."""

    def __init__(self, text: str) -> None:
        self._words = _words(text)
        self._starts = [_start(word.text) for word in self._words]
        own = (word.text for word in self._words if word.text.casefold() not in _I)
        self._caseless = not any(map(_capital, own))

    def first_keys(self) -> list[str]:
        """The keys of entities whose name begins with a word of the text."""
        return [key for key in dict.fromkeys(self._starts) if key]

    def phrases(self, known: Container[str]) -> list[NameMention]:
        """All runs of words that begin with one of the *known* keys, the longest first, then in
        order of the text."""
        starts = [n for n, key in enumerate(self._starts) if key and key in known]
        return [
            self._mention(start, count)
            for count in range(NAME_WORDS_MAX, 0, -1)
            for start in starts
            if start + count <= len(self._words)
            if all(word.joined for word in self._words[start + 1 : start + count])
        ]

    def _mention(self, first: int, count: int) -> NameMention:
        words, end = self._words, first + count
        joined = first > 0 and words[first].joined
        return NameMention(
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
    """The key of names that begin with a word: its first part, or a whole address; empty for an article."""
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


def is_name(mention: NameMention, name: str, *, person: bool) -> bool:
    """Whether a mention that matches *name* really is that name, judging by how it is written."""
    if names.is_address(name):
        return True
    if len(names.normal(name)) < 2 or name.isdigit():
        return False
    if not _capital(name):
        return _is_noun(mention)
    if mention.count > 1:
        return _as_capital(mention.text, name) or mention.before.casefold() not in _INDEFINITE
    if not (mention.caseless or _as_capital(mention.text, name)):
        return False
    if mention.caseless:
        return _is_noun(mention) and mention.before.casefold() not in _DEMONSTRATIVES
    return not (_in_longer_name(mention) or _is_verb(mention) or (person and _is_date(mention)))


def _capital(word: str) -> bool:
    return any(map(str.isupper, word))


def _as_capital(text: str, name: str) -> bool:
    """Whether each word has a capital where the name has one."""
    said, known = text.split(), name.split()
    if len(said) != len(known):
        return _capital(text)
    return all(_capital(one) or not _capital(other) for one, other in zip(said, known, strict=True))


def _is_noun(mention: NameMention) -> bool:
    """Whether an ordinary word stands where a noun can: "the work", not "I work"."""
    if mention.count > 1:
        return True
    word, before = mention.text.casefold(), mention.before.casefold()
    if word in _NO_NOUNS or _in_longer_name(mention):
        return False
    return before not in _BEFORE_VERBS and not _is_verb(mention)


def _in_longer_name(mention: NameMention) -> bool:
    """Whether a capitalised word stands beside another and may be part of a longer name."""
    if not _capital(mention.text) or _POSSESSIVE.search(mention.text):
        return False
    after = mention.after if mention.after.casefold() not in _I else ""
    before = "" if mention.follows_opening else mention.before
    if before.casefold() in _NO_PART_OF_NAMES or _POSSESSIVE.search(before):
        before = ""
    return _capital(after) or _capital(before)


def _is_verb(mention: NameMention) -> bool:
    """Whether the first word of a sentence is followed by what usually follows a verb."""
    return mention.opens and mention.after.casefold() in _OBJECTS


def _is_date(mention: NameMention) -> bool:
    """Whether a person's name is a month or a day here: "in May", "May 5"."""
    if mention.text.casefold() not in MONTHS_DAYS:
        return False
    return mention.before.casefold() in _BEFORE_DATES or mention.after[:1].isdigit()


def first_names(mentions: Iterable[NameMention]) -> Iterator[NameMention]:
    """The mentions that may be the first name of someone known by a full name."""
    return (one for one in mentions if one.count == 1 and is_name(one, one.text, person=True))
