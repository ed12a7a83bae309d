"""The grammar engine: rules are patterns over token kinds, applied in order.

Every token has a kind, and every kind is coded as one character. The kinds of a text thus form a
string, and a rule is a regular expression over that string. Patterns are written with the names of
kinds and groups: `MONTH DAYNUM (COMMA? YEAR)?`.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from recollect.dates.periods import DAY
from recollect.dates.values import Clock, Dated, Hours, Length, Node, Part, ResolutionContext

_KIND_NAMES = (
    # punctuation, and words that say nothing about time
    "WORD OPAQUE BREAK COMMA DASH SLASH COLON OPEN CLOSE APOS SIGN "
    # numbers by size, which decides what they can mean
    "ZERO N12 N24 N31 N59 N99 NBIG MILITARY YEARNUM DECIMAL ORD SECONDWORD HUNDRED THOUSAND "
    # pairs and triples of digits
    "SLASHED HHMM STAMP YMD YM "
    # grammar words
    "A THE OF IN ON AT FOR FROM TO UNTIL THROUGH BETWEEN AND OR SINCE BEFORE AFTER BY AGO "
    "BACK LATER EARLIER WITHIN DURING OVER AROUND EARLY MID LATE START MIDDLE END EVERY ALL "
    "ANY OTHER TIMES HALF PASTWORD LAST PREVIOUS NEXT THIS THAT NOW MORE LESS THAN STARTING "
    "ASEARLYAS ASLATEAS NOLATER NOEARLIER ONWARD TODATE TOPRESENT PRESENT SAMETIME REST "
    "HALFOF ANOTHER DOZEN ORSO EXTRA COUPLE FEW ISH GOOD "
    # time words
    "MONTH MAYWORD MARCHWORD WEEKDAY SATWORD WEEKDAYS UNIT UNITS QUARTERWORD WEEKWORD SEASON "
    "FALLWORD HOLIDAY AMPM OCLOCK NOON PART PARTS MEAL DAYWORD TONIGHT QUARTERNUM HALFNUM "
    "ENDOF OFTEN FISCAL BUSINESS ZONE YEARWORD DAYUNIT DECADEMARK DECADENAME "
    # results of rules
    "TIME DUR DAY SPAN MOMENT TRANGE DONE SET "
)
KINDS = tuple(_KIND_NAMES.split())
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
    "ONEUNIT": ("UNIT", "QUARTERWORD", "SECONDWORD", "WEEKWORD", "YEARWORD", "DAYUNIT"),
    "REL": ("LAST", "PREVIOUS", "NEXT", "THIS", "PASTWORD"),
    "DATE": ("DAY", "SPAN"),
    "TOWORD": ("TO", "UNTIL", "THROUGH", "DASH"),
    "VAGUE": ("EARLY", "MID", "LATE"),
}
_NAME = re.compile(r"[A-Z][A-Z0-9]+|[A-Z]")


def members(name: str) -> tuple[str, ...]:
    """The kinds of a group, or the kind itself."""
    return GROUPS.get(name) or (name,)


def kinds(text: str) -> frozenset[str]:
    """The names in *text* as a set, for tests of neighbouring tokens."""
    return frozenset(text.split())


def pattern(text: str) -> re.Pattern[str]:
    """Compile a rule's pattern to a regular expression over kind codes."""

    def coded(match: re.Match[str]) -> str:
        codes = "".join(CODE[kind] for kind in members(match.group()))
        return codes if len(codes) == 1 else f"[{codes}]"

    def listed(match: re.Match[str]) -> str:
        names = match.group(2).split()
        codes = "".join(CODE[kind] for name in names for kind in members(name))
        return f"[{match.group(1)}{codes}]"

    text = re.sub(r"\[(\^?)([A-Z0-9 ]+)\]", listed, text)
    return re.compile(_NAME.sub(coded, text).replace(" ", ""))


CLOCK_GRAINS = frozenset({"second", "minute", "hour", "part"})


class Match(NamedTuple):
    """The tokens that a rule matched, their neighbours, and the context of the text."""

    context: ResolutionContext
    nodes: Sequence[Node]
    before: Node | None
    after: Node | None

    def all(self, *names: str) -> list[Any]:
        """The values of the tokens of these kinds or groups, in order."""
        kinds = {kind for name in names for kind in members(name)}
        return [node.value for node in self.nodes if node.kind in kinds]

    def one(self, *names: str) -> Any:
        """The first value of a token of these kinds or groups, or None."""
        return next(iter(self.all(*names)), None)

    def has(self, *names: str) -> bool:
        """Whether the match has a token of these kinds or groups."""
        kinds = {kind for name in names for kind in members(name)}
        return any(node.kind in kinds for node in self.nodes)

    def words(self, node: Node | None = None) -> str:
        """The text of the match, or of one token."""
        if node is not None:
            return self.context.text[node.start : node.end]
        return self.context.text[self.nodes[0].start : self.nodes[-1].end]

    def lead(self) -> str:
        """The kind of the token before the match, or BREAK."""
        return self.before.kind if self.before else "BREAK"

    def follow(self) -> str:
        """The kind of the token after the match, or BREAK."""
        return self.after.kind if self.after else "BREAK"

    def next_word(self) -> str:
        """The word after the match, in lower case; empty if more than spaces or dashes come between."""
        found = _NEXT_WORD.match(self.context.text, self.nodes[-1].end)
        return found[1].lower() if found else ""


_NEXT_WORD = re.compile(r"[\s-]{0,3}([^\W\d_]{1,30})")
Make = Callable[[Match], object]


class GrammarRule(NamedTuple):
    """What a sequence of kinds means. *make* returns the value, or None if the match does not qualify."""

    pattern: re.Pattern[str]
    make: Make


def rules(*table: tuple[str, Make]) -> tuple[GrammarRule, ...]:
    """Compile a table of patterns and their makers."""
    return tuple(GrammarRule(pattern(text), make) for text, make in table)


def kind_of(value: object) -> str:
    """The token kind of a value that a rule made."""
    if isinstance(value, Dated):
        return _dated_kind(value)
    if isinstance(value, Clock):
        return "TIME"
    if isinstance(value, Part):
        return "PART"
    if isinstance(value, Hours):
        return "TRANGE"
    if isinstance(value, Length):
        return "DUR"
    raise TypeError(type(value))


def _dated_kind(value: Dated) -> str:
    if value.recurring:
        return "SET"
    if value.relation != "at":
        return "DONE"
    if not value.readings:
        return "DAY" if value.grain == "day" else "SPAN"
    period = value.readings[0]
    if period.grain in CLOCK_GRAINS:
        return "MOMENT"
    return "DAY" if period.grain == "day" and period.last - period.first <= DAY else "SPAN"


def apply(
    context: ResolutionContext, nodes: list[Node], table: Iterable[GrammarRule]
) -> list[Node]:
    """Apply every rule in order, and return the tokens that result."""
    codes = "".join(CODE[node.kind] for node in nodes)
    for rule in table:
        place = 0
        while (found := rule.pattern.search(codes, place)) is not None:
            begin, end = found.span()
            node = _made(context, nodes, begin, end, rule.make)
            if node is None:
                place = begin + 1
                continue
            nodes[begin:end] = [node]
            codes = codes[:begin] + CODE[node.kind] + codes[end:]
            place = begin + 1
    return nodes


def _made(
    context: ResolutionContext, nodes: list[Node], begin: int, end: int, make: Make
) -> Node | None:
    before = nodes[begin - 1] if begin else None
    after = nodes[end] if end < len(nodes) else None
    value = make(Match(context, nodes[begin:end], before, after))
    if value is None:
        return None
    if isinstance(value, Node):
        return value
    return Node(kind_of(value), nodes[begin].start, nodes[end - 1].end, value)
