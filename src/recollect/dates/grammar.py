"""The grammar engine: rules are patterns over kinds of tokens, applied in order.

Every token has a kind, and every kind a character of its own, so that the kinds of a text form a
string and a regular expression over that string is a rule. A pattern is written with the names of
kinds and groups: `MONTH DAYNUM (COMMA? YEAR)?`.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from recollect.dates.periods import DAY
from recollect.dates.values import Clock, Dated, Hours, Length, Node, Part, ResolutionContext

_KIND_NAMES = (
    # marks and words without a meaning here
    "WORD OPAQUE BREAK COMMA DASH SLASH COLON OPEN CLOSE APOS SIGN "
    # numbers by size: what they can be depends on it
    "ZERO N12 N24 N31 N59 N99 NBIG MILITARY YEARNUM DECIMAL ORD SECONDWORD HUNDRED THOUSAND "
    # pairs and triples of digits
    "SLASHED HHMM STAMP YMD YM "
    # grammar words
    "A THE OF IN ON AT FOR FROM TO UNTIL THROUGH BETWEEN AND OR SINCE BEFORE AFTER BY AGO "
    "BACK LATER EARLIER WITHIN DURING OVER AROUND EARLY MID LATE START MIDDLE END EVERY ALL "
    "ANY OTHER TIMES HALF PASTWORD LAST PREVIOUS NEXT THIS THAT NOW MORE LESS THAN STARTING "
    "ASEARLYAS ASLATEAS NOLATER NOEARLIER ONWARD TODATE TOPRESENT PRESENT SAMETIME REST "
    "HALFOF ANOTHER DOZEN ORSO EXTRA COUPLE FEW ISH GOOD "
    # words of time
    "MONTH MAYWORD MARCHWORD WEEKDAY SATWORD WEEKDAYS UNIT UNITS QUARTERWORD WEEKWORD SEASON "
    "FALLWORD HOLIDAY AMPM OCLOCK NOON PART PARTS MEAL DAYWORD TONIGHT QUARTERNUM HALFNUM "
    "ENDOF OFTEN FISCAL BUSINESS ZONE YEARWORD DAYUNIT DECADEMARK DECADENAME "
    # what rules make
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


CLOCK_GRAINS = frozenset({"second", "minute", "hour", "part"})


class Match(NamedTuple):
    """Tokens that a rule fits, the tokens beside them, and what the text is read against."""

    context: ResolutionContext
    nodes: Sequence[Node]
    before: Node | None
    after: Node | None

    def all(self, *names: str) -> list[Any]:
        """The values of the tokens of these kinds or groups, in order."""
        kinds = {kind for name in names for kind in members(name)}
        return [node.value for node in self.nodes if node.kind in kinds]

    def one(self, *names: str) -> Any:
        """The first of them, or None."""
        return next(iter(self.all(*names)), None)

    def has(self, *names: str) -> bool:
        """Whether a token of these kinds is there."""
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
        """The kind of the token behind the match, or BREAK."""
        return self.after.kind if self.after else "BREAK"

    def next_word(self) -> str:
        """The word behind the match, in lower case, when nothing but a space or dash is between."""
        found = _NEXT_WORD.match(self.context.text, self.nodes[-1].end)
        return found[1].lower() if found else ""


_NEXT_WORD = re.compile(r"[\s-]{0,3}([^\W\d_]{1,30})")
Make = Callable[[Match], object]


class GrammarRule(NamedTuple):
    """What a sequence of kinds means. *make* gives the value, or None when it does not fit."""

    pattern: re.Pattern[str]
    make: Make


def rules(*table: tuple[str, Make]) -> tuple[GrammarRule, ...]:
    """A table of patterns and what to make of them, ready to be applied."""
    return tuple(GrammarRule(pattern(text), make) for text, make in table)


def kind_of(value: object) -> str:
    """The kind of token that a value is."""
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
    """The tokens after every rule has had its turn."""
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
