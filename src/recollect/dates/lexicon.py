"""Words that speak of time and the kind of each, numbers in words included."""

from collections.abc import Sequence
from typing import Any

from recollect.dates.values import Part


def _listed(text: str) -> list[str]:
    return text.split()


_ONES = _listed("one two three four five six seven eight nine")
_TEENS = _listed("ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen")
_TENS = _listed("twenty thirty forty fifty sixty seventy eighty ninety")
_ORDINALS = _listed(
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth "
    "fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth"
)
CARDINAL = {
    "zero": 0,
    **{word: number for number, word in enumerate(_ONES, 1)},
    **{word: number for number, word in enumerate(_TEENS, 10)},
    **{word: number * 10 for number, word in enumerate(_TENS, 2)},
}
ORDINAL = {**{word: number for number, word in enumerate(_ORDINALS, 1)}, "thirtieth": 30}
_SCALES = {"hundred": 100, "thousand": 1000}


class Spelled:
    """A number found in words: its value, whether it is an ordinal, and how many words it took."""

    __slots__ = ("ordinal", "taken", "value")

    def __init__(self, value: int, taken: int, ordinal: bool = False) -> None:
        self.value = value
        self.taken = taken
        self.ordinal = ordinal


def spelled_number(words: Sequence[str]) -> Spelled | None:
    """The number that *words* begin with; "-" may stand between tens and ones.

    "two thirty" is two numbers, "twenty two" is one; "second" alone is left to the caller.
    """
    small = _below_hundred(words)
    if small is None or small.ordinal:
        return small
    value, taken = small.value, small.taken
    for scale in ("hundred", "thousand"):
        if taken < len(words) and words[taken] == scale:
            rest = _tail(words[taken + 1 :])
            value, taken = value * _SCALES[scale], taken + 1
            if rest is not None and not rest.ordinal:
                value, taken = value + rest.value, taken + rest.taken
            break
    return Spelled(value, taken)


def _below_hundred(words: Sequence[str]) -> Spelled | None:
    first = words[0]
    if first in ORDINAL:
        return Spelled(ORDINAL[first], 1, ordinal=True)
    value = CARDINAL.get(first)
    if value is None:
        return None
    if value >= 20:
        skip = 2 if words[1:2] == ["-"] else 1
        after = words[skip] if len(words) > skip else ""
        if after in _ONES:
            return Spelled(value + CARDINAL[after], skip + 1)
        if ORDINAL.get(after, 10) < 10:
            return Spelled(value + ORDINAL[after], skip + 1, ordinal=True)
    return Spelled(value, 1)


def _tail(words: Sequence[str]) -> Spelled | None:
    """What follows a hundred or a thousand: "and fifteen", "ninety three"."""
    skip = 1 if words[:1] == ["and"] else 0
    rest = _below_hundred(words[skip:]) if len(words) > skip else None
    return Spelled(rest.value, rest.taken + skip, rest.ordinal) if rest else None


Entry = tuple[str, Any]


MONTH_NAMES = {
    1: "january jan",
    2: "february feb febr",
    3: "march mar",
    4: "april apr",
    5: "may",
    6: "june jun",
    7: "july jul",
    8: "august aug",
    9: "september sep sept",
    10: "october oct",
    11: "november nov",
    12: "december dec",
}
WEEKDAY_NAMES = (
    "monday mon",
    "tuesday tue tues",
    "wednesday weds wed",
    "thursday thu thur thurs",
    "friday fri",
    "saturday sat",
    "sunday sun",
)
# Months that are also first names, and weekdays and months that are also everyday words, count
# only where the words beside them speak of time.
NAMELIKE_MONTHS = frozenset({"april", "june", "august", "jun", "jan", "mar"})
_AMBIGUOUS = {"may": "MAYWORD", "march": "MARCHWORD", "mar": "MARCHWORD"}
_AMBIGUOUS_DAYS = frozenset({"sat", "sun", "wed"})
# Words behind a number or a month that show that it does not count or describe what follows.
FUNCTION_WORDS = frozenset(
    _listed(
        "i we he she they you it is was will were at from for with and or but so to if when "
        "because my our his her their the a of in"
    )
)

# Hours as the date set has them; "night" ends with the day.
PARTS = {
    "morning": Part(8, 12, "TMO"),
    "afternoon": Part(12, 16, "TAF"),
    "evening": Part(16, 20, "TEV"),
    "night": Part(20, 24, "TNI"),
    "daytime": Part(8, 18, "TDT"),
    "nighttime": Part(0, 8, "TNT"),
    "lunchtime": Part(11, 13, "TMEL"),
    "dinnertime": Part(16, 20, "TMED"),
}
MEALS = {
    "breakfast": Part(8, 12, "TMEB"),
    "brunch": Part(8, 12, "TMER"),
    "lunch": Part(11, 13, "TMEL"),
    "dinner": Part(16, 20, "TMED"),
    "supper": Part(16, 20, "TMED"),
}
_KINDS: dict[str, str] = {
    "A": "a an",
    "THE": "the",
    "OF": "of",
    "IN": "in",
    "ON": "on",
    "AT": "at @",
    "FOR": "for",
    "FROM": "from",
    "TO": "to",
    "UNTIL": "until till til untill",
    "THROUGH": "through thru",
    "BETWEEN": "between",
    "AND": "and &",
    "OR": "or",
    "SINCE": "since",
    "BEFORE": "before",
    "AFTER": "after",
    "BY": "by",
    "AGO": "ago",
    "BACK": "back",
    "LATER": "later hence",
    "EARLIER": "earlier",
    "WITHIN": "within",
    "DURING": "during throughout",
    "OVER": "over",
    "AROUND": "around about approximately roughly circa nearly almost approx",
    "EARLY": "early",
    "MID": "mid",
    "LATE": "late",
    "START": "beginning start",
    "MIDDLE": "middle",
    "END": "end",
    "EVERY": "every each",
    "ALL": "all whole entire full",
    "ANY": "any",
    "OTHER": "other",
    "HALF": "half",
    "PASTWORD": "past",
    "LAST": "last",
    "PREVIOUS": "previous prior preceding",
    "NEXT": "next upcoming coming following",
    "THIS": "this current",
    "THAT": "that same",
    "NOW": "now",
    "MORE": "more",
    "LESS": "less",
    "THAN": "than",
    "STARTING": "starting",
    "ONWARD": "onward onwards",
    "PRESENT": "present",
    "ANOTHER": "another",
    "COUPLE": "couple",
    "FEW": "few several some",
    "ISH": "ish",
    "GOOD": "good nice great happy lovely wonderful",
    "OCLOCK": "oclock o'clock",
    "HUNDRED": "hundred",
    "THOUSAND": "thousand",
    "BUSINESS": "business working work",
    "TIMES": "times",
    "DOZEN": "dozen dozens",
    "EXTRA": "additional extra consecutive straight further solid",
}
_UNITS = {
    "second": "seconds sec secs",
    "minute": "minutes mins min",
    "hour": "hours hrs hr",
    "day": "days",
    "week": "weeks wks wk",
    "weekend": "weekends",
    "fortnight": "fortnights",
    "month": "months mths",
    "year": "years yrs yr",
    "decade": "decades",
    "century": "centuries",
    "weekday": "weekdays",
    "quarter": "quarters",
}
_SINGULAR = {
    "day": "DAYUNIT",
    "week": "WEEKWORD",
    "year": "YEARWORD",
    "quarter": "QUARTERWORD",
    "second": "SECONDWORD",
}
# Letters that are a unit only right behind a number: "10d", "2h".
GLUED_UNITS = {"h": "hour", "d": "day", "w": "week", "y": "year", "mo": "month", "yo": ""}
_OFTEN = {
    "daily": "P1D",
    "everyday": "P1D",
    "nightly": "P1D",
    "hourly": "PT1H",
    "weekly": "P1W",
    "biweekly": "P2W",
    "fortnightly": "P2W",
    "monthly": "P1M",
    "bimonthly": "P2M",
    "semimonthly": "P0.5M",
    "semiweekly": "P0.5W",
    "quarterly": "P3M",
    "yearly": "P1Y",
    "annual": "P1Y",
    "annually": "P1Y",
    "biannual": "P0.5Y",
    "biannually": "P0.5Y",
    "semiannual": "P0.5Y",
    "semiannually": "P0.5Y",
    "biennial": "P2Y",
    "biennially": "P2Y",
}
_DAYWORDS = {
    "today": 0,
    "otd": 0,
    "tomorrow": 1,
    "tmrw": 1,
    "tmr": 1,
    "tmw": 1,
    "tomorow": 1,
    "yesterday": -1,
    "yday": -1,
    "ystrday": -1,
}


def _words() -> dict[str, Entry]:
    words: dict[str, Entry] = {}
    for kind, names in _KINDS.items():
        words.update((name, (kind, name)) for name in names.split())
    for number, names in MONTH_NAMES.items():
        words.update((name, (_AMBIGUOUS.get(name, "MONTH"), number)) for name in names.split())
    for number, names in enumerate(WEEKDAY_NAMES):
        for name in names.split():
            words[name] = ("SATWORD" if name in _AMBIGUOUS_DAYS else "WEEKDAY", number)
        words[names.split()[0] + "s"] = ("WEEKDAYS", number)
    for unit, names in _UNITS.items():
        words[unit] = (_SINGULAR.get(unit, "UNIT"), unit)
        words.update((name, ("UNITS", unit)) for name in names.split())
    for name, part in PARTS.items():
        words[name] = ("PART", part)
        words[name + "s"] = ("PARTS", part)
    words.update((name, ("MEAL", part)) for name, part in MEALS.items())
    words.update((name, ("OFTEN", timex)) for name, timex in _OFTEN.items())
    words.update((name, ("DAYWORD", shift)) for name, shift in _DAYWORDS.items())
    words.update((name, ("SEASON", name)) for name in ("summer", "winter"))
    words.update((name, ("FALLWORD", name)) for name in ("spring", "fall"))
    words["autumn"] = ("SEASON", "fall")
    words.update((name, ("TONIGHT", None)) for name in ("tonight", "tonite"))
    words.update((name, ("NOON", 12)) for name in ("noon", "midday", "noontime"))
    words["midnight"] = ("NOON", 0)
    words.update((name, ("ZONE", name)) for name in _ZONES.split())
    words.update((name, ("FISCAL", name.upper())) for name in ("fy", "sy", "cy"))
    words["asap"] = ("NOW", "FUTURE_REF")
    words.update((f"eo{letter}", ("ENDOF", unit)) for letter, unit in _END_OF.items())
    words.update((name, ("DECADENAME", decade)) for decade, name in _DECADES.items())
    return words


# Only in capitals, and only behind a time: "est", "ist" and "pt" are words elsewhere.
_ZONES = "pst pdt pt est edt et cst cdt ct mst mdt mt gmt utc bst cet cest ist jst aest aedt"
_DECADES = {
    20: "twenties",
    30: "thirties",
    40: "forties",
    50: "fifties",
    60: "sixties",
    70: "seventies",
    80: "eighties",
    90: "nineties",
}
_END_OF = {"y": "year", "m": "month", "w": "week", "d": "day", "q": "quarter"}
WORDS = _words()
