"""Where the outdated answers of the dialogues come from: `python -m tests.eval.lost`.

The conversations are learned as a program with the library learns them, and the questions whose answer
changed are asked as the scorer of the dialogues asks them. For each that still gets an outdated line it
says how far the memory was on the way to know better. With --closings it prints what was ended, by what,
to be read.
"""

import argparse
import asyncio
import json
import re
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

from recollect.library.memory import Memory
from recollect.library.results import Fact
from recollect.limits import PAGE_MAX
from recollect.models import embedder, judge
from recollect.models.judge import JudgeModel, JudgeSettings, Opinion, Pair, worth_reading
from recollect.settings import Settings
from tests.eval.common import DATA

FIRST, FOUND = 5, 10
Times = dict[str, datetime]  # when each episode was told
Told = tuple["Reason", str]  # why something outdated is told, and its words
_BEFORE_ALL = datetime.min.replace(tzinfo=UTC)
LITTLE = 0.1  # a judge that is not even so sure knows nothing of the pair
_LITTLE = ("hardly any", "some")
_QUOTED = re.compile(r"\s*</?(EPISODES|MESSAGES)>")
_RANGE = re.compile(r"\((?:Date range: )?([^()]*?) - ([^()]*?)\)\s*$")


@dataclass
class Asked:
    """What the judge was asked while conversations were learned: pairs that were near, and how sure
    it was of those it read."""

    near: set[tuple[str, str]] = field(default_factory=set)
    sure: dict[tuple[str, str], float] = field(default_factory=dict)


@contextmanager
def listening() -> Iterator[Asked]:
    """Note what the judge is asked meanwhile."""
    asked = Asked()
    opinions = JudgeModel.opinions

    def noted(pairs: Sequence[Pair], by: JudgeSettings, most: int) -> list[int]:
        asked.near.update((pair.older, pair.newer) for pair in pairs)
        return worth_reading(pairs, by, most)

    def said(self: JudgeModel, pairs: Sequence[Pair], setting: JudgeSettings) -> list[Opinion]:
        found = opinions(self, pairs, setting)
        for pair, one in zip(pairs, found, strict=True):
            asked.sure[pair.older, pair.newer] = one.sure
        return found

    with (
        mock.patch("recollect.ingest.judging.worth_reading", noted),
        mock.patch.object(JudgeModel, "opinions", said),
    ):
        yield asked


async def learn(memory: Memory, talk: dict[str, Any]) -> Times:
    """Tell a conversation and its documents in the order of their times; says when each was told."""
    name = talk["id"]
    told = {key: value for key, value in talk["user"].items() if value}
    await memory.user(name, **told)
    items = [(one["at"], "message", one) for one in talk["messages"]]
    items += [(one["at"], "document", one) for one in talk.get("documents") or ()]
    times = {}
    for at, kind, one in sorted(items, key=lambda item: item[0]):
        if kind == "document":
            data = json.loads(one["data"]) if one["type"] == "json" else one["data"]
            uuid = await memory.add(data, user=name, kind=one["type"], created_at=at)
        else:
            await memory.thread(f"{name}-{one['thread']}", user=name)
            uuid = await memory.add(
                one["content"],
                thread=f"{name}-{one['thread']}",
                role=one["role"],
                name=one.get("name"),
                created_at=at,
            )
        times[uuid] = datetime.fromisoformat(at)
    return times


def answers(question: dict[str, Any], text: str) -> bool:
    """Whether a text has every group of the answer."""
    said = text.lower()
    return all(any(word.lower() in said for word in group) for group in question["answer"])


def outdated(question: dict[str, Any], text: str) -> bool:
    """Whether it has a word of the outdated answer, and not the answer."""
    said = text.lower()
    return not answers(question, text) and any(
        re.search(rf"(?<!\w){re.escape(word.lower())}(?!\w)", said) for word in question["stale"]
    )


def telling(context: str, at: str) -> list[str]:
    """The lines of a context that tell what holds, without quoted messages and what is over."""
    lines, quoted = [], False
    for line in context.splitlines():
        if _QUOTED.match(line):
            quoted = "</" not in line
        ends = _RANGE.search(line)
        over = ends and ends[2][:4].isdigit() and ends[2].strip()[:10] <= at[:10]
        if not quoted and not over and not line.startswith("#"):
            lines.append(line)
    return lines


class Reason(NamedTuple):
    """How near the memory came to knowing better, the nearest last; and how sure the judge was, or would
    have been."""

    name: str
    sure: float = 0.0


class Reasons:
    """Says of an outdated fact why it was not known to be over."""

    def __init__(
        self, asked: Asked, question: dict[str, Any], known: Sequence[Fact], times: Times
    ) -> None:
        self._asked = asked
        self._times = times
        self._newer = [fact for fact in known if answers(question, fact.text)]

    def __call__(self, old: Fact) -> Reason:
        """By the newer fact that came nearest to ending it."""
        newer = [fact for fact in self._newer if self._said(fact) > self._said(old)]
        if self._newer and not newer:
            return Reason("e told no earlier than the answer")
        reasons = [self._reason(old, new) for new in newer]
        return max(reasons, default=Reason("a no fact has the answer"))

    def _reason(self, old: Fact, new: Fact) -> Reason:
        pair, by = (old.text, new.text), judge.setting()
        sure = self._asked.sure.get(pair)
        if sure is None:
            return self._unread(old, new)
        if sure >= by.sure:
            return Reason("d was to be closed, and is open", sure)
        if sure >= by.doubt:
            return Reason("c3 judged: in doubt, or about somebody else", sure)
        return Reason(f"c{1 + (sure >= LITTLE)} judged: {_LITTLE[sure >= LITTLE]} doubt", sure)

    def _unread(self, old: Fact, new: Fact) -> Reason:
        days = (self._said(new) - self._said(old)).total_seconds() / 86_400
        sure = would(old, new, days)
        known = " (would be doubted)" if sure >= judge.setting().doubt else ""
        if (old.text, new.text) in self._asked.near:
            return Reason(f"b2 near, not read{known}", sure)
        if old.valid_at and old.valid_at > max(self._said(new), new.valid_at or self._said(new)):
            return Reason(f"b0 begins later than the answer{known}", sure)
        return Reason(f"b1 not near{known}", sure)

    def _said(self, fact: Fact) -> datetime:
        """When it was said last; what nobody said comes before all that somebody did."""
        return max((self._times[uuid] for uuid in fact.episodes), default=_BEFORE_ALL)


def would(old: Fact, new: Fact, days: float) -> float:
    """How sure the judge would be of two facts that are so many days apart, had it been asked."""
    models = Settings().models
    first, second = embedder.load(models).passages([old.text, new.text])
    owners = f"{old.source} {new.source}"
    pair = Pair(old.text, new.text, owners, round(float(first @ second), 4), 0.0, days)
    (one,) = judge.load(models).opinions([pair], judge.setting())
    return one.sure


async def ask(
    memory: Memory, name: str, question: dict[str, Any], asked: Asked, times: Times
) -> tuple[list[Told], list[Told]]:
    """Why each outdated fact among the first, and each outdated line of a context, is told."""
    at = question["at"]
    known = await memory.facts(user=name, ended=True, limit=PAGE_MAX)
    reason = Reasons(asked, question, known, times)
    found = await memory.search(question["q"], user=name, limit=FOUND)
    first = [fact for fact in found if _holds(fact, datetime.fromisoformat(at))][:FIRST]
    facts = [fact for fact in first if outdated(question, fact.text)]
    context = await memory.context(question["q"], user=name)
    lines = [line for line in telling(context, at) if outdated(question, line)]
    return (
        [(reason(fact), fact.text) for fact in facts],
        [(_line_reason(line, question, known, reason), line) for line in lines],
    )


def _holds(fact: Fact, at: datetime) -> bool:
    begun = fact.valid_at is None or fact.valid_at <= at
    return begun and (fact.invalid_at is None or fact.invalid_at > at)


def _line_reason(
    line: str, question: dict[str, Any], known: Sequence[Fact], reason: Reasons
) -> Reason:
    """A line may tell several facts; those that are outdated count."""
    told = [fact for fact in known if fact.text in line and outdated(question, fact.text)]
    if not told:
        return Reason("d a line that is no fact tells it")
    still = [reason(fact) for fact in told if fact.invalid_at is None]
    if not still:
        return Reason("d told with its end, later than asked for")
    return min(still)._replace(
        name=f"{min(still).name}{'' if _RANGE.search(line) else ', in a summary'}"
    )


async def run(files: Sequence[Path], *, closings: bool, show: bool) -> None:
    """Learn, ask and print."""
    facts, context, questions = Counter[str](), Counter[str](), 0
    for file in files:
        talk = json.loads(file.read_text(encoding="utf-8"))
        with tempfile.TemporaryDirectory() as folder:
            async with Memory.open(folder) as memory:
                with listening() as asked:
                    times = await learn(memory, talk)
                for question in filter(_changed, talk["questions"]):
                    questions += 1
                    both = await ask(memory, talk["id"], question, asked, times)
                    for counted, why in zip((facts, context), both, strict=True):
                        counted.update([min(why)[0].name] if why else [])
                    if show and any(both):
                        print(f"{talk['id']} {question['q']} {question['answer']}")
                        _show("fact", both[0])
                        _show("line", both[1])
                if closings:
                    await tell_closings(memory, talk["id"])
    print(
        f"\n{questions} questions, each by the outdated fact or line that was farthest from known\n"
    )
    print("| | stale | stale in context |\n|---|---|---|")
    for name in sorted({*facts, *context}):
        print(f"| {name} | {facts[name]} | {context[name]} |")
    print(f"| all | {facts.total()} | {context.total()} |")


def _show(kind: str, told: Sequence[Told]) -> None:
    for reason, words in told:
        print(f"  {kind} {reason.name} {reason.sure:.2f} | {words}", flush=True)


def _changed(question: dict[str, Any]) -> bool:
    return bool(question.get("stale")) and question["kind"] in ("changed", "current")


async def tell_closings(memory: Memory, name: str) -> None:
    """Everything that was ended, and by what."""
    for fact in await memory.facts(user=name, ended=True, limit=PAGE_MAX):
        for ending in (await memory.why(fact)).endings:
            by = ending.by_fact.text if ending.by_fact else ending.by_episode
            print(f"{name} CLOSED {fact.text}\n     BY {by}\n     {ending.judge} {ending.sure}")


def main() -> None:
    """Entry point."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--first", default="", help="the first of the conversations, by its name")
    parser.add_argument("--last", default="~", help="the last of them")
    parser.add_argument("--closings", action="store_true", help="print what was ended")
    parser.add_argument("--show", action="store_true", help="print the questions")
    given = parser.parse_args()
    files = sorted((DATA / "dialogues").glob("*.json"))
    chosen = [file for file in files if given.first <= file.stem <= given.last]
    asyncio.run(run(chosen, closings=given.closings, show=given.show))


if __name__ == "__main__":
    main()
