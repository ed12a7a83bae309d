"""Chat spelling normalised for the parser, with a mapping back to the original text."""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache

import regex

from recollect.extract.prose.words import KIN, PETS, listed

_RESPELLED = """
    im=I'm, ive=I've, dont=don't, doesnt=doesn't, didnt=didn't, cant=can't, wont=won't,
    isnt=isn't, arent=aren't, wasnt=wasn't, werent=weren't, havent=haven't, hasnt=hasn't,
    hadnt=hadn't, couldnt=couldn't, wouldnt=wouldn't, shouldnt=shouldn't, aint=isn't,
    thats=that's, whats=what's, hes=he's, shes=she's, theyre=they're, youre=you're, weve=we've,
    theyve=they've, youve=you've, theres=there's, u=you, ur=your, r=are, luv=love,
    gonna=going to, wanna=want to, gotta=have to, kinda=kind of, sorta=sort of, cuz=because,
    cos=because, coz=because, bcuz=because, bcoz=because, bc=because, pls=please, plz=please,
    thx=thanks, tysm=thanks, ppl=people, tmrw=tomorrow, tmr=tomorrow, 2moro=tomorrow,
    2day=today, 2nite=tonight, tonite=tonight, rn=right now, b4=before, gf=girlfriend,
    bf=boyfriend, bff=best friend, bday=birthday, fam=family, abt=about, wknd=weekend,
    tho=though, dunno=don't know, lemme=let me, gimme=give me, y'all=you all, 'cause=because,
    yrs=years, hrs=hours, mins=minutes, lol=, lmao=, omg=, haha=, hahaha=, btw=, tbh=, imo=,
    imho=, fyi=, i=I, i'm=I'm, i've=I've, i'll=I'll, i'd=I'd
"""
STANDARD_SPELLING = {
    chat: ordinary
    for pair in _RESPELLED.split(",")
    for chat, _, ordinary in [pair.strip().partition("=")]
}
_CLOSING = tuple(")]\"'%\u20ac$\u00b0")  # what a line may end with besides a word
# In lower case these are words, not names.
ALSO_WORDS = listed(
    "will may mark hope grace rose bill art jack drew sue rob pat chance faith joy dawn summer june"
    " april august max frank grant guy miles nick norm ray rich sandy skip wade chase hunter mason"
    " carter cooper parker page reed stone brown green white black young long short smith baker cook"
)

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
    r"|(?P<its>\bits(?=\s+(?:on|at|in|from|been|not|a|an|the|so|too|very|just|still|now|like|called|gonna|going)\b))"
    r"|(?P<and>(?<=\s)&(?=\s))|(?P<with>\bw/(?!o\b)\s*)|(?P<without>\bw/o\b)"
    r"|(?P<word>(?<![\w@./'-])(?:"
    + "|".join(sorted(map(regex.escape, STANDARD_SPELLING), reverse=True))
    + r")"
    r"(?![\w@'\u2019/-]|\.\w))"
    r"|(?P<dropped>\b[A-Za-z]{2,}in['\u2019](?!\w))"
    r"|(?P<long>\b[A-Za-z]*(?P<letter>[A-Za-z])(?P=letter){2,}[A-Za-z]*\b)",
    regex.MULTILINE | regex.IGNORECASE | regex.V1,
)
# Where noise may begin: matching only there is several times faster than at every character.
_MAY_BEGIN = re.compile(
    r"\s*[^\x00-\x7f]|[:;=<`&*_\#]|[ \t]*-{1,2}[ \t]|[.!?:;,]?[ \t]*\n|^[ \t]*(?:[-*]|\d{1,2}[.)])"
    r"|8[-o*']?[)\](\[dDpP/\\|]|(?P<word>[A-Za-z0-9'][A-Za-z0-9'/]*)",
    re.MULTILINE,
)
# The parser takes very long over strings that are no words, such as keys or rows of brackets.
_NO_WORD = regex.compile(r"(?P<run>\S{500,})")
_THRICE = re.compile(r"([a-z])\1\1", re.IGNORECASE)
_REPEAT = regex.compile(r"([A-Za-z])\1{2,}")
_LOWER_NAME = regex.compile(r"(?<![\w@.+-])[^\W\d_]+(?:'s)?(?![\w@+-]|\.\w)")

_IN_LAW = regex.compile(
    r"\b(?:mother|father|sister|brother|son|daughter|parents) in law\b", regex.I
)
_TITLE = regex.compile(r"(?<!\d\s?)\b(?:prof|dr|mr|mrs|ms)\.(?=\s+\p{L})")  # no end of a sentence
_RELATIVE = regex.compile(
    r"\b(?P<my>(?:my|our)\s+(?:\w+\s+)?(?:"
    + "|".join(sorted((*KIN, *PETS), reverse=True))
    + r"),?\s+)"
    r"(?P<name>[a-z]{3,})\b",
    regex.IGNORECASE,
)

IsKnown = Callable[[str], bool]
_GREETING = regex.compile(
    r"(?P<call>(?:^|(?<=[.!?]\s))(?:(?:hey|hi|hello)(?:\s+\p{L}+)?,\s+(?=\S+\s+\S+\s+\S+)"
    r"|dear(?:\s+(?-i:\p{Lu})[\p{L}.'-]*){1,4},\s+"
    r"|(?:h+e+y+|h+i+|hello+|hiya|yo+|(?<!.)gm|gg+|u+gh+|oo+f|argh+|phew|welp|yikes|meh|um+|uh+)[,!.]*\s+"
    r"(?=(?:(?-i:\p{Ll})|I\b)\S*\s+\S+\s+\S+)"
    r"|(?:yeah|yep|yup|yes|nah|nope|wow|oh|ah|aw+|hmm+|ooh|yay|whoa|ok|okay)(?:,\s*|\s+(?=I\b|we\b))"
    r"|(?:sure(?: thing)?|of course|certainly|all ?right|got it),\s+(?=I\b|we\b|my\b|our\b|the\b|it\b)))",
    regex.IGNORECASE,
)
_COUNTED = regex.compile(
    r"(?P<call>^\s*(?:(?:note|memo|entry|message|msg|item|point|record|reminder|update)\s*(?:no\.?\s*)?#?\d{1,5}"
    r"|#\d{1,5})\s*(?:[:.)]|\s[-\u2013\u2014])\s+(?=\S))",
    regex.IGNORECASE | regex.MULTILINE,
)  # "Note 3: ...": the number of a note says nothing
_FILLER = regex.compile(
    r"(?P<call>(?:,\s*)?(?<![\w'-])(?:u+h+m*|u+m+|erm+)(?![\w'-])(?:,?\s+|,|(?=[.!?])|$)"
    r"|(?<![\w'-])(?P<twice>(?:i|he|she|it|we|they|you|the|a|and|to|in|my)(?:'\w+)?)[\s,]+(?:u[hm]+[\s,]+)?(?=(?P=twice)(?![\w'-])))",
    regex.IGNORECASE,
)


@dataclass(slots=True)
class NormalText:
    """Text for the parser, and where each stretch of it came from in the original."""

    text: str
    starts: list[int]
    origins: list[tuple[int, int, bool]]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The stretch of the original that these characters came from."""
        return self._origin(start, False), self._origin(max(end - 1, start), True)

    def _origin(self, at: int, end: bool) -> int:
        index = bisect_right(self.starts, at) - 1
        begin, stop, same = self.origins[index]
        if same:
            return begin + at - self.starts[index] + end
        return stop if end else begin


def normalise(
    text: str,
    known: IsKnown,
    names: Iterable[str] = (),
    offset: int = 0,
    listener: str = "",
) -> NormalText:
    """The text in ordinary spelling, without addressing the *listener* by name.

    *known* recognises a dictionary word; *offset* shifts the origins.
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
        return NormalText("", [0], [(offset, offset, True)])
    whole = _IN_LAW.sub(lambda match: match.group().replace(" ", "-"), "".join(parts))
    whole = _TITLE.sub(lambda match: match.group().capitalize(), whole)
    # Again, because two runs may have been joined by what was removed between them.
    whole = _NO_WORD.sub(lambda match: " " * len(match.group()), whole)
    return NormalText(_capitalised(whole, known, names), starts, origins)


@lru_cache(maxsize=256)
def _calls(listener: str) -> "regex.Pattern[str]":
    """How a sentence addresses someone: "Hey Mel, ...", "..., Melanie!"."""
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
        folded in STANDARD_SPELLING
        or folded == "its"
        or folded.startswith("w/")
        or folded.rstrip("'").endswith("in")
    )


def _replacement(match: "regex.Match[str]", text: str, known: IsKnown) -> str | None:
    """The replacement for a noisy stretch, of the same length where possible; None leaves it."""
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
    piece = STANDARD_SPELLING[found.lower()]
    return piece[0].upper() + piece[1:] if piece and found[0].isupper() else piece


def _pause(text: str, start: int, end: int) -> str:
    """An emoji ends a sentence unless the text continues."""
    before, after = text[:start].rstrip()[-1:], text[end:].lstrip()[:1]
    return ". " if before.isalnum() and (after.isupper() or not after) else " "


def _line_break(match: "regex.Match[str]", text: str) -> str:
    stop = match.group("stop")
    if stop == ":":
        return ":. "  # the parser takes no colon for the end of a sentence
    before = text[max(0, match.start() - 2) : match.start()]
    if stop is None and (before[-1:].isalnum() or before[-1:] in _CLOSING):
        return ". " if before[:1].isalnum() or not before[-1:].isalpha() else " . "  # "1.83 m"
    return (stop or "") + " "


def _shortened(found: str, known: IsKnown) -> str:
    twice, once = _REPEAT.sub(r"\1\1", found), _REPEAT.sub(r"\1", found)
    return twice if known(twice.lower()) and not known(once.lower()) else once


def _capitalised(text: str, known: IsKnown, names: Iterable[str]) -> str:
    """Capitalise known names, if the text uses hardly any capitals."""
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


def _relatives_capitalised(text: str, known: IsKnown) -> str:
    """ "my wife sara": an unknown word after "my wife" is her name."""

    def restore(match: "regex.Match[str]") -> str:
        word = match["name"]
        plain = any(
            len(form) > 2 and known(form) for form in (word, word[:-1], word[:-2], word[:-3])
        )
        return match.group() if plain else match["my"] + word.capitalize()

    return str(_RELATIVE.sub(restore, text))
