"""Words and phrases about time with the kind of each, including spelled-out numbers."""

from collections.abc import Sequence
from typing import Any, NamedTuple

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


class Spelled(NamedTuple):
    """A spelled-out number: its value, how many words it took, and whether it is an ordinal."""

    value: int
    taken: int
    ordinal: bool = False


def spelled_number(words: Sequence[str]) -> Spelled | None:
    """The number at the start of *words*; "-" may join tens and ones.

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


MONTH_NAMES = (
    "january jan, february feb febr, march mar, april apr, may, june jun, july jul, august aug, "
    "september sep sept, october oct, november nov, december dec"
)
_WEEKDAY_NAMES = (
    "monday mon, tuesday tue tues, wednesday weds wed, thursday thu thur thurs, friday fri, "
    "saturday sat, sunday sun"
)
# Months that are also first names, and weekdays and months that are also everyday words, count
# only where neighbouring words are about time.
NAMELIKE_MONTHS = frozenset({"april", "june", "august", "jun", "jan", "mar"})
_AMBIGUOUS = {"may": "MAYWORD", "march": "MARCHWORD", "mar": "MARCHWORD"}
_AMBIGUOUS_DAYS = frozenset({"sat", "sun", "wed"})
# After a number or a month, these words show that it does not count or describe what follows.
FUNCTION_WORDS = frozenset(
    _listed(
        "i we he she they you it is was will were at from for with and or but so to if when "
        "because my our his her their the a of in"
    )
)

# Hours as in the public date set; "night" ends at midnight.
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
# First the words that are a kind of their own, then the words of every other kind.
_ALONE = (
    "the of in on for from to between or since before after by ago back earlier within over "
    "early mid late middle end any other half last now more less than starting present another "
    "couple ish hundred thousand times"
)
_KINDS: dict[str, str] = {
    **{word.upper(): word for word in _ALONE.split()},
    "A": "a an",
    "AT": "at @",
    "UNTIL": "until till til untill",
    "THROUGH": "through thru",
    "AND": "and &",
    "LATER": "later hence",
    "DURING": "during throughout",
    "AROUND": "around about approximately roughly circa nearly almost approx",
    "START": "beginning start",
    "EVERY": "every each",
    "ALL": "all whole entire full",
    "PASTWORD": "past",
    "PREVIOUS": "previous prior preceding",
    "NEXT": "next upcoming coming following",
    "THIS": "this current",
    "THAT": "that same",
    "ONWARD": "onward onwards",
    "FEW": "few several some",
    "GOOD": "good nice great happy lovely wonderful",
    "OCLOCK": "oclock o'clock",
    "BUSINESS": "business working work",
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
# Letters that are a unit only right after a number: "10d", "2h".
GLUED_UNITS = {"h": "hour", "d": "day", "w": "week", "y": "year", "mo": "month", "yo": ""}
_OFTEN = {
    "P1D": "daily everyday nightly",
    "PT1H": "hourly",
    "P1W": "weekly",
    "P2W": "biweekly fortnightly",
    "P1M": "monthly",
    "P2M": "bimonthly",
    "P0.5M": "semimonthly",
    "P0.5W": "semiweekly",
    "P3M": "quarterly",
    "P1Y": "yearly annual annually",
    "P0.5Y": "biannual biannually semiannual semiannually",
    "P2Y": "biennial biennially",
}
_DAYWORDS = {-1: "yesterday yday ystrday", 0: "today otd", 1: "tomorrow tmrw tmr tmw tomorow"}


def _words() -> dict[str, Entry]:
    words: dict[str, Entry] = {}
    for kind, names in _KINDS.items():
        words.update((name, (kind, name)) for name in names.split())
    for number, names in enumerate(MONTH_NAMES.split(", "), 1):
        words.update((name, (_AMBIGUOUS.get(name, "MONTH"), number)) for name in names.split())
    for number, names in enumerate(_WEEKDAY_NAMES.split(", ")):
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
    for timex, names in _OFTEN.items():
        words.update((name, ("OFTEN", timex)) for name in names.split())
    for shift, names in _DAYWORDS.items():
        words.update((name, ("DAYWORD", shift)) for name in names.split())
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
    for number, name in enumerate(_DECADES.split(), 2):
        words[name] = ("DECADENAME", 10 * number)
    return words


# Zones only in capitals and only after a time: "est", "ist" and "pt" are words elsewhere.
_ZONES = "pst pdt pt est edt et cst cdt ct mst mdt mt gmt utc bst cet cest ist jst aest aedt"
_DECADES = "twenties thirties forties fifties sixties seventies eighties nineties"
_END_OF = {"y": "year", "m": "month", "w": "week", "d": "day", "q": "quarter"}
WORDS = _words()


# Multi-word expressions whose words say nothing about time on their own.
_PHRASES: tuple[tuple[str, Any, str], ...] = (
    ("NOW", "FUTURE_REF", "as soon as possible"),
    ("NOW", "PAST_REF", "recently, previously"),
    ("NOW", None, "right now, just now, at the moment, at the minute, at this moment, at present"),
    ("NOW", None, "at the present, at the present time, at the present moment, at this time"),
    ("DAYWORD", 0, "current date"),
    ("DAYWORD", 2, "the day after tomorrow, day after tomorrow, overmorrow"),
    ("DAYWORD", -2, "the day before yesterday, day before yesterday"),
    ("TONIGHT", -1, "last night, yesterday night"),
    ("TONIGHT", 1, "tomorrow night"),
    ("TONIGHT", -2, "the night before last"),
    ("TODATE", None, "to date, till date"),
    ("TOPRESENT", None, "to present, to the present, to the present day, until the present"),
    ("TOPRESENT", None, "to this day"),
    ("WORD", None, "now and then, now and again, every now and then, every now and again"),
    ("WORD", None, "back in the day, at the latest, each other, sometime, some time, some day"),
    ("WORD", None, "second hand, spring roll"),
    ("SAMETIME", None, "this time, same time, the same time"),
    ("ASEARLYAS", None, "as early as, as soon as, any time from, anytime from"),
    ("ASLATEAS", None, "as late as"),
    ("NOLATER", None, "no later than, not later than, on or before, not after"),
    ("NOEARLIER", None, "no earlier than, no sooner than, not sooner than, not earlier than"),
    ("NOEARLIER", None, "on or after, not before, not until"),
    ("AFTER", None, "any time after, anytime after"),
    ("AFTER", "than", "later than, greater than"),
    ("BEFORE", None, "any time before, anytime before, prior to"),
    ("BEFORE", "than", "earlier than, sooner than"),
    ("SINCE", None, "ever since"),
    ("UNTIL", None, "up to, up until, ending, ending on, ending in, expiring, expiring on"),
    ("UNTIL", None, "expiring in"),
    ("ORSO", None, "or so"),
    ("TIMES", 1, "times per, once a, once per"),
    ("TIMES", 2, "twice a, twice per"),
    ("FISCAL", "FY", "fiscal, fiscal year, financial year"),
    ("FISCAL", "SY", "school year, academic year"),
    ("LESS", "than", "no more than, less than"),
    ("MORE", "than", "more than"),
    ("ONWARD", None, "and later, or later, and greater, or greater, and onward, and onwards"),
    ("ONWARD", None, "and beyond"),
    ("STARTING", None, "starting on, starting from, starting in, beginning on, beginning from"),
    ("STARTING", None, "beginning in, as of, as from, effective, effective from"),
    ("STARTING", "week", "week commencing, the week starting, the week beginning"),
    ("STARTING", "week", "the week starting on, the week beginning on, week ending"),
    ("STARTING", "week", "the week ending, the week ending on, the week commencing, w c, w b"),
    ("START", "of", "the beginning of, beginning of, the start of, start of"),
    ("MIDDLE", "of", "the middle of, middle of"),
    ("END", "of", "the end of, end of"),
    ("LATE", None, "later in the, later in, later on in the, late in the, late in, late at"),
    ("EARLY", None, "earlier in the, earlier in, early in the, early in, early on in"),
    ("OPAQUE", None, "middle of the night"),
    ("COUPLE", 2, "a couple of, a couple, couple of"),
    ("FEW", 3, "a few, some"),
    ("ANOTHER", 1, "another"),
    ("PART", PARTS["nighttime"], "night time"),
    ("PART", PARTS["daytime"], "day time"),
    ("PART", PARTS["lunchtime"], "lunch time"),
    ("PART", PARTS["dinnertime"], "dinner time"),
    ("PART", Part(8, 18, "TBH"), "business hours"),
    ("OCLOCK", None, "o clock"),
    ("REST", None, "the rest of, rest of, the rest of my, rest of my, the rest of our"),
    ("REST", None, "rest of our, the rest of your, rest of your, the remainder of, remainder of"),
    ("HALFOF", 1, "first half of"),
    ("HALFOF", 2, "second half of, last half of"),
    ("EVERY", 2, "every other, every alternate"),
    ("EVERY", 1, "every single, each and every, once every"),
    ("OFTEN", "P0.5Y", "semi annual, semi annually, bi annual, bi annually"),
    ("OFTEN", "P2W", "bi weekly"),
    ("OFTEN", "P2M", "bi monthly"),
    ("OFTEN", "P1Y", "per annum"),
    ("YEARWORD", "year", "calendar year"),
    ("UNIT", "month", "calendar month"),
    ("UNIT", "business day", "business day, working day, work day"),
    ("UNIT", "work week", "work week, working week, business week"),
    ("WEEKWORD", "week", "calendar week"),
    ("UNITS", "business day", "business days, working days, work days"),
    ("NOON", 0, "mid night"),
    ("NOON", 12, "mid day"),
)
_PLACES = ("pacific", "eastern", "central", "mountain", "local", "greenwich mean", "universal")
_ZONE_WORDS = ("time", "standard time", "daylight time", "timezone", "time zone")
PHRASES: dict[tuple[str, ...], Entry] = {
    **{tuple(f"{a} {b}".split()): ("ZONE", None) for a in _PLACES for b in _ZONE_WORDS},
    **{
        tuple(phrase.split()): (kind, value)
        for kind, value, phrases in _PHRASES
        for phrase in phrases.split(", ")
    },
}
