"""Facts drawn at random, each with its message and the turn before it, to be judged by people.

python -m tests.eval.facts_sample --first a-16 --seed 17 > sample.jsonl
"""

import argparse
import json
import random
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from recollect.extract.brief import Brief, Profile, Turn
from recollect.limits import TURNS_BEFORE_MAX
from tests.eval.common import DATA, data, extractor
from tests.eval.conversations import read, readings


@dataclass(frozen=True)
class Drawn:
    """A fact with what it was read from; *relation* joins *source* and *target*."""

    origin: str
    before: str | None
    speaker: str | None
    at: str
    message: str
    fact: str
    source: str
    relation: str
    target: str
    valid_at: str | None
    invalid_at: str | None
    event_at: str | None


def of_dialogues(files: list[Path]) -> Iterator[tuple[str, Brief]]:
    """Every message of these conversations, with the name of its conversation."""
    for file in files:
        for reading in _messages(json.loads(file.read_text())):
            yield file.stem, reading


def of_locomo() -> Iterator[tuple[str, Brief]]:
    """Every turn of LoCoMo's development conversations."""
    for raw in data("locomo_dev.json.gz"):
        for reading in readings(read(raw)):
            yield f"locomo {raw['sample_id']}", reading


def drawn(every: Iterable[tuple[str, Brief]], wanted: int, chance: random.Random) -> list[Drawn]:
    """The facts of messages drawn at random, until there are as many as wanted."""
    messages = list(every) if wanted else []
    chance.shuffle(messages)
    found: list[Drawn] = []
    for origin, reading in messages:
        if len(found) >= wanted:
            break
        found += _facts(origin, reading)
    return found[:wanted]


def _messages(talk: dict[str, Any]) -> Iterator[Brief]:
    """The messages as the server briefs its reader: with the user, and what was said before."""
    first, last = talk["user"].get("first_name"), talk["user"].get("last_name")
    name = " ".join(filter(None, (first, last)))
    user = Profile(name=name, user_id=talk["id"], first_name=first, last_name=last)
    said: dict[str, list[Turn]] = {}
    for one in talk["messages"]:
        before = said.setdefault(one["thread"], [])
        turn = Turn(content=one["content"], role=one["role"], speaker=one.get("name"))
        yield Brief(
            kind="message",
            content=turn.content,
            at=datetime.fromisoformat(one["at"]),
            role=turn.role,
            speaker=turn.speaker,
            before=tuple(before[-TURNS_BEFORE_MAX:]),
            user=user,
        )
        before.append(turn)


def _facts(origin: str, reading: Brief) -> Iterator[Drawn]:
    found = extractor()(reading)
    names = [entity.name for entity in found.entities]
    last = reading.before[-1] if reading.before else None
    for fact in found.facts:
        if fact.mood != "stated":
            continue
        yield Drawn(
            origin=origin,
            before=f"{last.speaker or last.role}: {last.content}" if last else None,
            speaker=reading.speaker,
            at=reading.at.isoformat(),
            message=reading.content,
            fact=fact.fact,
            source=names[fact.source],
            relation=fact.name,
            target=names[fact.target],
            valid_at=_moment(fact.valid_at),
            invalid_at=_moment(fact.invalid_at),
            event_at=_moment(fact.event_at),
        )


def _moment(at: datetime | None) -> str | None:
    return at.isoformat() if at is not None else None


def main() -> None:
    """Print one fact a line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dialogues", type=int, default=100, help="how many of these")
    parser.add_argument("--locomo", type=int, default=100, help="how many of these")
    parser.add_argument("--seed", type=int, default=17)
    parser.add_argument("--first", default="", help="the first of the conversations, by its name")
    parser.add_argument("--last", default="~", help="the last of them")
    asked = parser.parse_args()
    files = [
        file
        for file in sorted((DATA / "dialogues").glob("*.json"))
        if asked.first <= file.stem <= asked.last
    ]
    chance = random.Random(asked.seed)  # noqa: S311 - the same sample for everybody
    talks = ((of_dialogues(files), asked.dialogues), (of_locomo(), asked.locomo))
    for messages, wanted in talks:
        for one in drawn(messages, wanted, chance):
            print(json.dumps(asdict(one), ensure_ascii=False))


if __name__ == "__main__":
    main()
