"""Facts, entities and episodes on a terminal, in a pipe, or as JSON.

On a terminal everything fits its width: a table if there is room, else one block for each item. Text is
wrapped and never truncated, an id is never broken. In a pipe, lines are not wrapped.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from recollect.cli.common import console, safe
from recollect.library.results import Entity, Episode, Expired, Fact, Observation, Summary, Why

_TABLE_CHARS_MIN = 100

Thing = Fact | Entity | Episode | Observation | Summary


@dataclass(frozen=True)
class DisplayRow:
    """An item: its text, its time or kind, its id, its score if it has one, and a note."""

    words: Text
    when: str
    uuid: str
    score: float | None = None
    note: str = ""


def as_json(value: Any) -> None:
    """Print one JSON document on standard output."""
    typer.echo(json.dumps(_plain(value), default=str))


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, Mapping):
        return {name: _plain(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    if isinstance(value, Thing | Why | Expired):
        return _plain(asdict(value))
    return value


def things(found: Sequence[Thing], place: Console | None = None) -> None:
    """Print items in the given order."""
    place = place or console()
    rows = [_row(one) for one in found]
    if place.width >= _TABLE_CHARS_MIN:
        place.print(_table(rows))
        return
    for row in rows:
        place.print(row.words)
        place.print(Text(_beside(row), style="dim"))
        id_line(place, row.uuid)


def id_line(place: Console, uuid: str, what: str = "") -> None:
    """Print an id unbroken, even if it does not fit; *what* labels it if that is not clear."""
    place.print(
        Text(f"{what:<8} {uuid}" if what else uuid, style="dim"),
        no_wrap=True,
        overflow="ignore",
        crop=False,
    )


def _table(rows: Sequence[DisplayRow]) -> Table:
    scored = any(row.score is not None for row in rows)
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("what", overflow="fold")
    table.add_column("when", no_wrap=True)
    if scored:
        table.add_column("score", no_wrap=True)
    table.add_column("id", no_wrap=True)
    for row in rows:
        middle = [_score(row)] if scored else []
        words = row.words.copy().append(f"  {row.note}" if row.note else "", style="dim")
        table.add_row(words, row.when, *middle, row.uuid)
    return table


def _score(row: DisplayRow) -> str:
    return "" if row.score is None else f"{row.score:.2f}"


def _beside(row: DisplayRow) -> str:
    return "  ".join(part for part in (row.when, _score(row), row.note) if part)


def _row(one: Thing) -> DisplayRow:
    match one:
        case Fact():
            when = span(one.valid_at, one.invalid_at)
            return DisplayRow(Text(safe(one.text)), when, one.uuid, one.score, _relation(one))
        case Entity():
            labels = ", ".join(label for label in one.labels if label != "Entity")
            words = Text(safe(one.name), style="bold")
            if one.summary:
                words.append("  " + safe(one.summary), style="not bold")
            return DisplayRow(words, safe(labels), one.uuid, one.score)
        case Episode():
            return DisplayRow(Text(_said(one)), day(one.created_at), one.uuid, one.score)
        case Observation():
            return DisplayRow(
                Text(safe(one.text)), span(one.valid_at, one.invalid_at), one.uuid, one.score
            )
        case Summary():
            return DisplayRow(Text(safe(one.text)), day(one.updated_at), one.uuid, one.score)


def _relation(one: Fact) -> str:
    """The relation of a fact, to tell apart several facts with the same sentence."""
    return safe(one.name if one.target_uuid == one.source_uuid else f"{one.name} {one.target}")


def _said(one: Episode) -> str:
    speaker = one.name or one.role
    return safe(f"{speaker}: {one.content}" if speaker else one.content)


def day(moment: datetime | None) -> str:
    """A time in UTC; midnight is shown as a date."""
    if moment is None:
        return ""
    return (
        f"{moment:%Y-%m-%d}"
        if (moment.hour, moment.minute) == (0, 0)
        else f"{moment:%Y-%m-%d %H:%M}"
    )


def span(start: datetime | None, end: datetime | None) -> str:
    """The period in which something holds."""
    if end is None:
        return f"since {day(start)}" if start else ""
    return f"{day(start) or '…'} to {day(end)}"


def entity(found: Entity) -> None:
    """Print one entity: its labels, summary and attributes, and the facts that hold."""
    place = console()
    labels = safe(", ".join(found.labels))
    place.print(Text(safe(found.name), style="bold").append(f"  ({labels})", style="not bold"))
    id_line(place, found.uuid)
    if found.summary:
        place.print(Text(safe(found.summary)))
    for name, value in found.attributes.items():
        place.print(Text(safe(f"{name}: {value}")))
    if found.facts:
        place.print()
        things(found.facts, place)
