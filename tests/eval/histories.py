"""Whole histories: of what a later statement made untrue, how much is closed, and how rightly?"""

from collections.abc import Iterator, Sequence
from typing import Any

from tests.eval import scorers
from tests.eval.common import Options, Table
from tests.eval.dialogues import WAYS

NOTE = (
    "Closings in percent, with how many there were. As triples, each statement's clean sentence is "
    "written as a fact; as messages, what was typed is said in a thread."
)


def _row(name: str, rows: Sequence[dict[str, Any]]) -> tuple[str, ...]:
    closed = [row for row in rows if row["closed"]]
    wanted = [row for row in rows if row["should"]]
    return (name, scorers.share(closed, "should"), scorers.share(wanted, "closed"), str(len(rows)))


def tables(options: Options) -> Iterator[Table]:
    """One row for each way to tell them and to decide what a fact ends."""
    files = scorers.chosen("histories", options)
    body = []
    for way in ("triples", "messages"):
        for name, environment in WAYS.items():
            more = ["--as", way, *(["--verbose"] if options.show else [])]
            rows, told = scorers.run("histories.py", files, *more, environment=environment)
            if options.show:
                print(told)
            body.append(_row(f"as {way}, {name}", rows))
    head = ("", "precision", "recall", "statements with facts")
    yield Table(f"Histories: {len(files)} of them", head, tuple(body), NOTE)
