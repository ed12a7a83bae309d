"""LoCoMo's conversations as the pipeline would hand them over, turn by turn."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from recollect.extract.brief import Brief, KnownName, Turn
from recollect.graph.found import Found
from tests.eval.common import words

BEFORE = 4
_EVIDENCE = re.compile(r"D\d+:\d+")


@dataclass(frozen=True)
class Said:
    """One turn of a conversation. *place* is its number among all turns of the conversation."""

    place: int
    id: str
    session: int
    speaker: str
    text: str
    at: datetime


@dataclass(frozen=True)
class Question:
    """A question with the turns that people marked as evidence, by their place."""

    text: str
    category: int
    wanted: frozenset[int]


@dataclass
class Conversation:
    """A conversation of many sessions. *found* holds what the extractor made of each turn."""

    turns: list[Said]
    questions: list[Question]
    found: list[Found] = field(default_factory=list)

    @property
    def facts(self) -> list[tuple[int, str]]:
        """Every fact's sentence, with the place of the turn it came from."""
        return [(n, fact.fact) for n, found in enumerate(self.found) for fact in found.facts]


def session_start(text: str) -> datetime:
    """ "1:56 pm on 8 May, 2023" as a time."""
    return datetime.strptime(text, "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)


def _turns(raw: Mapping[str, Any]) -> Iterator[Said]:
    place = 0
    numbers = sorted(int(key.split("_")[1]) for key in raw if re.fullmatch(r"session_\d+", key))
    for number in numbers:
        start = session_start(raw[f"session_{number}_date_time"])
        for second, turn in enumerate(raw[f"session_{number}"]):
            at = start + timedelta(seconds=second)
            yield Said(place, turn["dia_id"], number, turn["speaker"], turn["text"], at)
            place += 1


def read(raw: Mapping[str, Any]) -> Conversation:
    """A conversation of the data set. Questions without evidence that exists are left out."""
    turns = list(_turns(raw["conversation"]))
    places = {turn.id: turn.place for turn in turns}
    questions = []
    for item in raw["qa"]:
        ids = [name for text in item["evidence"] for name in _EVIDENCE.findall(text)]
        wanted = frozenset(places[name] for name in ids if name in places)
        if wanted:
            questions.append(Question(item["question"], item["category"], wanted))
    return Conversation(turns, questions)


def readings(conversation: Conversation) -> Iterator[Brief]:
    """Each turn as the pipeline would hand it over: with the turns before it, and known names.

    Names become known as the caller puts what was found into the conversation.
    """
    known: dict[str, KnownName] = {}
    for turn in conversation.turns:
        for found in conversation.found[-1:]:
            for item in found.entities:
                known.setdefault(item.name, KnownName(name=item.name, kind=item.kind))
        earlier = conversation.turns[max(0, turn.place - BEFORE) : turn.place]
        heard = f" {' '.join(words(turn.text))} "
        yield Brief(
            kind="message",
            content=turn.text,
            at=turn.at,
            speaker=turn.speaker,
            before=tuple(
                Turn(content=item.text, speaker=item.speaker)
                for item in earlier
                if item.session == turn.session
            ),
            known=tuple(
                item for name, item in known.items() if f" {' '.join(words(name))} " in heard
            ),
        )
