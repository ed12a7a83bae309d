"""Dates and times in sentences, against the resolved values of the Recognizers-Text specification.

An expression counts when the resolver marked a stretch of text that overlaps it and one of its
values is the same. The set writes a range up to the begin of the last date named ("from 2014 to
2018" ends with 2018-01-01), which is the edge of our `between`; its last second of a day is our
midnight. What the set leaves "not resolved" (what repeats, dates that do not exist) is compared by
its TIMEX.
"""

import re
import sys
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np

from recollect.dates import When, find
from tests.eval.chance import Estimate, estimate, ratio
from tests.eval.common import Options, Table, data

Finder = Callable[[str, datetime], Sequence[When]]
Item = dict[str, Any]
TYPES = (
    *("date", "daterange", "time", "timerange", "datetime", "datetimerange", "duration", "set"),
)
# The README of the data gives it for a plain call of the dateparser library on such a set.
DATEPARSER = "22"
NAME = "datetime_dev.json.gz"
_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]


def ours(text: str, reference: datetime) -> Sequence[When]:
    """The resolver that is measured."""
    return find(text, reference=reference)


def simple(text: str, reference: datetime) -> list[When]:
    """The baseline: dates in digits, month names with day and year, today and its neighbours."""
    found = []
    for match in _SIMPLE.finditer(text):
        day = _simple_day(match, reference)
        if day is not None:
            found.append(
                When(
                    start=match.start(),
                    end=match.end(),
                    text=match.group(),
                    grain="day",
                    first=day,
                    last=day + timedelta(days=1),
                )
            )
    return found


_SIMPLE = re.compile(
    r"(?P<iso>\d{4}-\d\d-\d\d)|(?P<us>\d{1,2}/\d{1,2}/\d{4})"
    r"|(?P<named>(?P<month>jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\s+"
    r"(?P<day>\d{1,2})(?:st|nd|rd|th)?,?\s+(?P<year>\d{4}))"
    r"|\b(?P<word>today|tomorrow|yesterday)\b",
    re.IGNORECASE,
)
_WORDS = {"yesterday": -1, "today": 0, "tomorrow": 1}


def _simple_day(match: re.Match[str], reference: datetime) -> datetime | None:
    try:
        if match["iso"]:
            return datetime.fromisoformat(match["iso"]).replace(tzinfo=UTC)
        if match["us"]:
            month, day, year = (int(part) for part in match["us"].split("/"))
            return datetime(year, month, day, tzinfo=UTC)
        if match["named"]:
            month = _MONTHS.index(match["month"].lower()) + 1
            return datetime(int(match["year"]), month, int(match["day"]), tzinfo=UTC)
    except ValueError:
        return None
    midnight = reference.replace(hour=0, minute=0, second=0)
    return midnight + timedelta(days=_WORDS[match["word"].lower()])


def kind(result: Item) -> str:
    """The type of an expression, which a few entries have only on their values."""
    name = result.get("TypeName") or values(result)[0]["type"]
    return str(name).removeprefix("datetimeV2.")


def values(result: Item) -> list[Item]:
    """The readings of an expression, any one of which counts."""
    return (result.get("Resolution") or {}).get("values") or []


def same(when: When, value: Item) -> bool:
    """Whether a stretch that was found means this value."""
    if value.get("value") == "not resolved":
        return when.timex == value.get("timex")
    if value["type"] == "duration":
        return when.duration_s is not None and abs(when.duration_s - float(value["value"])) < 1
    if "value" in value:
        return _moment(when.first, value["type"]) == _moment(_read(value["value"]), value["type"])
    first, last = _ends(when)
    return _moment(first, value["type"]) == _moment(_read(value.get("start")), value["type"]) and (
        _moment(last, value["type"]) == _moment(_read(value.get("end")), value["type"])
    )


def _ends(when: When) -> tuple[datetime | None, datetime | None]:
    """Both ends of a range as the set writes them."""
    if when.relation in ("since", "after"):
        return when.edge, None
    if when.relation in ("until", "before"):
        return None, when.edge
    return when.first, when.edge if when.relation == "between" else when.last


def _read(text: str | None) -> datetime | None:
    if text is None:
        return None
    if re.fullmatch(r"\d\d:\d\d:\d\d", text):
        text = f"2000-01-01 {text}"
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def _moment(moment: datetime | None, name: str) -> object:
    """A moment for comparing: with its day or without; the last second of a day is its end."""
    if moment is None:
        return None
    if name.endswith("range") and (moment.hour, moment.minute, moment.second) == (23, 59, 59):
        moment += timedelta(seconds=1)
    return moment.time() if name in ("time", "timerange") else moment


def paired(found: Sequence[When], gold: Sequence[Item]) -> list[When | None]:
    """For each expression of the set the stretch that overlaps it most, each used once."""
    overlaps = sorted(
        (
            (min(when.end, item["End"] + 1) - max(when.start, item["Start"]), -g, -w)
            for g, item in enumerate(gold)
            for w, when in enumerate(found)
        ),
        reverse=True,
    )
    pairs: dict[int, int] = {}
    for overlap, g, w in overlaps:
        if overlap > 0 and -g not in pairs and -w not in pairs.values():
            pairs[-g] = -w
    return [found[pairs[g]] if g in pairs else None for g in range(len(gold))]


class Marks:
    """Hits for each expression, and for each sentence how much of what was found is in the set."""

    def __init__(self, items: Sequence[Item], finder: Finder) -> None:
        self.hits: list[tuple[str, bool]] = []
        self.found: list[tuple[float, float]] = []
        self.misses: list[tuple[Item, Item, When | None]] = []
        self.extra: list[tuple[Item, When]] = []
        for item in items:
            self._mark(item, finder)

    def _mark(self, item: Item, finder: Finder) -> None:
        reference = datetime.fromisoformat(item["reference"][:19]).replace(tzinfo=UTC)
        found = list(finder(item["text"], reference))
        gold = [result for result in item["results"] if kind(result) != "timezone"]
        pairs = paired(found, gold)
        for result, when in zip(gold, pairs, strict=True):
            hit = when is not None and any(same(when, value) for value in values(result))
            self.hits.append((kind(result), hit))
            if not hit:
                self.misses.append((item, result, when))
        taken = {id(when) for when in pairs if when is not None}
        stray = [when for when in found if id(when) not in taken]
        self.extra += [(item, when) for when in stray]
        self.found.append((float(len(found) - len(stray)), float(len(found))))

    def share(self, name: str | None = None) -> tuple[int, int, Estimate]:
        """Expressions, hits and the share of hits, of one type or of all."""
        hits = [hit for kind_name, hit in self.hits if name in (None, kind_name)]
        units = np.array([(float(hit), 1.0) for hit in hits], dtype=np.float64).reshape(-1, 2)
        return len(hits), sum(hits), estimate(units, ratio)

    def precision(self) -> Estimate:
        """The share of stretches found that the set has too."""
        return estimate(np.array(self.found, dtype=np.float64).reshape(-1, 2), ratio)


def score(
    options: Options | None = None, items: Sequence[Item] | None = None
) -> list[tuple[str, ...]]:
    """Rows of type, expressions, hits, share resolved with its interval, and the baseline's share.

    *items* are sentences in the form of the date set, which is taken when there are none.
    """
    items = (options or Options()).take(data(NAME) if items is None else items)
    marks, baseline = Marks(items, ours), Marks(items, simple)
    rows: list[tuple[str, ...]] = []
    for name in (*TYPES, None):
        count, hits, share = marks.share(name)
        rows.append(
            (
                name or "all",
                str(count),
                str(hits),
                share.percent(),
                baseline.share(name)[2].percent(),
                DATEPARSER if name is None else "",
            )
        )
    precision = [str(int(sum(part[n] for part in marks.found))) for n in (1, 0)]
    rows.append(
        (
            "found that is marked",
            *precision,
            marks.precision().percent(),
            baseline.precision().percent(),
            "",
        )
    )
    return rows


def tables(options: Options) -> list[Table]:
    """The date set: expressions resolved to one of their values."""
    return [
        Table(
            "Dates and times resolved (percent, 95 % interval)",
            ("type", "n", "hits", "resolved", "digits and names only", "dateparser"),
            tuple(score(options)),
            "dateparser: a plain call, as the README of the data gives it.",
        )
    ]


def show(marks: Marks) -> None:
    """Print what was missed, and what was found that the set does not have."""
    for item, result, when in marks.misses:
        wanted = [
            value.get("value") or f"{value.get('start')}..{value.get('end')} {value.get('timex')}"
            for value in values(result)
        ]
        got = when and (
            when.text,
            when.relation,
            str(when.first),
            str(when.last),
            str(when.edge),
            when.timex,
        )
        print(item["reference"][:16], "|", item["text"][:150])
        print("    ", kind(result), "|", result["Text"], "|", wanted[:2], "| got", got)
    for item, when in marks.extra:
        print("extra", repr(when.text), "in", item["text"][:150])


if __name__ == "__main__":
    if "--show" in sys.argv:
        show(Marks(data(NAME), ours))
    for table in tables(Options()):
        print(table.plain())
