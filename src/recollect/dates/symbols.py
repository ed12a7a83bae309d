"""Patterns over kinds of words.

Every token has a kind, and every kind a character of its own, so that the kinds of a text make a
string and a regular expression over that string is a rule of grammar. A pattern is written with the
names of kinds and groups: `MONTH DAYNUM (COMMA? YEAR)?`.
"""

import re

KINDS = (
    # marks and words without a meaning here
    *(
        "WORD",
        "OPAQUE",
        "BREAK",
        "COMMA",
        "DASH",
        "SLASH",
        "COLON",
        "OPEN",
        "CLOSE",
        "APOS",
        "SIGN",
    ),
    # numbers by size: what they can be depends on it
    *("ZERO", "N12", "N24", "N31", "N59", "N99", "NBIG", "MILITARY", "YEARNUM", "DECIMAL"),
    *("ORD", "SECONDWORD", "HUNDRED", "THOUSAND"),
    # pairs and triples of digits
    *("SLASHED", "HHMM", "STAMP", "YMD", "YM"),
    # grammar words
    *("A", "THE", "OF", "IN", "ON", "AT", "FOR", "FROM", "TO", "UNTIL", "THROUGH", "BETWEEN"),
    *("AND", "OR", "SINCE", "BEFORE", "AFTER", "BY", "AGO", "BACK", "LATER", "EARLIER", "WITHIN"),
    *("DURING", "OVER", "AROUND", "EARLY", "MID", "LATE", "START", "MIDDLE", "END", "EVERY"),
    *("ALL", "ANY", "OTHER", "TIMES", "HALF", "PASTWORD", "LAST", "PREVIOUS", "NEXT", "THIS"),
    *("THAT", "NOW", "MORE", "LESS", "THAN", "STARTING", "ASEARLYAS", "ASLATEAS", "NOLATER"),
    *(
        "NOEARLIER",
        "ONWARD",
        "TODATE",
        "TOPRESENT",
        "PRESENT",
        "SAMETIME",
        "REST",
        "HALFOF",
        "ANOTHER",
        "DOZEN",
        "ORSO",
        "EXTRA",
        "COUPLE",
        "FEW",
        "ISH",
        "GOOD",
    ),
    # words of time
    *("MONTH", "MAYWORD", "MARCHWORD", "WEEKDAY", "SATWORD", "WEEKDAYS", "UNIT", "UNITS"),
    *("QUARTERWORD", "WEEKWORD", "SEASON", "FALLWORD", "HOLIDAY", "AMPM"),
    *("OCLOCK", "NOON", "PART", "PARTS", "MEAL", "DAYWORD", "TONIGHT", "QUARTERNUM", "HALFNUM"),
    *(
        "ENDOF",
        "OFTEN",
        "FISCAL",
        "BUSINESS",
        "ZONE",
        "YEARWORD",
        "DAYUNIT",
        "DECADEMARK",
        "DECADENAME",
    ),
    # what rules make
    *("TIME", "DUR", "DAY", "SPAN", "MOMENT", "TRANGE", "DONE", "SET"),
)
CODE = {kind: chr(0x100 + number) for number, kind in enumerate(KINDS)}
GROUPS = {
    "INT": ("ZERO", "N12", "N24", "N31", "N59", "N99", "NBIG"),
    "HOUR": ("ZERO", "N12", "N24"),
    "MINUTE": ("ZERO", "N12", "N24", "N31", "N59"),
    "DAYNUM": ("N12", "N24", "N31"),
    "NUMBER": ("ZERO", "N12", "N24", "N31", "N59", "N99", "NBIG", "YEARNUM", "DECIMAL"),
    "SMALL": ("ZERO", "N12", "N24", "N31", "N59", "N99"),
    "ORDINAL": ("ORD", "SECONDWORD"),
    "ANYMONTH": ("MONTH", "MAYWORD", "MARCHWORD"),
    "ANYWEEKDAY": ("WEEKDAY", "SATWORD"),
    "ANYSEASON": ("SEASON", "FALLWORD"),
    "ANYUNIT": ("UNIT", "UNITS", "QUARTERWORD", "SECONDWORD", "WEEKWORD", "YEARWORD", "DAYUNIT"),
    "REL": ("LAST", "PREVIOUS", "NEXT", "THIS", "PASTWORD"),
    "DATE": ("DAY", "SPAN"),
    "ANYTIME": ("TIME", "HHMM", "MILITARY"),
    "TOWORD": ("TO", "UNTIL", "THROUGH", "DASH"),
    "MARK": ("BREAK", "COMMA", "DASH", "COLON", "CLOSE"),
    "VAGUE": ("EARLY", "MID", "LATE"),
}
_NAME = re.compile(r"[A-Z][A-Z0-9]+|[A-Z]")


def members(name: str) -> tuple[str, ...]:
    """The kinds that a name of a kind or of a group stands for."""
    return GROUPS.get(name) or (name,)


def kinds(text: str) -> frozenset[str]:
    """The names in *text*, for asking what stands beside something."""
    return frozenset(text.split())


def pattern(text: str) -> re.Pattern[str]:
    """The rule that *text* writes down, as an expression over the codes of kinds."""

    def coded(match: re.Match[str]) -> str:
        codes = "".join(CODE[kind] for kind in members(match.group()))
        return codes if len(codes) == 1 else f"[{codes}]"

    def listed(match: re.Match[str]) -> str:
        names = match.group(2).split()
        codes = "".join(CODE[kind] for name in names for kind in members(name))
        return f"[{match.group(1)}{codes}]"

    text = re.sub(r"\[(\^?)([A-Z0-9 ]+)\]", listed, text)
    return re.compile(_NAME.sub(coded, text).replace(" ", ""))
