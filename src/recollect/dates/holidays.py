"""Holidays, and the date of each in a given year."""

from collections.abc import Callable
from datetime import datetime, timedelta

from recollect.dates.periods import date, nth_weekday, unit_period

HolidayRule = Callable[[int], datetime | None]


def easter(year: int) -> datetime | None:
    """Easter Sunday in the Gregorian calendar (Meeus, Jones and Butcher)."""
    century, rest = divmod(year, 100)
    golden = year % 19
    leap_centuries, centuries = divmod(century, 4)
    epact = (
        19 * golden + century - leap_centuries - (century - (century + 8) // 25 + 1) // 3 + 15
    ) % 30
    weekday = (32 + 2 * centuries + 2 * (rest // 4) - epact - rest % 4) % 7
    shift = (golden + 11 * epact + 22 * weekday) // 451
    month, day = divmod(epact + weekday - 7 * shift + 114, 31)
    return date(year, month, day + 1)


def _fixed(month: int, day: int) -> HolidayRule:
    return lambda year: date(year, month, day)


def _nth(month: int, weekday: int, number: int, shift: int = 0) -> HolidayRule:
    def on(year: int) -> datetime | None:
        first = date(year, month, 1)
        found = nth_weekday(unit_period("month", first), weekday, number) if first else None
        return found.first + timedelta(days=shift) if found else None

    return on


def _from_easter(shift: int) -> HolidayRule:
    def on(year: int) -> datetime | None:
        sunday = easter(year)
        return sunday + timedelta(days=shift) if sunday else None

    return on


# Month and day from 2015 on, as a table: the lunar calendar follows no short formula.
_CHINESE_NEW_YEARS = (
    *("02-19", "02-08", "01-28", "02-16", "02-05", "01-25", "02-12", "02-01", "01-22", "02-10"),
    *("01-29", "02-17", "02-06", "01-26", "02-13", "02-03"),
)


def _chinese_new_year(year: int) -> datetime | None:
    place = year - 2015
    if not 0 <= place < len(_CHINESE_NEW_YEARS):
        return None
    month, day = _CHINESE_NEW_YEARS[place].split("-")
    return date(year, int(month), int(day))


_RULES: tuple[tuple[HolidayRule, str], ...] = (
    (_fixed(1, 1), "new year, new year day, new years day"),
    (_nth(1, 0, 3), "martin luther king day, martin luther king jr day, mlk day"),
    (_fixed(1, 20), "inauguration day"),
    (_fixed(1, 26), "australia day"),
    (_chinese_new_year, "chinese new year, lunar new year, chinese new year day"),
    (_fixed(2, 2), "groundhog day"),
    (_fixed(2, 14), "valentine day, valentines day, valentine, saint valentine day"),
    (_nth(2, 0, 3), "president day, washington birthday"),
    (_fixed(3, 8), "international women day, women day"),
    (_fixed(3, 14), "pi day"),
    (
        _fixed(3, 17),
        "saint patrick day, st patrick day, saint patrick, st patrick, st patty day, st paddy day",
    ),
    (_fixed(4, 1), "april fool day, april fool, all fool day"),
    (_fixed(4, 15), "tax day"),
    (_fixed(4, 22), "earth day"),
    (_fixed(4, 23), "st george day, saint george day"),
    (_fixed(4, 25), "anzac day"),
    (_fixed(5, 1), "may day, international worker day, worker day, international labour day"),
    (_fixed(5, 4), "star wars day"),
    (_fixed(5, 5), "cinco de mayo"),
    (_nth(5, 6, 2), "mother day"),
    (_nth(5, 0, -1), "memorial day"),
    (_nth(6, 6, 3), "father day"),
    (_fixed(6, 1), "child day, children day, international children day"),
    (_fixed(6, 14), "flag day"),
    (_fixed(6, 19), "juneteenth, freedom day, jubilee day"),
    (_fixed(7, 1), "canada day"),
    (_fixed(7, 4), "independence day, us independence day, american independence day"),
    (_fixed(7, 14), "bastille day"),
    (_nth(9, 0, 1), "labor day, labour day"),
    (_fixed(9, 10), "teacher day"),
    (_fixed(9, 11), "patriot day"),
    (_nth(10, 0, 2), "columbus day, indigenous people day, canadian thanksgiving"),
    (_fixed(10, 31), "halloween, halloween day, hallowe'en, all hallow eve"),
    (_nth(11, 0, 1, 1), "election day"),
    (_fixed(11, 1), "all saint day, all hallow day"),
    (_fixed(11, 2), "all soul day, day of the dead"),
    (_fixed(11, 5), "guy fawkes day, guy fawkes night, bonfire night"),
    (_fixed(11, 11), "veteran day, remembrance day, armistice day, single day"),
    (_nth(11, 3, 4), "thanksgiving, thanksgiving day"),
    (_nth(11, 3, 4, 1), "black friday"),
    (_nth(11, 3, 4, 4), "cyber monday"),
    (_fixed(12, 24), "christmas eve, xmas eve"),
    (_fixed(12, 25), "christmas, christmas day, xmas, xmas day"),
    (_fixed(12, 26), "kwanzaa"),
    (_fixed(12, 26), "boxing day, saint stephen day, st stephen day"),
    (_fixed(12, 31), "new year eve, nye"),
    (_from_easter(-47), "mardi gras, shrove tuesday, fat tuesday"),
    (_from_easter(-46), "ash wednesday"),
    (_from_easter(-7), "palm sunday"),
    (_from_easter(-3), "maundy thursday"),
    (_from_easter(-2), "good friday"),
    (_from_easter(-1), "easter saturday, holy saturday"),
    (_from_easter(0), "easter, easter sunday, easter day"),
    (_from_easter(1), "easter monday"),
    (_from_easter(39), "ascension day"),
    (_from_easter(49), "pentecost, whit sunday, whitsun"),
    (_from_easter(50), "whit monday"),
    (_from_easter(56), "trinity sunday"),
    (_from_easter(60), "corpus christi"),
)


def folded(word: str) -> str:
    """A word of a name without its plural or genitive s, which people often leave out."""
    return word[:-1] if len(word) > 3 and word.endswith("s") and word != "christmas" else word


NAMES: dict[tuple[str, ...], HolidayRule] = {
    tuple(folded(word) for word in name.split()): rule
    for rule, names in _RULES
    for name in names.split(", ")
}
HEADS = frozenset(words[0] for words in NAMES)
LONGEST = max(len(words) for words in NAMES)
