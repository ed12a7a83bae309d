"""Both memories through the released memory client and a server of its own, on LoCoMo."""

import re
import subprocess
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.contract.sdk.drivers import Driver
from tests.contract.sdk.environments import MM
from tests.contract.sdk.memmachine import Bound, MemMachine
from tests.eval import found
from tests.eval.common import DataMissing, Options, Table
from tests.eval.conversations import Conversation, Question
from tests.eval.locomo import CATEGORIES
from tests.eval.search_locomo import talks
from tests.support.server import EXTRACTION_ON, Server

ORGANISATION = "locomo"
LIMIT = 10
EXPANDED = 3
READ_S_MAX = 3600.0
_PENDING = re.compile(r"^recollect_jobs_pending ([\d.e+]+)$", re.MULTILINE)
HEAD = ("long-term", "window", "both", "episodes")
NOTE = (
    f"The share of the evidence in each part of an answer to `search(limit={LIMIT})`, and how "
    "many episodes an answer has on average. No episode is in both parts: what the window shows "
    "is left out of the other."
)
Row = tuple[float, ...]


@dataclass(frozen=True)
class Way:
    """A way to ask: with the window or without, with neighbours or without."""

    name: str
    window: bool
    expand: int = 0


WAYS = (
    Way("window switched off", window=False),
    Way(f"window switched off, {EXPANDED} around each hit", window=False, expand=EXPANDED),
    Way("both memories", window=True),
    Way(f"both memories, {EXPANDED} around each hit", window=True, expand=EXPANDED),
)


def add(memory: Bound, conversation: Conversation) -> dict[str, int]:
    """Add all turns; tells the turn behind each episode."""
    places: dict[str, int] = {}
    for turn in conversation.turns:
        at = {"$type": "datetime", "value": turn.at.isoformat()}
        (made,) = memory.add(turn.text, producer=turn.speaker, timestamp=at)
        places[made["uid"]] = turn.place
    return places


def wait_until_read(mm: MemMachine) -> None:
    """Wait until nothing is owed to any episode."""
    until = time.monotonic() + READ_S_MAX
    while (left := _PENDING.search(mm.client.get_metrics())) is None or float(left[1]):
        if time.monotonic() > until:
            raise TimeoutError(f"not read within {READ_S_MAX:g} seconds")
        time.sleep(1.0)


def ask(memory: Bound, way: Way, question: Question, places: dict[str, int]) -> Row:
    """The share of the evidence in each part of the answer and in both, and its size."""
    answer = memory.search(question.text, limit=LIMIT, expand_context=way.expand)
    told = answer["content"]["episodic_memory"]
    parts = [
        {places[one["uid"]] for one in told[part]["episodes"]}
        for part in ("long_term_memory", "short_term_memory")
    ]
    shares = [len(part & question.wanted) / len(question.wanted) for part in parts]
    return (*shares, sum(shares), float(sum(map(len, parts))))


def measure(mm: MemMachine, conversations: Sequence[Conversation]) -> dict[str, list[Row]]:
    """Every answerable question, asked in every way."""
    rows: dict[str, list[Row]] = {way.name: [] for way in WAYS}
    memories = [
        mm.memory(ORGANISATION, f"conversation-{number}") for number in range(len(conversations))
    ]
    held = [add(memory, one) for memory, one in zip(memories, conversations, strict=True)]
    wait_until_read(mm)
    for way in WAYS:
        for memory, conversation, places in zip(memories, conversations, held, strict=True):
            memory.configure_episodic_memory(short_term_memory_enabled=way.window)
            for question in conversation.questions:
                if question.category in CATEGORIES:
                    rows[way.name].append(ask(memory, way, question, places))
    return rows


def _told(name: str, rows: Sequence[Row]) -> tuple[str, ...]:
    shares = found.row(name, [row[:3] for row in rows])
    return (*shares, f"{sum(row[3] for row in rows) / len(rows):.1f}")


def tables(options: Options) -> list[Table]:
    """LoCoMo dev, each turn added by a call. A sample is that many turns of each conversation."""
    conversations = [talk.conversation for talk in talks(options)]
    with tempfile.TemporaryDirectory() as folder:
        data, log = Path(folder) / "data", Path(folder) / "driver.log"
        with Server(data, environment=EXTRACTION_ON) as server, _driver(log) as driver:
            mm = MemMachine(driver, server.url, server.api_key)
            rows = measure(mm, conversations)
    count = len(rows[WAYS[0].name])
    title = f"LoCoMo dev through the released memory client: {count} questions"
    body = tuple(_told(name, measured) for name, measured in rows.items())
    return [Table(title, ("asked", *HEAD), body, NOTE)]


def _driver(log: Path) -> Driver:
    try:
        return Driver(MM, log)
    except (OSError, subprocess.SubprocessError) as missing:
        raise DataMissing(f"the memory client cannot be installed: {missing}") from missing
