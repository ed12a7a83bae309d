"""Rules over kinds, and how they are applied: in order, each as often as it fits."""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from recollect.dates.periods import DAY
from recollect.dates.symbols import CODE, members, pattern
from recollect.dates.values import Clock, Context, Dated, Hours, Length, Node, Part

CLOCK_GRAINS = frozenset({"second", "minute", "hour", "part"})


class Match(NamedTuple):
    """Tokens that a rule fits, the tokens beside them, and what the text is read against."""

    context: Context
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


class Rule(NamedTuple):
    """What a sequence of kinds means. *make* gives the value, or None when it does not fit."""

    pattern: re.Pattern[str]
    make: Make


def rules(*table: tuple[str, Make]) -> tuple[Rule, ...]:
    """A table of patterns and what to make of them, ready to be applied."""
    return tuple(Rule(pattern(text), make) for text, make in table)


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


def apply(context: Context, nodes: list[Node], table: Iterable[Rule]) -> list[Node]:
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


def _made(context: Context, nodes: list[Node], begin: int, end: int, make: Make) -> Node | None:
    before = nodes[begin - 1] if begin else None
    after = nodes[end] if end < len(nodes) else None
    value = make(Match(context, nodes[begin:end], before, after))
    if value is None:
        return None
    if isinstance(value, Node):
        return value
    return Node(kind_of(value), nodes[begin].start, nodes[end - 1].end, value)
