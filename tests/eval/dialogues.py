"""Conversations with changing truth: is what holds now found, and what no longer holds not told?"""

from collections.abc import Iterator

from tests.eval import scorers
from tests.eval.common import Options, Table

MEASURED = (
    "fact@1",
    "fact@5",
    "told",
    "episode@5",
    "context",
    "bm25",
    "stale",
    "stale_context",
    "asserted",
)
WAYS = {"with the judge": {}, "by the table of relations alone": {"RECOLLECT_JUDGE": "off"}}
NOTE = (
    "Through the released client, with the embedded reader. Shares of the questions in percent, with "
    "how many; bm25 is a plain search of messages cut at the length of our context."
)


def tables(options: Options) -> Iterator[Table]:
    """One row for each way to decide what a fact ends."""
    files = scorers.chosen("dialogues", options)
    body = []
    for name, environment in WAYS.items():
        more = ["--verbose"] if options.show else []
        rows, told = scorers.run("dialogues.py", files, *more, environment=environment)
        if options.show:
            print(told)
        body.append((name, *(scorers.share(rows, key) for key in MEASURED)))
    yield Table(f"Dialogues: {len(files)} conversations", ("", *MEASURED), tuple(body), NOTE)
