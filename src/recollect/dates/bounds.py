"""Rules for what begins or ends at a time: "since 2015", "until March", "after 6 pm"."""

from dataclasses import replace
from datetime import datetime

from recollect.dates.clock import at, clock_of
from recollect.dates.grammar import CLOCK_GRAINS, Match, rules
from recollect.dates.periods import DAY, later
from recollect.dates.values import Clock, Context, Dated, Node, Period
from recollect.dates.when import Relation

_RELATIONS: dict[str, Relation] = {
    "SINCE": "since",
    "STARTING": "since",
    "ASEARLYAS": "since",
    "NOEARLIER": "since",
    "ONWARD": "since",
    "START": "since",
    "UNTIL": "until",
    "ASLATEAS": "until",
    "THROUGH": "until",
    "BEFORE": "before",
    "BY": "before",
    "NOLATER": "before",
    "AFTER": "after",
}
# What lasts until midnight ends with the day.
_ENDING = ("until", "before")
_SIGNS: dict[str, tuple[Relation, bool]] = {
    ">": ("after", False),
    ">=": ("since", False),
    "<": ("before", False),
    "<=": ("until", True),
}


def bound(value: Dated, relation: Relation, inclusive: bool = False) -> Dated | None:
    """*value* as a bound. *inclusive*: what ends, ends with the whole of it ("through March")."""
    if not value.readings:
        return None
    found = tuple(
        period._replace(edge=_edge(period, relation, inclusive)) for period in value.readings
    )
    return replace(value, readings=found, relation=relation)


def _edge(period: Period, relation: Relation, inclusive: bool) -> datetime:
    if period.edge is not None:
        return period.edge
    # After a day means from that day on to most people, after a month or year when it is over.
    fine = period.grain == "day" or period.grain in CLOCK_GRAINS
    short = fine and (period.last - period.first).days <= 1
    if relation == "after" and (not short or period.grain == "part"):
        return period.last
    return period.last if inclusive and relation == "until" else period.first


def _value(context: Context, item: object) -> Dated | None:
    if isinstance(item, Clock):
        return Dated((at(context.today, item),), anchored=False)
    return item if isinstance(item, Dated) else None


def _bound(match: Match) -> Dated | None:
    """A bound word and a time. "By" alone is too common a word to carry a time of day part."""
    word = next(node.kind for node in match.nodes if node.kind in _RELATIONS)
    if word == "THROUGH" and match.has("ON"):  # "it went through on 1 April"
        return None
    value = _value(match.context, match.nodes[-1].value)
    if match.has("TIME") and match.one("TIME").seconds == 0 and _RELATIONS[word] in _ENDING:
        value = Dated((at(later(match.context.today, DAY), match.one("TIME")),), anchored=False)
    if value is None or value.relation != "at":
        return None
    if word == "SINCE":
        begun = tuple(period for period in value.readings if period.first < match.context.today)
        value = value.over(begun or value.readings)
    return bound(value, _RELATIONS[word], inclusive=word == "THROUGH")


def _start(match: Match) -> Dated | None:
    """ "Beginning January 7th"; the beginning *of* something is a part of it."""
    if match.one("START") == "of" or match.one("START") == "start":
        return None
    return _bound(match)


def _onward(match: Match) -> Dated | None:
    """ "From 2020 on", "3 pm or later"."""
    value = _value(match.context, match.one("DATE", "MOMENT", "TIME"))
    return bound(value, "since") if value and value.relation == "at" else None


def _or_before(match: Match) -> Dated | None:
    """ "2016 or earlier"."""
    value = _value(match.context, match.one("DATE", "MOMENT", "TIME"))
    inclusive = match.has("DATE")
    return bound(value, "until", inclusive) if value and value.relation == "at" else None


def _sign(match: Match) -> Dated | None:
    relation, inclusive = _SIGNS[match.one("SIGN")]
    return bound(match.one("DATE"), relation, inclusive)


def _day_with_clock(match: Match) -> Dated | None:
    """ "Today before 4 pm"."""
    word = next(node.kind for node in match.nodes if node.kind in _RELATIONS)
    day, clock = match.one("DAY"), match.one("TIME")
    found = tuple(at(period.first, clock) for period in day.readings)
    return bound(Dated(found), _RELATIONS[word]) if found else None


def _day_with_hour(match: Match) -> Dated | None:
    """ "Friday after 2", "before 5 on 1/1/2016"."""
    node = next(item for item in match.nodes if item.kind in ("N12", "N24"))
    clock = clock_of(match.context, node)
    if clock is None:
        return None
    nodes = [Node("TIME", n.start, n.end, clock) if n is node else n for n in match.nodes]
    return _day_with_clock(match._replace(nodes=nodes))


def _hour_alone(match: Match) -> Dated | None:
    """ "Until 5." """
    clock = clock_of(match.context, match.nodes[-1])
    value = _value(match.context, clock)
    return bound(value, _RELATIONS[match.nodes[0].kind]) if value else None


def _to_present(match: Match) -> Dated | None:
    """ "From 2012 to present": it still holds."""
    return bound(match.one("DATE"), "since")


_WORD = "(SINCE|STARTING|ASEARLYAS|NOEARLIER|UNTIL|ASLATEAS|THROUGH|BEFORE|BY|NOLATER|AFTER)"
RULES = rules(
    ("DAY (BEFORE|AFTER|BY|UNTIL|SINCE|NOLATER|NOEARLIER) AROUND? TIME", _day_with_clock),
    ("(BEFORE|AFTER|BY|UNTIL|SINCE) (N12|N24) ON DAY", _day_with_hour),
    ("DAY (BEFORE|AFTER|BY|UNTIL|SINCE) (N12|N24) (?=BREAK|COMMA|$)", _day_with_hour),
    ("(BEFORE|AFTER|UNTIL|SINCE) N12 (?=BREAK|$)", _hour_alone),
    ("FROM? DATE TOPRESENT", _to_present),
    ("FROM? SPAN DASH PRESENT", _to_present),
    ("FROM (DATE|MOMENT|TIME) ON (?![DATE THE WORD])", _onward),
    ("FROM? (DATE|MOMENT|TIME) COMMA? ONWARD", _onward),
    ("(DATE|MOMENT|TIME) (AND|OR) (AFTER|LATER) (?=[BREAK COMMA]|$)", _onward),
    ("(DATE|MOMENT|TIME) (AND|OR) (BEFORE|EARLIER) (?=[BREAK COMMA]|$)", _or_before),
    (f"{_WORD} ON? THE? AROUND? (DATE|MOMENT|TIME)", _bound),
    ("START (DATE|MOMENT)", _start),
    ("YEARWORD? SIGN DATE", _sign),
)
