"""Rules for dates in digits: time stamps, 2023-05-08, 5/8/2023, 5/8."""

from recollect.dates import readings
from recollect.dates.grammar import Match, rules
from recollect.dates.lexicon import FUNCTION_WORDS
from recollect.dates.periods import full_year, month_of, unit_period
from recollect.dates.symbols import kinds
from recollect.dates.values import Dated

_SLASHED_LEADS = kinds(
    "ON BY FROM BETWEEN TO UNTIL THROUGH SINCE BEFORE AFTER THIS NEXT LAST BREAK COMMA OR AND DASH "
    "COLON EVERY DAY WEEKDAY SATWORD STARTING AROUND AT PREVIOUS OPEN NOLATER NOEARLIER ASEARLYAS "
    "ASLATEAS"
)

_WEAK_LEADS = kinds("BREAK COMMA OR AND DASH OPEN TO")


def _stamp(match: Match) -> Dated:
    moment = match.nodes[0].value
    if moment.tzinfo is not None:
        moment = moment.astimezone(match.context.zone).replace(tzinfo=None)
    # Date and time are 16 characters up to the minutes; a colon behind them begins the seconds.
    size = "second" if match.words()[16:17] == ":" else "minute"
    return Dated((unit_period(size, moment),), timex=moment.isoformat())


def _ymd(match: Match) -> Dated | None:
    year, month, number = match.nodes[0].value
    return readings.date_of(match.context, full_year(year), month, number)


def _ym(match: Match) -> Dated | None:
    year, month = match.nodes[0].value
    return readings.fixed(month_of(year, month), f"{year:04}-{month:02}")


def _spaced_ymd(match: Match) -> Dated | None:
    year, month, number = (node.value for node in match.nodes)
    written = match.words().split()
    if len(written) != 3 or not all(part.isdigit() for part in written):
        return None
    return readings.date_of(match.context, year, month, number)


def _slashed(match: Match) -> Dated | None:
    """Month and day in digits, where the words beside them do not make it a fraction."""
    month, number = match.one("SLASHED")
    value = readings.date_of(match.context, match.one("YEARNUM"), month, number)
    if match.has("YEARNUM") or match.follow() in ("TIME", "PART") or _unmistakable(match, number):
        return value
    counts = match.follow() == "WORD" and match.next_word() not in FUNCTION_WORDS
    if match.lead() not in _SLASHED_LEADS or match.next_word() == "of":
        return None
    return None if counts and match.lead() in _WEAK_LEADS else value


def _unmistakable(match: Match, number: int) -> bool:
    """Digits that are no fraction or mark: one more than twelve, or another date right behind."""
    behind = match.nodes[-1].end + 1
    if match.follow() == "DASH" and match.context.text[behind : behind + 1].isdigit():
        return True
    return number > 12 and len(match.words()) == 5 and match.follow() not in ("WORD", "OF")


def _dotted(match: Match) -> Dated | None:
    """ "On 5.12": only with the preposition."""
    month, _, number = match.words().partition(".")
    if len(month) > 2 or len(number) > 2 or match.follow() == "WORD":
        return None
    return readings.date_of(match.context, None, int(month), int(number))


def _dashed(match: Match) -> Dated | None:
    """ "On 4-22"."""
    if " " in match.words() or match.follow() == "WORD":
        return None
    return readings.date_of(match.context, None, match.nodes[0].value, match.nodes[-1].value)


RULES = rules(
    ("STAMP", _stamp),
    ("YMD", _ymd),
    ("YM", _ym),
    ("YEARNUM N12 DAYNUM", _spaced_ymd),
    ("SLASHED COMMA? YEARNUM", _slashed),
    ("SLASHED", _slashed),
    ("(?<=ON) DECIMAL", _dotted),
    ("(?<=ON) N12 DASH DAYNUM (?![UNITS UNIT DASH AMPM DAYUNIT])", _dashed),
)
