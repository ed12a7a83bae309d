"""Turns text into tokens: words by the lexicon, digits by their shape."""

import re
from datetime import datetime

from recollect.dates import holidays, lexicon
from recollect.dates.grammar import kinds
from recollect.dates.lexicon import GLUED_UNITS, MEALS, PHRASES, WORDS
from recollect.dates.values import Node, Raw

_NOT_AFTER = frozenset("._\\")


def size(value: int) -> str:
    """The kind of a whole number."""
    for limit, kind in ((0, "ZERO"), (12, "N12"), (24, "N24"), (31, "N31"), (59, "N59")):
        if value <= limit:
            return kind
    return "N99" if value < 100 else "NBIG"


def whole(digits: str, start: int, end: int) -> Node:
    """A whole number by its digits: "0730" is a time, "1987" a year."""
    value = int(digits)
    if len(digits) == 4 and digits[0] == "0" and value % 100 < 60:
        return Node("MILITARY", start, end, value)
    if len(digits) == 4 and 1100 <= value < 2200:
        return Node("YEARNUM", start, end, value)
    return Node(size(value), start, end, value)


def digits(text: str, raw: Raw) -> Node:
    before = text[raw.start - 1] if raw.start else " "
    short = before == "." and text[: raw.start - 1][-1:].isalpha() and raw.group == "number"
    glued = before in _NOT_AFTER and raw.group != "ymd" and not (short and len(raw.word) < 3)
    if raw.group in ("opaque", "version") or glued:
        return Node("OPAQUE", raw.start, raw.end)
    made = _SHAPES[raw.group](raw)
    return made or Node("OPAQUE", raw.start, raw.end)


def _stamp(raw: Raw) -> Node | None:
    body = raw.word.replace("t", " ").replace(",", ".").replace("z", "+00:00").upper()
    body = re.sub(r"\s+(?=[+-]\d{2}:?\d{2}$)", "", body)
    body = re.sub(r"(\.\d{6})\d+", r"\1", body)
    body = re.sub(r"\.(\d{1,6})(?=$|[+-])", lambda m: "." + m[1].ljust(6, "0"), body)
    try:
        moment = datetime.fromisoformat(body)
    except ValueError:
        return None
    return Node("STAMP", raw.start, raw.end, moment)


def _three(raw: Raw) -> Node | None:
    parts = [int(part) for part in re.split(r"[-/.]", raw.word)]
    if raw.group == "ymd":
        year, month, day = parts
    else:
        month, day, year = parts
        if "." in raw.word and len(raw.word.split(".")[2]) == 2:
            return None
    # Dates with dots are written day first.
    if month > 12 or ("." in raw.word and raw.group == "mdy" and day <= 12):
        month, day = day, month
    if not (1 <= month <= 12 and 1 <= day <= 31):
        return None
    return Node("YMD", raw.start, raw.end, (year, month, day))


def _two(raw: Raw) -> Node:
    parts = [int(part) for part in re.split(r"[-/]", raw.word)]
    year, month = parts if raw.group == "ym" else reversed(parts)
    return Node("YM", raw.start, raw.end, (year, month))


def _clock(raw: Raw) -> Node | None:
    parts = [int(part) for part in raw.word.replace("h", ":").split(":")]
    if parts[0] > 24 or any(part > 59 for part in parts[1:]):
        return None
    return Node("HHMM", raw.start, raw.end, tuple(parts))


def _slashed(raw: Raw) -> Node | None:
    month, day = (int(part) for part in raw.word.split("/"))
    if month > 12:
        month, day = day, month
    valid = 1 <= month <= 12 and 1 <= day <= 31 and raw.word != "24/7"
    return Node("SLASHED", raw.start, raw.end, (month, day)) if valid else None


def _decimal(raw: Raw) -> Node:
    return Node("DECIMAL", raw.start, raw.end, float(raw.word[:20]))


def _integer(raw: Raw) -> Node | None:
    digits = raw.word.replace(",", "")
    if len(digits) > 9:
        return None
    if raw.group == "comma_number":
        return Node(size(int(digits)), raw.start, raw.end, int(digits))
    return whole(digits, raw.start, raw.end)


def _ordinal(raw: Raw) -> Node | None:
    value = int(raw.word[:-2])
    return Node("ORD", raw.start, raw.end, value) if value else None


def _meridiem(raw: Raw) -> Node:
    letters = raw.word.replace(" ", "").replace(".", "")
    return Node("AMPM", raw.start, raw.end, "ampm" if letters == "ampm" else letters[0])


def _sign(raw: Raw) -> Node:
    sign = raw.word.replace(" ", "").replace("≥", ">=").replace("≤", "<=")
    return Node("SIGN", raw.start, raw.end, sign)


_SHAPES = {
    "stamp": _stamp,
    "ymd": _three,
    "mdy": _three,
    "ym": _two,
    "my": _two,
    "clock": _clock,
    "slashed": _slashed,
    "decimal": _decimal,
    "comma_number": _integer,
    "number": _integer,
    "ordinal": _ordinal,
    "ampm": _meridiem,
    "sign": _sign,
}


# Every repetition is bounded or covers one character class, so no text causes slow backtracking.
_TOKEN = re.compile(
    r"""
    (?P<opaque>https?://\S+|www\.\S+|[\w.+-]{1,64}@[\w-]{1,64}\.\w+|@(?!\d)\w+|\#\w+
      |[$€£¥]\s?\d[\d,.]*[^\W\d]*|[$€£¥][^\W\d]+|\d+(?:\.\d+)?\s?%)
    |(?P<stamp>\d{4}-\d{2}-\d{2}[T\ ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?
      (?:Z\b|\s?\+\d{2}:?\d{2}\b|(?:(?<=:\d\d:\d\d)|(?<=T\d\d:\d\d)|(?<=\.\d{3}))\s?-\d{2}:?\d{2}\b
      )?(?!\d|:\d))
    |(?P<ymd>\d{4}(?P<s1>[-/.])\d{1,2}(?P=s1)\d{1,2}(?!\d|[./:]\d))
    |(?P<mdy>\d{1,2}(?P<s2>[-/.])\d{1,2}(?P=s2)(?:\d{4}|\d{2})(?!\d|[./:]\d))
    |(?P<version>\d+(?:\.\d+){2,})
    |(?P<ym>\d{4}[-/](?:1[0-2]|0?[1-9])(?![\d/-]|\.\d))
    |(?P<my>(?<![^\W\d_][-/])(?:1[0-2]|0?[1-9])[-/](?:1[5-9]|2[01])\d{2}(?!\d|[./:]\d))
    |(?P<clock>\d{1,2}:\d{2}(?::\d{2})?(?!\d|[:.]\d)|(?:[01]?\d|2[0-3])h[0-5]\d(?![\dm]))
    |(?P<slashed>\d{1,2}/\d{1,2}(?!\d|[./:]\d))
    |(?P<decimal>\d+\.\d+)
    |(?P<comma_number>\d{1,3}(?:,\d{3})+(?!\d))
    |(?P<ordinal>\d{1,2}(?:st|nd|rd|th)\b)
    |(?P<number>\d+)
    |(?P<ampm>\.?(?:[ap]\s?\.\s?m\b(?:\s?\.)?|[ap]\s?m\b|ampm\b|(?<=\d)[ap]\b\.?))
    |(?P<unit>(?<=\d)(?:h|hrs?|m|mins?|d|w|y)(?=\d))
    |(?P<mixed>[^\W\d_]+\d\w*(?:\.\d+)*)
    |(?P<genitive>['\u2019]s\b)
    |(?P<word>[^\W\d_]+(?:['\u2019](?!s\b)[^\W\d_]+)*)
    |(?P<sign>[<>]\s?=?|[≥≤])
    |(?P<mark>\S|\n)
    """,
    re.VERBOSE | re.IGNORECASE,
)
_MIXED = re.compile(
    r"(?:(q)([1-4])|(h)([12])|([fsc]y)(\d{4}|\d{2})|([a-z]+)(\d{1,2}))(?:st|nd|rd|th)?",
    re.IGNORECASE,
)
_MARKS = {
    ",": "COMMA",
    "-": "DASH",
    "–": "DASH",  # noqa: RUF001
    "—": "DASH",
    "~": "DASH",
    "/": "SLASH",
    ":": "COLON",
    "(": "OPEN",
    ")": "CLOSE",
    "'": "APOS",
    "’": "APOS",  # noqa: RUF001
    "@": "AT",
    "&": "AND",
}
# "3D" is a film, "10d" are ten days.
_DIMENSIONS = (2, 3, 4)
_CLOCKS = {"oclock", "o'clock", "clock"}
_NUMBERS = {"number", "decimal", "clock", "mdy", "ymd"}


def _raws(text: str) -> list[Raw]:
    raws = []
    for match in _TOKEN.finditer(text):
        group = match.lastgroup or "mark"
        if group in ("s1", "s2"):
            group = "ymd" if group == "s1" else "mdy"
        word = match.group().lower().replace("’", "'")  # noqa: RUF001
        raws.append(Raw(group, word, match.start(), match.end()))
    return raws


def lex(text: str) -> list[Node]:
    """The tokens of a text in order. Adjacent words that say nothing about time become one token."""
    raws = _raws(text)
    words = [raw.word for raw in raws]
    nodes: list[Node] = []
    index = 0
    while index < len(raws):
        index += _take(text, raws, words, index, nodes)
    return nodes


def _take(text: str, raws: list[Raw], words: list[str], index: int, nodes: list[Node]) -> int:
    """Add the token at *index* to *nodes*; returns how many raw tokens it consumed."""
    raw = raws[index]
    if raw.group == "ampm" and not _after_number(raws, index):
        raw = raws[index] = Raw("word", raw.word.strip("."), raw.start, raw.end)
    if raw.group == "genitive":
        decade = nodes and nodes[-1].end == raw.start and text[raw.start - 1] == "0"
        nodes.append(Node("DECADEMARK" if decade else "APOS", raw.start, raw.end))
        return 1
    if raw.group in ("word", "unit"):
        return _take_word(text, raws, words, index, nodes)
    if raw.group == "mixed":
        _take_mixed(raw, nodes)
        return 1
    node = digits(text, raw) if raw.group != "mark" else _mark(text, raw, nodes)
    if node is not None:
        _append(nodes, node)
    return 1


def _after_number(raws: list[Raw], index: int) -> bool:
    before = raws[index - 1] if index else None
    if before is None or raws[index].start - before.end > 1:
        return False
    return before.group in _NUMBERS or before.word in lexicon.CARDINAL or before.word in _CLOCKS


def _append(nodes: list[Node], node: Node) -> None:
    if node.kind == "WORD" and nodes and nodes[-1].kind == "WORD":
        nodes[-1] = Node("WORD", nodes[-1].start, node.end, node.value)
    else:
        nodes.append(node)


def _take_word(text: str, raws: list[Raw], words: list[str], index: int, nodes: list[Node]) -> int:
    raw = raws[index]
    if raw.word == "s" and raw.start > 1 and text[raw.start - 2 : raw.start] == "0 ":
        nodes.append(Node("DECADEMARK", raw.start, raw.end))
        return 1
    glued = raw.start > 0 and text[raw.start - 1].isdigit()
    if glued and _take_glued(raw, nodes):
        return 1
    for named in (_holiday, _phrase):
        found = named(raws, index)
        if found is not None:
            kind, value, taken = found
            _append(nodes, Node(kind, raw.start, raws[index + taken - 1].end, value))
            return taken
    spelled = lexicon.spelled_number(words[index : index + 6])
    if spelled is not None:
        kind = size(spelled.value)
        if spelled.ordinal:
            kind = "SECONDWORD" if raw.word == "second" else "ORD"
        elif 1100 <= spelled.value < 2200:
            kind = "YEARNUM"
        nodes.append(Node(kind, raw.start, raws[index + spelled.taken - 1].end, spelled.value))
        return spelled.taken
    kind, value = WORDS.get(raw.word, ("WORD", raw.word))
    _append(nodes, Node(kind, raw.start, raw.end, value))
    return 1


def _take_glued(raw: Raw, nodes: list[Node]) -> bool:
    """Letters right after digits: "10d", "1990s", "5k". Unknown letters make the number opaque."""
    if raw.word == "s":
        nodes.append(Node("DECADEMARK", raw.start, raw.end))
        return True
    if raw.word == "ish" or WORDS.get(raw.word, ("",))[0] in ("UNITS", "UNIT", "MONTH", "TO"):
        return False
    unit = GLUED_UNITS.get(raw.word)
    if raw.word == "m" and len(nodes) > 1 and nodes[-2].value == "hour":
        unit = "minute"
    if raw.word == "d" and nodes and nodes[-1].kind == "N12" and nodes[-1].value in _DIMENSIONS:
        nodes[-1] = Node("OPAQUE", nodes[-1].start, raw.end)
        return True
    if unit:
        nodes.append(Node("UNITS", raw.start, raw.end, unit))
        return True
    known = WORDS.get(raw.word)
    if known is None and nodes:
        nodes[-1] = Node("OPAQUE", nodes[-1].start, raw.end)
        return True
    return False


def _sequence(raws: list[Raw], index: int, longest: int) -> list[tuple[str, int]]:
    """The words from *index* on, each with the number of raw tokens up to and including it.

    Apostrophes are skipped, and so are hyphens inside a word: "night-time".
    """
    found: list[tuple[str, int]] = []
    place = index
    while place < len(raws) and len(found) < longest:
        raw = raws[place]
        if raw.group == "word":
            found.append((raw.word, place - index + 1))
        elif raw.word == "/" and len(found) == 1 and found[0][0] == "w":
            pass
        elif raw.word not in ("'", "-", "'s") or not found or raw.start != raws[place - 1].end:
            break
        place += 1
    return found


_PHRASE_LONGEST = max(len(words) for words in PHRASES)
_PHRASE_HEADS = frozenset(words[0] for words in PHRASES)


def _phrase(raws: list[Raw], index: int) -> tuple[str, object, int] | None:
    if raws[index].word not in _PHRASE_HEADS:
        return None
    sequence = _sequence(raws, index, _PHRASE_LONGEST)
    for count in range(len(sequence), 0, -1):
        entry = PHRASES.get(tuple(word for word, _ in sequence[:count]))
        if entry is not None:
            return entry[0], entry[1], sequence[count - 1][1]
    return None


def _holiday(raws: list[Raw], index: int) -> tuple[str, object, int] | None:
    if holidays.folded(raws[index].word) not in holidays.HEADS:
        return None
    sequence = [
        (holidays.folded(word), taken)
        for word, taken in _sequence(raws, index, holidays.LONGEST + 1)
        if word != "s"
    ]
    for count in range(min(len(sequence), holidays.LONGEST), 0, -1):
        rule = holidays.NAMES.get(tuple(word for word, _ in sequence[:count]))
        if rule is not None:
            return "HOLIDAY", rule, sequence[count - 1][1]
    return None


def _take_mixed(raw: Raw, nodes: list[Node]) -> None:
    """Letters followed by digits: "q3", "h2", "fy18", "dec31"."""
    match = _MIXED.fullmatch(raw.word)
    middle = raw.start
    if match and match[1]:
        nodes.append(Node("QUARTERNUM", raw.start, raw.end, int(match[2])))
    elif match and match[3]:
        nodes.append(Node("HALFNUM", raw.start, raw.end, int(match[4])))
    elif match and match[5]:
        nodes.append(Node("FISCAL", raw.start, raw.start + 2, match[5].upper()))
        nodes.append(whole(match[6], raw.start + 2, raw.end))
    elif match and WORDS.get(match[7], ("",))[0] in ("MONTH", "MAYWORD", "MARCHWORD"):
        middle += len(match[7])
        nodes.append(Node("MONTH", raw.start, middle, WORDS[match[7]][1]))
        nodes.append(whole(match[8], middle, raw.end))
    else:
        nodes.append(Node("OPAQUE", raw.start, raw.end))


def _mark(text: str, raw: Raw, nodes: list[Node]) -> Node | None:
    if raw.word == "." and nodes and nodes[-1].end == raw.start:
        short = nodes[-1].end - nodes[-1].start < 5 or text[raw.end : raw.end + 1].isdigit()
        if nodes[-1].kind in ("MONTH", "WEEKDAY", "SATWORD", "MARCHWORD") and short:
            return None
    return Node(_MARKS.get(raw.word, "BREAK"), raw.start, raw.end, raw.word)


# Words that help to name a time but never name one alone. A text with only these is skipped.
_HELPERS = kinds(
    "A THE OF IN ON AT FOR FROM TO THROUGH BETWEEN AND OR SINCE BEFORE AFTER BY BACK LATER EARLIER "
    "WITHIN DURING OVER AROUND EARLY MID LATE START MIDDLE END EVERY ALL ANY OTHER PASTWORD LAST "
    "PREVIOUS NEXT THIS THAT MORE LESS THAN STARTING ONWARD ANOTHER PRESENT COUPLE FEW ISH GOOD HUNDRED "
    "THOUSAND BUSINESS TIMES UNTIL MEAL ZONE DOZEN EXTRA"
)
_TRIGGERS = frozenset(
    {word for word, (kind, _) in WORDS.items() if kind not in _HELPERS}
    | {head + ending for head in holidays.HEADS for ending in ("", "s")}
    | {word for word, number in lexicon.CARDINAL.items() if number >= 10}
    | {word for word, number in lexicon.ORDINAL.items() if number >= 3}
    | set(MEALS)
    | {"pm", "clock", "commencing", "moment", "present", "possible", "recently", "previously"}
)
_HOUR = f"(?:{'|'.join(lexicon.CARDINAL)})"
_SPELLED_HOUR = re.compile(
    rf"\b{_HOUR}\s+a\.?\s?m\b|\bfrom\s+{_HOUR}\s+(?:to|until|till)\s+{_HOUR}\b", re.IGNORECASE
)
_LETTERS = re.compile(r"[a-z]+")
_DIGIT = re.compile(r"\d")


def may_speak_of_time(text: str) -> bool:
    """A quick check: False if *text* cannot contain a date or time."""
    if _DIGIT.search(text):
        return True
    if not _TRIGGERS.isdisjoint(_LETTERS.findall(text.lower())):
        return True
    return _SPELLED_HOUR.search(text) is not None
