"""The second open set of dates and times, written for this project from other heads and texts.

Every other expression is for working with; the rest stays unread until the work is done, so that the
two halves tell what was learnt from what was fitted. `python -m tests.eval.second_dates [--show]`
"""

import re
import sys
from pathlib import Path
from typing import Any

from tests.eval.dates import Item, Marks, ours, show

NAME = Path(__file__).parent / "sets" / "dates_second.txt"
HALVES = ("seen", "unseen")


def items(half: str) -> list[Item]:
    """The sentences of one half in the form of the first set."""
    reference, lines = "", []
    for line in NAME.read_text(encoding="utf-8").splitlines():
        if line.startswith("@"):
            reference = line[1:].strip()
        elif line and not line.startswith("#"):
            lines.append((reference, line))
    return [_item(*line) for line in lines[HALVES.index(half) :: 2]]


def _item(reference: str, line: str) -> Item:
    marked, _, readings = line.partition(" | ")
    begin, end = marked.find("["), marked.find("]")
    text = marked.replace("[", "").replace("]", "")
    results = []
    if begin >= 0:
        values = [_value(reading.strip()) for reading in readings.split(" ; ")]
        results = [
            {
                "Text": marked[begin + 1 : end],
                "Start": begin,
                "End": end - 2,
                "TypeName": values[0]["type"],
                "Resolution": {"values": values},
            }
        ]
    return {"text": text, "reference": reference + ":00", "results": results}


def _value(text: str) -> dict[str, Any]:
    if text.startswith("timex "):
        return {"type": "set", "value": "not resolved", "timex": text.removeprefix("timex ")}
    if re.fullmatch(r"\d+s", text):
        return {"type": "duration", "value": text[:-1]}
    if ".." in text:
        first, last = text.split("..")
        kind = "time" if "T" in (first[:1], last[:1]) else "datetime" if "T" in text else "date"
        return {"type": f"{kind}range", "start": _moment(first), "end": _moment(last)}
    kind = "time" if text.startswith("T") else "datetime" if "T" in text else "date"
    return {"type": kind, "value": _moment(text)}


def _moment(text: str) -> str | None:
    if text.startswith("T"):
        return text[1:] if text.count(":") == 2 else f"{text[1:]}:00"
    return text or None


if __name__ == "__main__":
    for half in HALVES:
        marks = Marks(items(half), ours)
        if "--show" in sys.argv and half == "seen":
            show(marks)
        count, hits, share = marks.share()
        print(f"{half}: {hits} of {count}, {share.percent()} %; stray {len(marks.extra)}")
