"""Noisy chat spelling made readable for the parser, with the way back to the original text."""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache

import regex

from recollect.extract.prose.spelling import ALSO_WORDS, ORDINARY
from recollect.extract.prose.words import KIN, PETS

_NEXT_SENTENCE = r"(?=(?:[Ii]|[Ww]e|[Tt]hey|[Ss]he|[Hh]e|[Tt]hat|[Tt]his|[Yy]ou|so|such|what|super|really|nothing|always|thanks|love)\b)"
_NOISE = regex.compile(
    r"(?P<picture>\s*(?:[\p{Extended_Pictographic}--[\d#*©®™]]|\p{Emoji_Modifier}|[\uFE0F\u200D])+)"
    r"|(?P<face>(?<=\s|^)[:;=8][-o*']?[)\](\[dDpP/\\|](?=\s|$)|(?<=\s)<3+)"
    r"|(?P<quote>[\u2018\u2019\u02bc`\u00b4])|(?P<double>[\u201c\u201d])"
    r"|(?P<mark>\*\*|__|^[ \t]*\#{1,6}[ \t]+|^[ \t]*(?:[-*•]|\d{1,2}[.)])[ \t]+)"
    r"|(?P<line>(?<stop>[.!?:;,])?[ \t]*\n\s*)"
    r"|(?P<dash>[ \t]*(?:[-\u2013\u2014]{1,2})[ \t]+"
    + _NEXT_SENTENCE
    + r"|(?<=\w)[-\u2013\u2014]{1,2}[ \t]+(?=it\b))"
    r"|(?P<glued>(?<=[a-z]{2})-(?=[ \t]+(?!(?:and|or|to)\b)[A-Za-z]))"
    r"|(?P<its>\bits(?=\s+(?:been|not|a|an|the|so|too|very|just|still|now|like|called|gonna|going)\b))"
    r"|(?P<and>(?<=\s)&(?=\s))|(?P<with>\bw/(?!o\b)\s*)|(?P<without>\bw/o\b)"
    r"|(?P<word>(?<![\w@./'-])(?:"
    + "|".join(sorted(map(regex.escape, ORDINARY), reverse=True))
    + r")"
    r"(?![\w@'\u2019/-]|\.\w))"
    r"|(?P<dropped>\b[A-Za-z]{2,}in['\u2019](?!\w))"
    r"|(?P<long>\b[A-Za-z]*(?P<letter>[A-Za-z])(?P=letter){2,}[A-Za-z]*\b)",
    regex.MULTILINE | regex.IGNORECASE | regex.V1,
)
# Where noise may begin: to ask only there is several times quicker than to ask at every letter.
_MAY_BEGIN = re.compile(
    r"\s*[^\x00-\x7f]|[:;=<`&*_\#]|[ \t]*-{1,2}[ \t]|[.!?:;,]?[ \t]*\n|^[ \t]*(?:[-*]|\d{1,2}[.)])"
    r"|8[-o*']?[)\](\[dDpP/\\|]|(?P<word>[A-Za-z0-9'][A-Za-z0-9'/]*)",
    re.MULTILINE,
)
# The parser takes very long over what is no word, such as a key or a row of brackets.
_NO_WORD = regex.compile(r"(?P<run>\S{500,})")
_THRICE = re.compile(r"([a-z])\1\1", re.IGNORECASE)
_REPEAT = regex.compile(r"([A-Za-z])\1{2,}")
_LOWER_NAME = regex.compile(r"(?<![\w@.+-])[^\W\d_]+(?:'s)?(?![\w@+-]|\.\w)")

_IN_LAW = regex.compile(
    r"\b(?:mother|father|sister|brother|son|daughter|parents) in law\b", regex.I
)
_TITLE = regex.compile(r"\b(?:prof|dr|mr|mrs|ms)\.(?=\s+\p{Lu})")  # no end of a sentence
_RELATIVE = regex.compile(
    r"\b(?P<my>(?:my|our)\s+(?:\w+\s+)?(?:"
    + "|".join(sorted((*KIN, *PETS), reverse=True))
    + r"),?\s+)"
    r"(?P<name>[a-z]{3,})\b",
    regex.IGNORECASE,
)

Known = Callable[[str], bool]


@dataclass(slots=True)
class Normal:
    """Text for the parser, and for each stretch of it where it stood in the original."""

    text: str
    starts: list[int]
    origins: list[tuple[int, int, bool]]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The stretch of the original from which these characters came."""
        return self._origin(start, False), self._origin(max(end - 1, start), True)

    def _origin(self, at: int, end: bool) -> int:
        index = bisect_right(self.starts, at) - 1
        begin, stop, same = self.origins[index]
        if same:
            return begin + at - self.starts[index] + end
        return stop if end else begin


def normalise(
    text: str,
    known: Known,
    names: Iterable[str] = (),
    offset: int = 0,
    listener: str = "",
) -> Normal:
    """The text in ordinary spelling, without calls to the *listener*.

    *known* tells a dictionary word; *offset* shifts the origins.
    """
    parts: list[str] = []
    starts: list[int] = []
    origins: list[tuple[int, int, bool]] = []
    length = 0
    done = 0

    def put(piece: str, begin: int, stop: int, same: bool) -> None:
        nonlocal length
        if piece:
            parts.append(piece)
            starts.append(length)
            origins.append((begin + offset, stop + offset, same))
            length += len(piece)

    for match in _stretches(text, listener):
        piece = _replacement(match, text, known)
        if piece is None:
            continue
        put(text[done : match.start()], done, match.start(), True)
        put(piece, match.start(), match.end(), False)
        done = match.end()
    put(text[done:], done, len(text), True)
    if not parts:
        return Normal("", [0], [(offset, offset, True)])
    whole = _IN_LAW.sub(lambda match: match.group().replace(" ", "-"), "".join(parts))
    whole = _TITLE.sub(lambda match: match.group().capitalize(), whole)
    # Once more, because what was taken out between two runs may have joined them.
    whole = _NO_WORD.sub(lambda match: " " * len(match.group()), whole)
    return Normal(_capitalised(whole, known, names), starts, origins)


@lru_cache(maxsize=256)
def _calls(listener: str) -> "regex.Pattern[str]":
    """How a sentence calls someone: "Hey Mel, ...", "..., Melanie!"."""
    name = listener.split()[0]
    short = regex.escape(name[:3]) + "".join(f"(?:{regex.escape(char)}" for char in name[3:])
    called = short + ")?" * max(0, len(name) - 3) + r"\b"
    opening = r"(?:hey|hi|hello|yeah|yep|yes|yup|wow|thanks|thank you|ok|okay|sure|oh|aw+|nah|nope|well|no)"
    return regex.compile(
        rf"(?P<call>(?:^|(?<=[.!?]\s))(?:{opening}[,!]?\s+)?{called}(?:[,!]+\s*|\s+[-\u2013\u2014]\s+)"
        rf"|(?:^|(?<=[.!?]\s)){opening}[,!]?\s+{called}(?=[.!?])"
        rf"|,\s*{called}(?=\s*(?:[.!?,\u2013\u2014]|\s-\s|$)))",
        regex.IGNORECASE | regex.MULTILINE,
    )


_GREETING = regex.compile(
    r"(?P<call>(?:^|(?<=[.!?]\s))(?:(?:hey|hi|hello)(?:\s+\p{L}+)?,\s+(?=\S+\s+\S+\s+\S+)"
    r"|dear(?:\s+(?-i:\p{Lu})[\p{L}.'-]*){1,4},\s+"
    r"|(?:h+e+y+|h+i+|hello+|hiya|yo+|gm|gg+|u+gh+|oo+f|argh+|phew|welp|yikes|meh|um+|uh+)[,!.]*\s+"
    r"(?=(?:(?-i:\p{Ll})|I\b)\S*\s+\S+\s+\S+)"
    r"|(?:yeah|yep|yup|yes|nah|nope|wow|oh|ah|aw+|hmm+|ooh|yay|whoa|ok|okay)(?:,\s*|\s+(?=I\b|we\b))"
    r"|(?:sure(?: thing)?|of course|certainly|all ?right|got it),\s+(?=I\b|we\b|my\b|our\b|the\b|it\b)))",
    regex.IGNORECASE,
)


_COUNTED = regex.compile(
    r"(?P<call>^\s*(?:(?:note|memo|entry|message|msg|item|point|record|reminder|update)\s*(?:no\.?\s*)?#?\d{1,5}"
    r"|#\d{1,5})\s*(?:[:.)]|\s[-\u2013\u2014])\s+(?=\S))",
    regex.IGNORECASE | regex.MULTILINE,
)  # "Note 3: ...": whoever counts their notes says nothing by it


_FILLER = regex.compile(
    r"(?P<call>(?:,\s*)?(?<![\w'-])(?:u+h+m*|u+m+|erm+)(?![\w'-])(?:,?\s+|,|(?=[.!?])|$)"
    r"|(?<![\w'-])(?P<twice>(?:i|he|she|it|we|they|you|the|a|and|to|in|my)(?:'\w+)?)[\s,]+(?=(?P=twice)(?![\w'-])))",
    regex.IGNORECASE,
)


def _stretches(text: str, listener: str) -> list["regex.Match[str]"]:
    """Everything to be replaced, left to right, without overlaps."""
    patterns = (_GREETING, _COUNTED, _FILLER, _NO_WORD)
    calls = [match for pattern in patterns for match in pattern.finditer(text)]
    if len(listener) >= 3 and listener[:3].lower() in text.lower():
        calls += _calls(listener).finditer(text)
    noise = _noise(text)
    if not calls:
        return noise
    found: list[regex.Match[str]] = []
    for match in sorted([*calls, *noise], key=lambda item: (item.start(), -item.end())):
        if not found or match.start() >= found[-1].end():
            found.append(match)
    return found


def _noise(text: str) -> list["regex.Match[str]"]:
    if _THRICE.search(text) is not None:
        return list(_NOISE.finditer(text))
    found: list[regex.Match[str]] = []
    done = 0
    for place in _MAY_BEGIN.finditer(text):
        word = place["word"]
        if place.start() < done or (word is not None and not _may_be_respelled(word)):
            continue
        starts = (
            place.start(),
            place.start() + 1,
            place.end() - 1,
        )  # past a space, a quote
        match = next(filter(None, (_NOISE.match(text, start) for start in starts)), None)
        if match is not None:
            found.append(match)
            done = match.end()
    return found


def _may_be_respelled(word: str) -> bool:
    folded = word.lower()
    return (
        folded in ORDINARY
        or folded == "its"
        or folded.startswith("w/")
        or folded.rstrip("'").endswith("in")
    )


def _replacement(match: "regex.Match[str]", text: str, known: Known) -> str | None:
    """What stands for a noisy stretch; the same length where possible. None leaves it."""
    kind, found = match.lastgroup, match.group()
    kind = "call" if kind == "twice" else kind
    if kind == "run":
        return " "
    if kind == "call":
        goes_on = text[match.end() : match.end() + 1].strip(" .!?")
        return " " if found[0] == "," and goes_on else ""
    if kind in ("picture", "face"):
        return _pause(text, match.start(), match.end())
    if kind == "word":
        return _word(match, text)
    if kind == "dropped":
        return found[:-1] + "g" if known(found[:-1].lower() + "g") else None
    if match.group("line") is not None:
        return _line_break(match, text)
    if match.group("long") is not None:
        return _shortened(found, known)
    fixed = {"quote": "'", "double": '"', "mark": "", "dash": ". ", "glued": " -", "its": "it's"}
    return {**fixed, "and": "and", "with": "with ", "without": "without"}.get(kind or "")


def _word(match: "regex.Match[str]", text: str) -> str | None:
    found = match.group()
    if found in ("R", "U", "BC", "GF", "I"):  # as an initial, or right already
        return None
    piece = ORDINARY[found.lower()]
    return piece[0].upper() + piece[1:] if piece and found[0].isupper() else piece


def _pause(text: str, start: int, end: int) -> str:
    """A picture ends a sentence unless the text just goes on."""
    before, after = text[:start].rstrip()[-1:], text[end:].lstrip()[:1]
    return ". " if before.isalnum() and (after.isupper() or not after) else " "


def _line_break(match: "regex.Match[str]", text: str) -> str:
    stop = match.group("stop")
    if stop == ":":
        return ":. "  # the parser takes no colon for the end of a sentence
    if stop is None and match.start() and text[match.start() - 1].isalnum():
        return ". "
    return (stop or "") + " "


def _shortened(found: str, known: Known) -> str:
    twice, once = _REPEAT.sub(r"\1\1", found), _REPEAT.sub(r"\1", found)
    return twice if known(twice.lower()) and not known(once.lower()) else once


def _capitalised(text: str, known: Known, names: Iterable[str]) -> str:
    """Known names written small get their capital; only where the text uses hardly any."""
    if sum(map(str.isupper, text)) > 2 + len(text) // 40:
        return text
    folded = text.lower()
    if "my " in folded or "our " in folded:
        text = _relatives_capitalised(text, known)
    capitals = {part.lower(): part for name in names for part in name.split() if part[:1].isupper()}

    def restore(match: "regex.Match[str]") -> str:
        word = match.group()
        base = word.removesuffix("'s")
        name = capitals.get(base)
        return word if name is None or base in ALSO_WORDS else name + word[len(base) :]

    return str(_LOWER_NAME.sub(restore, text)) if any(map(text.__contains__, capitals)) else text


def _relatives_capitalised(text: str, known: Known) -> str:
    """ "my wife sara": a word nobody knows after "my wife" is her name."""

    def restore(match: "regex.Match[str]") -> str:
        word = match["name"]
        plain = any(
            len(form) > 2 and known(form) for form in (word, word[:-1], word[:-2], word[:-3])
        )
        return match.group() if plain else match["my"] + word.capitalize()

    return str(_RELATIVE.sub(restore, text))
