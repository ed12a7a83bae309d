"""What the product makes of a statement as it was typed: the sentence that the judge will meet."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from recollect.extract.brief import Brief, Profile, Turn
from recollect.extract.prose import Prose
from recollect.graph import predicates
from recollect.graph.found import Found
from recollect.models import parser
from recollect.models.sentence_kinds import Kind, Utterance
from recollect.settings import Settings
from training.judge.corpus import History

Read = dict[str, list[str | None]]
_BEFORE = 4


def read(histories: Sequence[History]) -> Read:
    """For each statement the one fact that the reader writes; None where it writes none or several."""
    prose = Prose(parser.load(Settings().models), predicates.load(), everything)
    return {history.name: _read(prose, history) for history in histories}


def kept(histories: Sequence[History], folder: Path) -> Read:
    """The same out of a file, where it was made before from as many statements."""
    file = folder / "read.json"
    held = msgspec.json.decode(file.read_bytes(), type=Read) if file.is_file() else {}
    missing = [one for one in histories if len(held.get(one.name, ())) != len(one.statements)]
    if missing:
        held |= read(missing)
        file.write_bytes(msgspec.json.encode(held))
    return held


def everything(sentences: Sequence[Utterance]) -> list[Kind]:
    return ["none" if said.text.endswith("?") else "state" for said in sentences]


def _read(prose: Prose, history: History) -> list[str | None]:
    return [one.facts[0].fact if len(one.facts) == 1 else None for one in found(prose, history)]


def found(prose: Prose, history: History) -> list[Found]:
    """What the reader finds in each statement."""
    first = history.owner.split()[0]
    user = Profile(name=history.owner, user_id="owner", first_name=first)
    turns = [
        Turn(
            content=one.text,
            role="assistant" if one.who == "Assistant" else "user",
            speaker=one.who,
        )
        for one in history.statements
    ]
    briefs = [
        Brief(
            kind="message",
            content=turn.content,
            at=datetime.fromisoformat(one.at).replace(tzinfo=UTC),
            role=turn.role,
            speaker=turn.speaker,
            user=user if one.who in (first, history.owner) else None,
            before=tuple(turns[max(0, place - _BEFORE) : place]),
        )
        for place, (turn, one) in enumerate(zip(turns, history.statements, strict=True))
    ]
    return prose.read_many(briefs)
