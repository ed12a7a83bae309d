"""Names: what makes two of them equal, how alike they are, and the keys they are stored under.

A key is a line of the table (graph, key, entity). `keys` gives the same few keys when an entity is
written and when one is looked for, so that every candidate is found by equality of a key:

    =jane smith     the normal form: exact names, aliases, e-mail addresses, ids
    f:jane          the first word: "Jane" meets "Jane Smith"
    a:ibm           initials: "IBM" meets "International Business Machines"
    p:… q:…         how a long name begins and ends: candidates for a fuzzy comparison
"""

import hashlib
import math
import unicodedata
from collections import Counter
from functools import lru_cache

import regex

from recollect.graph.gist import listed

_KEY_CHARS_MAX = 100
_RAW_CHARS_MAX = 1_000
_REMEMBERED = 16_384
_ENDS_CHARS = 8
_ENDS_FROM_CHARS = 10
_INITIALS = range(3, 7)
_SHINGLE = 3
_FUZZY_CHARS_MIN = 6
_FUZZY_ENTROPY_MIN = 1.5
_FUZZY_JACCARD_MIN = 0.9
# Two words may differ in how they end ("Systems", "System"), not in a short mark ("VII", "VIII")
# nor in how they begin ("male", "female").
_FUZZY_WORD_CHARS_MIN = 5
_FUZZY_WORD_START = 3

_EMAIL = regex.compile(r"[^\s@<>]+@[^\s@<>]+\.[^\s@<>]+")
_ACCENTS = regex.compile("[\u0300-\u036f]")
_POSSESSIVE = regex.compile(r"['\u2019\u02bc]s\b")
_APOSTROPHE = regex.compile("['\u2019\u02bc`\u00b4\u2018]")
_DOTTED = regex.compile(r"\b(?:\w\.){2,}\w?\b|\b(?:\w\.){2,}")
# Signs that distinguish names stay: C++, C#, 3.5, -4, 20 %, $5. So do the marks of a script.
_GAP = regex.compile(r"(?<!\d)[.,]|[.,](?!\d)|(?<=[\w+#])-|-(?!\d)|[^\w\p{M}\s\p{S}#%.,*-]|_")
_ARTICLE = regex.compile(r"^(?:the|an?)\s+(?=\S)")
_DIGITS = regex.compile(r"\d+")
TITLES = frozenset({"mr", "mrs", "ms", "miss", "mx", "dr", "prof", "professor", "sir", "dame"})
_LEGAL = listed(
    """
    inc incorporated corp corporation co company ltd limited llc llp plc gmbh ag ohg
    sa sarl srl nv bv asa oyj aps pty pte pvt
    """
)
_SMALL_WORDS = frozenset({"of", "and", "the", "for", "in", "on", "at", "to", "de", "la"})


def plain(name: str) -> str:
    """*name* without case and extra spaces, as values such as "3.5 %" are compared."""
    return " ".join(unicodedata.normalize("NFKC", name[:_RAW_CHARS_MAX]).casefold().split())


@lru_cache(maxsize=_REMEMBERED)
def normal(name: str) -> str:
    """The normal form of a name: equal for all its spellings.

    Case, accents, punctuation, possessive endings, spaces, a leading article, a title before a full
    name and a trailing legal form are removed, each only if something remains.
    """
    text = plain(name)
    if _EMAIL.fullmatch(text):
        return text
    text = _ARTICLE.sub("", text)
    text = unicodedata.normalize("NFC", _ACCENTS.sub("", unicodedata.normalize("NFKD", text)))
    text = _DOTTED.sub(lambda found: found[0].replace(".", ""), text)
    text = _APOSTROPHE.sub("", _POSSESSIVE.sub("", text)).replace("&", " and ")
    words = _GAP.sub(" ", text).split()
    return " ".join(_core(words)) or plain(name)


def _core(words: list[str]) -> list[str]:
    if len(words) > 2 and words[0] in TITLES:
        words = words[1:]
    while len(words) > 1 and words[-1] in _LEGAL:
        words = words[:-1]
    return words


@lru_cache(maxsize=_REMEMBERED)
def keys(name: str) -> tuple[str, ...]:
    """The keys under which an entity with this name is stored and looked up, at most 8."""
    form = normal(name)
    if not form:
        return ()
    found = [whole_key(name)]
    if not is_address(name):
        words = form.split()
        found.append("f:" + words[0])
        short = initials(name)
        if short:
            found.append("a:" + short)
        joined = "".join(words)
        if len(joined) >= _ENDS_FROM_CHARS:
            found += ["p:" + joined[:_ENDS_CHARS], "q:" + joined[-_ENDS_CHARS:]]
    return tuple(dict.fromkeys(map(_bounded, found)))


def whole_key(name: str) -> str:
    """The first of the keys: that of an entity with exactly this name; empty if nothing of it remains."""
    form = normal(name)
    return _bounded("=" + form) if form else ""


def _bounded(key: str) -> str:
    if len(key) <= _KEY_CHARS_MAX:
        return key
    return key[:2] + "#" + hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def alike_keys(name: str) -> list[str]:
    """The keys under which names are stored that may be very similar to this one.

    Short names are only similar if they have the same letters, differently spaced.
    """
    own = keys(name)
    ends = [key for key in own if key[:2] in ("p:", "q:")]
    return ends or [key for key in own if key[:2] == "f:" and " " in own[0]]


def may_be_alike(name: str, key: str) -> bool:
    """Whether a name stored under this key, which is one of exact names, is similar but not equal."""
    form = normal(name)
    return key[1:] != form and (key[2:3] == "#" or _likeness(form, key[1:]) > 0)


def is_address(name: str) -> bool:
    """Whether *name* is an e-mail address, which is good for matching but not for display."""
    return "@" in name and _EMAIL.fullmatch(name.strip()) is not None


def first_name(name: str) -> str:
    """The normal form of a person's first name; "Anna-Lena" is one name and not "Anna"."""
    words = name.split()
    if len(words) > 2 and normal(words[0]) in TITLES:
        words = words[1:]
    return normal(words[0]) if words else ""


def is_acronym(name: str) -> bool:
    """Whether *name* is written as initials: IBM, I.B.M."""
    letters = name.strip().replace(".", "")
    return letters.isalpha() and letters.isupper() and len(letters) in _INITIALS


def initials(name: str) -> str | None:
    """The initials of a name of several words, or *name* itself if it consists of initials."""
    if is_acronym(name):
        return normal(name)
    words = normal(name).split()
    letters = "".join(word[0] for word in words if word not in _SMALL_WORDS)
    return letters if len(letters) in _INITIALS and letters.isalpha() else None


def extends(full: str, short: str) -> bool:
    """Whether *full* is *short* with words after it: "Jane Smith" and "Jane"."""
    longer, shorter = normal(full).split(), normal(short).split()
    return 0 < len(shorter) < len(longer) and longer[: len(shorter)] == shorter


def abbreviates(short: str, full: str) -> bool:
    """Whether *short* is the initials of *full*: "IBM" and "International Business Machines"."""
    return is_acronym(short) and not is_acronym(full) and initials(short) == initials(full)


def likeness(left: str, right: str) -> float:
    """How similar two names look, from 0 to 1; 0 if they cannot be compared this way.

    Short names and names with few distinct letters are similar by chance, and a different number or
    word makes a different name.
    """
    return _likeness(normal(left), normal(right))


def _likeness(one: str, two: str) -> float:
    if not _same_words(one, two) or _DIGITS.findall(one) != _DIGITS.findall(two):
        return 0.0
    if not (_comparable(one) and _comparable(two)):
        return 0.0
    first, second = _shingles(one), _shingles(two)
    score = len(first & second) / len(first | second)
    return score if score >= _FUZZY_JACCARD_MIN else 0.0


def _comparable(form: str) -> bool:
    letters = form.replace(" ", "")
    if not letters or (len(letters) < _FUZZY_CHARS_MIN and " " not in form):
        return False
    return _entropy(letters) >= _FUZZY_ENTROPY_MIN


def _entropy(letters: str) -> float:
    total = len(letters)
    return -sum(n / total * math.log2(n / total) for n in Counter(letters).values())


def _same_words(one: str, two: str) -> bool:
    first, second = one.split(), two.split()
    if len(first) != len(second):
        return one.replace(" ", "") == two.replace(" ", "")
    return all(
        left == right
        or (
            min(len(left), len(right)) >= _FUZZY_WORD_CHARS_MIN
            and left[:_FUZZY_WORD_START] == right[:_FUZZY_WORD_START]
        )
        for left, right in zip(first, second, strict=True)
    )


def _shingles(form: str) -> set[str]:
    letters = form.replace(" ", "")
    return {letters[i : i + _SHINGLE] for i in range(max(1, len(letters) - _SHINGLE + 1))}
