"""What every part of the evaluation shares: the data, the extractor, tables, plain text."""

import gzip
import json
import lzma
import platform
import re
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import psutil

from recollect.extract.brief import Brief
from recollect.graph import predicates
from recollect.graph.found import Found
from recollect.models import embedder, parser, sentence_kinds
from recollect.settings import Settings

if TYPE_CHECKING:
    from spacy.language import Language

PROJECT = Path(__file__).parents[2]
DATA = PROJECT.parent / "shared" / "data"
CACHE = PROJECT / ".cache" / "eval"
# Texts without a date of their own are read as if they were written on this day.
READ_AT = datetime(2020, 1, 15, 12, tzinfo=UTC)

FAILURES: list[str] = []  # texts that the extractor could not read at all
Item = TypeVar("Item")
Extractor = Callable[[Brief], Found]


class DataMissing(Exception):
    """The evaluation data is not beside the project."""


@dataclass(frozen=True)
class Options:
    """How much to measure. *sample* takes every n-th unit so that about that many are left."""

    sample: int | None = None
    show: bool = False
    misses: str | None = None  # the kind of question whose misses are printed, and nothing else
    ablate: bool = False  # only what each part of a search is worth
    ways: str = ""  # names of the ways to search, between semicolons; all when empty
    facts: bool = False  # of LongMemEval; without them, episodes are made findable and not read

    def take(self, items: Sequence[Item]) -> list[Item]:
        """All of the items, or a sample spread evenly over them."""
        if self.sample is None or self.sample >= len(items):
            return list(items)
        step = len(items) / self.sample
        return [items[int(number * step)] for number in range(self.sample)]

    def wants(self, way: str) -> bool:
        """Whether a way to search is among the chosen ones."""
        return not self.ways or way in (name.strip() for name in self.ways.split(";"))


@dataclass(frozen=True)
class Table:
    """A table as it is printed and written. The first column is text, the others are figures."""

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""

    def markdown(self) -> str:
        """The table in Markdown, without its title."""
        lines = [self.head, tuple("---" if n == 0 else "--:" for n in range(len(self.head)))]
        text = "\n".join(f"| {' | '.join(row)} |" for row in (*lines, *self.rows))
        return f"{text}\n\n{self.note}" if self.note else text

    def plain(self) -> str:
        """The table with aligned columns, for a terminal."""
        rows = (self.head, *self.rows)
        widths = [max(len(row[n]) for row in rows) for n in range(len(self.head))]
        lines = [
            "  ".join(
                cell.ljust(width) if n == 0 else cell.rjust(width)
                for n, (cell, width) in enumerate(zip(row, widths, strict=True))
            )
            for row in rows
        ]
        lines.insert(1, "  ".join("-" * width for width in widths))
        return "\n".join([self.title, *lines, *([self.note] if self.note else [])])


def data(name: str) -> Any:
    """One data set, read from beside the project."""
    path = DATA / name
    if not path.is_file():
        raise DataMissing(f"../shared/data/{name} is not there")
    opened = lzma.open if path.suffix == ".xz" else gzip.open
    with opened(path, "rt", encoding="utf-8") as file:
        return json.load(file)


@cache
def language() -> "Language":
    """The parser that the extractor uses; the baselines use the same one."""
    return parser.load(Settings().models)


@cache
def vectors() -> embedder.Embedder:
    """The embedder that search uses."""
    return embedder.load(Settings().models)


@cache
def extractor() -> Extractor:
    """The extractor that is measured."""
    from recollect.extract.prose import Prose

    kinds = sentence_kinds.classifier(embedder.load(Settings().models).passages)
    prose = Prose(language(), predicates.load(), kinds)

    def read(reading: Brief) -> Found:
        try:
            return prose.read(reading)
        except Exception as error:  # noqa: BLE001 - the run goes on, and ends as failed
            FAILURES.append(f"{type(error).__name__}: {error} on {reading.content!r}")
            return Found()

    return read


def document(text: str) -> Brief:
    """A text to be read by itself, as news or an encyclopedia has it."""
    return Brief(kind="text", content=text, at=READ_AT)


def _git(*arguments: str) -> str:
    answer = subprocess.run(
        ["git", *arguments], cwd=PROJECT, capture_output=True, text=True, check=False
    )
    return answer.stdout.strip()


def machine() -> str:
    """What the figures were taken on."""
    changed = " with changes on top" if _git("status", "--porcelain", "--", "src") else ""
    return (
        f"commit {_git('rev-parse', '--short', 'HEAD') or '?'}{changed}, {platform.machine()}, "
        f"{psutil.cpu_count()} cores, Python {platform.python_version()}"
    )


_WORD = re.compile(r"\d+(?:[.,]\d+)*|[^\W_]+")
_NOT = [
    (re.compile(r"\bca(?:n['\u2019]t| n't)\b", re.IGNORECASE), "can not"),
    (re.compile(r"\bwo(?:n['\u2019]t| n't)\b", re.IGNORECASE), "will not"),
    (re.compile(r"n['\u2019]t\b", re.IGNORECASE), " not"),
]
_POSSESSIVE = re.compile(r"\s?['\u2019]s?$")


def words(text: str) -> tuple[str, ...]:
    """The words of a text for comparing: lower case, no punctuation, "n't" written out."""
    for pattern, replacement in _NOT:
        text = pattern.sub(replacement, text)
    return tuple(_WORD.findall(text.casefold()))


def surface(name: str) -> str:
    """A name for comparing: its words, without an article in front or a possessive behind."""
    parts = words(_POSSESSIVE.sub("", name))
    if len(parts) > 1 and parts[0] in {"the", "a", "an"}:
        parts = parts[1:]
    return " ".join(parts)


_GLUE = [
    (re.compile(r"``|''"), '"'),
    (re.compile(r"-LRB-\s*"), "("),
    (re.compile(r"\s*-RRB-"), ")"),
    (re.compile(r"\s+([,.;:!?%)\]]|'s\b|n't\b|'(?:re|ve|ll|d|m)\b)"), r"\1"),
    (re.compile(r"([(\[$£€])\s+"), r"\1"),
    (re.compile(r"(\w) - (\w)"), r"\1-\2"),
    (re.compile(r'"\s*([^"]*?)\s*"'), r'"\1"'),
]


def untokenised(text: str) -> str:
    """Ordinary spelling of a text whose tokens are apart, as data sets have them."""
    for pattern, replacement in _GLUE:
        text = pattern.sub(replacement, text)
    return text.strip()
